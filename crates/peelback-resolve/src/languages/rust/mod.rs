//! The rules of name resolution in Rust: paths, traits, `Deref`, and method calls whose result the receiver determines.

mod builtin;
mod foreign;
mod import_paths;
mod macros;
mod modules;
mod outside;
mod receivers;
mod rules;

use peelback_syntax::names::{
    BindingKind, ExprId, ModuleImportId, ModuleImportKind, Occurrence, Role, ScopeId, Target,
};

pub(super) use rules::RustSemantics;

use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};
use crate::semantics::{LanguageSemantics, Linking};

impl LanguageSemantics for RustSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["rust"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        &["use", "mod", "extern", "::"]
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::RustModules::new(project_index))
    }

    fn modules_see_enclosing_scopes(&self) -> bool {
        false
    }

    fn substitutes_inside_nested_type_arguments(&self) -> bool {
        true
    }

    fn resolves_unbound_names_by_linkage(&self) -> bool {
        true
    }

    fn modules_contain_definitions_linked_by_name(&self) -> bool {
        // An exported macro is a member of the root of its crate, wherever it is written.
        true
    }

    fn collect_definitions_linked_to_target(&self, resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
        let is_macro =
            resolver.binding_of_definition(linking.target).is_some_and(|binding| binding.kind == BindingKind::Macro);
        if is_macro {
            linking.linked_names.entry(linking.name.to_owned()).or_default().push(linking.target);
        }
    }

    fn resolve_import_by_path_segments(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (import, kind): (ModuleImportId, ModuleImportKind),
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        (kind != ModuleImportKind::Module)
            .then(|| import_paths::resolve_import_by_path_segments(resolver, file, import, budget))
    }

    fn macros_of_project_by_name<'r>(&self, resolver: &'r Resolver<'_>, name: &str) -> &'r [Def] {
        macros::macros_of_project_by_name(resolver, name)
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

    fn separates_fields_from_methods(&self) -> bool {
        true
    }

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        builtin::MEMBERS
    }

    fn function_binding_bases_hold_parameter_types(&self) -> bool {
        true
    }

    fn is_inheritance_of_external_member_uncertain(&self, name: &str) -> bool {
        // The members of a trait outside the project are not known, so a macro may have generated the member of this
        // name.
        !receivers::is_standard_trait_member_name(name)
    }

    fn deref_target_instances(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        member: &str,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        receivers::deref_target_instances(resolver, def, member, budget)
    }

    fn self_value_in_extension(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        scope: ScopeId,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        receivers::self_value_in_extension(resolver, file, scope, budget)
    }

    fn member_added_to_foreign_types(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        receiver: &PossibleValues,
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        foreign::member_added_to_foreign_types(resolver, file, receiver, name, budget)
    }

    fn expr_alternatives_have_one_type(&self) -> bool {
        true
    }

    fn has_overloads(&self) -> bool {
        false
    }

    fn call_result(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        if let Some(result) = receivers::call_result_determined_by_receiver(resolver, (file, callee), functions, budget)
        {
            return result;
        }
        let results = resolver.results_of_calling_functions(functions, budget);
        resolver.substitute_receiver_type_arguments_in_results((file, callee), results, functions, budget)
    }

    fn instance_call_result(
        &self,
        _resolver: &Resolver<'_>,
        instance: &Value,
        _def: Def,
        _budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        // A called enum variant is an instance already: `Shape::Circle(1)`.
        PossibleValues::single(instance.clone(), true)
    }

    fn values_yielded_by_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        Some(receivers::values_yielded_by_associated_types(resolver, def, arguments, budget))
    }

    fn remove_referents_unfit_for_occurrence_role(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        occurrence: &Occurrence,
        resolution: Resolution,
    ) -> Resolution {
        // An import takes every definition that has the imported name.
        if matches!(occurrence.role, Role::Import | Role::Export) {
            return resolution;
        }
        // Elsewhere a module or a field can share its name with a function.
        let called = occurrence.role == Role::Call;
        let mut resolution = resolver.keep_functions_or_non_functions(resolution, called);
        if called && let Target::Expr(expr) = occurrence.target {
            receivers::remove_fields_from_callee_referents(resolver, file, expr, &mut resolution);
        }
        resolution
    }

    fn multiple_definitions_are_build_alternatives(&self) -> bool {
        true
    }

    fn use_through_base_likely_means_override(&self) -> bool {
        true
    }

    fn implementing_member_is_reference(&self) -> bool {
        true
    }

    fn implementing_members_live_in_extensions(&self) -> bool {
        true
    }

    fn are_members_related_by_override(
        &self,
        resolver: &Resolver<'_>,
        one: Def,
        other: Def,
        budget: &mut EvaluationBudget,
    ) -> bool {
        // Traits have no fields, so that a field never overrides a member.
        let is_field =
            |def: Def| resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Field);
        !is_field(one) && !is_field(other) && resolver.has_owner_types_related_by_inheritance(one, other, budget)
    }
}
