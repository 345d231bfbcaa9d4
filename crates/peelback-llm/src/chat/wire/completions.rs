//! OpenAI's Chat Completions, as most providers and servers speak it.

use serde_json::{Map, Value, json};

use super::super::message::{AssistantMessage, Message};
use super::super::model::{ChatReply, ChatRequest, StopReason, ToolChoice, Usage};
use super::{
    ModelCapabilities, StreamAccumulator, call, number, object, opaque, or_empty, parsed, renew, schema, text, turns,
};

/// What is kept of these providers in a message.
const OWN: &str = "completions";
/// Fields of a message that are thoughts. Models that called tools want theirs back.
const THOUGHTS: &[&str] = &["reasoning_content", "reasoning_details", "reasoning"];
/// Fields of a call beside the known ones: Gemini signs its calls there.
const CALL_EXTRAS: &[&str] = &["extra_content", "provider_specific_fields"];

pub(super) fn body(request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value {
    let mut messages = Vec::new();
    let system = capabilities.system(request);
    if !system.is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in &turns(&request.messages) {
        match message {
            Message::User { text } => messages.push(json!({ "role": "user", "content": text })),
            Message::Assistant(said) => messages.push(assistant(said)),
            Message::Tools { results } => messages.extend(results.iter().map(
                |result| json!({ "role": "tool", "tool_call_id": result.call_id, "content": or_empty(&result.content) }),
            )),
        }
    }
    let limit = if capabilities.says_completion { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({ "model": model, "messages": messages, limit: request.max_output_tokens });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
            json!({ "type": "function", "function": function })
        });
        body["tools"] = tools.collect();
        body["tool_choice"] = match capabilities.choice(request) {
            ToolChoice::Auto => json!("auto"),
            ToolChoice::None => json!("none"),
            ToolChoice::Required => json!("required"),
            ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
        };
    }
    if let Some(form) = capabilities.schema(request) {
        let (schema, strict) = schema::closed(&form.schema);
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": form.name, "schema": if strict { schema } else { form.schema.clone() }, "strict": strict },
        });
    }
    if let Some(effort) = &capabilities.effort {
        body["reasoning_effort"] = json!(effort);
    }
    if capabilities.streams {
        body["stream"] = json!(true);
        if capabilities.asks_for_usage {
            body["stream_options"] = json!({ "include_usage": true });
        }
    }
    body
}

fn assistant(said: &AssistantMessage) -> Value {
    let mut message = json!({ "role": "assistant", "content": said.text });
    if said.tool_calls.is_empty() {
        return message;
    }
    if said.text.trim().is_empty() {
        message["content"] = Value::Null;
    }
    let kept = opaque(said, OWN);
    let calls = said.tool_calls.iter().map(|call| {
        let function = json!({ "name": call.name, "arguments": object(&call.arguments).to_string() });
        let mut sent = json!({ "id": call.id, "type": "function", "function": function });
        if let Some(Value::Object(extras)) = kept.and_then(|kept| kept.get("calls")?.get(&call.id)) {
            extras.iter().for_each(|(key, value)| sent[key] = value.clone());
        }
        sent
    });
    message["tool_calls"] = calls.collect();
    if let Some(Value::Object(thoughts)) = kept.and_then(|kept| kept.get("thoughts")) {
        thoughts.iter().for_each(|(key, value)| message[key] = value.clone());
    }
    message
}

pub(super) fn reply(body: &Value) -> Result<ChatReply, String> {
    let Some(choice) = body.pointer("/choices/0") else { return Err("it has no `choices`".to_owned()) };
    let Some(said) = choice.get("message").filter(|said| said.is_object()) else {
        return Err("its choice has no `message`".to_owned());
    };
    let mut message = AssistantMessage { text: content(said), ..AssistantMessage::default() };
    let mut extras = Map::new();
    for sent in said.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let Some(name) = text(sent, "/function/name") else { return Err("a call names no tool".to_owned()) };
        let arguments = match sent.pointer("/function/arguments") {
            Some(Value::String(arguments)) => parsed(arguments),
            Some(Value::Null) | None => json!({}),
            Some(other) => other.clone(),
        };
        let call = call(text(sent, "/id"), name, arguments);
        let extra = picked(sent, CALL_EXTRAS);
        if !extra.is_empty() {
            extras.insert(call.id.clone(), Value::Object(extra));
        }
        message.tool_calls.push(call);
    }
    let thoughts = picked(said, THOUGHTS);
    let has_own = !thoughts.is_empty() || !extras.is_empty();
    if has_own && !message.tool_calls.is_empty() {
        message.opaque = Some(json!({ OWN: { "thoughts": thoughts, "calls": extras } }));
    }
    let refusal = text(said, "/refusal").filter(|refusal| !refusal.is_empty());
    let stop = match text(choice, "/finish_reason") {
        _ if refusal.is_some() => StopReason::Refusal,
        Some("content_filter") => StopReason::Refusal,
        Some("length") => StopReason::Length,
        // Servers disagree on the reason where tools are called; the calls themselves are sure.
        _ if !message.tool_calls.is_empty() => StopReason::ToolCalls,
        Some("stop" | "tool_calls" | "function_call" | "eos") => StopReason::End,
        Some(other) => StopReason::Other(other.to_owned()),
        None => return Err("its choice has no `finish_reason`".to_owned()),
    };
    if let Some(refusal) = refusal
        && message.text.is_empty()
    {
        message.text = refusal.to_owned();
    }
    Ok(ChatReply { message, stop, usage: usage(body), model: text(body, "/model").unwrap_or_default().to_owned() })
}

