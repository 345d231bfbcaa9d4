//! What functions outside a Rust project can return.

use peelback_syntax::names::{Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::outside::{FirstName, is_written_as_type};
use crate::resolve::resolver::Resolver;

/// The crates of the standard library. What its functions do with values of a project is known to the binder.
const STANDARD_CRATES: &[&str] = &["std", "core", "alloc", "proc_macro", "test"];

/// Whether the result of a function outside the project can be a value of the project: any function of another crate may
/// be generic (`block_on(future)`, `from_str(text)`). Functions of a type outside (`Client::new()`) return that type as a
/// rule.
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
            let first = source.trim_start_matches(':').split("::").next().unwrap_or_default();
            !STANDARD_CRATES.contains(&first)
        }
        // Nothing binds the name of a crate. A bare name that nothing binds is one of the standard library.
        FirstName::Unbound(name) => {
            matches!(resolver.expr_by_id(file, callee), Expr::Member { .. }) && !STANDARD_CRATES.contains(&name)
        }
        FirstName::Other => false,
    }
}
