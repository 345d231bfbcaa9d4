//! Nothing outside the root is read or named by any tool, while a folder of the project is exchanged for a symbolic link
//! that leads outside, and back, as fast as the system can; by `openat2`, and folder by folder as on other systems.
//!
//! ```sh
//! EXCHANGE_CALLS=100000 cargo test --release -p peelback-tools --test exchanged_folder -- --nocapture
//! ```
//! makes so many calls of each kind, and prints how they ended.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]
#![cfg(target_os = "linux")]

mod exchange;

use std::path::Path;

use exchange::{ExchangedFolder, SECRET};
use peelback_code::{CodeAccess, Project, set_opening_folder_by_folder};
use peelback_tools::tool_by_name_or_alias;
use serde_json::{Value, json};

fn answer(root: &Path, tool: &str, arguments: Value) -> String {
    let project = Project::discover_from_working_folder(root, Some(root), None).expect("a project");
    tool_by_name_or_alias(tool).expect("a tool").run_call(&CodeAccess::new(project), arguments).formatted_output()
}

/// The calls, as tools with their arguments: every way to open a file or to list a folder.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("read_lines", json!({ "path": "d/f.py", "ranges": ["1-2"] })),
        ("read_file", json!({ "path": "d/f.py", "raw": true })),
        ("outline", json!({ "path": "d/f.py" })),
        ("outline", json!({ "path": "d" })),
        ("outline", json!({})),
        ("grep", json!({ "pattern": "return|pass", "scope": "d" })),
        ("grep", json!({ "pattern": "return|pass" })),
        ("tree", json!({ "path": "d" })),
        ("tree", json!({})),
        ("find_files", json!({ "query": "f below" })),
        ("search", json!({ "query": "return inside" })),
        ("find_symbols", json!({ "name": "[a-z]+", "match": "regex", "include_body": true })),
        ("read_symbol", json!({ "name": "inside", "path": "d/f.py" })),
        ("find_references", json!({ "name": "inside" })),
        ("dependencies", json!({ "path": "good.py" })),
        // The error names what is similar.
        ("read_file", json!({ "path": "d/zqsecre.py" })),
    ]
}

/// Makes calls of each kind; returns how many of them leaked, for each kind with a leak.
fn leaks(times: usize, exchanged: &ExchangedFolder, way: &str) -> Vec<String> {
    let mut leaks = Vec::new();
    let mut seen = 0;
    for (tool, arguments) in calls() {
        let (mut inside, mut leaked) = (0, 0);
        for _ in 0..times {
            let answer = answer(exchanged.path(), tool, arguments.clone());
            inside += usize::from(answer.contains("inside") || answer.contains("f.py"));
            if answer.replace("zqsecre.py", "").contains(SECRET) {
                leaked += 1;
                if leaked == 1 {
                    println!("{answer}");
                }
            }
        }
        seen += inside;
        println!("{way}: {tool} {arguments}: {times} calls, {inside} that saw the folder, {leaked} leaks");
        if leaked > 0 {
            leaks.push(format!("{way}: {tool} {arguments}: {leaked} of {times}"));
        }
    }
    assert!(seen > 0, "{way}: no call saw the folder");
    leaks
}

#[test]
fn no_call_leaves_the_root_while_a_folder_is_exchanged() {
    let times: usize = std::env::var("EXCHANGE_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let exchanged = ExchangedFolder::new();
    let by_openat2 = leaks(times, &exchanged, "openat2");
    set_opening_folder_by_folder(true);
    let by_folder = leaks(times, &exchanged, "folder by folder");
    set_opening_folder_by_folder(false);
    assert_eq!((by_openat2, by_folder), (Vec::new(), Vec::new()));
}
