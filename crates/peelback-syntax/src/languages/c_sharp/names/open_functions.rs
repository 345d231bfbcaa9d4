//! What is known of a function of C# while it is bound.

use crate::names::ExprId;

/// Where a lambda gets the types of its parameters from.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExpectedFunction {
    /// The declared type of what the lambda is assigned to.
    Type(ExprId),
    /// The parameter of the function that the lambda is passed to.
    Argument { callee: ExprId, index: u32 },
}

/// A function whose body is being bound.
pub(super) struct OpenFunction {
    /// The declared type of its results; `None` for a lambda.
    pub returned_type: Option<ExprId>,
    /// The expressions that its body returned so far.
    pub returned: Vec<ExprId>,
}
