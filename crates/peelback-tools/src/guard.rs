//! The one way to cap an answer.
//!
//! A tool hands its whole result to an [`OutputGuard`], which gives back the rows of the page and a [`Plan`]: how many
//! there are in all, where they live, and which calls narrow the result. The answer then goes down a ladder until it
//! fits its [`Budget`]: less detail in every row, then fewer rows, then counts by file. Rows are never cut, and what was
//! left out is said.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::call::{self, Call};
use crate::view::View;

/// No answer passes this many o200k tokens: hosts cut at 25,000 of their own, which count up to twice as many.
pub const MAX_ANSWER_TOKENS: usize = 12_000;

/// No answer passes this many characters.
pub const MAX_ANSWER_CHARS: usize = 50_000;

/// Exploring answers stay under this many tokens unless the call says otherwise.
const EXPLORING_TOKENS: usize = 2_000;

/// Exploring answers stay under 8 KB.
const EXPLORING_CHARS: usize = 8_000;

/// No budget is smaller: an answer that says only how much there is takes this many tokens.
pub const MIN_ANSWER_TOKENS: usize = 50;

/// Files that `by_file` lists.
const MAX_BY_FILE: usize = 15;

/// Caps a result to the page that a call asks for: the first rows of it where the call explores, more where it wants
/// all detail, and those from `offset` on where it pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputGuard<'a> {
    view: &'a View,
    cap: usize,
}

impl<'a> OutputGuard<'a> {
    /// The guard of a tool that shows `cap` rows to a call that explores.
    pub fn of(view: &'a View, cap: usize) -> Self {
        Self { view, cap }
    }

    /// The most rows of the page.
    pub fn limit(self) -> usize {
        self.view.row_limit(self.cap)
    }

    /// The page of a result that does not span files.
    pub fn cap_items<T>(self, rows: impl IntoIterator<Item = T>, total: usize, unit: &'static str) -> (Vec<T>, Plan) {
        let page = rows.into_iter().skip(self.view.offset).take(self.limit()).collect();
        (page, self.counted(total, Vec::new(), unit))
    }

    /// The page of a result that spans files, with the rows of each file of the whole result.
    pub fn cap_files<T>(self, rows: Vec<T>, path: impl Fn(&T) -> &str, unit: &'static str) -> (Vec<T>, Plan) {
        let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            *by_file.entry(path(row)).or_default() += 1;
        }
        let by_file = by_file.into_iter().map(|(file, count)| (file.to_owned(), count)).collect();
        let plan = self.counted(rows.len(), by_file, unit);
        (rows.into_iter().skip(self.view.offset).take(self.limit()).collect(), plan)
    }

    /// The plan of a result that was counted whole and of which only the page was read.
    pub fn counted(self, total: usize, by_file: Vec<(String, usize)>, unit: &'static str) -> Plan {
        Plan { total, offset: self.view.offset, unit, narrower: Vec::new(), page: None, by_file, is_ranked: false }
    }
}

/// The bounds of one answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    tokens: Option<usize>,
    chars: Option<usize>,
}

impl Budget {
    /// The budget that a call asks for.
    pub fn of(view: &View) -> Self {
        let ceiling = call::ceiling();
        let most = ceiling.unwrap_or(MAX_ANSWER_TOKENS).clamp(MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS);
        match view.max_tokens {
            Some(0) if ceiling.is_none() => Self { tokens: None, chars: None },
            Some(tokens) if tokens > 0 => {
                Self { tokens: Some(tokens.clamp(MIN_ANSWER_TOKENS, most)), chars: Some(MAX_ANSWER_CHARS) }
            }
            None if !view.is_full() => Self { tokens: Some(EXPLORING_TOKENS.min(most)), chars: Some(EXPLORING_CHARS) },
            _ => Self { tokens: Some(most), chars: Some(MAX_ANSWER_CHARS) },
        }
    }

    /// Whether `text` fits.
    pub fn admits(self, text: &str) -> bool {
        self.chars.is_none_or(|chars| text.len() <= chars)
            && self.tokens.is_none_or(|tokens| peelback_tokens::estimate_tokens(text) <= tokens)
    }

