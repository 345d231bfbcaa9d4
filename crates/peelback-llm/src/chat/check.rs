//! The rules that providers have for conversations. One that keeps them all is accepted by every provider.

use std::collections::HashSet;

use super::error::ChatError;
use super::message::{AssistantMessage, Message, ToolResult};
use super::model::{ChatRequest, ToolChoice};

/// Characters of the name of a tool at most: OpenAI's and Anthropic's limit.
const MAX_NAME: usize = 64;

/// Whether providers accept the conversation `messages`, to be answered by the model:
///
/// - It begins with the user and ends with the user or with results of tools.
/// - Two messages of the model never follow each other.
/// - A message of the model that calls tools is followed by the results: one for each call, in the order of the calls,
///   of the same id and tool. Results stand nowhere else.
/// - No id of a call comes twice; ids hold no white space. Names of tools are 1 to 64 letters, digits, `_` and `-`.
/// - No text of the user, and no message of the model, is empty or white space alone.
///
/// Several messages of the user in a row, and one behind results, are fine: they are sent as providers want them.
///
/// # Errors
/// [`ChatError::History`], which tells the first broken rule and the place, counted from 0.
pub fn check(messages: &[Message]) -> Result<(), ChatError> {
    broken(messages).map_or(Ok(()), |(at, rule)| Err(ChatError::History(format!("message {at}: {rule}"))))
}

/// Whether `request` can be sent: [`check`] of its messages, and its tools and form.
///
/// # Errors
/// [`ChatError::History`] for the messages, [`ChatError::Options`] for the rest.
pub fn check_request(request: &ChatRequest) -> Result<(), ChatError> {
    check(&request.messages)?;
    let refused = |reason: String| Err(ChatError::Options(reason));
    if request.max_output_tokens == 0 {
        return refused("a reply of no tokens is asked for: raise max_output_tokens".to_owned());
    }
    let mut names = HashSet::new();
    for tool in &request.tools {
        if !is_name(&tool.name) {
            return refused(format!("the tool {:?} has a name that providers refuse", tool.name));
        }
        if !names.insert(tool.name.as_str()) {
            return refused(format!("two tools have the name {}", tool.name));
        }
        if !tool.parameters.is_object() {
            return refused(format!("the schema of the tool {} is no object", tool.name));
        }
    }
    match &request.tool_choice {
        ToolChoice::Required if request.tools.is_empty() => {
            return refused("a tool must be called, and there is none".to_owned());
        }
        ToolChoice::Named(name) if !names.contains(name.as_str()) => {
            return refused(format!("the tool {name} must be called, and is not declared"));
        }
        _ => {}
    }
    match &request.output {
        Some(output) if !is_name(&output.name) => {
            refused(format!("the form {:?} has a name that providers refuse", output.name))
        }
        Some(output) if !output.schema.is_object() => {
            refused(format!("the schema of the form {} is no object", output.name))
        }
        _ => Ok(()),
    }
}

/// Whether every provider takes `name` for a tool.
pub(super) fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// `name` with what no provider takes replaced: models call tools by names that they made up, and the call has to be
/// sent back to them.
pub(super) fn name_of(name: &str) -> String {
    let name: String =
        name.chars().take(MAX_NAME).map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// The first broken rule and its place.
fn broken(messages: &[Message]) -> Option<(usize, String)> {
    match messages.first() {
        None => return Some((0, "there is none: begin with the user's".to_owned())),
        Some(Message::User { .. }) => {}
        Some(_) => return Some((0, "it must be the user's".to_owned())),
    }
    let mut ids: HashSet<&str> = HashSet::new();
    let mut before: Option<&AssistantMessage> = None;
    for (at, message) in messages.iter().enumerate() {
        let broken = match message {
            Message::Tools { results } => answers(before, results),
            _ if before.is_some_and(|said| !said.tool_calls.is_empty()) => {
                Some("it must hold the results of the calls before it".to_owned())
            }
            Message::User { text } if text.trim().is_empty() => Some("the user's text is empty".to_owned()),
            Message::User { .. } => None,
            Message::Assistant(_) if before.is_some() => Some("two messages of the model follow each other".to_owned()),
            Message::Assistant(said) => calls(said, &mut ids),
        };
        if let Some(rule) = broken {
            return Some((at, rule));
        }
        before = match message {
            Message::Assistant(said) => Some(said),
            _ => None,
        };
    }
    before.map(|said| {
        let rule = if said.tool_calls.is_empty() { "the last is the model's own" } else { "its calls have no results" };
        (messages.len() - 1, rule.to_owned())
    })
}

fn calls<'a>(said: &'a AssistantMessage, ids: &mut HashSet<&'a str>) -> Option<String> {
    if said.tool_calls.is_empty() && said.text.trim().is_empty() {
        return Some("the model's message is empty".to_owned());
    }
    said.tool_calls.iter().find_map(|call| {
        if call.id.is_empty() || call.id.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Some(format!("the call of {} has no usable id", call.name));
        }
        if !is_name(&call.name) {
            return Some(format!("a call is of {:?}, which is no name of a tool", call.name));
        }
        (!ids.insert(&call.id)).then(|| format!("the id {} comes twice", call.id))
    })
}

fn answers(before: Option<&AssistantMessage>, results: &[ToolResult]) -> Option<String> {
    let calls = before.map_or(&[][..], |said| &said.tool_calls);
    if calls.is_empty() {
        return Some("it holds results, and no call stands before it".to_owned());
    }
    if calls.len() != results.len() {
        return Some(format!("it holds {} results for {} calls", results.len(), calls.len()));
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
