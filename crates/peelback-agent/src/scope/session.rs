//! What every part of a run with a model needs.

use std::sync::Arc;

use peelback_code::CodeAccess;
use peelback_llm::{BudgetedModel, ChatError, ChatModel as _, Spending};

use super::checkpoint::Checkpoint;
use super::{Explored, Findings, ScopeError, ScopeOptions, Scoped, partial};
use crate::agent::{self, AgentOptions, End, Event, WatchAgent};
use crate::conversation::Limits;

/// What happens in a run, for a person who watches.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A part of the work begins.
    Phase {
        /// Its name: `discovery`, `exploration`, `agent`, `writing`, `checking`.
        name: &'a str,
        /// What it does, in a few words.
        detail: String,
        /// What was used so far.
        spent: Spending,
    },
    /// A step inside of it: a tool that was called, a file that was read.
    Step {
        /// What was done.
        what: &'a str,
        /// The first rows of what came of it; may be empty.
        preview: &'a str,
        /// What was used so far.
        spent: Spending,
    },
    /// A piece of the document, as the model writes it.
    Piece(&'a str),
}

/// Told what happens.
pub type WatchProgress = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;

/// A run with a model.
pub(crate) struct Session<'a> {
    pub access: &'a CodeAccess,
    pub question: &'a str,
    pub model: &'a Arc<BudgetedModel>,
    pub checkpoint: &'a Checkpoint,
    pub options: &'a ScopeOptions,
}

impl Session<'_> {
    /// Tells that a part of the work begins.
    pub fn phase(&self, name: &str, detail: impl Into<String>) {
        if let Some(watch) = &self.options.progress {
            watch(&Progress::Phase { name, detail: detail.into(), spent: self.model.spending() });
        }
    }

    /// Tells a step.
    pub fn step(&self, what: &str, preview: &str) {
        if let Some(watch) = &self.options.progress {
            watch(&Progress::Step { what, preview, spent: self.model.spending() });
        }
    }

    /// Keeps what was found so far.
    pub fn keep(&self, findings: &Findings) {
        self.checkpoint.found(findings);
    }

    /// Whether the model was paid for anything yet.
    pub fn has_spent(&self) -> bool {
        let spent = self.model.spending();
        spent.calls > 0 || spent.possibly_billed > 0
    }
}

impl Session<'_> {
    /// What remains of a run that `error` ended.
    pub fn ended_by(&self, error: ChatError) -> Result<Scoped, ScopeError> {
        let spent = self.model.spending();
        let is_budget = matches!(error, ChatError::Budget(_));
        if !is_budget && !self.has_spent() {
            return Err(ScopeError::Model { error, spent: Box::new(spent) });
        }
        let document = partial::of_shown(
            self.access,
            self.question,
            (self.model.name(), &spent),
            &self.checkpoint.kept(),
            self.options,
            &error.to_string(),
        )?;
        Ok(Scoped { document, failed: Some(error).filter(|_| !is_budget) })
    }
}

/// Explores by the agent.
pub(crate) async fn by_agent(session: &Session<'_>) -> Explored {
    session.phase("agent", "a model explores with tools");
    let outcome = agent::run(session.model.as_ref(), session.access, session.question, &agent_options(session)).await;
    let mut findings = Findings::default();
    for path in &outcome.paths {
        findings.file(path);
    }
    findings.insight(&outcome.insights);
    for reference in &outcome.references {
        findings.file(&reference.path);
    }
    findings.refer(outcome.references);
    findings.open_questions = outcome.open_questions;
    findings.unfinished = outcome.end.reason();
    let failed = match outcome.end {
        End::ModelError(error) => Some(error),
        _ => None,
    };
    Explored { findings, failed }
}

/// How the agent of a session is run.
fn agent_options(session: &Session<'_>) -> AgentOptions {
    let model = Arc::clone(session.model);
    let watch = session.options.progress.clone().map(|progress| -> WatchAgent {
        Arc::new(move |event: &Event<'_>| {
            let (what, preview) = match event {
                Event::Called { call, preview } => (*call, *preview),
                Event::Forced(reason) => (*reason, ""),
                _ => return,
            };
            progress(&Progress::Step { what, preview, spent: model.spending() });
        })
    });
    let work = session.access.project().cancellation().clone();
    AgentOptions { watch, work, ..agent_options_of(session.options, session.model) }
}

/// How the agent of these options is run, within the limits of a model.
pub(super) fn agent_options_of(options: &ScopeOptions, model: &BudgetedModel) -> AgentOptions {
    let secrets = Arc::clone(&options.secrets);
    let most = usize::try_from(model.limits().max_input_tokens).unwrap_or(usize::MAX);
    let usual = AgentOptions::default();
    AgentOptions {
        max_turns: options.max_turns,
        system_prompt: options.system_prompt,
        documentation: options.documentation,
        limits: Limits { max_input_tokens: most, ..usual.limits.clone() },
        withhold: options.withhold(),
        redact: Arc::new(move |text| secrets.redact(text)),
        ..usual
    }
}
