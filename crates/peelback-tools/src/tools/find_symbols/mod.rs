//! The tool `find_symbols`: definitions by name.

mod matches;

use std::fmt::Write as _;

use peelback_code::{
    AnalysedFile, CodeAccess, CodeError, Completeness, NameMatch, NamePattern, SourceFile, SymbolNameQuery, WalkOptions,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::matches::{DocumentCounts, FoundSymbolRow, SearchedSymbols, SymbolSearch};
use crate::answer::{Answer, AnswerPayload};
use crate::budget::AnswerTokenBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::message::Message;
use crate::module_path_lookup::{SymbolsOfModule, find_and_visit_symbols_by_module_path};
use crate::nearest_symbols::nearest_symbol_names;
use crate::next_calls::TextSearchOption;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText};
use crate::parameter_name::parameter_name;
use crate::place::PlaceRow;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::rows::SymbolRow;
use crate::symbol_detail::DetailLadder;
use crate::symbol_kind::symbol_kind_by_name_or_synonym;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::tool_call::call;
use crate::view::{OutputOptions, is_default_value};

/// The maximum number of symbols in an answer at detail level `exploring`.
const MAX_EXPLORING_ROWS: usize = 50;

/// The number of symbols that pages can show where the answer has a budget. A page is found among all symbols before it.
pub(crate) const MAX_PAGED_ROWS: usize = 10_000;

/// The maximum number of bodies in an answer to a call that requests bodies.
const MAX_BODIES: usize = 5;

/// How a name is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameMatchMode {
    /// The whole name, or the end of the qualified name.
    Exact,
    /// Part of the name; case counts only where the pattern has capitals.
    Substring,
    /// A glob over the whole name.
    Glob,
    /// A regular expression over the name.
    Regex,
}

/// Definitions by name or pattern.
///
/// Without `match`, a name with `*`, `?` or `[` is a glob and any other a substring. Whole names come first, code before
/// documents, source before tests, and the most used first. A qualified name (`Editor.apply`, `Editor::apply`) narrows to
/// its owner.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Name of the symbol, or a pattern.
    pub name: String,
    /// How the name matches.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub how: Option<NameMatchMode>,
    /// Symbol kind: class, function, method. Other kinds are struct, trait, constant, section, key. It is ignored where
    /// `match` is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// File, folder or glob to search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Add the first five bodies.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub include_body: bool,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct FindSymbols;

impl NameMatchMode {
    /// The match mode's name, as calls write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Substring => "substring",
            Self::Glob => "glob",
            Self::Regex => "regex",
        }
    }
}

/// What JavaScript writes between a constructor and a member of its objects.
const PROTOTYPE_IN_NAME: &str = ".prototype.";

impl FindSymbols {
    /// The name of the parameter for the match mode. The field has another name, because `match` is a Rust keyword.
    pub const MATCH_PARAMETER: &'static str = "match";
}

impl Tool for FindSymbols {
    type Parameters = Parameters;

    const NAME: &'static str = "find_symbols";
    const ALIASES: &'static [&'static str] = &["symbols", "find_symbol", "search_symbols"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["name", "scope"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "scope"),
        ("file_path", "scope"),
        ("relative_path", "scope"),
        ("directory", "scope"),
        ("pattern", "name"),
        ("query", "name"),
        ("symbol", "name"),
        ("symbol_name", "name"),
        ("name_path", "name"),
        ("mode", "match"),
    ];
    const EXAMPLES: &'static [&'static str] =
        &["find_symbols --name Editor", "find_symbols --name 'test_*' --kind function --scope tests"];
    const HAS_PLACES: bool = true;
    const GUIDE: ToolGuide =
        ToolGuide { step: ExplorationStep::Search, phrase: "finds definitions by name", cost_ranks: &[(50, "")] };
    const RESULT_KIND: ResultKind = ResultKind::Search;
    const LABEL_PARAMETERS: &'static [&'static str] = &["name", "scope"];
    const AGENT_TOKENS: usize = 600;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        Self::find_symbols(access, context, parameters, None)
    }
}

