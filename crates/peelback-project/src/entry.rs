//! `ProjectEntry`: a file or folder below a project's root.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use crate::root_folder::RootFolder;
use crate::signature::{FileSignature, are_file_system_signatures_reliable, current_unix_nanoseconds};

/// An existing file or folder below a project's root, or the root itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectEntry {
    /// The resolved absolute path, without symbolic links.
    pub absolute: PathBuf,
    /// The path from the project's root, with `/` as separator; empty for the root itself.
    pub path: String,
    /// Whether the entry is a folder.
    pub is_folder: bool,
    /// The project's root, from which the file is opened.
    root: Arc<RootFolder>,
}

impl ProjectEntry {
    /// The file or folder with a resolved absolute path, and `path` from the root.
    pub(crate) fn new(root: Arc<RootFolder>, absolute: PathBuf, path: String, is_folder: bool) -> Self {
        Self { absolute, path, is_folder, root }
    }

    /// Opens the entry, which must be a regular file. It is opened from the project's root downward, without following
    /// a symbolic link, so that nothing outside the root is read even if the path leads elsewhere by now.
    ///
    /// # Errors
    /// The error of the file system; an error for a file that is not regular, or that a symbolic link replaced.
    pub fn open(&self) -> io::Result<(File, Metadata)> {
        self.root.open_regular_file(&self.absolute)
    }

    /// The metadata of the entry, which must be a regular file.
    ///
    /// # Errors
    /// The errors of [`ProjectEntry::open`].
    pub fn file_metadata(&self) -> io::Result<Metadata> {
        self.root.metadata_of_regular_file(&self.absolute)
    }

    /// The size of the file in bytes, and its signature if signatures are reliable on its file system; `None` where it
    /// cannot be opened as a regular file.
    pub fn size_and_reliable_signature(&self) -> Option<(u64, Option<FileSignature>)> {
        let metadata = self.file_metadata().ok()?;
        let signature = FileSignature::from_metadata(&metadata);
        Some((metadata.len(), signature.filter(|_| are_file_system_signatures_reliable(&self.absolute))))
    }

    /// The file name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the file begins with `#!`.
    pub fn has_shebang(&self) -> bool {
        self.probe_shebang_and_settled_signature().0
    }

    /// Whether the file begins with `#!`, and the file's signature if every later change of the file must change it:
    /// see [`FileSignature::can_detect_changes_after`].
    pub fn probe_shebang_and_settled_signature(&self) -> (bool, Option<FileSignature>) {
        let moment = current_unix_nanoseconds();
        let Ok((mut file, metadata)) = self.open() else { return (false, None) };
        let settled =
            FileSignature::from_metadata(&metadata).filter(|signature| signature.can_detect_changes_after(moment));
        let mut first = [0; 2];
        match file.read_exact(&mut first) {
            Ok(()) => (&first == b"#!", settled),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => (false, settled),
            Err(_) => (false, None),
        }
    }

    /// The path as printed in answers: `.` for the root.
    pub fn display_path(&self) -> &str {
        if self.path.is_empty() { "." } else { &self.path }
    }
}
