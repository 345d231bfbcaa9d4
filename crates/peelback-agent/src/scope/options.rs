//! The options of a run that answers a question.

use std::sync::Arc;

use peelback_code::CodeAccess;
use peelback_tools::DocumentationMode;
use serde::{Deserialize, Serialize};

use super::progress::WatchProgress;
use super::refusals::WithheldFileRecord;
use crate::agent::SystemPromptMode;
use crate::document::Timestamp;
use crate::evidence::EvidenceOptions;
use crate::limits::CharacterLimits;
use crate::secrets::SecretFileRules;

/// The way in which a run explores the code for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Fixed steps with two or three model calls.
    #[default]
    Pipeline,
    /// A model that calls tools and makes as many requests as it needs, up to a limit.
    Agent,
}

impl Mode {
    /// The mode's name in documents and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pipeline => "pipeline",
            Self::Agent => "agent",
        }
    }
}

/// The origin of the project's files, as the document's front matter names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The project's folder, or its URL without credentials.
    pub source: String,
    /// The repository's name.
    pub name: String,
    /// The id of the commit that is checked out; `None` without a readable Git repository.
    pub commit: Option<String>,
}

/// The options of a run that answers a question with a document.
#[derive(Clone)]
pub struct ScopeOptions {
    /// The exploration mode: pipeline or agent.
    pub mode: Mode,
    /// The origin of the project's files.
    pub origin: Origin,
    /// The date and time of the document.
    pub now: Timestamp,
    /// The rules for files and values that must not be sent to a model.
    pub secrets: Arc<SecretFileRules>,
    /// The record of the withheld files that were requested by name through the code access that
    /// [`ScopeOptions::restrict_access_for_model`] returns.
    pub refusals: Arc<WithheldFileRecord>,
    /// The files, folders or globs to search; empty for the whole project.
    pub scope: Vec<String>,
    /// The maximum number of tokens of a document that is written without a model; `None` for
    /// [`crate::evidence::DEFAULT_MAX_TOKENS`].
    pub max_tokens: Option<usize>,
    /// The length of the explanations in the agent's system prompt.
    pub system_prompt: SystemPromptMode,
    /// The length of the tool documentation in the agent's requests.
    pub documentation: DocumentationMode,
    /// The maximum number of requests that the agent sends to the model.
    pub max_turns: usize,
    /// The limits on the characters of code in the requests of the pipeline, and in the request that writes the document.
    pub characters: CharacterLimits,
    /// The callback that receives the progress events of the run.
    pub progress: Option<WatchProgress>,
    /// Whether the model's text is streamed to `progress`.
    pub stream: bool,
}

impl ScopeOptions {
    /// The options of a pipeline run over the whole project with the default prompts and without progress.
    pub fn new(origin: Origin, now: Timestamp) -> Self {
        Self {
            mode: Mode::default(),
            origin,
            now,
            secrets: Arc::new(SecretFileRules::new(&[])),
            refusals: Arc::default(),
            scope: Vec::new(),
            max_tokens: None,
            system_prompt: SystemPromptMode::default(),
            documentation: DocumentationMode::default(),
            max_turns: 25,
            characters: CharacterLimits::default(),
            progress: None,
            stream: false,
        }
    }

    /// Restricts the access to the project's code to the files that a model may see: without files that contain
    /// secrets, and without documents that earlier runs wrote.
    pub fn restrict_access_for_model(&self, access: &CodeAccess) -> CodeAccess {
        let (secrets, written) = (Arc::clone(&self.secrets), Arc::clone(&self.secrets));
        let refusals = Arc::clone(&self.refusals);
        access
            .clone()
            .restricted_for_model(self.secrets.withhold_path_rule())
            .excluding_files_by_path_rule(Arc::new(move |path| written.peelback_document_exclusion_reason(path)))
            .withholding_files_by_text_rule(Arc::new(move |path, text| {
                secrets.reason_to_withhold_file(path, Some(text))
            }))
            .with_refusal_callback(Arc::new(move |path, reason| refusals.record_withheld_file(path, reason)))
    }
}

impl std::fmt::Debug for ScopeOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScopeOptions").field("mode", &self.mode).field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl ScopeOptions {
    pub(crate) fn evidence_options(&self) -> EvidenceOptions {
        EvidenceOptions {
            max_tokens: self.max_tokens,
            withhold: Some(self.secrets.withhold_path_rule()),
            redact: Some(self.secrets.redactor()),
            scope: self.scope.clone(),
        }
    }
}
