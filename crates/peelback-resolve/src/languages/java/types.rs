//! What types of the project are to Java's rules: targets of imports, views as types of the platform, components of
//! records.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, ModuleImportId, RestrictedNameKind};

use super::modules::JavaModules;
use super::{operators, platform, platform_members, platform_names};
use crate::modules::{Destination, FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::outside::is_written_as_type;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// The limit on the number of types that are looked through for the types of the platform that a type derives from.
const MAX_VIEWED_TYPES: usize = 32;

/// A type outside the project that a value is an instance of.
pub(in crate::languages) struct OutsideView {
    pub name: Arc<str>,
    pub arguments: Arguments,
}

/// The type that the path of an import names; `None` if it names a package, or nothing of the project.
pub(in super::super) fn type_named_by_import(
    resolver: &Resolver<'_>,
    file: FileId,
    import: ModuleImportId,
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    let names = resolver.names_of_file(file)?;
    let import = names.imports.get(import as usize)?;
    let modules = resolver.module_resolver_of_file_language(file)?;
    let Destination::Module(Module::File(target)) =
        modules.import_destination(resolver.project_index(), file, names, import)
    else {
        return None;
    };
    let inner = JavaModules::names_from_type_of_file(resolver.project_index(), target, names.name_text(import.source));
    let (first, inner) = inner.split_first()?;
    let mut found = type_in_list(resolver, resolver.top_level_bindings_of_name(target, first))?;
    for name in inner {
        let members = resolver.type_member(found, name, budget);
        let defs = members.referents.into_iter().filter_map(|referent| match referent {
            Referent::Def(def) => Some(def),
            _ => None,
        });
        let Some(next) = type_in_list(resolver, defs) else { return Some(Resolution::default()) };
        found = next;
    }
    Some(Resolution::new_certain_single(Referent::Def(found)))
}

/// The first of some definitions that is a type.
fn type_in_list(resolver: &Resolver<'_>, defs: impl IntoIterator<Item = Def>) -> Option<Def> {
    defs.into_iter()
        .find(|def| resolver.binding_of_definition(*def).is_some_and(|binding| binding.kind == BindingKind::Type))
}

/// The types outside the project that a value is an instance of: its own, or those that its type derives from, with the
/// arguments that it gives them.
pub(in crate::languages) fn views_as_outside_types(
    resolver: &Resolver<'_>,
    value: &Value,
    budget: &mut EvaluationBudget,
) -> Vec<OutsideView> {
    let mut views = Vec::new();
    let mut seen = Vec::new();
    let mut next = vec![value.clone()];
    while let Some(value) = next.pop() {
        match value {
            Value::Outside(name, arguments) => views.push(OutsideView { name, arguments }),
            Value::Instance(def, arguments) => {
                if seen.contains(&def) || seen.len() >= MAX_VIEWED_TYPES {
                    continue;
                }
                seen.push(def);
                let receiver = PossibleValues::single(Value::Instance(def, arguments), true);
                for &(file, base) in resolver.bases_of_type(def, budget).iter().rev() {
                    let bases =
                        budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(file, base, budget));
                    next.extend(resolver.substitute_receiver_type_arguments(bases, &receiver, budget).list);
                }
            }
            Value::Parameter(def) => {
                if seen.contains(&def) || seen.len() >= MAX_VIEWED_TYPES {
                    continue;
                }
                seen.push(def);
                next.extend(bounds_of_type_parameter(resolver, def, budget).list);
            }
            Value::External => views.push(OutsideView { name: "".into(), arguments: None }),
            _ => {}
        }
    }
    views
}

/// Instances of the bounds of a type parameter.
pub(in crate::languages) fn bounds_of_type_parameter(
    resolver: &Resolver<'_>,
    def: Def,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let bound = resolver.binding_of_definition(def).and_then(|binding| binding.annotation);
    bound.map_or_else(PossibleValues::default, |bound| {
        budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(def.file, bound, budget))
    })
}

