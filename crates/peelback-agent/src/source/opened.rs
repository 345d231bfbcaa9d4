//! Options for opening a source, and an opened source.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use peelback_code::git::ScratchFolder;

/// The most time that a clone may take.
pub const CLONE_DEADLINE: Duration = Duration::from_secs(600);

/// The most bytes that a clone may occupy on disk.
pub const MAX_CLONE_BYTES: u64 = 4 << 30;

/// Options for opening a source.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The folder that relative paths start from.
    pub working_folder: PathBuf,
    /// The parent folder of clones: the system's temporary folder, except in tests.
    pub temporary_folder: PathBuf,
    /// Whether unencrypted `http` to other machines is allowed.
    pub allow_http: bool,
    /// The git program.
    pub git: PathBuf,
    /// The most time that a clone may take.
    pub deadline: Duration,
    /// The most bytes that a clone may occupy on disk.
    pub max_bytes: u64,
    /// Ends a running clone as soon as the value is `true`, for example on Ctrl-C.
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

/// The kind of an opened source.
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
    /// The source as a document names it: the folder, or the URL without credentials.
    pub source: String,
    /// The kind of the source.
    pub kind: SourceKind,
    /// The commit that is checked out; `None` where it cannot be read.
    pub commit: Option<String>,
    /// The folder or file that a web address named, from the root.
    pub within: Option<String>,
    /// The document whose front matter named the source; `None` where the user did.
    pub from_document: Option<PathBuf>,
    /// Whether a folder that a document names contains the document or the working folder, or is inside the working
    /// folder. For other folders, only the document says that they are meant.
    pub is_near: bool,
    /// Removes the clone when it is dropped.
    pub guard: Option<ScratchFolder>,
}
