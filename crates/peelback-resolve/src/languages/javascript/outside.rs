//! What functions outside a JavaScript or TypeScript project can return.

use peelback_syntax::names::ExprId;

use crate::modules::FileId;
use crate::resolve::outside::{FirstName, is_written_as_type};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::PossibleValues;
use crate::standard_library::is_standard_library_package;

/// Objects of the language whose functions return what they are given.
const PASSING_OBJECTS: &[&str] = &["Array", "Object", "Promise", "Reflect", "structuredClone"];

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
    if is_written_as_type(resolver.last_name_of_path(file, callee)) {
        return false;
    }
    match resolver.first_name_of_path(file, callee) {
        FirstName::Imported(source) => !is_standard_library_package(source, &["javascript"]),
        FirstName::Unbound(name) => PASSING_OBJECTS.contains(&name),
        FirstName::Other => false,
    }
}
