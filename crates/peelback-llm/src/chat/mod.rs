//! Models that converse: the seam [`ChatModel`] and what goes through it.

mod error;
mod message;
mod model;

pub use error::ChatError;
pub use message::{AssistantMessage, Message, ToolCall, ToolResult};
pub use model::{
    ChatFuture, ChatModel, ChatReply, ChatRequest, OutputSchema, StopReason, ToolChoice, ToolDefinition, Usage, Watch,
};
