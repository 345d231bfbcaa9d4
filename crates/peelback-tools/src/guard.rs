//! The one way to cap an answer.
//!
//! A tool hands its whole result to an [`OutputGuard`], which returns the rows of the page and a [`Plan`]: how many
//! there are in all, which files they are in, and which calls narrow the result. The answer then degrades until it fits
//! its budget: less detail in every row, then fewer rows, then counts by file. Rows are never cut, and the answer says
//! what was left out.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::budget::MAX_ANSWER_TOKENS;
use crate::call::Call;
use crate::view::View;

/// The most files that `by_file` lists.
const MAX_BY_FILE: usize = 15;

/// Caps a result to the page that a call asks for: the first rows where the call explores, more where it asks for all
/// detail, and those from `offset` on where it pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputGuard<'a> {
    view: &'a View,
    cap: usize,
}

impl<'a> OutputGuard<'a> {
    /// The guard of a tool that shows `cap` rows to a call that explores.
    pub fn new(view: &'a View, cap: usize) -> Self {
        Self { view, cap }
    }

    /// The most rows of the page.
    pub fn limit(self) -> usize {
        self.view.row_limit(self.cap)
    }

    /// The page of a result that does not span files.
    pub fn cap_items<T>(self, rows: impl IntoIterator<Item = T>, total: usize, unit: &'static str) -> (Vec<T>, Plan) {
        let page = rows.into_iter().skip(self.view.offset).take(self.limit()).collect();
        (page, self.plan(total, Vec::new(), unit))
    }

    /// The page of a result that spans files; the plan counts the rows of each file of the whole result.
    pub fn cap_files<T>(self, rows: Vec<T>, path: impl Fn(&T) -> &str, unit: &'static str) -> (Vec<T>, Plan) {
        let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            *by_file.entry(path(row)).or_default() += 1;
        }
        let by_file = by_file.into_iter().map(|(file, count)| (file.to_owned(), count)).collect();
        let plan = self.plan(rows.len(), by_file, unit);
        (rows.into_iter().skip(self.view.offset).take(self.limit()).collect(), plan)
    }

    /// The plan of a result that was counted whole and of which only the page was read.
    pub fn plan(self, total: usize, by_file: Vec<(String, usize)>, unit: &'static str) -> Plan {
        Plan { total, offset: self.view.offset, unit, narrower: Vec::new(), page: None, by_file, is_ranked: false }
    }
}

/// What a tool knows of its whole result, for the part that does not fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// Rows in the whole result.
    pub total: usize,
    /// Rows that the page skips.
    pub offset: usize,
    /// What the rows are, in the plural.
    pub unit: &'static str,
    /// Calls that narrow the result, a filter first, then a scope.
    pub narrower: Vec<Alternative>,
    /// The call itself, for its next page.
    pub page: Option<Call>,
    /// Rows of each file of the whole result, where it spans files.
    pub by_file: Vec<(String, usize)>,
    /// The best rows come first: a reader of those needs no other page.
    pub is_ranked: bool,
}

/// A call in place of the one that was made, and what it gives, in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alternative {
    pub call: Call,
    pub gives: String,
}

/// The part of an answer that says what is not shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Overflow {
    pub shown: usize,
    pub total: usize,
    pub next_offset: Option<usize>,
    /// Calls that go on, the best first.
    pub alternatives: Vec<Alternative>,
    /// The files with the most rows; empty where the result is in fewer than two.
    pub by_file: Vec<FileCount>,
    /// Files that `by_file` leaves out.
    pub by_file_overflow: Option<usize>,
}

/// The number of rows of one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FileCount {
    pub file: String,
    pub count: usize,
}

impl Plan {
    /// Offers a call that narrows the result, with what it would give. Filters come first, then scopes.
    #[must_use]
    pub fn narrowed(mut self, call: Call, gives: impl Into<String>) -> Self {
        self.narrower.push(Alternative { call, gives: gives.into() });
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

    /// Drops one part of the overflow, besides its numbers and the next page, and names it; `None` where nothing is left
    /// to drop.
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

    /// The overflow of an answer that shows `shown` rows; `None` where those are the last.
    pub fn overflow(&self, shown: usize) -> Option<Overflow> {
        let reached = self.offset + shown;
        if reached >= self.total {
            return None;
        }
        let mut alternatives = self.narrower.clone();
        match &self.page {
            // The next page of an answer without rows would be the same: the budget is what must change.
            Some(page) if shown == 0 => {
                let wider = page.clone().from_row(reached).without("limit").with("max_tokens", MAX_ANSWER_TOKENS);
                alternatives.insert(0, Alternative { call: wider, gives: "a wider budget".to_owned() });
            }
            Some(page) => {
                alternatives.push(Alternative { call: page.clone().from_row(reached), gives: "next page".to_owned() });
            }
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
            next_offset: (self.page.is_some() && shown > 0).then_some(reached),
            alternatives,
            by_file,
            by_file_overflow: (more > 0).then_some(more),
        })
    }
}
