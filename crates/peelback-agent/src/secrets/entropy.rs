//! The entropy of a text, which measures how random the text is.

/// The Shannon entropy of a text, in bits per character.
pub(super) fn shannon_entropy_per_character(text: &str) -> f64 {
    let mut counts = std::collections::HashMap::<char, u32>::new();
    for c in text.chars() {
        *counts.entry(c).or_default() += 1;
    }
    let total = f64::from(counts.values().sum::<u32>());
    counts.values().map(|&count| f64::from(count) / total).map(|share| -share * share.log2()).sum()
}
