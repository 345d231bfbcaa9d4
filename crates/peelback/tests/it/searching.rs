//! Searches as those who know grep and ripgrep expect them, lists of places for editors, and the budget of several ranges.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::agents::call_after;
use crate::mcp::child::Server;
use crate::mcp::corpus::without_calls;
use crate::support::{Project, Run};

/// Code, a test of it, and a document.
const SHOP: &str = "\
//- src/cart.py
URL = 'https://shop'
OTHER_URL = 'https://old'


class Cart:
    def add(self, price):
        return self.total(price) + self.total(0)

    def total(self, price):
        return price


def début(cart): return cart.total(1)  # é total
//- src/store.py
from .cart import Cart


def open_store():
    return Cart().total(3)
//- tests/test_cart.py
from src.cart import Cart


def test_total():
    assert Cart().total(1) == 1
//- notes.md
# Totals

The total is a price.
";

fn shop() -> Project {
    Project::new(SHOP)
}

fn shown(name: &str, run: &Run) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, run.shown()));
}

/// The paths of the files in a JSON answer, of its rows or its files.
fn paths(answer: &Value, array: &str) -> BTreeSet<String> {
    let rows = answer[array].as_array().expect("rows").iter();
    rows.map(|row| row["path"].as_str().expect("a path").to_owned()).collect()
}

/// The text of a tool's answer over the protocol.
fn over_mcp(project: &Project, tool: &str, arguments: Value) -> String {
    let mut server = Server::greeted(project, &[]);
    server.text(tool, arguments).0
}

#[test]
fn tests_count_or_not_as_in_other_tools() {
    let project = shop();
    let found = |words: &str| paths(&project.run(&format!("grep total --json {words}")).json(), "matches");
    let set = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(found(""), set(&["notes.md", "src/cart.py", "src/store.py", "tests/test_cart.py"]));
    assert_eq!(found("--tests with"), found(""));
    assert_eq!(found("--tests without"), set(&["notes.md", "src/cart.py", "src/store.py"]));
    assert_eq!(found("--tests only"), set(&["tests/test_cart.py"]));
    // What was not searched is not counted as searched, and nothing found leads to it.
    let none = project.run("grep test_total --tests without");
    assert_eq!(none.code, Some(1));
    assert!(none.stdout.starts_with("0 lines matching in 0 files (3 searched)\n"), "{none:?}");
    assert!(none.stdout.contains("wider:\npeelback grep --pattern test_total\n"), "{none:?}");
}

#[test]
fn counts_of_each_file_and_of_all() {
    let project = shop();
    shown("counts", &project.run("grep total --count src"));
    shown("counts_of_matches", &project.run("grep total -c -o src"));
    let counts = project.run("grep total -c src --json").json();
    assert_eq!((&counts["lines_total"], &counts["total"]), (&json!(4), &json!(2)), "{counts}");
    assert_eq!(
        counts["files"],
        json!([{ "path": "src/cart.py", "lines": 3 }, { "path": "src/store.py", "lines": 1 }]),
        "{counts}"
    );
    let matches = project.run("grep total -c -o src --json").json();
    assert_eq!((&matches["matches_total"], &matches["files"][0]["matches"]), (&json!(6), &json!(5)), "{matches}");
    assert_eq!(over_mcp(&project, "grep", json!({ "pattern": "total", "count": true, "scope": "src" })), {
        project.run("grep total -c src").stdout
    });
}

#[test]
fn the_texts_that_match_with_their_owners() {
    let project = shop();
    shown("matched_texts", &project.run_with(&["grep", r"[A-Z_]*URL|to\w+", "src", "-o"]));
    let answer = project.run_with(&["grep", r"to\w+", "src/cart.py", "--only-matching", "--json"]).json();
    let rows: Vec<(u64, u64, &str, &str)> = answer["matches"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let number = |name: &str| row[name].as_u64().expect("a number");
            let text = |name: &str| row[name].as_str().unwrap_or("");
            (number("line"), number("column"), text("text"), text("owner"))
        })
        .collect();
    assert_eq!(
        rows,
        [
            (7, 21, "total", "Cart.add"),
            (7, 41, "total", "Cart.add"),
            (9, 9, "total", "Cart.total"),
            (13, 30, "total", "début"),
            (13, 44, "total", "début"),
        ]
    );
    assert_eq!(answer["total"], 5);
    // Bytes are told where they differ.
    assert_eq!(
        (&answer["matches"][0]["byte_column"], &answer["matches"][4]["byte_column"]),
        (&Value::Null, &json!(46))
    );
    // Pages go on within a line.
    let page = |offset: usize| {
        let line = format!("grep to[a-z]+ src/cart.py -o --json --limit 1 --offset {offset}");
        let answer = project.run(&line).json();
        (answer["matches"][0]["line"].clone(), answer["matches"][0]["column"].clone(), answer["shown"].clone())
    };
    assert_eq!((page(0), page(1)), ((json!(7), json!(21), json!(1)), (json!(7), json!(41), json!(1))));
    // Nothing matches in lines that do not match, and an empty match is no text.
    let inverted = project.run("grep . notes.md -o -v --json").json();
    assert_eq!((&inverted["total"], &inverted["matches"][0]["text"]), (&json!(1), &json!("")), "{inverted}");
    assert_eq!(project.run_with(&["grep", "x*", "notes.md", "-o"]).code, Some(1));
}

