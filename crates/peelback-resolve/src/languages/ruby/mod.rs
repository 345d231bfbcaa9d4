//! The rules of name resolution in Ruby: classes that are opened in several files, modules that are mixed in, constants,
//! and methods that are looked up when a program runs.

mod ancestors;
mod constants;
mod core;
mod members;
mod modules;
mod parts;
mod templates;

use peelback_syntax::names::{Binding, BindingKind, Expr, ExprId, NameId, Occurrence, Role, ScopeId, Target};

use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};
use crate::semantics::{LanguageSemantics, Linking};

/// The rules of name resolution in Ruby, as an implementation of [`LanguageSemantics`].
pub(super) struct RubySemantics;

impl LanguageSemantics for RubySemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &[core::NAME, core::NAME_OF_TEMPLATES]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        &["require", "load"]
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::RubyModules::new(project_index))
    }

    fn is_dynamically_typed(&self) -> bool {
        true
    }

    fn separates_static_from_instance_members(&self) -> bool {
        true
    }

    fn constructor_method_names(&self) -> &'static [&'static str] {
        &["initialize"]
    }

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        core::MEMBERS
    }

    fn containers_have_builtin_members_only(&self) -> bool {
        true
    }

    fn use_through_base_likely_means_override(&self) -> bool {
        true
    }

    fn is_member_inherited(&self, _binding: &Binding, _name: &str) -> bool {
        true
    }

    fn can_member_override(&self, binding: &Binding, name: &str) -> bool {
        matches!(binding.kind, BindingKind::Function | BindingKind::Property) && name != "initialize"
    }

    fn types_have_parts(&self) -> bool {
        true
    }

    fn find_parts_of_type(&self, resolver: &Resolver<'_>, def: Def) -> Vec<Def> {
        parts::parts_of_type(resolver, def)
    }

    fn own_members_of_type(&self, resolver: &Resolver<'_>, def: Def, name: &str) -> Option<Vec<Def>> {
        Some(members::all_own_members(resolver, def, name))
    }

    fn resolve_bare_name(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (_, scope): (ExprId, ScopeId),
        (name, _): (NameId, u32),
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        Some(constants::look_up_bare_name(resolver, file, scope, resolver.name_text(file, name), budget))
    }

    fn resolve_member_of_expr(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (_, base): (Option<ExprId>, ExprId),
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        Some(members::resolve_member(resolver, (file, base), name, budget))
    }

    fn call_result(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        _functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        members::call_result(resolver, (file, callee), budget)
    }

    fn instance_of_named_outside_type(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        type_expr: ExprId,
        arguments: Arguments,
    ) -> Option<PossibleValues> {
        let name = resolver.last_name_of_path(file, type_expr);
        (!name.is_empty()).then(|| PossibleValues::single(Value::Outside(name.into(), arguments), true))
    }

    fn further_search_words(&self, _resolver: &Resolver<'_>, _def: Option<Def>, name: &str) -> Vec<String> {
        match name {
            // Objects are made by another name.
            "initialize" => vec!["new".to_owned()],
            "[]" | "[]=" => vec!["[".to_owned()],
            _ => match name.strip_suffix('=') {
                // The sign stands apart where code assigns.
                Some(attribute) if attribute.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                    vec![attribute.to_owned()]
                }
                _ => Vec::new(),
            },
        }
    }

    fn further_names_of_member(&self, resolver: &Resolver<'_>, def: Def) -> Vec<Def> {
        // An attribute has a writer at the same place, and a function of a module is a method of objects, too.
        let Some(index) = resolver.names_index(def.file) else { return Vec::new() };
        let own = index.binding_or_placeholder(def.binding);
        if !matches!(own.kind, BindingKind::Property | BindingKind::Function) {
            return Vec::new();
        }
        let text = index.names().name_text(own.name);
        let same_name = index.bindings_of_name_in_scope(own.scope, own.name);
        let writers = index.bindings_of_name_text_in_scope(own.scope, &format!("{text}="));
        let is_same = |id: &&u32| **id != def.binding && index.binding_or_placeholder(**id).at == own.at;
        let nearest = near_in_order(same_name, def.binding).iter().chain(near_in_order(writers, def.binding));
        nearest.filter(is_same).map(|id| Def { file: def.file, binding: *id }).collect()
    }

    fn resolves_unbound_names_by_linkage(&self) -> bool {
        true
    }

    fn collect_definitions_linked_to_target(&self, resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
        for def in self.further_names_of_member(resolver, linking.target) {
            linking.united_definitions.insert(resolver.representative_of_same_name_in_scope(def));
        }
    }

    fn remove_referents_unfit_for_occurrence_role(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        occurrence: &Occurrence,
        mut resolution: Resolution,
    ) -> Resolution {
        let Target::Expr(expr) = occurrence.target else { return resolution };
        let Expr::Member { name, .. } = resolver.expr_by_id(file, expr) else { return resolution };
        let text = resolver.name_text(file, name);
        if text.starts_with('@') || constants::is_constant_name(text) {
            return resolution;
        }
        match occurrence.role {
            // A symbol that names a method of the class around, if there is one.
            Role::Read => {
                resolution.sure = false;
                if !resolution.referents.iter().any(|referent| matches!(referent, Referent::Def(_))) {
                    return Resolution::new_outside_project();
                }
            }
            Role::Member => resolution.sure = false,
            _ => {}
        }
        resolution
    }
}

/// The limit on the number of bindings of one name in one class all of which are compared with another.
const MAX_COMPARED_BINDINGS: usize = 64;

/// Those of some bindings, in their order, that can be at the same place as `id`: of very many only the neighbours, since
/// what one place defines is bound together. Otherwise the time would grow with the square of their number.
fn near_in_order(bindings: &[u32], id: u32) -> &[u32] {
    if bindings.len() <= MAX_COMPARED_BINDINGS {
        return bindings;
    }
    let at = bindings.partition_point(|other| *other < id);
    let end = bindings.len().min(at.saturating_add(MAX_COMPARED_BINDINGS / 2));
    bindings.get(at.saturating_sub(MAX_COMPARED_BINDINGS / 2)..end).unwrap_or_default()
}
