//! The outlines of the files of a folder or glob.

use std::fmt::Write as _;
use std::sync::Arc;

use peelback_code::syntax::{SymbolKind, walk_symbols_with_depth};
use peelback_code::{CodeAccess, CodeError, Evidence, WalkOptions};
use peelback_tokens::LineCosts;
use rayon::prelude::*;
use serde::ser::{Error as _, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::listed_symbols::{is_symbol_listed_in_outline, rows_of_listed_symbols};
use super::parameters::Parameters;
use crate::answer::{Answer, AnswerPayload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::guidance::Guidance;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::{Location, Reply, ShownDetail};
use crate::rows::{ImportRow, SymbolRow};

/// The maximum number of files in an answer at detail level `exploring`.
const MAX_EXPLORING_FILES: usize = 50;

/// The reply with the outlines of all files of a folder or glob.
pub(super) fn folder_outline_reply(
    access: &CodeAccess,
    context: &CallContext,
    kind: Option<SymbolKind>,
    parameters: &Parameters,
    call: &Call,
) -> Result<Reply, RecoverableError> {
    let view = &parameters.view;
    let recover =
        |error: CodeError| RecoverableError::from_code_error(context, &error, call, parameter_name!(Parameters, path));
    let set = access.project().files_in_scope(parameters.path.as_deref(), &WalkOptions::default()).map_err(recover)?;
    let depth = parameters.depth.unwrap_or(if view.is_full_detail() { usize::MAX } else { 1 });
    let (files, mut evidence) = access.visit_analysed_files(&set.entries, None, |analysed| {
        let language = analysed.language?.name;
        let costs = LineCosts::new(&analysed.file.text);
        let level = if kind.is_some() { parameters.depth.unwrap_or(usize::MAX) } else { depth };
        let lines = analysed.file.line_count();
        let imports = if view.is_full_detail() {
            analysed.facts.imports.iter().map(ImportRow::from).collect()
        } else {
            Vec::new()
        };
        // Container kinds are collected to the depth of a listing by kind: unlimited, unless the call sets a depth.
        let kind_depth_limit = parameters.depth.unwrap_or(usize::MAX);
        let mut containers: Vec<SymbolKind> = Vec::new();
        let mut symbol_count = 0;
        for (symbol, level) in walk_symbols_with_depth(&analysed.facts.symbols) {
            symbol_count += 1;
            let is_new_container_kind = CONTAINER_KINDS.contains(&symbol.kind) && !containers.contains(&symbol.kind);
            if is_new_container_kind
                && level < kind_depth_limit
                && is_symbol_listed_in_outline(symbol, None, view.is_full_detail())
            {
                containers.push(symbol.kind);
            }
        }
        let symbols = Arc::unwrap_or_clone(analysed.facts).symbols;
        let symbols = rows_of_listed_symbols(&analysed.file.path, symbols, kind, level, view.is_full_detail(), &costs);
        if kind.is_some() && symbols.is_empty() {
            return None;
        }
        // With a requested kind, rows count the symbols of that kind; otherwise all symbols of the file.
        let symbol_count = if kind.is_some() { symbols.len() } else { symbol_count };
        Some(FileOutlineRow {
            path: analysed.file.path,
            language: Some(language),
            line_count: lines,
            tokens: costs.estimated_tokens_in_lines(1, lines),
            symbol_count,
            container_kinds: containers,
            imports,
            symbols,
        })
    });
    for skipped in set.skipped {
        evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
    }
    Ok(file_outline_rows_reply(context, files, evidence, set.entries.len(), parameters, call))
}

/// The reply with one row for each outlined file.
fn file_outline_rows_reply(
    context: &CallContext,
    files: Vec<FileOutlineRow>,
    evidence: Evidence,
    walked: usize,
    parameters: &Parameters,
    call: &Call,
) -> Reply {
    let view = &parameters.view;
    let total = files.len();
    let symbols: usize =
        files.iter().map(|file| file.symbols.iter().map(SymbolRow::count_rows_in_tree).sum::<usize>()).sum();
    let symbol_count_of_file = |file: &FileOutlineRow| file.symbol_count;
    let by_file: Vec<(String, usize)> =
        files.iter().map(|file| (file.path.clone(), symbol_count_of_file(file))).collect();
    let kind = rarest_container_kind_and_file_count(&files).filter(|_| parameters.kind.is_none());
    let guidance = (total == 0)
        .then(|| Guidance::hint_with_call("what is there: ", context.follow_up_call_builder().project_tree_call()));
    let head = FolderScalarFields {
        path: parameters.path.clone().filter(|path| !path.is_empty()).unwrap_or_else(|| ".".to_owned()),
        files_walked: walked,
        symbols_listed: symbols,
    };
    let (files, mut plan) = PageLimiter::new(view, MAX_EXPLORING_FILES).page_rows_and_plan(files, total, "files");
    plan.row_counts_by_file = by_file;
    if let Some((kind, files)) = kind {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, kind), kind),
            format_count_with_noun(files, "file", "files"),
        );
    }
    if let Some((file, count)) = plan.file_with_most_rows_and_count().map(|(file, count)| (file.to_owned(), count)) {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, path), file),
            format_count_with_noun(count, "symbol", "symbols"),
        );
    }
    let plan = plan.with_original_call_for_paging(call.clone());
    let payload = FolderOutlinePayload { head, total, body: FolderNestedFields { files }, stage: DetailStage::Docs };
    Answer { payload, plan, evidence, guidance, is_empty: total == 0 }.into_reply(context, view)
}

