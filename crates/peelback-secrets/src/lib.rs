//! Where a text holds secrets, and which files hold nothing else. Text in, ranges out; no I/O.
//!
//! [`mask_secrets`] is the way through which every text goes that leaves the machine:
//!
//! ```
//! let password = ["h7", "Kq2", "!mZ", "x9Wt"].concat();
//! let text = format!("# Storage\nDB_PASSWORD={password}\nDB_USER=shop\n");
//! assert_eq!(peelback_secrets::mask_secrets(&text), "# Storage\nDB_PASSWORD=[masked]\nDB_USER=shop\n");
//! assert_eq!(peelback_secrets::mask_secrets("password = changeme"), "password = changeme");
//! ```
//!
//! # What is found
//!
//! - *Vendors' tokens* (`vendor_rules.rs`): the rules of gitleaks, as data in `rules/gitleaks.tsv`. A rule's pattern is
//!   compiled when one of its keywords first occurs, and matched near its keywords alone.
//! - *Named values* (`named_values.rs`): a value whose name says that it is secret (`db.password`, `API_KEY`,
//!   `clientSecret`), in whatever way languages and formats write names and values: assignments with and without types,
//!   keys of YAML, JSON, TOML and XML, arguments, headers, flags, pairs of `name` and `value`, connection strings.
//! - *Places* (`places.rs`): passwords in URLs and data source names and Kubernetes secrets.
//! - *Positions* (`positional.rs`): arguments of calls that sign in, options of programs, clauses of queries, cookies.
//! - *Collections* (`collections.rs`): lists and maps under a plural name, elements and tables of markup.
//! - *Private keys* (`blocks.rs`), whole or in part.
//! - *What a whole file shows* ([`KnownSecrets`]), in excerpts of the file that lack the name.
//! - *What was found*, where it stands in the text again without a name (`repeated.rs`).
//!
//! The last two mask keys and passwords by their characters alone, and nothing that could be code: whoever writes a file
//! could otherwise hide code from a reader, as a part of a password.
//!
//! Whether a value is a secret or a stand-in for one (`${TOKEN}`, `<your-key>`, `changeme`, a name, a path, a call) is
//! judged in `judgement.rs` and `references.rs`: by structure, by classes of characters, entropy, and how likely its letters follow each other in words.
//! The words are those of the rule set.
//!
//! The text may be an excerpt with line numbers, a diff, or begin in the middle of a block. A line that holds other lines
//! in escapes, as messages and JSON do, is also read as what its escapes stand for (`escaped.rs`).
//!
//! # What holds for every text
//!
//! The time is linear in the length of the text: patterns are matched by automata in windows of bounded length, and
//! everything else looks at a bounded number of bytes around a name. Line breaks stay, so line numbers stay true.
//! Masking a masked text changes nothing.
//!
//! # The choice of the rules
//!
//! Compared in November 2026, with Rust 1.95:
//!
//! | crate | rules | as a library |
//! | --- | --- | --- |
//! | `secrets_scanner` 0.2.3 (MIT) | gitleaks v8.30.1, unchanged, and Kingfisher's | 36 crates (a second `toml`, `sha2`, `hmac`); compiles all 988 patterns at start, which took 44 s and 680 MB on a busy machine, and read 766 KB in 5 s; no ranges in bytes |
//! | `keyspoor` 0.1.4 (Apache-2.0) | gitleaks v8.30.1, 700 KB of JSON | needs Rust 1.96; 71 crates with `git`, archives and a server |
//! | `nosecrets-rules` 0.3.9 (MIT) | some 50 of its own | 20 crates, rules only |
//! | `secretscan` 0.2.5 (MIT) | its own, in code | 91 crates, compiles all patterns at start |
//! | `ripsecrets` 0.1.11 (MIT) | some 25 of its own, one pattern | 72 crates, a command line |
//! | `kingfisher-rules` 3.0.1 (Apache-2.0) | 900 of its own | needs Rust 1.99 |
//!
//! None fits as a dependency, so the data of the first is taken, whose sum is that of gitleaks' own file: 221 rules in
//! 43 KB. `rules/renew.py` writes the file anew.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing,
        clippy::string_slice,
        reason = "unit tests fail by a panic"
    )
)]

mod blocks;
mod collections;
mod entries;
mod escaped;
mod file_names;
mod judgement;
mod known;
mod marker;
mod mask;
mod named_values;
mod names;
pub mod pattern;
mod places;
mod positional;
mod references;
mod remembered;
mod repeated;
mod scan;
mod stop;
mod values;
mod vendor_rules;

pub use file_names::secret_file_kind;
pub use known::KnownSecrets;
pub use marker::MASK;
pub use mask::{
    MaskPlaces, Masked, find_secrets_to_mask, mask_secrets, mask_secrets_and_count, mask_secrets_with, write_with_masks,
};
pub use named_values::is_secret_value_of_name;
pub use scan::{SecretRange, find_secrets, find_secrets_with};
pub use stop::{Stop, Stopped};
