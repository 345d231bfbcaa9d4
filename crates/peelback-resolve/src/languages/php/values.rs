//! What PHP's methods return, and what iterating over objects and indexing them gives.

use peelback_syntax::names::Expr;

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// Functions of the language that return what they are given, what an object of the project returns, or a value of any
/// type; in byte order.
pub(super) const FUNCTIONS_THAT_PASS_VALUES: &[&str] = &[
    "array_combine",
    "array_fill",
    "array_map",
    "array_merge",
    "array_pop",
    "array_reduce",
    "array_search",
    "array_shift",
    "array_walk",
    "call_user_func",
    "call_user_func_array",
    "constant",
    "current",
    "end",
    "forward_static_call",
    "func_get_arg",
    "func_get_args",
    "get_object_vars",
    "iterator_to_array",
    "max",
    "min",
    "next",
    "prev",
    "reset",
    "unserialize",
];

/// The beginnings of the names of methods outside the project that may return a value of the project: they give what was put
/// in, or what the caller names.
const BEGINNINGS_OF_PASSING_METHODS: &[&str] = &[
    "call",
    "create",
    "current",
    "fetch",
    "filter",
    "find",
    "first",
    "get",
    "instance",
    "invoke",
    "last",
    "load",
    "make",
    "map",
    "new",
    "next",
    "offsetGet",
    "pop",
    "resolve",
    "reveal",
    "shift",
    "top",
    "wait",
];

/// Names of the members that the language's own types have, in byte order.
#[rustfmt::skip]
pub(super) const MEMBERS_OF_LANGUAGE: &[&str] = &[
    "__invoke", "__toString", "add", "addAttribute", "addChild", "addEmptyDir", "addFile", "addFromString", "append",
    "appendChild", "asort", "attach", "beginTransaction", "bind", "bindParam", "bindTo", "bindValue", "bottom",
    "call", "children", "close", "commit", "contains", "count", "createElement", "current", "dequeue", "detach",
    "diff", "enqueue", "eof", "errorInfo", "exec", "execute", "extract", "fetch", "fetchAll", "fetchColumn", "fgets",
    "format", "fromCallable", "fwrite", "getArguments", "getArrayCopy", "getAttribute", "getAttributes",
    "getBasename", "getCode", "getConstant", "getConstants", "getConstructor", "getContents", "getDocComment",
    "getElementsByTagName", "getExtension", "getFile", "getFilename", "getInnerIterator", "getInterfaceNames",
    "getInterval", "getIterator", "getLine", "getLocation", "getMessage", "getMethod", "getMethods", "getName",
    "getNamespaceName", "getOffset", "getParameters", "getParentClass", "getPath", "getPathname", "getPrevious",
    "getProperties", "getProperty", "getRealPath", "getReturnType", "getShortName", "getSize", "getStaticVariables",
    "getTimestamp", "getTimezone", "getTrace", "getTraceAsString", "getType", "getValue", "hasAttribute", "hasMethod",
    "hasProperty", "implementsInterface", "insert", "invoke", "invokeArgs", "isBuiltin", "isDir", "isEmpty", "isFile",
    "isInstance", "isReadable", "isSubclassOf", "isValid", "isWritable", "item", "jsonSerialize", "key",
    "lastInsertId", "load", "loadHTML", "loadXML", "modifiers", "modify", "newInstance", "newInstanceArgs", "next",
    "offsetExists", "offsetGet", "offsetSet", "offsetUnset", "open", "pop", "prepare", "prev", "push", "query",
    "read", "receive", "rewind", "rollBack", "save", "saveHTML", "saveXML", "seek", "send", "serialize",
    "setAccessible", "setAttribute", "setDate", "setFetchMode", "setTime", "setTimestamp", "setTimezone", "setValue",
    "shift", "sub", "tell", "throw", "toArray", "top", "unserialize", "unshift", "valid", "write", "xpath",
];

/// Whether a method outside the project may return a value of the project, judged by its name.
pub(super) fn may_method_return_project_value(name: &str) -> bool {
    BEGINNINGS_OF_PASSING_METHODS.iter().any(|start| name.starts_with(start))
}

