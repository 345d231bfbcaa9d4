//! What is printed of a run that writes a document: errors and notes on standard error, reasons, forecasts.

use super::doors::{DistinctTexts, all_cases, check_door, folder_of, passages_in};
use crate::scope::desk::{Desk, QUESTION, explored};
use crate::scope::server::{OPENAI, Reply, Server, status};
use crate::support::Run;

/// As many cases in one message as are shown of it, each behind the name of its folder: so few runs that they take seconds.
fn messages_with_cases() -> Vec<String> {
    const SHOWN_CHARS: usize = 290;
    let mut messages: Vec<String> = Vec::new();
    for (number, case) in all_cases().enumerate() {
        let part = format!("{}\n{}\n---\n", folder_of(number), case.text.trim_end());
        match messages.last_mut() {
            Some(last) if last.chars().count() + part.chars().count() <= SHOWN_CHARS => last.push_str(&part),
            _ => messages.push(format!("cannot take\n{part}")),
        }
    }
    messages
}

/// A provider's error can quote what it received. It stands on standard error, in the document and in the recording.
#[test]
fn the_errors_of_providers_are_printed_without_secrets() {
    let desk = Desk::new();
    let (mut printed, mut recorded, mut documents) = (String::new(), DistinctTexts::default(), String::new());
    for (number, message) in messages_with_cases().iter().enumerate() {
        // One line, as messages are; every second one ends a run that has begun.
        let said = status(400, message);
        let replies = if number % 2 == 0 { vec![said] } else { vec![explored(&[], &[], true), said] };
        let name = format!("run-{number}.jsonl");
        let run = desk.ask(&Server::of(replies), OPENAI, &["-o", "-", "--record", &name]);
        assert_ne!(run.code, Some(0), "{run:?}");
        printed.push_str(&run.stderr);
        recorded.add_json_lines(&std::fs::read_to_string(desk.work.path().join(name)).expect("a recording"));
        documents.push_str(&run.stdout);
    }
    check_door("standard error", 300, passages_in(&printed));
    check_door("recorded errors", 300, passages_in(&recorded.joined));
    let shown = all_cases().filter(|case| case.is_shown_in(&documents)).count();
    assert!(documents.contains("[masked]"), "{documents}");
    assert!(shown > 100, "look-alikes stay in the reasons of documents: {shown}");
}

/// The question is the user's own, and ends in logs as other texts do.
#[test]
fn forecasts_show_what_would_be_sent() {
    let token = format!("ghp_{}", super::planted::Random::new(super::SEED).text(36, super::planted::ANY));
    let desk = Desk::new();
    let server = Server::of(Vec::new());
    for format in [&[][..], &["--json"]] {
        for mode in ["pipeline", "agent"] {
            let question = format!("Where is {token} used by the depot?");
            let mut command = desk.command();
            command.args(["scope", &desk.root(), "-q", &question, "--model", OPENAI, "--base-url", &server.url()]);
            command.args(["--mode", mode, "--dry-run"]).args(format);
            let run = Run::of(&command.output().expect("the program runs"));
            assert_eq!(run.code, Some(0), "{run:?}");
            assert!(run.stdout.contains("[masked] used by the depot"), "{run:?}");
            assert!(!run.stdout.contains(&token) && !run.stderr.contains(&token), "{run:?}");
        }
    }
    assert_eq!(server.requests().len(), 0);
}

