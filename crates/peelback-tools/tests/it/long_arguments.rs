//! Arguments that are long or many: the call ends with an error that says the limit, or by its deadline.

use std::fs;
use std::time::{Duration, Instant};

use peelback_code::{CancellationToken, CodeAccess, Project};
use peelback_tools::{Reply, all_tools, tool_by_name_or_alias};
use serde_json::{Value, json};

/// The time until the deadline of each call.
const DEADLINE: Duration = Duration::from_secs(1);

/// The time that a call may take after its deadline: two seconds, and as much for a busy machine.
const GRACE: Duration = Duration::from_secs(4);

/// A project with a file of many functions, and many files.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let functions: String = (0..40_000).map(|index| format!("def fffffffff{index}(): pass\n")).collect();
    fs::write(folder.path().join("a.py"), functions).expect("a file");
    for index in 0..300 {
        fs::write(folder.path().join(format!("file{index}.py")), "x = 1\n").expect("a file");
    }
    folder
}

/// The reply of a tool in `folder`. The test fails where it does not come in time.
#[track_caller]
fn reply_in_time(folder: &tempfile::TempDir, tool: &str, arguments: Value) -> Reply {
    let began = Instant::now();
    let project = Project::discover(Some(folder.path()), None).expect("a project");
    let project = project.with_cancellation(CancellationToken::with_deadline(began + DEADLINE));
    let reply = tool_by_name_or_alias(tool).expect("a tool").run_call(&CodeAccess::new(project), arguments);
    let took = began.elapsed();
    assert!(took < DEADLINE + GRACE, "{tool}: {took:?}: {}", start(&reply));
    reply
}

fn start(reply: &Reply) -> String {
    reply.formatted_output().chars().take(300).collect()
}

#[test]
fn an_error_about_control_characters_fits_the_smallest_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    for character in ['\0', '\u{7f}', '\u{202e}', '\u{e0001}', '龘'] {
        for format in ["text", "json"] {
            let path = format!("/t{}", character.to_string().repeat(70));
            let reply = reply_in_time(&folder, "tree", json!({ "path": path, "max_tokens": 50, "format": format }));
            let output = reply.formatted_output();
            let tokens = peelback_tokens::count_tokens(&output);
            assert!(tokens <= 50 && output.contains("error"), "{tokens} tokens: {output}");
        }
    }
}

#[test]
fn long_lists_and_signatures_of_one_file_cost_no_more_than_their_length() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let names = |count: usize| (0..count).map(|index| format!("name{index}")).collect::<Vec<_>>();
    let functions: String = names(30_000).iter().map(|name| format!("def {name}(a): pass\n")).collect();
    let methods: String = names(30_000).iter().map(|name| format!("    def {name}(self, a=1): pass\n")).collect();
    for (file, text) in [
        ("imports.py", format!("from module import {}\n", names(100_000).join(", "))),
        ("exports.py", functions),
        ("methods.py", format!("class A:\n{methods}")),
        ("quotes.py", format!("def f(a=\"{}\"): pass\n", "\\\"".repeat(100_000))),
        (
            "open_quotes.rs",
            format!(
                "fn f<{}>(a: u8) {{}}\n",
                (0..30_000).map(|index| format!("'a{index}")).collect::<Vec<_>>().join(", ")
            ),
        ),
        ("open.js", format!("function f(a = `{}) {{}}\n", "\\`".repeat(100_000))),
    ] {
        fs::write(folder.path().join(file), text).expect("a file");
        for tool in ["outline", "read_file"] {
            for arguments in [
                json!({ "path": file }),
                json!({ "path": file, "detail_level": "full" }),
                json!({ "path": file, "format": "json" }),
            ] {
                let reply = reply_in_time(&folder, tool, arguments);
                assert!(reply.formatted_output().contains(file), "{tool} {file}: {}", start(&reply));
            }
        }
    }
}

