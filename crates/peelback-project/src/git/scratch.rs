//! Temporary folders for clones, removed when they are dropped, when the process ends by a signal, and after a crash.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::runner::terminate_all_git_processes;
use crate::regular_file::open_regular_file_to_lock;

/// The beginning of a scratch folder's name; the id of the process that created the folder follows.
const NAME_PREFIX: &str = "peelback-clone-";

/// The name of the file in a scratch folder that the owning process holds locked.
const LOCK_FILE_NAME: &str = ".lock";

/// The name of the folder, inside a scratch folder, with git's template for the clone. The name of a clone never begins
/// with a dot.
const TEMPLATE_FOLDER_NAME: &str = ".template";

/// The git attributes of a clone, which override those of the repository: git writes files as they are stored. A filter
/// is a program, and the repository would choose among the filters that the user has set up.
const ATTRIBUTES: &str = "* -filter -text -ident -working-tree-encoding\n";

/// The age up to which a scratch folder without a lock file stays, because another process may still be creating it.
const CONSTRUCTION_TIME: Duration = Duration::from_secs(600);

/// The maximum number of attempts to remove a folder that another process still writes into.
const REMOVAL_ATTEMPTS: usize = 20;

/// The paths of the scratch folders that this process has created and not yet removed.
static SCRATCH_FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary folder that only its owner can read. Dropping the value removes the folder with its contents; a lock
/// file tells other processes that the folder is in use.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: TempDir,
    /// The locked file that shows that the folder is in use. The lock is released once the folder is gone.
    lock: Option<File>,
}

fn lock_scratch_folder_list() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    SCRATCH_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes a folder with its contents, with further attempts where a file was added during the removal.
fn remove_folder_with_retries(folder: &Path) {
    for _ in 0..REMOVAL_ATTEMPTS {
        // Another thread may remove the folder at the same time: a folder that is gone counts as removed.
        if fs::remove_dir_all(folder).is_ok() || fs::symlink_metadata(folder).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // The list forgets the folder after the removal, so that a signal during the removal still removes the rest.
        remove_folder_with_retries(self.folder.path());
        lock_scratch_folder_list().remove(self.folder.path());
        drop(self.lock.take());
    }
}

/// Ends every git of this process and removes all its scratch folders, those in use too: for the end of the process by
/// a signal, which drops no value. Any thread may call this function, more than once. Folders that are created later
/// are not affected. The call takes at most two seconds where git does not end.
pub fn terminate_git_and_remove_scratch_folders() {
    terminate_all_git_processes();
    let paths: Vec<PathBuf> = lock_scratch_folder_list().iter().cloned().collect();
    for path in paths {
        remove_folder_with_retries(&path);
        lock_scratch_folder_list().remove(&path);
    }
}

impl ScratchFolder {
    /// Creates a scratch folder in `parent` and locks it.
    ///
    /// # Errors
    /// The error of the file system; nothing is left behind.
    pub fn create_and_lock(parent: &Path) -> io::Result<Self> {
        let prefix = format!("{NAME_PREFIX}{}-", std::process::id());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o700));
        }
        let folder = builder.tempdir_in(parent)?;
        lock_scratch_folder_list().insert(folder.path().to_owned());
        // From this line on, dropping the value removes the folder after an error.
        let mut scratch = Self { folder, lock: None };
        let lock = File::create_new(scratch.path().join(LOCK_FILE_NAME))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
        })?;
        let information = scratch.path().join(TEMPLATE_FOLDER_NAME).join("info");
        fs::create_dir_all(&information)?;
        fs::write(information.join("attributes"), ATTRIBUTES)?;
        scratch.lock = Some(lock);
        Ok(scratch)
    }

    /// The path of the scratch folder, absolute where the path of its parent is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The `--template` option for git, from a working folder that is `levels_down` levels below the scratch folder.
    /// The template contains no hooks, and attributes that disable filters.
    pub fn git_template_option(levels_down: usize) -> String {
        format!("--template={}{TEMPLATE_FOLDER_NAME}", "../".repeat(levels_down))
    }
}

/// Removes the scratch folders in `parent` whose process ended without removing them, and returns the removed paths in
/// alphabetical order. Folders of a living process and folders that cannot be removed stay.
pub fn remove_orphaned_scratch_folders(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    let mut removed: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(NAME_PREFIX))
        // `file_type` describes the entry itself: a symbolic link is not followed.
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .filter(|folder| remove_scratch_folder_if_orphaned(folder))
        .collect();
    removed.sort();
    removed
}

/// Removes one scratch folder unless a living process owns it; returns whether the folder was removed.
fn remove_scratch_folder_if_orphaned(folder: &Path) -> bool {
    match open_regular_file_to_lock(&folder.join(LOCK_FILE_NAME), false) {
        // The lock is held until the folder is gone, so that two processes do not remove the same folder.
        Ok(lock) => lock.try_lock().is_ok() && fs::remove_dir_all(folder).is_ok(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let modified = fs::metadata(folder).and_then(|metadata| metadata.modified());
            let age = modified.ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
            age.is_some_and(|age| age > CONSTRUCTION_TIME) && fs::remove_dir_all(folder).is_ok()
        }
        Err(_) => false,
    }
}
