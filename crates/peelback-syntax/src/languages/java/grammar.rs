//! The grammar of Java.

use tree_sitter_language::LanguageFn;

use crate::spec::if_feature;

/// The tree-sitter grammar of Java, or `None` where the cargo feature `lang-java` is off.
pub(super) const GRAMMAR: Option<LanguageFn> = if_feature!("lang-java", tree_sitter_java::LANGUAGE);
