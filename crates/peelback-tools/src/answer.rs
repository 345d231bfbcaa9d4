//! Answers: from a tool's payload to the text or JSON that a caller sees.

use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence, Fault};
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::json;

use crate::docs::DocumentationMode;
use crate::guard::{Budget, Overflow, Plan};
use crate::recover::RecoverableError;
use crate::view::{Format, View};

/// What the caller should do next; the name of the level is part of the message, and an answer has at most one.
///
/// The levels are chosen by what ignoring them does. `hint`: nothing; it names a next step or the call that was meant.
/// `warning`: the answer stands, but another call would be the better one (a result of over ten pages, the
/// text of code whose outline would do). `must_follow`: the caller who goes on as if it had not read it states something
/// false. Its uses are these, and a new one needs a case of its own in this list and in the test that holds them under a
/// tenth of all recoverable errors:
///
/// - nothing was found, but part of what was asked about could not be looked at, so that "it does not exist" does not
///   follow (`find_symbols`, `read_symbol`), nor that nobody uses it (`find_references`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guidance {
    /// Take it or leave it.
    Hint(String),
    /// The answer is right but off the good path.
    Warning(String),
    /// Ignoring it gives wrong results.
    MustFollow(String),
}

impl Guidance {
    /// The field's name and its text.
    pub fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Hint(text) => ("hint", text),
            Self::Warning(text) => ("warning", text),
            Self::MustFollow(text) => ("must_follow", text),
        }
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyStatus {
    /// With an answer.
    Found,
    /// With an answer that is empty.
    Empty,
    /// With an error that the caller can mend.
    Failed(Fault),
    /// With arguments that do not fit the tool's schema.
    InvalidArguments,
}

/// Rows that are worth more than the calls and counts verbosity them.
const FEW_ROWS: usize = 3;

/// Whoever pages through more than this has asked too wide a question.
const MANY_PAGES: usize = 10;

/// Rows that a preview shows.
const PREVIEW_ROWS: usize = 8;

/// Bytes within which verdict, counts, evidence and the next call stand: what a host shows before it cuts.
const HEAD_BYTES: usize = 2_000;

/// What a caller gets.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Text or JSON, ending in a newline.
    pub output: String,
    /// How the call ended.
    pub status: ReplyStatus,
    /// The answer for a person who looks on: what was found, its first rows, and how many more there are.
    pub preview: String,
}

/// What a tool found.
pub(crate) trait Payload {
    /// The scalars of the answer.
    type Head: Serialize;
    /// Its arrays and objects.
    type Body: Serialize;

    /// The first line: what was found, with counts.
    fn verdict(&self) -> String;
    /// The scalars.
    fn head(&self) -> &Self::Head;
    /// The arrays.
    fn body(&self) -> &Self::Body;
    /// The rows as text.
    fn write_rows(&self, out: &mut String);
    /// How many rows it holds.
    fn shown(&self) -> usize;
    /// The row of this index in a few words.
    fn title(&self, index: usize) -> Option<String>;
    /// Takes one step down the ladder and names what it left out; `None` at the foot.
    fn degrade(&mut self) -> Option<&'static str>;
    /// Keeps the first `rows` rows.
    fn truncate(&mut self, rows: usize);
    /// A call that gives what steps down the ladder leave out, where the plan has none.
    fn inside(&self) -> Option<String> {
        None
    }
}

/// A payload with all that goes verbosity it.
pub(crate) struct Answer<P> {
    pub payload: P,
    pub plan: Plan,
    pub evidence: Evidence,
    pub guidance: Option<Guidance>,
    /// Nothing was found.
    pub empty: bool,
}

/// How much stands verbosity the rows of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    /// Verdict, evidence with the files it is about, what is shown, the next call, guidance.
    Whole,
    /// The same in fewer words: files and notes are counted, the verdict may be cut.
    Brief,
    /// How much there is, and that nothing of it fits.
    Bare,
}

