//! What models receive, and what is kept of it: requests in each protocol, recordings, documents.

use std::path::Path;

use serde_json::json;

use super::doors::{
    DistinctTexts, Passage, all_cases, all_or_every_third_case, check_door, check_door_for, folder_of, function_of,
    function_with, is_in_name, passage, passages_in, path_of, write_all,
};
use super::planted::Case;
use crate::mcp::child;
use crate::scope::desk::{ANSWER, Desk, QUESTION, explored};
use crate::scope::server::{ANTHROPIC, OPENAI, RESPONSES, Reply, Request, Server};

/// The flags of a run that may send as much as it wants.
const UNLIMITED: [&str; 8] =
    ["--max-input-tokens", "400000", "--tpm", "100000000", "--turns", "120", "--max-cost", "0"];

/// How many tools are called in one turn.
const CALLS: usize = 8;

fn desk_with_all() -> Desk {
    let desk = Desk::new();
    write_all(&desk.project);
    desk
}

/// What was sent, each message once.
fn texts_of(requests: &[Request]) -> DistinctTexts {
    let mut texts = DistinctTexts::default();
    requests.iter().flat_map(Request::texts).for_each(|text| texts.add(&text));
    texts
}

/// The texts of a recording, each once.
fn texts_of_recording(path: &Path) -> DistinctTexts {
    let mut texts = DistinctTexts::default();
    texts.add_json_lines(&std::fs::read_to_string(path).expect("a recording"));
    texts
}

/// Replies that end an agent's run: it hands in what it found, and writes the document.
fn last_turns() -> [Reply; 2] {
    let found = json!({ "relevant_file_paths": ["src/client.py"], "insights": "The client sends again." });
    [Reply::Call(vec![("generate_scoped_context", found)]), Reply::Say(ANSWER.to_owned())]
}

/// Replies that read the file of each case, some in each turn.
fn reading_turns(cases: &[(usize, &Case)]) -> Vec<Reply> {
    let calls: Vec<_> = cases
        .iter()
        .map(|(number, case)| match is_in_name(case) {
            true => ("tree", json!({ "path": folder_of(*number), "depth": 4 })),
            false => ("read_file", json!({ "path": path_of(*number, case), "raw": true })),
        })
        .collect();
    let mut turns: Vec<Reply> = calls.chunks(CALLS).map(|calls| Reply::Call(calls.to_vec())).collect();
    turns.extend(last_turns());
    turns
}

/// What the results of the calls say of each case, by its number, over all requests.
fn results_of_cases(requests: &[Request], cases: &[(usize, &Case)]) -> Vec<String> {
    let mut texts = vec![String::new(); all_cases().count()];
    for (id, text) in requests.iter().flat_map(Request::results) {
        let numbers: Option<(usize, usize)> = id
            .strip_prefix("call-")
            .and_then(|id| id.split_once('-'))
            .and_then(|(turn, call)| Some((turn.parse().ok()?, call.parse().ok()?)));
        if let Some((case, _)) = numbers.and_then(|(turn, call)| cases.get(turn * CALLS + call))
            && let slot = &mut texts[*case]
            && slot.len() < text.len()
        {
            *slot = text;
        }
    }
    texts
}

