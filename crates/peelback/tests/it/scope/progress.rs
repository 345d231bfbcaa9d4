//! Progress where standard error is no terminal: a line every few seconds while something runs or waits.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::scope::budgets::{large, script};
use crate::scope::desk::Desk;
use crate::scope::server::{OPENAI, Reply, Server};

/// The time in which at least one line is promised, and some more for a machine that has much to do.
const PROMISED: Duration = Duration::from_millis(5_900);

/// Runs a command until it has printed so many lines of progress, and interrupts it. Returns the lines, after checking
/// the time before each of them.
#[track_caller]
fn lines_of_progress(command: &mut Command, count: usize) -> Vec<String> {
    let mut child: Child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    let (sender, receiver) = mpsc::channel();
    let stderr = BufReader::new(child.stderr.take().expect("standard error"));
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let mut lines: Vec<String> = Vec::new();
    while lines.len() < count {
        let begun = Instant::now();
        match receiver.recv_timeout(PROMISED) {
            Ok(line) if line.starts_with("progress: ") => lines.push(line),
            Ok(line) => panic!("{line:?} after {lines:?}"),
            Err(_) => panic!("nothing for {:?} after {lines:?}", begun.elapsed()),
        }
    }
    crate::scope::interrupt::interrupt(&child);
    child.wait().expect("it ends");
    lines
}

/// The seconds of a line for which the call still waits.
fn seconds_left(line: &str) -> u64 {
    let words = line.split_once("waiting for ").unwrap_or_else(|| panic!("{line}")).1;
    words.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn a_wait_for_the_rate_limit_says_how_long_and_why() {
    // The first call takes most of the minute.
    let (desk, server) = (large(), Server::scripted(script));
    let lines = lines_of_progress(&mut desk.asking(&server, OPENAI, &["--tpm", "11000"]), 3);
    let waiting: Vec<&String> = lines.iter().filter(|line| line.contains("waiting for ")).collect();
    assert!(waiting.len() >= 2, "{lines:?}");
    for line in &waiting {
        assert!(line.contains("the limit is 11000 tokens a minute (--tpm)") && line.contains("[1 call, "), "{line}");
        assert!(line.contains(" were used") && line.contains("the next call needs up to "), "{line}");
    }
    let left: Vec<u64> = waiting.iter().map(|line| seconds_left(line)).collect();
    assert!(left[0] <= 60 && left[0] > left[1] && left[1] > 30, "{left:?}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_reply_that_takes_long_is_told_too() {
    for command in ["scope", "context"] {
        let (desk, server) = (Desk::new(), Server::scripted(|_, _| Reply::Stall));
        let mut run = desk.command();
        run.args([command, &desk.root(), "--model", OPENAI, "--base-url", &server.url()]);
        if command == "scope" {
            run.args(["-q", "How are parcels sent?"]);
        }
        let lines = lines_of_progress(&mut run, 2);
        let phase = if command == "scope" { ", exploration: " } else { "the files" };
        assert!(lines.iter().all(|line| line.contains(phase)), "{lines:?}");
    }
}
