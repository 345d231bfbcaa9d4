//! `DocumentGenerator`: the interface for writing documents about a project. This crate finds code; a crate above it
//! writes the documents.

use crate::access::CodeAccess;
use peelback_project::ErrorCategory;

/// What a [`DocumentGenerator`] is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentPurpose<'a> {
    /// A document that answers this question.
    Question(&'a str),
    /// A document of the whole repository.
    Repository,
    /// A report about which citations of the document at this path are stale.
    Check(&'a str),
    /// The renewal of the stale parts of the document at this path.
    Refresh(&'a str),
}

/// The way in which a model explores the code for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExplorationMode {
    /// Fixed steps with two or three model calls.
    #[default]
    Pipeline,
    /// A model that calls tools.
    Agent,
}

/// The caller's own limits on what one request may spend on a model. They lower the generator's limits, and never raise
/// them; `None` leaves the generator's limit as it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpendingLimits {
    /// The maximum number of tokens that one model request sends.
    pub max_input_tokens: Option<u64>,
    /// The maximum number of tokens of all model requests, sent and received.
    pub max_total_tokens: Option<u64>,
    /// The maximum cost in US dollars.
    pub max_cost: Option<f64>,
}

/// A request to a [`DocumentGenerator`].
#[derive(Debug, Clone, Copy)]
pub struct DocumentRequest<'a> {
    /// What is asked for.
    pub purpose: DocumentPurpose<'a>,
    /// The source of the files as the call names it. A git URL is cloned by the generator. Whoever opens the access has
    /// opened a folder, or the folder that a context document names: the access is to its files.
    pub source: Option<&'a str>,
    /// Files, folders or globs to search; empty for the whole project.
    pub scope: &'a [String],
    /// The maximum length of the document in tokens.
    pub max_tokens: usize,
    /// The way in which a model explores the code.
    pub mode: ExplorationMode,
    /// The maximum number of model requests of an agent; `None` for the generator's own limit.
    pub max_turns: Option<usize>,
    /// Whether no model is used although one is configured.
    pub is_without_model: bool,
    /// Whether the result is what would be sent to a model and what it would cost, and nothing is sent or written.
    pub is_dry_run: bool,
    /// The caller's own limits on what the request may spend.
    pub spending: SpendingLimits,
    /// The file or folder below the root to which the document is written; `None` if it is not written.
    pub output: Option<&'a str>,
}

/// The result of a request to a [`DocumentGenerator`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GeneratedDocument {
    /// The document's text: Markdown with sections at heading level two.
    pub markdown: String,
    /// One line that says what the text is, where it is no new document: the report of a check or a forecast.
    pub headline: Option<String>,
    /// The name of the model that wrote the document; `None` if no model was used.
    pub model: Option<String>,
    /// The cost of the model calls, as text for the user.
    pub spent: Option<String>,
    /// Why the document is incomplete; `None` if it is complete.
    pub incomplete: Option<String>,
    /// The number of code locations that the document cites; all of them were checked.
    pub citations: usize,
    /// The files that the document is based on, most important first.
    pub files: Vec<String>,
    /// The path of the file to which the document was written; `None` if it was not written.
    pub written_path: Option<String>,
}

/// The reason why a request to a [`DocumentGenerator`] gave no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentGenerationError {
    /// Whether the call is wrong, what it names does not exist, or the generator failed.
    pub category: ErrorCategory,
    /// What happened, as text for the caller.
    pub message: String,
    /// What the caller can do, as text for the caller.
    pub advice: Option<String>,
}

impl DocumentGenerationError {
    /// An error of the generator, such as a model that does not answer.
    pub fn new_failure(message: impl Into<String>) -> Self {
        Self { category: ErrorCategory::Failure, message: message.into(), advice: None }
    }

    /// An error in the call, with what the caller can do.
    pub fn new_bad_usage(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { category: ErrorCategory::BadUsage, message: message.into(), advice: Some(advice.into()) }
    }
}

/// A generator of documents about a project.
pub trait DocumentGenerator: Send + Sync {
    /// Writes, checks or renews a document, within the time that `access` allows. The steps are reported to the
    /// cancellation token of `access`.
    ///
    /// # Errors
    /// When there is no document: the reason, and what the caller can do.
    fn generate_document(
        &self,
        access: &CodeAccess,
        request: &DocumentRequest<'_>,
    ) -> Result<GeneratedDocument, DocumentGenerationError>;

    /// Whether the generator reaches other machines: it sends text of the project to a model, or clones a source.
    fn can_reach_other_machines(&self) -> bool;

    /// Whether the generator writes files below the root where a request asks for it.
    fn can_write_files(&self) -> bool;
}

impl std::fmt::Debug for dyn DocumentGenerator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DocumentGenerator")
    }
}
