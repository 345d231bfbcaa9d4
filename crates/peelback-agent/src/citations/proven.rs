//! Places that a model or the ranking names, as entries, those that hold.

use std::fmt::Write as _;

use peelback_code::CodeAccess;

use super::check;
use super::entry::Entry;
use super::reference::Reference;

/// An entry for each reference that holds or could be repaired, in their order, each beginning of a range once. The others
/// are left out: nobody has read them in a document.
pub(crate) fn proven(references: &[Reference], access: &CodeAccess) -> Vec<Entry> {
    let mut list = String::new();
    for reference in references {
        // As lines of a document: what holds for those holds here.
        let description = reference.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let Reference { path, line_start, line_end, .. } = reference;
        let _ = writeln!(list, "- `{path}:{line_start}-{line_end}` — {description}");
    }
    check(&list, access).entries()
}
