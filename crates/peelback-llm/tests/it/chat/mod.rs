//! Chat models against a server on this machine that sends the responses of each test.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

mod budget;
mod failures;
mod forms;
mod recording;
mod scripted;
mod settings;
mod streams;
mod wires;

use std::sync::Arc;
use std::time::Duration;

use crate::server::{Reply, Server};
use peelback_llm::{
    ChatModel, ChatRequest, Message, ModelOptions, SkippingClock, ToolDefinition, open_model_with_environment,
};
use serde_json::{Value, json};

const KEY: &str = "sk-secret-of-the-test-4711";

/// The three protocols, by the name of a model.
const ANTHROPIC: &str = "anthropic/claude-test";
const OPENAI: &str = "openai/gpt-test";
const RESPONSES: &str = "openai-responses/gpt-test";
const ALL: [&str; 3] = [ANTHROPIC, OPENAI, RESPONSES];

struct Setup {
    server: Server,
    clock: Arc<SkippingClock>,
    model: Box<dyn ChatModel>,
}

fn setup(name: &str, replies: Vec<Reply>) -> Setup {
    setup_with(name, replies, |_| {})
}

fn setup_with(name: &str, replies: Vec<Reply>, change: impl FnOnce(&mut ModelOptions)) -> Setup {
    let server = Server::start(replies);
    let clock = Arc::new(SkippingClock::new());
    let mut options = ModelOptions::new(name);
    options.base_url = Some(server.url("http"));
    options.timeout = Duration::from_secs(20);
    options.clock = clock.clone();
    change(&mut options);
    let model = open_model_with_environment(options, &|_| Some(KEY.to_owned())).expect("a model");
    Setup { server, clock, model }
}

fn ok(body: impl ToString) -> Reply {
    Reply::Answer(200, vec![("Content-Type", "application/json".to_owned())], body.to_string())
}

fn status(status: u16, body: impl ToString) -> Reply {
    Reply::Answer(status, Vec::new(), body.to_string())
}

fn request() -> ChatRequest {
    ChatRequest {
        system: "You are brief.".to_owned(),
        messages: vec![Message::new_user_message("How does it work?")],
        max_output_tokens: 700,
        ..ChatRequest::default()
    }
}

fn outline() -> ToolDefinition {
    ToolDefinition {
        name: "outline".to_owned(),
        description: "Shows a file's symbols.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
    }
}

/// What a server of the protocol answers that says `text`.
fn says(name: &str, text: &str) -> Value {
    match name {
        ANTHROPIC => json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test-1",
            "content": [{ "type": "text", "text": text }],
            "stop_reason": "end_turn",
            "usage": { "input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30, "output_tokens": 7 },
        }),
        OPENAI => json!({
            "id": "c", "object": "chat.completion", "model": "gpt-test-1",
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 240, "completion_tokens": 7, "total_tokens": 247, "prompt_tokens_details": { "cached_tokens": 200 } },
        }),
        _ => json!({
            "id": "resp_1", "object": "response", "model": "gpt-test-1", "status": "completed", "error": null,
            "output": [
                { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0" },
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text, "annotations": [] }] },
            ],
            "usage": { "input_tokens": 240, "input_tokens_details": { "cached_tokens": 200 }, "output_tokens": 7, "total_tokens": 247 },
        }),
    }
}

/// What a server of the protocol answers that calls `outline` twice.
fn calls(name: &str) -> Value {
    match name {
        ANTHROPIC => json!({
            "model": "claude-test-1",
            "content": [
                { "type": "thinking", "thinking": "Hm.", "signature": "c2ln" },
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "t1", "name": "outline", "input": { "path": "a.rs" } },
                { "type": "tool_use", "id": "t2", "name": "outline", "input": { "path": "b.rs" } },
            ],
            "stop_reason": "tool_use",
            "usage": { "input_tokens": 50, "output_tokens": 20 },
        }),
        OPENAI => json!({
            "model": "gpt-test-1",
            "choices": [{
                "message": {
                    "role": "assistant", "content": "I look.", "reasoning_content": "Hm.",
                    "tool_calls": [
                        { "id": "t1", "type": "function", "function": { "name": "outline", "arguments": "{\"path\":\"a.rs\"}" },
                          "extra_content": { "google": { "thought_signature": "c2ln" } } },
                        { "id": "t2", "type": "function", "function": { "name": "outline", "arguments": "{\"path\":\"b.rs\"}" } },
                    ],
                },
                "finish_reason": "tool_calls",
            }],
            "usage": { "prompt_tokens": 50, "completion_tokens": 20 },
        }),
        _ => json!({
            "model": "gpt-test-1", "status": "completed",
            "output": [
                { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln", "status": "completed" },
                { "type": "message", "content": [{ "type": "output_text", "text": "I look." }] },
                { "type": "function_call", "call_id": "t1", "name": "outline", "arguments": "{\"path\":\"a.rs\"}" },
                { "type": "function_call", "call_id": "t2", "name": "outline", "arguments": "{\"path\":\"b.rs\"}" },
            ],
            "usage": { "input_tokens": 50, "output_tokens": 20 },
        }),
    }
}
