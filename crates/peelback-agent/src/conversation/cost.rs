//! The cost of a request in tokens, counted with the o200k tokenizer.

use peelback_llm::{AssistantMessage, ChatRequest, Message, ToolCall, ToolDefinition, ToolResult};
use peelback_tokens::count_tokens;

// The overhead tokens around the texts of a request: role markers and field names. Chat formats take 3 or 4 tokens per
// message. Vendors do not publish how tool calls and schemas are serialized. These values are on the safe side of what
// OpenAI documents for its own format; a factor learned from the provider's token counts covers the rest.
const PER_REQUEST: usize = 16;
const PER_MESSAGE: usize = 6;
const PER_CALL: usize = 12;
const PER_RESULT: usize = 12;
const PER_TOOL: usize = 12;

/// The number of o200k tokens in a request, including the overhead around its texts.
pub fn tokens_of_request(request: &ChatRequest) -> usize {
    let schema = request.output.as_ref().map_or(0, |output| PER_TOOL + count_tokens(&output.schema.to_string()));
    tokens_of_system_and_tools(&request.system, &request.tools) + schema + tokens_of_messages(&request.messages)
}

/// The number of o200k tokens in messages, including the overhead around their texts.
pub fn tokens_of_messages(messages: &[Message]) -> usize {
    messages.iter().map(tokens_of_message).sum()
}

/// The number of o200k tokens in the parts that every request contains: the system prompt and the tool definitions.
pub(super) fn tokens_of_system_and_tools(system: &str, tools: &[ToolDefinition]) -> usize {
    let system = if system.is_empty() { 0 } else { PER_MESSAGE + count_tokens(system) };
    PER_REQUEST + system + tools.iter().map(tokens_of_tool_definition).sum::<usize>()
}

fn tokens_of_tool_definition(tool: &ToolDefinition) -> usize {
    PER_TOOL + count_tokens(&tool.name) + count_tokens(&tool.description) + count_tokens(&tool.parameters.to_string())
}

fn tokens_of_message(message: &Message) -> usize {
    match message {
        Message::User { text } => tokens_of_user_message(text),
        Message::Assistant(said) => tokens_of_assistant_message(said),
        Message::Tools { results } => PER_MESSAGE + results.iter().map(tokens_of_tool_result).sum::<usize>(),
    }
}

pub(super) fn tokens_of_user_message(text: &str) -> usize {
    PER_MESSAGE + count_tokens(text)
}

pub(super) fn tokens_of_assistant_message(said: &AssistantMessage) -> usize {
    let opaque = said.opaque.as_ref().map_or(0, |opaque| count_tokens(&opaque.to_string()));
    PER_MESSAGE + count_tokens(&said.text) + opaque + said.tool_calls.iter().map(tokens_of_tool_call).sum::<usize>()
}

fn tokens_of_tool_call(call: &ToolCall) -> usize {
    PER_CALL + count_tokens(&call.id) + count_tokens(&call.name) + count_tokens(&call.arguments.to_string())
}

fn tokens_of_tool_result(result: &ToolResult) -> usize {
    overhead_tokens_of_tool_result(&result.call_id, &result.name) + count_tokens(&result.content)
}

/// The number of overhead tokens of a tool result, in addition to the tokens of its text.
pub(super) fn overhead_tokens_of_tool_result(call_id: &str, name: &str) -> usize {
    PER_RESULT + count_tokens(call_id) + count_tokens(name)
}

/// The number of overhead tokens of a message, in addition to the tokens of its texts.
pub(super) const MESSAGE_OVERHEAD_TOKENS: usize = PER_MESSAGE;