/// The text of a message: a string, or parts.
fn content(said: &Value) -> String {
    match said.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text(part, "/text")).collect(),
        _ => String::new(),
    }
}

fn picked(from: &Value, fields: &[&str]) -> Map<String, Value> {
    let fields = fields.iter().filter_map(|&field| Some((field.to_owned(), from.get(field)?.clone())));
    fields.filter(|(_, value)| !value.is_null() && value != "").collect()
}

pub(super) fn usage(body: &Value) -> Usage {
    let input = number(body, "/usage/prompt_tokens");
    let first =
        |places: &[&str]| places.iter().map(|place| number(body, place)).find(|&tokens| tokens > 0).unwrap_or(0);
    Usage {
        input,
        // OpenAI's place and DeepSeek's.
        cache_read: first(&["/usage/prompt_tokens_details/cached_tokens", "/usage/prompt_cache_hit_tokens"]).min(input),
        cache_write: first(&[
            "/usage/cache_creation_input_tokens",
            "/usage/prompt_tokens_details/cache_creation_tokens",
            "/usage/prompt_tokens_details/cache_write_tokens",
        ])
        .min(input),
        // Some count thoughts in the total alone.
        output: number(body, "/usage/completion_tokens").max(number(body, "/usage/total_tokens").saturating_sub(input)),
    }
}

/// A reply in pieces.
#[derive(Default)]
pub(super) struct Pieces {
    model: Option<Value>,
    message: Map<String, Value>,
    calls: Vec<Value>,
    finish: Option<Value>,
    usage: Map<String, Value>,
}

impl StreamAccumulator for Pieces {
    fn take(&mut self, data: &Value) -> Option<String> {
        if let Some(model) = data.get("model").filter(|model| model.is_string()) {
            self.model.get_or_insert_with(|| model.clone());
        }
        // The last piece alone has the usage of all, mostly with no choices beside it.
        if let Some(Value::Object(usage)) = data.get("usage") {
            renew(&mut self.usage, usage);
        }
        let choice = data.pointer("/choices/0")?;
        if let Some(finish) = choice.get("finish_reason").filter(|finish| finish.is_string()) {
            self.finish = Some(finish.clone());
        }
        let delta = choice.get("delta")?;
        for sent in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.call(sent);
        }
        for field in ["content", "refusal", "reasoning_content", "reasoning"] {
            if let Some(words) = text(delta, &format!("/{field}")) {
                append(self.message.entry(field).or_insert_with(|| json!("")), words);
            }
        }
        if let Some(Value::Array(details)) = delta.get("reasoning_details") {
            let all = self.message.entry("reasoning_details").or_insert_with(|| json!([]));
            if let Value::Array(all) = all {
                all.extend(details.iter().cloned());
            }
        }
        text(delta, "/content").filter(|words| !words.is_empty()).map(str::to_owned)
    }

    fn body(&self) -> Value {
        let mut message = self.message.clone();
        if !self.calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(self.calls.clone()));
        }
        let choice = json!({ "message": message, "finish_reason": self.finish });
        json!({ "model": self.model, "choices": [choice], "usage": self.usage })
    }

    fn is_whole(&self) -> bool {
        self.finish.is_some()
    }
}

impl Pieces {
    /// A piece of a call: the first has id and name, further ones more of the arguments. Calls come one after the other.
    fn call(&mut self, sent: &Value) {
        let id = text(sent, "/id").filter(|id| !id.is_empty());
        let place = match sent.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok()) {
            // Some servers give every call the index 0 and an id of its own.
            Some(index) if index < self.calls.len() => {
                let same = id.is_none_or(|id| text(&self.calls[index], "/id") == Some(id));
                if same { index } else { self.calls.len() }
            }
            None if id.is_none() => self.calls.len().saturating_sub(1),
            _ => self.calls.len(),
        };
        if place >= self.calls.len() {
            self.calls.push(json!({ "id": id, "function": { "name": "", "arguments": "" } }));
        }
        if let Some(call) = self.calls.get_mut(place) {
            add(call, sent);
        }
    }
}

fn add(call: &mut Value, sent: &Value) {
    for field in ["name", "arguments"] {
        if let Some(words) = text(sent, &format!("/function/{field}")) {
            append(&mut call["function"][field], words);
        }
    }
    for (key, value) in picked(sent, CALL_EXTRAS) {
        call[key] = value;
    }
}

fn append(to: &mut Value, words: &str) {
    if let Value::String(text) = to {
        text.push_str(words);
    }
}