#[test]
fn whether_anything_matches() {
    let project = shop();
    let ended = |words: &[&str]| {
        let run = project.run_with(&[&["grep"], words].concat());
        (run.code, run.stdout + &run.stderr)
    };
    assert_eq!(ended(&["total", "-q"]), (Some(0), String::new()));
    assert_eq!(ended(&["nothing_else", "--quiet"]), (Some(1), String::new()));
    assert_eq!(ended(&["total", "-q", "--json"]), (Some(0), String::new()));
    let (code, error) = ended(&["(", "-q"]);
    assert!(code == Some(2) && error.starts_with("error: "), "{error}");
    let say = |pattern: &str| over_mcp(&project, "grep", json!({ "pattern": pattern, "quiet": true }));
    assert_eq!((say("total"), say("nothing_else")), ("matched\n".to_owned(), "not matched (4 searched)\n".to_owned()));
    let as_json = |pattern: &str| -> Value {
        let text = over_mcp(&project, "grep", json!({ "pattern": pattern, "quiet": true, "format": "json" }));
        serde_json::from_str(&text).expect("JSON")
    };
    assert_eq!((&as_json("total")["matched"], &as_json("nothing_else")["matched"]), (&json!(true), &json!(false)));
    // A file that is not read makes nothing certain.
    let missing = over_mcp(&project, "grep", json!({ "pattern": "x9", "quiet": true, "scope": ["src", "scr"] }));
    assert!(missing.contains("lower_bound") && missing.contains("scr: no such file or folder"), "{missing}");
}

#[test]
fn of_several_paths_one_that_is_missing_is_noted() {
    let project = shop();
    shown("a_missing_path_among_several", &project.run("grep Cart src/cart.p src tests/nothing"));
    for first in ["src/cart.p src", "src src/cart.p", "nowhere src nowhere", "nowhere/*.py src"] {
        let answer = project.run(&format!("grep Cart {first} --json")).json();
        assert_eq!(paths(&answer, "matches"), ["src/cart.py", "src/store.py"].map(str::to_owned).into(), "{first}");
        assert_eq!(answer["evidence"]["completeness"], "lower_bound", "{answer}");
        assert_eq!(answer["evidence"]["skipped_total"], 1, "{answer}");
    }
    let answer = project.run("grep Cart src/cart.p src --json").json();
    let skipped = &answer["evidence"]["skipped"][0];
    assert_eq!(skipped["path"], "src/cart.p");
    assert!(skipped["reason"].as_str().is_some_and(|reason| reason.contains("did you mean src/cart.py")), "{skipped}");
    // Where none exists, it is an error.
    let none = project.run("grep Cart src/cart.p srcs");
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""), "{none:?}");
    assert!(none.stderr.contains("did you mean src/cart.py"), "{none:?}");
    let outside = project.run("grep Cart src ../..");
    assert_ne!(outside.code, Some(0), "{outside:?}");
}

/// The rows of a list of places: path, line, column, text.
fn places(text: &str) -> Vec<(String, usize, usize, String)> {
    let place = |row: &str| {
        let mut parts = row.splitn(4, ':');
        let mut part = || parts.next().unwrap_or_else(|| panic!("no place: {row}")).to_owned();
        let (path, line, column, text) = (part(), part(), part(), part());
        (path, line.parse().expect("a line"), column.parse().expect("a column"), text)
    };
    text.lines().map(place).collect()
}

/// Whether the text of each place stands at its column in its line.
#[track_caller]
fn assert_names_stand_at_places(project: &Project, text: &str, name: &str) {
    for (path, line, column, _) in places(text) {
        let file = std::fs::read_to_string(project.path().join(&path)).expect("a file");
        let line = file.lines().nth(line - 1).expect("a line");
        assert!(line[column - 1..].starts_with(name), "{path}: {line:?} at {column}");
    }
}

