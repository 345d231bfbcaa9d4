//! `WritableFolder`: a folder beneath a root, held open while files are written into it.
//!
//! A path that was found beneath the root says nothing about the moment of writing: meanwhile another process may have
//! exchanged a folder for a symbolic link that leads elsewhere. So a folder is reached from the root downward, no
//! symbolic link is followed on the way, and files are made in the folder that is open.

#[cfg(not(unix))]
use std::fs;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::regular_file::read_unless_larger_than;

/// A folder beneath a root, into which files are written.
pub struct WritableFolder {
    #[cfg(unix)]
    folder: rustix::fd::OwnedFd,
    /// What keeps the folder where it is.
    #[cfg(windows)]
    _pins: Vec<File>,
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

/// The beginning and the end of the names of files that are not complete yet.
const TEMPORARY_NAME: (&str, &str) = (".scope-", ".tmp");

/// The number of names that are tried for a file that is not complete yet.
const MAX_TEMPORARY_NAMES: u32 = 100;

impl WritableFolder {
    /// Opens the folder `below` of the folder `root`. Missing folders are made, one level at a time. `root` is absolute
    /// and has no symbolic links.
    ///
    /// # Errors
    /// The error of the file system; an error where `below` is not a path of names alone, or a part of it is a symbolic
    /// link or a file.
    #[cfg(unix)]
    pub fn open_or_create(root: &Path, below: &Path) -> io::Result<Self> {
        use rustix::fs::Mode;
        use rustix::io::Errno;

        let open = |parent: Option<&rustix::fd::OwnedFd>, name: &Path| {
            let flags = crate::root_folder::FOLDER_FLAGS;
            match parent {
                Some(parent) => rustix::fs::openat(parent, name, flags, Mode::empty()),
                None => rustix::fs::open(name, flags, Mode::empty()),
            }
        };
        let mut folder = open(None, root)?;
        for part in below.components() {
            let name = Path::new(name_of_component(part)?);
            let mut opened = open(Some(&folder), name);
            if matches!(opened, Err(Errno::NOENT)) {
                match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                opened = open(Some(&folder), name);
            }
            folder = opened.map_err(|error| match error {
                // A symbolic link is no folder where it is not followed.
                Errno::LOOP | Errno::NOTDIR => not_a_folder(name),
                other => other.into(),
            })?;
        }
        Ok(Self { folder })
    }

    /// Opens the folder `below` of the folder `root`. Missing folders are made, one level at a time. `root` is absolute
    /// and has no symbolic links.
    ///
    /// # Errors
    /// The error of the file system; an error where `below` is not a path of names alone, or a part of it is a symbolic
    /// link or a file.
    #[cfg(not(unix))]
    pub fn open_or_create(root: &Path, below: &Path) -> io::Result<Self> {
        let mut path = root.to_owned();
        #[cfg(windows)]
        let root = crate::root_folder::RootFolder::at_path(root);
        #[cfg(windows)]
        let mut _pins = root.open_and_hold_folders_on_path(&path)?;
        for part in below.components() {
            let name = Path::new(name_of_component(part)?);
            path.push(name);
            match fs::create_dir(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            if !fs::symlink_metadata(&path)?.is_dir() {
                return Err(not_a_folder(name));
            }
            // What is held open can be exchanged no more before the next level is made.
            #[cfg(windows)]
            {
                _pins = root.open_and_hold_folders_on_path(&path)?;
            }
        }
        Ok(Self {
            #[cfg(windows)]
            _pins,
            path,
        })
    }

    /// Writes the new file `name`, completely or not at all.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something has the name; the errors of the file system.
    pub fn create_file(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        require_file_name(name)?;
        if self.exists(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.with_temporary_file(bytes, None, |temporary| self.rename_to_new_name(temporary, name))
    }

    /// Replaces the text of the regular file `name`, completely or not at all, if it is `text_before` until then. The
    /// file keeps its permissions. Returns whether it was replaced.
    ///
    /// # Errors
    /// An error where there is no such file, it is not regular, or has more than `limit` bytes; the errors of the file
    /// system.
    pub fn replace_file(&self, name: &str, text_before: &str, bytes: &[u8], limit: u64) -> io::Result<bool> {
        require_file_name(name)?;
        let (_, before) = self.open_regular_file(name)?;
        let mut is_replaced = false;
        self.with_temporary_file(bytes, Some(&before), |temporary| {
            // Compared last, so that hardly any time is left for an edit between this and the replacement.
            let (file, metadata) = self.open_regular_file(name)?;
            if read_unless_larger_than(file, &metadata, limit)? == text_before.as_bytes() {
                self.rename(temporary, name)?;
                is_replaced = true;
            }
            Ok(())
        })?;
        Ok(is_replaced)
    }

    /// Writes a temporary file and gives its name to `finish`. Then no temporary file is left.
    fn with_temporary_file(
        &self,
        bytes: &[u8],
        like: Option<&Metadata>,
        finish: impl FnOnce(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let (name, mut file) = self.create_temporary_file()?;
        let written = file
            .write_all(bytes)
            .and_then(|()| like.map_or(Ok(()), |like| file.set_permissions(like.permissions())))
            .and_then(|()| file.sync_all());
        drop(file);
        let finished = written.and_then(|()| finish(&name));
        // It is there still where it was not renamed; then an error of the removal says nothing of use.
        let _ = self.remove_file(&name);
        finished
    }

    fn create_temporary_file(&self) -> io::Result<(String, File)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut error = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..MAX_TEMPORARY_NAMES {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}{}-{number}{}", TEMPORARY_NAME.0, std::process::id(), TEMPORARY_NAME.1);
            match self.create_empty_file(&name) {
                Ok(file) => return Ok((name, file)),
                Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => error = taken,
                Err(other) => return Err(other),
            }
        }
        Err(error)
    }
}

#[cfg(unix)]
impl WritableFolder {
    fn exists(&self, name: &str) -> bool {
        rustix::fs::statat(&self.folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    fn open_regular_file(&self, name: &str) -> io::Result<(File, Metadata)> {
        crate::root_folder::open_regular_file_in_folder(&self.folder, name)
    }

    fn create_empty_file(&self, name: &str) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The permissions of an ordinary new file, which the user's umask restricts.
        Ok(File::from(rustix::fs::openat(&self.folder, name, flags, Mode::from_raw_mode(0o666))?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.folder, from, &self.folder, to)?)
    }

    fn rename_to_new_name(&self, from: &str, to: &str) -> io::Result<()> {
        use rustix::fs::AtFlags;
        use rustix::io::Errno;
        match rustix::fs::linkat(&self.folder, from, &self.folder, to, AtFlags::empty()) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(io::ErrorKind::AlreadyExists.into()),
            // Some file systems know no second name of a file.
            Err(_) if self.exists(to) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => self.rename(from, to),
        }
    }

