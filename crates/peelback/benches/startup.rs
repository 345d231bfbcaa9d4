//! From the start of the process to the first `tools/list` reply over stdio, beside an empty server over the same
//! library: `cargo bench -p peelback --bench startup [-- PAIRS]`. The runs are paired and take turns in going first.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rmcp::transport::io::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt, model};
use serde_json::{Value, json};

/// The argument by which this program becomes the empty server.
const EMPTY: &str = "empty-server";

/// A server without anything to serve.
struct Empty;

impl ServerHandler for Empty {
    fn get_info(&self) -> model::ServerConfig {
        model::ServerConfig::new(model::ServerCapabilities::builder().enable_tools().build())
    }
}

fn serve_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let running = Empty.serve(stdio_pipes()).await.expect("a client");
        running.waiting().await.expect("no panic");
    });
}

/// The messages of a client before 2026-07-28, or of one after it, up to its list of tools.
fn messages(newer: bool) -> String {
    let list = |params: Value| json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": params });
    if newer {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        return format!("{}\n", list(json!({ "_meta": meta })));
    }
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" },
        },
    });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    format!("{hello}\n{ready}\n{}\n", list(json!({})))
}

fn timed(mut command: Command, messages: &str) -> Duration {
    let begin = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the server starts");
    let mut input = child.stdin.take().expect("its input");
    input.write_all(messages.as_bytes()).expect("it reads");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let found = lines.any(|line| line.is_ok_and(|line| line.contains("\"tools\":[") && line.contains("\"id\":2")));
    let took = begin.elapsed();
    assert!(found, "a list of tools");
    drop(input);
    child.wait().expect("it ends");
    took
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn main() {
    if std::env::args().any(|argument| argument == EMPTY) {
        return serve_nothing();
    }
    let pairs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(100);
    let peelback = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_peelback"));
        command.arg("serve");
        command
    };
    let empty = || {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg(EMPTY);
        command
    };
    for newer in [false, true] {
        let messages = messages(newer);
        let mut times: Vec<(f64, f64)> = Vec::new();
        // The first pair brings both programs into memory.
        for pair in 0..=pairs {
            let (own, other) = if pair % 2 == 0 {
                let own = timed(peelback(), &messages);
                (own, timed(empty(), &messages))
            } else {
                let other = timed(empty(), &messages);
                (timed(peelback(), &messages), other)
            };
            if pair > 0 {
                times.push((ms(own), ms(other)));
            }
        }
        println!(
            "{}: peelback {:.2} ms, empty {:.2} ms, ratio of the pairs {:.2} (medians of {pairs} pairs)",
            if newer { "2026-07-28" } else { "2025-11-25" },
            median(times.iter().map(|(own, _)| *own).collect()),
            median(times.iter().map(|(_, other)| *other).collect()),
            median(times.iter().map(|(own, other)| own / other).collect()),
        );
    }
}
