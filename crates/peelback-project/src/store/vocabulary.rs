//! `Vocabulary`: the words of a text, and what the text surely lacks.

use std::collections::HashMap;

use super::word_set::{hash_word, parts_that_are_words, split_at_non_word_bytes};

/// The number of bytes of text for each bit of the filter of trigrams.
const BYTES_PER_BIT: usize = 2;

/// The smallest and the largest number of bits of the filter of trigrams, powers of two. Texts have few distinct ones.
const BITS_OF_FILTER: (usize, usize) = (1 << 10, 1 << 16);

/// The words of a text, each once, and its trigrams in either case as a filter: a negative answer of the filter is certain,
/// a positive one is not.
#[derive(Debug)]
pub struct Vocabulary {
    /// The hashes of the words, in ascending order.
    words: Box<[u64]>,
    trigrams: Box<[u64]>,
}

impl Vocabulary {
    /// The vocabulary of `text`.
    pub fn from_text(text: &str) -> Self {
        let mut words: Vec<u64> = Vec::new();
        for part in split_at_non_word_bytes(text) {
            words.extend(parts_that_are_words(part).map(hash_word));
        }
        words.sort_unstable();
        words.dedup();
        let (least, most) = BITS_OF_FILTER;
        let bits = (text.len() / BYTES_PER_BIT).next_power_of_two().clamp(least, most);
        let mut trigrams = vec![0_u64; bits / 64];
        let mut add = |text: &str| {
            for trigram in text.as_bytes().windows(3) {
                let (index, bit) = place_of_trigram(trigram, bits);
                if let Some(word) = trigrams.get_mut(index) {
                    *word |= bit;
                }
            }
        };
        // Letters beyond ASCII may have forms in ASCII: a search in either case takes the long s for one.
        if text.is_ascii() {
            add(text)
        } else {
            add(&text.to_lowercase().replace('\u{17f}', "s"))
        }
        Self { words: words.into(), trigrams: trigrams.into() }
    }

    /// Whether `word` is one of the words: a run of ASCII letters, digits and `_`. What else a name may consist of is never
    /// one.
    pub fn contains_word(&self, word: &str) -> bool {
        let mut parts = split_at_non_word_bytes(word);
        let is_word = parts.next().is_some_and(|part| part.len() == word.len());
        is_word && self.contains_hash(hash_word(word.as_bytes()))
    }

    /// Whether a word of the text has this hash (see [`Vocabulary::hash_of_word`]).
    pub fn contains_hash(&self, hash: u64) -> bool {
        self.words.binary_search(&hash).is_ok()
    }

    /// The hash by which [`Vocabulary::contains_hash`] finds a word; `None` for a text that is no single word.
    pub fn hash_of_word(word: &str) -> Option<u64> {
        let is_word = split_at_non_word_bytes(word).next().is_some_and(|part| part.len() == word.len());
        is_word.then(|| hash_word(word.as_bytes()))
    }

    /// Adds 1 to the count of each hash that a word of the text has.
    pub fn count_held_hashes(&self, counts: &mut HashMap<u64, u32>) {
        /// What a search for a hash among the words costs, in looks at a word.
        const COST_OF_SEARCH: usize = 12;
        if counts.len() * COST_OF_SEARCH < self.words.len() {
            counts.iter_mut().filter(|(hash, _)| self.contains_hash(**hash)).for_each(|(_, count)| *count += 1);
        } else {
            for hash in &self.words {
                if let Some(count) = counts.get_mut(hash) {
                    *count += 1;
                }
            }
        }
    }

    /// Whether the text can contain `needle` at any position, in letters of either case; `false` is certain.
    pub fn can_contain_text(&self, needle: &str) -> bool {
        let bits = self.trigrams.len() * 64;
        let holds = |trigram: &[u8]| {
            let (index, bit) = place_of_trigram(trigram, bits);
            self.trigrams.get(index).is_some_and(|word| word & bit != 0)
        };
        !needle.is_ascii() || needle.as_bytes().windows(3).all(holds)
    }

    /// Whether the text can contain `needle` as a whole word; `false` is certain.
    pub fn can_contain_whole_word(&self, needle: &str) -> bool {
        split_at_non_word_bytes(needle).all(|part| self.contains_hash(hash_word(part)))
    }

    /// The memory size in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.words) + size_of_val(&*self.trigrams) + 96
    }
}

/// The place of three bytes in a filter of so many bits, a power of two, whatever the case of their letters is.
fn place_of_trigram(trigram: &[u8], bits: usize) -> (usize, u64) {
    let joined = trigram.iter().fold(0_u32, |joined, byte| joined << 8 | u32::from(byte.to_ascii_lowercase()));
    // The high bits of a product depend on all bits of its factors.
    let mixed = (joined.wrapping_mul(0x9E37_79B1) >> 8) as usize & (bits - 1);
    (mixed / 64, 1 << (mixed % 64))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::Vocabulary;

    #[test]
    fn words_are_held_whole() {
        let vocabulary = Vocabulary::from_text("let load_cart = load_cart(x) + größe; // 2nd $y\n");
        for held in ["let", "load_cart", "x", "nd", "2nd", "y"] {
            assert!(vocabulary.contains_word(held), "{held}");
        }
        // A name with other letters is no word.
        for lacking in ["load", "cart", "größe", "load cart", "$y", ""] {
            assert!(!vocabulary.contains_word(lacking), "{lacking}");
        }
        let hashes = ["load_cart", "x", "cart"].map(|word| Vocabulary::hash_of_word(word).expect("a word"));
        let mut counts: HashMap<u64, u32> = hashes.into_iter().map(|hash| (hash, 7)).collect();
        vocabulary.count_held_hashes(&mut counts);
        assert_eq!(hashes.map(|hash| counts[&hash]), [8, 8, 7]);
        assert!(vocabulary.can_contain_whole_word("größe") && !vocabulary.can_contain_whole_word("groß"));
    }

    #[test]
    fn a_text_that_is_there_may_be_there() {
        let text = "class FastAPI(Starlette):\n    title = 'ΟΔΟΣ \u{212a}elvin Pa\u{17f}\u{17f}age'\n";
        let vocabulary = Vocabulary::from_text(text);
        for held in ["FastAPI", "fastapi", "API(S", "a", "", "ΟΔΟΣ", "kelvin", "passage", "Starlette"] {
            assert!(vocabulary.can_contain_text(held), "{held}");
        }
        for lacking in ["Flask", "fastap1", "classic"] {
            assert!(!vocabulary.can_contain_text(lacking), "{lacking}");
        }
    }

    #[test]
    fn few_texts_are_held_by_mistake() {
        let text: String = (0..2_000).map(|n| format!("let name_{n} = other_{n}.field;\n")).collect();
        let vocabulary = Vocabulary::from_text(&text);
        let words = ["Editor", "QuerySet", "get_absolute", "handler", "Command", "parse", "writer", "FastAPI"];
        let mistaken = words.iter().filter(|word| vocabulary.can_contain_text(word)).count();
        assert_eq!(mistaken, 0);
        assert!(vocabulary.memory_bytes() < text.len());
    }
}
