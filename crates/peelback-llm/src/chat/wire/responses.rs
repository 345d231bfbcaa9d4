//! OpenAI's Responses.

use serde_json::{Value, json};

use super::super::message::{AssistantMessage, Message};
use super::super::model::{ChatReply, ChatRequest, StopReason, ToolChoice, Usage};
use super::{
    ModelCapabilities, StreamAccumulator, call, number, object, opaque, or_empty, parsed, schema, text, turns,
};

/// What is kept of this provider in a message.
const OWN: &str = "responses";

pub(super) fn body(request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value {
    let mut input = Vec::new();
    for message in &turns(&request.messages) {
        match message {
            Message::User { text } => input.push(json!({ "role": "user", "content": text })),
            Message::Assistant(said) => input.extend(assistant(said, capabilities.keeps_thoughts)),
            Message::Tools { results } => input.extend(results.iter().map(|result| {
                json!({ "type": "function_call_output", "call_id": result.call_id, "output": or_empty(&result.content) })
            })),
        }
    }
    // Nothing stays on the server: the whole conversation is sent each time.
    let mut body = json!({
        "model": model,
        "input": input,
        "max_output_tokens": request.max_output_tokens,
        "store": false,
    });
    let system = capabilities.system(request);
    if !system.is_empty() {
        body["instructions"] = json!(system);
    }
    if capabilities.keeps_thoughts {
        body["include"] = json!(["reasoning.encrypted_content"]);
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
        body["tools"] = tools.collect();
        body["tool_choice"] = match capabilities.choice(request) {
            ToolChoice::Auto => json!("auto"),
            ToolChoice::None => json!("none"),
            ToolChoice::Required => json!("required"),
            ToolChoice::Named(name) => json!({ "type": "function", "name": name }),
        };
    }
    if let Some(form) = capabilities.schema(request) {
        let (schema, strict) = schema::closed(&form.schema);
        let schema = if strict { schema } else { form.schema.clone() };
        body["text"] = json!({
            "format": { "type": "json_schema", "name": form.name, "schema": schema, "strict": strict },
        });
    }
    if let Some(effort) = &capabilities.effort {
        body["reasoning"] = json!({ "effort": effort });
    }
    if capabilities.streams {
        body["stream"] = json!(true);
    }
    body
}

fn assistant(said: &AssistantMessage, keeps_thoughts: bool) -> Vec<Value> {
    let thoughts = opaque(said, OWN).filter(|_| keeps_thoughts);
    let mut items: Vec<Value> = thoughts.and_then(Value::as_array).cloned().unwrap_or_default();
    if !said.text.trim().is_empty() {
        items.push(json!({ "role": "assistant", "content": said.text }));
    }
    for call in &said.tool_calls {
        items.push(json!({
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": object(&call.arguments).to_string(),
        }));
    }
    items
}

pub(super) fn reply(body: &Value) -> Result<ChatReply, String> {
    let Some(items) = body.get("output").and_then(Value::as_array) else {
        return Err("it has no `output`".to_owned());
    };
    let mut message = AssistantMessage::default();
    let (mut thoughts, mut is_refused) = (Vec::new(), false);
    for item in items {
        match text(item, "/type") {
            Some("message") => {
                for part in item.get("content").and_then(Value::as_array).into_iter().flatten() {
                    is_refused |= text(part, "/type") == Some("refusal");
                    let words = text(part, "/text").or_else(|| text(part, "/refusal"));
                    message.text.push_str(words.unwrap_or_default());
                }
            }
            Some("function_call") => {
                let Some(name) = text(item, "/name") else { return Err("a call names no tool".to_owned()) };
                let arguments = parsed(text(item, "/arguments").unwrap_or_default());
                message.tool_calls.push(call(text(item, "/call_id"), name, arguments));
            }
            // Without their contents they cannot be sent back: the server keeps nothing.
            Some("reasoning") if item.get("encrypted_content").is_some_and(Value::is_string) => {
                let mut thought = item.clone();
                if let Some(thought) = thought.as_object_mut() {
                    thought.remove("status");
                }
                thoughts.push(thought);
            }
            _ => {}
        }
    }
    if !thoughts.is_empty() {
        message.opaque = Some(json!({ OWN: thoughts }));
    }
    let stop = match (text(body, "/status"), text(body, "/incomplete_details/reason")) {
        _ if is_refused => StopReason::Refusal,
        (Some("incomplete"), Some("content_filter")) => StopReason::Refusal,
        (Some("incomplete"), Some("max_output_tokens") | None) => StopReason::Length,
        (Some("incomplete"), Some(reason)) => StopReason::Other(reason.to_owned()),
        _ if !message.tool_calls.is_empty() => StopReason::ToolCalls,
        (Some("completed") | None, _) => StopReason::End,
        (Some(status), _) => return Err(format!("its status is {status:?}")),
    };
    Ok(ChatReply { message, stop, usage: usage(body), model: text(body, "/model").unwrap_or_default().to_owned() })
}

pub(super) fn usage(body: &Value) -> Usage {
    let input = number(body, "/usage/input_tokens");
    Usage {
        input,
        cache_read: number(body, "/usage/input_tokens_details/cached_tokens").min(input),
        cache_write: 0,
        output: number(body, "/usage/output_tokens"),
    }
}

/// A reply in pieces. The last event has the whole reply.
#[derive(Default)]
pub(super) struct Pieces {
    last: Option<Value>,
    /// What an event of the beginning says, for the case that the end does not come.
    begun: Value,
    /// Items that are complete: some servers leave them out of the last event.
    items: Vec<Value>,
}

impl StreamAccumulator for Pieces {
    fn take(&mut self, data: &Value) -> Option<String> {
        match text(data, "/type")? {
            "response.output_text.delta" | "response.refusal.delta" => return text(data, "/delta").map(str::to_owned),
            "response.output_item.done" => self.items.push(data.get("item")?.clone()),
            "response.completed" | "response.incomplete" => self.last = data.get("response").cloned(),
            "response.created" | "response.in_progress" => self.begun = data.get("response").cloned()?,
            _ => {}
        }
        None
    }

    fn body(&self) -> Value {
        let mut body = self.last.clone().unwrap_or_else(|| self.begun.clone());
        let has_output = body.get("output").and_then(Value::as_array).is_some_and(|output| !output.is_empty());
        if !has_output && !self.items.is_empty() && body.is_object() {
            body["output"] = Value::Array(self.items.clone());
        }
        body
    }

    fn is_whole(&self) -> bool {
        self.last.is_some()
    }
}
