//! A turn of a conversation: the model's message, the results of its tool calls, and the user's text after them.

use peelback_llm::{AssistantMessage, Message, ToolCall, ToolResult};
use peelback_tokens::count_tokens;
use peelback_tools::Priority;
use serde_json::Value;

use super::cost;
use super::cut::cut;

/// The most characters of the arguments that the stub of an evicted result shows.
const STUB_ARGUMENTS: usize = 120;

/// A text with its token count.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub text: String,
    pub cost: usize,
}

impl Text {
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let cost = count_tokens(&text);
        Self { text, cost }
    }
}

/// The form in which a conversation shows a tool result.
#[derive(Debug, Clone)]
pub(super) enum Shown {
    /// The unmodified result.
    Whole,
    /// The first lines of the result.
    Cut(Text),
    /// The file's outline in place of its text.
    Outline,
    /// One line that names the tool call.
    Stub,
}

/// The result of a tool call, with the form in which it is shown.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub call_id: String,
    pub whole: Text,
    pub outline: Option<Text>,
    pub stub: Text,
    pub priority: Priority,
    pub is_error: bool,
    pub shown: Shown,
    /// Overhead tokens around the text.
    around: usize,
}

impl Held {
    pub fn new(call: &ToolCall, content: &str, outline: Option<String>, priority: Priority, is_error: bool) -> Self {
        let content = if content.trim().is_empty() { "(the tool gave no text)" } else { content };
        let called = called(call);
        let summary = |outline: String| {
            Text::new(format!("[the text was left out to save room: {called} gives it again; its outline:]\n{outline}"))
        };
        Self {
            call_id: call.id.clone(),
            whole: Text::new(content),
            outline: outline.filter(|outline| !outline.trim().is_empty()).map(summary),
            stub: Text::new(format!("[left out to save room: {called} gives it again]")),
            priority,
            is_error,
            shown: Shown::Whole,
            around: cost::around_result(&call.id, &call.name),
        }
    }

    fn text(&self) -> &Text {
        match &self.shown {
            Shown::Whole => &self.whole,
            Shown::Cut(text) => text,
            Shown::Outline => self.outline.as_ref().unwrap_or(&self.stub),
            Shown::Stub => &self.stub,
        }
    }

    pub fn cost(&self) -> usize {
        self.text().cost
    }

    pub fn is_whole(&self) -> bool {
        matches!(self.shown, Shown::Whole)
    }

    /// Replaces the text by its outline where that saves tokens. Returns whether it did.
    pub fn summarise(&mut self) -> bool {
        let saves = self.outline.as_ref().is_some_and(|outline| outline.cost < self.cost());
        let is_text = matches!(self.shown, Shown::Whole | Shown::Cut(_));
        if is_text && saves {
            self.shown = Shown::Outline;
        }
        is_text && saves
    }

    /// Replaces the text by a one-line stub where that saves tokens. Returns whether it did.
    pub fn evict(&mut self) -> bool {
        let saves = self.stub.cost < self.cost();
        if saves {
            self.shown = Shown::Stub;
        }
        saves
    }

    /// Cuts the text to about `most` tokens. Returns whether that saved tokens.
    pub fn shorten(&mut self, most: usize) -> bool {
        let before = self.cost();
        // The cut starts from the original text: the notice in a repeated cut would report a wrong number of lines.
        let source = if matches!(self.shown, Shown::Cut(_)) { &self.whole } else { self.text() };
        let short = Text::new(cut(&source.text, most));
        if short.cost < before {
            self.shown = Shown::Cut(short);
            return true;
        }
        self.evict()
    }
}

/// A short description of a tool call: the tool's name and its abbreviated arguments.
fn called(call: &ToolCall) -> String {
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let arguments = arguments.replace(['\n', '\r'], " ");
    match arguments.char_indices().nth(STUB_ARGUMENTS) {
        Some((at, _)) => format!("{} {}…", call.name, arguments.get(..at).unwrap_or("")),
        None => format!("{} {arguments}", call.name),
    }
}

/// A message of the model, the results of its tool calls in order, and the user's text after them.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// The number of the turn in the whole conversation, from 1.
    pub number: usize,
    said: AssistantMessage,
    said_cost: usize,
    pub results: Vec<Option<Held>>,
    user: Option<Text>,
    /// Whether a request has contained this turn. A change of such a turn changes the cached prefix.
    pub is_sent: bool,
}

/// The placeholder for a missing tool result.
const NO_RESULT: &str = "(the call was not run)";

/// The user message inserted between two consecutive messages of the model.
const GO_ON: &str = "Go on.";

