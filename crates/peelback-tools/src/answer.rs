//! Answers of tools: the payload of a tool with the parts around it, fitted to the token budget of the call.

mod json;
mod text;
mod vimgrep;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use peelback_code::{Completeness, Evidence, escape_control_characters_of_json, escape_to_one_line};
use peelback_tokens::estimate_tokens;
use peelback_tokens::text::truncate_chars_and_add_ellipsis;
use serde::Serialize;

use crate::budget::{AnswerTokenBudget, DefaultBudget, row_count_for_text_share};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_with_thousands_separators;
use crate::guidance::Guidance;
use crate::left_out::{LeftOut, add_removal, call_with_more_room};
use crate::output_guard::{OmittedRows, PagePlan};
use crate::page::MarkedText;
use crate::parameter_name::parameter_name;
use crate::place::PlaceRow;
use crate::reply::{Location, Reply, ReplyContent, ReplyStatus};
use crate::view::{Format, OutputOptions};

/// The minimum number of rows that an answer keeps while it still has calls and counts to drop: a few rows are worth
/// more.
const MIN_KEPT_ROWS: usize = 3;

/// The maximum number of pages of a result without a warning that the question is too broad.
const MAX_PAGES_WITHOUT_WARNING: usize = 10;

/// The maximum number of rows that the preview of an answer shows.
const MAX_PREVIEW_ROWS: usize = 8;

/// The maximum number of characters of the summary line, the first line of an answer.
const MAX_SUMMARY_CHARS: usize = 300;

/// The result of a tool, as the content of an answer.
pub(crate) trait AnswerPayload: Send + Sync + 'static {
    /// The scalar fields of the answer in JSON.
    type ScalarFields: Serialize;
    /// The array and object fields of the answer in JSON.
    type NestedFields<'a>: Serialize
    where
        Self: 'a;

    /// The first line of the answer: a summary of the result, with counts.
    fn summary_line(&self) -> String;
    /// The scalar fields of the answer in JSON, with their values.
    fn scalar_json_fields(&self) -> &Self::ScalarFields;
    /// The array and object fields of the answer in JSON, with their values.
    fn nested_json_fields(&self, context: &CallContext) -> Self::NestedFields<'_>;
    /// Writes the rows of the answer as text.
    fn write_rows(&self, context: &CallContext, page: &mut MarkedText);
    /// The number of rows that the payload still contains, after the removal of rows that do not fit the budget.
    fn row_count(&self) -> usize;
    /// A short description of the row at `index`, counted from 0.
    fn describe_row_at(&self, index: usize) -> Option<String>;
    /// Removes the least valuable detail from the rows and returns what was removed; `None` where no detail is left to
    /// remove.
    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut>;
    /// Removes the least valuable detail while files and symbols keep their names and parameters, and returns what was
    /// removed; `None` where only those are left, or where the payload has no such order.
    fn remove_detail_beyond_names(&mut self) -> Option<LeftOut> {
        None
    }
    /// Keeps only the first `rows` rows of the payload, or about as many of those that come first in each of its parts.
    fn keep_first_rows(&mut self, rows: usize);
    /// The call for the rows that are omitted, where they do not all come after those that are shown.
    fn call_for_omitted_rows(&self) -> Option<Call> {
        None
    }
    /// The limits of the answer where the call names no budget.
    fn default_budget(&self) -> DefaultBudget {
        DefaultBudget::OF_ROWS
    }
    /// Whether each row that lost details or rows of its own names the call that shows them.
    fn do_rows_name_calls_for_rest(&self) -> bool {
        false
    }
    /// The rows whose texts are cut out of lines, as those of a search for parts of lines are.
    fn rows_cut_from_lines(&self) -> Vec<PlaceRow<'_>> {
        Vec::new()
    }
    /// The rows as places, of a tool whose rows are places.
    fn place_rows(&self) -> Vec<PlaceRow<'_>> {
        Vec::new()
    }
    /// The places in the project that the rows of the answer show, in order.
    fn shown_locations(&self) -> Vec<Location> {
        Vec::new()
    }
}

/// The payload of a tool with the other parts of its answer: the plan of the pages, the evidence and the guidance.
pub(crate) struct Answer<P> {
    pub payload: P,
    pub plan: PagePlan,
    pub evidence: Evidence,
    pub guidance: Option<Guidance>,
    /// Whether the tool found nothing.
    pub is_empty: bool,
}

