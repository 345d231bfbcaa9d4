//! The agent: tools, their order, its end, and its guards.

use serde_json::{Value, json};

use crate::scope::desk::{ANSWER, Desk};
use crate::scope::server::{BOTH, OPENAI, Reply, Server};

fn generate(path: &str) -> Reply {
    Reply::Call(vec![(
        "generate_scoped_context",
        json!({
            "question": "How are parcels sent again?",
            "relevant_file_paths": [path, "src/backoff.py"],
            "insights": "Client.send loops; pause_before says how long.",
            "code_references": [
                { "path": "src/client.py", "line_start": 18, "line_end": 27, "description": "the loop that sends again" },
            ],
        }),
    )])
}

fn outline(path: &str) -> (&'static str, Value) {
    ("outline", json!({ "path": path }))
}

#[test]
fn from_tools_to_a_document() {
    for model in BOTH {
        let desk = Desk::new();
        let server = Server::of(vec![
            Reply::Call(vec![("find_files", json!({ "query": "busy depot" }))]),
            Reply::Call(vec![
                outline("src/client.py"),
                ("read_symbol", json!({ "name": "src/client.py:Client.send" })),
                outline("src/backoff.py"),
            ]),
            generate("src/client.py"),
            Reply::Say(ANSWER.to_owned()),
        ]);
        let run = desk.ask(&server, model, &["--mode", "agent"]);
        let requests = server.requests();
        assert_eq!((run.code, requests.len()), (Some(0), 4), "{run:?}");
        let tools = requests[0].tools();
        for tool in ["find_files", "outline", "read_symbol", "find_references", "generate_scoped_context"] {
            assert!(tools.iter().any(|one| one == tool), "{tool} of {tools:?}");
        }
        assert!(!tools.iter().any(|tool| tool == "scope"), "{tools:?}");
        assert!(!requests[0].text().contains("marker_of"));

        let results = requests[2].results();
        let ids: Vec<&str> = results.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["call-0-0", "call-1-0", "call-1-1", "call-1-2"], "in the order of the calls");
        assert!(results[0].1.contains("src/depot.py"), "{results:?}");
        assert!(results[1].1.contains("def deliver_once") && !results[1].1.contains("marker_of"), "{results:?}");
        assert!(results[2].1.contains("marker_of_send") && results[3].1.contains("pause_before"), "{results:?}");

        let writing = requests[3].text();
        assert!(requests[3].tools().is_empty() && writing.contains("Client.send loops"), "{writing}");
        assert!(writing.contains("marker_of_send") && writing.contains("marker_of_pause"), "{writing}");
        let document = desk.document(&run);
        assert_eq!((document.front.mode.as_deref(), &document.front.incomplete), (Some("agent"), &None));
        let references = document.section_text("Code References").expect("a list");
        assert!(references.contains("src/client.py:18-27") && references.contains("the loop"), "{references}");
    }
}

#[test]
fn only_files_that_were_read_are_counted() {
    let desk = Desk::new();
    let place = |path: &str| json!({ "path": path, "line_start": 1, "line_end": 3, "description": "here" });
    let named = Reply::Call(vec![(
        "generate_scoped_context",
        json!({
            "relevant_file_paths": ["src/client.py"],
            "insights": "Client.send loops.",
            "code_references": [
                place("src/client.py"), place("/etc/passwd"), place("nope.py"), place("../z.py"),
            ],
        }),
    )]);
    // The model writes no document, so that the document is made from what was found.
    let server = Server::of(vec![named, Reply::Say(String::new())]);
    let run = desk.ask(&server, OPENAI, &["--mode", "agent"]);
    let document = desk.document(&run);
    assert_eq!(document.front.files_analyzed, 1, "{run:?}");
}

#[test]
fn a_result_that_names_no_file_is_asked_for_again() {
    let desk = Desk::new();
    let nowhere = Reply::Call(vec![(
        "generate_scoped_context",
        json!({ "relevant_file_paths": ["src/clint.py"], "insights": "It sends." }),
    )]);
    let server = Server::of(vec![nowhere, generate("src/client.py"), Reply::Say(ANSWER.to_owned())]);
    let run = desk.ask(&server, OPENAI, &["--mode", "agent"]);
    assert_eq!((run.code, server.requests().len()), (Some(0), 3), "{run:?}");
    let (_, told) = server.requests()[1].results().pop().expect("a result");
    assert!(told.contains("src/clint.py") && told.contains("did you mean src/client.py"), "{told}");
}

#[test]
fn mistakes_are_told_and_the_run_goes_on() {
    let desk = Desk::new();
    let server = Server::of(vec![
        Reply::Call(vec![
            ("delete_everything", json!({})),
            ("outline", json!({ "pathh": 7 })),
            outline("../../etc/passwd"),
        ]),
        generate("src/client.py"),
        Reply::Say(ANSWER.to_owned()),
    ]);
    let run = desk.ask(&server, OPENAI, &["--mode", "agent"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let results = server.requests()[1].results();
    assert_eq!(results.len(), 3);
    assert!(results[0].1.contains("delete_everything") && results[0].1.contains("outline"), "{results:?}");
    assert!(results[1].1.contains("path"), "{results:?}");
    assert!(!results[2].1.contains("root:") && results[2].1.contains("error"), "{results:?}");
}

#[test]
fn the_turns_are_bounded_and_end_in_a_document() {
    let desk = Desk::new();
    let server = Server::scripted(|at, request| match request.text().contains("Write the document.") {
        true => Reply::Say(ANSWER.to_owned()),
        false => Reply::Call(vec![("grep", json!({ "pattern": format!("par.el{}", "s?".repeat(at)) }))]),
    });
    let run = desk.ask(&server, OPENAI, &["--mode", "agent", "--turns", "4"]);
    let requests = server.requests();
    assert_eq!((run.code, requests.len()), (Some(0), 5), "{run:?}");
    assert!(requests[3].body["tool_choice"].to_string().contains("generate_scoped_context"), "{:?}", requests[3].body);
    let document = desk.document(&run);
    assert!(document.front.incomplete.is_some_and(|reason| reason.contains("turn limit")), "{run:?}");
}

#[test]
fn the_same_call_again_and_again_ends_it() {
    let desk = Desk::new();
    let server = Server::scripted(|_, request| match request.text().contains("Write the document.") {
        true => Reply::Say(ANSWER.to_owned()),
        false => Reply::Call(vec![outline("src/client.py")]),
    });
    let run = desk.ask(&server, OPENAI, &["--mode", "agent"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(server.requests().len() <= 8, "{}", server.requests().len());
    let document = desk.document(&run);
    assert!(document.front.incomplete.is_some_and(|reason| reason.contains("again and again")), "{run:?}");
}
