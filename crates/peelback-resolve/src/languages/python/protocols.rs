//! What Python's special methods and builtin containers return.

use peelback_syntax::names::{BindingId, BindingKind, Expr, ExprId, ITEM_METHOD, SLICE_METHOD};

use super::query_sets;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, KnownKey, PossibleValues, Value};

/// Python's special methods that return what iterating, indexing or entering yields, in the order in which they are
/// tried.
const ITERATION_METHODS: &[&str] = &["__iter__", "__aiter__", "__getitem__", "__await__", "__enter__", "__aenter__"];

/// The result of calling the special method `name` of instances of the type `def`.
pub(super) fn special_method_result(
    resolver: &Resolver<'_>,
    def: Def,
    name: &str,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let methods = special_methods(resolver, def, name, budget);
    results_of_methods(resolver, &methods, budget)
}

/// The special method `name` of instances of the type `def`.
pub(super) fn special_methods(
    resolver: &Resolver<'_>,
    def: Def,
    name: &str,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let found = resolver.type_member(def, name, budget);
    resolver.evaluate_resolution(&found, budget)
}

/// What calling these methods gives.
pub(super) fn results_of_methods(
    resolver: &Resolver<'_>,
    methods: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let mut results = PossibleValues::default();
    for value in &methods.list {
        if let Value::Function(def) = value {
            results.add(resolver.return_values_of_function(*def, budget));
        }
    }
    results
}

/// The member called `name` that a class has because it is an instance of its metaclass. Nothing for special methods, which
/// each class has.
pub(super) fn member_given_by_metaclass(
    resolver: &Resolver<'_>,
    def: Def,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    if name.starts_with("__") { Resolution::default() } else { member_of_metaclass(resolver, def, name, budget) }
}

