//! The names of members that types in JavaScript's own library have.

/// Names of members that types in JavaScript's own library have, in byte order. Such a name alone does not indicate a
/// member of the project.
#[rustfmt::skip]
pub(super) const MEMBERS: &[&str] = &[
    "add", "apply", "at", "bind", "call", "catch", "charAt", "charCodeAt", "clear", "concat", "constructor", "delete",
    "endsWith", "entries", "every", "exec", "fill", "filter", "finally", "find", "findIndex", "flat", "flatMap",
    "forEach", "get", "has", "hasOwnProperty", "includes", "indexOf", "join", "keys", "length", "log", "map", "match",
    "message", "name", "next", "pop", "push", "reduce", "replace", "resolve", "reverse", "set", "shift", "size",
    "slice", "some", "sort", "splice", "split", "startsWith", "substring", "test", "then", "toFixed", "toLowerCase",
    "toString", "toUpperCase", "trim", "unshift", "value", "valueOf", "values", "write",
];
