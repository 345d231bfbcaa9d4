//! What differs between languages is in `src/languages/`: no other file of this crate names a language.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fs;
use std::path::{Path, PathBuf};

use peelback_syntax::language;

/// Every source file below a folder.
fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The lines of code that name a language as a string or as an item of the folder `languages/`, without comments and
/// unit tests.
fn named_languages(code: &str, folders: &[String]) -> Vec<String> {
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or(code);
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(line));
    let names_one = |line: &&str| {
        language::all_languages().iter().any(|language| line.contains(&format!("\"{}\"", language.name)))
            || folders.iter().any(|folder| line.contains(&format!("languages::{folder}")))
    };
    lines.filter(names_one).map(|line| line.trim().to_owned()).collect()
}

fn languages_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages")
}

fn language_folders() -> Vec<String> {
    let entries = fs::read_dir(languages_folder()).expect("a folder").map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn languages_are_named_only_in_their_own_folders() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = language_folders();
    assert!(folders.len() >= 5, "{folders:?}");
    let outside = source_files(&source).into_iter().filter(|path| {
        let below = path.strip_prefix(languages_folder());
        !below.is_ok_and(|below| below.components().count() > 1)
    });
    let mut found = Vec::new();
    for path in outside {
        let code = fs::read_to_string(&path).expect("a text");
        found.extend(named_languages(&code, &folders).into_iter().map(|line| format!("{}: {line}", path.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_language_names_no_other_language() {
    let folders = language_folders();
    let mut found = Vec::new();
    for folder in &folders {
        let others: Vec<String> = folders.iter().filter(|other| *other != folder).cloned().collect();
        for path in source_files(&languages_folder().join(folder)) {
            let code = fs::read_to_string(&path).expect("a text");
            let uses = code.lines().filter(|line| {
                let names_other = |other: &String| {
                    let path = format!("languages::{other}");
                    line.contains(&path) || line.contains(&format!("super::super::{other}"))
                };
                others.iter().any(names_other)
            });
            found.extend(uses.map(|line| format!("{}: {line}", path.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_named_language_is_noticed() {
    let folders = vec!["python".to_owned()];
    let lines =
        named_languages("let a = \"rust\";\n// \"go\"\nuse crate::languages::python::Python;\nlet b = 1;", &folders);
    assert_eq!(lines.len(), 2, "{lines:?}");
}