impl Turn {
    pub fn new(number: usize, said: AssistantMessage) -> Self {
        let results = said.tool_calls.iter().map(|_| None).collect();
        Self { number, said_cost: cost::of_assistant(&said), said, results, user: None, is_sent: false }
    }

    pub fn calls(&self) -> &[ToolCall] {
        &self.said.tool_calls
    }

    pub fn said(&self) -> &str {
        &self.said.text
    }

    pub fn say(&mut self, text: &str) {
        self.user = Some(match self.user.take() {
            Some(before) => Text::new(format!("{}\n\n{text}", before.text)),
            None => Text::new(text),
        });
    }

    /// Fills in missing tool results, and a user message where the turn would end with the model.
    pub fn close(&mut self) {
        for (call, result) in self.said.tool_calls.iter().zip(&mut self.results) {
            result.get_or_insert_with(|| Held::new(call, NO_RESULT, None, Priority::Low, true));
        }
        self.end();
    }

    /// Adds a user message where the turn would end with the model: providers reject a request that ends with a model
    /// message.
    pub fn end(&mut self) {
        if self.said.tool_calls.is_empty() && self.user.is_none() {
            self.user = Some(Text::new(GO_ON));
        }
    }

    pub fn cost(&self) -> usize {
        let results: usize = self
            .said
            .tool_calls
            .iter()
            .zip(&self.results)
            .map(|(call, result)| match result {
                Some(held) => held.around + held.cost(),
                None => cost::around_result(&call.id, &call.name) + count_tokens(NO_RESULT),
            })
            .sum();
        let around = if self.said.tool_calls.is_empty() { 0 } else { cost::AROUND_MESSAGE };
        let user = self.user.as_ref().map_or(0, |user| user.cost + cost::AROUND_MESSAGE);
        self.said_cost + around + results + user
    }

    pub fn held(&self) -> impl Iterator<Item = &Held> {
        self.results.iter().flatten()
    }

    pub fn held_mut(&mut self) -> impl Iterator<Item = &mut Held> {
        self.results.iter_mut().flatten()
    }

    /// Shortens the model's own message: provider-specific data, long texts and long arguments, to at most `most`
    /// tokens each. Returns whether anything changed.
    pub fn shorten_own(&mut self, most: usize) -> bool {
        let before = self.said_cost;
        let mut said = self.said.clone();
        said.opaque = None;
        said.text = cut(&said.text, most).into_owned();
        for call in &mut said.tool_calls {
            call.arguments = shortened(&call.arguments, most);
        }
        let after = cost::of_assistant(&said);
        if after < before {
            (self.said, self.said_cost) = (said, after);
        }
        after < before
    }

    /// Cuts the user's text after the turn to about `most` tokens. Returns whether that saved tokens.
    pub fn shorten_user(&mut self, most: usize) -> bool {
        let Some(user) = &mut self.user else { return false };
        let short = Text::new(cut(&user.text, most));
        let saves = short.cost < user.cost;
        if saves {
            *user = short;
        }
        saves
    }

    pub fn write(&self, out: &mut Vec<Message>) {
        out.push(Message::Assistant(self.said.clone()));
        let results: Vec<ToolResult> = self
            .said
            .tool_calls
            .iter()
            .zip(&self.results)
            .map(|(call, result)| ToolResult {
                call_id: call.id.clone(),
                name: call.name.clone(),
                content: result.as_ref().map_or(NO_RESULT, |held| held.text().text.as_str()).to_owned(),
                is_error: result.as_ref().is_none_or(|held| held.is_error),
            })
            .collect();
        if !results.is_empty() {
            out.push(Message::Tools { results });
        }
        out.extend(self.user.as_ref().map(|user| Message::user(user.text.as_str())));
    }
}

/// Tool arguments with long string values cut.
fn shortened(arguments: &Value, most: usize) -> Value {
    let size = |value: &Value| match value {
        Value::String(text) => count_tokens(text),
        other => count_tokens(&other.to_string()),
    };
    if size(arguments) <= most {
        return arguments.clone();
    }
    let short = match arguments {
        Value::String(text) => return Value::String(cut(text, most).into_owned()),
        Value::Object(fields) => {
            let each = most / fields.len().max(1);
            let short = |value: &Value| match value {
                Value::String(text) => Value::String(cut(text, each).into_owned()),
                other if size(other) > each => Value::String("[left out to save room]".to_owned()),
                other => other.clone(),
            };
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), short(value))).collect())
        }
        other => other.clone(),
    };
    if size(&short) < size(arguments) && size(&short) <= most * 2 {
        return short;
    }
    serde_json::json!({ "note": "arguments left out to save room" })
}
