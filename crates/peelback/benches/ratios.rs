//! Speed as ratios to a floor measured in the same run: `cargo bench -p peelback --bench ratios -- FOLDER`.
//!
//! Each figure is the median over paired runs of ours divided by the floor's in the same pair.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use peelback_code::syntax::{Limits, does_parse_finish, language};
use peelback_code::{CodeAccess, Project, ProjectEntry, SourceFile, WalkOptions};
use rayon::prelude::*;
use serde_json::json;

const PAIRS: usize = 7;

fn main() {
    let folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).map(PathBuf::from).collect();
    if folders.is_empty() {
        println!("ratios: name a folder of code (see bench/corpus.sh)");
        return;
    }
    println!("| what | folder | files | ours | floor | ratio |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for folder in &folders {
        let project = Project::discover(Some(folder), None).expect("a folder");
        let access = CodeAccess::new(project);
        let entries = access.project().files_in_scope(None, &WalkOptions::default()).expect("a walk").entries;
        outline(&access, &entries, folder);
        grep(folder, &entries);
        one_file(&access, &entries, folder);
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The median of ours, of the floor, and of the ratio of each pair.
fn paired(mut ours: impl FnMut(), mut floor: impl FnMut()) -> (Duration, Duration, f64) {
    ours();
    floor();
    let mut pairs: Vec<(Duration, Duration)> = (0..PAIRS).map(|_| (timed(&mut ours), timed(&mut floor))).collect();
    let mut ratios: Vec<f64> = pairs.iter().map(|(ours, floor)| ours.as_secs_f64() / floor.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    pairs.sort();
    let ours = pairs[PAIRS / 2].0;
    pairs.sort_by_key(|pair| pair.1);
    (ours, pairs[PAIRS / 2].1, ratios[PAIRS / 2])
}

fn row(what: &str, folder: &Path, files: usize, (ours, floor, ratio): (Duration, Duration, f64)) {
    let name = folder.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy());
    println!("| {what} | {name} | {files} | {ours:.1?} | {floor:.1?} | {ratio:.2} |");
}

fn parse_all(entries: &[ProjectEntry]) {
    let limits = Limits::default();
    entries.par_iter().with_max_len(1).for_each(|entry| {
        let Ok(file) = SourceFile::read(entry) else { return };
        if let Some(language) = language::language_of_file_name_and_text(file.file_name(), &file.text) {
            std::hint::black_box(does_parse_finish(language, &file.text, &limits));
        }
    });
}

fn outline(access: &CodeAccess, entries: &[ProjectEntry], folder: &Path) {
    let tool = peelback_tools::tool_by_name_or_alias("outline").expect("the tool");
    let arguments = json!({ "limit": 100_000, "max_tokens": 0, "format": "json" });
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let whole = || {
        let reply = tool.run_call(access, arguments.clone());
        std::io::sink().write_all(reply.formatted_output().as_bytes()).expect("a sink");
    };
    let (two, one) = (pool(2), pool(1));
    let measured = two.install(|| paired(whole, || parse_all(entries)));
    row("outline of all / reading and parsing all, 2 threads", folder, entries.len(), measured);
    let measured = paired(|| one.install(whole), || two.install(whole));
    row("outline of all, 1 thread / 2 threads", folder, entries.len(), measured);
}

fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).status();
    assert!(status.is_ok(), "{command:?}");
}

fn grep(folder: &Path, entries: &[ProjectEntry]) {
    if Command::new("rg").arg("--version").output().is_err() {
        println!("| rg is not installed: no floor for grep | | | | | |");
        return;
    }
    let program = env!("CARGO_BIN_EXE_peelback");
    for pattern in ["return", "zqxjkv", "[a-z]+_handler\\b"] {
        let rg = || run(Command::new("rg").args(["--line-number", pattern, "."]).current_dir(folder));
        let plain =
            || run(Command::new(program).args(["grep", pattern, "--root", ".", "--no-owners"]).current_dir(folder));
        row(&format!("grep {pattern}, no owners / rg"), folder, entries.len(), paired(plain, rg));
        let owners = || run(Command::new(program).args(["grep", pattern, "--root", "."]).current_dir(folder));
        let shown = shown(program, pattern, folder, entries);
        let what = format!("grep {pattern}, owners / rg and the parse of the {} files shown", shown.len());
        let measured = paired(owners, || {
            rg();
            parse_all(&shown);
        });
        row(&what, folder, entries.len(), measured);
    }
}

/// The files whose rows an answer shows.
fn shown(program: &str, pattern: &str, folder: &Path, entries: &[ProjectEntry]) -> Vec<ProjectEntry> {
    let output =
        Command::new(program).args(["grep", pattern, "--root", "."]).current_dir(folder).output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: std::collections::HashSet<&str> = text.lines().collect();
    entries.iter().filter(|entry| lines.contains(entry.path.as_str())).cloned().collect()
}

fn one_file(access: &CodeAccess, entries: &[ProjectEntry], folder: &Path) {
    let limits = Limits::default();
    let about = |entry: &&ProjectEntry| {
        SourceFile::read(entry).is_ok_and(|file| {
            (950..=1_050).contains(&file.line_count())
                && language::language_of_file_name_and_text(file.file_name(), &file.text).is_some()
        })
    };
    let Some(entry) = entries.iter().find(about) else { return };
    let file = access.read_file(&entry.path).expect("a file");
    let language = language::language_of_file_name_and_text(file.file_name(), &file.text).expect("a language");
    let ours = || {
        run(Command::new(env!("CARGO_BIN_EXE_peelback")).args(["outline", "--path", &entry.path]).current_dir(folder));
    };
    let measured = paired(ours, || {
        does_parse_finish(language, &file.text, &limits);
    });
    let allowed = measured.1 * 2 + Duration::from_millis(20);
    row(&format!("cold outline of {} (allowed {allowed:.1?}) / its parse", file.file_name()), folder, 1, measured);
}
