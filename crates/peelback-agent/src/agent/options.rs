//! Options for a run of the agent, and the events that a run reports.

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

/// A callback that receives the events of an agent's run.
pub type WatchAgent = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// An event that an agent's run reports, for progress output.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The agent sends a request to the model.
    Turn {
        /// The number of the model turn, counted from 1.
        turn: usize,
        /// The maximum number of turns in the run.
        max_turns: usize,
        /// The size of the request, in tokens of the encoding o200k.
        tokens: usize,
    },
    /// A streamed piece of the model's reply text.
    Piece(&'a str),
    /// The model has returned a reply.
    Replied {
        /// The text of the reply; may be empty.
        text: &'a str,
        /// The number of tokens that the run has used so far, as the model provider counts them.
        usage: Usage,
    },
    /// A tool has returned its answer.
    Called {
        /// The tool's name and main argument.
        call: &'a str,
        /// The first rows of the tool's answer.
        preview: &'a str,
    },
    /// The agent is forced to finish. The text is the reason.
    Forced(&'a str),
}

/// Options for a run of the agent.
#[derive(Clone)]
pub struct AgentOptions {
    /// The maximum number of requests that the agent sends to the model.
    pub max_turns: usize,
    /// The length of the explanations in the system prompt.
    pub system_prompt: SystemPromptMode,
    /// The length of the tool documentation in each request.
    pub documentation: DocumentationMode,
    /// The token limits at which the conversation with the model is trimmed.
    pub limits: Limits,
    /// The assumed ratio of the model provider's token counts to o200k token counts, until the provider reports its
    /// counts. The value is at least 1.
    pub calibration: f64,
    /// The maximum number of output tokens in a model's reply.
    pub max_output_tokens: u32,
    /// The rule that decides which files are withheld from the model.
    pub withhold: WithholdPathRule,
    /// The function that masks secrets in the answers of tools.
    pub redact: Redact,
    /// The callback that receives the agent's events.
    pub watch: Option<WatchAgent>,
    /// Whether the model's text is streamed to `watch`.
    pub stream: bool,
    /// The token that ends the run, with the findings so far, when it is cancelled or its deadline passes.
    pub cancellation: CancellationToken,
    /// The maximum duration of one tool call.
    pub tool_time: Duration,
}

impl Default for AgentOptions {
    /// The default options: 25 turns, default prompts and limits, and no withheld files.
    fn default() -> Self {
        Self {
            max_turns: 25,
            system_prompt: SystemPromptMode::default(),
            documentation: DocumentationMode::default(),
            limits: Limits::default(),
            calibration: 1.0,
            max_output_tokens: 4_096,
            withhold: Arc::new(|_| None),
            redact: Arc::new(|text, _| Cow::Borrowed(text)),
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
