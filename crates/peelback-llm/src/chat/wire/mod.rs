//! The protocols that providers speak. One file turns our words into one protocol's, and nobody else knows its words.

mod anthropic;
mod capabilities;
mod completions;
mod responses;
mod schema;

use serde_json::{Map, Value, json};

pub(super) use capabilities::{ModelCapabilities, in_words};

use super::check::name_of;
use super::message::{AssistantMessage, Message, ToolCall};
use super::model::{ChatReply, ChatRequest, Usage};

/// Which protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Chat Completions, which most others speak too.
    Completions,
    /// OpenAI's Responses.
    Responses,
}

/// A reply that comes in pieces. What it gathers is read as a reply that came whole is: both give the same.
pub(super) trait StreamAccumulator: Send {
    /// Takes the data of one event in, and gives the text that it adds to the reply.
    fn take(&mut self, data: &Value) -> Option<String>;

    /// The body of the reply as far as it came.
    fn body(&self) -> Value;

    /// Whether nothing is missing.
    fn is_whole(&self) -> bool;
}

impl Wire {
    /// What follows the base of the address.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Anthropic => "messages",
            Self::Completions => "chat/completions",
            Self::Responses => "responses",
        }
    }

    /// The header that holds the key, and what stands before the key in it.
    pub(super) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic => ("x-api-key", ""),
            Self::Completions | Self::Responses => ("authorization", "Bearer "),
        }
    }

    /// Headers that every request has.
    pub(super) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => anthropic::HEADERS,
            Self::Completions | Self::Responses => &[],
        }
    }

    /// The request's body.
    pub(super) fn body(self, request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value {
        match self {
            Self::Anthropic => anthropic::body(request, model, capabilities),
            Self::Completions => completions::body(request, model, capabilities),
            Self::Responses => responses::body(request, model, capabilities),
        }
    }

    /// The reply that a body holds; or why it cannot be read, and what it used nevertheless.
    pub(super) fn reply(self, body: &Value) -> Result<ChatReply, (String, Usage)> {
        let read = match self {
            Self::Anthropic => anthropic::reply(body),
            Self::Completions => completions::reply(body),
            Self::Responses => responses::reply(body),
        };
        read.map_err(|reason| (reason, self.usage(body)))
    }

    /// What a body says was used; nothing where it does not say.
    pub(super) fn usage(self, body: &Value) -> Usage {
        match self {
            Self::Anthropic => anthropic::usage(body),
            Self::Completions => completions::usage(body),
            Self::Responses => responses::usage(body),
        }
    }

    /// A reply in pieces, before the first.
    pub(super) fn stream_accumulator(self) -> Box<dyn StreamAccumulator> {
        match self {
            Self::Anthropic => Box::<anthropic::Pieces>::default(),
            Self::Completions => Box::<completions::Pieces>::default(),
            Self::Responses => Box::<responses::Pieces>::default(),
        }
    }
}

/// The messages, those of the user in a row joined: some servers want user and model to take turns.
fn turns(messages: &[Message]) -> Vec<Message> {
    let mut turns: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        match (turns.last_mut(), message) {
            (Some(Message::User { text: before }), Message::User { text }) => {
                before.push_str("\n\n");
                before.push_str(text);
            }
            _ => turns.push(message.clone()),
        }
    }
    turns
}

/// A call with an id and a name that can be sent back. Servers that give no ids exist; an id of chance is unique.
fn call(id: Option<&str>, name: &str, arguments: Value) -> ToolCall {
    let id = id.map(str::trim).filter(|id| !id.is_empty() && !id.contains(char::is_whitespace));
    let id = id.map_or_else(|| format!("call_{:016x}", fastrand::u64(..)), str::to_owned);
    ToolCall { id, name: name_of(name), arguments }
}

/// Arguments that came as text: what they say, or the text itself where it is no JSON.
fn parsed(arguments: &str) -> Value {
    if arguments.trim().is_empty() {
        return json!({});
    }
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()))
}

/// Arguments as they are sent back: providers take objects alone.
fn object(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        other => json!({ "unreadable_arguments": other }),
    }
}

/// What a provider wants to be sent back, where it is `wire`'s own.
fn opaque<'a>(message: &'a AssistantMessage, wire: &str) -> Option<&'a Value> {
    message.opaque.as_ref()?.get(wire)
}

/// A text that is not empty: some servers refuse an empty result of a tool.
fn or_empty(text: &str) -> &str {
    if text.trim().is_empty() { "(empty)" } else { text }
}

/// A number of `body`, 0 where there is none.
fn number(body: &Value, place: &str) -> u64 {
    body.pointer(place).and_then(Value::as_u64).unwrap_or(0)
}

/// A text of `body`.
fn text<'a>(body: &'a Value, place: &str) -> Option<&'a str> {
    body.pointer(place).and_then(Value::as_str)
}

/// Takes over what `from` says: an object's fields one by one, numbers where they are larger. Usage comes in pieces, of
/// which later ones are complete or leave out what they do not change.
fn renew(into: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (_, Value::Null) => {}
            (Some(Value::Object(old)), Value::Object(new)) => renew(old, new),
            (Some(old), new) if old.as_u64() > new.as_u64() => {}
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}
