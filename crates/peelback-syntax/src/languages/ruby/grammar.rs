//! The grammar of Ruby.

use tree_sitter_language::LanguageFn;

use crate::spec::if_feature;

/// The tree-sitter grammar of Ruby; `None` where the cargo feature `lang-ruby` is off.
pub(in crate::languages) const GRAMMAR: Option<LanguageFn> = if_feature!("lang-ruby", tree_sitter_ruby::LANGUAGE);