#[test]
fn outlines_of_several_paths_are_listed_for_editors() {
    let project = Project::empty();
    project.write("a.py", "def first():\n    pass\n");
    project.write("lib/b.py", "\ndef second():\n    pass\n");
    let text = project.run("outline a.py lib/b.py --vimgrep").answer();
    assert_eq!(text, "a.py:1:5:def first()\nlib/b.py:2:5:def second()\n");
}

#[test]
fn matches_are_listed_for_editors() {
    let project = shop();
    let run = project.run("grep total src --vimgrep");
    shown("matches_for_editors", &run);
    assert_names_stand_at_places(&project, &run.stdout, "total");
    assert_eq!(places(&run.stdout).len(), 6);
    // Context and owners are in no list, and the texts that match are.
    assert_eq!(project.run("grep total src --vimgrep -C 2").stdout, run.stdout);
    let texts = project.run("grep tot[a-z]+ src -o --vimgrep").answer();
    assert!(places(&texts).iter().all(|(_, _, _, text)| text == "total"), "{texts}");
    let inverted = project.run("grep . notes.md -v --vimgrep").answer();
    assert_eq!(inverted, "notes.md:2:1:\n");
    // The same over the protocol, where it is cut by the budget and says so at the end.
    assert_eq!(
        over_mcp(&project, "grep", json!({ "pattern": "total", "scope": "src", "format": "vimgrep" })),
        run.stdout
    );
    let cut = json!({ "pattern": "total", "scope": "src", "format": "vimgrep", "limit": 2 });
    let cut = over_mcp(&project, "grep", cut);
    let rows: Vec<&str> = run.stdout.lines().take(2).collect();
    assert!(
        cut.starts_with(&(rows.join("\n") + "\nby file: src/cart.py 5, src/store.py 1\nshown: 2 of 6 matches\nnext: ")),
        "{cut}"
    );
    let on_command_line = project.run("grep total src --vimgrep --limit 2");
    assert_eq!(on_command_line.stdout.lines().collect::<Vec<_>>(), rows);
    assert_eq!(without_calls(&(on_command_line.stdout.clone() + &on_command_line.stderr)), without_calls(&cut));
    // Nothing found is nothing listed.
    let none = project.run("grep nothing_else --vimgrep");
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""));
}

#[test]
fn the_list_for_editors_is_whole_on_the_command_line() {
    let project = Project::empty();
    let text: String = (0..3_000).map(|line| format!("needle number {line} in a line of some length\n")).collect();
    project.write("many.txt", text);
    let whole = project.run("grep needle --vimgrep");
    assert_eq!((places(&whole.stdout).len(), whole.stderr.as_str()), (3_000, ""));
    let cut = project.run("grep needle --vimgrep --max-tokens 500");
    let rows = places(&cut.stdout).len();
    assert!((5..100).contains(&rows), "{rows}");
    assert!(cut.stderr.contains(&format!("shown: {rows} of 3000 matches")), "{}", cut.stderr);
}

#[test]
fn other_tools_list_their_places() {
    let project = shop();
    let references = project.run("find-references src/cart.py:Cart.total --vimgrep");
    shown("references_for_editors", &references);
    assert_names_stand_at_places(&project, &references.stdout, "total");
    let symbols = project.run("find-symbols total src --vimgrep");
    shown("symbols_for_editors", &symbols);
    assert_names_stand_at_places(&project, &symbols.stdout, "total");
    shown("an_outline_for_editors", &project.run("outline src/cart.py --vimgrep"));
    shown("an_outline_of_a_folder_for_editors", &project.run("outline src --vimgrep --depth 9"));
    let search = project.run("search total of a cart --vimgrep").answer();
    assert!(places(&search).iter().any(|(path, line, ..)| path == "src/cart.py" && *line == 9), "{search}");
    // JSON says the same places.
    for (tool, array) in [
        ("find-references src/cart.py:Cart.total", "references"),
        ("find-symbols total", "symbols"),
        ("search total of a cart", "results"),
        ("grep début src", "matches"),
    ] {
        let listed = project.run(&format!("{tool} --vimgrep")).answer();
        let listed: Vec<(String, usize, usize)> =
            places(&listed).into_iter().map(|(path, line, column, _)| (path, line, column)).collect();
        let rows = project.run(&format!("{tool} --json")).json();
        let rows: Vec<(String, usize, usize)> = rows[array]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| {
                let column = if row["byte_column"].is_null() { &row["column"] } else { &row["byte_column"] };
                let number = |value: &Value| usize::try_from(value.as_u64().expect("a number")).expect("a number");
                (row["path"].as_str().expect("a path").to_owned(), number(&row["line"]), number(column))
            })
            .collect();
        assert_eq!(listed, rows, "{tool}");
    }
}