/// How much text an answer has in addition to its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    /// The summary line, the evidence with the affected files, the number of shown rows, the next call, and the
    /// guidance.
    Whole,
    /// The parts of [`Verbosity::Whole`] in fewer words: files and notes are counted instead of listed, and the summary
    /// line may be cut.
    Brief,
    /// Only the total count of rows, and a notice that no row fits.
    Bare,
}

/// An answer that was shortened until it fits the budget of its call.
struct FittedAnswer<P> {
    answer: Answer<P>,
    /// What was removed from the rows, in the order of removal.
    left_out: Vec<LeftOut>,
    verbosity: Verbosity,
    max_command_bytes: usize,
    max_file_counts_bytes: usize,
    view: OutputOptions,
    /// Whether an answer without rows names the call for them.
    names_call_for_rows: bool,
    /// The number of rows that the largest answer shows with all their details; `None` where it shows all of them so.
    max_rows_with_all_detail: Option<usize>,
}

impl<P: AnswerPayload> Answer<P> {
    /// Renders the answer as a reply that fits the budget of the call.
    pub fn into_reply(mut self, context: &CallContext, view: &OutputOptions) -> Reply {
        if self.plan.offset > 0 && self.plan.offset >= self.plan.total {
            let PagePlan { offset, total, row_noun: unit, .. } = &self.plan;
            self.evidence.add_note(format!("offset {offset} is past the last of {total} {unit}"));
        }
        let status = if self.is_empty { ReplyStatus::Empty } else { ReplyStatus::Found };
        let preview = self.render_preview();
        Reply::new(status, preview, view.format, context, self.fit_to_budget(context, view))
    }

    /// The payload of the answer, without the detail and the rows that do not fit the budget of the call.
    pub fn into_fitted_payload(self, context: &CallContext, view: &OutputOptions) -> P {
        self.fit_to_budget(context, view).answer.payload
    }

    /// Fits the answer to the budget of the call: first less detail in every row, then fewer rows, then less text
    /// around the last few rows.
    fn fit_to_budget(self, context: &CallContext, view: &OutputOptions) -> FittedAnswer<P> {
        let budget = AnswerTokenBudget::with_default(context, view, self.payload.default_budget());
        let mut fitted = FittedAnswer::new(self, view, budget);
        let mut is_first = true;
        let mut warned = false;
        loop {
            if fitted.verbosity == Verbosity::Bare {
                fitted.names_call_for_rows = budget.can_hold_text(&fitted.render_in_format(context, view.format));
                return fitted;
            }
            let output =
                if budget.is_unlimited() { String::new() } else { fitted.render_in_format(context, view.format) };
            let exceeds_aim = context.detail_aim().is_some_and(|aim| estimate_tokens(&output) > aim);
            if exceeds_aim && let Some(removed) = fitted.answer.payload.remove_detail_beyond_names() {
                if removed.count > 0 {
                    add_removal(&mut fitted.left_out, removed);
                }
                continue;
            }
            if budget.can_hold_text(&output) {
                match fitted.answer.too_many_pages_warning().filter(|_| !warned) {
                    Some(warning) => {
                        warned = true;
                        fitted.answer.guidance = Some(warning);
                        continue;
                    }
                    None => return fitted,
                }
            }
            if std::mem::take(&mut is_first) {
                fitted.max_rows_with_all_detail = fitted.rows_that_fit_largest_answer(context, &output);
            }
            fitted.shrink_one_step(budget.share_of_text_that_fits(&output));
        }
    }

    /// The rows that the answer omits.
    fn omitted_rows(&self) -> Option<OmittedRows> {
        let rest = self.payload.call_for_omitted_rows();
        self.plan.omitted_rows_summary_after(self.payload.row_count(), rest)
    }

    /// The answer, and whether it fits the budget of the call with all its rows and their details.
    pub fn with_whether_it_fits_whole(self, context: &CallContext, view: &OutputOptions) -> (Self, bool) {
        let budget = AnswerTokenBudget::with_default(context, view, self.payload.default_budget());
        let fitted = FittedAnswer::new(self, view, budget);
        let fits = budget.is_unlimited() || budget.can_hold_text(&fitted.render_in_format(context, view.format));
        (fitted.answer, fits)
    }

