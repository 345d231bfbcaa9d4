//! Ctrl-C and the other signals that ask a run to end, and what a person sees on a terminal.

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
    signal(child, Signal::SIGINT);
}

fn signal(child: &Child, signal: Signal) {
    let id = i32::try_from(child.id()).expect("the number of a process");
    kill(Pid::from_raw(id), signal).expect("it lives");
}

/// Interrupts a run: what it printed, and how long it took to end.
fn interrupted(child: Child) -> (Run, Duration) {
    signalled(child, &[Signal::SIGINT])
}

/// Sends signals to a run, one after the other at once: what it printed, and how long it took to end.
fn signalled(child: Child, signals: &[Signal]) -> (Run, Duration) {
    let begun = Instant::now();
    for (index, one) in signals.iter().enumerate() {
        // Without a pause the system makes one of two equal signals.
        std::thread::sleep(Duration::from_millis(if index > 0 { 30 } else { 0 }));
        signal(&child, *one);
    }
    let run = Run::of(&child.wait_with_output().expect("it ends"));
    (run, begun.elapsed())
}

#[track_caller]
fn ended_with_a_document(desk: &Desk, run: &Run, took: Duration) -> peelback_agent::document::Document {
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(run.code, Some(3), "{run:?}");
    let document = desk.document(run);
    let reason = document.front.incomplete.as_deref();
    assert!(reason.is_some_and(|reason| reason.starts_with("the run was interrupted")), "{run:?}");
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

/// Whether whoever runs the tests ignores SIGHUP, as under `nohup`: then the program ignores it as well.
fn is_hang_up_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn the_signals_of_services_and_of_closed_terminals_end_it_as_ctrl_c_does() {
    use Signal::{SIGHUP, SIGTERM};
    // `timeout` sends SIGTERM twice, and a closing terminal SIGHUP.
    for signals in [&[SIGTERM][..], &[SIGHUP], &[SIGTERM, SIGTERM], &[SIGHUP, SIGHUP], &[SIGHUP, SIGTERM]] {
        if signals.contains(&SIGHUP) && is_hang_up_ignored() {
            continue;
        }
        let (desk, server) =
            (Desk::new(), Server::scripted(|at, _| if at == 0 { good().remove(0) } else { Reply::Stall }));
        let child = desk.asking(&server, OPENAI, &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        server.wait_for(2);
        let (run, took) = signalled(child.expect("it runs"), signals);
        let document = ended_with_a_document(&desk, &run, took);
        assert!(document.body.contains("Client.send asks pause_before"), "{signals:?}: {}", document.body);
        assert!(run.stderr.contains("interrupted") && run.stderr.contains("spent"), "{signals:?}: {run:?}");
    }
}

#[test]
fn a_text_that_broke_off_says_what_its_model_was_not_shown() {
    let desk = crate::scope::budgets::large();
    let names: Vec<String> = (0..15).map(|at| format!("src/depot_00.py:send_parcel_0_{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let first = crate::scope::desk::explored(&names, &[], true);
    let begun = format!("## Summary\n\n{}", "Each depot has its own way to send (`src/depot_00.py:3-17`).\n".repeat(8));
    let server = Server::scripted(move |at, _| if at == 0 { first.clone() } else { Reply::Begin(begun.clone()) });
    let child = desk
        .asking(&server, OPENAI, &["--max-input-tokens", "4000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    server.wait_for(2);
    // The pieces arrive a moment after the request.
    std::thread::sleep(Duration::from_millis(500));
    let (run, took) = interrupted(child);
    let document = ended_with_a_document(&desk, &run, took);
    assert!(document.body.contains("its own way to send"), "{}", document.body);
    let left_out = document.front.left_out.as_deref();
    assert!(left_out.is_some_and(|said| said.contains("not shown to the model: ")), "{left_out:?}");
}

#[test]
fn a_repository_context_is_written_though_the_run_was_told_to_end() {
    let (desk, server) = (Desk::new(), Server::scripted(|_, _| Reply::Stall));
    let mut command = desk.command();
    command.args(["context", &desk.root(), "--model", OPENAI, "--base-url", &server.url()]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    server.wait_for(1);
    let (run, took) = signalled(child, &[Signal::SIGTERM]);
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(run.code == Some(3) && run.stdout.contains("not complete: the run was interrupted"), "{run:?}");
    let documents = desk.documents();
    assert_eq!(documents.len(), 1, "{run:?}");
    let document = std::fs::read_to_string(&documents[0]).expect("a document");
    assert!(document.contains("interrupted"), "{document}");
}

#[cfg(target_os = "linux")]
#[test]
fn under_nohup_a_closed_terminal_changes_nothing() {
    let (desk, server) = (Desk::new(), Server::scripted(|_, _| Reply::Stall));
    let inner = desk.asking(&server, OPENAI, &[]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(inner.get_program()).args(inner.get_args());
    command.current_dir(inner.get_current_dir().expect("a folder"));
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    server.wait_for(1);
    signal(&child, Signal::SIGHUP);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().expect("a child"), None, "it goes on");
    let (run, took) = interrupted(child);
    ended_with_a_document(&desk, &run, took);
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
