//! The tool `read_symbol`: bodies of symbols, with the imports and headers that they need.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use peelback_code::syntax::skeleton::{FOLDED, Options, Skeleton, build_skeleton};
use peelback_code::syntax::{SymbolKind, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, CodeAccess, Evidence, NameMatch, SymbolBody, looks_like_test_path};
use peelback_tokens::LineCosts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, AnswerPayload};
use crate::budget::DefaultBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::counts::format_line_range;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
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

/// The maximum number of rows in an answer at detail level `exploring`, for a name that matches many symbols.
const MAX_EXPLORING_ROWS: usize = 50;

/// The minimum number of lines of a shortened body. A body that would become shorter is omitted as a whole.
const MIN_BODY_LINES: usize = 8;

/// The maximum number of symbols of one name that are ordered by the files around them.
const MAX_SYMBOLS_ORDERED_BY_USE: usize = 50;

/// A symbol's body with imports and headers.
///
/// `name` is a simple name, a qualified one (`Editor.apply`), the end of one, or an id (`src/a.py:Editor.apply`).
/// Where several symbols have the name, all are listed with their ids, and the first five with their bodies. A class that
/// does not fit is shown without the bodies of its members.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// The file that defines it; the whole project by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The symbol's name or id.
    pub name: String,
    /// Put its number before each line of a body.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub line_numbers: bool,
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
        ("symbol_name", "name"),
        ("name_path", "name"),
        ("id", "name"),
        ("qualified_name", "name"),
        ("scope", "path"),
    ];
    const IGNORED_ARGUMENTS: &'static [&'static str] = &["include_body"];
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[('n', "line_numbers")];
    const EXAMPLES: &'static [&'static str] =
        &["read_symbol --path src/editor.py --name Editor.apply", "read_symbol --name src/editor.py:Editor.apply"];
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Drill,
        phrase: "gives one body with the imports and headers that it needs",
        cost_ranks: &[(90, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Symbol;
    const LABEL_PARAMETERS: &'static [&'static str] = &["name", "path"];
    const AGENT_TOKENS: usize = 600;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
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
            name: &parameters.name,
            is_code_first: false,
        };
        let FoundSymbols { results: mut found, evidence, name, files_with_name, .. } = lookup
            .find_and_visit_named_symbols(access, |analysed, hits| symbol_body_rows(analysed, hits, max_bodies))?;
        order_by_use(&mut found, &files_with_name);
        Ok(symbol_bodies_reply(context, found, evidence, &parameters, call, name))
    }
}

fn symbol_bodies_reply(
    context: &CallContext,
    found: Vec<SymbolBodyRow>,
    evidence: Evidence,
    parameters: &Parameters,
    call: Call,
    name: String,
) -> Reply {
    let view = &parameters.view;
    let total = found.len();
    let (mut rows, mut plan) =
        PageLimiter::new(view, MAX_EXPLORING_ROWS).page_rows_and_plan_by_file(found, |row| &row.path, "symbols");
    let max_bodies = if view.is_full_detail() { usize::MAX } else { MAX_BODIES };
    rows.iter_mut().skip(max_bodies).for_each(SymbolBodyRow::remove_body);
    if let Some(row) = rows.first().filter(|_| total > 1) {
        plan = plan.with_narrowing_call(call!(ReadSymbol { name: row.symbol.id.as_str() }), 1, ("symbol", "symbols"));
    }
    if let Some((file, count)) = plan.file_with_most_rows_and_count().map(|(file, count)| (file.to_owned(), count)) {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, path), file),
            count,
            ("symbol", "symbols"),
        );
    }
    let plan = plan.with_original_call_for_paging(call);
    let guidance = rows.first().filter(|_| total > 1).map(|row| {
        let one = call!(ReadSymbol { name: row.symbol.id.as_str() });
        Guidance::hint_with_call(format!("{total} symbols have this name; one alone by its id: "), one)
    });
    let head = ScalarFields { name, is_numbered: parameters.line_numbers };
    let payload = SymbolBodiesPayload { head, total, symbols: rows, ladder: DetailLadder::default() };
    Answer { payload, plan, evidence, guidance, is_empty: false }.into_reply(context, view)
}

