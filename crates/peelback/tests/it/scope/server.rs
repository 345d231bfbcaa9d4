//! A server of models that speaks OpenAI's Chat Completions and Responses and Anthropic's Messages over a real connection,
//! gives the replies that a test wrote down, and keeps every request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The key that the program is given; it must come out nowhere.
pub const KEY: &str = "sk-secret-of-the-test-4711";

/// The protocols, by the name of a model.
pub const ANTHROPIC: &str = "anthropic/claude-test";
pub const OPENAI: &str = "openai/gpt-test";
pub const RESPONSES: &str = "openai-responses/gpt-test";
/// The two that differ most.
pub const BOTH: [&str; 2] = [ANTHROPIC, OPENAI];

/// What the server does with one request, in whichever protocol it came.
#[derive(Clone)]
pub enum Reply {
    /// Says a text.
    Say(String),
    /// Calls tools.
    Call(Vec<(&'static str, Value)>),
    /// Says a text that was cut at its limit.
    Cut(String),
    /// Declines, with these words.
    Decline(&'static str),
    /// An error: status, a header, body.
    Status(u16, Option<(&'static str, &'static str)>, String),
    /// Closes the connection without a word.
    Drop,
    /// A success whose body is no reply.
    Garbage(&'static str),
    /// Says nothing, and keeps the connection.
    Stall,
    /// Streams a text, and then nothing more.
    Begin(String),
}

/// Says `value`.
pub fn says(value: &Value) -> Reply {
    Reply::Say(value.to_string())
}

/// An error that is told as providers tell them.
pub fn status(status: u16, message: &str) -> Reply {
    Reply::Status(status, None, json!({ "error": { "type": "error", "message": message } }).to_string())
}

/// A request as it came.
#[derive(Clone)]
pub struct Request {
    pub at: Instant,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Request {
    /// All that was sent of texts, parted by newlines.
    pub fn text(&self) -> String {
        self.texts().concat()
    }

    /// The texts that were sent, one for each message.
    pub fn texts(&self) -> Vec<String> {
        let parts = ["system", "instructions", "messages", "input"].map(|part| &self.body[part]);
        let messages =
            parts.into_iter().flat_map(|part| part.as_array().map_or(std::slice::from_ref(part), Vec::as_slice));
        let text = |message: &Value| {
            let mut out = String::new();
            strings(message, &mut out);
            out
        };
        messages.map(text).collect()
    }

    /// The words of the system.
    pub fn system(&self) -> String {
        let mut out = String::new();
        strings(&self.body["system"], &mut out);
        strings(&self.body["instructions"], &mut out);
        for message in self.body["messages"].as_array().into_iter().flatten().filter(|one| one["role"] == "system") {
            strings(&message["content"], &mut out);
        }
        out
    }

    /// The names of the tools.
    pub fn tools(&self) -> Vec<String> {
        let tools = self.body["tools"].as_array().cloned().unwrap_or_default();
        let name = |tool: &Value| tool["name"].as_str().or(tool["function"]["name"].as_str()).map(str::to_owned);
        tools.iter().filter_map(name).collect()
    }

    /// The results of tools in the order in which they stand: the id of the call, and the text.
    pub fn results(&self) -> Vec<(String, String)> {
        let plain = |value: &Value| {
            let mut out = String::new();
            strings(value, &mut out);
            out
        };
        let mut found = Vec::new();
        for item in self.body["input"].as_array().into_iter().flatten() {
            if let (Some(id), "function_call_output") = (item["call_id"].as_str(), item["type"].as_str().unwrap_or(""))
            {
                found.push((id.to_owned(), plain(&item["output"])));
            }
        }
        for message in self.body["messages"].as_array().into_iter().flatten() {
            if let Some(id) = message["tool_call_id"].as_str() {
                found.push((id.to_owned(), plain(&message["content"])));
            }
            for part in message["content"].as_array().into_iter().flatten() {
                if let Some(id) = part["tool_use_id"].as_str() {
                    found.push((id.to_owned(), plain(&part["content"])));
                }
            }
        }
        found
    }

    /// Tokens by o200k's count: all texts, and the tools as JSON.
    pub fn tokens(&self) -> u64 {
        let tools = self.body.get("tools").map(Value::to_string).unwrap_or_default();
        (peelback_tokens::count_tokens(&self.text()) + peelback_tokens::count_tokens(&tools)) as u64
    }

    /// The most tokens that the reply may have.
    pub fn most_output(&self) -> u64 {
        let names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
        names.iter().find_map(|name| self.body[*name].as_u64()).expect("a limit of the reply")
    }
}

fn strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(fields) => {
            let is_told =
                |key: &str| !matches!(key, "role" | "type" | "id" | "tool_use_id" | "tool_call_id" | "call_id");
            let told = fields.iter().filter(|(key, _)| is_told(key));
            told.for_each(|(_, value)| strings(value, out));
        }
        _ => {}
    }
}

type Script = dyn Fn(usize, &Request) -> Reply + Send + Sync;

/// The server. It ends with the process of the tests.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// One that gives each request, in its turn, the next of `replies`, and 404 when there is none left.
    pub fn of(replies: Vec<Reply>) -> Self {
        Self::scripted(move |at, _| replies.get(at).cloned().unwrap_or_else(|| status(404, "no reply is left")))
    }

    /// One that answers as a script says, which is told which request it is, from 0.
    pub fn scripted(script: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (seen, script): (_, Arc<Script>) = (Arc::clone(&requests), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    let at = {
                        let mut seen = seen.lock().expect("requests");
                        seen.push(request.clone());
                        seen.len() - 1
                    };
                    // A client that has heard enough hangs up.
                    let _ = send(stream, &request, &script(at, &request), at);
                });
            }
        });
        Self { address, requests }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("requests").clone()
    }

    /// Waits until so many requests came.
    #[track_caller]
    pub fn wait_for(&self, count: usize) {
        let end = Instant::now() + Duration::from_secs(30);
        while self.requests().len() < count {
            assert!(Instant::now() < end, "{} of {count} requests came", self.requests().len());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let headers: Vec<(String, String)> = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(key, _)| key == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).expect("a request of JSON");
    let path = lines[0].split(' ').nth(1)?.to_owned();
    Some(Request { at: Instant::now(), path, headers, body })
}

