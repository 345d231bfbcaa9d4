//! The grammar of C.

use tree_sitter_language::LanguageFn;

use crate::spec::if_feature;

/// The tree-sitter grammar of C, or `None` where the cargo feature `lang-c` is off.
pub(super) const GRAMMAR: Option<LanguageFn> = if_feature!("lang-c", tree_sitter_c::LANGUAGE);
