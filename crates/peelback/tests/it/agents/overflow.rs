//! Every tool made to overflow on a real code base, and every call of its hints executed.

use std::collections::BTreeSet;

use peelback_tools::{AnyTool, all_tools};
use serde_json::{Value, json};

use crate::agents::{call, calls_in, execute, repository};

/// Arguments with which a tool overflows on this repository by a few pages, the array that holds its rows, and the fields that tell
/// one row from another.
fn overflowing(tool: &str) -> (Value, &'static str, &'static [&'static str]) {
    match tool {
        "tree" => (json!({ "path": "crates/peelback-syntax", "limit": 40, "depth": 4 }), "entries", &["path"]),
        "find_files" => (
            json!({ "query": "symbol outline of a language", "scope": "crates/peelback-tools", "limit": 15 }),
            "files",
            &["path"],
        ),
        "search" => (
            json!({ "query": "symbol outline of a language", "scope": "crates/peelback-tools/src/tools/profile" }),
            "results",
            &["path", "line"],
        ),
        "grep" => (
            json!({ "pattern": "symbol", "scope": "crates/peelback-tools/src/tools", "limit": 150, "no_owners": true }),
            "matches",
            &["path", "line"],
        ),
        "outline" => (json!({ "path": "crates/peelback-tools/src", "limit": 30 }), "files", &["path"]),
        "find_symbols" => (json!({ "name": "outline" }), "symbols", &["id"]),
        "read_symbol" => (json!({ "name": "drop", "limit": 3 }), "symbols", &["id"]),
        "read_lines" => {
            (json!({ "path": "crates/peelback-syntax/src/walk.rs", "limit": 100 }), "ranges", &["line", "line_end"])
        }
        "read_file" => (
            json!({ "path": "crates/peelback-syntax/src/walk.rs", "raw": true, "limit": 100 }),
            "ranges",
            &["line", "line_end"],
        ),
        "find_references" => (json!({ "name": "Lines", "limit": 20 }), "references", &["path", "line", "column"]),
        "dependencies" => (
            json!({ "path": "crates/peelback-tools/src/call.rs", "direction": "incoming", "limit": 8 }),
            "incoming",
            &[],
        ),
        "search_tools" => (json!({ "limit": 2 }), "tools", &["name"]),
        other => panic!("{other} has no overflow here: add one"),
    }
}

/// The tools whose answers have pages. The document of `scope` is made for its budget.
fn with_pages() -> impl Iterator<Item = &'static AnyTool> {
    all_tools().iter().filter(|tool| tool.name != "scope")
}

/// The keys of an answer's rows; a range of lines counts as that many rows.
fn keys(answer: &Value, array: &str, fields: &[&str]) -> Vec<String> {
    let rows = answer[array].as_array().expect("rows");
    rows.iter()
        .filter(|row| row["is_context"] != true)
        .flat_map(|row| match fields {
            ["line", "line_end"] => {
                let lines = row["line"].as_u64().expect("a line")..=row["line_end"].as_u64().expect("a line");
                lines.map(|line| line.to_string()).collect::<Vec<_>>()
            }
            // Rows that are paths.
            [] => vec![row.to_string()],
            _ => vec![fields.iter().map(|field| row[*field].to_string()).collect::<Vec<_>>().join(":")],
        })
        .collect()
}

#[test]
fn every_call_of_an_overflow_works_and_narrows() {
    let root = repository();
    for tool in with_pages() {
        let (arguments, _, _) = overflowing(tool.name);
        let text = call(&root, tool.name, arguments.clone()).formatted_output();
        let mut as_json = arguments.clone();
        as_json["format"] = "json".into();
        let answer: Value = serde_json::from_str(&call(&root, tool.name, as_json).formatted_output()).expect("JSON");
        let total = answer["overflow"]["total"].as_u64().unwrap_or_else(|| panic!("{}: no overflow", tool.name));
        assert_eq!(answer["total"].as_u64(), Some(total));
        assert!(text.contains("\nshown: ") && text.contains("\nnext: "), "{}: {text}", tool.name);
        let hint = answer["overflow"]["hint"].as_str().expect("a hint");
        let offered = calls_in(hint);
        assert!(!offered.is_empty(), "{}: {hint}", tool.name);
        for (offer, promised) in &offered {
            let run = execute(&root, offer, "--json");
            assert_eq!(run.code, Some(0), "{}: {offer}: {run:?}", tool.name);
            let narrowed: Value = serde_json::from_str(&run.stdout).expect("JSON");
            let is_page = offer.contains("--offset");
            let rows = narrowed["total"].as_u64().unwrap_or_else(|| panic!("{offer} gives no total"));
            if is_page {
                assert_eq!(rows, total, "{offer}");
                continue;
            }
            let promised = promised.unwrap_or_else(|| panic!("{}: {offer} promises no number", tool.name));
            let (got, unit) = narrowed_to(&narrowed, hint, offer);
            assert_eq!(got, promised, "{}: {offer}", tool.name);
            // In the unit of the whole, there is less of it.
            if text.contains(&format!(" of {total} {unit}")) && tool.name != "search_tools" {
                assert!((promised as u64) < total, "{}: {offer} does not narrow", tool.name);
            }
        }
    }
}

