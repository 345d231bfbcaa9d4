//! A turn of a conversation: the model's message, the results of its tool calls, and the user's text after them.

use peelback_llm::{AssistantMessage, Message, ToolCall, ToolResult};
use peelback_tokens::count_tokens;
use peelback_tools::{Location, RetentionPriority};
use serde_json::Value;

use super::cut::truncate_to_tokens;
use super::{Kind, NewToolResult, cost};

/// The maximum number of characters of the tool call's arguments that the one-line stub of an evicted tool result
/// shows.
const STUB_ARGUMENTS: usize = 120;

/// A text with its token count.
#[derive(Debug, Clone)]
pub(super) struct CountedText {
    pub text: String,
    pub cost: usize,
}

impl CountedText {
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let cost = count_tokens(&text);
        Self { text, cost }
    }
}

/// The form in which a conversation shows a tool result.
#[derive(Debug, Clone)]
pub(super) enum ShownForm {
    /// The whole result without changes.
    Whole,
    /// The first lines of the result, with a notice about the omitted lines.
    Cut(CountedText),
    /// The short form of the result: the outline of the file whose text it contains, or an error without documentation.
    Short,
    /// A one-line stub that names the tool call.
    Stub,
}

/// The result of a tool call in a conversation, with the form in which the next request shows it.
#[derive(Debug, Clone)]
pub(super) struct StoredToolResult {
    pub call_id: String,
    pub whole: CountedText,
    pub short_form: Option<CountedText>,
    pub stub: CountedText,
    pub priority: RetentionPriority,
    pub is_error: bool,
    /// Whether the call failed or found nothing.
    pub is_failure: bool,
    /// Whether the model cited a place that the result shows, or asked for the result again.
    pub is_needed: bool,
    /// The places in the code that the result shows.
    pub places: Vec<Location>,
    pub shown: ShownForm,
    /// The number of overhead tokens around the text of the result.
    around: usize,
}

impl StoredToolResult {
    pub fn new(call: &ToolCall, given: NewToolResult) -> Self {
        let NewToolResult { content, priority, short_form, is_error, is_failure, is_needed, places } = given;
        let content = if content.trim().is_empty() { "(the tool gave no text)" } else { content.as_str() };
        let called = describe_tool_call(call);
        let short_form = short_form.filter(|text| !text.trim().is_empty()).map(|text| {
            CountedText::new(if is_failure {
                format!("{text}\n[the docs of the tool were left out to save room]")
            } else {
                format!("[the text was left out to save room: {called} gives it again; its outline:]\n{text}")
            })
        });
        Self {
            call_id: call.id.clone(),
            whole: CountedText::new(content),
            short_form,
            stub: CountedText::new(format!("[left out to save room: {called} gives it again]")),
            priority,
            is_error,
            is_failure,
            is_needed,
            places,
            shown: ShownForm::Whole,
            around: cost::overhead_tokens_of_tool_result(&call.id, &call.name),
        }
    }

    fn shown_text(&self) -> &CountedText {
        match &self.shown {
            ShownForm::Whole => &self.whole,
            ShownForm::Cut(text) => text,
            ShownForm::Short => self.short_form.as_ref().unwrap_or(&self.stub),
            ShownForm::Stub => &self.stub,
        }
    }

    pub fn token_count(&self) -> usize {
        self.shown_text().cost
    }

    pub fn is_shown_unmodified(&self) -> bool {
        matches!(self.shown, ShownForm::Whole)
    }

    /// Replaces the result's text by its short form where that saves tokens. Returns whether it did.
    pub fn replace_by_short_form(&mut self) -> bool {
        let saves = self.short_form.as_ref().is_some_and(|short| short.cost < self.token_count());
        let is_text = matches!(self.shown, ShownForm::Whole | ShownForm::Cut(_));
        if is_text && saves {
            self.shown = ShownForm::Short;
        }
        is_text && saves
    }

    /// Replaces the result's text by a one-line stub where that saves tokens. Returns whether it did.
    pub fn replace_by_stub(&mut self) -> bool {
        let saves = self.stub.cost < self.token_count();
        if saves {
            self.shown = ShownForm::Stub;
        }
        saves
    }

    /// Cuts the result's text to about `most` tokens, or replaces it by a one-line stub where a cut saves no tokens.
    /// Returns whether tokens were saved.
    pub fn shorten(&mut self, most: usize) -> bool {
        let before = self.token_count();
        // The cut starts from the original text: the notice in a repeated cut would report a wrong number of lines.
        let source = if matches!(self.shown, ShownForm::Cut(_)) { &self.whole } else { self.shown_text() };
        let short = CountedText::new(truncate_to_tokens(&source.text, most));
        if short.cost < before {
            self.shown = ShownForm::Cut(short);
            return true;
        }
        self.replace_by_stub()
    }
}

/// A short description of a tool call: the tool's name and its abbreviated arguments.
fn describe_tool_call(call: &ToolCall) -> String {
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    // First, since the rest of a secret that is cut is not known for one.
    let arguments = peelback_secrets::mask_secrets(&arguments).replace(['\n', '\r'], " ");
    match arguments.char_indices().nth(STUB_ARGUMENTS) {
        Some((at, _)) => format!("{} {}…", call.name, arguments.get(..at).unwrap_or("")),
        None => format!("{} {arguments}", call.name),
    }
}

