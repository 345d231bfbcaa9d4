//! Configuration: four layers, their mistakes, and what a project's file may do.

use std::path::Path;

use crate::support::{Project, Run};
use peelback::config::{ConfigSources, KEYS, LoadedConfig, Origin, Settings, ValueKind};
use peelback_code::Project as Root;
use proptest::prelude::*;

/// Runs the program in the project with the variables, and no others of its own.
fn run(project: &Project, variables: &[(&str, &str)], arguments: &str) -> Run {
    let mut command = project.command();
    command.env_remove("XDG_CONFIG_HOME").env_remove("MAX_MCP_OUTPUT_TOKENS");
    command.envs(variables.iter().copied()).args(arguments.split_whitespace());
    Run::of(&command.output().expect("the program runs"))
}

fn shows(name: &str, project: &Project, run: &Run) {
    let root = dunce::canonicalize(project.path()).expect("the root");
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(&regex_of(&root), "[ROOT]");
    settings.add_filter(r"# (default|user|project|environment|flag)", "# $1");
    settings.bind(|| insta::assert_snapshot!(name, run.shown()));
}

fn regex_of(path: &Path) -> String {
    path.display().to_string().replace('\\', "\\\\").replace('.', "\\.")
}

const USER_FILE: &str = ".config/peelback/config.toml";

#[cfg(unix)]
#[test]
fn later_layers_win() {
    let project = Project::empty();
    shows("defaults", &project, &run(&project, &[], "config"));
    project.write(USER_FILE, "[server]\ndeadline_seconds = 30\npreviews = true\nallow_roots = ['~/other', 'near']\n");
    project.write(
        "peelback.toml",
        "[agent]\ntool_documentation_mode = 'minimal'\n[server]\ndeadline_seconds = 20\nmax_answer_tokens = 9000\n",
    );
    let variables =
        [("PEELBACK_DEADLINE_SECONDS", "25"), ("PEELBACK_PREVIEWS", "off"), ("MAX_MCP_OUTPUT_TOKENS", "10000")];
    shows("layers", &project, &run(&project, &variables, "config --deadline 10 --token-file secret"));
    shows("layers_as_json", &project, &run(&project, &variables, "config --json"));
    shows("files", &project, &run(&project, &[], "config --path"));
}

#[cfg(unix)]
#[test]
fn mistakes_name_their_place_and_the_nearest() {
    let project = Project::empty();
    project.write(
        "peelback.toml",
        "tool_documentation_mode = 'full'\n[agent]\ntool_documentation_mode = 'progresive'\n[sever]\npreviews = 1\n\
         [server]\ndedline_seconds = 3\ndeadline_seconds = 0\npreviews = 'yes'\nallow_roots = ['/']\nhttp = '0.0.0.0:1'\n\"\\u001b[2J\" = '\u{9b}2J'\ntoken_file = '/etc/passwd'\n",
    );
    shows("mistakes_in_a_projects_file", &project, &run(&project, &[], "config"));
    project.write("peelback.toml", "[server\n");
    shows("a_projects_file_that_is_not_toml", &project, &run(&project, &[], "config"));
    let variables = [("PEELBACK_DEADLINE_SECONDS", "soon"), ("PEELBACK_CONFIG", "nowhere.toml")];
    shows("mistakes_in_the_environment", &project, &run(&project, &variables, "config --deadline later"));
}

#[cfg(unix)]
#[test]
fn what_would_widen_is_ignored_and_said() {
    let project = Project::empty();
    project.write("peelback.toml", "[server]\ndeadline_seconds = 90\npreviews = true\nmax_answer_tokens = 12000\n");
    let variables = [("PEELBACK_DEDLINE", "1")];
    shows("a_project_that_wants_more", &project, &run(&project, &variables, "config"));
}

