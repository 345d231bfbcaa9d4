//! The agent: a model that explores code with tools until it can answer the question.
//!
//! [`run_agent`] sends a [`ChatModel`] one request per turn. Between two turns, the agent runs the tool calls of the
//! model's reply concurrently and returns their results in the order of the calls. The run ends with a call of the tool
//! [`GENERATE`], which takes file paths and never file contents. Where a budget, an error, a deadline or a loop ends
//! the run earlier, the [`Outcome`] contains the findings up to that point.
//!
//! Repository text that a model receives is enclosed in fences; see [`crate::fence`]. No tool answer contains a file
//! for which [`AgentOptions::withhold`] returns a reason, and [`AgentOptions::redact`] masks secrets in all answers.

mod generate;
mod guards;
mod observations;
mod options;
mod outcome;
mod prompt;
mod run;
mod toolbox;

pub use generate::{
    GENERATE, ScopedContext, definition_of_result_submission_tool as generate_definition,
    parse_result_submission_arguments as parse_generate,
};
pub use options::{AgentOptions, Event, SystemPromptMode, WatchAgent};
pub use outcome::{ForcedFinish, Outcome, RequestSize, RunEnd, Withheld};

use peelback_code::CodeAccess;
use peelback_llm::{ChatModel, ChatRequest};

/// Runs the agent: `model` explores the project of `access` with tools until it can answer `question`.
///
/// The function never fails: an error is recorded as the [`RunEnd`] of the outcome. It needs a tokio runtime with
/// timers.
pub async fn run_agent(model: &dyn ChatModel, access: &CodeAccess, question: &str, options: &AgentOptions) -> Outcome {
    run::AgentRun::new(access, question, options).run(model).await
}

/// The first request that [`run_agent`] would send to the model.
pub fn first_agent_request(access: &CodeAccess, question: &str, options: &AgentOptions) -> ChatRequest {
    run::AgentRun::new(access, question, options).into_first_request()
}
