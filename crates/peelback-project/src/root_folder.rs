//! `RootFolder`: the one door through which the files and folders of a project are opened.
//!
//! A path that was found inside the root says nothing about the moment of opening: meanwhile another process may have
//! exchanged a folder for a symbolic link that leads elsewhere. So nothing is opened by its absolute path. A file is
//! opened from the root folder downward, and no symbolic link is followed on the way.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::sync::{Mutex, PoisonError, RwLock, Weak};

#[cfg(unix)]
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
#[cfg(unix)]
use rustix::fs::{Mode, OFlags};
#[cfg(unix)]
use rustix::io::Errno;

use crate::regular_file::require_regular_file;

/// The root folder of a project. All values for one path share one open folder, so that files which a process remembers
/// from an earlier call are found in the folder that has the path now.
pub struct RootFolder {
    path: PathBuf,
    /// The open folder; `None` until the first use, and after another folder has taken the path.
    #[cfg(unix)]
    opened: RwLock<Option<Arc<OwnedFd>>>,
}

impl std::fmt::Debug for RootFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RootFolder").field(&self.path).finish()
    }
}

impl PartialEq for RootFolder {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for RootFolder {}

/// The root folders that are in use, by their paths.
#[cfg(unix)]
static FOLDERS_IN_USE: Mutex<Vec<(PathBuf, Weak<RootFolder>)>> = Mutex::new(Vec::new());

/// The flags of every opening: a FIFO does not wait for a writer, a terminal does not become the process's own, and a
/// program that this one starts does not inherit the file.
#[cfg(unix)]
const OPEN_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// The flags for opening a folder from which other files are opened.
#[cfg(target_os = "linux")]
pub(crate) const FOLDER_FLAGS: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// The flags for opening a folder from which other files are opened.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) const FOLDER_FLAGS: OFlags = OPEN_FLAGS.union(OFlags::DIRECTORY);

/// Whether every folder on a path is opened by itself, as on a system without `openat2`.
static OPENS_FOLDER_BY_FOLDER: AtomicBool = AtomicBool::new(false);

/// Sets whether the process opens every folder on a path by itself, as it does on a system without `openat2`, for a
/// process that compares both ways, such as a test.
pub fn set_openat2_disabled(opens_folder_by_folder: bool) {
    OPENS_FOLDER_BY_FOLDER.store(opens_folder_by_folder, Ordering::Relaxed);
}

/// The number of attempts to open a file where folders are renamed at the same moment; then each folder on the path is
/// opened by itself.
#[cfg(target_os = "linux")]
const MAX_OPEN_ATTEMPTS: usize = 4;

impl RootFolder {
    /// The root folder with an absolute path that has no symbolic links.
    #[cfg(unix)]
    pub fn at_path(path: &Path) -> Arc<Self> {
        let mut folders = FOLDERS_IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        folders.retain(|(_, folder)| folder.strong_count() > 0);
        let known = folders.iter().find(|(known, _)| known == path).and_then(|(_, folder)| folder.upgrade());
        let folder = known.unwrap_or_else(|| {
            let folder = Arc::new(Self { path: path.to_owned(), opened: RwLock::new(None) });
            folders.push((path.to_owned(), Arc::downgrade(&folder)));
            folder
        });
        drop(folders);
        folder.close_if_path_was_replaced();
        folder
    }

    /// The root folder with an absolute path that has no symbolic links.
    #[cfg(not(unix))]
    pub fn at_path(path: &Path) -> Arc<Self> {
        Arc::new(Self { path: path.to_owned() })
    }

