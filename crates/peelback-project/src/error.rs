//! `CodeError`: why a call failed, and who can fix it.

/// Who can fix an error. The exit codes of the command line depend on this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCategory {
    /// No file, folder or symbol of the requested name exists.
    NothingFound,
    /// The call itself is invalid.
    BadUsage,
    /// The file system or Peelback failed.
    Failure,
}

/// A call that could not be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// No file or folder has the requested path.
    #[error("no such path: {path}")]
    NotFound {
        /// The path as requested.
        path: String,
        /// Existing paths nearest to it, best first.
        nearest: Vec<String>,
    },
    /// The path, or the target of a symbolic link on it, is outside the project.
    #[error("{path} is outside the project root {root}: name a path below the root, or choose another with --root")]
    OutsideRoot {
        /// The path as requested.
        path: String,
        /// The project's root.
        root: String,
    },
    /// The path is a folder, but the call needs a file.
    #[error("{path} is a folder, not a file")]
    IsFolder {
        /// The path from the root.
        path: String,
    },
    /// The file is a FIFO, a socket or a device; opening it could block for ever.
    #[error("{path} is {what}, not a regular file: it was not opened")]
    NotRegular {
        /// The path from the root.
        path: String,
        /// The file's type with its article, such as "a socket".
        what: &'static str,
    },
    /// Reading the file is not allowed: see [`crate::Project::with_withheld_path_rule`].
    #[error("{path} is withheld: {reason}")]
    Withheld {
        /// The path from the root.
        path: String,
        /// Why reading is not allowed.
        reason: String,
    },
    /// The file is binary.
    #[error("{path} is binary ({size_bytes} bytes): it has no lines to show")]
    Binary {
        /// The path from the root.
        path: String,
        /// The file's size in bytes.
        size_bytes: u64,
    },
    /// The file is too large to be read at all.
    #[error("{path} has {size_bytes} bytes, over the {limit} that are read: use grep to look inside")]
    TooLarge {
        /// The path from the root.
        path: String,
        /// The file's size in bytes.
        size_bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system reported an error.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The path from the root.
        path: String,
        /// The system's error message.
        reason: String,
    },
    /// A regular expression or glob does not compile.
    #[error("bad {what} {pattern:?}: {reason}")]
    BadPattern {
        /// The kind of pattern: `regex` or `glob`.
        what: &'static str,
        /// The pattern.
        pattern: String,
        /// The compiler's error message.
        reason: String,
    },
    /// The file type is unknown to ripgrep.
    #[error("no file type is called {name:?}")]
    UnknownType {
        /// The requested file type.
        name: String,
        /// The most similar known file types.
        nearest: Vec<String>,
    },
}

impl CodeError {
    /// Who can fix the error.
    pub fn category(&self) -> ErrorCategory {
        match self {
            Self::NotFound { .. } => ErrorCategory::NothingFound,
            Self::OutsideRoot { .. }
            | Self::IsFolder { .. }
            | Self::NotRegular { .. }
            | Self::Withheld { .. }
            | Self::BadPattern { .. }
            | Self::UnknownType { .. } => ErrorCategory::BadUsage,
            Self::Binary { .. } | Self::TooLarge { .. } | Self::Io { .. } => ErrorCategory::Failure,
        }
    }
}
