//! Every tool made to overflow on a real code base, and every call of its hints executed.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::agents::{call, calls_in, execute, repository};
use crate::support::tool_calls::{calls_with_pages, keys_of_rows};

#[test]
fn every_call_of_an_overflow_works_and_narrows() {
    let root = repository();
    for (tool, calls) in calls_with_pages() {
        let arguments = calls.overflow.arguments;
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
            let is_page = offer.contains(" --offset ");
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
    let lines: Vec<&str> = hint.lines().collect();
    let gives = lines.windows(2).find(|pair| pair[1] == offer).map_or("", |pair| pair[0].trim_end_matches(':'));
    let unit = gives.split(' ').nth(1).unwrap_or("");
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
    for (tool, calls) in calls_with_pages() {
        let overflow = calls.overflow;
        let mut offset = 0;
        let mut pages = 0;
        let mut seen = Vec::new();
        let mut total = None;
        loop {
            let mut page = overflow.arguments.clone();
            page["format"] = "json".into();
            page["offset"] = offset.into();
            let answer: Value = serde_json::from_str(&call(&root, tool.name, page).formatted_output()).expect("JSON");
            seen.extend(keys_of_rows(&answer, overflow.array, overflow.fields));
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
    for (tool, calls) in calls_with_pages() {
        let arguments = calls.overflow.arguments;
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
    for (tool, calls) in calls_with_pages() {
        let (tool, arguments) = (tool.name, calls.whole);
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
    for (tool, calls) in calls_with_pages() {
        let arguments = calls.overflow.arguments;
        let reply = call(&root, tool.name, arguments);
        let lines: Vec<&str> = reply.preview.lines().collect();
        assert!(lines.len() >= 3 && lines.len() <= 10, "{}: {}", tool.name, reply.preview);
        assert!(reply.preview.contains("\n  … +"), "{}: {}", tool.name, reply.preview);
    }
}
