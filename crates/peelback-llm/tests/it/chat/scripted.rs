//! A model whose replies a test makes.

use std::sync::{Arc, Mutex};

use peelback_llm::{
    AssistantMessage, ChatError, ChatFuture, ChatModel, ChatReply, ChatRequest, StopReason, TextCallback, Usage,
};

type Answer = Box<dyn FnMut(&ChatRequest) -> Result<ChatReply, ChatError> + Send>;

/// Answers by a function, and keeps what it was asked.
#[derive(Clone)]
pub struct Scripted {
    name: &'static str,
    answer: Arc<Mutex<Answer>>,
    seen: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Scripted {
    pub fn new(
        name: &'static str,
        answer: impl FnMut(&ChatRequest) -> Result<ChatReply, ChatError> + Send + 'static,
    ) -> Self {
        Self { name, answer: Arc::new(Mutex::new(Box::new(answer))), seen: Arc::default() }
    }

    /// One that says these texts in their order, and nothing more after them.
    pub fn saying(texts: &[&str]) -> Self {
        let mut texts: Vec<String> = texts.iter().rev().map(|&text| text.to_owned()).collect();
        Self::new("openai/gpt-4.1", move |_| Ok(said(&texts.pop().unwrap_or_default(), used(100, 10))))
    }

    pub fn seen(&self) -> Vec<ChatRequest> {
        self.seen.lock().expect("requests").clone()
    }
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        self.name
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, watch: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(async move {
            self.seen.lock().expect("requests").push(request.clone());
            let reply = (self.answer.lock().expect("the answer"))(request)?;
            if let Some(watch) = watch {
                watch(&reply.message.text);
            }
            Ok(reply)
        })
    }
}

pub fn said(text: &str, usage: Usage) -> ChatReply {
    let message = AssistantMessage { text: text.to_owned(), ..AssistantMessage::default() };
    ChatReply { message, stop: StopReason::End, usage, model: "scripted".to_owned() }
}

pub fn used(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}
