//! The protocol of OpenAI's Chat Completions API, with the extensions of other servers that implement it.

use serde_json::{Map, Value, json};

use super::capabilities::ModelCapabilities;
use super::conversion::{
    append_to_json_string, json_number_or_zero_at, json_text_at, merge_adjacent_user_messages,
    merge_json_keeping_larger_numbers, new_sendable_tool_call, opaque_data_of_protocol,
    parse_tool_arguments_or_keep_text, replace_blank_text_by_placeholder, set_json_field, tool_arguments_as_object,
};
use super::protocol::{StreamAccumulator, WireProtocol};
use super::schema;
use crate::chat::message::{AssistantMessage, Message};
use crate::chat::model::{ChatReply, ChatRequest, StopReason, ToolChoice, Usage};

/// The key under which a message contains opaque data of this protocol.
const OPAQUE_DATA_KEY: &str = "completions";
/// The fields of a message that contain reasoning. Models that called tools need these fields back.
const REASONING_FIELDS: &[&str] = &["reasoning_content", "reasoning_details", "reasoning"];
/// The fields of a tool call beyond the protocol, in which Gemini signs its calls.
const CALL_EXTRAS: &[&str] = &["extra_content", "provider_specific_fields"];

/// The implementation of the protocol of OpenAI's Chat Completions API.
pub(super) struct ChatCompletions;

impl WireProtocol for ChatCompletions {
    fn request_path(&self) -> &'static str {
        "chat/completions"
    }

    fn build_request_body(&self, request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value {
        let mut messages = Vec::new();
        let system = capabilities.system_prompt_with_fallback_instructions(request);
        if !system.is_empty() {
            messages.push(json!({ "role": "system", "content": system }));
        }
        for message in &merge_adjacent_user_messages(&request.messages) {
            match message {
                Message::User { text } => messages.push(json!({ "role": "user", "content": text })),
                Message::Assistant(assistant_message) => messages.push(assistant_message_json(assistant_message)),
                Message::Tools { results } => messages.extend(results.iter().map(
                    |result| json!({ "role": "tool", "tool_call_id": result.call_id, "content": replace_blank_text_by_placeholder(&result.content) }),
                )),
            }
        }
        let limit = if capabilities.uses_max_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        let mut body = json!({ "model": model, "messages": messages, limit: request.max_output_tokens });
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                let function =
                    json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
                json!({ "type": "function", "function": function })
            });
            set_json_field(&mut body, "tools", tools.collect());
            let choice = match capabilities.tool_choice_parameter(request) {
                ToolChoice::Auto => json!("auto"),
                ToolChoice::None => json!("none"),
                ToolChoice::Required => json!("required"),
                ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
            };
            set_json_field(&mut body, "tool_choice", choice);
        }
        if let Some(output) = capabilities.output_schema_to_send_as_parameter(request) {
            let (schema, strict) = schema::forbid_extra_properties_and_check_strictness(&output.schema);
            let schema = if strict { schema } else { output.schema.clone() };
            let format = json!({
                "type": "json_schema",
                "json_schema": { "name": output.name, "schema": schema, "strict": strict },
            });
            set_json_field(&mut body, "response_format", format);
        }
        if let Some(effort) = &capabilities.effort {
            set_json_field(&mut body, "reasoning_effort", json!(effort));
        }
        if capabilities.streams {
            set_json_field(&mut body, "stream", json!(true));
            if capabilities.requests_stream_usage {
                set_json_field(&mut body, "stream_options", json!({ "include_usage": true }));
            }
        }
        body
    }

    fn parse_reply_body(&self, body: &Value) -> Result<ChatReply, String> {
        let Some(choice) = body.pointer("/choices/0") else { return Err("it has no `choices`".to_owned()) };
        let Some(reply_message) = choice.get("message").filter(|said| said.is_object()) else {
            return Err("its choice has no `message`".to_owned());
        };
        let mut message = AssistantMessage { text: message_content_text(reply_message), ..AssistantMessage::default() };
        let mut extras = Map::new();
        for call_json in reply_message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = json_text_at(call_json, "/function/name") else {
                return Err("a call names no tool".to_owned());
            };
            let arguments = match call_json.pointer("/function/arguments") {
                Some(Value::String(arguments)) => parse_tool_arguments_or_keep_text(arguments),
                Some(Value::Null) | None => json!({}),
                Some(other) => other.clone(),
            };
            let call = new_sendable_tool_call(json_text_at(call_json, "/id"), name, arguments);
            let extra = select_nonempty_json_fields(call_json, CALL_EXTRAS);
            if !extra.is_empty() {
                extras.insert(call.id.clone(), Value::Object(extra));
            }
            message.tool_calls.push(call);
        }
        let reasoning = select_nonempty_json_fields(reply_message, REASONING_FIELDS);
        let has_opaque_data = !reasoning.is_empty() || !extras.is_empty();
        if has_opaque_data && !message.tool_calls.is_empty() {
            message.opaque = Some(json!({ OPAQUE_DATA_KEY: { "thoughts": reasoning, "calls": extras } }));
        }
        let refusal = json_text_at(reply_message, "/refusal").filter(|refusal| !refusal.is_empty());
        let stop = match json_text_at(choice, "/finish_reason") {
            _ if refusal.is_some() => StopReason::Refusal,
            Some("content_filter") => StopReason::Refusal,
            Some("length") => StopReason::Length,
            // Servers disagree on the stop reason where tools are called, so that the tool calls in the reply decide.
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
        Ok(ChatReply {
            message,
            stop,
            usage: self.parse_usage(body),
            model: json_text_at(body, "/model").unwrap_or_default().to_owned(),
        })
    }

    fn parse_usage(&self, body: &Value) -> Usage {
        let input = json_number_or_zero_at(body, "/usage/prompt_tokens");
        let first_nonzero_number = |places: &[&str]| {
            places.iter().map(|place| json_number_or_zero_at(body, place)).find(|&tokens| tokens > 0).unwrap_or(0)
        };
        Usage {
            input,
            // The fields of OpenAI and of DeepSeek for cached tokens.
            cache_read: first_nonzero_number(&[
                "/usage/prompt_tokens_details/cached_tokens",
                "/usage/prompt_cache_hit_tokens",
            ])
            .min(input),
            cache_write: first_nonzero_number(&[
                "/usage/cache_creation_input_tokens",
                "/usage/prompt_tokens_details/cache_creation_tokens",
                "/usage/prompt_tokens_details/cache_write_tokens",
            ])
            .min(input),
            // Some servers count reasoning tokens only in the total.
            output: json_number_or_zero_at(body, "/usage/completion_tokens")
                .max(json_number_or_zero_at(body, "/usage/total_tokens").saturating_sub(input)),
        }
    }

    fn new_stream_accumulator(&self) -> Box<dyn StreamAccumulator> {
        Box::<ReplyAccumulator>::default()
    }
}

