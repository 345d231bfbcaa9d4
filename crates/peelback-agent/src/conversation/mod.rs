//! Conversations that stay small: what a model has seen, trimmed in batches.
//!
//! A [`Conversation`] takes what is said and what tools give, and writes the messages of the next request so that they
//! fit the limit. It trims in two layers. Layer 1 puts an outline in the place of a file's text once three more turns
//! were made. Layer 2 evicts results by [`Priority`]: the low first, then the medium, the high last. An evicted result
//! keeps its place as a line that names the call that gets it again. The system's words and the last three turns stay.
//!
//! Whatever is trimmed changes what a provider's cache knows from the request before. So both layers wait for one
//! another: they change messages that were sent at most once in five turns, from a high-water mark down to a low-water
//! mark. Where the newest results do not fit meanwhile, they are cut before they are sent, at the ends of lines, with a
//! word on what is missing. Only where the model's or the user's own words leave no other way does a change come sooner.
//!
//! Every history that it makes is one that providers accept: it begins with the user and never ends with the
//! model, the model never speaks twice in a row, each call has its result, in order, and no text is empty. What a caller leaves out is filled in.
//!
//! ```
//! use peelback_agent::conversation::{Conversation, Given, Kind};
//! use peelback_llm::{AssistantMessage, ToolCall};
//! use serde_json::json;
//!
//! let mut conversation = Conversation::new("You look at code.");
//! conversation.push_user("Where are answers capped?");
//! let call = ToolCall { id: "1".into(), name: "outline".into(), arguments: json!({ "path": "src/guard.rs" }) };
//! let calls = conversation.push_assistant(AssistantMessage { tool_calls: vec![call], ..AssistantMessage::default() });
//! conversation.push_result(&calls[0].id, Given::new(Kind::Outline, "36-39 struct OutputGuard")).expect("the call");
//!
//! let messages = conversation.messages();
//! assert_eq!(messages.len(), 3);
//! assert!(conversation.tokens() < conversation.limits().max_input_tokens);
//! ```

mod cost;
mod cut;
mod trim;
mod turn;

use std::collections::{BTreeMap, HashSet};

use peelback_llm::{AssistantMessage, ChatRequest, Message, ToolCall, ToolChoice, ToolDefinition};

pub use cost::{tokens_of_messages, tokens_of_request};
pub use peelback_tools::{Priority, ResultKind as Kind};
use turn::{Held, Turn};

/// When a conversation is trimmed, and how far.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The most tokens of a request: system, tools, messages and what goes around them.
    pub max_input_tokens: usize,
    /// Over this share of the limit results are evicted.
    pub high_water: f64,
    /// Down to this share.
    pub low_water: f64,
    /// So many last turns stay as they are.
    pub recent_turns: usize,
    /// What was sent changes at most once in so many turns.
    pub turns_between: usize,
}

impl Default for Limits {
    /// 20,000 tokens, from 90% down to 55%; three turns stay; five turns between two changes.
    fn default() -> Self {
        Self { max_input_tokens: 20_000, high_water: 0.9, low_water: 0.55, recent_turns: 3, turns_between: 5 }
    }
}

/// A result as it is handed in.
#[derive(Debug, Clone)]
pub struct Given {
    content: String,
    priority: Priority,
    outline: Option<String>,
    is_error: bool,
}

impl Given {
    /// A result of this kind, with the kind's priority.
    pub fn new(kind: Kind, content: impl Into<String>) -> Self {
        Self { content: content.into(), priority: kind.priority(), outline: None, is_error: false }
    }

    /// With another priority.
    #[must_use]
    pub fn priority(self, priority: Priority) -> Self {
        Self { priority, ..self }
    }

    /// With what stands in its place once it is old.
    #[must_use]
    pub fn outline(self, outline: Option<String>) -> Self {
        Self { outline, ..self }
    }

    /// The call failed.
    #[must_use]
    pub fn failed(self) -> Self {
        Self { is_error: true, ..self }
    }
}

/// A result that belongs to no open call of the model's last message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no call {0:?} of the last message waits for a result: push results under the ids that push_assistant gave")]
pub struct NoSuchCall(pub String);

/// What the user said first, and what of the beginning was left out since.
#[derive(Debug, Clone, Default)]
struct Opening {
    text: String,
    /// The last turn that was left out; 0 for none.
    left_out: usize,
    /// The tools that were called in those, and how often.
    called: BTreeMap<String, usize>,
    cost: usize,
}

/// What the user is taken to say who said nothing.
const NOTHING_SAID: &str = "Begin.";

impl Opening {
    fn recount(&mut self) {
        self.cost = cost::of_user(&self.written());
    }

    fn cost(&self) -> usize {
        self.cost
    }

    fn written(&self) -> String {
        let text = if self.text.trim().is_empty() { NOTHING_SAID } else { self.text.as_str() };
        if self.left_out == 0 {
            return text.to_owned();
        }
        let called: Vec<String> = self.called.iter().map(|(name, times)| format!("{name} {times}×")).collect();
        let called = if called.is_empty() { "no tool".to_owned() } else { called.join(", ") };
        format!("{text}\n\n[The first {} turns were left out to save room. They called {called}.]", self.left_out)
    }
}

/// What a model has seen and said, trimmed to what it may be sent.
#[derive(Debug, Clone)]
pub struct Conversation {
    system: String,
    tools: Vec<ToolDefinition>,
    limits: Limits,
    /// The provider's tokens for one of ours.
    calibration: f64,
    fixed: usize,
    opening: Opening,
    turns: Vec<Turn>,
    /// Turns so far, those that were left out among them.
    numbered: usize,
    /// The turn after which messages that were sent changed last.
    changed_at: usize,
    ids: HashSet<String>,
}

