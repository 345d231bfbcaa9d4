//! Where files and functions rank for questions, on a small corpus of the project's own: a table that is committed, and a
//! floor below it. A change that moves a row shows it in the table; one that falls below the floor is none to make.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::Project;
use serde_json::Value;

/// Of the 40 questions at least so many have a wanted file first, and among the first five.
const FIRST: usize = 22;
const AMONG_FIVE: usize = 33;

/// The mean of one by the rank of the first wanted file, in thousandths, is at least this.
const MEAN_RECIPROCAL: usize = 680;

/// At least so many have a wanted function among the ten that `search` shows.
const FUNCTION_AMONG_TEN: usize = 28;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ranking")
}

/// The corpus as a repository of its own.
fn corpus() -> Project {
    let project = Project::empty();
    let mut folders = vec![folder().join("corpus")];
    let base = folders[0].clone();
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = path.strip_prefix(&base).expect("below it").to_string_lossy().replace('\\', "/");
            project.write(&relative, std::fs::read(&path).expect("a file"));
        }
    }
    project
}

fn questions() -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join("questions.jsonl")).expect("the questions");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The answer to a question, asked as people do: from a file.
fn asked(project: &Project, tool: &str, question: &str, more: &[&str], threads: Option<&str>) -> Value {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), question).expect("a file");
    let mut command = project.command();
    command.args([tool, "--json", "--question-file", &file.path().to_string_lossy()]).args(more);
    if let Some(threads) = threads {
        command.env("RAYON_NUM_THREADS", threads);
    }
    let output = command.output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{:?}", output.stderr))
}

/// The place, from 1, of the first row that is wanted.
fn rank(answer: &Value, rows: &str, name: impl Fn(&Value) -> String, wanted: &Value) -> Option<usize> {
    let wanted: Vec<&str> = wanted.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let rows = answer[rows].as_array().expect("rows");
    rows.iter().position(|row| wanted.contains(&name(row).as_str())).map(|place| place + 1)
}

#[test]
fn the_table_holds_and_is_above_its_floor() {
    let project = corpus();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or("").to_owned();
    let mut table = String::from("question                     file  function\n");
    let (mut first, mut five, mut ten, mut reciprocals) = (0, 0, 0, 0.0);
    let questions = questions();
    assert_eq!(questions.len(), 40);
    for question in &questions {
        let (id, words) = (text(question, "id"), text(question, "question"));
        let files = asked(&project, "find-files", &words, &["--no-cache", "--limit", "20"], None);
        let file = rank(&files, "files", |row| text(row, "path"), &question["files"]);
        let results = asked(&project, "search", &words, &["--no-cache", "--limit", "10"], None);
        let of = |row: &Value| format!("{}:{}", text(row, "path"), text(row, "qualified_name"));
        let function = rank(&results, "results", of, &question["symbols"]);
        first += usize::from(file == Some(1));
        five += usize::from(file.is_some_and(|rank| rank <= 5));
        ten += usize::from(function.is_some());
        reciprocals += file.map_or(0.0, |rank| 1.0 / rank as f64);
        let shown = |rank: Option<usize>| rank.map_or("-".to_owned(), |rank| rank.to_string());
        let _ = writeln!(table, "{id:<28} {:>4}  {:>8}", shown(file), shown(function));
    }
    let mean = (reciprocals / questions.len() as f64 * 1000.0).round() as usize;
    let _ = writeln!(
        table,
        "file first {first}, among five {five}, mean reciprocal rank .{mean:03}; function among ten {ten}"
    );
    println!("{table}");
    assert!(first >= FIRST && five >= AMONG_FIVE && mean >= MEAN_RECIPROCAL && ten >= FUNCTION_AMONG_TEN, "{table}");
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(table) });
}

#[test]
fn threads_and_caches_change_nothing() {
    let project = corpus();
    let cache = tempfile::tempdir().expect("a folder");
    for question in questions().iter().step_by(4) {
        let words = question["question"].as_str().expect("text");
        for tool in ["find-files", "search"] {
            let more = ["--explain", "--limit", "30", "--max-tokens", "12000"];
            let cold: Vec<&str> = more.iter().copied().chain(["--no-cache"]).collect();
            let alone = asked(&project, tool, words, &cold, Some("1"));
            assert_eq!(asked(&project, tool, words, &cold, Some("4")), alone, "{words}");
            let mut cached = project.command();
            cached.env("PEELBACK_CACHE_DIR", cache.path());
            for _ in 0..2 {
                let output = cached.args([tool, "--json", words]).args(more).output().expect("the program runs");
                let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
                let rows = if tool == "search" { "results" } else { "files" };
                assert_eq!(answer[rows], alone[rows], "{words}");
                cached = project.command();
                cached.env("PEELBACK_CACHE_DIR", cache.path());
            }
        }
    }
}

#[test]
fn an_edit_is_seen_by_the_next_question() {
    let project = corpus();
    let cache = tempfile::tempdir().expect("a folder");
    let ask = || {
        let mut command = project.command();
        command.env("PEELBACK_CACHE_DIR", cache.path()).args(["search", "--json", "zeppelin gondola"]);
        serde_json::from_slice::<Value>(&command.output().expect("the program runs").stdout).expect("JSON")
    };
    // What was written just now is not kept, since the next write may leave the same time.
    let settle = || std::thread::sleep(std::time::Duration::from_millis(2_100));
    assert_eq!(ask()["total"], 0);
    project.write("services/mast.py", "def lower_gondola(zeppelin):\n    return zeppelin.gondola\n");
    settle();
    for _ in 0..2 {
        assert_eq!(ask()["results"][0]["name"], "lower_gondola");
    }
    project.write("services/mast.py", "def lower_baskets(balloon):\n    return balloon.basket_\n");
    assert_eq!(ask()["total"], 0);
    project.write("services/ship.py", "def raise_gondola(zeppelin):\n    return zeppelin.gondola\n");
    settle();
    for _ in 0..2 {
        assert_eq!(ask()["results"][0]["path"], "services/ship.py");
    }
    std::fs::rename(project.path().join("services/ship.py"), project.path().join("services/mast.py"))
        .expect("a new name");
    let answer = ask();
    assert_eq!((&answer["total"], &answer["results"][0]["path"]), (&1.into(), &"services/mast.py".into()));
}
