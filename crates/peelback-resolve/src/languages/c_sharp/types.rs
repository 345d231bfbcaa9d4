//! What types of the project are to C#'s rules: targets of `using`, components of records.

use peelback_syntax::names::{BindingKind, ExprId, ModuleImportId};

use super::platform;
use super::views::outside_views;
use crate::modules::{FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// The limit on the number of parts of a path that are read as namespaces and types.
const MAX_PARTS: usize = 32;

/// The limit on the number of types whose members shared imports make visible.
const MAX_SHARED_TYPES: usize = 64;

/// The type that the path of an import names; `None` if it names a namespace, or nothing of the project.
pub(super) fn type_named_by_import(
    resolver: &Resolver<'_>,
    file: FileId,
    import: ModuleImportId,
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    let names = resolver.names_of_file(file)?;
    let import = names.imports.get(import as usize)?;
    if import.glob && !import.special {
        return None;
    }
    type_named_by_path(resolver, file, names.name_text(import.source), budget)
}

/// What a bare name means by the imports that all files of a project share: a type by an alias, a member of a type.
pub(super) fn resolve_name_of_shared_imports(
    resolver: &Resolver<'_>,
    file: FileId,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let modules = resolver.module_resolver_of_file_language(file);
    let Some(shared) = modules.and_then(|modules| modules.shared_imports(file)) else { return Resolution::default() };
    if let Some(path) = shared.path_of_alias(name) {
        return type_named_by_path(resolver, file, path, budget).unwrap_or_else(Resolution::new_outside_project);
    }
    let mut found = Resolution::default();
    for path in shared.types.iter().take(MAX_SHARED_TYPES) {
        let types = type_named_by_path(resolver, file, path, budget).unwrap_or_default();
        for referent in types.referents {
            if let Referent::Def(def) = referent {
                found.add(resolver.type_member(def, name, budget));
            }
        }
    }
    found
}

/// The type that a path from the outermost namespace on names; `None` if there is none in the project.
fn type_named_by_path(
    resolver: &Resolver<'_>,
    file: FileId,
    path: &str,
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    let parts: Vec<&str> = path.split('.').take(MAX_PARTS).collect();
    if path.is_empty() {
        return None;
    }
    for count in (0..parts.len()).rev() {
        let (inside, types) = parts.split_at_checked(count)?;
        let Some((first, rest)) = types.split_first() else { continue };
        // The type may be in the namespace without a name.
        if let Some(found) = types_of_namespace(resolver, file, &inside.join("."), first, budget) {
            return member_types(resolver, found, rest, budget);
        }
    }
    type_named_by_relative_path(resolver, file, &parts, budget)
}

/// The type that a path from one of the namespaces around the code of a file names; `None` if there is none in the project.
fn type_named_by_relative_path(
    resolver: &Resolver<'_>,
    file: FileId,
    parts: &[&str],
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    let modules = resolver.module_resolver_of_file_language(file)?;
    let (first, rest) = parts.split_first()?;
    if let Some(Module::Package(around, _)) =
        modules.module_of_unbound_first_segment(resolver.project_index(), file, 0, first)
        && *around != **first
    {
        for count in (0..rest.len()).rev() {
            let (inside, types) = rest.split_at_checked(count)?;
            let Some((first, rest)) = types.split_first() else { continue };
            let namespace = std::iter::once(&*around).chain(inside.iter().copied()).collect::<Vec<_>>().join(".");
            if let Some(found) = types_of_namespace(resolver, file, &namespace, first, budget) {
                return member_types(resolver, found, rest, budget);
            }
        }
    }
    let around = modules.modules_visible_without_import(resolver.project_index(), file);
    let found = around.iter().find_map(|module| match module {
        Module::Package(namespace, _) => types_of_namespace(resolver, file, namespace, first, budget),
        _ => None,
    });
    found.and_then(|found| member_types(resolver, found, rest, budget))
}

/// The types called `name` of a namespace; `None` if there are none.
fn types_of_namespace(
    resolver: &Resolver<'_>,
    file: FileId,
    namespace: &str,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    let module = Module::Package(namespace.into(), file);
    let mut found = resolver.module_member(&module, name, budget);
    found.referents.retain(|referent| is_type(resolver, referent));
    (!found.is_empty()).then(|| resolver.nearest_of_same_name(file, found))
}

/// The types inside others that the rest of a path names.
fn member_types(
    resolver: &Resolver<'_>,
    mut found: Resolution,
    rest: &[&str],
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    for name in rest {
        let mut next = Resolution::default();
        for referent in &found.referents {
            if let Referent::Def(def) = referent {
                next.add(resolver.type_member(*def, name, budget));
            }
        }
        next.referents.retain(|referent| is_type(resolver, referent));
        found = next;
    }
    (!found.is_empty()).then_some(found)
}

fn is_type(resolver: &Resolver<'_>, referent: &Referent) -> bool {
    match referent {
        Referent::Def(def) => {
            resolver.binding_of_definition(*def).is_some_and(|binding| binding.kind == BindingKind::Type)
        }
        _ => false,
    }
}

/// Of several types to which a name resolves, keeps those that have as many type parameters as it has arguments.
pub(super) fn keep_types_of_written_arity(
    resolver: &Resolver<'_>,
    (file, expr): (FileId, ExprId),
    mut resolution: Resolution,
) -> Resolution {
    if resolution.referents.len() > 1
        && let Some(names) = resolver.names_of_file(file)
    {
        let count = names.type_argument_count_of_name(expr) as usize;
        let fits = |referent: &Referent| match referent {
            Referent::Def(def) if is_type(resolver, referent) => resolver.type_parameter_count_of_type(*def) == count,
            _ => true,
        };
        if resolution.referents.iter().any(fits) {
            resolution.referents.retain(fits);
        }
    }
    resolution
}

/// The item at `index` of an instance of a type: a component of a record, or what its `Deconstruct` gives.
pub(super) fn deconstructed_item(
    resolver: &Resolver<'_>,
    (def, arguments): (Def, &Arguments),
    index: u32,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let index = usize::try_from(index).ok()?;
    let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
    let name = resolver.binding_of_definition(def).map(|binding| resolver.name_text(def.file, binding.name))?;
    let mut longest = None;
    for method in ["Deconstruct", name] {
        for referent in resolver.type_member(def, method, budget).referents {
            if let Referent::Def(method) = referent
                && let Some(parameters) = resolver.declared_parameters(method, budget)
                && parameters.types.len() > index
            {
                longest = longest.or(Some(parameters));
            }
        }
    }
    let item = longest?.types.get(index)?.clone();
    Some(resolver.substitute_receiver_type_arguments(item, &receiver, budget))
}

/// Whether a type may have a member called `name` from a base that is outside the project or not known.
pub(super) fn may_inherit_from_outside(
    resolver: &Resolver<'_>,
    owner: Def,
    name: &str,
    budget: &mut EvaluationBudget,
) -> bool {
    if !resolver.are_all_bases_known(owner, budget) {
        return true;
    }
    let views = outside_views(resolver, &Value::Instance(owner, None), budget);
    !views.iter().all(|view| platform::lacks_member(&view.name, name))
}
