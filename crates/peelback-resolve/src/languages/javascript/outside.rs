//! What functions outside a JavaScript or TypeScript project can return.

use peelback_syntax::names::ExprId;

use crate::modules::FileId;
use crate::resolve::outside::{FirstName, is_written_as_type};
use crate::resolve::resolver::Resolver;
use crate::standard_library::is_standard_library_package;

/// Objects of the language whose functions return what they are given.
const PASSING_OBJECTS: &[&str] = &["Array", "Object", "Promise", "Reflect", "structuredClone"];

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
