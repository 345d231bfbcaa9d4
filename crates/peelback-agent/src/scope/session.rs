//! The shared state of a run that answers a question with a model, and the exploration of the code by the agent.

use std::sync::Arc;

use peelback_code::CodeAccess;
use peelback_llm::BudgetedModel;

use super::checkpoint::Checkpoint;
use super::findings::Findings;
use super::options::ScopeOptions;
use super::outcome::Explored;
use super::progress::Progress;
use crate::agent::{self, AgentOptions, Event, RunEnd, WatchAgent};
use crate::conversation::Limits;

/// The shared state of a run that answers a question with a model.
pub(crate) struct DocumentRun<'a> {
    pub access: &'a CodeAccess,
    pub question: &'a str,
    pub model: &'a Arc<BudgetedModel>,
    pub checkpoint: &'a Checkpoint,
    pub options: &'a ScopeOptions,
}

impl DocumentRun<'_> {
    /// Reports the beginning of a phase of the run to the progress callback.
    pub fn report_phase(&self, name: &str, detail: impl Into<String>) {
        if let Some(watch) = &self.options.progress {
            watch(&Progress::Phase { name, detail: detail.into(), spent: self.model.spending() });
        }
    }

    /// Reports a step of the run to the progress callback.
    pub fn report_step(&self, what: &str, preview: &str) {
        if let Some(watch) = &self.options.progress {
            watch(&Progress::Step { what, preview, spent: self.model.spending() });
        }
    }

    /// Stores the findings of the exploration in the run's checkpoint.
    pub fn save_findings(&self, findings: &Findings) {
        self.checkpoint.store_findings(findings);
    }

    /// Whether the run has spent tokens on model calls, or may have been billed for failed calls.
    pub fn may_have_spent_tokens(&self) -> bool {
        let spent = self.model.spending();
        spent.calls > 0 || spent.possibly_billed > 0
    }
}

/// Explores the code for a question with the agent.
pub(crate) async fn explore_with_agent(session: &DocumentRun<'_>) -> Explored {
    session.report_phase("agent", "a model explores with tools");
    let outcome =
        agent::run_agent(session.model.as_ref(), session.access, session.question, &agent_options_for_session(session))
            .await;
    let mut findings = Findings::default();
    for path in &outcome.paths {
        findings.add_file(path);
    }
    findings.add_insight(&outcome.insights);
    for reference in &outcome.references {
        // A model can name any path: what cannot be read is no file that the document is made from.
        if let Ok(file) = session.access.project().require_readable_file(&reference.path) {
            findings.add_file(&file.path);
        }
    }
    findings.add_code_references(outcome.references);
    findings.open_questions = outcome.open_questions;
    findings.unfinished = outcome.end.early_end_reason();
    let failed = match outcome.end {
        RunEnd::ModelError(error) => Some(error),
        _ => None,
    };
    Explored { findings, failed }
}

/// The agent's options for a session, with progress reports and cancellation.
fn agent_options_for_session(session: &DocumentRun<'_>) -> AgentOptions {
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
    AgentOptions { watch, cancellation: work, ..agent_options_for_model(session.options, session.model) }
}

/// The agent's options that follow from a run's options and from the limits of its model.
pub(super) fn agent_options_for_model(options: &ScopeOptions, model: &BudgetedModel) -> AgentOptions {
    let most = usize::try_from(model.limits().max_input_tokens).unwrap_or(usize::MAX);
    let usual = AgentOptions::default();
    AgentOptions {
        max_turns: options.max_turns,
        system_prompt: options.system_prompt,
        documentation: options.documentation,
        limits: Limits { max_input_tokens: most, ..usual.limits.clone() },
        withhold: options.secrets.withhold_path_rule(),
        redact: options.secrets.redactor(),
        ..usual
    }
}
