//! The part of the store that outlives the process: an SQLite file in the user's cache folder, which several processes
//! use at once.
//!
//! It is a cache and nothing more. Whatever is wrong with it (locked, full, not writable, damaged), the store goes on
//! without it, after some tens of milliseconds at most. A value that was damaged is noticed by its [sum](super::wire). A
//! file that is no cache of ours, or a damaged one, is set aside and a new one begun.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};

use super::file::{self, CacheFile, Fault};
use super::hash::ContentHash;
use super::signature::now;

/// Where the cache is and how large it may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheOptions {
    /// The folder; it is made where it is not there. A cache inside the project that is looked at is not used.
    pub folder: PathBuf,
    /// Bytes of the cache's file, about.
    pub max_bytes: u64,
}

impl CacheOptions {
    /// What a cache may hold unless somebody says otherwise.
    pub const MAX_BYTES: u64 = 512 << 20;

    /// Whether the folder, or the place where it would be made, lies below `root`: a cache among the files that it tells
    /// of is not used.
    pub fn lies_below(folder: &Path, root: &Path) -> bool {
        // What is not there yet is made below the last folder that is.
        let there = folder.ancestors().find_map(|part| dunce::canonicalize(part).ok());
        there.is_none_or(|there| there.starts_with(root)) || folder.starts_with(root)
    }
}

/// How long a call waits for another process that holds the cache.
const PATIENCE: Duration = Duration::from_millis(40);

/// After a failure that may pass, the cache is left alone for so long.
const REST: Duration = Duration::from_secs(2);

/// Bytes that are written in one transaction: others wait meanwhile.
const CHUNK_BYTES: usize = 4 << 20;

/// Bytes that wait to be written before somebody writes them in the middle of a call.
const PENDING_BYTES: usize = 16 << 20;

/// Stamps that are written in one transaction.
const STAMPS_AT_ONCE: usize = 10_000;

/// Bytes of a stamp with its path, about.
const STAMP_BYTES: i64 = 150;

/// Entries that are dropped in one transaction.
const EVICTED_AT_ONCE: i64 = 4_000;

/// How long a flush goes on dropping old entries; the next one continues.
const EVICTION_TIME: Duration = Duration::from_millis(60);

/// The key of a value: what it is made from, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey(pub [u8; 16]);

impl CacheKey {
    /// The key of all `parts` together.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(ContentHash::shortened(&hasher.finalize()).0)
    }

    /// The number under which a table has it. That two keys share one is as good as impossible, and no harm: a value
    /// is sealed with its whole key.
    pub fn id(self) -> i64 {
        let mut id = [0; 8];
        id.iter_mut().zip(self.0).for_each(|(id, byte)| *id = byte);
        i64::from_le_bytes(id)
    }
}

/// How much is lost with a value; what is dear goes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// Small, and wanted for every question about the whole project.
    Small = 0,
    /// Large, and wanted for some files at a time.
    Large = 1,
}

/// What is to be written.
#[derive(Default)]
struct Pending {
    facts: Vec<(CacheKey, Worth, Vec<u8>)>,
    stamps: Vec<(i64, String, Vec<u8>)>,
    gone: Vec<(i64, String)>,
    roots: Vec<(i64, String)>,
    touched: Vec<i64>,
    bytes: usize,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.says_nothing_new() && self.roots.is_empty()
    }

    /// Whether there is nothing to write but that roots are used.
    fn says_nothing_new(&self) -> bool {
        self.facts.is_empty() && self.stamps.is_empty() && self.gone.is_empty() && self.touched.is_empty()
    }
}

#[derive(Default)]
struct State {
    file: Option<CacheFile>,
    /// Not to be tried before then.
    rest_until: Option<Instant>,
    /// Whether it was said that it cannot be used.
    was_said: bool,
}

/// What is done with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
}

/// Where the cache lies, asked for when it is wanted first.
type Choose = Box<dyn FnOnce() -> Option<CacheOptions> + Send>;

/// The cache on disk.
pub(super) struct Disk {
    choose: Mutex<Option<Choose>>,
    options: OnceLock<Option<CacheOptions>>,
    state: Mutex<State>,
    pending: Mutex<Pending>,
    notice: Mutex<Option<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn today() -> i64 {
    now() / (86_400 * 1_000_000_000)
}

impl Disk {
    /// A cache whose options are asked for when it is wanted first.
    pub fn new(choose: impl FnOnce() -> Option<CacheOptions> + Send + 'static) -> Self {
        Self {
            choose: Mutex::new(Some(Box::new(choose))),
            options: OnceLock::new(),
            state: Mutex::default(),
            pending: Mutex::default(),
            notice: Mutex::default(),
        }
    }

    /// Where it is, where there is one.
    pub fn options(&self) -> Option<&CacheOptions> {
        let choose = || lock(&self.choose).take().and_then(|choose| choose());
        self.options.get_or_init(choose).as_ref()
    }