fn symbol_body_rows(analysed: &AnalysedFile, hits: &[NameMatch], bodies: usize) -> Vec<SymbolBodyRow> {
    let costs = LineCosts::new(&analysed.file.text);
    let mut hits: Vec<&NameMatch> = hits.iter().collect();
    hits.sort_by_key(|hit| SymbolWorth::of(analysed, hit));
    hits.into_iter().enumerate().map(|(index, hit)| SymbolBodyRow::new(analysed, hit, &costs, index < bodies)).collect()
}

/// What a symbol tells among others of its name, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SymbolWorth {
    /// A type, or a function with its body.
    Definition,
    /// A value, or a function that is only declared.
    Other,
    /// A part of a document.
    Document,
}

impl SymbolWorth {
    fn of(analysed: &AnalysedFile, hit: &NameMatch) -> Self {
        let symbol = &hit.symbol;
        match symbol.kind {
            SymbolKind::Section | SymbolKind::Key => Self::Document,
            kind if kind.is_value() => Self::Other,
            kind if kind.is_callable() && !analysed.facts.has_body(symbol) => Self::Other,
            _ => Self::Definition,
        }
    }
}

/// Orders symbols of one name: code before documents, source before tests, and those that more of `files_with_name` are
/// near to, in the tree of folders, than to the others. Symbols of one rank keep their order.
fn order_by_use(found: &mut [SymbolBodyRow], files_with_name: &[String]) {
    let mut near_files: BTreeMap<String, usize> = BTreeMap::new();
    if (2..=MAX_SYMBOLS_ORDERED_BY_USE).contains(&found.len()) {
        let mut paths: Vec<&str> = found.iter().map(|row| row.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        for file in files_with_name {
            let nearest = paths.iter().map(|path| folder_distance(file, path)).min();
            for path in paths.iter().filter(|path| Some(folder_distance(file, path)) == nearest) {
                *near_files.entry((*path).to_owned()).or_default() += 1;
            }
        }
    }
    found.sort_by_key(|row| {
        let near = near_files.get(&row.path).copied().unwrap_or(0);
        let is_document = row.worth == SymbolWorth::Document;
        (is_document, looks_like_test_path(&row.path), row.worth, Reverse(near))
    });
}

/// How many folders lie between two files.
fn folder_distance(one: &str, other: &str) -> usize {
    let folders = |path: &str| path.matches('/').count();
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (first, second) = (folder(one), folder(other));
    let shared = first.split('/').zip(second.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count();
    folders(one) + folders(other) - 2 * shared
}

#[derive(Serialize)]
struct ScalarFields {
    name: String,
    #[serde(skip)]
    is_numbered: bool,
}

#[derive(Serialize)]
struct SymbolBodiesJson<'a> {
    symbols: Vec<SymbolBodyJson<'a>>,
}

/// A symbol with its body, as a row of the answer in JSON.
#[derive(Serialize)]
struct SymbolBodyJson<'a> {
    path: &'a str,
    #[serde(flatten)]
    symbol: &'a SymbolRow,
    #[serde(flatten)]
    body: Option<BodyTextJson<'a>>,
    /// The call that returns the omitted lines of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    rest: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    context: &'a [ContextLine],
}

#[derive(Serialize)]
struct BodyTextJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Cow<'a, str>>,
    /// The members of a symbol of which no more fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<&'a [SymbolRow]>,
    /// Whether the bodies of members are left out of the body.
    #[serde(skip_serializing_if = "is_default_value")]
    is_skeleton: bool,
    body_line: u32,
    body_line_end: u32,
    char_count: usize,
}

struct SymbolBodyRow {
    path: String,
    symbol: SymbolRow,
    worth: SymbolWorth,
    body: Option<BodyText>,
    /// The omitted lines of the symbol: the end of the body, or the whole body.
    omitted_lines: Option<(u32, u32)>,
}

