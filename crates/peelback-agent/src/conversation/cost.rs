//! What a request costs, counted with the real tokenizer.

use peelback_llm::{AssistantMessage, ChatRequest, Message, ToolCall, ToolDefinition, ToolResult};
use peelback_tokens::count_tokens;

// What stands around the texts: role marks and the names of fields. Chat formats take 3 or 4 tokens for a message; tool
// calls and their schemas are written out in forms that vendors keep to themselves. These are on the safe side of what
// OpenAI documents for its own; a factor learnt from the provider's figures takes up the rest.
const PER_REQUEST: usize = 16;
const PER_MESSAGE: usize = 6;
const PER_CALL: usize = 12;
const PER_RESULT: usize = 12;
const PER_TOOL: usize = 12;

/// The o200k tokens of a request with all that goes around its texts.
pub fn tokens_of_request(request: &ChatRequest) -> usize {
    let schema = request.output.as_ref().map_or(0, |output| PER_TOOL + count_tokens(&output.schema.to_string()));
    fixed(&request.system, &request.tools) + schema + tokens_of_messages(&request.messages)
}

/// The o200k tokens of messages with what goes around their texts.
pub fn tokens_of_messages(messages: &[Message]) -> usize {
    messages.iter().map(of_message).sum()
}

/// What is in every request: the system's words and the tools.
pub(super) fn fixed(system: &str, tools: &[ToolDefinition]) -> usize {
    let system = if system.is_empty() { 0 } else { PER_MESSAGE + count_tokens(system) };
    PER_REQUEST + system + tools.iter().map(of_tool).sum::<usize>()
}

fn of_tool(tool: &ToolDefinition) -> usize {
    PER_TOOL + count_tokens(&tool.name) + count_tokens(&tool.description) + count_tokens(&tool.parameters.to_string())
}

fn of_message(message: &Message) -> usize {
    match message {
        Message::User { text } => of_user(text),
        Message::Assistant(said) => of_assistant(said),
        Message::Tools { results } => PER_MESSAGE + results.iter().map(of_result).sum::<usize>(),
    }
}

pub(super) fn of_user(text: &str) -> usize {
    PER_MESSAGE + count_tokens(text)
}

pub(super) fn of_assistant(said: &AssistantMessage) -> usize {
    let opaque = said.opaque.as_ref().map_or(0, |opaque| count_tokens(&opaque.to_string()));
    PER_MESSAGE + count_tokens(&said.text) + opaque + said.tool_calls.iter().map(of_call).sum::<usize>()
}

fn of_call(call: &ToolCall) -> usize {
    PER_CALL + count_tokens(&call.id) + count_tokens(&call.name) + count_tokens(&call.arguments.to_string())
}

fn of_result(result: &ToolResult) -> usize {
    around_result(&result.call_id, &result.name) + count_tokens(&result.content)
}

/// What a result costs beside its text.
pub(super) fn around_result(call_id: &str, name: &str) -> usize {
    PER_RESULT + count_tokens(call_id) + count_tokens(name)
}

/// What a message costs beside its texts.
pub(super) const AROUND_MESSAGE: usize = PER_MESSAGE;
