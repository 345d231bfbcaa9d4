//! The answer with selected lines of files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::iter;

use peelback_code::{CodeAccess, Completeness, Evidence, SourceFile};
use serde::Serialize;

use super::ranges::{LineRange, PastEnd, fair_counts_within_cost, fair_shares, ranges_of_page, texts_of_ranges};
use super::{MAX_LINE_CHARS, MAX_SHORTENED_LINE_CHARS, Parameters};
use crate::answer::{Answer, AnswerPayload};
use crate::budget::{AnswerTokenBudget, DefaultBudget};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_line_range, format_with_thousands_separators};
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::message::Message;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::reply::{Location, Reply, ShownDetail};
use crate::shorten::clip_text_with_omitted_count;
use crate::view::OutputOptions;

/// The maximum number of ranges that the line about lines which were left out names.
const MAX_NAMED_RANGES: usize = 8;

/// The length of the call that shows lines which were left out, in bytes, from which on it is written by its difference from
/// the call that is answered.
const MAX_CALL_BYTES_AT_RANGE: usize = 300;

/// What a row costs besides its text, in bytes: about the number of its line.
const BYTES_OF_LINE_NUMBER: usize = 8;

/// The selection of lines that an answer shows.
#[derive(Clone, Copy)]
pub(super) struct LineSelection<'a> {
    pub files: &'a [SourceFile],
    /// Ranges of lines that the files have. No line is in two.
    pub ranges: &'a [LineRange],
    /// Ranges that the call names and the files do not have.
    pub past_ends: &'a [PastEnd],
    pub form: LinesForm,
}

/// How lines are shown, and what the call is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinesForm {
    /// Whether each line has its number as a prefix.
    pub is_numbered: bool,
    /// Whether the call requested the raw text of the whole file.
    pub is_whole_text: bool,
    /// Whether the call is about the whole file, not about single lines.
    pub is_file: bool,
}

/// The byte offsets at which lines begin, by the numbers of the lines. The text is read once, whatever the order of the lines
/// is.
fn starts_of_lines(text: &str, mut lines: Vec<u32>) -> HashMap<u32, usize> {
    lines.sort_unstable();
    lines.dedup();
    let mut starts = HashMap::with_capacity(lines.len());
    let mut wanted = lines.into_iter().peekable();
    let line_starts = iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1));
    for (line, start) in (1..).zip(line_starts) {
        let Some(first) = wanted.peek() else { break };
        if *first == line {
            starts.insert(line, start);
            wanted.next();
        }
    }
    starts
}

/// The lines of a range without their line ends, at most `max_lines`.
fn lines_of_range<'t>(
    text: &'t str,
    starts: &HashMap<u32, usize>,
    range: LineRange,
    max_lines: usize,
) -> impl Iterator<Item = (u32, &'t str)> {
    let start = starts.get(&range.first).copied().unwrap_or(text.len());
    (range.first..=range.last).zip(text.get(start..).unwrap_or_default().lines()).take(max_lines)
}

