//! Git repositories: the `git` program run safely, and objects and references read without it.
//!
//! [`GitRunner`] runs the git program for what needs the network. The environment is reduced, no repository or user
//! setting can start another program, and a run ends with its whole process group at a deadline, at a size limit, on
//! cancellation or on [`terminate_all_git_processes`]. [`ScratchFolder`] holds what a run writes and removes it again.
//!
//! [`Repository`] reads references, trees and blobs with the `gix` crates. Reading starts no process, opens no
//! connection and obeys no setting but the object format and the URLs of remotes. A file of the repository is read only
//! where it is regular, inside the repository's folders and below a size limit.

mod discover;
mod failure;
mod output;
mod read_error;
mod references;
mod repository;
mod revision;
mod runner;
mod scratch;
mod transport;
mod tree;

pub use failure::{FailureKind, classify_git_failure, summarize_git_error_output};
pub use read_error::GitReadError;
pub use repository::Repository;
pub use runner::{GitOutput, GitRunner, RunError, RunLimits, terminate_all_git_processes};
pub use scratch::{ScratchFolder, remove_orphaned_scratch_folders, terminate_git_and_remove_scratch_folders};
pub use transport::{Remote, Transport};
pub use tree::{GitEntry, GitEntryKind};

/// Whether a text is a whole object id: 40 hexadecimal digits of SHA-1 or 64 of SHA-256.
///
/// ```
/// assert!(peelback_project::git::is_full_object_id("0123456789abcdef0123456789abcdef01234567"));
/// assert!(!peelback_project::git::is_full_object_id("0123456"));
/// ```
pub fn is_full_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
