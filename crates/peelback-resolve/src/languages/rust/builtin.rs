//! The names of members that types in Rust's own library have.

/// Names of members that types in Rust's own library have, in byte order. Such a name alone does not indicate a member
/// of the project.
#[rustfmt::skip]
pub(super) const MEMBERS: &[&str] = &[
    "all", "and_then", "any", "as_bytes", "as_mut", "as_ref", "as_str", "borrow", "build", "bytes", "chain", "chars",
    "clear", "clone", "cloned", "cmp", "collect", "contains", "count", "default", "deref", "display", "drop", "end",
    "entry", "enumerate", "eq", "err", "extend", "filter", "find", "first", "flush", "fmt", "fold", "from", "get",
    "get_mut", "hash", "index", "insert", "into", "into_iter", "is_empty", "is_none", "is_some", "iter", "iter_mut",
    "join", "keys", "last", "len", "lines", "lock", "map", "map_err", "max", "min", "name", "new", "next", "ok",
    "or_else", "parse", "path", "pop", "position", "push", "read", "remove", "replace", "reserve", "rev", "skip",
    "sort", "split", "start", "take", "to_owned", "to_string", "trim", "unwrap", "values", "with_capacity", "write",
    "zip",
];
