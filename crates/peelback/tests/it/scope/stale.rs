//! Stored documents: what became of their citations, and how they are renewed.

use std::path::PathBuf;

use peelback_agent::document::Document;
use serde_json::Value;

use crate::scope::desk::{Desk, QUESTION, good, parsed};
use crate::scope::server::{BOTH, OPENAI, Reply, Request, Server};

const TEXT: &str = "\
## Summary

Parcels are sent again.

## Sending

The loop is `Client.send` (`src/client.py:18-27`); it asks a depot, `Depot.accept` (`src/depot.py:8-12`).

## Waiting

The pause doubles: `pause_before` (`src/backoff.py:7-10`).

## Keeping

What was sent is kept: `Ledger.write` (`src/ledger.py:10-12`).
";

/// A document that a model wrote.
fn written(desk: &Desk) -> PathBuf {
    let server = Server::of(vec![good().remove(0), Reply::Say(TEXT.to_owned())]);
    desk.ask(&server, OPENAI, &["-o", "doc.md"]).answer();
    desk.work.path().join("doc.md")
}

fn read(path: &PathBuf) -> Document {
    parsed(&std::fs::read_to_string(path).expect("a document"))
}

/// What `--check` says of the citation of a file.
pub(super) fn state(told: &Value, path: &str) -> (String, Value) {
    let rows = told["citations"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["citation"].as_str().is_some_and(|at| at.starts_with(path)));
    let row = row.unwrap_or_else(|| panic!("{path}: {told}"));
    (row["state"].as_str().expect("a state").to_owned(), row["now"].clone())
}

pub(super) fn change(desk: &Desk, path: &str, change: impl Fn(String) -> String) {
    let text = std::fs::read_to_string(desk.project.path().join(path)).expect("a file");
    desk.project.write(path, change(text));
}

/// One file moved down, one changed, one gone, one as it was.
pub(super) fn age(desk: &Desk) {
    change(desk, "src/client.py", |text| format!("import time\nimport random\n{text}"));
    change(desk, "src/backoff.py", |text| text.replace("FIRST_PAUSE * 2**attempt", "FIRST_PAUSE * 3**attempt"));
    std::fs::remove_file(desk.project.path().join("src/ledger.py")).expect("a file");
}

