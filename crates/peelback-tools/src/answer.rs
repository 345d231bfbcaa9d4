//! Answers: from a tool's payload to the text or JSON that a caller sees.

use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence, Fault};
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::json;

use crate::guard::{Budget, Overflow, Plan};
use crate::recover::Recoverable;
use crate::view::{Format, View};

/// What the caller should do next; the name of the level is part of the message.
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
}

/// Rows that are worth more than the calls and counts around them.
const FEW_ROWS: usize = 3;

/// What a caller gets.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Text or JSON, ending in a newline.
    pub output: String,
    /// How the call ended.
    pub status: ReplyStatus,
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
    /// Takes one step down the ladder and names what it left out; `None` at the foot.
    fn lower(&mut self) -> Option<&'static str>;
    /// Keeps the first `rows` rows.
    fn keep(&mut self, rows: usize);
    /// A call that gives what steps down the ladder leave out, where the plan has none.
    fn inside(&self) -> Option<String> {
        None
    }
}

/// A payload with all that goes around it.
pub(crate) struct Answer<P> {
    pub payload: P,
    pub plan: Plan,
    pub evidence: Evidence,
    pub guidance: Option<Guidance>,
    /// Nothing was found.
    pub empty: bool,
}

impl<P: Payload> Answer<P> {
    /// Renders the answer inside the budget that `view` asks for.
    pub fn finish(mut self, view: &View) -> Reply {
        if self.plan.offset > 0 && self.plan.offset >= self.plan.total {
            let Plan { offset, total, unit, .. } = &self.plan;
            self.evidence.note(format!("offset {offset} is past the last of {total} {unit}"));
        }
        let status = if self.empty { ReplyStatus::Empty } else { ReplyStatus::Found };
        Reply { output: self.fit(view), status }
    }

    /// Takes the answer down the ladder until it fits the budget that `view` asks for, and renders it: less detail in
    /// every row, then fewer rows, then less of what stands around the last few.
    pub fn fit(&mut self, view: &View) -> String {
        let budget = Budget::of(view);
        let mut left_out: Vec<&'static str> = Vec::new();
        loop {
            let output = self.render(view.format, &left_out);
            if budget.admits(&output) {
                return output;
            }
            if let Some(what) = self.payload.lower() {
                if left_out.last() != Some(&what) {
                    left_out.push(what);
                }
                continue;
            }
            let shown = self.payload.shown();
            if shown > FEW_ROWS {
                let keep = (shown as f64 * budget.share(&output) * 0.95) as usize;
                self.payload.keep(keep.clamp(FEW_ROWS, shown - 1));
                continue;
            }
            if let Some(what) = self.plan.lower() {
                left_out.push(what);
                continue;
            }
            if self.guidance.take().is_some() {
                continue;
            }
            if shown == 0 {
                return output;
            }
            self.payload.keep(shown - 1);
        }
    }

    fn render(&self, format: Format, left_out: &[&'static str]) -> String {
        let overflow = self.plan.overflow(self.payload.shown());
        match format {
            Format::Text => self.text(overflow.as_ref(), left_out),
            Format::Json => self.json(overflow.as_ref(), left_out),
        }
    }

    fn text(&self, overflow: Option<&Overflow>, left_out: &[&'static str]) -> String {
        let mut out = String::new();
        out.push_str(&self.payload.verdict());
        out.push('\n');
        write_evidence(&self.evidence, &mut out);
        if !left_out.is_empty() {
            let inside = self.payload.inside().map_or(String::new(), |call| format!("; to list them: {call}"));
            let _ = writeln!(out, "left out to fit the budget: {}{inside}", left_out.join(", "));
        }
        if let Some(overflow) = overflow {
            let _ = writeln!(out, "shown: {} of {} {}", overflow.shown, overflow.total, self.plan.unit);
            let mut calls = overflow.hint.lines();
            if let Some(first) = calls.next() {
                let _ = writeln!(out, "next: {first}");
            }
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

    fn json(&self, overflow: Option<&Overflow>, left_out: &[&'static str]) -> String {
        let wire = Wire {
            head: self.payload.head(),
            shown: self.payload.shown(),
            total: self.plan.total,
            evidence: EvidenceWire::of(&self.evidence),
            left_out,
            overflow,
            guidance: GuidanceWire(self.guidance.as_ref()),
            body: self.payload.body(),
        };
        let mut out =
            serde_json::to_string(&wire).unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string());
        out.push('\n');
        out
    }
}

/// The JSON form: scalars, evidence, overflow and guidance first, then the arrays, flat.
#[derive(Serialize)]
struct Wire<'a, H, B> {
    #[serde(flatten)]
    head: &'a H,
    total: usize,
    shown: usize,
    evidence: EvidenceWire<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    overflow: Option<&'a Overflow>,
    #[serde(flatten)]
    guidance: GuidanceWire<'a>,
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
    fn of(evidence: &'a Evidence) -> Self {
        let skipped = &evidence.skipped;
        Self {
            completeness: evidence.completeness.as_str(),
            analysis: &evidence.analysis,
            skipped_total: (!skipped.is_empty()).then_some(skipped.len()),
            skipped: skipped
                .iter()
                .take(MAX_SKIPPED)
                .map(|s| SkippedWire { path: &s.path, reason: &s.reason })
                .collect(),
            notes: &evidence.notes,
        }
    }
}

/// Evidence that is complete and plain needs no line.
fn write_evidence(evidence: &Evidence, out: &mut String) {
    if evidence.completeness != Completeness::Complete || evidence.analysis.contains('(') {
        let _ = write!(out, "evidence: {}, {}", evidence.completeness.as_str(), evidence.analysis);
        let skipped = &evidence.skipped;
        for (index, item) in skipped.iter().take(MAX_SKIPPED_TEXT).enumerate() {
            let _ = write!(out, "{} {}: {}", if index == 0 { ";" } else { "," }, item.path, clip(&item.reason));
        }
        if skipped.len() > MAX_SKIPPED_TEXT {
            let _ = write!(out, ", … +{} more files", skipped.len() - MAX_SKIPPED_TEXT);
        }
        out.push('\n');
    }
    for note in evidence.notes.iter().take(MAX_SKIPPED_TEXT) {
        let _ = writeln!(out, "note: {}", clip(note));
    }
}

fn clip(text: &str) -> String {
    const MAX: usize = 160;
    match text.char_indices().nth(MAX) {
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
    /// The answer to a call that failed.
    pub(crate) fn failed(failure: &Recoverable, format: Format) -> Self {
        let output = match format {
            Format::Text => {
                let mut out = format!("error: {}\n", failure.error);
                if let Some(guidance) = &failure.guidance {
                    let (level, text) = guidance.parts();
                    let _ = writeln!(out, "{level}: {text}");
                }
                out
            }
            Format::Json => {
                let mut object = serde_json::Map::new();
                object.insert("error".to_owned(), failure.error.clone().into());
                if let Some(guidance) = &failure.guidance {
                    let (level, text) = guidance.parts();
                    object.insert(level.to_owned(), text.into());
                }
                object.extend(failure.extra.clone());
                format!("{}\n", serde_json::Value::Object(object))
            }
        };
        Self { output, status: ReplyStatus::Failed(failure.fault) }
    }
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
