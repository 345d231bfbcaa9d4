//! The persistent part of the facts store: an SQLite file in the user's cache folder, which several processes use at
//! once.
//!
//! The file is only a cache. If it is locked, full, read-only or damaged, the store continues without it after a few
//! tens of milliseconds at most. A damaged value is detected by its [checksum](super::stored_value). A damaged file, or
//! a file that is no cache of this program, is set aside and a new one is started.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cache_key::{CacheKey, Worth};
use super::file::{self, CacheFault, CacheFile};
use super::stored_value;
use crate::signature::current_unix_nanoseconds;

/// The location of the disk cache and its size limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheOptions {
    /// The cache folder, created if it does not exist. A cache inside the project being read is not used.
    pub folder: PathBuf,
    /// The size limit of the cache file with its journal in bytes.
    pub max_bytes: u64,
}

impl CacheOptions {
    /// The default size limit in bytes.
    pub const MAX_BYTES: u64 = 512 << 20;

    /// Whether the cache folder, which need not exist yet, is below `root`. A cache among the files whose facts it
    /// contains is not used.
    pub fn is_folder_below_root(folder: &Path, root: &Path) -> bool {
        // A folder that does not exist yet would be created below its nearest existing ancestor.
        let existing_ancestor = folder.ancestors().find_map(|part| dunce::canonicalize(part).ok());
        existing_ancestor.is_none_or(|there| there.starts_with(root)) || folder.starts_with(root)
    }
}

/// The maximum time that a call waits for another process that has locked the cache file.
const MAX_LOCK_WAIT: Duration = Duration::from_millis(40);

/// The time for which the cache is not used after a temporary failure.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(2);

/// The approximate maximum number of bytes written in one transaction, as other processes wait meanwhile.
const MAX_TRANSACTION_BYTES: usize = 4 << 20;

/// The number of bytes of pending writes that triggers a flush in the middle of a call.
const MAX_PENDING_BYTES: usize = 16 << 20;

/// The maximum number of fingerprints written in one transaction.
const MAX_FINGERPRINTS_PER_TRANSACTION: usize = 10_000;

/// The approximate number of bytes that a row takes beside its value.
const FACT_OVERHEAD_BYTES: usize = 50;

/// The approximate size in bytes of a stored fingerprint with its path.
const FINGERPRINT_BYTES: i64 = 150;

/// The maximum number of values evicted at once.
const MAX_EVICTIONS_PER_BATCH: i64 = 4_000;

/// The maximum number of batches evicted in one transaction. What finds no room then is not written.
const MAX_EVICTION_BATCHES: usize = 4;

/// The writes to the cache file that wait for the next flush.
#[derive(Default)]
struct PendingWrites {
    facts: Vec<(CacheKey, Worth, Vec<u8>)>,
    fingerprints: Vec<(i64, String, Vec<u8>)>,
    deleted_fingerprints: Vec<(i64, String)>,
    roots: Vec<(i64, String)>,
    used_fact_ids: Vec<i64>,
    bytes: usize,
}

impl PendingWrites {
    fn is_empty(&self) -> bool {
        self.has_only_root_usage_records() && self.roots.is_empty()
    }

    /// Whether the pending writes only record that project roots are in use.
    fn has_only_root_usage_records(&self) -> bool {
        self.facts.is_empty()
            && self.fingerprints.is_empty()
            && self.deleted_fingerprints.is_empty()
            && self.used_fact_ids.is_empty()
    }
}

#[derive(Default)]
struct DiskState {
    file: Option<CacheFile>,
    /// The time until which the cache is not used after a failure.
    paused_until: Option<Instant>,
    /// Whether the user was already told that the cache cannot be used.
    was_failure_reported: bool,
}

/// Whether an operation reads or writes the cache file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AccessKind {
    Read,
    Write,
}

/// A function that returns the options of the cache, called on first use; `None` for no cache.
type ChooseOptions = Box<dyn FnOnce() -> Option<CacheOptions> + Send>;

/// The disk cache: an SQLite file with values and fingerprints that several processes share.
pub(super) struct DiskCache {
    choose: Mutex<Option<ChooseOptions>>,
    options: OnceLock<Option<CacheOptions>>,
    state: Mutex<DiskState>,
    pending: Mutex<PendingWrites>,
    notice: Mutex<Option<String>>,
}

