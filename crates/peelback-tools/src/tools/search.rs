//! The tool `search`: symbols and passages ranked for a question.

use std::fmt::Write as _;

use peelback_code::{CodeAccess, PassageSignals, RankQuery, RankedPassage, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, AnswerPayload};
use crate::arguments::MAX_QUESTION_CHARS;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_line_range};
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText};
use crate::parameter_name::parameter_name;
use crate::parsed_question::{
    ParsedQuestion, TestFilter, format_ranking_signals, language_by_name_or_extension, round_score_to_two_decimals,
};
use crate::place::PlaceRow;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::rows::{SymbolRow, symbol_id};
use crate::symbol_detail::DetailLadder;
use crate::symbol_kind::symbol_kind_by_name_or_synonym;
use crate::tool::{ExplorationStep, RequiredService, Tool, ToolGuide};
use crate::view::{OutputOptions, is_default_value};

/// The maximum number of passages in an answer at detail level `exploring`.
const MAX_EXPLORING_ROWS: usize = 10;

/// Functions and sections ranked for a question.
///
/// Functions, class headers, constants and sections of documents, ranked like the files of find_files; no two rows overlap.
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
    /// Symbol kind: class, function, section. Other kinds are method, struct, trait, constant, key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether tests count.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub tests: TestFilter,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct Search;

impl Tool for Search {
    type Parameters = Parameters;

    const NAME: &'static str = "search";
    const ALIASES: &'static [&'static str] = &["semantic_search", "code_search", "search_code", "codebase_search"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["query"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "scope"),
        ("directory", "scope"),
        ("question", "query"),
        ("keywords", "query"),
        ("pattern", "query"),
        ("top_k", "limit"),
        ("max_results", "limit"),
    ];
    const LONG_TEXT_PARAMETERS: &'static [(&'static str, usize)] =
        &[(parameter_name!(Parameters, query), MAX_QUESTION_CHARS)];
    const EXAMPLES: &'static [&'static str] = &[
        "search --query 'where are retries counted?'",
        "search --query 'parse a date' --kind function --tests without",
    ];
    const REQUIRED_SERVICES: &'static [RequiredService] = &[RequiredService::Embedder];
    const HAS_PLACES: bool = true;
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Search,
        phrase: "ranks functions and passages for the same",
        cost_ranks: &[(30, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Search;
    const LABEL_PARAMETERS: &'static [&'static str] = &["query", "scope"];
    const AGENT_TOKENS: usize = 800;

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
        let kind = parameters
            .kind
            .as_deref()
            .map(|name| symbol_kind_by_name_or_synonym(name, &call, parameter_name!(Parameters, kind)))
            .transpose()?;
        let language = parameters
            .language
            .as_deref()
            .map(|name| language_by_name_or_extension(name, &call, parameter_name!(Parameters, language)))
            .transpose()?;
        let query = RankQuery {
            question: question.question.clone(),
            scope: parameters.scope.iter().cloned().collect(),
            walk: WalkOptions::default(),
            language,
            tests: parameters.tests.to_required_is_test_flag(),
            kind,
            page: view.offset..view.offset.saturating_add(view.row_limit(MAX_EXPLORING_ROWS)),
            ..RankQuery::default()
        };
        let ranking = access.rank_passages(&query).map_err(|error| {
            RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, scope))
        })?;
        let mut evidence = ranking.evidence;
        let total = ranking.total;
        if ranking.parsed < ranking.files {
            let files = format_count_with_noun(ranking.files, "file", "files");
            evidence.add_note(format!("only the best {} of {files} with matches were parsed", ranking.parsed));
        }
        let guidance = match ranking.page.first() {
            Some(best) => Some(Guidance::hint_with_call(
                "the text of the first: ",
                read_symbol_or_passage_lines_call(context, best),
            )),
            None if total > 0 => None,
            None if kind.is_some() => Some(Guidance::hint_with_call(
                "of any kind: ",
                call.clone().without_argument(parameter_name!(Parameters, kind)),
            )),
            None if ranking.files > 0 => {
                let files = filtered_rank_files_call(context, &parameters, &question.keywords.join(" "));
                Some(Guidance::hint_with_call("files without symbols that hold the words: ", files))
            }
            None => Some(Guidance::Hint(question.no_results_hint())),
        };
        let mut plan =
            PageLimiter::new(view, MAX_EXPLORING_ROWS).page_plan_from_row_counts(total, Vec::new(), "passages");
        if let Some((file, count)) = ranking.best_file {
            let gives = question.describe_narrower_call_result(|| format_count_with_noun(count, "passage", "passages"));
            plan = plan.with_other_call(call.clone().with_argument(parameter_name!(Parameters, scope), file), gives);
        }
        // For a long question the call contains only keywords. That call ranks differently, so its pages do not
        // continue this answer.
        let plan =
            if question.has_whole_question { plan.with_original_call_for_paging(call) } else { plan }.mark_as_ranked();
        let results =
            ranking.page.into_iter().map(|passage| PassageRow::new(access, passage, view.is_full_detail())).collect();
        let payload = PassagesPayload {
            head: ScalarFields { query: question.title, keywords: question.keywords.join(" ") },
            total,
            files: (ranking.parsed, ranking.files),
            body: NestedFields { results },
            ladder: DetailLadder::default(),
        };
        Ok(Answer { payload, plan, evidence, guidance, is_empty: total == 0 }.into_reply(context, view))
    }
}

