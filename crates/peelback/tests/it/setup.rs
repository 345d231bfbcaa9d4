//! `peelback setup`: what it prints for each host, and what writing leaves of a file.

use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::{Project, Run};

const HOSTS: [&str; 6] = ["claude-code", "codex", "cursor", "vscode", "zed", "opencode"];

fn run(project: &Project, arguments: &str) -> Run {
    let mut command = project.command();
    for name in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
        command.env_remove(name);
    }
    command.env("HOME", project.path().join("home"));
    Run::of(&command.args(arguments.split_whitespace()).output().expect("the program runs"))
}

fn text(project: &Project, path: &str) -> String {
    std::fs::read_to_string(project.path().join(path)).expect("a file")
}

fn shows(name: &str, project: &Project, shown: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(&project.path().display().to_string().replace('.', "\\."), "[HOME]");
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

#[test]
fn each_host_gets_its_own_lines() {
    let project = Project::empty();
    for host in HOSTS {
        shows(host, &project, &run(&project, &format!("setup {host}")).shown());
    }
    shows("codex_for_the_user", &project, &run(&project, "setup codex --user --command /opt/peelback").shown());
    shows("a_host_that_there_is_not", &project, &run(&project, "setup curser").shown());
    let files: Vec<_> = std::fs::read_dir(project.path()).expect("a folder").collect();
    assert_eq!(files.len(), 1, "printing writes nothing: {files:?}");
}

#[test]
fn what_is_written_is_what_is_printed() {
    for host in HOSTS {
        let project = Project::empty();
        let printed = run(&project, &format!("setup {host}")).answer();
        let (first, rest) = printed.split_once("\n\n").expect("a path and lines");
        let path = first.split_once(": ").expect("a path").1;
        assert!(run(&project, &format!("setup {host} --write")).answer().ends_with(": written\n"));
        let written = text(&project, path);
        if path.ends_with(".toml") {
            assert!(rest.starts_with(&written), "{written}");
        } else {
            let (lines, _) = rest.split_once("\n\n").expect("lines");
            let of = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
            assert_eq!(of(&written), of(lines));
        }
        assert!(run(&project, &format!("setup {host} --write")).answer().ends_with(": already has the entry\n"));
        assert_eq!(text(&project, path), written);
        let user = run(&project, &format!("setup {host} --user --write"));
        assert!(user.answer().ends_with(": written\n"));
    }
}

#[test]
fn what_else_is_in_a_json_file_stays_as_it_is() {
    let project = Project::empty();
    let before = "{\n   \"z\": 1.50,\n   \"mcpServers\": {\n      \"other\": { \"command\": \"x\" }\n   },\n   \"a\": [1,2]\n}\n";
    project.write(".mcp.json", before);
    let path = project.path().join(".mcp.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
    run(&project, "setup claude-code --write").answer();
    shows("a_json_file_with_more_in_it", &project, &text(&project, ".mcp.json"));
    assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    project
        .write("opencode.json", "{\"mcp\": {\"servers\": {\"other\": {\"type\": \"local\", \"command\": [\"x\"]}}}}");
    run(&project, "setup opencode --write").answer();
    shows("the_second_version_of_opencode", &project, &text(&project, "opencode.json"));
}

#[test]
fn what_else_is_in_a_toml_file_stays_as_it_is() {
    let project = Project::empty();
    project.write(
        ".codex/config.toml",
        "# mine\nmodel = 'x' # why\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[z]\na = 1\n",
    );
    run(&project, "setup codex --write").answer();
    shows("a_toml_file_with_more_in_it", &project, &text(&project, ".codex/config.toml"));
    project.write(".codex/config.toml", "mcp_servers = { other = { command = \"y\" } }\n");
    run(&project, "setup codex --write").answer();
    shows("a_toml_file_with_an_inline_table", &project, &text(&project, ".codex/config.toml"));
}

#[test]
fn another_entry_is_replaced_only_by_force() {
    for (host, path, before) in [
        (
            "claude-code",
            ".mcp.json",
            "{\"mcpServers\": {\"peelback\": {\"command\": \"old\", \"env\": {\"KEY\": \"hidden\"}}, \"b\": {}}}\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "# above\n[mcp_servers.peelback]\ncommand = \"old\"\n\n[mcp_servers.peelback.env]\nKEY = \"hidden\"\n\n[z]\n",
        ),
    ] {
        let project = Project::empty();
        project.write(path, before);
        let refused = run(&project, &format!("setup {host} --write"));
        assert_eq!(refused.code, Some(2));
        assert!(!refused.shown().contains("hidden"), "{refused:?}");
        assert_eq!(text(&project, path), before);
        shows(&format!("another_entry_of_{host}"), &project, &refused.shown());
        let replaced = run(&project, &format!("setup {host} --write --force")).answer();
        assert!(replaced.contains("is replaced; dropped with it: env"), "{replaced}");
        shows(&format!("another_entry_of_{host}_replaced"), &project, &text(&project, path));
    }
}

#[test]
fn an_entry_that_says_more_is_left_alone() {
    let project = Project::empty();
    let before = "[mcp_servers.peelback]\ncommand = \"peelback\"\nargs = [\"serve\"]\ntool_timeout_sec = 90\n";
    project.write(".codex/config.toml", before);
    assert!(run(&project, "setup codex --write").answer().contains("already has the entry"));
    assert_eq!(text(&project, ".codex/config.toml"), before);
}

#[test]
fn files_that_cannot_be_merged_are_left_alone() {
    let project = Project::empty();
    for (index, before) in
        ["// mine\n{}\n", "{\n  \"context_servers\": {} /* here */\n}\n", "[]\n", "{", "{\"context_servers\": 3}\n"]
            .iter()
            .enumerate()
    {
        project.write(".zed/settings.json", before);
        let refused = run(&project, "setup zed --write");
        assert_eq!(refused.code, Some(3), "{before}");
        assert_eq!(text(&project, ".zed/settings.json"), *before);
        assert!(refused.stderr.contains("\"context_servers\": {"), "{refused:?}");
        if index == 0 {
            shows("a_file_with_comments", &project, &refused.shown());
        }
    }
}

#[test]
fn line_ends_and_marks_stay() {
    for (host, path, before) in [
        ("claude-code", ".mcp.json", "\u{feff}{\r\n  \"mcpServers\": {\r\n    \"other\": {}\r\n  }\r\n}\r\n"),
        ("codex", ".codex/config.toml", "\u{feff}# mine\r\nmodel = \"x\"\r\n\r\n[z]\r\na = \"\"\"\r\n1\r\n\"\"\"\r\n"),
    ] {
        let project = Project::empty();
        project.write(path, before);
        run(&project, &format!("setup {host} --write")).answer();
        let after = text(&project, path);
        assert!(after.starts_with('\u{feff}') && !after[3..].contains('\u{feff}'), "{after:?}");
        assert!(after.len() > before.len());
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
        let left = before.trim_start_matches('\u{feff}').lines().filter(|line| line.len() > 3);
        assert!(left.clone().count() > 0);
        for line in left {
            assert!(after.contains(line.trim_end_matches(['}', ' '])), "{line:?} in {after:?}");
        }
        assert!(run(&project, &format!("setup {host} --write")).answer().contains("already has the entry"));
    }
    let project = Project::empty();
    project.write(".mcp.json", "{\r\n}\n");
    assert_eq!(run(&project, "setup claude-code --write").code, Some(3));
    assert_eq!(text(&project, ".mcp.json"), "{\r\n}\n");
}

#[test]
fn what_the_host_does_not_take_is_not_written() {
    let project = Project::empty();
    for before in [
        "{\"a\": 1 \"b\": 2}",
        "{a: 1}",
        "{\"a\": 'x'}",
        "{\"a\": 0x1}",
        "{\"a\": 1,}",
        "// mine\n{}",
        "{\"mcpServers\": {}, \"mcpServers\": {}}",
        "{\"mcpServers\": {\"peelback\": {}, \"peelback\": {}}}",
    ] {
        project.write(".mcp.json", before);
        for force in ["", " --force"] {
            let refused = run(&project, &format!("setup claude-code --write{force}"));
            assert_eq!(refused.code, Some(3), "{before}: {refused:?}");
            assert_eq!(text(&project, ".mcp.json"), before);
        }
    }
    project.write(".zed/settings.json", "{\"a\": [1,],}");
    run(&project, "setup zed --write").answer();
    project.write(".vscode/mcp.json", "{\"a\": 1 \"b\": 2}");
    assert_eq!(run(&project, "setup vscode --write").code, Some(3));
}

#[test]
fn nothing_is_written_outside_the_folder() {
    let outside = Project::empty();
    outside.write("victim", "{}");
    let project = Project::empty();
    symlink(outside.path().join("victim"), project.path().join(".mcp.json")).expect("a link");
    symlink(outside.path(), project.path().join(".cursor")).expect("a link");
    for host in ["claude-code", "cursor"] {
        let refused = run(&project, &format!("setup {host} --write"));
        assert_eq!(refused.code, Some(3));
        assert!(refused.stderr.contains("leads out of"), "{refused:?}");
    }
    assert_eq!(text(&outside, "victim"), "{}");
    assert!(!outside.path().join("mcp.json").exists());
}

#[test]
fn a_folder_that_takes_no_file_is_said() {
    let project = Project::empty();
    project.write(".cursor", "a file where the folder should be");
    let refused = run(&project, "setup cursor --write");
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.starts_with("error: .cursor/mcp.json was not written: "), "{refused:?}");
}
