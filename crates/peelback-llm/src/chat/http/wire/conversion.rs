//! Conversions between messages and JSON that all protocols of chat models need.

use serde_json::{Map, Value, json};

use crate::chat::check::MAX_TOOL_NAME_BYTES;
use crate::chat::message::{AssistantMessage, Message, ToolCall};

/// The messages with adjacent user messages merged: some servers require that user and model alternate.
pub(super) fn merge_adjacent_user_messages(messages: &[Message]) -> Vec<Message> {
    let mut merged: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        match (merged.last_mut(), message) {
            (Some(Message::User { text: before }), Message::User { text }) => {
                before.push_str("\n\n");
                before.push_str(text);
            }
            _ => merged.push(message.clone()),
        }
    }
    merged
}

/// Creates a tool call whose id and name can be sent back. Some servers send no ids: a random id is unique.
pub(super) fn new_sendable_tool_call(id: Option<&str>, name: &str, arguments: Value) -> ToolCall {
    let id = id.map(str::trim).filter(|id| !id.is_empty() && !id.contains(char::is_whitespace));
    let id = id.map_or_else(|| format!("call_{:016x}", fastrand::u64(..)), str::to_owned);
    ToolCall { id, name: sanitize_tool_name(name), arguments }
}

/// Replaces the characters of a tool's name that no provider accepts: models call tools that do not exist, and the call
/// must be sent back to them.
fn sanitize_tool_name(name: &str) -> String {
    let name: String = name
        .chars()
        .take(MAX_TOOL_NAME_BYTES)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// The JSON of a tool call's arguments that were sent as text; where that is invalid JSON, the text itself as a JSON
/// string.
pub(super) fn parse_tool_arguments_or_keep_text(arguments: &str) -> Value {
    if arguments.trim().is_empty() {
        return json!({});
    }
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()))
}

/// The arguments of a tool call as a JSON object, since providers accept nothing else in a history.
pub(super) fn tool_arguments_as_object(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        other => json!({ "unreadable_arguments": other }),
    }
}

/// The opaque data that the protocol named `protocol` stored in a message.
pub(super) fn opaque_data_of_protocol<'a>(message: &'a AssistantMessage, protocol: &str) -> Option<&'a Value> {
    message.opaque.as_ref()?.get(protocol)
}

/// Returns `text`, or a placeholder where it is blank: some servers refuse an empty result of a tool.
pub(super) fn replace_blank_text_by_placeholder(text: &str) -> &str {
    if text.trim().is_empty() { "(empty)" } else { text }
}

/// The number at a JSON pointer in a body, 0 where there is none.
pub(super) fn json_number_or_zero_at(body: &Value, pointer: &str) -> u64 {
    body.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// The string at a JSON pointer in a body.
pub(super) fn json_text_at<'a>(body: &'a Value, pointer: &str) -> Option<&'a str> {
    body.pointer(pointer).and_then(Value::as_str)
}

/// Sets the field `name` of a JSON object; a value that is no object stays as it is.
pub(super) fn set_json_field(object: &mut Value, name: &str, value: Value) {
    if let Value::Object(fields) = object {
        fields.insert(name.to_owned(), value);
    }
}

/// Appends `more` to a JSON string; a value that is no string stays as it is.
pub(super) fn append_to_json_string(to: &mut Value, more: &str) {
    if let Value::String(text) = to {
        text.push_str(more);
    }
}

/// Merges the JSON object `from` into `into`: objects field by field, numbers by their maximum, `null` not at all.
/// Usage is streamed in parts, of which later ones may be complete or omit what did not change.
pub(super) fn merge_json_keeping_larger_numbers(into: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (_, Value::Null) => {}
            (Some(Value::Object(old)), Value::Object(new)) => merge_json_keeping_larger_numbers(old, new),
            (Some(old), new) if old.as_u64() > new.as_u64() => {}
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sanitize_tool_name;
    use crate::chat::check::is_valid_tool_name;

    #[test]
    fn invented_tool_names_become_valid() {
        for name in ["functions.outline", "", "größe", "a b", &"x".repeat(100)] {
            assert!(is_valid_tool_name(&sanitize_tool_name(name)), "{name}");
        }
        assert_eq!(sanitize_tool_name("functions.outline"), "functions_outline");
    }
}
