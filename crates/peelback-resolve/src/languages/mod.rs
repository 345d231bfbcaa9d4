//! The semantics of every language whose names are resolved: a folder for each, and a word in the list here.

mod c;
mod go;
mod javascript;
mod python;
mod rust;

use crate::semantics::{ModuleResolvers, Semantics};

/// Every semantics.
const ALL: &[&dyn Semantics] = &[&c::C, &go::Go, &javascript::JavaScript, &python::Python, &rust::Rust];

/// The semantics of a language; `None` if its names are not resolved.
pub(crate) fn semantics(language: &str) -> Option<&'static dyn Semantics> {
    ALL.iter().copied().find(|semantics| semantics.serves(language))
}

/// Module resolvers of every semantics, none of them created yet.
pub(crate) fn module_resolvers() -> ModuleResolvers {
    ModuleResolvers::new(ALL)
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn builtin_members_are_sorted_and_found() {
        for semantics in ALL {
            let members = semantics.builtin_members();
            assert!(members.is_sorted(), "{semantics:?}");
            assert!(members.iter().all(|member| semantics.is_builtin_member(member)), "{semantics:?}");
            assert!(!semantics.is_builtin_member("frobnicate"), "{semantics:?}");
        }
    }

    #[test]
    fn each_language_has_at_most_one_semantics_and_exists() {
        let mut served: Vec<&str> = ALL.iter().flat_map(|semantics| semantics.languages()).copied().collect();
        let used = ALL.iter().flat_map(|semantics| semantics.languages_that_use_it());
        let known = |name: &&str| peelback_syntax::language::by_name(name).is_some();
        assert!(served.iter().chain(used).all(known));
        let count = served.len();
        served.sort_unstable();
        served.dedup();
        assert_eq!(served.len(), count);
    }
}
