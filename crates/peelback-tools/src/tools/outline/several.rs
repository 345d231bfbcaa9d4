//! The outlines of several files, folders and globs in one answer, which share its budget.

use peelback_code::syntax::SymbolKind;
use peelback_code::{CodeAccess, Completeness, Evidence};
use serde::Serialize;

use super::OutlineAnswer;
use super::file::{FileOutlinePayload, NestedFields, ScalarFields};
use super::folder::{FolderNestedFields, FolderOutlinePayload, FolderScalarFields};
use super::parameters::Parameters;
use crate::answer::{Answer, AnswerPayload};
use crate::budget::DefaultBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::left_out::LeftOut;
use crate::message::Message;
use crate::not_found::{NotFound, NotFoundJson, error_where_nothing_is_found};
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText};
use crate::parameter_name::parameter_name;
use crate::place::PlaceRow;
use crate::recoverable_error::RecoverableError;
use crate::reply::{Location, Reply};
use crate::view::OutputOptions;

/// The maximum number of outlines in an answer at detail level `exploring`.
const MAX_EXPLORING_OUTLINES: usize = 50;

/// The reply with the outlines of several paths. A path that is not there is a note, unless none is.
pub(super) fn several_outlines_reply(
    access: &CodeAccess,
    context: &CallContext,
    kind: Option<SymbolKind>,
    paths: &[&str],
    parameters: &Parameters,
    call: Call,
) -> Result<Reply, RecoverableError> {
    let view = &parameters.view;
    // Pages are of outlines; each begins with its first row.
    let of_one = Parameters {
        path: Vec::new(),
        view: OutputOptions { offset: 0, limit: None, ..view.clone() },
        ..parameters.clone()
    };
    let mut evidence: Option<Evidence> = None;
    let mut parts: Vec<OutlinePart> = Vec::new();
    let mut errors: Vec<(String, RecoverableError)> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        if let (Some(cause), Some(evidence)) = (access.project().cancellation().stop_cause(), &mut evidence) {
            let left = format_count_with_noun(paths.len() - index, "path", "paths");
            evidence.add_note(format!("{}: {left} not outlined", cause.as_str()));
            evidence.lower_completeness_to(Completeness::LowerBound);
            break;
        }
        let call_of_one = call
            .clone()
            .with_argument(parameter_name!(Parameters, path), *path)
            .without_argument(parameter_name!(OutputOptions, limit))
            .without_argument(parameter_name!(OutputOptions, max_tokens));
        match outline_part(access, context, kind, path, &of_one, call_of_one) {
            Ok((part, of_part)) => {
                match &mut evidence {
                    Some(evidence) => evidence.add_gaps_and_notes(of_part),
                    None => evidence = Some(of_part),
                }
                parts.push(part);
            }
            Err(error) => errors.push(((*path).to_owned(), error)),
        }
    }
    let Some(evidence) = evidence else { return Err(error_where_nothing_is_found(errors)) };
    let counts = Counts { paths: paths.len(), outlines: parts.len() };
    let total = parts.len();
    let (parts, plan) = PageLimiter::new(view, MAX_EXPLORING_OUTLINES).page_rows_and_plan(parts, total, "outlines");
    let not_found = errors.into_iter().map(|(path, error)| NotFound::new(&path, error)).collect();
    let payload = SeveralOutlinesPayload { counts, parts, not_found, context: context.clone() };
    let plan = plan.with_original_call_for_paging(call);
    Ok(Answer { payload, plan, evidence, guidance: None, is_empty: false }.into_reply(context, view))
}

fn outline_part(
    access: &CodeAccess,
    context: &CallContext,
    kind: Option<SymbolKind>,
    path: &str,
    parameters: &Parameters,
    call: Call,
) -> Result<(OutlinePart, Evidence), RecoverableError> {
    let part = |payload, total, row_noun, call| OutlinePart {
        payload,
        total,
        row_noun,
        is_cut: false,
        uncounted: total,
        call,
    };
    match super::outline_answer(access, context, kind, Some(path), parameters, call.clone())? {
        OutlineAnswer::File(answer) => {
            let Answer { payload, plan, evidence, .. } = *answer;
            Ok((part(PartPayload::File(Box::new(payload)), plan.total, plan.row_noun, call), evidence))
        }
        OutlineAnswer::Folder(answer) => {
            let Answer { payload, plan, evidence, .. } = *answer;
            Ok((part(PartPayload::Folder(Box::new(payload)), plan.total, plan.row_noun, call), evidence))
        }
    }
}