/// A symbol's body, with the imports and headers that the body needs.
struct BodyText {
    content: BodyContent,
    /// Shorter forms of the content for a symbol with members, the richest first, each with what it leaves out.
    shorter_forms: VecDeque<(LeftOut, BodyContent)>,
    /// What the rows of members have left out.
    ladder: DetailLadder,
    /// The number of the first line of the content.
    body_line: u32,
    /// The number of the last line of the content; smaller than the symbol's last line where the body was shortened.
    body_line_end: u32,
    char_count: usize,
    context: Vec<ContextLine>,
}

/// How much of a body is shown.
enum BodyContent {
    /// The source text, from the first decorator or doc comment on.
    Text(String),
    /// The text without the bodies of members.
    Skeleton(Skeleton),
    /// The members.
    Members(Vec<SymbolRow>),
}

#[derive(Serialize)]
struct ContextLine {
    line: u32,
    text: String,
}

impl SymbolBodyRow {
    fn new(analysed: &AnalysedFile, hit: &NameMatch, costs: &LineCosts, is_body_included: bool) -> Self {
        let symbol = &hit.symbol;
        let path = analysed.file.path.clone();
        let mut row = SymbolRow::new_without_children(&path, symbol, costs);
        if row.parent.is_none() {
            row.parent = hit.owners.last().map(|owner| owner.name.clone());
        }
        let worth = SymbolWorth::of(analysed, hit);
        if !is_body_included {
            return Self { path, symbol: row, worth, body: None, omitted_lines: None };
        }
        let SymbolBody { text: body, context } = SymbolBody::new(analysed, hit);
        let mut lines: Vec<ContextLine> = context
            .imports
            .iter()
            .map(|import| ContextLine { line: import.lines.first, text: import.text.clone() })
            .collect();
        lines.extend(context.headers.into_iter().map(|(line, text)| ContextLine { line, text }));
        let body = BodyText {
            char_count: body.chars().count(),
            shorter_forms: shorter_forms_of_body(analysed, hit, &body, costs),
            content: BodyContent::Text(body),
            ladder: DetailLadder::default(),
            body_line: symbol.outer_line,
            body_line_end: symbol.lines.last,
            context: lines,
        };
        Self { path, symbol: row, worth, body: Some(body), omitted_lines: None }
    }

    /// Removes the symbol's body from the row.
    fn remove_body(&mut self) {
        self.body = None;
    }

