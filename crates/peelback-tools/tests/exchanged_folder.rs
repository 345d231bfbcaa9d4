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
use peelback_code::{CodeAccess, Project, set_openat2_disabled};
use peelback_tools::{all_tools, tool_by_name_or_alias};
use serde_json::{Value, json};

fn answer(root: &Path, tool: &str, arguments: Value) -> String {
    let project = Project::discover_with_working_folder(root, Some(root), None).expect("a project");
    tool_by_name_or_alias(tool).expect("a tool").run_call(&CodeAccess::new(project), arguments).formatted_output()
}

/// The calls of a tool: every way in which it opens a file or lists a folder.
///
/// # Panics
/// Where the list lacks the tool.
fn calls_of(tool: &str) -> Vec<Value> {
    match tool {
        "tree" => vec![json!({ "path": "d" }), json!({})],
        "find_files" => vec![json!({ "query": "f below" })],
        "search" => vec![json!({ "query": "return inside" })],
        "grep" => vec![json!({ "pattern": "return|pass", "scope": "d" }), json!({ "pattern": "return|pass" })],
        "outline" => vec![json!({ "path": "d/f.py" }), json!({ "path": "d" }), json!({})],
        "find_symbols" => vec![json!({ "name": "[a-z]+", "match": "regex", "include_body": true })],
        "read_symbol" => vec![json!({ "name": "inside", "path": "d/f.py" })],
        "read_lines" => vec![json!({ "path": "d/f.py", "ranges": ["1-2"] })],
        "find_references" => vec![json!({ "name": "inside" })],
        "dependencies" => vec![json!({ "path": "good.py" })],
        // The error of the second call names what is similar.
        "read_file" => vec![json!({ "path": "d/f.py", "raw": true }), json!({ "path": "d/zqsecre.py" })],
        // They need a generator of documents, which is not in this crate.
        "scope" | "context" => Vec::new(),
        // It opens no file.
        "search_tools" => Vec::new(),
        other => panic!("add the calls of {other} to {}", file!()),
    }
}

fn calls() -> impl Iterator<Item = (&'static str, Value)> {
    all_tools().iter().flat_map(|tool| calls_of(tool.name).into_iter().map(|arguments| (tool.name, arguments)))
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
    set_openat2_disabled(true);
    let by_folder = leaks(times, &exchanged, "folder by folder");
    set_openat2_disabled(false);
    assert_eq!((by_openat2, by_folder), (Vec::new(), Vec::new()));
}
