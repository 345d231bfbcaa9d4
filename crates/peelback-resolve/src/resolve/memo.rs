//! A map that stores the results of evaluations, shared by several threads.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash};
use std::sync::{Mutex, PoisonError};

/// A map of computed values behind sharded locks. A value that two threads compute at once is stored twice, with the
/// same result.
pub(crate) struct Memo<K, V>(Vec<Mutex<HashMap<K, V, foldhash::fast::RandomState>>>);

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    pub fn new() -> Self {
        Self((0..16).map(|_| Mutex::new(HashMap::default())).collect())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the remainder of a division by the length is below the length, which `new` makes 16"
    )]
    fn shard_of_key(&self, key: &K) -> &Mutex<HashMap<K, V, foldhash::fast::RandomState>> {
        let hash = foldhash::fast::FixedState::default().hash_one(key);
        &self.0[usize::try_from(hash >> 40).unwrap_or(0) % self.0.len()]
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.shard_of_key(key).lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub fn insert(&self, key: K, value: V) {
        self.shard_of_key(&key).lock().unwrap_or_else(PoisonError::into_inner).insert(key, value);
    }
}
