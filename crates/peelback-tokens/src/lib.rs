//! The number of tokens that a text costs a language model: estimated fast, or counted exactly.
//!
//! A real tokenizer takes longer to load than an answer takes to make. [`estimate_tokens`] has nothing to load and
//! allocates nothing; it reads more than 150 MB a second on one core. It errs on the high side: it is fitted never to
//! be below the count of OpenAI's o200k tokenizer, and is some 15% above it at the median of many files.
//! [`count_tokens`] is that tokenizer.
//!
//! ```
//! use peelback_tokens::{LineCosts, estimate_tokens};
//!
//! let source = "fn main() {\n    println!(\"Hello, world!\");\n}\n";
//! assert!((14..=24).contains(&estimate_tokens(source)));
//!
//! // The price of any range of lines, which count from 1, both ends included, without reading the text again.
//! let costs = LineCosts::new(source);
//! assert_eq!(costs.estimated_tokens_in_lines(1, 3), estimate_tokens(source));
//! assert!(costs.estimated_tokens_in_lines(2, 2) < costs.estimated_tokens_in_lines(1, 3));
//! ```
//!
//! # The method of the estimate
//!
//! The text is split into pieces as o200k splits it before it merges bytes: a word is upper-case letters and then
//! lower-case ones with at most one other character before it (`foo`, ` foo`, `.foo`, `_foo`; `fooBar` is two words),
//! digits are grouped by three, punctuation includes the newline after it, and the last space of a run belongs to the
//! word after it. Then each piece is priced:
//!
//! - A piece that is an entry of the vocabulary is one token. A Bloom filter of 256 KB, in blocks of one 64-bit word,
//!   holds the words, with their leading character, and the punctuation among the first 120,000 tokens; its rate of
//!   false positives is one in five thousand. Nine of ten pieces of code and prose are found in it.
//! - Any other piece of Latin letters or punctuation is two tokens or more: a price by its length, plus a price for
//!   each pair of neighbouring characters, so that `zqxj` costs more than `tion`. The 10,000 pair prices and the length
//!   prices were fitted by gradient descent on the 526,000 distinct pieces, less those in the filter, of 5,500 files of
//!   nine public repositories in seven programming languages (with documentation in twelve natural languages) and
//!   13,600 other files: C headers, Python, Perl and JavaScript libraries, Rust crates, HTML, XML, YAML and SVG. The
//!   loss function was the 90% quantile, each piece weighted by the number of files that contain it: nine of ten pieces
//!   cost no more tokens than their price.
//! - A letter of another script costs as many tokens as a table gives for it alone. Where it and the letter before it
//!   are one token each, it costs a fraction of a token that depends on the script and is a tenth above the mean over
//!   the same files (a quarter of a token for a lower-case Cyrillic letter, nine tenths for a Chinese character).
//!
//! A safety margin is added to the sum: 3%, the square root of the sum, and one and a half tokens, since the errors of
//! single pieces weigh most in short texts. The tests of this crate compare the filter and the table of single
//! characters with the tokenizer.
//!
//! # Accuracy
//!
//! The estimate was compared with the tokenizer over 46,000 files of source, data and documentation, 27,000 of which
//! had no part in the fitting, and over four random ranges of lines of each (1 to 60 lines). No file was
//! underestimated; the lowest ratio of estimate to count was 1.01. The median ratio was 1.14 (1.17 over the public
//! repositories, with their many short files), the 95th percentile 1.33. One of the 184,000 ranges was underestimated,
//! in a file that lists alphabets. A text that repeats a false positive of the filter, or that is in no language at
//! all, can be underestimated by a few percent.
//!
//! The estimate of a text is the same on every machine. Appending to a text can lower its estimate where the addition
//! completes a word (`th`, `the`), by no more than the price of the piece that it completes.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::string_slice,
        reason = "unit tests fail by a panic"
    )
)]

mod count;
mod estimate;
mod lines;
mod scan;
mod tables;
pub mod text;
mod tokenizer;

pub use count::count_tokens;
pub use estimate::estimate_tokens;
pub use lines::LineCosts;
