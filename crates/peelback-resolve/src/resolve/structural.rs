//! Results of comparing a type with an interface that it does not name.

use std::collections::BTreeSet;

use super::definition::Def;

/// The methods that an interface requires of a type.
#[derive(Default)]
pub(crate) struct RequiredMethods {
    /// The declarations of the methods, in the interface and in the interfaces that it embeds.
    pub methods: BTreeSet<Def>,
    /// Whether the interface requires more than these methods: the methods of an interface outside the project, or that
    /// the type is one of certain types.
    pub has_other_requirements: bool,
}

/// How well a type fits an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InterfaceFit {
    /// The type has all methods that the interface requires.
    Complete,
    /// Missing methods may come from an embedded type outside the project.
    Unknown,
    /// The type lacks a method that the interface requires.
    Missing,
}

impl InterfaceFit {
    /// The fit of one type to two requirements together, given its fit to each.
    pub fn combined_with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Missing, _) | (_, Self::Missing) => Self::Missing,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Complete, Self::Complete) => Self::Complete,
        }
    }
}

/// A member that a trait of the project gives to a type outside the project, or to all types.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForeignMember {
    pub def: Def,
    /// The type that is given the member, as an expression of the file of `def`.
    pub target: u32,
    /// Whether the member is given to all types that fit (`impl<T> Trait for T`).
    pub is_for_all_types: bool,
}
