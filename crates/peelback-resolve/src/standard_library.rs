//! Packages of the standard libraries of languages, which are no dependencies of a project.

use crate::languages::semantics;

/// Languages without [`crate::semantics::Semantics`], and the prefixes of the packages in their standard libraries.
const PREFIXES: &[(&str, &[&str])] = &[("java", &["java.", "javax."])];

/// Whether the standard library of one of the `languages` contains an imported package. Languages have the names of
/// [`peelback_syntax::Language::name`].
pub fn is_standard_library(package: &str, languages: &[&str]) -> bool {
    languages.iter().any(|language| match semantics(language) {
        Some(semantics) => semantics.is_standard_package(package),
        None => {
            let prefixes = PREFIXES.iter().find(|(name, _)| name == language).map_or(&[][..], |(_, prefixes)| prefixes);
            prefixes.iter().any(|prefix| package.starts_with(prefix))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::is_standard_library;

    #[test]
    fn each_language_has_its_own_standard_library() {
        for (package, language) in [
            ("collections.abc", "python"),
            ("net/http", "go"),
            ("std::fs", "rust"),
            ("node:fs", "typescript"),
            ("fs/promises", "javascript"),
            ("java.util", "java"),
        ] {
            assert!(is_standard_library(package, &["c", language]), "{package}");
            assert!(!is_standard_library(package, &["c", "kotlin"]), "{package}");
        }
        assert!(!is_standard_library("collections", &["go"]) && !is_standard_library("github.com/a/b", &["go"]));
        assert!(!is_standard_library("pytest", &["python", "go", "javascript"]));
    }
}
