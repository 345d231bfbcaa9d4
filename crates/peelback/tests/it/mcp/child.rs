//! The program as a child that is spoken to in lines of JSON.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Project;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// `peelback serve`, and what it wrote.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    log: Option<JoinHandle<()>>,
    said: Arc<Mutex<String>>,
    next_id: i64,
    /// Messages that were no answer to the last request, in their order.
    pub others: Vec<Value>,
}

impl Server {
    /// Starts `peelback serve` in the root of `project`.
    pub fn start(project: &Project, flags: &[&str]) -> Self {
        let mut command = project.command();
        command.arg("serve").args(flags);
        Self::of(command)
    }

    /// Starts a command that serves.
    pub fn of(command: Command) -> Self {
        Self::of_with(command, &[])
    }

    /// Starts a command that serves, with variables of its environment.
    pub fn of_with(mut command: Command, variables: &[(&str, &str)]) -> Self {
        command.envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let output = child.stdout.take().expect("its output");
        let errors = child.stderr.take().expect("its errors");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let said: Arc<Mutex<String>> = Arc::default();
        let saying = said.clone();
        let log = std::thread::spawn(move || {
            let mut errors = BufReader::new(errors);
            let mut line = String::new();
            while errors.read_line(&mut line).is_ok_and(|read| read > 0) {
                saying.lock().expect("no panic").push_str(&line);
                line.clear();
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, log: Some(log), said, next_id: 0, others: Vec::new() }
    }

    /// The same, after the handshake of the protocol before 2026-07-28.
    pub fn greeted(project: &Project, flags: &[&str]) -> Self {
        let mut server = Self::start(project, flags);
        server.greet();
        server
    }

    /// The handshake of the protocol before 2026-07-28; the server's answer.
    pub fn greet(&mut self) -> Value {
        let result = self.result(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        self.notify("notifications/initialized", json!({}));
        result
    }

    /// Writes one message.
    pub fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("the server reads");
    }

    /// Writes one line, whatever it is.
    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the server reads");
    }

    /// Writes one line of any bytes.
    pub fn send_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input
            .write_all(line)
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush())
            .expect("the server reads");
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting; its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    /// The answer to the request `id`.
    #[track_caller]
    pub fn answer_to(&mut self, id: i64) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let message = self.next(end.saturating_duration_since(Instant::now())).expect("an answer in time");
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message;
            }
            self.others.push(message);
        }
    }

    /// The next message, if one comes in time.
    pub fn next(&mut self, patience: Duration) -> Option<Value> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the server ended: {}", self.all_said())
            }
        }
    }

    /// Sends a request and waits for what it gives.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer_to(id)
    }

    /// The result of a request.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool: the result.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool: the text, and whether it is an error.
    #[track_caller]
    pub fn text(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        text_of(&self.call(tool, arguments))
    }

    /// Closes the input.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end of the process; `None` where it lives on.
    pub fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + patience;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    /// Closes the input, and gives what the server wrote to standard error once it has ended.
    pub fn log(mut self) -> String {
        self.hang_up();
        self.end(PATIENCE).expect("it ends");
        self.all_said()
    }

    /// What the server wrote to standard error until it closed it.
    fn all_said(&mut self) -> String {
        if let Some(log) = self.log.take() {
            log.join().expect("the log");
        }
        self.said.lock().expect("no panic").clone()
    }

    /// Waits until the server has written `text` to standard error.
    #[track_caller]
    pub fn wait_for_log(&self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.said.lock().expect("no panic").contains(text) {
            assert!(Instant::now() < end, "no {text:?} in {}", self.said.lock().expect("no panic"));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The one text of a call's result, and whether it is an error.
#[track_caller]
pub fn text_of(result: &Value) -> (String, bool) {
    let content = result["content"].as_array().expect("content");
    assert_eq!(content.len(), 1, "{result}");
    let text = content[0]["text"].as_str().expect("a text").to_owned();
    (text, result["isError"].as_bool().expect("isError"))
}

/// What each request of 2026-07-28 carries.
pub fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
