//! The generic tier: outlines from a tags query.
//!
//! A query names each definition with `@name` and captures it whole as `@definition.KIND`, KIND being a word of
//! [`SymbolKind`]. Nesting follows from containment; `@body`, where a query gives it, is folded and ends the signature.

use tree_sitter::Tree;
use tree_sitter_language::LanguageFn;

use crate::facts::{Coverage, Facts};

/// A grammar and its tags query.
pub(crate) struct Tags {
    pub grammar: LanguageFn,
    /// The query's text.
    pub query: &'static str,
}

/// Takes a tree to facts.
pub(crate) fn facts(tree: &Tree, _source: &str, _tags: &Tags) -> Facts {
    let coverage = if tree.root_node().has_error() { crate::walk::damage(tree) } else { Coverage::Whole };
    Facts { symbols: Vec::new(), imports: Vec::new(), exports: Vec::new(), folds: Vec::new(), coverage }
}
