//! The uses of one symbol as ratios to ripgrep in the same run:
//! `cargo bench -p peelback --bench references -- FOLDER NAME`.
//!
//! Three ways to ask: a process without a cache, beside listing the files that hold the word and parsing them on as many
//! threads; a process with a warm cache, and a call of a server that runs, beside searching for the word. Each figure is
//! the median over paired runs.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Server, dunce, run, timed};
use peelback_code::syntax::{Limits, does_parse_finish, language};
use peelback_code::{Project, SourceFile};
use rayon::prelude::*;
use serde_json::json;

const PAIRS: usize = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [folder, name] = arguments.as_slice() else {
        println!("references: name a folder of code and a symbol of it");
        return;
    };
    if Command::new("rg").arg("--version").output().is_err() {
        println!("rg is not installed: no floor");
        return;
    }
    let folder = dunce(folder);
    let cache = tempfile::tempdir().expect("a folder");
    println!("| what | ours | floor | ratio | allowed |");
    println!("| --- | --- | --- | --- | --- |");
    let word = || run(Command::new("rg").args(["-w", name.as_str(), "."]).current_dir(&folder));
    let cold = || run(ours(&folder, name).arg("--no-cache"));
    row(
        "no cache / listing the files with the word and parsing them",
        1.5,
        paired(cold, || parse_holders(&folder, name)),
    );
    let warm = || run(ours(&folder, name).env("PEELBACK_CACHE_DIR", cache.path()));
    row("a process with the cache / searching for the word", 3.0, paired(warm, word));
    let mut server = Server::start(&folder, cache.path());
    row("a call of a server / searching for the word", 1.0, paired(|| ask(&mut server, name), word));
}

fn ours(folder: &Path, name: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_peelback"));
    command.args(["find-references", name, "--root", "."]).current_dir(folder);
    command
}

/// Lists the files that hold a word, and parses those that are code.
fn parse_holders(folder: &Path, name: &str) {
    let listed = Command::new("rg").args(["-l", "-w", name, "."]).current_dir(folder).output().expect("rg runs");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let paths: Vec<&str> = listed.lines().map(|line| line.trim_start_matches("./")).collect();
    let project = Project::discover(Some(folder), None).expect("a folder");
    let limits = Limits::default();
    paths.par_iter().with_max_len(1).for_each(|path| {
        // Documents hold no references: what reads them is not our floor.
        let is_code = |path: &str| {
            language::language_of_file_name(path).is_some_and(|l| l.tier != peelback_code::syntax::Tier::Document)
        };
        let Ok(entry) = project.require_readable_file(path) else { return };
        if !is_code(entry.name()) {
            return;
        }
        let Ok(file) = SourceFile::read(&entry) else { return };
        if let Some(language) = language::language_of_file_name_and_text(file.file_name(), &file.text) {
            std::hint::black_box(does_parse_finish(language, &file.text, &limits));
        }
    });
}

/// The medians of ours, of the floor, and of the ratio of each pair; the pairs take turns in who goes first.
fn paired(mut ours: impl FnMut(), mut floor: impl FnMut()) -> (Duration, Duration, f64) {
    ours();
    floor();
    let mut pairs: Vec<(Duration, Duration)> = Vec::new();
    for pair in 0..PAIRS {
        pairs.push(if pair % 2 == 0 {
            let own = timed(&mut ours);
            (own, timed(&mut floor))
        } else {
            let other = timed(&mut floor);
            (timed(&mut ours), other)
        });
    }
    let mut ratios: Vec<f64> = pairs.iter().map(|(ours, floor)| ours.as_secs_f64() / floor.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    pairs.sort();
    let own = pairs[PAIRS / 2].0;
    pairs.sort_by_key(|pair| pair.1);
    (own, pairs[PAIRS / 2].1, ratios[PAIRS / 2])
}

fn row(what: &str, allowed: f64, (ours, floor, ratio): (Duration, Duration, f64)) {
    println!("| {what} | {ours:.1?} | {floor:.1?} | {ratio:.2} | {allowed} |");
}

fn ask(server: &mut Server, name: &str) {
    let answer = server.request("tools/call", json!({ "name": "find_references", "arguments": { "name": name } }));
    assert!(answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("reference")), "{answer}");
}
