//! Errors of runs that leave no document.

use peelback_code::CodeError;
use peelback_llm::{ChatError, Spending};

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum ScopeError {
    /// The project cannot be read.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The model failed before it returned anything.
    #[error("{error} (spent: {spent})")]
    Model {
        /// The model's error.
        error: ChatError,
        /// The tokens and cost that were spent nevertheless.
        spent: Box<Spending>,
    },
    /// The question is empty.
    #[error("the question is empty: ask in words, as `-q \"How are requests retried?\"`")]
    NoQuestion,
}
