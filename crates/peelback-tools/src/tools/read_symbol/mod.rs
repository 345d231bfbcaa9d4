//! The tool `read_symbol`: bodies of symbols, with the imports and headers that they need.

mod body;
mod documentation;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use peelback_code::syntax::Symbol;
use peelback_code::{AnalysedFile, CodeAccess, Completeness, Evidence, NameMatch, looks_like_test_path};
use peelback_tokens::LineCosts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::body::{SymbolBodyJson, SymbolBodyRow, SymbolWorth};
use crate::answer::{Answer, AnswerPayload};
use crate::budget::DefaultBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::near_uses::count_files_nearest_to_each;
use crate::not_found::{NotFound, NotFoundJson, error_where_nothing_is_found};
use crate::output_guard::PageLimiter;
use crate::overloads::indexes_of_definitions;
use crate::page::MarkedText;
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::{Location, Reply};
use crate::retention::ResultKind;
use crate::rows::SymbolRow;
use crate::symbol_detail::DetailLadder;
use crate::symbol_lookup::{FoundSymbols, SymbolLookup};
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::tool_call::call;
use crate::view::{OutputOptions, is_default_value};

/// The maximum number of bodies in an answer, except at full detail.
const MAX_BODIES: usize = 5;

/// The maximum number of names that a call looks up. Each is compared with the symbols of many files.
pub(crate) const MAX_NAMES: usize = 100;

/// The maximum number of rows in an answer at detail level `exploring`, for a name that matches many symbols.
const MAX_EXPLORING_ROWS: usize = 50;

/// Bodies of symbols with imports and headers.
///
/// A `name` is a simple name, a qualified one (`Editor.apply`), the end of one, or an id (`src/a.py:Editor.apply`); several
/// at once share the budget.
/// Where several symbols have a name, all are listed with their ids, and the first five with their bodies. A class that
/// does not fit is shown without the bodies of its members.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Defining file; default: the whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Symbol names or ids. An id is `path:Qualified.name`, as rows of other answers show it.
    pub name: Vec<String>,
    /// Put numbers before lines.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub line_numbers: bool,
    /// Omit doc comments and docstrings.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub no_docs: bool,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct ReadSymbol;

impl Tool for ReadSymbol {
    type Parameters = Parameters;

    const NAME: &'static str = "read_symbol";
    const ALIASES: &'static [&'static str] = &["symbol", "get_symbol"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["path", "name"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("symbol", "name"),
        ("symbols", "name"),
        ("symbol_name", "name"),
        ("name_path", "name"),
        ("id", "name"),
        ("ids", "name"),
        ("qualified_name", "name"),
        ("scope", "path"),
    ];
    const IGNORED_ARGUMENTS: &'static [&'static str] = &["include_body"];
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[('n', "line_numbers")];
    const EXAMPLES: &'static [&'static str] = &[
        "read_symbol --path src/editor.py --name Editor.apply",
        "read_symbol --name src/editor.py:Editor --name load_cart",
    ];
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Drill,
        phrase: "gives bodies, several at once, with the imports and headers that they need",
        cost_ranks: &[(90, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Symbol;
    const LABEL_PARAMETERS: &'static [&'static str] = &["name", "path"];
    const AGENT_TOKENS: usize = 600;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(
        access: &CodeAccess,
        context: &CallContext,
        mut parameters: Parameters,
    ) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        take_file_among_names_as_path(access, &mut parameters);
        let mut known = HashSet::new();
        let mut names: Vec<String> = parameters.name.iter().filter(|name| known.insert(*name)).cloned().collect();
        let more_names = names.len().saturating_sub(MAX_NAMES);
        names.truncate(MAX_NAMES);
        let max_bodies = if parameters.view.is_full_detail() {
            usize::MAX
        } else {
            parameters.view.offset.saturating_add(MAX_BODIES)
        };
        let path = parameters.path.as_deref();
        let lookup = SymbolLookup {
            context,
            call: &call,
            call_for_symbol: |path, name| match path {
                Some(path) => call!(ReadSymbol { path: path, name: name }),
                None => call!(ReadSymbol { name: name }),
            },
            tool_name: Self::NAME,
            path,
            path_parameter: parameter_name!(Parameters, path),
            is_code_first: false,
        };
        let visit = |analysed: &AnalysedFile, hits: &[NameMatch]| {
            symbol_body_rows(analysed, hits, max_bodies, !parameters.no_docs)
        };
        let results = lookup.find_and_visit_symbols_of_each_name(access, &names, visit);
        let mut found: Option<FoundBodies> = None;
        let mut errors: Vec<(String, RecoverableError)> = Vec::new();
        for (asked_for, result) in names.iter().zip(results) {
            match result {
                Err(error) => errors.push((asked_for.clone(), error)),
                Ok(FoundSymbols { results, evidence, name, files_with_name, .. }) => {
                    let mut rows = fold_declarations_in_other_files(results);
                    order_by_use(&mut rows, &files_with_name);
                    for (place, row) in rows.iter_mut().enumerate() {
                        row.place_in_name = place;
                    }
                    match &mut found {
                        Some(found) => found.add(rows, evidence, name),
                        None => found = Some(FoundBodies { rows, evidence, names: vec![name] }),
                    }
                }
            }
        }
        let Some(mut found) = found else {
            return Err(match names.is_empty() {
                true => lookup.empty_name_error(),
                false => error_where_nothing_is_found(errors),
            });
        };
        if more_names > 0 {
            let names = format_count_with_noun(more_names, "name was", "names were");
            found.evidence.add_note(format!("a call reads at most {MAX_NAMES} names: {names} not looked up"));
            found.evidence.lower_completeness_to(Completeness::LowerBound);
        }
        let not_found = errors.into_iter().map(|(asked_for, error)| NotFound::new(&asked_for, error)).collect();
        Ok(symbol_bodies_reply(context, found, not_found, &parameters, call))
    }
}

