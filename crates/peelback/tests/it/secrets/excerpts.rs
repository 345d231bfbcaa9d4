//! Excerpts: a line of a file is masked by what the whole file says, also where the name stands on a line that the answer
//! does not show.

use super::MASKING;
use super::planted::{ANY, BASE64, Random};
use crate::support::{Project, Run};

const SEED: u64 = 43;

fn run_masking(project: &Project, arguments: &[&str]) -> String {
    let mut command = project.command();
    command.args(arguments).arg("--no-cache").envs([MASKING]);
    Run::of(&command.output().expect("the program runs")).answer()
}

/// Files whose secret stands below the line that names it: a path, a text, the secret, and the number of its line.
fn files() -> Vec<(&'static str, String, String, usize)> {
    let mut random = Random::new(SEED);
    let mut value = |length| random.text(length, ANY);
    let (block, folded, plain, joined, page) = (value(14), value(32), value(16), value(24), value(20));
    let (first, second) = joined.split_at(12);
    let key: Vec<String> = (0..12).map(|_| Random::new(SEED + 1).text(64, BASE64)).collect();
    let heading = ["-----BEGIN RSA ", "PRIVATE KEY-----"].concat();
    let padding: String = (0..400).map(|n| format!("line_{n}: of the depot\n")).collect();
    vec![
        ("a/block.yaml", format!("db:\n  user: ann\n  password: |\n    {block}\n"), block, 4),
        ("a/folded.yaml", format!("app:\n  privateKey: >-\n    {folded}\n  port: 80\n"), folded, 3),
        ("a/plain.yaml", format!("db:\n  password:\n    {plain}\n  port: 80\n"), plain, 3),
        ("a/joined.py", format!("PASSWORD = (\n    \"{first}\"\n    \"{second}\"\n)\n"), second.to_owned(), 3),
        ("a/key.txt", format!("note\n{heading}\n{}\n", key.join("\n")), key[5].clone(), 8),
        ("a/pages.yaml", format!("{padding}password: >-\n  {page}\nuser: ann\n"), page, 402),
    ]
}

#[test]
fn a_line_is_masked_by_what_the_whole_file_says() {
    let project = Project::empty();
    let files = files();
    files.iter().for_each(|(path, text, _, _)| project.write(path, text));
    for (path, text, secret, line) in &files {
        assert!(text.lines().nth(line - 1).is_some_and(|line| line.contains(secret.as_str())), "{path}");
        let range = format!("{line}-{line}");
        let pattern = &secret[2..9];
        for arguments in [
            &["read-lines", path, &range][..],
            &["read-lines", path, &range, "--json"],
            &["grep", pattern, "--scope", path],
            &["grep", pattern, "--scope", path, "--json"],
            &["read-file", path, "--raw", "--max-tokens", "0"],
        ] {
            let answer = run_masking(&project, arguments);
            // The pattern is what the caller knows; the rest of the value comes from the file.
            assert!(!answer.contains(secret.as_str()) && !answer.contains(&secret[6..]), "{arguments:?}: {answer}");
            assert!(answer.contains("[masked]"), "{arguments:?}: {answer}");
        }
    }
}

/// The second page begins below the line that names the secret.
#[test]
fn a_page_that_begins_at_a_value_does_not_show_it() {
    let project = Project::empty();
    let files = files();
    let (path, text, secret, line) = files.last().expect("a file");
    project.write(path, text);
    let ranges = format!("{line}-{}", line + 1);
    let answer = run_masking(&project, &["read-lines", path, &ranges]);
    assert!(answer.contains("user: ann") && !answer.contains(secret.as_str()), "{answer}");
}

/// `grep` shows the JSON of a notebook, whose outputs are no part of its code.
#[test]
fn what_a_cell_of_a_notebook_printed_is_masked_where_its_row_is_cut() {
    let token = format!("ghp_{}", Random::new(SEED).text(36, ANY));
    for padding in (0..210).step_by(7) {
        let cell = format!(
            r#"{{"cell_type": "code", "source": ["x = 1"], "p": "{}", "outputs": [{{"text": ["{token}"]}}]}}"#,
            "x".repeat(padding)
        );
        let project = Project::new("//- a.py\nx = 1\n");
        project.write("a.ipynb", format!(r#"{{"cells": [{cell}], "nbformat": 4}}"#));
        let answer = run_masking(&project, &["grep", "cells"]);
        assert!(answer.contains("a.ipynb") && !answer.contains(&token[..12]), "{padding}: {answer}");
    }
}
