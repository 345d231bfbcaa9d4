//! What an agent leaves behind.

use peelback_code::Stop;
use peelback_llm::{ChatError, ChatRequest, Message, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::citations::Reference;
use crate::conversation::Conversation;

/// A file that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Withheld {
    /// The path from the root.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Why an agent was made to finish before it wanted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForcedFinish {
    /// Its turns were used up.
    TurnLimit,
    /// It made the same call again and again.
    Repeats,
    /// It found nothing many times in a row.
    NothingFound,
    /// It stopped calling tools.
    NoCall,
}

impl ForcedFinish {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TurnLimit => "the turn limit was reached",
            Self::Repeats => "the model made the same call again and again",
            Self::NothingFound => "nothing was found many times in a row",
            Self::NoCall => "the model stopped calling tools",
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum End {
    /// With the model's own result.
    Generated,
    /// Without one, though it was asked for.
    Forced(ForcedFinish),
    /// A budget forbade the next request: what it said.
    Budget(String),
    /// The run was cancelled, or its deadline passed.
    Stopped(Stop),
    /// The model declined to answer: what it said.
    Refused(String),
    /// The model could not be asked.
    ModelError(ChatError),
}

impl End {
    /// In words, as a document says it; `None` where the run ended as it should.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Generated => None,
            Self::Forced(force_finish) => Some(force_finish.as_str().to_owned()),
            Self::Budget(reason) => Some(reason.clone()),
            Self::Stopped(stop) => Some(format!("the run was {}", stop.as_str())),
            Self::Refused(text) => Some(format!("the model declined to answer: {text}")),
            Self::ModelError(error) => Some(error.to_string()),
        }
    }
}

/// What one request was made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestSize {
    /// Bytes of the system's words.
    pub system_bytes: usize,
    /// Bytes of the tools: names, descriptions, schemas.
    pub tools_bytes: usize,
    /// Bytes of the messages: words, calls, results.
    pub messages_bytes: usize,
    /// All of it in o200k tokens, with what goes around the texts.
    pub tokens: usize,
}

impl RequestSize {
    /// The size of a request that costs `tokens`.
    pub fn of(request: &ChatRequest, tokens: usize) -> Self {
        let tools = request
            .tools
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len());
        Self {
            system_bytes: request.system.len(),
            tools_bytes: tools.sum(),
            messages_bytes: request.messages.iter().map(bytes).sum(),
            tokens,
        }
    }

    /// All bytes.
    pub fn bytes(&self) -> usize {
        self.system_bytes + self.tools_bytes + self.messages_bytes
    }
}

fn bytes(message: &Message) -> usize {
    let size = |arguments: &Value| match arguments {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    };
    match message {
        Message::User { text } => text.len(),
        Message::Assistant(said) => {
            said.text.len()
                + said.tool_calls.iter().map(|call| call.name.len() + size(&call.arguments)).sum::<usize>()
                + said.opaque.as_ref().map_or(0, size)
        }
        Message::Tools { results } => results.iter().map(|result| result.content.len()).sum(),
    }
}

/// What an agent found, however its run ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The question, as the model understood it where it ended by itself.
    pub question: String,
    /// The files that the answer needs, from the root, the most important first. Where the model named none: those that
    /// were looked at, the most used first.
    pub paths: Vec<String>,
    /// What was found out. Where the model did not sum it up: its last words.
    pub insights: String,
    /// The places that this rests on; not checked yet. Where the model named none: what was read.
    pub references: Vec<Reference>,
    /// What the run did not settle.
    pub open_questions: Vec<String>,
    /// How it ended.
    pub end: End,
    /// Why the model was made to finish, where it was.
    pub force_finish: Option<ForcedFinish>,
    /// Requests that were made.
    pub turns: usize,
    /// What was said.
    pub conversation: Conversation,
    /// Files that were passed over or asked for and not read.
    pub withheld: Vec<Withheld>,
    /// What the provider counted.
    pub usage: Usage,
    /// The size of each request.
    pub requests: Vec<RequestSize>,
}
