//! What a text search is asked, and what it answers.

use crate::entry::ProjectEntry;
use crate::evidence::Evidence;
use crate::walk::WalkOptions;

/// The parameters of a text search.
#[derive(Debug, Clone, Default)]
pub struct GrepQuery {
    /// A regular expression in Rust's syntax.
    pub pattern: String,
    /// Whether the pattern is plain text and not a regular expression.
    pub fixed_strings: bool,
    /// Whether the search ignores case.
    pub ignore_case: bool,
    /// Whether only whole words match.
    pub word: bool,
    /// Whether to find the lines that do not match.
    pub invert: bool,
    /// The number of context lines before a match.
    pub before: usize,
    /// The number of context lines after a match.
    pub after: usize,
    /// The files, folders and globs to search; empty for the whole project.
    pub scopes: Vec<String>,
    /// Which files the directory walk includes in the search.
    pub walk_options: WalkOptions,
    /// Which of these files are searched, by their paths from the root; all of them without a filter.
    pub path_filter: Option<fn(&str) -> bool>,
    /// What a row of the answer is. Of lines that do not match, each is a row.
    pub row_unit: RowUnit,
}

impl GrepQuery {
    /// What a row is: nothing matches in lines that do not match.
    pub(super) fn row_unit_of_matches(&self) -> RowUnit {
        if self.invert { RowUnit::Line } else { self.row_unit }
    }
}

/// What a row of a search answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowUnit {
    /// A matching line.
    #[default]
    Line,
    /// A match, shown as its line.
    LineOfMatch,
    /// A match that is not empty, shown as the text that matches.
    MatchedText,
}

/// The numbers of rows and files that a text search found.
#[derive(Debug, Clone, Default)]
pub struct MatchCounts {
    /// The number of rows, matching lines or matches, in all files.
    pub total: usize,
    /// The number of rows for each file that has any, in path order.
    pub by_file: Vec<(String, usize)>,
    /// The number of files that were searched.
    pub searched: usize,
}

/// Why a line is part of a search answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// The line matches.
    Match,
    /// The line is context near a match.
    Context,
}

/// One line of a search answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepLine {
    /// The line number, from 1.
    pub line: u32,
    /// Whether the line is a match or context.
    pub kind: LineKind,
    /// The column where the match begins, in characters, from 1; 1 in a line without a match.
    pub column: u32,
    /// The column where the match begins, in bytes, from 1; 1 in a line without a match.
    pub byte_column: u32,
    /// The line's text without its line end, or the text that matches. A very long one is shown in part, with the number of
    /// characters left out.
    pub text: String,
    /// The qualified name of the innermost symbol around the line, filled in once the lines to show are known.
    pub enclosing_symbol: Option<String>,
}

/// The lines of one file in a search answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    /// The file that contains the lines.
    pub entry: ProjectEntry,
    /// Matches and their context lines, merged, in file order.
    pub lines: Vec<GrepLine>,
}

/// Whether the text of any file matches.
#[derive(Debug, Clone)]
pub struct MatchExistence {
    /// Whether any file has a matching line.
    pub is_matched: bool,
    /// The number of files that were searched where none matches. The search ends where one does.
    pub searched: usize,
    /// The evidence: which files were not searched where none matches.
    pub evidence: Evidence,
}

/// The answer to a text search: one page of matching lines, and the counts for all matching lines.
#[derive(Debug, Clone)]
pub struct GrepAnswer {
    /// The counts for all searched files.
    pub counts: MatchCounts,
    /// The matching lines on the page with their context, by file.
    pub files: Vec<FileMatches>,
    /// The evidence of the answer: which files the counts cover.
    pub evidence: Evidence,
}
