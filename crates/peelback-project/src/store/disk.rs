//! The persistent part of the facts store: an SQLite file in the user's cache folder, which several processes use at
//! once.
//!
//! The file is only a cache. If it is locked, full, read-only or damaged, the store continues without it after a few
//! tens of milliseconds at most. A damaged value is detected by its [checksum](super::wire). A damaged file, or a file
//! that is no cache of this program, is set aside and a new one is started.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cache_key::{CacheKey, Worth};
use super::file::{self, CacheFile, Fault};
use super::wire;
use crate::signature::now;

/// The location of the disk cache and its size limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheOptions {
    /// The cache folder, created if it does not exist. A cache inside the project being read is not used.
    pub folder: PathBuf,
    /// The approximate size limit of the cache file in bytes.
    pub max_bytes: u64,
}

impl CacheOptions {
    /// The default size limit in bytes.
    pub const MAX_BYTES: u64 = 512 << 20;

    /// Whether the cache folder, which need not exist yet, is below `root`. A cache among the files whose facts it
    /// contains is not used.
    pub fn lies_below(folder: &Path, root: &Path) -> bool {
        // A folder that does not exist yet would be created below its nearest existing ancestor.
        let there = folder.ancestors().find_map(|part| dunce::canonicalize(part).ok());
        there.is_none_or(|there| there.starts_with(root)) || folder.starts_with(root)
    }
}

/// The longest time that a call waits for another process that has locked the cache.
const PATIENCE: Duration = Duration::from_millis(40);

/// The time for which the cache is not used after a temporary failure.
const REST: Duration = Duration::from_secs(2);

/// The most bytes written in one transaction, as other processes wait meanwhile.
const CHUNK_BYTES: usize = 4 << 20;

/// The number of bytes of pending writes that triggers a flush in the middle of a call.
const PENDING_BYTES: usize = 16 << 20;

/// The most fingerprints written in one transaction.
const FINGERPRINTS_AT_ONCE: usize = 10_000;

/// The approximate size in bytes of a stored fingerprint with its path.
const FINGERPRINT_BYTES: i64 = 150;

/// The most entries evicted in one transaction.
const EVICTED_AT_ONCE: i64 = 4_000;

/// The longest time that one flush spends on evicting old entries; the next flush continues.
const EVICTION_TIME: Duration = Duration::from_millis(60);

/// The writes that wait for the next flush.
#[derive(Default)]
struct Pending {
    facts: Vec<(CacheKey, Worth, Vec<u8>)>,
    fingerprints: Vec<(i64, String, Vec<u8>)>,
    gone: Vec<(i64, String)>,
    roots: Vec<(i64, String)>,
    touched: Vec<i64>,
    bytes: usize,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.says_nothing_new() && self.roots.is_empty()
    }

    /// Whether the pending writes only record that roots are in use.
    fn says_nothing_new(&self) -> bool {
        self.facts.is_empty() && self.fingerprints.is_empty() && self.gone.is_empty() && self.touched.is_empty()
    }
}

#[derive(Default)]
struct State {
    file: Option<CacheFile>,
    /// The time before which the cache is not tried again.
    rest_until: Option<Instant>,
    /// Whether the user was already told that the cache cannot be used.
    was_said: bool,
}

/// The kind of access to the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
}

