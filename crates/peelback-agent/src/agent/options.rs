//! How an agent is run.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use peelback_code::CancellationToken;
use peelback_llm::Usage;
use peelback_tools::DocumentationMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::Limits;
use crate::disclosure::{Redact, Withhold};

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
    /// The word of configurations: `minimal` or `default`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Default => "default",
        }
    }
}

/// Told what the agent does while it does it.
pub type WatchAgent = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// What an agent just did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The model is asked.
    Turn {
        /// Which turn it is, from 1.
        turn: usize,
        /// How many there may be.
        of: usize,
        /// What is sent, in o200k tokens.
        tokens: usize,
    },
    /// A piece of the model's words, where they are streamed.
    Piece(&'a str),
    /// The model has answered.
    Replied {
        /// Its words; may be empty.
        text: &'a str,
        /// What the run used so far, as the provider counts.
        usage: Usage,
    },
    /// A tool has answered.
    Called {
        /// The tool and its main argument.
        call: &'a str,
        /// The first rows of its answer.
        preview: &'a str,
    },
    /// Why the agent is made to finish.
    Forced(&'a str),
}

/// How an agent is run.
#[derive(Clone)]
pub struct AgentOptions {
    /// The most requests to the model.
    pub max_turns: usize,
    /// How much the system prompt explains.
    pub system_prompt: SystemPromptMode,
    /// How much of the tools' docs each request holds.
    pub documentation: DocumentationMode,
    /// When the conversation is trimmed.
    pub limits: Limits,
    /// The provider's tokens for one of o200k, until the provider's figures tell; not below 1.
    pub calibration: f64,
    /// The most tokens of a reply.
    pub max_output_tokens: u32,
    /// Tells why a file is not to be read, by its path from the root.
    pub withhold: Withhold,
    /// Masks what is secret in the answers of tools.
    pub redact: Redact,
    /// Told what the agent does.
    pub watch: Option<WatchAgent>,
    /// Whether the model's words are streamed to `watch`.
    pub stream: bool,
    /// Ends the run with what it has, when it is cancelled or its deadline passes.
    pub work: CancellationToken,
    /// The longest time that one call of a tool may take.
    pub tool_time: Duration,
}

impl Default for AgentOptions {
    /// 25 turns, the default prompts and limits, nothing withheld.
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
            work: CancellationToken::default(),
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
