//! The cache file: opens it, checks it, sets a bad file aside, reports its status and clears it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::disk::is_busy;
use crate::signature::{Signature, now};

/// The file name of the cache. A new table layout needs a new name, because several versions of the program share the
/// folder.
const NAME: &str = "facts-2.sqlite";

/// The lock file in the cache folder, locked while a cache file is created or set aside.
const LOCK_NAME: &str = "facts.lock";

/// The SQLite application id of the cache file: "peel" in ASCII.
const APPLICATION: i32 = 0x7065_656c;

/// The version of the table layout.
const LAYOUT: i32 = 2;

const TABLES: &str = "
    CREATE TABLE facts (id INTEGER PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE uses (id INTEGER PRIMARY KEY, day INTEGER NOT NULL, worth INTEGER NOT NULL, bytes INTEGER NOT NULL);
    CREATE TABLE fingerprints (root INTEGER, path TEXT, value BLOB NOT NULL, PRIMARY KEY (root, path)) WITHOUT ROWID;
    CREATE TABLE roots (root INTEGER PRIMARY KEY, path TEXT NOT NULL, day INTEGER NOT NULL);
";

/// The consequence of an SQLite error for the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Another process has locked the file; a later attempt can succeed.
    Busy,
    /// The file is damaged, or is no cache of this program.
    Damaged,
    /// The disk is full, or the folder is not writable.
    Unusable,
}

/// Classifies an SQLite error.
pub(super) fn fault(error: &rusqlite::Error) -> Fault {
    match error.sqlite_error_code() {
        _ if is_busy(error) => Fault::Busy,
        Some(
            ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::AuthorizationForStatementDenied
            | ErrorCode::SystemIoFailure
            | ErrorCode::OutOfMemory
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::NoLargeFileSupport
            | ErrorCode::OperationInterrupted
            | ErrorCode::OperationAborted,
        ) => Fault::Unusable,
        // A corrupted file, another program's file, or unknown tables or types.
        _ => Fault::Damaged,
    }
}

/// The open cache file.
pub(super) struct CacheFile {
    pub connection: Connection,
    folder: PathBuf,
    /// The device and inode of the file. Another process may have replaced the file since it was opened.
    identity: Option<(u64, u64)>,
}

/// Why the cache could not be opened.
#[derive(Debug)]
pub(super) struct NoCache {
    /// The reason for the user; `None` if other processes have locked the file for the moment.
    pub reason: Option<String>,
}

impl From<io::Error> for NoCache {
    fn from(error: io::Error) -> Self {
        Self { reason: (error.kind() != io::ErrorKind::WouldBlock).then(|| error.to_string()) }
    }
}

impl CacheFile {
    /// Opens the cache in a folder, or creates one. A file that is no valid cache is set aside first; the returned text
    /// reports this to the user.
    pub fn open(folder: &Path, patience: Duration) -> Result<(Self, Option<String>), NoCache> {
        make_folder(folder)?;
        let mut notice = None;
        for _ in 0..2 {
            let (file, error) = match Self::connect(folder, patience) {
                Ok(file) => match file.checked(patience) {
                    Ok(()) => return Ok((file, notice)),
                    Err(error) => (Some(file), error),
                },
                Err(error) => (None, error),
            };
            match fault(&error) {
                Fault::Busy => return Err(NoCache { reason: None }),
                Fault::Unusable => return Err(NoCache { reason: Some(error.to_string()) }),
                Fault::Damaged => notice = Some(set_aside(folder, file, patience)?),
            }
        }
        Err(NoCache { reason: Some("what was begun anew is damaged too".to_owned()) })
    }

    fn connect(folder: &Path, patience: Duration) -> rusqlite::Result<Self> {
        let path = folder.join(NAME);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        connection.busy_timeout(patience)?;
        let identity = identity(&path);
        Ok(Self { connection, folder: folder.to_owned(), identity })
    }

