//! Messages over Streamable HTTP, at `/mcp`.
//!
//! What a web page must not do is kept out in three ways: requests under a foreign host name are refused (DNS
//! rebinding), requests of a foreign origin are refused, and off the loopback every request needs the bearer token.

use std::convert::Infallible;
use std::io::Write;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The path of the protocol.
const PATH: &str = "/mcp";

/// Connections at the same time; more wait until one ends.
const MOST_CONNECTIONS: usize = 512;

/// A connection on which no request's head is whole after so long is closed.
const IDLE: Duration = Duration::from_secs(75);

/// A request whose body is not whole so long after its head is refused, and its connection closed.
const BODY_TIME: Duration = Duration::from_secs(30);

/// A request's head may be so long.
const HEAD_BYTES: usize = 64 << 10;

/// A request's body may be so long.
const BODY_BYTES: usize = 1 << 20;

/// A token that is shorter can be guessed.
const SHORTEST_TOKEN: usize = 16;

type Body = BoxBody<Bytes, Infallible>;

/// The secret that requests must carry.
#[derive(Clone)]
pub struct Token(pub(super) String);

impl Token {
    /// A token of visible ASCII characters.
    ///
    /// # Errors
    /// What is wrong with it, in words that follow its name.
    pub fn new(text: &str) -> Result<Self, String> {
        if !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err("may hold only visible ASCII characters, in one line".to_owned());
        }
        if text.len() < SHORTEST_TOKEN {
            return Err(format!("is shorter than {SHORTEST_TOKEN} characters: make one with `openssl rand -hex 32`"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether `header`, an `Authorization`, holds it. Takes as long for a token that is nearly right as for another.
    fn is_in(&self, header: Option<&HeaderValue>) -> bool {
        let given = header.and_then(|header| header.to_str().ok()).and_then(|header| header.split_once(' '));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && bool::from(token.trim().as_bytes().ct_eq(self.0.as_bytes()))
        })
    }
}

/// Where and how HTTP is served.
pub struct HttpOptions {
    addresses: Vec<SocketAddr>,
    token: Option<Token>,
    hosts: Vec<String>,
    /// Whether clients from before 2026-07-28 get sessions, which the product has no use for: only requests of the
    /// server's to its client need them. Without them nothing is kept between requests, and a client that leaves
    /// withdraws its call.
    pub sessions: bool,
    /// From a request's head until its body must be whole: 30 seconds unless changed.
    pub body_time: Duration,
}

impl HttpOptions {
    /// Serving at `address` (`127.0.0.1:8080`, `8080` for the same; of `localhost:8080` the first of its addresses that
    /// is free, which [`bind`] says), to requests that carry `token` and name one of
    /// `hosts`, the loopback, or the address itself.
    ///
    /// # Errors
    /// When the address cannot be told, or is no loopback and lacks what makes that safe; the message names what to do.
    pub fn new(address: &str, token: Option<Token>, hosts: Vec<String>) -> Result<Self, String> {
        let address = if address.parse::<u16>().is_ok() { format!("127.0.0.1:{address}") } else { address.to_owned() };
        let addresses: Vec<SocketAddr> = address
            .to_socket_addrs()
            .map_err(|error| format!("--http {address} is no address ({error}): write it as 127.0.0.1:8080"))?
            .collect();
        if !addresses.iter().all(|address| address.ip().is_loopback()) {
            if token.is_none() {
                return Err(format!(
                    "--http {address} can be reached by others: give a bearer token with --token-file FILE or in \
                     PEELBACK_HTTP_TOKEN, or listen on 127.0.0.1"
                ));
            }
            if hosts.is_empty() && addresses.iter().any(|address| address.ip().is_unspecified()) {
                return Err(format!(
                    "--http {address} stands for every address of this machine: name the hosts under which clients \
                     reach it with --allow-host NAME, or listen on one address"
                ));
            }
        }
        Ok(Self { addresses, token, hosts, sessions: false, body_time: BODY_TIME })
    }

    /// What the transport checks and keeps.
    fn config(&self, bound: SocketAddr) -> StreamableHttpServerConfig {
        let own = match bound.ip() {
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
        hosts.push(bound.ip().to_string());
        hosts.extend(self.hosts.iter().cloned());
        // A page that this server's own address served, which is none.
        let port = bound.port();
        let here = ["localhost", "127.0.0.1", "[::1]", own.as_str()];
        let mut origins: Vec<String> = here.iter().map(|host| format!("http://{host}:{port}")).collect();
        origins.extend(self.hosts.iter().flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]));
        StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .with_legacy_session_mode(self.sessions)
            .with_json_response(true)
            .with_max_request_body_bytes(BODY_BYTES)
    }
}

