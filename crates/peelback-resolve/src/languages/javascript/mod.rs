//! The rules of name resolution in JavaScript and TypeScript, and in Vue, Svelte and Astro components.

mod builtin;
mod modules;
mod outside;

use peelback_syntax::names::{Binding, BindingKind, ExprId, NameId, WHOLE_FILE};

use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};
use crate::semantics::LanguageSemantics;

/// The rules of name resolution in JavaScript and TypeScript, as an implementation of [`LanguageSemantics`].
pub(super) struct JavaScriptSemantics;

impl LanguageSemantics for JavaScriptSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["javascript", "typescript", "tsx", "vue", "svelte", "astro"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        // The module of an import is a string, in each kind of import.
        &["\"", "'", "`"]
    }

    fn new_module_resolver(&self, _project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::JavaScriptModules::default())
    }

    fn whole_module_export_can_be_definition(&self) -> bool {
        true
    }

    fn separates_static_from_instance_members(&self) -> bool {
        true
    }

    fn constructor_method_names(&self) -> &'static [&'static str] {
        &["constructor"]
    }

    fn are_function_exprs_definitions(&self) -> bool {
        true
    }

    fn constants_can_stand_for_members(&self) -> bool {
        true
    }

    fn assignments_call_inherited_accessors(&self) -> bool {
        true
    }

    fn prototype_member_name(&self) -> Option<&'static str> {
        Some("prototype")
    }

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        builtin::MEMBERS
    }

    fn bases_can_be_expressions(&self) -> bool {
        true
    }

    fn has_call_or_index_signatures(&self) -> bool {
        true
    }

    fn substitutes_inside_nested_type_arguments(&self) -> bool {
        true
    }

    fn is_dynamically_typed(&self) -> bool {
        true
    }

    fn redundant_alternatives_keep_result_certain(&self) -> bool {
        true
    }

    fn instance_of_open_type(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        type_expr: ExprId,
    ) -> Option<PossibleValues> {
        outside::instance_of_open_type(resolver, file, type_expr)
    }

    fn can_outside_call_return_project_value(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        callee: ExprId,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        outside::can_outside_call_return_project_value(resolver, file, callee)
    }

    fn values_of_read_member(
        &self,
        resolver: &Resolver<'_>,
        (file, _): (FileId, ExprId),
        (base, name): (ExprId, NameId),
        mut values: PossibleValues,
        _budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        if values.list == [Value::External] && outside::is_own_global_member(resolver, file, base, name) {
            values.sure = false;
            values.missing |= Missing::Unknown;
        }
        values
    }

    fn instance_call_result(
        &self,
        resolver: &Resolver<'_>,
        instance: &Value,
        _def: Def,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        budget.run_nested_within_limits(|budget| resolver.call_signature_result(instance, budget))
    }

    fn undeclared_member_value_by_index_signature(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        base: ExprId,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        Some(resolver.index_signature_result_or_containers(file, base, budget))
    }

    fn reference_search_unites_overriding_members(&self) -> bool {
        true
    }

    fn can_member_override(&self, binding: &Binding, name: &str) -> bool {
        !(binding.private && name.starts_with('#')) && name != "constructor"
    }

    fn are_members_related_by_override(
        &self,
        resolver: &Resolver<'_>,
        one: Def,
        other: Def,
        budget: &mut EvaluationBudget,
    ) -> bool {
        let first = resolver.member_and_overridden_members(one, budget);
        let second = resolver.member_and_overridden_members(other, budget);
        first.intersection(&second).next().is_some()
    }

    fn strings_can_name_symbols(&self) -> bool {
        true
    }

    fn further_search_words(&self, _resolver: &Resolver<'_>, _def: Option<Def>, name: &str) -> Vec<String> {
        // Markup can write the names of components and their properties with hyphens.
        let is_camel = name.is_ascii() && name.chars().skip(1).any(|c| c.is_ascii_uppercase());
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric());
        (is_camel && is_word).then(|| hyphenated_name(name)).into_iter().collect()
    }

    fn further_names_of_definition(&self, resolver: &Resolver<'_>, def: Def) -> Vec<String> {
        let binding = resolver.binding_of_definition(def);
        if binding.is_none_or(|binding| resolver.name_text(def.file, binding.name) != WHOLE_FILE) {
            return Vec::new();
        }
        // Each importing file chooses its own name for a component.
        let modules = resolver.module_resolver_of_file_language(def.file);
        let mut found = modules.map_or_else(Vec::new, |modules| {
            modules.texts_every_dependent_contains_one_of(resolver.project_index(), def.file)
        });
        if let Some(name) = name_with_folders(resolver.project_index().project_file_table().path_of_file(def.file)) {
            found.extend([hyphenated_name(&name), name]);
        }
        found
    }

    fn can_binding_kind_be_outline_symbol(&self, kind: BindingKind) -> bool {
        // Parameters can be symbols: a constructor's parameter with an access modifier is a member of the class too.
        !matches!(kind, BindingKind::Import | BindingKind::TypeParameter | BindingKind::Label)
    }
}

/// A name in camel case as markup writes it: `page-count` for `pageCount`.
fn hyphenated_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The name that tools give to the component at `path` in all files, with the names of the folders below `components`:
/// `UiBadge` for `components/ui/Badge.vue`.
fn name_with_folders(path: &str) -> Option<String> {
    let inside =
        path.strip_prefix("components/").or_else(|| path.split_once("/components/").map(|(_, inside)| inside))?;
    let (folders, file) = inside.rsplit_once('/')?;
    let stem = file.split('.').next().filter(|stem| *stem != "index").unwrap_or("");
    let mut name = String::new();
    for word in folders.split(['/', '-', '_']).chain(stem.split(['-', '_'])) {
        let mut chars = word.chars();
        let first = chars.next().map(|first| first.to_ascii_uppercase());
        let word: String = first.into_iter().chain(chars).collect();
        // The file can repeat the name of its folder.
        match word.strip_prefix(name.as_str()).filter(|_| !name.is_empty()) {
            Some(rest) => name.push_str(rest),
            None => name.push_str(&word),
        }
    }
    name.starts_with(char::is_uppercase).then_some(name)
}
