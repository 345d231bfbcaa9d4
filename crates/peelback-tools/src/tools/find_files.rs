//! The tool `find_files`: files ranked for keywords or a question.

use std::fmt::Write as _;

use peelback_code::{CodeAccess, RankQuery, RankedFile, Signals, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::counted;
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::{Page, Part};
use crate::parameter_name::parameter_name;
use crate::parsed_question::{ParsedQuestion, Tests, language_named, rounded, signal_list};
use crate::recover::RecoverableError;
use crate::reply::{Closeness, Place, Reply};
use crate::retention::ResultKind;
use crate::tool::Tool;
use crate::view::{View, is_default};

/// The most files at detail level `exploring`.
const CAP: usize = 20;

/// Files ranked for a question.
///
/// Counts rare words more than common ones, in texts, paths and the best function of a file, and follows what the
/// question names: paths, modules, frames of a traceback, names in code form, quoted messages. Words match by stem.
/// Tests, examples and documents rank lower unless the question asks for them.
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
    /// Files of tests.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tests: Tests,
    /// Hidden files too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// Ignored files too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_ignore: bool,
    #[serde(flatten)]
    pub view: View,
}

pub struct FindFiles;

impl Tool for FindFiles {
    type Parameters = Parameters;

    const NAME: &'static str = "find_files";
    const ALIASES: &'static [&'static str] = &["find", "search_for_files", "search_files"];
    const POSITIONAL: &'static [&'static str] = &["query"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "scope"),
        ("keywords", "query"),
        ("question", "query"),
        ("pattern", "query"),
        ("directory", "scope"),
    ];
    const EXAMPLES: &'static [&'static str] =
        &["find_files --query 'How does authentication work?'", "find_files --query 'rate limit' --scope src"];
    const COLUMNS: bool = true;
    const RESULT: ResultKind = ResultKind::Search;
    const SUBJECT: &'static [&'static str] = &["query", "scope"];
    const AGENT_TOKENS: usize = 450;

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let view = &parameters.view;
        let question = ParsedQuestion::new(context, &parameters.query, Call::with_parameters(Self::NAME, &parameters))?;
        let call = question.call.clone();
        let language = parameters
            .language
            .as_deref()
            .map(|name| language_named(name, &call, parameter_name!(Parameters, language)))
            .transpose()?;
        let query = RankQuery {
            question: question.question.clone(),
            scope: parameters.scope.iter().cloned().collect(),
            walk: WalkOptions { hidden: parameters.hidden, no_ignore: parameters.no_ignore, ..WalkOptions::default() },
            language,
            tests: parameters.tests.filter(),
            token_counter: Some(peelback_tokens::estimate_tokens),
            page: view.offset..view.offset.saturating_add(view.row_limit(CAP)),
            ..RankQuery::default()
        };
        let ranking = access
            .rank_files(&query)
            .map_err(|error| RecoverableError::from_code(context, &error, &call, parameter_name!(Parameters, scope)))?;
        let (ranked, evidence) = (ranking.files, ranking.evidence);
        let total = ranked.len();
        let inside = folder_of_best(&ranked, parameters.scope.as_deref());
        let guidance = if ranked.is_empty() {
            Some(Guidance::Hint(question.fallback_hint()))
        } else {
            ranked
                .get(view.offset)
                .map(|best| Guidance::hint("the shape of the first: ", context.next().outline(&best.path)))
        };
        let empty = ranked.is_empty();
        let (files, mut plan) = OutputGuard::new(view, CAP).cap_items(ranked, total, "files");
        if let Some((folder, files)) = inside {
            let gives = question.count_or_unknown(|| counted(files, "file", "files"));
            plan = plan.narrowed(call.clone().with(parameter_name!(Parameters, scope), folder), gives);
        }
        // For a long question the call contains only keywords. That call ranks differently, so its pages do not
        // continue this answer.
        let plan = if question.is_whole { plan.paged(call) } else { plan }.ranked();
        let files = files.into_iter().map(|file| Row::new(file, view.is_full())).collect();
        let payload = Ranking {
            head: Head { query: question.title, keywords: question.keywords.join(" ") },
            total,
            body: Body { files },
        };
        Ok(Answer { payload, plan, evidence, guidance, empty }.finish(context, view))
    }
}

/// The top folder below `scope` that contains the best ranked file in any folder, with the number of ranked files in
/// it. `None` where the folder contains all ranked files, or where `scope` is a glob, which the folder would replace.
fn folder_of_best(ranked: &[RankedFile], scope: Option<&str>) -> Option<(String, usize)> {
    if scope.is_some_and(|scope| scope.contains(GLOB)) {
        return None;
    }
    // The paths of all files begin with the scope's path, however the caller wrote the scope.
    let folders = |file: &RankedFile| file.path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let mut shared = ranked.first().filter(|_| scope.is_some()).map(folders).unwrap_or_default();
    while !shared.is_empty() && !ranked.iter().all(|file| is_below(&file.path, &shared)) {
        shared.truncate(shared.rfind('/').unwrap_or(0));
    }
    let base = shared.split('/').filter(|part| !part.is_empty()).count();
    let top = |file: &RankedFile| {
        let parts: Vec<&str> = file.path.split('/').collect();
        (parts.len() > base + 1).then(|| parts.get(..=base).unwrap_or(&[]).join("/"))
    };
    let folder = ranked.iter().find_map(top)?;
    let count = ranked.iter().filter(|file| is_below(&file.path, &folder)).count();
    (count < ranked.len()).then_some((folder, count))
}

/// Characters that make a scope a glob pattern.
const GLOB: [char; 4] = ['*', '?', '[', '{'];

/// Whether a path is inside a folder.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[derive(Serialize)]
struct Head {
    query: String,
    keywords: String,
}

#[derive(Serialize)]
struct Body {
    files: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    path: String,
    score: f32,
    reasons: Vec<String>,
    /// The value of each ranking signal, at full detail only.
    #[serde(skip_serializing_if = "Option::is_none")]
    signals: Option<Signals>,
    /// The token cost of reading the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

impl Row {
    fn new(file: RankedFile, explain: bool) -> Self {
        let signals = explain.then(|| file.signals.rounded());
        Self { path: file.path, score: rounded(file.score), reasons: file.reasons, signals, tokens: file.tokens }
    }
}

struct Ranking {
    head: Head,
    total: usize,
    body: Body,
}

impl Payload for Ranking {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        format!("{} for: {}", counted(self.total, "file", "files"), self.head.keywords)
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        for row in &self.body.files {
            page.part(Part::Cell, |page| page.put(Part::Subject, &row.path));
            page.cell(format_args!("score {:.2}", row.score));
            if let Some(tokens) = row.tokens {
                page.price_cell(tokens);
            }
            page.cell(row.reasons.join("; "));
            page.push('\n');
            if let Some(signals) = &row.signals {
                let _ = writeln!(page, "  ({})", signal_list(signals.named_values()));
            }
        }
    }

    fn places(&self) -> Vec<Place> {
        self.body.files.iter().map(|row| Place::file(&row.path, Closeness::Found)).collect()
    }

    fn shown(&self) -> usize {
        self.body.files.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.files.get(index)?;
        Some(format!("{}  score {:.2}", row.path, row.score))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        if self.body.files.iter().all(|row| row.reasons.is_empty()) {
            return None;
        }
        self.body.files.iter_mut().for_each(|row| row.reasons.clear());
        Some("reasons")
    }

    fn truncate(&mut self, rows: usize) {
        self.body.files.truncate(rows);
    }
}
