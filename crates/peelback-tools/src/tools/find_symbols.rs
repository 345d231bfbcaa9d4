//! The tool `find_symbols`: definitions by name.

use std::collections::{BTreeMap, BinaryHeap};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use peelback_code::syntax::{Symbol, walk_symbols_with_depth};
use peelback_code::{
    CodeAccess, CodeError, Completeness, ErrorCategory, NamePattern, SourceFile, StopCause, SymbolNameQuery,
    WalkOptions,
};
use peelback_tokens::LineCosts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, AnswerPayload};
use crate::budget::AnswerTokenBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::message::Message;
use crate::nearest_symbols::nearest_symbol_names;
use crate::next_calls::TextSearchOption;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText};
use crate::parameter_name::parameter_name;
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
/// Without `match`, a name with `*`, `?` or `[` is a glob and any other a substring, whole names first. A qualified
/// name (`Editor.apply`, `Editor::apply`) narrows to its owner.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// The name, or a pattern.
    pub name: String,
    /// How the name is matched.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub how: Option<NameMatchMode>,
    /// Only symbols of this kind: class, function, method, ... (not with an exact name).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// A file, folder or glob to look in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The bodies of the first five too.
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
    const GUIDE: ToolGuide =
        ToolGuide { step: ExplorationStep::Search, phrase: "finds definitions by name", cost_ranks: &[(50, "")] };
    const RESULT_KIND: ResultKind = ResultKind::Search;
    const LABEL_PARAMETERS: &'static [&'static str] = &["name", "scope"];
    const AGENT_TOKENS: usize = 600;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let view = &parameters.view;
        if parameters.name.trim().is_empty() {
            let error = "find_symbols needs a name that is not empty";
            return Err(RecoverableError::new(ErrorCategory::BadUsage, error).with_hint_and_call(
                "every symbol of the project: ",
                context.follow_up_call_builder().project_outline_call(),
            ));
        }
        let how = parameters.how.unwrap_or(if parameters.name.contains(['*', '?', '[']) {
            NameMatchMode::Glob
        } else {
            NameMatchMode::Substring
        });
        let pattern = match how {
            NameMatchMode::Exact => Ok(NamePattern::Exact(SymbolNameQuery::new(&parameters.name))),
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
        let set =
            access.project().files_in_scope(parameters.scope.as_deref(), &WalkOptions::default()).map_err(|error| {
                RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, scope))
            })?;
        let limiter = PageLimiter::new(view, MAX_EXPLORING_ROWS);
        let budget = AnswerTokenBudget::new(context, view);
        let max_kept_rows = match budget.is_unlimited() {
            true => usize::MAX,
            false => view.offset.saturating_add(limiter.row_limit().min(budget.max_rows())).min(MAX_PAGED_ROWS),
        };
        let other_kind_count = AtomicUsize::new(0);
        let cancellation = access.project().cancellation();
        let is_file_cut = AtomicBool::new(false);
        let best = BestSymbols::new(max_kept_rows);
        let (_, mut evidence) = access.visit_analysed_files(&set.entries, pattern.file_search_needle(), |analysed| {
            let mut matching = Vec::new();
            for (index, (symbol, _)) in walk_symbols_with_depth(&analysed.facts.symbols).enumerate() {
                // A file may have any number of symbols, and a pattern may cost much for each.
                if cancellation.stop_cause().is_some() {
                    is_file_cut.store(true, Ordering::Relaxed);
                    break;
                }
                let Some(rank) = pattern.match_rank(symbol) else { continue };
                if kind.is_some_and(|kind| symbol.kind != kind) {
                    other_kind_count.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                matching.push(((rank, symbol.lines.first, index), symbol));
            }
            (!matching.is_empty()).then(|| {
                let mut costs = None;
                best.add_symbols_of_file(&analysed.file.path, matching, |symbol| {
                    let costs = costs.get_or_insert_with(|| LineCosts::new(&analysed.file.text));
                    SymbolRow::new_without_children(&analysed.file.path, symbol, costs)
                })
            })
        });
        for skipped in set.skipped {
            evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
        }
        if is_file_cut.into_inner() {
            let cause = cancellation.stop_cause().map_or("stopped", StopCause::as_str);
            evidence.add_note(format!("{cause}: not every symbol of the last files was compared"));
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
        let other_kinds = other_kind_count.into_inner();
        let MatchingSymbols { total, by_kind, by_file, rows } = best.into_matching_symbols();
        if how == NameMatchMode::Exact && parameters.kind.is_some() {
            evidence.add_note("kind is not applied to an exact name");
        }
        let guidance = match rows.first() {
            None if other_kinds > 0 => {
                let call = call.clone().without_argument(parameter_name!(Parameters, kind));
                let symbols = format_count_with_noun(other_kinds, "symbol", "symbols");
                Some(Guidance::hint_with_call(format!("{symbols} of other kinds: "), call))
            }
            None => Some(nothing_found_guidance(access, context, &parameters, how, evidence.completeness)),
            Some(row) if !parameters.include_body => Some(Guidance::hint_with_call(
                "the body of the first: ",
                context.follow_up_call_builder().read_symbol_body_call(&row.symbol.id),
            )),
            Some(_) => None,
        };
        let mut symbols: Vec<FoundSymbolRow> = rows.into_iter().skip(view.offset).take(limiter.row_limit()).collect();
        let mut plan = limiter.page_plan_from_row_counts(total, by_file.into_iter().collect(), "symbols");
        let head = ScalarFields { name: parameters.name.clone(), files_matched: plan.row_counts_by_file.len() };
        if kind.is_none()
            && how != NameMatchMode::Exact
            && by_kind.len() > 1
            && let Some((kind, count)) = by_kind.iter().max_by_key(|(_, count)| **count)
        {
            plan = plan.with_narrowing_call(
                call.clone().with_argument(parameter_name!(Parameters, kind), *kind),
                *count,
                ("symbol", "symbols"),
            );
        }
        if let Some((file, count)) = plan.file_with_most_rows_and_count().map(|(file, count)| (file.to_owned(), count))
        {
            plan = plan.with_narrowing_call(
                call.clone().with_argument(parameter_name!(Parameters, scope), file),
                count,
                ("symbol", "symbols"),
            );
        }
        let is_past_pages = !budget.is_unlimited() && (MAX_PAGED_ROWS..total).contains(&view.offset);
        let plan = if is_past_pages {
            let paged = format_with_thousands_separators(MAX_PAGED_ROWS as u64);
            evidence.add_note(format!("pages end with the first {paged} symbols: narrow the call"));
            plan
        } else {
            plan.with_original_call_for_paging(call)
        };
        if parameters.include_body {
            symbols.iter_mut().take(MAX_BODIES).for_each(|row| row.body = row.read_source_text(access));
        }
        let payload =
            FoundSymbolsPayload { head, total, body: NestedFields { symbols }, ladder: DetailLadder::default() };
        Ok(Answer { payload, plan, evidence, guidance, is_empty: total == 0 }.into_reply(context, view))
    }
}

