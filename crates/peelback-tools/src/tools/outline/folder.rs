//! The outlines of the files of a folder or glob.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use peelback_code::syntax::{SymbolKind, walk_symbols_with_depth};
use peelback_code::{CodeAccess, CodeError, Evidence, FileKind, WalkOptions};
use peelback_tokens::LineCosts;
use rayon::prelude::*;
use serde::ser::{Error as _, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::file_kinds::{
    FoldedFiles, fold_pages_tests_and_generated_files, narrowing_folder_and_file_count, place_in_outline,
};
use super::listed_symbols::{is_symbol_listed_in_outline, rows_of_listed_symbols, symbols_of_namespaces};
use super::name_uses::{MAX_FILES_WITH_USE_COUNTS, count_uses_of_names, distinct_word_hashes};
use super::parameters::Parameters;
use crate::answer::{Answer, AnswerPayload};
use crate::budget::AnswerTokenBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::file_place::FileKinds;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::message::Message;
use crate::output_guard::PageLimiter;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::place::PlaceRow;
use crate::recoverable_error::RecoverableError;
use crate::reply::{Location, ShownDetail};
use crate::rows::{ImportRow, SymbolRow};
use crate::symbol_detail::DetailLadder;
use crate::view::{Format, OutputOptions};

/// The maximum number of files in an answer at detail level `exploring`.
const MAX_EXPLORING_FILES: usize = 50;

/// The outlines of all files of a folder or glob; of the whole project without a path.
pub(super) fn folder_outline_answer(
    access: &CodeAccess,
    context: &CallContext,
    kind: Option<SymbolKind>,
    path: Option<&str>,
    parameters: &Parameters,
    call: &Call,
) -> Result<Answer<FolderOutlinePayload>, RecoverableError> {
    let view = &parameters.view;
    let recover =
        |error: CodeError| RecoverableError::from_code_error(context, &error, call, parameter_name!(Parameters, path));
    let set = access.project().files_in_scope(path, &WalkOptions::default()).map_err(recover)?;
    let depth = parameters.depth.unwrap_or(if view.is_full_detail() { usize::MAX } else { 1 });
    // Uses order the names that are listed where the budget does not hold all rows.
    let counts_uses =
        set.entries.len() <= MAX_FILES_WITH_USE_COUNTS && !AnswerTokenBudget::new(context, view).is_unlimited();
    let kinds = context.file_kinds();
    let (mut files, mut evidence) = access.visit_analysed_files(&set.entries, None, |analysed| {
        let language = analysed.language?;
        let is_presentation = language.is_presentation();
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
        let words =
            if counts_uses && !is_presentation { distinct_word_hashes(&analysed.file.text) } else { Vec::new() };
        let mut symbols = Arc::unwrap_or_clone(analysed.facts).symbols;
        if kind.is_none() && depth == 1 {
            symbols = symbols_of_namespaces(symbols);
        }
        let symbols = rows_of_listed_symbols(&analysed.file, symbols, kind, level, view.is_full_detail(), &costs);
        if kind.is_some() && symbols.is_empty() {
            return None;
        }
        // With a requested kind, rows count the symbols of that kind; otherwise all symbols of the file.
        let symbol_count = if kind.is_some() { symbols.len() } else { symbol_count };
        Some(FileOutlineRow {
            kind: kinds.kind_with_text(&analysed.file.path, &analysed.file.text),
            words,
            path: analysed.file.path,
            is_presentation,
            language: Some(language.name),
            line_count: lines,
            tokens: costs.estimated_tokens_in_lines(1, lines),
            symbol_count,
            container_kinds: containers,
            imports,
            symbols,
        })
    });
    count_uses_of_names(&mut files);
    files.sort_by_key(place_in_outline);
    for skipped in set.skipped {
        evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
    }
    let folder = path.unwrap_or(".");
    let is_folder = access.project().require_entry(folder).is_ok();
    let walked = WalkedFiles { count: set.entries.len(), is_folder };
    Ok(file_outline_rows_answer(context, (files, &kinds), evidence, (path, walked), parameters, call))
}

/// The files that a call names.
struct WalkedFiles {
    count: usize,
    /// Whether the call names a folder, and no glob.
    is_folder: bool,
}

/// The answer with one row for each outlined file.
fn file_outline_rows_answer(
    context: &CallContext,
    (files, kinds): (Vec<FileOutlineRow>, &FileKinds),
    evidence: Evidence,
    (path, walked): (Option<&str>, WalkedFiles),
    parameters: &Parameters,
    call: &Call,
) -> Answer<FolderOutlinePayload> {
    let view = &parameters.view;
    let outlined = files.len();
    // A folder in place of a glob would name other files.
    let narrowing = walked.is_folder.then(|| narrowing_folder_and_file_count(&files, MAX_EXPLORING_FILES)).flatten();
    let kind = rarest_container_kind_and_file_count(&files).filter(|_| parameters.kind.is_none());
    let folds = !view.is_full_detail()
        && parameters.kind.is_none()
        && view.max_tokens != Some(0)
        && view.format != Format::Vimgrep;
    let (files, folded) = if folds { fold_pages_tests_and_generated_files(files) } else { (files, Vec::new()) };
    let symbols = files.iter().flat_map(|file| &file.symbols).map(SymbolRow::count_rows_in_tree).sum();
    let total = files.len();
    let by_file: Vec<(String, usize)> = files.iter().map(|file| (file.path.clone(), file.symbol_count)).collect();
    let guidance = (outlined == 0)
        .then(|| Guidance::hint_with_call("what is there: ", context.follow_up_call_builder().project_tree_call()));
    let head = FolderScalarFields {
        path: path.filter(|path| !path.is_empty()).unwrap_or(".").to_owned(),
        files_walked: walked.count,
        files_outlined: outlined,
        symbols_listed: symbols,
    };
    let (files, mut plan) = PageLimiter::new(view, MAX_EXPLORING_FILES).page_rows_and_plan(files, total, "files");
    let names_further_files = context.detail_aim().is_some() && !view.format.is_for_programs();
    let after_page = by_file.iter().skip(plan.offset + files.len()).take(MAX_FURTHER_FILES);
    let further_files = after_page.filter(|_| names_further_files).map(|(path, _)| path.clone()).collect();
    plan.row_counts_by_file = by_file;
    plan.are_rows_files = true;
    if let Some((folder, files)) = narrowing {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, path), folder),
            files,
            ("file", "files"),
        );
    }
    if let Some((kind, files)) = kind {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, kind), kind),
            files,
            ("file", "files"),
        );
    }
    if let Some((file, count)) = plan.file_with_most_rows_and_count(kinds).map(|(file, count)| (file.to_owned(), count))
    {
        plan = plan.with_other_call(
            call.clone().with_argument(parameter_name!(Parameters, path), file),
            format_count_with_noun(count, "symbol", "symbols"),
        );
    }
    let plan = plan.with_original_call_for_paging(call.clone());
    let is_empty = outlined == 0;
    // In full detail, what is folded comes after the files that are listed.
    let folded_files_call = call
        .clone()
        .with_argument(parameter_name!(OutputOptions, detail_level), "full")
        .without_argument(parameter_name!(OutputOptions, limit))
        .with_row_offset(total);
    let payload = FolderOutlinePayload {
        head,
        body: FolderNestedFields { files, folded, has_symbols: true },
        ladder: DetailLadder::default(),
        names_all_files: context.detail_aim().is_some(),
        further_files,
        names_per_file: None,
        folded_files_call,
        is_for_programs: view.format.is_for_programs(),
    };
    Answer { payload, plan, evidence, guidance, is_empty }
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
pub(super) struct FolderScalarFields {
    path: String,
    files_walked: usize,
    /// The files of known languages.
    files_outlined: usize,
    symbols_listed: usize,
}

