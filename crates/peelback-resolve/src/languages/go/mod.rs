//! The rules of name resolution in Go: packages, embedding, and interfaces that types satisfy without naming them.

mod builtin;
mod interfaces;
mod maps;
mod modules;
mod underlying;

use peelback_syntax::names::Names;

use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};
use crate::semantics::{LanguageSemantics, StructuralTyping};
use underlying::instances_of_underlying_go_types;

/// The rules of name resolution in Go, as an implementation of [`LanguageSemantics`].
pub(super) struct GoSemantics;

impl LanguageSemantics for GoSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        // The path of an import is a string.
        &["\"", "`"]
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::GoModules::new(project_index))
    }

    fn folder_files_share_package_scope(&self) -> bool {
        true
    }

    fn is_part_of_folder_package(&self, names: &Names) -> bool {
        // `package x_test` is a second package of its folder, which no file can import.
        !names.package.is_some_and(|package| names.name_text(package).ends_with("_test"))
    }

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        builtin::MEMBERS
    }

    fn function_binding_bases_hold_parameter_types(&self) -> bool {
        true
    }

    fn structural_typing_rules(&self) -> Option<&dyn StructuralTyping> {
        Some(&interfaces::GoInterfaces)
    }

    fn instance_call_result(
        &self,
        resolver: &Resolver<'_>,
        _instance: &Value,
        def: Def,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let mut all = PossibleValues::default();
        for value in instances_of_underlying_go_types(resolver, def, budget).list {
            all.add(budget.run_nested_within_limits(|budget| resolver.result_of_calling_value(&value, budget)));
        }
        all
    }

    fn values_yielded_by_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        let inside = instances_of_underlying_go_types(resolver, def, budget);
        if inside.list.is_empty() {
            return None;
        }
        let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
        let elements = budget.run_nested_within_limits(|budget| resolver.values_yielded_by_values(inside, budget));
        Some(resolver.substitute_receiver_type_arguments(elements, &receiver, budget))
    }

    fn item_of_instance_at_index(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        index: u32,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
        let inside = instances_of_underlying_go_types(resolver, def, budget);
        let item = budget.run_nested_within_limits(|budget| resolver.item_of_values_at_index(inside, index, budget));
        Some(resolver.substitute_receiver_type_arguments(item, &receiver, budget))
    }

    fn key_values_of_declared_map(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        map: u32,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        maps::key_values_of_declared_map(resolver, file, map, budget)
    }

    fn reference_search_unites_overriding_members(&self) -> bool {
        true
    }

    fn overriding_definition_is_reference(&self) -> bool {
        // A Go method does not name the interface that it implements.
        false
    }

    fn are_members_related_by_override(
        &self,
        resolver: &Resolver<'_>,
        one: Def,
        other: Def,
        budget: &mut EvaluationBudget,
    ) -> bool {
        // A method of an embedded type is hidden by one of the embedding type, not overridden.
        resolver.semantics_of_file_language(other.file) == resolver.semantics_of_file_language(one.file)
            && interfaces::is_interface_and_implementing_method_pair(resolver, one, other, budget)
    }
}