/// The symbols that match, of all files.
struct MatchingSymbols {
    total: usize,
    by_kind: BTreeMap<&'static str, usize>,
    by_file: BTreeMap<String, usize>,
    /// The best ones, the best first.
    rows: Vec<FoundSymbolRow>,
}

/// The best of the symbols that match, while files are searched. All are counted, and only so many are kept as the
/// requested page needs: a short name may match nearly all symbols of a project.
struct BestSymbols {
    max_rows: usize,
    state: Mutex<BestSymbolsState>,
}

#[derive(Default)]
struct BestSymbolsState {
    total: usize,
    by_kind: BTreeMap<&'static str, usize>,
    by_file: BTreeMap<String, usize>,
    /// The rows that are kept, the worst on top.
    kept: BinaryHeap<RankedRow>,
}

/// A row with its place: the rank of its name, its path, its line, and its number among the symbols of its file.
struct RankedRow {
    rank: u8,
    index: usize,
    row: FoundSymbolRow,
}

impl RankedRow {
    fn place(&self) -> (u8, &str, u32, usize) {
        (self.rank, &self.row.path, self.row.symbol.line, self.index)
    }
}

impl Ord for RankedRow {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.place().cmp(&other.place())
    }
}

impl PartialOrd for RankedRow {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RankedRow {
    fn eq(&self, other: &Self) -> bool {
        self.place() == other.place()
    }
}

impl Eq for RankedRow {}

impl BestSymbols {
    fn new(max_rows: usize) -> Self {
        Self { max_rows, state: Mutex::default() }
    }

