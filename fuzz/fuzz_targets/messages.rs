//! Messages of the protocol, over standard input and output and over HTTP, without a process or a socket between.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use peelback::serve::http::{BearerToken, HttpOptions, serve_one_connection};
use peelback::serve::stdio::serve_handler_on_streams;
use peelback::serve::{CallLimits, CallRunner, Server, ServerSettings};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::fixtures;
use crate::input::{Input, joined};

const TOKEN: &str = "0123456789abcdef";

static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = fixtures::new_folder("served");
    fixtures::write_file(&root, "a.py", "def one():\n    pass\n\n\ndef two():\n    one()\n");
    fixtures::write_file(&root, "README.md", "# One\n");
    root
});

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime"));

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let limits = CallLimits {
        deadline: Duration::from_secs(5),
        grace: Duration::from_secs(1),
        max_concurrent_calls: 2,
        threads_per_call: 1,
    };
    let settings = ServerSettings { root: Some(ROOT.clone()), ..ServerSettings::default() };
    Server::new(settings, CallRunner::new(limits, CancellationToken::new())).expect("a server")
});

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

const MESSAGES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"outline","arguments":{"path":"a.py"}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_lines","arguments":{"path":"a.py:1-3"},"_meta":{"progressToken":7}}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"grep","arguments":[1]}}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":"x"}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"resources/list"}"#,
    r#"{"jsonrpc":"2.0","id":8,"method":"resources/templates/list"}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"peelback://tools/grep"}}"#,
    r#"{"jsonrpc":"2.0","id":10,"method":"prompts/list"}"#,
    r#"{"jsonrpc":"2.0","id":11,"method":"prompts/get","params":{"name":"explore","arguments":{"question":"x"}}}"#,
    r#"{"jsonrpc":"2.0","id":12,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"explore"},"argument":{"name":"path","value":"a"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":13,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":13,"error":{"code":-1,"message":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":14,"method":"logging/setLevel","params":{"level":"debug"}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
    r#"{"id":1,"id":2}"#,
    "{",
    "hello",
    "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":15,\"method\":\"server/discover\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
];

pub fn stdio_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<String> =
        MESSAGES.iter().map(|message| format!("{INITIALIZE}\n{INITIALIZED}\n{message}\n")).collect();
    seeds.push(format!("{INITIALIZE}\n{INITIALIZED}\n{}\n", MESSAGES.join("\n")));
    seeds.extend(MESSAGES.iter().map(|message| format!("{message}\n")));
    seeds.into_iter().map(|seed| joined(&[&[0], seed.as_bytes()])).collect()
}

/// The first byte says whether the greeting is put in front of the rest, which are lines.
pub fn run_stdio(data: &[u8]) {
    let mut input = Input(data);
    let greets = input.byte() % 2 == 1;
    let mut bytes = if greets { format!("{INITIALIZE}\n{INITIALIZED}\n").into_bytes() } else { Vec::new() };
    bytes.extend(input.0);
    let written = RUNTIME.block_on(async {
        let (output, mut written) = tokio::io::duplex(1 << 20);
        let serving = async {
            // Dropped at its end, which closes the output.
            let closing = CancellationToken::new();
            let _ = serve_handler_on_streams(SERVER.clone(), std::io::Cursor::new(bytes), output, closing).await;
        };
        let reading = async {
            let mut all = Vec::new();
            let _ = written.read_to_end(&mut all).await;
            all
        };
        tokio::join!(serving, reading).1
    });
    let text = String::from_utf8(written).expect("UTF-8");
    for line in text.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        check_message(&message);
    }
}

fn check_message(message: &Value) {
    assert_eq!(message.get("jsonrpc").and_then(Value::as_str), Some("2.0"), "{message}");
    if let Some(error) = message.get("error") {
        assert_ne!(error.get("code").and_then(Value::as_i64), Some(-32603), "an internal error: {message}");
    }
}

pub fn http_seeds() -> Vec<Vec<u8>> {
    let request = |head: &str, body: &str| format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    );
    let mut seeds = Vec::new();
    for message in MESSAGES.iter().chain(&[INITIALIZE, INITIALIZED]) {
        seeds.push(request(&head, message));
        seeds.push(request(&format!("{head}MCP-Protocol-Version: 2025-06-18\r\n"), message));
    }
    seeds.push(request("GET /mcp HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n", ""));
    seeds.push(request("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: x\r\n", ""));
    seeds.push(
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".to_vec(),
    );
    seeds.push(joined(&[&request(&head, MESSAGES[0]), &request(&head, MESSAGES[3])]));
    // The first byte says whether the server has a token.
    seeds.into_iter().flat_map(|seed| [joined(&[&[0], seed.as_slice()]), joined(&[&[1], seed.as_slice()])]).collect()
}

pub fn run_http(data: &[u8]) {
    let mut input = Input(data);
    let token = (input.byte() % 2 == 1).then(|| BearerToken::new(TOKEN).expect("a token"));
    let has_token = token.is_some();
    let options = HttpOptions::new("127.0.0.1:8080", token, Vec::new()).expect("an address");
    let bound: SocketAddr = "127.0.0.1:8080".parse().expect("an address");
    let bytes = input.0;
    let written = RUNTIME.block_on(async {
        let (server_end, client_end) = tokio::io::duplex(1 << 20);
        let (mut reader, mut writer) = tokio::io::split(client_end);
        let serving = serve_one_connection(SERVER.clone(), server_end, bound, &options);
        let talking = async {
            let _ = writer.write_all(bytes).await;
            let _ = writer.shutdown().await;
            let mut all = Vec::new();
            let _ = reader.read_to_end(&mut all).await;
            all
        };
        tokio::join!(serving, talking).1
    });
    let text = String::from_utf8_lossy(&written);
    assert!(written.is_empty() || text.starts_with("HTTP/1."), "{text}");
    assert!(!text.starts_with("HTTP/1.1 500"), "{text}");
    if has_token && !data.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes()) {
        assert!(!text.starts_with("HTTP/1.1 20"), "let in without its token: {text}");
    }
}
