//! `RankQuery`: the input of the ranking.

use std::ops::Range;

use peelback_project::WalkOptions;
use peelback_syntax::{Language, SymbolKind};

use crate::question::Question;
use crate::weights::Weights;

/// A query for the ranking: the question, the files and passages to rank, and the ranking options.
#[derive(Debug, Clone, Default)]
pub struct RankQuery {
    /// The question or bug report.
    pub question: Question,
    /// Files, folders or globs to search; empty for the whole project.
    pub scope: Vec<String>,
    /// Which files the directory walk skips.
    pub walk: WalkOptions,
    /// The only language whose files are ranked; `None` for all languages.
    pub language: Option<&'static Language>,
    /// `Some(true)` ranks only tests, `Some(false)` ranks no tests.
    pub tests: Option<bool>,
    /// The only symbol kind whose passages are ranked; `None` for all kinds.
    pub kind: Option<SymbolKind>,
    /// The range of result rows to show, counted from 0. Other rows get no reasons, or are only counted.
    pub page: Range<usize>,
    /// The function that computes the cost of reading a text, in tokens; `None` if costs are not needed.
    pub token_counter: Option<fn(&str) -> usize>,
    /// The weights of the ranking signals.
    pub weights: Weights,
}
