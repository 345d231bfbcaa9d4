//! The answer of `grep` that says only whether anything matches.

use peelback_code::MatchExistence;
use serde::Serialize;

use super::Parameters;
use crate::answer::{Answer, AnswerPayload};
use crate::context::CallContext;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::MarkedText;
use crate::reply::Reply;

/// The reply that says only whether anything matches.
pub(super) fn existence_reply(context: &CallContext, found: MatchExistence, parameters: &Parameters) -> Reply {
    let MatchExistence { is_matched, searched, evidence } = found;
    let head = ExistenceScalarFields {
        pattern: parameters.pattern.clone(),
        matched: is_matched,
        files_searched: (!is_matched).then_some(searched),
    };
    let plan =
        PageLimiter::new(&parameters.view, 1).page_plan_from_row_counts(usize::from(is_matched), Vec::new(), "matches");
    let payload = ExistencePayload { head };
    Answer { payload, plan, evidence, guidance: None, is_empty: !is_matched }.into_reply(context, &parameters.view)
}

#[derive(Serialize)]
struct ExistenceScalarFields {
    pattern: String,
    matched: bool,
    /// The number of searched files where none matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_searched: Option<usize>,
}

#[derive(Serialize)]
struct NoNestedFields {}

/// Whether anything matches. That something does is the one row.
struct ExistencePayload {
    head: ExistenceScalarFields,
}

impl AnswerPayload for ExistencePayload {
    type ScalarFields = ExistenceScalarFields;
    type NestedFields<'a> = NoNestedFields;

    fn summary_line(&self) -> String {
        match self.head.files_searched {
            None => "matched".to_owned(),
            Some(searched) => format!("not matched ({searched} searched)"),
        }
    }

    fn scalar_json_fields(&self) -> &ExistenceScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> NoNestedFields {
        NoNestedFields {}
    }

    fn write_rows(&self, _: &CallContext, _: &mut MarkedText) {}

    fn row_count(&self) -> usize {
        usize::from(self.head.matched)
    }

    fn describe_row_at(&self, _: usize) -> Option<String> {
        None
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        None
    }

    fn keep_first_rows(&mut self, _: usize) {}
}
