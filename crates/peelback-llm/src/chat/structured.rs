//! Replies of models as JSON that fits a schema.

use peelback_tokens::text::truncate_chars_and_add_ellipsis;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ChatError;
use super::json_schema::JsonSchema;
use super::message::{AssistantMessage, Message};
use super::model::{ChatModel, ChatReply, ChatRequest, OutputSchema, StopReason, TextCallback, Usage};

/// The limit on the schema violations that a model is shown.
const MAX_VIOLATIONS: usize = 5;
/// The limit on the characters of a violation that are shown: its message quotes the whole value.
const MAX_VIOLATION_CHARS: usize = 300;
/// The limit on the brackets of a text that are tried as the start of JSON.
const MAX_JSON_STARTS: usize = 200;

/// The highest limit on the reply of a second try after a truncated reply, in tokens: most models accept it.
const MAX_RAISED_LIMIT: u32 = 16_000;

/// A model's reply that fits a JSON schema.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuredReply<T> {
    /// The JSON of the reply, deserialized as a `T`.
    pub value: T,
    /// The tokens that the reply used, those of a second try included.
    pub usage: Usage,
    /// Whether a second try was needed to get a reply that fits.
    pub repaired: bool,
    /// The name of the model that answered, as the provider gives it.
    pub model: String,
}

/// Sends `request` and returns a reply that fits `schema` and deserializes as a `T`. The function sets
/// `request.output`.
///
/// The JSON may be in a code fence or among other text. Where the reply does not fit, the model gets the violations and
/// a second try.
///
/// # Errors
/// [`ChatError::Form`] where the second reply does not fit either, or the model declines; [`ChatError::Options`] where
/// `schema` is not a JSON schema; and the errors of the model.
pub async fn request_structured_reply<T: DeserializeOwned>(
    model: &dyn ChatModel,
    request: &ChatRequest,
    schema: OutputSchema,
    on_text: Option<TextCallback<'_>>,
) -> Result<StructuredReply<T>, ChatError> {
    let validator = JsonSchema::parse(&schema.schema)
        .map_err(|error| ChatError::Options(format!("the schema of the form {} is not valid: {error}", schema.name)))?;
    let mut request = ChatRequest { output: Some(schema.clone()), ..request.clone() };
    let reply = model.complete(&request, on_text).await?;
    let mut usage = reply.usage;
    let violations = match parse_structured_reply(&validator, &reply) {
        Ok(value) => return Ok(StructuredReply { value, usage, repaired: false, model: reply.model }),
        Err(violations) => violations,
    };
    if reply.stop == StopReason::Refusal {
        return Err(ChatError::Form { reason: violations });
    }
    if reply.stop == StopReason::Length {
        // Reasoning tokens count toward the limit too, and may have left none for the answer.
        let doubled = request.max_output_tokens.saturating_mul(2).min(MAX_RAISED_LIMIT);
        request.max_output_tokens = request.max_output_tokens.max(doubled);
    }
    let text = reply.message.text;
    if !text.trim().is_empty() {
        request.messages.push(Message::Assistant(AssistantMessage { text, ..AssistantMessage::default() }));
    }
    let repair_prompt = format!(
        "Your reply does not fit the form that was asked for: {violations}\n\n{}",
        schema.prompt_instruction_for_json_reply()
    );
    request.messages.push(Message::new_user_message(repair_prompt));
    let reply = model.complete(&request, on_text).await?;
    usage += reply.usage;
    match parse_structured_reply(&validator, &reply) {
        Ok(value) => Ok(StructuredReply { value, usage, repaired: true, model: reply.model }),
        Err(reason) => Err(ChatError::Form { reason }),
    }
}

/// The JSON of a reply, deserialized as a `T`; or the reason why that fails.
fn parse_structured_reply<T: DeserializeOwned>(validator: &JsonSchema<'_>, reply: &ChatReply) -> Result<T, String> {
    if reply.stop == StopReason::Refusal {
        let refusal_text = reply.message.text.trim();
        return Err(if refusal_text.is_empty() {
            "the model declined".to_owned()
        } else {
            format!("the model declined: {refusal_text}")
        });
    }
    let text = &reply.message.text;
    let mut first_error: Option<String> = None;
    for value in find_json_values(text) {
        let violations = describe_first_schema_violations(validator, &value);
        if !violations.is_empty() {
            first_error.get_or_insert(violations);
            continue;
        }
        match serde_json::from_value(value) {
            Ok(value) => return Ok(value),
            Err(error) => first_error.get_or_insert(error.to_string()),
        };
    }
    Err(match first_error {
        _ if reply.stop == StopReason::Length => "it was cut off at the limit on tokens; be shorter".to_owned(),
        Some(violations) => violations,
        None if text.trim().is_empty() => "it is empty".to_owned(),
        None => match serde_json::from_str::<Value>(text.trim()) {
            Err(error) => format!("it contains no JSON: {error}"),
            Ok(_) => "it contains no JSON object or list".to_owned(),
        },
    })
}

/// Describes the first violations of the JSON schema by `value`, each with its JSON pointer; empty where the value
/// fits.
fn describe_first_schema_violations(validator: &JsonSchema<'_>, value: &Value) -> String {
    let violations = validator.find_violations(value).into_iter().take(MAX_VIOLATIONS).map(|violation| {
        let place = if violation.pointer.is_empty() { "/" } else { &violation.pointer };
        format!("at {place}: {}", truncate_chars_and_add_ellipsis(&violation.message, MAX_VIOLATION_CHARS))
    });
    violations.collect::<Vec<_>>().join("; ")
}

/// The JSON values in a text: the whole text where it is JSON, and otherwise each value that starts at a bracket.
fn find_json_values(text: &str) -> Vec<Value> {
    let text = text.trim().trim_start_matches('\u{feff}');
    if let Ok(value) = serde_json::from_str(text) {
        return vec![value];
    }
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..MAX_JSON_STARTS {
        let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '['])).map(|start| at + start) else { break };
        let mut values = serde_json::Deserializer::from_str(text.get(start..).unwrap_or_default()).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                at = start + values.byte_offset().max(1);
                found.push(value);
            }
            _ => at = start + 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_fences_and_among_words() {
        let value = json!({ "a": [1, { "b": "}" }] });
        for text in [
            value.to_string(),
            format!("\u{feff} {value}\n"),
            format!("```json\n{value}\n```"),
            format!("Here it is:\n```\n{value}\n```\nDone."),
            format!("I looked at [x] and {{y}}. {value} is it."),
        ] {
            assert!(find_json_values(&text).contains(&value), "{text}");
        }
        assert_eq!(find_json_values("nothing here"), Vec::<Value>::new());
        assert_eq!(find_json_values("{\"a\": é [ é ]"), Vec::<Value>::new());
        assert!(find_json_values(&"[".repeat(10_000)).is_empty());
    }
}
