//! The rules of name resolution in C#: namespaces over files, types with several parts, extension methods, overloads, and
//! what the platform's containers hold.

mod calls;
mod extensions;
mod fit;
mod functions;
mod lambdas;
mod methods;
mod modules;
mod operators;
mod overloads;
mod parts;
mod platform;
mod platform_members;
mod platform_methods;
mod types;
mod views;

use peelback_syntax::names::{
    Binding, BindingKind, ExprId, ModuleImportId, ModuleImportKind, NameId, Occurrence, Role, Target,
};

use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};
use crate::semantics::LanguageSemantics;

/// The rules of name resolution in C#, as an implementation of [`LanguageSemantics`].
pub(super) struct CSharpSemantics;

impl LanguageSemantics for CSharpSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["c_sharp"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        // A file uses the types of its namespace without an import.
        &["using", "class", "interface", "enum", "record", "struct", "delegate", "namespace"]
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::CSharpModules::new(project_index))
    }

    fn members_are_visible_by_bare_names(&self) -> bool {
        true
    }

    fn names_of_all_kinds_hide_each_other(&self) -> bool {
        true
    }

    fn types_differ_by_type_parameter_count(&self) -> bool {
        true
    }

    fn types_have_parts(&self) -> bool {
        true
    }

    fn find_parts_of_type(&self, resolver: &Resolver<'_>, def: Def) -> Vec<Def> {
        parts::parts_of_type(resolver, def)
    }

    fn further_names_of_definition(&self, resolver: &Resolver<'_>, def: Def) -> Vec<String> {
        let Some(binding) = resolver.binding_of_definition(def) else { return Vec::new() };
        let name = resolver.name_text(def.file, binding.name);
        let short = name.strip_suffix("Attribute").filter(|short| !short.is_empty());
        let modules = resolver.module_resolver_of_file_language(def.file).filter(|_| binding.kind == BindingKind::Type);
        let aliases = modules.map_or_else(Vec::new, |modules| modules.shared_aliases_of_type(name));
        short.into_iter().map(str::to_owned).chain(aliases).collect()
    }

    fn resolve_name_of_shared_imports(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        types::resolve_name_of_shared_imports(resolver, file, name, budget)
    }

    fn uses_without_name(&self, _resolver: &Resolver<'_>, _def: Option<Def>, name: &str) -> Option<&'static str> {
        let is_called_by_syntax = matches!(
            name,
            "this"
                | "Dispose"
                | "DisposeAsync"
                | "GetEnumerator"
                | "GetAsyncEnumerator"
                | "MoveNext"
                | "MoveNextAsync"
                | "Deconstruct"
                | "GetAwaiter"
        );
        (is_called_by_syntax || name.starts_with("operator"))
            .then_some("uses by operators, indexes, foreach, using, await and deconstruction are not searched")
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

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        platform_members::MEMBERS
    }

    fn resolve_import_by_path_segments(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (import, kind): (ModuleImportId, ModuleImportKind),
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        (kind == ModuleImportKind::Import)
            .then(|| types::type_named_by_import(resolver, file, import, budget))
            .flatten()
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
        // The binder marks constructors.
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

    fn instance_of_named_outside_type(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        type_expr: ExprId,
        arguments: Arguments,
    ) -> Option<PossibleValues> {
        let name = platform::plain_name(resolver.last_name_of_path(file, type_expr));
        (!name.is_empty()).then(|| platform::instance_of_type(name, arguments))
    }

    fn member_added_to_foreign_types(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        receiver: &PossibleValues,
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        extensions::extension_methods_of_receiver(resolver, file, receiver, name, budget)
    }

    fn members_are_added_to_outside_members(&self) -> bool {
        true
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

    fn instance_call_result(
        &self,
        resolver: &Resolver<'_>,
        instance: &Value,
        _def: Def,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        lambdas::result_of_delegate(resolver, instance, budget)
    }

    fn values_of_read_member(
        &self,
        resolver: &Resolver<'_>,
        (file, _): (FileId, ExprId),
        (base, name): (ExprId, NameId),
        values: PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        if values.list != [Value::External] {
            return values;
        }
        platform_methods::value_of_member(resolver, (file, base), resolver.name_text(file, name), budget)
            .unwrap_or(values)
    }

    fn values_yielded_by_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        operators::element_of_value(resolver, &Value::Instance(def, arguments.clone()), budget)
    }

    fn item_of_instance_at_index(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        index: u32,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        types::deconstructed_item(resolver, (def, arguments), index, budget)
    }

    fn remove_referents_unfit_for_occurrence_role(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        occurrence: &Occurrence,
        resolution: Resolution,
    ) -> Resolution {
        let Target::Expr(expr) = occurrence.target else { return resolution };
        let mut budget = resolver.new_budget();
        let mut resolution = overloads::without_explicit_implementations(resolver, resolution);
        if occurrence.role == Role::Call {
            let is_function = |referent: &Referent| match referent {
                Referent::Def(def) => {
                    resolver.binding_of_definition(*def).is_some_and(|binding| binding.kind == BindingKind::Function)
                }
                _ => false,
            };
            if resolution.referents.len() > 1 && resolution.referents.iter().any(is_function) {
                resolution.referents.retain(is_function);
            }
            return overloads::functions_chosen_by_arguments(resolver, (file, expr), resolution, &mut budget);
        }
        types::keep_types_of_written_arity(resolver, (file, expr), resolution)
    }

    fn reference_search_unites_overriding_members(&self) -> bool {
        true
    }

    fn is_member_inherited(&self, binding: &Binding, _name: &str) -> bool {
        !binding.private && !self.belongs_to_declaring_type_alone(binding)
    }

    fn can_member_override(&self, binding: &Binding, _name: &str) -> bool {
        matches!(binding.kind, BindingKind::Function | BindingKind::Property | BindingKind::Field)
            && !binding.on_type
            && (!binding.private || binding.type_only)
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
        if overloads::are_parts_of_one_method(resolver, one, other, budget) {
            return true;
        }
        let first = resolver.member_and_overridden_members(one, budget);
        let second = resolver.member_and_overridden_members(other, budget);
        first.intersection(&second).next().is_some()
    }
}
