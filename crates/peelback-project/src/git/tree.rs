//! The entries of a git tree: the files and folders of a repository at one revision.

/// The type of an entry in a git tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitEntryKind {
    /// A regular file.
    File,
    /// A file with the executable bit.
    Executable,
    /// A symbolic link; its blob contains the target.
    Link,
    /// A folder. Listings of all files contain the entries inside the folder instead.
    Folder,
    /// A submodule; the id is a commit of another repository.
    Submodule,
}

/// One entry of a git tree: a file, link, folder or submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitEntry {
    /// The path from the root of the tree, with `/`. Bytes that are no UTF-8 are replaced by U+FFFD.
    pub path: String,
    /// The type of the entry.
    pub kind: GitEntryKind,
    /// The id of the blob, tree or commit in hexadecimal digits.
    pub id: String,
}

impl GitEntryKind {
    /// The type that a tree entry's mode encodes.
    pub(super) fn from_mode(mode: gix_object::tree::EntryMode) -> Self {
        use gix_object::tree::EntryKind;
        match mode.kind() {
            EntryKind::Tree => Self::Folder,
            EntryKind::Blob => Self::File,
            EntryKind::BlobExecutable => Self::Executable,
            EntryKind::Link => Self::Link,
            EntryKind::Commit => Self::Submodule,
        }
    }
}

/// Whether a name in a git tree can be that of one file or folder. A damaged or hostile tree may contain `..` or
/// slashes, which would lead out of the folder.
pub(super) fn is_safe_file_name(name: &[u8]) -> bool {
    !name.is_empty() && name != b"." && name != b".." && !name.iter().any(|byte| matches!(byte, b'/' | 0))
}