    /// Adds the matching symbols of a file, each with its rank, its line and its number among the symbols of the file.
    /// `make_row` makes the row of a symbol that may be kept. It looks at the whole file, while other threads add theirs.
    fn add_symbols_of_file(
        &self,
        path: &str,
        mut matching: Vec<((u8, u32, usize), &Symbol)>,
        mut make_row: impl FnMut(&Symbol) -> SymbolRow,
    ) {
        matching.sort_unstable_by_key(|(place, _)| *place);
        let better_count = {
            let mut state = self.lock_state();
            state.total += matching.len();
            *state.by_file.entry(path.to_owned()).or_default() += matching.len();
            for (_, symbol) in &matching {
                *state.by_kind.entry(symbol.kind.as_str()).or_default() += 1;
            }
            let worst = state.kept.peek().filter(|_| state.kept.len() >= self.max_rows).map(RankedRow::place);
            matching
                .iter()
                .take(self.max_rows)
                .take_while(|((rank, line, index), _)| worst.is_none_or(|worst| (*rank, path, *line, *index) < worst))
                .count()
        };
        let rows: Vec<RankedRow> = matching
            .into_iter()
            .take(better_count)
            .map(|((rank, _, index), symbol)| {
                let row = FoundSymbolRow { path: path.to_owned(), symbol: make_row(symbol), body: None };
                RankedRow { rank, index, row }
            })
            .collect();
        let mut state = self.lock_state();
        for row in rows {
            state.kept.push(row);
            if state.kept.len() > self.max_rows {
                state.kept.pop();
            }
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, BestSymbolsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn into_matching_symbols(self) -> MatchingSymbols {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let BestSymbolsState { total, by_kind, by_file, kept } = state;
        let rows = kept.into_sorted_vec().into_iter().map(|ranked| ranked.row).collect();
        MatchingSymbols { total, by_kind, by_file, rows }
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
        let caution =
            "this zero is a lower bound (see the evidence): do not conclude that the symbol does not exist; its text: ";
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
}

#[derive(Serialize)]
struct NestedFields {
    symbols: Vec<FoundSymbolRow>,
}

#[derive(Serialize)]
struct FoundSymbolRow {
    path: String,
    #[serde(flatten)]
    symbol: SymbolRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
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
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        format!(
            "{} for {:?} in {}",
            format_count_with_noun(self.total, "symbol", "symbols"),
            self.head.name,
            format_count_with_noun(self.head.files_matched, "file", "files")
        )
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use peelback_code::{CodeAccess, NamePattern, Project, WalkOptions};
    use peelback_tokens::LineCosts;

    use super::{BestSymbols, SymbolRow};

    #[test]
    fn other_threads_may_add_symbols_while_a_row_is_made() {
        let folder = tempfile::tempdir().expect("a folder");
        for index in 0..9 {
            let text = "def area(): pass\ndef area_of(): pass\ndef areas(): pass\n";
            std::fs::write(folder.path().join(format!("{index}.py")), text).expect("a file");
        }
        let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
        let set = access.project().files_in_scope(None, &WalkOptions::default()).expect("files");
        let (best, made) = (BestSymbols::new(4), AtomicUsize::new(0));
        let pattern = NamePattern::matching_substring("area");
        access.visit_analysed_files(&set.entries, pattern.file_search_needle(), |analysed| {
            let symbols = analysed.facts.symbols.iter().enumerate();
            let matching = symbols.map(|(index, symbol)| ((0, symbol.lines.first, index), symbol)).collect();
            best.add_symbols_of_file(&analysed.file.path, matching, |symbol| {
                // Other threads hold the lock for a moment at a time.
                let end = Instant::now() + Duration::from_secs(20);
                while best.state.try_lock().is_err() {
                    assert!(Instant::now() < end, "this thread holds the lock");
                }
                made.fetch_add(1, Ordering::Relaxed);
                SymbolRow::new_without_children(&analysed.file.path, symbol, &LineCosts::new(&analysed.file.text))
            });
            Some(())
        });
        let found = best.into_matching_symbols();
        let kept: Vec<_> = found.rows.iter().map(|row| (row.path.as_str(), row.symbol.line)).collect();
        assert_eq!(kept, [("0.py", 1), ("0.py", 2), ("0.py", 3), ("1.py", 1)]);
        assert_eq!((found.total, found.by_file.len()), (27, 9));
        assert!(made.into_inner() >= 4);
    }
}
