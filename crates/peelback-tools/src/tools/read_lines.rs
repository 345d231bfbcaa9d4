//! The tool `read_lines`: exact lines of a file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use peelback_code::{CodeAccess, Completeness, ErrorCategory, Evidence, SourceFile};
use schemars::JsonSchema;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};

use crate::answer::{Answer, AnswerPayload};
use crate::arguments::MAX_TEXT_CHARS;
use crate::budget::{AnswerTokenBudget, DefaultBudget};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_line_range;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::message::Message;
use crate::output_guard::PageLimiter;
use crate::page::{MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::{Location, Reply, ShownDetail};
use crate::retention::ResultKind;
use crate::shorten::clip_text_with_omitted_count;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::tool_call::call;
use crate::view::{OutputOptions, is_default_value};

/// The maximum number of characters of a line. Longer lines are cut unless the call lifts its budget, because minified
/// files have lines of several megabytes.
const MAX_LINE_CHARS: usize = 2_000;

/// The number of characters that remain of a single line that exceeds the budget.
const MAX_SHORTENED_LINE_CHARS: usize = 200;

/// Exact lines of a file.
///
/// Several ranges at once, in the order given; a line that several hold is shown once. A range is `10-40` or `10` (lines from 1, both ends included); the path
/// may carry one: `src/a.rs:10-40`. Without ranges, the whole file as far as it fits.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// The file.
    pub path: String,
    /// 10-40; 10 alone is one line.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub ranges: Vec<String>,
    /// Leave the line numbers out.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub plain: bool,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct ReadLines;

impl Tool for ReadLines {
    type Parameters = Parameters;

    const NAME: &'static str = "read_lines";
    const ALIASES: &'static [&'static str] = &["lines", "read_fragment", "get_lines"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["path", "ranges"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("line_ranges", "ranges"), ("range", "ranges"), ("lines", "ranges")];
    const EXPLAINED_PARAMETERS: &'static [&'static str] = &["ranges"];
    const EXAMPLES: &'static [&'static str] = &[
        "read_lines --path src/main.rs --ranges 10-40",
        "read_lines --path src/main.rs --ranges 1-20 --ranges 90-120",
    ];
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Drill,
        phrase: "gives exact ranges, several at once",
        cost_ranks: &[(100, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Lines;
    const LABEL_PARAMETERS: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 1_500;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(
        access: &CodeAccess,
        context: &CallContext,
        mut parameters: Parameters,
    ) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        if access.project().require_readable_file(&parameters.path).is_err()
            && let Some((path, ranges)) = parameters.path.rsplit_once(':')
            && ranges.split(',').all(|part| parse_line_range(part).is_some())
        {
            parameters.ranges.insert(0, ranges.to_owned());
            parameters.path = path.to_owned();
        }
        let file = access.read_file(&parameters.path).map_err(|error| {
            RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, path))
        })?;
        let count = file.line_count();
        let mut ranges = Vec::new();
        for part in parameters.ranges.iter().flat_map(|ranges| ranges.split([',', ' '])).filter(|part| !part.is_empty())
        {
            let Some((first, last)) = parse_line_range(part) else {
                let error = format!("{part:?} is no range of lines: write 10-40 or 10, lines from 1");
                let retry_call = call!(ReadLines { path: file.path.as_str(), ranges: "1-40" });
                return Err(RecoverableError::new(ErrorCategory::BadUsage, error)
                    .with_hint_and_call("for example: ", retry_call));
            };
            if first > count {
                let error = format!(
                    "{} has {}: nothing stands at {part}",
                    file.path,
                    format_count_with_noun(count as usize, "line", "lines")
                );
                let failure = RecoverableError::new(ErrorCategory::NothingFound, error);
                if count == 0 {
                    return Err(failure.with_hint("the file is empty"));
                }
                let last = format_line_range(count.saturating_sub(39).max(1), count);
                let retry_call = call!(ReadLines { path: file.path.as_str(), ranges: last });
                return Err(failure.with_hint_and_call("its last lines: ", retry_call));
            }
            ranges.push((first, last.min(count)));
        }
        let is_whole_text = ranges.is_empty();
        if is_whole_text {
            ranges.push((1, count));
        }
        let distinct = without_repeated_lines(&ranges);
        // The call of the next page repeats the ranges, and these may be far fewer.
        let call = match shorter_texts_of_ranges(&distinct, &parameters.ranges) {
            Some(texts) => call.with_rewritten_argument(parameter_name!(Parameters, ranges), texts),
            None => call,
        };
        let ranges = distinct;
        let selection =
            LineSelection { ranges: &ranges, is_numbered: !parameters.plain, is_whole_text, is_file: false };
        Ok(selected_lines_reply(access, context, &file, selection, &parameters.view, call, None))
    }
}

