//! What is noted of a place in Kotlin's code for what is bound or decided later.

use crate::names::ExprId;

/// Where a lambda gets the types of its parameters from.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExpectedFunction {
    /// The declared type of what the lambda is assigned to.
    Type(ExprId),
    /// The parameter of the function that the lambda is passed to.
    Argument { callee: ExprId, index: u32 },
}

/// A call whose callee may be a value with a function `invoke`.
pub(super) struct CallOfPossibleValue {
    pub callee: ExprId,
    pub at: u32,
    pub line: u32,
}
