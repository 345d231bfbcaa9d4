//! `FileToRank`: a file to rank with its features, and the size limits of ranking.

use std::sync::Arc;

use peelback_project::ProjectEntry;

use crate::path_features::PathFeatures;
use crate::vector::TermVector;

/// The maximum size in bytes of a file whose content is ranked; a larger file is ranked by its path alone.
pub(crate) const MAX_CONTENT_BYTES: u64 = 1 << 20;

/// The maximum number of files, the best ones, that a query parses for passages or searches for quoted messages.
pub(crate) const MAX_PARSED_FILES: usize = 40;

/// A file to rank, with its path features and word counts.
pub(crate) struct FileToRank<'a> {
    pub entry: &'a ProjectEntry,
    pub path_features: &'a PathFeatures,
    /// The word counts of the file; `None` if they could not be computed.
    pub vector: Option<Arc<TermVector>>,
}