    /// Checks that the file is a cache of this program; an empty file is initialised as one.
    fn checked(&self, patience: Duration) -> rusqlite::Result<()> {
        if self.connection.is_readonly("main")? {
            return Err(failure(rusqlite::ffi::SQLITE_READONLY));
        }
        let number = |name: &str| self.connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        if (number("application_id")?, number("user_version")?) != (APPLICATION, LAYOUT) {
            // One process creates the tables; other processes wait for it.
            let _lock = exclusive(&self.folder, patience).map_err(|_| failure(rusqlite::ffi::SQLITE_BUSY))?;
            match (number("application_id")?, number("user_version")?) {
                (APPLICATION, LAYOUT) => {}
                (0, 0) if self.is_empty()? => self.make_tables()?,
                _ => return Err(rusqlite::Error::InvalidQuery),
            }
        }
        // No waiting for the disk: losing the last values costs only time. The tables stay intact unless the machine
        // itself crashes, and then the damaged file is detected.
        self.connection.pragma_update(None, "synchronous", "OFF")?;
        self.connection.pragma_update(None, "journal_size_limit", 32 << 20)?;
        self.connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
        self.connection.pragma_update(None, "cache_size", -4_000)?;
        // The schema of a file from another program must never run code.
        self.connection.pragma_update(None, "trusted_schema", "OFF")?;
        // Without this setting, SQLite would plan the statement anew for each value looked up.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // A query over all tables fails if the file lacks one, and then it is no cache of this program.
        self.connection.prepare("SELECT value, day, worth, bytes FROM facts JOIN uses USING (id) LIMIT 0")?;
        self.connection.prepare("SELECT fingerprints.value, roots.day FROM fingerprints, roots LIMIT 0")?;
        Ok(())
    }

    fn is_empty(&self) -> rusqlite::Result<bool> {
        self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)).map(|n| n == 0)
    }

    fn make_tables(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "page_size", 4096)?;
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        self.connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {LAYOUT}; COMMIT;"
        ))
    }

    /// Moves the file away and returns the message for the user.
    pub fn set_aside(self, patience: Duration) -> Result<String, NoCache> {
        let folder = self.folder.clone();
        set_aside(&folder, Some(self), patience)
    }
}

fn failure(code: std::ffi::c_int) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)
}

/// Creates the folder with access for its owner only, because the cache contains names from private code.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let signature = Signature::of(&fs::symlink_metadata(path).ok()?)?;
    Some((signature.device, signature.inode))
}

/// Locks the right to create or set aside the cache file. The lock ends when it is dropped or its process exits.
fn exclusive(folder: &Path, patience: Duration) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK_NAME))?;
    let until = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(io::Error::from(io::ErrorKind::WouldBlock));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// Renames a bad file, replacing the one that was set aside before, and returns the message for the user. SQLite does
/// not touch the journal of a file that was moved while open, so processes that still use the old file do not harm the
/// new one.
fn set_aside(folder: &Path, file: Option<CacheFile>, patience: Duration) -> Result<String, NoCache> {
    let _lock = exclusive(folder, patience)?;
    let path = folder.join(NAME);
    let was_replaced = file.as_ref().is_some_and(|file| file.identity.is_some() && identity(&path) != file.identity);
    // Closed before the renaming: the last process to close a file deletes its journals by name.
    drop(file);
    let seconds = now() / 1_000_000_000;
    let aside = folder.join(format!("{NAME}.broken-{seconds}"));
    if !was_replaced {
        for old in broken(folder) {
            fs::remove_file(old)?;
        }
        fs::rename(&path, &aside)?;
        for journal in journals(folder) {
            // A missing journal is no error.
            let _ = fs::remove_file(journal);
        }
    }
    let shown = aside.display();
    Ok(if was_replaced {
        "the cache was damaged; another process has begun a new one".to_owned()
    } else {
        format!("the cache was damaged: it was set aside as {shown}, and a new one begun")
    })
}

