//! The outcome of an agent's run: its findings, the reason why it ended, and token counts.

use peelback_code::StopCause;
use peelback_llm::{ChatError, ChatRequest, Message, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::citations::Reference;
use crate::conversation::Conversation;

/// A file that the agent was not allowed to read, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Withheld {
    /// The file's path, relative to the project's root.
    pub path: String,
    /// The reason why the file was withheld.
    pub reason: String,
}

/// The reason why an agent was forced to finish before the model submitted a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForcedFinish {
    /// The run reached its maximum number of turns.
    TurnLimit,
    /// The model repeated the same tool call too often.
    Repeats,
    /// Too many tool calls in a row found nothing.
    NothingFound,
    /// The model replied without a tool call.
    NoCall,
}

impl ForcedFinish {
    /// The reason as text for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TurnLimit => "the turn limit was reached",
            Self::Repeats => "the model made the same call again and again",
            Self::NothingFound => "nothing was found many times in a row",
            Self::NoCall => "the model stopped calling tools",
        }
    }
}

/// The way in which an agent's run ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RunEnd {
    /// The model submitted its result.
    Generated,
    /// The agent was forced to finish, and the model submitted no result although the agent requested one.
    Forced(ForcedFinish),
    /// The budget for tokens or cost refused the next request. The text is the budget's message.
    Budget(String),
    /// The run was cancelled, or its deadline passed.
    Stopped(StopCause),
    /// The model refused to answer. The text is the model's message.
    Refused(String),
    /// A request to the model failed.
    ModelError(ChatError),
}

impl RunEnd {
    /// The reason of an early end, as a document prints it; `None` for a normal end.
    pub fn early_end_reason(&self) -> Option<String> {
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

/// The size of one request to the model, for each of its parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestSize {
    /// The number of bytes in the system prompt.
    pub system_bytes: usize,
    /// The number of bytes in the tool definitions: names, descriptions and schemas.
    pub tools_bytes: usize,
    /// The number of bytes in the messages: texts, tool calls and results.
    pub messages_bytes: usize,
    /// The number of o200k tokens in the whole request, with the overhead that the chat format adds around the texts.
    pub tokens: usize,
}

impl RequestSize {
    /// Measures the parts of `request`, whose token count is `tokens`.
    pub fn from_request(request: &ChatRequest, tokens: usize) -> Self {
        let tools = request
            .tools
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len());
        Self {
            system_bytes: request.system.len(),
            tools_bytes: tools.sum(),
            messages_bytes: request.messages.iter().map(count_message_bytes).sum(),
            tokens,
        }
    }

    /// The total number of bytes in the request: system prompt, tool definitions and messages.
    pub fn bytes(&self) -> usize {
        self.system_bytes + self.tools_bytes + self.messages_bytes
    }
}

fn count_message_bytes(message: &Message) -> usize {
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

/// The findings of an agent's run, whichever way the run ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The question that the run answers. Where the model submitted a result: the question as the model understood it.
    pub question: String,
    /// The paths of the files that the answer needs, relative to the project's root, the most important first. Where
    /// the model submitted no result: the files that the agent looked at, the most used first.
    pub paths: Vec<String>,
    /// The insights of the model in prose. Where the model submitted no result: the last texts that it wrote.
    pub insights: String,
    /// The code references that support the insights. They are not verified yet. Where the model submitted no result:
    /// the lines that the agent read.
    pub references: Vec<Reference>,
    /// Questions that the run did not answer.
    pub open_questions: Vec<String>,
    /// The way in which the run ended.
    pub end: RunEnd,
    /// The reason why the agent was forced to finish; `None` where it was not forced.
    pub force_finish: Option<ForcedFinish>,
    /// The number of requests that the agent sent to the model.
    pub turns: usize,
    /// The conversation of the run, as trimmed for the last request.
    pub conversation: Conversation,
    /// The files that the run withheld from the model: files that the tools skipped, and files that the model requested
    /// by name.
    pub withheld: Vec<Withheld>,
    /// The token usage of the run, as the model provider reported it.
    pub usage: Usage,
    /// The size of each request that the agent sent, in order.
    pub requests: Vec<RequestSize>,
}
