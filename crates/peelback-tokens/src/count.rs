//! Exact counts of the tokens of texts by OpenAI's o200k tokenizer.

use crate::estimate::estimate_tokens;
use crate::tokenizer::o200k_tokenizer;

/// The number of tokens of `text` by OpenAI's o200k tokenizer. Marks of special tokens such as `<|endoftext|>` count as
/// plain text.
///
/// The first call unpacks the vocabulary, which takes about a tenth of a second;
/// [`estimate_tokens`] needs none. Were the vocabulary missing from the build, the count would
/// be the estimate.
pub fn count_tokens(text: &str) -> usize {
    match o200k_tokenizer() {
        Some(tokenizer) => tokenizer.count(text),
        None => estimate_tokens(text),
    }
}

#[cfg(test)]
mod tests {
    use super::count_tokens;
    use crate::tokenizer::o200k_tokenizer;

    #[test]
    fn counts_are_those_of_the_tokenizer() {
        assert_eq!(count_tokens(""), 0);
        // The tokens that OpenAI's own tokenizer gives for this text.
        assert_eq!(o200k_tokenizer().expect("the vocabulary").encode("Hello, world!"), [13225, 11, 2375, 0]);
        assert_eq!(count_tokens("Hello, world!"), 4);
        let source = include_str!("count.rs");
        assert_eq!(count_tokens(source), o200k_tokenizer().expect("the vocabulary").encode(source).len());
    }

    #[test]
    fn long_runs_of_white_space_are_counted() {
        for text in [" ".repeat(1_000_000), "\n".repeat(500_000), "a \t".repeat(10_000)] {
            let tokens = count_tokens(&text);
            assert!(tokens > 0 && tokens < text.len(), "{tokens}");
        }
    }

    #[test]
    fn marks_of_special_tokens_are_plain_text() {
        assert!(count_tokens("<|endoftext|>") > 1);
    }
}
