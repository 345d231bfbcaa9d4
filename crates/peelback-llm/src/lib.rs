//! Language models: those that converse, within budgets, and those that turn texts into vectors.
//!
//! # Models that converse
//!
//! [`ChatModel`] is the seam: a [`ChatRequest`] goes in, a [`ChatReply`] with its exact usage comes out. [`open`] gives
//! the model that a name of the form `provider/model` means, behind Anthropic's Messages, OpenAI's Chat Completions or
//! OpenAI's Responses; [`VENDORS`] lists the providers. Around it stand [`Recorder`] and [`Replay`], which keep every
//! exchange in a file and give it again, and [`BudgetedModel`], which sends no call that could break a limit.
//!
//! ```no_run
//! use std::sync::Arc;
//! use peelback_llm::{
//!     ChatModel, ChatRequest, Limits, Message, BudgetedModel, ModelOptions, Prices, Purpose, SystemClock, open,
//! };
//!
//! # async fn example() -> Result<(), peelback_llm::ChatError> {
//! let limits = Limits { max_total_tokens: Some(30_000), ..Limits::default() };
//! let clock = Arc::new(SystemClock::new());
//! let pace = limits.pace(clock.clone());
//! let mut options = ModelOptions::new("anthropic/claude-sonnet-4-5");
//! options.clock = clock;
//! options.pace = Some(pace.clone());
//! let model = BudgetedModel::new(open(options)?, limits, &Prices::built_in(), pace)?;
//! let request = ChatRequest {
//!     system: "You explain code.".to_owned(),
//!     messages: vec![Message::user("What does a semaphore do?")],
//!     max_output_tokens: 1_000,
//!     ..ChatRequest::default()
//! };
//! let reply = model.complete_for(Purpose::LastAnswer, &request, Some(&|piece| eprint!("{piece}"))).await?;
//! println!("{}\n{}", reply.message.text, model.spent());
//! # Ok(())
//! # }
//! ```
//!
//! [`structured`] asks for a reply of a form and repairs it once; [`check`] tells whether providers accept a
//! conversation; [`Forecast`] tells what calls would cost before any is sent, and [`DryRunModel`] is a model that has a name
//! alone, for dry runs without a key.
//!
//! # Models that turn texts into vectors
//!
//! Two texts that mean much the same have vectors that point much the same way, so that a passage can be found by a
//! question that shares no word with it. [`EmbeddingModel`] is the seam. Behind it stand [`Endpoint`], which sends texts
//! to a server of OpenAI's or Ollama's form, and with the feature `local` `LocalModel`, which keeps them on this
//! machine.
//!
//! ```no_run
//! use std::time::Duration;
//! use peelback_llm::{EmbeddingModel, Endpoint, EndpointForm, EndpointOptions};
//!
//! let model = Endpoint::new(EndpointOptions {
//!     url: "http://localhost:11434".to_owned(),
//!     form: EndpointForm::Ollama,
//!     model: "all-minilm".to_owned(),
//!     key: None,
//!     timeout: Duration::from_secs(30),
//! })?;
//! let vectors = model.embed(&["How does authentication work?", "fn log_in(user: &User)"], None)?;
//! // The vectors have length 1: their product is the cosine of the angle between them.
//! let likeness: f32 = vectors[0].iter().zip(&vectors[1]).map(|(a, b)| a * b).sum();
//! # Ok::<(), peelback_llm::EmbeddingError>(())
//! ```
//!
//! This crate alone speaks HTTP to others, and only to the host it was told. Keys are in no message and no debug output.

#![forbid(unsafe_code)]

mod chat;
mod embedding;
mod web;

pub use chat::{
    Admitted, AssistantMessage, BudgetedModel, Calibration, ChatError, ChatFuture, ChatModel, ChatReply, ChatRequest,
    Clock, DryRunModel, Forecast, LastAnswer, Limits, Message, ModelOptions, OutputSchema, Pause, Price, Prices,
    Purpose, RateLimiter, Recorder, Replay, Reserve, Retry, SkippingClock, Spent, StopReason, Structured, SystemClock,
    ToolCall, ToolChoice, ToolDefinition, ToolResult, Usage, VENDORS, Vendor, Watch, WatchRetries, Wire, check,
    check_request, count_message, count_request, open, open_in, structured, vendor_of,
};
#[cfg(feature = "local")]
pub use embedding::LocalModel;
pub use embedding::{EmbeddingError, EmbeddingModel, Endpoint, EndpointForm, EndpointOptions};
