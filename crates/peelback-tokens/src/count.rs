//! Counting with the real tokenizer.

use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

/// Longer runs of white space than this are not given to the tokenizer in one piece: its pattern backtracks over them.
const MAX_WHITE_RUN: usize = 4_096;

/// How many tokens `text` costs by OpenAI's o200k tokenizer.
///
/// The first call loads the vocabulary, which takes some tenths of a second; [`estimate`](crate::estimate) needs none
/// of it. Were the vocabulary not to load, the count would be the estimate. In a run of more than 4,096 characters of
/// white space the count may be some tokens over.
pub fn count(text: &str) -> usize {
    static TOKENIZER: OnceLock<Option<CoreBPE>> = OnceLock::new();
    match TOKENIZER.get_or_init(|| tiktoken_rs::o200k_base().ok()) {
        Some(tokenizer) => pieces(text).map(|piece| tokenizer.encode_ordinary(piece).len()).sum(),
        None => crate::estimate(text),
    }
}

/// The text in pieces whose runs of white space the tokenizer can take.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut run = 0;
        let end = rest.char_indices().find_map(|(at, c)| {
            run = if c.is_whitespace() { run + 1 } else { 0 };
            (run > MAX_WHITE_RUN).then_some(at)
        });
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::{MAX_WHITE_RUN, count, pieces};

    #[test]
    fn counts_what_the_tokenizer_counts() {
        assert_eq!(count(""), 0);
        assert_eq!(count("Hello, world!"), 4);
        let source = include_str!("count.rs");
        let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary");
        assert_eq!(count(source), tokenizer.encode_ordinary(source).len());
    }

    #[test]
    fn runs_of_white_space_do_not_break_it() {
        for text in [" ".repeat(1_000_000), "\n".repeat(500_000), "a \t".repeat(10_000)] {
            assert!(count(&text) > 0);
            assert_eq!(pieces(&text).collect::<String>(), text);
        }
        assert_eq!(pieces(&" ".repeat(MAX_WHITE_RUN)).count(), 1);
    }

    #[test]
    fn words_of_the_vocabulary_that_mean_something_are_text() {
        assert!(count("<|endoftext|>") > 1);
    }
}
