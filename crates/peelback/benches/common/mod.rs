//! What the benchmarks share that run the program beside another one.
#![allow(dead_code, reason = "each benchmark is a program of its own and uses some of it")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A folder by its whole path.
pub fn dunce(folder: &str) -> PathBuf {
    Path::new(folder).canonicalize().expect("a folder")
}

/// Runs a program to its end.
pub fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.code().is_some_and(|code| code < 2)), "{command:?}");
}

/// How long something takes.
pub fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// `peelback serve` over its standard streams.
pub struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    /// Starts it in a folder with a folder for its cache.
    pub fn start(folder: &Path, cache: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_peelback"));
        command.arg("serve").current_dir(folder).env("PEELBACK_CACHE_DIR", cache);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut server = Self { child, input, output, asked: 0 };
        server.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" },
            }),
        );
        writeln!(server.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .expect("it reads");
        server
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.input, "{message}").expect("it reads");
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it answers") > 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == id {
                return answer;
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
