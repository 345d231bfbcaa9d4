//! The estimate compared with the o200k tokenizer, on this workspace's sources and on samples of many kinds of text.

use std::path::{Path, PathBuf};

use peelback_tokens::{LineCosts, estimate_tokens};

use crate::exact_tokens;

/// The UTF-8 files below `folder` with their contents, sorted by path.
fn read_text_files(folder: &Path) -> Vec<(PathBuf, String)> {
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

fn sample_files() -> Vec<(PathBuf, String)> {
    read_text_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples"))
}

/// This crate's samples, and the sources and fixtures of all crates of the workspace.
fn workspace_files() -> Vec<(PathBuf, String)> {
    let mut files = sample_files();
    for (path, text) in read_text_files(Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates' folder")) {
        // The two tables hold codes, not text that anybody reads.
        let table = path.ends_with("src/pairs.txt") || path.ends_with("src/chars.txt");
        if !table && text.len() < 100_000 && !path.to_string_lossy().contains("samples") {
            files.push((path, text));
        }
    }
    files
}

#[test]
fn no_file_is_underestimated_and_the_median_is_at_most_a_fifth_over() {
    let mut ratios = Vec::new();
    for (path, text) in workspace_files() {
        let (estimated, exact) = (estimate_tokens(&text), exact_tokens(&text));
        assert!(estimated >= exact, "{}: {estimated} estimated, {exact} counted", path.display());
        if exact > 0 {
            ratios.push(estimated as f64 / exact as f64);
        }
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios.len() > 40, "{} files", ratios.len());
    let median = ratios[ratios.len() / 2];
    assert!(median <= 1.2, "the median estimate is {median} times the exact count");
}

#[test]
fn no_sample_is_overestimated_by_more_than_three_quarters() {
    for (path, text) in sample_files() {
        let (estimated, exact) = (estimate_tokens(&text), exact_tokens(&text));
        assert!(estimated * 4 <= exact * 7, "{}: {estimated} estimated, {exact} counted", path.display());
    }
}

#[test]
fn no_range_of_lines_is_underestimated_or_estimated_at_more_than_double() {
    for (path, text) in sample_files() {
        let costs = LineCosts::new(&text);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        assert_eq!(costs.line_count() as usize, lines.len());
        for count in [1, 2, 5, 12] {
            for (index, window) in lines.windows(count).enumerate() {
                let (estimated, exact) = (
                    costs.estimated_tokens_in_lines(index as u32 + 1, (index + count) as u32),
                    exact_tokens(&window.concat()),
                );
                let place = format!("{}:{}-{}", path.display(), index + 1, index + count);
                assert!(estimated >= exact, "{place}: {estimated} estimated, {exact} counted");
                assert!(estimated <= exact * 2 + 8, "{place}: {estimated} estimated, {exact} counted");
            }
        }
    }
}

#[test]
fn rows_of_answers_are_never_underestimated() {
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
        assert!(estimate_tokens(row) >= exact_tokens(row), "{row}");
        assert!(estimate_tokens(row) <= exact_tokens(row) * 2 + 2, "{row}: {}", estimate_tokens(row));
    }
}

#[test]
fn an_empty_text_costs_nothing_and_missing_lines_are_ignored() {
    assert_eq!(estimate_tokens(""), 0);
    let none = LineCosts::new("");
    assert_eq!((none.line_count(), none.estimated_total_tokens(), none.estimated_tokens_in_lines(1, 9)), (0, 0, 0));
    let costs = LineCosts::new("one\ntwo\nthree");
    assert_eq!(costs.estimated_tokens_in_lines(0, u32::MAX), costs.estimated_total_tokens());
    assert_eq!(costs.estimated_tokens_in_lines(4, 9), 0);
    assert_eq!(costs.estimated_tokens_in_lines(3, 2), 0);
    assert_eq!(costs.estimated_total_tokens(), estimate_tokens("one\ntwo\nthree"));
}

#[test]
fn long_runs_of_one_character_stay_within_their_bounds() {
    for (run, at_most) in [(" ", 2_000), ("\n", 3_000), ("-", 2_000), ("=", 2_000), ("─", 6_000)] {
        let text = run.repeat(10_000);
        let (estimated, exact) = (estimate_tokens(&text), exact_tokens(&text));
        assert!(estimated >= exact && estimated <= at_most, "{run:?}: {estimated} estimated, {exact} counted");
    }
}