#[test]
fn each_citation_is_told_what_became_of_it() {
    let desk = Desk::new();
    let path = written(&desk);
    let before = std::fs::read(&path).expect("a document");
    let fresh = desk.run(&["scope", "--check", "doc.md"]);
    assert_eq!(fresh.code, Some(0), "{fresh:?}");
    assert!(fresh.stdout.starts_with("4 citations, 0 stale\n"), "{fresh:?}");
    assert_eq!(fresh.stdout.matches(": unchanged").count(), 4, "{fresh:?}");

    age(&desk);
    let run = desk.run(&["scope", "--check", "doc.md"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.starts_with("4 citations, 3 stale\n"), "{run:?}");
    let run = desk.run(&["scope", "--check", "doc.md", "--json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let told: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(told["stale"], 3);
    assert_eq!(state(&told, "src/client.py"), ("moved".to_owned(), "src/client.py:20-29".into()));
    assert_eq!(state(&told, "src/backoff.py"), ("changed".to_owned(), "src/backoff.py:7-10".into()));
    assert_eq!(state(&told, "src/ledger.py"), ("gone".to_owned(), Value::Null));
    assert_eq!(state(&told, "src/depot.py"), ("unchanged".to_owned(), Value::Null));
    assert_eq!(std::fs::read(&path).expect("a document"), before, "a check changes nothing");
}

#[test]
fn what_is_no_document_is_bad_usage() {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("other.md"), "# Something else\n").expect("a file");
    for (flag, file) in [("--check", "other.md"), ("--refresh", "other.md"), ("--check", "nowhere.md")] {
        let run = desk.run(&["scope", flag, file]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains(file), "{run:?}");
    }
}

#[test]
fn a_damaged_record_is_an_error_and_a_removed_one_leaves_the_text() {
    let desk = Desk::new();
    let path = written(&desk);
    let text = std::fs::read_to_string(&path).expect("a document");
    let start = text.find("<!-- peelback citations ").expect("the comment");
    let damaged = format!("{}{}", &text[..start], text[start..].replace("18-27", "19-27"));
    for (flag, text) in [("--check", damaged.as_str()), ("--refresh", &damaged), ("--check", &text[..start])] {
        std::fs::write(&path, text).expect("a file");
        let run = desk.run(&["scope", flag, "doc.md"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains("doc.md: the comment with the stored citations"), "{run:?}");
        assert_eq!(std::fs::read_to_string(&path).expect("a document"), text);
    }
    std::fs::write(&path, text[..start].replace("\ncitations: 4\n", "\n")).expect("a file");
    let run = desk.run(&["scope", "--check", "doc.md"]);
    assert!(run.code == Some(0) && run.stdout.contains("src/client.py:18-27: exists"), "{run:?}");
}

#[test]
fn what_is_fresh_stays_as_it_is() {
    let desk = Desk::new();
    let path = written(&desk);
    let before = std::fs::read(&path).expect("a document");
    let server = Server::of(Vec::new());
    let run = desk.run(&["scope", &desk.root(), "--refresh", "doc.md", "--model", OPENAI, "--base-url", &server.url()]);
    assert!(run.code == Some(0) && run.stdout.contains("nothing is stale"), "{run:?}");
    assert!(server.requests().is_empty());
    assert_eq!(std::fs::read(&path).expect("a document"), before);
}

#[test]
fn a_model_writes_anew_only_what_went_stale() {
    for model in BOTH {
        let desk = Desk::new();
        let path = written(&desk);
        let before = read(&path);
        age(&desk);
        let server = Server::scripted(|_, request| {
            let text = match request.text().contains("\nWaiting\n</data") {
                true => "The pause grows by three: `pause_before` (`src/backoff.py:7-10`).",
                false => "Nothing keeps what was sent any more.",
            };
            Reply::Say(text.to_owned())
        });
        let run =
            desk.run(&["scope", &desk.root(), "--refresh", "doc.md", "--model", model, "--base-url", &server.url()]);
        assert_eq!((run.code, run.stdout.lines().next()), (Some(0), Some("doc.md")), "{run:?}");
        let after = read(&path);
        let requests = server.requests();
        let is_asked = |one: &Request, heading: &str| one.text().contains(&format!("\n{heading}\n</data"));
        let asked = |heading: &str| requests.iter().filter(|one| is_asked(one, heading)).count();
        assert_eq!((asked("Waiting"), asked("Keeping")), (1, 1), "{run:?}");
        assert_eq!((asked("Summary"), asked("Sending")), (0, 0), "{run:?}");
        let waiting = requests.iter().find(|one| is_asked(one, "Waiting")).expect("a request");
        assert!(
            waiting.text().contains("3**attempt") && waiting.text().contains("The pause doubles"),
            "{}",
            waiting.text()
        );
        assert_eq!(after.section_text("Summary"), before.section_text("Summary"));
        let moved =
            before.section_text("Sending").expect("a section").replace("src/client.py:18-27", "src/client.py:20-29");
        assert_eq!(after.section_text("Sending"), Some(moved.as_str()));
        assert!(after.section_text("Waiting").is_some_and(|text| text.contains("grows by three")), "{}", after.body);
        assert!(after.section_text("Keeping").is_some_and(|text| text.contains("any more")), "{}", after.body);
        assert!(!after.body.contains("src/ledger.py") && !after.body.contains('⚠'), "{}", after.body);
        let headings = |document: &Document| document.sections().into_iter().map(|one| one.heading).collect::<Vec<_>>();
        assert_eq!(headings(&after), headings(&before));
        assert!(after.front.input_tokens > before.front.input_tokens);
        let fresh = desk.run(&["scope", "--check", "doc.md"]);
        assert_eq!(fresh.code, Some(0), "{fresh:?}");
    }
}

#[test]
fn a_model_that_fails_leaves_the_document() {
    let desk = Desk::new();
    let path = written(&desk);
    let before = std::fs::read(&path).expect("a document");
    age(&desk);
    let server = Server::of(vec![crate::scope::server::status(401, "no")]);
    let run = desk.run(&["scope", &desk.root(), "--refresh", "doc.md", "--model", OPENAI, "--base-url", &server.url()]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("401") && run.stderr.contains("(spent: "), "{run:?}");
    assert_eq!(std::fs::read(&path).expect("a document"), before);
}

#[test]
fn without_a_model_what_changed_is_marked() {
    let desk = Desk::new();
    let path = written(&desk);
    age(&desk);
    let run = desk.run(&["scope", "--refresh", "doc.md"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("moved to src/client.py:20-29") && run.stdout.contains("2 citations are stale and marked"),
        "{run:?}"
    );
    let after = read(&path);
    assert!(after.section_text("Sending").is_some_and(|text| text.contains("`src/client.py:20-29`")), "{}", after.body);
    for heading in ["Waiting", "Keeping"] {
        assert!(after.section_text(heading).is_some_and(|text| text.contains('⚠')), "{heading}: {}", after.body);
    }
    let references = after.section_text("Code References").expect("a list");
    assert!(!references.contains("ledger") && !references.contains("backoff"), "{references}");
}

#[test]
fn evidence_is_gathered_again() {
    let desk = Desk::new();
    desk.evidence(&["-q", QUESTION, "-o", "doc.md"]).answer();
    let path = desk.work.path().join("doc.md");
    change(&desk, "src/client.py", |text| text.replace("marker_of_send", "renamed_since"));
    let run = desk.run(&["scope", "--refresh", "doc.md"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let after = read(&path);
    assert_eq!(after.front.scope_question, QUESTION);
    assert!(after.body.contains("renamed_since") && !after.body.contains("marker_of_send"), "{}", after.body);
    assert_eq!(desk.run(&["scope", "--check", "doc.md"]).code, Some(0));
}

#[test]
fn a_document_of_another_hand_is_checked_by_its_text() {
    let desk = Desk::new();
    let text = format!(
        "---\nsource_repo: {}\nscope_question: How?\nscan_date: 2026-01-01T00:00:00Z\nmodel_used: me\nfiles_analyzed: 2\n---\n\n\
         ## Summary\n\nTrue: `Client.send` (`src/client.py:18-27`). Drifted: `pause_before` (`src/backoff.py:1-4`). Gone: \
         `src/nowhere.py:3-9`.\n",
        desk.root()
    );
    std::fs::write(desk.work.path().join("doc.md"), text).expect("a file");
    let run = desk.run(&["scope", "--check", "doc.md", "--json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let told: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(state(&told, "src/client.py").0, "exists");
    assert_eq!(state(&told, "src/backoff.py").0, "moved");
    assert_eq!(state(&told, "src/nowhere.py").0, "wrong");
}
