//! Lists of citations, and the comparison of stored citations with the current files.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use peelback_code::syntax::Lines;
use peelback_code::{CodeAccess, SourceFile, SymbolName, WalkOptions};

use super::entry::{Entry, hash};
use super::locate;
use crate::document::Document;

/// The longest file, in lines, that is searched for moved lines.
const MAX_SOUGHT_LINES: usize = 20_000;

/// The state of a stored citation, compared with the current files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staleness {
    /// The cited lines have the same content.
    Unchanged,
    /// The same content is at exactly one other place.
    Moved {
        /// The file that contains the content now.
        path: String,
        /// The lines of the content now; `None` for a whole file.
        lines: Option<Lines>,
    },
    /// The content does not exist any more.
    Changed {
        /// The lines of the citation's symbol now, where the file still defines it.
        symbol_at: Option<Lines>,
    },
    /// The file does not exist any more, and no other file has its content.
    Deleted,
}

/// Entries without duplicates of a path and first line; the first entry takes over missing symbols and descriptions.
pub(crate) fn deduplicated(entries: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
    let mut seen: HashMap<(String, Option<u32>), usize> = HashMap::new();
    let mut kept: Vec<Entry> = Vec::new();
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
    // An entry for a whole file adds nothing to entries for its parts.
    let parts: HashSet<String> =
        kept.iter().filter(|entry| entry.lines.is_some()).map(|entry| entry.path.clone()).collect();
    kept.retain(|entry| entry.lines.is_some() || !parts.contains(&entry.path) || !entry.description.is_empty());
    kept
}

/// The Markdown list of the section `## Code References`: each entry with its symbol and description.
pub fn code_references(entries: &[Entry]) -> String {
    let mut out = String::new();
    for entry in entries {
        let _ = write!(out, "- `{}`", entry.address());
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

/// The state of each citation in a document's front matter by the content of the lines, in the order of
pub fn recheck(document: &Document, access: &CodeAccess) -> Vec<Staleness> {
    let mut files: HashMap<&str, Option<SourceFile>> = HashMap::new();
    let mut renamed: Option<HashMap<String, Vec<String>>> = None;
    let entries = &document.front.citations;
    entries
        .iter()
        .map(|entry| {
            let file = files.entry(entry.path.as_str()).or_insert_with(|| locate::read(access, &entry.path));
            match file {
                Some(file) => became(entry, file, access),
                None => {
                    let renamed = renamed.get_or_insert_with(|| by_content(access));
                    match renamed.get(&entry.file_hash).map(Vec::as_slice) {
                        Some([path]) => Staleness::Moved { path: path.clone(), lines: entry.lines },
                        _ => Staleness::Deleted,
                    }
                }
            }
        })
        .collect()
}

fn became(entry: &Entry, file: &SourceFile, access: &CodeAccess) -> Staleness {
    if hash(&file.text) == entry.file_hash {
        return Staleness::Unchanged;
    }
    let (Some(lines), Some(wanted)) = (entry.lines, &entry.hash) else {
        return Staleness::Changed { symbol_at: None };
    };
    if lines.last <= file.line_count() && hash(file.lines(lines.first, lines.last)) == *wanted {
        return Staleness::Unchanged;
    }
    let symbol_at = || {
        let name = SymbolName::new(entry.symbol.as_deref()?).exact();
        let found = access.read_symbol(&access.analyse(file.clone()), &name);
        if let [only] = found.as_slice() { Some(only.symbol.lines) } else { None }
    };
    match ranges_with_hash(wanted, lines.count(), file).as_slice() {
        [only] => Staleness::Moved { path: entry.path.clone(), lines: Some(*only) },
        [] => Staleness::Changed { symbol_at: symbol_at() },
        several => {
            // The same lines are at several places: the symbol identifies the right one.
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

/// The ranges of a file with the given number of lines and content hash.
fn ranges_with_hash(wanted: &str, count: u32, file: &SourceFile) -> Vec<Lines> {
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

/// The paths of the project's files by content hash.
fn by_content(access: &CodeAccess) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    let Ok(set) = access.project().files(None, &WalkOptions::default()) else { return found };
    for place in set.entries {
        if let Ok(file) = SourceFile::read(&place) {
            found.entry(hash(&file.text)).or_default().push(place.path);
        }
    }
    found
}
