//! The tool `find_files`: files ranked for keywords or a question.

use std::fmt::Write as _;

use peelback_code::{CodeAccess, FileRankingSignals, RankQuery, RankedFile, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, AnswerPayload};
use crate::arguments::MAX_QUESTION_CHARS;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::narrower_place::GLOB_CHARS;
use crate::output_guard::PageLimiter;
use crate::page::{MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::parsed_question::{
    ParsedQuestion, TestFilter, format_ranking_signals, language_by_name_or_extension, round_score_to_two_decimals,
};
use crate::recoverable_error::RecoverableError;
use crate::reply::{Location, Reply, ShownDetail};
use crate::retention::ResultKind;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::view::{OutputOptions, is_default_value};

/// The maximum number of files in an answer at detail level `exploring`.
const MAX_EXPLORING_ROWS: usize = 20;

/// Files ranked for a question.
///
/// Counts rare words more than common ones, in texts, paths and the best function of a file, and follows what the
/// question names: paths, modules, frames of a traceback, names in code form, quoted messages. Words match by stem.
/// Tests, examples and documents rank lower unless the question asks for them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Keywords, question or bug report.
    pub query: String,
    /// File, folder or glob to search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Only files in this language. A name or an extension: python, py, typescript, rs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether to include tests.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub tests: TestFilter,
    /// Include hidden files.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub hidden: bool,
    /// Include ignored files. These are the files that .gitignore and .ignore files exclude.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub no_ignore: bool,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct FindFiles;

impl Tool for FindFiles {
    type Parameters = Parameters;

    const NAME: &'static str = "find_files";
    const ALIASES: &'static [&'static str] = &["find", "search_for_files", "search_files"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["query"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "scope"),
        ("keywords", "query"),
        ("question", "query"),
        ("pattern", "query"),
        ("directory", "scope"),
    ];
    const LONG_TEXT_PARAMETERS: &'static [(&'static str, usize)] =
        &[(parameter_name!(Parameters, query), MAX_QUESTION_CHARS)];
    const EXAMPLES: &'static [&'static str] =
        &["find_files --query 'How does authentication work?'", "find_files --query 'rate limit' --scope src"];
    const HAS_ALIGNED_COLUMNS: bool = true;
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Search,
        phrase: "ranks files for words, a question or a bug report",
        cost_ranks: &[(20, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Search;
    const LABEL_PARAMETERS: &'static [&'static str] = &["query", "scope"];
    const AGENT_TOKENS: usize = 450;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let view = &parameters.view;
        let question = ParsedQuestion::new(
            context,
            &parameters.query,
            Call::from_parameters_without_root_and_offset(Self::NAME, &parameters),
        )?;
        let call = question.call.clone();
        let language = parameters
            .language
            .as_deref()
            .map(|name| language_by_name_or_extension(name, &call, parameter_name!(Parameters, language)))
            .transpose()?;
        let query = RankQuery {
            question: question.question.clone(),
            scope: parameters.scope.iter().cloned().collect(),
            walk: WalkOptions { hidden: parameters.hidden, no_ignore: parameters.no_ignore, ..WalkOptions::default() },
            language,
            tests: parameters.tests.to_required_is_test_flag(),
            token_counter: Some(peelback_tokens::estimate_tokens),
            page: view.offset..view.offset.saturating_add(view.row_limit(MAX_EXPLORING_ROWS)),
            ..RankQuery::default()
        };
        let ranking = access.rank_files(&query).map_err(|error| {
            RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, scope))
        })?;
        let (ranked, evidence) = (ranking.files, ranking.evidence);
        let total = ranked.len();
        let cap = view.row_limit(MAX_EXPLORING_ROWS);
        let best_folder = folder_of_best_file_and_file_count(&ranked, parameters.scope.as_deref(), cap);
        let guidance = if ranked.is_empty() {
            Some(Guidance::Hint(question.no_results_hint()))
        } else {
            ranked.get(view.offset).map(|best| {
                Guidance::hint_with_call(
                    "the outline of the first: ",
                    context.follow_up_call_builder().outline_call(&best.path),
                )
            })
        };
        let empty = ranked.is_empty();
        let (files, mut plan) = PageLimiter::new(view, MAX_EXPLORING_ROWS).page_rows_and_plan(ranked, total, "files");
        if let Some((folder, files)) = best_folder {
            let gives = question.describe_narrower_call_result(|| format_count_with_noun(files, "file", "files"));
            plan = plan.with_other_call(call.clone().with_argument(parameter_name!(Parameters, scope), folder), gives);
        }
        // For a long question the call contains only keywords. That call ranks differently, so its pages do not
        // continue this answer.
        let plan =
            if question.has_whole_question { plan.with_original_call_for_paging(call) } else { plan }.mark_as_ranked();
        let files = files.into_iter().map(|file| RankedFileRow::new(file, view.is_full_detail())).collect();
        let payload = RankedFilesPayload {
            head: ScalarFields { query: question.title, keywords: question.keywords.join(" ") },
            total,
            body: NestedFields { files },
        };
        Ok(Answer { payload, plan, evidence, guidance, is_empty: empty }.into_reply(context, view))
    }
}

