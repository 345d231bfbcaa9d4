//! The rules of name resolution in Python: what special methods such as `__iter__` and the builtin containers return.

mod builtin;
mod modules;
mod open_types;
mod outside;
mod protocols;
mod query_sets;

use peelback_syntax::names::{Binding, Expr, ExprId, NameId, Names};

use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, KnownKey, PossibleValues, Value};
use crate::semantics::LanguageSemantics;

/// The rules of name resolution in Python, as an implementation of [`LanguageSemantics`].
pub(super) struct PythonSemantics;

impl LanguageSemantics for PythonSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["python"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        // A string can name a module, too.
        &["import", "\"", "'"]
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::PythonModules::new(project_index))
    }

    fn is_included_in_glob_import(&self, names: &Names, name: &str) -> bool {
        match &names.star {
            Some(star) => star.iter().any(|id| names.name_text(*id) == name),
            None => !name.starts_with('_'),
        }
    }

    fn instance_of_open_type(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        type_expr: ExprId,
    ) -> Option<PossibleValues> {
        open_types::instance_of_open_type(resolver, file, type_expr)
    }

    fn constructor_method_names(&self) -> &'static [&'static str] {
        &["__init__", "__new__"]
    }

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        builtin::MEMBERS
    }

    fn containers_have_builtin_members_only(&self) -> bool {
        true
    }

    fn is_dynamically_typed(&self) -> bool {
        true
    }

    fn can_outside_call_return_project_value(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        callee: ExprId,
        budget: &mut EvaluationBudget,
    ) -> bool {
        outside::can_outside_call_return_project_value(resolver, file, callee, budget)
    }

    fn use_through_base_likely_means_override(&self) -> bool {
        true
    }

    fn is_member_inherited(&self, _binding: &Binding, name: &str) -> bool {
        // Names with two underscores in front belong to their class alone, but for the special methods.
        !name.starts_with("__") || name.ends_with("__")
    }

    fn can_member_override(&self, binding: &Binding, name: &str) -> bool {
        // Constructors are called on types.
        self.is_member_inherited(binding, name) && !self.constructor_method_names().contains(&name)
    }

    fn call_result(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let method = match resolver.expr_by_id(file, callee) {
            Expr::Member { base, name, .. } => {
                Some((resolver.evaluate_expr(file, base, budget), resolver.name_text(file, name)))
            }
            _ => None,
        };
        if let Some((receiver, name)) = &method
            && let Some(result) =
                protocols::result_of_enter_or_container_method(resolver, receiver, name, functions, budget)
        {
            return result;
        }
        if let Some((receiver, name)) = &method
            && let Some(result) = outside::result_of_outside_method_that_returns_receiver(receiver, name, functions)
        {
            return result;
        }
        let mut results = resolver.results_of_calling_functions(functions, budget);
        if let Some((receiver, name)) = &method {
            results =
                protocols::replace_declaring_type_by_receiver_type(resolver, results, receiver, functions, budget);
            if let Expr::Member { base, .. } = resolver.expr_by_id(file, callee) {
                results = query_sets::result_of_query_set_method(
                    resolver,
                    (file, base),
                    (receiver, name),
                    (functions, results),
                    budget,
                );
            }
        }
        resolver.substitute_receiver_type_arguments_in_results((file, callee), results, functions, budget)
    }

    fn instance_call_result(
        &self,
        resolver: &Resolver<'_>,
        instance: &Value,
        def: Def,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let methods = protocols::special_methods(resolver, def, "__call__", budget);
        let results = protocols::results_of_methods(resolver, &methods, budget);
        let receiver = PossibleValues::single(instance.clone(), true);
        let results =
            protocols::replace_declaring_type_by_receiver_type(resolver, results, &receiver, &methods, budget);
        query_sets::result_of_calling_query_set(resolver, instance, results, budget)
    }

    fn member_of_type_object(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        protocols::member_given_by_metaclass(resolver, def, name, budget)
    }

    fn can_call_of_type_make_heir(&self, resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> bool {
        protocols::can_call_of_type_make_heir(resolver, def, budget)
    }

    fn values_of_read_member(
        &self,
        resolver: &Resolver<'_>,
        (file, _expr): (FileId, ExprId),
        (base, name): (ExprId, NameId),
        values: PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let values = protocols::values_given_by_descriptors(resolver, values, budget);
        query_sets::query_sets_with_model(resolver, (file, base, name), values, budget)
    }

    fn is_declared_as_item_key(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        key: ExprId,
        budget: &mut EvaluationBudget,
    ) -> bool {
        protocols::is_declared_as_item_key(resolver, file, key, budget)
    }

    fn is_read_as_other_value(&self, resolver: &Resolver<'_>, value: &Value, budget: &mut EvaluationBudget) -> bool {
        protocols::is_descriptor(resolver, value, budget)
    }

    fn value_of_subscripted_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        key: KnownKey,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        protocols::value_of_subscript(resolver, def, arguments, key, budget)
    }

    fn item_of_instance_at_index(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        _index: u32,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        let item = protocols::value_of_subscript(resolver, def, arguments, KnownKey::Item, budget);
        if !item.list.is_empty() {
            return Some(item);
        }
        let yielded = protocols::values_yielded_by_special_methods(resolver, def, arguments, budget);
        Some(yielded.unwrap_or(item))
    }

    fn values_yielded_by_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        protocols::values_yielded_by_special_methods(resolver, def, arguments, budget)
    }
}
