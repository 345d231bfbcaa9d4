//! Query sets of Django and of libraries like it: which model their objects are of.
//!
//! A model class has its query set as a class attribute, mostly `objects`. A query set of a class outside the project is
//! evaluated as a container of objects of the model, one of a class of the project as an instance of that class with the model
//! as type argument. Both are inferred from names, so that objects are never more than likely.

use peelback_syntax::names::{Expr, ExprId, NameId};

use super::outside::METHODS_THAT_RETURN_THEIR_RECEIVER;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::missing::Missing;
use crate::resolve::outside::FirstName;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// Attributes under which model classes have a query set without declaring it.
const UNDECLARED_MANAGERS: &[&str] = &["_base_manager", "_default_manager", "objects"];

/// Packages whose managers give query sets, besides those whose names begin with `django`. Other packages have managers of
/// plugins, of processes, of contexts.
const PACKAGES_WITH_MANAGERS: &[&str] = &[
    "model_utils",
    "modeltranslation",
    "mongoengine",
    "mptt",
    "parler",
    "polymorphic",
    "safedelete",
    "simple_history",
    "taggit",
    "treebeard",
    "wagtail",
];

/// Methods of query sets that return one object: `create` to `latest` of Django and of mongoengine, `get_or_none` of peewee,
/// and `modify`, `next` and `with_id` of mongoengine.
const METHODS_THAT_RETURN_AN_OBJECT: &[&str] =
    &["create", "earliest", "first", "get", "get_or_none", "last", "latest", "modify", "next", "with_id"];

/// Methods of query sets that return an object when awaited, all of Django.
const METHODS_THAT_RETURN_AN_AWAITED_OBJECT: &[&str] = &["acreate", "aearliest", "afirst", "aget", "alast", "alatest"];

/// Methods of query sets that return an object and whether it is new: of Django, and the first of peewee too.
const METHODS_THAT_RETURN_AN_OBJECT_IN_A_PAIR: &[&str] = &["get_or_create", "update_or_create"];

/// Methods of query sets, besides [`METHODS_THAT_RETURN_THEIR_RECEIVER`], that return a collection of objects, which may be a
/// query set: `bulk_create`, `in_bulk`, `iterator` and `raw` of Django, `limit` of mongoengine and of peewee, the rest of
/// mongoengine.
const METHODS_THAT_RETURN_OBJECTS: &[&str] = &[
    "batch_size",
    "bulk_create",
    "clone",
    "hint",
    "in_bulk",
    "iterator",
    "limit",
    "no_cache",
    "no_dereference",
    "raw",
    "search_text",
    "skip",
    "timeout",
];

/// Methods of Django's query sets whose results hold no objects, though those of builtin containers of the same name do.
const METHODS_THAT_RETURN_ROWS: &[&str] = &["values", "values_list"];

/// The limit on the number of members and calls on the way from a query set to the attribute that it comes from.
const MAX_CHAIN_STEPS: usize = 16;

/// What reading the attribute `name` of `base` gives, whose values are `values`: where it is a query set of a model class, one
/// that knows the model.
pub(super) fn query_sets_with_model(
    resolver: &Resolver<'_>,
    (file, base, name): (FileId, ExprId, NameId),
    mut values: PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let can_be = |value: &Value| matches!(value, Value::Instance(_, None) | Value::External);
    if !values.list.iter().any(can_be) {
        return values;
    }
    let receiver = resolver.evaluate_expr(file, base, budget);
    let types = |value: &Value| match value {
        Value::Type(def, _) => Some(*def),
        _ => None,
    };
    let models: Vec<Def> = receiver.list.iter().filter_map(types).collect();
    if models.is_empty() {
        return values;
    }
    let objects = PossibleValues {
        list: models.iter().map(|model| Value::Instance(*model, None)).collect(),
        sure: false,
        missing: receiver.missing,
    };
    let name = resolver.name_text(file, name);
    let is_outside_manager = |budget: &mut EvaluationBudget| {
        models.iter().all(|model| is_outside_manager_of_model(resolver, *model, name, budget))
    };
    if values.list.contains(&Value::External) && values.list.len() == 1 && is_outside_manager(budget) {
        return objects.into_container();
    }
    for value in &mut values.list {
        if let Value::Instance(def, arguments @ None) = value
            && is_query_set_type(resolver, *def, budget)
        {
            *arguments = Some(vec![objects.clone()].into());
        }
    }
    values
}