fn lock_mutex_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn current_unix_day() -> i64 {
    current_unix_nanoseconds() / (86_400 * 1_000_000_000)
}

impl DiskCache {
    /// Creates a disk cache whose options `choose` returns on first use.
    pub fn new(choose: impl FnOnce() -> Option<CacheOptions> + Send + 'static) -> Self {
        Self {
            choose: Mutex::new(Some(Box::new(choose))),
            options: OnceLock::new(),
            state: Mutex::default(),
            pending: Mutex::default(),
            notice: Mutex::default(),
        }
    }

    /// The options of the disk cache; `None` if there is no cache.
    fn options(&self) -> Option<&CacheOptions> {
        let choose = || lock_mutex_ignoring_poison(&self.choose).take().and_then(|choose| choose());
        self.options.get_or_init(choose).as_ref()
    }

    /// Whether facts about files below `root` may be stored in the cache: there is a cache, and its folder is not below
    /// `root`.
    pub fn can_cache_facts_below_root(&self, root: &Path) -> bool {
        self.options().is_some_and(|options| !CacheOptions::is_folder_below_root(&options.folder, root))
    }

    /// The size limit of the cache in bytes; 0 if there is no cache.
    pub fn max_bytes(&self) -> u64 {
        self.options().map_or(0, |options| options.max_bytes)
    }

    /// A message for the user about the cache, returned only once.
    pub fn take_user_notice(&self) -> Option<String> {
        lock_mutex_ignoring_poison(&self.notice).take()
    }

    /// Runs an operation on the connection to the cache file; `None` if there is no cache or the operation failed.
    fn with_connection<R>(
        &self,
        access: AccessKind,
        operation: impl FnOnce(&Connection) -> rusqlite::Result<R>,
    ) -> Option<R> {
        let options = self.options()?;
        let mut state = lock_mutex_ignoring_poison(&self.state);
        if state.paused_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        if state.file.is_none() {
            match CacheFile::open_or_create_replacing_damaged(&options.folder, MAX_LOCK_WAIT) {
                Ok((file, notice)) => {
                    file.write_journal_back_from(max_journal_bytes(options.max_bytes) / 2);
                    state.file = Some(file);
                    if notice.is_some() {
                        *lock_mutex_ignoring_poison(&self.notice) = notice;
                    }
                }
                Err(none) => self.pause_after_failure(&mut state, none.reason),
            }
        }
        let error = match operation(&state.file.as_ref()?.connection) {
            Ok(result) => return Some(result),
            Err(error) => error,
        };
        match file::classify_sqlite_error(&error) {
            CacheFault::Damaged => match state.file.take()?.move_aside(MAX_LOCK_WAIT) {
                Ok(notice) => *lock_mutex_ignoring_poison(&self.notice) = Some(notice),
                Err(unavailable) => self.pause_after_failure(&mut state, unavailable.reason),
            },
            CacheFault::Unusable => {
                state.file = None;
                self.pause_after_failure(&mut state, Some(error.to_string()));
            }
            // A busy cache is no reason to pause after a write. A process that cannot even read would wait again for
            // every value, so it pauses.
            CacheFault::Busy if access == AccessKind::Write => {}
            CacheFault::Busy => self.pause_after_failure(&mut state, None),
        }
        None
    }

    /// Stops using the cache for a while. The reason is reported to the user once, because later attempts meet the same
    /// problem.
    fn pause_after_failure(&self, state: &mut DiskState, reason: Option<String>) {
        state.paused_until = Some(Instant::now() + PAUSE_AFTER_FAILURE);
        let (Some(reason), Some(options)) = (reason, self.options()) else { return };
        if !std::mem::replace(&mut state.was_failure_reported, true) {
            let folder = options.folder.display();
            let notice =
                format!("the cache in {folder} cannot be used ({reason}): nothing is stored for the next call");
            lock_mutex_ignoring_poison(&self.notice).get_or_insert(notice);
        }
    }