    fn remove_file(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, name, rustix::fs::AtFlags::empty())?)
    }
}

#[cfg(not(unix))]
impl WritableFolder {
    fn exists(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path.join(name)).is_ok()
    }

    fn open_regular_file(&self, name: &str) -> io::Result<(File, Metadata)> {
        if fs::symlink_metadata(self.path.join(name))?.is_symlink() {
            return Err(io::Error::other("it is not a regular file"));
        }
        crate::regular_file::open_regular_file_following_links(&self.path.join(name))
    }

    fn create_empty_file(&self, name: &str) -> io::Result<File> {
        fs::OpenOptions::new().write(true).create_new(true).open(self.path.join(name))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn rename_to_new_name(&self, from: &str, to: &str) -> io::Result<()> {
        match fs::hard_link(self.path.join(from), self.path.join(to)) {
            // Some file systems know no second name of a file.
            Err(_) if !self.exists(to) => self.rename(from, to),
            Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Ok(()) => Ok(()),
        }
    }

    fn remove_file(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }
}

fn name_of_component(part: Component<'_>) -> io::Result<&std::ffi::OsStr> {
    match part {
        Component::Normal(name) => Ok(name),
        _ => Err(io::Error::other("it leads out of the root")),
    }
}

/// Requires that `name` is the name of a file, and no path.
fn require_file_name(name: &str) -> io::Result<()> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(only)), None) if only == name => Ok(()),
        _ => Err(io::Error::other("it is not the name of a file")),
    }
}

fn not_a_folder(name: &Path) -> io::Error {
    io::Error::other(format!("{} is a symbolic link or a file now, and no folder", name.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = dunce::canonicalize(folder.path()).expect("a path");
        fs::create_dir_all(path.join("root/docs")).expect("folders");
        fs::create_dir_all(path.join("outside")).expect("folders");
        (folder, path)
    }

    #[test]
    fn files_are_made_and_replaced_whole() {
        let (_keep, path) = tree();
        let root = path.join("root");
        let folder = WritableFolder::open_or_create(&root, Path::new("docs/deep/er")).expect("folders");
        folder.create_file("a.md", b"one").expect("written");
        let again = folder.create_file("a.md", b"two").expect_err("it is there");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        let file = root.join("docs/deep/er/a.md");
        assert_eq!(fs::read_to_string(&file).expect("a file"), "one");
        assert!(!folder.replace_file("a.md", "other", b"two", 100).expect("compared"));
        assert!(folder.replace_file("a.md", "one", b"two", 100).expect("replaced"));
        assert_eq!(fs::read_to_string(&file).expect("a file"), "two");
        assert!(folder.replace_file("b.md", "", b"two", 100).is_err());
        assert_eq!(fs::read_dir(root.join("docs/deep/er")).expect("a folder").count(), 1, "a temporary file is left");
        for name in ["../x.md", "a/b.md", "", "..", "/x.md", "a.md/"] {
            assert!(folder.create_file(name, b"x").is_err(), "{name}");
        }
        for below in ["..", "../outside", "docs/deep/er/a.md", "/tmp"] {
            assert!(WritableFolder::open_or_create(&root, Path::new(below)).is_err(), "{below}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_folder_that_became_a_link_is_followed() {
        let (_keep, path) = tree();
        let root = path.join("root");
        let opened = WritableFolder::open_or_create(&root, Path::new("docs")).expect("a folder");
        fs::rename(root.join("docs"), root.join("moved")).expect("renamed");
        std::os::unix::fs::symlink(path.join("outside"), root.join("docs")).expect("a link");
        for below in ["docs", "docs/deep/er"] {
            assert!(WritableFolder::open_or_create(&root, Path::new(below)).is_err(), "{below}");
        }
        // A folder that was opened before stays the same one.
        opened.create_file("a.md", b"one").expect("written");
        assert!(root.join("moved/a.md").is_file());
        std::os::unix::fs::symlink(path.join("outside/b.md"), root.join("moved/b.md")).expect("a link");
        assert!(opened.create_file("b.md", b"x").is_err());
        fs::write(path.join("outside/b.md"), "x").expect("a file");
        assert!(opened.replace_file("b.md", "x", b"y", 100).is_err());
        assert_eq!(fs::read_to_string(path.join("outside/b.md")).expect("a file"), "x");
        assert_eq!(fs::read_dir(path.join("outside")).expect("a folder").count(), 1);
    }
}
