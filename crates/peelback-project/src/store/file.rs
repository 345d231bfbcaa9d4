//! The SQLite file of the disk cache: opens it, checks it, sets a damaged file aside, reports its status and clears it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::disk::is_lock_error;
use crate::regular_file::open_regular_file_to_lock;
use crate::signature::{FileSignature, current_unix_nanoseconds};

/// The file name of the cache. A new table layout needs a new name, because several versions of the program share the
/// folder.
const CACHE_FILE_NAME: &str = "facts-2.sqlite";

/// The lock file in the cache folder, locked while a cache file is created or set aside.
const LOCK_FILE_NAME: &str = "facts.lock";

/// The SQLite application id of the cache file: "peel" in ASCII.
const APPLICATION_ID: i32 = 0x7065_656c;

/// The size in bytes to which the journal is cut. It is written back from half of it on.
pub(super) const MAX_JOURNAL_BYTES: u32 = 32 << 20;

/// The version of the table layout.
const LAYOUT_VERSION: i32 = 2;

const CREATE_TABLES_SQL: &str = "
    CREATE TABLE facts (id INTEGER PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE uses (id INTEGER PRIMARY KEY, day INTEGER NOT NULL, worth INTEGER NOT NULL, bytes INTEGER NOT NULL);
    CREATE TABLE fingerprints (root INTEGER, path TEXT, value BLOB NOT NULL, PRIMARY KEY (root, path)) WITHOUT ROWID;
    CREATE TABLE roots (root INTEGER PRIMARY KEY, path TEXT NOT NULL, day INTEGER NOT NULL);
";

/// The consequence of an SQLite error for the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheFault {
    /// Another process has locked the file; a later attempt can succeed.
    Busy,
    /// The file is damaged, or is no cache of this program.
    Damaged,
    /// The disk is full, or the folder is not writable.
    Unusable,
}

/// Decides what an SQLite error means for the cache.
pub(super) fn classify_sqlite_error(error: &rusqlite::Error) -> CacheFault {
    match error.sqlite_error_code() {
        _ if is_lock_error(error) => CacheFault::Busy,
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
        ) => CacheFault::Unusable,
        // A corrupted file, another program's file, or unknown tables or types.
        _ => CacheFault::Damaged,
    }
}

/// An open cache file with its SQLite connection.
pub(super) struct CacheFile {
    pub connection: Connection,
    folder: PathBuf,
    /// The device and inode numbers of the file. Another process may have replaced the file since it was opened.
    identity: Option<(u64, u64)>,
}

/// Why the cache file could not be opened.
#[derive(Debug)]
pub(super) struct CacheUnavailable {
    /// The reason for the user; `None` if other processes have locked the file for the moment.
    pub reason: Option<String>,
}

impl From<io::Error> for CacheUnavailable {
    fn from(error: io::Error) -> Self {
        Self { reason: (error.kind() != io::ErrorKind::WouldBlock).then(|| error.to_string()) }
    }
}

impl CacheFile {
    /// Opens the cache in a folder, or creates one. A file that is no valid cache is set aside first; the returned text
    /// reports this to the user.
    pub fn open_or_create_replacing_damaged(
        folder: &Path,
        lock_timeout: Duration,
    ) -> Result<(Self, Option<String>), CacheUnavailable> {
        create_private_folder(folder)?;
        check_cache_files_are_regular(folder)?;
        let mut notice = None;
        for _ in 0..2 {
            let (file, error) = match Self::open_unchecked(folder, lock_timeout) {
                Ok(file) => match file.check_or_initialize(lock_timeout) {
                    Ok(()) => return Ok((file, notice)),
                    Err(error) => (Some(file), error),
                },
                Err(error) => (None, error),
            };
            match classify_sqlite_error(&error) {
                CacheFault::Busy => return Err(CacheUnavailable { reason: None }),
                CacheFault::Unusable => return Err(CacheUnavailable { reason: Some(error.to_string()) }),
                CacheFault::Damaged => notice = Some(move_damaged_cache_file_aside(folder, file, lock_timeout)?),
            }
        }
        Err(CacheUnavailable { reason: Some("the new cache is damaged too".to_owned()) })
    }

    fn open_unchecked(folder: &Path, lock_timeout: Duration) -> rusqlite::Result<Self> {
        let path = folder.join(CACHE_FILE_NAME);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        connection.busy_timeout(lock_timeout)?;
        let identity = device_and_inode_of_file(&path);
        Ok(Self { connection, folder: folder.to_owned(), identity })
    }

