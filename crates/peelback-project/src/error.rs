//! What can go wrong with a call, and whose fault it is.

/// Who has to do something about an error; the command line's exit codes follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is there under that name.
    NothingFound,
    /// The call itself is wrong.
    BadUsage,
    /// The file system or Peelback failed.
    Failure,
}

/// A call that could not be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// No file or folder has that path.
    #[error("no such path: {path}")]
    NotFound {
        /// The path as asked for.
        path: String,
        /// Existing paths nearest to it, best first.
        nearest: Vec<String>,
    },
    /// The path, or what a symbolic link on it points to, lies outside the project.
    #[error("{path} is outside the project root {root}: name a path below the root, or choose another with --root")]
    OutsideRoot {
        /// The path as asked for.
        path: String,
        /// The project's root.
        root: String,
    },
    /// A folder where a file was wanted.
    #[error("{path} is a folder, not a file")]
    IsFolder {
        /// The path from the root.
        path: String,
    },
    /// A FIFO, a socket, a device: opening it could block for ever.
    #[error("{path} is {what}, not a regular file: it was not opened")]
    NotRegular {
        /// The path from the root.
        path: String,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The file is not to be read: see [`crate::Project::withholding`].
    #[error("{path} is withheld: {reason}")]
    Withheld {
        /// The path from the root.
        path: String,
        /// Why.
        reason: String,
    },
    /// The bytes are not text.
    #[error("{path} is binary ({size_bytes} bytes): it has no lines to show")]
    Binary {
        /// The path from the root.
        path: String,
        /// Its size.
        size_bytes: u64,
    },
    /// The file is too large to be read at all.
    #[error("{path} has {size_bytes} bytes, over the {limit} that are read: use grep to look inside")]
    TooLarge {
        /// The path from the root.
        path: String,
        /// Its size in bytes.
        size_bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system refused.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The path from the root.
        path: String,
        /// The system's words.
        reason: String,
    },
    /// A regular expression or glob does not compile.
    #[error("bad {what} {pattern:?}: {reason}")]
    BadPattern {
        /// `regex` or `glob`.
        what: &'static str,
        /// The pattern.
        pattern: String,
        /// The compiler's words.
        reason: String,
    },
    /// A file type that ripgrep's list does not have.
    #[error("no file type is called {name:?}")]
    UnknownType {
        /// The name.
        name: String,
        /// The nearest known names.
        nearest: Vec<String>,
    },
}

impl CodeError {
    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NotFound { .. } => Fault::NothingFound,
            Self::OutsideRoot { .. }
            | Self::IsFolder { .. }
            | Self::NotRegular { .. }
            | Self::Withheld { .. }
            | Self::BadPattern { .. }
            | Self::UnknownType { .. } => Fault::BadUsage,
            Self::Binary { .. } | Self::TooLarge { .. } | Self::Io { .. } => Fault::Failure,
        }
    }
}