pub(super) struct FolderNestedFields {
    files: Vec<FileOutlineRow>,
    folded: Vec<FoldedFiles>,
    /// Whether the rows have their lists of symbols, and not only the counts.
    has_symbols: bool,
}

/// The row of a file whose symbols are only counted.
#[derive(Serialize)]
struct FileCountsRow<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    line_count: u32,
    tokens: usize,
    symbol_count: usize,
}

impl<'a> From<&'a FileOutlineRow> for FileCountsRow<'a> {
    fn from(row: &'a FileOutlineRow) -> Self {
        let FileOutlineRow { path, language, line_count, tokens, symbol_count, .. } = row;
        Self { path, language: *language, line_count: *line_count, tokens: *tokens, symbol_count: *symbol_count }
    }
}

/// The minimum number of files in a list that is serialized in parallel threads.
const MIN_PARALLEL_FILES: usize = 16;

impl Serialize for FolderNestedFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_struct("FolderBody", 2)?;
        if !self.has_symbols {
            let rows: Vec<FileCountsRow<'_>> = self.files.iter().map(FileCountsRow::from).collect();
            body.serialize_field("files", &rows)?;
        } else if self.files.len() < MIN_PARALLEL_FILES {
            body.serialize_field("files", &self.files)?;
        } else {
            // The rows of a whole repository take megabytes, so they are serialized in parallel.
            let rows: Result<Vec<Box<RawValue>>, _> = self.files.par_iter().map(to_raw_value).collect();
            body.serialize_field("files", &rows.map_err(S::Error::custom)?)?;
        }
        if !self.folded.is_empty() {
            body.serialize_field("folded", &self.folded)?;
        }
        body.end()
    }
}

