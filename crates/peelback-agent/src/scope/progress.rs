//! The progress events of a run that answers a question, for display to the user.

use std::sync::Arc;

use peelback_llm::Spending;

/// A progress event of a run that answers a question.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A phase of the run begins.
    Phase {
        /// The phase's name: `discovery`, `exploration`, `agent`, `writing` or `checking`.
        name: &'a str,
        /// A short description of the phase.
        detail: String,
        /// The tokens and cost spent so far.
        spent: Spending,
    },
    /// A step of the phase: a tool call, or a file that was read.
    Step {
        /// A description of the step.
        what: &'a str,
        /// The first rows of the step's result; may be empty.
        preview: &'a str,
        /// The tokens and cost spent so far.
        spent: Spending,
    },
    /// A piece of the document's text, as the model streams it.
    Piece(&'a str),
}

/// A callback that receives the progress events of a run.
pub type WatchProgress = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;