/// Callers easily swap the arguments for path and name: a file among two names is the path of the other.
fn take_file_among_names_as_path(access: &CodeAccess, parameters: &mut Parameters) {
    if let (None, [first, second]) = (&parameters.path, parameters.name.as_slice()) {
        let is_file = |name: &str| access.project().has_regular_file(name);
        let (path, name) = match (is_file(first), is_file(second)) {
            (true, false) => (first.clone(), second.clone()),
            (false, true) => (second.clone(), first.clone()),
            _ => return,
        };
        parameters.path = Some(path);
        parameters.name = vec![name];
    }
}

/// The symbols that were found, of all names.
struct FoundBodies {
    /// The rows, those of one name together.
    rows: Vec<SymbolBodyRow>,
    evidence: Evidence,
    names: Vec<String>,
}

impl FoundBodies {
    fn add(&mut self, rows: Vec<SymbolBodyRow>, evidence: Evidence, name: String) {
        // A symbol that two names mean is shown once.
        let known: HashSet<String> = self.rows.iter().map(|row| row.symbol.id.clone()).collect();
        self.rows.extend(rows.into_iter().filter(|row| !known.contains(&row.symbol.id)));
        self.evidence.add_gaps_and_notes(evidence);
        self.names.push(name);
    }

    /// Keeps the first `max_bodies` bodies: the first of each name, then the second, and so on.
    fn keep_bodies(&mut self, max_bodies: usize) {
        let mut order: Vec<(usize, usize)> =
            self.rows.iter().enumerate().map(|(index, row)| (row.place_in_name, index)).collect();
        order.sort_unstable();
        for (_, index) in order.into_iter().skip(max_bodies) {
            if let Some(row) = self.rows.get_mut(index) {
                row.remove_body();
            }
        }
    }
}

fn symbol_bodies_reply(
    context: &CallContext,
    mut found: FoundBodies,
    not_found: Vec<NotFound>,
    parameters: &Parameters,
    call: Call,
) -> Reply {
    let view = &parameters.view;
    let total = found.rows.len();
    let (rows, mut plan) = PageLimiter::new(view, MAX_EXPLORING_ROWS.max(found.names.len()))
        .page_rows_and_plan_by_file(std::mem::take(&mut found.rows), |row| &row.path, "symbols");
    found.rows = rows;
    let max_bodies = if view.is_full_detail() { usize::MAX } else { MAX_BODIES.max(found.names.len()) };
    found.keep_bodies(max_bodies);
    let FoundBodies { rows, evidence, names } = found;
    let is_one_name = names.len() == 1 && not_found.is_empty();
    if let Some(row) = rows.first().filter(|_| total > 1 && is_one_name) {
        plan = plan.with_narrowing_call(call!(ReadSymbol { name: row.symbol.id.as_str() }), 1, ("symbol", "symbols"));
    }
    if let Some((file, count)) = plan
        .narrower_place_and_count(parameters.path.as_slice(), &context.file_kinds())
        .map(|(file, count)| (file.to_owned(), count))
        && is_one_name
    {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, path), file),
            count,
            ("symbol", "symbols"),
        );
    }
    let plan = plan.with_original_call_for_paging(call);
    let guidance = rows.first().filter(|_| total > 1 && is_one_name).map(|row| {
        let one = call!(ReadSymbol { name: row.symbol.id.as_str() });
        Guidance::hint_with_call(format!("{total} symbols have this name; to take one, give its id: "), one)
    });
    let head = ScalarFields {
        name: names.join(", "),
        names_found: (!is_one_name).then_some(names.len()),
        names_asked_for: (!is_one_name).then_some(names.len() + not_found.len()),
        is_numbered: parameters.line_numbers,
    };
    let payload = SymbolBodiesPayload { head, total, symbols: rows, not_found, ladder: DetailLadder::default() };
    Answer { payload, plan, evidence, guidance, is_empty: false }.into_reply(context, view)
}

