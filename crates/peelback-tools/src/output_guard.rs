//! The only code that limits the length of an answer.
//!
//! A tool passes its whole result to an [`PageLimiter`], which returns the rows of the requested page and a
//! [`PagePlan`]: the total number of rows, the files that contain them, and calls that narrow the result. The answer is
//! then shortened until it fits its budget: less detail in every row, then fewer rows, then only counts by file. Rows
//! are never cut, and the answer states each omission.

use std::collections::BTreeMap;

use peelback_code::FileKind;
use serde::Serialize;

use crate::budget::MAX_ANSWER_TOKENS;
use crate::call::Call;
use crate::counts::format_count_with_noun;
use crate::file_place::FileKinds;
use crate::left_out::LeftOut;
use crate::narrower_place::narrower_place_and_count;
use crate::parameter_name::parameter_name;
use crate::view::OutputOptions;

/// The maximum number of files of which an answer lists the row counts (in `by_file`).
const MAX_LISTED_FILE_COUNTS: usize = 15;

/// Limits a result to the requested page: the first rows for detail level `exploring`, more rows for full detail, and
/// the rows from `offset` on for a later page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimiter<'a> {
    view: &'a OutputOptions,
    exploring_row_limit: usize,
}

impl<'a> PageLimiter<'a> {
    /// Creates a guard that shows at most `cap` rows at detail level `exploring`.
    pub fn new(view: &'a OutputOptions, cap: usize) -> Self {
        Self { view, exploring_row_limit: cap }
    }

    /// The maximum number of rows on the requested page.
    pub fn row_limit(self) -> usize {
        self.view.row_limit(self.exploring_row_limit)
    }

    /// The rows and the plan of the requested page, for a result whose rows are not grouped by file.
    pub fn page_rows_and_plan<T>(
        self,
        rows: impl IntoIterator<Item = T>,
        total: usize,
        unit: &'static str,
    ) -> (Vec<T>, PagePlan) {
        let page = rows.into_iter().skip(self.view.offset).take(self.row_limit()).collect();
        (page, self.page_plan_from_row_counts(total, Vec::new(), unit))
    }

    /// The rows and the plan of the requested page, for a result whose rows are grouped by file. The plan counts the
    /// rows of each file in the whole result.
    pub fn page_rows_and_plan_by_file<T>(
        self,
        rows: Vec<T>,
        path: impl Fn(&T) -> &str,
        unit: &'static str,
    ) -> (Vec<T>, PagePlan) {
        let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            *by_file.entry(path(row)).or_default() += 1;
        }
        let by_file = by_file.into_iter().map(|(file, count)| (file.to_owned(), count)).collect();
        let plan = self.page_plan_from_row_counts(rows.len(), by_file, unit);
        (rows.into_iter().skip(self.view.offset).take(self.row_limit()).collect(), plan)
    }

    /// The page plan of a result of which all rows were counted but only the rows of the page were read.
    pub fn page_plan_from_row_counts(
        self,
        total: usize,
        by_file: Vec<(String, usize)>,
        unit: &'static str,
    ) -> PagePlan {
        PagePlan {
            total,
            offset: self.view.offset,
            row_noun: unit,
            narrowing_calls: Vec::new(),
            page_call: None,
            row_counts_by_file: by_file,
            are_rows_files: false,
            is_ranked: false,
        }
    }
}

/// The plan of a page: facts about a tool's whole result that describe the rows outside the page.
#[derive(Debug, Clone, Default)]
pub(crate) struct PagePlan {
    /// Number of rows in the whole result.
    pub total: usize,
    /// Number of rows of the result that come before the page.
    pub offset: usize,
    /// The noun for the rows of the result, in the plural.
    pub row_noun: &'static str,
    /// Calls that narrow the result: first those that filter rows, then those that search less of the project. Each has the
    /// number of rows that it leaves, where it leaves rows of this kind.
    pub narrowing_calls: Vec<(AlternativeCall, Option<usize>)>,
    /// The original call, from which the call of the next page is built.
    pub page_call: Option<Call>,
    /// Number of rows of each file in the whole result; empty for a result that is not grouped by file.
    pub row_counts_by_file: Vec<(String, usize)>,
    /// Whether the rows are the files of `row_counts_by_file`, in their order.
    pub are_rows_files: bool,
    /// Whether the best rows come first, so that a reader needs no further page.
    pub is_ranked: bool,
}

