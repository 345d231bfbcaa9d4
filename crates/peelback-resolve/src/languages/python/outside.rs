//! What functions outside a Python project can return.

use peelback_syntax::names::{Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::outside::{FirstName, is_written_as_type};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};
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

/// The limit on the number of members and calls on the way from an outside function to what it is reached through.
const MAX_PATH_STEPS: usize = 8;

/// Methods of Django's query sets that return a query set of the same class. Classes of a project that derive from a class
/// outside mostly follow this convention, as builders do.
pub(super) const METHODS_THAT_RETURN_THEIR_RECEIVER: &[&str] = &[
    "alias",
    "all",
    "annotate",
    "complex_filter",
    "defer",
    "difference",
    "distinct",
    "exclude",
    "extra",
    "filter",
    "intersection",
    "none",
    "only",
    "order_by",
    "prefetch_related",
    "reverse",
    "select_for_update",
    "select_related",
    "union",
    "using",
];

/// The result of calling the method `name` of `receiver`, where a class outside the project declares the method and it
/// returns an object of the receiver's class.
pub(super) fn result_of_outside_method_that_returns_receiver(
    receiver: &PossibleValues,
    name: &str,
    functions: &PossibleValues,
) -> Option<PossibleValues> {
    let is_outside = functions.list.iter().all(|function| *function == Value::External);
    if functions.list.is_empty() || !is_outside || !METHODS_THAT_RETURN_THEIR_RECEIVER.contains(&name) {
        return None;
    }
    let list: Vec<Value> = receiver.list.iter().filter(|value| matches!(value, Value::Instance(..))).cloned().collect();
    (!list.is_empty()).then(|| PossibleValues { list, sure: false, ..receiver.clone() })
}

/// Whether the result of a function outside the project can be a value of the project. A call of a name with a capital
/// letter makes an instance of a class outside.
pub(super) fn can_outside_call_return_project_value(
    resolver: &Resolver<'_>,
    file: FileId,
    callee: ExprId,
    budget: &mut EvaluationBudget,
) -> bool {
    if is_written_as_type(resolver.last_name_of_path(file, callee)) {
        return false;
    }
    if let Expr::Member { base, .. } = resolver.expr_by_id(file, callee)
        && is_written_as_type(resolver.last_name_of_path(file, base))
    {
        return false;
    }
    if is_reached_through_project(resolver, file, callee, budget) {
        return true;
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

/// Whether a function outside is reached through a type of the project, or through an object of one: `Order.objects.first`
/// may return an `Order`.
fn is_reached_through_project(
    resolver: &Resolver<'_>,
    file: FileId,
    callee: ExprId,
    budget: &mut EvaluationBudget,
) -> bool {
    let mut next = callee;
    for _ in 0..MAX_PATH_STEPS {
        next = match resolver.expr_by_id(file, next) {
            Expr::Member { base, .. } => base,
            Expr::Call { callee } => callee,
            _ => return false,
        };
        let values = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, next, budget));
        if values.list.iter().any(|value| matches!(value, Value::Instance(..) | Value::Type(..))) {
            return true;
        }
    }
    false
}