/// Credentials in an address, a branch and a path that holds a token come back in errors without them.
#[test]
fn errors_about_the_users_own_words_hold_no_secret() {
    let mut random = super::planted::Random::new(super::SEED);
    let token = format!("ghp_{}", random.text(36, super::planted::ANY));
    let password = random.text(24, super::planted::ANY);
    let desk = Desk::new();
    for source in [
        format!("https://ann:{password}@127.0.0.1:1/shop.git"),
        format!("https://ann:{password}@127.0.0.1:1/shop.git#{token}"),
        format!("http://ann:{password}@git.invalid/shop.git"),
        format!("ext::https://ann:{password}@git.invalid/shop"),
        format!("nowhere/{token}"),
    ] {
        for command in [&["scope", "-q", QUESTION][..], &["context"]] {
            let run = desk.run(&[command, &[source.as_str()]].concat());
            assert_ne!(run.code, Some(0), "{run:?}");
            assert!(!run.stderr.contains(&password) && !run.stderr.contains(&token), "{source}: {run:?}");
            assert!(!run.stdout.contains(&password) && !run.stdout.contains(&token), "{source}: {run:?}");
        }
    }
    let output = format!("{token}/deep/a.md");
    let run = desk.evidence(&["-q", QUESTION, "-o", &output]);
    assert!(run.stderr.contains("[masked]") && !run.stderr.contains(&token), "{run:?}");
}

/// Reads of git's own files by their paths: settings, the last commit's message, the log of a reference.
#[test]
fn files_of_git_are_sent_without_secrets() {
    let mut random = super::planted::Random::new(super::SEED);
    let mut secret = || random.text(32, super::planted::ANY);
    let (remote, header, message, subject, log) = (secret(), secret(), secret(), secret(), secret());
    let desk = Desk::with(&[
        (
            ".git/config",
            &format!(
                "[remote \"origin\"]\n\turl = https://ann:{remote}@git.shop.io/shop.git\n[http]\n\textraheader = \
                 Authorization: Bearer {header}\n"
            ),
        ),
        (".git/COMMIT_EDITMSG", &format!("Rotate the key\n\nThe new api key is {message}, the old one is revoked.\n")),
        (".git/logs/HEAD", &format!("0 1 Ann <ann@shop.io> 1 +0000\tcommit: set SHOP_SECRET_KEY={log} in staging\n")),
        ("history.txt", &format!("commit 6f1d\n\n    The deploy token is {subject} until Friday.\n")),
    ]);
    let paths = [".git/config", ".git/COMMIT_EDITMSG", ".git/logs/HEAD", "history.txt"];
    let reads = paths.map(|path| ("read_file", serde_json::json!({ "path": path, "raw": true })));
    let grep = |pattern: &str| ("grep", serde_json::json!({ "pattern": pattern, "hidden": true }));
    let found = serde_json::json!({ "relevant_file_paths": paths, "insights": "It is written there." });
    let script = move |_: usize, request: &crate::scope::server::Request| match request.tools().is_empty() {
        true if request.text().contains("Write the document.") => Reply::Say(crate::scope::desk::ANSWER.to_owned()),
        true => explored(&[], &paths, true),
        false if request.results().is_empty() => Reply::Call([&reads[..], &[grep("token|key|url|header")]].concat()),
        false => Reply::Call(vec![("generate_scoped_context", found.clone())]),
    };
    for mode in ["pipeline", "agent"] {
        let server = Server::scripted(script.clone());
        let run = desk.ask(&server, OPENAI, &["--mode", mode, "-o", "-", "--record", &format!("{mode}.jsonl")]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let sent: String = server.requests().iter().map(|request| request.body.to_string()).collect();
        let recorded = std::fs::read_to_string(desk.work.path().join(format!("{mode}.jsonl"))).expect("a recording");
        let evidence = desk.evidence(&["-q", "What does the history say about the deploy token?", "-o", "-"]).stdout;
        let context = desk.run(&["context", &desk.root(), "-o", "-"]).stdout;
        assert!(sent.contains("deploy token is [masked]"), "{mode}: {sent}");
        for secret in [&remote, &header, &message, &subject, &log] {
            for text in [&sent, &recorded, &run.stdout, &run.stderr, &evidence, &context] {
                assert!(!text.contains(&secret[..12]) && !text.contains(&secret[20..]), "{mode}: {text}");
            }
        }
    }
}