impl<P: Payload> Answer<P> {
    /// Renders the answer inside the budget that `view` asks for.
    pub fn finish(mut self, view: &View) -> Reply {
        if self.plan.offset > 0 && self.plan.offset >= self.plan.total {
            let Plan { offset, total, unit, .. } = &self.plan;
            self.evidence.note(format!("offset {offset} is past the last of {total} {unit}"));
        }
        let status = if self.empty { ReplyStatus::Empty } else { ReplyStatus::Found };
        let preview = self.preview();
        Reply { output: self.fit(view), status, preview }
    }

    /// Takes the answer down the ladder until it fits the budget that `view` asks for, and renders it: less detail in
    /// every row, then fewer rows, then less of what stands verbosity the last few.
    pub fn fit(&mut self, view: &View) -> String {
        let budget = Budget::of(view);
        let mut left_out: Vec<&'static str> = Vec::new();
        let mut verbosity = Verbosity::Whole;
        let mut warned = false;
        loop {
            let output = self.render(view.format, &left_out, verbosity);
            if verbosity == Verbosity::Bare {
                return output;
            }
            if budget.admits(&output) {
                match self.too_wide().filter(|_| !warned) {
                    Some(warning) => {
                        warned = true;
                        self.guidance = Some(warning);
                        continue;
                    }
                    None => return output,
                }
            }
            let before = self.weight(view.format);
            if let Some(what) = self.payload.degrade() {
                // What was not there is not left out.
                if left_out.last() != Some(&what) && self.weight(view.format) != before {
                    left_out.push(what);
                }
                continue;
            }
            let shown = self.payload.shown();
            if shown > FEW_ROWS {
                let keep = (shown as f64 * budget.share(&output) * 0.95) as usize;
                self.payload.truncate(keep.clamp(FEW_ROWS, shown - 1));
                continue;
            }
            if let Some(what) = self.plan.degrade() {
                left_out.push(what);
                continue;
            }
            // What must be followed goes last.
            let binding = matches!(self.guidance, Some(Guidance::MustFollow(_)));
            if (!binding || verbosity == Verbosity::Brief) && self.guidance.take().is_some() {
                continue;
            }
            if shown > 0 && verbosity == Verbosity::Brief {
                self.payload.truncate(shown - 1);
                continue;
            }
            verbosity = if verbosity == Verbosity::Whole { Verbosity::Brief } else { Verbosity::Bare };
        }
    }

    /// The warning of an answer whose pages nobody should go through one by one.
    fn too_wide(&self) -> Option<Guidance> {
        let shown = self.payload.shown();
        let pages = self.plan.total.div_ceil(shown.max(1));
        let narrows = self.plan.offset == 0 && !self.plan.narrower.is_empty() && !self.plan.is_ranked;
        (shown > 0 && pages > MANY_PAGES && narrows && !matches!(self.guidance, Some(Guidance::MustFollow(_))))
            .then(|| Guidance::Warning(format!("{} pages of this size: narrow before paging", grouped(pages as u64))))
    }

    /// How long the rows are.
    fn weight(&self, format: Format) -> usize {
        match format {
            Format::Text | Format::Dot | Format::Mermaid => {
                let mut rows = String::new();
                self.payload.write_rows(&mut rows);
                rows.len()
            }
            Format::Json => serde_json::to_string(self.payload.body()).map_or(0, |body| body.len()),
        }
    }

