//! What a document says of itself: what was used, what was cut and why, and whether it is complete.

use peelback_agent::document::Document;
use serde_json::json;

use crate::scope::desk::{ANSWER, Desk, QUESTION, explored, good, parsed};
use crate::scope::server::{BOTH, OPENAI, Reply, Server, says, status};
use crate::support::Run;

/// A reply of exploration that names no place.
fn without_places() -> Reply {
    says(&json!({
        "reasoning": "", "symbols_needed": ["Client.send"], "additional_files_needed": [], "sufficient_context": true,
        "preliminary_insights": "It sends.", "key_locations": [],
    }))
}

fn text_of(desk: &Desk, run: &Run) -> String {
    let path = run.stdout.lines().next().unwrap_or_default();
    std::fs::read_to_string(desk.work.path().join(path)).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// The status line, after checking that the front matter ends and the content begins soon enough.
#[track_caller]
fn status_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().skip(1).position(|line| *line == "---").expect("an end") + 2;
    assert!(end < 15, "{end} lines: {text}");
    let status = lines[end + 1];
    assert!(status.starts_with("> **Status:** "), "{text}");
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let first = lines.iter().skip(end + 2).position(is_content).expect("content") + end + 3;
    assert!(first <= 20, "the first sentence stands in line {first}: {text}");
    status.to_owned()
}

#[test]
fn a_run_that_was_cut_does_not_say_that_no_model_was_used() {
    for model in BOTH {
        let desk = Desk::new();
        let server = Server::of(vec![good().remove(0), status(403, "no more of this")]);
        let run = desk.ask(&server, model, &[]);
        let text = text_of(&desk, &run);
        assert!(!text.contains("No model was used"), "{text}");
        let status = status_line(&text);
        assert!(status.contains("not complete: ") && status.contains("no more of this"), "{status}");
        assert!(status.contains(&format!("Model used: {model} (pipeline), ")) && status.contains(" tokens in and "));
        let front = parsed(&text).front;
        assert_eq!(front.model_used, model);
        assert!(front.incomplete.is_some_and(|reason| reason.contains("no more of this")), "{text}");
    }
}

#[test]
fn without_a_model_it_says_so_first() {
    let desk = Desk::new();
    for number in 0..60 {
        desk.project.write(
            &format!("src/parcels_{number}.py"),
            format!("def send_parcel_{number}(depot):\n    return depot\n"),
        );
    }
    let scope = text_of(&desk, &desk.evidence(&["-q", QUESTION]));
    let context = text_of(&desk, &desk.run(&["context", &desk.root()]));
    for text in [scope, context] {
        let document = Document::parse(&text).expect("a document");
        assert!(document.front.citations.len() >= 5, "{text}");
        assert!(status_line(&text).ends_with("No model was used."), "{text}");
        // The hashes stand at the end, in one comment.
        let (shown, stored) = text.split_once("<!-- ").expect("the comment");
        let entry = document.front.citations.first().expect("a citation");
        assert!(!shown.contains(&entry.file_hash) && stored.contains(&entry.file_hash), "{text}");
        assert!(stored.trim_end().ends_with("-->") && stored.matches("-->").count() == 1, "{stored}");
    }
}

#[test]
fn a_document_without_a_citation_is_not_complete() {
    let desk = Desk::new();
    let server = Server::of(vec![without_places(), Reply::Say("## Summary\n\nAll of it is well made.\n".to_owned())]);
    let run = desk.ask(&server, OPENAI, &["-o", "doc.md", "--json"]);
    let told = run.json();
    assert_eq!((told["complete"].as_bool(), told["citations"].as_u64()), (Some(false), Some(0)), "{told}");
    let text = std::fs::read_to_string(desk.work.path().join("doc.md")).expect("a document");
    let front = Document::parse(&text).expect("a document").front;
    assert!(front.incomplete.is_some_and(|reason| reason.contains("it has no citation")), "{text}");
    assert!(status_line(&text).contains("not complete: it has no citation"), "{text}");
}

