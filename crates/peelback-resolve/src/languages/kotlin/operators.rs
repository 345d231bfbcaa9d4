//! The signs by which Kotlin calls functions: `a + b` for `plus`.

use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

/// Functions with the signs and words that a file contains at least one of where it calls them so.
const SIGNS: &[(&str, &[&str])] = &[
    ("compareTo", &["<", ">"]),
    ("contains", &["in"]),
    ("dec", &["--"]),
    ("div", &["/"]),
    ("divAssign", &["/="]),
    ("equals", &["==", "!="]),
    ("get", &["["]),
    ("getValue", &["by"]),
    ("hasNext", &["for"]),
    ("inc", &["++"]),
    ("invoke", &["(", "{"]),
    ("iterator", &["for"]),
    ("minus", &["-"]),
    ("minusAssign", &["-="]),
    ("next", &["for"]),
    ("not", &["!"]),
    ("plus", &["+"]),
    ("plusAssign", &["+="]),
    ("provideDelegate", &["by"]),
    ("rangeTo", &[".."]),
    ("rangeUntil", &["..<"]),
    ("rem", &["%"]),
    ("remAssign", &["%="]),
    ("set", &["["]),
    ("setValue", &["by"]),
    ("times", &["*"]),
    ("timesAssign", &["*="]),
    ("unaryMinus", &["-"]),
    ("unaryPlus", &["+"]),
];

/// The signs that a file may contain in place of the name of an operator function.
pub(super) fn signs_calling_function(resolver: &Resolver<'_>, def: Option<Def>, name: &str) -> Vec<String> {
    if !is_operator(resolver, def) {
        return Vec::new();
    }
    // A destructuring has parentheses.
    let signs: &[&str] = match SIGNS.iter().find(|(function, _)| *function == name) {
        Some((_, signs)) => signs,
        None if name.starts_with("component") => &["("],
        None => &[],
    };
    signs.iter().map(|sign| (*sign).to_owned()).collect()
}

/// Says which calls of an operator function are not searched; `None` if all are.
pub(super) fn uses_that_are_not_searched(
    resolver: &Resolver<'_>,
    def: Option<Def>,
    name: &str,
) -> Option<&'static str> {
    let is_invoke = name == "invoke" && is_operator(resolver, def);
    is_invoke.then_some("calls of values that another file declares (f() for f.invoke()) are not searched")
}

/// Whether signs can call a function.
fn is_operator(resolver: &Resolver<'_>, def: Option<Def>) -> bool {
    let is_listed = |def: Def| {
        resolver.names_of_file(def.file).is_some_and(|names| names.operators.binary_search(&def.binding).is_ok())
    };
    def.is_some_and(is_listed)
}
