//! Conversations with a model within a token limit. Old messages are trimmed, many at a time.
//!
//! A [`Conversation`] stores the messages and tool results, and produces the messages of the next request so that they
//! fit the limit. Trimming has two layers. Layer 1 replaces the text of a file by its outline after three more turns.
//! The same happens to the documentation that came with an error. Layer 2 evicts results: those of calls that failed
//! first, the others by [`RetentionPriority`], low before medium before high, and last those that the model needs: it cited
//! a place that they show, or asked for them again. A one-line stub replaces an evicted result and names the call that
//! obtains it again. The system prompt and the last three turns stay unchanged.
//!
//! Each trimming changes the prefix of the request, which invalidates the provider's prompt cache. So both layers run
//! together: they change messages that were already sent at most once in five turns, from a high-water mark down to a
//! low-water mark. Where the newest results do not fit in between, they are cut at line ends before they are sent, with
//! a notice about the omission. An earlier change occurs only where the model's or the user's own texts leave no other
//! option.
//!
//! Providers accept every message history that a conversation produces: it begins with a user message and never ends
//! with a model message, two model messages never follow each other, each call has its result, in order, and no text is
//! empty. Missing messages and results are filled in.
//!
//! ```
//! use peelback_agent::conversation::{Conversation, Kind, NewToolResult};
//! use peelback_llm::{AssistantMessage, ToolCall};
//! use serde_json::json;
//!
//! let mut conversation = Conversation::new("You look at code.");
//! conversation.push_user_message("Where are answers capped?");
//! let call = ToolCall { id: "1".into(), name: "outline".into(), arguments: json!({ "path": "src/guard.rs" }) };
//! let calls = conversation.push_model_message(AssistantMessage { tool_calls: vec![call], ..AssistantMessage::default() });
//! let result = NewToolResult::new(Kind::Outline, "36-39 struct PageLimiter");
//! conversation.push_tool_result(&calls[0].id, result).expect("the call");
//!
//! let messages = conversation.trim_and_build_messages();
//! assert_eq!(messages.len(), 3);
//! assert!(conversation.token_count() < conversation.limits().max_input_tokens);
//! ```

mod cited;
mod cost;
mod cut;
mod trim;
mod turn;

use std::collections::{BTreeMap, HashSet};

use peelback_llm::{AssistantMessage, ChatRequest, Message, ToolCall, ToolChoice, ToolDefinition};

pub use cost::{tokens_of_messages, tokens_of_request};
use peelback_tools::Location;
pub use peelback_tools::{ResultKind as Kind, RetentionPriority};
use turn::{StoredToolResult, Turn};

/// The token limits of a conversation: when it is trimmed, and to how many tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The maximum number of tokens in a request: system prompt, tools, messages and overhead.
    pub max_input_tokens: usize,
    /// The share of the token limit (0 to 1) above which tool results are evicted from the conversation.
    pub high_water: f64,
    /// The share of the token limit (0 to 1) at which the eviction of tool results stops.
    pub low_water: f64,
    /// The number of most recent turns that trimming leaves unchanged.
    pub recent_turns: usize,
    /// The minimum number of turns between two changes of messages that were already sent.
    pub turns_between: usize,
}

impl Default for Limits {
    /// The default limits: 20,000 tokens, trimmed from 90% down to 55%; the last three turns stay unchanged; at least
    /// five turns between two changes.
    fn default() -> Self {
        Self { max_input_tokens: 20_000, high_water: 0.9, low_water: 0.55, recent_turns: 3, turns_between: 5 }
    }
}

/// The result of a tool call, as the caller adds it to a conversation.
#[derive(Debug, Clone)]
pub struct NewToolResult {
    content: String,
    priority: RetentionPriority,
    short_form: Option<String>,
    is_error: bool,
    is_failure: bool,
    is_needed: bool,
    places: Vec<Location>,
}

impl NewToolResult {
    /// Creates a tool result of the given kind, with the default retention priority of that kind.
    pub fn new(kind: Kind, content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            priority: kind.retention_priority(),
            short_form: None,
            is_error: false,
            is_failure: false,
            is_needed: false,
            places: Vec::new(),
        }
    }

    /// Replaces the retention priority of the result.
    #[must_use]
    pub fn with_priority(self, priority: RetentionPriority) -> Self {
        Self { priority, ..self }
    }

    /// Sets the outline that replaces the result's text in the conversation once the result is some turns old.
    #[must_use]
    pub fn with_outline(self, outline: Option<String>) -> Self {
        Self { short_form: outline, ..self }
    }

    /// Marks the result as that of a call that found nothing or could not run. It is the first to be evicted. `brief` is
    /// its text without the documentation of the tool, which replaces it before.
    #[must_use]
    pub fn marked_as_failure(self, brief: Option<String>) -> Self {
        Self { is_failure: true, short_form: brief, ..self }
    }

    /// Marks the result as needed: it is evicted after all results that are not.
    #[must_use]
    pub fn marked_as_needed(self) -> Self {
        Self { is_needed: true, ..self }
    }

    /// Sets the places in the code that the result shows. A result of which the model cites a place is needed.
    #[must_use]
    pub fn with_places(self, places: Vec<Location>) -> Self {
        Self { places, ..self }
    }

    /// Marks the result as an error: the call failed.
    #[must_use]
    pub fn marked_as_error(self) -> Self {
        Self { is_error: true, ..self }
    }
}

