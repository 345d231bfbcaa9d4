//! Recognises packages of the standard libraries of languages, which are no dependencies of a project.

use peelback_syntax::language;

/// Whether the standard library of one of the `languages` contains an imported package. Languages have the names of
/// [`peelback_syntax::Language::name`].
pub fn is_standard_library_package(package: &str, languages: &[&str]) -> bool {
    let libraries = languages.iter().filter_map(|name| language::language_by_exact_name(name)?.standard_library);
    libraries.into_iter().any(|contains| contains(package))
}

#[cfg(test)]
mod tests {
    use super::is_standard_library_package;

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
            assert!(is_standard_library_package(package, &["c", language]), "{package}");
            assert!(!is_standard_library_package(package, &["c", "lua"]), "{package}");
        }
        assert!(
            !is_standard_library_package("collections", &["go"])
                && !is_standard_library_package("github.com/a/b", &["go"])
        );
        assert!(!is_standard_library_package("pytest", &["python", "go", "javascript"]));
    }
}
