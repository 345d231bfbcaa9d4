//! The grammar of Go.

use tree_sitter_language::LanguageFn;

use crate::spec::if_feature;

/// The tree-sitter grammar of Go, or `None` where the cargo feature `lang-go` is off.
pub(super) const GRAMMAR: Option<LanguageFn> = if_feature!("lang-go", tree_sitter_go::LANGUAGE);