    /// What happened that the user should know, once.
    pub fn take_notice(&self) -> Option<String> {
        lock(&self.notice).take()
    }

    /// Does something with the open cache; `None` where there is none or it failed.
    fn with<R>(&self, usage: Use, cancellation: impl FnOnce(&Connection) -> rusqlite::Result<R>) -> Option<R> {
        let options = self.options()?;
        let mut state = lock(&self.state);
        if state.rest_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        if state.file.is_none() {
            match CacheFile::open(&options.folder, PATIENCE) {
                Ok((file, notice)) => {
                    state.file = Some(file);
                    if notice.is_some() {
                        *lock(&self.notice) = notice;
                    }
                }
                Err(none) => self.rest(&mut state, none.reason),
            }
        }
        let error = match cancellation(&state.file.as_ref()?.connection) {
            Ok(result) => return Some(result),
            Err(error) => error,
        };
        match file::fault(&error) {
            Fault::Damaged => match state.file.take()?.set_aside(PATIENCE) {
                Ok(notice) => *lock(&self.notice) = Some(notice),
                Err(none) => self.rest(&mut state, none.reason),
            },
            Fault::Unusable => {
                state.file = None;
                self.rest(&mut state, Some(error.to_string()));
            }
            // Others write; whoever cannot even read would wait anew for every value.
            Fault::Busy if usage == Use::Write => {}
            Fault::Busy => self.rest(&mut state, None),
        }
        None
    }

    /// Leaves the cache alone for a while. What stands against it is said once: whoever looks again meets it again.
    fn rest(&self, state: &mut State, reason: Option<String>) {
        state.rest_until = Some(Instant::now() + REST);
        let (Some(reason), Some(options)) = (reason, self.options()) else { return };
        if !std::mem::replace(&mut state.was_said, true) {
            let folder = options.folder.display();
            let notice = format!("the cache in {folder} cannot be used ({reason}): nothing is kept for the next call");
            lock(&self.notice).get_or_insert(notice);
        }
    }

