//! Nothing outside the root is read or named by any tool, while a folder of the project is exchanged for a symbolic link
//! that leads outside, and back, as fast as the system can; by `openat2`, and folder by folder as on other systems.
//!
//! ```sh
//! EXCHANGE_CALLS=100000 cargo test --release -p peelback-tools --test exchanged_folder -- --nocapture
//! ```
//! makes so many calls of each kind, and prints how they ended.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use peelback_code::{CodeAccess, Project, set_opening_folder_by_folder};
use peelback_tools::tool_by_name_or_alias;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What only files outside the root contain, in their text and their names.
const SECRET: &str = "zqsecret";

/// A project whose folder `d` is exchanged for a link to a folder outside, until the value is dropped.
struct ExchangedFolder {
    project: TempDir,
    _outside: TempDir,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<u64>>,
}

impl ExchangedFolder {
    fn new() -> Self {
        let (outside, project) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        write(&outside, "f.py", &format!("def {SECRET}():\n    return '{SECRET}'\n"));
        write(&outside, &format!("{SECRET}.py"), &format!("def {SECRET}():\n    pass\n"));
        write(&outside, &format!("below/{SECRET}_below.py"), "x = 1\n");
        write(&project, ".git/HEAD", "ref: refs/heads/main\n");
        write(&project, "good.py", "from d.f import inside\ninside()\n");
        write(&project, "d/f.py", "def inside():\n    return 'inside'\n");
        write(&project, "d/below/g.py", "def inside_below():\n    return 'inside'\n");
        symlink(outside.path(), project.path().join("link")).expect("a link");
        let done = Arc::new(AtomicBool::new(false));
        let (d, link) = (project.path().join("d"), project.path().join("link"));
        let stop = done.clone();
        let thread = std::thread::spawn(move || {
            let mut exchanges = 0;
            while !stop.load(Ordering::Relaxed) {
                exchange(&d, &link);
                exchanges += 1;
                // Each state is there for a while, so that a call can meet both.
                if exchanges % 64 == 0 {
                    std::thread::yield_now();
                }
            }
            exchanges
        });
        Self { project, _outside: outside, done, thread: Some(thread) }
    }
}

impl Drop for ExchangedFolder {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        let exchanges = self.thread.take().map(|thread| thread.join().expect("the exchange goes on"));
        println!("{} exchanges", exchanges.unwrap_or(0));
    }
}

/// Gives each of two paths what the other has.
fn exchange(one: &PathBuf, other: &PathBuf) {
    renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE).expect("an exchange");
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(path, text).expect("a file");
}

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
    for (tool, arguments) in calls() {
        let (mut inside, mut leaked) = (0, 0);
        for _ in 0..times {
            let answer = answer(exchanged.project.path(), tool, arguments.clone());
            inside += usize::from(answer.contains("inside") || answer.contains("f.py"));
            if answer.replace("zqsecre.py", "").contains(SECRET) {
                leaked += 1;
                if leaked == 1 {
                    println!("{answer}");
                }
            }
        }
        println!("{way}: {tool} {arguments}: {times} calls, {inside} that saw the folder, {leaked} leaks");
        if leaked > 0 {
            leaks.push(format!("{way}: {tool} {arguments}: {leaked} of {times}"));
        }
    }
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
