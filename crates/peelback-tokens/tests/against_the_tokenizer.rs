//! The estimate against the real tokenizer: on this workspace's own sources and on samples of many kinds of text.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use peelback_tokens::{LineCosts, estimate};
use tiktoken_rs::CoreBPE;

static TOKENIZER: LazyLock<CoreBPE> = LazyLock::new(|| tiktoken_rs::o200k_base().expect("the tokenizer loads"));

fn real(text: &str) -> usize {
    TOKENIZER.encode_ordinary(text).len()
}

/// Files of text below `folder`, in a stable order.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut folders = vec![folder.to_owned()];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    folders.push(path);
                }
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                texts.push((path, text));
            }
        }
    }
    texts.sort();
    texts
}

fn samples() -> Vec<(PathBuf, String)> {
    texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples"))
}

/// This crate's samples, and the sources and fixtures of all crates that stand beside it.
fn files() -> Vec<(PathBuf, String)> {
    let mut files = samples();
    for (path, text) in texts(Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates' folder")) {
        // The tables are no text that anyone would read.
        let table = path.ends_with("src/pairs.txt") || path.ends_with("src/chars.txt");
        if !table && text.len() < 100_000 && !path.to_string_lossy().contains("samples") {
            files.push((path, text));
        }
    }
    files
}

#[test]
fn no_file_is_under_and_the_middle_one_is_at_most_a_fifth_over() {
    let mut ratios = Vec::new();
    for (path, text) in files() {
        let (said, counted) = (estimate(&text), real(&text));
        assert!(said >= counted, "{}: {said} said, {counted} counted", path.display());
        if counted > 0 {
            ratios.push(said as f64 / counted as f64);
        }
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios.len() > 40, "{} files", ratios.len());
    let median = ratios[ratios.len() / 2];
    assert!(median <= 1.2, "the middle file is said to cost {median} times what it costs");
}

#[test]
fn no_sample_is_far_over() {
    for (path, text) in samples() {
        let (said, counted) = (estimate(&text), real(&text));
        assert!(said * 4 <= counted * 7, "{}: {said} said, {counted} counted", path.display());
    }
}

#[test]
fn no_range_of_lines_is_under_or_far_over() {
    for (path, text) in samples() {
        let costs = LineCosts::of(&text);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        assert_eq!(costs.lines() as usize, lines.len());
        for count in [1, 2, 5, 12] {
            for (index, window) in lines.windows(count).enumerate() {
                let (said, counted) = (costs.range(index as u32 + 1, (index + count) as u32), real(&window.concat()));
                let place = format!("{}:{}-{}", path.display(), index + 1, index + count);
                assert!(said >= counted, "{place}: {said} said, {counted} counted");
                assert!(said <= counted * 2 + 8, "{place}: {said} said, {counted} counted");
            }
        }
    }
}

#[test]
fn rows_of_answers_are_never_under() {
    let rows = [
        "12-40 def foo(a: int) -> str  ~420 tokens",
        "  118-164 pub fn apply_edits(&mut self, edits: &[Edit]) -> Result<(), EditError>  ~611 tokens",
        "src/a.rs:10-40",
        "… +17 more",
        "complete",
        "x",
        "}",
    ];
    for row in rows {
        assert!(estimate(row) >= real(row), "{row}");
        assert!(estimate(row) <= real(row) * 2 + 2, "{row}: {}", estimate(row));
    }
}

#[test]
fn nothing_costs_nothing_and_no_line_is_out_of_reach() {
    assert_eq!(estimate(""), 0);
    let none = LineCosts::of("");
    assert_eq!((none.lines(), none.total(), none.range(1, 9)), (0, 0, 0));
    let costs = LineCosts::of("one\ntwo\nthree");
    assert_eq!(costs.range(0, u32::MAX), costs.total());
    assert_eq!(costs.range(4, 9), 0);
    assert_eq!(costs.range(3, 2), 0);
    assert_eq!(costs.total(), estimate("one\ntwo\nthree"));
}

#[test]
fn long_runs_stay_cheap() {
    for (run, at_most) in [(" ", 2_000), ("\n", 3_000), ("-", 2_000), ("=", 2_000), ("─", 6_000)] {
        let text = run.repeat(10_000);
        let (said, counted) = (estimate(&text), real(&text));
        assert!(said >= counted && said <= at_most, "{run:?}: {said} said, {counted} counted");
    }
}