#[derive(Serialize)]
pub(super) struct FileOutlineRow {
    #[serde(skip)]
    pub kind: FileKind,
    /// Whether the file is a page or a stylesheet: see [`peelback_code::syntax::Language::is_presentation`].
    #[serde(skip)]
    pub is_presentation: bool,
    /// Hashes of the words of the text, each once; empty where uses are not counted.
    #[serde(skip)]
    pub words: Vec<u64>,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    pub line_count: u32,
    tokens: usize,
    pub symbol_count: usize,
    /// The kinds of containers (see [`CONTAINER_KINDS`]) that the file defines, to the depth of a listing by kind.
    #[serde(skip)]
    container_kinds: Vec<SymbolKind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    imports: Vec<ImportRow>,
    pub symbols: Vec<SymbolRow>,
}

/// How many names of a file a list of names shows at most, from long lists to short ones, at last none: a line for each
/// file is worth more than the names of some.
const NAMES_PER_FILE: [usize; 7] = [40, 20, 12, 8, 4, 1, 0];

/// The fewest names of a file in a list of names as text, unless the names of all files take the room.
const LEAST_NAMES: usize = 4;

/// The maximum number of files that are named after the last row.
const MAX_FURTHER_FILES: usize = 300;

/// The folder of a path, with the slash at its end; empty for a file of the root.
fn folder_of(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or("")
}

pub(super) struct FolderOutlinePayload {
    head: FolderScalarFields,
    body: FolderNestedFields,
    ladder: DetailLadder,
    /// Whether the names of all files are worth more than the names of symbols in some of them, as for an agent.
    names_all_files: bool,
    /// The paths of the files after the last row, in text for an agent.
    further_files: Vec<String>,
    /// Where symbols are no longer rows of their own: the number of names of each file that stand on one line.
    names_per_file: Option<usize>,
    /// The call that lists the folded files.
    folded_files_call: Call,
    /// Whether rows are objects or places, each of which counts.
    is_for_programs: bool,
}

impl AnswerPayload for FolderOutlinePayload {
    type ScalarFields = FolderScalarFields;
    type NestedFields<'a> = &'a FolderNestedFields;