/// The call that opens a passage: it reads the whole symbol, or only the lines of a header.
fn read_symbol_or_passage_lines_call(context: &CallContext, passage: &RankedPassage) -> Call {
    if does_passage_contain_whole_symbol(passage) {
        context.follow_up_call_builder().read_symbol_body_call(&symbol_id(&passage.path, &passage.symbol))
    } else {
        context
            .follow_up_call_builder()
            .read_lines_call(&passage.path, &format_line_range(passage.lines.first, passage.lines.last))
    }
}

/// The call that ranks files for `keywords`, with the filters of the call that ranks passages.
fn filtered_rank_files_call(context: &CallContext, parameters: &Parameters, keywords: &str) -> Call {
    let filters = Call::from_parameters_without_root_and_offset(Search::NAME, parameters)
        .without_argument(parameter_name!(Parameters, query))
        .without_argument(parameter_name!(Parameters, kind));
    let filters = filters.arguments().iter();
    filters.fold(context.follow_up_call_builder().rank_files_call(keywords), |call, (name, value)| {
        call.with_argument(name, value.clone())
    })
}

/// Whether a passage contains its whole symbol.
fn does_passage_contain_whole_symbol(passage: &RankedPassage) -> bool {
    passage.lines.first <= passage.symbol.lines.first && passage.lines.last >= passage.symbol.lines.last
}

#[derive(Serialize)]
struct ScalarFields {
    query: String,
    keywords: String,
}

#[derive(Serialize)]
struct NestedFields {
    results: Vec<PassageRow>,
}

#[derive(Serialize)]
struct PassageRow {
    path: String,
    #[serde(flatten)]
    symbol: SymbolRow,
    score: f32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    /// The value of each ranking signal, at full detail only.
    #[serde(skip_serializing_if = "Option::is_none")]
    signals: Option<PassageSignals>,
}

impl PassageRow {
    fn new(access: &CodeAccess, passage: RankedPassage, explain: bool) -> Self {
        let file = access.read_file_by_root_path(&passage.path).ok();
        let is_whole = does_passage_contain_whole_symbol(&passage);
        let RankedPassage { path, symbol, lines, score, signals, reasons } = passage;
        // One line may contain several symbols, so the token cost of a whole symbol is computed from its byte range.
        let symbol_bytes = symbol.outer_start.min(symbol.bytes.start)..symbol.bytes.end;
        let text = file.as_ref().map_or("", |file| match file.text.get(symbol_bytes) {
            Some(own) if is_whole && !own.is_empty() => own,
            _ => file.text_of_lines(lines.first, lines.last),
        });
        let mut symbol = SymbolRow::new_with_token_cost(&path, symbol, peelback_tokens::estimate_tokens(text));
        if let Some(file) = &file {
            SymbolRow::fill_in_columns(std::slice::from_mut(&mut symbol), &file.text);
        }
        // For a class, the passage is the header of the class, or the code after its methods.
        if symbol.line < lines.first {
            (symbol.column, symbol.byte_column) = (Some(1), None);
        }
        symbol.line = symbol.line.max(lines.first);
        symbol.line_end = lines.last;
        let signals = explain.then(|| signals.rounded());
        Self { path, symbol, score: round_score_to_two_decimals(score), reasons, signals }
    }
}

struct PassagesPayload {
    head: ScalarFields,
    total: usize,
    /// The number of files that were parsed for passages, and the number of files in which any query word counted.
    files: (usize, usize),
    body: NestedFields,
    ladder: DetailLadder,
}

impl AnswerPayload for PassagesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let (parsed, files) = self.files;
        let of = if parsed < files { format!(" of the best {parsed} of {files} files") } else { String::new() };
        format!("{}{of} for: {}", format_count_with_noun(self.total, "passage", "passages"), self.head.keywords)
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        let mut path = "";
        for row in &self.body.results {
            if row.path != path {
                path = &row.path;
                page.write_file_heading_line(path);
            }
            let _ = write!(page, "  {}  ", EscapedToOneLine(&row.symbol.qualified_name));
            row.symbol.write_row_as_rest_of_line(page);
            let _ = write!(page, "    score {:.2}", row.score);
            if !row.reasons.is_empty() {
                let _ = write!(page, "  {}", EscapedToOneLine(row.reasons.join("; ")));
            }
            if let Some(signals) = &row.signals {
                let _ = write!(page, "  ({})", format_ranking_signals(signals.named_present_values()));
            }
            page.push('\n');
        }
    }

    fn place_rows(&self) -> Vec<PlaceRow<'_>> {
        self.body.results.iter().map(|row| row.symbol.place_row(&row.path)).collect()
    }

    fn row_count(&self) -> usize {
        self.body.results.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.results.get(index)?;
        Some(format!("{}:{} {}", row.path, row.symbol.line, row.symbol.qualified_name))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        let rows = self.body.results.iter_mut().filter(|row| !row.reasons.is_empty());
        let reasons = rows.map(|row| row.reasons.clear()).count();
        if reasons > 0 {
            return Some(LeftOut { what: "reasons", count: reasons });
        }
        let mut rows: Vec<&mut SymbolRow> = self.body.results.iter_mut().map(|row| &mut row.symbol).collect();
        self.ladder.remove_next_detail(&mut rows)
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.results.truncate(rows);
    }
}