/// The JSON of a message of the model, to be sent back in a request.
fn assistant_message_json(assistant_message: &AssistantMessage) -> Value {
    let mut message = json!({ "role": "assistant", "content": assistant_message.text });
    if assistant_message.tool_calls.is_empty() {
        return message;
    }
    if assistant_message.text.trim().is_empty() {
        set_json_field(&mut message, "content", Value::Null);
    }
    let opaque = opaque_data_of_protocol(assistant_message, OPAQUE_DATA_KEY);
    let calls = assistant_message.tool_calls.iter().map(|call| {
        let function = json!({ "name": call.name, "arguments": tool_arguments_as_object(&call.arguments).to_string() });
        let mut sent = json!({ "id": call.id, "type": "function", "function": function });
        if let Some(Value::Object(extras)) = opaque.and_then(|kept| kept.get("calls")?.get(&call.id)) {
            extras.iter().for_each(|(key, value)| set_json_field(&mut sent, key, value.clone()));
        }
        sent
    });
    let calls: Value = calls.collect();
    set_json_field(&mut message, "tool_calls", calls);
    if let Some(Value::Object(reasoning)) = opaque.and_then(|kept| kept.get("thoughts")) {
        reasoning.iter().for_each(|(key, value)| set_json_field(&mut message, key, value.clone()));
    }
    message
}