    /// The absolute path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file below the root, from the root; `None` for a path outside the root. Both paths are compared
    /// byte by byte: neither has `.` or `..`.
    pub fn path_below_root<'a>(&self, absolute: &'a Path) -> Option<&'a Path> {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let root = self.path.as_os_str().as_bytes();
            let rest = absolute.as_os_str().as_bytes().strip_prefix(root)?;
            let below = match rest.strip_prefix(b"/") {
                Some(below) => below,
                None if rest.is_empty() || root.ends_with(b"/") => rest,
                None => return None,
            };
            Some(Path::new(std::ffi::OsStr::from_bytes(below)))
        }
        #[cfg(not(unix))]
        {
            absolute.strip_prefix(&self.path).ok()
        }
    }

    /// Opens a regular file below the root. `absolute` is its path without symbolic links.
    ///
    /// # Errors
    /// The error of the file system; an error for a file that is not regular, that is outside the root, or that a
    /// symbolic link now stands before.
    pub fn open_regular_file(&self, absolute: &Path) -> io::Result<(File, Metadata)> {
        #[cfg(unix)]
        let file = File::from(self.open_below(absolute, OPEN_FLAGS)?);
        #[cfg(windows)]
        let (_pins, file) = {
            let pins = self.open_and_hold_folders_on_path(absolute)?;
            (pins, File::open(absolute)?)
        };
        #[cfg(not(any(unix, windows)))]
        let file = File::open(absolute)?;
        require_regular_file(file)
    }

    /// The metadata of a regular file below the root; `absolute` is its path without symbolic links.
    ///
    /// # Errors
    /// The errors of [`RootFolder::open_regular_file`].
    pub fn metadata_of_regular_file(&self, absolute: &Path) -> io::Result<Metadata> {
        #[cfg(target_os = "linux")]
        {
            let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            require_regular_file(File::from(self.open_below(absolute, flags)?)).map(|(_, metadata)| metadata)
        }
        #[cfg(not(target_os = "linux"))]
        {
            self.open_regular_file(absolute).map(|(_, metadata)| metadata)
        }
    }

    /// Opens what stands at a path below the root, and each folder on the way, so that none can be exchanged while the
    /// returned files are open: the system renames and deletes nothing that is open without its leave. What is opened is
    /// no link, since each is looked at after it was opened; a link that is met is an error.
    #[cfg(windows)]
    pub fn open_and_hold_folders_on_path(&self, absolute: &Path) -> io::Result<Vec<File>> {
        use std::os::windows::fs::OpenOptionsExt;
        const SHARE_READ_AND_WRITE: u32 = 0x1 | 0x2;
        const BACKUP_SEMANTICS: u32 = 0x0200_0000;
        const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        let below = self.path_below_root(absolute).ok_or_else(|| io::Error::other("it is outside the project"))?;
        let pin = |path: &Path| {
            let mut options = std::fs::OpenOptions::new();
            options.read(true).share_mode(SHARE_READ_AND_WRITE);
            options.custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT);
            let file = options.open(path)?;
            if file.metadata()?.is_symlink() { Err(io::Error::other(REPLACED_BY_LINK)) } else { Ok(file) }
        };
        let mut path = self.path.clone();
        let mut pins = vec![pin(&path)?];
        for component in below.components() {
            path.push(component);
            pins.push(pin(&path)?);
        }
        Ok(pins)
    }

    /// Opens a folder below the root, or the root itself, to list it.
    #[cfg(unix)]
    pub fn open_folder(&self, absolute: &Path) -> io::Result<OwnedFd> {
        self.open_below(absolute, OPEN_FLAGS | OFlags::DIRECTORY)
    }

    /// Closes the open folder if the root's path leads to another one now.
    #[cfg(unix)]
    fn close_if_path_was_replaced(&self) {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(opened) = opened else { return };
        let identity = |state: rustix::fs::Stat| (state.st_dev, state.st_ino);
        let now = rustix::fs::stat(&self.path).map(identity);
        if now.is_err() || now != rustix::fs::fstat(&opened).map(identity) {
            *self.opened.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    #[cfg(unix)]
    fn folder_handle(&self) -> Result<Arc<OwnedFd>, Errno> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(opened) = opened {
            return Ok(opened);
        }
        let opened = Arc::new(rustix::fs::open(&self.path, FOLDER_FLAGS, Mode::empty())?);
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = Some(opened.clone());
        Ok(opened)
    }

    #[cfg(unix)]
    fn open_below(&self, absolute: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let below = self.path_below_root(absolute).ok_or_else(|| io::Error::other("it is outside the project"))?;
        let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        open_path_below_folder(self.folder_handle()?.as_fd(), below, flags).map_err(describe_open_error)
    }
}

/// The message where a link is met on a path that had none when it was resolved.
#[cfg(any(unix, windows))]
const REPLACED_BY_LINK: &str = "a folder or file of this path was replaced by a symbolic link meanwhile: call again";

/// The error for the user: a symbolic link on the path means that the path was another one when it was resolved.
#[cfg(unix)]
fn describe_open_error(error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::XDEV => io::Error::other(REPLACED_BY_LINK),
        other => other.into(),
    }
}

/// Opens a path below an open folder without following a symbolic link.
#[cfg(target_os = "linux")]
fn open_path_below_folder(folder: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let attempts = if OPENS_FOLDER_BY_FOLDER.load(Ordering::Relaxed) { 0 } else { MAX_OPEN_ATTEMPTS };
    for _ in 0..attempts {
        match rustix::fs::openat2(folder, below, flags, Mode::empty(), resolve) {
            // A rename somewhere in the system made the check uncertain.
            Err(Errno::AGAIN) => {}
            // The kernel is older than 5.6, or a sandbox does not know the call.
            Err(Errno::NOSYS) => {
                set_openat2_disabled(true);
                break;
            }
            Err(Errno::PERM) => break,
            result => return result,
        }
    }
    open_path_folder_by_folder(folder, below, flags)
}

/// Opens a path below an open folder without following a symbolic link.
#[cfg(all(unix, not(target_os = "linux")))]
fn open_path_below_folder(folder: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    open_path_folder_by_folder(folder, below, flags)
}

