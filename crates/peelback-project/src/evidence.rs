//! `Evidence`: how far an answer can be trusted, and which parts of the project it does not cover.

/// Whether an answer contains all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    /// All files in the scope of the question were searched.
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

/// A file or folder that an answer does not cover, or covers only in part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The path of the file or folder from the project's root.
    pub path: String,
    /// Why the answer does not cover the file or folder.
    pub reason: String,
}

impl Skipped {
    /// The text that the reason begins with if reading the file is not allowed; see
    /// [`crate::Project::with_withheld_path_rule`].
    pub const WITHHELD_PREFIX: &str = "withheld: ";

    /// Whether the file was skipped because reading it is not allowed, and not because of an error or limit.
    pub fn is_withheld(&self) -> bool {
        self.reason.starts_with(Self::WITHHELD_PREFIX)
    }
}

/// The evidence of an answer: which analysis gave the answer, how complete it is, and which files it does not cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// How complete the answer is.
    pub completeness: Completeness,
    /// The analysis that produced the answer: `syntax`, `text` or `files`, with ` (basic)` appended if the analysis of
    /// the file's language is only basic.
    pub analysis: String,
    /// The skipped files and folders, in path order.
    pub skipped: Vec<Skipped>,
    /// Remarks on how the answer was produced, such as the failure of another backend or bytes that are not UTF-8.
    pub notes: Vec<String>,
}

impl Evidence {
    /// Creates evidence for a complete answer from the analysis named `analysis`.
    pub fn new_complete(analysis: &str) -> Self {
        Self {
            completeness: Completeness::Complete,
            analysis: analysis.to_owned(),
            skipped: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a file or folder that the answer does not cover; the answer's completeness becomes a lower bound.
    pub fn add_skipped_and_lower_completeness(&mut self, path: &str, reason: impl Into<String>) {
        self.skipped.push(Skipped { path: path.to_owned(), reason: reason.into() });
        self.lower_completeness_to(Completeness::LowerBound);
    }

    /// Whether the answer covers all files except those that must not be read (withheld files).
    pub fn is_complete_except_withheld(&self) -> bool {
        match self.completeness {
            Completeness::Complete => true,
            Completeness::LowerBound => !self.skipped.is_empty() && self.skipped.iter().all(Skipped::is_withheld),
            Completeness::Unknown => false,
        }
    }

    /// Lowers the answer's completeness to at most `to`.
    pub fn lower_completeness_to(&mut self, to: Completeness) {
        self.completeness = self.completeness.max(to);
    }

    /// Appends to the name of the analysis, once, that it is only basic for the languages of some files.
    pub fn mark_analysis_as_partly_basic(&mut self) {
        const MARK: &str = " (basic for some files)";
        if !self.analysis.ends_with(MARK) {
            self.analysis.push_str(MARK);
        }
    }

    /// Adds the gaps and remarks of another step of the same answer.
    pub fn add_gaps_and_notes(&mut self, other: Self) {
        self.lower_completeness_to(other.completeness);
        self.skipped.extend(other.skipped);
        self.skipped.sort();
        self.skipped.dedup();
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Adds a remark on how the answer was produced.
    pub fn add_note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}