/// Parses a line range: `10-40`, `10:40`, `L10-L40`, `10-` (to the end), `-40` (from the start) or `10`.
fn parse_line_range(part: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse::<u32>().ok().filter(|line| *line > 0);
    let part = part.trim();
    match part.split_once(['-', ':', '–']) {
        Some((first, last)) => {
            let first = if first.trim().is_empty() { 1 } else { number(first)? };
            let last = if last.trim().is_empty() { u32::MAX } else { number(last)? };
            (first <= last && part.len() > 1).then_some((first, last))
        }
        None => number(part).map(|line| (line, line)),
    }
}

/// The same lines in the same order, each at its first place only.
fn without_repeated_lines(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    // The ranges so far, by their first lines; none overlap.
    let mut known: BTreeMap<u32, u32> = BTreeMap::new();
    let mut distinct = Vec::with_capacity(ranges.len());
    for &(first, last) in ranges {
        // What is left of the range, from its beginning.
        let mut next = Some(first);
        while let Some(start) = next.filter(|start| *start <= last) {
            if let Some((_, end)) = known.range(..=start).next_back().filter(|(_, end)| **end >= start) {
                next = end.checked_add(1);
                continue;
            }
            let next_known = known.range(start..=last).next().map(|(first, _)| *first);
            let end = next_known.map_or(last, |first| first - 1);
            distinct.push((start, end));
            next = next_known;
            // An unknown part that adjoins the last one lengthens it, so that ranges that grow stay few.
            match known.range_mut(..start).next_back().filter(|(_, known_end)| **known_end + 1 == start) {
                Some((_, known_end)) => *known_end = end,
                None => {
                    known.insert(start, end);
                }
            }
        }
    }
    distinct
}

/// Ranges as few texts, each within the limit of an argument; `None` where `given` says the same and is no longer.
fn shorter_texts_of_ranges(ranges: &[(u32, u32)], given: &[String]) -> Option<Vec<String>> {
    let mut texts: Vec<String> = Vec::new();
    for (first, last) in ranges {
        let range = format_line_range(*first, *last);
        match texts.last_mut().filter(|text| text.len() + 1 + range.len() <= MAX_TEXT_CHARS) {
            Some(text) => {
                text.push(',');
                text.push_str(&range);
            }
            None => texts.push(range),
        }
    }
    let length = |texts: &[String]| texts.iter().map(|text| text.len() + 1).sum::<usize>();
    (length(&texts) < length(given)).then_some(texts)
}

/// The selection of lines of a file that an answer shows.
#[derive(Clone, Copy)]
pub(crate) struct LineSelection<'a> {
    /// The first and last line of each range, counted from 1, both included, within the file. No line is in two.
    pub ranges: &'a [(u32, u32)],
    /// Whether each line has its number as a prefix.
    pub is_numbered: bool,
    /// Whether the call requested the raw text of the whole file.
    pub is_whole_text: bool,
    /// Whether the call is about the whole file, not about single lines.
    pub is_file: bool,
}

/// The lines of the ranges, without line ends, from the one at `offset` on, at most `max_lines`.
fn lines_of_ranges<'t>(
    text: &'t str,
    ranges: &[(u32, u32)],
    offset: usize,
    max_lines: usize,
) -> impl Iterator<Item = (u32, &'t str)> {
    let (mut skipped, mut left) = (offset, max_lines);
    let mut parts = Vec::new();
    for &(first, last) in ranges {
        let lines = (last + 1).saturating_sub(first);
        let skip = u32::try_from(skipped).unwrap_or(u32::MAX).min(lines);
        skipped -= skip as usize;
        let taken = u32::try_from(left).unwrap_or(u32::MAX).min(lines - skip);
        left -= taken as usize;
        if taken > 0 {
            parts.push((first + skip, first + skip + taken - 1));
        }
        if left == 0 {
            break;
        }
    }
    // The text is read once to find where the parts begin, whatever their order is.
    let mut first_lines: Vec<u32> = parts.iter().map(|(first, _)| *first).collect();
    first_lines.sort_unstable();
    let mut starts = HashMap::new();
    let mut wanted = first_lines.into_iter().peekable();
    let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1));
    for (line, start) in (1..).zip(line_starts) {
        let Some(first) = wanted.peek() else { break };
        if *first == line {
            starts.insert(line, start);
            wanted.next();
        }
    }
    parts.into_iter().flat_map(move |(first, last)| {
        let start = starts.get(&first).copied().unwrap_or(text.len());
        (first..=last).zip(text.get(start..).unwrap_or_default().lines())
    })
}

