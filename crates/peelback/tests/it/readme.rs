//! The README's console blocks against the program: it shows real output of the current build.

use std::path::Path;

#[test]
fn the_readme_shows_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    // A clone without its repository folder has another root, and other hints.
    if !root.join(".git").exists() {
        return;
    }
    let folder = crate::support::program().parent().expect("a folder").to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shown = 0;
    for block in readme.replace("\r\n", "\n").split("```console\n").skip(1) {
        let block = block.split("```").next().expect("a block");
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        let command = command.strip_prefix("$ ").expect("a command");
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("{command} 2>&1")])
            .current_dir(&root)
            .env("PATH", format!("{}:{path}", folder.display()))
            .output()
            .expect("a shell");
        let printed = without_times(&String::from_utf8_lossy(&output.stdout));
        assert_eq!(printed.trim_end(), without_times(expected).trim_end(), "{command}");
        shown += 1;
    }
    assert!(shown > 8, "only {shown} commands");
}

/// The text without the times of files, which a clone sets anew.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("modified ") {
        out.push_str(before);
        out.push_str("modified TIME");
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || "-T:Z".contains(c));
    }
    out + rest
}

#[test]
fn the_readme_names_every_language() {
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).expect("the README");
    let (_, after) = readme.split_once("| languages |").expect("the table of languages");
    let table = after.split("\n\n").next().expect("its rows").to_lowercase();
    let words: Vec<&str> = table.split([',', ' ', '|', '\n']).collect();
    for language in peelback_code::syntax::language::all_languages() {
        let is_named = std::iter::once(&language.name).chain(language.aliases).any(|name| words.contains(name));
        assert!(is_named, "the table of languages in the README lacks {}", language.name);
    }
}