/// The error for a tool result whose call id matches no unanswered call in the model's last message. The value is the
/// call id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no call {0:?} of the last message waits for a result: push results under the ids that push_model_message gave"
)]
pub struct NoSuchCall(pub String);

/// The user's first message in a conversation, and a summary of the turns that were dropped after it.
#[derive(Debug, Clone, Default)]
struct OpeningMessage {
    text: String,
    /// The number of the last dropped turn; 0 where no turn was dropped.
    left_out: usize,
    /// The names of the tools that the dropped turns called, each with the number of calls.
    called: BTreeMap<String, usize>,
    cost: usize,
}

/// The first user message of a conversation in which the user wrote nothing.
const NOTHING_SAID: &str = "Begin.";

impl OpeningMessage {
    fn recount_tokens(&mut self) {
        self.cost = cost::tokens_of_user_message(&self.to_message_text());
    }

    fn token_count(&self) -> usize {
        self.cost
    }

    fn to_message_text(&self) -> String {
        let text = if self.text.trim().is_empty() { NOTHING_SAID } else { self.text.as_str() };
        if self.left_out == 0 {
            return text.to_owned();
        }
        let called: Vec<String> = self.called.iter().map(|(name, times)| format!("{name} {times}×")).collect();
        let called = if called.is_empty() { "no tool".to_owned() } else { called.join(", ") };
        format!("{text}\n\n[The first {} turns were left out to save room. They called {called}.]", self.left_out)
    }
}

/// The messages and tool results of a conversation with a model, trimmed to a token limit.
#[derive(Debug, Clone)]
pub struct Conversation {
    system: String,
    tools: Vec<ToolDefinition>,
    limits: Limits,
    /// The ratio of the model provider's token counts to o200k token counts.
    calibration: f64,
    fixed: usize,
    opening: OpeningMessage,
    turns: Vec<Turn>,
    /// The number of turns so far, including dropped turns.
    numbered: usize,
    /// The number of the turn after which messages that were already sent last changed.
    changed_at: usize,
    ids: HashSet<String>,
}

impl Conversation {
    /// Creates an empty conversation with this system prompt.
    pub fn new(system: impl Into<String>) -> Self {
        let system = system.into();
        let mut opening = OpeningMessage::default();
        opening.recount_tokens();
        Self {
            fixed: cost::tokens_of_system_and_tools(&system, &[]),
            system,
            tools: Vec::new(),
            limits: Limits::default(),
            calibration: 1.0,
            opening,
            turns: Vec::new(),
            numbered: 0,
            changed_at: 0,
            ids: HashSet::new(),
        }
    }