/// The reply with selected lines of files.
pub(super) fn selected_lines_reply(
    access: &CodeAccess,
    context: &CallContext,
    selection: LineSelection<'_>,
    view: &OutputOptions,
    call: Call,
    advice: Option<Guidance>,
) -> Reply {
    let LineSelection { files, ranges, past_ends, form } = selection;
    let mut evidence = Evidence::new_complete("text");
    for file in files {
        evidence.notes.extend(file.decoding_note.as_ref().map(|note| match files.len() {
            1 => note.clone(),
            _ => format!("{}: {note}", file.path),
        }));
    }
    evidence.notes.extend(past_ends.iter().filter_map(|past| Some(past.describe(files.get(past.file)?))));
    let is_unlimited = view.max_tokens == Some(0);
    let cancellation = access.project().cancellation();
    let total = ranges.iter().map(|range| range.line_count()).sum();
    // A caller that names lines wants all of them, so only the budget limits the answer.
    let limiter = PageLimiter::new(view, usize::MAX);
    let page = ranges_of_page(ranges, view.offset, limiter.row_limit());
    let max_rows = AnswerTokenBudget::with_default(context, view, DefaultBudget::OF_SOURCE).max_rows();
    let counts = fair_shares(&page.iter().map(|range| range.line_count()).collect::<Vec<_>>(), max_rows);
    let starts_by_file: Vec<HashMap<u32, usize>> = files
        .iter()
        .enumerate()
        .map(|(index, file)| {
            let firsts = page.iter().filter(|range| range.file == index).map(|range| range.first).collect();
            starts_of_lines(&file.text, firsts)
        })
        .collect();
    let mut shortened_count = 0;
    let mut shown_ranges: Vec<ShownRange> =
        page.iter().map(|range| ShownRange { range: *range, rows: Vec::new() }).collect();
    let mut stop_cause = None;
    'ranges: for (shown, max_lines) in shown_ranges.iter_mut().zip(counts) {
        let (Some(file), Some(starts)) = (files.get(shown.range.file), starts_by_file.get(shown.range.file)) else {
            continue;
        };
        for (line, text) in lines_of_range(&file.text, starts, shown.range, max_lines) {
            stop_cause = cancellation.stop_cause();
            if stop_cause.is_some() {
                break 'ranges;
            }
            let text =
                if is_unlimited { Cow::Borrowed(text) } else { clip_text_with_omitted_count(text, MAX_LINE_CHARS) };
            shortened_count += usize::from(matches!(text, Cow::Owned(_)));
            shown.rows.push(LineRow { line, text: text.into_owned() });
        }
    }
    let read_count: usize = shown_ranges.iter().map(|shown| shown.rows.len()).sum();
    if shortened_count > 0 {
        let lines = format_count_with_noun(shortened_count, "line", "lines");
        evidence.add_note(format!("{lines} of more than {MAX_LINE_CHARS} characters shown in part"));
    }
    if let Some(cause) = stop_cause {
        let expected = format_count_with_noun(total, "line", "lines");
        evidence.add_note(format!("{}: {read_count} of {expected} could be read", cause.as_str()));
        evidence.lower_completeness_to(Completeness::LowerBound);
    }
    let plan = limiter.page_plan_from_row_counts(total, Vec::new(), "lines");
    let is_empty_file = matches!(files, [file] if file.text.is_empty());
    let (plan, guidance) = if stop_cause.is_some() && read_count == 0 {
        // No budget shows more of what was not read.
        let again = call.clone().with_row_offset(view.offset);
        (plan, Some(Guidance::MustFollow(Message::from("nothing was read; repeat the call: ").with_call(again))))
    } else {
        let advice = if is_empty_file { Some(Guidance::Hint("the file is empty".into())) } else { advice };
        (plan.with_original_call_for_paging(call.clone()), advice)
    };
    let files: Vec<FileRow> =
        files.iter().map(|file| FileRow { path: file.path.clone(), line_count: file.line_count() }).collect();
    let (head, files) = match <[FileRow; 1]>::try_from(files) {
        Ok([FileRow { path, line_count }]) => {
            (ScalarFields { path: Some(path), line_count: Some(line_count) }, Vec::new())
        }
        Err(several) => (ScalarFields::default(), several),
    };
    let page_lines: usize = page.iter().map(|range| range.line_count()).sum();
    let later_ranges = ranges_of_page(ranges, view.offset.saturating_add(page_lines), usize::MAX);
    let payload = LinesPayload {
        head,
        files,
        ranges: shown_ranges,
        later_ranges,
        is_one_range: ranges.len() == 1,
        form,
        call,
        is_row_shortened: false,
    };
    Answer { payload, plan, evidence, guidance, is_empty: false }.into_reply(context, view)
}

/// The file, where it is one.
#[derive(Default, Serialize)]
struct ScalarFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_count: Option<u32>,
}

#[derive(Serialize)]
struct FileRow {
    path: String,
    line_count: u32,
}

#[derive(Serialize)]
struct NestedFields<'a> {
    /// The files, where they are several.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    files: &'a [FileRow],
    /// The shown lines; consecutive ones are joined.
    ranges: Vec<LineRangeJson<'a>>,
    /// The lines of several ranges that do not fit, which no page of the answer shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ranges_left_out: Vec<OmittedRangeJson<'a>>,
}

#[derive(Serialize)]
struct LineRangeJson<'a> {
    /// The file, where they are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    line: u32,
    line_end: u32,
    text: String,
}

#[derive(Serialize)]
struct OmittedRangeJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    line: u32,
    line_end: u32,
}

struct LineRow {
    line: u32,
    text: String,
}

/// A range, and of its lines those that are shown: its beginning.
struct ShownRange {
    range: LineRange,
    rows: Vec<LineRow>,
}

impl ShownRange {
    /// The lines that are not shown.
    fn left_out(&self) -> Option<LineRange> {
        self.range.after_first_lines(self.rows.len())
    }
}

struct LinesPayload {
    head: ScalarFields,
    /// The files, where they are several.
    files: Vec<FileRow>,
    ranges: Vec<ShownRange>,
    /// The ranges that come after this page.
    later_ranges: Vec<LineRange>,
    /// Whether the call names one range: the next page shows the rest of it.
    is_one_range: bool,
    form: LinesForm,
    /// The call that is answered.
    call: Call,
    /// Whether the only remaining line was shortened to fit the budget.
    is_row_shortened: bool,
}

