//! Which words a text holds, so that it need not be read again to learn that it lacks one.

use std::hash::BuildHasher;

/// The words of a text as hashes: a word that is not among them is not there.
#[derive(Debug)]
pub(crate) struct WordSet(Box<[u32]>);

/// Whether a character is part of a word.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn hash(word: &str) -> u32 {
    (foldhash::fast::FixedState::default().hash_one(word) >> 32) as u32
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

impl WordSet {
    /// The words of `text`.
    pub fn of(text: &str) -> Self {
        let mut all: Vec<u32> = Vec::new();
        for word in words(text) {
            all.push(hash(word));
            // The sign of a variable may or may not be part of its name.
            if word.contains('$') {
                all.extend(word.split('$').filter(|part| !part.is_empty()).map(hash));
            }
        }
        all.sort_unstable();
        all.dedup();
        Self(all.into())
    }

    /// Whether the text can hold `needle` with no word going on at either end of it; `false` is certain.
    pub fn may_hold(&self, needle: &str) -> bool {
        words(needle).all(|word| self.0.binary_search(&hash(word)).is_ok())
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len() * size_of::<u32>() + 64
    }
}

#[cfg(test)]
mod tests {
    use super::WordSet;

    #[test]
    fn what_is_there_may_be_held() {
        let set = WordSet::of("from a.b import Größe as $x # don't\n");
        for held in ["a", "b", "a.b", "Größe", "$x", "x", "'", "import", ""] {
            assert!(set.may_hold(held), "{held}");
        }
        for lacking in ["c", "a.c", "Gr", "imports", "impor", "$y"] {
            assert!(!set.may_hold(lacking), "{lacking}");
        }
    }
}
