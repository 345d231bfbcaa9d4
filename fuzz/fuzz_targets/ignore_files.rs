//! The walk of a small project with ignore files of any contents. An input is the contents of the files, parted by NUL.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

use peelback_project::{Project, WalkOptions};

use crate::fixtures::{self, Contents};
use crate::input::{Input, is_sampled};

const FILES: &[&str] = &[
    "a",
    "a.rs",
    "b/a.rs",
    "b/c/a.rs",
    "b/c/d.txt",
    "target/x",
    "!x",
    "#x",
    " x",
    "x ",
    "[a]",
    "b/*",
    "é/ü.rs",
    "long/long/long/x.min.js",
    ".hidden/x",
    "node_modules/m/x.js",
];

const IGNORE_FILES: &[&str] =
    &[".gitignore", "b/.gitignore", ".ignore", ".git/info/exclude", "b/c/.rgignore", "b/.ignore"];

static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = fixtures::new_folder("ignore");
    for file in FILES {
        fixtures::write_file(&root, file, "x\n");
    }
    for file in IGNORE_FILES {
        fixtures::write_file(&root, file, "");
    }
    fixtures::write_file(&root, ".git/HEAD", "ref: refs/heads/main\n");
    root
});

static CONTENTS: LazyLock<Mutex<Contents>> = LazyLock::new(Mutex::default);

static PROJECT: LazyLock<Project> =
    LazyLock::new(|| Project::discover_with_working_folder(&ROOT, Some(&ROOT), None).expect("a project"));

pub fn seeds() -> Vec<Vec<u8>> {
    [
        "target/\n*.min.js\n!b/c\0!a.rs\n/c/**\n\0# x\n\\#x\n\\!x\n",
        "**/a.rs\nb/**/d.txt\n[a]\n[!a-c]*\nx\\ \n{a,b}\n\0\0\0*.txt\n",
        "*\n!*/\n!*.rs\n",
        "\u{feff}/a\r\nb/\r\n",
        "[[:alpha:]]\n[]]\n[a\n***\na**b\n?\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}

pub fn run(data: &[u8]) {
    let parts = Input(data).rest_in_parts(0);
    let mut contents = CONTENTS.lock().expect("one thread");
    for (number, file) in IGNORE_FILES.iter().enumerate() {
        let content = parts.get(number).copied().unwrap_or_default();
        contents.write(ROOT.join(file), content);
    }
    let walk = |hidden: bool, no_ignore: bool| {
        let options = WalkOptions { hidden, no_ignore, ..WalkOptions::default() };
        let found = PROJECT.files_in_scope(None, &options).expect("a walk");
        found.entries.into_iter().map(|entry| entry.path).collect::<Vec<_>>()
    };
    let listed = walk(false, false);
    // Rules do not say which files there are without them: a sample shows that.
    static ALL: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let options = WalkOptions { hidden: true, no_ignore: true, ..WalkOptions::default() };
        let found = PROJECT.files_in_scope(None, &options).expect("a walk");
        found.entries.into_iter().map(|entry| entry.path).collect()
    });
    let set: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), set.len(), "{listed:?}");
    assert!(set.is_subset(&ALL), "{listed:?}");
    // As in ripgrep, only a rule that includes files shows hidden ones.
    if !data.contains(&b'!') {
        assert!(set.iter().all(|path| !path.starts_with(".git/") && !path.starts_with(".hidden/")), "{listed:?}");
    }
    if parts.iter().all(|part| part.is_empty()) {
        assert!(set.contains("b/c/d.txt") && set.contains("target/x"), "{listed:?}");
    }
    if is_sampled(data, 8) {
        let shown: BTreeSet<String> = walk(true, false).into_iter().collect();
        assert!(set.is_subset(&shown), "{listed:?} {shown:?}");
        assert_eq!(listed, walk(false, false));
        assert_eq!(*ALL, walk(true, true).into_iter().collect());
    }
}
