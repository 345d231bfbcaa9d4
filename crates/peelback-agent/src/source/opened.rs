//! How a source is opened, and an opened source.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use peelback_code::git::ScratchFolder;

/// A clone that takes longer is ended.
pub const CLONE_DEADLINE: Duration = Duration::from_secs(600);

/// A clone that grows larger is ended.
pub const MAX_CLONE_BYTES: u64 = 4 << 30;

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
    pub guard: Option<ScratchFolder>,
}