    /// A warning for a result with so many pages that the caller should narrow the question instead of reading them
    /// all.
    fn too_many_pages_warning(&self) -> Option<Guidance> {
        let shown = self.payload.row_count();
        let pages = self.plan.total.div_ceil(shown.max(1));
        let can_be_narrowed = self.plan.offset == 0 && !self.plan.narrowing_calls.is_empty() && !self.plan.is_ranked;
        (shown > 0
            && pages > MAX_PAGES_WITHOUT_WARNING
            && can_be_narrowed
            && !matches!(self.guidance, Some(Guidance::MustFollow(_))))
        .then(|| {
            Guidance::Warning(
                format!("{} pages of this size: narrow before paging", format_with_thousands_separators(pages as u64))
                    .into(),
            )
        })
    }

    /// The first rows of the answer as a preview for a person.
    fn render_preview(&self) -> String {
        let summary = self.payload.summary_line();
        let mut out = escape_to_one_line(&truncate_chars_and_add_ellipsis(&summary, MAX_SUMMARY_CHARS)).into_owned();
        out.push('\n');
        let rows: Vec<String> = (0..MAX_PREVIEW_ROWS).map_while(|index| self.payload.describe_row_at(index)).collect();
        for row in &rows {
            let _ = writeln!(out, "  {}", escape_to_one_line(&truncate_chars_and_add_ellipsis(row, 120)));
        }
        let more = self.plan.total.saturating_sub(self.plan.offset + rows.len());
        if more > 0 {
            let _ = writeln!(out, "  … +{} more", format_with_thousands_separators(more as u64));
        }
        out
    }
}

impl<P: AnswerPayload> FittedAnswer<P> {
    fn new(answer: Answer<P>, view: &OutputOptions, budget: AnswerTokenBudget) -> Self {
        Self {
            answer,
            left_out: Vec::new(),
            verbosity: Verbosity::Whole,
            max_command_bytes: budget.max_command_bytes(),
            max_file_counts_bytes: budget.max_file_counts_bytes(),
            view: view.clone(),
            names_call_for_rows: true,
            max_rows_with_all_detail: None,
        }
    }

    /// How many of the rows of `output` the largest answer has room for; `None` where it has room for all.
    fn rows_that_fit_largest_answer(&self, context: &CallContext, output: &str) -> Option<usize> {
        let largest = AnswerTokenBudget::largest(context);
        let shown = self.answer.payload.row_count();
        let rows = || row_count_for_text_share(shown, largest.share_of_text_that_fits(output)).max(1);
        (!largest.can_hold_text(output)).then(rows).filter(|rows| *rows < shown)
    }

    /// The call that shows the rows of an answer that shows none: the same one without its budget. `None` where it does not
    /// fit.
    fn call_for_rows(&self) -> Option<Call> {
        let page = self.answer.plan.page_call.as_ref().filter(|_| self.names_call_for_rows)?;
        let call = page.clone().without_argument(parameter_name!(OutputOptions, max_tokens));
        Some(if self.answer.plan.offset > 0 { call.with_row_offset(self.answer.plan.offset) } else { call })
    }

    /// How complete the shown rows are. Where none is shown, they are not all that there is.
    fn completeness_of_shown_rows(&self) -> Completeness {
        let PagePlan { total, offset, .. } = self.answer.plan;
        let shows_nothing = self.verbosity == Verbosity::Bare || self.answer.payload.row_count() == 0;
        match self.answer.evidence.completeness {
            Completeness::Complete if shows_nothing && total > offset => Completeness::LowerBound,
            completeness => completeness,
        }
    }

    /// The call that shows what was removed from the rows; `None` where no call shows more.
    fn call_with_removed_detail(&self) -> Option<Call> {
        if self.answer.payload.do_rows_name_calls_for_rest() {
            return None;
        }
        let answered = self.answer.plan.page_call.as_ref()?;
        let call = call_with_more_room(answered, &self.view, self.max_rows_with_all_detail)?;
        Some(call.with_max_command_bytes(self.max_command_bytes))
    }

