//! References of a model or of the ranking, verified and turned into entries.

use std::fmt::Write as _;

use peelback_code::CodeAccess;

use super::check;
use super::entry::Entry;
use super::reference::Reference;

/// An entry for each reference that is correct or could be repaired, in their order, one for each path and first line.
/// Other references are dropped.
pub(crate) fn proven(references: &[Reference], access: &CodeAccess) -> Vec<Entry> {
    let mut list = String::new();
    for reference in references {
        // Each reference becomes a line of a document, so that the rules for citations in text apply.
        let description = reference.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let Reference { path, line_start, line_end, .. } = reference;
        let _ = writeln!(list, "- `{path}:{line_start}-{line_end}` — {description}");
    }
    check(&list, access).entries()
}