    fn render(&self, format: Format, left_out: &[&'static str], verbosity: Verbosity) -> String {
        let overflow = self.plan.overflow(self.payload.shown());
        match (format, verbosity) {
            (Format::Json, Verbosity::Bare) => self.bare_json(),
            (Format::Json, _) => self.json(overflow.as_ref(), left_out, verbosity),
            (_, Verbosity::Bare) => self.bare_text(),
            (_, _) => self.text(overflow.as_ref(), left_out, verbosity),
        }
    }

    /// The first rows for a person who looks on.
    fn preview(&self) -> String {
        let mut out = clip(&self.payload.verdict(), VERDICT_CHARS);
        out.push('\n');
        let rows: Vec<String> = (0..PREVIEW_ROWS).map_while(|index| self.payload.title(index)).collect();
        for row in &rows {
            let _ = writeln!(out, "  {}", clip(row, 120));
        }
        let more = self.plan.total.saturating_sub(self.plan.offset + rows.len());
        if more > 0 {
            let _ = writeln!(out, "  … +{} more", grouped(more as u64));
        }
        out
    }

    /// What is left of an answer where nothing else fits.
    fn bare_text(&self) -> String {
        let at_least = if self.evidence.completeness == Completeness::Complete { "" } else { "at least " };
        format!("{at_least}{} {}; none fits: raise max_tokens\n", grouped(self.plan.total as u64), self.plan.unit)
    }

    fn bare_json(&self) -> String {
        let bare = json!({
            "total": self.plan.total,
            "shown": 0,
            "completeness": self.evidence.completeness.as_str(),
            "hint": "raise max_tokens",
        });
        format!("{bare}\n")
    }

    fn text(&self, overflow: Option<&Overflow>, left_out: &[&'static str], verbosity: Verbosity) -> String {
        let mut out = self.head(overflow, left_out, verbosity);
        if out.len() > HEAD_BYTES {
            out = self.head(overflow, left_out, Verbosity::Brief);
        }
        if let Some(guidance) = &self.guidance {
            let (level, text) = guidance.parts();
            let _ = writeln!(out, "{level}: {text}");
        }
        let head = out.len();
        out.push('\n');
        self.payload.write_rows(&mut out);
        if out.len() == head + 1 {
            out.truncate(head);
        }
        if let Some(overflow) = overflow {
            write_overflow(overflow, &mut out);
        }
        out
    }

    /// Verdict, evidence, what was left out, what is shown of how many, the next call.
    fn head(&self, overflow: Option<&Overflow>, left_out: &[&'static str], verbosity: Verbosity) -> String {
        let most = if verbosity == Verbosity::Whole { VERDICT_CHARS } else { BRIEF_VERDICT_CHARS };
        let mut out = clip(&self.payload.verdict(), most);
        out.push('\n');
        write_evidence(&self.evidence, verbosity, &mut out);
        if !left_out.is_empty() {
            let inside = self.payload.inside().map_or(String::new(), |call| format!("; to list them: {call}"));
            let _ = writeln!(out, "left out to fit the budget: {}{inside}", left_out.join(", "));
        }
        if let Some(overflow) = overflow {
            let _ = writeln!(out, "shown: {} of {} {}", overflow.shown, overflow.total, self.plan.unit);
            let mut calls = overflow.hint.lines();
            if let Some(first) = calls.next() {
                // A call of kilobytes (a pattern of that size) would push the rows out of sight.
                match (out.len() + first.len() > HEAD_BYTES, overflow.next_offset) {
                    (true, Some(offset)) => {
                        let _ = writeln!(out, "next: the same call with offset={offset}");
                    }
                    (true, None) => out.push_str("next: the same call with a larger max_tokens\n"),
                    (false, _) => {
                        let _ = writeln!(out, "next: {first}");
                    }
                }
            }
        }
        out
    }

    fn json(&self, overflow: Option<&Overflow>, left_out: &[&'static str], verbosity: Verbosity) -> String {
        let wire = Wire {
            shown: self.payload.shown(),
            total: self.plan.total,
            evidence: EvidenceWire::of(&self.evidence, verbosity),
            left_out,
            overflow,
            guidance: GuidanceWire(self.guidance.as_ref()),
            head: self.payload.head(),
            body: self.payload.body(),
        };
        let mut out =
            serde_json::to_string(&wire).unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string());
        out.push('\n');
        out
    }
}

/// The JSON form: counts, evidence, overflow and guidance first, then the other scalars and the arrays, flat.
#[derive(Serialize)]
struct Wire<'a, H, B> {
    total: usize,
    shown: usize,
    evidence: EvidenceWire<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    overflow: Option<&'a Overflow>,
    #[serde(flatten)]
    guidance: GuidanceWire<'a>,
    /// After what stands alone: it repeats what the caller sent, which may be long.
    #[serde(flatten)]
    head: &'a H,
    #[serde(flatten)]
    body: &'a B,
}

struct GuidanceWire<'a>(Option<&'a Guidance>);

impl Serialize for GuidanceWire<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(guidance) = self.0 {
            let (level, text) = guidance.parts();
            map.serialize_entry(level, text)?;
        }
        map.end()
    }
}

