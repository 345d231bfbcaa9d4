//! Suggestions for the name of a symbol that does not exist.

use peelback_code::syntax::{SymbolKind, walk_symbols_with_depth};
use peelback_code::{CodeAccess, SymbolNameQuery, WalkOptions, find_similar_names};

/// The maximum number of files whose symbol names are collected for a suggestion: all files of most projects, and a
/// bound for the largest.
const MAX_SEARCHED_FILES: usize = 3_000;

/// The project's symbol names nearest to `name`, best first.
pub(crate) fn nearest_symbol_names(access: &CodeAccess, name: &SymbolNameQuery, scope: Option<&str>) -> Vec<String> {
    let Ok(mut set) = access.project().files_in_scope(scope, &WalkOptions::default()) else { return Vec::new() };
    set.entries.truncate(MAX_SEARCHED_FILES);
    let (names, _) = access.visit_analysed_files(&set.entries, None, |analysed| {
        let names: Vec<String> = walk_symbols_with_depth(&analysed.facts.symbols)
            .filter(|(symbol, _)| !symbol.local && !matches!(symbol.kind, SymbolKind::Key | SymbolKind::Section))
            .map(|(symbol, _)| symbol.name.clone())
            .collect();
        Some(names)
    });
    let mut names: Vec<String> = names.into_iter().flatten().collect();
    names.sort();
    names.dedup();
    let cancellation = access.project().cancellation();
    let names = names.iter().map(String::as_str).take_while(|_| cancellation.stop_cause().is_none());
    find_similar_names(name.last_part(), names, 3)
}