/// Kinds of symbols with members that distinguish files from each other, so that a call can be narrowed to one kind.
const CONTAINER_KINDS: [SymbolKind; 4] =
    [SymbolKind::Class, SymbolKind::Struct, SymbolKind::Interface, SymbolKind::Enum];

/// The kind of container (see [`CONTAINER_KINDS`]) that the fewest files define, with the number of those files.
fn rarest_container_kind_and_file_count(files: &[FileOutlineRow]) -> Option<(&'static str, usize)> {
    let counts = CONTAINER_KINDS
        .map(|kind| (kind.as_str(), files.iter().filter(|file| file.container_kinds.contains(&kind)).count()));
    counts.into_iter().filter(|(_, count)| *count > 0 && *count < files.len()).min_by_key(|(_, count)| *count)
}

#[derive(Serialize)]
struct FolderScalarFields {
    path: String,
    files_walked: usize,
    symbols_listed: usize,
}

struct FolderNestedFields {
    files: Vec<FileOutlineRow>,
}

/// The minimum number of files in a list that is serialized in parallel threads.
const MIN_PARALLEL_FILES: usize = 16;

impl Serialize for FolderNestedFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_struct("FolderBody", 1)?;
        if self.files.len() < MIN_PARALLEL_FILES {
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
struct FileOutlineRow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    line_count: u32,
    tokens: usize,
    symbol_count: usize,
    /// The kinds of containers (see [`CONTAINER_KINDS`]) that the file defines, to the depth of a listing by kind.
    #[serde(skip)]
    container_kinds: Vec<SymbolKind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    imports: Vec<ImportRow>,
    symbols: Vec<SymbolRow>,
}

/// How much detail the outlines of files still have, from full detail to counts by file.
#[derive(Clone, Copy, PartialEq)]
enum DetailStage {
    Docs,
    Signatures,
    Names,
    /// All symbol names of a file on one line.
    OneLine,
    Counts,
}

struct FolderOutlinePayload {
    head: FolderScalarFields,
    total: usize,
    body: FolderNestedFields,
    stage: DetailStage,
}

impl AnswerPayload for FolderOutlinePayload {
    type ScalarFields = FolderScalarFields;
    type NestedFields<'a> = &'a FolderNestedFields;

    fn summary_line(&self) -> String {
        format!(
            "{}: {} of known languages ({} walked), {} listed",
            self.head.path,
            format_count_with_noun(self.total, "file", "files"),
            format_with_thousands_separators(self.head.files_walked as u64),
            format_count_with_noun(self.head.symbols_listed, "symbol", "symbols")
        )
    }

    fn scalar_json_fields(&self) -> &FolderScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &FolderNestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        for file in &self.body.files {
            page.write_part(PartKind::Subject, &file.path);
            let _ = write!(page, "  {}  {} lines", file.language.unwrap_or("-"), file.line_count);
            page.write_token_cost(file.tokens);
            let _ = writeln!(page, "  {}", format_count_with_noun(file.symbol_count, "symbol", "symbols"));
            if self.stage == DetailStage::OneLine && !file.symbols.is_empty() {
                let names: Vec<&str> = file.symbols.iter().map(|row| row.name.as_str()).collect();
                let _ = writeln!(page, "  {}", EscapedToOneLine(names.join(", ")));
                continue;
            }
            for row in &file.symbols {
                row.write_row_tree(1, page);
            }
        }
    }

    fn row_count(&self) -> usize {
        self.body.files.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let file = self.body.files.get(index)?;
        Some(format!("{}  {}", file.path, format_count_with_noun(file.symbol_count, "symbol", "symbols")))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<&'static str> {
        let files = &mut self.body.files;
        let (next, what) = match self.stage {
            DetailStage::Docs => {
                files.iter_mut().flat_map(|file| &mut file.symbols).for_each(SymbolRow::remove_docs);
                (DetailStage::Signatures, "documentation")
            }
            DetailStage::Signatures => {
                files.iter_mut().flat_map(|file| &mut file.symbols).for_each(SymbolRow::keep_only_names_and_lines);
                (DetailStage::Names, "signatures and decorators")
            }
            DetailStage::Names => (DetailStage::OneLine, "lines of the symbols"),
            DetailStage::OneLine => {
                files.iter_mut().for_each(|file| {
                    file.symbols.clear();
                    file.imports.clear();
                });
                (DetailStage::Counts, "symbols (counts by file remain)")
            }
            DetailStage::Counts => return None,
        };
        self.stage = next;
        Some(what)
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.files.truncate(rows);
    }

    fn shown_locations(&self) -> Vec<Location> {
        self.body.files.iter().map(|file| Location::for_whole_file(&file.path, ShownDetail::Listed)).collect()
    }
}