fn send(mut stream: TcpStream, request: &Request, reply: &Reply, at: usize) -> std::io::Result<()> {
    let is_anthropic = request.path.ends_with("/messages");
    let streams = request.body["stream"] == true;
    let whole = |stream: &mut TcpStream, code: u16, header: &str, body: &str| {
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {code} As written\r\nConnection: close\r\nContent-Type: application/json\r\n{header}Content-Length: \
             {length}\r\n\r\n{body}"
        )
    };
    match reply {
        Reply::Drop => Ok(()),
        Reply::Status(code, header, body) => {
            let header = header.map(|(key, value)| format!("{key}: {value}\r\n")).unwrap_or_default();
            whole(&mut stream, *code, &header, body)
        }
        Reply::Garbage(body) => whole(&mut stream, 200, "", body),
        Reply::Stall => {
            thread::sleep(Duration::from_secs(120));
            Ok(())
        }
        Reply::Begin(text) => {
            assert!(streams, "only a stream can begin");
            write!(stream, "HTTP/1.1 200 As written\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n")?;
            for event in beginning(is_anthropic, text) {
                event_of(&mut stream, &event)?;
            }
            stream.flush()?;
            thread::sleep(Duration::from_secs(120));
            Ok(())
        }
        // Servers that do not stream give the whole, and clients take it.
        other => whole(&mut stream, 200, "", &answer(is_anthropic, request, other, at).to_string()),
    }
}

fn event_of(stream: &mut TcpStream, event: &Value) -> std::io::Result<()> {
    if let Some(kind) = event["type"].as_str() {
        writeln!(stream, "event: {kind}")?;
    }
    write!(stream, "data: {event}\n\n")
}

