//! The answer of `grep` whose rows are lines or matches.

use std::fmt::Write as _;

use peelback_code::{FileMatches, GrepQuery, LineKind, RowUnit};
use serde::Serialize;

use crate::answer::AnswerPayload;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::left_out::LeftOut;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::place::{PlaceRow, byte_column_if_different};
use crate::view::is_default_value;

/// What the rows of an answer are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowNoun {
    Line,
    /// A match, and whether it is shown as its text alone.
    Match {
        is_text: bool,
    },
}

impl RowNoun {
    pub(super) fn of_query(query: &GrepQuery) -> Self {
        match query.row_unit {
            _ if query.invert => Self::Line,
            RowUnit::Line => Self::Line,
            RowUnit::LineOfMatch => Self::Match { is_text: false },
            RowUnit::MatchedText => Self::Match { is_text: true },
        }
    }

    pub(super) fn one_and_several(self) -> (&'static str, &'static str) {
        match self {
            Self::Line => ("line", "lines"),
            Self::Match { .. } => ("match", "matches"),
        }
    }

    pub(super) fn several(self) -> &'static str {
        self.one_and_several().1
    }

    pub(super) fn format_count(self, count: usize) -> String {
        let (one, several) = self.one_and_several();
        format_count_with_noun(count, one, several)
    }
}

pub(super) fn summary_line_of_matches(count: usize, unit: RowNoun, head: &ScalarFields) -> String {
    format!(
        "{}{} in {} ({} searched)",
        unit.format_count(count),
        if unit == RowNoun::Line { " matching" } else { "" },
        format_count_with_noun(head.files_matched, "file", "files"),
        head.files_searched
    )
}

pub(super) fn match_and_context_rows_of_file(file: FileMatches) -> impl Iterator<Item = MatchRow> {
    let FileMatches { entry, lines } = file;
    let path = entry.path;
    lines.into_iter().map(move |line| {
        let is_context = line.kind == LineKind::Context;
        MatchRow {
            path: path.clone(),
            line: line.line,
            column: (!is_context).then_some(line.column),
            byte_column: byte_column_if_different(line.column, line.byte_column),
            text: line.text,
            is_context,
            owner: line.enclosing_symbol,
        }
    })
}

#[derive(Clone, Default, Serialize)]
pub(super) struct ScalarFields {
    pub(super) pattern: String,
    pub(super) files_matched: usize,
    pub(super) files_searched: usize,
    /// Number of all matching lines, where files are listed with theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines_total: Option<usize>,
    /// Number of all matches, where files are listed with theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) matches_total: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct NestedFields {
    pub(super) matches: Vec<MatchRow>,
}

#[derive(Serialize)]
pub(super) struct MatchRow {
    path: String,
    line: u32,
    /// Where the match begins, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Where the match begins, in bytes, if that is another number.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_column: Option<u32>,
    text: String,
    #[serde(skip_serializing_if = "is_default_value")]
    is_context: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
}

pub(super) struct MatchingLinesPayload {
    pub(super) head: ScalarFields,
    pub(super) total: usize,
    pub(super) unit: RowNoun,
    pub(super) body: NestedFields,
}

impl MatchingLinesPayload {
    pub(super) fn count_shown_files(&self) -> usize {
        self.body.matches.chunk_by(|a, b| a.path == b.path).count()
    }
}

impl AnswerPayload for MatchingLinesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        summary_line_of_matches(self.total, self.unit, &self.head)
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        let is_text_of_match = self.unit == RowNoun::Match { is_text: true };
        let has_context_lines = self.body.matches.iter().any(|row| row.is_context);
        let mut path = "";
        let mut owner: Option<&str> = None;
        let mut last = 0;
        for row in &self.body.matches {
            if row.path != path {
                if !path.is_empty() {
                    page.push('\n');
                }
                path = &row.path;
                owner = None;
                page.write_file_heading_line(path);
            } else if has_context_lines && row.line > last + 1 {
                page.write_omitted_lines_separator();
            }
            last = row.line;
            if row.is_context {
                page.write_part(PartKind::Number, format_args!("{}-", row.line));
            } else {
                page.write_part(PartKind::Number, row.line);
                page.push(':');
            }
            page.push(' ');
            page.write_part(PartKind::Source, &row.text);
            // Consecutive matches in one symbol name the symbol once. A text that matches needs no owner if it is its name.
            if !row.is_context && row.owner.as_deref() != owner {
                owner = row.owner.as_deref();
                match owner {
                    Some(owner) if !is_text_of_match || row.text != owner => {
                        let _ = write!(page, "  [in {}]", EscapedToOneLine(owner));
                    }
                    Some(_) => {}
                    None => page.push_str("  [top level]"),
                }
            }
            page.push('\n');
        }
    }

    fn rows_cut_from_lines(&self) -> Vec<PlaceRow<'_>> {
        match self.unit {
            RowNoun::Match { is_text: true } => self.place_rows(),
            _ => Vec::new(),
        }
    }

    fn place_rows(&self) -> Vec<PlaceRow<'_>> {
        let rows = self.body.matches.iter().filter(|row| !row.is_context);
        rows.map(|row| PlaceRow {
            path: &row.path,
            line: row.line,
            byte_column: row.byte_column.or(row.column).unwrap_or(1),
            text: row.text.as_str().into(),
        })
        .collect()
    }

    fn row_count(&self) -> usize {
        self.body.matches.iter().filter(|row| !row.is_context).count()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.matches.iter().filter(|row| !row.is_context).nth(index)?;
        Some(format!("{}:{}: {}", row.path, row.line, row.text.trim()))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        let before = self.body.matches.len();
        self.body.matches.retain(|row| !row.is_context);
        let count = before - self.body.matches.len();
        (count > 0).then_some(LeftOut { what: "context lines", count })
    }

    fn keep_first_rows(&mut self, rows: usize) {
        let mut kept = 0;
        self.body.matches.retain(|row| {
            kept += usize::from(!row.is_context);
            kept <= rows
        });
    }
}
