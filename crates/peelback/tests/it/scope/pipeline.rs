//! The pipeline: what each call is shown, and what becomes of what the model writes.

use serde_json::json;

use crate::scope::desk::{ANSWER, Desk, QUESTION, explored, good};
use crate::scope::server::{BOTH, KEY, OPENAI, Reply, Server, says};

#[test]
fn two_calls_where_the_first_look_suffices() {
    for model in BOTH {
        let desk = Desk::new();
        let server = Server::of(good());
        let run = desk.ask(&server, model, &[]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let requests = server.requests();
        assert_eq!(requests.len(), 2, "{model}");
        assert!(requests.iter().all(|request| request.headers.iter().any(|(_, value)| value.contains(KEY))));

        let first = requests[0].text();
        assert!(first.contains(QUESTION) && first.contains("def send(self, parcel)"), "{first}");
        assert!(first.contains("18-27"), "outlines have line numbers: {first}");
        assert!(!first.contains("marker_of"), "no bodies: {first}");
        assert!(requests[0].body.to_string().contains("symbols_needed"), "the form is asked for");
        assert!(requests[0].tools().is_empty() || model.starts_with("anthropic"), "{:?}", requests[0].tools());

        let writing = requests[1].text();
        assert!(writing.contains("25:             marker_of_send = pause_before(attempt)"), "{writing}");
        assert!(writing.contains("marker_of_pause") && !writing.contains("marker_of_price"), "{writing}");
        assert!(writing.contains("Client.send asks pause_before"), "the insight is passed on: {writing}");

        let document = desk.document(&run);
        let front = &document.front;
        assert_eq!((front.model_used.as_str(), front.mode.as_deref()), (model, Some("pipeline")));
        assert_eq!(front.incomplete, None);
        let sent: u64 = requests.iter().map(crate::scope::server::Request::tokens).sum();
        assert_eq!(front.input_tokens, Some(sent));
        assert!(front.output_tokens.is_some_and(|tokens| tokens > 100));
        assert!(document.section_text("Waiting").is_some_and(|text| text.contains("`src/backoff.py:7-10`")));
        assert!(run.stdout.contains("tokens in") && run.stdout.contains("cost unknown"), "{run:?}");
        assert!(run.stdout.contains("tries a parcel several times"), "the summary is shown: {run:?}");
    }
}

#[test]
fn three_calls_where_it_does_not() {
    for model in BOTH {
        let desk = Desk::new();
        let server = Server::of(vec![
            explored(&["src/client.py:Client.send"], &["src/weigh.py", "src/nowhere.py"], false),
            explored(&["Depot.accept"], &[], true),
            Reply::Say(ANSWER.to_owned()),
        ]);
        let run = desk.ask(&server, model, &[]);
        let requests = server.requests();
        assert_eq!((run.code, requests.len()), (Some(0), 3), "{run:?}");
        let second = requests[1].text();
        assert!(second.contains("25:             marker_of_send = pause_before(attempt)"), "{second}");
        assert!(second.contains("price_of") && !second.contains("marker_of_price"), "a file is outlined: {second}");
        assert!(second.contains("src/nowhere.py"), "what is not there is said: {second}");
        assert!(!second.contains("marker_of_depot"), "{second}");
        let writing = requests[2].text();
        assert!(writing.contains("marker_of_depot") && writing.contains("marker_of_send"), "{writing}");
        assert_eq!(desk.document(&run).front.incomplete, None);
    }
}

#[test]
fn a_second_round_is_the_last() {
    let desk = Desk::new();
    let again = || explored(&["src/client.py:Client.send"], &["src/missing.py"], false);
    let server = Server::of(vec![again(), again(), Reply::Say(ANSWER.to_owned())]);
    let run = desk.ask(&server, OPENAI, &[]);
    assert_eq!((run.code, server.requests().len()), (Some(0), 3), "{run:?}");
    assert!(server.requests()[2].text().contains("src/missing.py was requested but does not exist"));
}

#[test]
fn a_reply_of_another_form_is_repaired_once() {
    for model in BOTH {
        let desk = Desk::new();
        let invalid = says(&json!({ "symbols": ["src/client.py:Client.send"] }));
        let server = Server::of([vec![invalid], good()].concat());
        let run = desk.ask(&server, model, &[]);
        let requests = server.requests();
        assert_eq!((run.code, requests.len()), (Some(0), 3), "{run:?}");
        let repair = requests[1].text();
        assert!(repair.contains("does not fit the form") && repair.contains("symbols_needed"), "{repair}");
        assert_eq!(desk.document(&run).front.incomplete, None);
    }
}

#[test]
fn a_model_that_never_finds_the_form_writes_from_the_ranking() {
    let desk = Desk::new();
    let server = Server::scripted(|_, request| match request.text().contains("Write the document.") {
        true => Reply::Say(ANSWER.to_owned()),
        false => Reply::Say("I would look at the client.".to_owned()),
    });
    let run = desk.ask(&server, OPENAI, &[]);
    assert_eq!((run.code, server.requests().len()), (Some(0), 3), "{run:?}");
    let writing = server.requests()[2].text();
    assert!(writing.contains("marker_of_send"), "{writing}");
    let document = desk.document(&run);
    assert!(document.front.incomplete.is_some_and(|reason| reason.contains("no exploration by a model")), "{run:?}");
    assert!(run.stdout.contains("not complete: "), "{run:?}");
}

#[test]
fn citations_are_repaired_or_marked_and_each_stands_once() {
    let desk = Desk::new();
    let text = "\
## Summary

It drifted: `Client.send` (`src/client.py:20-29`). It is true: `pause_before` (`src/backoff.py:7-10`).
It is again: `Client.send` (`src/client.py:18-27`). Nobody wrote this: `src/nowhere.py:1-5`. Too far: `src/ledger.py:200-210`.
Not of that name: `Client.resend` (`src/client.py:18-27`).

## Code References

- `src/invented.py:1-2`
";
    let places = json!([
        { "path": "src/client.py", "line_start": 18, "line_end": 27, "description": "the loop" },
        { "path": "src/depot.py", "line_start": 8, "line_end": 12, "description": "what a depot says" },
        { "path": "src/depot.py", "line_start": 900, "line_end": 901, "description": "out of range" },
    ]);
    let explored = says(&json!({
        "reasoning": "", "symbols_needed": ["Client.send"], "additional_files_needed": [], "sufficient_context": true,
        "preliminary_insights": "It sends.", "key_locations": places,
    }));
    let server = Server::of(vec![explored, Reply::Say(text.to_owned())]);
    let run = desk.ask(&server, OPENAI, &[]);
    let document = desk.document(&run);
    let summary = document.section_text("Summary").expect("a summary");
    assert!(summary.contains("drifted: `Client.send` (`src/client.py:18-27`)."), "{summary}");
    assert!(summary.contains("true: `pause_before` (`src/backoff.py:7-10`)."), "{summary}");
    let marked = |place: &str| {
        let at = summary.find(place).unwrap_or_else(|| panic!("{place}: {summary}")) + place.len();
        summary[at..].trim_start_matches('`').starts_with(" (⚠ unverified: ")
    };
    assert!(marked("src/nowhere.py:1-5") && marked("src/ledger.py:200-210"), "{summary}");
    assert_eq!(summary.matches('⚠').count(), 3, "the name that is none, too: {summary}");
    let references = document.section_text("Code References").expect("a list");
    assert_eq!(references.matches("src/client.py:18-27").count(), 1, "{references}");
    assert!(references.contains("src/depot.py:8-12") && references.contains("src/backoff.py:7-10"), "{references}");
    for false_one in ["nowhere", "invented", "200-210", "900"] {
        assert!(!references.contains(false_one), "{references}");
    }
    assert_eq!(references.lines().count(), document.front.citations.len());
    let reason = document.front.incomplete.as_deref();
    assert!(reason.is_some_and(|reason| reason.contains("3 citations could not be verified")), "{reason:?}");
}

#[test]
fn what_a_model_wraps_around_its_text_is_taken_off() {
    let desk = Desk::new();
    let wrapped = format!("```markdown\n---\ntitle: mine\n---\n{ANSWER}```\n");
    let server = Server::of(vec![good().remove(0), Reply::Say(wrapped)]);
    let run = desk.ask(&server, OPENAI, &[]);
    let document = desk.document(&run);
    assert!(document.body.starts_with("## Summary\n"), "{}", document.body);
    assert!(!document.body.contains("title: mine") && !document.body.contains("```"), "{}", document.body);
}

#[test]
fn no_model_is_asked_where_none_is_wanted() {
    let desk = Desk::new();
    let server = Server::of(good());
    let run = desk.ask(&server, OPENAI, &["--no-model"]);
    assert_eq!(desk.document(&run).front.model_used, "none");
    assert!(server.requests().is_empty());
}
