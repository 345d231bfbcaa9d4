//! Decides by its path whether a file is a test. Tests depend on what they test, but are rarely the users that a
//! question is about.

use peelback_syntax::language;

/// Names of folders that contain tests.
const TEST_FOLDERS: &[&str] = &["test", "tests", "__tests__", "spec", "specs", "testing", "e2e", "__mocks__"];

/// Whether a file is a test, or supports tests, judged by its path.
pub fn looks_like_test_path(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder))
        || stem.starts_with("test_")
        || ["_test", "_tests", ".test", ".spec", "_spec", "-test", "-spec"].iter().any(|end| stem.ends_with(end))
        || matches!(stem, "test" | "tests")
        || language::well_known_project_files_of_languages().any(|files| files.test_stems.contains(&stem))
        || language::language_of_file_name(name).is_some_and(|language| {
            let files = &language.project_files;
            files.test_stem_ends.iter().any(|end| stem.len() > end.len() && stem.ends_with(end))
                || folders.split('/').any(|folder| files.test_folder_ends.iter().any(|end| folder.ends_with(end)))
        })
}

#[cfg(test)]
mod tests {
    use super::looks_like_test_path;

    #[test]
    fn tests_are_told_by_their_paths() {
        for path in [
            "tests/a.py",
            "a/test_b.py",
            "a_test.go",
            "src/a.spec.ts",
            "x/__tests__/a.js",
            "src/tests.rs",
            "conftest.py",
            "src/integration/java/shop/CartTest.java",
            "src/Shop.Tests/Support/Some.cs",
        ] {
            assert!(looks_like_test_path(path), "{path}");
        }
        for path in
            ["src/a.py", "contest.py", "attest/a.rs", "latest.ts", "testimony.go", "a/Contest.java", "a/Test.java"]
        {
            assert!(!looks_like_test_path(path), "{path}");
        }
    }
}
