//! The document that answers a question: YAML front matter, and sections of Markdown.

mod body;
mod file;
mod front_matter;
mod neutral;
mod open;
mod scalar;
mod time;

use crate::citations::Entry;

pub use body::{Section, clean};
pub use file::{MAX_SLUG_CHARS, create_at, create_below, create_in, file_name, folder_name, replace, slug};
pub use scalar::AsRead;
pub use time::Timestamp;

/// The section for what stayed open.
pub const OPEN_QUESTIONS: &str = "Open Questions";

/// The section that lists the citations.
pub const CODE_REFERENCES: &str = "Code References";

/// So many characters are kept of why a document is not complete, and of each question that stayed open.
pub const MAX_REASON_CHARS: usize = 500;

/// What the front matter says. Keys that are not known here are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    /// The folder or URL of the repository, without credentials.
    pub source_repo: String,
    /// The question.
    pub scope_question: String,
    /// When the document was made, RFC 3339.
    pub scan_date: String,
    /// The model that wrote it, `none` where none did.
    pub model_used: String,
    /// How it was made: `pipeline`, `agent`, `evidence`.
    pub mode: Option<String>,
    /// How many files were looked at.
    pub files_analyzed: u32,
    /// The commit of the repository.
    pub commit: Option<String>,
    /// Tokens sent to the model.
    pub input_tokens: Option<u64>,
    /// Tokens that the model wrote.
    pub output_tokens: Option<u64>,
    /// What it cost in US dollars, where the model's price is known.
    pub cost_usd: Option<f64>,
    /// Why the document is not complete; `None` where it is.
    pub incomplete: Option<String>,
    /// What it cites, with what the cited lines were.
    pub citations: Vec<Entry>,
    /// Other keys with their values, which are text, whatever it holds: it is quoted where that is needed. Of a key that
    /// is here twice the last value is written; one of the keys above is not written again.
    pub other: Vec<(String, String)>,
    /// Other keys whose values were read as YAML that is no quoted text, as it stood there.
    pub kept: Vec<(String, AsRead)>,
}

/// A document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// What its front matter says.
    pub front: FrontMatter,
    /// The Markdown below the front matter.
    pub body: String,
}

/// Why a document could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// It does not begin with `---`.
    #[error("it has no front matter: its first line must be ---")]
    NoFrontMatter,
    /// The front matter has no end.
    #[error("its front matter has no end: a line --- is missing")]
    Unclosed,
    /// A line of it is not understood.
    #[error("line {line} of its front matter is not understood: {reason}")]
    Malformed {
        /// The line of the document, from 1.
        line: u32,
        /// What is wrong with it.
        reason: String,
    },
    /// A path on the way leads out of the folder that is written to.
    #[error("{path} leads out of {below} by a symbolic link: nothing was written")]
    LeadsOut {
        /// The path.
        path: String,
        /// The folder.
        below: String,
    },
    /// The folder that it is to be in is missing.
    #[error("the folder {0} does not exist: make it, or name another")]
    NoFolder(String),
    /// Something is there already.
    #[error("{0} exists already: name another file")]
    Exists(String),
    /// The file system refused.
    #[error("cannot write {path}: {reason}")]
    Io {
        /// The path.
        path: String,
        /// The system's words.
        reason: String,
    },
}

impl Document {
    /// A document of text that a model wrote: see [`clean`].
    pub fn of_model(front: FrontMatter, text: &str) -> Self {
        Self { front, body: clean(text) }
    }

    /// Reads a document: one that [`Document::render`] wrote, or another with front matter of plain keys.
    ///
    /// # Errors
    /// [`DocumentError::NoFrontMatter`], [`DocumentError::Unclosed`], [`DocumentError::Malformed`].
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        let (front, body) = front_matter::split(text)?;
        Ok(Self { front: front_matter::read(front)?, body: body.trim_start_matches(['\r', '\n']).to_owned() })
    }

    /// The whole text: front matter, an empty line, the body, one newline at the end.
    pub fn render(&self) -> String {
        format!("{}\n{}\n", front_matter::write(&self.front), self.body.trim())
    }

    /// The sections of the second level (`## …`), in their order; each reaches to the next heading of that level or above.
    pub fn sections(&self) -> Vec<Section> {
        body::sections(&self.body)
    }

    /// The text below the section's heading, where there is one; case does not count.
    pub fn section(&self, heading: &str) -> Option<&str> {
        let section = body::find(&self.body, heading)?;
        self.body.get(section.content).map(str::trim)
    }

    /// Replaces what stands below a heading, or adds the section at the end. An empty text removes it. Control characters
    /// are left out, and a code block that the text or the body leaves open is closed: it would take in what follows.
    pub fn set_section(&mut self, heading: &str, text: &str) {
        self.body = body::with_section(&self.body, heading, text);
    }

    /// Says that the document is not complete, why, and what stayed open: a list below `## Open Questions`, behind what
    /// the document itself says there. The words may be a provider's or a model's: each is one line of at most
    /// [`MAX_REASON_CHARS`] characters, and no Markdown or HTML that reaches beyond it.
    pub fn mark_incomplete(&mut self, reason: &str, open: &[String]) {
        let reason = neutral::line(reason, MAX_REASON_CHARS);
        let reason = if reason.is_empty() { "no reason was given".to_owned() } else { reason };
        self.front.incomplete = Some(reason.clone());
        let mut text = self.section(OPEN_QUESTIONS).unwrap_or("").to_owned();
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let reason = neutral::escaped(reason.trim_end_matches('.'));
        text.push_str(&format!("This document is not complete: {reason}.\n"));
        for question in open {
            let question = neutral::escaped(&neutral::line(question, MAX_REASON_CHARS));
            if !question.is_empty() {
                text.push_str(&format!("\n- {question}"));
            }
        }
        self.set_section(OPEN_QUESTIONS, text.trim());
    }
}

#[cfg(test)]
mod tests;
