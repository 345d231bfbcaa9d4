//! The transport of MCP messages over Streamable HTTP, at the path `/mcp`.
//!
//! Three checks protect the server from web pages: requests with a foreign host name are rejected (DNS rebinding),
//! requests with a foreign origin are rejected, and outside of the loopback interface every request needs the bearer
//! token. Connections that have not sent an acceptable request have few places and little time, and take none from
//! those that have (`connections.rs`).

use std::convert::Infallible;
use std::future::{Future as _, poll_fn};
use std::io::Write;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::calls::CallBegun;
use super::connections::{Connection, ConnectionLimits, Connections, RequestInProgress};
use super::message_memory::{HeldMessage, MessageMemory};
use super::messages::{BYTES_PER_TEXT_BYTE, MessageError};

/// The URL path of the MCP endpoint.
const ENDPOINT_PATH: &str = "/mcp";

/// The time after which a new connection is closed if it has not received a complete request head.
const FIRST_HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit for the body of a request from a connection that has not sent an acceptable request before, and of
/// one that is refused.
const FIRST_BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The time after a response after which a connection is closed if it has not received another complete request head.
const NEXT_HEAD_TIMEOUT: Duration = Duration::from_secs(75);

/// The time limit from a request's head until its complete body. A slower request is rejected and its connection
/// closed.
const DEFAULT_BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The time that a connection has to take the response that refuses its request for another.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);

/// The time for which a connection that is closed is read on, so that its client takes the last response.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

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
            return Err("may contain only visible ASCII characters, in one line".to_owned());
        }
        if text.len() < MIN_TOKEN_CHARS {
            return Err(format!("is shorter than {MIN_TOKEN_CHARS} characters: make one with `openssl rand -hex 32`"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether `header`, the value of an `Authorization` header, contains the token. The comparison takes constant
    /// time, so that timing reveals nothing about a nearly correct token.
    fn matches_authorization_header(&self, header: Option<&HeaderValue>) -> bool {
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
            .map_err(|error| format!("--http {address} is not an address ({error}): write it as 127.0.0.1:8080"))?
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
                    "--http {address} means every address of this machine: name the hosts under which clients \
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
    let connections = Connections::new(ConnectionLimits::for_this_process());
    let memory = MessageMemory::default();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // No free file descriptor, or a client that disconnected before its connection was accepted: the server
                // continues after either.
                tracing::warn!(%error, "a connection was not accepted");
                // The pause lets the closed connection give back its descriptor.
                let has_closed_one = connections.close_oldest_waiting();
                sleep(Duration::from_millis(if has_closed_one { 1 } else { 50 })).await;
                continue;
            }
        };
        let guard = RequestGuard {
            protocol: protocol.clone(),
            token: options.token.clone(),
            body_timeout: options.body_timeout,
            connection: connections.add(),
            memory: memory.clone(),
        };
        // Answers are small and complete, so delaying them to fill packets has no benefit.
        let _ = stream.set_nodelay(true);
        tokio::spawn(guard.serve_connection(stream));
    }
}

/// Serves the MCP server `handler` on one connection, as if the listener at `bound` had accepted it.
#[cfg(fuzzing)]
pub async fn serve_one_connection<H: ServerHandler + Clone>(
    handler: H,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    bound: SocketAddr,
    options: &HttpOptions,
) {
    let sessions = Arc::new(LocalSessionManager::default());
    let protocol = StreamableHttpService::new(move || Ok(handler.clone()), sessions, options.transport_config(bound));
    let connection = Connections::new(ConnectionLimits::for_this_process()).add();
    let (token, body_timeout) = (options.token.clone(), options.body_timeout);
    let memory = MessageMemory::default();
    RequestGuard { protocol, token, body_timeout, connection, memory }.serve_connection(stream).await;
}

