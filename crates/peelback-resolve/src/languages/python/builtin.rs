//! The members of types that Python brings itself.

/// Members of types of Python's own library, in byte order: their names alone indicate nothing.
#[rustfmt::skip]
pub(super) const MEMBERS: &[&str] = &[
    "add", "append", "capitalize", "clear", "close", "copy", "count", "decode", "discard", "encode", "endswith",
    "extend", "fileno", "find", "flush", "format", "fromkeys", "get", "group", "groups", "index", "insert",
    "intersection", "items", "join", "keys", "lower", "lstrip", "match", "name", "open", "partition", "pop",
    "popitem", "read", "readline", "readlines", "remove", "replace", "reverse", "rfind", "rpartition", "rsplit",
    "rstrip", "search", "seek", "send", "setdefault", "sort", "split", "splitlines", "start", "startswith", "strip",
    "sub", "tell", "throw", "title", "union", "update", "upper", "values", "write", "writelines",
];