/// The reply with the selected lines of a file.
pub(crate) fn selected_lines_reply(
    access: &CodeAccess,
    context: &CallContext,
    file: &SourceFile,
    selection: LineSelection<'_>,
    view: &OutputOptions,
    call: Call,
    advice: Option<Guidance>,
) -> Reply {
    let mut evidence = Evidence::new_complete("text");
    evidence.notes.extend(file.decoding_note.clone());
    let is_unlimited = view.max_tokens == Some(0);
    let cancellation = access.project().cancellation();
    let total = selection.ranges.iter().map(|(first, last)| (last + 1).saturating_sub(*first) as usize).sum();
    // A caller that names lines wants all of them, so only the budget limits the answer.
    let limiter = PageLimiter::new(view, usize::MAX);
    let max_rows =
        limiter.row_limit().min(AnswerTokenBudget::with_default(context, view, DefaultBudget::OF_SOURCE).max_rows());
    let mut shortened_count = 0;
    let mut lines = Vec::new();
    let mut stop_cause = None;
    for (line, text) in lines_of_ranges(&file.text, selection.ranges, view.offset, max_rows) {
        stop_cause = cancellation.stop_cause();
        if stop_cause.is_some() {
            break;
        }
        let text = if is_unlimited { Cow::Borrowed(text) } else { clip_text_with_omitted_count(text, MAX_LINE_CHARS) };
        shortened_count += usize::from(matches!(text, Cow::Owned(_)));
        lines.push(LineRow { line, text: text.into_owned() });
    }
    if shortened_count > 0 {
        let lines = format_count_with_noun(shortened_count, "line", "lines");
        evidence.add_note(format!("{lines} of more than {MAX_LINE_CHARS} characters shown in part"));
    }
    if let Some(cause) = stop_cause {
        let expected = format_count_with_noun(total, "line", "lines");
        evidence.add_note(format!("{}: {} of {expected} were read", cause.as_str(), lines.len()));
        evidence.lower_completeness_to(Completeness::LowerBound);
    }
    let plan = limiter.page_plan_from_row_counts(total, Vec::new(), "lines");
    let empty_file = file.text.is_empty();
    let (plan, guidance) = if stop_cause.is_some() && lines.is_empty() {
        // No budget shows more of what was not read.
        let again = call.with_row_offset(view.offset);
        (plan, Some(Guidance::MustFollow(Message::from("nothing was read; the call again: ").with_call(again))))
    } else {
        let advice = if empty_file { Some(Guidance::Hint("the file is empty".into())) } else { advice };
        (plan.with_original_call_for_paging(call), advice)
    };
    let LineSelection { is_numbered, is_whole_text, is_file, .. } = selection;
    let head =
        ScalarFields { path: file.path.clone(), line_count: file.line_count(), is_numbered, is_whole_text, is_file };
    let payload = LinesPayload { head, body: NestedFields { ranges: LineRanges(lines) }, is_row_shortened: false };
    Answer { payload, plan, evidence, guidance, is_empty: false }.into_reply(context, view)
}

#[derive(Serialize)]
struct ScalarFields {
    path: String,
    line_count: u32,
    #[serde(skip)]
    is_numbered: bool,
    #[serde(skip)]
    is_whole_text: bool,
    #[serde(skip)]
    is_file: bool,
}

#[derive(Serialize)]
struct NestedFields {
    ranges: LineRanges,
}

struct LineRow {
    line: u32,
    text: String,
}

/// The shown lines of a file; JSON joins consecutive lines to ranges.
struct LineRanges(Vec<LineRow>);

#[derive(Serialize)]
struct LineRangeJson {
    line: u32,
    line_end: u32,
    text: String,
}

impl Serialize for LineRanges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut ranges = serializer.serialize_seq(None)?;
        for run in self.0.chunk_by(|a, b| a.line + 1 == b.line) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            let text: String = run.iter().flat_map(|row| [row.text.as_str(), "\n"]).collect();
            ranges.serialize_element(&LineRangeJson { line: first.line, line_end: last.line, text })?;
        }
        ranges.end()
    }
}

struct LinesPayload {
    head: ScalarFields,
    body: NestedFields,
    /// Whether the only remaining line was shortened to fit the budget.
    is_row_shortened: bool,
}

impl LinesPayload {
    /// The first and last line of each run of consecutive shown lines.
    fn consecutive_line_ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        let runs = self.body.ranges.0.chunk_by(|a, b| a.line + 1 == b.line);
        runs.filter_map(|run| Some((run.first()?.line, run.last()?.line)))
    }
}

