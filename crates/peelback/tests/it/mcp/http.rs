//! Over HTTP: the protocol, and what is kept out.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use peelback::serve::http::{HttpOptions, bind_listener_and_print_address, serve_http};
use serde_json::{Value, json};

use crate::mcp::child::{meta, text_of};
use crate::mcp::corpus::{calls, slow, slow_call, small, without_calls};
use crate::support::Project;

/// The program serving HTTP on a port of the system's choice.
pub(super) struct HttpServer {
    child: Child,
    address: SocketAddr,
    log: BufReader<ChildStderr>,
}

impl HttpServer {
    fn start(project: &Project, flags: &[&str], token: Option<&str>) -> Self {
        let mut command = project.command();
        command.args(["serve", "--http", "127.0.0.1:0"]).args(flags);
        Self::of(command, token)
    }

    /// Starts a command that serves HTTP.
    pub(super) fn of(mut command: Command, token: Option<&str>) -> Self {
        if let Some(token) = token {
            command.env("PEELBACK_HTTP_TOKEN", token);
        }
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut log = BufReader::new(child.stderr.take().expect("its errors"));
        let address = loop {
            let mut line = String::new();
            assert!(log.read_line(&mut line).expect("a line") > 0, "the server ended");
            if let Some((_, rest)) = line.split_once("listening on http://") {
                let (address, _) = rest.split_once("/mcp").expect("the path");
                break address.parse().expect("an address");
            }
        };
        Self { child, address, log }
    }

    /// The head of a request as a well-behaved client sends it, without its last line.
    fn head(&self, method: &str, path: &str, length: usize) -> String {
        request_head(method, path, length)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        stream
    }

    /// Posts `body` with more header lines: status and body.
    fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> (u16, String) {
        let (head, body) = post_to(self.address, path, headers, body);
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, body)
    }

    /// A request of 2026-07-28: status and message.
    fn newer(&self, method: &str, params: Value, headers: &[(&str, &str)]) -> (u16, Value) {
        let name = params["name"].as_str().map(str::to_owned);
        let mut all: Vec<(&str, &str)> = name.iter().map(|name| ("Mcp-Name", name.as_str())).collect();
        all.extend(headers);
        self.newer_with(meta(), method, params, &all)
    }

    /// A request of 2026-07-28 with `meta`: status and message.
    pub(super) fn newer_with(
        &self,
        meta: Value,
        method: &str,
        mut params: Value,
        headers: &[(&str, &str)],
    ) -> (u16, Value) {
        params["_meta"] = meta;
        let mut all = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        all.extend(headers);
        let (status, body) = self.post("/mcp", &all, &request(method, params));
        (status, message(&body))
    }

    /// Status of a plain request with these header lines.
    fn status(&self, headers: &[(&str, &str)]) -> u16 {
        self.newer("tools/list", json!({}), headers).0
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request_head(method: &str, path: &str, length: usize) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Connection: close\r\nContent-Length: {length}\r\n"
    )
}

/// Posts `body` with more header lines over a connection of its own: the head and the body of the response.
pub(super) fn post_to(address: SocketAddr, path: &str, headers: &[(&str, &str)], body: &Value) -> (String, String) {
    let body = body.to_string();
    let mut head = request_head("POST", path, body.len());
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("the server reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    (head.to_owned(), if chunked { unchunked(body) } else { body.to_owned() })
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

fn unchunked(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).expect("a length");
        out.push_str(&rest[..length]);
        body = rest[length..].trim_start_matches("\r\n");
    }
    out
}

/// The answer in a body: JSON, or the last event of a stream.
pub(super) fn message(body: &str) -> Value {
    let text = body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap_or(body);
    serde_json::from_str(text).unwrap_or(Value::Null)
}

