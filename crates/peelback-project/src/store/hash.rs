//! What a text is known by.

/// The name of a content. Two texts that an attacker made do not share one either: a cache that serves several projects
/// must not let one of them answer for another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// The name of a text.
    pub fn of(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// The name of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::shortened(&blake3::hash(bytes))
    }

    /// Half of a hash, which is as hard to hit as a name needs.
    pub fn shortened(hash: &blake3::Hash) -> Self {
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
