//! The tool `outline`: the symbols of one file or of many files.

use std::fmt::Write as _;
use std::sync::Arc;

use peelback_code::syntax::{Symbol, SymbolKind, walk_symbols};
use peelback_code::{Analysed, CodeAccess, CodeError, Evidence, WalkOptions};
use peelback_tokens::LineCosts;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{counted, grouped};
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::{Page, Part};
use crate::recover::RecoverableError;
use crate::reply::{Closeness, Place, Reply};
use crate::retention::ResultKind;
use crate::rows::{ExportRow, ImportRow, SymbolRow, symbol_id};
use crate::symbol_kind::kind_named;
use crate::tool::Tool;
use crate::view::View;

/// The most top-level symbols of one file at detail level `exploring`.
const SYMBOL_CAP: usize = 100;

/// The most files at detail level `exploring`.
const FILE_CAP: usize = 50;

/// Symbols of a file, folder or glob.
///
/// One file: every symbol with decorators and the first line of its documentation (symbols local to functions only
/// with `detail_level: full`). A folder or glob: the top-level symbols of each file. Markdown headings and
/// JSON/YAML/TOML keys are symbols too.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// A file, folder or glob; the whole project by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only symbols of this kind: class, function, method, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Levels of nesting to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    #[serde(flatten)]
    pub view: View,
}

pub struct Outline;

impl Tool for Outline {
    type Parameters = Parameters;

    const NAME: &'static str = "outline";
    const ALIASES: &'static [&'static str] =
        &["get_file_outline", "get_outline", "find_code_definitions", "extract_file_imports", "get_symbols_overview"];
    const POSITIONAL: &'static [&'static str] = &["path"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("scope", "path"), ("glob", "path")];
    const EXAMPLES: &'static [&'static str] =
        &["outline --path src/main.rs", "outline --path 'src/**/*.py' --kind class"];
    const RESULT: ResultKind = ResultKind::Outline;
    const SUBJECT: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 300;

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::with_parameters(Self::NAME, &parameters);
        let kind = parameters.kind.as_deref().map(|name| kind_named(name, &call)).transpose()?;
        let path = parameters.path.clone().unwrap_or_default();
        let recover = |error: CodeError| RecoverableError::from_code(context, &error, &call, "path");
        match access.project().entry(&path) {
            Ok(entry) if !entry.is_folder => {
                let analysed = access.analyse_file(&path).map_err(recover)?;
                Ok(one_file(context, &analysed, kind, &parameters, call.clone()))
            }
            Ok(_) | Err(CodeError::NotFound { .. }) => many_files(access, context, kind, &parameters, &call),
            Err(error) => Err(recover(error)),
        }
    }
}

/// Whether a symbol is listed: it has the requested kind, and it is not local to a function unless full detail is
/// requested. The children of a symbol of another kind are still considered.
fn wanted(symbol: &Symbol, kind: Option<SymbolKind>, full: bool) -> bool {
    kind.is_none_or(|kind| symbol.kind == kind) && (full || !symbol.local)
}

/// The rows of a file's symbols: a flat list where the call requests a kind, otherwise a tree.
fn rows(
    path: &str,
    symbols: Vec<Symbol>,
    kind: Option<SymbolKind>,
    depth: usize,
    full: bool,
    costs: &LineCosts,
) -> Vec<SymbolRow> {
    if kind.is_some() {
        return walk_symbols(&symbols)
            .filter(|(symbol, level)| *level < depth && wanted(symbol, kind, full))
            .map(|(symbol, _)| SymbolRow {
                name: symbol.qualified_name.clone(),
                ..SymbolRow::without_children(path, symbol, costs)
            })
            .collect();
    }
    SymbolRow::forest(path, symbols, costs, depth, &|symbol| wanted(symbol, None, full))
}