    /// Runs an operation on the cache file in one write transaction; `None` if the transaction failed.
    fn run_write_transaction<R>(&self, cancellation: impl FnOnce(&Connection) -> rusqlite::Result<R>) -> Option<R> {
        self.with_connection(AccessKind::Write, |connection| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let result = cancellation(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
    }

    fn run_read_query<R>(&self, operation: impl FnOnce(&Connection) -> rusqlite::Result<R>) -> Option<R> {
        self.with_connection(AccessKind::Read, operation)
    }

    /// The value that the cache file has for a key; `None` if it has none, or the stored bytes are damaged.
    pub fn load_value<T: DeserializeOwned>(&self, key: CacheKey) -> Option<T> {
        stored_value::deserialize_with_checksum(&key.0, &self.load_value_and_checksum_bytes(key)?)
    }

    /// The bytes of the value that the cache file has for a key, with the value's checksum.
    fn load_value_and_checksum_bytes(&self, key: CacheKey) -> Option<Vec<u8>> {
        let (bytes, day) = self.run_read_query(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT value, day FROM facts LEFT JOIN uses USING (id) WHERE facts.id = ?")?;
            let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Option<i64>>(1)?));
            statement.query_row([key.database_id()], read).optional()
        })??;
        if day.is_none_or(|day| day < current_unix_day()) {
            lock_mutex_ignoring_poison(&self.pending).used_fact_ids.push(key.database_id());
        }
        Some(bytes)
    }

    /// Stores a value under a key at the next flush. Returns the number of bytes to store; `None` if the value cannot
    /// be serialised.
    pub fn queue_value<T: Serialize>(&self, key: CacheKey, worth: Worth, value: &T) -> Option<usize> {
        let bytes = stored_value::serialize_with_checksum(&key.0, value)?;
        let length = bytes.len();
        self.enqueue_value(key, worth, bytes);
        Some(length)
    }

    /// Stores bytes under a key at the next flush.
    fn enqueue_value(&self, key: CacheKey, worth: Worth, bytes: Vec<u8>) {
        let is_full = {
            let mut pending = lock_mutex_ignoring_poison(&self.pending);
            pending.bytes += bytes.len();
            pending.facts.push((key, worth, bytes));
            pending.bytes > MAX_PENDING_BYTES
        };
        if is_full {
            self.flush();
        }
    }

    /// The stored fingerprints of all files below a root, with the files' paths. Damaged fingerprints are left out.
    /// `key_of` returns the key under which the fingerprint of a path was stored.
    pub fn load_fingerprints<T: DeserializeOwned>(
        &self,
        root: i64,
        key_of: impl Fn(&str) -> Vec<u8>,
    ) -> Vec<(String, T)> {
        let rows: Option<Vec<(String, Vec<u8>)>> = self.run_read_query(|connection| {
            let mut statement = connection.prepare_cached("SELECT path, value FROM fingerprints WHERE root = ?")?;
            let rows = statement.query_map([root], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        });
        let rows = rows.unwrap_or_default().into_iter();
        rows.filter_map(|(path, bytes)| Some((stored_value::deserialize_with_checksum(&key_of(&path), &bytes)?, path)))
            .map(|(value, path)| (path, value))
            .collect()
    }

    /// Stores the fingerprint of the file at `path` at the next flush, under the key that belongs to the path.
    pub fn queue_fingerprint<T: Serialize>(&self, root: i64, path: String, key: &[u8], value: &T) {
        let Some(bytes) = stored_value::serialize_with_checksum(key, value) else { return };
        let mut pending = lock_mutex_ignoring_poison(&self.pending);
        pending.bytes += path.len() + bytes.len();
        pending.fingerprints.push((root, path, bytes));
    }

    /// Deletes the fingerprints of these paths at the next flush.
    pub fn queue_fingerprint_deletions(&self, root: i64, paths: impl IntoIterator<Item = String>) {
        lock_mutex_ignoring_poison(&self.pending)
            .deleted_fingerprints
            .extend(paths.into_iter().map(|path| (root, path)));
    }

    /// Records at the next flush that a project root is in use, so that the fingerprints of its files are evicted late.
    pub fn queue_root_usage_record(&self, root: i64, path: String) {
        lock_mutex_ignoring_poison(&self.pending).roots.push((root, path));
    }

    /// Whether values or other writes wait for the next flush.
    pub fn has_pending_writes(&self) -> bool {
        !lock_mutex_ignoring_poison(&self.pending).is_empty()
    }

    /// Writes all pending values to the cache file. Values that cannot be written now are dropped and computed again by
    /// a later call.
    pub fn flush(&self) {
        let pending = std::mem::take(&mut *lock_mutex_ignoring_poison(&self.pending));
        if pending.is_empty()
            || (pending.has_only_root_usage_records() && self.has_recorded_root_usage_today(&pending.roots))
        {
            return;
        }
        self.begin_anew_if_file_is_over_limit();
        self.write_pending(pending);
    }

    /// Deletes a cache file that is larger than its limit, as one from a time with a higher limit: SQLite gives no space
    /// back to the disk.
    fn begin_anew_if_file_is_over_limit(&self) -> Option<()> {
        let max_bytes = self.options()?.max_bytes;
        if self.run_read_query(file::sqlite_file_bytes)? > max_bytes {
            let mut state = lock_mutex_ignoring_poison(&self.state);
            if let Err(unavailable) = state.file.take()?.delete(MAX_LOCK_WAIT) {
                self.pause_after_failure(&mut state, unavailable.reason);
            }
        }
        Some(())
    }

    /// The number of bytes that the tables may take, so that the file with its journal stays inside its limit.
    fn max_table_bytes(&self) -> u64 {
        self.max_bytes() - max_journal_bytes(self.max_bytes())
    }

    /// Whether all these roots are already recorded as used today. A call that only reads values writes such a record
    /// at most once a day.
    fn has_recorded_root_usage_today(&self, roots: &[(i64, String)]) -> bool {
        let are_all_recorded = self.run_read_query(|connection| {
            let mut statement = connection.prepare_cached("SELECT day FROM roots WHERE root = ?")?;
            let mut all = true;
            for (root, _) in roots {
                all &= statement.query_row([root], |row| row.get::<_, i64>(0)).optional()? == Some(current_unix_day());
            }
            Ok(all)
        });
        are_all_recorded.unwrap_or(true)
    }

    fn write_pending(&self, pending: PendingWrites) -> Option<()> {
        let PendingWrites {
            mut facts,
            mut fingerprints,
            deleted_fingerprints: gone,
            roots,
            used_fact_ids: mut touched,
            ..
        } = pending;
        // Writing in key order is faster, because it follows the order of the file.
        facts.sort_unstable_by_key(|(key, ..)| key.database_id());
        fingerprints.sort_unstable();
        touched.sort_unstable();
        let day = current_unix_day();
        let max_table_bytes = self.max_table_bytes();
        let max_transaction_bytes =
            MAX_TRANSACTION_BYTES.min(usize::try_from(max_table_bytes / 4).unwrap_or(usize::MAX));
        self.run_write_transaction(|connection| {
            let mut root_statement =
                connection.prepare_cached("REPLACE INTO roots (root, path, day) VALUES (?, ?, ?)")?;
            for (root, path) in &roots {
                root_statement.execute(params![root, path, day])?;
            }
            let mut use_statement = connection.prepare_cached("UPDATE uses SET day = ? WHERE id = ?")?;
            for id in &touched {
                use_statement.execute(params![day, id])?;
            }
            let mut deletion_statement =
                connection.prepare_cached("DELETE FROM fingerprints WHERE root = ? AND path = ?")?;
            for (root, path) in &gone {
                deletion_statement.execute(params![root, path])?;
            }
            Ok(())
        })?;
        let mut facts = facts.into_iter().peekable();
        while facts.peek().is_some() {
            let mut bytes = 0;
            let mut batch = Vec::new();
            while let Some(fact) =
                facts.next_if(|(.., value)| bytes + value.len() <= max_transaction_bytes || bytes == 0)
            {
                bytes += fact.2.len() + FACT_OVERHEAD_BYTES;
                batch.push(fact);
            }
            self.run_write_transaction(|connection| {
                if !make_room(connection, bytes, max_table_bytes)? {
                    return Ok(());
                }
                let mut fact_statement = connection.prepare_cached("REPLACE INTO facts (id, value) VALUES (?, ?)")?;
                let mut use_statement =
                    connection.prepare_cached("REPLACE INTO uses (id, day, worth, bytes) VALUES (?, ?, ?, ?)")?;
                for (key, worth, value) in &batch {
                    let size = i64::try_from(value.len()).unwrap_or(i64::MAX);
                    fact_statement.execute(params![key.database_id(), value])?;
                    use_statement.execute(params![key.database_id(), day, *worth as i64, size])?;
                }
                Ok(())
            })?;
        }
        // Values are written before the fingerprints that refer to the same file contents.
        for fingerprints in fingerprints.chunks(MAX_FINGERPRINTS_PER_TRANSACTION) {
            self.run_write_transaction(|connection| {
                let bytes = fingerprints.iter().map(|(_, path, value)| path.len() + value.len() + FACT_OVERHEAD_BYTES);
                if !make_room(connection, bytes.sum(), max_table_bytes)? {
                    return Ok(());
                }
                let mut fingerprint_statement =
                    connection.prepare_cached("REPLACE INTO fingerprints (root, path, value) VALUES (?, ?, ?)")?;
                for (root, path, value) in fingerprints {
                    fingerprint_statement.execute(params![root, path, value])?;
                }
                Ok(())
            })?;
        }
        Some(())
    }
}