/// The checks in front of the protocol's handler, for the requests of one connection: of the path, the bearer token and
/// the body of each.
struct RequestGuard<H: ServerHandler> {
    protocol: StreamableHttpService<H, LocalSessionManager>,
    token: Option<BearerToken>,
    body_timeout: Duration,
    connection: Arc<Connection>,
    /// The memory of the messages of all connections.
    memory: MessageMemory,
}

/// Why the body of a request was not read.
enum BodyError {
    /// The body is longer than the limit.
    TooLong,
    /// The connection broke.
    BrokeOff,
    /// Messages of other requests have all the memory that there is for messages.
    NoMemory,
}

/// Reads a whole body, unless it is too long or there is no memory for it. A body without room is read and dropped: a
/// connection that is closed with unread input is reset, and the client may never see the response.
async fn read_body(body: &mut Incoming, held: &HeldMessage) -> Result<Bytes, BodyError> {
    let mut body = Limited::new(body, MAX_BODY_BYTES);
    let mut bytes = Vec::new();
    let mut has_room = true;
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|error| if error.is::<LengthLimitError>() { BodyError::TooLong } else { BodyError::BrokeOff })?;
        let Ok(data) = frame.into_data() else { continue };
        let memory = (bytes.len() + data.len()) * BYTES_PER_TEXT_BYTE;
        if has_room && !held.try_grow_to(memory) {
            has_room = false;
            bytes = Vec::new();
            held.release();
        }
        if has_room {
            bytes.extend_from_slice(&data);
        }
    }
    if has_room { Ok(bytes.into()) } else { Err(BodyError::NoMemory) }
}