/// Whether the attribute `name` of a class of the project is a manager of a class outside: one that each model has, or one that
/// is declared as a call of such a class.
fn is_outside_manager_of_model(resolver: &Resolver<'_>, model: Def, name: &str, budget: &mut EvaluationBudget) -> bool {
    let found = resolver.type_member(model, name, budget);
    found.referents.iter().all(|referent| match referent {
        Referent::External => UNDECLARED_MANAGERS.contains(&name),
        Referent::Def(field) => {
            let values = resolver.binding_of_definition(*field).map(|binding| binding.values);
            let names = resolver.names_of_file(field.file);
            let values = names.zip(values).map_or(&[][..], |(names, values)| names.expr_ids_in_list_range(values));
            !values.is_empty() && values.iter().all(|value| is_call_of_manager(resolver, field.file, *value))
        }
        _ => false,
    })
}

fn is_call_of_manager(resolver: &Resolver<'_>, file: FileId, value: ExprId) -> bool {
    match resolver.expr_by_id(file, value) {
        Expr::Call { callee } => is_manager_of_package(resolver, file, callee),
        // `QuerySet.as_manager()`
        Expr::Instance { of } => is_name_of_query_set(resolver.last_name_of_path(file, of)),
        _ => false,
    }
}

/// Whether a path leads to a class outside that is a manager of query sets: by its name, and by the package that the file
/// imports it from. One that a module of the project passes on can be of any package.
fn is_manager_of_package(resolver: &Resolver<'_>, file: FileId, path: ExprId) -> bool {
    if !resolver.last_name_of_path(file, path).ends_with("Manager") {
        return false;
    }
    let FirstName::Imported(source) = resolver.first_name_of_path(file, path) else { return false };
    let package = source.split('.').next().unwrap_or_default();
    package.is_empty() || package.starts_with("django") || PACKAGES_WITH_MANAGERS.contains(&package)
}

fn is_name_of_query_set(name: &str) -> bool {
    name.contains("QuerySet") || name.contains("Queryset")
}

