//! The rules that providers of models have for conversations. Every provider accepts a conversation that keeps all of
//! them.

use std::collections::HashSet;

use super::error::ChatError;
use super::message::{AssistantMessage, Message, ToolResult};
use super::model::{ChatRequest, ToolChoice};

/// The limit on the length of a tool's name, which is ASCII: the limit of OpenAI and of Anthropic.
pub(super) const MAX_TOOL_NAME_BYTES: usize = 64;

/// The rule of names, in words.
const ALLOWED_NAMES: &str = "1 to 64 letters of English, digits, _ and -";

/// Checks the rules that every provider has for the messages of a conversation:
///
/// - The first message is the user's; the last is the user's or holds results of tools.
/// - Two messages of the model are never adjacent.
/// - A message of the model with tool calls is followed by their results: one for each call, in the order of the calls,
///   with the id and the tool of the call. Results are nowhere else.
/// - Ids of calls are unique and without white space. Names of tools are 1 to 64 ASCII letters, digits, `_` and `-`.
/// - No text of the user, and no message of the model, is empty or white space only.
///
/// Several messages of the user in a row, and one after results, are valid: they are merged as the provider needs it.
///
/// # Errors
/// [`ChatError::History`] with the first broken rule and the index of its message, which counts from 0.
pub fn check_conversation(messages: &[Message]) -> Result<(), ChatError> {
    find_first_broken_conversation_rule(messages)
        .map_or(Ok(()), |(at, rule)| Err(ChatError::History(format!("message {at}: {rule}"))))
}

/// Checks whether `request` can be sent to a model: its messages by [`check_conversation`], its tools and its output
/// schema.
///
/// # Errors
/// [`ChatError::History`] for the messages, [`ChatError::Options`] for anything else.
pub fn check_chat_request(request: &ChatRequest) -> Result<(), ChatError> {
    check_conversation(&request.messages)?;
    let refused = |reason: String| Err(ChatError::Options(reason));
    if request.max_output_tokens == 0 {
        return refused("the reply may have no tokens: raise max_output_tokens".to_owned());
    }
    let mut names = HashSet::new();
    for tool in &request.tools {
        if !is_valid_tool_name(&tool.name) {
            return refused(format!("the name of the tool {:?} is not allowed: {ALLOWED_NAMES}", tool.name));
        }
        if !names.insert(tool.name.as_str()) {
            return refused(format!("two tools have the name {}", tool.name));
        }
        if !tool.parameters.is_object() {
            return refused(format!("the schema of the tool {} is not an object", tool.name));
        }
    }
    match &request.tool_choice {
        ToolChoice::Required if request.tools.is_empty() => {
            return refused("a tool must be called, but none is declared".to_owned());
        }
        ToolChoice::Named(name) if !names.contains(name.as_str()) => {
            return refused(format!("the tool {name} must be called, but is not declared"));
        }
        _ => {}
    }
    match &request.output {
        Some(output) if !is_valid_tool_name(&output.name) => {
            refused(format!("the name of the output format {:?} is not allowed: {ALLOWED_NAMES}", output.name))
        }
        Some(output) if !output.schema.is_object() => {
            refused(format!("the schema of the output format {} is not an object", output.name))
        }
        _ => Ok(()),
    }
}

/// Whether every provider accepts `name` as the name of a tool.
pub(super) fn is_valid_tool_name(name: &str) -> bool {
    (1..=MAX_TOOL_NAME_BYTES).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The first rule of conversations that the messages break, in words, with the index of the message.
fn find_first_broken_conversation_rule(messages: &[Message]) -> Option<(usize, String)> {
    match messages.first() {
        None => return Some((0, "there is none: begin with the user's".to_owned())),
        Some(Message::User { .. }) => {}
        Some(_) => return Some((0, "it must be the user's".to_owned())),
    }
    let mut ids: HashSet<&str> = HashSet::new();
    let mut previous_reply: Option<&AssistantMessage> = None;
    for (at, message) in messages.iter().enumerate() {
        let broken = match message {
            Message::Tools { results } => find_tool_result_error(previous_reply, results),
            _ if previous_reply.is_some_and(|assistant_message| !assistant_message.tool_calls.is_empty()) => {
                Some("it must have the results of the calls before it".to_owned())
            }
            Message::User { text } if text.trim().is_empty() => Some("the user's text is empty".to_owned()),
            Message::User { .. } => None,
            Message::Assistant(_) if previous_reply.is_some() => {
                Some("two messages of the model follow each other".to_owned())
            }
            Message::Assistant(assistant_message) => reason_to_refuse_assistant_message(assistant_message, &mut ids),
        };
        if let Some(rule) = broken {
            return Some((at, rule));
        }
        previous_reply = match message {
            Message::Assistant(assistant_message) => Some(assistant_message),
            _ => None,
        };
    }
    previous_reply.map(|assistant_message| {
        let rule = if assistant_message.tool_calls.is_empty() {
            "the last is the model's own"
        } else {
            "its calls have no results"
        };
        (messages.len() - 1, rule.to_owned())
    })
}

/// The first reason to refuse a message of the model or its tool calls; `ids` are the ids of all earlier calls.
fn reason_to_refuse_assistant_message<'a>(
    assistant_message: &'a AssistantMessage,
    ids: &mut HashSet<&'a str>,
) -> Option<String> {
    if assistant_message.tool_calls.is_empty() && assistant_message.text.trim().is_empty() {
        return Some("the model's message is empty".to_owned());
    }
    assistant_message.tool_calls.iter().find_map(|call| {
        if call.id.is_empty() || call.id.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Some(format!("the call of {} has no usable id", call.name));
        }
        if !is_valid_tool_name(&call.name) {
            return Some(format!("a call names {:?}, which is not a tool name", call.name));
        }
        (!ids.insert(&call.id)).then(|| format!("the id {} comes twice", call.id))
    })
}

/// The first mismatch between the tool results in a message and the tool calls of the message before it.
fn find_tool_result_error(previous_reply: Option<&AssistantMessage>, results: &[ToolResult]) -> Option<String> {
    let calls = previous_reply.map_or(&[][..], |assistant_message| &assistant_message.tool_calls);
    if calls.is_empty() {
        return Some("it has results, but no call comes before it".to_owned());
    }
    if calls.len() != results.len() {
        return Some(format!("it has {} results for {} calls", results.len(), calls.len()));
    }
    calls.iter().zip(results).find_map(|(call, result)| {
        if call.id != result.call_id {
            return Some(format!("a result is of {:?} where {:?} was called", result.call_id, call.id));
        }
        (call.name != result.name).then(|| format!("the result of {} says it is of {}", call.name, result.name))
    })
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
