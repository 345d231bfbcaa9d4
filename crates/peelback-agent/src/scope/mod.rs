//! From a question to a document: what both modes share, and what is left of a run that does not end well.
//!
//! [`with_model`] explores by the pipeline or the agent, has the model write, and checks what it wrote. Whatever was paid
//! for ends in a document: where a budget, an error or a person ends the run, [`partial`] makes one of what the
//! [`Checkpoint`] has, and says that it is not complete. [`without_model`] writes the evidence alone.

mod checkpoint;
mod context;
mod findings;
mod forecast;
pub(crate) mod material;
mod partial;
mod refusals;
mod session;
mod writing;

use std::sync::Arc;

use peelback_code::{CodeAccess, CodeError};
use peelback_llm::{BudgetedModel, ChatError, Spending};
use peelback_tools::DocumentationMode;
use serde::{Deserialize, Serialize};

pub use checkpoint::{Checkpoint, Kept};
pub use context::context;
pub use findings::{Findings, Wanted};
pub use forecast::{DryRun, dry_run};
pub use partial::partial;
pub use refusals::Refusals;
pub(crate) use session::Session;
pub use session::{Progress, WatchProgress};

use crate::agent::SystemPromptMode;
use crate::citations;
use crate::document::{Document, Timestamp};
use crate::evidence::{self, EvidenceOptions};
use crate::pipeline;
use crate::secrets::Secrets;

/// Who explores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Fixed steps: two or three calls.
    #[default]
    Pipeline,
    /// A model with tools: as many calls as it needs, up to a limit.
    Agent,
}

impl Mode {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pipeline => "pipeline",
            Self::Agent => "agent",
        }
    }
}

/// Where the files come from, as a document tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The folder, or the URL without credentials.
    pub source: String,
    /// The repository's name.
    pub name: String,
    /// The commit, where that can be told.
    pub commit: Option<String>,
}

/// How a question is answered.
#[derive(Clone)]
pub struct ScopeOptions {
    /// Who explores.
    pub mode: Mode,
    /// Where the files come from.
    pub origin: Origin,
    /// The time that the document is dated with.
    pub now: Timestamp,
    /// What is not to be shown.
    pub secrets: Arc<Secrets>,
    /// What was asked for by name and not shown, of all that reads through [`ScopeOptions::shown`].
    pub refusals: Arc<Refusals>,
    /// Files, folders or globs to observation in; everywhere where it is empty.
    pub scope: Vec<String>,
    /// Tokens of a document without a model; [`evidence::DEFAULT_MAX_TOKENS`] where there is none.
    pub max_tokens: Option<usize>,
    /// How much the agent's system prompt explains.
    pub system_prompt: SystemPromptMode,
    /// How much of the tools' docs the agent's requests hold.
    pub documentation: DocumentationMode,
    /// The most requests of the agent.
    pub max_turns: usize,
    /// Told what happens.
    pub progress: Option<WatchProgress>,
    /// Whether the model's words are streamed to `progress`.
    pub stream: bool,
}

impl ScopeOptions {
    /// The pipeline, everywhere, with the usual prompts; nobody watches.
    pub fn new(origin: Origin, now: Timestamp) -> Self {
        Self {
            mode: Mode::default(),
            origin,
            now,
            secrets: Arc::new(Secrets::new(&[])),
            refusals: Arc::default(),
            scope: Vec::new(),
            max_tokens: None,
            system_prompt: SystemPromptMode::default(),
            documentation: DocumentationMode::default(),
            max_turns: 25,
            progress: None,
            stream: false,
        }
    }

    /// The code as a model may see it: without the files that hold secrets, and without the documents that such runs
    /// wrote.
    pub fn shown(&self, access: &CodeAccess) -> CodeAccess {
        let (secrets, written) = (Arc::clone(&self.secrets), Arc::clone(&self.secrets));
        let refusals = Arc::clone(&self.refusals);
        access
            .clone()
            .for_model(self.withhold())
            .passing_over(Arc::new(move |path| written.written(path)))
            .withholding_text(Arc::new(move |path, text| secrets.withheld(path, Some(text))))
            .telling_refused(Arc::new(move |path, reason| refusals.note(path, reason)))
    }

