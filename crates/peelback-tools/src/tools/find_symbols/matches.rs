//! The symbols whose names match, of all files, in the order in which an answer lists them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use peelback_code::syntax::{Facts, Symbol, SymbolKind, walk_symbols_with_depth};
use peelback_code::{
    CodeAccess, Completeness, Evidence, FileKind, NamePattern, Needle, OutlinedFile, OutlinedFiles, StopCause,
    SymbolNameQuery, Vocabulary, WalkedFiles,
};
use peelback_tokens::LineCosts;
use serde::Serialize;

use super::{DocumentLine, Parameters};
use crate::call::Call;
use crate::file_place::{FileKinds, kind_of_path, place_in_listing};
use crate::near_uses::count_files_nearest_to_each;
use crate::overloads::{indexes_of_definitions, is_only_declared, is_prototype};
use crate::parameter_name::parameter_name;
use crate::rows::SymbolRow;

/// The most files whose words are looked at to count uses.
const MAX_FILES_WITH_USE_COUNTS: usize = 20_000;

/// The most bytes of texts that a search keeps for the rows of its page; other files are read once more.
const MAX_HELD_BYTES: usize = 64 << 20;

/// A search for symbols by their names.
pub(super) struct SymbolSearch<'s> {
    pub access: &'s CodeAccess,
    pub pattern: &'s NamePattern,
    /// The name as the caller wrote it.
    pub name: &'s str,
    /// The kind that counts; every kind if `None`.
    pub kind: Option<SymbolKind>,
}

/// What a search found.
pub(super) struct SearchedSymbols<'a> {
    pub found: FoundSymbolMatches<'a>,
    pub evidence: Evidence,
    /// The number of symbols of other kinds that match.
    pub other_kinds: usize,
}

/// The symbols that match, the best first.
pub(super) struct FoundSymbolMatches<'a> {
    pub matches: Vec<SymbolMatch>,
    files: Vec<MatchingFile<'a>>,
}

/// A file with symbols that match.
struct MatchingFile<'a> {
    path: String,
    kind: FileKind,
    /// The facts with the text, unless the texts of other files take up the room for them.
    outlined: Option<OutlinedFile<'a>>,
    matches: Vec<SymbolMatch>,
}

/// A symbol that matches.
#[derive(Debug, Clone)]
pub(super) struct SymbolMatch {
    /// The index of its file among those with matches.
    file: usize,
    /// Its number among the symbols of its file.
    index: usize,
    line: u32,
    kind: SymbolKind,
    /// How well the name matches, 0 best: the whole name, its beginning, or another part of it.
    rank: u8,
    /// How closely the name is the one that was given, letter by letter: 0 for the whole qualified name; `None` for a part.
    closeness: Option<u8>,
    /// Whether it is a heading or a key of a document.
    is_in_document: bool,
    /// Whether it is a function that is only declared.
    is_prototype: bool,
    is_local: bool,
    /// The hash of the name as a word, where its uses are counted.
    name_hash: Option<u64>,
    qualified_name_hash: u64,
    overloads: usize,
    /// The places of other files where the function is declared.
    declared_at: Vec<String>,
    uses: u32,
}

