//! Anthropic's Messages.

use serde_json::{Map, Value, json};

use super::super::message::{AssistantMessage, Message, ToolResult};
use super::super::model::{ChatReply, ChatRequest, StopReason, ToolChoice, ToolDefinition, Usage};
use super::{ModelCapabilities, StreamAccumulator, call, number, object, opaque, or_empty, renew, schema, text, turns};

/// The protocol's version. Newer ones have new names; what is used here is in the first.
pub(super) const HEADERS: &[(&str, &str)] = &[("anthropic-version", "2023-06-01")];

/// What is kept of this provider in a message.
const OWN: &str = "anthropic";

pub(super) fn body(request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value {
    let mut messages = messages(&request.messages);
    let mut tools = tools(request);
    let system = capabilities.system(request);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(request.max_output_tokens));
    if capabilities.marks_cache {
        // The provider caches tools, system and messages in this order, up to each mark. The last message's mark makes
        // the next call read all that this one sent.
        mark(tools.last_mut());
        let last = messages.last_mut().and_then(|message| message.get_mut("content")?.as_array_mut());
        mark(last.and_then(|blocks| blocks.last_mut()));
    }
    if !system.is_empty() {
        let mut system = json!({ "type": "text", "text": system });
        if capabilities.marks_cache {
            mark(Some(&mut system));
        }
        body.insert("system".to_owned(), json!([system]));
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::Array(tools));
        let choice = match capabilities.choice(request) {
            // Calls of a history need their tools declared, though none may be called.
            _ if request.tools.is_empty() => json!({ "type": "none" }),
            ToolChoice::Auto => json!({ "type": "auto" }),
            ToolChoice::None => json!({ "type": "none" }),
            ToolChoice::Required => json!({ "type": "any" }),
            ToolChoice::Named(name) => json!({ "type": "tool", "name": name }),
        };
        body.insert("tool_choice".to_owned(), choice);
    }
    let mut output = Map::new();
    if let Some(form) = capabilities.schema(request) {
        output.insert("format".to_owned(), json!({ "type": "json_schema", "schema": schema::closed(&form.schema).0 }));
    }
    if let Some(effort) = &capabilities.effort {
        output.insert("effort".to_owned(), json!(effort));
    }
    if !output.is_empty() {
        body.insert("output_config".to_owned(), Value::Object(output));
    }
    if capabilities.streams {
        body.insert("stream".to_owned(), json!(true));
    }
    Value::Object(body)
}

/// Marks the end of what may be cached.
fn mark(block: Option<&mut Value>) {
    if let Some(Value::Object(block)) = block {
        block.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
}

fn tools(request: &ChatRequest) -> Vec<Value> {
    if !request.tools.is_empty() {
        let tool = |tool: &ToolDefinition| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters });
        return request.tools.iter().map(tool).collect();
    }
    let mut names: Vec<&str> = Vec::new();
    for message in &request.messages {
        let Message::Assistant(said) = message else { continue };
        for call in &said.tool_calls {
            if !names.contains(&call.name.as_str()) {
                names.push(&call.name);
            }
        }
    }
    names.iter().map(|name| json!({ "name": name, "input_schema": { "type": "object" } })).collect()
}

