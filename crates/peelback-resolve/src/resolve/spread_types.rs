//! What is stored of types that are opened in several files: their members by paths, and what they derive from.

use std::collections::BTreeMap;

use super::definition::Def;

/// The definitions of one name in the bodies of types, by the path of the type; by the empty path those outside of types.
#[derive(Debug, Default)]
pub(crate) struct MembersByPath {
    /// All definitions, but of a type only the first part.
    definitions: BTreeMap<Box<str>, Vec<Def>>,
    /// The parts of types.
    parts_of_types: BTreeMap<Box<str>, Vec<Def>>,
}

impl MembersByPath {
    pub fn add(&mut self, path: &str, def: Def) {
        self.definitions.entry(path.into()).or_default().push(def);
    }

    /// Adds a part of the type that has the name inside the type with this path.
    pub fn add_part_of_type(&mut self, path: &str, def: Def) {
        let parts = self.parts_of_types.entry(path.into()).or_default();
        parts.push(def);
        if parts.len() == 1 {
            self.add(path, def);
        }
    }

    /// The definitions in all types, in the order of their paths.
    pub fn all(&self) -> impl Iterator<Item = &Def> {
        self.definitions.values().flatten()
    }

    /// The definitions in the type with this path, in the order of files. Of a type that is opened in several places it is the
    /// first part.
    pub fn in_type(&self, path: &str) -> &[Def] {
        self.definitions.get(path).map_or(&[], Vec::as_slice)
    }

    /// The parts of the type inside the type with this path, in the order of files.
    pub fn parts_of_type_in_type(&self, path: &str) -> &[Def] {
        self.parts_of_types.get(path).map_or(&[], Vec::as_slice)
    }
}

/// A type with those that it derives from, in the order in which members are looked up in them.
#[derive(Debug, Default)]
pub(crate) struct Ancestors {
    /// The type itself, and the types of the project that it derives from, the nearest first.
    pub list: Vec<Def>,
    /// Whether a type outside the project is among them.
    pub has_outside: bool,
    /// Whether it is not known of one of them what it is.
    pub has_unknown: bool,
    /// The types whose members are those of the type itself, not of its objects.
    pub extending: Vec<Def>,
    /// Whether all of the latter are in the project.
    pub is_extending_whole: bool,
}
