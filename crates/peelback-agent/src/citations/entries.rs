//! Lists of the citation entries in a document's front matter.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::entry::CitationEntry;
use crate::markdown::format_count_with_unit;

/// The maximum number of citations of a document. No document of this program has a tenth of it, and each costs a look
/// into its file.
pub(crate) const MAX_CITATIONS: usize = 10_000;

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

/// Keeps as many entries as a document can have beside `others`: with more, it could not be read again. Returns how many
/// were left out, in words.
pub(crate) fn keep_most_citations(entries: &mut Vec<CitationEntry>, others: usize) -> Option<String> {
    let room = MAX_CITATIONS.saturating_sub(others);
    let left_out = entries.len().saturating_sub(room);
    entries.truncate(room);
    let count = format_count_with_unit(left_out, "citation was", "citations were");
    (left_out > 0).then(|| format!("{count} left out of the list: a document has at most {MAX_CITATIONS}"))
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