/// The rows of the symbols of one file that match. A function that is only declared, and defined in the file, too, stands in
/// the row of its definition.
fn symbol_body_rows(analysed: &AnalysedFile, hits: &[NameMatch], bodies: usize, has_docs: bool) -> Vec<SymbolBodyRow> {
    let costs = LineCosts::new(&analysed.file.text);
    let symbols: Vec<&Symbol> = hits.iter().map(|hit| &hit.symbol).collect();
    let definitions = indexes_of_definitions(&analysed.facts, analysed.language, &symbols);
    let mut overloads: BTreeMap<usize, Vec<&Symbol>> = BTreeMap::new();
    for (symbol, definition) in symbols.iter().zip(&definitions) {
        if let Some(definition) = definition {
            overloads.entry(*definition).or_default().push(symbol);
        }
    }
    let mut shown: Vec<(usize, &NameMatch)> =
        hits.iter().enumerate().filter(|(index, _)| definitions.get(*index).is_some_and(Option::is_none)).collect();
    shown.sort_by_key(|(_, hit)| SymbolWorth::of(analysed, hit));
    let row = |(place, (index, hit)): (usize, (usize, &NameMatch))| {
        let mut row = SymbolBodyRow::new(analysed, hit, &costs, place < bodies, has_docs);
        row.add_overloads(overloads.get(&index).map_or(&[], Vec::as_slice));
        row
    };
    shown.into_iter().enumerate().map(row).collect()
}

/// The rows without functions that are only declared, where one other file defines them, whose row names the places.
fn fold_declarations_in_other_files(rows: Vec<SymbolBodyRow>) -> Vec<SymbolBodyRow> {
    let key = |row: &SymbolBodyRow| (row.symbol.qualified_name.clone(), row.symbol.kind.as_str());
    let mut definitions: HashMap<(String, &'static str), Vec<usize>> = HashMap::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_prototype && row.symbol.kind.is_callable()) {
        definitions.entry(key(row)).or_default().push(index);
    }
    let mut declared_at: HashMap<usize, Vec<String>> = HashMap::new();
    let mut kept: Vec<(usize, SymbolBodyRow)> = Vec::new();
    for (index, row) in rows.into_iter().enumerate() {
        match definitions.get(&key(&row)).map(Vec::as_slice) {
            Some([definition]) if row.is_prototype => {
                declared_at.entry(*definition).or_default().push(format!("{}:{}", row.path, row.symbol.line));
            }
            _ => kept.push((index, row)),
        }
    }
    let with_places = |(index, mut row): (usize, SymbolBodyRow)| {
        row.symbol.declared_at = declared_at.remove(&index).unwrap_or_default();
        row
    };
    kept.into_iter().map(with_places).collect()
}

/// Orders symbols of one name: code before documents, source before tests, and those that more of `files_with_name` are
/// near to, in the tree of folders, than to the others. Symbols of one rank keep their order.
fn order_by_use(found: &mut [SymbolBodyRow], files_with_name: &[String]) {
    let files: Vec<&str> = files_with_name.iter().map(String::as_str).collect();
    let near_files = count_files_nearest_to_each(found.len(), found.iter().map(|row| row.path.as_str()), &files);
    found.sort_by_key(|row| {
        let near = near_files.get(&row.path).copied().unwrap_or(0);
        let is_document = row.worth == SymbolWorth::Document;
        (is_document, looks_like_test_path(&row.path), row.worth, Reverse(near))
    });
}

#[derive(Serialize)]
struct ScalarFields {
    name: String,
    /// Of several names, how many are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    names_found: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    names_asked_for: Option<usize>,
    #[serde(skip)]
    is_numbered: bool,
}

