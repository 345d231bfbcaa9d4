//! Documents that an earlier version wrote, with their citations in the front matter: they are read, checked, renewed
//! and taken as sources as those of this version.

use peelback_agent::document::Document;
use serde_json::Value;

use crate::scope::desk::{Desk, QUESTION, parsed};
use crate::scope::stale::{age, change, state};

const PIPELINE: &str = include_str!("earlier/pipeline.md");
const CUT: &str = include_str!("earlier/cut.md");
const EVIDENCE: &str = include_str!("earlier/evidence.md");
const CONTEXT: &str = include_str!("earlier/context.md");
const CONTEXT_WITH_SUMMARY: &str = include_str!("earlier/context_model.md");
const ALL: [&str; 5] = [PIPELINE, CUT, EVIDENCE, CONTEXT, CONTEXT_WITH_SUMMARY];

/// The document as `doc.md` of a desk whose project it is about.
fn put(desk: &Desk, text: &str) {
    std::fs::write(desk.work.path().join("doc.md"), text.replace("/srv/shop", &desk.root())).expect("a file");
}

fn read(desk: &Desk) -> String {
    std::fs::read_to_string(desk.work.path().join("doc.md")).expect("a document")
}

/// Checks that a document has the form of this version.
#[track_caller]
fn is_of_this_version(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().skip(1).position(|line| *line == "---").expect("an end") + 2;
    assert!(end < 15 && lines[end + 1].starts_with("> **Status:** "), "{text}");
    assert_eq!(text.matches("<!-- peelback citations ").count(), 1, "{text}");
    assert!(text.trim_end().ends_with("-->") && !text.contains("\n  - {\"path\""), "{text}");
}

#[test]
fn each_is_checked_by_its_hashes() {
    for text in ALL {
        let desk = Desk::new();
        put(&desk, text);
        let count = Document::parse(&read(&desk)).expect("a document").front.citations.len();
        let fresh = desk.run(&["scope", "--check", "doc.md"]);
        assert!(count >= 4 && fresh.code == Some(0), "{fresh:?}");
        assert!(fresh.stdout.starts_with(&format!("{count} citations, 0 stale\n")), "{fresh:?}");
        assert_eq!(fresh.stdout.matches(": unchanged").count(), count, "{fresh:?}");
        // Nothing to renew: it stays as it is, byte for byte.
        let before = read(&desk);
        assert_eq!(desk.run(&["scope", "--refresh", "doc.md"]).code, Some(0));
        assert_eq!(read(&desk), before);
        age(&desk);
        let run = desk.run(&["scope", "--check", "doc.md", "--json"]);
        let told: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert!(run.code == Some(1) && told["stale"].as_u64().is_some_and(|stale| stale >= 3), "{run:?}");
        assert_eq!(state(&told, "src/ledger.py").0, "gone");
    }
}

#[test]
fn seeded_faults_are_found_and_mended() {
    let desk = Desk::new();
    put(&desk, PIPELINE);
    age(&desk);
    let told: Value = serde_json::from_str(&desk.run(&["scope", "--check", "doc.md", "--json"]).stdout).expect("JSON");
    assert_eq!(state(&told, "src/client.py"), ("moved".to_owned(), "src/client.py:20-29".into()));
    assert_eq!(state(&told, "src/backoff.py"), ("changed".to_owned(), "src/backoff.py:7-10".into()));
    assert_eq!(state(&told, "src/depot.py"), ("unchanged".to_owned(), Value::Null));
    let run = desk.run(&["scope", "--refresh", "doc.md"]);
    assert!(run.code == Some(0) && run.stdout.contains("2 citations are stale and marked"), "{run:?}");
    let text = read(&desk);
    is_of_this_version(&text);
    let document = parsed(&text);
    assert!(document.section_text("Sending").is_some_and(|text| text.contains("`src/client.py:20-29`")), "{text}");
    // Two citations in two sections each, and one that was marked before.
    assert_eq!(text.matches(" (⚠ unverified: ").count(), 5, "{text}");
    let reason = document.front.incomplete.as_deref();
    assert!(reason.is_some_and(|reason| reason.contains("5 citations could not be verified")), "{reason:?}");
    assert!(!text.contains("citations_not_verified"), "{text}");
    // What is left is found again, and is gone when the code is back.
    let again = desk.run(&["scope", "--check", "doc.md"]);
    assert!(again.code == Some(1) && again.stdout.starts_with("4 citations, 2 stale\n"), "{again:?}");
    assert!(desk.run(&["scope", "--refresh", "doc.md"]).stdout.contains("nothing else could be renewed"));
    change(&desk, "src/backoff.py", |text| text.replace("3**attempt", "2**attempt"));
    let run = desk.run(&["scope", "--refresh", "doc.md"]);
    assert!(run.stdout.contains("still stale: src/ledger.py") && !run.stdout.contains("still stale: src/backoff"));
    assert_eq!(read(&desk).matches(" (⚠ unverified: ").count(), 3, "{run:?}");
}

#[test]
fn keys_of_then_go_to_their_places_of_now() {
    let desk = Desk::new();
    put(&desk, CUT);
    age(&desk);
    assert_eq!(desk.run(&["scope", "--refresh", "doc.md"]).code, Some(0));
    let text = read(&desk);
    is_of_this_version(&text);
    let front = parsed(&text).front;
    assert!(
        front.left_out.is_some_and(|left_out| left_out.starts_with("not shown to the model: src/ledger.py")),
        "{text}"
    );
    assert!(front.incomplete.is_some_and(|reason| reason.starts_with("no exploration by a model")), "{text}");
    assert_eq!((front.input_tokens, front.other.len()), (Some(1200), 0), "{text}");
}

#[test]
fn listings_are_made_again() {
    for text in [EVIDENCE, CONTEXT] {
        let desk = Desk::new();
        put(&desk, text);
        age(&desk);
        let run = desk.run(&["scope", "--refresh", "doc.md"]);
        assert!(run.code == Some(0) && run.stdout.contains("was rebuilt from the files"), "{run:?}");
        is_of_this_version(&read(&desk));
        assert_eq!(desk.run(&["scope", "--check", "doc.md"]).code, Some(0));
    }
}

#[test]
fn each_is_a_source() {
    for text in ALL {
        let desk = Desk::new();
        put(&desk, text);
        let document = parsed(&desk.run(&["scope", "doc.md", "-q", QUESTION, "-o", "-"]).answer());
        assert!(document.body.contains("marker_of_send"), "{}", document.body);
    }
    // A source is read by its front matter: what else is damaged does not matter.
    let desk = Desk::new();
    desk.run(&["context", &desk.root(), "-o", "doc.md"]).answer();
    let text = read(&desk);
    std::fs::write(desk.work.path().join("doc.md"), text.replace("-->", "")).expect("a file");
    let document = parsed(&desk.run(&["scope", "doc.md", "-q", QUESTION, "-o", "-"]).answer());
    assert!(document.body.contains("marker_of_send"), "{}", document.body);
}