    /// Sets the tool definitions that every request contains.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<ToolDefinition>) -> Self {
        self.fixed = cost::tokens_of_system_and_tools(&self.system, &tools);
        self.tools = tools;
        self
    }

    /// Replaces the trimming limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The limits at which this conversation is trimmed.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets the ratio of the provider's tokens to o200k tokens: the provider's reported count divided by
    /// [`Conversation::token_count`]. Values below 1 count as 1, so that the limit holds in either count.
    pub fn set_provider_token_ratio(&mut self, factor: f64) {
        if factor.is_finite() {
            self.calibration = factor.clamp(1.0, MOST_CALIBRATION);
        }
    }

    /// Appends a user message. An empty text is ignored.
    pub fn push_user_message(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.append_user_text(text);
            return;
        }
        let opening = &mut self.opening;
        opening.text = if opening.text.is_empty() { text.to_owned() } else { format!("{}\n\n{text}", opening.text) };
        opening.recount_tokens();
    }

    /// Appends a message of the model and returns the tool calls in it. A call whose id is empty or already in use gets
    /// a new id, and a tool name that providers reject is corrected. Results must be pushed under the returned ids.
    pub fn push_model_message(&mut self, mut said: AssistantMessage) -> Vec<ToolCall> {
        if let Some(turn) = self.turns.last_mut() {
            turn.add_missing_results_and_user_message();
        }
        self.numbered += 1;
        for (index, call) in said.tool_calls.iter_mut().enumerate() {
            call.name = to_valid_tool_name(&call.name);
            call.id.retain(|c| !c.is_whitespace() && !c.is_control());
            let mut tries = 0;
            while call.id.is_empty() || self.ids.contains(&call.id) {
                tries += 1;
                call.id = format!("call_{}_{}_{tries}", self.numbered, index + 1);
            }
            self.ids.insert(call.id.clone());
        }
        for held in self.turns.iter_mut().flat_map(Turn::tool_results_mut).filter(|held| !held.is_needed) {
            held.is_needed = cited::is_any_place_cited(&said.text, &held.places);
        }
        if said.text.trim().is_empty() {
            said.text = if said.tool_calls.is_empty() { NO_WORDS.to_owned() } else { String::new() };
        }
        let calls = said.tool_calls.clone();
        self.turns.push(Turn::new(self.numbered, said));
        calls
    }

    /// Appends the result of a tool call of the model's last message.
    ///
    /// # Errors
    /// [`NoSuchCall`] where the model's last message has no such call, or the call already has a result.
    pub fn push_tool_result(&mut self, call_id: &str, given: NewToolResult) -> Result<(), NoSuchCall> {
        let unknown = || NoSuchCall(call_id.to_owned());
        let turn = self.turns.last_mut().ok_or_else(unknown)?;
        let at = turn.calls().iter().position(|call| call.id == call_id).ok_or_else(unknown)?;
        let call = turn.calls().get(at).cloned().ok_or_else(unknown)?;
        let place = turn.results.get_mut(at).filter(|place| place.is_none()).ok_or_else(unknown)?;
        *place = Some(StoredToolResult::new(&call, given));
        Ok(())
    }

    /// Marks the result of an earlier call as needed, such as one that the model asked for again: it is evicted after all
    /// results that are not.
    pub fn mark_result_as_needed(&mut self, call_id: &str) {
        let all = self.turns.iter_mut().flat_map(Turn::tool_results_mut);
        all.filter(|held| held.call_id == call_id).for_each(|held| held.is_needed = true);
    }

    /// The messages of the next request, trimmed to the token limit. A second call before anything is pushed returns
    /// the same messages.
    ///
    /// The messages exceed the limit only where the system prompt and the tool definitions alone leave no room.
    pub fn trim_and_build_messages(&mut self) -> Vec<Message> {
        if let Some(turn) = self.turns.last_mut() {
            turn.add_missing_user_message();
        }
        self.trim();
        self.turns.iter_mut().for_each(|turn| turn.is_sent = true);
        let mut messages = vec![Message::new_user_message(self.opening.to_message_text())];
        self.turns.iter().for_each(|turn| turn.append_messages_to(&mut messages));
        messages
    }

    /// The next request to the model, trimmed to the token limit.
    pub fn trim_and_build_request(&mut self, tool_choice: ToolChoice, max_output_tokens: u32) -> ChatRequest {
        ChatRequest {
            messages: self.trim_and_build_messages(),
            system: self.system.clone(),
            tools: self.tools.clone(),
            tool_choice,
            output: None,
            max_output_tokens,
        }
    }

    /// The current number of o200k tokens in the conversation, including system prompt, tool definitions and overhead.
    pub fn token_count(&self) -> usize {
        self.count_all_tokens()
    }

    /// Whether the conversation still contains the unmodified result of the tool call with the given id.
    pub fn has_unmodified_result_of_call(&self, call_id: &str) -> bool {
        self.turns.iter().flat_map(Turn::tool_results).any(|held| held.call_id == call_id && held.is_shown_unmodified())
    }

    /// The number of turns so far, including dropped turns.
    pub fn turn_count(&self) -> usize {
        self.numbered
    }

    /// The texts that the model wrote and that the conversation still contains, the oldest first.
    pub fn model_texts(&self) -> impl Iterator<Item = &str> {
        self.turns.iter().map(Turn::model_text).filter(|text| !text.trim().is_empty() && *text != NO_WORDS)
    }

    fn count_all_tokens(&self) -> usize {
        self.fixed + self.opening.token_count() + self.turns.iter().map(Turn::token_count).sum::<usize>()
    }

    /// The token limit of a request, converted from the model provider's token counts to o200k token counts.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the calibration is at least 1, so the quotient is between 0 and the limit; the fraction is dropped"
    )]
    fn request_token_limit(&self) -> usize {
        (self.limits.max_input_tokens as f64 / self.calibration) as usize
    }

    fn last_turn_number(&self) -> usize {
        self.numbered
    }
}

/// The maximum number of characters in a tool name that every model provider accepts.
const NAME_CHARS: usize = 64;

/// Converts a tool name to a name with only letters, digits, `_` and `-`. Models call tools by invented names, which
/// providers reject in the message history.
fn to_valid_tool_name(name: &str) -> String {
    let usable = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(NAME_CHARS).map(usable).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// The placeholder text for a model message without text and calls.
const NO_WORDS: &str = "(no words)";

/// The maximum accepted ratio of the model provider's token counts to o200k token counts. A provider that reports a
/// higher ratio counts something else.
const MOST_CALIBRATION: f64 = 4.0;