#[test]
fn each_tool_answers_as_on_the_command_line() {
    let project = small();
    let server = HttpServer::start(&project, &[], None);
    let (status, listed) = server.newer("tools/list", json!({}), &[]);
    assert_eq!(status, 200);
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(peelback_tools::all_tools().len()));
    for (tool, arguments, line) in calls() {
        let (status, answer) = server.newer("tools/call", json!({ "name": tool, "arguments": arguments }), &[]);
        assert_eq!((status, &answer["id"]), (200, &json!(7)), "{answer}");
        let run = project.run(line);
        let text = text_of(&answer["result"]).0;
        assert_eq!(without_calls(&text), without_calls(&(run.stdout + &run.stderr)), "{line}");
    }
}

#[test]
fn clients_from_before_2026_are_served_without_a_session() {
    let project = small();
    let server = HttpServer::start(&project, &[], None);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let (status, body) = server.post("/mcp", &[], &request("initialize", hello));
    assert_eq!((status, &message(&body)["result"]["protocolVersion"]), (200, &json!("2025-11-25")), "{body}");
    let version = ("MCP-Protocol-Version", "2025-11-25");
    let called = request("tools/call", json!({ "name": "tree", "arguments": {} }));
    let (status, body) = server.post("/mcp", &[version], &called);
    assert_eq!(status, 200, "{body}");
    assert!(text_of(&message(&body)["result"]).0.contains("src/"), "{body}");
}

#[test]
fn without_a_session_errors_are_short_each_time() {
    let project = small();
    let server = HttpServer::start(&project, &[], None);
    // The server keeps no sessions, whatever a client sends.
    for headers in [&[][..], &[], &[("Mcp-Session-Id", "one")], &[("Mcp-Session-Id", "one")]] {
        let wrong = json!({ "name": "tree", "arguments": { "depht": 1 } });
        let (status, answer) = server.newer("tools/call", wrong, headers);
        let (text, is_error) = text_of(&answer["result"]);
        assert!(status == 200 && is_error && text.contains("did you mean depth?"), "{answer}");
        assert!(
            !text.contains("examples:") && text.ends_with("docs of tree:\nsearch_tools {\"query\":\"tree\"}\n"),
            "{text}"
        );
    }
}

#[test]
fn a_foreign_page_is_kept_out() {
    let project = small();
    let server = HttpServer::start(&project, &[], None);
    let port = server.address.port();
    let own = format!("http://127.0.0.1:{port}");
    assert_eq!(server.status(&[("Origin", &own)]), 200);
    assert_eq!(server.status(&[("Origin", &format!("http://localhost:{port}"))]), 200);
    for origin in ["http://evil.example", "http://127.0.0.1:1", "null", "http://localhost.evil.example"] {
        assert_eq!(server.status(&[("Origin", origin)]), 403, "{origin}");
    }
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example"] {
        assert_eq!(server.status(&[("Host", host)]), 403, "{host}");
    }
    assert_eq!(server.status(&[("Host", &format!("localhost:{port}"))]), 200);
    let (status, body) = server.post("/other", &[], &json!({}));
    assert!(status == 404 && body.contains("/mcp"), "{status} {body}");
}

#[tokio::test]
async fn a_body_that_trickles_holds_no_connection() {
    let mut options = HttpOptions::new("0", None, Vec::new()).expect("the loopback");
    options.body_timeout = Duration::from_millis(300);
    let listener = bind_listener_and_print_address(&options).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { serve_http(Idle, listener, &options).await });
    let asked = move |length: usize, body: String| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        let head =
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream";
        let head = format!("{head}\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{body}");
        stream.write_all(head.as_bytes()).expect("the server reads");
        let mut answer = Vec::new();
        // The end of the connection, not only of the answer.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
    let slow = tokio::task::spawn_blocking(move || asked(100, "{".to_owned())).await.expect("no panic");
    assert!(slow.starts_with("HTTP/1.1 408 "), "{slow}");
    let long = tokio::task::spawn_blocking(move || asked(2 << 20, " ".repeat((1 << 20) + 1))).await.expect("no panic");
    assert!(long.starts_with("HTTP/1.1 413 "), "{long}");
}