/// The text of a message, whose content is a string or a list of parts.
fn message_content_text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| json_text_at(part, "/text")).collect(),
        _ => String::new(),
    }
}

/// The fields of a JSON object that have one of these names and are neither null nor empty.
fn select_nonempty_json_fields(from: &Value, fields: &[&str]) -> Map<String, Value> {
    let fields = fields.iter().filter_map(|&field| Some((field.to_owned(), from.get(field)?.clone())));
    fields.filter(|(_, value)| !value.is_null() && value != "").collect()
}

/// The accumulator for the events of a streamed reply.
#[derive(Default)]
pub(super) struct ReplyAccumulator {
    model: Option<Value>,
    message: Map<String, Value>,
    calls: Vec<Value>,
    finish_reason: Option<Value>,
    usage: Map<String, Value>,
}

impl StreamAccumulator for ReplyAccumulator {
    fn add_event_and_return_text(&mut self, data: &Value) -> Option<String> {
        if let Some(model) = data.get("model").filter(|model| model.is_string()) {
            self.model.get_or_insert_with(|| model.clone());
        }
        // The usage is in the last event of the stream only, mostly one without choices.
        if let Some(Value::Object(usage)) = data.get("usage") {
            merge_json_keeping_larger_numbers(&mut self.usage, usage);
        }
        let choice = data.pointer("/choices/0")?;
        if let Some(finish) = choice.get("finish_reason").filter(|finish| finish.is_string()) {
            self.finish_reason = Some(finish.clone());
        }
        let delta = choice.get("delta")?;
        for call_delta in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.add_tool_call_delta(call_delta);
        }
        for field in ["content", "refusal", "reasoning_content", "reasoning"] {
            if let Some(words) = json_text_at(delta, &format!("/{field}")) {
                append_to_json_string(self.message.entry(field).or_insert_with(|| json!("")), words);
            }
        }
        if let Some(Value::Array(details)) = delta.get("reasoning_details") {
            let all = self.message.entry("reasoning_details").or_insert_with(|| json!([]));
            if let Value::Array(all) = all {
                all.extend(details.iter().cloned());
            }
        }
        json_text_at(delta, "/content").filter(|words| !words.is_empty()).map(str::to_owned)
    }

    fn reply_body_so_far(&self) -> Value {
        let mut message = self.message.clone();
        if !self.calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(self.calls.clone()));
        }
        let choice = json!({ "message": message, "finish_reason": self.finish_reason });
        json!({ "model": self.model, "choices": [choice], "usage": self.usage })
    }

    fn is_complete(&self) -> bool {
        self.finish_reason.is_some()
    }
}

impl ReplyAccumulator {
    /// Adds a part of a tool call: the first part has id and name, further parts continue the arguments. Calls arrive
    /// one after the other.
    fn add_tool_call_delta(&mut self, call_delta: &Value) {
        let id = json_text_at(call_delta, "/id").filter(|id| !id.is_empty());
        let call_index =
            match call_delta.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok()) {
                // Some servers send the index 0 for every call and distinguish calls by their ids.
                Some(index) if index < self.calls.len() => {
                    let same = id
                        .is_none_or(|id| self.calls.get(index).and_then(|call| json_text_at(call, "/id")) == Some(id));
                    if same { index } else { self.calls.len() }
                }
                None if id.is_none() => self.calls.len().saturating_sub(1),
                _ => self.calls.len(),
            };
        if call_index >= self.calls.len() {
            self.calls.push(json!({ "id": id, "function": { "name": "", "arguments": "" } }));
        }
        if let Some(call) = self.calls.get_mut(call_index) {
            append_delta_to_tool_call_json(call, call_delta);
        }
    }
}

/// Appends a part of a tool call to the JSON of the call.
fn append_delta_to_tool_call_json(call: &mut Value, call_delta: &Value) {
    for field in ["name", "arguments"] {
        let pointer = format!("/function/{field}");
        if let (Some(words), Some(text)) = (json_text_at(call_delta, &pointer), call.pointer_mut(&pointer)) {
            append_to_json_string(text, words);
        }
    }
    for (key, value) in select_nonempty_json_fields(call_delta, CALL_EXTRAS) {
        set_json_field(call, &key, value);
    }
}
