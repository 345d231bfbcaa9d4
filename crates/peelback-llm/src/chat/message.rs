//! The messages of a conversation, independent of any provider.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message of a conversation. The system prompt is not a message: it is a field of the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A message of the user.
    User {
        /// The text of the user's message.
        text: String,
    },
    /// A message of the model.
    Assistant(AssistantMessage),
    /// The results of the tool calls in the message before this one: one for each call, in the order of the calls.
    Tools {
        /// The results of the tool calls.
        results: Vec<ToolResult>,
    },
}

impl Message {
    /// Creates a message of the user with the text `text`.
    pub fn new_user_message(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }
}

/// A message of the model: its text and its tool calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// The text of the message; it may be empty where tools are called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The tool calls of the message, in the order of the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Data of the provider that the next request must return unchanged, such as signed reasoning, by protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Value>,
}

/// A call of a tool by the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id of the call, which its result repeats; unique in the conversation.
    pub id: String,
    /// The name of the called tool.
    pub name: String,
    /// The arguments of the call: an object, or a string where the model wrote invalid JSON.
    pub arguments: Value,
}

/// The result of a tool call, which is sent to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the tool call that has this result.
    pub call_id: String,
    /// The name of the tool that was called.
    pub name: String,
    /// The text of the tool's result.
    pub content: String,
    /// Whether the tool call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}