    fn json_value<'a>(&'a self, context: &CallContext) -> SymbolBodyJson<'a> {
        let body = self.body.as_ref();
        SymbolBodyJson {
            path: &self.path,
            symbol: &self.symbol,
            body: body.map(BodyText::json_value),
            rest: self.read_omitted_lines_call(context).map(|call| context.format_call_as_command(&call)),
            context: body.map_or(&[], |body| &body.context),
        }
    }

    /// The call that returns the omitted lines of the body.
    fn read_omitted_lines_call(&self, context: &CallContext) -> Option<Call> {
        self.omitted_lines.map(|(first, last)| {
            context.follow_up_call_builder().read_lines_call(&self.path, &format_line_range(first, last))
        })
    }

    /// Shows the body in its next shorter form, or without its last quarter; removes it if it is short. Returns what was
    /// removed.
    fn shorten_or_remove_body(&mut self) -> LeftOut {
        const ENDS_OF_BODIES: LeftOut = LeftOut { what: "ends of bodies", count: 1 };
        let whole_lines = (self.symbol.outer_line, self.symbol.line_end);
        let Some(body) = &mut self.body else { return LeftOut { count: 0, ..ENDS_OF_BODIES } };
        if let Some((removed, shorter)) = body.shorter_forms.pop_front() {
            body.content = shorter;
            self.omitted_lines = Some(whole_lines);
            return removed;
        }
        match &mut body.content {
            BodyContent::Members(rows) => {
                if let Some(removed) = body.ladder.remove_next_detail_or_level(rows) {
                    return removed;
                }
                let kept = rows.len() * 3 / 4;
                if kept >= MIN_BODY_LINES {
                    let count = rows.len() - kept;
                    rows.truncate(kept);
                    return LeftOut { what: "later members", count };
                }
            }
            BodyContent::Text(text) => {
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let kept = lines.len() * 3 / 4;
                if kept >= MIN_BODY_LINES {
                    *text = lines.into_iter().take(kept).collect();
                    body.body_line_end = body.body_line + u32::try_from(kept).unwrap_or(u32::MAX) - 1;
                    self.omitted_lines = Some((body.body_line_end + 1, self.symbol.line_end));
                    return ENDS_OF_BODIES;
                }
            }
            // The members are its shorter form.
            BodyContent::Skeleton(_) => {}
        }
        self.omitted_lines = Some(whole_lines);
        self.body = None;
        ENDS_OF_BODIES
    }

    fn write_to_page(&self, numbered: bool, context: &CallContext, page: &mut MarkedText) {
        let SymbolRow { kind, qualified_name, id, tokens, .. } = &self.symbol;
        let lines = self.symbol.line_range_text();
        let _ = write!(page, "{} {}  lines {lines}", kind.as_str(), EscapedToOneLine(qualified_name));
        if let Some(tokens) = tokens {
            page.write_token_cost(*tokens);
        }
        let _ = writeln!(page, "  id {}", EscapedToOneLine(id));
        let rest = self.read_omitted_lines_call(context).map(|call| context.format_call_as_command(&call));
        let Some(body) = &self.body else {
            if !self.symbol.signature.is_empty() {
                let _ = writeln!(page, "  {}", EscapedToOneLine(&self.symbol.signature));
            }
            if let Some(call) = rest {
                let _ = writeln!(page, "the body: {call}");
            }
            return;
        };
        if !body.context.is_empty() {
            page.push_str("context, not part of the body:\n");
            for ContextLine { line, text } in &body.context {
                page.push_str("  ");
                page.write_numbered_source_line(*line, text);
            }
        }
        let lines = format_line_range(body.body_line, body.body_line_end);
        match &body.content {
            BodyContent::Text(text) => {
                let _ = writeln!(page, "body, lines {lines}:");
                if numbered {
                    (body.body_line..)
                        .zip(text.lines())
                        .for_each(|(number, line)| page.write_numbered_source_line(number, line));
                } else {
                    page.write_source_with_line_end(text);
                }
                if let Some(call) = rest {
                    let _ = writeln!(page, "the rest of the body, to line {}: {call}", self.symbol.line_end);
                }
                return;
            }
            BodyContent::Skeleton(skeleton) => {
                let _ = writeln!(page, "skeleton, lines {lines}; bodies are collapsed to {FOLDED}, not empty:");
                for line in &skeleton.lines {
                    page.write_part(PartKind::Number, format_line_range(line.lines.first, line.lines.last));
                    page.push_str(": ");
                    page.write_part(PartKind::Source, &line.text);
                    page.push('\n');
                }
            }
            BodyContent::Members(rows) => {
                let _ = writeln!(page, "members, lines {lines}:");
                rows.iter().for_each(|row| row.write_row_tree(1, page));
            }
        }
        if let Some(call) = rest {
            let _ = writeln!(page, "the whole body: {call}");
        }
    }
}

impl BodyText {
    fn json_value(&self) -> BodyTextJson<'_> {
        let (body, members) = match &self.content {
            BodyContent::Text(text) => (Some(Cow::Borrowed(text.as_str())), None),
            BodyContent::Skeleton(skeleton) => (Some(Cow::Owned(skeleton.text())), None),
            BodyContent::Members(rows) => (None, Some(rows.as_slice())),
        };
        BodyTextJson {
            body,
            members,
            is_skeleton: matches!(self.content, BodyContent::Skeleton(_)),
            body_line: self.body_line,
            body_line_end: self.body_line_end,
            char_count: self.char_count,
        }
    }
}

