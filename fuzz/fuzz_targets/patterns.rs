//! Globs and regular expressions of users and projects. An input is a glob, a pattern, a scope and a text, parted by NUL.

use std::path::PathBuf;
use std::sync::LazyLock;

use peelback_agent::secrets::SecretFileRules;
use peelback_code::{NamePattern, SymbolNameQuery};
use peelback_project::{GrepQuery, Project, ProjectReader, compile_glob};

use crate::fixtures;
use crate::input::Input;

const PATHS: &[&str] = &["a", "src/a.rs", "b/c/d.txt", "é/ü", "", "/", "a/../b", "{a,b}", "[a]"];

static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = fixtures::new_folder("patterns");
    for file in ["a", "src/a.rs", "b/c/d.txt", "é/ü"] {
        fixtures::write_file(&root, file, "one two\nthree\n\nÄ ß\tx\r\nlast");
    }
    root
});

static READER: LazyLock<ProjectReader> = LazyLock::new(|| {
    ProjectReader::new(Project::discover_with_working_folder(&ROOT, Some(&ROOT), None).expect("a project"))
});

pub fn seeds() -> Vec<Vec<u8>> {
    [
        "**/*.rs\0o[a-z]+\0src",
        "{a,b/{c,d}}/*\0(?i)ß|\\bx\\b\0*.rs",
        "[!a-c]*\0^$\0",
        "a\\*b\0\\p{Greek}+?\0{a,b}/**",
        "***\0(a|b|){1,20}\0src/a.rs",
        "?\0x{2,}(?-u:\\xff)\0./",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}

pub fn run(data: &[u8]) {
    let parts = Input(data).rest_in_parts(0);
    let part = |number: usize| String::from_utf8_lossy(parts.get(number).copied().unwrap_or_default()).into_owned();
    let (glob, pattern, scope) = (part(0), part(1), part(2));
    for literal_separator in [true, false] {
        match compile_glob(&glob, literal_separator) {
            Ok(set) => PATHS.iter().for_each(|path| {
                set.is_match(path);
            }),
            Err(reason) => assert!(!reason.is_empty()),
        }
    }
    let allowed = SecretFileRules::new(std::slice::from_ref(&glob));
    for path in PATHS {
        allowed.is_file_allowed_by_user(path);
        allowed.reason_to_withhold_file(path, None);
    }
    let _ = SymbolNameQuery::new(&glob).file_search_needle();
    let _ = (
        NamePattern::matching_substring(&pattern),
        NamePattern::matching_glob(&glob).is_ok(),
        NamePattern::matching_regex(&pattern).is_ok(),
    );
    let options = parts.get(3).and_then(|rest| rest.first()).copied().unwrap_or_default();
    let query = GrepQuery {
        pattern,
        fixed_strings: options & 1 != 0,
        ignore_case: options & 2 != 0,
        word: options & 4 != 0,
        invert: options & 8 != 0,
        before: usize::from(options >> 4 & 1),
        after: usize::from(options >> 5 & 3),
        scopes: if scope.is_empty() { Vec::new() } else { vec![scope] },
        ..GrepQuery::default()
    };
    let Ok(answer) = READER.grep(&query, 0, 100) else { return };
    assert_eq!(answer.counts.total, answer.counts.by_file.iter().map(|(_, count)| count).sum::<usize>());
    for file in &answer.files {
        let mut last = 0;
        for line in &file.lines {
            assert!(line.line > last && line.line <= 5, "{query:?}: {line:?}");
            last = line.line;
        }
    }
}
