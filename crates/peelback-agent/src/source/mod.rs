//! Sources of a question: a folder, a context document that names a repository, or a Git URL that is cloned.
//!
//! A clone is shallow and is in a folder that only its owner can read. Dropping the clone's [`Opened`] removes the
//! folder; [`remove_orphaned_scratch_folders`] removes the folders of processes that were killed. The git commands have
//! the limits of [`peelback_code::git`]. A URL and its branch, tag or commit are checked before git runs.
//!
//! A document may come from anyone. A source that a document's front matter names is therefore opened only if the
//! source is a folder of this machine or an `https` URL. The folder must not be the root of the file system, the user's
//! home, or a folder around the home. [`Opened::is_near`] records whether the folder contains the document or the
//! working folder, or is inside the working folder; callers must not send other folders to a model unless the user
//! names them. A source that the user names has no such restriction.

mod address;
mod clone;
mod document;
mod error;
mod folder;
mod kind;
mod opened;

pub use address::{GitReference, GitUrl};
pub use error::SourceError;
pub use kind::Source;
pub use opened::{CLONE_DEADLINE, MAX_CLONE_BYTES, OpenOptions, Opened, SourceKind};
pub use peelback_code::git::{
    ScratchFolder as CloneGuard, Transport, remove_orphaned_scratch_folders,
    terminate_git_and_remove_scratch_folders as remove_all_clones,
};

/// Opens the source of a question: a folder directly, a document by opening the source that its front matter names, and
/// a URL by cloning it. A folder that a document names must exist on this machine, and must not be the root of the file
/// system, the user's home, or a folder around the home; [`Opened::is_near`] records whether the folder is around the
/// document or the working folder, or inside the working folder. A URL that a document names must be `https`.
///
/// # Errors
/// [`SourceError`]. After an error, no partial clone is left on disk.
pub fn open_code_source(source: &Source, options: &OpenOptions) -> Result<Opened, SourceError> {
    match source {
        Source::Folder(path) => folder::open_project_folder(path, options),
        Source::ContextDocument(path) => {
            let path = options.working_folder.join(path);
            if path.is_dir() {
                return folder::open_project_folder(&path, options);
            }
            document::open_repository_of_document(&path, options)
        }
        Source::Git(url) => clone::clone_and_open_repository(url, options),
    }
}
