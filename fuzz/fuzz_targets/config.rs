//! The four layers of the configuration. An input is the user's file, the project's file, variables and flags, parted by
//! NUL.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::LazyLock;

use peelback::config::{ConfigSources, KEYS, LoadedConfig, PROJECT_FILE, Settings};
use peelback_code::Project;

use crate::fixtures;
use crate::input::Input;

static ROOT: LazyLock<PathBuf> = LazyLock::new(|| fixtures::new_folder("config"));
static PROJECT: LazyLock<Project> =
    LazyLock::new(|| Project::discover_with_working_folder(&ROOT, Some(&ROOT), None).expect("a project"));

pub fn seeds() -> Vec<Vec<u8>> {
    let mut tables: BTreeMap<&str, String> = BTreeMap::new();
    for key in KEYS {
        for value in ["true", "1000", "\"text\"", "[\"a\", \"b\"]", "0.5"] {
            let table = tables.entry(key.table).or_default();
            // The last one of a name is the one that is right more often than not.
            table.push_str(&format!("{} = {value}\n", key.name));
        }
    }
    let mut seeds: Vec<String> = KEYS
        .iter()
        .flat_map(|key| {
            ["true", "5000", "\"text\"", "[\"a\", \"b\"]", "0.5"].map(|value| {
                let file = format!("[{}]\n{} = {value}\n", key.table, key.name);
                format!("{file}\0{file}\0{}={}\0", key.variable, value.trim_matches('"'))
            })
        })
        .collect();
    seeds.push("agent.tool_documentation_mode = 'full'\n[server]\ndeadline_seconds = 10\nprevious = 1\n\0[cache]\nenabled = false\n[x]\n".to_owned());
    seeds.push("\u{feff}[server]\r\nallow_roots = [\"~/a\", '/b', \"c\"]\r\n\0\0MAX_MCP_OUTPUT_TOKENS=100\nPEELBACK_DEADLNE=1\0\x05\x02on".to_owned());
    seeds.into_iter().map(String::into_bytes).collect()
}

pub fn run(data: &[u8]) {
    let parts = Input(data).rest_in_parts(0);
    let part = |number: usize| parts.get(number).copied().unwrap_or_default();
    let user_file = ROOT.join("user.toml");
    std::fs::write(&user_file, part(0)).expect("a file");
    std::fs::write(ROOT.join(PROJECT_FILE), part(1)).expect("a file");
    let environment = part(2).split(|byte| *byte == b'\n').filter_map(|line| {
        let at = line.iter().position(|byte| *byte == b'=')?;
        let (name, value) = line.split_at(at);
        Some((String::from_utf8(name.to_vec()).ok()?, OsString::from_vec(value.get(1..)?.to_vec())))
    });
    let mut flags = Vec::new();
    let mut input = Input(part(3));
    while !input.is_empty() {
        if let Some(key) = input.choose(KEYS) {
            flags.push((key, vec![input.short_text()]));
        }
    }
    let with = ConfigSources {
        user_file: Some((user_file, true)),
        project: Some(PROJECT.clone()),
        environment: environment.collect(),
        flags,
        working_folder: ROOT.clone(),
    };
    let without = ConfigSources { project: None, ..with.clone() };
    let (with, without) = (LoadedConfig::from_sources(&with), LoadedConfig::from_sources(&without));
    check_project_widens_nothing(&with.settings, &without.settings);
    for problem in &with.problems {
        let text = problem.to_string();
        assert!(text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{text:?}");
    }
    for note in &with.notes {
        assert!(note.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{note:?}");
    }
    assert!(with.problems.len() >= without.problems.len(), "{:?} {:?}", with.problems, without.problems);
    LoadedConfig::from_project_file_only(PROJECT.clone());
}

/// A project's file narrows what the user allows, and never widens it.
fn check_project_widens_nothing(with: &Settings, without: &Settings) {
    macro_rules! unchanged {
        ($($key:ident)*) => { $( assert_eq!(with.$key.value, without.$key.value, stringify!($key)); )* };
    }
    macro_rules! lowered {
        ($($key:ident)*) => { $( assert!(with.$key.value <= without.$key.value, "{}: {:?}", stringify!($key), with.$key); )* };
    }
    unchanged! {
        allow_roots token_file folder model_folder endpoint endpoint_form endpoint_model model base_url key_file
        prices_file reply_seconds tokens_per_minute max_total_tokens max_cost
    }
    lowered! {
        deadline_seconds scope_seconds previews max_answer_tokens enabled max_megabytes send max_input_tokens
    }
}