#[derive(Serialize)]
struct SymbolBodiesJson<'a> {
    symbols: Vec<SymbolBodyJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_found: Vec<NotFoundJson>,
}

struct SymbolBodiesPayload {
    head: ScalarFields,
    total: usize,
    symbols: Vec<SymbolBodyRow>,
    not_found: Vec<NotFound>,
    ladder: DetailLadder,
}

impl AnswerPayload for SymbolBodiesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = SymbolBodiesJson<'a>;

    fn summary_line(&self) -> String {
        let rows = &self.symbols;
        let open = rows.iter().filter(|row| row.has_body()).count();
        let bodies =
            if open < rows.len() { format!("; bodies of {open} of the {} shown", rows.len()) } else { String::new() };
        let short = rows.iter().find(|row| row.is_without_bodies_of_members());
        let short = short
            .map_or(String::new(), |row| format!("; {} without the bodies of its members", row.symbol.qualified_name));
        let symbols = format_count_with_noun(self.total, "symbol", "symbols");
        match (self.head.names_found, self.head.names_asked_for) {
            (Some(found), Some(asked_for)) if found < asked_for => {
                format!("{symbols} for {found} of {asked_for} names{bodies}{short}")
            }
            (Some(found), _) => format!("{symbols} for {found} names{bodies}{short}"),
            _ => format!("{symbols} named {}{bodies}{short}", self.head.name),
        }
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, context: &CallContext) -> SymbolBodiesJson<'_> {
        SymbolBodiesJson {
            symbols: self.symbols.iter().map(|row| row.json_value(context)).collect(),
            not_found: self.not_found.iter().map(|missing| missing.json_value(context)).collect(),
        }
    }

    fn write_rows(&self, context: &CallContext, page: &mut MarkedText) {
        self.not_found.iter().for_each(|missing| missing.write_line(context, page));
        for (index, row) in self.symbols.iter().enumerate() {
            if index > 0 || !self.not_found.is_empty() {
                page.push('\n');
            }
            row.write_to_page(self.head.is_numbered, context, page);
        }
    }

    fn row_count(&self) -> usize {
        self.symbols.len()
    }

    fn shown_locations(&self) -> Vec<Location> {
        let location = |row: &SymbolBodyRow| {
            let title = format!("{} {}", row.symbol.kind.as_str(), row.symbol.qualified_name);
            Location::for_read_line_range(&row.path, (row.symbol.line, row.symbol.line_end), title)
        };
        self.symbols.iter().map(location).collect()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.symbols.get(index)?;
        Some(format!("{}:{} {}", row.path, row.symbol.line, row.symbol.qualified_name))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        // Of many symbols of a name, those without bodies are a list, and bodies are worth more than their signatures.
        let listed = self.symbols.iter_mut().filter(|row| !row.has_body() && !row.symbol.signature.is_empty());
        let listed: Vec<&mut SymbolBodyRow> = listed.collect();
        if listed.len() > MAX_BODIES {
            let count = listed.len();
            listed.into_iter().for_each(|row| row.symbol.signature.clear());
            return Some(LeftOut { what: "signatures of symbols without bodies", count });
        }
        let open = self.symbols.iter().filter(|row| row.has_body()).count();
        // The first symbol of each name is worth more than another of one name.
        let later = self.symbols.iter_mut().filter(|row| row.has_body() && row.place_in_name > 0);
        if open > 1
            && let Some(last) = later.max_by_key(|row| row.place_in_name)
        {
            last.remove_body();
            return Some(LeftOut { what: "bodies of later symbols", count: 1 });
        }
        // The longest body is cut, so that those that are short stay whole.
        let longest = self.symbols.iter_mut().filter(|row| row.has_body()).max_by_key(|row| row.shown_bytes());
        if let Some(row) = longest {
            return Some(row.shorten_or_remove_body());
        }
        let mut rows: Vec<&mut SymbolRow> = self.symbols.iter_mut().map(|row| &mut row.symbol).collect();
        let removed = self.ladder.remove_next_detail(&mut rows);
        removed
            .or_else(|| {
                let hints =
                    self.not_found.iter_mut().map(NotFound::remove_hint).filter(|is_removed| *is_removed).count();
                (hints > 0).then_some(LeftOut { what: "hints for names that are not found", count: hints })
            })
            .or_else(|| {
                let count = std::mem::take(&mut self.not_found).len();
                (count > 0).then_some(LeftOut { what: "names that are not found", count })
            })
    }

    fn default_budget(&self) -> DefaultBudget {
        DefaultBudget::OF_SOURCE
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.symbols.truncate(rows);
    }
}
