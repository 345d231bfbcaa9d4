//! Renders an answer as one flat JSON object. Counts, evidence, omitted rows and guidance come first, then the tool's
//! scalar fields and its arrays.

use peelback_code::syntax::stack::run_with_stack_for_bounded_recursion;
use peelback_code::{Completeness, Evidence};
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::json;

use super::{AnswerPayload, FittedAnswer, Verbosity};
use crate::context::CallContext;
use crate::guidance::Guidance;
use crate::left_out::left_out_json;
use crate::output_guard::{FileCount, OmittedRows};

/// The maximum number of skipped files that the evidence of a JSON answer names.
const MAX_NAMED_SKIPPED_FILES: usize = 20;

/// The maximum length of all skipped files that the evidence names, with their reasons, in bytes.
const MAX_SKIPPED_FILES_BYTES: usize = 800;

impl<P: AnswerPayload> FittedAnswer<P> {
    pub(super) fn build_json(&self, context: &CallContext) -> String {
        let answer = &self.answer;
        if self.verbosity == Verbosity::Bare {
            let call = self.call_for_rows().map(|call| context.format_call(&call));
            let bare = json!({
                "total": answer.plan.total,
                "shown": 0,
                "completeness": self.completeness_of_shown_rows().as_str(),
                "hint": call.unwrap_or_else(|| "raise max_tokens".to_owned()),
            });
            return format!("{bare}\n");
        }
        let shown = answer.payload.row_count();
        let overflow = self.omitted_rows_with_short_calls();
        let body = answer.payload.nested_json_fields(context);
        // Lists whose rows do not fit are absent, and counted.
        let (body, left_out) = match overflow.as_ref().filter(|_| shown == 0) {
            None => (BodyJson::Whole(body), left_out_json(&self.left_out)),
            Some(overflow) => {
                let mut left_out = left_out_json(&self.left_out);
                left_out.insert(answer.plan.row_noun.replace(' ', "_"), (overflow.total - answer.plan.offset).into());
                (BodyJson::without_empty_lists(&body), left_out)
            }
        };
        let answer_json = AnswerJson {
            shown,
            total: answer.plan.total,
            evidence: EvidenceJson::new(&answer.evidence, self.completeness_of_shown_rows(), self.verbosity),
            left_out,
            overflow: overflow.as_ref().map(|overflow| OmittedRowsJson::new(overflow, context)),
            guidance: GuidanceJson(answer.guidance.as_ref(), context),
            head: answer.payload.scalar_json_fields(),
            body,
        };
        // Rows of symbols nest, to the limit of the outline.
        let mut out = run_with_stack_for_bounded_recursion(|| serde_json::to_string(&answer_json))
            .unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string());
        out.push('\n');
        out
    }
}

/// The array and object fields of an answer.
#[derive(Serialize)]
#[serde(untagged)]
enum BodyJson<B> {
    Whole(B),
    WithoutEmptyLists(serde_json::Map<String, serde_json::Value>),
}

impl<B: Serialize> BodyJson<B> {
    fn without_empty_lists(body: &B) -> Self {
        let mut fields = match serde_json::to_value(body) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        fields.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        Self::WithoutEmptyLists(fields)
    }
}

#[derive(Serialize)]
struct AnswerJson<'a, H, B> {
    total: usize,
    shown: usize,
    evidence: EvidenceJson<'a>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    left_out: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overflow: Option<OmittedRowsJson<'a>>,
    #[serde(flatten)]
    guidance: GuidanceJson<'a>,
    /// The tool's scalar fields come after the fields of bounded length, because they repeat the caller's arguments,
    /// which may be long.
    #[serde(flatten)]
    head: &'a H,
    #[serde(flatten)]
    body: B,
}

struct GuidanceJson<'a>(Option<&'a Guidance>, &'a CallContext);

impl Serialize for GuidanceJson<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(guidance) = self.0 {
            map.serialize_entry(guidance.level_name(), &guidance.message().render_for_caller(self.1))?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct OmittedRowsJson<'a> {
    shown: usize,
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    hint: String,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    by_file: &'a [FileCount],
    #[serde(skip_serializing_if = "Option::is_none")]
    by_file_overflow: Option<usize>,
}

impl<'a> OmittedRowsJson<'a> {
    fn new(overflow: &'a OmittedRows, context: &CallContext) -> Self {
        let lines = overflow.alternatives.iter();
        let lines: Vec<String> =
            lines.map(|other| format!("{}:\n{}", other.result_description, context.format_call(&other.call))).collect();
        Self {
            shown: overflow.shown,
            total: overflow.total,
            next_offset: overflow.next_offset,
            hint: lines.join("\n"),
            by_file: &overflow.by_file,
            by_file_overflow: overflow.by_file_overflow,
        }
    }
}

#[derive(Serialize)]
struct EvidenceJson<'a> {
    completeness: &'static str,
    analysis: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_total: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedFileJson<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

#[derive(Serialize)]
struct SkippedFileJson<'a> {
    path: &'a str,
    reason: &'a str,
}

impl<'a> EvidenceJson<'a> {
    fn new(evidence: &'a Evidence, completeness: Completeness, verbosity: Verbosity) -> Self {
        let skipped = &evidence.skipped;
        // Files with very long paths are only counted, so that the fields after the evidence stay visible.
        let mut remaining_bytes = MAX_SKIPPED_FILES_BYTES;
        let fitting = skipped.iter().take(MAX_NAMED_SKIPPED_FILES).take_while(|item| {
            let length = item.path.len() + item.reason.len();
            let fits = length <= remaining_bytes;
            remaining_bytes = remaining_bytes.saturating_sub(length);
            fits
        });
        let named_count = if verbosity == Verbosity::Whole { fitting.count() } else { 0 };
        Self {
            completeness: completeness.as_str(),
            analysis: &evidence.analysis,
            skipped_total: (!skipped.is_empty()).then_some(skipped.len()),
            skipped: skipped
                .iter()
                .take(named_count)
                .map(|s| SkippedFileJson { path: &s.path, reason: &s.reason })
                .collect(),
            notes: if verbosity == Verbosity::Whole { &evidence.notes } else { &[] },
        }
    }
}
