//! Errors of opening a source.

use super::address;

/// Why a source could not be opened. No message holds credentials.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The URL or the reference was refused; git did not run.
    #[error("{source_shown} was refused: {reason}")]
    Refused {
        /// The requested source without credentials and control characters.
        source_shown: String,
        /// The reason.
        reason: String,
    },
    /// The source does not exist.
    #[error("no source at {source_shown}: {hint}")]
    NotFound {
        /// The requested source.
        source_shown: String,
        /// A hint at valid sources.
        hint: String,
    },
    /// The document names no repository.
    #[error("{path} names no repository: {reason}")]
    Document {
        /// The document.
        path: String,
        /// The error in the document.
        reason: String,
    },
    /// The source that a document names is not opened on the document's word alone.
    #[error(
        "{document} names {named} as its source, {reason}: name the source yourself: peelback scope --check {document} SOURCE"
    )]
    NotOfDocument {
        /// The document.
        document: String,
        /// The named source without credentials and control characters.
        named: String,
        /// The reason why the source is not opened.
        reason: String,
    },
    /// The git program is missing.
    #[error("git could not be started ({0}): install it, or clone the repository yourself and name its folder")]
    NoGit(String),
    /// The repository has no such branch, tag or commit.
    #[error("{url} has no branch, tag or commit {reference}: {message}")]
    NoSuchReference {
        /// The repository.
        url: String,
        /// The requested branch, tag or commit.
        reference: String,
        /// The message of git.
        message: String,
    },
    /// The server requires credentials that git does not have.
    #[error(
        "no access to {url}: {message}. For a private repository set up a credential helper or an SSH key so that `git clone` works without asking"
    )]
    NoAccess {
        /// The repository.
        url: String,
        /// The message of git.
        message: String,
    },
    /// Any other failure of git.
    #[error("git could not clone {url}: {message}")]
    Git {
        /// The repository.
        url: String,
        /// The message of git.
        message: String,
    },
    /// The clone took too long.
    #[error("the clone of {url} was ended after {seconds} seconds")]
    Late {
        /// The repository.
        url: String,
        /// The deadline in seconds.
        seconds: u64,
    },
    /// The clone grew too large.
    #[error("the clone of {url} was ended when it passed {limit} bytes: clone it yourself and name its folder")]
    TooLarge {
        /// The repository.
        url: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The clone was cancelled.
    #[error("the clone was cancelled")]
    Cancelled,
    /// The file system returned an error.
    #[error("{what}: {reason}")]
    Io {
        /// The operation that failed.
        what: String,
        /// The system's message.
        reason: String,
    },
}

impl SourceError {
    /// Whether the caller has to change the request; otherwise git, the network or the file system failed.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Refused { .. }
            | Self::NotFound { .. }
            | Self::Document { .. }
            | Self::NotOfDocument { .. }
            | Self::NoSuchReference { .. } => true,
            Self::NoGit(_)
            | Self::NoAccess { .. }
            | Self::Git { .. }
            | Self::Late { .. }
            | Self::TooLarge { .. }
            | Self::Cancelled
            | Self::Io { .. } => false,
        }
    }

    /// The error for a text that names nothing, with a hint at what the caller may have meant.
    pub(super) fn not_found(text: &str) -> Self {
        let is_plain = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let hint = match text.split_once('/') {
            Some((owner, name)) if is_plain(owner) && is_plain(name) => {
                format!(
                    "for the repository on GitHub name https://github.com/{text}; else a folder, a context document or a git URL"
                )
            }
            _ if text.trim().contains(' ') => {
                "name a folder, a context document or a git URL; a question goes behind -q".to_owned()
            }
            _ => "name a folder, a context document or a git URL".to_owned(),
        };
        Self::NotFound { source_shown: address::shown(text), hint }
    }
}