fn one_file(
    context: &CallContext,
    analysed: &Analysed,
    kind: Option<SymbolKind>,
    parameters: &Parameters,
    call: Call,
) -> Reply {
    let view = &parameters.view;
    let costs = LineCosts::new(&analysed.file.text);
    let depth = parameters.depth.unwrap_or(usize::MAX);
    let all = rows(&analysed.file.path, analysed.facts.symbols.clone(), kind, depth, view.is_full(), &costs);
    let shown: usize = all.iter().map(SymbolRow::count).sum();
    // With a requested kind, only the listed symbols count. Otherwise all symbols count, including those deeper than
    // the requested depth.
    let symbols = if kind.is_some() { shown } else { walk_symbols(&analysed.facts.symbols).count() };
    let total = all.len();
    let path = analysed.file.path.as_str();
    let first_body = walk_symbols(&analysed.facts.symbols).map(|(symbol, _)| symbol).find(|symbol| match kind {
        Some(kind) => symbol.kind == kind,
        None => symbol.kind.is_callable(),
    });
    let guidance = match first_body {
        Some(symbol) => Some(Guidance::hint("a body: ", context.next().body(&symbol_id(path, symbol)))),
        None if total == 0 => Some(Guidance::hint("no symbols to show; the file: ", context.next().profile(path))),
        None => None,
    };
    let by_kind = most_common_kind(analysed, depth, view.is_full())
        .filter(|_| kind.is_none())
        .map(|(kind, _)| call.clone().with("kind", kind));
    let imports = analysed.facts.imports.iter().map(ImportRow::from).collect();
    let (page, mut plan) = OutputGuard::new(view, SYMBOL_CAP).cap_items(all, total, "top-level symbols");
    let common = most_common_kind(analysed, depth, view.is_full()).filter(|_| kind.is_none());
    if let Some((kind, count)) = common {
        plan = plan.narrowed(call.clone().with("kind", kind), counted(count, "symbol", "symbols"));
    }
    let plan = plan.paged(call);
    let head = Head {
        path: path.to_owned(),
        language: analysed.language.map(|language| language.name),
        line_count: analysed.file.line_count(),
        size_bytes: analysed.file.size_bytes,
        tokens: costs.tokens_in_lines(1, analysed.file.line_count()),
        symbol_count: symbols,
        local_symbols_left_out: if depth == usize::MAX && kind.is_none() { symbols - shown } else { 0 },
    };
    let exports = analysed.facts.exports.iter().map(ExportRow::from).collect();
    let body = Body { imports, exports, symbols: page };
    let payload = FileOutline { head, body, stage: Stage::Docs, by_kind };
    Answer { payload, plan, evidence: analysed.evidence.clone(), guidance, empty: false }.finish(context, view)
}

/// The most frequent kind among the symbols that a listing by kind would show.
fn most_common_kind(analysed: &Analysed, depth: usize, full: bool) -> Option<(&'static str, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    let listed = walk_symbols(&analysed.facts.symbols).filter(|(_, level)| *level < depth);
    for (symbol, _) in listed.filter(|(symbol, _)| wanted(symbol, None, full)) {
        *counts.entry(symbol.kind.as_str()).or_insert(0usize) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count)
}

#[derive(Serialize)]
struct Head {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    line_count: u32,
    size_bytes: u64,
    tokens: usize,
    symbol_count: usize,
    #[serde(skip_serializing_if = "crate::view::is_default")]
    local_symbols_left_out: usize,
}

#[derive(Serialize)]
struct Body {
    imports: Vec<ImportRow>,
    exports: Vec<ExportRow>,
    symbols: Vec<SymbolRow>,
}

/// How far an outline is degraded, from full detail to top-level symbols only.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Docs,
    Signatures,
    Names,
    /// For many files: all names of a file on one line.
    OneLine,
    TopLevel,
}

struct FileOutline {
    head: Head,
    body: Body,
    stage: Stage,
    /// A call that lists the nested symbols of the most frequent kind, one per row.
    by_kind: Option<Call>,
}

impl Payload for FileOutline {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let Head { path, language, line_count, tokens, symbol_count, local_symbols_left_out, .. } = &self.head;
        let local = match local_symbols_left_out {
            0 => String::new(),
            local => format!(" ({local} local to functions: detail_level full)"),
        };
        format!(
            "{path}: {}, {} lines, ~{tokens} tokens whole; {}{local}",
            language.unwrap_or("no known language"),
            grouped(*line_count),
            counted(*symbol_count, "symbol", "symbols")
        )
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        if !self.body.imports.is_empty() {
            let _ = writeln!(page, "imports: {}", sources(&self.body.imports));
        }
        for row in &self.body.symbols {
            row.write_tree(0, page);
        }
    }

    fn shown(&self) -> usize {
        self.body.symbols.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.symbols.get(index)?;
        Some(format!("{} {}", row.line_range(), if row.signature.is_empty() { &row.name } else { &row.signature }))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        let symbols = &mut self.body.symbols;
        let (next, what) = match self.stage {
            Stage::Docs => {
                symbols.iter_mut().for_each(SymbolRow::without_docs);
                (Stage::Signatures, "documentation")
            }
            Stage::Signatures => {
                symbols.iter_mut().for_each(SymbolRow::keep_names);
                self.body.exports.clear();
                (Stage::Names, "signatures, decorators and exports")
            }
            Stage::Names => {
                symbols.iter_mut().for_each(SymbolRow::without_members);
                self.body.imports.clear();
                (Stage::TopLevel, "members and imports")
            }
            Stage::OneLine => (Stage::TopLevel, ""),
            // The deepest level is removed first, so that one large container does not hide all of its children.
            Stage::TopLevel => {
                let depth = symbols.iter().map(SymbolRow::depth).max().unwrap_or(1);
                if depth < 2 {
                    return None;
                }
                symbols.iter_mut().for_each(|row| row.truncate_depth(depth - 1));
                if depth > 2 { (Stage::TopLevel, "deeply nested symbols") } else { (Stage::TopLevel, "nested symbols") }
            }
        };
        self.stage = next;
        Some(what)
    }

    fn truncate(&mut self, rows: usize) {
        self.body.symbols.truncate(rows);
    }

    fn detail_call(&self) -> Option<Call> {
        self.by_kind.clone()
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::file(&self.head.path, Closeness::Outlined)]
    }
}

