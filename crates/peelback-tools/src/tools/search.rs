//! The tool `search`: symbols and passages ranked for a question.

use std::fmt::Write as _;

use peelback_code::{CodeAccess, PassageSignals, RankQuery, RankedPassage, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{counted, line_range};
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::Page;
use crate::parameter_name::parameter_name;
use crate::parsed_question::{ParsedQuestion, Tests, language_named, rounded, signal_list};
use crate::recover::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::rows::{SymbolRow, symbol_id};
use crate::symbol_kind::kind_named;
use crate::tool::{Need, Tool};
use crate::view::{View, is_default};

/// The most passages at detail level `exploring`.
const CAP: usize = 10;

/// Functions and sections ranked for a question.
///
/// Functions, class headers, constants and sections of documents, ranked like the files of find_files; no two rows overlap.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Words, a question, or a bug report.
    pub query: String,
    /// A file, folder or glob to look in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Only this language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Only symbols of this kind: class, function, method, section, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Files of tests.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tests: Tests,
    #[serde(flatten)]
    pub view: View,
}

pub struct Search;

impl Tool for Search {
    type Parameters = Parameters;

    const NAME: &'static str = "search";
    const ALIASES: &'static [&'static str] = &["semantic_search", "code_search", "search_code", "codebase_search"];
    const POSITIONAL: &'static [&'static str] = &["query"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "scope"),
        ("directory", "scope"),
        ("question", "query"),
        ("keywords", "query"),
        ("pattern", "query"),
        ("top_k", "limit"),
        ("max_results", "limit"),
    ];
    const EXAMPLES: &'static [&'static str] = &[
        "search --query 'where are retries counted?'",
        "search --query 'parse a date' --kind function --tests without",
    ];
    const NEEDS: &'static [Need] = &[Need::Embedder];
    const RESULT: ResultKind = ResultKind::Search;
    const SUBJECT: &'static [&'static str] = &["query", "scope"];
    const AGENT_TOKENS: usize = 800;

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let view = &parameters.view;
        let question = ParsedQuestion::new(context, &parameters.query, Call::with_parameters(Self::NAME, &parameters))?;
        let call = question.call.clone();
        let kind = parameters
            .kind
            .as_deref()
            .map(|name| kind_named(name, &call, parameter_name!(Parameters, kind)))
            .transpose()?;
        let language = parameters
            .language
            .as_deref()
            .map(|name| language_named(name, &call, parameter_name!(Parameters, language)))
            .transpose()?;
        let query = RankQuery {
            question: question.question.clone(),
            scope: parameters.scope.iter().cloned().collect(),
            walk: WalkOptions::default(),
            language,
            tests: parameters.tests.filter(),
            kind,
            page: view.offset..view.offset.saturating_add(view.row_limit(CAP)),
            ..RankQuery::default()
        };
        let ranking = access
            .rank_passages(&query)
            .map_err(|error| RecoverableError::from_code(context, &error, &call, parameter_name!(Parameters, scope)))?;
        let mut evidence = ranking.evidence;
        let total = ranking.total;
        if ranking.parsed < ranking.files {
            let files = counted(ranking.files, "file", "files");
            evidence.note(format!("only the best {} of {files} in which something counts were parsed", ranking.parsed));
        }
        let guidance = match ranking.page.first() {
            Some(best) => Some(Guidance::hint("the text of the first: ", open_call(context, best))),
            None if total > 0 => None,
            None if kind.is_some() => {
                Some(Guidance::hint("of any kind: ", call.clone().without(parameter_name!(Parameters, kind))))
            }
            None if ranking.files > 0 => {
                let files = files_call(context, &parameters, &question.keywords.join(" "));
                Some(Guidance::hint("files without symbols that hold the words: ", files))
            }
            None => Some(Guidance::Hint(question.fallback_hint())),
        };
        let mut plan = OutputGuard::new(view, CAP).plan(total, Vec::new(), "passages");
        if let Some((file, count)) = ranking.best_file {
            let gives = question.count_or_unknown(|| counted(count, "passage", "passages"));
            plan = plan.narrowed(call.clone().with(parameter_name!(Parameters, scope), file), gives);
        }
        // For a long question the call contains only keywords. That call ranks differently, so its pages do not
        // continue this answer.
        let plan = if question.is_whole { plan.paged(call) } else { plan }.ranked();
        let results = ranking.page.into_iter().map(|passage| Row::new(access, passage, view.is_full())).collect();
        let payload = Found {
            head: Head { query: question.title, keywords: question.keywords.join(" ") },
            total,
            files: (ranking.parsed, ranking.files),
            body: Body { results },
            stage: 0,
        };
        Ok(Answer { payload, plan, evidence, guidance, empty: total == 0 }.finish(context, view))
    }
}

