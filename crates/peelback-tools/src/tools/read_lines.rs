//! The tool `read_lines`: exact lines of a file.

use std::borrow::Cow;

use peelback_code::{CodeAccess, Evidence, Fault, SourceFile};
use schemars::JsonSchema;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};

use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::line_range;
use crate::counts::{counted, grouped};
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::{Page, Part};
use crate::parameter_name::parameter_name;
use crate::recover::RecoverableError;
use crate::reply::{Closeness, Place, Reply};
use crate::retention::ResultKind;
use crate::shorten::clip_counted;
use crate::tool::Tool;
use crate::tool_call::call;
use crate::view::{View, is_default};

/// Longer lines are cut unless the call lifts its budget, because minified files have lines of several megabytes.
const MAX_LINE_CHARS: usize = 2_000;

/// The characters that remain of a single line that exceeds the budget.
const SHORT_LINE_CHARS: usize = 200;

/// Exact lines of a file.
///
/// Several ranges at once, in the order given. A range is `10-40` or `10` (lines from 1, both ends included); the path
/// may carry one: `src/a.rs:10-40`. Without ranges, the whole file as far as it fits.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// The file.
    pub path: String,
    /// 10-40; 10 alone is one line.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ranges: Vec<String>,
    /// Leave the line numbers out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub plain: bool,
    #[serde(flatten)]
    pub view: View,
}

pub struct ReadLines;

impl Tool for ReadLines {
    type Parameters = Parameters;

    const NAME: &'static str = "read_lines";
    const ALIASES: &'static [&'static str] = &["lines", "read_fragment", "get_lines"];
    const POSITIONAL: &'static [&'static str] = &["path", "ranges"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("line_ranges", "ranges"), ("range", "ranges"), ("lines", "ranges")];
    const EXPLAINED: &'static [&'static str] = &["ranges"];
    const EXAMPLES: &'static [&'static str] = &[
        "read_lines --path src/main.rs --ranges 10-40",
        "read_lines --path src/main.rs --ranges 1-20 --ranges 90-120",
    ];
    const RESULT: ResultKind = ResultKind::Lines;
    const SUBJECT: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 1_500;

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, context: &CallContext, mut parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::with_parameters(Self::NAME, &parameters);
        if access.project().file(&parameters.path).is_err()
            && let Some((path, ranges)) = parameters.path.rsplit_once(':')
            && ranges.split(',').all(|part| parse(part).is_some())
        {
            parameters.ranges.insert(0, ranges.to_owned());
            parameters.path = path.to_owned();
        }
        let file = access
            .read(&parameters.path)
            .map_err(|error| RecoverableError::from_code(context, &error, &call, parameter_name!(Parameters, path)))?;
        let count = file.line_count();
        let mut ranges = Vec::new();
        for part in parameters.ranges.iter().flat_map(|ranges| ranges.split([',', ' '])).filter(|part| !part.is_empty())
        {
            let Some((first, last)) = parse(part) else {
                let error = format!("{part:?} is no range of lines: write 10-40 or 10, lines from 1");
                let again = call!(ReadLines { path: file.path.as_str(), ranges: "1-40" });
                return Err(RecoverableError::new(Fault::BadUsage, error).hint_call("for example: ", again));
            };
            if first > count {
                let error =
                    format!("{} has {}: nothing stands at {part}", file.path, counted(count as usize, "line", "lines"));
                let failure = RecoverableError::new(Fault::NothingFound, error);
                if count == 0 {
                    return Err(failure.hint("the file is empty"));
                }
                let last = line_range(count.saturating_sub(39).max(1), count);
                let again = call!(ReadLines { path: file.path.as_str(), ranges: last });
                return Err(failure.hint_call("its last lines: ", again));
            }
            ranges.push((first, last.min(count)));
        }
        let is_whole_text = ranges.is_empty();
        if is_whole_text {
            ranges.push((1, count));
        }
        let selection = Selection { ranges: &ranges, is_numbered: !parameters.plain, is_whole_text, is_file: false };
        Ok(lines_reply(context, &file, selection, &parameters.view, call, None))
    }
}

/// Parses a line range: `10-40`, `10:40`, `L10-L40`, `10-` (to the end), `-40` (from the start) or `10`.
fn parse(part: &str) -> Option<(u32, u32)> {
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

/// The selection of lines that an answer shows.
#[derive(Clone, Copy)]
pub(crate) struct Selection<'a> {
    /// The first and last line of each range, counted from 1, both included.
    pub ranges: &'a [(u32, u32)],
    /// Whether each line has its number as a prefix.
    pub is_numbered: bool,
    /// Whether the call requested the raw text of the whole file.
    pub is_whole_text: bool,
    /// Whether the call is about the whole file, not about single lines.
    pub is_file: bool,
}

