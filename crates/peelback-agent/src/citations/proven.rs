//! Verification of code references from a model or from the file ranking, and their conversion to front matter entries.

use std::fmt::Write as _;

use peelback_code::CodeAccess;

use super::check::check_and_repair_citations;
use super::entry::CitationEntry;
use super::reference::Reference;

/// Converts the code references that are correct or could be repaired to front matter entries, in order. All other
/// references are dropped. The result has only one entry for each pair of path and first line.
pub(crate) fn entries_of_verified_or_repaired_references(
    references: &[Reference],
    access: &CodeAccess,
) -> Vec<CitationEntry> {
    let mut list = String::new();
    for reference in references {
        // Each reference is formatted as a line of a document, so that the rules for citations in text apply to it.
        let description = reference.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let description = crate::document::escape_comment_openings(&description);
        let Reference { path, line_start, line_end, .. } = reference;
        let _ = writeln!(list, "- `{path}:{line_start}-{line_end}` — {description}");
    }
    check_and_repair_citations(&list, access).citation_entries_for_front_matter()
}
