//! Replies of a form that is asked for.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ChatError;
use super::json_schema::Schema;
use super::message::{AssistantMessage, Message};
use super::model::{ChatModel, ChatReply, ChatRequest, OutputSchema, StopReason, Usage, Watch};
use super::wire::in_words;

/// Misfits that a model is shown.
const SHOWN: usize = 5;
/// Places of a text where JSON may begin that are tried.
const MAX_STARTS: usize = 200;

/// Tokens to which the limit of a reply that was cut is raised at most: most models take it.
const MAX_LONGER: u32 = 16_000;

/// A reply that has the form.
#[derive(Debug, Clone, PartialEq)]
pub struct Structured<T> {
    /// What it says.
    pub value: T,
    /// What was used, with a repair.
    pub usage: Usage,
    /// Whether a repair was needed.
    pub repaired: bool,
    /// The model that answered, as the provider names it.
    pub model: String,
}

/// Sends `request` and gives a reply that fits `schema` and is read as a `T`.
///
/// The JSON may stand in a fence or among words. Where the reply does not fit, the model is shown its misfits and asked
/// once more; `request.output` is set by this function.
///
/// # Errors
/// [`ChatError::Form`] where the second reply does not fit either, or the model declines;
/// [`ChatError::Options`] where `schema` is no schema; and what the model errs with.
pub async fn structured<T: DeserializeOwned>(
    model: &dyn ChatModel,
    request: &ChatRequest,
    schema: OutputSchema,
    watch: Option<Watch<'_>>,
) -> Result<Structured<T>, ChatError> {
    let validator = Schema::parse(&schema.schema)
        .map_err(|error| ChatError::Options(format!("the form {} has a schema that is none: {error}", schema.name)))?;
    let mut request = ChatRequest { output: Some(schema.clone()), ..request.clone() };
    let reply = model.complete(&request, watch).await?;
    let mut usage = reply.usage;
    let misfit = match read(&validator, &reply) {
        Ok(value) => return Ok(Structured { value, usage, repaired: false, model: reply.model }),
        Err(misfit) => misfit,
    };
    if reply.stop == StopReason::Refusal {
        return Err(ChatError::Form { reason: misfit });
    }
    if reply.stop == StopReason::Length {
        // Thoughts count too, and may have left no room for the answer.
        let doubled = request.max_output_tokens.saturating_mul(2).min(MAX_LONGER);
        request.max_output_tokens = request.max_output_tokens.max(doubled);
    }
    let text = reply.message.text;
    if !text.trim().is_empty() {
        request.messages.push(Message::Assistant(AssistantMessage { text, ..AssistantMessage::default() }));
    }
    let again = format!("Your reply does not fit the form that was asked for: {misfit}\n\n{}", in_words(&schema));
    request.messages.push(Message::user(again));
    let reply = model.complete(&request, watch).await?;
    usage += reply.usage;
    match read(&validator, &reply) {
        Ok(value) => Ok(Structured { value, usage, repaired: true, model: reply.model }),
        Err(reason) => Err(ChatError::Form { reason }),
    }
}

/// What a reply says; or its misfit.
fn read<T: DeserializeOwned>(validator: &Schema<'_>, reply: &ChatReply) -> Result<T, String> {
    if reply.stop == StopReason::Refusal {
        let words = reply.message.text.trim();
        return Err(if words.is_empty() {
            "the model declined".to_owned()
        } else {
            format!("the model declined: {words}")
        });
    }
    let text = &reply.message.text;
    let mut first: Option<String> = None;
    for value in candidates(text) {
        let misfits = misfits(validator, &value);
        if !misfits.is_empty() {
            first.get_or_insert(misfits);
            continue;
        }
        match serde_json::from_value(value) {
            Ok(value) => return Ok(value),
            Err(error) => first.get_or_insert(error.to_string()),
        };
    }
    Err(match first {
        _ if reply.stop == StopReason::Length => {
            "it was cut, since it has more tokens than a reply may have; be shorter".to_owned()
        }
        Some(misfit) => misfit,
        None if text.trim().is_empty() => "it is empty".to_owned(),
        None => match serde_json::from_str::<Value>(text.trim()) {
            Err(error) => format!("it holds no JSON: {error}"),
            Ok(_) => "it holds no JSON object or list".to_owned(),
        },
    })
}

fn misfits(validator: &Schema<'_>, value: &Value) -> String {
    let all = validator.violations(value).into_iter().take(SHOWN).map(|violation| {
        let place = if violation.pointer.is_empty() { "/" } else { &violation.pointer };
        format!("at {place}: {}", cut(&violation.message))
    });
    all.collect::<Vec<_>>().join("; ")
}

/// The words of a misfit without the whole value that it is of.
fn cut(words: &str) -> String {
    const MOST: usize = 300;
    match words.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words.to_owned(),
    }
}

/// The JSON values that a text may mean: all of it, and what begins with a bracket in it.
fn candidates(text: &str) -> Vec<Value> {
    let text = text.trim().trim_start_matches('\u{feff}');
    if let Ok(value) = serde_json::from_str(text) {
        return vec![value];
    }
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..MAX_STARTS {
        let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '['])).map(|start| at + start) else { break };
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
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
    fn json_is_found_wherever_it_stands() {
        let value = json!({ "a": [1, { "b": "}" }] });
        for text in [
            value.to_string(),
            format!("\u{feff} {value}\n"),
            format!("```json\n{value}\n```"),
            format!("Here it is:\n```\n{value}\n```\nDone."),
            format!("I looked at [x] and {{y}}. {value} is it."),
        ] {
            assert!(candidates(&text).contains(&value), "{text}");
        }
        assert_eq!(candidates("nothing here"), Vec::<Value>::new());
        assert_eq!(candidates("{\"a\": é [ é ]"), Vec::<Value>::new());
        assert!(candidates(&"[".repeat(10_000)).is_empty());
    }
}
