//! `peelback doctor`: what a host would see, and what is wrong.

use crate::support::{Project, Run};

/// Runs the doctor with the program on the path.
fn doctor(project: &Project, arguments: &str) -> Run {
    let folder = crate::support::program().parent().expect("a folder").to_owned();
    let mut command = project.command();
    for name in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "MAX_MCP_OUTPUT_TOKENS"] {
        command.env_remove(name);
    }
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    command.arg("doctor").args(arguments.split_whitespace());
    Run::of(&command.output().expect("the program runs"))
}

fn shows(name: &str, project: &Project, run: &Run) {
    let root = dunce::canonicalize(project.path()).expect("the root");
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(&root.display().to_string().replace('.', "\\."), "[ROOT]");
    settings.add_filter(&crate::support::program().display().to_string(), "[PROGRAM]");
    settings.add_filter("next call of an agent: .+", "next call of an agent: [CALL]");
    settings.add_filter(r"\b\d[\d.]*\b", "N");
    settings.bind(|| insta::assert_snapshot!(name, run.shown()));
}

fn project() -> Project {
    Project::new("//- a.py\ndef f(): pass\n")
}

#[test]
fn nothing_is_wrong() {
    let project = project();
    project.run("setup claude-code --write").answer();
    let run = doctor(&project, "--host claude-code");
    assert_eq!(run.code, Some(0), "{run:?}");
    shows("fine", &project, &run);
    let json = doctor(&project, "--json").json();
    assert_eq!(json["fine"], true);
    let modes = json["findings"].as_array().expect("findings").iter().find(|finding| finding["check"] == "tools");
    let modes = modes.expect("the tools")["data"].as_array().expect("modes").clone();
    let totals: Vec<u64> = modes.iter().map(|mode| mode["total_tokens"].as_u64().expect("a number")).collect();
    assert!(totals.is_sorted() && totals.len() == 3, "{totals:?}");
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let project = project();
    project.write("peelback.toml", "[server]\ntoken_file = '/etc/passwd'\ndeadline_seconds = 3600\n");
    project.write(
        ".cursor/mcp.json",
        "{\"mcpServers\": {\"peelback\": {\"command\": \"/nowhere/peelback\", \"args\": [\"serve\"]}}}",
    );
    project.write(".vscode/mcp.json", "{ broken");
    project.write("big.js", "x\n".repeat(2_100_000));
    for index in 0..300 {
        project.write(&format!("many/f{index:03}.py"), "def g(): pass\n");
    }
    let run = doctor(&project, "");
    assert_eq!(run.code, Some(1));
    shows("wrong", &project, &run);
    assert_eq!(doctor(&project, "--host zed").code, Some(1));
    let unknown = doctor(&project, "--host zet");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean zed?"), "{unknown:?}");
}

#[test]
fn a_server_at_an_address_is_as_good() {
    let project = project();
    project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"peelback\": {\"type\": \"http\", \"url\": \"http://me:pw@127.0.0.1:8080/mcp?key=hidden\"}}}",
    );
    let found = doctor(&project, "--host claude-code");
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(found.stdout.contains("names a server at http://127.0.0.1:8080/mcp\n"), "{found:?}");
}

#[test]
fn entries_for_one_project_in_the_users_file_are_found() {
    let project = project();
    let root = dunce::canonicalize(project.path()).expect("the root");
    let file = |folder: &str| {
        let entry = serde_json::json!({ "command": "peelback", "args": ["serve"] });
        serde_json::json!({ "projects": { folder: { "mcpServers": { "peelback": entry } } } }).to_string()
    };
    project.write(".claude.json", file(&root.display().to_string()));
    assert_eq!(doctor(&project, "--host claude-code").code, Some(0));
    project.write(".claude.json", file("/another/project"));
    assert_eq!(doctor(&project, "--host claude-code").code, Some(1));
}

#[test]
fn names_of_files_do_not_steer_the_terminal() {
    let project = project();
    project.write("big\u{1b}[2J\u{202e}.js", "x\n".repeat(2_100_000));
    let run = doctor(&project, "");
    assert!(run.stdout.contains("big\\u{1b}[2J\\u{202e}.js") && !run.stdout.contains('\u{1b}'), "{run:?}");
}

#[test]
fn an_empty_folder_without_a_home_is_no_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = crate::support::program();
    let output = std::process::Command::new(&program)
        .args(["doctor", "--json"])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", program.parent().expect("a folder"))
        .env("PEELBACK_CONFIG", "/dev/null")
        .output()
        .expect("the program runs");
    let run = Run::of(&output);
    // A device is no configuration file; everything else is fine.
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("it is not a regular file"), "{run:?}");
    let plain = std::process::Command::new(&program)
        .args(["config", "--path"])
        .current_dir(folder.path())
        .env_clear()
        .output()
        .expect("the program runs");
    assert_eq!(Run::of(&plain).code, Some(0));
}

#[test]
fn files_of_hosts_are_read_only_below_the_root() {
    let outside = Project::empty();
    outside.write("secret", "{\"mcpServers\": {\"peelback\": {\"command\": \"stolen\"}}}");
    let project = project();
    std::os::unix::fs::symlink(outside.path().join("secret"), project.path().join(".mcp.json")).expect("a link");
    let run = doctor(&project, "");
    assert!(run.stdout.contains("leads out of") && !run.stdout.contains("stolen"), "{run:?}");
}
