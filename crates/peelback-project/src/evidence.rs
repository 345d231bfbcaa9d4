//! `Evidence`: how far an answer can be trusted, and which parts of the project it does not cover.

/// Whether an answer contains all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// Everything in the scope of the question was searched.
    Complete,
    /// More results may exist: part of the scope could not be searched.
    LowerBound,
    /// No statement is possible: the part of the scope that matters could not be searched.
    Unknown,
}

impl Completeness {
    /// The word for the completeness in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::LowerBound => "lower_bound",
            Self::Unknown => "unknown",
        }
    }
}

/// A file or folder that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The file or folder, from the root.
    pub path: String,
    /// Why the file or folder was skipped.
    pub reason: String,
}

impl Skipped {
    /// The start of the reason for a withheld file; see [`crate::Project::with_withheld_path_rule`].
    pub const WITHHELD_PREFIX: &str = "withheld: ";

    /// Whether the file was skipped because reading it is not allowed, and not because of an error or limit.
    pub fn is_withheld(&self) -> bool {
        self.reason.starts_with(Self::WITHHELD_PREFIX)
    }
}

/// An answer's evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// How complete the answer is.
    pub completeness: Completeness,
    /// The analysis that produced the answer: `syntax`, `text` or `files`, with ` (basic)` appended if a language's
    /// generic tier was used.
    pub analysis: String,
    /// The skipped files and folders, in path order.
    pub skipped: Vec<Skipped>,
    /// Remarks on how the answer was produced, such as the failure of another backend or bytes that are not UTF-8.
    pub notes: Vec<String>,
}

impl Evidence {
    /// Evidence for a complete answer from `analysis`.
    pub fn new_complete(analysis: &str) -> Self {
        Self {
            completeness: Completeness::Complete,
            analysis: analysis.to_owned(),
            skipped: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a skipped file or folder; the answer becomes a lower bound.
    pub fn add_skipped(&mut self, path: &str, reason: impl Into<String>) {
        self.skipped.push(Skipped { path: path.to_owned(), reason: reason.into() });
        self.lower_completeness_to(Completeness::LowerBound);
    }

    /// Whether everything was searched except withheld files.
    pub fn is_complete_except_withheld(&self) -> bool {
        match self.completeness {
            Completeness::Complete => true,
            Completeness::LowerBound => !self.skipped.is_empty() && self.skipped.iter().all(Skipped::is_withheld),
            Completeness::Unknown => false,
        }
    }

    /// Lowers the completeness to at most `to`.
    pub fn lower_completeness_to(&mut self, to: Completeness) {
        self.completeness = self.completeness.max(to);
    }

    /// Records, once, that a language's generic tier analysed some of the files.
    pub fn mark_basic_analysis(&mut self) {
        const MARK: &str = " (basic for some files)";
        if !self.analysis.ends_with(MARK) {
            self.analysis.push_str(MARK);
        }
    }

    /// Adds a remark.
    pub fn add_note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}
