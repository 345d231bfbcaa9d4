//! How far an answer can be trusted, and what it does not cover.

/// Whether an answer holds all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// Everything asked for was looked at.
    Complete,
    /// There may be more: part of what was asked for could not be looked at.
    LowerBound,
    /// Nothing can be said: the part that matters could not be looked at.
    Unknown,
}

impl Completeness {
    /// The word that answers print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::LowerBound => "lower_bound",
            Self::Unknown => "unknown",
        }
    }
}

/// Something that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The file or folder, from the root.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl Skipped {
    /// How the reason begins of what is withheld; see [`crate::Project::withholding`].
    pub const WITHHELD: &str = "withheld: ";

    /// Whether it was passed over because it is not to be read, and not for want of anything.
    pub fn is_withheld(&self) -> bool {
        self.reason.starts_with(Self::WITHHELD)
    }
}

/// An answer's evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// How far it can be trusted.
    pub completeness: Completeness,
    /// What gave it: `syntax`, `text`, `files`, with ` (basic)` where a language's generic tier did.
    pub analysis: String,
    /// What was passed over, in the order of the paths.
    pub skipped: Vec<Skipped>,
    /// Remarks on how the answer came about: another backend's failure, bytes that are no UTF-8.
    pub notes: Vec<String>,
}

impl Evidence {
    /// Complete evidence from `analysis`.
    pub fn complete(analysis: &str) -> Self {
        Self {
            completeness: Completeness::Complete,
            analysis: analysis.to_owned(),
            skipped: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Takes in what was passed over: the answer becomes a lower bound.
    pub fn skip(&mut self, path: &str, reason: impl Into<String>) {
        self.skipped.push(Skipped { path: path.to_owned(), reason: reason.into() });
        self.weaken(Completeness::LowerBound);
    }

    /// Whether everything was looked at but for what is withheld.
    pub fn is_complete_but_for_withheld(&self) -> bool {
        match self.completeness {
            Completeness::Complete => true,
            Completeness::LowerBound => !self.skipped.is_empty() && self.skipped.iter().all(Skipped::is_withheld),
            Completeness::Unknown => false,
        }
    }

    /// Lowers the completeness to at most `to`.
    pub fn weaken(&mut self, to: Completeness) {
        self.completeness = self.completeness.max(to);
    }

    /// Says, once, that a language's generic tier read some of the files.
    pub fn mark_basic(&mut self) {
        const MARK: &str = " (basic for some files)";
        if !self.analysis.ends_with(MARK) {
            self.analysis.push_str(MARK);
        }
    }

    /// Adds a remark.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}
