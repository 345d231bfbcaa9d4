//! The estimate compared with the tokenizer: on files, on samples and on random texts.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

mod against_the_tokenizer;
mod random;

/// The tokens of `text` by the o200k tokenizer.
fn exact_tokens(text: &str) -> usize {
    let tokenizer = tiktoken::get_encoding("o200k_base").expect("the vocabulary is compiled in");
    tokenizer.count(text)
}