impl FindSymbols {
    /// The answer to a call; of `module`, where the first parts of the name were read as modules.
    fn find_symbols(
        access: &CodeAccess,
        context: &CallContext,
        parameters: Parameters,
        module: Option<SymbolsOfModule<String>>,
    ) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let view = &parameters.view;
        if parameters.name.trim().is_empty() {
            let error = "find_symbols needs a name that is not empty";
            return Err(RecoverableError::of_invalid_arguments(error).with_hint_and_call(
                "every symbol of the project: ",
                context.follow_up_call_builder().project_outline_call(),
            ));
        }
        let how = parameters.how.filter(|_| module.is_none());
        let how = how.unwrap_or(if module.is_some() {
            NameMatchMode::Exact
        } else if parameters.name.contains(['*', '?', '[']) {
            NameMatchMode::Glob
        } else {
            NameMatchMode::Substring
        });
        let pattern = match how {
            NameMatchMode::Exact => Ok(NamePattern::Exact(match &module {
                Some(module) => module.symbol.clone(),
                None => SymbolNameQuery::new(&parameters.name),
            })),
            NameMatchMode::Substring => Ok(NamePattern::matching_substring(&parameters.name)),
            NameMatchMode::Glob => NamePattern::matching_glob(&parameters.name),
            NameMatchMode::Regex => NamePattern::matching_regex(&parameters.name),
        }
        .map_err(|error| failed_symbol_search_error(context, &error, &call))?;
        let kind = parameters
            .kind
            .as_deref()
            .map(|name| symbol_kind_by_name_or_synonym(name, &call, parameter_name!(Parameters, kind)))
            .transpose()?;
        let kind = kind.filter(|_| how != NameMatchMode::Exact);
        let mut files = access
            .project()
            .files_in_scope_with_signatures(parameters.scope.as_deref(), &WalkOptions::default())
            .map_err(|error| {
                RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, scope))
            })?;
        if let Some(module) = &module {
            files.retain(|entry| module.results.contains(&entry.path));
        }
        let limiter = PageLimiter::new(view, MAX_EXPLORING_ROWS);
        let budget = AnswerTokenBudget::new(context, view);
        let max_rows = match budget.is_unlimited() {
            true => usize::MAX,
            false => limiter.row_limit().min(budget.max_rows()).min(MAX_PAGED_ROWS.saturating_sub(view.offset)),
        };
        let search = SymbolSearch { access, pattern: &pattern, name: &parameters.name, kind };
        let SearchedSymbols { mut found, mut evidence, other_kinds } = search.search_files(&files);
        if let Some(module) = module {
            evidence.add_gaps_and_notes(module.evidence);
        } else if found.matches.is_empty() && matches!(how, NameMatchMode::Exact | NameMatchMode::Substring) {
            let (wanted, scope) = (SymbolNameQuery::new(&parameters.name), parameters.scope.as_deref());
            let path = |analysed: &AnalysedFile, _: &[NameMatch]| vec![analysed.file.path.clone()];
            let module = find_and_visit_symbols_by_module_path(access, scope, &wanted, &parameters.name, &path);
            if let Ok(Some(module)) = module {
                return Self::find_symbols(access, context, parameters, Some(module));
            }
            // `Node.prototype.append` is how JavaScript writes the member `Node.append`.
            if parameters.name.contains(PROTOTYPE_IN_NAME) {
                let name = parameters.name.replace(PROTOTYPE_IN_NAME, ".");
                return Self::find_symbols(access, context, Parameters { name, ..parameters }, None);
            }
        }
        if how == NameMatchMode::Exact && parameters.kind.is_some() {
            evidence.add_note("kind is not applied to an exact name");
        }
        // What documents call so is counted where code has the name, too, unless the caller wants all.
        let documents = if view.is_full_detail() {
            DocumentCounts::default()
        } else {
            found.take_documents_that_match_no_better_than_code()
        };
        let total = found.matches.len();
        let narrowing = found.narrowing_counts();
        let mut symbols = found.rows(access, view.offset, max_rows.min(limiter.row_limit()));
        let guidance = match symbols.first() {
            None if other_kinds > 0 && total == 0 => {
                let call = call.clone().without_argument(parameter_name!(Parameters, kind));
                let symbols = format_count_with_noun(other_kinds, "symbol", "symbols");
                Some(Guidance::hint_with_call(format!("{symbols} of other kinds: "), call))
            }
            None if total == 0 => {
                Some(nothing_found_guidance(access, context, &parameters, how, evidence.completeness))
            }
            Some(row) if !parameters.include_body => Some(Guidance::hint_with_call(
                "the body of the first: ",
                context.follow_up_call_builder().read_symbol_body_call(&row.symbol.id),
            )),
            _ => None,
        };
        let by_file = found.row_counts_by_file();
        let mut plan = limiter.page_plan_from_row_counts(total, by_file, "symbols");
        let head = ScalarFields {
            name: parameters.name.clone(),
            files_matched: plan.row_counts_by_file.len(),
            document_symbols: documents.total(),
        };
        let symbols_noun = ("symbol", "symbols");
        if how == NameMatchMode::Substring && parameters.how.is_none() && (1..total).contains(&narrowing.exact) {
            let exact = call
                .clone()
                .with_argument(Self::MATCH_PARAMETER, NameMatchMode::Exact.as_str())
                .without_argument(parameter_name!(Parameters, kind));
            if kind.is_none() {
                plan = plan.with_narrowing_call(exact, narrowing.exact, symbols_noun);
            }
        }
        if kind.is_none() && how != NameMatchMode::Exact {
            for (kind, count) in narrowing.kinds {
                plan = plan.with_narrowing_call(
                    call.clone().with_argument(parameter_name!(Parameters, kind), kind),
                    count,
                    symbols_noun,
                );
            }
        }
        if let Some((file, count)) = narrowing.file {
            plan = plan.with_narrowing_call(
                call.clone().with_argument(parameter_name!(Parameters, scope), file),
                count,
                symbols_noun,
            );
        }
        let documents = documents.into_lines(&call);
        let is_past_pages = !budget.is_unlimited() && (MAX_PAGED_ROWS..total).contains(&view.offset);
        let plan = if is_past_pages {
            let paged = format_with_thousands_separators(MAX_PAGED_ROWS as u64);
            evidence.add_note(format!("only the first {paged} symbols can be paged through: narrow the call"));
            plan
        } else {
            plan.with_original_call_for_paging(call)
        };
        if parameters.include_body {
            symbols.iter_mut().take(MAX_BODIES).for_each(|row| row.body = row.read_source_text(access));
        }
        let body = NestedFields { symbols, documents };
        let payload = FoundSymbolsPayload { head, total, body, ladder: DetailLadder::default() };
        Ok(Answer { payload, plan, evidence, guidance, is_empty: total == 0 }.into_reply(context, view))
    }
}

