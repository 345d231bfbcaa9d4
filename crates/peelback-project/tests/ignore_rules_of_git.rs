//! Ignore rules decide as git's own do: many patterns, made by rule, on a tree whose names meet them.

#![cfg(unix)]
#![allow(clippy::cast_possible_truncation, clippy::indexing_slicing, clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use peelback_project::{Project, WalkOptions, text_of_path};

/// What patterns are made of.
const PARTS: &[&[u8]] = &[
    b"a",
    b"a",
    b"b",
    b"c",
    b"ab",
    b"A",
    b"B",
    b"txt",
    b".",
    b"-",
    b"^",
    b",",
    b"]",
    b"}",
    b"#",
    b"!",
    b"\xc3\xa9",
    b"\xff",
    b"*",
    b"*",
    b"*",
    b"**",
    b"***",
    b"?",
    b"/",
    b"/",
    b"/",
    b"/",
    b"**/",
    b"/**",
    b"/**/",
    b"*.txt",
    b"*/",
    b"\\",
    b"\\a",
    b"\\A",
    b"\\*",
    b"\\[",
    b"\\/",
    b"\\ ",
    b" ",
    b" ",
    b"\t",
    b"\r",
    b"[ab]",
    b"[!a]",
    b"[^b]",
    b"[a-c]",
    b"[A-C]",
    b"[c-a]",
    b"[]a]",
    b"[!]a]",
    b"[a-]",
    b"[-a]",
    b"[\\]a]",
    b"[a\\-c]",
    b"[a-\\c]",
    b"[[:alpha:]]",
    b"[[:upper:]]",
    b"[[:lower:]b]",
    b"[![:digit:]]",
    b"[[:space:]]",
    b"[[:punct:]]",
    b"[[:nope:]]",
    b"[[:alpha]",
    b"[[:]a]",
    b"[a",
    b"[",
    b"[]",
    b"[!",
    b"[a-",
    b"{a,b}",
    b"{a",
    b"[\xff]",
    b"[\xc3\xa9]",
    b"[/]",
    b"[a/b]",
    b"[A]",
];

const FILES: &[&[u8]] = &[
    b"c",
    b"ab",
    b"abc",
    b"A",
    b"B.txt",
    b"a.txt",
    b"b.TXT",
    b"ac.txt.txt",
    b".a",
    b"a ",
    b"a  ",
    b"a b",
    b"a\tb",
    b"a\t",
    b"#a",
    b"!a",
    b"a!",
    b"^",
    b"-",
    b"a-c",
    b"a]",
    b"]",
    b"[",
    b"[a",
    b"[ab]",
    b"a{b",
    b"{a,b}",
    b"a}",
    b"a,b",
    b"\xc3\xa9",
    b"\xff",
    b"a\xffb",
    b"a\\",
    b"a\\b",
    b"*",
    b"a*",
    b"?",
    b"7",
    b"a\r",
    b"a/b/c",
    b"a/b/a.txt",
    b"a/ab",
    b"a/A",
    b"a/c/b",
    b"a/c/a/b/c",
    b"b/a",
    b"b/ab/c",
    b"b/b/b/b",
    b"B/a",
    b"ab ab/c",
    b"abb/c/a",
    b"\xc3\xa9a/a",
    b"\xffa/b",
    b"a.b/c",
    b"[b/a",
    b"aXb",
    b"ab b/b",
];

/// A generator of numbers, so that each run makes the same patterns.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pattern(&mut self) -> Vec<u8> {
        let mut pattern = Vec::new();
        match self.below(8) {
            0 | 1 => pattern.push(b'/'),
            2 => pattern.push(b'!'),
            3 => pattern.extend_from_slice(b"!/"),
            _ => {}
        }
        for _ in 0..=self.below(4) {
            pattern.extend_from_slice(PARTS[self.below(PARTS.len())]);
        }
        if self.below(5) == 0 {
            pattern.push(b'/');
        }
        pattern
    }

    fn ignore_file(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        if self.below(16) == 0 {
            text.extend_from_slice("\u{feff}".as_bytes());
        }
        for _ in 0..self.below(6) {
            text.extend_from_slice(&self.pattern());
            text.extend_from_slice([&b"\n"[..], b"\n", b"\n", b"\r\n", b"\0a\n"][self.below(5)]);
        }
        // The last line may lack its end.
        text.extend_from_slice(&self.pattern());
        text
    }
}

/// Runs git in a folder with no other configuration than the repository's own; `None` where there is no git.
fn git(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
    let output = command.output().ok()?;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    Some(output.stdout)
}

fn write(root: &Path, path: &[u8], text: &[u8]) {
    let path = root.join(OsStr::from_bytes(path));
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(path, text).expect("a file");
}

fn compare(turns: usize, first: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = dunce::canonicalize(folder.path()).expect("a path").join("root");
    fs::create_dir(&root).expect("a folder");
    if git(&root, &["init", "-q"]).is_none() {
        println!("skipped: there is no git");
        return;
    }
    for file in FILES {
        write(&root, file, b"");
    }
    let root_text = root.to_str().expect("text");
    let mut different = Vec::new();
    for turn in 0..turns {
        let mut numbers = Numbers(first + turn as u64 * 7_919);
        let configured = numbers.below(3) == 0;
        let settings = format!(
            "[core]\n\trepositoryformatversion = 0\n\tignoreCase = {}\n\texcludesFile = {root_text}/.git/own\n",
            numbers.below(4) == 0
        );
        let mut files = vec![(&b".gitignore"[..], numbers.ignore_file())];
        let mut others = vec![(&b".git/config"[..], settings.into_bytes())];
        for (name, is_used) in [
            (&b".git/own"[..], configured),
            (b".git/info/exclude", numbers.below(3) == 0),
            (b"a/.gitignore", numbers.below(2) == 0),
            (b"a/b/.gitignore", numbers.below(3) == 0),
        ] {
            let text = if is_used { numbers.ignore_file() } else { Vec::new() };
            if name.starts_with(b".git/") { &mut others } else { &mut files }.push((name, text));
        }
        for (path, text) in files.iter().chain(&others) {
            write(&root, path, text);
        }
        let listed = git(&root, &["ls-files", "-o", "--exclude-standard", "-z"]).expect("git");
        let by_git: BTreeSet<String> = listed
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| text_of_path(Path::new(OsStr::from_bytes(path))))
            .collect();
        let project = Project::discover_with_working_folder(&root, Some(&root), None).expect("a project");
        let options = WalkOptions { hidden: true, ..WalkOptions::default() };
        let found = project.files_in_scope(None, &options).expect("a walk");
        assert!(found.skipped.is_empty(), "{:?}", found.skipped);
        let ours: BTreeSet<String> =
            found.entries.into_iter().map(|entry| entry.path).filter(|path| !path.starts_with(".git/")).collect();
        if ours != by_git {
            let texts: Vec<_> = files
                .iter()
                .chain(&others)
                .map(|(name, text)| (name.escape_ascii().to_string(), text.escape_ascii().to_string()))
                .collect();
            different.push(format!(
                "only ours: {:?}\nonly git's: {:?}\n{texts:#?}",
                ours.difference(&by_git).collect::<Vec<_>>(),
                by_git.difference(&ours).collect::<Vec<_>>()
            ));
        }
    }
    assert!(
        different.is_empty(),
        "{} of {turns} differ:\n{}",
        different.len(),
        different[..different.len().min(5)].join("\n\n")
    );
}

#[test]
fn ignore_files_decide_as_git_does() {
    let turns = std::env::var("PEELBACK_TEST_TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(400);
    compare(turns, 1);
}