#[test]
fn tools_without_places_refuse_the_list() {
    let project = shop();
    for line in ["tree --vimgrep", "read-file src/cart.py --vimgrep", "dependencies --format vimgrep"] {
        let run = project.run(line);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{line}: {run:?}");
        assert!(run.stderr.contains("tools whose rows are places"), "{line}: {run:?}");
    }
    for line in ["grep total -l --vimgrep", "grep total -c --format vimgrep"] {
        let run = project.run(line);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{line}: {run:?}");
        assert!(run.stderr.contains("places with a line and a column, and "), "{line}: {run:?}");
        assert!(!run.stderr.contains("--files") && run.stderr.contains("--format vimgrep\n"), "{line}: {run:?}");
    }
    assert_eq!(project.run("grep total --json --vimgrep").code, Some(2));
}

/// A file of many lines, and one of few.
fn long_files() -> Project {
    let project = Project::empty();
    let text = |name: &str, lines: usize| {
        (1..=lines).map(|line| format!("{name} {line} says something of its own here\n")).collect::<String>()
    };
    project.write("long.txt", text("long", 2_400));
    project.write("short.txt", text("short", 60));
    project
}

/// The numbers of the shown lines.
fn shown_lines(answer: &Value) -> Vec<(u64, u64)> {
    let ranges = answer["ranges"].as_array().expect("ranges").iter();
    ranges.map(|range| (range["line"].as_u64().expect("a line"), range["line_end"].as_u64().expect("a line"))).collect()
}

#[test]
fn several_ranges_share_the_budget() {
    let project = long_files();
    let ranges = "1-400,500-900,1000-1010,2000-2300";
    let text = project.run(&format!("read-lines long.txt --ranges {ranges}")).answer();
    // Each has its beginning, and a short one is whole.
    for line in [1, 2, 500, 1_000, 1_005, 1_010, 2_000, 2_001] {
        assert!(text.contains(&format!("\n{line}: long {line} ")), "{line}: {text}");
    }
    // What is left out is said where it is missing, with a call that works, and at the top.
    let next = call_after(text.split("\n\n").next().expect("a head"), "\nnext: ");
    let mut left_out = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("lines ") && line.ends_with(" left out:")) {
        let range = line.strip_prefix("lines ").and_then(|line| line.strip_suffix(" left out:")).expect("a range");
        assert_eq!(call_after(&text, line), format!("peelback read-lines --path long.txt --ranges {range}"));
        assert!(next.contains(range), "{next}");
        left_out.push(range.to_owned());
    }
    assert_eq!(left_out.len(), 3, "{text}");
    assert!(left_out[0].ends_with("-400") && left_out[1].ends_with("-900") && left_out[2].ends_with("-2300"));
    let shares: Vec<usize> = left_out
        .iter()
        .zip([1, 500, 2_000])
        .map(|(range, first)| range.split_once('-').expect("two ends").0.parse::<usize>().expect("a line") - first)
        .collect();
    let (least, most) = (shares.iter().min().expect("shares"), shares.iter().max().expect("shares"));
    assert!(*least > 60 && most - least <= 8, "{shares:?}");
    // JSON says the same.
    let answer = project.run(&format!("read-lines long.txt --ranges {ranges} --json --max-tokens 4000")).json();
    assert_eq!(shown_lines(&answer).len(), 4, "{answer}");
    let missing: Vec<(&Value, &Value)> = answer["ranges_left_out"]
        .as_array()
        .expect("ranges")
        .iter()
        .map(|range| (&range["line"], &range["line_end"]))
        .collect();
    assert_eq!(missing.iter().map(|(_, last)| (*last).clone()).collect::<Vec<_>>(), [400, 900, 2_300]);
    assert_eq!(answer["overflow"]["next_offset"], Value::Null);
}

#[test]
fn the_calls_after_several_ranges_show_every_line_once() {
    let project = long_files();
    let mut call =
        "peelback read-lines --path long.txt --ranges 1-300,700-705,900-1300,1200-1250 --max-tokens 1500".to_owned();
    let mut seen = Vec::new();
    for _ in 0..40 {
        let answer = crate::agents::execute(project.path(), &call, "").answer();
        seen.extend(answer.lines().filter_map(|line| line.split_once(": long ")?.0.parse::<u32>().ok()));
        if !answer.contains("\nnext: ") {
            break;
        }
        call = call_after(&answer, "\nnext: ");
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=300).chain(700..=705).chain(900..=1300).collect::<Vec<_>>());
}