/// Opens a path below an open folder: each folder on the path by itself, from the one before it.
#[cfg(unix)]
fn open_path_folder_by_folder(folder: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use std::path::Component;
    let mut last: Option<OwnedFd> = None;
    let mut components = below.components().peekable();
    while let Some(component) = components.next() {
        let name = match component {
            Component::Normal(name) => name,
            Component::CurDir => continue,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        };
        let parent = last.as_ref().map_or(folder, AsFd::as_fd);
        if components.peek().is_none() {
            return rustix::fs::openat(parent, name, flags | OFlags::NOFOLLOW, Mode::empty());
        }
        last = Some(rustix::fs::openat(parent, name, FOLDER_FLAGS, Mode::empty())?);
    }
    rustix::fs::openat(folder, ".", flags, Mode::empty())
}

/// Opens the file `name` of an open folder, if it is regular and no symbolic link.
///
/// # Errors
/// The error of the file system (`ELOOP` for a symbolic link); an error for a file that is not regular.
#[cfg(unix)]
pub fn open_regular_file_in_folder(folder: &OwnedFd, name: &str) -> io::Result<(File, Metadata)> {
    require_regular_file(File::from(rustix::fs::openat(folder, name, OPEN_FLAGS, Mode::empty())?))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    fn text_of(file: File) -> String {
        let mut text = String::new();
        { file }.read_to_string(&mut text).expect("text");
        text
    }

    fn tree() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = dunce::canonicalize(folder.path()).expect("a path");
        std::fs::create_dir_all(path.join("root/d")).expect("folders");
        std::fs::create_dir_all(path.join("outside")).expect("folders");
        std::fs::write(path.join("root/d/f"), "inside").expect("a file");
        std::fs::write(path.join("outside/f"), "outside").expect("a file");
        (folder, path)
    }

    #[test]
    fn links_are_not_followed() {
        let (_keep, path) = tree();
        let root = RootFolder::at_path(&path.join("root"));
        symlink("../outside", path.join("root/away")).expect("a link");
        symlink("d", path.join("root/near")).expect("a link");
        symlink("d/f", path.join("root/file")).expect("a link");
        let (file, metadata) = root.open_regular_file(&path.join("root/d/f")).expect("a file");
        assert_eq!((text_of(file).as_str(), metadata.len()), ("inside", 6));
        assert_eq!(root.metadata_of_regular_file(&path.join("root/d/f")).expect("there").len(), 6);
        for refused in ["root/away/f", "root/near/f", "root/file", "outside/f", "root/d", "root/../outside/f"] {
            assert!(root.open_regular_file(&path.join(refused)).is_err(), "{refused}");
            assert!(root.metadata_of_regular_file(&path.join(refused)).is_err(), "{refused}");
        }
        assert!(root.open_folder(&path.join("root")).is_ok());
        assert!(root.open_folder(&path.join("root/near")).is_err());
    }

    /// Both ways to open a file, while the folder is exchanged for a link that leads out.
    #[test]
    fn no_way_of_opening_leaves_the_root_while_a_folder_is_exchanged() {
        let (_keep, path) = tree();
        symlink("../outside", path.join("root/link")).expect("a link");
        let folder = rustix::fs::open(path.join("root"), FOLDER_FLAGS, Mode::empty()).expect("a folder");
        let done = AtomicBool::new(false);
        let ways = [open_path_below_folder, open_path_folder_by_folder];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let [d, spare, link] = ["root/d", "root/spare", "root/link"].map(|name| path.join(name));
                while !done.load(Ordering::Relaxed) {
                    std::fs::rename(&d, &spare).expect("a rename");
                    std::fs::rename(&link, &d).expect("a rename");
                    std::fs::rename(&d, &link).expect("a rename");
                    std::fs::rename(&spare, &d).expect("a rename");
                }
            });
            let mut read = 0;
            for turn in 0..20_000 {
                if let Ok(file) = ways[turn % 2](folder.as_fd(), Path::new("d/f"), OPEN_FLAGS) {
                    assert_eq!(text_of(File::from(file)), "inside");
                    read += 1;
                }
            }
            done.store(true, Ordering::Relaxed);
            assert!(read > 0, "the file was never read");
        });
    }

    #[test]
    fn another_folder_at_the_path_is_seen_by_the_next_call() {
        let (_keep, path) = tree();
        let root = RootFolder::at_path(&path.join("root"));
        assert!(root.open_regular_file(&path.join("root/d/f")).is_ok());
        std::fs::rename(path.join("root"), path.join("old")).expect("a rename");
        std::fs::create_dir_all(path.join("root/d")).expect("a folder");
        std::fs::write(path.join("root/d/f"), "new").expect("a file");
        let again = RootFolder::at_path(&path.join("root"));
        assert!(Arc::ptr_eq(&root, &again));
        assert_eq!(text_of(root.open_regular_file(&path.join("root/d/f")).expect("a file").0), "new");
    }
}
