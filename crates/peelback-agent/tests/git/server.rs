//! A git server over http: git's own `http-backend` behind a small web server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// What the server does with a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ServerBehaviour {
    /// Answers everyone.
    Open,
    /// Answers those who say `ann:s3cr3t`.
    Locked,
    /// Answers what branches there are, and never sends the objects.
    Stalling,
}

pub struct GitServer {
    pub port: u16,
    /// A request for objects has come, and waits.
    pub waits: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

impl GitServer {
    pub fn start(root: &Path, behaviour: ServerBehaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (waits, ended) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (waiting, over, root) = (waits.clone(), ended.clone(), root.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (waiting, over, root) = (waiting.clone(), over.clone(), root.clone());
                thread::spawn(move || answer(stream, &root, behaviour, &waiting, &over));
            }
        });
        Self { port, waits, ended }
    }

    pub fn url(&self, repository: &str) -> String {
        format!("http://127.0.0.1:{}/{repository}", self.port)
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
    }
}

fn answer(
    mut stream: TcpStream,
    root: &PathBuf,
    behaviour: ServerBehaviour,
    waiting: &AtomicBool,
    ended: &AtomicBool,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let header = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let length: usize = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    // `ann:s3cr3t` in base64.
    if behaviour == ServerBehaviour::Locked
        && header("authorization") != Some(concat!("Basic ", "YW5uOnMz", "Y3IzdA=="))
    {
        let refused = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"git\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(refused.as_bytes()).ok();
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    if behaviour == ServerBehaviour::Stalling
        && path.ends_with("git-upload-pack")
        && String::from_utf8_lossy(&body).contains("command=fetch")
    {
        waiting.store(true, Ordering::SeqCst);
        while !ended.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(20));
        }
        return None;
    }
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type").unwrap_or(""))
        .env("CONTENT_LENGTH", length.to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding").unwrap_or(""))
        .env("GIT_PROTOCOL", header("git-protocol").unwrap_or(""))
        .env("REMOTE_ADDR", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let feeding = thread::spawn(move || input.write_all(&body));
    let mut output = Vec::new();
    child.stdout.take()?.read_to_end(&mut output).ok()?;
    let _ = (feeding.join(), child.wait());
    let end = output.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, content) = output.split_at(end + 4);
    let head = String::from_utf8_lossy(head);
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let rest: String = head
        .lines()
        .filter(|line| !line.starts_with("Status:") && !line.is_empty())
        .fold(String::new(), |all, line| all + line + "\r\n");
    let start = format!("HTTP/1.1 {status}\r\n{rest}Content-Length: {}\r\nConnection: close\r\n\r\n", content.len());
    stream.write_all(start.as_bytes()).ok()?;
    stream.write_all(content).ok()
}
