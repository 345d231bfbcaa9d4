//! `WordSet`: the set of words in a text, so that the text need not be read again to find that a word is missing.

use std::hash::BuildHasher;

/// The words of a text as a Bloom filter. A negative answer is certain; a positive one is not.
#[derive(Debug)]
pub struct WordSet(Box<[u64]>);

/// The number of bytes of text for each bit of the Bloom filter. A word sets two bits. One lookup in fifty is falsely
/// positive (measured on Python and C code), which costs reading a file.
const BYTES_PER_BIT: usize = 4;

/// Whether a byte belongs to a word of the set: words are runs of ASCII letters, digits and `_`. Other characters, such
/// as `$` and letters beyond ASCII, belong to names in some languages only.
fn is_word_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// Whether a range of a text is a whole word: no word character is before or after it, except that digits may precede
/// it.
pub fn is_whole_word(text: &str, range: std::ops::Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let (before, word) = (bytes.get(..range.start).unwrap_or(&[]), bytes.get(range.clone()).unwrap_or(&[]));
    let continues_after = word.last().is_some_and(is_word_byte) && bytes.get(range.end).is_some_and(is_word_byte);
    let continues_before = || {
        let mut part = before.iter().rev().take_while(|byte| is_word_byte(byte));
        word.first().is_some_and(is_word_byte) && part.any(|byte| !byte.is_ascii_digit())
    };
    !continues_after && !continues_before()
}

pub(super) fn split_at_non_word_bytes(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes().split(|byte| !is_word_byte(byte)).filter(|part| !part.is_empty())
}

/// What of a run of word bytes is a word: the run, and the part after leading digits: the digits of a number may run into
/// the name after it.
pub(super) fn parts_that_are_words(part: &[u8]) -> impl Iterator<Item = &[u8]> {
    let digits = part.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after_digits = part.get(digits..).filter(|_| (1..part.len()).contains(&digits));
    std::iter::once(part).chain(after_digits)
}

pub(super) fn hash_word(part: &[u8]) -> u64 {
    foldhash::fast::FixedState::default().hash_one(part)
}

impl WordSet {
    /// Collects the words of `text`.
    pub fn from_text(text: &str) -> Self {
        let bits = (text.len() / BYTES_PER_BIT).next_power_of_two().max(512);
        let mut set = Self(vec![0; bits / 64].into());
        for part in split_at_non_word_bytes(text) {
            parts_that_are_words(part).for_each(|word| set.add_word(word));
        }
        set
    }

    fn add_word(&mut self, part: &[u8]) {
        for (word, bit) in self.filter_bits_of_word(part) {
            if let Some(word) = self.0.get_mut(word) {
                *word |= bit;
            }
        }
    }

    /// The positions of a word's two bits in the filter, selected by the two halves of the word's hash.
    fn filter_bits_of_word(&self, part: &[u8]) -> [(usize, u64); 2] {
        let hash = hash_word(part);
        let mask = self.0.len() as u64 * 64 - 1;
        [hash & mask, (hash >> 32) & mask].map(|bit| (usize::try_from(bit / 64).unwrap_or(usize::MAX), 1 << (bit % 64)))
    }

    /// Whether the text can contain `needle` as a whole word; `false` is certain.
    pub fn can_contain_word(&self, needle: &str) -> bool {
        let is_bit_set = |(word, bit): (usize, u64)| self.0.get(word).is_some_and(|word| word & bit != 0);
        split_at_non_word_bytes(needle).all(|part| self.filter_bits_of_word(part).into_iter().all(is_bit_set))
    }

    /// The memory size of the set in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.0.len() * size_of::<u64>() + 64
    }
}

#[cfg(test)]
mod tests {
    use super::{WordSet, is_whole_word};

    #[test]
    fn a_word_stands_alone() {
        let alone = |text: &str, word: &str| {
            text.match_indices(word).map(|(at, _)| is_whole_word(text, at..at + word.len())).collect::<Vec<_>>()
        };
        assert_eq!(
            alone("Options LoadOptions, Options2 $Options _Options", "Options"),
            [true, false, false, true, false]
        );
        assert_eq!(alone("2nd x2nd éndé nd", "nd"), [true, false, true, true]);
        assert_eq!(alone("Größe Größen", "Größe"), [true, false]);
    }

    #[test]
    fn what_is_there_may_be_held() {
        let set = WordSet::from_text("from a.b import Größe as $x, area² # don't 2nd\n");
        for held in ["a", "b", "a.b", "Größe", "$x", "x", "'", "import", "", "area", "area²", "nd", "2nd"] {
            assert!(set.can_contain_word(held), "{held}");
        }
        for lacking in ["c", "a.c", "imports", "impor", "$y", "rea"] {
            assert!(!set.can_contain_word(lacking), "{lacking}");
        }
    }

    #[test]
    fn few_words_are_held_by_mistake() {
        let text: String = (0..2_000).map(|n| format!("let name_{n} = other_{n}.field;\n")).collect();
        let set = WordSet::from_text(&text);
        let mistaken = (0..10_000).filter(|n| set.can_contain_word(&format!("absent_{n}"))).count();
        assert!(mistaken < 1_500, "{mistaken} of 10,000");
        assert!(set.memory_bytes() < text.len() / 8);
    }
}
