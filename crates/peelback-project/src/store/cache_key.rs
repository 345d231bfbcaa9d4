//! The key of a value in the cache, and what the value is worth.

use crate::content_hash::ContentHash;

/// The key of a cached value: a hash of the value's inputs and of the version of the analysis that computed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey(pub [u8; 16]);

impl CacheKey {
    /// The key for the sequence of all `parts`.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(ContentHash::from_blake3(&hasher.finalize()).0)
    }

    /// The number that identifies the key in a table. A collision of two keys is next to impossible and harmless,
    /// because a value is sealed with its whole key.
    pub fn id(self) -> i64 {
        let mut id = [0; 8];
        id.iter_mut().zip(self.0).for_each(|(id, byte)| *id = byte);
        i64::from_le_bytes(id)
    }
}

/// The cost of losing a value; the most valuable entries are evicted last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// A small value that every question about the whole project needs.
    Small = 0,
    /// A large value that is needed for a few files at a time.
    Large = 1,
}