/// A call that the caller can make instead or next, with a description of what it returns.
#[derive(Debug, Clone, PartialEq)]
pub struct AlternativeCall {
    /// The call.
    pub call: Call,
    /// What the call returns, such as `12 files` or `next page`.
    pub result_description: String,
}

/// The part of an answer that describes the omitted rows.
#[derive(Debug, Clone, PartialEq)]
pub struct OmittedRows {
    /// Number of rows that the answer shows.
    pub shown: usize,
    /// Number of rows of the whole result.
    pub total: usize,
    /// The offset of the next page; `None` where no call returns a next page.
    pub next_offset: Option<usize>,
    /// Alternative calls, the best first.
    pub alternatives: Vec<AlternativeCall>,
    /// The files with the most rows, with their numbers of rows; empty where fewer than two files have rows.
    pub by_file: Vec<FileCount>,
    /// Number of files that `by_file` omits.
    pub by_file_overflow: Option<usize>,
}

/// The number of rows of a result that are in one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileCount {
    /// The file's path, relative to the project's root.
    pub file: String,
    /// Number of rows of the file.
    pub count: usize,
}

impl PagePlan {
    /// Adds a call that narrows the result to `count` rows, or to as many other things as the noun, singular and plural, says.
    /// Calls that filter rows must be added before calls that search less of the project.
    #[must_use]
    pub fn with_narrowing_call(mut self, call: Call, count: usize, (one, several): (&str, &str)) -> Self {
        let result_description = format_count_with_noun(count, one, several);
        self.narrowing_calls.push((AlternativeCall { call, result_description }, Some(count)));
        self
    }

    /// Adds a call that gives other rows, with a description of what it gives.
    #[must_use]
    pub fn with_other_call(mut self, call: Call, gives: impl Into<String>) -> Self {
        self.narrowing_calls.push((AlternativeCall { call, result_description: gives.into() }, None));
        self
    }

    /// The narrowing calls in the order in which an answer that shows `shown` rows offers them: those that leave at most as
    /// many rows as it shows, or half of all; those that give something else; and of the others the one that leaves least.
    fn ordered_narrowing_calls(&self, shown: usize) -> Vec<AlternativeCall> {
        let most = shown.max(self.total / 2);
        let mut calls = self.narrowing_calls.clone();
        calls.retain(|(_, count)| count.is_none_or(|count| count < self.total));
        // Of equals, what filters rows stays first.
        calls.sort_by_key(|(_, count)| narrowing_rank(*count, most));
        calls.into_iter().map(|(call, _)| call).collect()
    }

    /// Marks the result as ranked: its best rows come first.
    #[must_use]
    pub fn mark_as_ranked(mut self) -> Self {
        self.is_ranked = true;
        self
    }

    /// Sets the original call, from which the call of the next page is built.
    #[must_use]
    pub fn with_original_call_for_paging(mut self, call: Call) -> Self {
        self.page_call = Some(call);
        self
    }

    /// The folder or file to which the result of a search in `scopes` is best narrowed, with its number of rows; `None` where
    /// fewer than two files have rows.
    pub fn narrower_place_and_count(&self, scopes: &[String], kinds: &FileKinds) -> Option<(&str, usize)> {
        narrower_place_and_count(&self.row_counts_by_file, scopes, &|path| kinds.kind(path))
    }

