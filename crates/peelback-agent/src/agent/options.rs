//! Options and events of an agent's run.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use peelback_code::CancellationToken;
use peelback_llm::Usage;
use peelback_tools::DocumentationMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::Limits;
use crate::disclosure::{Redact, WithholdPathRule};

/// How much a system prompt, or a server's instructions, explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SystemPromptMode {
    /// A few sentences: the order of the tools.
    Minimal,
    /// The flow, the cost of each observation, the rules, and the next step after a truncated answer.
    #[default]
    Default,
}

impl SystemPromptMode {
    /// The value of this mode in configurations: `minimal` or `default`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Default => "default",
        }
    }
}

/// A receiver of the agent's events.
pub type WatchAgent = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// An event of an agent's run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A request is sent to the model.
    Turn {
        /// The number of the model turn, counted from 1.
        turn: usize,
        /// The most turns of the run.
        max_turns: usize,
        /// The size of the request in o200k tokens.
        tokens: usize,
    },
    /// A streamed piece of the model's reply text.
    Piece(&'a str),
    /// The model has returned a reply.
    Replied {
        /// The text of the reply; may be empty.
        text: &'a str,
        /// The tokens that the run has used so far, as the provider counts them.
        usage: Usage,
    },
    /// A tool has returned its answer.
    Called {
        /// The tool's name and main argument.
        call: &'a str,
        /// The first rows of the answer.
        preview: &'a str,
    },
    /// The reason why the agent is forced to finish.
    Forced(&'a str),
}

/// Options of an agent's run.
#[derive(Clone)]
pub struct AgentOptions {
    /// The most requests that the agent sends to the model.
    pub max_turns: usize,
    /// How much the system prompt explains.
    pub system_prompt: SystemPromptMode,
    /// How much documentation of the tools each request contains.
    pub documentation: DocumentationMode,
    /// The limits at which the conversation is trimmed.
    pub limits: Limits,
    /// The ratio of the provider's tokens to o200k tokens until the provider reports figures; at least 1.
    pub calibration: f64,
    /// The most output tokens of a model reply.
    pub max_output_tokens: u32,
    /// Decides which files are withheld.
    pub withhold: WithholdPathRule,
    /// Masks secrets in the answers of tools.
    pub redact: Redact,
    /// Receives the agent's events.
    pub watch: Option<WatchAgent>,
    /// Whether the model's text is streamed to `watch`.
    pub stream: bool,
    /// Ends the run with its findings when it is cancelled or its deadline passes.
    pub cancellation: CancellationToken,
    /// The most time that one tool call may take.
    pub tool_time: Duration,
}

impl Default for AgentOptions {
    /// The default options: 25 turns, default prompts and limits, nothing withheld.
    fn default() -> Self {
        Self {
            max_turns: 25,
            system_prompt: SystemPromptMode::default(),
            documentation: DocumentationMode::default(),
            limits: Limits::default(),
            calibration: 1.0,
            max_output_tokens: 4_096,
            withhold: Arc::new(|_| None),
            redact: Arc::new(|text| Cow::Borrowed(text)),
            watch: None,
            stream: false,
            cancellation: CancellationToken::default(),
            tool_time: Duration::from_secs(30),
        }
    }
}

impl std::fmt::Debug for AgentOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentOptions")
            .field("max_turns", &self.max_turns)
            .field("system_prompt", &self.system_prompt)
            .field("documentation", &self.documentation)
            .field("limits", &self.limits)
            .field("max_output_tokens", &self.max_output_tokens)
            .finish_non_exhaustive()
    }
}
