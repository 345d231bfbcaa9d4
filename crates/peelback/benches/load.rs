//! Many clients at once over HTTP: `cargo bench -p peelback --bench load -- FOLDER [CALLS] [CLIENTS]`.
//!
//! Every reply must be the one to its own request: each call carries a marker that its answer repeats. The run is made
//! twice: by itself, and while a client process is killed in the middle of a call, 100 times.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::convert::Infallible;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use peelback_code::{Project, WalkOptions};
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// The argument by which this program becomes the client that is killed.
const VICTIM: &str = "victim";

const KILLS: usize = 100;

/// A call, and what its answer must hold.
struct Planned {
    tool: &'static str,
    arguments: Value,
    marker: String,
}

/// The mix: every tool, cheap calls and ones that read the whole project.
fn plan(files: &[String], index: usize) -> Planned {
    let file = &files[index * 7919 % files.len()];
    let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let word = format!("marker{index}x");
    let (tool, arguments, marker) = match index % 10 {
        0 => ("grep", json!({ "pattern": format!("{word}|return") }), word),
        1 => ("find_symbols", json!({ "name": word }), word),
        2 => ("read_symbol", json!({ "path": file, "name": word }), word),
        3 => ("find_files", json!({ "query": format!("{word} parse") }), word),
        4 => ("outline", json!({ "path": file }), file.clone()),
        5 => ("read_file", json!({ "path": file }), file.clone()),
        6 => ("read_lines", json!({ "path": file, "ranges": ["1-20"] }), file.clone()),
        7 => ("tree", json!({ "path": folder, "depth": 1 }), folder.to_owned()),
        8 => ("search_tools", json!({ "query": word }), word),
        _ => ("read_lines", json!({ "path": format!("{word}.rs"), "ranges": ["1"] }), word),
    };
    Planned { tool, arguments, marker }
}

fn body(id: usize, tool: &str, arguments: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

/// The head of a call's request.
const HEADERS: [(&str, &str); 4] = [
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
    ("MCP-Protocol-Version", "2026-07-28"),
    ("Mcp-Method", "tools/call"),
];

type Sender = SendRequest<Full<Bytes>>;

async fn connect(address: &str) -> Sender {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("a handshake");
    tokio::spawn(connection);
    sender
}

/// One call; what is wrong with the reply, if anything is.
async fn call(sender: &mut Sender, address: &str, id: usize, planned: &Planned) -> Result<(), String> {
    let mut request = Request::post("/mcp").header("Host", address).header("Mcp-Name", planned.tool);
    for (name, value) in HEADERS {
        request = request.header(name, value);
    }
    let request = request.body(Full::from(body(id, planned.tool, &planned.arguments))).expect("a request");
    let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
    let status = response.status();
    let bytes = response.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
    let message: Value = serde_json::from_slice(&bytes).map_err(|error| format!("{status}: {error}"))?;
    let text = message["result"]["content"][0]["text"].as_str().unwrap_or("");
    if message["id"] != json!(id) || message["result"]["isError"] != json!(false) || !text.contains(&planned.marker) {
        return Err(format!("{} {}: no {} in {message:.300}", planned.tool, planned.arguments, planned.marker));
    }
    Ok(())
}

/// Makes all calls; prints what they took and gives the number of those that failed.
async fn run(address: &str, files: Arc<Vec<String>>, calls: usize, clients: usize) -> usize {
    let next = Arc::new(AtomicUsize::new(0));
    let begin = Instant::now();
    let mut tasks = Vec::new();
    for _ in 0..clients {
        let (address, files, next) = (address.to_owned(), files.clone(), next.clone());
        tasks.push(tokio::spawn(async move {
            let mut sender = connect(&address).await;
            let mut took: Vec<Duration> = Vec::new();
            let mut failures = Vec::new();
            loop {
                let id = next.fetch_add(1, Ordering::Relaxed);
                if id >= calls {
                    return (took, failures);
                }
                let planned = plan(&files, id);
                let begin = Instant::now();
                failures.extend(call(&mut sender, &address, id, &planned).await.err());
                took.push(begin.elapsed());
            }
        }));
    }
    let mut took: Vec<Duration> = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    for task in tasks {
        let (mine, failed) = task.await.expect("no panic");
        took.extend(mine);
        failures.extend(failed);
    }
    let wall = begin.elapsed();
    took.sort();
    let at = |share: f64| took.get((took.len() as f64 * share) as usize).copied().unwrap_or_default().as_millis();
    println!(
        "{} calls from {clients} clients in {:.1} s: p50 {} ms, p99 {} ms, longest {} ms; {} failures",
        took.len(),
        wall.as_secs_f64(),
        at(0.5),
        at(0.99),
        at(0.9999),
        failures.len()
    );
    for failure in failures.iter().take(10) {
        println!("  {failure}");
    }
    failures.len()
}

/// The client that is killed: sends a call that reads the whole project, and says so.
fn victim(address: &str) -> Result<Infallible, std::io::Error> {
    let body = body(0, "find_symbols", &json!({ "name": "new", "include_body": true }));
    let mut head = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nMcp-Name: find_symbols\r\n");
    for (name, value) in HEADERS {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = std::net::TcpStream::connect(address)?;
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len())?;
    println!("sent");
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

/// Kills clients in the middle of their call; how many.
fn kill_clients(address: &str) -> usize {
    let mut killed = 0;
    for index in 0..KILLS {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let mut child = command.args([VICTIM, address]).stdout(Stdio::piped()).spawn().expect("a client");
        let mut line = String::new();
        let sent = BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line);
        assert!(sent.is_ok() && line == "sent\n", "{line}");
        std::thread::sleep(Duration::from_millis(1 + index as u64 * 7 % 60));
        child.kill().expect("it lives");
        child.wait().expect("it ends");
        killed += 1;
    }
    killed
}

/// The largest memory that the process has held, as the system counts it.
fn peak(server: &Child) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_owned(), |line| line.trim().to_owned())
}

