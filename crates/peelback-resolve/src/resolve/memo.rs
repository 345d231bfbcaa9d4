//! A map that stores the results of evaluations, shared by several threads.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash};
use std::sync::{Mutex, PoisonError};

/// The number of parts of a map, each with its own lock.
const SHARDS: usize = 16;

/// The limit on the number of values in one part of a map. All results that one call asks for are far fewer, unless the
/// source is made to exhaust the memory.
const MAX_VALUES_OF_SHARD: usize = 1 << 14;

/// A map of computed values behind sharded locks. A part of the map that is full is emptied. A value that two threads compute at once is stored twice, with the
/// same result.
pub(crate) struct Memo<K, V>(Vec<Mutex<HashMap<K, V, foldhash::fast::RandomState>>>);

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    pub fn new() -> Self {
        Self((0..SHARDS).map(|_| Mutex::new(HashMap::default())).collect())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the remainder of a division by the length is below the length, which `new` makes positive"
    )]
    fn shard_of_key(&self, key: &K) -> &Mutex<HashMap<K, V, foldhash::fast::RandomState>> {
        let hash = foldhash::fast::FixedState::default().hash_one(key);
        &self.0[usize::try_from(hash >> 40).unwrap_or(0) % self.0.len()]
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.shard_of_key(key).lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub fn insert(&self, key: K, value: V) {
        let mut shard = self.shard_of_key(&key).lock().unwrap_or_else(PoisonError::into_inner);
        if shard.len() >= MAX_VALUES_OF_SHARD {
            shard.clear();
        }
        shard.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memo_holds_a_bounded_number_of_values() {
        let memo = Memo::new();
        for key in 0..2 * SHARDS * MAX_VALUES_OF_SHARD {
            memo.insert(key, key);
            assert_eq!(memo.get(&key), Some(key));
        }
        let held: usize = memo.0.iter().map(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner).len()).sum();
        assert!(held <= SHARDS * MAX_VALUES_OF_SHARD, "{held}");
    }
}