/// The sources of imports without duplicates, each with the imported names.
fn sources(imports: &[ImportRow]) -> String {
    let mut out: Vec<String> = Vec::new();
    for import in imports {
        let names = if import.names.is_empty() || import.names == [import.source.as_str()] {
            String::new()
        } else {
            format!(" ({})", import.names.join(", "))
        };
        out.push(format!("{}{names}", import.source));
    }
    out.dedup();
    out.join("; ")
}

fn many_files(
    access: &CodeAccess,
    context: &CallContext,
    kind: Option<SymbolKind>,
    parameters: &Parameters,
    call: &Call,
) -> Result<Reply, RecoverableError> {
    let view = &parameters.view;
    let recover = |error: CodeError| RecoverableError::from_code(context, &error, call, "path");
    let set = access.project().files(parameters.path.as_deref(), &WalkOptions::default()).map_err(recover)?;
    let depth = parameters.depth.unwrap_or(if view.is_full() { usize::MAX } else { 1 });
    let (files, mut evidence) = access.visit_analysed_files(&set.entries, None, |analysed| {
        let language = analysed.language?.name;
        let costs = LineCosts::new(&analysed.file.text);
        let level = if kind.is_some() { parameters.depth.unwrap_or(usize::MAX) } else { depth };
        let lines = analysed.file.line_count();
        let imports =
            if view.is_full() { analysed.facts.imports.iter().map(ImportRow::from).collect() } else { Vec::new() };
        // The count has the depth of a listing by kind: unlimited, unless the call sets a depth.
        let reach = parameters.depth.unwrap_or(usize::MAX);
        let mut containers: Vec<SymbolKind> = Vec::new();
        let mut symbol_count = 0;
        for (symbol, level) in walk_symbols(&analysed.facts.symbols) {
            symbol_count += 1;
            let counts = CONTAINERS.contains(&symbol.kind) && !containers.contains(&symbol.kind);
            if counts && level < reach && wanted(symbol, None, view.is_full()) {
                containers.push(symbol.kind);
            }
        }
        let symbols = Arc::unwrap_or_clone(analysed.facts).symbols;
        let symbols = rows(&analysed.file.path, symbols, kind, level, view.is_full(), &costs);
        if kind.is_some() && symbols.is_empty() {
            return None;
        }
        // With a requested kind, rows count the symbols of that kind; otherwise all symbols of the file.
        let symbol_count = if kind.is_some() { symbols.len() } else { symbol_count };
        Some(FileRow {
            path: analysed.file.path,
            language: Some(language),
            line_count: lines,
            tokens: costs.tokens_in_lines(1, lines),
            symbol_count,
            containers,
            imports,
            symbols,
        })
    });
    for skipped in set.skipped {
        evidence.skip(&skipped.path, skipped.reason);
    }
    Ok(listing(context, files, evidence, set.entries.len(), parameters, call))
}

fn listing(
    context: &CallContext,
    files: Vec<FileRow>,
    evidence: Evidence,
    walked: usize,
    parameters: &Parameters,
    call: &Call,
) -> Reply {
    let view = &parameters.view;
    let total = files.len();
    let symbols: usize = files.iter().map(|file| file.symbols.iter().map(SymbolRow::count).sum::<usize>()).sum();
    let listed = |file: &FileRow| file.symbol_count;
    let by_file: Vec<(String, usize)> = files.iter().map(|file| (file.path.clone(), listed(file))).collect();
    let kind = rarest_container(&files).filter(|_| parameters.kind.is_none());
    let guidance = (total == 0).then(|| Guidance::hint("what is there: ", context.next().map()));
    let head = FolderHead {
        path: parameters.path.clone().filter(|path| !path.is_empty()).unwrap_or_else(|| ".".to_owned()),
        files_walked: walked,
        symbols_listed: symbols,
    };
    let (files, mut plan) = OutputGuard::new(view, FILE_CAP).cap_items(files, total, "files");
    plan.by_file = by_file;
    if let Some((kind, files)) = kind {
        plan = plan.narrowed(call.clone().with("kind", kind), counted(files, "file", "files"));
    }
    if let Some((file, count)) = plan.fullest_file().map(|(file, count)| (file.to_owned(), count)) {
        plan = plan.narrowed(call.clone().with("path", file), counted(count, "symbol", "symbols"));
    }
    let plan = plan.paged(call.clone());
    let payload = FolderOutline { head, total, body: FolderBody { files }, stage: Stage::Docs };
    Answer { payload, plan, evidence, guidance, empty: total == 0 }.finish(context, view)
}