#[test]
fn what_is_too_long_is_refused_with_the_limit() {
    let folder = project();
    for (tool, arguments, error) in [
        ("find_symbols", json!({ "name": "f".repeat(200_000) }), "name has 200,000 characters; the limit is 4,096"),
        ("read_symbol", json!({ "name": "ä".repeat(4_097) }), "name has 4,097 characters; the limit is 4,096"),
        ("find_references", json!({ "symbol": "f".repeat(200_000) }), "name has 200,000 characters"),
        ("find_symbols", json!({ "name": "f*".repeat(5_000) }), "name has 10,000 characters"),
        (
            "outline",
            json!({ "path": format!("{{{}}}", vec!["a1"; 100_000].join(",")) }),
            "path has 300,001 characters; the limit is 4,096",
        ),
        ("grep", json!({ "pattern": "a", "scope": vec!["*N*"; 20_000] }), "scope has 20,000 items; the limit is 1,000"),
        (
            "grep",
            json!({ "pattern": "a", "glob": ["a", "b".repeat(5_000)] }),
            "item 2 of glob has 5,000 characters; the limit is 4,096",
        ),
        (
            "grep",
            json!({ "pattern": "a", "glob": vec!["*".repeat(4_000); 17] }),
            "glob has 68,000 characters in all; the limit is 65,536",
        ),
        ("grep", json!({ "pattern": "a".repeat(70_000) }), "pattern has 70,000 characters; the limit is 65,536"),
        ("find_files", json!({ "query": "a ".repeat(600_000) }), "query has 1,200,000 characters"),
        ("read_lines", json!({ "path": "a.py", "ranges": vec![json!([1, 2]); 2_000] }), "ranges has 2,000 items"),
        ("tree", json!({ "root": "r".repeat(9_000) }), "root has 9,000 characters"),
    ] {
        let reply = reply_in_time(&folder, tool, arguments);
        let text = reply.formatted_output();
        assert!(text.contains(error), "{tool}: {}", start(&reply));
        // The argument itself is not given back.
        assert!(text.len() < 10_000, "{tool}: {} bytes", text.len());
    }
    let many: serde_json::Map<String, Value> =
        (0..100_000).map(|index| (format!("parameter{index}"), Value::Null)).collect();
    let reply = reply_in_time(&folder, "tree", many.into());
    assert!(reply.formatted_output().contains("100,000 arguments were given; the limit is 100"), "{}", start(&reply));
    let reply = reply_in_time(&folder, "tree", json!({ "x".repeat(1_000_000): "y".repeat(1_000_000) }));
    assert!(reply.formatted_output().len() < 10_000, "{}", start(&reply));
}

#[test]
fn what_is_just_within_the_limits_ends_by_its_deadline() {
    let folder = project();
    let longest = [
        "f".repeat(4_096),
        "f*".repeat(2_048),
        "*1".repeat(2_048),
        format!("{}z", "*f".repeat(2_047)),
        "{f,f*}".repeat(682),
        "?*".repeat(2_048),
        "a.".repeat(2_048),
        "a:".repeat(2_048),
        "a/".repeat(2_048),
        "*/".repeat(2_048),
    ];
    let texts = ["name", "path", "scope", "query", "pattern", "question"];
    for tool in all_tools() {
        let parameters = tool.parameters();
        for parameter in parameters.iter().filter(|parameter| texts.contains(&parameter.name.as_str())) {
            for text in &longest {
                // The other arguments that the tool needs.
                let mut arguments: serde_json::Map<String, Value> = parameters
                    .iter()
                    .filter(|other| other.is_required)
                    .map(|other| (other.name.clone(), if other.name == "path" { "a.py" } else { "fff" }.into()))
                    .collect();
                arguments.insert(parameter.name.clone(), text.as_str().into());
                reply_in_time(&folder, tool.name, arguments.into());
            }
        }
    }
    for scopes in [vec!["*N*"; 1_000], vec!["*.py"; 1_000], vec!["**"; 1_000]] {
        let distinct: Vec<String> =
            scopes.iter().enumerate().map(|(index, scope)| format!("{scope}{}", "*".repeat(index % 50))).collect();
        for parameter in ["scope", "glob"] {
            reply_in_time(&folder, "grep", json!({ "pattern": "x", parameter: scopes }));
            reply_in_time(&folder, "grep", json!({ "pattern": "x", parameter: distinct }));
        }
    }
    for (count, length) in [(16, 2_000), (900, 35)] {
        let long: Vec<String> = (0..count).map(|index| format!("{}{index}", "*f".repeat(length))).collect();
        for parameter in ["scope", "glob", "type"] {
            reply_in_time(&folder, "grep", json!({ "pattern": "x", parameter: long }));
        }
    }
}