    pub(crate) fn withhold(&self) -> peelback_code::Withhold {
        let secrets = Arc::clone(&self.secrets);
        Arc::new(move |path| secrets.withheld(path, None))
    }
}

impl std::fmt::Debug for ScopeOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScopeOptions").field("mode", &self.mode).field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum ScopeError {
    /// The project cannot be read.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The model gave nothing at all.
    #[error("{error} (spent: {spent})")]
    Model {
        /// What it erred with.
        error: ChatError,
        /// What was used nevertheless.
        spent: Box<Spending>,
    },
    /// The question is empty.
    #[error("the question is empty: ask in words, as `-q \"How are requests retried?\"`")]
    NoQuestion,
}

/// Answers `question` with `model`.
///
/// Where the run ends early after something was paid for, or by a budget, the document has what there is by then, and
/// its front matter says why it is not complete.
///
/// # Errors
/// [`ScopeError`]: only where there is nothing that a document could be made of.
pub async fn with_model(
    access: &CodeAccess,
    question: &str,
    model: &Arc<BudgetedModel>,
    checkpoint: &Checkpoint,
    options: &ScopeOptions,
) -> Result<Scoped, ScopeError> {
    if question.trim().is_empty() {
        return Err(ScopeError::NoQuestion);
    }
    let access = &options.shown(access);
    let session = Session { access, question, model, checkpoint, options };
    let explored = match options.mode {
        Mode::Pipeline => pipeline::explore(&session).await?,
        Mode::Agent => session::by_agent(&session).await,
    };
    let findings = explored.findings;
    session.keep(&findings);
    if let Some(error) = explored.failed {
        return session.ended_by(error);
    }
    match writing::write(&session, &findings).await {
        Ok(document) => Ok(Scoped { document, failed: None }),
        Err(error) => session.ended_by(error),
    }
}

/// A document, and what ended its run where that was no budget.
#[derive(Debug)]
pub struct Scoped {
    /// The document.
    pub document: Document,
    /// Why the model could not be asked any more; the document says so, too.
    pub failed: Option<ChatError>,
}

/// What exploration came to.
pub(crate) struct Explored {
    pub findings: Findings,
    /// What ended it, where nothing can be asked of the model any more.
    pub failed: Option<ChatError>,
}

/// Writes what the ranking finds for `question`, without a model.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read, [`ScopeError::NoQuestion`].
pub fn without_model(access: &CodeAccess, question: &str, options: &ScopeOptions) -> Result<Document, ScopeError> {
    if question.trim().is_empty() {
        return Err(ScopeError::NoQuestion);
    }
    let access = &options.shown(access);
    let found = evidence::write(access, question, &options.evidence())?;
    let mut front = writing::front(question, options);
    front.mode = Some("evidence".to_owned());
    front.files_analyzed = u32::try_from(found.files.len()).unwrap_or(u32::MAX);
    let mut document = Document { front, body: found.body };
    // Its references were read from the files a moment ago; what they held is kept for a later check.
    document.front.citations = citations::proven(&found.references, access);
    if !found.complete {
        let notes =
            if found.notes.is_empty() { "not every file could be ranked".to_owned() } else { found.notes.join("; ") };
        document.front.incomplete = Some(notes);
    }
    Ok(document)
}

impl ScopeOptions {
    pub(crate) fn evidence(&self) -> EvidenceOptions {
        let secrets = Arc::clone(&self.secrets);
        EvidenceOptions {
            max_tokens: self.max_tokens,
            withhold: Some(self.withhold()),
            redact: Some(Arc::new(move |text| secrets.redact(text).into_owned())),
            scope: self.scope.clone(),
        }
    }
}