fn messages(messages: &[Message]) -> Vec<Value> {
    let mut sent: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &turns(messages) {
        let (role, blocks) = match message {
            Message::User { text } => ("user", vec![json!({ "type": "text", "text": text })]),
            Message::Assistant(said) => ("assistant", said_blocks(said)),
            Message::Tools { results } => {
                let result = |result: &ToolResult| {
                    let mut block = json!({
                        "type": "tool_result",
                        "tool_use_id": result.call_id,
                        "content": or_empty(&result.content),
                    });
                    if result.is_error {
                        block["is_error"] = json!(true);
                    }
                    block
                };
                ("user", results.iter().map(result).collect())
            }
        };
        match sent.last_mut() {
            // The user's words behind results belong into their message, after them.
            Some((before, all)) if *before == role => all.extend(blocks),
            _ => sent.push((role, blocks)),
        }
    }
    sent.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn said_blocks(said: &AssistantMessage) -> Vec<Value> {
    // Thoughts stand before what was said, and are signed: they go back as they came.
    let mut blocks: Vec<Value> = opaque(said, OWN).and_then(Value::as_array).cloned().unwrap_or_default();
    if !said.text.trim().is_empty() {
        blocks.push(json!({ "type": "text", "text": said.text }));
    }
    for call in &said.tool_calls {
        blocks.push(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": object(&call.arguments) }));
    }
    blocks
}

pub(super) fn reply(body: &Value) -> Result<ChatReply, String> {
    let Some(blocks) = body.get("content").and_then(Value::as_array) else {
        return Err("it has no `content`".to_owned());
    };
    let mut message = AssistantMessage::default();
    let mut thoughts = Vec::new();
    for block in blocks {
        match text(block, "/type") {
            Some("text") => message.text.push_str(text(block, "/text").unwrap_or_default()),
            Some("tool_use") => {
                let Some(name) = text(block, "/name") else { return Err("a call names no tool".to_owned()) };
                let arguments = block.get("input").cloned().unwrap_or_else(|| json!({}));
                message.tool_calls.push(call(text(block, "/id"), name, arguments));
            }
            Some("thinking" | "redacted_thinking") => thoughts.push(block.clone()),
            _ => {}
        }
    }
    if !thoughts.is_empty() {
        message.opaque = Some(json!({ OWN: thoughts }));
    }
    let stop = match text(body, "/stop_reason") {
        Some("end_turn" | "stop_sequence") if !message.tool_calls.is_empty() => StopReason::ToolCalls,
        Some("end_turn" | "stop_sequence") => StopReason::End,
        Some("tool_use") if message.tool_calls.is_empty() => StopReason::End,
        Some("tool_use") => StopReason::ToolCalls,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        Some("refusal") => StopReason::Refusal,
        Some(other) => StopReason::Other(other.to_owned()),
        None => return Err("it has no `stop_reason`".to_owned()),
    };
    let model = text(body, "/model").unwrap_or_default().to_owned();
    Ok(ChatReply { message, stop, usage: usage(body), model })
}

pub(super) fn usage(body: &Value) -> Usage {
    let cache_read = number(body, "/usage/cache_read_input_tokens");
    let cache_write = number(body, "/usage/cache_creation_input_tokens");
    Usage {
        // This provider's `input_tokens` are those behind the last mark.
        input: number(body, "/usage/input_tokens").saturating_add(cache_read).saturating_add(cache_write),
        cache_read,
        cache_write,
        output: number(body, "/usage/output_tokens"),
    }
}

/// A reply in pieces.
#[derive(Default)]
pub(super) struct Pieces {
    message: Map<String, Value>,
    blocks: Vec<Value>,
    /// The text of a call's arguments, which is JSON when it is complete.
    arguments: String,
    is_whole: bool,
}

impl StreamAccumulator for Pieces {
    fn take(&mut self, data: &Value) -> Option<String> {
        match text(data, "/type")? {
            "message_start" => {
                if let Some(Value::Object(message)) = data.get("message") {
                    self.message = message.clone();
                }
            }
            "content_block_start" => {
                self.arguments.clear();
                let block = data.get("content_block").cloned().unwrap_or_default();
                let begun = text(&block, "/text").filter(|text| !text.is_empty()).map(str::to_owned);
                self.blocks.push(block);
                return begun;
            }
            "content_block_delta" => return self.delta(data.get("delta")?),
            "content_block_stop" => {
                if let Some(block) = self.blocks.last_mut()
                    && !self.arguments.is_empty()
                {
                    block["input"] = super::parsed(&std::mem::take(&mut self.arguments));
                }
            }
            "message_delta" => {
                if let Some(Value::Object(delta)) = data.get("delta") {
                    renew(&mut self.message, delta);
                }
                if let Some(used) = data.get("usage") {
                    let usage = json!({ "usage": used });
                    renew(&mut self.message, usage.as_object()?);
                }
            }
            "message_stop" => self.is_whole = true,
            _ => {}
        }
        None
    }

    fn body(&self) -> Value {
        let mut message = self.message.clone();
        message.insert("content".to_owned(), Value::Array(self.blocks.clone()));
        Value::Object(message)
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }
}

impl Pieces {
    fn delta(&mut self, delta: &Value) -> Option<String> {
        let block = self.blocks.last_mut()?.as_object_mut()?;
        let mut append = |field: &str, words: &str| {
            if let Value::String(text) = block.entry(field).or_insert_with(|| json!("")) {
                text.push_str(words);
            }
        };
        match text(delta, "/type")? {
            "text_delta" => {
                let words = text(delta, "/text")?;
                append("text", words);
                return Some(words.to_owned());
            }
            "thinking_delta" => append("thinking", text(delta, "/thinking")?),
            "signature_delta" => append("signature", text(delta, "/signature")?),
            "input_json_delta" => self.arguments.push_str(text(delta, "/partial_json")?),
            _ => {}
        }
        None
    }
}
