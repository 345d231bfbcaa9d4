//! What goes wrong with a model: each run ends in a document or in one clear error, with what was spent.

use std::time::{Duration, Instant};

use crate::scope::desk::{ANSWER, Desk, explored, good};
use crate::scope::server::{ANTHROPIC, BOTH, KEY, OPENAI, Reply, Server, status};
use crate::support::Run;

/// One line of an error that holds no key, with what was spent.
#[track_caller]
fn clear(run: &Run) {
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.starts_with("error: ") && run.stderr.lines().count() == 1, "{run:?}");
    assert!(run.stderr.contains("(spent: ") && run.stderr.contains("tokens in"), "{run:?}");
    assert!(!format!("{run:?}").contains(KEY), "{run:?}");
}

/// A run on a fresh desk; both protocols at the same time, since some of them wait.
fn both(replies: impl Fn() -> Vec<Reply> + Sync, judge: impl Fn(&str, &Desk, &Server, &Run) + Sync) {
    std::thread::scope(|threads| {
        for model in BOTH {
            let (replies, judge) = (&replies, &judge);
            threads.spawn(move || {
                let (desk, server) = (Desk::new(), Server::of(replies()));
                let run = desk.ask(&server, model, &[]);
                judge(model, &desk, &server, &run);
            });
        }
    });
}

fn after(first: Reply) -> Vec<Reply> {
    [vec![first], good()].concat()
}

#[track_caller]
fn whole(desk: &Desk, run: &Run) {
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(desk.document(run).front.incomplete, None, "{run:?}");
}

#[test]
fn the_pause_that_a_provider_asks_for_is_kept() {
    let limited = || Reply::Status(429, Some(("Retry-After", "1")), "{}".to_owned());
    both(
        || after(limited()),
        |model, desk, server, run| {
            whole(desk, run);
            let requests = server.requests();
            assert_eq!(requests.len(), 3, "{model}");
            let pause = requests[1].at - requests[0].at;
            assert!(pause >= Duration::from_secs(1) && pause < Duration::from_secs(3), "{pause:?}");
        },
    );
}

#[test]
fn what_passes_is_tried_again() {
    for first in [Reply::Drop, status(500, "Overloaded")] {
        both(
            || after(first.clone()),
            |model, desk, server, run| {
                whole(desk, run);
                assert_eq!(server.requests().len(), 3, "{model}");
            },
        );
    }
}

#[test]
fn what_does_not_pass_ends_in_an_error_or_in_a_document() {
    let overloaded = || status(500, "Overloaded for good");
    // Further tries count in the throttle, too: without room they would wait for a minute.
    const ROOM: [&str; 2] = ["--tpm", "1000000"];
    std::thread::scope(|threads| {
        // Before anything was spent there is nothing to write down.
        threads.spawn(move || {
            let (desk, server) = (Desk::new(), Server::scripted(move |_, _| overloaded()));
            let run = desk.ask(&server, OPENAI, &ROOM);
            clear(&run);
            assert!(run.stderr.contains("500") && run.stderr.contains("Overloaded for good"), "{run:?}");
            assert!(run.stderr.contains("after 5 tries") && run.stdout.is_empty(), "{run:?}");
            assert!(desk.documents().is_empty());
        });
        // What was paid for is.
        threads.spawn(move || {
            let script = move |at, _: &_| if at == 0 { good().remove(0) } else { overloaded() };
            let (desk, server) = (Desk::new(), Server::scripted(script));
            let run = desk.ask(&server, ANTHROPIC, &ROOM);
            clear(&run);
            let document = desk.document(&run);
            assert!(document.front.incomplete.as_ref().is_some_and(|reason| reason.contains("500")), "{run:?}");
            assert!(document.body.contains("Client.send asks pause_before"), "what the model found: {}", document.body);
            assert!(document.body.contains("marker_of_send"), "the evidence: {}", document.body);
            assert!(document.section_text("Open Questions").is_some(), "{}", document.body);
            assert!(document.front.input_tokens.is_some_and(|tokens| tokens > 100));
        });
        // A connection that breaks each time.
        threads.spawn(move || {
            let (desk, server) = (Desk::new(), Server::scripted(|_, _| Reply::Drop));
            let run = desk.ask(&server, OPENAI, &ROOM);
            clear(&run);
            assert!(run.stderr.contains("perhaps"), "it may have cost something: {run:?}");
        });
    });
}

#[test]
fn a_reply_that_cannot_be_read_ends_in_a_document() {
    both(
        || vec![Reply::Garbage("{}")],
        |_, desk, server, run| {
            clear(run);
            assert!(run.stderr.contains("cannot be read"), "{run:?}");
            assert_eq!(server.requests().len(), 1);
            let document = desk.document(run);
            assert!(document.front.incomplete.is_some(), "{run:?}");
            assert!(document.body.contains("marker_of_send"), "the evidence: {}", document.body);
        },
    );
}

#[test]
fn a_reply_without_json_is_tried_again() {
    for body in ["<html>Bad gateway</html>", "", "{\"choices\": [{"] {
        both(
            || after(Reply::Garbage(body)),
            |model, desk, server, run| {
                whole(desk, run);
                assert_eq!(server.requests().len(), 3, "{model}");
            },
        );
    }
    // A page that stays ends in an error that says what came, and in a document.
    let (desk, server) = (Desk::new(), Server::scripted(|_, _| Reply::Garbage("<html>Bad gateway</html>")));
    let run = desk.ask(&server, OPENAI, &["--tpm", "1000000"]);
    clear(&run);
    for said in ["cannot be read", "HTTP 200", "application/json", "\"<html>Bad gateway</html>\"", "after 2 tries"] {
        assert!(run.stderr.contains(said), "{said}: {run:?}");
    }
    assert_eq!(server.requests().len(), 2);
    assert!(desk.document(&run).body.contains("marker_of_send"), "the evidence");
}