#[derive(Serialize)]
struct Counts {
    paths: usize,
    outlines: usize,
}

/// The outline of one of several paths.
struct OutlinePart {
    payload: PartPayload,
    /// The number of rows of the whole outline.
    total: usize,
    row_noun: &'static str,
    /// Whether details or rows were removed so that all outlines fit.
    is_cut: bool,
    /// The number of rows less those that [`OutlinePart::shrink`] counted as left out.
    uncounted: usize,
    /// The call for this outline alone.
    call: Call,
}

enum PartPayload {
    File(Box<FileOutlinePayload>),
    Folder(Box<FolderOutlinePayload>),
}

/// The outline of one of several paths in JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum PartJson<'a> {
    File {
        #[serde(flatten)]
        head: &'a ScalarFields,
        #[serde(flatten)]
        body: &'a NestedFields,
        #[serde(skip_serializing_if = "Option::is_none")]
        rest: Option<String>,
    },
    Folder {
        #[serde(flatten)]
        head: &'a FolderScalarFields,
        #[serde(flatten)]
        body: &'a FolderNestedFields,
        #[serde(skip_serializing_if = "Option::is_none")]
        rest: Option<String>,
    },
}

#[derive(Serialize)]
struct SeveralOutlinesJson<'a> {
    outlines_by_path: Vec<PartJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_found: Vec<NotFoundJson>,
}

struct SeveralOutlinesPayload {
    counts: Counts,
    parts: Vec<OutlinePart>,
    not_found: Vec<NotFound>,
    /// The context in which the length of outlines is measured.
    context: CallContext,
}

impl OutlinePart {
    fn write(&self, context: &CallContext, page: &mut MarkedText) {
        let summary = match &self.payload {
            PartPayload::File(payload) => payload.summary_line(),
            PartPayload::Folder(payload) => payload.summary_line(),
        };
        page.push_str(&format!("{}\n", EscapedToOneLine(summary)));
        if let Some(call) = self.call_for_rest() {
            let shown = self.row_count();
            let rows = if shown < self.total {
                format!("shown: {shown} of {} {}; more of it: ", self.total, self.row_noun)
            } else {
                "not all of its details fit: ".to_owned()
            };
            Message::from(rows).with_call(call).write_to_page(context, page);
            page.push('\n');
        }
        match &self.payload {
            PartPayload::File(payload) => payload.write_rows(context, page),
            PartPayload::Folder(payload) => payload.write_rows(context, page),
        }
    }

    /// The call for the whole outline, where not all of it is shown.
    fn call_for_rest(&self) -> Option<Call> {
        (self.is_cut || self.row_count() < self.total).then(|| self.call.clone())
    }

    fn row_count(&self) -> usize {
        match &self.payload {
            PartPayload::File(payload) => payload.row_count(),
            PartPayload::Folder(payload) => payload.row_count(),
        }
    }

    /// The length of its rows, in bytes.
    fn shown_bytes(&self, context: &CallContext) -> usize {
        let mut page = MarkedText::default();
        self.write(context, &mut page);
        page.byte_len()
    }

    /// Removes its least valuable detail, or else a quarter of its rows; `None` where one row without details is left.
    fn shrink(&mut self) -> Option<LeftOut> {
        let removed = match &mut self.payload {
            PartPayload::File(payload) => payload.remove_least_valuable_detail(),
            PartPayload::Folder(payload) => payload.remove_least_valuable_detail(),
        };
        if let Some(removed) = removed {
            self.is_cut |= removed.count > 0;
            return Some(removed);
        }
        let rows = self.row_count();
        let kept = rows * 3 / 4;
        if kept == 0 || kept == rows {
            return None;
        }
        match &mut self.payload {
            PartPayload::File(payload) => payload.keep_first_rows(kept),
            PartPayload::Folder(payload) => payload.keep_first_rows(kept),
        }
        // The first time, this counts the rows that the outline left out by itself, too.
        let count = self.uncounted.saturating_sub(kept);
        self.uncounted = kept;
        Some(LeftOut { what: "later rows", count })
    }