/// A function that returns the cache options; called on first use.
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
    /// Creates a cache whose options are requested on first use.
    pub fn new(choose: impl FnOnce() -> Option<CacheOptions> + Send + 'static) -> Self {
        Self {
            choose: Mutex::new(Some(Box::new(choose))),
            options: OnceLock::new(),
            state: Mutex::default(),
            pending: Mutex::default(),
            notice: Mutex::default(),
        }
    }

    /// The options of the cache; `None` if there is no cache.
    fn options(&self) -> Option<&CacheOptions> {
        let choose = || lock(&self.choose).take().and_then(|choose| choose());
        self.options.get_or_init(choose).as_ref()
    }

    /// Whether what is known of files below `root` may be kept in the cache: there is one, and it lies elsewhere.
    pub fn may_keep(&self, root: &Path) -> bool {
        self.options().is_some_and(|options| !CacheOptions::lies_below(&options.folder, root))
    }

    /// The size limit of the cache in bytes; 0 if there is no cache.
    pub fn max_bytes(&self) -> u64 {
        self.options().map_or(0, |options| options.max_bytes)
    }

    /// A message for the user about the cache, returned only once.
    pub fn take_notice(&self) -> Option<String> {
        lock(&self.notice).take()
    }

    /// Runs an operation on the open cache; `None` if there is no cache or the operation failed.
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
            // A busy cache is no reason to pause after a write. A process that cannot even read would wait again for
            // every value, so it pauses.
            Fault::Busy if usage == Use::Write => {}
            Fault::Busy => self.rest(&mut state, None),
        }
        None
    }

    /// Stops using the cache for a while. The reason is reported to the user once, because later attempts meet the same
    /// problem.
    fn rest(&self, state: &mut State, reason: Option<String>) {
        state.rest_until = Some(Instant::now() + REST);
        let (Some(reason), Some(options)) = (reason, self.options()) else { return };
        if !std::mem::replace(&mut state.was_said, true) {
            let folder = options.folder.display();
            let notice = format!("the cache in {folder} cannot be used ({reason}): nothing is kept for the next call");
            lock(&self.notice).get_or_insert(notice);
        }
    }

    /// Runs an operation in one write transaction; `None` if the transaction failed.
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

    /// The stored value of a key; `None` if there is none, or the stored bytes are damaged.
    pub fn value<T: DeserializeOwned>(&self, key: CacheKey) -> Option<T> {
        wire::open(&key.0, &self.fact(key)?)
    }

    /// The stored bytes of a key.
    fn fact(&self, key: CacheKey) -> Option<Vec<u8>> {
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

    /// Stores a value under a key at the next flush. Returns the number of bytes to store; `None` if the value cannot be
    /// serialised.
    pub fn put_value<T: Serialize>(&self, key: CacheKey, worth: Worth, value: &T) -> Option<usize> {
        let bytes = wire::seal(&key.0, value)?;
        let length = bytes.len();
        self.put_fact(key, worth, bytes);
        Some(length)
    }

    /// Stores bytes under a key at the next flush.
    fn put_fact(&self, key: CacheKey, worth: Worth, bytes: Vec<u8>) {
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

    /// All undamaged fingerprints of a root with their paths. `key_of` returns the key under which the fingerprint of a
    /// path was stored.
    pub fn fingerprints<T: DeserializeOwned>(&self, root: i64, key_of: impl Fn(&str) -> Vec<u8>) -> Vec<(String, T)> {
        let rows: Option<Vec<(String, Vec<u8>)>> = self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT path, value FROM fingerprints WHERE root = ?")?;
            let rows = statement.query_map([root], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        });
        let rows = rows.unwrap_or_default().into_iter();
        rows.filter_map(|(path, bytes)| Some((wire::open(&key_of(&path), &bytes)?, path)))
            .map(|(value, path)| (path, value))
            .collect()
    }

    /// Stores the fingerprint of a path at the next flush, under the key that belongs to the path.
    pub fn put_fingerprint<T: Serialize>(&self, root: i64, path: String, key: &[u8], value: &T) {
        let Some(bytes) = wire::seal(key, value) else { return };
        let mut pending = lock(&self.pending);
        pending.bytes += path.len() + bytes.len();
        pending.fingerprints.push((root, path, bytes));
    }

    /// Deletes the fingerprints of these paths at the next flush.
    pub fn forget_fingerprints(&self, root: i64, paths: impl IntoIterator<Item = String>) {
        lock(&self.pending).gone.extend(paths.into_iter().map(|path| (root, path)));
    }

    /// Records that a root is in use, so that its fingerprints are evicted late.
    pub fn use_root(&self, root: i64, path: String) {
        lock(&self.pending).roots.push((root, path));
    }

    /// Whether a flush has anything to write.
    pub fn has_pending(&self) -> bool {
        !lock(&self.pending).is_empty()
    }

    /// Writes all pending values. Values that cannot be written now are dropped and computed again by a later call.
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

    /// Whether all these roots are already recorded as used today. Calls that only read write such a record once a day.
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
        let Pending { mut facts, mut fingerprints, gone, roots, mut touched, .. } = pending;
        // Writing in key order is faster, because it follows the order of the file.
        facts.sort_unstable_by_key(|(key, ..)| key.id());
        fingerprints.sort_unstable();
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
            let mut forget = connection.prepare_cached("DELETE FROM fingerprints WHERE root = ? AND path = ?")?;
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
        // Contents are written before the fingerprints that refer to them.
        for fingerprints in fingerprints.chunks(FINGERPRINTS_AT_ONCE) {
            self.write(|connection| {
                let mut fingerprint =
                    connection.prepare_cached("REPLACE INTO fingerprints (root, path, value) VALUES (?, ?, ?)")?;
                for (root, path, value) in fingerprints {
                    fingerprint.execute(params![root, path, value])?;
                }
                Ok(())
            })?;
        }
        Some(())
    }

    /// Evicts the least recently used values until the cache is at three quarters of its limit, or until the time
    /// `until`; the next flush continues.
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

/// Evicts the oldest values, a few thousand at most, until `excess` bytes are free. Returns the number of bytes freed.
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
    // Only fingerprints are left: evict those of the least recently used root.
    let mut oldest = connection.prepare_cached("SELECT root FROM roots ORDER BY day, root LIMIT 1")?;
    let Some(root) = oldest.query_row([], |row| row.get::<_, i64>(0)).optional()? else { return Ok(0) };
    let fingerprints = connection.prepare_cached("DELETE FROM fingerprints WHERE root = ?")?.execute([root])?;
    connection.prepare_cached("DELETE FROM roots WHERE root = ?")?.execute([root])?;
    Ok(i64::try_from(fingerprints).unwrap_or(0) * FINGERPRINT_BYTES + 1)
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Disk").finish_non_exhaustive()
    }
}

/// Whether an error means that another process has locked the file.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