impl Conversation {
    /// An empty conversation under these words of the system.
    pub fn new(system: impl Into<String>) -> Self {
        let system = system.into();
        let mut opening = Opening::default();
        opening.recount();
        Self {
            fixed: cost::fixed(&system, &[]),
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

    /// With these tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<ToolDefinition>) -> Self {
        self.fixed = cost::fixed(&self.system, &tools);
        self.tools = tools;
        self
    }

    /// With other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts the provider's tokens, `factor` of which are one of ours: what a provider reports over what
    /// [`Conversation::tokens`] said. Never below 1: the limit holds in either count.
    pub fn calibrate(&mut self, factor: f64) {
        if factor.is_finite() {
            self.calibration = factor.clamp(1.0, MOST_CALIBRATION);
        }
    }

    /// Adds words of the user. Empty ones say nothing.
    pub fn push_user(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.say(text);
            return;
        }
        let opening = &mut self.opening;
        opening.text = if opening.text.is_empty() { text.to_owned() } else { format!("{}\n\n{text}", opening.text) };
        opening.recount();
    }

    /// Adds what the model said, and gives its calls. A call whose id is empty or was used before gets another one, and a
    /// name that no provider takes is mended: results are pushed under those that this gives.
    pub fn push_assistant(&mut self, mut said: AssistantMessage) -> Vec<ToolCall> {
        if let Some(turn) = self.turns.last_mut() {
            turn.close();
        }
        self.numbered += 1;
        for (index, call) in said.tool_calls.iter_mut().enumerate() {
            call.name = name_of(&call.name);
            call.id.retain(|c| !c.is_whitespace() && !c.is_control());
            let mut tries = 0;
            while call.id.is_empty() || self.ids.contains(&call.id) {
                tries += 1;
                call.id = format!("call_{}_{}_{tries}", self.numbered, index + 1);
            }
            self.ids.insert(call.id.clone());
        }
        if said.text.trim().is_empty() {
            said.text = if said.tool_calls.is_empty() { NO_WORDS.to_owned() } else { String::new() };
        }
        let calls = said.tool_calls.clone();
        self.turns.push(Turn::new(self.numbered, said));
        calls
    }

    /// Adds the result of a call of the model's last message.
    ///
    /// # Errors
    /// Where that message has no such call, or its result is there already.
    pub fn push_result(&mut self, call_id: &str, given: Given) -> Result<(), NoSuchCall> {
        let unknown = || NoSuchCall(call_id.to_owned());
        let turn = self.turns.last_mut().ok_or_else(unknown)?;
        let at = turn.calls().iter().position(|call| call.id == call_id).ok_or_else(unknown)?;
        let call = turn.calls().get(at).cloned().ok_or_else(unknown)?;
        let place = turn.results.get_mut(at).filter(|place| place.is_none()).ok_or_else(unknown)?;
        let Given { content, priority, outline, is_error } = given;
        *place = Some(Held::new(&call, &content, outline, priority, is_error));
        Ok(())
    }

    /// The messages of the next request, trimmed to fit. Asked again before anything was pushed, they are the same.
    ///
    /// They are over the limit only where system and tools alone leave no room.
    pub fn messages(&mut self) -> Vec<Message> {
        if let Some(turn) = self.turns.last_mut() {
            turn.end();
        }
        self.trim();
        self.turns.iter_mut().for_each(|turn| turn.is_sent = true);
        let mut messages = vec![Message::user(self.opening.written())];
        self.turns.iter().for_each(|turn| turn.write(&mut messages));
        messages
    }

    /// The next request, trimmed to fit.
    pub fn request(&mut self, tool_choice: ToolChoice, max_output_tokens: u32) -> ChatRequest {
        ChatRequest {
            messages: self.messages(),
            system: self.system.clone(),
            tools: self.tools.clone(),
            tool_choice,
            output: None,
            max_output_tokens,
        }
    }

    /// What the conversation costs as it stands, in o200k tokens, with system, tools and what goes around them.
    pub fn tokens(&self) -> usize {
        self.cost()
    }

    /// Whether the result of a call is still there as the tool gave it.
    pub fn holds(&self, call_id: &str) -> bool {
        self.turns.iter().flat_map(Turn::held).any(|held| held.call_id == call_id && held.is_whole())
    }

    /// How many turns were made.
    pub fn turns(&self) -> usize {
        self.numbered
    }

    /// What the model said in words, the oldest first, as far as it is still there.
    pub fn said(&self) -> impl Iterator<Item = &str> {
        self.turns.iter().map(Turn::said).filter(|text| !text.trim().is_empty() && *text != NO_WORDS)
    }

    fn cost(&self) -> usize {
        self.fixed + self.opening.cost() + self.turns.iter().map(Turn::cost).sum::<usize>()
    }

    /// The most tokens of ours.
    fn room(&self) -> usize {
        (self.limits.max_input_tokens as f64 / self.calibration) as usize
    }

    fn last_number(&self) -> usize {
        self.numbered
    }
}

/// Characters of a tool's name at most, for every provider.
const NAME_CHARS: usize = 64;

/// A name of letters, digits, `_` and `-`: models call tools by names that they made up.
fn name_of(name: &str) -> String {
    let usable = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(NAME_CHARS).map(usable).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// What stands for a message of the model without words or calls.
const NO_WORDS: &str = "(no words)";

/// A provider that reports more than so many times our count counts something else.
const MOST_CALIBRATION: f64 = 4.0;
