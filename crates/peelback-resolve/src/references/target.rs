//! The definitions that a search for references is for.

use std::collections::BTreeSet;

use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::semantics::{LanguageSemantics, NoSemantics};

/// A symbol whose references are searched, as the resolver sees it.
pub(crate) struct SearchTarget {
    /// The symbol's name, which files are searched for.
    pub name: String,
    pub file: FileId,
    /// The symbol's canonical definition; `None` if names of its language are not resolved.
    pub def: Option<Def>,
    /// The binding of the symbol itself. Other bindings may be one definition with it.
    pub outlined_def: Option<Def>,
    /// The index, in the query, of the symbol from which the search came to this one.
    pub origin: usize,
    /// All definitions that are one with this search target.
    pub definitions: BTreeSet<Def>,
    /// Whether the symbol is a member of a type.
    pub is_member: bool,
    /// Whether the target is what its file defines as a whole, such as a component.
    pub is_whole_file: bool,
    /// Whether the target is one function of a definition, and not all of its overloads.
    pub is_one_overload: bool,
    /// The semantics of the symbol's language; `None` if there is none.
    pub semantics: Option<&'static dyn LanguageSemantics>,
    pub language: &'static str,
}

impl SearchTarget {
    /// Whether the target is one overload, and calls tell overloads apart.
    pub fn is_tellable_overload(&self) -> bool {
        self.is_one_overload && self.semantics_or_default().calls_tell_overloads_apart()
    }

    /// Whether another target is a further definition of the same member.
    pub fn is_same_member(&self, other: &Self) -> bool {
        self.def.is_some()
            && self.def == other.def
            && self.is_member == other.is_member
            && self.name == other.name
            && self.definitions == other.definitions
    }

    /// The semantics of the target's language, or the default semantics if the language has none.
    pub fn semantics_or_default(&self) -> &'static dyn LanguageSemantics {
        self.semantics.unwrap_or(&NoSemantics)
    }
}
