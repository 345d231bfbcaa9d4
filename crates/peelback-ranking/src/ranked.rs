//! The files and passages that a ranking returns.

use peelback_project::Evidence;
use peelback_syntax::{Lines, Symbol};

use crate::kind::FileKind;
use crate::signals::{PassageSignals, Signals};

/// A file and why it ranks where it does.
#[derive(Debug, Clone)]
pub struct RankedFile {
    /// The path from the root.
    pub path: String,
    /// The weighted sum of the signals.
    pub score: f32,
    /// What the file is for.
    pub kind: FileKind,
    /// What each signal gave.
    pub signals: Signals,
    /// What counted, in words, the weightiest first; of a file of the page.
    pub reasons: Vec<String>,
    /// What it costs to read; of a file of the page, where the query prices.
    pub tokens: Option<usize>,
}

/// A function, the header of a class, or a section, and why it ranks where it does.
#[derive(Debug, Clone)]
pub struct RankedPassage {
    /// The path from the root.
    pub path: String,
    /// The symbol, without its children.
    pub symbol: Symbol,
    /// The lines that it was ranked by: of a class, those before its first member, or those between and behind them.
    pub lines: Lines,
    /// The weighted sum of the signals.
    pub score: f32,
    /// What each signal gave.
    pub signals: PassageSignals,
    /// What counted, in words, the weightiest first.
    pub reasons: Vec<String>,
}

/// Files for a question.
#[derive(Debug, Clone)]
pub struct RankedFiles {
    /// The files in which something counted, best first, ties by path.
    pub files: Vec<RankedFile>,
    /// How far the ranking can be trusted.
    pub evidence: Evidence,
}

/// Passages for a question.
#[derive(Debug, Clone)]
pub struct RankedPassages {
    /// The passages that were asked for of the best files in which something counted, best first, ties by path and line.
    pub page: Vec<RankedPassage>,
    /// How many there are in all.
    pub total: usize,
    /// The file of the best passage that has several, where there are other files, and how many it has.
    pub best_file: Option<(String, usize)>,
    /// How many files were parsed for them.
    pub parsed: usize,
    /// In how many files something counted.
    pub files: usize,
    /// How far the ranking can be trusted.
    pub evidence: Evidence,
}