/// A handler that nobody asks.
#[derive(Clone)]
struct Idle;

impl rmcp::ServerHandler for Idle {}

#[test]
fn a_token_is_checked_on_every_request() {
    const TOKEN: &str = "0123456789abcdef0123";
    let project = small();
    project.write("token", format!("{TOKEN}\n"));
    let from_file = HttpServer::start(&project, &["--token-file", "token"], None);
    let from_variable = HttpServer::start(&project, &[], Some(TOKEN));
    for server in [from_file, from_variable] {
        assert_eq!(server.status(&[]), 401);
        assert_eq!(server.status(&[("Authorization", "Bearer 0123456789abcdef0124")]), 401);
        assert_eq!(server.status(&[("Authorization", TOKEN)]), 401);
        assert_eq!(server.status(&[("Authorization", &format!("Bearer {TOKEN}"))]), 200);
        // The token does not open the other doors.
        let right = format!("Bearer {TOKEN}");
        assert_eq!(server.status(&[("Authorization", &right), ("Origin", "http://evil.example")]), 403);
    }
}

#[test]
fn off_the_loopback_nothing_starts_without_a_token() {
    let project = small();
    let start = |flags: &str| {
        let mut command: Command = project.command();
        command.arg("serve").args(flags.split_whitespace());
        crate::support::Run::of(&command.output().expect("it ends"))
    };
    project.write("token", "short");
    project.write("good", "0123456789abcdef0123");
    for (flags, advice) in [
        ("--http 0.0.0.0:0", "--token-file"),
        ("--http 192.0.2.1:80", "--token-file"),
        ("--http [::]:0", "--token-file"),
        ("--http 0.0.0.0:0 --token-file good", "--allow-host"),
        ("--http 127.0.0.1:0 --token-file token", "openssl"),
        ("--http 127.0.0.1:0 --token-file missing", "missing"),
        ("--http nowhere", "127.0.0.1:8080"),
        ("--token-file good", "--http"),
        ("--http 127.0.0.1:0 --token-file .", "regular file"),
    ] {
        let run = start(flags);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{flags}: {run:?}");
        assert!(run.stderr.contains(advice), "{flags}: {run:?}");
    }
}

#[test]
fn a_client_that_leaves_withdraws_its_call() {
    let project = slow();
    let mut server = HttpServer::start(&project, &["-vv"], None);
    let (tool, arguments) = slow_call();
    let body = request("tools/call", json!({ "name": tool, "arguments": arguments })).to_string();
    let head = server.head("POST", "/mcp", body.len());
    let mut stream = server.connect();
    stream.write_all(format!("{head}Host: {}\r\n\r\n{body}", server.address).as_bytes()).expect("the server reads");
    std::thread::sleep(Duration::from_secs(1));
    drop(stream);
    let left = Instant::now();
    loop {
        let mut line = String::new();
        assert!(server.log.read_line(&mut line).expect("a line") > 0, "the server ended");
        if line.contains("handler: withdrawn") {
            break;
        }
    }
    assert!(left.elapsed() < Duration::from_secs(10), "{:?}", left.elapsed());
    let lines = json!({ "name": "read_lines", "arguments": { "path": "part3.py", "ranges": ["1-2"] } });
    let (_, answer) = server.newer("tools/call", lines, &[]);
    assert!(text_of(&answer["result"]).0.contains("function_0"), "{answer}");
}

/// Sockets that say nothing, or not enough, as long as this lives.
struct Silence {
    ended: std::sync::Arc<std::sync::atomic::AtomicBool>,
    keeper: Option<std::thread::JoinHandle<()>>,
}

