//! `DocumentGenerator`: the interface for writing documents that answer a question. This crate finds code; a crate
//! above it writes the documents.

use crate::access::CodeAccess;

/// A question for a [`DocumentGenerator`], with the files to search and the maximum length of the document.
#[derive(Debug, Clone, Copy)]
pub struct ScopeQuestion<'a> {
    /// The question in natural language.
    pub question: &'a str,
    /// Files, folders or globs to search; empty for the whole project.
    pub scope: &'a [String],
    /// The maximum length of the document in tokens.
    pub max_tokens: usize,
}

/// A document that answers a question, written from the project's code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopedDocument {
    /// The document's text: Markdown with sections at heading level two.
    pub markdown: String,
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
}

/// A generator of documents that answer questions about a project.
pub trait DocumentGenerator: Send + Sync {
    /// Writes the document for a question, within the time that `access` allows.
    ///
    /// # Errors
    /// When no document could be written: the reason, as text for the caller.
    fn generate_document(&self, access: &CodeAccess, question: &ScopeQuestion<'_>) -> Result<ScopedDocument, String>;

    /// Whether the generator sends text of the project to another machine.
    fn can_send_text_to_other_machine(&self) -> bool;
}

impl std::fmt::Debug for dyn DocumentGenerator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DocumentGenerator")
    }
}
