//! The outlines of the files of a folder or glob.

use std::fmt::Write as _;
use std::sync::Arc;

use peelback_code::syntax::{SymbolKind, walk_symbols};
use peelback_code::{CodeAccess, CodeError, Evidence, WalkOptions};
use peelback_tokens::LineCosts;
use rayon::prelude::*;
use serde::ser::{Error as _, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::listed::{is_listed, symbol_rows};
use super::parameters::Parameters;
use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{counted, grouped};
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::{Page, Part};
use crate::parameter_name::parameter_name;
use crate::recover::RecoverableError;
use crate::reply::{Closeness, Place, Reply};
use crate::rows::{ImportRow, SymbolRow};

/// The most files at detail level `exploring`.
const FILE_CAP: usize = 50;

/// The reply with the outlines of all files of a folder or glob.
pub(super) fn folder_reply(
    access: &CodeAccess,
    context: &CallContext,
    kind: Option<SymbolKind>,
    parameters: &Parameters,
    call: &Call,
) -> Result<Reply, RecoverableError> {
    let view = &parameters.view;
    let recover =
        |error: CodeError| RecoverableError::from_code(context, &error, call, parameter_name!(Parameters, path));
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
            if counts && level < reach && is_listed(symbol, None, view.is_full()) {
                containers.push(symbol.kind);
            }
        }
        let symbols = Arc::unwrap_or_clone(analysed.facts).symbols;
        let symbols = symbol_rows(&analysed.file.path, symbols, kind, level, view.is_full(), &costs);
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

/// The reply with the rows of files.
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
        plan =
            plan.narrowed(call.clone().with(parameter_name!(Parameters, kind), kind), counted(files, "file", "files"));
    }
    if let Some((file, count)) = plan.fullest_file().map(|(file, count)| (file.to_owned(), count)) {
        plan = plan
            .narrowed(call.clone().with(parameter_name!(Parameters, path), file), counted(count, "symbol", "symbols"));
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

/// How far the outlines are degraded, from full detail to counts by file.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Docs,
    Signatures,
    Names,
    /// All names of a file on one line.
    OneLine,
    Counts,
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
                (Stage::Counts, "symbols (counts by file remain)")
            }
            Stage::Counts => return None,
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