    /// Writes in one transaction; `None` where it could not be.
    fn write<R>(&self, cancellation: impl FnOnce(&Connection) -> rusqlite::Result<R>) -> Option<R> {
        self.with(Use::Write, |connection| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let result = cancellation(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
    }

    fn read<R>(&self, cancellation: impl FnOnce(&Connection) -> rusqlite::Result<R>) -> Option<R> {
        self.with(Use::Read, cancellation)
    }

    /// The bytes under a key.
    pub fn fact(&self, key: CacheKey) -> Option<Vec<u8>> {
        let (bytes, day) = self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT value, day FROM facts LEFT JOIN uses USING (id) WHERE facts.id = ?")?;
            let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Option<i64>>(1)?));
            statement.query_row([key.id()], read).optional()
        })??;
        if day.is_none_or(|day| day < today()) {
            lock(&self.pending).touched.push(key.id());
        }
        Some(bytes)
    }

    /// Keeps bytes under a key, with the next flush.
    pub fn put_fact(&self, key: CacheKey, worth: Worth, bytes: Vec<u8>) {
        let full = {
            let mut pending = lock(&self.pending);
            pending.bytes += bytes.len();
            pending.facts.push((key, worth, bytes));
            pending.bytes > PENDING_BYTES
        };
        if full {
            self.flush();
        }
    }

    /// All stamps of a root, under their paths.
    pub fn stamps(&self, root: i64) -> Vec<(String, Vec<u8>)> {
        let rows = self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT path, value FROM stamps WHERE root = ?")?;
            let rows = statement.query_map([root], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        });
        rows.unwrap_or_default()
    }

    /// Keeps the stamp of a path, with the next flush.
    pub fn put_stamp(&self, root: i64, path: String, bytes: Vec<u8>) {
        let mut pending = lock(&self.pending);
        pending.bytes += path.len() + bytes.len();
        pending.stamps.push((root, path, bytes));
    }

    /// Forgets the stamps of paths, with the next flush.
    pub fn forget_stamps(&self, root: i64, paths: impl IntoIterator<Item = String>) {
        lock(&self.pending).gone.extend(paths.into_iter().map(|path| (root, path)));
    }

    /// Says that a root is used.
    pub fn use_root(&self, root: i64, path: String) {
        lock(&self.pending).roots.push((root, path));
    }

    /// Whether a flush has something to do.
    pub fn has_pending(&self) -> bool {
        !lock(&self.pending).is_empty()
    }

    /// Writes what is to be kept. What cannot be written now is dropped: the next call makes it again.
    pub fn flush(&self) {
        let pending = std::mem::take(&mut *lock(&self.pending));
        if pending.is_empty() || (pending.says_nothing_new() && self.knows(&pending.roots)) {
            return;
        }
        let until = Instant::now() + EVICTION_TIME;
        if self.write_all(pending).is_some() {
            self.evict(until);
        }
    }

    /// Whether all these roots are noted as used today: whoever only reads writes once a day.
    fn knows(&self, roots: &[(i64, String)]) -> bool {
        let known = self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT day FROM roots WHERE root = ?")?;
            let mut all = true;
            for (root, _) in roots {
                all &= statement.query_row([root], |row| row.get::<_, i64>(0)).optional()? == Some(today());
            }
            Ok(all)
        });
        known.unwrap_or(true)
    }

    fn write_all(&self, pending: Pending) -> Option<()> {
        let Pending { mut facts, mut stamps, gone, roots, mut touched, .. } = pending;
        // In the order of the file, which is quicker.
        facts.sort_unstable_by_key(|(key, ..)| key.id());
        stamps.sort_unstable();
        touched.sort_unstable();
        let day = today();
        self.write(|connection| {
            let mut root_used = connection.prepare_cached("REPLACE INTO roots (root, path, day) VALUES (?, ?, ?)")?;
            for (root, path) in &roots {
                root_used.execute(params![root, path, day])?;
            }
            let mut used = connection.prepare_cached("UPDATE uses SET day = ? WHERE id = ?")?;
            for id in &touched {
                used.execute(params![day, id])?;
            }
            let mut forget = connection.prepare_cached("DELETE FROM stamps WHERE root = ? AND path = ?")?;
            for (root, path) in &gone {
                forget.execute(params![root, path])?;
            }
            Ok(())
        })?;
        let mut facts = facts.into_iter().peekable();
        while facts.peek().is_some() {
            self.write(|connection| {
                let mut fact = connection.prepare_cached("REPLACE INTO facts (id, value) VALUES (?, ?)")?;
                let mut used =
                    connection.prepare_cached("REPLACE INTO uses (id, day, worth, bytes) VALUES (?, ?, ?, ?)")?;
                let mut bytes = 0;
                while let Some((key, worth, value)) = facts.next_if(|_| bytes < CHUNK_BYTES) {
                    bytes += value.len();
                    let size = i64::try_from(value.len()).unwrap_or(i64::MAX);
                    fact.execute(params![key.id(), value])?;
                    used.execute(params![key.id(), day, worth as i64, size])?;
                }
                Ok(())
            })?;
        }
        // Contents before the stamps that lead to them.
        for stamps in stamps.chunks(STAMPS_AT_ONCE) {
            self.write(|connection| {
                let mut stamp =
                    connection.prepare_cached("REPLACE INTO stamps (root, path, value) VALUES (?, ?, ?)")?;
                for (root, path, value) in stamps {
                    stamp.execute(params![root, path, value])?;
                }
                Ok(())
            })?;
        }
        Some(())
    }

    /// Drops what was not used for longest, down to three quarters of what the cache may hold, or until time is up: the
    /// next flush continues.
    fn evict(&self, until: Instant) -> Option<()> {
        let most = self.options()?.max_bytes;
        let held = self.read(file::held_bytes)?;
        if held <= most {
            return None;
        }
        let mut excess = i64::try_from(held - most / 4 * 3).unwrap_or(i64::MAX);
        while excess > 0 && Instant::now() < until {
            let freed = self.write(|connection| drop_oldest(connection, excess))?;
            if freed == 0 {
                break;
            }
            excess -= freed;
        }
        None
    }
}

/// Drops the oldest values, some thousands at most, until so many bytes are free; gives the bytes that are.
fn drop_oldest(connection: &Connection, excess: i64) -> rusqlite::Result<i64> {
    let oldest: Vec<(i64, i64)> = connection
        .prepare_cached("SELECT id, bytes FROM uses ORDER BY day, worth DESC, id LIMIT ?")?
        .query_map([EVICTED_AT_ONCE], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut fact = connection.prepare_cached("DELETE FROM facts WHERE id = ?")?;
    let mut used = connection.prepare_cached("DELETE FROM uses WHERE id = ?")?;
    let mut freed = 0;
    for (id, bytes) in oldest {
        if freed >= excess {
            break;
        }
        freed += bytes.max(1);
        fact.execute([id])?;
        used.execute([id])?;
    }
    if freed > 0 {
        return Ok(freed);
    }
    // Stamps alone are left: those of the root that was not used for longest go.
    let mut oldest = connection.prepare_cached("SELECT root FROM roots ORDER BY day, root LIMIT 1")?;
    let Some(root) = oldest.query_row([], |row| row.get::<_, i64>(0)).optional()? else { return Ok(0) };
    let stamps = connection.prepare_cached("DELETE FROM stamps WHERE root = ?")?.execute([root])?;
    connection.prepare_cached("DELETE FROM roots WHERE root = ?")?.execute([root])?;
    Ok(i64::try_from(stamps).unwrap_or(0) * STAMP_BYTES + 1)
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Disk").finish_non_exhaustive()
    }
}

/// Whether an error says that another process holds the file.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
