//! The seam: a request goes in, one reply with its exact usage comes out.

use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ChatError;
use super::message::{AssistantMessage, Message};

/// All that a model is sent for one reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The system's words; may be empty.
    pub system: String,
    /// The conversation: begins with the user, and each call in it is followed by its result.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// Whether it may, must or must not call them.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// The form that the reply must have; the reply's text is then JSON of that form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSchema>,
    /// The most tokens that the reply may have, thoughts among them: a model that thinks needs room for both.
    pub max_output_tokens: u32,
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// The name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
}

/// Whether a model may call tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// None, though some are declared.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// The form of a structured reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputSchema {
    /// A name for it: letters, digits, `_`.
    pub name: String,
    /// The JSON schema.
    pub schema: Value,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// What it said.
    pub message: AssistantMessage,
    /// Why it ended.
    pub stop: StopReason,
    /// What it used, as the provider counts.
    pub usage: Usage,
    /// The model that answered, as the provider names it.
    pub model: String,
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It was complete.
    End,
    /// Tools are called.
    ToolCalls,
    /// The most tokens were reached: the text is cut.
    Length,
    /// The model, or its provider, declined to answer.
    Refusal,
    /// A reason that only this provider has.
    Other(String),
}

/// What one or several calls used, in the provider's tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens that went in, cached ones among them.
    pub input: u64,
    /// Those of `input` that were read from the provider's cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Those of `input` that were written to the provider's cache.
    #[serde(default)]
    pub cache_write: u64,
    /// The tokens that came out, thoughts among them.
    pub output: u64,
}

impl Usage {
    /// All tokens, in and out.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // They are a server's numbers, which may be any.
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
    }
}

/// Told each piece of a reply's text as it comes.
pub type Watch<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// A reply on its way. Dropping it ends the exchange.
pub type ChatFuture<'a> = Pin<Box<dyn Future<Output = Result<ChatReply, ChatError>> + Send + 'a>>;

/// A model that converses. Implementations retry what is worth retrying before they fail.
pub trait ChatModel: Send + Sync {
    /// The model as users write it: `provider/model`.
    fn name(&self) -> &str;

    /// Sends `request` and gives the reply. With `watch` the reply is streamed, and each piece of text is told as it
    /// comes.
    ///
    /// # Errors
    /// What a provider refused, what broke on the way, or what a budget forbids; see [`ChatError`].
    fn complete<'a>(&'a self, request: &'a ChatRequest, watch: Option<Watch<'a>>) -> ChatFuture<'a>;
}
