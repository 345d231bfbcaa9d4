//! Citations in documents: their extraction from the text, the check against the project's files, and the repair or
//! mark of wrong citations.
//!
//! A citation is a path with lines (`src/a.rs:10-40`, `src/a.rs#L10-L40`, `src/a.rs` (lines 10-40)), a path with a
//! symbol (`src/a.rs:Editor.apply`), or a path alone. Citations occur in plain text, inline code, link targets, lists
//! and tables, but not in code blocks and URLs. If the text next to a citation names a symbol, the cited lines must
//! belong to that symbol.
//!
//! The function [`check_and_repair_citations`] reads each cited file and returns a [`Verdict`] on each citation, and
//! the text with repaired citations. Wrong citations that could not be repaired are marked in that text. A
//! [`CitationEntry`] stores hashes of the cited lines; the function [`staleness_of_stored_citations`] uses these hashes
//! later to detect whether the lines have moved or changed.

mod check;
mod edit;
pub(crate) mod entries;
pub(crate) mod entry;
mod find;
mod gaps;
mod locate;
pub(crate) mod mark;
mod naming;
mod proven;
mod reference;
mod repair;
mod scan;
mod staleness;
mod symbols;

pub use check::{
    CheckedCitation, CheckedDocument, Proof, Repair, Repaired, Verdict, check_and_repair_citations,
    check_and_repair_model_references,
};
pub(crate) use edit::{Edit, keep_one_mark_edit_per_element, text_range_with_edits_applied};
pub use entries::format_code_reference_list;
pub(crate) use entries::{MAX_CITATIONS, keep_most_citations, merge_redundant_citation_entries};
pub use entry::CitationEntry;
pub use find::find_citations;
pub(crate) use gaps::{
    NO_CITATION, citation_gaps, has_citation_outside_lists, is_citation_gap, is_unverified_gap, summary_gaps,
    unverified_gap,
};
pub use mark::UNVERIFIED_MARK;
pub use naming::Naming;
pub(crate) use proven::entries_of_verified_or_repaired_references;
pub use reference::Reference;
pub(crate) use reference::format_line_range;
pub use scan::Citation;
pub use staleness::{Staleness, staleness_of_stored_citations};
