//! The trait [`ChatModel`], its requests and its replies.

use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ChatError;
use super::message::{AssistantMessage, Message};

/// A request for one reply of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The system prompt of the request; may be empty.
    pub system: String,
    /// The conversation: it begins with a message of the user, and each tool call in it is followed by its result.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// Whether the model may, must or must not call tools for this reply.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// The JSON schema that the text of the reply must fit, which is then JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSchema>,
    /// The limit on the tokens of the reply, reasoning tokens included: a reasoning model needs room for both.
    pub max_output_tokens: u32,
}

/// A tool as it is declared to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// The name of the tool: 1 to 64 ASCII letters, digits, `_` and `-`.
    pub name: String,
    /// A description of what the tool does, for the model.
    pub description: String,
    /// The JSON schema of the tool's arguments, an object.
    pub parameters: Value,
}

/// Whether a model may call tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides whether it calls tools.
    #[default]
    Auto,
    /// The model calls no tool, though some are declared.
    None,
    /// The model calls at least one tool.
    Required,
    /// The model calls the tool of this name.
    Named(String),
}

/// The JSON schema that a structured reply must fit, with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputSchema {
    /// The name of the schema: ASCII letters, digits, `_` and `-`.
    pub name: String,
    /// The JSON schema that the reply must fit.
    pub schema: Value,
}

impl OutputSchema {
    /// The instruction to reply in JSON that fits the schema, for models that take no schema as a parameter.
    pub(super) fn prompt_instruction_for_json_reply(&self) -> String {
        format!(
            "Answer with one JSON value and nothing else: no fence around it, no words before or after it. It must fit \
             this JSON schema:\n{}",
            self.schema
        )
    }
}

/// A model's reply to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text and the tool calls of the reply.
    pub message: AssistantMessage,
    /// The reason why the reply ended.
    pub stop: StopReason,
    /// The tokens that the request and the reply used, as the provider counts them.
    pub usage: Usage,
    /// The name of the model that answered, as the provider gives it.
    pub model: String,
}

/// The reason why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The reply ended because it is complete.
    End,
    /// The reply ended with tool calls, for whose results the model waits.
    ToolCalls,
    /// The reply ended at the limit on its tokens: the text is truncated.
    Length,
    /// The model, or its provider, declined to answer.
    Refusal,
    /// The reply ended for another reason, in the words of the provider.
    Other(String),
}

/// The tokens that one or several model calls used, as the provider counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The number of all input tokens, cached ones included.
    pub input: u64,
    /// The number of tokens in `input` that were read from the prompt cache of the provider.
    #[serde(default)]
    pub cache_read: u64,
    /// The number of tokens in `input` that were written to the prompt cache of the provider.
    #[serde(default)]
    pub cache_write: u64,
    /// The number of all output tokens, reasoning tokens included.
    pub output: u64,
}

impl Usage {
    /// The input and output tokens together.
    pub fn total_tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // The numbers come from a server and may be arbitrarily large.
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
    }
}

/// A callback that receives each piece of the text of a reply as it arrives.
pub type TextCallback<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// A future that ends with a model's reply. Dropping the future ends the exchange.
pub type ChatFuture<'a> = Pin<Box<dyn Future<Output = Result<ChatReply, ChatError>> + Send + 'a>>;

/// A model that converses. Implementations repeat a request after a transient failure before they return an error.
pub trait ChatModel: Send + Sync {
    /// The name of the model as users write it: `provider/model`.
    fn name(&self) -> &str;

    /// Sends `request` and returns the reply. With `on_text` the reply is streamed, and the callback receives each
    /// piece of its text.
    ///
    /// # Errors
    /// A refusal of the provider, a broken connection, or a budget that forbids the call; see [`ChatError`].
    fn complete<'a>(&'a self, request: &'a ChatRequest, on_text: Option<TextCallback<'a>>) -> ChatFuture<'a>;
}