/// Listens, and says on standard error where: the port may have been chosen by the system.
///
/// # Errors
/// When the address is taken or forbidden; in words.
pub async fn bind(options: &HttpOptions) -> Result<TcpListener, String> {
    let listener = TcpListener::bind(options.addresses.as_slice()).await;
    let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| {
        let addresses: Vec<String> = options.addresses.iter().map(ToString::to_string).collect();
        format!("cannot listen on {}: {error}; choose another port, or 0 for a free one", addresses.join(" or "))
    })?;
    let guarded = if options.token.is_some() { " (with the bearer token)" } else { "" };
    // Not a log line: whoever started the server must learn its port.
    let _ = std::io::stderr().write_all(format!("listening on http://{address}{PATH}{guarded}\n").as_bytes());
    Ok(listener)
}

/// Serves `handler` on `listener` for ever.
///
/// # Errors
/// When the listener's own address cannot be told.
pub async fn serve<H: ServerHandler + Clone>(
    handler: H,
    listener: TcpListener,
    options: &HttpOptions,
) -> Result<(), String> {
    let bound = listener.local_addr().map_err(|error| format!("the listener has no address: {error}"))?;
    let sessions = Arc::new(LocalSessionManager::default());
    let protocol = StreamableHttpService::new(move || Ok(handler.clone()), sessions, options.config(bound));
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of file descriptors, or a client that left before it was let in: neither is the end.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let guard = Guard { protocol: protocol.clone(), token: options.token.clone(), body_time: options.body_time };
        tokio::spawn(async move {
            guard.connection(stream).await;
            drop(place);
        });
    }
}

/// What stands before the protocol.
struct Guard<H: ServerHandler> {
    protocol: StreamableHttpService<H, LocalSessionManager>,
    token: Option<Token>,
    body_time: Duration,
}

impl<H: ServerHandler + Clone> Guard<H> {
    async fn connection(self, stream: TcpStream) {
        // Answers are small and whole: nothing is gained by holding them back.
        let _ = stream.set_nodelay(true);
        let guard = &self;
        let service = service_fn(move |request| async move { Ok::<_, Infallible>(guard.answer(request).await) });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection broke");
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if request.uri().path().trim_end_matches('/') != PATH {
            return plain(StatusCode::NOT_FOUND, "MCP is served at /mcp, and nothing else is served here.\n");
        }
        if let Some(token) = &self.token
            && !token.is_in(request.headers().get(AUTHORIZATION))
        {
            let mut response = plain(
                StatusCode::UNAUTHORIZED,
                "The bearer token of this server is missing or wrong: send it as Authorization: Bearer TOKEN.\n",
            );
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
        // Whole before the protocol sees it: a body that trickles would hold its connection for ever.
        let (head, body) = request.into_parts();
        match timeout(self.body_time, Limited::new(body, BODY_BYTES).collect()).await {
            Ok(Ok(body)) => self.protocol.handle(Request::from_parts(head, Full::new(body.to_bytes()))).await,
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                last(StatusCode::PAYLOAD_TOO_LARGE, "A request's body may have 1 MiB at most.\n")
            }
            Ok(Err(_)) => last(StatusCode::BAD_REQUEST, "The request's body broke off.\n"),
            Err(_) => last(StatusCode::REQUEST_TIMEOUT, "The request's body did not arrive in time.\n"),
        }
    }
}

/// The last answer of a connection on which a part of a body is still to come.
fn last(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = plain(status, text);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::{HttpOptions, Token};

    fn token() -> Token {
        Token::new("0123456789abcdef").expect("long enough")
    }

    fn refusal(address: &str, token: Option<Token>) -> String {
        HttpOptions::new(address, token, Vec::new()).err().expect("it is refused")
    }

    #[test]
    fn off_the_loopback_a_token_is_needed() {
        for address in ["127.0.0.1:0", "[::1]:0", "8080"] {
            assert!(HttpOptions::new(address, None, Vec::new()).is_ok(), "{address}");
        }
        assert!(refusal("192.0.2.1:80", None).contains("--token-file"));
        assert!(refusal("0.0.0.0:80", None).contains("--token-file"));
        assert!(HttpOptions::new("192.0.2.1:80", Some(token()), Vec::new()).is_ok());
        assert!(refusal("0.0.0.0:80", Some(token())).contains("--allow-host"));
        assert!(HttpOptions::new("0.0.0.0:80", Some(token()), vec!["build.example".to_owned()]).is_ok());
        assert!(refusal("here", None).contains("127.0.0.1:8080"));
    }

    #[test]
    fn only_the_token_itself_is_let_in() {
        let is_in = |header: &'static str| token().is_in(Some(&HeaderValue::from_static(header)));
        assert!(is_in("Bearer 0123456789abcdef"));
        assert!(is_in("bearer  0123456789abcdef"));
        for wrong in ["Bearer 0123456789abcdeX", "Bearer 0123456789abcde", "Basic 0123456789abcdef", "Bearer", ""] {
            assert!(!is_in(wrong), "{wrong}");
        }
        assert!(!token().is_in(None));
    }

    #[test]
    fn a_poor_token_is_refused() {
        assert!(Token::new("short").is_err_and(|error| error.contains("openssl")));
        assert!(Token::new("two words that are long").is_err());
    }
}