    /// How much of an answer that does not fit can stay, as a share of 1.
    pub fn share(self, text: &str) -> f64 {
        let by = |limit: Option<usize>, used: usize| limit.map_or(1.0, |limit| limit as f64 / used.max(1) as f64);
        by(self.chars, text.len()).min(by(self.tokens, peelback_tokens::estimate_tokens(text)))
    }
}

/// The tokens that an answer may have; `None` for as many as it takes.
pub(crate) fn tokens_of(view: &View) -> Option<usize> {
    Budget::of(view).tokens
}

/// What a tool knows of its whole result, for the part that does not fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// Rows in the whole result.
    pub total: usize,
    /// Rows passed over.
    pub offset: usize,
    /// What the rows are, in the plural.
    pub unit: &'static str,
    /// Calls that narrow the result, a filter first, then a scope, each with what it would give.
    pub narrower: Vec<(Call, String)>,
    /// The call itself, to be paged.
    pub page: Option<Call>,
    /// Rows of each file of the whole result, where it spans files.
    pub by_file: Vec<(String, usize)>,
    /// The best rows come first: who has those needs no other page.
    pub is_ranked: bool,
}

/// The part of an answer that says what is not shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Overflow {
    pub shown: usize,
    pub total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    pub hint: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_file: Vec<FileCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_file_overflow: Option<usize>,
}

/// Rows of one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FileCount {
    pub file: String,
    pub count: usize,
}

impl Plan {
    /// Offers a call that narrows the result, with what it would give. Filters come first, then scopes.
    #[must_use]
    pub fn narrowed(mut self, call: Call, gives: impl Into<String>) -> Self {
        self.narrower.push((call, gives.into()));
        self
    }

    /// Says that the best rows come first.
    #[must_use]
    pub fn ranked(mut self) -> Self {
        self.is_ranked = true;
        self
    }

    /// Offers the next page of `call`.
    #[must_use]
    pub fn paged(mut self, call: Call) -> Self {
        self.page = Some(call);
        self
    }

    /// The file with the most rows, where there are several.
    pub fn fullest_file(&self) -> Option<(&str, usize)> {
        let most = self.by_file.iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        most.filter(|_| self.by_file.len() > 1).map(|(file, count)| (file.as_str(), *count))
    }

    /// Takes one step down: what the overflow says beside its numbers and the next page.
    pub fn degrade(&mut self) -> Option<&'static str> {
        if self.by_file.len() > 1 && self.page.is_some() {
            self.by_file.clear();
            return Some("counts by file");
        }
        if !self.narrower.is_empty() {
            self.narrower.clear();
            return Some("narrower calls");
        }
        None
    }

    /// The overflow of an answer that shows `shown` rows; `None` where it shows the rest.
    pub fn overflow(&self, shown: usize) -> Option<Overflow> {
        let reached = self.offset + shown;
        if reached >= self.total {
            return None;
        }
        let mut lines: Vec<String> = self.narrower.iter().map(|(call, gives)| format!("{call}  ({gives})")).collect();
        match &self.page {
            // A page that shows nothing leads nowhere: the budget is what must change.
            Some(page) if shown == 0 => {
                let wider = page.clone().with("offset", reached).without("limit").with("max_tokens", MAX_ANSWER_TOKENS);
                lines.insert(0, format!("{wider}  (a wider budget)"));
            }
            Some(page) => lines.push(format!("{}  (next page)", page.clone().with("offset", reached))),
            None => {}
        }
        let mut by_file: Vec<FileCount> =
            self.by_file.iter().map(|(file, count)| FileCount { file: file.clone(), count: *count }).collect();
        by_file.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.file.cmp(&b.file)));
        if by_file.len() < 2 {
            by_file.clear();
        }
        let more = by_file.len().saturating_sub(MAX_BY_FILE);
        by_file.truncate(MAX_BY_FILE);
        Some(Overflow {
            shown,
            total: self.total,
            hint: lines.join("\n"),
            next_offset: (self.page.is_some() && shown > 0).then_some(reached),
            by_file,
            by_file_overflow: (more > 0).then_some(more),
        })
    }
}
