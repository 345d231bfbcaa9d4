//! The rules of name resolution in C++: namespaces over files, declarations and definitions that are one, and values
//! behind pointers and containers.

mod linkage;
mod standard;
mod values;

use peelback_syntax::names::{Binding, Expr, ExprId, NameId};

use super::c::enums::constant_of_unscoped_enum;
use super::c::modules::CModules;
use crate::modules::{FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, KnownKey, PossibleValues, Value};
use crate::semantics::{LanguageSemantics, Linking};

/// The rules of name resolution in C++, as an implementation of [`LanguageSemantics`].
pub(super) struct CppSemantics;

impl LanguageSemantics for CppSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["cpp"]
    }

    fn other_languages_using_served_names(&self) -> &'static [&'static str] {
        &["c", "objective_c"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        &["include", "import"]
    }

    fn extensions_of_unknown_files_with_imports(&self) -> &'static [&'static str] {
        super::c::EXTENSIONS_OF_UNKNOWN_FILES_WITH_INCLUDES
    }

    fn entry_points_begin_programs(&self) -> bool {
        true
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(CModules::new(project_index))
    }

    fn imports_insert_file_text(&self) -> bool {
        true
    }

    fn namespaces_span_files(&self) -> bool {
        true
    }

    fn is_builtin_type_name(&self, name: &str) -> bool {
        name == "int"
    }

    fn standard_library_namespace(&self) -> Option<&'static str> {
        Some("std")
    }

    fn has_forward_declarations(&self) -> bool {
        true
    }

    fn resolves_unbound_names_by_linkage(&self) -> bool {
        true
    }

    fn collect_definitions_linked_to_target(&self, resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
        linkage::link_definitions_of_search_target(resolver, linking);
    }

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        standard::MEMBERS
    }

    fn containers_have_builtin_members_only(&self) -> bool {
        true
    }

    fn unknown_generic_types_can_be_anything(&self) -> bool {
        true
    }

    fn substitutes_inside_nested_type_arguments(&self) -> bool {
        true
    }

    fn expr_alternatives_have_one_type(&self) -> bool {
        true
    }

    fn redundant_alternatives_keep_result_certain(&self) -> bool {
        true
    }

    fn nested_types_are_bases(&self) -> bool {
        true
    }

    fn calls_tell_overloads_apart(&self) -> bool {
        true
    }

    fn uses_without_name(&self, _resolver: &Resolver<'_>, _def: Option<Def>, name: &str) -> Option<&'static str> {
        let symbol = name.strip_prefix("operator")?;
        let is_name = symbol.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        (!is_name).then_some("uses of operators between operands (a + b) are not searched")
    }

    fn call_result(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        if let Some(found) = values::result_of_container_method(resolver, (file, callee), budget) {
            return found;
        }
        // The callee is a type outside of the project with its arguments: `std::unique_ptr<Store>(store)`.
        if functions.list == [Value::External]
            && matches!(resolver.expr_by_id(file, callee), Expr::Generic { .. })
            && !self.can_outside_call_return_project_value(resolver, file, callee, budget)
        {
            return resolver.instances_of_type_expr(file, callee, budget);
        }
        let results = resolver.results_of_calling_functions(functions, budget);
        resolver.substitute_receiver_type_arguments_in_results((file, callee), results, functions, budget)
    }

    fn can_outside_call_return_project_value(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        callee: ExprId,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        let mut callee = callee;
        while let Expr::Generic { base: Some(base), .. } = resolver.expr_by_id(file, callee) {
            callee = base;
        }
        match resolver.expr_by_id(file, callee) {
            // What a bare name that no file declares gives is not known; what the standard library gives mostly is.
            Expr::Name { .. } => true,
            Expr::Member { name, .. } => {
                standard::PASSING_FUNCTIONS.binary_search(&resolver.name_text(file, name)).is_ok()
            }
            _ => true,
        }
    }

    fn instance_call_result(
        &self,
        resolver: &Resolver<'_>,
        instance: &Value,
        def: Def,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let arguments = match instance {
            Value::Instance(_, arguments) => arguments.clone(),
            _ => None,
        };
        values::result_of_operator(resolver, def, &arguments, "operator()", budget)
    }

    fn values_of_read_member(
        &self,
        resolver: &Resolver<'_>,
        (file, _expr): (FileId, ExprId),
        (base, name): (ExprId, NameId),
        found: PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        values::value_of_read_member(resolver, (file, base, name), found, budget)
    }

    fn values_yielded_by_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        values::values_behind_instance(resolver, def, arguments, budget)
    }

    fn value_of_subscripted_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        key: KnownKey,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        // The binder writes arithmetic on pointers as a slice. What such an operator of a class gives is not known.
        if key == KnownKey::Slice {
            return PossibleValues::unknown();
        }
        values::result_of_operator(resolver, def, arguments, "operator[]", budget)
    }

    fn member_of_type_object(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        name: &str,
        _budget: &mut EvaluationBudget,
    ) -> crate::resolve::definition::Resolution {
        constant_of_unscoped_enum(resolver, def, name)
    }

    fn use_through_base_likely_means_override(&self) -> bool {
        true
    }

    fn is_member_inherited(&self, _binding: &Binding, _name: &str) -> bool {
        // What is private to the file is not private to the type.
        true
    }
}