impl Silence {
    /// Opens `count` connections that begin with `beginning`, and then send a byte each second. One that the server
    /// closes is opened again a moment later.
    fn of(address: SocketAddr, count: usize, beginning: String) -> Self {
        let connect = move || {
            let mut stream = TcpStream::connect(address).ok()?;
            stream.write_all(beginning.as_bytes()).ok()?;
            Some(stream)
        };
        let mut streams: Vec<Option<TcpStream>> = (0..count).map(|_| connect()).collect();
        let ended: std::sync::Arc<std::sync::atomic::AtomicBool> = std::sync::Arc::default();
        let is_ended = ended.clone();
        let keeper = std::thread::spawn(move || {
            while !is_ended.load(std::sync::atomic::Ordering::Relaxed) {
                for stream in &mut streams {
                    let lives = stream.as_mut().is_some_and(|stream| stream.write_all(b"x").is_ok());
                    if !lives {
                        *stream = connect();
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                std::thread::sleep(Duration::from_secs(1));
            }
        });
        Self { ended, keeper: Some(keeper) }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        self.ended.store(true, std::sync::atomic::Ordering::Relaxed);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

/// The longest of some calls, while 1,000 connections of each kind of silence are open.
fn longest_call_among_silent_connections(token: Option<&str>) -> Duration {
    let project = small();
    let server = HttpServer::start(&project, &[], token);
    let authorization = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<(&str, &str)> =
        authorization.as_deref().map(|value| ("Authorization", value)).into_iter().collect();
    let head_without_body = format!("{}Host: {}\r\n\r\n", server.head("POST", "/mcp", 100), server.address);
    let mut longest = Duration::ZERO;
    for beginning in [String::new(), "POST /mcp HTTP/1.1\r\nX-Slow: ".to_owned(), head_without_body] {
        let _silence = Silence::of(server.address, 1_000, beginning);
        for _ in 0..10 {
            let began = Instant::now();
            let called = json!({ "name": "read_lines", "arguments": { "path": "src/cart.py", "ranges": ["1-2"] } });
            let (status, answer) = server.newer("tools/call", called, &headers);
            assert_eq!(status, 200, "{answer}");
            longest = longest.max(began.elapsed());
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    longest
}

/// Raises the limit on open files, of which 1,000 connections are too many for some systems.
#[cfg(unix)]
fn may_open_many_files() -> bool {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return false };
    soft >= 3_000 || (hard >= 3_000 && setrlimit(Resource::RLIMIT_NOFILE, 3_000, hard).is_ok())
}

#[cfg(unix)]
#[test]
fn a_thousand_silent_connections_do_not_delay_a_client_with_the_token() {
    assert!(may_open_many_files(), "the test needs 3,000 open files");
    let longest = longest_call_among_silent_connections(Some("0123456789abcdef0123"));
    // It takes milliseconds on an idle machine.
    assert!(longest < Duration::from_secs(5), "{longest:?}");
}

#[cfg(unix)]
#[test]
fn a_thousand_silent_connections_do_not_delay_a_client_where_no_token_is_asked_for() {
    assert!(may_open_many_files(), "the test needs 3,000 open files");
    let longest = longest_call_among_silent_connections(None);
    // It takes milliseconds on an idle machine.
    assert!(longest < Duration::from_secs(5), "{longest:?}");
}

/// As many connections as the server admits, each with calls that wait for each other.
#[cfg(unix)]
#[test]
fn calls_that_wait_lock_nobody_out() {
    assert!(may_open_many_files(), "the test needs 3,000 open files");
    let project = slow();
    let server = HttpServer::start(&project, &["--no-cache"], None);
    let (name, arguments) = slow_call();
    let body = request("tools/call", json!({ "name": name, "arguments": arguments })).to_string();
    let head = server.head("POST", "/mcp", body.len()).replace("Connection: close", "MCP-Protocol-Version: 2025-06-18");
    let single = format!("{head}Host: {}\r\n\r\n{body}", server.address);
    let pipelined = single.repeat(20);
    let mut streams: Vec<TcpStream> = (0..700)
        .map(|index| {
            let mut stream = server.connect();
            let _ = stream.write_all(if index % 2 == 0 { &single } else { &pipelined }.as_bytes());
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_secs(1));
    for _ in 0..5 {
        let began = Instant::now();
        assert_eq!(server.status(&[]), 200);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        std::thread::sleep(Duration::from_millis(300));
    }
    // Whoever lost a place to another was told so, also with further requests unread.
    let [mut refused, mut refused_with_more] = [0, 0];
    for (index, stream) in streams.iter_mut().enumerate() {
        stream.set_nonblocking(true).expect("a stream");
        let mut answer = [0; 12];
        match stream.read(&mut answer) {
            Ok(length) => {
                assert_eq!(String::from_utf8_lossy(&answer[..length]), "HTTP/1.1 503");
                *if index % 2 == 0 { &mut refused } else { &mut refused_with_more } += 1;
            }
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{error}"),
        }
    }
    assert!(refused > 50 && refused_with_more > 50, "{refused}, {refused_with_more}");
}

/// A server that may open few files, so that few connections take all its places.
#[cfg(unix)]
fn server_with_few_places(project: &Project, token: &str) -> HttpServer {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n 100; exec \"$0\" serve --no-cache --http 127.0.0.1:0"])
        .arg(crate::support::program());
    command.current_dir(project.path()).env("HOME", project.path());
    for name in crate::support::foreign_variables() {
        command.env_remove(name);
    }
    HttpServer::of(command, Some(token))
}

#[cfg(unix)]
#[test]
fn a_request_that_makes_room_for_another_is_answered() {
    const TOKEN: &str = "0123456789abcdef0123";
    let project = slow();
    let server = server_with_few_places(&project, TOKEN);
    let text = |body: &str| {
        let head = server.head("POST", "/mcp", body.len()).replace("Connection: close\r\n", "");
        let more = format!("MCP-Protocol-Version: 2025-06-18\r\nAuthorization: Bearer {TOKEN}");
        format!("{head}{more}\r\nHost: {}\r\n\r\n{body}", server.address)
    };
    let send = |text: &str| {
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).expect("the server reads");
        stream
    };
    let (name, arguments) = slow_call();
    let mut params = json!({ "name": name, "arguments": arguments });
    let call = text(&request("tools/call", params.clone()).to_string());
    params["_meta"] = json!({ "progressToken": "a" });
    let mut with_progress = request("tools/call", params);
    with_progress["id"] = json!("asked");
    let with_progress = text(&with_progress.to_string());
    // Half of 100 files, without one. A connection whose request has not been read has one of few other places.
    let mut others: Vec<TcpStream> = (0..49)
        .map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            send(&call)
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    for (what, text, answered) in [
        ("a call that waits", call.clone(), "HTTP/1.1 503 "),
        ("a body that has not arrived", call[..call.len() - 5].to_owned(), "HTTP/1.1 503 "),
        ("further requests behind it", call.repeat(400), "HTTP/1.1 503 "),
        ("a response that has begun", with_progress, "HTTP/1.1 200 "),
    ] {
        // It is the last of those that wait, in the last place.
        let mut stream = send(&text);
        let mut status = [0; 13];
        if answered.contains("200") {
            stream.read_exact(&mut status).expect("a status");
            std::thread::sleep(Duration::from_millis(700));
        } else {
            std::thread::sleep(Duration::from_millis(200));
        }
        let asked = Instant::now();
        others.push(send(&call));
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        let answer =
            format!("{}{}", String::from_utf8_lossy(&status).trim_matches('\0'), String::from_utf8_lossy(&answer));
        read.unwrap_or_else(|error| panic!("{what}: {error} after {answer:?}"));
        assert!(answer.starts_with(answered) && answer.contains("try again in a moment"), "{what}: {answer:?}");
        assert!(asked.elapsed() < Duration::from_secs(5), "{what}: {:?}", asked.elapsed());
        if answered.contains("200") {
            let event = answer.lines().rfind(|line| line.starts_with("data: {")).expect("an event");
            let event: Value = serde_json::from_str(&event["data: ".len()..]).expect("JSON");
            assert_eq!((&event["id"], &event["error"]["code"]), (&json!("asked"), &json!(-32603)), "{event}");
        }
    }
}

/// The response to a call begins with its first progress report, and the memory of its message counts on.
#[test]
fn large_calls_that_report_progress_count_until_they_end() {
    let project = slow();
    let server = HttpServer::start(&project, &["--no-cache"], None);
    let send = |body: &str| {
        let head = server.head("POST", "/mcp", body.len());
        let mut stream = server.connect();
        let head = format!("{head}MCP-Protocol-Version: 2025-06-18\r\nHost: {}\r\n\r\n{body}", server.address);
        stream.write_all(head.as_bytes()).expect("the server reads");
        stream
    };
    let (name, arguments) = slow_call();
    let slow_call = request("tools/call", json!({ "name": name, "arguments": arguments })).to_string();
    let _calls: Vec<TcpStream> = (0..16).map(|_| send(&slow_call)).collect();
    let values = vec!["{\"\":0}"; 9_000].join(",");
    let large = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"grep\",\"arguments\":\
         {{\"pattern\":\"a\",\"scope\":[{values}]}},\"_meta\":{{\"progressToken\":\"a\"}}}}}}"
    );
    let status = |mut stream: TcpStream| {
        let mut status = [0; 12];
        stream.read_exact(&mut status).expect("a status");
        String::from_utf8_lossy(&status).into_owned()
    };
    // There is room for two. Each is answered once it has reported progress.
    let large_calls = [send(&large), send(&large)];
    for call in &large_calls {
        assert_eq!(status(call.try_clone().expect("a stream")), "HTTP/1.1 200");
    }
    assert_eq!(status(send(&large)), "HTTP/1.1 503");
}

#[test]
fn a_connection_that_says_nothing_is_closed_soon() {
    let project = small();
    let server = HttpServer::start(&project, &[], None);
    let mut stream = server.connect();
    let began = Instant::now();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn a_body_that_is_no_message_is_the_protocols_error() {
    const TOKEN: &str = "0123456789abcdef0123";
    let project = small();
    let server = HttpServer::start(&project, &[], Some(TOKEN));
    let send = |body: &[u8], headers: &str| {
        let head = server.head("POST", "/mcp", body.len());
        let mut stream = server.connect();
        let head = format!("{head}Host: {}\r\nAuthorization: Bearer {TOKEN}\r\n{headers}\r\n", server.address);
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).expect("the server reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8(answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head.to_owned(), message(body))
    };
    let deep = format!("{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": {}", "[".repeat(300_000));
    let wide = format!("[{}1]", "[],".repeat(300_000));
    for (body, code, id) in [
        (&b"{"[..], -32700, Value::Null),
        (b"", -32700, Value::Null),
        (b"hello", -32700, Value::Null),
        (b"{\"jsonrpc\": \"2.0\", \"id\": \"\xFF\", \"method\": \"ping\"}", -32700, Value::Null),
        (deep.as_bytes(), -32700, Value::Null),
        (wide.as_bytes(), -32600, Value::Null),
        (b"[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]", -32600, Value::Null),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"ping\", \"method\": \"tools/list\"}", -32600, json!(3)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 4}", -32600, json!(4)),
        (b"7", -32600, Value::Null),
    ] {
        let (head, answer) = send(body, "");
        assert!(head.starts_with("HTTP/1.1 400 "), "{head} {answer}");
        assert!(head.to_ascii_lowercase().contains("content-type: application/json"), "{head}");
        assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(code), Some(&id)), "{answer}");
    }
    // What is wrong with the head is told first.
    let (head, _) = send(b"{", "Origin: http://evil.example\r\n");
    assert!(head.starts_with("HTTP/1.1 403 "), "{head}");
}
