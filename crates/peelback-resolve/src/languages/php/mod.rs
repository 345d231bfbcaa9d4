//! The rules of name resolution in PHP: full paths, traits, members that only run time adds, and what methods return that
//! return their object.

mod modules;
mod undeclared;
mod values;

use peelback_syntax::names::{
    Binding, BindingKind, Expr, ExprId, FILE_SCOPE, ModuleImportId, ModuleImportKind, Names, Occurrence, Role, ScopeId,
    Target,
};

use crate::modules::{Destination, FileId, Module, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, KnownKey, PossibleValues, Value};
use crate::semantics::LanguageSemantics;
use modules::NamedPath;

/// The rules of name resolution in PHP, as an implementation of [`LanguageSemantics`].
pub(super) struct PhpSemantics;

impl LanguageSemantics for PhpSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["php"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        // A file uses what other files declare without an import. Templates have code without tags.
        &["<?", "{{", "{!!", "@"]
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::PhpModules::new(project_index))
    }

    fn resolve_import_by_path_segments(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        (import, kind): (ModuleImportId, ModuleImportKind),
        _budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        match kind {
            ModuleImportKind::Include => None,
            _ => Some(module_of_import(resolver, file, import).unwrap_or_default()),
        }
    }

    fn types_declare_all_members(&self) -> bool {
        true
    }

    fn undeclared_member(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        name: &str,
        budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        undeclared::undeclared_member(resolver, def, name, budget)
    }

    fn overloads_are_separate_definitions(&self) -> bool {
        // A method and a property of one name are two members.
        true
    }

    fn hides_inherited_member(
        &self,
        resolver: &Resolver<'_>,
        own: Def,
        inherited: Def,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        is_function(resolver, own) == is_function(resolver, inherited)
    }

    fn can_member_override_other(
        &self,
        resolver: &Resolver<'_>,
        member: Def,
        other: Def,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        is_function(resolver, member) == is_function(resolver, other)
    }

    fn separates_fields_from_methods(&self) -> bool {
        true
    }

    fn containers_have_builtin_members_only(&self) -> bool {
        true
    }

    fn constructor_method_names(&self) -> &'static [&'static str] {
        &["__construct"]
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

    fn has_overloads(&self) -> bool {
        false
    }

    fn instance_of_open_type(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        type_expr: ExprId,
    ) -> Option<PossibleValues> {
        match resolver.last_name_of_path(file, type_expr) {
            "?array" => Some(PossibleValues::container_of_unknown_elements()),
            "?mixed" | "?callable" => Some(PossibleValues::unknown()),
            _ => None,
        }
    }

    fn can_outside_call_return_project_value(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        callee: ExprId,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        match resolver.expr_by_id(file, callee) {
            // Most functions of the language return values of the language. What a variable holds can be anything.
            Expr::Name { name, .. } => {
                let name = resolver.name_text(file, name);
                name.starts_with('$') || values::FUNCTIONS_THAT_PASS_VALUES.binary_search(&name).is_ok()
            }
            Expr::Bound { .. } => false,
            Expr::Member { name, .. } => values::may_method_return_project_value(resolver.name_text(file, name)),
            _ => true,
        }
    }

    fn call_result(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let mut results = resolver.results_of_calling_functions(functions, budget);
        if let Expr::Member { base, name, .. } = resolver.expr_by_id(file, callee) {
            let is_declared = functions.list.iter().any(|function| *function != Value::External);
            if !is_declared && values::is_method_of_test_doubles(resolver.name_text(file, name)) {
                return PossibleValues::external();
            }
            let receiver = resolver.evaluate_expr(file, base, budget);
            results = values::put_receiver_in_place_of_declaring_type(resolver, results, &receiver, functions, budget);
        }
        resolver.substitute_receiver_type_arguments_in_results((file, callee), results, functions, budget)
    }

    fn instance_call_result(
        &self,
        resolver: &Resolver<'_>,
        _instance: &Value,
        def: Def,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        values::result_of_method(resolver, def, "__invoke", budget).unwrap_or_else(PossibleValues::unknown)
    }

    fn values_yielded_by_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        Some(values::values_of_iteration(resolver, def, arguments, budget))
    }

    fn value_of_subscripted_instance(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        _key: KnownKey,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        values::value_of_subscript(resolver, def, arguments, budget)
    }

    fn item_of_instance_at_index(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        _index: u32,
        budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        Some(values::value_of_subscript(resolver, def, arguments, budget))
    }

    fn remove_referents_unfit_for_occurrence_role(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        occurrence: &Occurrence,
        mut resolution: Resolution,
    ) -> Resolution {
        let Target::Expr(expr) = occurrence.target else { return resolution };
        let is_member = matches!(resolver.expr_by_id(file, expr), Expr::Member { .. });
        let names_function = match occurrence.role {
            // A class is called where an instance is made.
            Role::Call if is_member => true,
            // A string or an array that stands for a method.
            Role::Read => is_member,
            Role::Member | Role::Write => false,
            _ => return resolver.remove_types_or_values_unfit_for_role(resolution, occurrence.role),
        };
        let fits = |referent: &Referent| match referent {
            Referent::Def(def) => is_function(resolver, *def) == names_function,
            _ => true,
        };
        if resolution.referents.len() > 1 && resolution.referents.iter().any(fits) {
            resolution.referents.retain(fits);
        }
        resolution
    }

    fn further_search_words(&self, resolver: &Resolver<'_>, def: Option<Def>, name: &str) -> Vec<String> {
        let kind = def.and_then(|def| resolver.binding_of_definition(def)).map(|binding| binding.kind);
        match kind {
            Some(BindingKind::Function) if self.constructor_method_names().contains(&name) => vec!["new".to_owned()],
            // A static property is used with its sign: `Foo::$bar`.
            Some(BindingKind::Field | BindingKind::Property) | None => vec![format!("${name}")],
            _ => Vec::new(),
        }
    }

    fn standard_library_member_names(&self) -> &'static [&'static str] {
        values::MEMBERS_OF_LANGUAGE
    }

    fn reference_search_unites_overriding_members(&self) -> bool {
        true
    }

    fn can_member_override(&self, binding: &Binding, name: &str) -> bool {
        binding.kind == BindingKind::Function && !binding.private && name != "__construct"
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

fn is_function(resolver: &Resolver<'_>, def: Def) -> bool {
    resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Function)
}