fn files(folder: &Path) -> Vec<String> {
    let project = Project::discover(Some(folder), None).expect("a folder");
    let set = project.files_in_scope(None, &WalkOptions::default()).expect("files");
    let is_source = |path: &String| [".rs", ".py", ".ts", ".js", ".go"].iter().any(|end| path.ends_with(end));
    set.entries.into_iter().map(|entry| entry.path).filter(is_source).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [first, address] = arguments.as_slice()
        && first == VICTIM
    {
        let Err(error) = victim(address);
        panic!("{error}");
    }
    let Some(folder) = arguments.first().map(PathBuf::from) else {
        println!("usage: cargo bench -p peelback --bench load -- FOLDER [CALLS] [CLIENTS]");
        return;
    };
    let number = |index: usize, usual| arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (calls, clients) = (number(1, 1000), number(2, 32));
    let files = Arc::new(files(&folder));
    println!("{} source files in {}", files.len(), folder.display());

    let mut server = Command::new(env!("CARGO_BIN_EXE_peelback"));
    server.args(["serve", "--http", "127.0.0.1:0", "--root"]).arg(&folder).stderr(Stdio::piped());
    let mut server = server.spawn().expect("the server starts");
    let mut line = String::new();
    let mut log = BufReader::new(server.stderr.take().expect("its errors"));
    log.read_line(&mut line).expect("its address");
    let address = line.trim().trim_start_matches("listening on http://").trim_end_matches("/mcp").to_owned();
    std::thread::spawn(move || log.lines().map_while(Result::ok).for_each(|line| println!("  server: {line}")));

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut failures = runtime.block_on(run(&address, files.clone(), calls, clients));
    println!("peak memory of the server {}", peak(&server));
    let at = address.clone();
    let killer = std::thread::spawn(move || kill_clients(&at));
    failures += runtime.block_on(run(&address, files, calls, clients));
    println!("{} clients killed in the middle of a call", killer.join().expect("no panic"));
    println!("peak memory of the server {}", peak(&server));
    server.kill().expect("it lives");
    server.wait().expect("it ends");
    assert_eq!(failures, 0, "every reply is the one to its request");
}
