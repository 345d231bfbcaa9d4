//! What functions outside a Python project can return.

use peelback_syntax::names::{Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::outside::{FirstName, is_written_as_type};
use crate::resolve::resolver::Resolver;
use crate::standard_library::is_standard_library_package;

/// Builtin functions that return what they are given, or a part of it.
const PASSING_BUILTINS: &[&str] = &["eval", "filter", "getattr", "iter", "max", "min", "next", "reversed", "sorted"];

/// Modules of the standard library whose functions return what they are given, or what the functions that they are given
/// return.
const PASSING_MODULES: &[&str] = &[
    "asyncio",
    "collections",
    "concurrent",
    "contextlib",
    "copy",
    "dataclasses",
    "functools",
    "heapq",
    "importlib",
    "itertools",
    "operator",
    "pickle",
    "unittest",
    "weakref",
];

/// Whether the result of a function outside the project can be a value of the project. A call of a name with a capital
/// letter makes an instance of a class outside.
pub(super) fn can_outside_call_return_project_value(resolver: &Resolver<'_>, file: FileId, callee: ExprId) -> bool {
    if is_written_as_type(resolver.last_name_of_path(file, callee)) {
        return false;
    }
    if let Expr::Member { base, .. } = resolver.expr_by_id(file, callee)
        && is_written_as_type(resolver.last_name_of_path(file, base))
    {
        return false;
    }
    match resolver.first_name_of_path(file, callee) {
        FirstName::Imported(source) => {
            let top = source.split('.').next().unwrap_or_default();
            PASSING_MODULES.contains(&top) || !is_standard_library_package(top, &["python"])
        }
        FirstName::Unbound(name) => {
            PASSING_BUILTINS.contains(&name) && matches!(resolver.expr_by_id(file, callee), Expr::Name { .. })
        }
        FirstName::Other => false,
    }
}
