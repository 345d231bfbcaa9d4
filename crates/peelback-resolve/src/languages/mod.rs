//! The rules of name resolution of every language that has some: one folder for each, and an entry in the list in this
//! file.

mod c;
mod c_sharp;
mod cpp;
mod go;
mod java;
mod javascript;
mod jvm;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
mod type_parameters;

use crate::semantics::{LanguageSemantics, ModuleResolvers};

/// The rules of name resolution of all languages that have some.
const ALL_SEMANTICS: &[&dyn LanguageSemantics] = &[
    &c::CSemantics,
    &c_sharp::CSharpSemantics,
    &cpp::CppSemantics,
    &go::GoSemantics,
    &java::JavaSemantics,
    &javascript::JavaScriptSemantics,
    &php::PhpSemantics,
    &kotlin::KotlinSemantics,
    &python::PythonSemantics,
    &ruby::RubySemantics,
    &rust::RustSemantics,
];

/// The rules of name resolution of a language; `None` if its names are not resolved.
pub(crate) fn semantics_of_language(language: &str) -> Option<&'static dyn LanguageSemantics> {
    ALL_SEMANTICS.iter().copied().find(|semantics| semantics.is_for_language(language))
}

/// The rules by which imports of a language are resolved; `None` if they are not.
pub(crate) fn semantics_of_imports_in_language(language: &str) -> Option<&'static dyn LanguageSemantics> {
    ALL_SEMANTICS.iter().copied().find(|semantics| semantics.resolves_imports_of_language(language))
}

/// Module resolvers of all languages whose names are resolved. Each one is created when it is first needed.
pub(crate) fn new_module_resolvers() -> ModuleResolvers {
    ModuleResolvers::new(ALL_SEMANTICS)
}

#[cfg(test)]
mod tests {
    use super::ALL_SEMANTICS;

    #[test]
    fn builtin_members_are_sorted_and_found() {
        for semantics in ALL_SEMANTICS {
            let members = semantics.standard_library_member_names();
            assert!(members.is_sorted(), "{semantics:?}");
            assert!(members.iter().all(|member| semantics.is_builtin_member_name(member)), "{semantics:?}");
            assert!(!semantics.is_builtin_member_name("frobnicate"), "{semantics:?}");
        }
    }

    #[test]
    fn each_language_has_at_most_one_semantics_and_exists() {
        let mut served: Vec<&str> =
            ALL_SEMANTICS.iter().flat_map(|semantics| semantics.served_languages()).copied().collect();
        let used = ALL_SEMANTICS.iter().flat_map(|semantics| semantics.other_languages_using_served_names());
        let importing = ALL_SEMANTICS.iter().flat_map(|semantics| semantics.other_languages_with_resolved_imports());
        let known = |name: &&str| peelback_syntax::language::language_by_exact_name(name).is_some();
        assert!(served.iter().chain(used).chain(importing.clone()).all(known));
        // The imports of a language are resolved in one way.
        assert!(importing.clone().all(|language| !served.contains(language)));
        assert!(importing.clone().all(|language| importing.clone().filter(|other| *other == language).count() == 1));
        let count = served.len();
        served.sort_unstable();
        served.dedup();
        assert_eq!(served.len(), count);
    }
}
