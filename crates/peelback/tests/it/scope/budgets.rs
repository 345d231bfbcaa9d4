//! The three layers of the budget, counted by the server.

use std::time::Duration;

use serde_json::json;

use crate::scope::desk::{Desk, good};
use crate::scope::server::{OPENAI, Reply, Request, Server};
use crate::support::Project;

/// A project whose files fill any request.
pub fn large() -> Desk {
    let desk = Desk::of(Project::empty());
    for number in 0..30 {
        let mut text = format!("\"\"\"Sends parcels to the busy depot {number}.\"\"\"\n\n");
        for method in 0..20 {
            text.push_str(&format!(
                "def send_parcel_{number}_{method}(depot, parcel):\n    \"\"\"Sends a parcel again.\"\"\"\n"
            ));
            for line in 0..12 {
                text.push_str(&format!("    step_{line} = depot.accept(parcel, {line}, \"busy {method}\")\n"));
            }
            text.push_str("    return step_0\n\n\n");
        }
        desk.project.write(&format!("src/depot_{number:02}.py"), text);
    }
    desk
}

/// What the model writes of it, all of it true.
const ANSWER: &str = "## Summary\n\nEach depot has its own: `send_parcel_1_0` (`src/depot_01.py:3-17`).\n";

pub fn script(_: usize, request: &Request) -> Reply {
    if request.text().contains("Write the document.") {
        return Reply::Say(ANSWER.to_owned());
    }
    if request.tools().is_empty() {
        return good().remove(0);
    }
    if request.body["tool_choice"].to_string().contains("generate") {
        let found =
            json!({ "relevant_file_paths": ["src/depot_01.py"], "insights": "It sends.", "code_references": [] });
        return Reply::Call(vec![("generate_scoped_context", found)]);
    }
    let turn = request.results().len();
    let read =
        |number: usize| ("read_file", json!({ "path": format!("src/depot_{:02}.py", number % 30), "raw": true }));
    Reply::Call(vec![read(turn), read(turn + 1)])
}

/// What all requests and their longest replies take.
fn most(requests: &[Request]) -> u64 {
    requests.iter().map(|request| request.tokens() + request.most_output()).sum()
}

