//! How often the names of a folder's symbols are used in its files: in how many of them, that of the symbol among them, the
//! name stands as a word.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::folder::FileOutlineRow;

/// The most files whose words are kept to count uses: about 16 KB for each file.
pub(super) const MAX_FILES_WITH_USE_COUNTS: usize = 2_000;

type WordHasher = BuildHasherDefault<DefaultHasher>;

/// The hashes of the words of a text (runs of letters, digits and underscores), each once, in ascending order.
pub(super) fn distinct_word_hashes(text: &str) -> Vec<u64> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 1);
    let mut hashes: Vec<u64> = words.map(hash_of_word).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn hash_of_word(word: &str) -> u64 {
    WordHasher::default().hash_one(word)
}

/// Sets for each symbol in how many files its name stands as a word, and drops the words of the files.
pub(super) fn count_uses_of_names(files: &mut [FileOutlineRow]) {
    let mut counts: HashMap<u64, u32> =
        files.iter().flat_map(|file| &file.symbols).map(|row| (hash_of_word(&row.name), 0)).collect();
    for file in files.iter_mut() {
        for word in std::mem::take(&mut file.words) {
            if let Some(count) = counts.get_mut(&word) {
                *count += 1;
            }
        }
    }
    for row in files.iter_mut().flat_map(|file| &mut file.symbols) {
        row.use_count = counts.get(&hash_of_word(&row.name)).copied().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::{distinct_word_hashes, hash_of_word};

    #[test]
    fn words_are_counted_once() {
        let hashes = distinct_word_hashes("let load_cart = load_cart(x) + größe;");
        assert_eq!(hashes.len(), 3);
        for word in ["let", "load_cart", "größe"] {
            assert!(hashes.contains(&hash_of_word(word)), "{word}");
        }
    }
}
