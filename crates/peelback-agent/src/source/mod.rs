//! Where a question is asked of: a folder, a context document that names one, or a git URL that is cloned.
//!
//! A clone is shallow, lies in a folder that only its owner can read, and goes with its [`Opened`], whichever way that
//! ends; [`sweep_orphans`] removes what a killed process left. git runs in a session of its own, without a terminal,
//! with one transport allowed, without hooks, submodules, templates and filters of large files; credentials are the
//! user's own helpers'. What a URL or a reference may hold is decided before git runs.
//!
//! A document may come from anyone: what its front matter names is opened only where that is around the document or the
//! working folder, or an `https` URL. A source that the user names is opened as it is.

mod address;
mod clone;
mod document;
mod folder;
mod git;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use address::{GitUrl, Reference, Transport};
pub use clone::{CloneGuard, remove_all_clones, sweep_orphans};

/// A clone that takes longer is ended.
pub const CLONE_DEADLINE: Duration = Duration::from_secs(600);

/// A clone that grows larger is ended.
pub const MAX_CLONE_BYTES: u64 = 4 << 30;

/// What a call names as its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A folder on this machine.
    Folder(PathBuf),
    /// A document whose front matter names the repository.
    ContextDocument(PathBuf),
    /// A repository to be cloned.
    Git(GitUrl),
}

/// How a source is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Where relative paths start.
    pub working_folder: PathBuf,
    /// Where clones are put; the system's folder for temporary files unless a test says otherwise.
    pub temporary_folder: PathBuf,
    /// Plain `http` to other machines too.
    pub allow_http: bool,
    /// The git program.
    pub git: PathBuf,
    /// How long a clone may take.
    pub deadline: Duration,
    /// How large a clone may grow on disk, in bytes.
    pub max_bytes: u64,
    /// Set from elsewhere (Ctrl-C), it ends a clone that runs.
    pub cancel: Arc<AtomicBool>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            working_folder: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            temporary_folder: std::env::temp_dir(),
            allow_http: false,
            git: PathBuf::from("git"),
            deadline: CLONE_DEADLINE,
            max_bytes: MAX_CLONE_BYTES,
            cancel: Arc::default(),
        }
    }
}

/// What kind of source was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A folder on this machine.
    Folder,
    /// A clone, removed when the [`Opened`] is dropped.
    Clone,
}

/// A source whose files can be read.
#[derive(Debug)]
pub struct Opened {
    /// The folder with its files, absolute.
    pub root: PathBuf,
    /// The repository's name, fit for a folder's name.
    pub name: String,
    /// What a document names as its source: the folder, or the URL without credentials.
    pub source: String,
    /// What it is.
    pub kind: SourceKind,
    /// The commit that is checked out, where that can be told.
    pub commit: Option<String>,
    /// The folder or file, from the root, that a web address pointed at.
    pub within: Option<String>,
    /// The document whose front matter named the source; `None` where the user did.
    pub from_document: Option<PathBuf>,
    /// Whether the folder that a document names holds the document or the working folder, or lies below that. Where it does
    /// not, nobody but the document says that it is meant.
    pub is_near: bool,
    /// Removes the clone when it is dropped.
    pub guard: Option<CloneGuard>,
}

/// Why a source could not be opened. No message holds credentials.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The URL or the reference is none that is taken; git was not run.
    #[error("{source_shown} was refused: {reason}")]
    Refused {
        /// What was asked for, without credentials and control characters.
        source_shown: String,
        /// Why.
        reason: String,
    },
    /// Nothing is there.
    #[error("no source at {source_shown}: {hint}")]
    NotFound {
        /// What was asked for.
        source_shown: String,
        /// What to name instead.
        hint: String,
    },
    /// The document names no repository.
    #[error("{path} names no repository: {reason}")]
    Document {
        /// The document.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What a document names is not opened because a document names it.
    #[error(
        "{document} names {named} as its source, {reason}: name the source yourself: peelback scope --check {document} SOURCE"
    )]
    NotOfDocument {
        /// The document.
        document: String,
        /// What it names, without credentials and control characters.
        named: String,
        /// Why that is not opened.
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
        /// What was asked for.
        reference: String,
        /// git's words.
        message: String,
    },
    /// The server wants credentials that git does not have.
    #[error(
        "no access to {url}: {message}. For a private repository set up a credential helper or an SSH key so that `git clone` works without asking"
    )]
    NoAccess {
        /// The repository.
        url: String,
        /// git's words.
        message: String,
    },
    /// git failed in another way.
    #[error("git could not clone {url}: {message}")]
    Git {
        /// The repository.
        url: String,
        /// git's words.
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
    /// It was cancelled.
    #[error("the clone was cancelled")]
    Cancelled,
    /// The file system failed.
    #[error("{what}: {reason}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's words.
        reason: String,
    },
}

impl SourceError {
    /// Whether what was asked for has to be changed; else git, the network or the file system failed.
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

    /// Nothing is at what `text` names, and what it may have been meant as.
    fn not_found(text: &str) -> Self {
        let plain = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let hint = match text.split_once('/') {
            Some((owner, name)) if plain(owner) && plain(name) => {
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

impl Source {
    /// Reads what a call names: a git URL where it is one (`https://…`, `ssh://…`, `git@host:path`, `file://…`, the web
    /// address of a branch or folder, each with `#branch-or-commit` behind it), a document where it ends in `.md`, else
    /// a folder. Looks at no file and runs nothing.
    ///
    /// # Errors
    /// [`SourceError::Refused`].
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let refuse =
            |reason: &str| SourceError::Refused { source_shown: address::shown(text), reason: reason.to_owned() };
        if text.trim().is_empty() {
            return Err(refuse("it is empty"));
        }
        if text.chars().any(char::is_control) {
            return Err(refuse("it holds control characters"));
        }
        if text.starts_with('-') {
            return Err(refuse("it begins with a dash, as an option does: write ./ before a folder's name"));
        }
        if let Some(url) = GitUrl::parse(text).map_err(|reason| refuse(&reason))? {
            return Ok(Self::Git(url));
        }
        let path = PathBuf::from(text);
        let is_document = path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| ["md", "markdown"].contains(&extension.to_lowercase().as_str()));
        Ok(if is_document { Self::ContextDocument(path) } else { Self::Folder(path) })
    }
}

/// Opens a source: a folder as it is, a document by what it names, a URL by a clone. From a document a folder is taken
/// that holds the document or the working folder, or is inside the working folder; never the whole file system or the
/// user's home; and of URLs only `https`.
///
/// # Errors
/// [`SourceError`]; nothing is left behind.
pub fn open(source: &Source, options: &OpenOptions) -> Result<Opened, SourceError> {
    match source {
        Source::Folder(path) => folder::open(path, options),
        Source::ContextDocument(path) => {
            let path = options.working_folder.join(path);
            if path.is_dir() {
                return folder::open(&path, options);
            }
            document::open(&path, options)
        }
        Source::Git(url) => clone::open(url, options),
    }
}
