//! The transport of MCP messages over Streamable HTTP, at the path `/mcp`.
//!
//! Three checks protect the server from web pages: requests with a foreign host name are rejected (DNS rebinding),
//! requests with a foreign origin are rejected, and outside of the loopback interface every request needs the bearer
//! token.

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

/// The URL path of the MCP endpoint.
const ENDPOINT_PATH: &str = "/mcp";

/// The limit on connections at the same time; further connections wait until one ends.
const MAX_CONNECTIONS: usize = 512;

/// The time after which a connection is closed if it has not received a complete request head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);

/// The time limit from a request's head until its complete body. A slower request is rejected and its connection
/// closed.
const DEFAULT_BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The size limit of a request's head in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// The size limit of a request's body in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;

/// The minimum number of characters of a bearer token, because a shorter token can be guessed.
const MIN_TOKEN_CHARS: usize = 16;

type ResponseBody = BoxBody<Bytes, Infallible>;

/// The bearer token that requests to the HTTP server must send.
#[derive(Clone)]
pub struct BearerToken(pub(super) String);

impl BearerToken {
    /// Creates a bearer token from visible ASCII characters.
    ///
    /// # Errors
    /// The fault of the text, in words that continue a sentence which begins with the token's name.
    pub fn new(text: &str) -> Result<Self, String> {
        if !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err("may hold only visible ASCII characters, in one line".to_owned());
        }
        if text.len() < MIN_TOKEN_CHARS {
            return Err(format!("is shorter than {MIN_TOKEN_CHARS} characters: make one with `openssl rand -hex 32`"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether `header`, the value of an `Authorization` header, contains the token. The comparison takes constant
    /// time, so that timing reveals nothing about a nearly correct token.
    fn is_in_header(&self, header: Option<&HeaderValue>) -> bool {
        let given = header.and_then(|header| header.to_str().ok()).and_then(|header| header.split_once(' '));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && bool::from(token.trim().as_bytes().ct_eq(self.0.as_bytes()))
        })
    }
}

/// The address, access rules and limits of the HTTP server.
pub struct HttpOptions {
    addresses: Vec<SocketAddr>,
    token: Option<BearerToken>,
    hosts: Vec<String>,
    /// Whether clients with protocol versions before 2026-07-28 get sessions. The product does not need sessions, which
    /// only serve requests from the server to its client. Without sessions, no state is kept between requests, and a
    /// client that disconnects cancels its call.
    pub sessions: bool,
    /// The time limit from a request's head until its complete body: 30 seconds by default.
    pub body_timeout: Duration,
}

impl HttpOptions {
    /// Options for a server at `address` that accepts requests with `token` for one of `hosts`, the loopback interface,
    /// or the address itself. A port alone (`8080`) means `127.0.0.1:8080`; for `localhost:8080`,
    /// [`bind_listener_and_print_address`] takes and reports the first of its addresses that is free.
    ///
    /// # Errors
    /// When the address cannot be resolved, or is outside of the loopback interface without the options that make that
    /// safe; the message says which option to add.
    pub fn new(address: &str, token: Option<BearerToken>, hosts: Vec<String>) -> Result<Self, String> {
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
        Ok(Self { addresses, token, hosts, sessions: false, body_timeout: DEFAULT_BODY_TIMEOUT })
    }

    /// The configuration of the HTTP transport: the hosts and origins that it allows, and its limits.
    fn transport_config(&self, bound_address: SocketAddr) -> StreamableHttpServerConfig {
        let own_host = match bound_address.ip() {
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
        hosts.push(bound_address.ip().to_string());
        hosts.extend(self.hosts.iter().cloned());
        // The allowed origins begin with those of pages at this server's own address, although the server serves no
        // pages.
        let port = bound_address.port();
        let own_hosts = ["localhost", "127.0.0.1", "[::1]", own_host.as_str()];
        let mut origins: Vec<String> = own_hosts.iter().map(|host| format!("http://{host}:{port}")).collect();
        origins.extend(self.hosts.iter().flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]));
        StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .with_legacy_session_mode(self.sessions)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
    }
}

/// Opens the listening socket and prints its address to standard error, because the operating system can choose the
/// port.
///
/// # Errors
/// A message, when the address is in use or forbidden.
pub async fn bind_listener_and_print_address(options: &HttpOptions) -> Result<TcpListener, String> {
    let listener = TcpListener::bind(options.addresses.as_slice()).await;
    let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| {
        let addresses: Vec<String> = options.addresses.iter().map(ToString::to_string).collect();
        format!("cannot listen on {}: {error}; choose another port, or 0 for a free one", addresses.join(" or "))
    })?;
    let guarded = if options.token.is_some() { " (with the bearer token)" } else { "" };
    // Printed directly instead of logged, because the person who started the server must learn the port.
    let _ = std::io::stderr().write_all(format!("listening on http://{address}{ENDPOINT_PATH}{guarded}\n").as_bytes());
    Ok(listener)
}

