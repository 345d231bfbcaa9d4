//! Requests without secrets. What is sent to a provider and what is written into a recording passes here, whoever made
//! the request.

use peelback_secrets::mask_secrets;
use serde_json::Value;

use super::error::ChatError;
use super::message::Message;
use super::model::{ChatReply, ChatRequest};

/// The request as it is sent, with the secrets in its texts masked: the system prompt, the messages, and arguments and
/// results of tool calls. Signed data of a provider is returned unchanged, as the provider demands.
pub fn mask_request(request: &ChatRequest) -> ChatRequest {
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

/// The reply with the secrets in its text and in the arguments of its tool calls masked.
pub(super) fn mask_reply(reply: &ChatReply) -> ChatReply {
    let mut reply = reply.clone();
    mask_text(&mut reply.message.text);
    reply.message.tool_calls.iter_mut().for_each(|call| mask_texts_of_json(&mut call.arguments));
    reply
}

/// The error with the secrets in its texts masked: a provider's message can quote what it received.
pub(super) fn mask_error(error: &ChatError) -> ChatError {
    let mut fields = serde_json::to_value(error).unwrap_or_default();
    mask_texts_of_json(&mut fields);
    // What was written can be read again: a test holds it for each kind of error.
    serde_json::from_value(fields)
        .unwrap_or_else(|_| ChatError::ReplayedModel("an error that cannot be told".to_owned()))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::message::{AssistantMessage, ToolCall};
    use crate::chat::model::{StopReason, Usage};

    fn secret() -> String {
        format!("password={}", ["hR7", "kQz2", "mW9x", "Lp4T"].concat())
    }

    #[test]
    fn replies_and_errors_are_masked_in_all_their_texts() {
        let call = ToolCall { id: "1".into(), name: "grep".into(), arguments: json!({ "pattern": [secret()] }) };
        let message = AssistantMessage { text: secret(), tool_calls: vec![call], ..AssistantMessage::default() };
        let reply = ChatReply { message, stop: StopReason::End, usage: Usage::default(), model: "m".to_owned() };
        let masked = mask_reply(&reply);
        assert_eq!(masked.message.text, "password=[masked]");
        assert_eq!(masked.message.tool_calls[0].arguments, json!({ "pattern": ["password=[masked]"] }));

        let (host, usage) = ("h".to_owned(), Usage { input: 3, ..Usage::default() });
        for error in [
            ChatError::Options(secret()),
            ChatError::History(secret()),
            ChatError::Budget(secret()),
            ChatError::Status { host: host.clone(), status: 400, message: secret() },
            ChatError::ContextTooLong { host: host.clone(), message: secret() },
            ChatError::Connection { host: host.clone(), reason: secret() },
            ChatError::Unreachable { host: host.clone(), reason: secret() },
            ChatError::Malformed { host: host.clone(), reason: secret(), usage },
            ChatError::Form { reason: secret() },
            ChatError::ReplayedModel(secret()),
        ] {
            let masked = mask_error(&error);
            let expected = error.to_string().replace(&secret(), "password=[masked]");
            assert_eq!((masked.to_string(), masked.reported_usage()), (expected, error.reported_usage()));
        }
    }
}
