//! The tool `scope` of the MCP server.

use serde_json::{Value, json};

use crate::mcp::child::Server as Child;
use crate::scope::desk::{Desk, QUESTION, good};
use crate::scope::server::{BOTH, KEY, Server, status};

/// A server over the project, with the variables that name a model.
fn serving(desk: &Desk, variables: &[(&str, &str)]) -> Child {
    let mut command = desk.command();
    command.current_dir(desk.project.path()).arg("serve");
    let mut child = Child::of_with(command, variables);
    child.greet();
    child
}

fn listed(child: &mut Child) -> Value {
    let listed = child.result("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools").clone();
    tools.into_iter().find(|tool| tool["name"] == "scope").expect("the tool")
}

#[test]
fn without_a_model_it_gives_the_evidence_inside_the_callers_budget() {
    let desk = Desk::new();
    let before = desk.contents();
    let mut child = serving(&desk, &[]);
    let tool = listed(&mut child);
    assert!(tool["inputSchema"]["properties"]["question"].is_object(), "{tool}");
    assert_eq!(tool["annotations"]["openWorldHint"], false);
    for most in [600, 1_500, 4_000] {
        let (text, is_error) = child.text("scope", json!({ "question": QUESTION, "max_tokens": most }));
        assert!(!is_error && text.contains("src/client.py"), "{text}");
        assert!(
            peelback_tokens::count_tokens(&text) <= most,
            "{} of {most}: {text}",
            peelback_tokens::count_tokens(&text)
        );
        assert!(text.contains("no model wrote this"), "{text}");
    }
    let (text, _) = child.text("scope", json!({ "question": QUESTION }));
    assert!(text.contains("marker_of_send"), "{text}");
    let (text, is_error) = child.text("scope", json!({ "question": QUESTION, "format": "json" }));
    let told: Value = serde_json::from_str(&text).expect("JSON");
    assert!(!is_error && told["sections"].as_array().is_some_and(|sections| sections.len() > 2), "{told}");
    assert_eq!(desk.contents(), before, "nothing is written");
}

#[test]
fn an_empty_question_is_told() {
    let desk = Desk::new();
    let mut child = serving(&desk, &[]);
    let (text, _) = child.text("scope", json!({ "question": " " }));
    assert!(text.contains("the question is empty"), "{text}");
}

#[test]
fn with_a_model_it_gives_the_document() {
    for model in BOTH {
        let desk = Desk::new();
        let before = desk.contents();
        // Each call is a run of its own.
        let server = Server::scripted(|at, _| good().swap_remove(at % 2));
        let mut child = serving(&desk, &[("PEELBACK_MODEL", model), ("PEELBACK_BASE_URL", &server.url())]);
        let tool = listed(&mut child);
        assert_eq!(tool["annotations"]["openWorldHint"], true, "{tool}");
        for _ in 0..2 {
            let (text, is_error) = child.text("scope", json!({ "question": QUESTION }));
            assert!(!is_error && text.contains("tries a parcel several times"), "{text}");
            assert!(text.contains("src/client.py:18-27") && text.contains(model), "{text}");
            assert!(text.contains("2 calls, "), "what was spent: {text}");
            assert!(!text.contains("no model wrote this"), "{text}");
        }
        assert_eq!(server.requests().len(), 4);
        let (text, _) = child.text("scope", json!({ "question": QUESTION, "max_tokens": 400 }));
        assert!(peelback_tokens::count_tokens(&text) <= 400, "{text}");
        assert_eq!(desk.contents(), before, "nothing is written");
        // Other tools stay as they are.
        let others = child.result("tools/list", json!({}));
        for other in others["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .filter(|one| one["name"] != "scope" && one["name"] != "context")
        {
            assert_eq!(other["annotations"]["openWorldHint"], false, "{other}");
        }
    }
}

#[test]
fn a_model_that_refuses_the_key_is_an_answer_and_no_crash() {
    let desk = Desk::new();
    let server = Server::scripted(|_, _| status(401, &format!("the key {KEY} is wrong")));
    let mut child = serving(&desk, &[("PEELBACK_MODEL", BOTH[1]), ("PEELBACK_BASE_URL", &server.url())]);
    let (text, is_error) = child.text("scope", json!({ "question": QUESTION }));
    assert!(text.contains("401") && !text.contains(KEY) && text.contains("search"), "{text}");
    assert!(!is_error, "{text}");
    let (text, is_error) = child.text("tree", json!({}));
    assert!(!is_error && text.contains("src/"), "{text}");
}
