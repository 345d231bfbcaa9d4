//! What derives from other types in a file: types, and implementations of traits.

use std::collections::HashMap;

use crate::modules::FileId;
use crate::resolve::definition::Def;

/// A type, or an implementation of a trait, that derives from another type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Derived {
    /// A type of the project that extends or implements the other type.
    Type(Def),
    /// An implementation of a trait, by its file and its index among the extensions of that file.
    Implementation(FileId, usize),
}

/// The types and implementations in a file that derive from other types.
#[derive(Default)]
pub(super) struct DerivedByBase {
    /// What each definition or extension of the file contributes, in source order.
    pub derived: Vec<Vec<Derived>>,
    /// For each definition that is named as a base, the indexes in `derived` of what derives from it.
    pub indexes: HashMap<Def, Vec<usize>>,
}