/// Closes a connection after its last response. Input that the client goes on to send is read and dropped for a moment: a
/// connection that is closed with unread input is reset, and the client may never see the response.
async fn close_after_unread_input(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let drain = async {
        stream.shutdown().await?;
        let mut dropped = vec![0; 8 << 10];
        while stream.read(&mut dropped).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    let _ = timeout(CLOSE_TIMEOUT, drain).await;
}

impl<H: ServerHandler + Clone> RequestGuard<H> {
    async fn serve_connection(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let guard = &self;
        let service = service_fn(move |request| {
            Box::pin(async move { Ok::<_, Infallible>(guard.check_and_handle_request(request).await) })
        });
        let mut serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(NEXT_HEAD_TIMEOUT)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let serving = async move {
            poll_fn(|context| serving.poll_without_shutdown(context)).await?;
            close_after_unread_input(serving.into_parts().io.into_inner()).await;
            Ok::<_, hyper::Error>(())
        };
        let first_head_timeout = async {
            sleep(FIRST_HEAD_TIMEOUT).await;
            if self.connection.has_sent_request_head() {
                std::future::pending::<()>().await;
            }
        };
        // A client that does not take what refuses its request ends with the connection.
        let refused_for_too_long = async {
            self.connection.wait_until_must_refuse().await;
            sleep(REFUSAL_TIMEOUT).await;
        };
        tokio::select! {
            served = serving => {
                if let Err(error) = served {
                    tracing::debug!(%error, "a connection broke");
                }
            }
            () = first_head_timeout => tracing::debug!("a connection sent no request in time"),
            () = refused_for_too_long => tracing::debug!("a connection did not take the response that refused its request"),
            () = self.connection.wait_until_must_close() => tracing::debug!("a connection was closed in favour of a newer one"),
        }
    }

    async fn check_and_handle_request(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        self.connection.record_request_head_received();
        let (head, mut body) = request.into_parts();
        if head.uri.path().trim_end_matches('/') != ENDPOINT_PATH {
            let text = "MCP is served at /mcp, and nothing else is served here.\n";
            return drain_body_then_refuse_request(body, plain_text_response(StatusCode::NOT_FOUND, text)).await;
        }
        if let Some(token) = &self.token
            && !token.matches_authorization_header(head.headers.get(AUTHORIZATION))
        {
            let text = "The bearer token of this server is missing or wrong: send it as Authorization: Bearer TOKEN.\n";
            let mut response = plain_text_response(StatusCode::UNAUTHORIZED, text);
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return drain_body_then_refuse_request(body, response).await;
        }
        // Without a token, only a whole request shows that its sender means to call.
        let is_admitted = self.token.is_some() || self.connection.was_admitted_by_earlier_request();
        let mut in_progress = if is_admitted { self.connection.try_begin_request() } else { None };
        if is_admitted && in_progress.is_none() {
            return drain_body_then_refuse_request(body, server_busy_response()).await;
        }
        // The whole body is read before the protocol's handler runs: a body that arrives in small pieces would
        // otherwise occupy its connection without limit.
        let body_timeout = if is_admitted { self.body_timeout } else { self.body_timeout.min(FIRST_BODY_TIMEOUT) };
        let held = Arc::new(self.memory.hold(0));
        let read = tokio::select! {
            biased;
            read = timeout(body_timeout, read_body(&mut body, &held)) => read,
            () = self.connection.wait_until_must_refuse() => {
                return with_connection_close_header(server_busy_response());
            }
        };
        let body = match read {
            Ok(Ok(body)) => body,
            Ok(Err(BodyError::NoMemory)) => return with_connection_close_header(no_memory_response()),
            Ok(Err(BodyError::TooLong)) => {
                return error_response_that_closes_connection(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "A request body may have at most 1 MiB.\n",
                );
            }
            Ok(Err(BodyError::BrokeOff)) => {
                return error_response_that_closes_connection(
                    StatusCode::BAD_REQUEST,
                    "The request body ended early.\n",
                );
            }
            Err(_) => {
                return error_response_that_closes_connection(
                    StatusCode::REQUEST_TIMEOUT,
                    "The request body did not arrive in time.\n",
                );
            }
        };
        in_progress = in_progress.or_else(|| self.connection.try_begin_request());
        let Some(in_progress) = in_progress else { return with_connection_close_header(server_busy_response()) };
        let message = body.clone();
        let response = tokio::select! {
            biased;
            response = self.handle_message(Request::from_parts(head, body), held) => response,
            // What is left of its handling is dropped, which withdraws the call.
            () = self.connection.wait_until_must_refuse() => {
                return with_connection_close_header(server_busy_response());
            }
        };
        // A page of another site may not keep the place that its request had.
        let is_foreign = response.status() == StatusCode::FORBIDDEN;
        let response = if is_foreign { with_connection_close_header(response) } else { response };
        // A stream begins with the first progress report, and its call may still wait. Any other response has all of it.
        let is_stream =
            essence_of_content_type(response.headers()).is_some_and(|essence| essence == "text/event-stream");
        let refusal = is_stream.then(|| Refusal {
            must_refuse: self.connection.wait_until_must_refuse_owned(),
            event: server_busy_event(&message),
        });
        response.map(|body| BodyInProgress { body, refusal, _request: in_progress }.boxed())
    }

    /// Hands a message to the protocol's handler. A body that is no message is answered with an error of the protocol,
    /// which the protocol's library does not do.
    async fn handle_message(&self, request: Request<Bytes>, held: Arc<HeldMessage>) -> Response<ResponseBody> {
        let (mut head, body) = request.into_parts();
        let is_json_post = head.method == Method::POST && is_content_type_json(&head.headers);
        let checked = if is_json_post { MessageError::check_message(&body) } else { Ok(0) };
        let error = match checked {
            Ok(bytes) if !held.try_grow_to(bytes) => return with_connection_close_header(no_memory_response()),
            Ok(_) => None,
            Err(error) => Some(error),
        };
        let connection = self.connection.clone();
        head.extensions.insert(CallBegun(Arc::new(move || connection.record_call_begun())));
        // The library keeps the head as long as the request is handled: a response may begin long before that has ended.
        head.extensions.insert(held);
        // The library checks host, origin and headers before it reads the message: where they are refused, that is
        // answered. An empty body cannot be handled, so that a message with an error never runs.
        let handled_body = if error.is_some() { Bytes::new() } else { body.clone() };
        let response = self.protocol.handle(Request::from_parts(head, Full::new(handled_body))).await;
        // With the right content type, this status says that the body was not understood.
        if is_json_post && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return unreadable_message_response(&error.unwrap_or_else(|| MessageError::not_a_message(&body)));
        }
        response
    }
}

