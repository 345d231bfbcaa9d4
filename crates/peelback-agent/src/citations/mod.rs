//! Citations: found in a document, checked against the files, repaired or marked.
//!
//! A citation is a path with lines (`src/a.rs:10-40`, `src/a.rs#L10-L40`, `src/a.rs` (lines 10-40)), with a symbol
//! (`src/a.rs:Editor.apply`) or alone, in plain text, in code, as a link's target, in lists and tables; not inside code
//! blocks and URLs. Where the text names a symbol beside it, the lines must be that symbol's.
//!
//! [`check`] reads each cited file and says of each citation whether it holds ([`Verdict`]); its text has the repairs in
//! it, and a mark behind each citation that could not be repaired. [`Entry`] holds what the cited lines were, by which
//! [`recheck`] tells later what became of them.

mod check;
mod edit;
mod entries;
pub(crate) mod entry;
mod find;
mod locate;
pub(crate) mod mark;
mod naming;
mod proven;
mod reference;
mod repair;
mod scan;
mod symbols;

pub use check::{Checked, CheckedCitation, Proof, Repair, Repaired, Verdict, check, check_references};
pub(crate) use edit::{Edit, first_mark_per_element, with_edits_applied};
pub(crate) use entries::deduplicated;
pub use entries::{Staleness, code_references, recheck};
pub use entry::Entry;
pub use find::find;
pub use mark::UNVERIFIED_MARK;
pub use naming::Naming;
pub(crate) use proven::proven;
pub use reference::Reference;
pub(crate) use reference::line_range;
pub use scan::Citation;
