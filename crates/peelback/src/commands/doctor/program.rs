//! The check of the `peelback` program that a host (a client of the MCP server, such as an editor) would start.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::report::{Finding, Level};

/// The time limit for a program to print its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// Checks whether `peelback` is on the PATH and is this program.
pub(super) fn check_own_program_on_path() -> Finding {
    let own_path = std::env::current_exe().ok();
    let own_path_text = own_path.as_ref().map_or_else(|| "this program".to_owned(), |path| path.display().to_string());
    let Ok(path_on_path) = which::which("peelback") else {
        return Finding::new(Level::Problem, "program", "no peelback on PATH: hosts could not start it").with_advice(
            format!("add its folder to PATH, or give its full path: peelback setup HOST --command {own_path_text}"),
        );
    };
    let is_same_file = |own: &Path| dunce::canonicalize(own).ok() == dunce::canonicalize(&path_on_path).ok();
    let current = env!("CARGO_PKG_VERSION");
    if own_path.as_deref().is_some_and(is_same_file) {
        return Finding::new(Level::Ok, "program", format!("peelback {current} at {}", path_on_path.display()));
    }
    match first_line_of_version_output(&path_on_path) {
        Some(version) if version == format!("peelback {current}") => Finding::new(
            Level::Ok,
            "program",
            format!("{version} at {}; this one is {own_path_text}", path_on_path.display()),
        ),
        Some(version) => Finding::new(
            Level::Problem,
            "program",
            format!("PATH has another one: {version} at {}, and this is {current}", path_on_path.display()),
        )
        .with_advice(format!("replace it by {own_path_text}")),
        None => Finding::new(Level::Problem, "program", format!("{} does not say its version", path_on_path.display()))
            .with_advice(format!("replace it by {own_path_text}")),
    }
}

/// The first line of a program's output for `--version`; `None` where the program fails or exceeds the time limit.
fn first_line_of_version_output(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > VERSION_TIMEOUT {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().ok().filter(|output| output.status.success())?;
    // A program's version is short: the rest of a longer output line is dropped.
    let line: String = String::from_utf8_lossy(&output.stdout).lines().next()?.chars().take(80).collect();
    Some(line.trim().to_owned())
}