#[test]
fn places_that_the_exploration_named_are_no_citations_of_the_text() {
    let desk = Desk::new();
    // The reply names a place; the text cites nothing.
    let server = Server::of(vec![good().remove(0), Reply::Say("## Summary\n\nAll of it is well made.\n".to_owned())]);
    let told = desk.ask(&server, OPENAI, &["-o", "doc.md", "--json"]).json();
    assert_eq!(told["complete"].as_bool(), Some(false), "{told}");
    let text = || std::fs::read_to_string(desk.work.path().join("doc.md")).expect("a document");
    assert!(status_line(&text()).contains("not complete: it has no citation"), "{}", text());
    assert!(text().contains("`src/client.py:18-27`"), "the places are listed: {}", text());
    // The lists below the text make no citation of it later.
    let client = std::fs::read_to_string(desk.project.path().join("src/client.py")).expect("a file");
    desk.project.write("src/client.py", format!("import time\n{client}"));
    let run = desk.run(&["scope", "--refresh", "doc.md"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(text().contains("`src/client.py:19-28`"), "{}", text());
    assert!(status_line(&text()).contains("not complete: it has no citation"), "{}", text());
}

#[test]
fn an_exploration_that_has_not_seen_enough_is_not_complete() {
    let desk = Desk::new();
    let again = || explored(&["src/client.py:Client.send"], &[], false);
    let server = Server::of(vec![again(), again(), Reply::Say(ANSWER.to_owned())]);
    let told = desk.ask(&server, OPENAI, &["-o", "doc.md", "--json"]).json();
    assert_eq!(told["complete"].as_bool(), Some(false), "{told}");
    let text = std::fs::read_to_string(desk.work.path().join("doc.md")).expect("a document");
    assert!(status_line(&text).contains("not complete: the exploration ended before it had seen enough"), "{text}");
}

#[test]
fn a_statement_without_a_citation_that_holds_is_told() {
    for (more, reason) in [
        ("What was sent is kept by `Ledger.write`.", Some("1 statement names code without a citation: `Ledger.write`")),
        ("`Ledger.write` (`src/ledger.py:900-910`) keeps it.", None),
        (
            "`Ledger.write` (`src/nowhere.py:1-3`) and `Spool.put` (`src/spool.py:1-2`) keep it.",
            Some("could not be verified"),
        ),
    ] {
        let desk = Desk::new();
        let text = format!("{ANSWER}\n## Keeping\n\n{more}\n");
        let server = Server::of(vec![good().remove(0), Reply::Say(text)]);
        let document = desk.document(&desk.ask(&server, OPENAI, &[]));
        let said = document.front.incomplete.as_deref();
        match reason {
            Some(reason) => assert!(said.is_some_and(|said| said.contains(reason)), "{said:?}: {}", document.body),
            // The wrong lines were put right.
            None => assert_eq!(said, None, "{}", document.body),
        }
    }
    let (desk, server) = (Desk::new(), Server::of(good()));
    let text = text_of(&desk, &desk.ask(&server, OPENAI, &[]));
    assert!(status_line(&text).contains("complete, with 2 citations checked against the files"), "{text}");
}

#[test]
fn the_ceiling_and_a_cost_that_cannot_be_counted_are_told() {
    let prices =
        "date = \"2026-01-01\"\nsource = \"mine\"\n[models]\n\"openai/gpt-test\" = { input = 1.0, output = 2.0 }\n";
    for (flags, told, untold) in [
        (&[][..], &["the cost is unknown", "the ceiling was 1,000,000 tokens"][..], "$"),
        (&["--max-cost", "0"], &["the cost is unknown"], "ceiling"),
        (&["--max-total-tokens", "0"], &["the cost is unknown"], "ceiling"),
        (&["--prices-file", "prices.toml"], &["; $0.0", "the ceiling was $2.00"], "is unknown"),
        (&["--prices-file", "prices.toml", "--max-cost", "0"], &["; $0.0"], "ceiling"),
        (&["--max-total-tokens", "90000"], &["the ceiling was 90,000 tokens"], "1,000,000"),
    ] {
        let (desk, server) = (Desk::new(), Server::of(good()));
        std::fs::write(desk.work.path().join("prices.toml"), prices).expect("a file");
        let text = text_of(&desk, &desk.ask(&server, OPENAI, flags));
        let status = status_line(&text);
        assert!(status.starts_with("> **Status:** complete"), "{status}");
        told.iter().for_each(|told| assert!(status.contains(told), "{flags:?}: {told}: {status}"));
        assert!(!status.contains(untold), "{flags:?}: {untold}: {status}");
    }
    let help = Desk::new().run(&["scope", "--help"]).answer();
    assert!(help.contains("$2.00") && help.contains("1,000,000") && help.contains("--max-cost 0"), "{help}");
}

#[test]
fn the_default_ceiling_cuts_a_run_that_goes_on_and_on() {
    // Each turn of this model costs 11 cents and more.
    let prices =
        "date = \"2026-01-01\"\nsource = \"mine\"\n[models]\n\"openai/gpt-test\" = { input = 30.0, output = 60.0 }\n";
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("prices.toml"), prices).expect("a file");
    let server = Server::scripted(|at, request| match request.text().contains("Write the document.") {
        true => Reply::Say(ANSWER.to_owned()),
        false => Reply::Call(vec![("grep", json!({ "pattern": format!("par.el{}", "s?".repeat(at)) }))]),
    });
    let flags = ["--mode", "agent", "--turns", "60", "--prices-file", "prices.toml", "--tpm", "10000000", "--json"];
    let told = desk.ask(&server, OPENAI, &flags).json();
    assert!(told["cost_usd"].as_f64().is_some_and(|cost| cost > 0.8 && cost <= 2.0), "{told}");
    assert!(told["incomplete"].as_str().is_some_and(|reason| reason.contains("ceiling of $2.00")), "{told}");
    assert!(server.requests().len() > 5);
}

#[test]
fn a_citation_inside_one_symbol_names_it() {
    let desk = Desk::new();
    let places = json!([
        { "path": "src/client.py", "line_start": 20, "line_end": 23, "description": "a part of the loop" },
        { "path": "src/client.py", "line_start": 18, "line_end": 31, "description": "two methods" },
        { "path": "src/backoff.py", "line_start": 1, "line_end": 10, "description": "all of the file" },
    ]);
    let first = says(&json!({
        "reasoning": "", "symbols_needed": ["Client.send"], "additional_files_needed": ["src/backoff.py"],
        "sufficient_context": true, "preliminary_insights": "It sends.", "key_locations": places,
    }));
    let text = "## Summary\n\nIt tries again (`src/client.py:21-24`) and waits (`src/backoff.py:9-10`).\n";
    let server = Server::of(vec![first, Reply::Say(text.to_owned())]);
    let document = desk.document(&desk.ask(&server, OPENAI, &[]));
    let symbol = |first: u32, path: &str| {
        let at = |entry: &&peelback_agent::citations::CitationEntry| {
            entry.path == path && entry.lines.is_some_and(|lines| lines.first == first)
        };
        document.front.citations.iter().find(at).unwrap_or_else(|| panic!("{path}:{first}")).symbol.clone()
    };
    assert_eq!(symbol(21, "src/client.py").as_deref(), Some("Client.send"));
    assert_eq!(symbol(20, "src/client.py").as_deref(), Some("Client.send"));
    assert_eq!(symbol(9, "src/backoff.py").as_deref(), Some("pause_before"));
    assert_eq!(symbol(18, "src/client.py").as_deref(), Some("Client"), "the innermost that holds both");
    assert_eq!(symbol(1, "src/backoff.py"), None);
    let list = document.section_text("Code References").expect("a list");
    assert!(list.contains("`src/client.py:20-23` — `Client.send`: a part of the loop"), "{list}");
    // Without a model: each citation of lines inside a symbol.
    let evidence = desk.evidence(&["-q", QUESTION, "-o", "-"]).answer();
    let part = parsed(&evidence).front.citations;
    assert!(part.iter().filter(|entry| entry.path.starts_with("src/")).all(|entry| entry.symbol.is_some()), "{part:?}");
}
