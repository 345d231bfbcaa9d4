//! Answers of tools: the payload of a tool, fitted to the token budget of the call.

mod json;
mod text;

use std::fmt::Write as _;

use peelback_code::Evidence;
use peelback_tokens::text::truncate_chars;
use serde::Serialize;

use crate::budget::Budget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::grouped;
use crate::guard::{Overflow, Plan};
use crate::guidance::Guidance;
use crate::page::Page;
use crate::reply::{Content, Place, Reply, ReplyStatus};
use crate::view::{Format, View};

/// Number of rows below which calls and counts are dropped before rows: a few rows are worth more.
const FEW_ROWS: usize = 3;

/// Number of pages of a result above which the question is considered too broad.
const MANY_PAGES: usize = 10;

/// The most rows of a preview.
const PREVIEW_ROWS: usize = 8;

/// The most characters of a verdict, the first line of an answer.
const VERDICT_CHARS: usize = 300;

/// The result of a tool, as the content of an answer.
pub(crate) trait Payload: Send + Sync + 'static {
    /// The scalar fields of the answer in JSON.
    type Head: Serialize;
    /// The array and object fields of the answer in JSON.
    type Body<'a>: Serialize
    where
        Self: 'a;

    /// The first line of the answer: a summary of the result, with counts.
    fn verdict(&self) -> String;
    /// The values of the answer's scalar fields.
    fn head(&self) -> &Self::Head;
    /// The values of the answer's array and object fields.
    fn body(&self, context: &CallContext) -> Self::Body<'_>;
    /// Writes the rows of the answer as text.
    fn write_rows(&self, context: &CallContext, page: &mut Page);
    /// The number of rows that the payload still contains.
    fn shown(&self) -> usize;
    /// A short description of the row at `index`, counted from 0.
    fn title(&self, index: usize) -> Option<String>;
    /// Removes the least valuable detail from all rows and returns its name; `None` where no detail is left to remove.
    fn degrade(&mut self) -> Option<&'static str>;
    /// Keeps only the first `rows` rows.
    fn truncate(&mut self, rows: usize);
    /// A call that lists the detail that [`Payload::degrade`] removes, for a plan without such a call.
    fn detail_call(&self) -> Option<Call> {
        None
    }
    /// The places in the project that the rows show, in order.
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }
}

/// The payload of a tool with the surrounding parts of an answer: plan, evidence and guidance.
pub(crate) struct Answer<P> {
    pub payload: P,
    pub plan: Plan,
    pub evidence: Evidence,
    pub guidance: Option<Guidance>,
    /// Whether the tool found nothing.
    pub empty: bool,
}

/// How much text an answer has in addition to its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    /// Verdict, evidence with the affected files, the number of shown rows, the next call, and guidance.
    Whole,
    /// The parts of [`Verbosity::Whole`] in fewer words: files and notes are counted instead of listed, and the verdict
    /// may be cut.
    Brief,
    /// Only the total count, and a notice that no row fits.
    Bare,
}

/// An answer degraded and truncated to fit its budget.
struct Fitted<P> {
    answer: Answer<P>,
    /// Names of the details that were removed, in the order of removal.
    left_out: Vec<&'static str>,
    verbosity: Verbosity,
}

impl<P: Payload> Answer<P> {
    /// Renders the answer as a reply that fits the budget of the call.
    pub fn finish(mut self, context: &CallContext, view: &View) -> Reply {
        if self.plan.offset > 0 && self.plan.offset >= self.plan.total {
            let Plan { offset, total, unit, .. } = &self.plan;
            self.evidence.note(format!("offset {offset} is past the last of {total} {unit}"));
        }
        let status = if self.empty { ReplyStatus::Empty } else { ReplyStatus::Found };
        let preview = self.preview();
        Reply::new(status, preview, view.format, context, self.fitted(context, view))
    }

    /// The payload, degraded and truncated to the budget of the call.
    pub fn fitted_payload(self, context: &CallContext, view: &View) -> P {
        self.fitted(context, view).answer.payload
    }

    /// Fits the answer to the budget of the call: first less detail in every row, then fewer rows, then less text
    /// around the last few rows.
    fn fitted(self, context: &CallContext, view: &View) -> Fitted<P> {
        let budget = Budget::new(context, view);
        let mut fitted = Fitted { answer: self, left_out: Vec::new(), verbosity: Verbosity::Whole };
        let mut warned = false;
        loop {
            if fitted.verbosity == Verbosity::Bare {
                return fitted;
            }
            let output = if budget.is_unlimited() { String::new() } else { fitted.render(context, view.format) };
            if budget.admits(&output) {
                match fitted.answer.too_wide().filter(|_| !warned) {
                    Some(warning) => {
                        warned = true;
                        fitted.answer.guidance = Some(warning);
                        continue;
                    }
                    None => return fitted,
                }
            }
            fitted.take_step(context, view.format, budget.share(&output));
        }
    }