/// Serves the MCP server `handler` on `listener` until the process ends.
///
/// # Errors
/// When the listener's own address cannot be determined.
pub async fn serve_http<H: ServerHandler + Clone>(
    handler: H,
    listener: TcpListener,
    options: &HttpOptions,
) -> Result<(), String> {
    let bound = listener.local_addr().map_err(|error| format!("the listener has no address: {error}"))?;
    let sessions = Arc::new(LocalSessionManager::default());
    let protocol = StreamableHttpService::new(move || Ok(handler.clone()), sessions, options.transport_config(bound));
    let connection_slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(connection_slot) = connection_slots.clone().acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // No free file descriptor, or a client that disconnected before its connection was accepted: the server
                // continues after either.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let guard = RequestGuard {
            protocol: protocol.clone(),
            token: options.token.clone(),
            body_timeout: options.body_timeout,
        };
        tokio::spawn(async move {
            guard.serve_connection(stream).await;
            drop(connection_slot);
        });
    }
}

/// The checks in front of the protocol's handler: of the path, the bearer token and the body of each request.
struct RequestGuard<H: ServerHandler> {
    protocol: StreamableHttpService<H, LocalSessionManager>,
    token: Option<BearerToken>,
    body_timeout: Duration,
}

impl<H: ServerHandler + Clone> RequestGuard<H> {
    async fn serve_connection(self, stream: TcpStream) {
        // Answers are small and complete, so delaying them to fill packets has no benefit.
        let _ = stream.set_nodelay(true);
        let guard = &self;
        let service =
            service_fn(
                move |request| async move { Ok::<_, Infallible>(guard.check_and_handle_request(request).await) },
            );
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection broke");
        }
    }

    async fn check_and_handle_request(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        if request.uri().path().trim_end_matches('/') != ENDPOINT_PATH {
            return plain_text_response(
                StatusCode::NOT_FOUND,
                "MCP is served at /mcp, and nothing else is served here.\n",
            );
        }
        if let Some(token) = &self.token
            && !token.is_in_header(request.headers().get(AUTHORIZATION))
        {
            let mut response = plain_text_response(
                StatusCode::UNAUTHORIZED,
                "The bearer token of this server is missing or wrong: send it as Authorization: Bearer TOKEN.\n",
            );
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
        // The whole body is read before the protocol's handler runs: a body that arrives in small pieces would
        // otherwise occupy its connection without limit.
        let (head, body) = request.into_parts();
        match timeout(self.body_timeout, Limited::new(body, MAX_BODY_BYTES).collect()).await {
            Ok(Ok(body)) => self.protocol.handle(Request::from_parts(head, Full::new(body.to_bytes()))).await,
            Ok(Err(error)) if error.is::<LengthLimitError>() => error_response_that_closes_connection(
                StatusCode::PAYLOAD_TOO_LARGE,
                "A request's body may have 1 MiB at most.\n",
            ),
            Ok(Err(_)) => {
                error_response_that_closes_connection(StatusCode::BAD_REQUEST, "The request's body broke off.\n")
            }
            Err(_) => error_response_that_closes_connection(
                StatusCode::REQUEST_TIMEOUT,
                "The request's body did not arrive in time.\n",
            ),
        }
    }
}

/// An error response that closes its connection, because a part of the request's body is still unread.
fn error_response_that_closes_connection(status: StatusCode, text: &'static str) -> Response<ResponseBody> {
    let mut response = plain_text_response(status, text);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn plain_text_response(status: StatusCode, text: &'static str) -> Response<ResponseBody> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::{BearerToken, HttpOptions};

    fn token() -> BearerToken {
        BearerToken::new("0123456789abcdef").expect("long enough")
    }

    fn refusal(address: &str, token: Option<BearerToken>) -> String {
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
        let is_in = |header: &'static str| token().is_in_header(Some(&HeaderValue::from_static(header)));
        assert!(is_in("Bearer 0123456789abcdef"));
        assert!(is_in("bearer  0123456789abcdef"));
        for wrong in ["Bearer 0123456789abcdeX", "Bearer 0123456789abcde", "Basic 0123456789abcdef", "Bearer", ""] {
            assert!(!is_in(wrong), "{wrong}");
        }
        assert!(!token().is_in_header(None));
    }

    #[test]
    fn a_poor_token_is_refused() {
        assert!(BearerToken::new("short").is_err_and(|error| error.contains("openssl")));
        assert!(BearerToken::new("two words that are long").is_err());
    }
}
