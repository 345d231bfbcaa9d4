//! The errors of runs that answer a question but produce no document.

use peelback_code::CodeError;
use peelback_llm::{ChatError, Spending};

/// The reason why a run produced no document.
#[derive(Debug, thiserror::Error)]
pub enum ScopeError {
    /// The project cannot be read.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The model failed before it returned any reply.
    #[error("{error} (spent: {spent})")]
    Model {
        /// The error that the model returned.
        error: ChatError,
        /// The tokens and cost spent before the failure.
        spent: Box<Spending>,
    },
    /// The question is empty.
    #[error("the question is empty: ask in words, as `-q \"How are requests retried?\"`")]
    NoQuestion,
}
