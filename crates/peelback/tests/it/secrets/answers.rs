//! Answers of tools with `secrets.mask`, on the command line and of the server.

use serde_json::{Value, json};

use super::MASKING;
use super::doors::{
    LOOKALIKES, PLANTED, Passage, all_cases, check_door, folder_of, is_in_name, passage, passages_in, path_of,
    write_all,
};
use crate::mcp::child;
use crate::support::{Project, Run};

fn read_with(project: &Project, path: &str, format: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = project.command();
    command.args(["read-file", path, "--raw", "--no-cache", "--max-tokens", "20000"]).args(format);
    command.envs(variables.iter().copied());
    Run::of(&command.output().expect("the program runs")).answer()
}

fn run_masking(project: &Project, arguments: &[&str]) -> String {
    let mut command = project.command();
    command.args(arguments).arg("--no-cache").envs([MASKING]);
    Run::of(&command.output().expect("the program runs")).answer()
}

#[test]
fn answers_on_the_command_line_are_masked_where_the_user_says_so() {
    let project = Project::empty();
    write_all(&project);
    let texts: Vec<String> = all_cases()
        .enumerate()
        .map(|(number, case)| match is_in_name(case) {
            true => run_masking(&project, &["tree", &folder_of(number), "--depth", "4"]),
            false => read_with(&project, &path_of(number, case), &[], &[MASKING]),
        })
        .collect();
    check_door("command line, read-file", 300, |number, case| passage(case, &texts[number]));
    // One answer about all files, as text and as JSON.
    let searched = ["grep", ".", "--limit", "100000", "--max-tokens", "0"];
    for (door, format) in [("command line, grep", &[][..]), ("command line, grep as JSON", &["--json"])] {
        let text = run_masking(&project, &[&searched[..], format].concat());
        check_door(door, 290, passages_in(&text));
    }
}

#[test]
fn a_search_for_parts_of_lines_shows_no_part_of_a_secret() {
    let project = Project::empty();
    let token = format!("ghp_{}", "Zk3vQ9xW2mB7nR5tY8pL4sD6fG1hJ0aCeUiO");
    let source = format!("GITHUB_TOKEN = \"{token}\"\nplain = \"W2mB\"\nother = 12\n");
    project.write("settings.py", &source);
    for pattern in ["ghp_.{20}", "Zk3vQ9xW2mB7nR", "tY8pL4sD6fG1hJ0aCeUiO", "[A-Za-z0-9]{6}", "W2mB"] {
        for format in [&[][..], &["--json"], &["--vimgrep"]] {
            let arguments = ["grep", pattern, "settings.py", "-o"];
            let text = run_masking(&project, &[&arguments[..], format].concat());
            let matches = text.lines().filter(|line| !line.contains("pattern")).collect::<String>();
            let shown = (0..token.len() - 6).map(|at| &token[at..at + 6]).filter(|piece| matches.contains(piece));
            let shown: Vec<_> = shown.collect();
            assert!(shown.is_empty(), "{pattern} {format:?}: {shown:?} in {text}");
        }
    }
    let plain = run_masking(&project, &["grep", "oth[a-z]+", "settings.py", "-o"]);
    assert!(plain.contains("other"), "{plain}");
}

#[test]
fn the_setting_is_the_users_and_a_project_can_only_add_to_it() {
    let (planted, project) = (&PLANTED[0], Project::empty());
    write_all(&project);
    let path = path_of(0, planted);
    for format in [&[][..], &["--json"]] {
        assert!(!planted.is_shown_in(&read_with(&project, &path, format, &[MASKING])));
    }
    let plain = read_with(&project, &path, &[], &[]);
    assert!(planted.is_shown_in(&plain), "by default a file is served as it is: {plain}");
    let masked = read_with(&project, &path, &[], &[MASKING]);
    assert!(masked.contains("[masked]") && masked.contains("1 secret value is masked"), "{masked}");
    let json: Value = serde_json::from_str(&read_with(&project, &path, &["--json"], &[MASKING])).expect("JSON");
    assert_eq!(json["masked_values"], 1, "{json}");
    // A project can ask for it, and cannot undo it.
    project.write("peelback.toml", "[secrets]\nmask = true\n");
    assert!(!planted.is_shown_in(&read_with(&project, &path, &[], &[])));
    project.write("peelback.toml", "[secrets]\nmask = false\n");
    assert!(!planted.is_shown_in(&read_with(&project, &path, &[], &[MASKING])));
    // Where the setting cannot be understood, nothing is shown that it may forbid.
    project.write("peelback.toml", "[secrets]\nmaks = true\n");
    assert!(!planted.is_shown_in(&read_with(&project, &path, &[], &[])));
}

#[test]
fn answers_of_the_server_are_masked_where_the_user_says_so() {
    let project = Project::empty();
    write_all(&project);
    let mut command = project.command();
    command.arg("serve");
    let mut server = child::Server::of_with(command, &[MASKING]);
    server.greet();
    // What a tool shows of a case; the least number that it shows of each kind, where it shows but symbols.
    type Arguments = fn(&str, &str) -> Value;
    let calls: [(&str, usize, Arguments); 6] = [
        ("read_file", 300, |path, _| json!({ "path": path, "raw": true })),
        ("read_file", 300, |path, _| json!({ "path": path, "raw": true, "format": "json" })),
        ("read_lines", 300, |path, _| json!({ "path": path })),
        ("grep", 290, |_, folder| json!({ "pattern": ".", "scope": folder, "context": 2 })),
        ("outline", 50, |path, _| json!({ "path": path, "detail_level": "full" })),
        (
            "find_symbols",
            40,
            |_, folder| json!({ "name": ".*", "match": "regex", "include_body": true, "scope": folder }),
        ),
    ];
    for (tool, least, arguments_of) in calls {
        let texts: Vec<String> = all_cases()
            .enumerate()
            .map(|(number, case)| {
                let folder = folder_of(number);
                let (tool, arguments) = match is_in_name(case) {
                    true => ("tree", json!({ "path": folder, "depth": 4 })),
                    false => (tool, arguments_of(&path_of(number, case), &folder)),
                };
                server.text(tool, arguments).0
            })
            .collect();
        let format = if arguments_of("", "")["format"].is_null() { "" } else { " as JSON" };
        check_door(&format!("server, {tool}{format}"), least, |number, case| passage(case, &texts[number]));
    }
    // The error of a call that does not fit repeats what was sent.
    let texts: Vec<String> =
        all_cases().map(|case| server.text("read_lines", json!({ "path": case.text, "ranges": ["1"] })).0).collect();
    check_door("server, errors", 0, |number, case| passage(case, &texts[number]));
    let all = server.text("tree", json!({ "depth": 1, "limit": 1000 })).0;
    assert!(all.contains(&folder_of(0)) && LOOKALIKES.len() >= 300, "{all}");
    assert_eq!(passage(&PLANTED[0], ""), Passage::Absent);
}