/// Passed-over files that an answer names one by one.
const MAX_SKIPPED: usize = 20;

/// Passed-over files that the first lines of a text name.
const MAX_SKIPPED_TEXT: usize = 3;

#[derive(Serialize)]
struct EvidenceWire<'a> {
    completeness: &'static str,
    analysis: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_total: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedWire<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

#[derive(Serialize)]
struct SkippedWire<'a> {
    path: &'a str,
    reason: &'a str,
}

impl<'a> EvidenceWire<'a> {
    fn of(evidence: &'a Evidence, verbosity: Verbosity) -> Self {
        let skipped = &evidence.skipped;
        // What stands behind the evidence must be seen too: names as long as paths can be are counted only.
        let mut room = EVIDENCE_CHARS;
        let fitting = skipped.iter().take(MAX_SKIPPED).take_while(|item| {
            let length = item.path.len() + item.reason.len();
            let fits = length <= room;
            room = room.saturating_sub(length);
            fits
        });
        let named = if verbosity == Verbosity::Whole { fitting.count() } else { 0 };
        Self {
            completeness: evidence.completeness.as_str(),
            analysis: &evidence.analysis,
            skipped_total: (!skipped.is_empty()).then_some(skipped.len()),
            skipped: skipped.iter().take(named).map(|s| SkippedWire { path: &s.path, reason: &s.reason }).collect(),
            notes: if verbosity == Verbosity::Whole { &evidence.notes } else { &[] },
        }
    }
}

/// Evidence that is complete and plain needs no line.
fn write_evidence(evidence: &Evidence, verbosity: Verbosity, out: &mut String) {
    let named = if verbosity == Verbosity::Whole { MAX_SKIPPED_TEXT } else { 0 };
    if evidence.completeness != Completeness::Complete || evidence.analysis.contains('(') {
        let _ = write!(out, "evidence: {}, {}", evidence.completeness.as_str(), evidence.analysis);
        let skipped = &evidence.skipped;
        for (index, item) in skipped.iter().take(named).enumerate() {
            let (path, reason) = (clip(&item.path, REASON_CHARS), clip(&item.reason, REASON_CHARS));
            let _ = write!(out, "{} {path}: {reason}", if index == 0 { ";" } else { "," });
        }
        match (skipped.len().saturating_sub(named), named) {
            (0, _) => {}
            (more, 0) => {
                let _ = write!(out, "; {} passed over", counted(more, "file", "files"));
            }
            (more, _) => {
                let _ = write!(out, ", … +{more} more files");
            }
        }
        out.push('\n');
    }
    for note in evidence.notes.iter().take(named) {
        let _ = writeln!(out, "note: {}", clip(note, NOTE_CHARS));
    }
}

/// Characters of the parts of a head: together they leave room for the next call.
const VERDICT_CHARS: usize = 300;
const BRIEF_VERDICT_CHARS: usize = 100;
const REASON_CHARS: usize = 160;
const NOTE_CHARS: usize = 160;
/// Characters of all passed-over files that JSON names.
const EVIDENCE_CHARS: usize = 800;

/// The text, or its beginning with an ellipsis.
pub(crate) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
        None => text.to_owned(),
    }
}

