//! Documents, which consist of YAML front matter and Markdown sections.

mod body;
mod error;
mod file;
mod front_matter;
mod sanitize;
mod scalar;
mod status;
mod stored_citations;
mod time;
mod unclosed_blocks;

pub use body::{Section, clean_model_text};
pub(crate) use body::{escape_comment_openings, find_section};
pub use error::DocumentError;
pub use file::{
    MAX_SLUG_CHARS, create_document_at_path, create_document_beneath_root, create_document_in_contexts_folder,
    create_document_in_folder, document_file_name, file_name_slug_of_question, replace_document_beneath_root,
    replace_document_file, repository_folder_name,
};
pub use front_matter::FrontMatter;
pub use scalar::UnchangedYamlValue;
pub use time::Timestamp;

use front_matter::StoredCitationCount;
use peelback_secrets::KnownSecrets;

/// The heading of a document's section that lists the open questions.
pub const OPEN_QUESTIONS: &str = "Open Questions";

/// The heading of a document's section that lists all citations of the document.
pub const CODE_REFERENCES: &str = "Code References";

/// The heading of the section with the most important files.
pub(crate) const KEY_FILES: &str = "Key Files";

/// The maximum size in bytes of a document that is read.
pub const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

/// The maximum number of characters in the reason why a document is incomplete, and in each open question.
pub const MAX_REASON_CHARS: usize = 500;

/// A document, which consists of front matter and a Markdown body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// The values of the YAML front matter.
    pub front: FrontMatter,
    /// The Markdown text below the front matter.
    pub body: String,
}

impl Document {
    /// Creates a document from text that a model wrote. The function [`clean_model_text`] cleans the text.
    pub fn from_model_text(front: FrontMatter, text: &str) -> Self {
        Self { front, body: clean_model_text(text) }
    }

    /// Parses a document that [`Document::render`] wrote, or an earlier version, which kept the citations in the front
    /// matter. Documents of other origin are accepted if their front matter has simple keys.
    ///
    /// # Errors
    /// [`DocumentError::NoFrontMatter`], [`DocumentError::Unclosed`], [`DocumentError::Malformed`],
    /// [`DocumentError::StoredCitations`].
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        let (front, below) = front_matter::split_off_front_matter(text)?;
        let (mut front, count) = front_matter::parse_front_matter(front)?;
        let below = below.trim_start_matches(['\r', '\n']);
        let below = status::without_status_line(&front, below);
        if matches!(count, StoredCitationCount::InFrontMatter | StoredCitationCount::AtEnd(0)) {
            // With no citation in it, the comment holds nothing; a text that looks like it is the text of somebody.
            let body = match stored_citations::split_off_stored_citations(below) {
                Ok(Some((body, entries))) if entries.is_empty() => body,
                _ => below.to_owned(),
            };
            return Ok(Self { front, body });
        }
        let damaged = |reason: &str| DocumentError::StoredCitations(reason.to_owned());
        match stored_citations::split_off_stored_citations(below).map_err(|reason| damaged(&reason))? {
            Some((body, entries)) => {
                if count != StoredCitationCount::NotSaid && count != StoredCitationCount::AtEnd(entries.len()) {
                    return Err(damaged("it does not have as many citations as the key `citations` says"));
                }
                front.citations = entries;
                Ok(Self { front, body })
            }
            None if count == StoredCitationCount::NotSaid => Ok(Self { front, body: below.to_owned() }),
            None => Err(damaged("it is missing")),
        }
    }

    /// Parses the front matter of a document alone, for readers that need no citations: [`FrontMatter::citations`] is
    /// empty unless an earlier version kept them there.
    ///
    /// # Errors
    /// [`DocumentError::NoFrontMatter`], [`DocumentError::Unclosed`], [`DocumentError::Malformed`].
    pub fn parse_front_matter(text: &str) -> Result<FrontMatter, DocumentError> {
        let (front, _) = front_matter::split_off_front_matter(text)?;
        front_matter::parse_front_matter(front).map(|(front, _)| front)
    }

    /// Renders the document as text: front matter, the status line (what was used, what was left out and why), the
    /// body, and the comment with the stored citations. This is the only way in which a document becomes text, and it
    /// masks the secrets that are left.
    pub fn render(&self) -> String {
        let body = peelback_secrets::mask_secrets(self.body.trim());
        let is_own = self.front.mode.as_ref().is_some_and(|mode| !mode.is_empty());
        // A body with a comment of its own gets ours below it, which is the one that counts.
        let stores_citations = !self.front.citations.is_empty() || stored_citations::has_comment_beginning(&body);
        let mut out = front_matter::format_front_matter(&self.front, is_own || stores_citations);
        if let Some(status) = status::status_line(&self.front) {
            out.push_str(&format!("\n{status}\n"));
        }
        if !stores_citations {
            return format!("{out}\n{body}\n");
        }
        // An open block would show the comment, as a code fence does, or swallow it.
        let body = unclosed_blocks::close_open_markdown_blocks(&body);
        let stored =
            stored_citations::format_stored_citations(&self.front.citations, &KnownSecrets::of_text(&self.body));
        format!("{out}\n{}\n\n{stored}", body.trim_end_matches('\n'))
    }

    /// The document's sections under headings of the second level (`## …`), in order. A section ends at the next
    /// heading of the first or second level.
    pub fn sections(&self) -> Vec<Section> {
        body::parse_second_level_sections(&self.body)
    }

    /// The text below the section heading `heading`, which is compared case-insensitively; `None` if no section has
    /// that heading.
    pub fn section_text(&self, heading: &str) -> Option<&str> {
        let section = body::find_section(&self.body, heading)?;
        self.body.get(section.content).map(str::trim)
    }

    /// Replaces the text of the section `heading`, or appends a new section. An empty text removes the section. Control
    /// characters are removed. A code block that the text or the body leaves open is closed, because it would swallow
    /// the text that follows.
    pub fn set_section(&mut self, heading: &str, text: &str) {
        self.body = body::with_section_replaced_or_appended(&self.body, heading, text);
    }

    /// Marks the document as incomplete, and appends open questions to the section `## Open Questions`, after the
    /// questions that the document already contains. The texts may come from a model provider or a model. Each text
    /// becomes one line of at most [`MAX_REASON_CHARS`] characters, and its Markdown or HTML cannot affect other lines.
    pub fn mark_incomplete(&mut self, reason: &str, open: &[String]) {
        let reason = sanitize::to_clean_truncated_line(reason, MAX_REASON_CHARS);
        let reason = if reason.is_empty() { "no reason was given".to_owned() } else { reason };
        self.front.incomplete = Some(reason.clone());
        let mut text = self.section_text(OPEN_QUESTIONS).unwrap_or("").to_owned();
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let reason = sanitize::escape_markdown_line(reason.trim_end_matches('.'));
        text.push_str(&format!("This document is not complete: {reason}.\n"));
        for question in open {
            let question =
                sanitize::escape_markdown_line(&sanitize::to_clean_truncated_line(question, MAX_REASON_CHARS));
            if !question.is_empty() {
                text.push_str(&format!("\n- {question}"));
            }
        }
        self.set_section(OPEN_QUESTIONS, text.trim());
    }
}

#[cfg(test)]
mod tests;