    fn summary_line(&self) -> String {
        format!(
            "{}: {} of known languages ({} walked), {} listed",
            self.head.path,
            format_count_with_noun(self.head.files_outlined, "file", "files"),
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

    fn write_rows(&self, context: &CallContext, page: &mut MarkedText) {
        for file in &self.body.files {
            page.write_part(PartKind::Subject, &file.path);
            let lines = format_count_with_noun(file.line_count, "line", "lines");
            let _ = write!(page, "  {}  {lines}", file.language.unwrap_or("-"));
            page.write_token_cost(file.tokens);
            let _ = writeln!(page, "  {}", format_count_with_noun(file.symbol_count, "symbol", "symbols"));
            let Some(max_names) = self.names_per_file else {
                file.symbols.iter().for_each(|row| row.write_row_tree(1, page));
                continue;
            };
            let names: Vec<&str> = file.symbols.iter().take(max_names).map(|row| row.name.as_str()).collect();
            if !names.is_empty() {
                let more = file.symbols.len() - names.len();
                let more = if more > 0 { format!(", … +{more}") } else { String::new() };
                let _ = writeln!(page, "  {}{more}", EscapedToOneLine(names.join(", ")));
            }
        }
        self.write_further_files(page);
        let folded = &self.body.folded;
        for (index, FoldedFiles { role, files, line_count, symbol_count }) in folded.iter().enumerate() {
            let files = format_count_with_noun(*files, "file", "files");
            let symbols = format_count_with_noun(*symbol_count, "symbol", "symbols");
            let lines = format_count_with_noun(*line_count, "line", "lines");
            let _ = write!(page, "{role}: {files}, {lines}, {symbols}: not listed");
            if index + 1 == folded.len() {
                Message::from("; to list: ").with_call(self.folded_files_call.clone()).write_to_page(context, page);
            }
            page.push('\n');
        }
    }

    fn place_rows(&self) -> Vec<PlaceRow<'_>> {
        let files = self.body.files.iter();
        files.flat_map(|file| file.symbols.iter().flat_map(|row| row.place_rows_of_tree(&file.path))).collect()
    }

    fn row_count(&self) -> usize {
        self.body.files.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let file = self.body.files.get(index)?;
        Some(format!("{}  {}", file.path, format_count_with_noun(file.symbol_count, "symbol", "symbols")))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        self.remove_symbol_detail().or_else(|| {
            let shown = self.further_files.len();
            self.further_files.truncate(shown / 2);
            (shown > 0).then(|| LeftOut { what: "names of further files", count: shown - shown / 2 })
        })
    }

    fn remove_detail_beyond_names(&mut self) -> Option<LeftOut> {
        let has_names_to_spare = self.names_per_file.is_none_or(|shown| shown > LEAST_NAMES);
        has_names_to_spare.then(|| self.remove_symbol_detail()).flatten()
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.files.truncate(rows);
    }

    fn shown_locations(&self) -> Vec<Location> {
        self.body.files.iter().map(|file| Location::for_whole_file(&file.path, ShownDetail::Listed)).collect()
    }
}

impl FolderOutlinePayload {
    /// Removes the least valuable detail of the symbols; `None` where each file has one line without symbols.
    fn remove_symbol_detail(&mut self) -> Option<LeftOut> {
        let Some(shown) = self.names_per_file else {
            let mut rows: Vec<&mut SymbolRow> = self.body.files.iter_mut().flat_map(|file| &mut file.symbols).collect();
            return self.ladder.remove_next_detail(&mut rows).or_else(|| self.list_names());
        };
        let least = if self.is_for_programs || self.names_all_files { 0 } else { LEAST_NAMES };
        let fewer = NAMES_PER_FILE.into_iter().find(|fewer| *fewer < shown && *fewer >= least)?;
        self.names_per_file = Some(fewer);
        let count = self.body.files.iter().map(|file| file.symbols.len().min(shown).saturating_sub(fewer)).sum();
        if self.is_for_programs {
            self.body.files.iter_mut().for_each(|file| file.symbols.truncate(fewer));
            self.body.has_symbols = fewer > 0;
        }
        Some(LeftOut { what: "names", count })
    }

    /// Writes the names of the files after the last row, one line for each folder.
    fn write_further_files(&self, page: &mut MarkedText) {
        let mut rest = self.further_files.as_slice();
        if !rest.is_empty() {
            let _ = writeln!(page, "further files, by name only:");
        }
        while let Some(first) = rest.first() {
            let folder = folder_of(first);
            let same = rest.iter().take_while(|path| folder_of(path) == folder).count();
            let (own, others) = rest.split_at(same);
            let names: Vec<&str> = own.iter().map(|path| path.get(folder.len()..).unwrap_or(path)).collect();
            let place = if folder.is_empty() { "./" } else { folder };
            let _ = writeln!(page, "  {}: {}", EscapedToOneLine(place), EscapedToOneLine(names.join(", ")));
            rest = others;
        }
    }

    /// What the texts of the files cost, in tokens.
    pub fn tokens(&self) -> usize {
        self.body.files.iter().map(|file| file.tokens).sum()
    }

    /// Turns the rows of symbols into names on one line for each file: public ones first, the most used first.
    fn list_names(&mut self) -> Option<LeftOut> {
        self.names_per_file = Some(usize::MAX);
        let mut count = 0;
        for file in &mut self.body.files {
            count += file.symbols.len();
            // What implements a trait for a type, and modules, tell less than the types and functions.
            file.symbols.sort_by_key(|row| {
                let is_container = matches!(row.kind, SymbolKind::Impl | SymbolKind::Module | SymbolKind::Namespace);
                (row.visibility == Some("private"), is_container, std::cmp::Reverse(row.use_count))
            });
            file.imports.clear();
            // A name with several definitions is listed once.
            let mut names = HashSet::new();
            file.symbols.retain(|row| names.insert(row.name.clone()));
        }
        Some(LeftOut { what: "lines of symbols", count })
    }
}
