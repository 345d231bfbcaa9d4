//! Ctrl-C, and what a person sees on a terminal.

use std::fs::File;
use std::io::Read as _;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::scope::desk::{Desk, good};
use crate::scope::server::{BOTH, OPENAI, Reply, Server};
use crate::support::{Project, Run};

/// Sends what Ctrl-C sends.
pub fn interrupt(child: &Child) {
    let id = i32::try_from(child.id()).expect("the number of a process");
    kill(Pid::from_raw(id), Signal::SIGINT).expect("it lives");
}

/// Interrupts a run: what it printed, and how long it took to end.
fn interrupted(child: Child) -> (Run, Duration) {
    let begun = Instant::now();
    interrupt(&child);
    let run = Run::of(&child.wait_with_output().expect("it ends"));
    (run, begun.elapsed())
}

#[track_caller]
fn ended_with_a_document(desk: &Desk, run: &Run, took: Duration) -> peelback_agent::document::Document {
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(run.code, Some(3), "{run:?}");
    let document = desk.document(run);
    let reason = document.front.incomplete.as_deref();
    assert_eq!(reason, Some("the run was interrupted"), "{run:?}");
    assert!(document.section_text("Open Questions").is_some(), "{}", document.body);
    document
}

#[test]
fn while_the_model_explores() {
    for (model, mode) in [(BOTH[0], "pipeline"), (BOTH[1], "pipeline"), (OPENAI, "agent")] {
        let (desk, server) = (Desk::new(), Server::scripted(|_, _| Reply::Stall));
        let mut command = desk.asking(&server, model, &["--mode", mode]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        server.wait_for(1);
        let (run, took) = interrupted(child);
        let document = ended_with_a_document(&desk, &run, took);
        assert!(document.body.contains("marker_of_send"), "the evidence: {}", document.body);
        assert!(run.stderr.contains("interrupted") && run.stderr.contains("perhaps"), "what was spent: {run:?}");
    }
}

#[test]
fn while_the_model_writes_and_nobody_watches() {
    let (desk, server) = (Desk::new(), Server::scripted(|at, _| if at == 0 { good().remove(0) } else { Reply::Stall }));
    let child = desk.asking(&server, OPENAI, &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    server.wait_for(2);
    let (run, took) = interrupted(child.expect("it runs"));
    let document = ended_with_a_document(&desk, &run, took);
    assert!(document.body.contains("Client.send asks pause_before"), "what was found: {}", document.body);
    assert!(document.front.input_tokens.is_some_and(|tokens| tokens > 100), "the first call is told: {run:?}");
}

/// What comes out of a terminal.
struct Terminal {
    shown: Arc<Mutex<String>>,
}

impl Terminal {
    /// A new one, and its other end for a process.
    fn new() -> (Self, Stdio) {
        let pair = nix::pty::openpty(None, None).expect("a terminal");
        let shown: Arc<Mutex<String>> = Arc::default();
        let (mut file, saying) = (File::from(pair.master), Arc::clone(&shown));
        std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            // It ends, by an error on Linux, when the process has closed its end.
            while let Ok(read) = file.read(&mut bytes) {
                if read == 0 {
                    break;
                }
                saying.lock().expect("no panic").push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
        });
        (Self { shown }, Stdio::from(pair.slave))
    }

    fn shown(&self) -> String {
        self.shown.lock().expect("no panic").clone()
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        while !self.shown().contains(text) {
            assert!(Instant::now() < end, "no {text:?} in {}", self.shown());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn what_was_written_by_then_is_kept() {
    let text = "\
## Summary

`Client.send` (`src/client.py:18-27`) tries a parcel several times. Nobody wrote `src/nowhere.py:1-5`.

## Waiting

The pause doubles with each attempt, up to a limit: `pause_before` (`src/backoff.py:7-10`).

```python
pause_before(1)
and this line is cut in its mid";
    for model in BOTH {
        let begins = text.to_owned();
        let server =
            Server::scripted(move |at, _| if at == 0 { good().remove(0) } else { Reply::Begin(begins.clone()) });
        let desk = Desk::new();
        let (terminal, end) = Terminal::new();
        let mut command = desk.asking(&server, model, &[]);
        command.stdout(Stdio::piped()).stderr(end);
        let child = command.spawn().expect("it runs");
        drop(command);
        terminal.wait_for(" characters");
        // The last pieces are on their way.
        std::thread::sleep(Duration::from_millis(200));
        let (run, took) = interrupted(child);
        let document = ended_with_a_document(&desk, &run, took);
        let body = &document.body;
        assert!(body.contains("tries a parcel several times") && body.contains("pause_before(1)"), "{body}");
        assert!(!body.contains("and this line"), "{body}");
        assert!(body.contains("`src/nowhere.py:1-5` (⚠ unverified: "), "{body}");
        assert!(
            document.section_text("Code References").is_some_and(|list| list.contains("src/backoff.py:7-10")),
            "{body}"
        );
        let shown = terminal.shown();
        for phase in ["discovery: ", "exploration: ", "first round", "writing: "] {
            assert!(shown.contains(phase), "{phase}: {shown}");
        }
        assert!(shown.contains("[1 call, ") && shown.contains("src/client.py:Client.send"), "{shown}");
    }
}

#[test]
fn without_a_model_it_ends_at_once() {
    let desk = Desk::of(Project::empty());
    let body: String =
        (0..400).map(|line| format!("def send_parcel_{line}(busy, depot):\n    return busy\n\n")).collect();
    for number in 0..600 {
        desk.project.write(&format!("src/part_{number}.py"), body.replace("send_", &format!("send_{number}_")));
    }
    let root = desk.root();
    let mut command = desk.command();
    command.args(["scope", &root, "-q", crate::scope::desk::QUESTION]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(child.try_wait().expect("a child"), None, "it is at work");
    let (run, took) = interrupted(child);
    assert!(took < Duration::from_secs(2), "{took:?}: {run:?}");
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
    assert!(run.stderr.contains("interrupted") && desk.documents().is_empty(), "{run:?}");
}
