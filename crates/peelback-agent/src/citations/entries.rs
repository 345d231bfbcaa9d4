//! Lists of the citation entries in a document's front matter, and the comparison of these stored citations with the
//! current files.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use peelback_code::syntax::Lines;
use peelback_code::{CodeAccess, SourceFile, SymbolNameQuery, WalkOptions};

use super::entry::{CitationEntry, hash_text_ignoring_line_endings};
use super::locate;
use crate::document::Document;

/// The maximum number of lines in a file that is searched for cited lines that have moved.
const MAX_SOUGHT_LINES: usize = 20_000;

/// The state of a stored citation after a comparison with the current files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staleness {
    /// The cited lines still have the stored content.
    Unchanged,
    /// The cited content is now at exactly one other place.
    Moved {
        /// The path of the file that contains the cited content now.
        path: String,
        /// The current lines of the cited content; `None` for a whole file.
        lines: Option<Lines>,
    },
    /// The file exists, but the cited content has changed.
    Changed {
        /// The current lines of the symbol that the citation names, if the file still defines the symbol.
        symbol_at: Option<Lines>,
    },
    /// The file does not exist any more, and no other file has the same content.
    Deleted,
}

/// Removes citation entries with equal path and first line. The first of these entries stays, and takes over a symbol
/// and a description from the others if it has none.
pub(crate) fn merge_redundant_citation_entries(entries: impl IntoIterator<Item = CitationEntry>) -> Vec<CitationEntry> {
    let mut seen: HashMap<(String, Option<u32>), usize> = HashMap::new();
    let mut kept: Vec<CitationEntry> = Vec::new();
    for entry in entries {
        let key = (entry.path.clone(), entry.lines.map(|lines| lines.first));
        match seen.get(&key).and_then(|&at| kept.get_mut(at)) {
            Some(first) => {
                if first.symbol.is_none() {
                    first.symbol = entry.symbol;
                }
                if first.description.is_empty() {
                    first.description = entry.description;
                }
            }
            None => {
                seen.insert(key, kept.len());
                kept.push(entry);
            }
        }
    }
    // An entry for a whole file without a description is removed if there are entries for parts of that file.
    let parts: HashSet<String> =
        kept.iter().filter(|entry| entry.lines.is_some()).map(|entry| entry.path.clone()).collect();
    kept.retain(|entry| entry.lines.is_some() || !parts.contains(&entry.path) || !entry.description.is_empty());
    kept
}

/// Writes the Markdown list for a document's section `## Code References`: one item for each citation entry, with its
/// symbol and description.
pub fn format_code_reference_list(entries: &[CitationEntry]) -> String {
    let mut out = String::new();
    for entry in entries {
        let _ = write!(out, "- `{}`", entry.format_location());
        let says = |text: &str| entry.description.contains(text);
        if let Some(symbol) = entry.symbol.as_deref().filter(|symbol| !says(symbol)) {
            let _ = write!(out, " — `{symbol}`");
            if !entry.description.is_empty() {
                let _ = write!(out, ": {}", entry.description);
            }
        } else if !entry.description.is_empty() {
            let _ = write!(out, " — {}", entry.description);
        }
        out.push('\n');
    }
    out
}

/// Compares each citation in a document's front matter with the current content of the cited lines. The returned states
/// are in the order of the front matter entries.
pub fn staleness_of_stored_citations(document: &Document, access: &CodeAccess) -> Vec<Staleness> {
    let mut files: HashMap<&str, Option<SourceFile>> = HashMap::new();
    let mut renamed: Option<HashMap<String, Vec<String>>> = None;
    let entries = &document.front.citations;
    entries
        .iter()
        .map(|entry| {
            let file = files.entry(entry.path.as_str()).or_insert_with(|| locate::read_cited_file(access, &entry.path));
            match file {
                Some(file) => staleness_of_citation_entry(entry, file, access),
                None => {
                    let renamed = renamed.get_or_insert_with(|| paths_by_content_hash(access));
                    match renamed.get(&entry.file_hash).map(Vec::as_slice) {
                        Some([path]) => Staleness::Moved { path: path.clone(), lines: entry.lines },
                        _ => Staleness::Deleted,
                    }
                }
            }
        })
        .collect()
}

fn staleness_of_citation_entry(entry: &CitationEntry, file: &SourceFile, access: &CodeAccess) -> Staleness {
    if hash_text_ignoring_line_endings(&file.text) == entry.file_hash {
        return Staleness::Unchanged;
    }
    let (Some(lines), Some(wanted)) = (entry.lines, &entry.hash) else {
        return Staleness::Changed { symbol_at: None };
    };
    if lines.last <= file.line_count()
        && hash_text_ignoring_line_endings(file.text_of_lines(lines.first, lines.last)) == *wanted
    {
        return Staleness::Unchanged;
    }
    let symbol_at = || {
        let name = SymbolNameQuery::new(entry.symbol.as_deref()?).requiring_exact_qualified_name();
        let found = access.find_matching_symbols(&access.analyse_source_file(file.clone()), &name);
        if let [only] = found.as_slice() { Some(only.symbol.lines) } else { None }
    };
    match find_line_ranges_by_hash(wanted, lines.count(), file).as_slice() {
        [only] => Staleness::Moved { path: entry.path.clone(), lines: Some(*only) },
        [] => Staleness::Changed { symbol_at: symbol_at() },
        several => {
            // If several places in the file contain the cited lines now, only the place inside the citation's symbol
            // counts.
            let symbol = symbol_at();
            let inside = |found: &&Lines| symbol.is_some_and(|s| s.first <= found.first && found.last <= s.last);
            let mut fitting = several.iter().filter(inside);
            match (fitting.next(), fitting.next()) {
                (Some(only), None) => Staleness::Moved { path: entry.path.clone(), lines: Some(*only) },
                _ => Staleness::Changed { symbol_at: symbol },
            }
        }
    }
}

/// The line ranges of a file that have `count` lines each and the content hash `wanted`.
fn find_line_ranges_by_hash(wanted: &str, count: u32, file: &SourceFile) -> Vec<Lines> {
    let lines: Vec<&str> = file.text.lines().collect();
    let Ok(size) = usize::try_from(count) else { return Vec::new() };
    if lines.len() > MAX_SOUGHT_LINES {
        return Vec::new();
    }
    let found = lines.windows(size.max(1)).enumerate().filter(|(_, window)| {
        let mut hasher = blake3::Hasher::new();
        for line in *window {
            hasher.update(line.as_bytes());
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex().starts_with(wanted)
    });
    found
        .filter_map(|(at, _)| {
            let first = u32::try_from(at + 1).ok()?;
            Some(Lines { first, last: first.saturating_add(count).saturating_sub(1) })
        })
        .collect()
}

/// The paths of the project's files, grouped by the hash of their content.
fn paths_by_content_hash(access: &CodeAccess) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    let Ok(set) = access.project().files_in_scope(None, &WalkOptions::default()) else { return found };
    for place in set.entries {
        if let Ok(file) = SourceFile::read(&place) {
            found.entry(hash_text_ignoring_line_endings(&file.text)).or_default().push(place.path);
        }
    }
    found
}
