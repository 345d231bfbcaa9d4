//! The seam of the documents that answer a question: this crate finds code, and whoever writes of it stands above.

use crate::access::CodeAccess;

/// What is asked of a [`DocumentGenerator`].
#[derive(Debug, Clone, Copy)]
pub struct ScopeQuestion<'a> {
    /// The question, in words.
    pub question: &'a str,
    /// Files, folders or globs to look in; everywhere where it is empty.
    pub scope: &'a [String],
    /// The tokens that the document may have.
    pub max_tokens: usize,
}

/// A document that answers a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopedDocument {
    /// Markdown in sections of the second level.
    pub markdown: String,
    /// The model that wrote it; `None` where it is what is found without one.
    pub model: Option<String>,
    /// What the model took, in words.
    pub spent: Option<String>,
    /// Why it is not complete; `None` where it is.
    pub incomplete: Option<String>,
    /// How many places it cites, all of them checked.
    pub citations: usize,
    /// The files that it rests on, the most important first.
    pub files: Vec<String>,
}

/// Writes documents that answer questions.
pub trait DocumentGenerator: Send + Sync {
    /// The document for a question, written until the access's work must end.
    ///
    /// # Errors
    /// Where there is no document: why, in words for the caller.
    fn scope(&self, access: &CodeAccess, question: &ScopeQuestion<'_>) -> Result<ScopedDocument, String>;

    /// Whether text of the project leaves this machine for it.
    fn is_open_world(&self) -> bool;
}

impl std::fmt::Debug for dyn DocumentGenerator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scoper")
    }
}
