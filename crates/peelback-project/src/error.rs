//! `CodeError`: why a call failed, and who can fix it.

use peelback_syntax::{Tier, language};

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

/// The reason why a call could not be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// No file or folder has the requested path.
    #[error("no such path: {path}")]
    NotFound {
        /// The path as the caller wrote it.
        path: String,
        /// The existing paths that are most similar to the requested path, best first.
        nearest: Vec<String>,
    },
    /// The path, or the target of a symbolic link on it, is outside the project.
    #[error("{path} is outside the project root {root}: name a path below the root, or choose another with --root")]
    OutsideRoot {
        /// The path as the caller wrote it.
        path: String,
        /// The path of the project's root folder.
        root: String,
    },
    /// The path is a folder, but the call needs a file.
    #[error("{path} is a folder, not a file")]
    IsFolder {
        /// The path of the file or folder from the project's root.
        path: String,
    },
    /// The file is a FIFO, a socket or a device; opening it could block for ever.
    #[error("{path} is {what}, not a regular file: it was not opened")]
    NotRegular {
        /// The path of the file or folder from the project's root.
        path: String,
        /// The file's type with its article, such as "a socket".
        what: &'static str,
    },
    /// Reading the file is not allowed: see [`crate::Project::with_withheld_path_rule`].
    #[error("{path} is withheld: {reason}")]
    Withheld {
        /// The path of the file or folder from the project's root.
        path: String,
        /// Why reading is not allowed.
        reason: String,
    },
    /// The file is binary.
    #[error("{path} is binary ({size_bytes} byte{}): it has no lines to show", if *size_bytes == 1 { "" } else { "s" })]
    Binary {
        /// The path of the file or folder from the project's root.
        path: String,
        /// The file's size in bytes.
        size_bytes: u64,
    },
    /// The file is larger than the limit for reading a whole file.
    #[error("{path} has {size_bytes} bytes, over the {limit} that are read: use grep to look inside")]
    TooLarge {
        /// The path of the file or folder from the project's root.
        path: String,
        /// The file's size in bytes.
        size_bytes: u64,
        /// The size in bytes above which a file is not read.
        limit: u64,
    },
    /// The operating system reported an error.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The path of the file or folder from the project's root.
        path: String,
        /// The operating system's error message.
        reason: String,
    },
    /// A regular expression or glob does not compile.
    #[error("bad {what} {pattern:?}: {reason}")]
    BadPattern {
        /// The kind of pattern: `regex` or `glob`.
        what: &'static str,
        /// The pattern as the caller wrote it.
        pattern: String,
        /// The error message of the pattern's compiler.
        reason: String,
    },
    /// The file type is unknown to ripgrep.
    #[error("there is no file type {name:?}")]
    UnknownType {
        /// The requested file type.
        name: String,
        /// The most similar known file types.
        nearest: Vec<String>,
    },
}

impl CodeError {
    /// Why an answer about code does not cover the file that could not be read; `None` for a binary file whose name is not
    /// that of code.
    pub fn describe_for_evidence(&self) -> Option<String> {
        let Self::Binary { path, .. } = self else { return Some(self.to_string()) };
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_code = language::language_of_file_name(name).is_some_and(|language| language.tier != Tier::Document);
        is_code.then(|| "not read: binary".to_owned())
    }

    /// Who can fix the error, which decides the exit code of the command line.
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
