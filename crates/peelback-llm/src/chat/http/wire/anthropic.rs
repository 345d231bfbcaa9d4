//! The protocol of Anthropic's Messages API.

use serde_json::{Map, Value, json};

use super::capabilities::ModelCapabilities;
use super::conversion::{
    append_to_json_string, json_number_or_zero_at, json_text_at, merge_adjacent_user_messages,
    merge_json_keeping_larger_numbers, new_sendable_tool_call, opaque_data_of_protocol,
    parse_tool_arguments_or_keep_text, replace_blank_text_by_placeholder, set_json_field, tool_arguments_as_object,
};
use super::protocol::{StreamAccumulator, WireProtocol};
use super::schema;
use crate::chat::message::{AssistantMessage, Message, ToolResult};
use crate::chat::model::{ChatReply, ChatRequest, StopReason, ToolChoice, ToolDefinition, Usage};

/// The key under which a message contains opaque data of this protocol.
const OPAQUE_DATA_KEY: &str = "anthropic";

/// The implementation of the protocol of Anthropic's Messages API.
pub(super) struct AnthropicMessages;

impl WireProtocol for AnthropicMessages {
    fn request_path(&self) -> &'static str {
        "messages"
    }

    fn key_header_and_prefix(&self) -> (&'static str, &'static str) {
        ("x-api-key", "")
    }

    fn extra_headers(&self) -> &'static [(&'static str, &'static str)] {
        // The first version of the protocol contains all that is used here; later ones only rename it.
        &[("anthropic-version", "2023-06-01")]
    }

    fn build_request_body(&self, request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value {
        let mut messages = messages_json(&request.messages);
        let mut tools = declared_or_called_tools_json(request);
        let system = capabilities.system_prompt_with_fallback_instructions(request);
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(model));
        body.insert("max_tokens".to_owned(), json!(request.max_output_tokens));
        if capabilities.supports_cache_marks {
            // The provider caches the prefixes of tools, system prompt and messages, in this order, up to each mark.
            // With the mark of the last message the next call reads all of this one from the cache.
            mark_end_of_cacheable_prefix(tools.last_mut());
            let last = messages.last_mut().and_then(|message| message.get_mut("content")?.as_array_mut());
            mark_end_of_cacheable_prefix(last.and_then(|blocks| blocks.last_mut()));
        }
        if !system.is_empty() {
            let mut system = json!({ "type": "text", "text": system });
            if capabilities.supports_cache_marks {
                mark_end_of_cacheable_prefix(Some(&mut system));
            }
            body.insert("system".to_owned(), json!([system]));
        }
        body.insert("messages".to_owned(), Value::Array(messages));
        if !tools.is_empty() {
            body.insert("tools".to_owned(), Value::Array(tools));
            let choice = match capabilities.tool_choice_parameter(request) {
                // The tools of calls in the history must be declared, though none may be called.
                _ if request.tools.is_empty() => json!({ "type": "none" }),
                ToolChoice::Auto => json!({ "type": "auto" }),
                ToolChoice::None => json!({ "type": "none" }),
                ToolChoice::Required => json!({ "type": "any" }),
                ToolChoice::Named(name) => json!({ "type": "tool", "name": name }),
            };
            body.insert("tool_choice".to_owned(), choice);
        }
        let mut config = Map::new();
        if let Some(output) = capabilities.output_schema_to_send_as_parameter(request) {
            let schema = schema::forbid_extra_properties_and_check_strictness(&output.schema).0;
            config.insert("format".to_owned(), json!({ "type": "json_schema", "schema": schema }));
        }
        if let Some(effort) = &capabilities.effort {
            config.insert("effort".to_owned(), json!(effort));
        }
        if !config.is_empty() {
            body.insert("output_config".to_owned(), Value::Object(config));
        }
        if capabilities.streams {
            body.insert("stream".to_owned(), json!(true));
        }
        Value::Object(body)
    }

    fn parse_reply_body(&self, body: &Value) -> Result<ChatReply, String> {
        let Some(blocks) = body.get("content").and_then(Value::as_array) else {
            return Err("it has no `content`".to_owned());
        };
        let mut message = AssistantMessage::default();
        let mut reasoning = Vec::new();
        for block in blocks {
            match json_text_at(block, "/type") {
                Some("text") => message.text.push_str(json_text_at(block, "/text").unwrap_or_default()),
                Some("tool_use") => {
                    let Some(name) = json_text_at(block, "/name") else {
                        return Err("a call names no tool".to_owned());
                    };
                    let arguments = block.get("input").cloned().unwrap_or_else(|| json!({}));
                    message.tool_calls.push(new_sendable_tool_call(json_text_at(block, "/id"), name, arguments));
                }
                Some("thinking" | "redacted_thinking") => reasoning.push(block.clone()),
                _ => {}
            }
        }
        if !reasoning.is_empty() {
            message.opaque = Some(json!({ OPAQUE_DATA_KEY: reasoning }));
        }
        let stop = match json_text_at(body, "/stop_reason") {
            Some("end_turn" | "stop_sequence") if !message.tool_calls.is_empty() => StopReason::ToolCalls,
            Some("end_turn" | "stop_sequence") => StopReason::End,
            Some("tool_use") if message.tool_calls.is_empty() => StopReason::End,
            Some("tool_use") => StopReason::ToolCalls,
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            Some("refusal") => StopReason::Refusal,
            Some(other) => StopReason::Other(other.to_owned()),
            None => return Err("it has no `stop_reason`".to_owned()),
        };
        let model = json_text_at(body, "/model").unwrap_or_default().to_owned();
        Ok(ChatReply { message, stop, usage: self.parse_usage(body), model })
    }

    fn parse_usage(&self, body: &Value) -> Usage {
        let cache_read = json_number_or_zero_at(body, "/usage/cache_read_input_tokens");
        let cache_write = json_number_or_zero_at(body, "/usage/cache_creation_input_tokens");
        Usage {
            // The `input_tokens` of this protocol exclude the tokens that were read from the cache or written to it.
            input: json_number_or_zero_at(body, "/usage/input_tokens")
                .saturating_add(cache_read)
                .saturating_add(cache_write),
            cache_read,
            cache_write,
            output: json_number_or_zero_at(body, "/usage/output_tokens"),
        }
    }

    fn new_stream_accumulator(&self) -> Box<dyn StreamAccumulator> {
        Box::<ReplyAccumulator>::default()
    }
}

