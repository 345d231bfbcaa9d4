//! Definitions, and the results of resolving names to them.

use peelback_syntax::names::{BindingId, ExprId};

use super::declaration::MAX_DECLARED;
use crate::modules::{FileId, Module};
use crate::resolve::missing::Missing;

/// A definition: a binding of a file. Several bindings of one name in one scope (overloads, redefinitions, a type and a
/// value) are one definition; the first of them represents all, see [`Resolver::representative_of_same_name_in_scope`].
///
/// [`Resolver::representative_of_same_name_in_scope`]: super::resolver::Resolver::representative_of_same_name_in_scope
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Def {
    pub file: FileId,
    pub binding: BindingId,
}

/// One thing that a name can refer to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Referent {
    /// A definition in a file of the project.
    Def(Def),
    /// A module of the project: a file, a scope or a folder.
    Module(Module),
    /// A value without a name, as in `export default 1`.
    Value(FileId, ExprId),
    /// A package, a builtin, or anything else that is not part of the project.
    External,
}

/// The result of resolving a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Resolution {
    /// The things that the name can refer to; empty if the name is not understood.
    pub referents: Vec<Referent>,
    /// Whether every step was a binding or a declaration, and none was inferred.
    pub sure: bool,
    /// Whether the name may refer to something else too.
    pub missing: Missing,
}

impl Resolution {
    /// A resolution to `referents`, which is never sure if there are none.
    pub fn new(referents: Vec<Referent>, sure: bool) -> Self {
        Self { sure: sure && !referents.is_empty(), referents, missing: Missing::Nothing }
    }

    /// A sure resolution to one referent.
    pub fn new_certain_single(referent: Referent) -> Self {
        Self::new(vec![referent], true)
    }

    /// A sure resolution to something outside the project.
    pub fn new_outside_project() -> Self {
        Self::new(vec![Referent::External], true)
    }

    /// Whether there are no referents, so that the name was not understood.
    pub fn is_empty(&self) -> bool {
        self.referents.is_empty()
    }

    /// Adds the referents of another resolution, up to [`MAX_DECLARED`]; sure only if both are.
    pub fn add(&mut self, other: Self) {
        self.missing |= other.missing;
        if other.is_empty() {
            return;
        }
        self.sure = if self.referents.is_empty() { other.sure } else { self.sure && other.sure };
        for referent in other.referents {
            if self.referents.contains(&referent) {
                continue;
            }
            if self.referents.len() >= MAX_DECLARED {
                self.missing = Missing::LeftOut;
                break;
            }
            self.referents.push(referent);
        }
    }
}
