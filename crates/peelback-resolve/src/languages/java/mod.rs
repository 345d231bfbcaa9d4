//! The rules of name resolution in Java: packages, nested types, overloads, and what the platform's containers hold.

pub(super) mod calls;
pub(super) mod fit;
pub(super) mod functions;
pub(super) mod lambdas;
pub(super) mod modules;
mod operators;
mod overloads;
pub(super) mod platform;
pub(super) mod platform_members;
pub(super) mod platform_methods;
mod platform_names;
mod platform_results;
mod platform_rules;
pub(super) mod types;

use peelback_syntax::names::{
    Binding, BindingKind, Expr, ExprId, ModuleImportId, ModuleImportKind, NameId, Occurrence, RestrictedNameKind, Role,
    Target,
};

use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};
use crate::semantics::LanguageSemantics;

/// The rules of name resolution in Java, as an implementation of [`LanguageSemantics`].
pub(super) struct JavaSemantics;

impl LanguageSemantics for JavaSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["java"]
    }

    fn other_languages_using_served_names(&self) -> &'static [&'static str] {
        &["kotlin", "scala"]
    }

    fn further_names_of_definition(&self, resolver: &Resolver<'_>, def: Def) -> Vec<String> {
        types::property_of_accessor(resolver, def).into_iter().collect()
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        // A file uses the other types of its package without an import.
        &["import", "class", "interface", "enum", "record", "object", "fun", "val"]
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::JavaModules::new(project_index))
    }

    fn members_are_visible_by_bare_names(&self) -> bool {
        true
    }

    fn overloads_are_separate_definitions(&self) -> bool {
        true
    }

    fn types_declare_all_members(&self) -> bool {
        true
    }

    fn separates_fields_from_methods(&self) -> bool {
        true
    }

    fn containers_have_builtin_members_only(&self) -> bool {
        true
    }

    fn function_binding_bases_hold_parameter_types(&self) -> bool {
        true
    }

    fn substitutes_inside_nested_type_arguments(&self) -> bool {
        true
    }

    fn type_parameters_stand_for_unknown_arguments(&self) -> bool {
        true
    }

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        platform_members::member_names()
    }

    fn resolve_import_by_path_segments(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (import, _): (ModuleImportId, ModuleImportKind),
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        types::type_named_by_import(resolver, file, import, budget)
    }

    fn functions_chosen_by_arguments(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        functions: Resolution,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        overloads::functions_chosen_by_arguments(resolver, (file, callee), functions, budget)
    }

    fn hides_inherited_member(
        &self,
        resolver: &Resolver<'_>,
        own: Def,
        inherited: Def,
        budget: &mut EvaluationBudget,
    ) -> bool {
        overloads::hides_inherited_member(resolver, own, inherited, budget)
    }

    fn belongs_to_declaring_type_alone(&self, binding: &Binding) -> bool {
        // The binder marks static methods of interfaces.
        binding.kind == BindingKind::Function && binding.on_type && binding.constant
    }

    fn may_inherit_from_outside(
        &self,
        resolver: &Resolver<'_>,
        owner: Def,
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> bool {
        types::may_inherit_from_outside(resolver, owner, name, budget)
    }

    fn is_unbound_name_outside(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        name: &str,
        kind: Option<RestrictedNameKind>,
    ) -> bool {
        types::is_unbound_name_outside(resolver, file, name, kind)
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

    fn value_given_to_closure(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        (argument, parameter): (u32, u32),
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        Some(lambdas::value_given_to_lambda(resolver, (file, callee), (argument, parameter), budget))
    }

    fn call_result(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        calls::call_result(resolver, (file, callee), functions, budget)
    }

    fn values_of_read_member(
        &self,
        resolver: &Resolver<'_>,
        (file, _expr): (FileId, ExprId),
        (base, name): (ExprId, NameId),
        values: PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        if values.list != [Value::External] {
            return values;
        }
        platform_methods::value_of_field(resolver, (file, base), resolver.name_text(file, name), budget)
            .unwrap_or(values)
    }

    fn values_yielded_by_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        let value = Value::Instance(def, arguments.clone());
        let views = types::views_as_outside_types(resolver, &value, budget);
        let iterable = views.into_iter().find(|view| platform::is_subtype(&view.name, "Iterable") == Some(true))?;
        iterable.arguments?.last().cloned()
    }

    fn item_of_instance_at_index(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        index: u32,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        types::record_component(resolver, (def, arguments), index, budget)
    }

    fn remove_referents_unfit_for_occurrence_role(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        occurrence: &Occurrence,
        resolution: Resolution,
    ) -> Resolution {
        let Target::Expr(expr) = occurrence.target else { return resolution };
        let is_member = matches!(resolver.expr_by_id(file, expr), Expr::Member { .. });
        let is_function = |def: &Def| {
            resolver.binding_of_definition(*def).is_some_and(|binding| binding.kind == BindingKind::Function)
        };
        let names_function = match occurrence.role {
            Role::Call => true,
            // A method reference, and the element of an annotation.
            Role::Read => is_member,
            _ => false,
        };
        let mut resolution = resolution;
        if resolution.referents.len() > 1 {
            let fits = |referent: &Referent| match referent {
                Referent::Def(def) => is_function(def) == names_function,
                _ => true,
            };
            if resolution.referents.iter().any(fits) {
                resolution.referents.retain(fits);
            }
        }
        if occurrence.role != Role::Call {
            return resolver.remove_types_or_values_unfit_for_role(resolution, occurrence.role);
        }
        let mut budget = resolver.new_budget();
        overloads::functions_chosen_by_arguments(resolver, (file, expr), resolution, &mut budget)
    }

    fn reference_search_unites_overriding_members(&self) -> bool {
        true
    }

    fn is_member_inherited(&self, binding: &Binding, _name: &str) -> bool {
        !binding.private
    }

    fn can_member_override(&self, binding: &Binding, _name: &str) -> bool {
        binding.kind == BindingKind::Function && !binding.private && !binding.on_type
    }

    fn can_member_override_other(
        &self,
        resolver: &Resolver<'_>,
        member: Def,
        other: Def,
        budget: &mut EvaluationBudget,
    ) -> bool {
        overloads::can_override(resolver, member, other, budget)
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
}
