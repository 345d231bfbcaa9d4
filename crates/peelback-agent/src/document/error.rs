//! Why a document could not be read or written.

/// Why a document could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// It does not begin with `---`.
    #[error("it has no front matter: its first line must be ---")]
    NoFrontMatter,
    /// The front matter has no end.
    #[error("its front matter has no end: a line --- is missing")]
    Unclosed,
    /// A line of it is not understood.
    #[error("line {line} of its front matter is not understood: {reason}")]
    Malformed {
        /// The line of the document, from 1.
        line: u32,
        /// What is wrong with it.
        reason: String,
    },
    /// A path on the way leads out of the folder that is written to.
    #[error("{path} leads out of {below} by a symbolic link: nothing was written")]
    LeadsOut {
        /// The path.
        path: String,
        /// The folder.
        below: String,
    },
    /// The folder that it is to be in is missing.
    #[error("the folder {0} does not exist: make it, or name another")]
    NoFolder(String),
    /// Something is there already.
    #[error("{0} exists already: name another file")]
    Exists(String),
    /// The file system refused.
    #[error("cannot write {path}: {reason}")]
    Io {
        /// The path.
        path: String,
        /// The system's words.
        reason: String,
    },
}
