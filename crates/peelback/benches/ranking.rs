//! Ranking for a question as ratios to ripgrep in the same run:
//! `cargo bench -p peelback --bench ranking -- FOLDER WORD QUESTION...`.
//!
//! Two tools, each asked in three ways: a process without a cache, a process with a warm one, and a server that runs,
//! its check for changes included; beside them ripgrep counts the lines with one common word of the same tree. Each
//! question is asked in turn. Of processes the median over paired runs counts, of a server the 95th percentile of its
//! calls against the median of ripgrep's runs between them.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Server, dunce, run, timed};
use serde_json::json;

/// Rounds over all questions.
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [folder, word, questions @ ..] = arguments.as_slice() else {
        println!("ranking: name a folder of code, a common word of it, and questions");
        return;
    };
    if questions.is_empty() || Command::new("rg").arg("--version").output().is_err() {
        println!("ranking: no question, or rg is not installed");
        return;
    }
    let folder = dunce(folder);
    let floor = || timed(|| run(Command::new("rg").args(["-c", word.as_str(), "."]).current_dir(&folder)));
    println!("| what | ours | rg -c {word} | ratio | allowed |");
    println!("| --- | --- | --- | --- | --- |");
    for (tool, cold, warm) in [("find-files", 10.0, 1.0), ("search", 20.0, 1.5)] {
        let cache = tempfile::tempdir().expect("a folder");
        let process = |question: &String, cached: bool| {
            let mut command = ours(&folder, tool, question);
            match cached {
                true => command.env("PEELBACK_CACHE_DIR", cache.path()),
                false => command.arg("--no-cache"),
            };
            timed(|| run(&mut command))
        };
        let pairs = |cached: bool| {
            let mut pairs = Vec::new();
            for round in 0..=ROUNDS {
                for question in questions {
                    let pair = (process(question, cached), floor());
                    // The first round is for the caches, ours and the system's.
                    if round > 0 {
                        pairs.push(pair);
                    }
                }
            }
            pairs
        };
        row(&format!("{tool}, no cache: median"), cold, 50, &pairs(false));
        row(&format!("{tool}, a process with the cache: median"), f64::NAN, 50, &pairs(true));
        let mut server = Server::start(&folder, cache.path());
        let mut calls = Vec::new();
        for round in 0..=ROUNDS {
            for question in questions {
                let call = timed(|| {
                    let name = tool.replace('-', "_");
                    let answer =
                        server.request("tools/call", json!({ "name": name, "arguments": { "query": question } }));
                    assert!(
                        answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains(" for: ")),
                        "{answer}"
                    );
                });
                if round > 0 {
                    calls.push((call, floor()));
                }
            }
        }
        row(&format!("{tool}, a server: 95th percentile"), warm, 95, &calls);
        row(&format!("{tool}, a server: median"), f64::NAN, 50, &calls);
    }
}

fn ours(folder: &Path, tool: &str, question: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_peelback"));
    command.args([tool, "--root", ".", question]).current_dir(folder);
    command
}

/// A percentile of ours against the median of the floor.
fn row(what: &str, allowed: f64, percent: usize, pairs: &[(Duration, Duration)]) {
    let at = |mut all: Vec<Duration>, percent: usize| {
        all.sort();
        all[(all.len() * percent).div_ceil(100).saturating_sub(1)]
    };
    let (ours, floor): (Vec<Duration>, Vec<Duration>) = pairs.iter().copied().unzip();
    let (ours, floor) = (at(ours, percent), at(floor, 50));
    let allowed = if allowed.is_nan() { "-".to_owned() } else { allowed.to_string() };
    println!("| {what} | {ours:.1?} | {floor:.1?} | {:.2} | {allowed} |", ours.as_secs_f64() / floor.as_secs_f64());
}