/// The numbers of symbols that narrower calls find.
pub(super) struct NarrowingCounts {
    /// Those whose whole name was given.
    pub exact: usize,
    /// The kind of the first symbol, and the most frequent one.
    pub kinds: Vec<(&'static str, usize)>,
    /// The file of source with the most symbols; a test only where there is no other.
    pub file: Option<(String, usize)>,
}

/// The headings and keys of documents that are counted, and not listed: for each kind the symbols and the files.
#[derive(Default)]
pub(super) struct DocumentCounts(BTreeMap<&'static str, (usize, HashSet<usize>)>);

impl DocumentCounts {
    pub fn total(&self) -> usize {
        self.0.values().map(|(symbols, _)| symbols).sum()
    }

    /// A line for each kind, with the call that lists its symbols: `call` for that kind.
    pub fn into_lines(self, call: &Call) -> Vec<DocumentLine> {
        let line = |(kind, (symbols, files)): (&'static str, (usize, HashSet<usize>))| DocumentLine {
            kind,
            symbols,
            files: files.len(),
            call: call.clone().with_argument(parameter_name!(Parameters, kind), kind),
        };
        self.0.into_iter().map(line).collect()
    }
}

impl SymbolSearch<'_> {
    /// Searches `files`.
    pub fn search_files<'a>(&'a self, files: &'a WalkedFiles) -> SearchedSymbols<'a> {
        let cancellation = self.access.project().cancellation();
        let needles: Vec<Needle<'_>> = self.pattern.file_search_needle().into_iter().collect();
        let (other_kinds, held_bytes, is_file_cut) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        let counts_uses = files.entries.len() <= MAX_FILES_WITH_USE_COUNTS;
        let has_match = |facts: &Facts| {
            // A pattern may cost much for each of many symbols.
            walk_symbols_with_depth(&facts.symbols).enumerate().any(|(index, (symbol, _))| {
                self.pattern.match_rank(symbol).is_some() || index % 64 == 63 && cancellation.stop_cause().is_some()
            })
        };
        let kinds = FileKinds::of_project(Some(self.access.project()));
        let found = self.access.search_outlines(files, &needles, counts_uses, has_match, |outlined| {
            let matches = self.matches_in_file(&outlined, &other_kinds, &is_file_cut);
            (!matches.is_empty()).then(|| {
                let text = outlined.source_if_read().map_or(0, |file| file.text.len());
                let is_held = held_bytes.fetch_add(2 * text, Ordering::Relaxed) < MAX_HELD_BYTES;
                let path = outlined.path().to_owned();
                let kind = match outlined.source_if_read() {
                    Some(file) => kinds.kind_with_text(&path, &file.text),
                    None => kinds.kind(&path),
                };
                MatchingFile { kind, path, outlined: is_held.then_some(outlined), matches }
            })
        });
        let OutlinedFiles { values: mut with_matches, mut evidence, vocabularies } = found;
        if is_file_cut.into_inner() {
            let cause = cancellation.stop_cause().map_or("stopped", StopCause::as_str);
            evidence.add_note(format!("{cause}: not every symbol of the last files was compared"));
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
        let mut matches: Vec<SymbolMatch> = Vec::new();
        for (index, file) in with_matches.iter_mut().enumerate() {
            matches.extend(std::mem::take(&mut file.matches).into_iter().map(|hit| SymbolMatch { file: index, ..hit }));
        }
        let mut found = FoundSymbolMatches { matches, files: with_matches };
        found.fold_declarations_in_other_files();
        found.count_uses(&vocabularies);
        found.sort_best_first(&vocabularies);
        SearchedSymbols { found, evidence, other_kinds: other_kinds.into_inner() }
    }

    fn matches_in_file(
        &self,
        outlined: &OutlinedFile<'_>,
        other_kinds: &AtomicUsize,
        is_cut: &AtomicBool,
    ) -> Vec<SymbolMatch> {
        let cancellation = self.access.project().cancellation();
        let exact = SymbolNameQuery::new(self.name);
        let exact = NamePattern::Exact(exact);
        let needle = self.pattern.file_search_needle().map(|needle| needle.text().to_lowercase());
        let is_exact_search = matches!(self.pattern, NamePattern::Exact(_));
        let is_in_document = !outlined.is_code();
        let facts = &outlined.facts;
        let mut hits: Vec<(usize, &Symbol, u8)> = Vec::new();
        for (index, (symbol, _)) in walk_symbols_with_depth(&facts.symbols).enumerate() {
            // A file may have any number of symbols, and a pattern may cost much for each.
            if cancellation.stop_cause().is_some() {
                is_cut.store(true, Ordering::Relaxed);
                break;
            }
            let Some(rank) = self.pattern.match_rank(symbol) else { continue };
            if self.kind.is_some_and(|kind| symbol.kind != kind) {
                other_kinds.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            hits.push((index, symbol, rank));
        }
        let symbols: Vec<&Symbol> = hits.iter().map(|(_, symbol, _)| *symbol).collect();
        let definitions = if is_in_document {
            vec![None; hits.len()]
        } else {
            indexes_of_definitions(facts, outlined.language, &symbols)
        };
        let mut overloads = vec![0_usize; hits.len()];
        for definition in definitions.iter().flatten() {
            if let Some(count) = overloads.get_mut(*definition) {
                *count += 1;
            }
        }
        let rows = hits.into_iter().zip(definitions).zip(overloads).filter(|((_, definition), _)| definition.is_none());
        rows.map(|(((index, symbol, rank), _), overloads)| {
            // Files without the text that is searched for are not looked at: of other names, not all uses are known.
            let is_counted = !is_in_document
                && needle.as_ref().is_none_or(|needle| symbol.name.to_lowercase().contains(needle.as_str()));
            SymbolMatch {
                file: 0,
                index,
                line: symbol.lines.first,
                kind: symbol.kind,
                // An exact name is a whole name, whatever owners stand before it.
                rank: if is_exact_search { 0 } else { rank },
                closeness: exact.match_rank(symbol),
                is_in_document,
                is_prototype: !is_in_document && is_only_declared(facts, outlined.language, symbol) && {
                    let text = outlined.source().map_or("", |file| file.text.as_str());
                    is_prototype(facts, outlined.language, symbol, text)
                },
                is_local: symbol.local,
                name_hash: Vocabulary::hash_of_word(&symbol.name).filter(|_| is_counted),
                qualified_name_hash: stable_hash(&symbol.qualified_name),
                overloads,
                declared_at: Vec::new(),
                uses: 0,
            }
        })
        .collect()
    }
}

/// A hash of a text that is the same in each run.
fn stable_hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hasher as _};
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

impl FoundSymbolMatches<'_> {
    /// Removes functions that are only declared, where one other file defines them, and names their places there.
    fn fold_declarations_in_other_files(&mut self) {
        let mut definitions: HashMap<(u64, SymbolKind), Vec<usize>> = HashMap::new();
        for (at, hit) in self.matches.iter().enumerate() {
            if hit.kind.is_callable() && !hit.is_prototype {
                definitions.entry((hit.qualified_name_hash, hit.kind)).or_default().push(at);
            }
        }
        let mut folded: Vec<(usize, usize)> = Vec::new();
        for (at, hit) in self.matches.iter().enumerate().filter(|(_, hit)| hit.is_prototype) {
            if let Some([definition]) = definitions.get(&(hit.qualified_name_hash, hit.kind)).map(Vec::as_slice) {
                folded.push((at, *definition));
            }
        }
        let removed: HashSet<usize> = folded.iter().map(|(at, _)| *at).collect();
        for (at, definition) in folded {
            let place =
                self.matches.get(at).and_then(|hit| Some(format!("{}:{}", self.files.get(hit.file)?.path, hit.line)));
            if let Some(hit) = self.matches.get_mut(definition) {
                hit.declared_at.extend(place);
            }
        }
        let mut at = 0;
        self.matches.retain(|_| {
            at += 1;
            !removed.contains(&(at - 1))
        });
    }

    /// Sets for each symbol in how many files of code its name stands as a word.
    fn count_uses(&mut self, vocabularies: &[(String, Arc<Vocabulary>)]) {
        let mut counts: HashMap<u64, u32> = self.matches.iter().filter_map(|hit| Some((hit.name_hash?, 0))).collect();
        for (_, vocabulary) in vocabularies {
            vocabulary.count_held_hashes(&mut counts);
        }
        for hit in &mut self.matches {
            hit.uses = hit.name_hash.and_then(|hash| counts.get(&hash).copied()).unwrap_or(0);
        }
    }

    /// Sorts the symbols: whole names before parts, code before documents, source before tests, and the most used first; of
    /// one name, what is used around first.
    fn sort_best_first(&mut self, vocabularies: &[(String, Arc<Vocabulary>)]) {
        let near = self.near_uses_of_whole_name(vocabularies);
        let places: Vec<usize> = self.files.iter().map(|file| place_in_listing(file.kind)).collect();
        let paths: Vec<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        self.matches.sort_by_cached_key(|hit| {
            let path = paths.get(hit.file).copied().unwrap_or("");
            let near = if hit.rank == 0 { near.get(path).copied().unwrap_or(0) } else { 0 };
            let place = places.get(hit.file).copied().unwrap_or(usize::MAX);
            (
                hit.rank > 0,
                hit.is_in_document,
                place,
                hit.rank,
                hit.closeness.unwrap_or(u8::MAX),
                hit.is_local,
                hit.is_prototype || hit.kind.is_value(),
                Reverse((hit.uses, near)),
                (hit.file, hit.line, hit.index),
            )
        });
    }

    /// Where several definitions have the one whole name, how many files with that name are nearest to each of their files.
    fn near_uses_of_whole_name(&self, vocabularies: &[(String, Arc<Vocabulary>)]) -> BTreeMap<String, usize> {
        let whole: Vec<&SymbolMatch> =
            self.matches.iter().filter(|hit| hit.rank == 0 && hit.name_hash.is_some()).collect();
        let Some(hash) = whole.first().and_then(|hit| hit.name_hash) else { return BTreeMap::new() };
        if whole.iter().any(|hit| hit.name_hash != Some(hash)) {
            return BTreeMap::new();
        }
        let files: Vec<&str> = vocabularies
            .iter()
            .filter(|(_, vocabulary)| vocabulary.contains_hash(hash))
            .map(|(path, _)| path.as_str())
            .collect();
        let paths = whole.iter().filter_map(|hit| self.files.get(hit.file)).map(|file| file.path.as_str());
        count_files_nearest_to_each(whole.len(), paths, &files)
    }

    /// Takes out the symbols of documents, where code has symbols that match as well, and counts them. Those that match
    /// better stay.
    pub fn take_documents_that_match_no_better_than_code(&mut self) -> DocumentCounts {
        let best_of_code = self.matches.iter().filter(|hit| !hit.is_in_document).map(|hit| hit.rank > 0).min();
        let mut counts = DocumentCounts::default();
        let Some(best_of_code) = best_of_code else { return counts };
        self.matches.retain(|hit| {
            let is_taken = hit.is_in_document && (hit.rank > 0) >= best_of_code;
            if is_taken {
                let (symbols, files) = counts.0.entry(hit.kind.as_str()).or_default();
                *symbols += 1;
                files.insert(hit.file);
            }
            !is_taken
        });
        counts
    }

    /// How many symbols each file has, in the order of paths.
    pub fn row_counts_by_file(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for hit in &self.matches {
            *counts.entry(hit.file).or_default() += 1;
        }
        counts.into_iter().filter_map(|(file, count)| Some((self.files.get(file)?.path.clone(), count))).collect()
    }

    /// The numbers of symbols that narrower calls find.
    pub fn narrowing_counts(&self) -> NarrowingCounts {
        let mut by_kind: BTreeMap<&'static str, usize> = BTreeMap::new();
        // A declaration that stands with a definition elsewhere stands for itself where only its file is looked at.
        let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
        for hit in &self.matches {
            *by_kind.entry(hit.kind.as_str()).or_default() += 1;
            if let Some(file) = self.files.get(hit.file) {
                *by_file.entry(file.path.as_str()).or_default() += 1;
            }
            for place in &hit.declared_at {
                if let Some((path, _)) = place.rsplit_once(':') {
                    *by_file.entry(path).or_default() += 1;
                }
            }
        }
        let first = self.matches.first().map(|hit| hit.kind.as_str());
        let most = by_kind.iter().max_by_key(|(_, count)| **count).map(|(kind, _)| *kind);
        let mut kinds: Vec<&'static str> = first.into_iter().chain(most).filter(|_| by_kind.len() > 1).collect();
        kinds.dedup();
        let kinds = kinds.into_iter().map(|kind| (kind, by_kind.get(kind).copied().unwrap_or(0))).collect();
        // Source before tests, and of these the file with the most.
        let file_kinds: HashMap<&str, FileKind> =
            self.files.iter().map(|file| (file.path.as_str(), file.kind)).collect();
        let place = |path: &str| place_in_listing(file_kinds.get(path).copied().unwrap_or_else(|| kind_of_path(path)));
        let file = by_file.iter().min_by_key(|(path, count)| (place(path), Reverse(**count)));
        let file = file.filter(|_| by_file.len() > 1).map(|(path, count)| ((*path).to_owned(), *count));
        NarrowingCounts { exact: self.matches.iter().filter(|hit| hit.closeness.is_some()).count(), kinds, file }
    }

    /// The rows of the page that begins at `offset`.
    pub fn rows(&mut self, access: &CodeAccess, offset: usize, max_rows: usize) -> Vec<FoundSymbolRow> {
        let page: Vec<SymbolMatch> = self.matches.iter().skip(offset).take(max_rows).cloned().collect();
        let mut by_file: BTreeMap<usize, Vec<(usize, SymbolMatch)>> = BTreeMap::new();
        for (at, hit) in page.into_iter().enumerate() {
            by_file.entry(hit.file).or_default().push((at, hit));
        }
        let mut rows: Vec<(usize, FoundSymbolRow)> = Vec::new();
        for (file, hits) in by_file {
            let Some(file) = self.files.get_mut(file) else { continue };
            rows.extend(file.rows(access, hits));
        }
        rows.sort_by_key(|(at, _)| *at);
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

impl MatchingFile<'_> {
    /// The rows of some symbols of the file, each with its place.
    fn rows(&self, access: &CodeAccess, hits: Vec<(usize, SymbolMatch)>) -> Vec<(usize, FoundSymbolRow)> {
        let read_again;
        let known =
            self.outlined.as_ref().and_then(|outlined| Some((&outlined.facts, outlined.source()?.text.as_str())));
        let (facts, text) = match known {
            Some(known) => known,
            None => match access.analyse_file_by_root_path(&self.path) {
                Ok(analysed) => {
                    read_again = analysed;
                    (&read_again.facts, read_again.file.text.as_str())
                }
                Err(_) => return Vec::new(),
            },
        };
        let costs = LineCosts::new(text);
        let symbols: Vec<&Symbol> = walk_symbols_with_depth(&facts.symbols).map(|(symbol, _)| symbol).collect();
        let row = |(at, hit): (usize, SymbolMatch)| {
            let symbol = symbols.get(hit.index)?;
            let mut row = SymbolRow::new_without_children(&self.path, symbol, &costs);
            SymbolRow::fill_in_columns(std::slice::from_mut(&mut row), text);
            row.overloads = hit.overloads;
            row.declared_at = hit.declared_at;
            Some((at, FoundSymbolRow { path: self.path.clone(), symbol: row, body: None }))
        };
        hits.into_iter().filter_map(row).collect()
    }
}

/// A symbol as a row of the answer.
#[derive(Serialize)]
pub(super) struct FoundSymbolRow {
    pub path: String,
    #[serde(flatten)]
    pub symbol: SymbolRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}
