//! A file of one line of 50 MB: bounded time, bounded memory. Alone in its file, so that the peak is this test's.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]
#![cfg(target_os = "linux")]

#[path = "it/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use support::Project;

const SIZE: usize = 50 * 1024 * 1024;

#[test]
fn a_line_of_fifty_megabytes() {
    let project = Project::empty();
    project.write("good.py", "def good(): pass\n");
    let unit = b"var a=function(b){return b+1};";
    project.write("bundle.js", unit.repeat(SIZE / unit.len()));
    for (call, expected) in [
        ("outline bundle.js", "over the size limit for parsing"),
        ("read-file bundle.js", "over the size limit for parsing"),
        ("read-lines bundle.js 1", "1 line of more than 2000 characters shown in part"),
        ("read-file bundle.js --raw", "1 line of more than 2000 characters shown in part"),
        ("grep return bundle.js", "1 line matching in 1 file"),
        ("tree", "bundle.js  javascript  1 line  ~"),
        ("outline", "def good()"),
        ("find-symbols good", "def good()"),
        ("find-files good", "good.py"),
    ] {
        let start = Instant::now();
        let run = project.run(call);
        let took = start.elapsed();
        assert!(run.stdout.contains(expected), "{call}: {}", run.stdout.get(..2_000).unwrap_or(&run.stdout));
        assert!(run.stdout.len() < 8_192, "{call} printed {} bytes", run.stdout.len());
        // Far from the second or two that it takes alone, so that a busy machine does not fail it, and far from a hang.
        assert!(took < Duration::from_secs(30), "{call} took {took:?}");
    }
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage").max_rss() as usize * 1024;
    assert!(peak < 4 * SIZE, "the peak was {} MB", peak / 1024 / 1024);
}