/// Whether a method that no type is known to declare is the one with which tests begin to say what a double expects. What
/// follows it belongs to the library.
pub(super) fn is_method_of_test_doubles(name: &str) -> bool {
    matches!(name, "expects" | "shouldReceive" | "shouldHaveReceived" | "shouldNotReceive")
}

/// In `given`, the results of a method call, replaces the type that declares the called method by the receiver's own type,
/// if the method returns its object, or one of its object's class.
pub(super) fn put_receiver_in_place_of_declaring_type(
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
    let actual: Vec<Value> = receiver
        .list
        .iter()
        .filter_map(|value| match value {
            Value::Instance(def, arguments) | Value::Type(def, arguments)
                if *def != own && resolver.is_derived_from(*def, own, budget) =>
            {
                Some(Value::Instance(*def, arguments.clone()))
            }
            _ => None,
        })
        .collect();
    if actual.is_empty() {
        return given;
    }
    let mut list: Vec<Value> = Vec::new();
    for value in given.list {
        match value {
            Value::Instance(def, _) if def == own => list.extend(actual.iter().cloned()),
            other => list.push(other),
        }
    }
    PossibleValues { list, ..given }
}

/// Whether a method may return an instance of the class that it is called on, not only of the class that declares it.
fn may_return_receiver_type(resolver: &Resolver<'_>, def: Def) -> bool {
    let annotation = resolver.binding_of_definition(def).map(|binding| binding.annotation);
    match annotation {
        Some(Some(annotation)) => match resolver.expr_by_id(def.file, annotation) {
            Expr::ThisType { .. } | Expr::This { .. } => true,
            Expr::Either(parts) => {
                let names = resolver.names_of_file(def.file);
                let parts = names.map_or(&[][..], |names| names.expr_ids_in_list_range(parts));
                parts.iter().any(|part| matches!(resolver.expr_by_id(def.file, *part), Expr::ThisType { .. }))
            }
            _ => false,
        },
        Some(None) => true,
        None => false,
    }
}

/// The values that a method of a type returns; `None` if the type has no such method of the project.
pub(super) fn result_of_method(
    resolver: &Resolver<'_>,
    def: Def,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let found = resolver.type_member(def, name, budget);
    let methods: Vec<Def> = found
        .referents
        .iter()
        .filter_map(|referent| match referent {
            Referent::Def(method) => Some(*method),
            _ => None,
        })
        .collect();
    if methods.is_empty() {
        return None;
    }
    let mut all = PossibleValues::default();
    for method in methods {
        all.add(budget.run_nested_within_limits(|budget| resolver.return_values_of_function(method, budget)));
    }
    all.sure &= found.sure;
    Some(all)
}

/// The values that a loop over an object gets.
pub(super) fn values_of_iteration(
    resolver: &Resolver<'_>,
    def: Def,
    arguments: &Arguments,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
    if let Some(iterator) = result_of_method(resolver, def, "getIterator", budget)
        && !iterator.list.iter().all(|value| *value == Value::External)
        && !iterator.list.iter().any(|value| matches!(value, Value::Instance(of, _) if *of == def))
    {
        let given = budget.run_nested_within_limits(|budget| resolver.values_yielded_by_values(iterator, budget));
        return resolver.substitute_receiver_type_arguments(given, &receiver, budget);
    }
    if let Some(current) = result_of_method(resolver, def, "current", budget) {
        return resolver.substitute_receiver_type_arguments(current, &receiver, budget);
    }
    match arguments {
        // The last type argument is the type of the elements.
        Some(arguments) => arguments.last().cloned().unwrap_or_default().marked_as_inferred(),
        None => PossibleValues::unknown(),
    }
}

/// What indexing an object gives.
pub(super) fn value_of_subscript(
    resolver: &Resolver<'_>,
    def: Def,
    arguments: &Arguments,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
    match result_of_method(resolver, def, "offsetGet", budget) {
        Some(result) => resolver.substitute_receiver_type_arguments(result, &receiver, budget),
        None => PossibleValues::unknown(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn functions_that_pass_values_are_sorted() {
        assert!(super::FUNCTIONS_THAT_PASS_VALUES.is_sorted());
        assert!(super::MEMBERS_OF_LANGUAGE.is_sorted());
    }
}