/// The error for a failed symbol search. An invalid regular expression may be meant as part of a name, which the hint
/// suggests.
fn failed_symbol_search_error(context: &CallContext, error: &CodeError, call: &Call) -> RecoverableError {
    let failure = RecoverableError::from_code_error(context, error, call, parameter_name!(Parameters, name));
    match error {
        CodeError::BadPattern { what: "regex", .. } => {
            let part = call.clone().with_argument(FindSymbols::MATCH_PARAMETER, NameMatchMode::Substring.as_str());
            failure.with_hint_and_call("as part of a name: ", part)
        }
        _ => failure,
    }
}

/// The next step where no name matches: the nearest names, or else a text search.
fn nothing_found_guidance(
    access: &CodeAccess,
    context: &CallContext,
    parameters: &Parameters,
    how: NameMatchMode,
    completeness: Completeness,
) -> Guidance {
    // The longest part of the pattern without wildcards, for the text search.
    let parts = parameters.name.split(|c: char| !(c.is_alphanumeric() || "_.:-".contains(c)));
    let literal = match how {
        NameMatchMode::Exact | NameMatchMode::Substring => parameters.name.as_str(),
        NameMatchMode::Glob | NameMatchMode::Regex => parts.max_by_key(|part| part.len()).unwrap_or(""),
    };
    if completeness != Completeness::Complete {
        let caution = "this zero is a lower bound (see the evidence): do not conclude that the symbol does not exist; search its text: ";
        return Guidance::MustFollow(
            Message::from(caution)
                .with_call(context.follow_up_call_builder().text_search_call(literal, &[TextSearchOption::Literal])),
        );
    }
    let near = nearest_symbol_names(access, &SymbolNameQuery::new(&parameters.name), parameters.scope.as_deref());
    match near.first() {
        Some(first) => {
            let retry_call = call!(FindSymbols { name: first.as_str() });
            Guidance::hint_with_call(format!("did you mean {}? ", near.join(" or ")), retry_call)
        }
        None => {
            let text = context
                .follow_up_call_builder()
                .text_search_call(literal, &[TextSearchOption::Literal, TextSearchOption::IgnoreCase]);
            Guidance::hint_with_call("as text: ", text)
        }
    }
}

