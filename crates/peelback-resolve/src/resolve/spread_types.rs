//! What is stored of types that are opened in several files: their members by paths, and what they derive from.

use std::collections::BTreeMap;

use super::definition::Def;

/// The definitions of one name in the bodies of types, by the path of the type; by the empty path those outside of types.
#[derive(Debug, Default)]
pub(crate) struct MembersByPath(BTreeMap<Box<str>, Vec<Def>>);

impl MembersByPath {
    pub fn add(&mut self, path: &str, def: Def) {
        match self.0.get_mut(path) {
            Some(known) => known.push(def),
            None => {
                self.0.insert(path.into(), vec![def]);
            }
        }
    }

    /// The definitions in all types, in the order of their paths.
    pub fn all(&self) -> impl Iterator<Item = &Def> {
        self.0.values().flatten()
    }

    /// The definitions in the type with this path, in the order of files.
    pub fn in_type(&self, path: &str) -> &[Def] {
        self.0.get(path).map_or(&[], Vec::as_slice)
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
