//! The console blocks of the README and of the pages behind it against the program: they show real output of the current build.

use std::path::{Path, PathBuf};

/// The pages with console blocks, and the least number that each has.
const PAGES: [(&str, usize); 4] =
    [("README.md", 6), ("docs/tour.md", 12), ("docs/scope.md", 1), ("docs/serving.md", 1)];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a shell prints for a command in the repository's root, with the built program on the path.
fn printed_by_shell(command: &str) -> String {
    let folder = crate::support::program().parent().expect("a folder").to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .current_dir(root())
        .env("PATH", format!("{}:{path}", folder.display()))
        .output()
        .expect("a shell");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn pages_show_what_the_program_prints() {
    // A clone without its repository folder has another root, and other hints.
    if !root().join(".git").exists() {
        return;
    }
    for (page, least) in PAGES {
        let text = std::fs::read_to_string(root().join(page)).expect(page).replace("\r\n", "\n");
        let mut shown = 0;
        for block in text.split("```console\n").skip(1) {
            let block = block.split("```").next().expect("a block");
            let (command, expected) = block.split_once('\n').expect("a command and its output");
            let command = command.strip_prefix("$ ").expect("a command");
            let printed = without_times(&printed_by_shell(command));
            assert_eq!(printed.trim_end(), without_times(expected).trim_end(), "{page}: {command}");
            shown += 1;
        }
        assert!(shown >= least, "{page} shows only {shown} commands");
    }
}

#[test]
fn the_picture_of_a_session_shows_what_the_program_prints() {
    if !root().join(".git").exists() {
        return;
    }
    let picture = std::fs::read_to_string(root().join("docs/session/session.svg")).expect("the picture");
    let lines: Vec<String> = picture
        .lines()
        .filter_map(|line| line.strip_prefix("<text ")?.split_once('>')?.1.strip_suffix("</text>"))
        .map(|line| line.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        .collect();
    assert!(lines.len() > 10, "{picture}");
    let mut expected = Vec::new();
    for command in lines.iter().filter_map(|line| line.strip_prefix("$ ")) {
        if !expected.is_empty() {
            expected.push(String::new());
        }
        expected.push(format!("$ {command}"));
        expected.extend(printed_by_shell(command).trim_end().lines().map(ToOwned::to_owned));
    }
    assert_eq!(lines, expected, "docs/session/picture.py draws it anew");
}

#[test]
fn every_page_that_is_named_is_there() {
    for page in ["README.md", "docs/tour.md", "docs/scope.md", "docs/serving.md"] {
        let page = root().join(page);
        let text = std::fs::read_to_string(&page).expect("a page");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or(target);
            let is_file = file.starts_with("http") || page.parent().expect("a folder").join(file).exists();
            assert!(is_file, "{} names {target}", page.display());
        }
    }
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
