//! Search in the project for the definitions of the symbols that a document names.

use std::collections::{HashMap, HashSet};

use peelback_code::syntax::{Lines, Symbol, SymbolKind, Tier, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, CodeAccess, NameMatch, SourceFile, SymbolNameQuery, WalkOptions, start_thread_pool};
use rayon::prelude::*;

/// The location of a symbol's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition {
    pub path: String,
    pub qualified_name: String,
    pub lines: Lines,
    pub outer_line: u32,
    /// Whether the symbol is a field, a local variable or a key, whose names are often words of a sentence, too.
    pub is_minor: bool,
}

/// The definitions in one file that match a symbol name. If a function or type matches the name, fields, local
/// variables and keys that match it are omitted.
pub(super) fn definitions_of_name_in_file(access: &CodeAccess, analysed: &AnalysedFile, name: &str) -> Vec<Definition> {
    let hits = access.find_matching_symbols(analysed, &SymbolNameQuery::new(name));
    let minor = |hit: &NameMatch| {
        hit.symbol.local || hit.symbol.kind.is_field_property_or_enum_member() || hit.symbol.kind == SymbolKind::Key
    };
    let has_major = hits.iter().any(|hit| !minor(hit));
    hits.iter()
        .filter(|hit| !has_major || !minor(hit))
        .map(|hit| Definition {
            path: analysed.file.path.clone(),
            qualified_name: hit.symbol.qualified_name.clone(),
            lines: hit.symbol.lines,
            outer_line: hit.symbol.outer_line,
            is_minor: minor(hit),
        })
        .collect()
}

/// The innermost symbol of a file, except local ones, that the lines `first` to `last` lie in, its comments and
/// decorators included.
pub(super) fn innermost_symbol_around(symbols: &[Symbol], first: u32, last: u32) -> Option<&Symbol> {
    walk_symbols_with_depth(symbols)
        .map(|(symbol, _)| symbol)
        .filter(|symbol| !symbol.local && symbol.outer_line <= first && last <= symbol.lines.last)
        .last()
}

/// Whether the lines `first` to `last` contain a whole `impl` block or a whole member of the symbol `name`, which can
/// be separate from the symbol's definition.
pub(super) fn has_impl_or_member_within_lines(symbols: &[Symbol], name: &str, first: u32, last: u32) -> bool {
    let wanted = SymbolNameQuery::new(name);
    let simple = wanted.last_part();
    let words = |text: &str| text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == simple);
    walk_symbols_with_depth(symbols).any(|(symbol, _)| {
        let belongs = match symbol.kind {
            SymbolKind::Impl => words(&symbol.name),
            _ => symbol.container.as_deref() == Some(simple),
        };
        // The cited lines must contain the whole block or member. A smaller range may be the former lines of a
        // definition that has moved.
        belongs && first <= symbol.lines.first && symbol.lines.last <= last
    })
}

/// Whether the lines `first` to `last` are a part of a definition, or contain the whole definition.
pub(super) fn are_lines_within_or_around_definition(outer_line: u32, lines: Lines, first: u32, last: u32) -> bool {
    let inside = lines.first <= first && last <= lines.last;
    // Cited lines that begin at a definition's comments must end exactly at the definition's last line. If they end
    // before it, the code has moved.
    let with_comments = outer_line <= first && last == lines.last;
    inside || with_comments || (first <= lines.first && lines.last <= last)
}

/// An index of the project's definitions of all symbols that a document names. The files are read at the first lookup.
pub(super) struct DefinitionIndex<'a> {
    access: &'a CodeAccess,
    names: HashSet<String>,
    found: Option<HashMap<String, Vec<Definition>>>,
}

impl<'a> DefinitionIndex<'a> {
    pub fn new(access: &'a CodeAccess, names: HashSet<String>) -> Self {
        Self { access, names, found: None }
    }

    /// All definitions of a symbol name in the project, sorted by path.
    pub fn definitions_of(&mut self, name: &str) -> &[Definition] {
        let (access, names) = (self.access, &self.names);
        let found = self.found.get_or_insert_with(|| find_definitions_of_names_in_project(access, names));
        found.get(name).map_or(&[], Vec::as_slice)
    }
}

fn find_definitions_of_names_in_project(
    access: &CodeAccess,
    names: &HashSet<String>,
) -> HashMap<String, Vec<Definition>> {
    let mut wanted: Vec<(&String, SymbolNameQuery)> =
        names.iter().map(|name| (name, SymbolNameQuery::new(name))).collect();
    wanted.sort_by_key(|(name, _)| name.as_str());
    let set = access.project().files_in_scope(None, &WalkOptions::default()).unwrap_or_default();
    start_thread_pool();
    let found: Vec<Vec<(String, Definition)>> = set
        .entries
        .par_iter()
        .map(|place| {
            let Ok(file) = SourceFile::read(place) else { return Vec::new() };
            let held: Vec<&String> = wanted
                .iter()
                .filter(|(_, name)| file.text.contains(name.file_search_needle().text()))
                .map(|(name, _)| *name)
                .collect();
            if held.is_empty() {
                return Vec::new();
            }
            let analysed = access.analyse_source_file(file);
            // Documents are skipped, because their headings and keys do not define symbols of a program.
            if analysed.language.is_none_or(|language| language.tier == Tier::Document) {
                return Vec::new();
            }
            let of = |name: &String| {
                definitions_of_name_in_file(access, &analysed, name)
                    .into_iter()
                    .map(|found| (name.clone(), found))
                    .collect::<Vec<_>>()
            };
            held.into_iter().flat_map(of).collect()
        })
        .collect();
    let mut all: HashMap<String, Vec<Definition>> = HashMap::new();
    for (name, definition) in found.into_iter().flatten() {
        all.entry(name).or_default().push(definition);
    }
    all
}
