//! The results of a ranking: files and passages.

use peelback_project::Evidence;
use peelback_syntax::{Lines, Symbol};

use crate::kind::FileKind;
use crate::signals::{FileRankingSignals, PassageSignals};

/// A ranked file with the reasons for its rank.
#[derive(Debug, Clone)]
pub struct RankedFile {
    /// The path from the root.
    pub path: String,
    /// The weighted sum of the file's ranking signals.
    pub score: f32,
    /// The purpose of the file.
    pub kind: FileKind,
    /// The value of each ranking signal of the file.
    pub signals: FileRankingSignals,
    /// The ranking signals that counted, as text, weightiest first; filled in only for files on the requested page.
    pub reasons: Vec<String>,
    /// The cost of reading the file, in tokens; filled in only for files on the requested page and only if the query
    /// computes costs.
    pub tokens: Option<usize>,
}

/// A ranked function, class header or section with the reasons for its rank.
#[derive(Debug, Clone)]
pub struct RankedPassage {
    /// The path from the root.
    pub path: String,
    /// The symbol to which the passage belongs, without its children.
    pub symbol: Symbol,
    /// The lines that were ranked. For a class these are the lines before its first member, or the lines between and
    /// after its members.
    pub lines: Lines,
    /// The weighted sum of the passage's ranking signals.
    pub score: f32,
    /// The value of each ranking signal of the passage.
    pub signals: PassageSignals,
    /// The ranking signals that counted, as text, weightiest first.
    pub reasons: Vec<String>,
}

/// The files ranked for a question.
#[derive(Debug, Clone)]
pub struct RankedFiles {
    /// The files in which at least one ranking signal is not zero, best first; files with equal scores are sorted by
    /// path.
    pub files: Vec<RankedFile>,
    /// The evidence: how far the ranking can be trusted.
    pub evidence: Evidence,
}

/// The passages ranked for a question.
#[derive(Debug, Clone)]
pub struct RankedPassages {
    /// The requested page of passages, from the best files in which at least one ranking signal is not zero; best
    /// first, passages with equal scores sorted by path and line.
    pub page: Vec<RankedPassage>,
    /// The total number of ranked passages.
    pub total: usize,
    /// The best file that has several passages, with their number; `None` if all passages are from one file or no file
    /// has several.
    pub best_file: Option<(String, usize)>,
    /// The number of files that were parsed to find passages.
    pub parsed: usize,
    /// The number of files in which at least one ranking signal is not zero.
    pub files: usize,
    /// The evidence: how far the ranking can be trusted.
    pub evidence: Evidence,
}
