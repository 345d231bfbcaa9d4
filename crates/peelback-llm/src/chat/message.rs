//! What a conversation is made of, in no provider's words.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message of a conversation. The system's own words are not a message: they stand in the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the user says.
    User {
        /// The text.
        text: String,
    },
    /// What the model said.
    Assistant(AssistantMessage),
    /// The results of the calls in the model's message before this one: one for each call, in their order.
    Tools {
        /// The results.
        results: Vec<ToolResult>,
    },
}

impl Message {
    /// A message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }
}

/// What a model said, and the tools that it calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// The text; may be empty where tools are called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The calls, in the model's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the provider wants to be sent back as it came, such as signed thoughts; nobody else reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Value>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What its result refers to; unique in the conversation.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model gave them: an object, or a string where the model wrote no valid JSON.
    pub arguments: Value,
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call that it answers.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// The text.
    pub content: String,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}