/// A message of the model, the results of its tool calls in order, and the user's text after them.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// The number of the turn in the whole conversation, counted from 1.
    pub number: usize,
    said: AssistantMessage,
    said_cost: usize,
    pub results: Vec<Option<StoredToolResult>>,
    user: Option<CountedText>,
    /// Whether a request has already contained this turn. A later change of the turn changes the cached prefix of the
    /// request.
    pub is_sent: bool,
}

/// The placeholder text for the missing result of a tool call.
const NO_RESULT: &str = "(the call was not run)";

/// The user message inserted between two consecutive messages of the model.
const GO_ON: &str = "Go on.";

impl Turn {
    pub fn new(number: usize, said: AssistantMessage) -> Self {
        let results = said.tool_calls.iter().map(|_| None).collect();
        Self { number, said_cost: cost::tokens_of_assistant_message(&said), said, results, user: None, is_sent: false }
    }

    pub fn calls(&self) -> &[ToolCall] {
        &self.said.tool_calls
    }

    pub fn model_text(&self) -> &str {
        &self.said.text
    }

    pub fn append_user_text(&mut self, text: &str) {
        self.user = Some(match self.user.take() {
            Some(before) => CountedText::new(format!("{}\n\n{text}", before.text)),
            None => CountedText::new(text),
        });
    }

    /// Fills in missing tool results, and adds a user message where the turn would end with the model's message.
    pub fn add_missing_results_and_user_message(&mut self) {
        for (call, result) in self.said.tool_calls.iter().zip(&mut self.results) {
            result.get_or_insert_with(|| {
                let given = NewToolResult::new(Kind::Other, NO_RESULT).with_priority(RetentionPriority::Low);
                StoredToolResult::new(call, given.marked_as_error())
            });
        }
        self.add_missing_user_message();
    }

    /// Adds a user message where the turn would end with the model's message, because providers reject a request that
    /// ends with a model message.
    pub fn add_missing_user_message(&mut self) {
        if self.said.tool_calls.is_empty() && self.user.is_none() {
            self.user = Some(CountedText::new(GO_ON));
        }
    }

    pub fn token_count(&self) -> usize {
        let results: usize = self
            .said
            .tool_calls
            .iter()
            .zip(&self.results)
            .map(|(call, result)| match result {
                Some(held) => held.around + held.token_count(),
                None => cost::overhead_tokens_of_tool_result(&call.id, &call.name) + count_tokens(NO_RESULT),
            })
            .sum();
        let around = if self.said.tool_calls.is_empty() { 0 } else { cost::MESSAGE_OVERHEAD_TOKENS };
        let user = self.user.as_ref().map_or(0, |user| user.cost + cost::MESSAGE_OVERHEAD_TOKENS);
        self.said_cost + around + results + user
    }

    pub fn tool_results(&self) -> impl Iterator<Item = &StoredToolResult> {
        self.results.iter().flatten()
    }

    pub fn tool_results_mut(&mut self) -> impl Iterator<Item = &mut StoredToolResult> {
        self.results.iter_mut().flatten()
    }

    /// Shortens the model's own message: provider-specific data, long texts and long arguments, to at most `most`
    /// tokens each. Returns whether anything changed.
    pub fn shorten_model_message(&mut self, most: usize) -> bool {
        let before = self.said_cost;
        let mut said = self.said.clone();
        said.opaque = None;
        said.text = truncate_to_tokens(&said.text, most).into_owned();
        for call in &mut said.tool_calls {
            call.arguments = shorten_tool_arguments(&call.arguments, most);
        }
        let after = cost::tokens_of_assistant_message(&said);
        if after < before {
            (self.said, self.said_cost) = (said, after);
        }
        after < before
    }

    /// Cuts the user's text after the turn to about `most` tokens. Returns whether that saved tokens.
    pub fn shorten_user_text(&mut self, most: usize) -> bool {
        let Some(user) = &mut self.user else { return false };
        let short = CountedText::new(truncate_to_tokens(&user.text, most));
        let saves = short.cost < user.cost;
        if saves {
            *user = short;
        }
        saves
    }

    pub fn append_messages_to(&self, out: &mut Vec<Message>) {
        out.push(Message::Assistant(self.said.clone()));
        let results: Vec<ToolResult> = self
            .said
            .tool_calls
            .iter()
            .zip(&self.results)
            .map(|(call, result)| ToolResult {
                call_id: call.id.clone(),
                name: call.name.clone(),
                content: result.as_ref().map_or(NO_RESULT, |held| held.shown_text().text.as_str()).to_owned(),
                is_error: result.as_ref().is_none_or(|held| held.is_error),
            })
            .collect();
        if !results.is_empty() {
            out.push(Message::Tools { results });
        }
        out.extend(self.user.as_ref().map(|user| Message::new_user_message(user.text.as_str())));
    }
}

/// A copy of the arguments of a tool call in which long string values are cut.
fn shorten_tool_arguments(arguments: &Value, most: usize) -> Value {
    let size = |value: &Value| match value {
        Value::String(text) => count_tokens(text),
        other => count_tokens(&other.to_string()),
    };
    if size(arguments) <= most {
        return arguments.clone();
    }
    let short = match arguments {
        Value::String(text) => return Value::String(truncate_to_tokens(text, most).into_owned()),
        Value::Object(fields) => {
            let each = most / fields.len().max(1);
            let short = |value: &Value| match value {
                Value::String(text) => Value::String(truncate_to_tokens(text, each).into_owned()),
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
