//! A grammar of tree-sitter, in each of the forms in which crates offer one.

use tree_sitter_language::LanguageFn;

/// A grammar, which becomes a [`tree_sitter::Language`].
#[derive(Clone, Copy)]
pub(crate) enum Grammar {
    /// The function of a current crate.
    Function(LanguageFn),
    /// The function of an older crate, which makes the language itself.
    Maker(fn() -> tree_sitter::Language),
}

impl Grammar {
    /// A number that no other grammar has.
    pub fn key(self) -> usize {
        match self {
            Self::Function(function) => function.into_raw() as usize,
            Self::Maker(make) => make as usize,
        }
    }
}

impl From<LanguageFn> for Grammar {
    fn from(function: LanguageFn) -> Self {
        Self::Function(function)
    }
}

impl From<Grammar> for tree_sitter::Language {
    fn from(grammar: Grammar) -> Self {
        match grammar {
            Grammar::Function(function) => function.into(),
            Grammar::Maker(make) => make(),
        }
    }
}
