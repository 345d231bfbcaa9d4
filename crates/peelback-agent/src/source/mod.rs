//! Sources of a question: a folder, a context document that names one, or a git URL that is cloned.
//!
//! A clone is shallow, is in a folder that only its owner can read, and is removed with its [`Opened`]; [`sweep_orphans`]
//! removes the folders of killed processes. The limits of the git runs are those of [`peelback_code::git`]. A URL or a
//! reference is checked before git runs.
//!
//! A document may come from anyone: a source that its front matter names is opened only where that is a folder around the
//! document or the working folder, a folder inside the working folder, or an `https` URL. A source that the user names is
//! opened as it is.

mod address;
mod clone;
mod document;
mod error;
mod folder;
mod kind;
mod opened;

pub use address::{GitUrl, Reference};
pub use error::SourceError;
pub use kind::Source;
pub use opened::{CLONE_DEADLINE, MAX_CLONE_BYTES, OpenOptions, Opened, SourceKind};
pub use peelback_code::git::{ScratchFolder as CloneGuard, Transport, remove_all as remove_all_clones, sweep_orphans};

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