impl LinesPayload {
    /// The path of a file where there are several.
    fn path_if_several(&self, file: usize) -> Option<&str> {
        self.files.get(file).map(|file| file.path.as_str())
    }

    fn path(&self, file: usize) -> &str {
        self.path_if_several(file).or(self.head.path.as_deref()).unwrap_or("")
    }

    /// The shown lines, each with the number of its file.
    fn rows(&self) -> impl Iterator<Item = (usize, &LineRow)> {
        self.ranges.iter().flat_map(|shown| shown.rows.iter().map(|row| (shown.range.file, row)))
    }

    /// The runs of consecutive shown lines.
    fn consecutive_line_ranges(&self) -> Vec<LineRange> {
        let mut runs: Vec<LineRange> = Vec::new();
        for (file, row) in self.rows() {
            match runs.last_mut().filter(|run| run.file == file && run.last.checked_add(1) == Some(row.line)) {
                Some(run) => run.last = row.line,
                None => runs.push(LineRange { file, first: row.line, last: row.line }),
            }
        }
        runs
    }

    /// What no page after this one shows: the lines of several ranges that are left out before others that are shown.
    fn ranges_left_out(&self) -> Vec<LineRange> {
        let last_shown = self.ranges.iter().rposition(|shown| !shown.rows.is_empty()).unwrap_or(0);
        let is_prefix = self.ranges.iter().take(last_shown).all(|shown| shown.left_out().is_none());
        if is_prefix { Vec::new() } else { self.ranges.iter().filter_map(ShownRange::left_out).collect() }
    }

    /// The call that shows ranges of lines.
    fn call_for_ranges(&self, ranges: &[LineRange]) -> Call {
        let first_file = ranges.first().map_or(0, |range| range.file);
        let mut texts = Vec::new();
        for run in ranges.chunk_by(|a, b| a.file == b.file) {
            let file = run.first().map_or(0, |range| range.file);
            let prefix = if file == first_file { String::new() } else { format!("{}:", self.path(file)) };
            texts.extend(texts_of_ranges(&prefix, run.iter().map(|range| (range.first, range.last))));
        }
        self.call
            .clone()
            .with_argument(parameter_name!(Parameters, path), self.path(first_file))
            .with_argument(parameter_name!(Parameters, ranges), texts)
    }

    /// Writes a line that says which lines are left out here.
    fn write_left_out_lines(&self, ranges: &[LineRange], context: &CallContext, page: &mut MarkedText) {
        let Some(file) = ranges.first().map(|range| range.file) else { return };
        let named: Vec<String> =
            ranges.iter().take(MAX_NAMED_RANGES).map(|range| format_line_range(range.first, range.last)).collect();
        let more = match ranges.len() - named.len() {
            0 => String::new(),
            more => format!(" and {} more", format_count_with_noun(more, "range", "ranges")),
        };
        let of_file = self.path_if_several(file).map_or_else(String::new, |path| format!(" of {path}"));
        let one_line = matches!(ranges, [range] if range.line_count() == 1);
        let noun = if one_line { "line" } else { "lines" };
        let call = self
            .call_for_ranges(ranges)
            .without_argument(parameter_name!(OutputOptions, limit))
            .with_max_command_bytes(MAX_CALL_BYTES_AT_RANGE);
        let _ = write!(page, "{noun} {}{more}{} left out:", named.join(", "), EscapedToOneLine(of_file));
        page.write_call_on_own_line(&context.format_call(&call));
        page.push('\n');
    }
}