#[test]
fn a_model_that_declines_to_explore_writes_from_the_ranking() {
    both(
        || vec![Reply::Decline("I do not look at parcels."), Reply::Say(ANSWER.to_owned())],
        |model, desk, server, run| {
            assert_eq!((run.code, server.requests().len()), (Some(0), 2), "{model}: {run:?}");
            let document = desk.document(run);
            let reason = document.front.incomplete.as_ref().expect("a reason");
            assert!(reason.contains("declined"), "{reason}");
            assert!(document.section_text("Waiting").is_some(), "{}", document.body);
        },
    );
}

#[test]
fn a_model_that_declines_to_write_leaves_what_it_found() {
    both(
        || vec![good().remove(0), Reply::Decline("I do not write about parcels.")],
        |_, desk, _, run| {
            clear(run);
            assert!(run.stderr.contains("declined") && run.stderr.contains("I do not write about parcels"), "{run:?}");
            let document = desk.document(run);
            assert!(document.front.incomplete.as_ref().is_some_and(|reason| reason.contains("declined")), "{run:?}");
            assert!(document.body.contains("Client.send asks pause_before"), "{}", document.body);
        },
    );
}

#[test]
fn a_text_that_was_cut_says_so() {
    both(
        || vec![good().remove(0), Reply::Cut(ANSWER.replace("up to a limit", "up to a"))],
        |_, desk, _, run| {
            assert_eq!(run.code, Some(0), "{run:?}");
            assert!(run.stdout.contains("not complete: ") && run.stdout.contains("cut"), "{run:?}");
            let document = desk.document(run);
            assert!(document.front.incomplete.as_ref().is_some_and(|reason| reason.contains("cut")), "{run:?}");
            assert!(
                document.section_text("Waiting").is_some() && document.section_text("Open Questions").is_some(),
                "{run:?}"
            );
        },
    );
}

#[test]
fn a_reply_of_exploration_that_was_cut_is_asked_for_again_with_more_room() {
    both(
        || after(Reply::Cut("{\"reasoning\": \"thoughts upon th".to_owned())),
        |_, desk, server, run| {
            whole(desk, run);
            let requests = server.requests();
            assert!(requests[1].most_output() > requests[0].most_output());
        },
    );
}

#[test]
fn a_key_that_is_refused_is_one_clear_error() {
    both(
        || vec![status(401, &format!("the key {KEY} is wrong"))],
        |model, desk, server, run| {
            clear(run);
            let variable = if model == ANTHROPIC { "ANTHROPIC_API_KEY" } else { "OPENAI_API_KEY" };
            assert!(run.stderr.contains("401") && run.stderr.contains(variable), "{run:?}");
            assert!(run.stderr.contains("spent: 0 calls") && run.stdout.is_empty(), "{run:?}");
            assert!(desk.documents().is_empty() && server.requests().len() == 1);
        },
    );
}

#[test]
fn an_agent_that_fails_on_its_way_leaves_what_it_looked_at() {
    for (model, last) in [(OPENAI, status(400, "no such thing")), (ANTHROPIC, Reply::Garbage("{}"))] {
        let desk = Desk::new();
        let look = Reply::Call(vec![("read_symbol", serde_json::json!({ "name": "src/client.py:Client.send" }))]);
        let server = Server::of(vec![look, last]);
        let run = desk.ask(&server, model, &["--mode", "agent"]);
        clear(&run);
        let document = desk.document(&run);
        assert!(
            document.section_text("Code References").is_some_and(|list| list.contains("src/client.py:18-27")),
            "{run:?}"
        );
        assert!(document.section_text("Open Questions").is_some(), "{}", document.body);
    }
}

#[test]
fn a_second_round_that_fails_leaves_what_the_first_found() {
    let desk = Desk::new();
    let first = explored(&["src/client.py:Client.send"], &[], false);
    let server = Server::of(vec![first, status(403, "no more of this")]);
    let run = desk.ask(&server, OPENAI, &[]);
    clear(&run);
    let document = desk.document(&run);
    assert!(document.body.contains("Client.send asks pause_before"), "{}", document.body);
}

#[test]
fn nobody_listens() {
    let desk = Desk::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a port").port();
    let address = format!("http://127.0.0.1:{port}");
    let begun = Instant::now();
    let root = desk.root();
    let run = desk.run(&["scope", &root, "-q", "How?", "--model", OPENAI, "--base-url", &address]);
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(
        run.stderr.contains("check that the server runs")
            && run.stderr.contains(&port.to_string())
            && run.stderr.contains("(spent: "),
        "{run:?}"
    );
    assert!(!run.stderr.contains(KEY));
}

#[test]
fn a_model_that_cannot_be_used_is_bad_usage() {
    let desk = Desk::new();
    for (model, said) in [("gpt-test", "provider/model"), ("acme/x", "acme"), ("openai/", "provider/model")] {
        let run = desk.evidence(&["-q", "How?", "--model", model]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains(said), "{run:?}");
    }
    let mut command = desk.command();
    command.args(["scope", &desk.root(), "-q", "How?", "--model", OPENAI]).env_remove("OPENAI_API_KEY");
    let run = Run::of(&command.output().expect("it runs"));
    assert!(run.code == Some(2) && run.stderr.contains("OPENAI_API_KEY"), "{run:?}");
}
