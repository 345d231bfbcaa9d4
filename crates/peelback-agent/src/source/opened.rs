//! The options for opening the source of a question, and the source after it was opened.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use peelback_code::git::ScratchFolder;

/// The default maximum duration of cloning a repository.
pub const CLONE_DEADLINE: Duration = Duration::from_secs(600);

/// The default maximum size of a clone on disk, in bytes (4 GiB).
pub const MAX_CLONE_BYTES: u64 = 4 << 30;

/// The options for opening the source of a question (a folder, document or Git URL).
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The folder from which relative paths start.
    pub working_folder: PathBuf,
    /// The parent folder for clones. The value is the system's temporary folder, except in tests.
    pub temporary_folder: PathBuf,
    /// Whether unencrypted `http` URLs to other machines are allowed.
    pub allow_http: bool,
    /// The path or name of the git program.
    pub git: PathBuf,
    /// The maximum duration of cloning a repository.
    pub deadline: Duration,
    /// The maximum size of a clone on disk, in bytes.
    pub max_bytes: u64,
    /// A flag that cancels a running clone as soon as its value is `true`, for example on Ctrl-C.
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

/// The kind of a source that was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A folder on this machine that existed before.
    Folder,
    /// A clone, which is removed when its [`Opened`] is dropped.
    Clone,
}

/// The source of a question after it was opened. Its files can be read.
#[derive(Debug)]
pub struct Opened {
    /// The absolute path of the folder that contains the source's files.
    pub root: PathBuf,
    /// The repository's name in a form that is valid as a folder name.
    pub name: String,
    /// The source as a document's `source_repo` states it: the folder, or the URL without credentials.
    pub source: String,
    /// Whether the source is a folder or a clone.
    pub kind: SourceKind,
    /// The id of the commit that is checked out; `None` if the commit cannot be read.
    pub commit: Option<String>,
    /// The folder or file inside the repository that a web page's URL named, relative to the root.
    pub within: Option<String>,
    /// The document whose front matter named this source; `None` if the user named the source.
    pub from_document: Option<PathBuf>,
    /// Whether the folder contains the document or the working folder, or is inside the working folder. If `false` for
    /// a folder that a document named, only the document claims that this folder is the right one.
    pub is_near: bool,
    /// The owner of the clone's scratch folder, which removes the clone when it is dropped.
    pub guard: Option<ScratchFolder>,
}