/// What a narrowed call gives, in the unit that its hint promised, and that unit in the plural.
fn narrowed_to(answer: &Value, hint: &str, offer: &str) -> (usize, String) {
    let unit = hint.lines().find(|line| line.starts_with(offer)).and_then(|line| line.split_once("  ("));
    let unit = unit.map_or("", |(_, gives)| gives.trim_end_matches(')')).split(' ').nth(1).unwrap_or("");
    let field = match unit {
        "symbol" | "symbols" => ["symbols_listed", "symbol_count", "total"],
        "file" | "files" => ["files", "total", "total"],
        _ => ["total", "total", "total"],
    };
    let value = field.iter().find_map(|field| answer[*field].as_u64());
    let plural = match unit.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if unit.ends_with('s') => unit.to_owned(),
        None => format!("{unit}s"),
    };
    (usize::try_from(value.expect("a count")).expect("a small count"), plural)
}

#[test]
fn paging_to_the_end_gives_each_row_once() {
    let root = repository();
    for tool in with_pages() {
        let (arguments, array, fields) = overflowing(tool.name);
        let mut offset = 0;
        let mut pages = 0;
        let mut seen = Vec::new();
        let mut total = None;
        loop {
            let mut page = arguments.clone();
            page["format"] = "json".into();
            page["offset"] = offset.into();
            let answer: Value = serde_json::from_str(&call(&root, tool.name, page).formatted_output()).expect("JSON");
            seen.extend(keys(&answer, array, fields));
            let said = answer["total"].as_u64().expect("a total");
            assert_eq!(*total.get_or_insert(said), said, "{}", tool.name);
            pages += 1;
            match answer["overflow"]["next_offset"].as_u64() {
                Some(next) => {
                    assert!(next > offset, "{} stands still at {offset}", tool.name);
                    offset = next;
                }
                None => break,
            }
        }
        assert!(pages > 1, "{}", tool.name);
        assert_eq!(seen.len() as u64, total.unwrap_or(0), "{}: {pages} pages", tool.name);
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len(), "{}: a row twice", tool.name);
    }
}

#[test]
fn the_next_page_of_the_text_leads_to_the_end() {
    let root = repository();
    for tool in with_pages() {
        let (arguments, _, _) = overflowing(tool.name);
        let mut text = call(&root, tool.name, arguments).formatted_output();
        let mut last = None;
        while let Some((next, _)) = calls_in(&text).into_iter().find(|(offer, _)| offer.contains("--offset")) {
            let run = execute(&root, &next, "");
            assert_eq!(run.code, Some(0), "{next}: {run:?}");
            assert_ne!(last.as_ref(), Some(&next), "{} stands still", tool.name);
            last = Some(next);
            text = run.stdout;
        }
        assert!(last.is_some() && !text.contains("\nshown: "), "{}: {text}", tool.name);
    }
}

#[test]
fn an_answer_under_its_cap_has_no_overflow() {
    let root = repository();
    let calls = [
        ("tree", json!({ "path": ".ci" })),
        ("find_files", json!({ "query": "bloom" })),
        ("search", json!({ "query": "main", "scope": "crates/peelback/src/main.rs" })),
        ("grep", json!({ "pattern": "smooth_sort_of_nothing_else", "scope": ["crates/peelback/tests/it/agents"] })),
        ("outline", json!({ "path": "crates/peelback/src/main.rs" })),
        ("find_symbols", json!({ "name": "OutputGuard", "match": "exact" })),
        ("read_symbol", json!({ "name": "OutputGuard" })),
        ("read_lines", json!({ "path": "crates/peelback/src/main.rs" })),
        ("read_file", json!({ "path": "crates/peelback/src/main.rs" })),
        ("find_references", json!({ "path": "crates/peelback-resolve/src/graph/query.rs", "name": "is_program" })),
        ("dependencies", json!({ "path": "crates/peelback/src/main.rs" })),
        ("search_tools", json!({ "query": "grep" })),
    ];
    assert_eq!(calls.len(), with_pages().count());
    for (tool, arguments) in calls {
        let mut as_json = arguments.clone();
        as_json["format"] = "json".into();
        let answer: Value = serde_json::from_str(&call(&root, tool, as_json).formatted_output()).expect("JSON");
        assert!(answer.get("overflow").is_none(), "{tool}: {answer}");
        let text = call(&root, tool, arguments).formatted_output();
        assert!(!text.contains("\nshown: "), "{tool}: {text}");
    }
}

#[test]
fn previews_show_rows_and_never_a_bare_count() {
    let root = repository();
    for tool in with_pages() {
        let (arguments, _, _) = overflowing(tool.name);
        let reply = call(&root, tool.name, arguments);
        let lines: Vec<&str> = reply.preview.lines().collect();
        assert!(lines.len() >= 3 && lines.len() <= 10, "{}: {}", tool.name, reply.preview);
        assert!(reply.preview.contains("\n  … +"), "{}: {}", tool.name, reply.preview);
    }
}