impl AnswerPayload for LinesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let shown: Vec<String> =
            self.consecutive_line_ranges().map(|(first, last)| format_line_range(first, last)).collect();
        let lines = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
        format!("{}: lines {lines} of {}", self.head.path, format_with_thousands_separators(self.head.line_count))
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        let mut last = None;
        for LineRow { line, text } in &self.body.ranges.0 {
            if last.is_some_and(|last| last + 1 != *line) {
                page.write_omitted_lines_separator();
            }
            last = Some(*line);
            if self.head.is_numbered {
                page.write_part(PartKind::Number, line);
                page.push_str(": ");
            }
            page.write_part(PartKind::Source, text);
            page.push('\n');
        }
    }

    fn row_count(&self) -> usize {
        self.body.ranges.0.len()
    }

    fn shown_locations(&self) -> Vec<Location> {
        let ScalarFields { path, line_count, is_whole_text, is_file, .. } = &self.head;
        if *is_file {
            return vec![Location {
                is_whole_text: *is_whole_text,
                ..Location::for_whole_file(path, ShownDetail::Read)
            }];
        }
        let location = |lines| Location {
            is_whole_text: *is_whole_text || lines == (1, *line_count),
            ..Location::for_read_line_range(path, lines, String::new())
        };
        self.consecutive_line_ranges().map(location).collect()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.ranges.0.get(index)?;
        Some(format!("{}: {}", row.line, row.text))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        // A single line that exceeds the budget is shortened: otherwise, no page could get past that line.
        if self.is_row_shortened || self.row_count() != 1 {
            return None;
        }
        self.is_row_shortened = true;
        let first = self.body.ranges.0.first_mut()?;
        match clip_text_with_omitted_count(&first.text, MAX_SHORTENED_LINE_CHARS) {
            Cow::Owned(clipped) => first.text = clipped,
            Cow::Borrowed(_) => return None,
        }
        Some(LeftOut { what: "ends of very long lines", count: 1 })
    }

    fn default_budget(&self) -> DefaultBudget {
        DefaultBudget::OF_SOURCE
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.ranges.0.truncate(rows);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{lines_of_ranges, shorter_texts_of_ranges, without_repeated_lines};
    use crate::arguments::MAX_TEXT_CHARS;

    /// The lines of ranges in order, each once.
    fn distinct_lines(ranges: &[(u32, u32)]) -> Vec<u32> {
        let mut seen = std::collections::HashSet::new();
        ranges.iter().flat_map(|(first, last)| *first..=*last).filter(|line| seen.insert(*line)).collect()
    }

    proptest! {
        #[test]
        fn each_line_is_shown_once_where_it_is_named_first(
            ranges in prop::collection::vec((1_u32..40, 0_u32..20), 0..12),
            offset in 0_usize..50,
            max_lines in 0_usize..50,
        ) {
            let ranges: Vec<(u32, u32)> = ranges.into_iter().map(|(first, more)| (first, first + more)).collect();
            let distinct = without_repeated_lines(&ranges);
            let lines: Vec<u32> = distinct.iter().flat_map(|(first, last)| *first..=*last).collect();
            prop_assert_eq!(&lines, &distinct_lines(&ranges));
            let text: String = (1..=60).map(|line| format!("line {line}\n")).collect();
            let page: Vec<u32> = lines.into_iter().skip(offset).take(max_lines).collect();
            let shown: Vec<u32> = lines_of_ranges(&text, &distinct, offset, max_lines)
                .inspect(|(line, text)| assert_eq!(*text, format!("line {line}")))
                .map(|(line, _)| line)
                .collect();
            prop_assert_eq!(shown, page);
        }
    }

    #[test]
    fn the_call_of_the_next_page_is_within_the_limits_of_calls() {
        let lines: Vec<u32> = (1..4_000).step_by(2).collect();
        let ranges = |lines: &[u32]| lines.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let given = [ranges(&lines), ranges(&lines)];
        let distinct: Vec<(u32, u32)> = lines.iter().map(|line| (*line, *line)).collect();
        let shorter = shorter_texts_of_ranges(&distinct, &given).expect("each line stands there twice");
        assert_eq!(shorter.concat().matches(',').count() + shorter.len(), lines.len());
        assert!(shorter.len() < 5 && shorter.iter().all(|text| text.len() <= MAX_TEXT_CHARS), "{shorter:?}");
        // A range that earlier ones divide is shorter as it was given.
        assert_eq!(shorter_texts_of_ranges(&distinct, &["1-4000".to_owned()]), None);
    }

    #[test]
    fn ranges_that_grow_stay_few() {
        let ranges: Vec<(u32, u32)> = (1..100_000).map(|last| (1, last)).collect();
        assert_eq!(without_repeated_lines(&ranges).len(), 99_999);
        assert_eq!(without_repeated_lines(&[(1, 40_000); 5_000]), [(1, 40_000)]);
        assert_eq!(without_repeated_lines(&[(7, u32::MAX), (1, u32::MAX)]), [(7, u32::MAX), (1, 6)]);
    }
}
