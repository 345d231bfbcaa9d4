//! A file with all that the ranking knows of it, and the limits of what it looks at.

use std::sync::Arc;

use peelback_project::ProjectEntry;

use crate::about::About;
use crate::vector::TermVector;

/// Files over this many bytes are ranked by their path alone.
pub(crate) const MAX_CONTENT_BYTES: u64 = 1 << 20;

/// How many files are parsed for their passages.
pub(crate) const MOST_PARSED: usize = 40;

/// A file that is ranked.
pub(crate) struct Subject<'a> {
    pub entry: &'a ProjectEntry,
    pub about: &'a About,
    /// Its words, where they could be counted.
    pub vector: Option<Arc<TermVector>>,
}