#[test]
fn a_host_without_a_limit_lowers_nothing() {
    let project = Project::empty();
    for (given, tokens) in [("0", 12_000), ("none", 12_000), ("1", 50), ("1000", 500)] {
        let config = run(&project, &[("MAX_MCP_OUTPUT_TOKENS", given)], "config").answer();
        assert!(config.contains(&format!("max_answer_tokens = {tokens} ")), "{given}: {config}");
        assert_eq!(config.contains("is ignored"), tokens == 12_000, "{given}: {config}");
    }
}

#[test]
fn no_file_and_no_variable_turns_the_server_to_http() {
    let project = Project::empty();
    project.write(USER_FILE, "[server]\nhttp = '127.0.0.1:8080'\n");
    let refused = run(&project, &[], "config");
    assert!(refused.code == Some(2) && refused.stderr.contains("no such key"), "{refused:?}");
    project.write(USER_FILE, "");
    let served = run(&project, &[("PEELBACK_HTTP", "127.0.0.1:0")], "serve");
    // Standard input is at its end: so is a server that speaks over it.
    assert_eq!((served.code, served.stderr.as_str()), (Some(0), ""), "{served:?}");
}

#[test]
fn a_broken_project_file_stops_only_what_needs_it() {
    let project = Project::new("//- a.py\ndef f(): pass\n//- peelback.toml\n[server]\nhttp = '0.0.0.0:80'\n");
    assert_eq!(run(&project, &[], "tree").code, Some(0));
    assert_eq!(run(&project, &[], "outline a.py").code, Some(0));
    assert_eq!(run(&project, &[], "config").code, Some(2));
    assert_eq!(run(&project, &[], "docs").code, Some(2));
    assert_eq!(run(&project, &[], "config --path").code, Some(0));
}

#[cfg(unix)]
#[test]
fn a_project_file_is_a_small_regular_file_below_the_root() {
    let outside = Project::empty();
    outside.write("peelback.toml", "[server]\ndeadline_seconds = 1\n");
    let project = Project::empty();
    let path = project.path().join("peelback.toml");
    let refused = |what: &str| {
        let run = run(&project, &[], "config");
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(what), "{run:?}");
        std::fs::remove_file(&path).expect("removed");
    };
    std::os::unix::fs::symlink(outside.path().join("peelback.toml"), &path).expect("a link");
    refused("a symbolic link that leads out of the project");
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("a FIFO");
    refused("FIFO");
    std::fs::write(&path, "#".repeat(64 * 1024 + 1)).expect("a file");
    refused("more than 65536 bytes");
    std::fs::write(&path, "[".repeat(60_000)).expect("a file");
    refused("not TOML");
    project.write("real.toml", "[server]\ndeadline_seconds = 7\n");
    std::os::unix::fs::symlink("real.toml", &path).expect("a link");
    assert!(run(&project, &[], "config").answer().contains("deadline_seconds = 7"));
}

#[test]
fn the_secret_is_never_printed() {
    let project = Project::empty();
    project.write("token", "hunter2-hunter2");
    let variables = [("PEELBACK_TOKEN_FILE", "token"), ("PEELBACK_HTTP_TOKEN", "hunter2-hunter2")];
    for arguments in ["config", "config --json", "config --path", "doctor", "doctor --json"] {
        let run = run(&project, &variables, arguments);
        assert!(!run.shown().contains("hunter2"), "{arguments}: {run:?}");
    }
}

#[test]
fn the_page_of_the_keys_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let made = Project::empty().run("reference --page configuration").answer();
    assert!(
        committed.replace("\r\n", "\n") == made,
        "docs/configuration.md is stale: run `cargo run -p peelback -- reference --page configuration > docs/configuration.md`"
    );
}

