//! The error type for a git repository, reference or object that cannot be read.

/// Why a git repository, a reference or an object could not be read. No error text contains a path outside the
/// repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitReadError {
    /// A folder or file of the repository is outside the folder that the caller allows.
    #[error("the repository's {0} is outside the allowed folder")]
    OutOfBounds(&'static str),
    /// A file of the repository is no regular file, or larger than expected.
    #[error("the repository's {0} is not a regular file of the expected size")]
    UnexpectedFile(String),
    /// The repository uses a feature of git that this crate does not support.
    #[error("the repository uses {0}, which is not supported")]
    Unsupported(String),
    /// No reference and no object is named by the revision.
    #[error("{0} is not a revision of the repository")]
    UnknownRevision(String),
    /// Several objects begin with the digits of an abbreviated id.
    #[error("{0} is the beginning of several object ids: give more digits")]
    AmbiguousRevision(String),
    /// The object does not exist, for example because the clone is shallow or partial.
    #[error("the repository has no object {0}")]
    MissingObject(String),
    /// The object has another type than the caller expects.
    #[error("object {id} is not a {expected}")]
    WrongType {
        /// The object's id.
        id: String,
        /// The expected type: `commit`, `tree` or `blob`.
        expected: &'static str,
    },
    /// The object or tree is larger than the caller's limit.
    #[error("{what} is larger than {limit}")]
    TooLarge {
        /// The object or tree, in words.
        what: String,
        /// The limit in bytes, or in entries of a tree.
        limit: u64,
    },
    /// The data of the repository cannot be decoded.
    #[error("the repository is damaged: {0}")]
    Damaged(String),
}

impl GitReadError {
    /// The error for data that a decoder refused; `what` names the data.
    pub(super) fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Damaged(what.to_string())
    }
}
