//! Errors of reading and writing documents.

/// Why a document could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The document does not begin with `---`.
    #[error("it has no front matter: its first line must be ---")]
    NoFrontMatter,
    /// The front matter has no end.
    #[error("its front matter has no end: a line --- is missing")]
    Unclosed,
    /// A line of the front matter cannot be parsed.
    #[error("line {line} of its front matter is not understood: {reason}")]
    Malformed {
        /// The line of the document, from 1.
        line: u32,
        /// The error in the line.
        reason: String,
    },
    /// A symbolic link in the path leads out of the target folder.
    #[error("{path} leads out of {below} by a symbolic link: nothing was written")]
    LeadsOut {
        /// The path.
        path: String,
        /// The folder.
        below: String,
    },
    /// The target folder does not exist.
    #[error("the folder {0} does not exist: make it, or name another")]
    NoFolder(String),
    /// The target file exists already.
    #[error("{0} exists already: name another file")]
    Exists(String),
    /// The file system returned an error.
    #[error("cannot write {path}: {reason}")]
    Io {
        /// The path.
        path: String,
        /// The system's message.
        reason: String,
    },
}