#[test]
fn fewer_lines_around_a_match_than_were_asked_for_are_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty_lines = |count: usize| "\n".repeat(count);
    for (name, text) in [
        ("long.txt", format!("needle\n{}", empty_lines(3_000))),
        ("longer_by_one.txt", format!("needle\n{}", empty_lines(2_001))),
        ("just.txt", format!("needle\n{}", empty_lines(2_000))),
        ("just_before.txt", format!("{}needle\n", empty_lines(2_000))),
        ("before.txt", format!("{}needle\n", empty_lines(2_001))),
        ("two.txt", format!("needle\n{0}needle\n{0}", empty_lines(2_000))),
        ("short.txt", format!("{0}needle\n{0}", empty_lines(5))),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let answer = |file: &str, lines: usize| {
        let arguments = json!({
            "pattern": "needle", "scope": file, "context": lines, "max_tokens": 12_000, "no_owners": true, "format": "json",
        });
        let text = reply_in_time(&folder, "grep", arguments).formatted_output();
        let written: Value = serde_json::from_str(&text).expect("JSON");
        let is_noted = text.contains("at most 2,000 lines before and after a match are shown");
        (is_noted, written)
    };
    for (file, lines, is_noted) in [
        ("long.txt", 2_900, true),
        ("long.txt", 2_000, false),
        ("longer_by_one.txt", 100_000, true),
        ("just.txt", 100_000, false),
        ("just_before.txt", 100_000, false),
        ("before.txt", 2_001, true),
        ("two.txt", 100_000, false),
        ("short.txt", 100_000, false),
        ("short.txt", 2_900, false),
    ] {
        assert_eq!(answer(file, lines).0, is_noted, "{file}, {lines}");
    }
    let (_, short) = answer("short.txt", 100_000);
    assert_eq!(short["matches"].as_array().map(Vec::len), Some(11), "{short}");
}

#[test]
fn a_call_may_name_as_many_files_as_a_shell_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let names: Vec<String> = (0..1_200).map(|index| format!("file{index}.py")).collect();
    for name in &names {
        fs::write(folder.path().join(name), "needle\n").expect("a file");
    }
    let reply = reply_in_time(&folder, "grep", json!({ "pattern": "needle", "scope": names }));
    assert!(start(&reply).starts_with("1,200 lines matching in 1,200 files"), "{}", start(&reply));
    let reply = reply_in_time(&folder, "grep", json!({ "pattern": "needle", "scope": vec!["file1.py"; 10_000] }));
    assert!(start(&reply).starts_with("1 line matching in 1 file (1 searched)"), "{}", start(&reply));
    let reply = reply_in_time(&folder, "grep", json!({ "pattern": "needle", "scope": vec!["file1.py"; 10_001] }));
    assert!(start(&reply).contains("scope has 10,001 items; the limit is 10,000"), "{}", start(&reply));
}

/// The call of the next page would be longer than the answer.
#[test]
fn an_answer_about_many_named_files_has_rows_and_says_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let names: Vec<String> = (0..900).map(|index| format!("a_folder_of_{index:0>40}.py")).collect();
    for name in &names {
        fs::write(folder.path().join(name), "needle\nneedle\n").expect("a file");
    }
    for (count, max_tokens) in [(900, 12_000), (900, 400), (100, 2_000), (15, 300)] {
        let arguments = |format: &str| json!({ "pattern": "needle", "scope": names[..count], "max_tokens": max_tokens, "format": format });
        let written: Value = {
            let reply = reply_in_time(&folder, "grep", arguments("json"));
            serde_json::from_str(&reply.formatted_output()).expect("JSON")
        };
        let rows = written["matches"].as_array().unwrap_or_else(|| panic!("{count}, {max_tokens}: {written}")).len();
        assert!(rows >= 3 && written["shown"] == rows, "{count}, {max_tokens}: {written}");
        let overflow = &written["overflow"];
        assert_eq!((&overflow["total"], &overflow["next_offset"]), (&json!(count * 2), &json!(rows)));
        let hint = overflow["hint"].as_str().expect("a hint");
        let next = format!("next page:\nthe same call with --offset {rows}");
        assert!(hint.ends_with(&next), "{count}, {max_tokens}: {hint}");
        let text = reply_in_time(&folder, "grep", arguments("text")).formatted_output();
        assert!(text.matches(": needle").count() >= 3, "{count}, {max_tokens}: {text}");
        assert!(text.contains("the same call with --offset "), "{count}, {max_tokens}: {text}");
        let mut page = arguments("json");
        page["offset"] = rows.into();
        let reply = reply_in_time(&folder, "grep", page);
        let page: Value = serde_json::from_str(&reply.formatted_output()).expect("JSON");
        assert_ne!(page["matches"][0], written["matches"][0], "{page}");
        assert!(page["shown"].as_u64() >= Some(3), "{page}");
    }
}

