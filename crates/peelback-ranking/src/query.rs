//! What is asked of the ranking.

use std::ops::Range;

use peelback_project::WalkOptions;
use peelback_syntax::{Language, SymbolKind};

use crate::question::Question;
use crate::weights::Weights;

/// What is ranked, and for what.
#[derive(Debug, Clone, Default)]
pub struct RankQuery {
    /// The question.
    pub question: Question,
    /// Files, folders or globs to look in; everywhere where it is empty.
    pub scope: Vec<String>,
    /// Which files the walk passes over.
    pub walk: WalkOptions,
    /// Only files of one language.
    pub language: Option<&'static Language>,
    /// Only tests, or no tests.
    pub tests: Option<bool>,
    /// Only passages of one kind.
    pub kind: Option<SymbolKind>,
    /// Which rows are shown, from 0: of others there are no reasons, or no more than their number.
    pub page: Range<usize>,
    /// Tells what a text costs to read, where that is wanted.
    pub price: Option<fn(&str) -> usize>,
    /// What the signals count.
    pub weights: Weights,
}
