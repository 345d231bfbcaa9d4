//! `OpenFolder`: one folder of a project, held open while a walk lists it, so that all that is learnt of its files
//! belongs to this folder, even if another one takes its path meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use crate::root_folder::RootFolder;
use crate::signature::FileSignature;

/// The type of a folder's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link, a FIFO, a socket or a device.
    Other,
}

/// An open folder.
pub struct OpenFolder {
    #[cfg(unix)]
    folder: rustix::fd::OwnedFd,
    /// What keeps the folder where it is.
    #[cfg(windows)]
    _pins: Vec<File>,
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

impl OpenFolder {
    /// Opens a folder below a root, or the root itself; `absolute` is its path without symbolic links.
    ///
    /// # Errors
    /// The error of the file system; an error for a folder that a symbolic link leads to.
    pub fn open(root: &RootFolder, absolute: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        {
            root.open_folder(absolute).map(|folder| Self { folder })
        }
        #[cfg(windows)]
        {
            Ok(Self { _pins: root.open_and_hold_folders_on_path(absolute)?, path: absolute.to_owned() })
        }
        #[cfg(not(any(unix, windows)))]
        {
            let _ = root;
            std::fs::read_dir(absolute).map(|_| Self { path: absolute.to_owned() })
        }
    }

    /// The names and types of the entries, without `.` and `..`, in the order of the file system.
    #[cfg(target_os = "linux")]
    pub fn entries(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        use std::os::unix::ffi::OsStrExt;
        let mut buffer = Vec::with_capacity(LISTING_BUFFER_BYTES);
        let mut entries = Vec::new();
        let mut listing = rustix::fs::RawDir::new(&self.folder, buffer.spare_capacity_mut());
        while let Some(entry) = listing.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                entries.push((OsStr::from_bytes(name).to_owned(), self.kind_of(entry.file_type(), name)));
            }
        }
        Ok(entries)
    }

    /// The names and types of the entries, without `.` and `..`, in the order of the file system.
    #[cfg(all(unix, not(target_os = "linux")))]
    pub fn entries(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        use std::os::unix::ffi::OsStrExt;
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                entries.push((OsStr::from_bytes(name).to_owned(), self.kind_of(entry.file_type(), name)));
            }
        }
        Ok(entries)
    }

    /// The names and types of the entries, in the order of the file system.
    #[cfg(not(unix))]
    pub fn entries(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        let kind = |kind: std::fs::FileType| match kind {
            kind if kind.is_dir() => EntryKind::Folder,
            kind if kind.is_file() => EntryKind::File,
            _ => EntryKind::Other,
        };
        std::fs::read_dir(&self.path)?
            .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), kind(entry.file_type()?)))))
            .collect()
    }

    /// The type of an entry. Some file systems do not tell it with the name.
    #[cfg(unix)]
    fn kind_of(&self, told: rustix::fs::FileType, name: &[u8]) -> EntryKind {
        use rustix::fs::{AtFlags, FileType, statat};
        let kind = match told {
            FileType::Unknown => statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |state| FileType::from_raw_mode(state.st_mode)),
            told => told,
        };
        match kind {
            FileType::Directory => EntryKind::Folder,
            FileType::RegularFile => EntryKind::File,
            _ => EntryKind::Other,
        }
    }

    /// The signature of the file `name` of this folder; `absolute` is its path.
    pub fn signature_of_file(&self, name: &OsStr, absolute: &Path) -> Option<FileSignature> {
        #[cfg(target_os = "linux")]
        {
            let _ = absolute;
            let state = rustix::fs::statat(&self.folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).ok()?;
            FileSignature::from_stat(&state)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = name;
            std::fs::symlink_metadata(absolute).ok().and_then(|metadata| FileSignature::from_metadata(&metadata))
        }
    }

    /// Opens the file `name` of this folder, if it is regular and no symbolic link.
    ///
    /// # Errors
    /// The error of the file system (`ELOOP` for a symbolic link); an error for a file that is not regular.
    pub fn open_regular_file(&self, name: &str) -> io::Result<(File, Metadata)> {
        #[cfg(unix)]
        {
            crate::root_folder::open_regular_file_in_folder(&self.folder, name)
        }
        #[cfg(not(unix))]
        {
            crate::regular_file::open_regular_file_following_links(&self.path.join(name))
        }
    }
}

/// The size in bytes of the buffer for listing one folder: large folders are listed in pieces of it.
#[cfg(target_os = "linux")]
const LISTING_BUFFER_BYTES: usize = 32 << 10;
