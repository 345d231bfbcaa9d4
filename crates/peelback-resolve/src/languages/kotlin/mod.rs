//! The rules of name resolution in Kotlin: implicit receivers, extensions, properties that Java has as functions, and what
//! the standard library's functions pass to lambdas.

mod calls;
mod extensions;
mod fits;
mod lambdas;
mod library;
mod linkage;
mod members;
mod operators;
mod overloads;
mod parameters;
mod scopes;
mod types;

use peelback_syntax::names::{
    Binding, BindingKind, ExprId, ModuleImportId, ModuleImportKind, NameId, Occurrence, Role, ScopeId, Target,
};

use crate::languages::jvm;
use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};
use crate::semantics::{LanguageSemantics, Linking};

/// The rules of name resolution in Kotlin, as an implementation of [`LanguageSemantics`].
pub(super) struct KotlinSemantics;

impl LanguageSemantics for KotlinSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["kotlin"]
    }

    fn other_languages_using_served_names(&self) -> &'static [&'static str] {
        &["java", "scala"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        // A file uses what its package has without an import.
        &["import", "class", "interface", "object", "fun", "val", "var"]
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(jvm::modules::JavaModules::new(project_index))
    }

    fn resolves_unbound_names_by_linkage(&self) -> bool {
        true
    }

    fn collect_definitions_linked_to_target(&self, resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
        linkage::unite_expected_and_actual_definitions(resolver, linking);
    }

    fn overloads_are_separate_definitions(&self) -> bool {
        true
    }

    fn types_declare_all_members(&self) -> bool {
        true
    }

    fn is_single_result_type_of_function(&self) -> bool {
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
        library::member_names()
    }

    fn resolve_import_by_path_segments(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (import, _): (ModuleImportId, ModuleImportKind),
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        scopes::referents_of_import(resolver, file, import, budget)
    }

    fn resolve_bare_name(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (expr, scope): (ExprId, ScopeId),
        (name, at): (NameId, u32),
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        Some(scopes::resolve_bare_name(resolver, file, (expr, scope), (name, at), budget))
    }

    fn resolve_member_of_expr(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (expr, base): (Option<ExprId>, ExprId),
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        Some(members::resolve_member(resolver, file, (expr, base), name, budget))
    }

    fn definition_behind_stand_in(&self, resolver: &Resolver<'_>, def: Def) -> Option<Def> {
        parameters::definition_behind_accessor(resolver, def)
    }

    fn further_names_of_definition(&self, resolver: &Resolver<'_>, def: Def) -> Vec<String> {
        parameters::names_of_accessors(resolver, def)
    }

    fn further_search_words(&self, resolver: &Resolver<'_>, def: Option<Def>, name: &str) -> Vec<String> {
        operators::signs_calling_function(resolver, def, name)
    }

    fn uses_without_name(&self, resolver: &Resolver<'_>, def: Option<Def>, name: &str) -> Option<&'static str> {
        operators::uses_that_are_not_searched(resolver, def, name)
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

    fn deref_target_instances(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        _member: &str,
        _budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        types::companion_of_type(resolver, def)
    }

    fn self_value_in_extension(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        scope: ScopeId,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        scopes::own_value_of_this(resolver, file, scope, budget)
    }

    fn may_inherit_from_outside(
        &self,
        resolver: &Resolver<'_>,
        owner: Def,
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> bool {
        jvm::types::may_inherit_from_outside(resolver, owner, name, budget)
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
        (file, expr): (FileId, ExprId),
        (base, name): (ExprId, NameId),
        values: PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        members::values_of_read_member(resolver, (file, expr), (base, name), values, budget)
    }

    fn values_yielded_by_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        let value = Value::Instance(def, arguments.clone());
        let views = jvm::types::views_as_outside_types(resolver, &value, budget);
        let iterable = views.into_iter().find(|view| library::is_subtype(&view.name, "Iterable") == Some(true))?;
        iterable.arguments?.last().cloned()
    }

    fn remove_referents_unfit_for_occurrence_role(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        occurrence: &Occurrence,
        mut resolution: Resolution,
    ) -> Resolution {
        let Target::Expr(expr) = occurrence.target else { return resolution };
        if resolution.referents.len() > 1 {
            let fits = |referent: &Referent| match referent {
                Referent::Def(def) => parameters::does_definition_fit_role(resolver, *def, occurrence.role),
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
        matches!(binding.kind, BindingKind::Function | BindingKind::Property | BindingKind::Field)
            && !binding.private
            && !binding.on_type
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
