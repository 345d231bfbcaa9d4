//! `peelback context`: a whole repository in one document, which `scope` takes as a source.

use crate::scope::desk::{ANSWER, Desk, QUESTION, explored, parsed};
use crate::scope::server::{BOTH, OPENAI, Reply, Server, status};

use peelback_agent::document::Document;

fn read(desk: &Desk, path: &str) -> (String, Document) {
    let text = std::fs::read_to_string(desk.work.path().join(path)).expect("a document");
    let document = Document::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (text, document)
}

#[test]
fn a_repository_in_one_document() {
    let desk = Desk::new();
    let before = desk.contents();
    let run = desk.run(&["context", &desk.root()]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let path = run.stdout.lines().next().expect("a path");
    let name = desk.project.path().file_name().expect("a name").to_string_lossy().into_owned();
    assert!(path.starts_with(&format!("contexts/{name}/context-")) && path.ends_with(".md"), "{path}");
    let (text, document) = read(&desk, path);
    assert_eq!((document.front.mode.as_deref(), document.front.model_used.as_str()), (Some("context"), "none"));
    assert!(document.sections().len() >= 5, "{text}");
    for told in ["Sends parcels to depots", "src/client.py", "class Client", "def send(self, parcel)", "unittest"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(!text.contains("marker_of"), "no bodies: {text}");
    assert_eq!(desk.contents(), before);
}

#[test]
fn it_keeps_its_budget() {
    let desk = Desk::new();
    for number in 0..60 {
        let body: String =
            (0..30).map(|at| format!("def parcel_{number}_{at}(depot):\n    return depot\n\n\n")).collect();
        desk.project.write(&format!("src/part_{:02}/parcels_{number}.py", number % 12), body);
    }
    for most in [600, 1_500, 5_000] {
        let out = format!("{most}.md");
        let run = desk.run(&["context", &desk.root(), "--max-tokens", &most.to_string(), "-o", &out]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let (text, document) = read(&desk, &out);
        let tokens = peelback_tokens::count_tokens(&document.body);
        assert!(tokens <= most, "{tokens} of {most}: {text}");
        assert!(tokens > most / 3 && document.sections().len() >= 2, "{tokens} of {most}: {text}");
    }
}

#[test]
fn it_is_a_source() {
    let desk = Desk::new();
    desk.run(&["context", &desk.root(), "-o", "context.md"]).answer();
    let text = desk.run(&["scope", "context.md", "-q", QUESTION, "-o", "-"]).answer();
    let document = parsed(&text);
    assert!(document.body.contains("marker_of_send"), "{text}");
    let direct = parsed(&desk.evidence(&["-q", QUESTION, "-o", "-"]).answer());
    assert_eq!(document.body, direct.body);
    // So is a document of scope.
    desk.evidence(&["-q", QUESTION, "-o", "scope.md"]).answer();
    let server = Server::of(vec![explored(&["Client.send"], &[], true), Reply::Say(ANSWER.to_owned())]);
    let url = server.url();
    let asked = ["-q", "How long?", "-o", "-", "--model", OPENAI, "--base-url", &url];
    let run = desk.run(&[&["scope", "scope.md"], &asked[..]].concat());
    // What a document names elsewhere goes to no model before the user names it.
    assert!(run.code == Some(2) && run.stderr.contains("name it yourself"), "{run:?}");
    assert!(server.requests().is_empty());
    let run = desk.run(&[&["scope", &desk.root()], &asked[..]].concat());
    assert!(parsed(&run.answer()).section_text("Waiting").is_some());
}

#[test]
fn with_a_model_it_begins_in_prose() {
    for model in BOTH {
        let desk = Desk::new();
        let words =
            "This sends parcels to depots. Begin with `Client.send` (`src/client.py:18-27`), not `src/nowhere.py:1-2`.";
        let server = Server::of(vec![Reply::Say(words.to_owned())]);
        let flags = ["--model", model, "--base-url", &server.url(), "--max-tokens", "1500", "-o", "context.md"];
        let run = desk.run(&[&["context", &desk.root()], &flags[..]].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let (text, document) = read(&desk, "context.md");
        assert!(
            document.section_text("Summary").is_some_and(|summary| summary.contains("This sends parcels")),
            "{text}"
        );
        assert!(text.contains("`src/nowhere.py:1-2` (⚠ unverified: "), "{text}");
        assert!(peelback_tokens::count_tokens(&document.body) <= 1_500, "{text}");
        assert_eq!(document.front.model_used, model);
        assert!(!server.requests()[0].text().contains("marker_of"), "no bodies are sent");
    }
}

#[test]
fn a_summary_without_a_citation_is_not_proven_by_the_lists_below_it() {
    let desk = Desk::new();
    let server = Server::of(vec![Reply::Say("All of it is well made.".to_owned())]);
    let flags = ["--model", OPENAI, "--base-url", &server.url(), "-o", "context.md"];
    let run = desk.run(&[&["context", &desk.root()], &flags[..]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let (text, document) = read(&desk, "context.md");
    assert!(!document.front.citations.is_empty(), "{text}");
    let reason = document.front.incomplete.unwrap_or_default();
    assert!(reason.contains("its summary has no citation"), "{text}");
}

#[test]
fn a_model_that_fails_costs_the_prose_alone() {
    let desk = Desk::new();
    for reply in [status(401, "no"), Reply::Decline("I do not."), Reply::Say(String::new()), Reply::Garbage("{}")] {
        let server = Server::of(vec![reply]);
        let flags = ["--model", OPENAI, "--base-url", &server.url(), "-o", "-"];
        let run = desk.run(&[&["context", &desk.root()], &flags[..]].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let document = Document::parse(&run.stdout).expect("a document");
        let reason = document.front.incomplete.as_ref().expect("a reason");
        assert!(reason.contains("no summary by a model"), "{reason}");
        assert!(run.stdout.contains("class Client"), "{run:?}");
    }
}