/// Kinds of symbols that distinguish files from each other.
const CONTAINERS: [SymbolKind; 4] = [SymbolKind::Class, SymbolKind::Struct, SymbolKind::Interface, SymbolKind::Enum];

/// The kind of container that the fewest files define, with the number of those files.
fn rarest_container(files: &[FileRow]) -> Option<(&'static str, usize)> {
    let counts =
        CONTAINERS.map(|kind| (kind.as_str(), files.iter().filter(|file| file.containers.contains(&kind)).count()));
    counts.into_iter().filter(|(_, count)| *count > 0 && *count < files.len()).min_by_key(|(_, count)| *count)
}

#[derive(Serialize)]
struct FolderHead {
    path: String,
    files_walked: usize,
    symbols_listed: usize,
}

struct FolderBody {
    files: Vec<FileRow>,
}

/// The number of files below which a list is serialized without parallel threads.
const FEW_FILES: usize = 16;

impl Serialize for FolderBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_struct("FolderBody", 1)?;
        if self.files.len() < FEW_FILES {
            body.serialize_field("files", &self.files)?;
        } else {
            // The rows of a whole repository take megabytes, so they are serialized in parallel.
            let rows: Result<Vec<Box<RawValue>>, _> = self.files.par_iter().map(to_raw_value).collect();
            body.serialize_field("files", &rows.map_err(S::Error::custom)?)?;
        }
        body.end()
    }
}

#[derive(Serialize)]
struct FileRow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    line_count: u32,
    tokens: usize,
    symbol_count: usize,
    /// The kinds of containers that the file defines, at any nesting depth.
    #[serde(skip)]
    containers: Vec<SymbolKind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    imports: Vec<ImportRow>,
    symbols: Vec<SymbolRow>,
}

struct FolderOutline {
    head: FolderHead,
    total: usize,
    body: FolderBody,
    stage: Stage,
}

impl Payload for FolderOutline {
    type Head = FolderHead;
    type Body<'a> = &'a FolderBody;

    fn verdict(&self) -> String {
        format!(
            "{}: {} of known languages ({} walked), {} listed",
            self.head.path,
            counted(self.total, "file", "files"),
            grouped(self.head.files_walked as u64),
            counted(self.head.symbols_listed, "symbol", "symbols")
        )
    }

    fn head(&self) -> &FolderHead {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &FolderBody {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        for file in &self.body.files {
            page.put(Part::Subject, &file.path);
            let _ = write!(page, "  {}  {} lines", file.language.unwrap_or("-"), file.line_count);
            page.price(file.tokens);
            let _ = writeln!(page, "  {}", counted(file.symbol_count, "symbol", "symbols"));
            if self.stage == Stage::OneLine && !file.symbols.is_empty() {
                let names: Vec<&str> = file.symbols.iter().map(|row| row.name.as_str()).collect();
                let _ = writeln!(page, "  {}", names.join(", "));
                continue;
            }
            for row in &file.symbols {
                row.write_tree(1, page);
            }
        }
    }

    fn shown(&self) -> usize {
        self.body.files.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let file = self.body.files.get(index)?;
        Some(format!("{}  {}", file.path, counted(file.symbol_count, "symbol", "symbols")))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        let files = &mut self.body.files;
        let (next, what) = match self.stage {
            Stage::Docs => {
                files.iter_mut().flat_map(|file| &mut file.symbols).for_each(SymbolRow::without_docs);
                (Stage::Signatures, "documentation")
            }
            Stage::Signatures => {
                files.iter_mut().flat_map(|file| &mut file.symbols).for_each(SymbolRow::keep_names);
                (Stage::Names, "signatures and decorators")
            }
            Stage::Names => (Stage::OneLine, "lines of the symbols"),
            Stage::OneLine => {
                files.iter_mut().for_each(|file| {
                    file.symbols.clear();
                    file.imports.clear();
                });
                (Stage::TopLevel, "symbols (counts by file remain)")
            }
            Stage::TopLevel => return None,
        };
        self.stage = next;
        Some(what)
    }

    fn truncate(&mut self, rows: usize) {
        self.body.files.truncate(rows);
    }

    fn places(&self) -> Vec<Place> {
        self.body.files.iter().map(|file| Place::file(&file.path, Closeness::Listed)).collect()
    }
}
