//! The document that answers a question: YAML front matter, and sections of Markdown.

mod body;
mod error;
mod file;
mod front_matter;
mod neutral;
mod open;
mod scalar;
mod time;

pub use body::{Section, clean};
pub use error::DocumentError;
pub use file::{MAX_SLUG_CHARS, create_at, create_below, create_in, file_name, folder_name, replace, slug};
pub use front_matter::FrontMatter;
pub use scalar::AsRead;
pub use time::Timestamp;

/// The section for what stayed open.
pub const OPEN_QUESTIONS: &str = "Open Questions";

/// The section that lists the citations.
pub const CODE_REFERENCES: &str = "Code References";

/// So many characters are kept of why a document is not complete, and of each question that stayed open.
pub const MAX_REASON_CHARS: usize = 500;

/// A document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// What its front matter says.
    pub front: FrontMatter,
    /// The Markdown below the front matter.
    pub body: String,
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