    fn json_value(&self, context: &CallContext) -> PartJson<'_> {
        let rest = self.call_for_rest().map(|call| context.format_call(&call));
        match &self.payload {
            PartPayload::File(payload) => {
                PartJson::File { head: payload.scalar_json_fields(), body: payload.nested_json_fields(context), rest }
            }
            PartPayload::Folder(payload) => {
                PartJson::Folder { head: payload.scalar_json_fields(), body: payload.nested_json_fields(context), rest }
            }
        }
    }
}

impl AnswerPayload for SeveralOutlinesPayload {
    type ScalarFields = Counts;
    type NestedFields<'a> = SeveralOutlinesJson<'a>;

    fn summary_line(&self) -> String {
        let Counts { paths, outlines } = self.counts;
        let outlines = format_count_with_noun(outlines, "outline", "outlines");
        format!("{outlines} for {}", format_count_with_noun(paths, "path", "paths"))
    }

    fn scalar_json_fields(&self) -> &Counts {
        &self.counts
    }

    fn nested_json_fields(&self, context: &CallContext) -> SeveralOutlinesJson<'_> {
        SeveralOutlinesJson {
            outlines_by_path: self.parts.iter().map(|part| part.json_value(context)).collect(),
            not_found: self.not_found.iter().map(|missing| missing.json_value(context)).collect(),
        }
    }

    fn do_rows_name_calls_for_rest(&self) -> bool {
        true
    }

    fn place_rows(&self) -> Vec<PlaceRow<'_>> {
        let mut rows = Vec::new();
        for part in &self.parts {
            rows.extend(match &part.payload {
                PartPayload::File(payload) => payload.place_rows(),
                PartPayload::Folder(payload) => payload.place_rows(),
            });
        }
        rows
    }

    fn write_rows(&self, context: &CallContext, page: &mut MarkedText) {
        self.not_found.iter().for_each(|missing| missing.write_line(context, page));
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 || !self.not_found.is_empty() {
                page.push('\n');
            }
            part.write(context, page);
        }
    }

    fn row_count(&self) -> usize {
        self.parts.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        Some(match &self.parts.get(index)?.payload {
            PartPayload::File(payload) => payload.summary_line(),
            PartPayload::Folder(payload) => payload.summary_line(),
        })
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        // The longest is cut, so that those that are short stay whole.
        let context = &self.context;
        let mut order: Vec<(usize, usize)> =
            self.parts.iter().enumerate().map(|(index, part)| (part.shown_bytes(context), index)).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        let shrunk = order.into_iter().find_map(|(_, index)| self.parts.get_mut(index)?.shrink());
        shrunk.or_else(|| {
            let hints = self.not_found.iter_mut().map(NotFound::remove_hint).filter(|is_removed| *is_removed).count();
            (hints > 0).then_some(LeftOut { what: "hints for missing paths", count: hints })
        })
    }

    fn remove_detail_beyond_names(&mut self) -> Option<LeftOut> {
        // Of the longest outline that has details, so that short ones stay whole.
        let context = &self.context;
        let mut order: Vec<(usize, usize)> =
            self.parts.iter().enumerate().map(|(index, part)| (part.shown_bytes(context), index)).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        order.into_iter().find_map(|(_, index)| {
            let part = self.parts.get_mut(index)?;
            let removed = match &mut part.payload {
                PartPayload::File(payload) => payload.remove_detail_beyond_names(),
                PartPayload::Folder(payload) => payload.remove_detail_beyond_names(),
            }?;
            part.is_cut |= removed.count > 0;
            Some(removed)
        })
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.parts.truncate(rows);
    }

    fn default_budget(&self) -> DefaultBudget {
        let tokens = |part: &OutlinePart| match &part.payload {
            PartPayload::File(payload) => payload.head.tokens,
            PartPayload::Folder(payload) => payload.tokens(),
        };
        DefaultBudget::of_file_outline(self.parts.iter().map(tokens).sum())
    }

    fn shown_locations(&self) -> Vec<Location> {
        let locations = |part: &OutlinePart| match &part.payload {
            PartPayload::File(payload) => payload.shown_locations(),
            PartPayload::Folder(payload) => payload.shown_locations(),
        };
        self.parts.iter().flat_map(locations).collect()
    }
}