/// Whether the content type of a request is JSON.
fn is_content_type_json(headers: &HeaderMap) -> bool {
    essence_of_content_type(headers).is_some_and(|essence| essence == "application/json")
}

/// The content type without its parameters, in lower case.
fn essence_of_content_type(headers: &HeaderMap) -> Option<String> {
    let content_type = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(content_type.split(';').next()?.trim().to_ascii_lowercase())
}

/// The body of a response, whose request is in progress until the whole body is sent.
struct BodyInProgress {
    body: ResponseBody,
    refusal: Option<Refusal>,
    _request: RequestInProgress,
}

/// How a request is refused whose response has begun, as a stream of events.
struct Refusal {
    must_refuse: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The last event of the stream: the error that answers the request.
    event: Bytes,
}

impl Body for BodyInProgress {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(refusal) = &mut self.refusal
            && refusal.must_refuse.as_mut().poll(context).is_ready()
        {
            let event = std::mem::take(&mut refusal.event);
            // What is left of its handling is dropped, which withdraws the call.
            self.refusal = None;
            self.body = Empty::new().boxed();
            return Poll::Ready(Some(Ok(Frame::data(event))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Refuses a request after its body was read and dropped: a connection that is closed with unread input is reset, and
/// the client may never see the response.
async fn drain_body_then_refuse_request(body: Incoming, response: Response<ResponseBody>) -> Response<ResponseBody> {
    let mut body = Limited::new(body, MAX_BODY_BYTES);
    let read_and_drop = async { while body.frame().await.is_some_and(|frame| frame.is_ok()) {} };
    let _ = timeout(FIRST_BODY_TIMEOUT, read_and_drop).await;
    with_connection_close_header(response)
}

/// A response after which the connection is closed.
fn with_connection_close_header(mut response: Response<ResponseBody>) -> Response<ResponseBody> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The response to a large message for which there is no memory.
fn no_memory_response() -> Response<ResponseBody> {
    let text = "Too many large messages are waiting: try again in a moment, or send a shorter message.\n";
    let mut response = plain_text_response(StatusCode::SERVICE_UNAVAILABLE, text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// The response to a request for which there is no place.
fn server_busy_response() -> Response<ResponseBody> {
    let text = "All connections of this server are busy: try again in a moment.\n";
    let mut response = plain_text_response(StatusCode::SERVICE_UNAVAILABLE, text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// The event with which the stream of a request ends for which there is no place any more.
fn server_busy_event(message: &[u8]) -> Bytes {
    let error = MessageError::server_busy(message);
    format!("data: {}\n\n", error.to_json()).into()
}

/// The response to a message that cannot be read.
fn unreadable_message_response(error: &MessageError) -> Response<ResponseBody> {
    let mut response = Response::new(Full::new(Bytes::from(error.to_json())).boxed());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An error response that closes its connection, because a part of the request's body is still unread.
fn error_response_that_closes_connection(status: StatusCode, text: &'static str) -> Response<ResponseBody> {
    with_connection_close_header(plain_text_response(status, text))
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
        let is_in =
            |header: &'static str| token().matches_authorization_header(Some(&HeaderValue::from_static(header)));
        assert!(is_in("Bearer 0123456789abcdef"));
        assert!(is_in("bearer  0123456789abcdef"));
        for wrong in ["Bearer 0123456789abcdeX", "Bearer 0123456789abcde", "Basic 0123456789abcdef", "Bearer", ""] {
            assert!(!is_in(wrong), "{wrong}");
        }
        assert!(!token().matches_authorization_header(None));
    }

    #[test]
    fn a_poor_token_is_refused() {
        assert!(BearerToken::new("short").is_err_and(|error| error.contains("openssl")));
        assert!(BearerToken::new("two words that are long").is_err());
    }
}