impl AnswerPayload for LinesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = NestedFields<'a>;

    fn summary_line(&self) -> String {
        let runs = self.consecutive_line_ranges();
        let lines_of_file = |file: usize, path: &str, line_count: u32| {
            let shown: Vec<String> =
                runs.iter().filter(|run| run.file == file).map(|run| format_line_range(run.first, run.last)).collect();
            let lines = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
            format!("{path}: lines {lines} of {}", format_with_thousands_separators(line_count))
        };
        match self.files.as_slice() {
            [] => lines_of_file(0, self.path(0), self.head.line_count.unwrap_or(0)),
            files => {
                let parts = files.iter().enumerate();
                parts
                    .map(|(index, file)| lines_of_file(index, &file.path, file.line_count))
                    .collect::<Vec<_>>()
                    .join("; ")
            }
        }
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> NestedFields<'_> {
        let mut rows = self.rows();
        let ranges = self.consecutive_line_ranges().into_iter().map(|run| {
            let lines = rows.by_ref().take(run.line_count());
            let text = lines.flat_map(|(_, row)| [row.text.as_str(), "\n"]).collect();
            LineRangeJson { path: self.path_if_several(run.file), line: run.first, line_end: run.last, text }
        });
        let ranges = ranges.collect();
        let left_out = self.ranges_left_out().into_iter().map(|LineRange { file, first, last }| OmittedRangeJson {
            path: self.path_if_several(file),
            line: first,
            line_end: last,
        });
        NestedFields { files: &self.files, ranges, ranges_left_out: left_out.collect() }
    }

    fn write_rows(&self, context: &CallContext, page: &mut MarkedText) {
        let mut last: Option<(usize, u32)> = None;
        let mut left_out: Vec<LineRange> = Vec::new();
        let mut heading = None;
        for shown in &self.ranges {
            let file = shown.range.file;
            if !shown.rows.is_empty() || left_out.last().is_some_and(|before| before.file != file) {
                last = last.filter(|_| left_out.is_empty());
                self.write_left_out_lines(&std::mem::take(&mut left_out), context, page);
            }
            for LineRow { line, text } in &shown.rows {
                match last.replace((file, *line)) {
                    Some((before, line_before)) if before == file && line_before.checked_add(1) != Some(*line) => {
                        page.write_omitted_lines_separator();
                    }
                    _ => {}
                }
                if heading.replace(file) != Some(file)
                    && let Some(path) = self.path_if_several(file)
                {
                    if page.has_part_of_kind(PartKind::Source) {
                        page.push('\n');
                    }
                    page.write_file_heading_line(path);
                }
                if self.form.is_numbered {
                    page.write_part(PartKind::Number, line);
                    page.push_str(": ");
                }
                page.write_part(PartKind::Source, text);
                page.push('\n');
            }
            if let Some(rest) = shown.left_out().filter(|_| !self.is_one_range) {
                left_out.push(rest);
                if !shown.rows.is_empty() {
                    self.write_left_out_lines(&std::mem::take(&mut left_out), context, page);
                    last = None;
                }
            }
        }
        self.write_left_out_lines(&left_out, context, page);
    }

    fn row_count(&self) -> usize {
        self.ranges.iter().map(|shown| shown.rows.len()).sum()
    }

    fn call_for_omitted_rows(&self) -> Option<Call> {
        let mut ranges = self.ranges_left_out();
        if ranges.is_empty() {
            return None;
        }
        ranges.extend(&self.later_ranges);
        Some(self.call_for_ranges(&ranges))
    }

    fn shown_locations(&self) -> Vec<Location> {
        let LinesForm { is_whole_text, is_file, .. } = self.form;
        if is_file {
            return vec![Location { is_whole_text, ..Location::for_whole_file(self.path(0), ShownDetail::Read) }];
        }
        let location = |LineRange { file, first, last }| {
            let line_count = self.files.get(file).map(|file| file.line_count).or(self.head.line_count);
            Location {
                is_whole_text: is_whole_text || (first == 1 && Some(last) == line_count),
                ..Location::for_read_line_range(self.path(file), (first, last), String::new())
            }
        };
        self.consecutive_line_ranges().into_iter().map(location).collect()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let (_, row) = self.rows().nth(index)?;
        Some(format!("{}: {}", row.line, row.text))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        // A single line that exceeds the budget is shortened: otherwise, no page could get past that line.
        if self.is_row_shortened || self.row_count() != 1 {
            return None;
        }
        self.is_row_shortened = true;
        let first = self.ranges.iter_mut().find_map(|shown| shown.rows.first_mut())?;
        match clip_text_with_omitted_count(&first.text, MAX_SHORTENED_LINE_CHARS) {
            Cow::Owned(clipped) => first.text = clipped,
            Cow::Borrowed(_) => return None,
        }
        Some(LeftOut { what: "ends of very long lines", count: 1 })
    }

    fn default_budget(&self) -> DefaultBudget {
        DefaultBudget::OF_SOURCE
    }

    /// The budget is shared: each range keeps its beginning, and short ranges are whole before long ones are cut.
    fn keep_first_rows(&mut self, rows: usize) {
        let shown = self.row_count();
        if rows >= shown {
            return;
        }
        if let [only] = self.ranges.as_mut_slice() {
            only.rows.truncate(rows);
            return;
        }
        let cost = |row: &LineRow| row.text.len() + BYTES_OF_LINE_NUMBER;
        let costs: Vec<Vec<usize>> = self.ranges.iter().map(|shown| shown.rows.iter().map(cost).collect()).collect();
        let total: usize = costs.iter().flatten().sum();
        let counts = fair_counts_within_cost(&costs, total.saturating_mul(rows) / shown.max(1));
        let is_nothing_kept = counts.iter().all(|count| *count == 0);
        let mut kept_one = false;
        for (shown, count) in self.ranges.iter_mut().zip(counts) {
            let is_first = is_nothing_kept && !kept_one && rows > 0 && !shown.rows.is_empty();
            kept_one |= is_first;
            shown.rows.truncate(count.max(usize::from(is_first)));
        }
    }
}