/// The first events of a stream that says `text`, in pieces.
fn beginning(is_anthropic: bool, text: &str) -> Vec<Value> {
    let pieces: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if !is_anthropic {
        let delta = |piece: &String| json!({ "choices": [{ "index": 0, "delta": { "content": piece }, "finish_reason": null }] });
        return pieces.iter().map(delta).collect();
    }
    let usage = json!({ "input_tokens": 700, "output_tokens": 1 });
    let mut events = vec![
        json!({ "type": "message_start", "message": { "model": "claude-test", "content": [], "usage": usage } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ];
    let delta = |piece: &String| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": piece } });
    events.extend(pieces.iter().map(delta));
    events
}

/// A whole reply in the protocol of the request. Tokens are those that the texts have.
fn answer(is_anthropic: bool, request: &Request, reply: &Reply, at: usize) -> Value {
    let (text, calls, stop): (&str, &[(&str, Value)], &str) = match reply {
        Reply::Say(text) => (text, &[], "end"),
        Reply::Cut(text) => (text, &[], "cut"),
        Reply::Call(calls) => ("", calls, "call"),
        Reply::Decline(words) => (words, &[], "decline"),
        _ => unreachable!("sent otherwise"),
    };
    let input = request.tokens();
    let output_tokens = (text.len() as u64 / 4 + 20 * calls.len() as u64).max(1).min(request.most_output());
    let id = |number: usize| format!("call-{at}-{number}");
    if is_anthropic {
        let mut content = Vec::new();
        if !text.is_empty() {
            content.push(json!({ "type": "text", "text": text }));
        }
        for (number, (name, input)) in calls.iter().enumerate() {
            content.push(json!({ "type": "tool_use", "id": id(number), "name": name, "input": input }));
        }
        let stop = match stop {
            "end" => "end_turn",
            "cut" => "max_tokens",
            "call" => "tool_use",
            _ => "refusal",
        };
        return json!({
            "id": "msg", "type": "message", "role": "assistant", "model": "claude-test", "content": content,
            "stop_reason": stop, "usage": { "input_tokens": input, "output_tokens": output_tokens },
        });
    }
    if request.path.ends_with("/responses") {
        let part = match stop {
            "decline" => json!({ "type": "refusal", "refusal": text }),
            _ => json!({ "type": "output_text", "text": text, "annotations": [] }),
        };
        let said = json!({ "type": "message", "role": "assistant", "status": "completed", "content": [part] });
        let called = calls.iter().enumerate().map(|(number, (name, arguments))| {
            json!({ "type": "function_call", "call_id": id(number), "name": name, "arguments": arguments.to_string() })
        });
        let output: Vec<Value> = (!text.is_empty()).then_some(said).into_iter().chain(called).collect();
        let incomplete = if stop == "cut" { json!({ "reason": "max_output_tokens" }) } else { Value::Null };
        return json!({
            "id": "r", "object": "response", "model": "gpt-test", "output": output, "incomplete_details": incomplete,
            "status": if stop == "cut" { "incomplete" } else { "completed" },
            "usage": { "input_tokens": input, "output_tokens": output_tokens, "total_tokens": input + output_tokens },
        });
    }
    let mut message = json!({ "role": "assistant", "content": text });
    if stop == "decline" {
        message = json!({ "role": "assistant", "content": null, "refusal": text });
    }
    if !calls.is_empty() {
        let calls = calls.iter().enumerate().map(|(number, (name, arguments))| {
            json!({ "id": id(number), "type": "function", "function": { "name": name, "arguments": arguments.to_string() } })
        });
        message["tool_calls"] = calls.collect();
    }
    let stop = match stop {
        "end" | "decline" => "stop",
        "cut" => "length",
        _ => "tool_calls",
    };
    json!({
        "id": "c", "object": "chat.completion", "model": "gpt-test",
        "choices": [{ "index": 0, "message": message, "finish_reason": stop }],
        "usage": { "prompt_tokens": input, "completion_tokens": output_tokens, "total_tokens": input + output_tokens },
    })
}