/// The number of bytes that the journal may take of a cache with so many bytes.
fn max_journal_bytes(max_bytes: u64) -> u64 {
    (max_bytes / 8).min(file::MAX_JOURNAL_BYTES.into())
}

/// Makes room for `needed` more bytes in tables that may take `max_bytes`: where they would take more, the least recently
/// used values are evicted, until about three quarters are used. Returns whether there is room.
fn make_room(connection: &Connection, needed: usize, max_bytes: u64) -> rusqlite::Result<bool> {
    let needed = u64::try_from(needed).unwrap_or(u64::MAX);
    for _ in 0..MAX_EVICTION_BATCHES {
        let used = file::used_sqlite_page_bytes(connection)?.saturating_add(needed);
        if used <= max_bytes {
            return Ok(true);
        }
        let excess = i64::try_from(used - max_bytes / 4 * 3).unwrap_or(i64::MAX);
        if evict_batch_of_oldest_values(connection, excess)? == 0 {
            return Ok(false);
        }
    }
    Ok(file::used_sqlite_page_bytes(connection)?.saturating_add(needed) <= max_bytes)
}

/// Evicts the oldest values, a few thousand at most, until `excess` bytes are free. Returns the number of bytes freed.
fn evict_batch_of_oldest_values(connection: &Connection, excess: i64) -> rusqlite::Result<i64> {
    let oldest: Vec<(i64, i64)> = connection
        .prepare_cached("SELECT id, bytes FROM uses ORDER BY day, worth DESC, id LIMIT ?")?
        .query_map([MAX_EVICTIONS_PER_BATCH], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut fact_deletion = connection.prepare_cached("DELETE FROM facts WHERE id = ?")?;
    let mut use_deletion = connection.prepare_cached("DELETE FROM uses WHERE id = ?")?;
    let mut freed = 0;
    for (id, bytes) in oldest {
        if freed >= excess {
            break;
        }
        freed += bytes.max(1);
        fact_deletion.execute([id])?;
        use_deletion.execute([id])?;
    }
    if freed > 0 {
        return Ok(freed);
    }
    // Only fingerprints are left: evict those of the least recently used root.
    let mut oldest_root_query = connection.prepare_cached("SELECT root FROM roots ORDER BY day, root LIMIT 1")?;
    let Some(root) = oldest_root_query.query_row([], |row| row.get::<_, i64>(0)).optional()? else { return Ok(0) };
    let fingerprints = connection.prepare_cached("DELETE FROM fingerprints WHERE root = ?")?.execute([root])?;
    connection.prepare_cached("DELETE FROM roots WHERE root = ?")?.execute([root])?;
    Ok(i64::try_from(fingerprints).unwrap_or(0) * FINGERPRINT_BYTES + 1)
}

impl std::fmt::Debug for DiskCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiskCache").finish_non_exhaustive()
    }
}

/// Whether an SQLite error means that another process has locked the cache file.
pub(super) fn is_lock_error(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