#[track_caller]
fn check_agent(protocol: &str, model: &str, cases: &[(usize, &'static Case)]) {
    let desk = desk_with_all();
    let server = Server::of(reading_turns(cases));
    let flags = ["--mode", "agent", "--record", "run.jsonl", "-o", "-"];
    let run = desk.ask(&server, model, &[&flags[..], &UNLIMITED].concat());
    let requests = server.requests();
    let (all, results) = (texts_of(&requests).joined, results_of_cases(&requests, cases));
    assert!(results.iter().any(|text| !text.is_empty()), "{} requests: {run:?}", requests.len());
    let within = |number: usize, case: &Case, all: &str| match case.is_shown_in(all) {
        true => Passage::Shown,
        false if is_in_name(case) && results[number].contains(&folder_of(number)) => Passage::Masked,
        false => passage(case, &results[number]),
    };
    check_door_for(cases, &format!("agent, {protocol}"), 300, |number, case| within(number, case, &all));
    let path = desk.work.path().join("run.jsonl");
    let recorded = texts_of_recording(&path).joined;
    check_door_for(cases, &format!("agent, {protocol}, recording"), 300, |number, case| {
        within(number, case, &recorded)
    });
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // This document cites none of the files.
    assert_eq!(all_cases().filter(|case| case.is_shown_in(&run.stdout)).count(), 0, "{run:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn agents_send_no_secret_by_completions() {
    check_agent("Chat Completions", OPENAI, &all_or_every_third_case(0));
}

#[test]
fn agents_send_no_secret_by_messages() {
    check_agent("Messages", ANTHROPIC, &all_or_every_third_case(1));
}

#[test]
fn agents_send_no_secret_by_responses() {
    check_agent("Responses", RESPONSES, &all_or_every_third_case(2));
}

/// The pipeline is asked for the files, some at a time.
#[track_caller]
fn check_pipeline(protocol: &str, model: &str, cases: &[(usize, &'static Case)]) {
    let desk = desk_with_all();
    let (mut sent, mut recorded) = (DistinctTexts::default(), DistinctTexts::default());
    for (run, part) in cases.chunks(12).enumerate() {
        let files: Vec<String> = part.iter().map(|(number, case)| path_of(*number, case)).collect();
        let (first, second): (Vec<&str>, Vec<&str>) =
            (files.iter().take(6).map(String::as_str).collect(), files.iter().skip(6).map(String::as_str).collect());
        let server =
            Server::of(vec![explored(&[], &first, false), explored(&[], &second, true), Reply::Say(ANSWER.to_owned())]);
        let name = format!("run-{run}.jsonl");
        let _ = desk.ask(&server, model, &["-o", "-", "--record", &name, "--tpm", "100000000"]);
        server.requests().iter().flat_map(Request::texts).for_each(|text| sent.add(&text));
        recorded.add_json_lines(&std::fs::read_to_string(desk.work.path().join(name)).expect("a recording"));
    }
    check_door_for(cases, &format!("pipeline, {protocol}"), 290, passages_in(&sent.joined));
    check_door_for(cases, &format!("pipeline, {protocol}, recordings"), 290, passages_in(&recorded.joined));
}

#[test]
fn pipelines_send_no_secret_by_completions() {
    check_pipeline("Chat Completions", OPENAI, &all_or_every_third_case(0));
}

#[test]
fn pipelines_send_no_secret_by_messages() {
    check_pipeline("Messages", ANTHROPIC, &all_or_every_third_case(1));
}

#[test]
fn pipelines_send_no_secret_by_responses() {
    check_pipeline("Responses", RESPONSES, &all_or_every_third_case(2));
}

/// What a model says comes back into its conversation, and so do its arguments in the errors of tools.
#[test]
fn what_a_model_says_is_masked_when_it_comes_back() {
    let desk = Desk::new();
    let calls: Vec<_> = all_cases()
        .enumerate()
        .map(|(number, case)| {
            let text = format!("{}\n{}", path_of(number, case), case.text);
            ("grep", json!({ "pattern": "parcel", "scope": text, "context": 0 }))
        })
        .collect();
    let mut turns: Vec<Reply> = calls
        .chunks(CALLS - 4)
        .enumerate()
        .map(|(turn, calls)| {
            // Calls that find something stand between them, so that the agent is not taken for one that is lost.
            let found = |at: usize| ("grep", json!({ "pattern": format!("parcel|zeppelin_{}", turn * CALLS + at) }));
            Reply::Call(calls.iter().enumerate().flat_map(|(at, call)| [call.clone(), found(at)]).collect())
        })
        .collect();
    turns.extend(last_turns());
    let server = Server::of(turns);
    let flags = ["--mode", "agent", "--record", "run.jsonl", "-o", "-", "--turns", "200"];
    let limits = ["--max-input-tokens", "400000", "--tpm", "100000000", "--max-total-tokens", "0"];
    let run = desk.ask(&server, OPENAI, &[&flags[..], &limits].concat());
    let requests = server.requests();
    assert!(requests.len() > 100, "{} requests: {run:?}", requests.len());
    let all = texts_of(&requests).joined;
    check_door("agent, what the model said", 300, passages_in(&all));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let recorded = texts_of_recording(&desk.work.path().join("run.jsonl")).joined;
    check_door("agent, recorded replies", 300, passages_in(&recorded));
}

/// A text of a document in which each case stands under its folder's name.
fn written(cases: &[(usize, &Case)]) -> String {
    let parts = cases.iter().map(|(number, case)| {
        format!("### {}\n\n`{}`\n\n```text\n{}\n```\n\n", folder_of(*number), case.path, case.text.trim_end())
    });
    parts.collect()
}

#[test]
fn documents_of_models_hold_no_secret() {
    let desk = Desk::new();
    let cases: Vec<(usize, &Case)> = all_cases().enumerate().collect();
    let (mut printed, mut files, mut answers) = (String::new(), String::new(), String::new());
    for part in cases.chunks(62) {
        // In a section of the document, and in the summary, which is printed besides.
        let summary = ANSWER.replacen("## Summary\n", &format!("## Summary\n\n{}", written(part)), 1);
        let said = vec![explored(&[], &[], true), Reply::Say(summary.clone())];
        let run = desk.ask(&Server::of(said.clone()), OPENAI, &[]);
        let path = run.stdout.lines().next().unwrap_or_default().to_owned();
        files.push_str(&std::fs::read_to_string(desk.work.path().join(path)).expect("a document"));
        printed.push_str(&run.stdout);
        let server = Server::of(said);
        let mut command = desk.command();
        command.current_dir(desk.project.path()).arg("serve");
        let mut serving =
            child::Server::of_with(command, &[("PEELBACK_MODEL", OPENAI), ("PEELBACK_BASE_URL", &server.url())]);
        serving.greet();
        answers.push_str(&serving.text("scope", json!({ "question": QUESTION, "max_tokens": 12_000 })).0);
    }
    check_door("document by a model", 300, passages_in(&files));
    check_door("what is printed of the document", 300, passages_in(&printed));
    check_door("tool scope with a model", 200, passages_in(&answers));
}

#[test]
fn documents_without_a_model_hold_no_secret() {
    let desk = desk_with_all();
    let cases: Vec<(usize, &Case)> = all_cases().enumerate().collect();
    let mut evidence = String::new();
    for part in cases.chunks(10) {
        let words: Vec<&str> = part.iter().flat_map(|(_, case)| case.path.rsplit('/').next()).collect();
        let question = format!("Where are the password, api key, secret and token in {}?", words.join(" "));
        let mut arguments = vec!["-q", question.as_str(), "-o", "-", "--max-tokens", "40000"];
        let folders: Vec<String> = part.iter().map(|(number, _)| folder_of(*number)).collect();
        folders.iter().for_each(|folder| arguments.extend(["--scope", folder]));
        evidence.push_str(&desk.evidence(&arguments).stdout);
    }
    check_door("document without a model, files", 100, passages_in(&evidence));
    // A function is shown whole.
    let mut evidence = vec![String::new(); cases.len()];
    let desk = Desk::new();
    for (number, case) in &cases {
        desk.project.write(&format!("{}/ship.py", folder_of(*number)), function_with(*number, case));
    }
    for part in cases.chunks(16) {
        let names: Vec<String> = part.iter().map(|(number, _)| function_of(*number)).collect();
        let question = format!("What do {} say?", names.join(" "));
        let mut arguments = vec!["-q", question.as_str(), "-o", "-", "--max-tokens", "40000"];
        let folders: Vec<String> = part.iter().map(|(number, _)| folder_of(*number)).collect();
        folders.iter().for_each(|folder| arguments.extend(["--scope", folder]));
        let document = desk.evidence(&arguments).stdout;
        for (number, _) in part {
            let name = format!("1: def {}()", function_of(*number));
            let own = document.find(&name).map(|at| &document[at..]).unwrap_or_default();
            evidence[*number] = own[..own.find("return zeppelin").unwrap_or(own.len())].to_owned();
        }
    }
    check_door("document without a model, functions", 290, |number, case| passage(case, &evidence[number]));
    let context = desk.run(&["context", &desk.root(), "-o", "-", "--max-tokens", "60000"]).answer();
    check_door("context", 0, passages_in(&context));
    // What a repository says of itself stands in its context in words.
    let mut contexts = String::new();
    for part in cases.chunks(8) {
        let desk = Desk::new();
        desk.project.write("README.md", format!("# Shop\n\nWhat the shop is for.\n\n{}", written(part)));
        contexts.push_str(&desk.run(&["context", &desk.root(), "-o", "-", "--max-tokens", "60000"]).answer());
    }
    check_door("context of a README", 0, passages_in(&contexts));
}