#[test]
fn every_key_can_be_set_in_every_way() {
    let folder = tempfile::tempdir().expect("a folder");
    for key in KEYS {
        let (toml, text) = match key.kind {
            ValueKind::Choice(words) => (format!("{:?}", words[0]), words[0].to_owned()),
            ValueKind::Number { least, .. } => (least.to_string(), least.to_string()),
            ValueKind::Switch => ("true".to_owned(), "true".to_owned()),
            ValueKind::Folders => ("['/x']".to_owned(), "/x".to_owned()),
            ValueKind::File | ValueKind::Folder => ("'/t'".to_owned(), "/t".to_owned()),
            ValueKind::Text => ("'some text'".to_owned(), "some text".to_owned()),
            ValueKind::Dollars => ("2.5".to_owned(), "2.5".to_owned()),
        };
        let file = folder.path().join("user.toml");
        std::fs::write(&file, format!("[{}]\n{} = {toml}\n", key.table, key.name)).expect("a file");
        let user = ConfigSources { user_file: Some((file.clone(), true)), ..ConfigSources::default() };
        let environment = [(key.variable.to_owned(), text.clone().into())].into();
        let environment = ConfigSources { environment, ..ConfigSources::default() };
        let flag = ConfigSources { flags: vec![(key, vec![text])], ..ConfigSources::default() };
        let of = |sources| Settings::load(sources).unwrap_or_else(|error| panic!("{}: {error}", key.dotted_name()));
        let origin = |settings: &Settings| {
            // The one value that is not the default's.
            let text = format!("{settings:?}");
            [Origin::UserFile(file.clone()), Origin::Environment(key.variable), Origin::Flag(key.flag)]
                .into_iter()
                .find(|origin| text.contains(&format!("{origin:?}")))
        };
        assert_eq!(origin(&of(&user)), Some(Origin::UserFile(file.clone())), "{}", key.dotted_name());
        assert_eq!(origin(&of(&environment)), Some(Origin::Environment(key.variable)), "{}", key.dotted_name());
        assert_eq!(origin(&of(&flag)), Some(Origin::Flag(key.flag)), "{}", key.dotted_name());
    }
}

/// Lines of a `[server]` table with any values, allowed or not.
fn server_table() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        (0..4_000_u64).prop_map(|n| format!("deadline_seconds = {n}")),
        (0..14_000_u64).prop_map(|n| format!("max_answer_tokens = {n}")),
        any::<bool>().prop_map(|on| format!("previews = {on}")),
        "[a-z]{1,5}".prop_map(|name| format!("allow_roots = ['/{name}']")),
        "[a-z]{1,5}".prop_map(|name| format!("token_file = '/{name}'")),
    ];
    proptest::collection::btree_map(0..6_usize, line, 0..4).prop_map(|lines| {
        let mut seen = std::collections::BTreeSet::new();
        let lines = lines.into_values().filter(|line| seen.insert(line.split(' ').next().map(str::to_owned)));
        format!("[server]\n{}\n", lines.collect::<Vec<_>>().join("\n"))
    })
}

proptest! {
    #[test]
    fn a_project_never_widens(user in server_table(), own in server_table(), flag in proptest::option::of(1..3_600_u64)) {
        let home = tempfile::tempdir().expect("a folder");
        let root = tempfile::tempdir().expect("a folder");
        let file = home.path().join("config.toml");
        std::fs::write(&file, user).expect("a file");
        std::fs::write(root.path().join("peelback.toml"), own).expect("a file");
        let deadline = KEYS.iter().find(|key| key.name == "deadline_seconds").expect("a key");
        let without = ConfigSources {
            user_file: Some((file, true)),
            flags: flag.map(|seconds| (deadline, vec![seconds.to_string()])).into_iter().collect(),
            ..ConfigSources::default()
        };
        let project = Root::discover(Some(root.path()), None).expect("a project");
        let with = ConfigSources { project: Some(project), ..without.clone() };
        let (without, with) = (LoadedConfig::from_sources(&without).settings, LoadedConfig::from_sources(&with).settings);
        prop_assert!(with.deadline_seconds.value <= without.deadline_seconds.value);
        prop_assert!(with.max_answer_tokens.value <= without.max_answer_tokens.value);
        prop_assert!(without.previews.value || !with.previews.value);
        prop_assert_eq!(with.allow_roots, without.allow_roots);
        prop_assert_eq!(with.token_file, without.token_file);
    }
}
