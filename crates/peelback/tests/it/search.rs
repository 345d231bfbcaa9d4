//! `search` and `find-files`: what can be found, what is said of what cannot, and where their hints lead.

use crate::support::Project;
use serde_json::Value;

fn search(project: &Project, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["search", "--json", "--no-cache"].iter().chain(arguments).copied().collect();
    let run = project.run_with(&arguments);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

fn names(answer: &Value) -> Vec<String> {
    let rows = answer["results"].as_array().expect("rows");
    rows.iter().filter_map(|row| row["qualified_name"].as_str()).map(str::to_owned).collect()
}

#[test]
fn files_that_were_not_wholly_understood_are_said() {
    let project = Project::new("//- good.py\ndef lower_gondola(zeppelin):\n    return zeppelin\n");
    assert_eq!(search(&project, &["zeppelin gondola"])["evidence"]["completeness"], "complete");
    project.write("bad.py", "def raise_gondola(zeppelin:\n  return = (zeppelin\n\ndef other(:\n");
    let answer = search(&project, &["zeppelin gondola"]);
    assert_eq!(answer["evidence"]["completeness"], "lower_bound", "{answer}");
    let evidence = answer["evidence"].to_string();
    assert!(evidence.contains("bad.py") && evidence.contains("not understood"), "{evidence}");
    project.write("latin.py", b"def moor_gondola(zeppelin):\n    return 'caf\xe9'\n");
    project.write("mast.swift", "func anchorGondola(zeppelin: Int) -> Int { return zeppelin }\n");
    let evidence = search(&project, &["zeppelin gondola"])["evidence"].to_string();
    assert!(evidence.contains("latin.py: "), "{evidence}");
    assert!(evidence.contains("basic"), "{evidence}");
}

#[test]
fn passages_of_some_files_are_no_more_than_that() {
    let project = Project::empty();
    for index in 0..60 {
        project.write(&format!("src/part_{index}.py"), "def lower(zeppelin):\n    return zeppelin\n");
    }
    let answer = search(&project, &["zeppelin"]);
    assert_eq!(answer["total"], 40, "{answer}");
    assert_eq!(answer["evidence"]["completeness"], "lower_bound", "{answer}");
    let text = project.run("search zeppelin --no-cache").answer();
    assert!(text.starts_with("40 passages of the best 40 of 60 files for: zeppelin"), "{text}");
}

const CLASS: &str = "\
//- src/store.py
TIMEOUT_SECONDS = 30


class Store:
    \"\"\"Keeps what it gets.\"\"\"

    def put(self, item):
        return item

    registered_hooks = []

    # Zeppelins are moored here.

    def get(self, key):
        return key


def wait(seconds):
    return seconds
//- src/pool.rs
pub struct Pool {
    pub size: usize,
}

impl Pool {
    pub const MOST_CONNECTIONS: usize = 8;

    pub fn grow(&mut self) {}
}

pub enum State {
    HalfOpen,
}
//- settings.json
{
  \"retries\": 3,
  \"mast\": { \"height\": 40 }
}
";

#[test]
fn what_stands_on_one_line_or_behind_a_method_is_found() {
    let project = Project::new(CLASS);
    let first = |words: &str| search(&project, &[words])["results"][0].clone();
    assert_eq!(first("TIMEOUT_SECONDS")["qualified_name"], "TIMEOUT_SECONDS");
    assert_eq!(first("registered_hooks")["qualified_name"], "Store.registered_hooks");
    assert_eq!(first("MOST_CONNECTIONS")["name"], "MOST_CONNECTIONS");
    let behind = first("zeppelins moored");
    assert_eq!((behind["name"].as_str(), behind["line"].as_u64()), (Some("Store"), Some(10)), "{behind}");
    assert_eq!(behind["line_end"], 12, "{behind}");
    // What opens it is not the whole class.
    let text = project.run("search zeppelins moored --no-cache").answer();
    assert!(text.contains("\npeelback read-lines --path src/store.py --ranges 10-12\n"), "{text}");
}

#[test]
fn every_kind_that_there_is_can_be_asked_for() {
    let project = Project::new(CLASS);
    for (words, kind, name) in [
        ("timeout", "constant", "TIMEOUT_SECONDS"),
        ("registered", "field", "Store.registered_hooks"),
        ("size", "field", "Pool.size"),
        ("open", "enum_member", "State.HalfOpen"),
        ("height", "key", "mast.height"),
        ("retries", "key", "retries"),
        ("pool", "impl", "impl Pool"),
    ] {
        let answer = search(&project, &[words, "--kind", kind]);
        assert!(names(&answer).iter().any(|found| found == name), "{kind}: {answer}");
    }
}

#[test]
fn no_two_rows_overlap() {
    let project = Project::new(CLASS);
    let answer = search(&project, &["Store Pool registered_hooks MOST_CONNECTIONS size put get key", "--limit", "50"]);
    let rows = answer["results"].as_array().expect("rows");
    let place = |row: &Value| {
        let line = |field: &str| row[field].as_u64().expect("a line");
        (row["path"].as_str().unwrap_or("").to_owned(), line("line"), line("line_end"))
    };
    for (index, row) in rows.iter().enumerate() {
        let (path, first, last) = place(row);
        for other in rows.iter().skip(index + 1) {
            let (other_path, other_first, other_last) = place(other);
            assert!(path != other_path || last < other_first || other_last < first, "{row} and {other}");
        }
    }
}

#[test]
fn functions_on_one_line_are_found_each() {
    let project = Project::empty();
    let long = "x+".repeat(400);
    let text = format!(
        "function mooring(){{return zeppelin}}function anchor(){{return gondola}}function filler(x){{return {long}1}}\n"
    );
    project.write("all.js", text);
    for (words, name) in [("zeppelin", "mooring"), ("gondola", "anchor")] {
        let answer = search(&project, &[words]);
        assert_eq!(names(&answer), [name], "{answer}");
        // The price is that of the function, not of the line.
        assert!(answer["results"][0]["tokens"].as_u64().is_some_and(|tokens| tokens < 40), "{answer}");
    }
}

#[test]
fn a_row_has_the_price_of_its_own_file() {
    let project = Project::new("//- a.py\ndef lower_gondola(zeppelin):\n    return zeppelin\n");
    let body: String = (0..200).map(|index| format!("    value_{index} = balloon + {index}\n")).collect();
    project.write("sub/a.py", format!("def inflate(balloon):\n{body}"));
    let priced = |folder: &str| {
        let mut command = project.command();
        command.current_dir(project.path().join(folder)).args(["search", "--json", "--no-cache", "gondola"]);
        let output = command.output().expect("the program runs");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        answer["results"][0]["tokens"].as_u64().expect("a price")
    };
    assert_eq!(priced("sub"), priced("."));
}

/// A report that is too long to be repeated.
fn report() -> String {
    format!("lowering the zeppelin fails\n\n{}", "The gondola of the zeppelin does not come down. ".repeat(10))
}

#[test]
fn calls_that_ask_something_else_promise_no_numbers() {
    let project = Project::empty();
    for index in 0..30 {
        let folder = if index % 3 == 0 { "one" } else { "two" };
        let text = format!("def lower(zeppelin):\n    return {index}\n\n\ndef lift(gondola):\n    return gondola\n");
        project.write(&format!("{folder}/part_{index}.py"), text);
    }
    for (tool, rows) in [("find-files", " files:\n"), ("search", " passages:\n")] {
        let hint = |query: &str| {
            let run = project.run_with(&[tool, "--json", "--no-cache", "--limit", "10", query]);
            let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
            answer["overflow"]["hint"].as_str().unwrap_or("").to_owned()
        };
        let (short, long) = (hint("zeppelin gondola"), hint(&report()));
        assert!(short.contains(rows), "{tool}: {short}");
        assert!(!long.contains(rows) && long.contains("for the keywords alone"), "{tool}: {long}");
    }
}

#[test]
fn a_glob_is_not_lost_in_a_narrower_call() {
    let project = Project::empty();
    for index in 0..40 {
        let (folder, ending) = if index % 4 == 0 { ("one", "py") } else { ("two", "js") };
        project.write(&format!("src/{folder}/part_{index}.{ending}"), "zeppelin = 1\n");
        project.write(&format!("src/two/part_{index}.py"), "zeppelin = 1\n");
    }
    let hint = |scope: &str| {
        let answer = project
            .run_with(&["find-files", "--json", "--no-cache", "--limit", "20", "zeppelin", "--scope", scope])
            .json();
        answer["overflow"]["hint"].as_str().expect("a hint").to_owned()
    };
    let glob = hint("src/**/*.py");
    assert!(
        !glob.contains("--scope src/one") && !glob.contains("--scope src/two") && glob.contains("next page"),
        "{glob}"
    );
    for scope in ["src", "./src/", "src/../src"] {
        assert!(hint(scope).contains("--scope src/one "), "{scope}: {}", hint(scope));
    }
}

#[test]
fn where_nothing_ranks_the_hint_can_be_followed() {
    let project = Project::new("//- notes.py\ndef lower():\n    return 1\n");
    for (query, wanted) in [("\u{2014}\u{2014}", ":\npeelback tree\n"), ("retry\u{a0}policy", "retry|policy")] {
        for tool in ["search", "find-files"] {
            let shown = project.run_with(&[tool, "--no-cache", query]).shown();
            assert!(shown.contains(wanted), "{tool} {query}: {shown}");
        }
    }
    let shown = project.run_with(&["find-files", "--no-cache", "x.c"]).shown();
    assert!(!shown.contains("--pattern ''"), "{shown}");
}

#[test]
fn signals_are_shown_to_whoever_asks_for_them() {
    let project = Project::new(CLASS);
    for detail in ["exploring", "full"] {
        let answer = search(&project, &["seconds", "--explain", "--detail-level", detail]);
        assert!(answer["results"][0]["signals"].is_object(), "{detail}: {answer}");
    }
}

#[test]
fn a_script_is_of_the_language_of_its_first_line() {
    let project = Project::new(
        "//- tools/moor\n#!/usr/bin/env python3\ndef moor(zeppelin):\n    return zeppelin\n\
         //- plain.c\nint zeppelin(void) { return 1; }\n",
    );
    for (language, path) in [("python", "tools/moor"), ("c", "plain.c")] {
        let files = project.run_with(&["find-files", "--json", "zeppelin", "--language", language]).json();
        let paths: Vec<&str> =
            files["files"].as_array().expect("rows").iter().filter_map(|row| row["path"].as_str()).collect();
        assert_eq!(paths, [path], "{language}");
    }
}

#[test]
fn what_is_asked_for_by_its_name_comes_first() {
    let project = Project::new(
        "//- src/main.jq\ndef lower: . - 1;\n//- src/main.py\ndef main():\n    return jq('main')\n\n\ndef other(value):\n    \
         value.lower()\n    return value\n//- src/jq_main.py\ndef main_jq():\n    return 'main jq main jq'\n",
    );
    for (query, first) in [("main.jq", "src/main.jq"), ("src/main.jq", "src/main.jq"), ("main.py", "src/main.py")] {
        let answer = project.run_with(&["find-files", "--json", "--no-cache", query]).json();
        assert_eq!(answer["files"][0]["path"], first, "{answer}");
    }
    assert_eq!(names(&search(&project, &["src/main.py:6"]))[0], "other");
    assert_eq!(names(&search(&project, &["src/main.py:2"]))[0], "main");
    // Whether it is a test or not.
    project.write("tests/test_main.py", "def check():\n    return 1\n");
    let answer = project.run_with(&["find-files", "--json", "--no-cache", "tests/test_main.py"]).json();
    assert_eq!(answer["files"][0]["path"], "tests/test_main.py", "{answer}");
}
