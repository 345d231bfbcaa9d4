//! The symbols that a search is for.

use std::collections::BTreeSet;

use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::semantics::{NoSemantics, Semantics};

/// A symbol whose references are searched, as the resolver sees it.
pub(crate) struct SearchTarget {
    /// The name that the outline gives it.
    pub name: String,
    pub file: FileId,
    /// Its canonical definition; `None` if its language's names are not resolved.
    pub def: Option<Def>,
    /// The binding that the outline describes, of the bindings that are one definition.
    pub outlined_def: Option<Def>,
    /// The index of the symbol of the query that the search started from.
    pub origin: usize,
    /// All definitions that are one with the target.
    pub definitions: BTreeSet<Def>,
    /// Whether the target is a member of a type.
    pub is_member: bool,
    /// The semantics of its language, if there is one.
    pub semantics: Option<&'static dyn Semantics>,
    pub language: &'static str,
}

impl SearchTarget {
    /// The semantics of the target's language, or the defaults if there is none.
    pub fn semantics_or_default(&self) -> &'static dyn Semantics {
        self.semantics.unwrap_or(&NoSemantics)
    }
}
