//! The key of a cached value, and the cost of losing the value.

use crate::content_hash::ContentHash;

/// The key of a cached value: a hash of the value's inputs and of the version of the analysis that computed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey(pub [u8; 16]);

impl CacheKey {
    /// The key of a value whose inputs are all `parts`, in this order.
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(ContentHash::from_first_half_of_blake3(&hasher.finalize()).0)
    }

    /// The number that identifies the key in a table of the cache file. A collision of two keys is next to impossible
    /// and harmless, because the checksum of a stored value covers the whole key.
    pub fn database_id(self) -> i64 {
        let mut id = [0; 8];
        id.iter_mut().zip(self.0).for_each(|(id, byte)| *id = byte);
        i64::from_le_bytes(id)
    }
}

/// The cost of losing a cached value; the most valuable entries are evicted last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// A small value that every question about the whole project needs.
    Small = 0,
    /// A large value that is needed for a few files at a time.
    Large = 1,
}
