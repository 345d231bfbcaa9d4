//! The answer of `grep` that lists the matching files.

use std::fmt::Write as _;

use peelback_code::{CodeAccess, GrepAnswer};
use serde::Serialize;

use super::rows::{RowNoun, ScalarFields, summary_line_of_matches};
use super::{MAX_EXPLORING_ROWS, Parameters, most_common_extension_glob_and_count, nothing_found_guidance};
use crate::answer::{Answer, AnswerPayload};
use crate::call::Call;
use crate::context::CallContext;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::{MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::reply::Reply;

/// The reply that lists only the matching files, sorted by path, with what each costs or with the counts alone.
pub(super) fn matching_files_reply(
    access: &CodeAccess,
    context: &CallContext,
    found: GrepAnswer,
    parameters: &Parameters,
    unit: RowNoun,
    call: Call,
) -> Reply {
    let view = &parameters.view;
    let counts = found.counts;
    let of_unit = |count: usize, counted: RowNoun| (counted == unit).then_some(count);
    let lines = |count: usize| of_unit(count, RowNoun::Line);
    let matches = |count: usize| of_unit(count, RowNoun::Match { is_text: true });
    let total = counts.by_file.len();
    let guidance = (total == 0).then(|| nothing_found_guidance(context, &call, parameters));
    let head = ScalarFields {
        pattern: parameters.pattern.clone(),
        files_matched: total,
        files_searched: counts.searched,
        lines_total: lines(counts.total),
        matches_total: matches(counts.total),
    };
    let common_extension = most_common_extension_glob_and_count(
        &counts.by_file.iter().map(|(path, _)| (path.clone(), 1)).collect::<Vec<_>>(),
    );
    let (files, mut plan) =
        PageLimiter::new(view, MAX_EXPLORING_ROWS).page_rows_and_plan(counts.by_file, total, "files");
    let file_row = |(path, count): (String, usize)| {
        // The token cost needs a read of the file, which happens only before the deadline.
        let shows_cost = parameters.files && access.project().cancellation().stop_cause().is_none();
        let file = shows_cost.then(|| access.read_file(&path).ok()).flatten();
        let tokens = file.map(|file| peelback_tokens::estimate_tokens(&file.text));
        MatchingFileRow { path, lines: lines(count), matches: matches(count), tokens }
    };
    let files = files.into_iter().map(file_row).collect();
    if let Some((glob, files)) = common_extension.filter(|_| parameters.scope.is_empty()) {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, scope), vec![glob]),
            files,
            ("file", "files"),
        );
    }
    let plan = plan.with_original_call_for_paging(call);
    let payload = MatchingFilesPayload { head, total: counts.total, unit, body: FilesNestedFields { files } };
    Answer { payload, plan, evidence: found.evidence, guidance, is_empty: total == 0 }.into_reply(context, view)
}

#[derive(Serialize)]
struct FilesNestedFields {
    files: Vec<MatchingFileRow>,
}

#[derive(Serialize)]
struct MatchingFileRow {
    path: String,
    /// Number of matching lines in the file, where lines are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<usize>,
    /// Number of matches in the file, where these are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<usize>,
    /// The cost of reading the file, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

struct MatchingFilesPayload {
    head: ScalarFields,
    total: usize,
    unit: RowNoun,
    body: FilesNestedFields,
}

impl AnswerPayload for MatchingFilesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a FilesNestedFields;

    fn summary_line(&self) -> String {
        summary_line_of_matches(self.total, self.unit, &self.head)
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &FilesNestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        for row in &self.body.files {
            page.write_part(PartKind::Subject, &row.path);
            let _ = write!(page, "  {}", self.unit.format_count(row.lines.or(row.matches).unwrap_or(0)));
            if let Some(tokens) = row.tokens {
                page.write_token_cost(tokens);
            }
            page.push('\n');
        }
    }

    fn row_count(&self) -> usize {
        self.body.files.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.files.get(index)?;
        Some(format!("{}  {}", row.path, self.unit.format_count(row.lines.or(row.matches).unwrap_or(0))))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        None
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.files.truncate(rows);
    }
}
