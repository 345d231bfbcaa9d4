//! The folders of a git repository, found from a folder of its work tree, and reads of the files inside with a size
//! limit.

use std::fs;
use std::path::{Path, PathBuf};

use super::read_error::GitReadError;
use crate::regular_file::{read_regular_file_following_links, read_text_file_following_links};

/// The maximum size in bytes of `HEAD`, of one reference's file and of a `.git` file.
const MAX_SMALL_FILE_BYTES: u64 = 4095;

/// The maximum size in bytes of the repository's configuration file.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The maximum size in bytes of the file `packed-refs`; a million references take about 70 MB.
const MAX_PACKED_REFS_BYTES: u64 = 256 << 20;

/// The folders of one git repository, absolute and without symbolic links.
#[derive(Debug, Clone)]
pub(super) struct GitFolders {
    /// The folder with `HEAD`: `.git`, or the part of `.git/worktrees` that belongs to a linked work tree.
    pub(super) git_dir: PathBuf,
    /// The folder with objects, configuration and branches; equal to `git_dir` except in a linked work tree.
    pub(super) common_dir: PathBuf,
    /// The folder that every file of the repository must be inside of, where the caller gave one.
    pub(super) boundary: Option<PathBuf>,
}

impl GitFolders {
    /// The folders of the repository whose git folder is `git_dir`.
    pub(super) fn from_git_dir(git_dir: &Path, boundary: Option<&Path>) -> Result<Self, GitReadError> {
        let boundary = boundary.map(|boundary| canonicalize_path(boundary, "allowed folder")).transpose()?;
        let git_dir = canonicalize_path(git_dir, "folder")?;
        let mut folders = Self { common_dir: git_dir.clone(), git_dir, boundary };
        folders.check_path_inside_boundary(&folders.git_dir, "folder")?;
        // A linked work tree names the folder that it shares with the main work tree.
        if let Some(common) = folders.read_small_file("commondir")? {
            folders.common_dir = canonicalize_path(&folders.git_dir.join(common.trim()), "common folder")?;
            folders.check_path_inside_boundary(&folders.common_dir, "common folder")?;
        }
        Ok(folders)
    }

    /// The text of a small file in the git folder, or else in the common folder; `None` where neither exists.
    pub(super) fn read_small_file(&self, name: &str) -> Result<Option<String>, GitReadError> {
        for folder in self.git_and_common_folders() {
            let Some(bytes) = self.read_bounded_file(folder, name, MAX_SMALL_FILE_BYTES)? else { continue };
            let text = String::from_utf8(bytes).map_err(|_| GitReadError::damaged(format!("{name} is not UTF-8")))?;
            return Ok(Some(text));
        }
        Ok(None)
    }

    /// The bytes of the repository's configuration file, or `None` where the file does not exist.
    pub(super) fn read_config(&self) -> Result<Option<Vec<u8>>, GitReadError> {
        self.read_bounded_file(&self.common_dir, "config", MAX_CONFIG_BYTES)
    }

    /// The bytes of the file `packed-refs`, or `None` where the file does not exist.
    pub(super) fn read_packed_refs(&self) -> Result<Option<Vec<u8>>, GitReadError> {
        self.read_bounded_file(&self.common_dir, "packed-refs", MAX_PACKED_REFS_BYTES)
    }

    /// Fails where `path` is outside the caller's boundary. `path` has no symbolic links; `what` names it in the error.
    pub(super) fn check_path_inside_boundary(&self, path: &Path, what: &'static str) -> Result<(), GitReadError> {
        match &self.boundary {
            Some(boundary) if !path.starts_with(boundary) => Err(GitReadError::OutOfBounds(what)),
            _ => Ok(()),
        }
    }

    fn git_and_common_folders(&self) -> impl Iterator<Item = &Path> {
        let common = (self.common_dir != self.git_dir).then_some(self.common_dir.as_path());
        std::iter::once(self.git_dir.as_path()).chain(common)
    }

    /// The bytes of `folder/name`, a regular file of at most `max_bytes` that no symbolic link leads out of the
    /// repository's folders; `None` where the file does not exist.
    fn read_bounded_file(&self, folder: &Path, name: &str, max_bytes: u64) -> Result<Option<Vec<u8>>, GitReadError> {
        let Ok(path) = dunce::canonicalize(folder.join(name)) else { return Ok(None) };
        if !path.starts_with(&self.git_dir) && !path.starts_with(&self.common_dir) {
            return Err(GitReadError::OutOfBounds("file"));
        }
        let unexpected = || GitReadError::UnexpectedFile(name.to_owned());
        let metadata = fs::metadata(&path).map_err(|_| unexpected())?;
        // A folder with this name is no error: `refs/heads/topic` may be a folder of branches.
        if metadata.is_dir() {
            return Ok(None);
        }
        // Opening a pipe would block until another process writes.
        if !metadata.is_file() || metadata.len() > max_bytes {
            return Err(unexpected());
        }
        // Another file may have taken the path since its type and size were taken.
        read_regular_file_following_links(&path, max_bytes).map(Some).map_err(|_| unexpected())
    }
}

/// The git folder of the work tree that contains `folder`: the nearest `.git`, which is a folder, or a file that names
/// one (in a linked work tree or a submodule). `None` where no folder above has one.
pub(super) fn find_git_dir(folder: &Path) -> Result<Option<PathBuf>, GitReadError> {
    let Some(dot_git) = folder.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists()) else {
        return Ok(None);
    };
    if dot_git.is_dir() {
        return Ok(Some(dot_git));
    }
    let unexpected = || GitReadError::UnexpectedFile(".git".to_owned());
    let text = read_text_file_following_links(&dot_git, MAX_SMALL_FILE_BYTES).map_err(|_| unexpected())?;
    let target = text.strip_prefix("gitdir:").ok_or_else(unexpected)?.trim();
    Ok(dot_git.parent().map(|folder| folder.join(target)))
}

/// Converts an existing path to an absolute path without symbolic links; `what` names the path in the error.
fn canonicalize_path(path: &Path, what: &'static str) -> Result<PathBuf, GitReadError> {
    dunce::canonicalize(path).map_err(|_| GitReadError::UnexpectedFile(what.to_owned()))
}
