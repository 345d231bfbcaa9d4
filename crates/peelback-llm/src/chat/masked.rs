//! Requests without secrets. What is sent to a provider and what is written into a recording passes here, whoever made
//! the request.

use peelback_secrets::mask_secrets;
use serde_json::Value;

use super::message::Message;
use super::model::{ChatReply, ChatRequest};

/// The request with the secrets in its texts masked: the system prompt, the messages, and arguments and results of tool
/// calls. Signed data of a provider is returned unchanged, as the provider demands.
pub(super) fn mask_request(request: &ChatRequest) -> ChatRequest {
    let mut request = request.clone();
    mask_text(&mut request.system);
    for message in &mut request.messages {
        match message {
            Message::User { text } => mask_text(text),
            Message::Assistant(message) => {
                mask_text(&mut message.text);
                message.tool_calls.iter_mut().for_each(|call| mask_texts_of_json(&mut call.arguments));
            }
            Message::Tools { results } => results.iter_mut().for_each(|result| mask_text(&mut result.content)),
        }
    }
    request
}

/// The reply with the secrets in its text masked.
pub(super) fn mask_reply(reply: &ChatReply) -> ChatReply {
    let mut reply = reply.clone();
    mask_text(&mut reply.message.text);
    reply
}

fn mask_text(text: &mut String) {
    if let std::borrow::Cow::Owned(masked) = mask_secrets(text) {
        *text = masked;
    }
}

/// Masks the secrets in the texts of a JSON value. The nesting of arguments is bounded by the reader of JSON.
fn mask_texts_of_json(value: &mut Value) {
    match value {
        Value::String(text) => mask_text(text),
        Value::Array(items) => items.iter_mut().for_each(mask_texts_of_json),
        Value::Object(fields) => fields.values_mut().for_each(mask_texts_of_json),
        _ => {}
    }
}