/// The folder that narrows a ranking to at most `cap` files, or to half of them: the largest such that contains the best ranked
/// file, with the number of ranked files in it. `None` where there is none, or where `scope` is a glob, which the folder would
/// replace.
fn folder_of_best_file_and_file_count(
    ranked: &[RankedFile],
    scope: Option<&str>,
    cap: usize,
) -> Option<(String, usize)> {
    if scope.is_some_and(|scope| scope.contains(GLOB_CHARS)) {
        return None;
    }
    let most = cap.max(ranked.len() / 2);
    let folders_of = |file: &RankedFile| {
        let path = file.path.clone();
        let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
        ends.into_iter().filter_map(move |end| path.get(..end).map(str::to_owned))
    };
    let count_in = |folder: &str| ranked.iter().filter(|file| is_path_in_folder(&file.path, folder)).count();
    // A file at the top lies in no folder: then the next one is asked.
    ranked.iter().take(cap).find_map(|file| {
        let counted = folders_of(file).map(|folder| (count_in(&folder), folder));
        counted
            .into_iter()
            .find(|(count, _)| *count <= most && *count < ranked.len())
            .map(|(count, folder)| (folder, count))
    })
}

/// Whether a file's path is inside a folder, at any depth.
fn is_path_in_folder(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[derive(Serialize)]
struct ScalarFields {
    query: String,
    keywords: String,
}

#[derive(Serialize)]
struct NestedFields {
    files: Vec<RankedFileRow>,
}

#[derive(Serialize)]
struct RankedFileRow {
    path: String,
    score: f32,
    reasons: Vec<String>,
    /// The value of each ranking signal, at full detail only.
    #[serde(skip_serializing_if = "Option::is_none")]
    signals: Option<FileRankingSignals>,
    /// The cost of reading the file, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

impl RankedFileRow {
    fn new(file: RankedFile, explain: bool) -> Self {
        let signals = explain.then(|| file.signals.rounded());
        Self {
            path: file.path,
            score: round_score_to_two_decimals(file.score),
            reasons: file.reasons,
            signals,
            tokens: file.tokens,
        }
    }
}

struct RankedFilesPayload {
    head: ScalarFields,
    total: usize,
    body: NestedFields,
}

impl AnswerPayload for RankedFilesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        format!("{} for: {}", format_count_with_noun(self.total, "file", "files"), self.head.keywords)
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        for row in &self.body.files {
            page.write_and_mark_part(PartKind::Cell, |page| page.write_part(PartKind::Subject, &row.path));
            page.write_cell(format_args!("score {:.2}", row.score));
            if let Some(tokens) = row.tokens {
                page.write_token_cost_cell(tokens);
            }
            page.write_cell(row.reasons.join("; "));
            page.push('\n');
            if let Some(signals) = &row.signals {
                let _ = writeln!(page, "  ({})", format_ranking_signals(signals.names_and_values()));
            }
        }
    }

    fn shown_locations(&self) -> Vec<Location> {
        self.body.files.iter().map(|row| Location::for_whole_file(&row.path, ShownDetail::Found)).collect()
    }

    fn row_count(&self) -> usize {
        self.body.files.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.files.get(index)?;
        Some(format!("{}  score {:.2}", row.path, row.score))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        let rows = self.body.files.iter_mut().filter(|row| !row.reasons.is_empty());
        let count = rows.map(|row| row.reasons.clear()).count();
        (count > 0).then_some(LeftOut { what: "reasons", count })
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.files.truncate(rows);
    }
}
