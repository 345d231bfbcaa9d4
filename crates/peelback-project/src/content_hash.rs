//! `ContentHash`: identifies a text by the hash of its bytes.

/// A 128-bit hash that identifies a file's content. The hash is resistant to deliberate collisions, because a cache
/// serves several projects, and no project may influence the answers for another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// The hash of a text.
    pub fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// The hash of a byte string.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::from_first_half_of_blake3(&blake3::hash(bytes))
    }

    /// The first half of a BLAKE3 hash, which is long enough to identify a file's content.
    pub fn from_first_half_of_blake3(hash: &blake3::Hash) -> Self {
        let mut short = [0; 16];
        short.iter_mut().zip(hash.as_bytes()).for_each(|(short, byte)| *short = *byte);
        Self(short)
    }
}

impl std::fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
