//! Pages of an answer: together they are the whole answer, and where they end, they say so.

use std::fs;

use peelback_code::{CancellationToken, CodeAccess, Project};
use peelback_tools::tool_by_name_or_alias;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The number of symbols that the pages of `find_symbols` can show.
const MAX_PAGED_SYMBOLS: usize = 10_000;

/// The answer of a tool in JSON, from a call with `cancellation`.
fn answer_of_call(folder: &TempDir, tool: &str, cancellation: CancellationToken, mut arguments: Value) -> Value {
    let project = Project::discover(Some(folder.path()), None).expect("a project").with_cancellation(cancellation);
    arguments["format"] = "json".into();
    let reply = tool_by_name_or_alias(tool).expect("a tool").run_call(&CodeAccess::new(project), arguments);
    serde_json::from_str(&reply.formatted_output()).expect("JSON")
}

fn found_symbols(folder: &TempDir, arguments: Value) -> Value {
    answer_of_call(folder, "find_symbols", CancellationToken::default(), arguments)
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["symbols"].as_array().expect("symbols").iter().map(|row| row["id"].as_str().expect("an id")).collect()
}

#[test]
fn pages_show_the_rows_of_the_whole_answer_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in 0..7 {
        let text: String = (0..9).map(|index| format!("def b{}_{index}(): pass\n", index * file % 5)).collect();
        fs::write(folder.path().join(format!("f{file}.py")), text + "def b(): pass\n").expect("a file");
    }
    let whole = found_symbols(&folder, json!({ "name": "b", "limit": 100, "detail_level": "full" }));
    let all = ids(&whole);
    assert_eq!(all.len(), 70);
    let mut paged = Vec::new();
    for offset in (0..70).step_by(4) {
        let page = found_symbols(&folder, json!({ "name": "b", "offset": offset, "limit": 4 }));
        assert_eq!(page["overflow"].get("total").unwrap_or(&json!(70)), 70, "{page}");
        paged.extend(ids(&page).into_iter().map(str::to_owned));
    }
    assert_eq!(paged, all);
}

#[test]
fn pages_of_symbols_end_with_a_word_about_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let text: String = (0..MAX_PAGED_SYMBOLS + 9).map(|index| format!("def b{index}(): pass\n")).collect();
    fs::write(folder.path().join("a.py"), text).expect("a file");
    let page = |offset: usize| found_symbols(&folder, json!({ "name": "b", "offset": offset }));
    let last = page(MAX_PAGED_SYMBOLS - 1);
    assert_eq!(ids(&last).len(), 1, "{last}");
    let after = page(MAX_PAGED_SYMBOLS);
    // A list of which nothing is shown is absent.
    assert!(after.get("symbols").is_none(), "{after}");
    let notes = &after["evidence"]["notes"];
    assert_eq!(notes, &json!(["only the first 10,000 symbols can be paged through: narrow the call"]), "{after}");
    assert!(!after.to_string().contains("wider budget"), "{after}");
}

#[test]
fn lines_of_a_call_that_was_stopped_are_not_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.txt"), "line\n".repeat(40)).expect("a file");
    let cancellation = CancellationToken::default();
    cancellation.cancel();
    let answer = answer_of_call(&folder, "read_lines", cancellation, json!({ "path": "a.txt", "ranges": ["1-20"] }));
    assert_eq!(answer["evidence"]["completeness"], "lower_bound", "{answer}");
    assert_eq!(answer["evidence"]["notes"], json!(["cancelled: 0 of 20 lines could be read"]), "{answer}");
    // No budget would show more.
    assert!(!answer.to_string().contains("wider budget"), "{answer}");
}
