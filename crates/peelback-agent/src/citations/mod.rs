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
mod find;
mod locate;
mod naming;
mod proven;
mod repair;
mod scan;
mod symbols;

use peelback_code::syntax::Lines;
use pulldown_cmark::Options;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use check::{Checked, CheckedCitation, Proof, Repair, Repaired, Verdict, check, check_references};
pub(crate) use edit::{Edit, one_mark_each, spliced};
pub(crate) use entries::deduplicated;
pub use entries::{Entry, Staleness, code_references, recheck};
pub use find::find;
pub use naming::Naming;
pub(crate) use proven::proven;
pub use scan::Citation;

/// What stands before the reason behind a citation that could not be verified.
pub const MARK: &str = "⚠ unverified:";

/// The Markdown that documents are read as.
pub(crate) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);

/// A place in the code, and what is to be seen there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// The file, relative to the project's root, with `/`.
    pub path: String,
    /// The first line, from 1.
    pub line_start: u32,
    /// The last line, included.
    pub line_end: u32,
    /// What is there, in one sentence.
    pub description: String,
}

/// Lines as answers print them.
pub(crate) fn shown(lines: Lines) -> String {
    if lines.first == lines.last { lines.first.to_string() } else { format!("{}-{}", lines.first, lines.last) }
}