    /// Checks that the file is a cache of this program; an empty file is initialised as one.
    fn check_or_initialize(&self, lock_timeout: Duration) -> rusqlite::Result<()> {
        if self.connection.is_readonly("main")? {
            return Err(sqlite_error_from_code(rusqlite::ffi::SQLITE_READONLY));
        }
        let pragma_number = |name: &str| self.connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        if (pragma_number("application_id")?, pragma_number("user_version")?) != (APPLICATION_ID, LAYOUT_VERSION) {
            // One process creates the tables; other processes wait for it.
            let _lock = acquire_cache_creation_lock(&self.folder, lock_timeout)
                .map_err(|_| sqlite_error_from_code(rusqlite::ffi::SQLITE_BUSY))?;
            match (pragma_number("application_id")?, pragma_number("user_version")?) {
                (APPLICATION_ID, LAYOUT_VERSION) => {}
                (0, 0) if self.has_no_tables()? => self.create_tables()?,
                _ => return Err(rusqlite::Error::InvalidQuery),
            }
        }
        // No waiting for the disk: losing the last values costs only time. The tables stay intact unless the machine
        // itself crashes, and then the damaged file is detected.
        self.connection.pragma_update(None, "synchronous", "OFF")?;
        self.connection.pragma_update(None, "journal_size_limit", MAX_JOURNAL_BYTES)?;
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

    fn has_no_tables(&self) -> rusqlite::Result<bool> {
        self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)).map(|n| n == 0)
    }

    fn create_tables(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "page_size", 4096)?;
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        self.connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {CREATE_TABLES_SQL} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {LAYOUT_VERSION}; COMMIT;"
        ))
    }

    /// Has the journal written back as soon as it has so many bytes.
    pub fn write_journal_back_from(&self, bytes: u64) {
        let pages = i64::try_from(bytes / 4096).unwrap_or(i64::MAX).clamp(1, 4_000);
        // With the journal that SQLite has without it, the cache works as well.
        let _ = self.connection.pragma_update(None, "wal_autocheckpoint", pages);
    }

    /// Deletes this cache file, so that a new one is begun.
    pub fn delete(self, lock_timeout: Duration) -> Result<(), CacheUnavailable> {
        let Self { connection, folder, identity } = self;
        let _lock = acquire_cache_creation_lock(&folder, lock_timeout)?;
        let path = folder.join(CACHE_FILE_NAME);
        let was_replaced = identity.is_some() && device_and_inode_of_file(&path) != identity;
        // Closed before the deletion: the last process to close a file deletes its journals by name.
        drop(connection);
        if !was_replaced {
            fs::remove_file(&path)?;
            for journal in cache_journal_paths(&folder) {
                // A missing journal file is no error.
                let _ = fs::remove_file(journal);
            }
        }
        Ok(())
    }

    /// Renames this damaged cache file and returns a message about it for the user.
    pub fn move_aside(self, lock_timeout: Duration) -> Result<String, CacheUnavailable> {
        let folder = self.folder.clone();
        move_damaged_cache_file_aside(&folder, Some(self), lock_timeout)
    }
}

fn sqlite_error_from_code(code: std::ffi::c_int) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)
}

/// Creates the folder with access for its owner only, because the cache contains names from private code.
fn create_private_folder(folder: &Path) -> io::Result<()> {
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

/// Fails where a file that SQLite would open, or the lock file, exists and is not regular.
fn check_cache_files_are_regular(folder: &Path) -> io::Result<()> {
    let files =
        [CACHE_FILE_NAME, LOCK_FILE_NAME].map(|name| folder.join(name)).into_iter().chain(cache_journal_paths(folder));
    for file in files {
        if fs::metadata(&file).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::other(format!("{} is not a regular file", file.display())));
        }
    }
    Ok(())
}

fn device_and_inode_of_file(path: &Path) -> Option<(u64, u64)> {
    let signature = FileSignature::from_metadata(&fs::symlink_metadata(path).ok()?)?;
    Some((signature.device, signature.inode))
}

/// Acquires the lock that a process needs to create the cache file or set it aside. The lock ends when the returned
/// file is dropped or the process exits.
fn acquire_cache_creation_lock(folder: &Path, lock_timeout: Duration) -> io::Result<File> {
    let file = open_regular_file_to_lock(&folder.join(LOCK_FILE_NAME), true)?;
    let until = Instant::now() + lock_timeout;
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

/// Renames a damaged cache file, replacing the one that was set aside before, and returns a message about it for the
/// user. SQLite does not touch the journal of a file that was moved while open, so processes that still use the old
/// file do not harm the new one.
fn move_damaged_cache_file_aside(
    folder: &Path,
    file: Option<CacheFile>,
    lock_timeout: Duration,
) -> Result<String, CacheUnavailable> {
    let _lock = acquire_cache_creation_lock(folder, lock_timeout)?;
    let path = folder.join(CACHE_FILE_NAME);
    let was_replaced =
        file.as_ref().is_some_and(|file| file.identity.is_some() && device_and_inode_of_file(&path) != file.identity);
    // Closed before the renaming: the last process to close a file deletes its journals by name.
    drop(file);
    let seconds = current_unix_nanoseconds() / 1_000_000_000;
    let damaged_path = folder.join(format!("{CACHE_FILE_NAME}.broken-{seconds}"));
    if !was_replaced {
        for old in damaged_cache_file_paths(folder) {
            fs::remove_file(old)?;
        }
        fs::rename(&path, &damaged_path)?;
        for journal in cache_journal_paths(folder) {
            // A missing journal file is no error.
            let _ = fs::remove_file(journal);
        }
    }
    let shown = damaged_path.display();
    Ok(if was_replaced {
        "the cache was damaged; another process has created a new one".to_owned()
    } else {
        format!("the cache was damaged: it was moved to {shown}, and a new one was created")
    })
}

/// The paths of the damaged cache files in a folder that were set aside.
fn damaged_cache_file_paths(folder: &Path) -> Vec<PathBuf> {
    let beginning = format!("{CACHE_FILE_NAME}.broken-");
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let is_broken = |name: &str| name.starts_with(&beginning);
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_broken)).map(|entry| entry.path()).collect()
}