/// Marks a JSON block as the end of a prefix of the request that the provider can cache.
fn mark_end_of_cacheable_prefix(block: Option<&mut Value>) {
    if let Some(Value::Object(block)) = block {
        block.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
}

/// The JSON declarations of the request's tools; where it has none, of the tools that were called in its history.
fn declared_or_called_tools_json(request: &ChatRequest) -> Vec<Value> {
    if !request.tools.is_empty() {
        let tool = |tool: &ToolDefinition| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters });
        return request.tools.iter().map(tool).collect();
    }
    let mut names: Vec<&str> = Vec::new();
    for message in &request.messages {
        let Message::Assistant(assistant_message) = message else { continue };
        for call in &assistant_message.tool_calls {
            if !names.contains(&call.name.as_str()) {
                names.push(&call.name);
            }
        }
    }
    names.iter().map(|name| json!({ "name": name, "input_schema": { "type": "object" } })).collect()
}

/// The messages of a conversation as JSON of the protocol, in which the roles alternate.
fn messages_json(messages: &[Message]) -> Vec<Value> {
    let mut sent: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &merge_adjacent_user_messages(messages) {
        let (role, blocks) = match message {
            Message::User { text } => ("user", vec![json!({ "type": "text", "text": text })]),
            Message::Assistant(assistant_message) => ("assistant", assistant_content_blocks(assistant_message)),
            Message::Tools { results } => {
                let result = |result: &ToolResult| {
                    let mut block = json!({
                        "type": "tool_result",
                        "tool_use_id": result.call_id,
                        "content": replace_blank_text_by_placeholder(&result.content),
                    });
                    if result.is_error {
                        set_json_field(&mut block, "is_error", json!(true));
                    }
                    block
                };
                ("user", results.iter().map(result).collect())
            }
        };
        match sent.last_mut() {
            // A user message after tool results is appended to the message with the results.
            Some((before, all)) if *before == role => all.extend(blocks),
            _ => sent.push((role, blocks)),
        }
    }
    sent.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

/// The JSON content blocks of a message of the model.
fn assistant_content_blocks(assistant_message: &AssistantMessage) -> Vec<Value> {
    // Reasoning of the model precedes the text and is signed: it is sent back unchanged.
    let mut blocks: Vec<Value> = opaque_data_of_protocol(assistant_message, OPAQUE_DATA_KEY)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    if !assistant_message.text.trim().is_empty() {
        blocks.push(json!({ "type": "text", "text": assistant_message.text }));
    }
    for call in &assistant_message.tool_calls {
        blocks.push(
            json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": tool_arguments_as_object(&call.arguments) }),
        );
    }
    blocks
}

/// The accumulator for the events of a streamed reply.
#[derive(Default)]
pub(super) struct ReplyAccumulator {
    message: Map<String, Value>,
    blocks: Vec<Value>,
    /// The arguments of the current tool call as text, which is JSON once it is complete.
    arguments: String,
    is_complete: bool,
}

impl StreamAccumulator for ReplyAccumulator {
    fn add_event_and_return_text(&mut self, data: &Value) -> Option<String> {
        match json_text_at(data, "/type")? {
            "message_start" => {
                if let Some(Value::Object(message)) = data.get("message") {
                    self.message = message.clone();
                }
            }
            "content_block_start" => {
                self.arguments.clear();
                let block = data.get("content_block").cloned().unwrap_or_default();
                let initial_text = json_text_at(&block, "/text").filter(|text| !text.is_empty()).map(str::to_owned);
                self.blocks.push(block);
                return initial_text;
            }
            "content_block_delta" => return self.add_content_delta(data.get("delta")?),
            "content_block_stop" => {
                if let Some(block) = self.blocks.last_mut()
                    && !self.arguments.is_empty()
                {
                    set_json_field(
                        block,
                        "input",
                        parse_tool_arguments_or_keep_text(&std::mem::take(&mut self.arguments)),
                    );
                }
            }
            "message_delta" => {
                if let Some(Value::Object(delta)) = data.get("delta") {
                    merge_json_keeping_larger_numbers(&mut self.message, delta);
                }
                if let Some(used) = data.get("usage") {
                    let usage = json!({ "usage": used });
                    merge_json_keeping_larger_numbers(&mut self.message, usage.as_object()?);
                }
            }
            "message_stop" => self.is_complete = true,
            _ => {}
        }
        None
    }

    fn reply_body_so_far(&self) -> Value {
        let mut message = self.message.clone();
        message.insert("content".to_owned(), Value::Array(self.blocks.clone()));
        Value::Object(message)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl ReplyAccumulator {
    /// Adds a delta to the current content block and returns the text in it.
    fn add_content_delta(&mut self, delta: &Value) -> Option<String> {
        let block = self.blocks.last_mut()?.as_object_mut()?;
        let mut append = |field: &str, words: &str| {
            append_to_json_string(block.entry(field).or_insert_with(|| json!("")), words);
        };
        match json_text_at(delta, "/type")? {
            "text_delta" => {
                let words = json_text_at(delta, "/text")?;
                append("text", words);
                return Some(words.to_owned());
            }
            "thinking_delta" => append("thinking", json_text_at(delta, "/thinking")?),
            "signature_delta" => append("signature", json_text_at(delta, "/signature")?),
            "input_json_delta" => self.arguments.push_str(json_text_at(delta, "/partial_json")?),
            _ => {}
        }
        None
    }
}
