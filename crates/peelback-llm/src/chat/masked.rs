//! Requests without secrets. What is sent to a provider and what is written into a recording passes here, whoever made
//! the request.

use std::sync::{Mutex, PoisonError};

use peelback_secrets::{MASK, mask_secrets};
use serde_json::Value;

use super::error::ChatError;
use super::message::Message;
use super::model::{ChatReply, ChatRequest};

/// The request as it is sent, with the secrets in its texts masked: the system prompt, the messages, and arguments and
/// results of tool calls. Signed data of a provider is returned unchanged, as the provider demands.
pub fn mask_request(request: &ChatRequest) -> ChatRequest {
    mask_request_reusing_last(request, None).0
}

/// Masks the requests of a conversation, each of which repeats the one before: what is masked already is kept, so that
/// the time for a conversation is linear in its length and not in the sum of its requests.
#[derive(Default)]
pub(super) struct RequestMasker {
    last: Mutex<Option<MaskedRequest>>,
}

/// A request as it was given, and without secrets.
struct MaskedRequest {
    given: ChatRequest,
    masked: ChatRequest,
}

impl RequestMasker {
    /// As [`mask_request`].
    pub(super) fn mask(&self, request: &ChatRequest) -> ChatRequest {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (masked, _) = mask_request_reusing_last(request, last.as_ref());
        *last = Some(MaskedRequest { given: request.clone(), masked: masked.clone() });
        masked
    }
}

/// The request with the secrets in its texts masked, and how many of its messages were looked at: not those that stand in
/// the same place of the last request.
fn mask_request_reusing_last(request: &ChatRequest, last: Option<&MaskedRequest>) -> (ChatRequest, usize) {
    let mut request = request.clone();
    match last {
        Some(last) if last.given.system == request.system => request.system.clone_from(&last.masked.system),
        _ => mask_text(&mut request.system),
    }
    let mut count = 0;
    for (index, message) in request.messages.iter_mut().enumerate() {
        let known = last.filter(|last| last.given.messages.get(index) == Some(message));
        if let Some(masked) = known.and_then(|last| last.masked.messages.get(index)) {
            message.clone_from(masked);
        } else {
            mask_message(message);
            count += 1;
        }
    }
    (request, count)
}

fn mask_message(message: &mut Message) {
    match message {
        Message::User { text } => mask_text(text),
        Message::Assistant(message) => {
            mask_text(&mut message.text);
            message.tool_calls.iter_mut().for_each(|call| mask_texts_of_json(&mut call.arguments));
        }
        Message::Tools { results } => results.iter_mut().for_each(|result| mask_text(&mut result.content)),
    }
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
        .unwrap_or_else(|_| ChatError::ReplayedModel("an error that cannot be shown".to_owned()))
}

fn mask_text(text: &mut String) {
    if let std::borrow::Cow::Owned(masked) = mask_secrets(text) {
        *text = masked;
    }
}

/// Masks the secrets in the texts of a JSON value. The nesting of arguments is bounded by the reader of JSON.
fn mask_texts_of_json(value: &mut Value) {
    mask_texts_of_json_below_key(value, None);
}

/// Masks the secrets in the texts of a JSON value, which stands under a key: its name says what a text is.
fn mask_texts_of_json_below_key(value: &mut Value, key: Option<&str>) {
    match value {
        Value::String(text) => {
            mask_text(text);
            if key.is_some_and(|key| peelback_secrets::is_secret_value_of_name(key, text)) {
                MASK.clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask_texts_of_json_below_key(item, key)),
        Value::Object(fields) => {
            for (key, field) in fields {
                mask_texts_of_json_below_key(field, Some(key));
            }
        }
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
    fn what_is_masked_already_is_kept() {
        let said = |text: String| Message::new_user_message(text);
        let mut request = ChatRequest { system: secret(), ..ChatRequest::default() };
        let masker = RequestMasker::default();
        for turn in 0..20 {
            request.messages.push(said(format!("{turn}: {}", secret())));
            if turn == 10 {
                // A message that was cut is looked at anew.
                request.messages[3] = said(format!("cut: {}", secret()));
            }
            let masked = masker.mask(&request);
            assert_eq!(masked, mask_request(&request));
            assert!(!format!("{masked:?}").contains(&secret()), "{masked:?}");
            let last = MaskedRequest { given: request.clone(), masked };
            let mut next = request.clone();
            next.messages.push(said(secret()));
            assert_eq!(mask_request_reusing_last(&next, Some(&last)).1, 1);
            next.messages[0] = said(secret());
            assert_eq!(mask_request_reusing_last(&next, Some(&last)).1, 2);
        }
    }

    #[test]
    fn texts_of_arguments_are_judged_with_their_keys() {
        let value = ["hR7kQz2", "mW9xLp4T"].concat();
        let mut arguments = json!({ "password": &value, "db": { "apiKeys": [&value, "main"] }, "pattern": &value, "token": "${TOKEN}" });
        mask_texts_of_json(&mut arguments);
        let expected =
            json!({ "password": MASK, "db": { "apiKeys": [MASK, "main"] }, "pattern": &value, "token": "${TOKEN}" });
        assert_eq!(arguments, expected);
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
