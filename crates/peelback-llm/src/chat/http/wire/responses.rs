//! The protocol of OpenAI's Responses API.

use serde_json::{Value, json};

use super::capabilities::ModelCapabilities;
use super::conversion::{
    json_number_or_zero_at, json_text_at, merge_adjacent_user_messages, new_sendable_tool_call,
    opaque_data_of_protocol, parse_tool_arguments_or_keep_text, replace_blank_text_by_placeholder, set_json_field,
    tool_arguments_as_object,
};
use super::protocol::{StreamAccumulator, WireProtocol};
use super::schema;
use crate::chat::message::{AssistantMessage, Message};
use crate::chat::model::{ChatReply, ChatRequest, StopReason, ToolChoice, Usage};

/// The key under which a message contains opaque data of this protocol.
const OPAQUE_DATA_KEY: &str = "responses";

/// The implementation of the protocol of OpenAI's Responses API.
pub(super) struct Responses;

impl WireProtocol for Responses {
    fn request_path(&self) -> &'static str {
        "responses"
    }

    fn build_request_body(&self, request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value {
        let mut input = Vec::new();
        for message in &merge_adjacent_user_messages(&request.messages) {
            match message {
                Message::User { text } => input.push(json!({ "role": "user", "content": text })),
                Message::Assistant(assistant_message) => input.extend(assistant_input_items(assistant_message, capabilities.requests_reasoning)),
                Message::Tools { results } => input.extend(results.iter().map(|result| {
                    json!({ "type": "function_call_output", "call_id": result.call_id, "output": replace_blank_text_by_placeholder(&result.content) })
                })),
            }
        }
        // The server stores no conversation: each request contains the whole conversation.
        let mut body = json!({
            "model": model,
            "input": input,
            "max_output_tokens": request.max_output_tokens,
            "store": false,
        });
        let system = capabilities.system_prompt_with_fallback_instructions(request);
        if !system.is_empty() {
            set_json_field(&mut body, "instructions", json!(system));
        }
        if capabilities.requests_reasoning {
            set_json_field(&mut body, "include", json!(["reasoning.encrypted_content"]));
        }
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                json!({
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    "strict": false,
                })
            });
            set_json_field(&mut body, "tools", tools.collect());
            let choice = match capabilities.tool_choice_parameter(request) {
                ToolChoice::Auto => json!("auto"),
                ToolChoice::None => json!("none"),
                ToolChoice::Required => json!("required"),
                ToolChoice::Named(name) => json!({ "type": "function", "name": name }),
            };
            set_json_field(&mut body, "tool_choice", choice);
        }
        if let Some(output) = capabilities.output_schema_to_send_as_parameter(request) {
            let (schema, strict) = schema::forbid_extra_properties_and_check_strictness(&output.schema);
            let schema = if strict { schema } else { output.schema.clone() };
            let format = json!({ "type": "json_schema", "name": output.name, "schema": schema, "strict": strict });
            set_json_field(&mut body, "text", json!({ "format": format }));
        }
        if let Some(effort) = &capabilities.effort {
            set_json_field(&mut body, "reasoning", json!({ "effort": effort }));
        }
        if capabilities.streams {
            set_json_field(&mut body, "stream", json!(true));
        }
        body
    }

    fn parse_reply_body(&self, body: &Value) -> Result<ChatReply, String> {
        let Some(items) = body.get("output").and_then(Value::as_array) else {
            return Err("it has no `output`".to_owned());
        };
        let mut message = AssistantMessage::default();
        let (mut reasoning, mut is_refused) = (Vec::new(), false);
        for item in items {
            match json_text_at(item, "/type") {
                Some("message") => {
                    for part in item.get("content").and_then(Value::as_array).into_iter().flatten() {
                        is_refused |= json_text_at(part, "/type") == Some("refusal");
                        let words = json_text_at(part, "/text").or_else(|| json_text_at(part, "/refusal"));
                        message.text.push_str(words.unwrap_or_default());
                    }
                }
                Some("function_call") => {
                    let Some(name) = json_text_at(item, "/name") else { return Err("a call names no tool".to_owned()) };
                    let arguments =
                        parse_tool_arguments_or_keep_text(json_text_at(item, "/arguments").unwrap_or_default());
                    message.tool_calls.push(new_sendable_tool_call(json_text_at(item, "/call_id"), name, arguments));
                }
                // Reasoning without its content cannot be sent back, since the server stores nothing.
                Some("reasoning") if item.get("encrypted_content").is_some_and(Value::is_string) => {
                    let mut reasoning_item = item.clone();
                    if let Some(reasoning_item) = reasoning_item.as_object_mut() {
                        reasoning_item.remove("status");
                    }
                    reasoning.push(reasoning_item);
                }
                _ => {}
            }
        }
        if !reasoning.is_empty() {
            message.opaque = Some(json!({ OPAQUE_DATA_KEY: reasoning }));
        }
        let stop = match (json_text_at(body, "/status"), json_text_at(body, "/incomplete_details/reason")) {
            _ if is_refused => StopReason::Refusal,
            (Some("incomplete"), Some("content_filter")) => StopReason::Refusal,
            (Some("incomplete"), Some("max_output_tokens") | None) => StopReason::Length,
            (Some("incomplete"), Some(reason)) => StopReason::Other(reason.to_owned()),
            _ if !message.tool_calls.is_empty() => StopReason::ToolCalls,
            (Some("completed") | None, _) => StopReason::End,
            (Some(status), _) => return Err(format!("its status is {status:?}")),
        };
        Ok(ChatReply {
            message,
            stop,
            usage: self.parse_usage(body),
            model: json_text_at(body, "/model").unwrap_or_default().to_owned(),
        })
    }

    fn parse_usage(&self, body: &Value) -> Usage {
        let input = json_number_or_zero_at(body, "/usage/input_tokens");
        Usage {
            input,
            cache_read: json_number_or_zero_at(body, "/usage/input_tokens_details/cached_tokens").min(input),
            cache_write: 0,
            output: json_number_or_zero_at(body, "/usage/output_tokens"),
        }
    }

    fn new_stream_accumulator(&self) -> Box<dyn StreamAccumulator> {
        Box::<ReplyAccumulator>::default()
    }
}