    /// The file with the most rows, with their number, which is no lock file or generated file; `None` where fewer than two
    /// files have rows.
    pub fn file_with_most_rows_and_count(&self, kinds: &FileKinds) -> Option<(&str, usize)> {
        let mut most_first: Vec<&(String, usize)> = self.row_counts_by_file.iter().collect();
        most_first.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let most = most_first.into_iter().find(|(file, _)| kinds.kind(file) != FileKind::Foreign);
        most.filter(|_| self.row_counts_by_file.len() > 1).map(|(file, count)| (file.as_str(), *count))
    }

    /// Removes the counts by file, or else the narrowing calls but the best `kept`, from the description of the omitted rows,
    /// and returns what was removed; `None` where nothing is left to remove. The numbers of rows and the next page stay.
    pub fn remove_file_counts_or_narrowing_calls(&mut self, kept: usize) -> Option<LeftOut> {
        if self.row_counts_by_file.len() > 1 && self.page_call.is_some() {
            let count = std::mem::take(&mut self.row_counts_by_file).len();
            return Some(LeftOut { what: "counts by file", count });
        }
        if self.narrowing_calls.len() > kept {
            let most = self.total / 2;
            // Of equals, what filters rows stays first.
            self.narrowing_calls.sort_by_key(|(_, count)| narrowing_rank(*count, most));
            let count = self.narrowing_calls.len() - kept;
            self.narrowing_calls.truncate(kept);
            return Some(LeftOut { what: "narrower calls", count });
        }
        None
    }

    /// The description of the rows that an answer omits after showing `shown` rows; `None` where no rows remain after
    /// those. `rest` is the call for the omitted rows where no page shows them.
    pub fn omitted_rows_summary_after(&self, shown: usize, rest: Option<Call>) -> Option<OmittedRows> {
        let next_row = self.offset + shown;
        if next_row >= self.total {
            return None;
        }
        let mut alternatives = self.ordered_narrowing_calls(shown);
        let has_next_page = self.page_call.is_some() && shown > 0 && rest.is_none();
        match &self.page_call {
            // An answer without rows would have an identical next page: the caller must change the budget instead.
            Some(page) if shown == 0 => {
                let call_with_wider_budget = page
                    .clone()
                    .with_row_offset(next_row)
                    .without_argument(parameter_name!(OutputOptions, limit))
                    .with_argument(parameter_name!(OutputOptions, max_tokens), MAX_ANSWER_TOKENS);
                alternatives.insert(
                    0,
                    AlternativeCall { call: call_with_wider_budget, result_description: "a wider budget".to_owned() },
                );
            }
            Some(page) => alternatives.push(match rest {
                Some(call) => AlternativeCall { call, result_description: format!("the other {}", self.row_noun) },
                None => AlternativeCall {
                    call: page.clone().with_row_offset(next_row),
                    result_description: "next page".to_owned(),
                },
            }),
            None => {}
        }
        // Rows that are files name those that they show.
        let listed_files = if self.are_rows_files { next_row } else { 0 };
        let mut by_file: Vec<FileCount> = self
            .row_counts_by_file
            .iter()
            .skip(listed_files)
            .map(|(file, count)| FileCount { file: file.clone(), count: *count })
            .collect();
        by_file.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.file.cmp(&b.file)));
        if by_file.len() < 2 {
            by_file.clear();
        }
        let more = by_file.len().saturating_sub(MAX_LISTED_FILE_COUNTS);
        by_file.truncate(MAX_LISTED_FILE_COUNTS);
        Some(OmittedRows {
            shown,
            total: self.total,
            next_offset: has_next_page.then_some(next_row),
            alternatives,
            by_file,
            by_file_overflow: (more > 0).then_some(more),
        })
    }
}

/// The rank of a narrowing call that leaves `count` rows, the lowest first: those that leave at most `most`, those that give
/// something else, and then the one that leaves least.
fn narrowing_rank(count: Option<usize>, most: usize) -> (u8, usize) {
    match count {
        Some(count) if count <= most => (0, 0),
        None => (1, 0),
        Some(count) => (2, count),
    }
}