#[test]
fn ranges_of_several_files() {
    let project = long_files();
    shown("ranges_of_two_files", &project.run("read-lines long.txt:3-4 9 short.txt:1-2 7"));
    let answer = project.run("read-lines short.txt:1-2 long.txt:5 --json").json();
    assert_eq!(
        answer["ranges"],
        json!([
            { "path": "short.txt", "line": 1, "line_end": 2,
              "text": "short 1 says something of its own here\nshort 2 says something of its own here\n" },
            { "path": "long.txt", "line": 5, "line_end": 5, "text": "long 5 says something of its own here\n" },
        ])
    );
    assert_eq!(answer["files"][1], json!({ "path": "long.txt", "line_count": 2_400 }));
    // They share the budget, too.
    let text = project.run("read-lines long.txt:1-900 short.txt:1-9 long.txt:1000-1900").answer();
    for line in ["1: long 1 ", "1: short 1 ", "9: short 9 ", "1000: long 1000 "] {
        assert!(text.contains(&format!("\n{line}")), "{line}: {text}");
    }
    assert_eq!(text.matches(" of long.txt left out:\npeelback read-lines --path ").count(), 2, "{text}");
    // A whole file without ranges.
    let whole = project.run("read-lines short.txt:60 long.txt --json").json();
    assert_eq!(shown_lines(&whole), [(60, 60), (1, 2_400)]);
    // What is no range and no file is said.
    let wrong = project.run("read-lines short.txt 1-2 nothing.txt:4");
    assert!(wrong.code == Some(2) && wrong.stderr.contains("is neither a range of lines nor a file"), "{wrong:?}");
}

#[test]
fn ranges_that_do_not_even_begin_are_named() {
    let project = long_files();
    let ranges: Vec<String> = (1..=1_000).map(|index| (2 * index).to_string()).collect();
    let (first, last) = (ranges[..500].join(","), ranges[500..].join(","));
    let text = project.run(&format!("read-lines long.txt --ranges {first} --ranges {last}")).answer();
    let shown = text.lines().filter(|line| line.contains(": long ")).count();
    assert!((100..500).contains(&shown), "{shown}");
    assert!(text.contains(&format!("shown: {shown} of 1000 lines\n")), "{text}");
    let last: Vec<&str> = text.trim_end().lines().rev().take(2).collect();
    assert!(last[1].starts_with("lines ") && last[1].ends_with(" ranges more left out:"), "{last:?}");
}

#[test]
fn one_range_has_pages_as_before() {
    let project = long_files();
    let answer = project.run("read-lines long.txt --ranges 1-900 --json --max-tokens 2000").json();
    let shown = answer["shown"].as_u64().expect("a number");
    assert_eq!(answer["overflow"]["next_offset"], shown);
    assert_eq!(answer["ranges_left_out"], Value::Null);
    let text = project.run("read-lines long.txt --ranges 1-900").answer();
    assert!(!text.contains(" left out:"), "{text}");
}

#[test]
fn a_range_behind_the_end_takes_no_other_range_away() {
    let project = long_files();
    let answer = project.run("read-lines short.txt:1-2,700-710 long.txt:5").answer();
    assert!(answer.contains("1: ") && answer.contains("5: long "), "{answer}");
    assert!(answer.contains("note: short.txt has ") && answer.contains("; past its end: 700-710\n"), "{answer}");
    let json = project.run("read-lines short.txt:1-2,700-710 --json").json();
    assert!(json["evidence"]["notes"][0].as_str().is_some_and(|note| note.ends_with("700-710")), "{json}");
    // Where no line is left, it is an error.
    let run = project.run("read-lines short.txt:700-710,900");
    assert!(run.code == Some(1) && run.stderr.contains("past its end: 700-710, 900"), "{run:?}");
}

#[test]
fn what_no_search_finds_is_not_suggested() {
    let project = shop();
    for arguments in [["grep", "-F", "a\nb"], ["grep", "-i", "(\nb"]] {
        let run = project.run_with(&arguments);
        assert!(run.code == Some(2) && !run.stderr.contains("hint:"), "{run:?}");
    }
    assert!(project.run_with(&["grep", "("]).stderr.contains("--fixed-strings"));
    // A line number that no file reaches is a note, too.
    let answer = long_files().run("read-lines short.txt:1-2,99999999999").answer();
    assert!(answer.contains("; past its end: 99999999999\n"), "{answer}");
}
