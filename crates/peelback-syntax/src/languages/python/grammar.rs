//! The tree-sitter grammar of Python.

use tree_sitter_language::LanguageFn;

use crate::spec::if_feature;

/// The grammar of Python; `None` where the cargo feature `lang-python` is off.
pub(super) const GRAMMAR: Option<LanguageFn> = if_feature!("lang-python", tree_sitter_python::LANGUAGE);
