//! What functions outside a JavaScript or TypeScript project can return.

use peelback_syntax::names::{Expr, ExprId, NameId};

use crate::modules::FileId;
use crate::resolve::outside::{FirstName, is_written_as_type};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::PossibleValues;
use crate::standard_library::is_standard_library_package;

/// Objects of the language whose functions return what they are given.
const PASSING_OBJECTS: &[&str] = &["Array", "JSON", "Object", "Promise", "Reflect", "structuredClone"];

/// Names of the object that has all global variables as members.
const GLOBAL_OBJECTS: &[&str] = &["global", "globalThis", "self", "window"];

/// Members of the global object that the platform defines, in byte order. Others can be the project's own.
#[rustfmt::skip]
const PLATFORM_MEMBERS: &[&str] = &[
    "Array", "Date", "Error", "Event", "Intl", "JSON", "Map", "Math", "Node", "Number", "Object", "Promise", "Set",
    "String", "URL", "addEventListener", "caches", "clearInterval", "clearTimeout", "console", "crypto", "customElements",
    "document", "fetch", "history", "indexedDB", "innerHeight", "innerWidth", "localStorage", "location", "matchMedia",
    "navigator", "parent", "performance", "process", "removeEventListener", "requestAnimationFrame", "screen", "scrollTo",
    "scrollX", "scrollY", "sessionStorage", "setInterval", "setTimeout", "speechSynthesis", "top", "visualViewport",
];

/// Whether `base.name` is a member of the global object that the project may have put there.
pub(super) fn is_own_global_member(resolver: &Resolver<'_>, file: FileId, base: ExprId, name: NameId) -> bool {
    let Expr::Name { name: object, .. } = resolver.expr_by_id(file, base) else { return false };
    GLOBAL_OBJECTS.contains(&resolver.name_text(file, object))
        && PLATFORM_MEMBERS.binary_search(&resolver.name_text(file, name)).is_err()
        && matches!(resolver.first_name_of_path(file, base), FirstName::Unbound(_))
}

/// Containers of the language. Without the types of their elements, nothing is known of these.
const CONTAINERS: &[&str] = &[
    "Array",
    "AsyncIterable",
    "AsyncIterator",
    "Function",
    "Iterable",
    "Iterator",
    "Map",
    "Promise",
    "ReadonlyArray",
    "ReadonlyMap",
    "ReadonlySet",
    "Set",
    "WeakMap",
    "WeakRef",
    "WeakSet",
];

/// Types of objects whose properties have the types of the arguments.
const OBJECTS: &[&str] =
    &["Awaited", "NonNullable", "Omit", "Partial", "Pick", "Readonly", "Record", "Required", "Proxy"];

/// What is known of an instance of the type that an annotation or a call of a constructor names, where the type leaves open
/// what its instances hold.
pub(super) fn instance_of_open_type(resolver: &Resolver<'_>, file: FileId, of: ExprId) -> Option<PossibleValues> {
    let FirstName::Unbound(name) = resolver.first_name_of_path(file, of) else { return None };
    if resolver.last_name_of_path(file, of) != name {
        return None;
    }
    match name {
        name if CONTAINERS.contains(&name) => Some(PossibleValues::container_of_unknown_elements()),
        name if OBJECTS.contains(&name) => Some(PossibleValues::unknown()),
        _ => None,
    }
}

/// Whether the result of a function outside the project can be a value of the project. A call of a name with a capital
/// letter makes an instance of a class outside.
pub(super) fn can_outside_call_return_project_value(resolver: &Resolver<'_>, file: FileId, callee: ExprId) -> bool {
    let name = resolver.last_name_of_path(file, callee);
    if is_written_as_type(name) {
        return false;
    }
    // What a response or a request was sent is any value.
    if name == "json" && matches!(resolver.expr_by_id(file, callee), Expr::Member { .. }) {
        return true;
    }
    match resolver.first_name_of_path(file, callee) {
        FirstName::Imported(source) => !is_standard_library_package(source, &["javascript"]),
        FirstName::Unbound(name) => PASSING_OBJECTS.contains(&name) || resolver.can_unbound_names_be_of_project(file),
        FirstName::Other => false,
    }
}