/// The shorter forms of the body of a symbol with members, the richest first, each with what it leaves out: its skeleton,
/// with the first lines of comments and without them, and its members. None for a function, whose body is its worth.
fn shorter_forms_of_body(
    analysed: &AnalysedFile,
    hit: &NameMatch,
    body: &str,
    costs: &LineCosts,
) -> VecDeque<(LeftOut, BodyContent)> {
    let mut forms = VecDeque::new();
    let found = &hit.symbol;
    let symbol = walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol).find(|symbol| {
        symbol.bytes == found.bytes && symbol.kind == found.kind && symbol.qualified_name == found.qualified_name
    });
    let Some(symbol) = symbol.filter(|symbol| !symbol.kind.is_callable() && !symbol.children.is_empty()) else {
        return forms;
    };
    let bytes = symbol.bytes.end.saturating_sub(body.len())..symbol.bytes.end;
    let skeleton =
        |comments| build_skeleton(&analysed.file.text, &analysed.facts.folds, bytes.clone(), Options { comments });
    let (whole, without_comments) = (skeleton(true), skeleton(false));
    let comment_lines = whole.lines.len().saturating_sub(without_comments.lines.len());
    let cut_lines = body.lines().filter(|line| !line.trim().is_empty()).count().saturating_sub(whole.lines.len());
    if whole.folded > 0 || cut_lines > 0 {
        let removed = match whole.folded {
            0 => LeftOut { what: "lines of comments", count: cut_lines },
            count => LeftOut { what: "bodies of members", count },
        };
        forms.push_back((removed, BodyContent::Skeleton(whole)));
    }
    if comment_lines > 0 {
        let removed = LeftOut { what: "lines of comments", count: comment_lines };
        forms.push_back((removed, BodyContent::Skeleton(without_comments)));
    }
    let members = SymbolRow::build_row_trees_of_kept_symbols(
        &analysed.file.path,
        symbol.children.clone(),
        costs,
        usize::MAX,
        &|symbol| !symbol.local,
    );
    if !members.is_empty() {
        let removed = LeftOut { what: "texts of members", count: members.len() };
        forms.push_back((removed, BodyContent::Members(members)));
    }
    forms
}

struct SymbolBodiesPayload {
    head: ScalarFields,
    total: usize,
    symbols: Vec<SymbolBodyRow>,
    ladder: DetailLadder,
}

impl AnswerPayload for SymbolBodiesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = SymbolBodiesJson<'a>;

    fn summary_line(&self) -> String {
        let rows = &self.symbols;
        let open = rows.iter().filter(|row| row.body.is_some()).count();
        let is_short =
            |row: &&SymbolBodyRow| row.body.as_ref().is_some_and(|body| !matches!(body.content, BodyContent::Text(_)));
        let bodies =
            if open < rows.len() { format!("; bodies of {open} of the {} shown", rows.len()) } else { String::new() };
        let short = rows
            .iter()
            .find(is_short)
            .map_or(String::new(), |row| format!("; {} without the bodies of its members", row.symbol.qualified_name));
        format!("{} named {}{bodies}{short}", format_count_with_noun(self.total, "symbol", "symbols"), self.head.name)
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, context: &CallContext) -> SymbolBodiesJson<'_> {
        SymbolBodiesJson { symbols: self.symbols.iter().map(|row| row.json_value(context)).collect() }
    }

    fn write_rows(&self, context: &CallContext, page: &mut MarkedText) {
        for (index, row) in self.symbols.iter().enumerate() {
            if index > 0 {
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
        let open = self.symbols.iter().filter(|row| row.body.is_some()).count();
        if open > 1 {
            if let Some(last) = self.symbols.iter_mut().rev().find(|row| row.body.is_some()) {
                last.remove_body();
            }
            return Some(LeftOut { what: "bodies of later symbols", count: 1 });
        }
        if let Some(row) = self.symbols.iter_mut().find(|row| row.body.is_some()) {
            return Some(row.shorten_or_remove_body());
        }
        let mut rows: Vec<&mut SymbolRow> = self.symbols.iter_mut().map(|row| &mut row.symbol).collect();
        self.ladder.remove_next_detail(&mut rows)
    }

    fn default_budget(&self) -> DefaultBudget {
        DefaultBudget::OF_SOURCE
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.symbols.truncate(rows);
    }
}