#[test]
fn a_small_ceiling_ends_in_a_document_with_open_questions() {
    let (desk, server) = (large(), Server::scripted(script));
    let run = desk.ask(&server, OPENAI, &["--max-total-tokens", "6000"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let requests = server.requests();
    assert_eq!(requests.len(), 1, "the reserve is for the document");
    assert!(most(&requests) <= 6_000, "{}", most(&requests));
    assert!(requests[0].tokens() > 1_000, "there is something to write from: {}", requests[0].text());
    let document = desk.document(&run);
    let reason = document.front.incomplete.as_ref().expect("a reason");
    assert!(reason.contains("ceiling of 6,000 tokens"), "{reason}");
    assert!(document.section_text("Open Questions").is_some_and(|text| !text.is_empty()), "{}", document.body);
    let text = std::fs::read_to_string(&desk.documents()[0]).expect("a document");
    assert!(text.contains("\nincomplete_reason: \"") && text.contains("\ncomplete: false\n"), "{text}");
}

#[test]
fn no_room_at_all_ends_in_the_evidence() {
    let (desk, server) = (large(), Server::scripted(script));
    let run = desk.ask(&server, OPENAI, &["--max-total-tokens", "500"]);
    assert_eq!((run.code, server.requests().len()), (Some(0), 0), "{run:?}");
    let document = desk.document(&run);
    assert!(document.front.incomplete.is_some() && document.section_text("Open Questions").is_some(), "{run:?}");
    assert!(document.body.contains("def send_parcel_"), "{}", document.body);
}

#[test]
fn the_usual_ceiling_is_never_passed() {
    for (mode, ceiling) in [("pipeline", 15_000), ("pipeline", 30_000), ("agent", 30_000)] {
        let (desk, server) = (large(), Server::scripted(script));
        let run = desk.ask(&server, OPENAI, &["--mode", mode, "--max-total-tokens", &ceiling.to_string()]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let requests = server.requests();
        let document = desk.document(&run);
        let used = document.front.input_tokens.zip(document.front.output_tokens).expect("tokens");
        assert!(used.0 + used.1 <= ceiling, "{mode}: {used:?}");
        let mut gone = 0;
        for request in &requests {
            assert!(gone + request.tokens() + request.most_output() <= ceiling, "{mode}: {gone} and one more");
            gone += request.tokens();
        }
        // The outlines are as many as there is room for.
        let rounds = requests.iter().filter(|request| request.text().contains("Outlines of the files")).count();
        assert_eq!(rounds, usize::from(mode == "pipeline"), "{run:?}");
        if mode == "agent" {
            assert!(requests.len() > 2 && document.front.incomplete.is_some(), "{}: {run:?}", requests.len());
            assert!(document.section_text("Open Questions").is_some(), "{}", document.body);
        }
    }
}

#[test]
fn no_call_of_the_agent_is_over_its_limit() {
    let (desk, server) = (large(), Server::scripted(script));
    let limits = ["--mode", "agent", "--turns", "8", "--max-input-tokens", "9000", "--tpm", "1000000"];
    let run = desk.ask(&server, OPENAI, &limits);
    assert_eq!(run.code, Some(0), "{run:?}");
    let requests = server.requests();
    assert!(requests.len() >= 8, "{}", requests.len());
    for request in &requests {
        assert!(request.tokens() <= 9_000, "{}", request.tokens());
    }
}

#[test]
fn a_cost_that_cannot_be_known_cannot_be_limited() {
    let (desk, server) = (Desk::new(), Server::of(good()));
    let run = desk.ask(&server, OPENAI, &["--max-cost", "0.50"]);
    assert_eq!((run.code, run.stdout.as_str(), server.requests().len()), (Some(2), "", 0), "{run:?}");
    assert!(run.stderr.contains("the price of openai/gpt-test is not known"), "{run:?}");
    assert!(run.stderr.contains("file of prices") && desk.documents().is_empty(), "{run:?}");
}

#[test]
fn a_cost_that_is_known_is_told_and_kept() {
    let desk = large();
    let prices = "[models]\n\"openai/gpt-test\" = { input = 100.0, output = 200.0 }\n";
    std::fs::write(desk.work.path().join("prices.toml"), format!("date = \"2026-01-01\"\nsource = \"mine\"\n{prices}"))
        .expect("a file");
    for (most, calls) in [("9.00", 2), ("0.80", 1)] {
        let server = Server::scripted(script);
        let out = format!("{most}.md");
        let arguments = ["--prices-file", "prices.toml", "--max-cost", most, "--json", "-o", &out];
        let told = desk.ask(&server, OPENAI, &arguments).json();
        let cost = told["cost_usd"].as_f64().expect("a cost");
        assert!(cost > 0.05 && cost <= most.parse().expect("a number"), "{told}");
        assert_eq!((server.requests().len(), told["complete"].as_bool()), (calls, Some(calls == 2)), "{told}");
    }
}

#[cfg(unix)]
#[test]
fn the_throttle_holds_a_call_back() {
    let (desk, server) = (large(), Server::scripted(script));
    // The first call takes most of the minute.
    let mut child = desk
        .asking(&server, OPENAI, &["--tpm", "11000"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    server.wait_for(1);
    std::thread::sleep(Duration::from_millis(1_200));
    let requests = server.requests();
    let ended = child.try_wait().expect("a child");
    crate::scope::interrupt::interrupt(&child);
    let run = crate::support::Run::of(&child.wait_with_output().expect("it ends"));
    assert_eq!((requests.len(), ended), (1, None), "{run:?}");
    assert!(most(&requests) <= 11_000, "{}", most(&requests));
    assert_eq!(run.code, Some(3), "{run:?}");
    let document = desk.document(&run);
    assert!(document.body.contains("Client.send asks pause_before"), "what was found: {}", document.body);
}

#[test]
fn no_call_is_more_than_a_minute_has() {
    let (desk, server) = (large(), Server::scripted(script));
    let run = desk.ask(&server, OPENAI, &["--tpm", "4000", "--max-total-tokens", "5000"]);
    assert_eq!((run.code, server.requests().len()), (Some(0), 1), "{run:?}");
    for request in server.requests() {
        assert!(request.tokens() + request.most_output() <= 4_000, "{}", request.tokens());
    }
    assert!(desk.document(&run).front.incomplete.is_some(), "{run:?}");
}
