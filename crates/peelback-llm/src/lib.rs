//! Language models: chat models with budgets, and embedding models, which turn texts into vectors.
//!
//! # Chat models
//!
//! [`ChatModel`] is the trait: it takes a [`ChatRequest`] and returns a [`ChatReply`] with its exact usage. With the
//! feature `http`, `open_model` opens the model of the name `provider/model` behind Anthropic's Messages, OpenAI's Chat
//! Completions or OpenAI's Responses; [`VENDORS`] lists the providers. [`RecordingModel`] and [`ReplayedModel`] write every exchange
//! to a file and replay it, and [`BudgetedModel`] sends no call that could exceed a limit.
//!
#![cfg_attr(feature = "http", doc = "```no_run")]
#![cfg_attr(not(feature = "http"), doc = "```ignore")]
//! use std::sync::Arc;
//! use peelback_llm::{
//!     BudgetedModel, ChatModel, ChatRequest, Limits, Message, ModelOptions, Prices, Purpose, SystemClock, open_model,
//! };
//!
//! # async fn example() -> Result<(), peelback_llm::ChatError> {
//! let limits = Limits { max_total_tokens: Some(30_000), ..Limits::default() };
//! let clock = Arc::new(SystemClock::new());
//! let rate_limiter = limits.new_rate_limiter(clock.clone());
//! let mut options = ModelOptions::new("anthropic/claude-sonnet-4-5");
//! options.clock = clock;
//! options.rate_limiter = Some(rate_limiter.clone());
//! let model = BudgetedModel::new(open_model(options)?, limits, &Prices::built_in(), rate_limiter)?;
//! let request = ChatRequest {
//!     system: "You explain code.".to_owned(),
//!     messages: vec![Message::new_user_message("What does a semaphore do?")],
//!     max_output_tokens: 1_000,
//!     ..ChatRequest::default()
//! };
//! let reply = model.complete_for_purpose(Purpose::LastAnswer, &request, Some(&|piece| eprint!("{piece}"))).await?;
//! println!("{}\n{}", reply.message.text, model.spending());
//! # Ok(())
//! # }
//! ```
//!
//! [`request_structured_reply`] requests a reply that fits a JSON schema, with a second try; [`check_conversation`] checks
//! the rules of the providers; [`Forecast`] estimates the cost of calls before they are sent, and [`DryRunModel`] is a
//! model without a key that refuses every call.
//!
//! # Embedding models
//!
//! Texts of similar meaning have vectors of similar direction, so that a passage can be found by a question that shares
//! no word with it. [`EmbeddingModel`] is the trait. With the feature `http`, `RemoteEmbeddingModel` sends texts to a server of
//! OpenAI's or Ollama's form; with the feature `local`, `LocalModel` runs on this machine.
//!
#![cfg_attr(feature = "http", doc = "```no_run")]
#![cfg_attr(not(feature = "http"), doc = "```ignore")]
//! use std::time::Duration;
//! use peelback_llm::{EmbeddingModel, RemoteEmbeddingModel, EmbeddingApiFormat, EndpointOptions};
//!
//! let model = RemoteEmbeddingModel::new(EndpointOptions {
//!     url: "http://localhost:11434".to_owned(),
//!     form: EmbeddingApiFormat::Ollama,
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
//! Requests are only sent to the configured host. Keys are in no error message and no debug output.
//!
//! Without the feature `http` (on by default) this crate sends nothing: the traits, messages, budgets, prices,
//! recordings and replays compile without an HTTP client and without TLS.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::string_slice,
        reason = "unit tests fail by a panic"
    )
)]

mod chat;
mod embedding;
mod regular_file;
#[cfg(feature = "http")]
mod web;

pub use chat::{
    Admission, AssistantMessage, BudgetedModel, ChatError, ChatFuture, ChatModel, ChatReply, ChatRequest, Clock,
    DryRunModel, Forecast, LastAnswerModel, Limits, Message, OutputSchema, Price, Prices, Protocol, Purpose,
    RateLimiter, RateWait, RecordingModel, ReplayedModel, Reserve, SkippingClock, SleepFuture, Spending, StopReason,
    StructuredReply, SystemClock, TextCallback, TokenCountCalibration, ToolCall, ToolChoice, ToolDefinition,
    ToolResult, Usage, VENDORS, Vendor, check_chat_request, check_conversation, count_message_tokens,
    count_request_tokens, mask_request, parse_vendor_and_model_name, request_structured_reply,
};
#[cfg(feature = "http")]
pub use chat::{ModelOptions, RetryCallback, RetryPolicy, open_model, open_model_with_environment};
#[cfg(all(fuzzing, feature = "http"))]
pub use chat::{ReceivedReply, ReceivedReplyParser};
#[cfg(feature = "local")]
pub use embedding::LocalModel;
#[cfg(feature = "http")]
pub use embedding::{EmbeddingApiFormat, EndpointOptions, RemoteEmbeddingModel};
pub use embedding::{EmbeddingError, EmbeddingModel};
