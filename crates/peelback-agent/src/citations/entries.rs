//! What was cited, kept so that a later look can tell what became of it.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use peelback_code::syntax::Lines;
use peelback_code::{CodeAccess, SourceFile, SymbolName, WalkOptions};

use super::entry::{Entry, hash};
use super::locate;
use crate::document::Document;

/// Lines of a file beyond which moved lines are not looked for.
const MAX_SOUGHT_LINES: usize = 20_000;

/// What became of a citation since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staleness {
    /// The lines say the same.
    Unchanged,
    /// The same content stands elsewhere, and nowhere twice.
    Moved {
        /// The file.
        path: String,
        /// Where in it; `None` for a file as a whole.
        lines: Option<Lines>,
    },
    /// The content is not there any more.
    Changed {
        /// Where the symbol of the citation is now, if the file still has one of that name.
        symbol_at: Option<Lines>,
    },
    /// The file is gone, and no other has its content.
    Gone,
}

/// Entries without those that begin where an earlier one does: the first with a description stands for all.
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
    // A file as a whole says nothing where parts of it are named.
    let parts: HashSet<String> =
        kept.iter().filter(|entry| entry.lines.is_some()).map(|entry| entry.path.clone()).collect();
    kept.retain(|entry| entry.lines.is_some() || !parts.contains(&entry.path) || !entry.description.is_empty());
    kept
}

/// The list below `## Code References`: each entry with its symbol and description.
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

/// What became of each citation of a document's front matter, by the content of the lines: in the order of
/// [`crate::document::FrontMatter::citations`].
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
                        _ => Staleness::Gone,
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
    match places_of(wanted, lines.count(), file).as_slice() {
        [only] => Staleness::Moved { path: entry.path.clone(), lines: Some(*only) },
        [] => Staleness::Changed { symbol_at: symbol_at() },
        several => {
            // The same lines stand in several places: the symbol says which are meant.
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

/// Where a file holds so many lines of this hash.
fn places_of(wanted: &str, count: u32, file: &SourceFile) -> Vec<Lines> {
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

/// The files of the project by the hash of their content.
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
