//! A model that says what a script says, and keeps what it was sent.
// Each test binary uses its own part of this.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::sync::Mutex;

use peelback_agent::conversation::tokens_of_request;
use peelback_llm::{
    AssistantMessage, ChatError, ChatFuture, ChatModel, ChatReply, ChatRequest, StopReason, TextCallback, ToolCall,
    Usage,
};
use serde_json::Value;

/// One reply.
pub enum Line {
    Says { text: String, calls: Vec<(String, Value)> },
    Fails(ChatError),
    Refuses(String),
    Hangs,
}

pub fn say(text: &str) -> Line {
    Line::Says { text: text.to_owned(), calls: Vec::new() }
}

pub fn call(name: &str, arguments: Value) -> Line {
    say("").and(name, arguments)
}

impl Line {
    /// The same with one call more.
    pub fn and(mut self, name: &str, arguments: Value) -> Self {
        if let Self::Says { calls, .. } = &mut self {
            calls.push((name.to_owned(), arguments));
        }
        self
    }
}

pub struct Scripted {
    lines: Mutex<VecDeque<Line>>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Scripted {
    pub fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self { lines: Mutex::new(lines.into_iter().collect()), requests: Mutex::default() }
    }

    pub fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().expect("the requests").clone()
    }
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted/model"
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, _: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(async move {
            let number = {
                let mut requests = self.requests.lock().expect("the requests");
                requests.push(request.clone());
                requests.len()
            };
            let line = self.lines.lock().expect("the script").pop_front().expect("the script goes on");
            let (text, calls, stop) = match line {
                Line::Says { text, calls } if calls.is_empty() => (text, calls, StopReason::End),
                Line::Says { text, calls } => (text, calls, StopReason::ToolCalls),
                Line::Refuses(text) => (text, Vec::new(), StopReason::Refusal),
                Line::Fails(error) => return Err(error),
                Line::Hangs => std::future::pending().await,
            };
            let calls = calls.into_iter().enumerate().map(|(at, (name, arguments))| ToolCall {
                id: format!("call_{number}_{at}"),
                name,
                arguments,
            });
            Ok(ChatReply {
                message: AssistantMessage { text, tool_calls: calls.collect(), opaque: None },
                stop,
                usage: Usage { input: tokens_of_request(request) as u64, output: 50, ..Usage::default() },
                model: "model".to_owned(),
            })
        })
    }
}