fn write_overflow(overflow: &Overflow, out: &mut String) {
    out.push('\n');
    let mut calls = overflow.hint.lines().skip(1).peekable();
    if calls.peek().is_some() {
        out.push_str("or:\n");
        for call in calls {
            let _ = writeln!(out, "  {call}");
        }
    }
    if !overflow.by_file.is_empty() {
        out.push_str("by file:\n");
        for entry in &overflow.by_file {
            let _ = writeln!(out, "  {} {}", entry.count, entry.file);
        }
        if let Some(more) = overflow.by_file_overflow {
            let _ = writeln!(out, "  … +{more} more files");
        }
    }
}

impl Reply {
    /// The answer to a call that failed. Arguments that do not fit the tool bring the tool's docs, as much of them as
    /// the budget admits.
    pub(crate) fn failed(failure: &RecoverableError, view: &View) -> Self {
        let budget = Budget::of(view);
        let docs = failure.invalid.into_iter().flat_map(|tool| {
            let tiers = DocumentationMode::ALL.into_iter().rev();
            tiers.map(move |mode| tool.documentation(mode))
        });
        // What a caller sent comes back in the error and in its hint: neither may be as long as a caller likes.
        let (whole, brief) = (clipped(failure, ERROR_CHARS), clipped(failure, BRIEF_ERROR_CHARS));
        let forms = docs.map(|docs| (&whole, Some(docs))).chain([(&whole, None), (&brief, None)]);
        let mut output = String::new();
        for (failure, docs) in forms {
            output = match view.format {
                Format::Json => failure_json(failure, docs),
                _ => failure_text(failure, docs.as_deref()),
            };
            if budget.admits(&output) {
                break;
            }
        }
        let status =
            if failure.invalid.is_some() { ReplyStatus::InvalidArguments } else { ReplyStatus::Failed(failure.fault) };
        Self { output, status, preview: format!("error: {}\n", clip(&failure.error, VERDICT_CHARS)) }
    }

    /// The answer to a call that could not be given to a tool at all: no such tool, no such root.
    pub fn refused(failure: &RecoverableError, format: Format) -> Self {
        Self::failed(failure, &View { format, ..View::default() })
    }
}

/// Characters of an error, and of the guidance beside it.
const ERROR_CHARS: usize = 1_500;
const BRIEF_ERROR_CHARS: usize = 70;

/// The failure with its error in at most so many characters, and without what else is longer: a call that is cut does
/// not work.
fn clipped(failure: &RecoverableError, most: usize) -> RecoverableError {
    let mut failure = failure.clone();
    failure.error = clip(&failure.error, most);
    if failure.guidance.as_ref().is_some_and(|guidance| guidance.parts().1.chars().count() > most) {
        failure.guidance = None;
    }
    failure.extra.retain(|(_, value)| value.to_string().chars().count() <= most);
    failure
}

fn failure_text(failure: &RecoverableError, docs: Option<&str>) -> String {
    let mut out = format!("error: {}\n", failure.error);
    if let Some(guidance) = &failure.guidance {
        let (level, text) = guidance.parts();
        let _ = writeln!(out, "{level}: {text}");
    }
    if let Some(docs) = docs {
        let _ = write!(out, "\n{docs}");
    }
    out
}

fn failure_json(failure: &RecoverableError, docs: Option<String>) -> String {
    let mut object = serde_json::Map::new();
    object.insert("error".to_owned(), failure.error.clone().into());
    if let Some(guidance) = &failure.guidance {
        let (level, text) = guidance.parts();
        object.insert(level.to_owned(), text.into());
    }
    object.extend(failure.extra.clone());
    if let Some(docs) = docs {
        object.insert("documentation".to_owned(), docs.into());
    }
    format!("{}\n", serde_json::Value::Object(object))
}

/// A number with thousands separated.
pub(crate) fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 file`, `2 files`.
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number as u64), if number == 1 { one } else { many })
}