/// Whether a call of a class can make an instance of one that derives from it: where the class has a `__new__` of the
/// project, or its metaclass a `__call__`.
pub(super) fn can_call_of_type_make_heir(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> bool {
    let is_defined = |found: &Resolution| found.referents.iter().any(|referent| matches!(referent, Referent::Def(_)));
    is_defined(&resolver.type_member(def, "__new__", budget))
        || is_defined(&member_of_metaclass(resolver, def, "__call__", budget))
}

/// The member called `name` of the metaclass of a class, which it or a base may name.
fn member_of_metaclass(resolver: &Resolver<'_>, def: Def, name: &str, budget: &mut EvaluationBudget) -> Resolution {
    let bases = resolver.all_bases_of_type(def, budget);
    for class in std::iter::once(def).chain(bases.iter().copied()) {
        let Some(metaclass) = resolver.binding_of_definition(class).filter(|binding| binding.kind == BindingKind::Type)
        else {
            continue;
        };
        let Some(metaclass) = metaclass.annotation else { continue };
        let instances = resolver.instances_of_type_expr(class.file, metaclass, budget);
        for value in &instances.list {
            let found = budget.run_nested_within_limits(|budget| resolver.value_member(value, name, budget));
            if found.referents.iter().any(|referent| *referent != Referent::External) {
                return found;
            }
        }
    }
    Resolution::default()
}

/// What reading an attribute gives whose values are `values`: where the class of a value has the method `__get__`, what that
/// returns.
pub(super) fn values_given_by_descriptors(
    resolver: &Resolver<'_>,
    values: PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    if !values.list.iter().any(|value| is_descriptor(resolver, value, budget)) {
        return values;
    }
    let mut read = PossibleValues { list: Vec::new(), ..values };
    for value in values.list {
        match value {
            Value::Instance(def, _) if is_descriptor(resolver, &value, budget) => {
                let given = special_method_result(resolver, def, "__get__", budget);
                read.missing |= Missing::unknown_if(given.list.is_empty());
                read.add(given);
            }
            other => read.list.push(other),
        }
    }
    read
}

/// Whether a value of the project has the method `__get__`, so that reading an attribute with it gives another value.
pub(super) fn is_descriptor(resolver: &Resolver<'_>, value: &Value, budget: &mut EvaluationBudget) -> bool {
    let Value::Instance(def, _) = value else { return false };
    let found = resolver.type_member(*def, "__get__", budget);
    found.referents.iter().any(|referent| matches!(referent, Referent::Def(_)))
}

/// Whether an index is a variable that is declared as a key other than a slice, or that runs over the numbers of a `range`.
pub(super) fn is_declared_as_item_key(
    resolver: &Resolver<'_>,
    file: FileId,
    key: ExprId,
    budget: &mut EvaluationBudget,
) -> bool {
    if !matches!(resolver.expr_by_id(file, key), Expr::Name { .. } | Expr::Bound { .. }) {
        return false;
    }
    let found = resolver.resolve_expr_as_name(file, key, budget);
    let is_item = |referent: &Referent| {
        let Referent::Def(def) = referent else { return false };
        let Some(binding) = resolver.binding_of_definition(*def) else { return false };
        if let Some(annotation) = binding.annotation {
            return is_name_of_item_key(resolver.last_name_of_path(def.file, annotation));
        }
        let values = resolver.names_of_file(def.file).map(|names| names.expr_ids_in_list_range(binding.values));
        let is_of_range = |value: &ExprId| match resolver.expr_by_id(def.file, *value) {
            Expr::Element { of } => matches!(resolver.expr_by_id(def.file, of), Expr::Call { callee }
                if matches!(resolver.expr_by_id(def.file, callee), Expr::Name { .. })
                    && resolver.last_name_of_path(def.file, callee) == "range"),
            _ => false,
        };
        values.is_some_and(|values| !values.is_empty() && values.iter().all(is_of_range))
    };
    !found.referents.is_empty() && found.referents.iter().all(is_item)
}

/// Whether the type of this name is one of keys that are no slices.
fn is_name_of_item_key(name: &str) -> bool {
    matches!(name, "int" | "str" | "SupportsIndex")
}

/// What indexing an instance of a type gives: what its method `__getitem__` returns for slices, or for other keys.
pub(super) fn value_of_subscript(
    resolver: &Resolver<'_>,
    def: Def,
    arguments: &Arguments,
    key: KnownKey,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let instance = Value::Instance(def, arguments.clone());
    let objects = query_sets::objects_of_query_set(resolver, def, arguments, budget);
    if let Some(mut objects) = objects {
        let part = PossibleValues::single(instance, false);
        return match key {
            KnownKey::Slice => part,
            KnownKey::Item => objects,
            KnownKey::Either => {
                objects.add(part);
                objects
            }
        };
    }
    let found = resolver.type_member(def, "__getitem__", budget);
    let mut results = PossibleValues { missing: found.missing, ..PossibleValues::default() };
    let receiver = PossibleValues::single(instance, true);
    for referent in &found.referents {
        match referent {
            Referent::Def(member) => {
                let kind = resolver.binding_of_definition(*member).map(|binding| binding.kind);
                let methods = match kind {
                    Some(BindingKind::Function) => PossibleValues::single(Value::Function(*member), true),
                    // `__getitem__ = get`
                    _ => resolver.evaluate_definition(*member, budget),
                };
                for method in &methods.list {
                    let Value::Function(method) = method else { continue };
                    let given = results_for_key(resolver, *method, key, budget);
                    let method = PossibleValues::single(Value::Function(*method), true);
                    results.add(replace_declaring_type_by_receiver_type(resolver, given, &receiver, &method, budget));
                }
            }
            _ if arguments.is_some() && key != KnownKey::Slice => {
                let last = arguments.as_ref().and_then(|arguments| arguments.last()).cloned();
                results.add(last.unwrap_or_default().marked_as_inferred());
            }
            _ => results.missing |= Missing::Unknown,
        }
    }
    results.missing |= Missing::unknown_if(results.list.is_empty());
    resolver.substitute_receiver_type_arguments(results, &receiver, budget)
}

/// What a method returns that takes the key of a subscript.
fn results_for_key(
    resolver: &Resolver<'_>,
    method: Def,
    key: KnownKey,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let mut given = PossibleValues::default();
    match parts_for_key(resolver, method, key) {
        Some(parts) => {
            for part in parts {
                given.add(budget.run_nested_within_limits(|budget| result_of_method_part(resolver, part, budget)));
            }
        }
        None => {
            given = budget.run_nested_within_limits(|budget| resolver.return_values_of_function(method, budget));
        }
    }
    given
}

/// Of a method `__getitem__` and its overloads, those that take a slice, or those that take another key; `None` if the method
/// does not tell them from each other, or the key can be either.
fn parts_for_key(resolver: &Resolver<'_>, method: Def, key: KnownKey) -> Option<Vec<Def>> {
    let is_slice = match key {
        KnownKey::Slice => true,
        KnownKey::Item => false,
        KnownKey::Either => return None,
    };
    let index = resolver.names_index(method.file)?;
    let binding = index.binding_or_placeholder(method.binding);
    if resolver.name_text(method.file, binding.name) != "__getitem__" {
        return None;
    }
    let scope = binding.scope;
    let together = index.bindings_of_name_in_scope(scope, binding.name);
    let with_file = |binding: &BindingId| Def { file: method.file, binding: *binding };
    let key_type = |binding: &BindingId| {
        let body = index.binding_or_placeholder(*binding).body?;
        let key = *index.parameters_of_scope(body).get(1)?;
        let annotation = index.binding_or_placeholder(key).annotation?;
        Some(resolver.last_name_of_path(method.file, annotation))
    };
    let mut annotated =
        together.iter().filter(|binding| index.binding_or_placeholder(**binding).annotation.is_some()).peekable();
    if annotated.peek().is_some() {
        let fits = |binding: &&BindingId| match key_type(binding) {
            Some("slice") => is_slice,
            Some(name) if is_name_of_item_key(name) => !is_slice,
            _ => true,
        };
        let fitting: Vec<Def> = annotated.filter(fits).map(with_file).collect();
        return (!fitting.is_empty()).then_some(fitting);
    }
    let told = index.bindings_of_name_text_in_scope(scope, if is_slice { SLICE_METHOD } else { ITEM_METHOD });
    (!told.is_empty()).then(|| told.iter().map(with_file).collect())
}

/// What one of several declarations of a method returns.
fn result_of_method_part(resolver: &Resolver<'_>, part: Def, budget: &mut EvaluationBudget) -> PossibleValues {
    let Some(binding) = resolver.binding_of_definition(part) else { return PossibleValues::default() };
    if let Some(annotation) = binding.annotation {
        let declared = resolver.instances_of_type_expr(part.file, annotation, budget);
        return if binding.wrapped { declared.into_container() } else { declared };
    }
    // What a method returns for slices and for other keys is bound by itself, and not wrapped.
    resolver.return_values_of_function(part, budget)
}

/// What iterating over an instance of a type yields, or entering it as a context; `None` if the type has no method for
/// it.
pub(super) fn values_yielded_by_special_methods(
    resolver: &Resolver<'_>,
    def: Def,
    arguments: &Arguments,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    if let Some(objects) = query_sets::objects_of_query_set(resolver, def, arguments, budget) {
        return Some(objects);
    }
    let (name, results) = ITERATION_METHODS.iter().find_map(|name| {
        let results = match *name {
            // Python calls it with numbers.
            "__getitem__" if !special_methods(resolver, def, name, budget).list.contains(&Value::External) => {
                value_of_subscript(resolver, def, arguments, KnownKey::Item, budget)
            }
            _ => special_method_result(resolver, def, name, budget),
        };
        (!results.list.is_empty()).then_some((*name, results))
    })?;
    let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
    let results = resolver.substitute_receiver_type_arguments(results, &receiver, budget);
    Some(match name {
        "__getitem__" | "__enter__" => results,
        "__iter__" => values_given_by_iterators(resolver, results, "__next__", budget),
        "__aiter__" => values_given_by_iterators(resolver, results, "__anext__", budget),
        _ => budget.run_nested_within_limits(|budget| resolver.values_yielded_by_values(results, budget)),
    })
}

/// What iterators give, whose method `next_name` gives the next value.
fn values_given_by_iterators(
    resolver: &Resolver<'_>,
    iterators: PossibleValues,
    next_name: &str,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let mut all = PossibleValues { missing: iterators.missing, ..PossibleValues::default() };
    let sure = iterators.sure;
    for value in iterators.list {
        let next = match &value {
            Value::Instance(iterator, _) => special_method_result(resolver, *iterator, next_name, budget),
            _ => PossibleValues::default(),
        };
        let one = PossibleValues { list: vec![value], sure, missing: Missing::Nothing };
        all.add(match next.list.is_empty() {
            false => next,
            true => budget.run_nested_within_limits(|budget| resolver.values_yielded_by_values(one, budget)),
        });
    }
    all.sure &= sure;
    all
}

/// The result of calling the method `name` of `receiver`, where Python itself defines the result: entering a context,
/// or a method of a builtin container. `functions` are the values of the method.
pub(super) fn result_of_enter_or_container_method(
    resolver: &Resolver<'_>,
    receiver: &PossibleValues,
    name: &str,
    functions: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    if matches!(name, "__enter__" | "__aenter__") {
        return Some(value_bound_by_with_statement(resolver, receiver, name, budget));
    }
    let holds = |value: &Value| matches!(value, Value::Container(_) | Value::Tuple(_));
    if !receiver.list.iter().any(holds) || functions.list.iter().any(|value| *value != Value::External) {
        return None;
    }
    let held =
        PossibleValues { list: receiver.list.iter().filter(|value| holds(value)).cloned().collect(), ..*receiver };
    match name {
        "get" | "pop" | "popleft" | "setdefault" | "__getitem__" => {
            Some(resolver.values_yielded_by_values(held, budget))
        }
        "copy" | "values" => Some(held),
        "items" => {
            let elements = resolver.values_yielded_by_values(held, budget);
            let sure = elements.sure;
            let pair = vec![PossibleValues::default(), elements];
            Some(PossibleValues::single(Value::Tuple(pair.into()), sure).into_container())
        }
        _ => None,
    }
}

/// The value that `with receiver as …` binds: the result of its method `name`, or the receiver itself.
fn value_bound_by_with_statement(
    resolver: &Resolver<'_>,
    receiver: &PossibleValues,
    name: &str,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let mut all = PossibleValues::default();
    for value in &receiver.list {
        let one = PossibleValues::single(value.clone(), receiver.sure);
        all.add(match value {
            Value::Instance(def, _) => {
                let found = resolver.type_member(*def, name, budget);
                let methods = found.referents.iter().filter_map(|referent| match referent {
                    Referent::Def(method) => Some(*method),
                    _ => None,
                });
                let mut given = PossibleValues::default();
                for method in methods {
                    given.add(
                        budget.run_nested_within_limits(|budget| resolver.return_values_of_function(method, budget)),
                    );
                    let wrapped = resolver.binding_of_definition(method).is_some_and(|binding| binding.wrapped);
                    if wrapped {
                        given = resolver.values_yielded_by_values(given, budget);
                    }
                    let method = PossibleValues::single(Value::Function(method), true);
                    given = replace_declaring_type_by_receiver_type(resolver, given, &one, &method, budget);
                }
                given.list.retain(|value| *value != Value::External);
                if given.list.is_empty() { one } else { given }
            }
            // The value that a generator function with `@contextmanager` yields.
            Value::Container(held) => {
                let mut yielded = held.to_values(receiver.sure);
                yielded.missing |= receiver.missing;
                yielded
            }
            _ => one,
        });
    }
    all
}

/// In `given`, the results of a method call, replaces the type that declares the called methods by the receiver's own
/// type, for methods that return their object or their type.
pub(super) fn replace_declaring_type_by_receiver_type(
    resolver: &Resolver<'_>,
    given: PossibleValues,
    receiver: &PossibleValues,
    functions: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let own = functions.list.iter().find_map(|function| match function {
        Value::Function(def) if may_return_receiver_type(resolver, *def) => resolver.owner_type(*def, budget),
        _ => None,
    });
    let Some(own) = own else { return given };
    let actual: Option<Def> = receiver.list.iter().find_map(|value| match value {
        Value::Instance(def, _) | Value::Type(def, _) if *def != own && resolver.is_derived_from(*def, own, budget) => {
            Some(*def)
        }
        _ => None,
    });
    let Some(actual) = actual else { return given };
    let put = |value: Value| match value {
        Value::Instance(def, args) if def == own => Value::Instance(actual, args),
        Value::Type(def, args) if def == own => Value::Type(actual, args),
        other => other,
    };
    PossibleValues { list: given.list.into_iter().map(put).collect(), ..given }
}

/// Whether a method returns an instance of the class that it is called on, not only of the class that declares it.
fn may_return_receiver_type(resolver: &Resolver<'_>, def: Def) -> bool {
    let annotation = resolver.binding_of_definition(def).map(|binding| binding.annotation);
    match annotation {
        Some(Some(annotation)) => matches!(resolver.expr_by_id(def.file, annotation), Expr::ThisType { .. }),
        Some(None) => true,
        None => false,
    }
}
