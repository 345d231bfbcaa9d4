//! The types of Kotlin's standard library: what they derive from, and the names of their members.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Types that derive from no other type but `Any`, and from which no type derives.
pub(super) const BASIC_TYPES: &[&str] = &[
    "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Nothing", "Short", "String", "UByte", "UInt",
    "ULong", "UShort", "Unit",
];

/// Types with the types that they derive from directly.
pub(super) const TYPES: &[(&str, &[&str])] = &[
    ("Any", &[]),
    ("Array", &["Iterable"]),
    ("ArrayDeque", &["MutableList"]),
    ("ArrayList", &["MutableList"]),
    ("Boolean", &["Comparable"]),
    ("Byte", &["Number", "Comparable"]),
    ("Char", &["Comparable"]),
    ("CharSequence", &["Iterable"]),
    ("Collection", &["Iterable"]),
    ("Comparable", &[]),
    ("Double", &["Number", "Comparable"]),
    ("Entry", &[]),
    ("Enum", &["Comparable"]),
    ("EnumEntries", &["List"]),
    ("Flow", &["Iterable"]),
    ("FlowCollector", &[]),
    ("Float", &["Number", "Comparable"]),
    ("HashMap", &["MutableMap"]),
    ("HashSet", &["MutableSet"]),
    ("IndexedValue", &[]),
    ("Int", &["Number", "Comparable"]),
    ("IntRange", &["Iterable"]),
    ("Iterable", &[]),
    ("Iterator", &[]),
    ("Lazy", &[]),
    ("LinkedHashMap", &["MutableMap"]),
    ("LinkedHashSet", &["MutableSet"]),
    ("List", &["Collection"]),
    ("ListIterator", &["Iterator"]),
    ("Long", &["Number", "Comparable"]),
    ("Map", &[]),
    ("MutableCollection", &["Collection"]),
    ("MutableEntry", &["Entry"]),
    ("MutableIterable", &["Iterable"]),
    ("MutableIterator", &["Iterator"]),
    ("MutableList", &["List", "MutableCollection"]),
    ("MutableMap", &["Map"]),
    ("MutableSet", &["Set", "MutableCollection"]),
    ("MutableStateFlow", &["StateFlow"]),
    ("Nothing", &[]),
    ("Number", &[]),
    ("Pair", &[]),
    ("Result", &[]),
    ("Sequence", &["Iterable"]),
    ("SequenceScope", &[]),
    ("Set", &["Collection"]),
    ("SharedFlow", &["Flow"]),
    ("Short", &["Number", "Comparable"]),
    ("StateFlow", &["SharedFlow"]),
    ("String", &["CharSequence", "Comparable"]),
    ("StringBuilder", &["CharSequence"]),
    ("Triple", &[]),
    ("Unit", &[]),
];

/// Types of the Java platform with the names that Kotlin has for them.
pub(super) const NAMES: &[(&str, &str)] = &[
    ("boolean", "Boolean"),
    ("byte", "Byte"),
    ("char", "Char"),
    ("double", "Double"),
    ("float", "Float"),
    ("int", "Int"),
    ("long", "Long"),
    ("short", "Short"),
    ("void", "Unit"),
    ("Character", "Char"),
    ("Integer", "Int"),
    ("Object", "Any"),
    ("Void", "Nothing"),
];

/// Names of members that types of the library have, in byte order.
pub(super) const MEMBERS: &[&str] = &[
    "add",
    "addAll",
    "all",
    "also",
    "any",
    "append",
    "apply",
    "associate",
    "await",
    "clear",
    "close",
    "collect",
    "compareTo",
    "component1",
    "component2",
    "component3",
    "contains",
    "containsKey",
    "copy",
    "count",
    "dec",
    "distinct",
    "div",
    "drop",
    "endsWith",
    "entries",
    "equals",
    "filter",
    "find",
    "first",
    "flatMap",
    "fold",
    "forEach",
    "get",
    "getOrDefault",
    "getOrNull",
    "getValue",
    "groupBy",
    "hasNext",
    "hashCode",
    "inc",
    "indexOf",
    "indices",
    "invoke",
    "isEmpty",
    "isNotEmpty",
    "iterator",
    "join",
    "joinToString",
    "key",
    "keys",
    "last",
    "launch",
    "length",
    "let",
    "map",
    "message",
    "minus",
    "minusAssign",
    "name",
    "next",
    "none",
    "not",
    "ordinal",
    "plus",
    "plusAssign",
    "provideDelegate",
    "put",
    "putAll",
    "rangeTo",
    "rangeUntil",
    "read",
    "rem",
    "remove",
    "removeAll",
    "replace",
    "reversed",
    "run",
    "second",
    "set",
    "setValue",
    "single",
    "size",
    "sorted",
    "split",
    "start",
    "startsWith",
    "stop",
    "substring",
    "sum",
    "take",
    "times",
    "toByteArray",
    "toInt",
    "toList",
    "toLong",
    "toMap",
    "toSet",
    "toString",
    "trim",
    "unaryMinus",
    "unaryPlus",
    "use",
    "value",
    "values",
    "with",
    "write",
    "zip",
];

/// The names of the members that types of the library have.
pub(in super::super) fn member_names() -> &'static [&'static str] {
    MEMBERS
}

pub(super) static BASES: LazyLock<HashMap<&'static str, &'static [&'static str]>> =
    LazyLock::new(|| TYPES.iter().copied().collect());

/// The name that Kotlin has for a type.
pub(in super::super) fn kotlin_name(name: &str) -> &str {
    NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, own)| own)
}

/// Whether a type derives from no other type but `Any`, and no type derives from it.
pub(in super::super) fn is_basic_type(name: &str) -> bool {
    BASIC_TYPES.contains(&kotlin_name(name))
}

/// Whether one type of the library or of the platform is another one or derives from it; `None` if that is not known.
pub(in super::super) fn is_subtype(name: &str, of: &str) -> Option<bool> {
    let (name, of) = (kotlin_name(name), kotlin_name(of));
    if name == of || of == "Any" {
        return Some(true);
    }
    match BASES.get(name) {
        Some(bases) => {
            if bases.iter().any(|base| is_subtype(base, of) == Some(true)) {
                return Some(true);
            }
            BASES.contains_key(of).then_some(false)
        }
        None => {
            let bases = crate::languages::jvm::platform::bases_of_type(name)?;
            if bases.iter().any(|base| is_subtype(base, of) == Some(true)) {
                return Some(true);
            }
            (BASES.contains_key(of) || crate::languages::jvm::platform::bases_of_type(of).is_some()).then_some(false)
        }
    }
}
