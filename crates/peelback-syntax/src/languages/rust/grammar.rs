//! The grammar of Rust.

use tree_sitter_language::LanguageFn;

use crate::spec::if_feature;

/// `None` where the feature `lang-rust` is off.
pub(super) const GRAMMAR: Option<LanguageFn> = if_feature!("lang-rust", tree_sitter_rust::LANGUAGE);