/// The component at `index` of an instance of a record.
pub(in super::super) fn record_component(
    resolver: &Resolver<'_>,
    (def, arguments): (Def, &Arguments),
    index: u32,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let indexed = resolver.names_index(def.file)?;
    let body = indexed.binding_or_placeholder(def.binding).body?;
    let mut components: Vec<u32> = indexed
        .bindings_of_scope(body)
        .iter()
        .copied()
        .filter(|id| {
            let binding = indexed.binding_or_placeholder(*id);
            binding.kind == BindingKind::Field && !binding.on_type
        })
        .collect();
    components.sort_unstable_by_key(|id| indexed.binding_or_placeholder(*id).at);
    let component = *components.get(usize::try_from(index).ok()?)?;
    let annotation = indexed.binding_or_placeholder(component).annotation?;
    let values =
        budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(def.file, annotation, budget));
    let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
    Some(resolver.substitute_receiver_type_arguments(values, &receiver, budget))
}

/// The name of the property that other languages read or write by a method: `size` for `getSize` and `setSize`.
pub(super) fn property_of_accessor(resolver: &Resolver<'_>, def: Def) -> Option<String> {
    let binding = resolver.binding_of_definition(def).filter(|binding| binding.kind == BindingKind::Function)?;
    let name = resolver.name_text(def.file, binding.name);
    let rest = match binding.bases.len {
        0 if name.strip_prefix("is").is_some_and(|rest| rest.starts_with(char::is_uppercase)) => {
            return Some(name.to_owned());
        }
        0 => name.strip_prefix("get")?,
        1 => name.strip_prefix("set")?,
        _ => return None,
    };
    let mut chars = rest.chars();
    let first = chars.next().filter(|first| first.is_uppercase())?;
    Some(first.to_lowercase().chain(chars).collect())
}

/// Whether a type may have a member called `name` from a base that is outside the project or not known.
pub(in super::super) fn may_inherit_from_outside(
    resolver: &Resolver<'_>,
    owner: Def,
    name: &str,
    budget: &mut EvaluationBudget,
) -> bool {
    if !resolver.are_all_bases_known(owner, budget) {
        return true;
    }
    let views = views_as_outside_types(resolver, &Value::Instance(owner, None), budget);
    !views.iter().all(|view| platform::lacks_member(&view.name, name))
}

/// The first names of packages that are outside the project if it does not have them.
const FIRST_PACKAGES: &[&str] = &[
    "android", "androidx", "com", "edu", "groovy", "io", "jakarta", "java", "javax", "jdk", "kotlin", "net", "org",
    "scala", "sun",
];

/// The limit on the number of imports of whole packages that are looked at for a name.
const MAX_GLOBS: usize = 64;

/// Whether a bare name that nothing in sight binds is outside the project, and not in source that is missing there.
pub(in super::super) fn is_unbound_name_outside(
    resolver: &Resolver<'_>,
    file: FileId,
    name: &str,
    kind: Option<RestrictedNameKind>,
) -> bool {
    let is_type = is_written_as_type(name);
    match kind {
        Some(RestrictedNameKind::Type) if !is_type => return true,
        Some(RestrictedNameKind::Function)
            if operators::is_operator(name) || platform_members::is_method_of_every_object(name) =>
        {
            return true;
        }
        Some(RestrictedNameKind::Function) => {}
        _ if platform::is_well_known_type(name) || FIRST_PACKAGES.binary_search(&name).is_ok() => return true,
        _ => {}
    }
    let takes_types = kind != Some(RestrictedNameKind::Function) && is_type;
    let takes_members = kind != Some(RestrictedNameKind::Type);
    let Some(names) = resolver.names_of_file(file) else { return false };
    let Some(modules) = resolver.module_resolver_of_file_language(file) else { return false };
    names.imports.iter().filter(|import| import.glob).take(MAX_GLOBS).any(|import| {
        // The types of these packages are known by name.
        let is_listed = || platform_names::is_listed_package(names.name_text(import.source));
        (if import.special { takes_members } else { takes_types && !is_listed() })
            && matches!(
                modules.import_destination(resolver.project_index(), file, names, import),
                Destination::External(_)
            )
    })
}
