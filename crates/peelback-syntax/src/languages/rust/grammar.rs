//! The tree-sitter grammar of Rust.

use tree_sitter_language::LanguageFn;

use crate::spec::if_feature;

/// The grammar of Rust; `None` where the cargo feature `lang-rust` is off.
pub(super) const GRAMMAR: Option<LanguageFn> = if_feature!("lang-rust", tree_sitter_rust::LANGUAGE);