/// The part of a file that declares what an import names: the file, or a namespace inside it. `None` if nothing is known of
/// the path.
fn module_of_import(resolver: &Resolver<'_>, file: FileId, import: ModuleImportId) -> Option<Resolution> {
    let names = resolver.names_of_file(file)?;
    let import = names.imports.get(import as usize)?;
    let modules = resolver.module_resolver_of_file_language(file)?;
    let destination = |import| modules.import_destination(resolver.project_index(), file, names, import);
    let named = NamedPath::of_source(names.name_text(import.source));
    let (namespace, name) = named.namespace_and_name();
    match destination(import) {
        Destination::Module(Module::File(target)) => {
            let indexed = resolver.names_index(target)?;
            let scope = scope_of_namespace(indexed.names(), namespace);
            let declares = |scope| {
                let bound = indexed.bindings_of_name_text_in_scope(scope, name).iter();
                bound.map(|id| indexed.binding_or_placeholder(*id)).any(|binding| binding.kind != BindingKind::Import)
            };
            let found =
                [scope, scope_of_namespace(indexed.names(), ""), FILE_SCOPE].into_iter().find(|scope| declares(*scope));
            if let Some(scope) = found {
                let module = match scope {
                    FILE_SCOPE => Module::File(target),
                    _ => Module::Scope(target, scope),
                };
                return Some(Resolution::new_certain_single(Referent::Module(module)));
            }
            if import.kind != ModuleImportKind::Path || namespace.is_empty() {
                return Some(Resolution::new_outside_project());
            }
            // No file declares the name. It can be generated if its namespace is one of the project.
            let explicit = peelback_syntax::names::ModuleImport { kind: ModuleImportKind::Import, ..import.clone() };
            match destination(&explicit) {
                Destination::Unresolved(_) => None,
                _ => Some(Resolution::new_outside_project()),
            }
        }
        Destination::Module(module) => Some(Resolution::new_certain_single(Referent::Module(module))),
        Destination::External(_) => Some(Resolution::new_outside_project()),
        Destination::Unresolved(_) => None,
    }
}

/// The scope of a namespace in a file.
fn scope_of_namespace(names: &Names, namespace: &str) -> ScopeId {
    let package = names.package.map_or("", |package| names.name_text(package));
    if package.eq_ignore_ascii_case(namespace) {
        return FILE_SCOPE;
    }
    let found = names.bindings.iter().find(|binding| {
        binding.kind == BindingKind::Module && names.name_text(binding.name).eq_ignore_ascii_case(namespace)
    });
    found.and_then(|binding| binding.body).unwrap_or(FILE_SCOPE)
}
