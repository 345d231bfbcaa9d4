//! The end of a process by a signal: no clone is left. It concerns all clones of a process, so it has one of its own.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

#[path = "git/server.rs"]
mod server;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use peelback_agent::source::{OpenOptions, Source, SourceError, open_code_source, remove_all_clones};
use server::{GitServer, ServerBehaviour};

fn git(folder: &Path, arguments: &[&str]) {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let out = Command::new("git").args(settings).args(arguments).current_dir(folder).output().expect("git runs");
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn no_clone_is_left() {
    let fixture = tempfile::tempdir().expect("a folder");
    git(fixture.path(), &["init", "--quiet", "--initial-branch=main", "tool"]);
    let work = fixture.path().join("tool");
    fs::write(work.join("main.rs"), "fn main() {}\n").expect("a file");
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "one"]);
    let place = tempfile::tempdir().expect("a folder");
    let options = OpenOptions {
        temporary_folder: place.path().to_owned(),
        working_folder: place.path().to_owned(),
        deadline: Duration::from_secs(30),
        ..OpenOptions::default()
    };
    let left = || fs::read_dir(place.path()).expect("a folder").count();
    let source = Source::parse(&format!("file://{}", work.display())).expect("a URL");
    remove_all_clones();

    // Two in use, and one that is on its way.
    let served = GitServer::start(fixture.path(), ServerBehaviour::Open);
    let other = Source::parse(&served.url("tool")).expect("a URL");
    let (first, second) =
        (open_code_source(&source, &options).expect("a clone"), open_code_source(&other, &options).expect("a clone"));
    let server = GitServer::start(fixture.path(), ServerBehaviour::Stalling);
    thread::scope(|scope| {
        let running = Source::parse(&server.url("tool")).expect("a URL");
        let options = &options;
        let running = scope.spawn(move || open_code_source(&running, options));
        let begun = Instant::now();
        while !server.waits.load(Ordering::SeqCst) {
            assert!(begun.elapsed() < Duration::from_secs(20), "it took too long");
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(left(), 3);
        let begun = Instant::now();
        thread::scope(|threads| {
            threads.spawn(remove_all_clones);
            threads.spawn(remove_all_clones);
        });
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert_eq!(left(), 0);
        let ended = running.join().expect("a thread");
        assert!(matches!(ended, Err(SourceError::Cancelled)), "{ended:?}");
    });
    assert!(!first.root.exists());
    remove_all_clones();
    // What is begun later is not concerned, and goes with its guard.
    let third = open_code_source(&source, &options).expect("a clone");
    assert!(third.root.join("main.rs").exists());
    drop((first, second));
    assert_eq!(left(), 1);
    drop(third);
    assert_eq!(left(), 0);
}