/// Whether a class of the project is a query set or a manager of one: by its name or that of a base, where only a manager with
/// a base outside the project counts.
/// Results are memoized.
pub(super) fn is_query_set_type(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> bool {
    if let Some(known) = resolver.query_set_types.get(&def) {
        return known;
    }
    let before = std::mem::replace(&mut budget.truncated, false);
    let is_query_set = find_whether_query_set_type(resolver, def, budget);
    if !budget.truncated {
        resolver.query_set_types.insert(def, is_query_set);
    }
    budget.truncated |= before;
    is_query_set
}

fn find_whether_query_set_type(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> bool {
    let name_of = |def: Def| {
        let name = resolver.binding_of_definition(def).map(|binding| binding.name);
        name.map_or("", |name| resolver.name_text(def.file, name))
    };
    let bases = resolver.all_bases_of_type(def, budget);
    std::iter::once(def).chain(bases.iter().copied()).any(|class| {
        is_name_of_query_set(name_of(class))
            || resolver.bases_of_type(class, budget).iter().any(|(file, base)| {
                let base_name = resolver.last_name_of_path(*file, *base);
                let mut is_manager =
                    || is_manager_of_package(resolver, *file, *base) && is_outside(resolver, (*file, *base), budget);
                is_name_of_query_set(base_name) || is_manager()
            })
    })
}

fn is_outside(resolver: &Resolver<'_>, (file, base): (FileId, ExprId), budget: &mut EvaluationBudget) -> bool {
    resolver.resolve_expr_as_name(file, base, budget).referents == [Referent::External]
}

/// The objects of a query set that is an instance of `def` with these type arguments; `None` if it is no query set, or that of
/// an unknown model.
pub(super) fn objects_of_query_set(
    resolver: &Resolver<'_>,
    def: Def,
    arguments: &Arguments,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let objects = known_objects(arguments)?;
    is_query_set_type(resolver, def, budget).then(|| objects.clone().marked_as_inferred())
}

/// The objects that the type arguments of a query set tell; `None` if they name no class.
fn known_objects(arguments: &Arguments) -> Option<&PossibleValues> {
    let objects = arguments.as_ref()?.last()?;
    objects.list.iter().any(|value| matches!(value, Value::Instance(..))).then_some(objects)
}

/// The result of calling the method `name` of `receiver`, an expression with the values `values`, where it is a query set and
/// the method is known by its name. `functions` are the values of the method, and `results` what they return.
pub(super) fn result_of_query_set_method(
    resolver: &Resolver<'_>,
    (file, receiver): (FileId, ExprId),
    (values, name): (&PossibleValues, &str),
    (functions, results): (&PossibleValues, PossibleValues),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    if !functions.list.iter().all(|function| matches!(function, Value::Function(_) | Value::External)) {
        return results;
    }
    let mut objects = PossibleValues::default();
    let mut collections = PossibleValues::default();
    for value in &values.list {
        let held = match value {
            Value::Container(held) => held.to_values(false),
            Value::Instance(def, arguments) => match objects_of_query_set(resolver, *def, arguments, budget) {
                Some(held) => held,
                None => continue,
            },
            _ => continue,
        };
        objects.add(held);
        collections.add(PossibleValues::single(value.clone(), false));
    }
    if objects.list.is_empty() {
        return results;
    }
    objects.missing |= values.missing;
    let mut known = match name {
        _ if METHODS_THAT_RETURN_ROWS.contains(&name) && is_chain_from_manager(resolver, file, receiver, budget) => {
            return PossibleValues { missing: Missing::Unknown, ..PossibleValues::default() };
        }
        _ if METHODS_THAT_RETURN_AN_OBJECT.contains(&name) => objects.clone(),
        _ if METHODS_THAT_RETURN_AN_AWAITED_OBJECT.contains(&name) => objects.clone().into_container(),
        _ if METHODS_THAT_RETURN_AN_OBJECT_IN_A_PAIR.contains(&name) => {
            PossibleValues::single(Value::Tuple(vec![objects.clone(), PossibleValues::default()].into()), false)
        }
        _ if METHODS_THAT_RETURN_THEIR_RECEIVER.contains(&name) || METHODS_THAT_RETURN_OBJECTS.contains(&name) => {
            collections
        }
        _ => return with_objects(resolver, results, &objects, budget),
    };
    // What a method of the project returns is known better, if it is an object.
    let is_known = |value: &Value| matches!(value, Value::Instance(..));
    if results.list.iter().any(is_known) {
        return with_objects(resolver, results, &objects, budget);
    }
    known.missing |= results.missing;
    known
}

/// `results` with these objects as those of each query set of an unknown model.
fn with_objects(
    resolver: &Resolver<'_>,
    mut results: PossibleValues,
    objects: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    for value in &mut results.list {
        if let Value::Instance(def, arguments) = value
            && known_objects(arguments).is_none()
            && is_query_set_type(resolver, *def, budget)
        {
            *arguments = Some(vec![objects.clone()].into());
        }
    }
    results
}

/// The result of calling a query set itself, as mongoengine filters one: `results` are what its class declares.
pub(super) fn result_of_calling_query_set(
    resolver: &Resolver<'_>,
    query_set: &Value,
    results: PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let Value::Instance(def, arguments) = query_set else { return results };
    let Some(objects) = objects_of_query_set(resolver, *def, arguments, budget) else { return results };
    if results.list.is_empty() {
        return PossibleValues { missing: results.missing, ..PossibleValues::single(query_set.clone(), false) };
    }
    with_objects(resolver, results, &objects, budget)
}

/// Whether an expression is a chain of calls and members that begins at the manager of a class.
fn is_chain_from_manager(resolver: &Resolver<'_>, file: FileId, expr: ExprId, budget: &mut EvaluationBudget) -> bool {
    let mut next = expr;
    for _ in 0..MAX_CHAIN_STEPS {
        next = match resolver.expr_by_id(file, next) {
            Expr::Call { callee } => callee,
            Expr::Member { base, .. } => base,
            _ => return false,
        };
        let values = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, next, budget));
        if values.list.iter().any(|value| matches!(value, Value::Type(..))) {
            return true;
        }
    }
    false
}