/// The reply with the selected lines of a file.
pub(crate) fn lines_reply(
    context: &CallContext,
    file: &SourceFile,
    selection: Selection<'_>,
    view: &View,
    call: Call,
    advice: Option<Guidance>,
) -> Reply {
    let mut evidence = Evidence::complete("text");
    evidence.notes.extend(file.decoding.clone());
    let unlimited = view.max_tokens == Some(0);
    let mut shortened = 0;
    let mut lines = Vec::new();
    for &(first, last) in selection.ranges {
        for (line, text) in (first..=last).zip(file.lines(first, last).lines()) {
            let text = if unlimited { Cow::Borrowed(text) } else { clip_counted(text, MAX_LINE_CHARS) };
            shortened += usize::from(matches!(text, Cow::Owned(_)));
            lines.push(LineRow { line, text: text.into_owned() });
        }
    }
    if shortened > 0 {
        let lines = counted(shortened, "line", "lines");
        evidence.note(format!("{lines} of more than {MAX_LINE_CHARS} characters shown in part"));
    }
    let total = lines.len();
    // A caller that names lines wants all of them, so only the budget limits the answer.
    let (lines, plan) = OutputGuard::new(view, usize::MAX).cap_items(lines, total, "lines");
    let plan = plan.paged(call);
    let empty_file = file.text.is_empty();
    let guidance = if empty_file { Some(Guidance::Hint("the file is empty".into())) } else { advice };
    let Selection { is_numbered, is_whole_text, is_file, .. } = selection;
    let head = Head { path: file.path.clone(), line_count: file.line_count(), is_numbered, is_whole_text, is_file };
    let payload = Lines { head, body: Body { ranges: Ranges(lines) }, shortened: false };
    Answer { payload, plan, evidence, guidance, empty: false }.finish(context, view)
}

#[derive(Serialize)]
struct Head {
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
struct Body {
    ranges: Ranges,
}

struct LineRow {
    line: u32,
    text: String,
}

/// Lines, joined to ranges in JSON.
struct Ranges(Vec<LineRow>);

#[derive(Serialize)]
struct RangeWire {
    line: u32,
    line_end: u32,
    text: String,
}

impl Serialize for Ranges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut ranges = serializer.serialize_seq(None)?;
        for run in self.0.chunk_by(|a, b| a.line + 1 == b.line) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            let text: String = run.iter().flat_map(|row| [row.text.as_str(), "\n"]).collect();
            ranges.serialize_element(&RangeWire { line: first.line, line_end: last.line, text })?;
        }
        ranges.end()
    }
}

struct Lines {
    head: Head,
    body: Body,
    /// Whether the only remaining row was shortened.
    shortened: bool,
}

impl Lines {
    /// The first and last line of each run of consecutive shown lines.
    fn runs(&self) -> impl Iterator<Item = (u32, u32)> {
        let runs = self.body.ranges.0.chunk_by(|a, b| a.line + 1 == b.line);
        runs.filter_map(|run| Some((run.first()?.line, run.last()?.line)))
    }
}

impl Payload for Lines {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let shown: Vec<String> = self.runs().map(|(first, last)| line_range(first, last)).collect();
        let lines = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
        format!("{}: lines {lines} of {}", self.head.path, grouped(self.head.line_count))
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        let mut last = None;
        for LineRow { line, text } in &self.body.ranges.0 {
            if last.is_some_and(|last| last + 1 != *line) {
                page.gap();
            }
            last = Some(*line);
            if self.head.is_numbered {
                page.put(Part::Number, line);
                page.push_str(": ");
            }
            page.put(Part::Source, text);
            page.push('\n');
        }
    }

    fn shown(&self) -> usize {
        self.body.ranges.0.len()
    }

    fn places(&self) -> Vec<Place> {
        let Head { path, line_count, is_whole_text, is_file, .. } = &self.head;
        if *is_file {
            return vec![Place { is_whole_text: *is_whole_text, ..Place::file(path, Closeness::Read) }];
        }
        let place = |lines| Place {
            is_whole_text: *is_whole_text || lines == (1, *line_count),
            ..Place::lines(path, lines, String::new())
        };
        self.runs().map(place).collect()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.ranges.0.get(index)?;
        Some(format!("{}: {}", row.line, row.text))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        // A single line that exceeds the budget is shortened: otherwise, no page could get past that line.
        if self.shortened || self.shown() != 1 {
            return None;
        }
        self.shortened = true;
        let first = self.body.ranges.0.first_mut()?;
        match clip_counted(&first.text, SHORT_LINE_CHARS) {
            Cow::Owned(clipped) => first.text = clipped,
            Cow::Borrowed(_) => return None,
        }
        Some("the end of a very long line")
    }

    fn truncate(&mut self, rows: usize) {
        self.body.ranges.0.truncate(rows);
    }
}