/// The JSON items of a message of the model, with its encrypted reasoning where `sends_reasoning` is set.
fn assistant_input_items(assistant_message: &AssistantMessage, sends_reasoning: bool) -> Vec<Value> {
    let reasoning = opaque_data_of_protocol(assistant_message, OPAQUE_DATA_KEY).filter(|_| sends_reasoning);
    let mut items: Vec<Value> = reasoning.and_then(Value::as_array).cloned().unwrap_or_default();
    if !assistant_message.text.trim().is_empty() {
        items.push(json!({ "role": "assistant", "content": assistant_message.text }));
    }
    for call in &assistant_message.tool_calls {
        items.push(json!({
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": tool_arguments_as_object(&call.arguments).to_string(),
        }));
    }
    items
}

/// The accumulator for the events of a streamed reply. The last event contains the whole reply.
#[derive(Default)]
pub(super) struct ReplyAccumulator {
    final_body: Option<Value>,
    /// The body in an early event of the reply, for a stream that ends without its last event.
    partial_body: Value,
    /// The completed items of the reply: some servers omit them from the last event.
    items: Vec<Value>,
}

impl StreamAccumulator for ReplyAccumulator {
    fn add_event_and_return_text(&mut self, data: &Value) -> Option<String> {
        match json_text_at(data, "/type")? {
            "response.output_text.delta" | "response.refusal.delta" => {
                return json_text_at(data, "/delta").map(str::to_owned);
            }
            "response.output_item.done" => self.items.push(data.get("item")?.clone()),
            "response.completed" | "response.incomplete" => self.final_body = data.get("response").cloned(),
            "response.created" | "response.in_progress" => self.partial_body = data.get("response").cloned()?,
            _ => {}
        }
        None
    }

    fn reply_body_so_far(&self) -> Value {
        let mut body = self.final_body.clone().unwrap_or_else(|| self.partial_body.clone());
        let has_output = body.get("output").and_then(Value::as_array).is_some_and(|output| !output.is_empty());
        if !has_output && !self.items.is_empty() && body.is_object() {
            set_json_field(&mut body, "output", Value::Array(self.items.clone()));
        }
        body
    }

    fn is_complete(&self) -> bool {
        self.final_body.is_some()
    }
}
