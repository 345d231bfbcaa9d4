//! Errors that occur when a document is read or written.

/// The reason why a document could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The text does not begin with the line `---`, so the document has no front matter.
    #[error("it has no front matter: its first line must be ---")]
    NoFrontMatter,
    /// The front matter has no closing `---` line.
    #[error("its front matter has no end: a line --- is missing")]
    Unclosed,
    /// A line of the front matter cannot be parsed.
    #[error("line {line} of its front matter is not understood: {reason}")]
    Malformed {
        /// The number of the line in the document, counted from 1.
        line: u32,
        /// The syntax error in the line.
        reason: String,
    },
    /// The comment with the stored citations at the document's end is damaged or missing.
    #[error(
        "the comment with the stored citations at its end cannot be used: {0}. Restore the comment, or remove it and \
         the key `citations` to check the text alone"
    )]
    StoredCitations(String),
    /// A symbolic link in the document's path leads to a place outside the target folder.
    #[error("{path} leads out of {below} by a symbolic link: nothing was written")]
    LeadsOut {
        /// The path that contains the symbolic link.
        path: String,
        /// The target folder, in which the document's file must be.
        below: String,
    },
    /// The folder into which the document should be written does not exist.
    #[error("the folder {0} does not exist: create it, or choose another")]
    NoFolder(String),
    /// The file to which the document should be written exists already.
    #[error("{0} already exists: choose another file")]
    Exists(String),
    /// The file system returned an error.
    #[error("cannot write {path}: {reason}")]
    Io {
        /// The path of the file that could not be read or written.
        path: String,
        /// The operating system's error message.
        reason: String,
    },
}