/// The files that were set aside.
fn broken(folder: &Path) -> Vec<PathBuf> {
    let beginning = format!("{NAME}.broken-");
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let is_broken = |name: &str| name.starts_with(&beginning);
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_broken)).map(|entry| entry.path()).collect()
}

fn journals(folder: &Path) -> [PathBuf; 3] {
    ["-wal", "-shm", "-journal"].map(|end| folder.join(format!("{NAME}{end}")))
}

/// The size in bytes of the pages in use.
pub(super) fn held_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    Ok(u64::try_from(pages * number("page_size")?).unwrap_or(0))
}

/// The status of a disk cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheStatus {
    /// The path of the cache file.
    pub path: PathBuf,
    /// Whether the file exists and can be used, or else the reason why not, as text for the user.
    pub usable: Result<(), String>,
    /// The size in bytes of the file with its journals.
    pub size_bytes: u64,
    /// The number of contents with cached facts, from all versions of the analysis.
    pub contents: u64,
    /// The number of files with a cached fingerprint.
    pub files: u64,
    /// The number of projects that those files belong to.
    pub projects: u64,
    /// The paths of damaged files that were set aside.
    pub set_aside: Vec<PathBuf>,
}

impl CacheStatus {
    /// Reads the status of the cache in a folder without creating anything.
    pub fn of(folder: &Path) -> Self {
        let path = folder.join(NAME);
        let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let size_bytes = size(&path) + journals(folder).iter().map(|path| size(path)).sum::<u64>();
        let mut status = Self {
            path: path.clone(),
            usable: Err("there is none yet".to_owned()),
            size_bytes,
            contents: 0,
            files: 0,
            projects: 0,
            set_aside: broken(folder),
        };
        if path.exists() {
            status.usable = status.count(folder).map_err(|error| error.to_string());
        }
        status
    }

    fn count(&mut self, folder: &Path) -> rusqlite::Result<()> {
        let file = CacheFile::connect(folder, Duration::from_secs(1))?;
        file.checked(Duration::from_secs(1))?;
        let count = |what: &str| {
            let count = file.connection.query_row(&format!("SELECT count(*) FROM {what}"), [], |row| row.get(0));
            count.map(|count: i64| u64::try_from(count).unwrap_or(0))
        };
        self.contents = count("uses WHERE worth = 0")?;
        self.files = count("fingerprints")?;
        self.projects = count("roots")?;
        Ok(())
    }
}

/// Empties the cache in a folder, even while other processes use it, and deletes files that were set aside. Returns the
/// number of bytes freed.
///
/// # Errors
/// The error of the file system or of SQLite.
pub fn clear_cache(folder: &Path) -> io::Result<u64> {
    const PATIENCE: Duration = Duration::from_secs(5);
    let size = || CacheStatus::of(folder).size_bytes;
    let broken = broken(folder);
    let before = size() + broken.iter().filter_map(|path| fs::metadata(path).ok()).map(|m| m.len()).sum::<u64>();
    for path in &broken {
        fs::remove_file(path)?;
    }
    if folder.join(NAME).exists() {
        let emptied = CacheFile::connect(folder, PATIENCE).and_then(|file| {
            file.checked(PATIENCE)?;
            file.connection.execute_batch(
                "BEGIN IMMEDIATE; DELETE FROM facts; DELETE FROM uses; DELETE FROM fingerprints; DELETE FROM roots; COMMIT;
                 VACUUM; PRAGMA wal_checkpoint(TRUNCATE);",
            )
        });
        match emptied {
            Ok(()) => {}
            Err(error) if fault(&error) == Fault::Damaged => {
                let _lock = exclusive(folder, PATIENCE)?;
                fs::remove_file(folder.join(NAME))?;
                for journal in journals(folder) {
                    let _ = fs::remove_file(journal);
                }
            }
            Err(error) => return Err(io::Error::other(error.to_string())),
        }
    }
    Ok(before.saturating_sub(size()))
}