/// The call that opens a passage: the whole symbol, or the lines of a header.
fn open_call(context: &CallContext, passage: &RankedPassage) -> Call {
    if is_whole(passage) {
        context.next().body(&symbol_id(&passage.path, &passage.symbol))
    } else {
        context.next().lines(&passage.path, &line_range(passage.lines.first, passage.lines.last))
    }
}

/// The call that ranks files for `keywords`, with the filters of the call that ranks passages.
fn files_call(context: &CallContext, parameters: &Parameters, keywords: &str) -> Call {
    let filters = Call::with_parameters(Search::NAME, parameters)
        .without(parameter_name!(Parameters, query))
        .without(parameter_name!(Parameters, kind));
    let filters = filters.arguments().iter();
    filters.fold(context.next().files(keywords), |call, (name, value)| call.with(name, value.clone()))
}

/// Whether a passage contains its whole symbol.
fn is_whole(passage: &RankedPassage) -> bool {
    passage.lines.first <= passage.symbol.lines.first && passage.lines.last >= passage.symbol.lines.last
}

#[derive(Serialize)]
struct Head {
    query: String,
    keywords: String,
}

#[derive(Serialize)]
struct Body {
    results: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
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

impl Row {
    fn new(access: &CodeAccess, passage: RankedPassage, explain: bool) -> Self {
        let file = access.read_file_by_root_path(&passage.path).ok();
        let is_whole = is_whole(&passage);
        let RankedPassage { path, symbol, lines, score, signals, reasons } = passage;
        // One line may contain several symbols, so the token cost of a whole symbol is computed from its byte range.
        let own = symbol.outer_start.min(symbol.bytes.start)..symbol.bytes.end;
        let text = file.as_ref().map_or("", |file| match file.text.get(own) {
            Some(own) if is_whole && !own.is_empty() => own,
            _ => file.lines(lines.first, lines.last),
        });
        let mut symbol = SymbolRow::priced(&path, symbol, peelback_tokens::estimate_tokens(text));
        // For a class, the passage is its header, or the code after its methods.
        symbol.line = symbol.line.max(lines.first);
        symbol.line_end = lines.last;
        let signals = explain.then(|| signals.rounded());
        Self { path, symbol, score: rounded(score), reasons, signals }
    }
}

struct Found {
    head: Head,
    total: usize,
    /// The number of files that were parsed for passages, and the number of files in which any query word counted.
    files: (usize, usize),
    body: Body,
    stage: u8,
}

impl Payload for Found {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let (parsed, files) = self.files;
        let of = if parsed < files { format!(" of the best {parsed} of {files} files") } else { String::new() };
        format!("{}{of} for: {}", counted(self.total, "passage", "passages"), self.head.keywords)
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        let mut path = "";
        for row in &self.body.results {
            if row.path != path {
                path = &row.path;
                page.file_line(path);
            }
            let _ = write!(page, "  {}  ", row.symbol.qualified_name);
            row.symbol.write_after(page);
            let _ = write!(page, "    score {:.2}", row.score);
            if !row.reasons.is_empty() {
                let _ = write!(page, "  {}", row.reasons.join("; "));
            }
            if let Some(signals) = &row.signals {
                let _ = write!(page, "  ({})", signal_list(signals.named_values()));
            }
            page.push('\n');
        }
    }

    fn shown(&self) -> usize {
        self.body.results.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.results.get(index)?;
        Some(format!("{}:{} {}", row.path, row.symbol.line, row.symbol.qualified_name))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        self.stage += 1;
        match self.stage {
            1 => {
                self.body.results.iter_mut().for_each(|row| row.symbol.without_docs());
                Some("documentation")
            }
            2 => {
                self.body.results.iter_mut().for_each(|row| row.reasons.clear());
                Some("reasons")
            }
            3 => {
                self.body.results.iter_mut().for_each(|row| row.symbol.keep_names());
                Some("signatures")
            }
            _ => None,
        }
    }

    fn truncate(&mut self, rows: usize) {
        self.body.results.truncate(rows);
    }
}