    /// A warning for a result with so many pages that the caller should narrow the question instead of reading them
    /// all.
    fn too_wide(&self) -> Option<Guidance> {
        let shown = self.payload.shown();
        let pages = self.plan.total.div_ceil(shown.max(1));
        let narrows = self.plan.offset == 0 && !self.plan.narrower.is_empty() && !self.plan.is_ranked;
        (shown > 0 && pages > MANY_PAGES && narrows && !matches!(self.guidance, Some(Guidance::MustFollow(_)))).then(
            || Guidance::Warning(format!("{} pages of this size: narrow before paging", grouped(pages as u64)).into()),
        )
    }

    /// The length of the rows in bytes.
    fn rows_len(&self, context: &CallContext, format: Format) -> usize {
        match format {
            Format::Text | Format::Dot | Format::Mermaid => {
                let mut rows = Page::default();
                self.payload.write_rows(context, &mut rows);
                rows.len()
            }
            Format::Json => serde_json::to_string(&self.payload.body(context)).map_or(0, |body| body.len()),
        }
    }

    /// The first rows of the answer as a preview for a person.
    fn preview(&self) -> String {
        let mut out = truncate_chars(&self.payload.verdict(), VERDICT_CHARS).into_owned();
        out.push('\n');
        let rows: Vec<String> = (0..PREVIEW_ROWS).map_while(|index| self.payload.title(index)).collect();
        for row in &rows {
            let _ = writeln!(out, "  {}", truncate_chars(row, 120));
        }
        let more = self.plan.total.saturating_sub(self.plan.offset + rows.len());
        if more > 0 {
            let _ = writeln!(out, "  … +{} more", grouped(more as u64));
        }
        out
    }
}

impl<P: Payload> Fitted<P> {
    /// Makes an answer one step smaller. `share` is the share of its text (0 to 1) that fits the budget.
    fn take_step(&mut self, context: &CallContext, format: Format, share: f64) {
        let before = self.answer.rows_len(context, format);
        if let Some(detail) = self.answer.payload.degrade() {
            // A detail that no row had does not count as left out.
            if self.left_out.last() != Some(&detail) && self.answer.rows_len(context, format) != before {
                self.left_out.push(detail);
            }
            return;
        }
        let shown = self.answer.payload.shown();
        if shown > FEW_ROWS {
            let rows = (shown as f64 * share * 0.95) as usize;
            self.answer.payload.truncate(rows.clamp(FEW_ROWS, shown - 1));
            return;
        }
        if let Some(detail) = self.answer.plan.degrade() {
            self.left_out.push(detail);
            return;
        }
        // Binding guidance ([`Guidance::MustFollow`]) is removed last.
        let is_binding = matches!(self.answer.guidance, Some(Guidance::MustFollow(_)));
        if (!is_binding || self.verbosity == Verbosity::Brief) && self.answer.guidance.take().is_some() {
            return;
        }
        if shown > 0 && self.verbosity == Verbosity::Brief {
            self.answer.payload.truncate(shown - 1);
            return;
        }
        self.verbosity = if self.verbosity == Verbosity::Whole { Verbosity::Brief } else { Verbosity::Bare };
    }

    fn render(&self, context: &CallContext, format: Format) -> String {
        match format {
            Format::Json => self.json(context),
            Format::Text | Format::Dot | Format::Mermaid => self.page(context).into_text(),
        }
    }
}

impl<P: Payload> Content for Fitted<P> {
    fn page(&self, context: &CallContext) -> Page {
        self.write_page(context)
    }

    fn json(&self, context: &CallContext) -> String {
        self.write_json(context)
    }

    fn places(&self) -> Vec<Place> {
        self.answer.payload.places()
    }

    fn evidence(&self) -> Option<&Evidence> {
        Some(&self.answer.evidence)
    }

    fn overflow(&self) -> Option<Overflow> {
        let has_rows = self.verbosity != Verbosity::Bare;
        self.answer.plan.overflow(self.answer.payload.shown()).filter(|_| has_rows)
    }

    fn guidance(&self) -> Option<&Guidance> {
        let has_guidance = self.verbosity != Verbosity::Bare;
        self.answer.guidance.as_ref().filter(|_| has_guidance)
    }
}