fn cache_journal_paths(folder: &Path) -> [PathBuf; 3] {
    ["-wal", "-shm", "-journal"].map(|end| folder.join(format!("{CACHE_FILE_NAME}{end}")))
}

/// The size in bytes of the cache file, without its journal.
pub(super) fn sqlite_file_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let pragma_number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok(u64::try_from(pragma_number("page_count")? * pragma_number("page_size")?).unwrap_or(0))
}

/// The size in bytes of the database pages in use in the cache file.
pub(super) fn used_sqlite_page_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let pragma_number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = pragma_number("page_count")? - pragma_number("freelist_count")?;
    Ok(u64::try_from(pages * pragma_number("page_size")?).unwrap_or(0))
}

/// The status of a disk cache: its path, its size and the numbers of its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheStatus {
    /// The path of the cache file.
    pub path: PathBuf,
    /// Whether the cache file exists and can be used, or else the reason why not, as text for the user.
    pub usable: Result<(), String>,
    /// The size in bytes of the cache file with its journals.
    pub size_bytes: u64,
    /// The number of file contents with cached facts, from all versions of the analysis.
    pub contents: u64,
    /// The number of files with a cached fingerprint.
    pub files: u64,
    /// The number of projects that those files belong to.
    pub projects: u64,
    /// The paths of damaged files that were set aside.
    pub damaged_files: Vec<PathBuf>,
}

impl CacheStatus {
    /// Reads the status of the cache in a folder without creating anything.
    pub fn read_from_folder(folder: &Path) -> Self {
        let path = folder.join(CACHE_FILE_NAME);
        let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let size_bytes = size(&path) + cache_journal_paths(folder).iter().map(|path| size(path)).sum::<u64>();
        let mut status = Self {
            path: path.clone(),
            usable: Err("there is none yet".to_owned()),
            size_bytes,
            contents: 0,
            files: 0,
            projects: 0,
            damaged_files: damaged_cache_file_paths(folder),
        };
        if let Err(error) = check_cache_files_are_regular(folder) {
            status.usable = Err(error.to_string());
        } else if path.exists() {
            status.usable = status.read_counts(folder).map_err(|error| error.to_string());
        }
        status
    }

    fn read_counts(&mut self, folder: &Path) -> rusqlite::Result<()> {
        let file = CacheFile::open_unchecked(folder, Duration::from_secs(1))?;
        file.check_or_initialize(Duration::from_secs(1))?;
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
    const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
    let size = || CacheStatus::read_from_folder(folder).size_bytes;
    let damaged_files = damaged_cache_file_paths(folder);
    let before = size() + damaged_files.iter().filter_map(|path| fs::metadata(path).ok()).map(|m| m.len()).sum::<u64>();
    for path in &damaged_files {
        fs::remove_file(path)?;
    }
    check_cache_files_are_regular(folder)?;
    if folder.join(CACHE_FILE_NAME).exists() {
        let emptied = CacheFile::open_unchecked(folder, LOCK_TIMEOUT).and_then(|file| {
            file.check_or_initialize(LOCK_TIMEOUT)?;
            file.connection.execute_batch(
                "BEGIN IMMEDIATE; DELETE FROM facts; DELETE FROM uses; DELETE FROM fingerprints; DELETE FROM roots; COMMIT;
                 VACUUM; PRAGMA wal_checkpoint(TRUNCATE);",
            )
        });
        match emptied {
            Ok(()) => {}
            Err(error) if classify_sqlite_error(&error) == CacheFault::Damaged => {
                let _lock = acquire_cache_creation_lock(folder, LOCK_TIMEOUT)?;
                fs::remove_file(folder.join(CACHE_FILE_NAME))?;
                for journal in cache_journal_paths(folder) {
                    let _ = fs::remove_file(journal);
                }
            }
            Err(error) => return Err(io::Error::other(error.to_string())),
        }
    }
    Ok(before.saturating_sub(size()))
}
