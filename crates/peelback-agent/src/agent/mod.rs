//! The agent: a model that explores with tools until it knows enough.
//!
//! [`run`] asks a [`ChatModel`] turn by turn. Between two turns it answers the calls of tools, those of one turn at the
//! same time, and hands back the results in their order. The run ends with a call of [`GENERATE`], which takes paths and
//! never contents. Whatever ends it before (a budget, an error, a deadline, a loop) the [`Outcome`] holds what was found
//! until then.
//!
//! What a model is sent of the repository stands between fences; see [`crate::fence`]. Files that
//! [`AgentOptions::withhold`] gives a reason for are in no answer of any tool, and what [`AgentOptions::redact`] masks is
//! masked in all of them.

mod generate;
mod guards;
mod observations;
mod options;
mod outcome;
mod prompt;
mod run;
mod toolbox;

pub use generate::{GENERATE, ScopedContext, definition as generate_definition, parse as parse_generate};
pub use options::{AgentOptions, Event, SystemPromptMode, WatchAgent};
pub use outcome::{End, ForcedFinish, Outcome, RequestSize, Withheld};

use peelback_code::CodeAccess;
use peelback_llm::{ChatModel, ChatRequest};

/// Lets `model` find out what the project of `access` has to say to `question`.
///
/// Never fails: what went wrong is the outcome's [`End`]. Needs a tokio runtime with timers.
pub async fn run(model: &dyn ChatModel, access: &CodeAccess, question: &str, options: &AgentOptions) -> Outcome {
    run::Session::new(access, question, options).run(model).await
}

/// The first request that [`run`] would make.
pub fn first_request(access: &CodeAccess, question: &str, options: &AgentOptions) -> ChatRequest {
    run::Session::new(access, question, options).first()
}
