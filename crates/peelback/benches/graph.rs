//! The graph of dependencies as it is looked up: `cargo bench -p peelback --bench graph -- FOLDER`.
//!
//! - the check that nothing changed, beside a bare walk that asks for the state of each file, in paired runs;
//! - a look-up after that check: what a call takes beyond it, in paired runs;
//! - whole profiles of files under 1,000 lines in a process that knows the project, beside parsing each;
//! - the first call of a process, with a cache and without.
//!
//! Growth with the size of a project is measured by `bench/growth/`.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ignore::{WalkBuilder, WalkState};
use peelback_code::syntax::{Limits, Tier, does_parse_finish, language};
use peelback_code::{CacheOptions, CodeAccess, DependencyQuery, FactsStore, Project, SourceFile, WalkOptions};
use peelback_tools::tool_by_name_or_alias;
use serde_json::json;

/// Paired runs of a quick thing.
const PAIRS: usize = 101;

/// Runs of a process.
const PROCESSES: usize = 11;

/// Profiles that are timed, spread over the project.
const PROFILES: usize = 400;

/// Lines of the files whose profiles are timed, at most.
const LINES: u32 = 1_000;

fn main() {
    let folders: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if folders.is_empty() {
        println!("graph: name a folder of code (see bench/corpus.sh)");
        return;
    }
    for folder in folders {
        let folder = Path::new(&folder).canonicalize().expect("a folder");
        let files = code_files(&folder);
        println!("\n{}: {} files of code\n", folder.display(), files.len());
        println!("| what | time | floor | ratio or rest | allowed |\n| --- | --- | --- | --- | --- |");
        measure_kept_graph(&folder, &files);
        first_calls(&folder, &files);
    }
}

/// The files whose links are followed, by their paths.
fn code_files(folder: &Path) -> Vec<String> {
    let project = Project::discover(Some(folder), None).expect("a folder");
    let entries = project.files_in_scope(None, &WalkOptions::default()).expect("a walk").entries;
    let is_code =
        |name: &str| language::language_of_file_name(name).is_some_and(|language| language.tier == Tier::Complete);
    entries.into_iter().filter(|entry| is_code(entry.name())).map(|entry| entry.path).collect()
}

fn median<T: Clone + PartialOrd>(mut values: Vec<T>) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    values[values.len() / 2].clone()
}

/// The value under which 95 of 100 lie.
fn p95<T: Clone + PartialOrd>(mut values: Vec<T>) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    values[(values.len() * 95 / 100).min(values.len() - 1)].clone()
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Pairs of both, who goes first by turns.
fn pairs(mut one: impl FnMut(usize), mut other: impl FnMut(usize)) -> Vec<(Duration, Duration)> {
    one(0);
    other(0);
    let pair = |n: usize| {
        if n.is_multiple_of(2) {
            let first = timed(|| one(n));
            (first, timed(|| other(n)))
        } else {
            let second = timed(|| other(n));
            (timed(|| one(n)), second)
        }
    };
    (0..PAIRS).map(pair).collect()
}

fn row(what: &str, time: Duration, floor: Duration, rest: &str, allowed: &str) {
    println!("| {what} | {time:.2?} | {floor:.2?} | {rest} | {allowed} |");
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.2} ms", seconds * 1_000.0)
}

/// What a process does that knows the project.
fn measure_kept_graph(folder: &Path, files: &[String]) {
    let cache = tempfile::tempdir().expect("a folder");
    let options = CacheOptions { folder: cache.path().to_owned(), max_bytes: CacheOptions::MAX_BYTES };
    let store = Arc::new(FactsStore::with_disk_cache(move || Some(options)).for_long_lived_process());
    let access = CodeAccess::new(Project::discover(Some(folder), None).expect("a folder")).with_facts_store(store);
    let made = timed(|| access.preload_dependency_graph());
    row("making the graph", made, Duration::ZERO, "", "");

    let check = pairs(|_| access.preload_dependency_graph(), |_| bare_walk(folder));
    let ratios = check.iter().map(|(own, walk)| own.as_secs_f64() / walk.as_secs_f64()).collect();
    let (own, walk) = check.into_iter().unzip();
    row("freshness check / bare walk", median(own), median(walk), &format!("{:.2}", median::<f64>(ratios)), "1.5");

    let every = (files.len() / PAIRS).max(1);
    let path = |n: usize| files[n * every % files.len()].clone();
    let look = |depth: usize| {
        let ask = |n: usize| {
            let query = DependencyQuery { path: path(n), depth, ..DependencyQuery::default() };
            access.dependencies_and_dependents(&query).expect("an answer");
        };
        pairs(ask, |_| access.preload_dependency_graph())
    };
    for depth in [1, 3] {
        let timed = look(depth);
        let rests = timed.iter().map(|(call, check)| call.as_secs_f64() - check.as_secs_f64()).collect();
        let (call, check) = timed.into_iter().unzip();
        let what = format!("look-up of a file, {depth} deep, after the check");
        row(&what, median(call), median(check), &milliseconds(median(rests)), "1 ms");
    }
    profiles(&access, files);
}

