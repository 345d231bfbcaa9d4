//! The names of members that types in Python's own library have.

/// Names of members that types in Python's own library have, in byte order. Such a name alone does not indicate a
/// member of the project.
#[rustfmt::skip]
pub(super) const MEMBERS: &[&str] = &[
    "add", "append", "capitalize", "clear", "close", "copy", "count", "decode", "discard", "encode", "endswith",
    "extend", "fileno", "find", "flush", "format", "fromkeys", "get", "group", "groups", "index", "insert",
    "intersection", "items", "join", "keys", "lower", "lstrip", "match", "name", "open", "partition", "pop",
    "popitem", "read", "readline", "readlines", "remove", "replace", "reverse", "rfind", "rpartition", "rsplit",
    "rstrip", "search", "seek", "send", "setdefault", "sort", "split", "splitlines", "start", "startswith", "strip",
    "sub", "tell", "throw", "title", "union", "update", "upper", "values", "write", "writelines",
];
