//! Answers: a tool's payload, fitted to the budget of the call.

mod json;
mod text;

pub(crate) use text::write_guidance;

use std::fmt::Write as _;

use peelback_code::Evidence;
use serde::Serialize;

use crate::budget::Budget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::grouped;
use crate::guard::Plan;
use crate::guidance::Guidance;
use crate::page::Page;
use crate::reply::{Content, Place, Reply, ReplyStatus};
use crate::shorten::clip;
use crate::view::{Format, View};

/// As many rows are worth more than the calls and counts around them.
const FEW_ROWS: usize = 3;

/// A result of more pages than this came from too wide a question.
const MANY_PAGES: usize = 10;

/// The most rows of a preview.
const PREVIEW_ROWS: usize = 8;

/// The most characters of a verdict.
const VERDICT_CHARS: usize = 300;

/// What a tool found.
pub(crate) trait Payload: Send + Sync + 'static {
    /// The scalars of the answer.
    type Head: Serialize;
    /// Its arrays and objects.
    type Body<'a>: Serialize
    where
        Self: 'a;

    /// The first line: what was found, with counts.
    fn verdict(&self) -> String;
    /// The scalars.
    fn head(&self) -> &Self::Head;
    /// The arrays as JSON shows them.
    fn body(&self, context: &CallContext) -> Self::Body<'_>;
    /// Writes the rows as text.
    fn write_rows(&self, context: &CallContext, page: &mut Page);
    /// The number of rows.
    fn shown(&self) -> usize;
    /// The row of this index in a few words.
    fn title(&self, index: usize) -> Option<String>;
    /// Leaves out the least valuable detail and names it; `None` where the rows have no detail left.
    fn degrade(&mut self) -> Option<&'static str>;
    /// Keeps the first `rows` rows.
    fn truncate(&mut self, rows: usize);
    /// A call that lists what [`Payload::degrade`] leaves out, where the plan has none.
    fn detail_call(&self) -> Option<Call> {
        None
    }
    /// The places that the rows show, in their order.
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }
}

/// A payload with all that an answer says around it.
pub(crate) struct Answer<P> {
    pub payload: P,
    pub plan: Plan,
    pub evidence: Evidence,
    pub guidance: Option<Guidance>,
    /// Nothing was found.
    pub empty: bool,
}

/// How much an answer says around its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    /// Verdict, evidence with the files it is about, what is shown, the next call, guidance.
    Whole,
    /// The same in fewer words: files and notes are counted, the verdict may be cut.
    Brief,
    /// How much there is, and that nothing of it fits.
    Bare,
}

/// An answer that fits its budget.
struct Fitted<P> {
    answer: Answer<P>,
    /// Details that were left out, in the order in which they went.
    left_out: Vec<&'static str>,
    verbosity: Verbosity,
}

impl<P: Payload> Answer<P> {
    /// The reply that fits the budget of the call.
    pub fn finish(mut self, context: &CallContext, view: &View) -> Reply {
        if self.plan.offset > 0 && self.plan.offset >= self.plan.total {
            let Plan { offset, total, unit, .. } = &self.plan;
            self.evidence.note(format!("offset {offset} is past the last of {total} {unit}"));
        }
        let status = if self.empty { ReplyStatus::Empty } else { ReplyStatus::Found };
        let preview = self.preview();
        Reply::new(status, preview, view.format, context, self.fitted(context, view))
    }

    /// The payload after it was degraded and truncated to the budget of the call.
    pub fn fitted_payload(self, context: &CallContext, view: &View) -> P {
        self.fitted(context, view).answer.payload
    }

    /// Fits the answer to the budget of the call: less detail in every row, then fewer rows, then less around the last
    /// few.
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

    /// The warning of an answer whose pages nobody should go through one by one.
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
}

impl<P: Payload> Fitted<P> {
    /// Makes an answer smaller of whose text only the share `share` fits.
    fn take_step(&mut self, context: &CallContext, format: Format, share: f64) {
        let before = self.answer.rows_len(context, format);
        if let Some(detail) = self.answer.payload.degrade() {
            // Detail that the rows did not have is not left out.
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
        // Guidance that must be followed goes last.
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
}