    /// Makes the answer one step smaller. `share` is the share of its text (0 to 1) that fits the budget.
    fn shrink_one_step(&mut self, share: f64) {
        // Most details are in no list of places.
        let places = (self.view.format == Format::Vimgrep).then(|| self.list_of_places());
        while let Some(removed) = self.answer.payload.remove_least_valuable_detail() {
            let is_shown = places.as_ref().is_none_or(|places| *places != self.list_of_places());
            if removed.count > 0 && is_shown {
                add_removal(&mut self.left_out, removed);
                return;
            }
        }
        let shown = self.answer.payload.row_count();
        if shown > MIN_KEPT_ROWS {
            let rows = row_count_for_text_share(shown, share);
            self.answer.payload.keep_first_rows(rows.clamp(MIN_KEPT_ROWS, shown - 1));
            return;
        }
        // The best of the narrowing calls stays longer than hints do.
        let kept = usize::from(self.verbosity == Verbosity::Whole);
        if let Some(detail) = self.answer.plan.remove_file_counts_or_narrowing_calls(kept) {
            add_removal(&mut self.left_out, detail);
            return;
        }
        // Hints and warnings are removed now. Guidance without which the caller would draw a false conclusion
        // ([`Guidance::MustFollow`]) stays until the text of the answer is brief.
        let is_binding = matches!(self.answer.guidance, Some(Guidance::MustFollow(_)));
        if (!is_binding || self.verbosity == Verbosity::Brief) && self.answer.guidance.take().is_some() {
            return;
        }
        if shown > 0 && self.verbosity == Verbosity::Brief {
            self.answer.payload.keep_first_rows(shown - 1);
            return;
        }
        self.verbosity = if self.verbosity == Verbosity::Whole { Verbosity::Brief } else { Verbosity::Bare };
    }

    /// The rows that the answer omits, with calls that are short enough for its budget.
    fn omitted_rows_with_short_calls(&self) -> Option<OmittedRows> {
        let mut omitted = self.answer.omitted_rows()?;
        for alternative in &mut omitted.alternatives {
            alternative.call = alternative.call.clone().with_max_command_bytes(self.max_command_bytes);
        }
        Some(omitted)
    }

    fn render_in_format(&self, context: &CallContext, format: Format) -> String {
        match format {
            // Measured as it is written: an escape is longer than its character.
            Format::Json => escape_control_characters_of_json(&self.render_json(context)).into_owned(),
            Format::Text | Format::Vimgrep | Format::Dot | Format::Mermaid => {
                self.render_marked_text(context).into_text()
            }
        }
    }
}

/// Adds the paths that stand in a JSON value under the key `path`.
fn add_paths_in_json(value: &serde_json::Value, paths: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| add_paths_in_json(item, paths)),
        serde_json::Value::Object(fields) => {
            for (key, field) in fields {
                match field.as_str() {
                    Some(path) if key == "path" => _ = paths.insert(path.to_owned()),
                    _ => add_paths_in_json(field, paths),
                }
            }
        }
        _ => {}
    }
}

impl<P: AnswerPayload> ReplyContent for FittedAnswer<P> {
    fn render_marked_text(&self, context: &CallContext) -> MarkedText {
        match self.view.format {
            Format::Vimgrep => self.build_list_of_places_with_remarks(context),
            Format::Text | Format::Json | Format::Dot | Format::Mermaid => self.build_page(context),
        }
    }

    fn render_json(&self, context: &CallContext) -> String {
        self.build_json(context)
    }

    fn shown_locations(&self) -> Vec<Location> {
        self.answer.payload.shown_locations()
    }

    // Whatever a row shows of a file, the row names the file.
    fn quoted_paths(&self, context: &CallContext) -> BTreeSet<String> {
        let mut paths: BTreeSet<String> = self.shown_locations().into_iter().map(|place| place.path).collect();
        for fields in [
            serde_json::to_value(self.answer.payload.scalar_json_fields()),
            serde_json::to_value(self.answer.payload.nested_json_fields(context)),
        ] {
            add_paths_in_json(&fields.unwrap_or_default(), &mut paths);
        }
        paths
    }

    fn rows_cut_from_lines(&self) -> Vec<PlaceRow<'_>> {
        self.answer.payload.rows_cut_from_lines()
    }

    fn completeness_evidence(&self) -> Option<&Evidence> {
        Some(&self.answer.evidence)
    }

    fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        let has_rows = self.verbosity != Verbosity::Bare;
        self.answer.omitted_rows().filter(|_| has_rows)
    }

    fn guidance(&self) -> Option<&Guidance> {
        let has_guidance = self.verbosity != Verbosity::Bare;
        self.answer.guidance.as_ref().filter(|_| has_guidance)
    }
}
