//! `MemoryCache`: an in-memory cache with a size limit.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A cache that evicts the least recently used values when a total size in bytes is exceeded.
pub struct MemoryCache<K, V> {
    most_bytes: usize,
    state: Mutex<MemoryCacheState<K, V>>,
}

struct MemoryCacheState<K, V> {
    entries: HashMap<K, Entry<V>>,
    bytes: usize,
    /// The number of accesses so far, used as the time of the last use.
    clock: u64,
}

struct Entry<V> {
    value: V,
    bytes: usize,
    last_used: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> MemoryCache<K, V> {
    /// Creates an empty cache that holds at most `most_bytes`.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, state: Mutex::new(MemoryCacheState { entries: HashMap::new(), bytes: 0, clock: 0 }) }
    }

    fn lock_state(&self) -> MutexGuard<'_, MemoryCacheState<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cached value of a key, which counts as used now.
    pub fn get(&self, key: &K) -> Option<V> {
        let mut state = self.lock_state();
        state.clock += 1;
        let clock = state.clock;
        let entry = state.entries.get_mut(key)?;
        entry.last_used = clock;
        Some(entry.value.clone())
    }

    /// Whether a value of `bytes` bytes fits in the cache without evicting another.
    pub fn has_room_for_bytes(&self, bytes: usize) -> bool {
        self.lock_state().bytes + bytes <= self.most_bytes
    }

    /// Stores a value of `bytes` bytes. A value that would evict everything else is not stored.
    pub fn insert(&self, key: K, value: V, bytes: usize) {
        if bytes > self.most_bytes / 4 {
            return;
        }
        let mut state = self.lock_state();
        state.clock += 1;
        let used = state.clock;
        state.bytes += bytes;
        if let Some(before) = state.entries.insert(key, Entry { value, bytes, last_used: used }) {
            state.bytes -= before.bytes;
        }
        if state.bytes > self.most_bytes {
            state.evict_least_recently_used(self.most_bytes / 4 * 3);
        }
    }
}

impl<K: Hash + Eq + Clone, V> MemoryCacheState<K, V> {
    /// Evicts the least recently used values until at most `most_bytes` bytes of values are left. Runs seldom and
    /// evicts many values at a time.
    fn evict_least_recently_used(&mut self, most_bytes: usize) {
        let mut order: Vec<(u64, K)> = self.entries.iter().map(|(key, entry)| (entry.last_used, key.clone())).collect();
        order.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in order {
            if self.bytes <= most_bytes {
                return;
            }
            if let Some(entry) = self.entries.remove(&key) {
                self.bytes -= entry.bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryCache;

    #[test]
    fn the_least_recently_used_go_first() {
        let memory = MemoryCache::new(100);
        for key in 0..10 {
            memory.insert(key, key, 10);
        }
        assert_eq!(memory.get(&0), Some(0));
        memory.insert(10, 10, 10);
        assert_eq!(memory.get(&0), Some(0));
        assert_eq!(memory.get(&1), None);
        assert_eq!(memory.get(&10), Some(10));
        memory.insert(11, 11, 26);
        assert_eq!(memory.get(&11), None);
        assert!(memory.has_room_for_bytes(20) && !memory.has_room_for_bytes(31));
    }

    #[test]
    fn a_value_put_twice_counts_once() {
        let memory = MemoryCache::new(100);
        for _ in 0..50 {
            memory.insert(1, 1, 20);
        }
        memory.insert(2, 2, 20);
        assert_eq!((memory.get(&1), memory.get(&2)), (Some(1), Some(2)));
    }
}
