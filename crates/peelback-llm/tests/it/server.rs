//! A server that speaks HTTP/1.1 on this machine and answers as a test wrote down.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// What the server does with one request.
#[derive(Clone)]
pub enum Reply {
    /// Answers: status, further headers, body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Closes the connection without a word.
    Drop,
    /// Announces a longer body than it sends, and closes the connection.
    Half(String),
    /// Sends a byte of an endless body now and then, with this status.
    Drip(u16),
    /// Sends so many bytes without saying beforehand how many they are.
    Flood(usize),
}

/// A request as it came.
#[derive(Clone)]
pub struct Request {
    pub at: Instant,
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A server that gives each request, in its turn, the next of its replies, and 404 when there is none left.
pub struct Server {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let replies = Arc::new(Mutex::new(replies.into_iter()));
        // It ends with the process of the tests.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, replies) = (Arc::clone(&seen), Arc::clone(&replies));
                thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    seen.lock().expect("requests").push(request);
                    let reply = replies.lock().expect("replies").next();
                    let none_left = || Reply::Answer(404, Vec::new(), "none left".to_owned());
                    // A client that has heard enough hangs up.
                    let _ = send(stream, reply.unwrap_or_else(none_left));
                });
            }
        });
        Self { address, requests }
    }

    /// The address that begins with `scheme`.
    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("requests").clone()
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
    let headers: Vec<(String, String)> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key.to_owned(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case("content-length"))?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).expect("a request of JSON");
    Some(Request { at: Instant::now(), line: lines[0].clone(), headers, body })
}

fn send(mut stream: TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Answer(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} As written\r\nConnection: close\r\n");
            if !headers.iter().any(|(key, _)| *key == "Content-Length") {
                head.push_str(&format!("Content-Length: {}\r\n", body.len()));
            }
            for (key, value) in headers {
                head.push_str(&format!("{key}: {value}\r\n"));
            }
            write!(stream, "{head}\r\n{body}")
        }
        Reply::Drop => Ok(()),
        Reply::Half(body) => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len() + 9)
        }
        Reply::Drip(status) => {
            write!(stream, "HTTP/1.1 {status} As written\r\nConnection: close\r\n\r\n")?;
            loop {
                stream.write_all(b" ")?;
                thread::sleep(Duration::from_millis(20));
            }
        }
        Reply::Flood(bytes) => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            let block = vec![b' '; 1 << 20];
            for _ in 0..bytes >> 20 {
                stream.write_all(&block)?;
            }
            Ok(())
        }
    }
}