/// The call that was probably meant would be longer than the answer.
#[test]
fn an_error_about_one_of_many_names_is_short() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    fs::write(folder.path().join("file.py"), "x\n").expect("a file");
    // None of them exists: a missing one among others is a note.
    let names = vec!["fil.py"; 900];
    for arguments in
        [json!({ "pattern": "x", "scope": names }), json!({ "pattern": "(", "scope": vec!["file.py"; 900] })]
    {
        let text = reply_in_time(&folder, "grep", arguments).formatted_output();
        assert!(text.len() < 1_000 && text.contains("the same call with"), "{text}");
    }
    let text =
        reply_in_time(&folder, "grep", json!({ "pattern": "y", "scope": vec!["file.py"; 900] })).formatted_output();
    assert!(text.contains("wider:\nthe same call with --ignore-case\n"), "{text}");
}

#[test]
fn lines_that_several_ranges_hold_are_shown_once() {
    let folder = project();
    let read = |arguments: Value| {
        let reply = reply_in_time(&folder, "read_lines", arguments);
        serde_json::from_str::<Value>(&reply.formatted_output()).expect("JSON")
    };
    let ranges = |written: &Value| -> Vec<(u64, u64)> {
        let ranges = written["ranges"].as_array().expect("ranges");
        ranges
            .iter()
            .map(|range| (range["line"].as_u64().expect("a line"), range["line_end"].as_u64().expect("a line")))
            .collect()
    };
    let written = read(json!({ "path": "a.py", "format": "json", "ranges": ["20-22", "5-10", "8-12", "6", "19-23"] }));
    assert_eq!(ranges(&written), [(20, 22), (5, 12), (19, 19), (23, 23)]);
    // Totals are exact, and a page continues where the last one ended.
    let many = json!({ "path": "a.py", "format": "json", "ranges": vec!["1-40000"; 1_000] });
    let written = read(many.clone());
    let overflow = &written["overflow"];
    assert_eq!(overflow["total"], 40_000, "{overflow}");
    let next = overflow["next_offset"].as_u64().expect("a next page");
    assert_eq!(ranges(&written), [(1, next)]);
    let mut page = many.clone();
    page["offset"] = next.into();
    assert_eq!(ranges(&read(page))[0].0, next + 1);
    // Ranges that are too many to be repeated.
    let odd = |from: u32| (from..from + 1_000).step_by(2).map(|line| line.to_string()).collect::<Vec<_>>().join(",");
    let lists: Vec<String> =
        ["1".to_owned(), "1".to_owned()].into_iter().chain((1..6).map(|part| odd(part * 1_000))).collect();
    let written = read(json!({ "path": "a.py", "format": "json", "ranges": lists, "max_tokens": 500 }));
    let (hint, next) = (&written["overflow"]["hint"], &written["overflow"]["next_offset"]);
    assert!(next.as_u64() > Some(3), "{written}");
    assert_eq!(hint, &json!(format!("next page:\nthe same call with --offset {next}")));
    let steps: Vec<String> = (1..=20).map(|index| format!("{index}-{}", 40_000 - index)).rev().collect();
    let written = read(json!({ "path": "a.py", "format": "json", "ranges": steps }));
    assert_eq!(written["overflow"]["total"], 39_999, "{written}");
}

#[test]
fn a_page_may_begin_at_any_row() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    fs::write(folder.path().join("a.py"), "def area(): pass\narea()\n").expect("a file");
    let mut asked = 0;
    for tool in all_tools().iter().filter(|tool| tool.parameters().iter().any(|parameter| parameter.name == "offset")) {
        for limit in [1, u64::MAX] {
            let mut arguments = json!({ "offset": u64::MAX, "limit": limit });
            for parameter in tool.parameters() {
                let value = match parameter.name.as_str() {
                    "path" => json!("a.py"),
                    "name" | "pattern" | "query" => json!("area"),
                    "ranges" => json!(["1-2"]),
                    _ => continue,
                };
                arguments[parameter.name.as_str()] = value;
            }
            let reply = reply_in_time(&folder, tool.name, arguments);
            assert!(!start(&reply).contains("panic"), "{}: {}", tool.name, start(&reply));
            asked += 1;
        }
    }
    assert!(asked > 16, "{asked}");
}
