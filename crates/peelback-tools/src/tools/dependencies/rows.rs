//! What the answers of `dependencies` for a path, for the project and as a graph have in common: the number of rows,
//! and the row of an import that leads to no file.

use peelback_code::UnresolvedImport;
use serde::Serialize;

/// The maximum number of rows of an answer at detail level `exploring`.
pub(super) const MAX_ROWS: usize = 50;

/// An import that leads to no file, as a row of a JSON answer.
#[derive(Serialize)]
pub(super) struct UnresolvedRow {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

impl From<&UnresolvedImport> for UnresolvedRow {
    fn from(import: &UnresolvedImport) -> Self {
        let UnresolvedImport { path, line, source, reason } = import.clone();
        Self { path, line, source, reason }
    }
}
