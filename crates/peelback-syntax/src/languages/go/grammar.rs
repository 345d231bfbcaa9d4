//! The grammar of Go.

use tree_sitter_language::LanguageFn;

use crate::spec::if_feature;

/// `None` where the feature `lang-go` is off.
pub(super) const GRAMMAR: Option<LanguageFn> = if_feature!("lang-go", tree_sitter_go::LANGUAGE);
