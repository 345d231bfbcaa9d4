//! Errors that occur when the source of a question (a folder, document or Git URL) is opened.

use super::address;

/// The reason why the source of a question (a folder, document or Git URL) could not be opened. No message contains
/// credentials.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The URL or the branch, tag or commit name was refused before git ran.
    #[error("{source_shown} was refused: {reason}")]
    Refused {
        /// The requested source without credentials and control characters.
        source_shown: String,
        /// The reason for the refusal.
        reason: String,
    },
    /// The requested folder or document does not exist.
    #[error("no source at {source_shown}: {hint}")]
    NotFound {
        /// The requested source as the user wrote it.
        source_shown: String,
        /// A hint at which sources are valid.
        hint: String,
    },
    /// The document's front matter names no repository that can be opened.
    #[error("{path} does not name a repository: {reason}")]
    Document {
        /// The path of the document.
        path: String,
        /// The error in the document that prevents its use as a source.
        reason: String,
    },
    /// The document names a source that is not safe to open unless the user names the source too.
    #[error(
        "{document} names {named} as its source, {reason}: name the source yourself: peelback scope --check {document} SOURCE"
    )]
    NotOfDocument {
        /// The path of the document.
        document: String,
        /// The source that the document names, without credentials and control characters.
        named: String,
        /// The reason why Peelback does not open the named source.
        reason: String,
    },
    /// The git program was not found.
    #[error("git could not be started ({0}): install it, or clone the repository yourself and name its folder")]
    NoGit(String),
    /// The repository does not contain the requested branch, tag or commit.
    #[error("{url} has no branch, tag or commit {reference}: {message}")]
    NoSuchReference {
        /// The URL of the repository.
        url: String,
        /// The requested branch, tag or commit.
        reference: String,
        /// The error message from git.
        message: String,
    },
    /// The server requires credentials that git does not have.
    #[error(
        "no access to {url}: {message}. For a private repository set up a credential helper or an SSH key so that `git clone` works without asking"
    )]
    NoAccess {
        /// The URL of the repository.
        url: String,
        /// The error message from git.
        message: String,
    },
    /// Git failed for any other reason.
    #[error("git could not clone {url}: {message}")]
    Git {
        /// The URL of the repository.
        url: String,
        /// The error message from git.
        message: String,
    },
    /// The clone exceeded its deadline.
    #[error("the clone of {url} was ended after {seconds} seconds")]
    Late {
        /// The URL of the repository.
        url: String,
        /// The deadline in seconds.
        seconds: u64,
    },
    /// The clone exceeded its size limit on disk.
    #[error("the clone of {url} was ended when it passed {limit} bytes: clone it yourself and name its folder")]
    TooLarge {
        /// The URL of the repository.
        url: String,
        /// The size limit in bytes.
        limit: u64,
    },
    /// The user cancelled the clone.
    #[error("the clone was cancelled")]
    Cancelled,
    /// The file system returned an error.
    #[error("{what}: {reason}")]
    Io {
        /// The file operation that failed.
        what: String,
        /// The operating system's error message.
        reason: String,
    },
}

impl SourceError {
    /// Whether the caller requested a wrong source and has to change the request. Otherwise git, the network or the
    /// file system failed.
    pub fn is_usage_error(&self) -> bool {
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

    /// The error for a source that does not exist, with a hint at what the caller may have meant.
    pub(super) fn not_found_with_hint(text: &str) -> Self {
        let is_plain = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let hint = match text.split_once('/') {
            Some((owner, name)) if is_plain(owner) && is_plain(name) => {
                format!(
                    "for the repository on GitHub, give https://github.com/{text}; otherwise a folder, a context document or a git URL"
                )
            }
            _ if text.trim().contains(' ') => {
                "give a folder, a context document or a git URL; a question goes after -q".to_owned()
            }
            _ => "give a folder, a context document or a git URL".to_owned(),
        };
        Self::NotFound { source_shown: address::to_safe_message_text(text), hint }
    }
}
