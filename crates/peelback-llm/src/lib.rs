//! Language models: for now those that turn texts into vectors.
//!
//! Two texts that mean much the same have vectors that point much the same way, so that a passage can be found by a
//! question that shares no word with it. [`EmbeddingModel`] is the seam. Behind it stand [`Endpoint`], which sends texts
//! to a server of OpenAI's or Ollama's form, and with the feature `local` `LocalModel`, which keeps them on this
//! machine. This crate alone speaks HTTP to others, and only to the host it was told.
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

#![forbid(unsafe_code)]

mod chat;
mod embedding;

pub use chat::{
    AssistantMessage, ChatError, ChatFuture, ChatModel, ChatReply, ChatRequest, Message, OutputSchema, StopReason,
    ToolCall, ToolChoice, ToolDefinition, ToolResult, Usage, Watch,
};
#[cfg(feature = "local")]
pub use embedding::LocalModel;
pub use embedding::{EmbeddingError, EmbeddingModel, Endpoint, EndpointForm, EndpointOptions};