/// A walk by the same rules that asks for the state of each file, and nothing else.
fn bare_walk(folder: &Path) {
    let sum = Mutex::new(0u64);
    let threads = rayon::current_num_threads();
    WalkBuilder::new(folder).add_custom_ignore_filename(".rgignore").threads(threads).build_parallel().run(|| {
        Box::new(|entry| {
            let metadata = entry.ok().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
            if let Some(metadata) = metadata.and_then(|entry| entry.metadata().ok()) {
                *sum.lock().expect("nobody panics") += metadata.len();
            }
            WalkState::Continue
        })
    });
    std::hint::black_box(sum.into_inner().expect("nobody panics"));
}

/// Profiles through the tool, and beside each the parse of its file.
fn profiles(access: &CodeAccess, files: &[String]) {
    let tool = tool_by_name_or_alias("read_file").expect("the tool");
    let limits = Limits::default();
    let (mut whole, mut parses, mut rests) = (Vec::new(), Vec::new(), Vec::new());
    for path in files.iter().step_by((files.len() / PROFILES).max(1)) {
        let entry = access.project().require_readable_file(path).expect("a file");
        let Ok(file) = SourceFile::read(&entry) else { continue };
        let Some(language) = language::language_of_file_name_and_text(file.file_name(), &file.text)
            .filter(|_| file.line_count() < LINES)
        else {
            continue;
        };
        let parse = timed(|| {
            std::hint::black_box(does_parse_finish(language, &file.text, &limits));
        });
        let profile = timed(|| drop(std::hint::black_box(tool.run_call(access, json!({ "path": path })))));
        rests.push(profile.as_secs_f64() - 3.0 * parse.as_secs_f64());
        whole.push(profile);
        parses.push(parse);
    }
    if whole.is_empty() {
        return;
    }
    let what = format!("profiles of {} files, p95; parse, p95; beyond 3 parses, p95", whole.len());
    row(&what, p95(whole), p95(parses), &milliseconds(p95(rests)), "15 ms, and 100 ms in all");
}

/// The first call of a process about a file.
fn first_calls(folder: &Path, files: &[String]) {
    let cache = tempfile::tempdir().expect("a folder");
    let path = &files[files.len() / 2];
    let run = |call: &[&str], with_cache: bool| {
        let mut command = Command::new(PathBuf::from(env!("CARGO_BIN_EXE_peelback")));
        command.args(call).args(["--root", "."]).current_dir(folder).env("PEELBACK_CACHE_DIR", cache.path());
        if !with_cache {
            command.arg("--no-cache");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        timed(|| assert!(command.status().is_ok_and(|status| status.success()), "{command:?}"))
    };
    // The whole graph fills the cache; then what it makes with it.
    run(&["dependencies"], true);
    let calls: [(&str, Vec<&str>); 3] = [
        ("the profile of a file", vec!["read-file", path]),
        ("the dependencies of a file", vec!["dependencies", path]),
        ("the dependencies of the project", vec!["dependencies"]),
    ];
    for (what, call) in calls {
        let cold = median((0..PROCESSES).map(|_| run(&call, false)).collect());
        let warm = median((0..PROCESSES).map(|_| run(&call, true)).collect());
        row(&format!("{what}, a process with the cache; without"), warm, cold, "", "500 ms");
    }
}