#[derive(Serialize)]
struct ScalarFields {
    name: String,
    files_matched: usize,
    /// The headings and keys of documents that are counted, and not listed.
    #[serde(skip_serializing_if = "is_default_value")]
    document_symbols: usize,
}

struct NestedFields {
    symbols: Vec<FoundSymbolRow>,
    documents: Vec<DocumentLine>,
}

#[derive(Serialize)]
struct NestedFieldsJson<'a> {
    symbols: &'a [FoundSymbolRow],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<DocumentLineJson>,
}

/// Headings or keys of documents that are counted, with the call that lists them.
struct DocumentLine {
    kind: &'static str,
    symbols: usize,
    files: usize,
    call: Call,
}

#[derive(Serialize)]
struct DocumentLineJson {
    kind: &'static str,
    symbols: usize,
    files: usize,
    call: String,
}

impl FoundSymbolRow {
    /// The symbol's source text, including decorators and documentation.
    fn read_source_text(&self, access: &CodeAccess) -> Option<String> {
        let file = SourceFile::read(&access.project().project_entry_for_walked_path(&self.path)).ok()?;
        Some(file.text_of_lines(self.symbol.outer_line, self.symbol.line_end).to_owned())
    }
}

struct FoundSymbolsPayload {
    head: ScalarFields,
    total: usize,
    body: NestedFields,
    ladder: DetailLadder,
}

impl AnswerPayload for FoundSymbolsPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = NestedFieldsJson<'a>;

    fn summary_line(&self) -> String {
        let documents = match self.head.document_symbols {
            0 => String::new(),
            count => format!(", and {} in documents", format_with_thousands_separators(count as u64)),
        };
        format!(
            "{} for {:?} in {}{documents}",
            format_count_with_noun(self.total, "symbol", "symbols"),
            self.head.name,
            format_count_with_noun(self.head.files_matched, "file", "files")
        )
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, context: &CallContext) -> NestedFieldsJson<'_> {
        let line = |line: &DocumentLine| DocumentLineJson {
            kind: line.kind,
            symbols: line.symbols,
            files: line.files,
            call: context.format_call(&line.call),
        };
        NestedFieldsJson { symbols: &self.body.symbols, documents: self.body.documents.iter().map(line).collect() }
    }

    fn write_rows(&self, context: &CallContext, page: &mut MarkedText) {
        let mut path = "";
        for row in &self.body.symbols {
            if row.path != path {
                path = &row.path;
                page.write_file_heading_line(path);
            }
            let _ = write!(page, "  {}  ", EscapedToOneLine(&row.symbol.qualified_name));
            row.symbol.write_row_as_rest_of_line(page);
            if let Some(body) = &row.body {
                page.write_source_with_line_end(body);
            }
        }
        for DocumentLine { kind, symbols, files, call } in &self.body.documents {
            let (one, several) = (format!("{kind} of this name"), format!("{} of this name", plural_of_kind(kind)));
            let symbols = format_count_with_noun(*symbols, &one, &several);
            let files = format_count_with_noun(*files, "document", "documents");
            let message = Message::from(format!("{symbols} in {files}: ")).with_call(call.clone());
            message.write_to_page(context, page);
            page.push('\n');
        }
    }

    fn place_rows(&self) -> Vec<PlaceRow<'_>> {
        self.body.symbols.iter().map(|row| row.symbol.place_row(&row.path)).collect()
    }

    fn row_count(&self) -> usize {
        self.body.symbols.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.symbols.get(index)?;
        Some(format!("{}:{} {}", row.path, row.symbol.line, row.symbol.qualified_name))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        let rows = &mut self.body.symbols;
        let bodies = rows.iter_mut().filter_map(|row| row.body.take()).count();
        if bodies > 0 {
            return Some(LeftOut { what: "bodies", count: bodies });
        }
        let mut rows: Vec<&mut SymbolRow> = rows.iter_mut().map(|row| &mut row.symbol).collect();
        self.ladder.remove_next_detail(&mut rows)
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.symbols.truncate(rows);
    }
}

/// The plural of the name of a kind of symbols.
fn plural_of_kind(kind: &str) -> String {
    match kind.strip_suffix('y').filter(|stem| !stem.ends_with('e')) {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}
