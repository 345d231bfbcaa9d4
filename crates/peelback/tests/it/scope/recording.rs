//! Runs that send nothing: what would be sent, and what was sent before.

use crate::scope::desk::{Desk, QUESTION, good, parsed};
use crate::scope::server::{BOTH, KEY, OPENAI, Server};
use crate::support::Run;

#[test]
fn a_dry_run_tells_what_would_be_sent_and_sends_nothing() {
    for model in BOTH {
        for mode in ["pipeline", "agent"] {
            let (desk, server) = (Desk::new(), Server::of(good()));
            let text = desk.ask(&server, model, &["--dry-run", "--mode", mode]).answer();
            assert!(server.requests().is_empty() && desk.documents().is_empty());
            assert!(text.starts_with("nothing was sent") && text.contains("cost unknown"), "{text}");
            assert!(text.contains("[system]") && text.contains(QUESTION), "{text}");
            assert!(!text.contains(KEY) && !text.contains("marker_of"), "{text}");
            let told = desk.ask(&server, model, &["--dry-run", "--mode", mode, "--json"]).json();
            assert!(told["calls"].as_u64().is_some_and(|calls| calls >= 3), "{told}");
            assert!(told["input_tokens"].as_u64().is_some_and(|tokens| tokens > 500), "{told}");
            assert_eq!(told["first_request"]["messages"][0]["role"], "user", "{told}");
        }
    }
}

#[test]
fn the_first_request_of_a_dry_run_is_the_one_that_is_sent() {
    let (desk, server) = (Desk::new(), Server::of(good()));
    let told = desk.ask(&server, OPENAI, &["--dry-run", "--json"]).json();
    desk.ask(&server, OPENAI, &[]).answer();
    let sent = &server.requests()[0];
    assert_eq!(told["first_request"]["messages"][0]["text"], sent.body["messages"][1]["content"]);
    let requests = server.requests();
    let sent: u64 = requests.iter().map(crate::scope::server::Request::tokens).sum();
    assert!(told["input_tokens"].as_u64().is_some_and(|most| most >= sent), "{told}: {sent}");
}

#[test]
fn a_dry_run_without_a_model_costs_nothing() {
    let desk = Desk::new();
    let text = desk.evidence(&["-q", QUESTION, "--dry-run"]).answer();
    assert!(text.contains("no model is configured"), "{text}");
}

/// A document without the one line that tells when it was written.
fn undated(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("scan_date: ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_recording_gives_the_same_document_without_a_network() {
    for model in BOTH {
        let (desk, server) = (Desk::new(), Server::of(good()));
        let written = desk.ask(&server, model, &["--record", "run.jsonl", "-o", "-"]).answer();
        let recording = std::fs::read_to_string(desk.work.path().join("run.jsonl")).expect("a recording");
        assert_eq!(recording.lines().count(), 3, "{recording}");
        assert!(!recording.contains(KEY));

        let mut command = desk.command();
        command.args(["scope", &desk.root(), "-q", QUESTION, "--replay", "run.jsonl", "-o", "-"]);
        command.env_remove("OPENAI_API_KEY").env_remove("ANTHROPIC_API_KEY");
        let replayed = Run::of(&command.output().expect("it runs")).answer();
        assert_eq!(server.requests().len(), 2, "nothing more was sent");
        assert_eq!(undated(&replayed), undated(&written));
        assert_eq!(parsed(&replayed).front.model_used, model);

        // Where a file has changed the requests are others, which is said.
        desk.project.write("src/client.py", "def send(parcel):\n    return parcel\n");
        let run = Run::of(&command.output().expect("it runs"));
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains("run.jsonl") && run.stderr.contains("record anew"), "{run:?}");
    }
}

#[test]
fn failures_are_recorded_too() {
    use crate::scope::server::status;
    let (desk, server) = (Desk::new(), Server::of(vec![good().remove(0), status(400, "no more")]));
    let run = desk.ask(&server, OPENAI, &["--record", "run.jsonl", "-o", "-"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    let replayed = desk.evidence(&["-q", QUESTION, "--replay", "run.jsonl", "-o", "-"]);
    assert_eq!((replayed.code, &replayed.stderr), (Some(3), &run.stderr));
    assert_eq!(undated(&replayed.stdout), undated(&run.stdout));
}

#[test]
fn a_file_that_is_no_recording_is_bad_usage() {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("run.jsonl"), "{}\n").expect("a file");
    for file in ["run.jsonl", "nowhere.jsonl"] {
        let run = desk.evidence(&["-q", QUESTION, "--replay", file]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains(file), "{run:?}");
    }
}
