//! A chat model behind HTTP: its requests, their retries and the meaning of failures.

use std::fmt;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use reqwest::{Client, Response, Url, redirect};
use serde_json::Value;
use tokio::time::Instant;

use super::address::{BASE_URL_SETTINGS, build_request_url, format_host_and_port};
use super::failure::{
    NO_API_HINT, PAGE_RETRIES, TryFailure, append_to_error_message, final_error_with_tries_and_pause,
    format_retry_message, max_tries_of_unreached_server, pause_after_unreached_server,
};
use super::head::{MAX_BEGINNING_BYTES, ResponseHead};
use super::options::{KEY_FILE_SETTINGS, ModelOptions};
use super::refusal::{ErrorResponse, find_error_in_response_body, is_context_too_long_error};
use super::retry::{is_transient_status, parse_retry_after};
use super::sse::EventParser;
use super::wire::{ModelCapabilities, StreamAccumulator, WireProtocol, wire_protocol_for};
use crate::chat::check::check_chat_request;
use crate::chat::error::ChatError;
use crate::chat::masked::RequestMasker;
use crate::chat::model::{ChatFuture, ChatModel, ChatReply, ChatRequest, TextCallback, Usage};
use crate::chat::tokens::{TokenCountCalibration, count_request_tokens};
use crate::chat::vendors::Vendor;
use crate::web::{self, ApiKey, describe_error_with_causes};

/// The size limit of a streamed reply in bytes. A reply of 100,000 tokens, each piece in its own JSON, is some 20 MB.
const MAX_STREAM_BYTES: u64 = 64 * 1024 * 1024;
/// The size limit, in bytes, of a reply that is not streamed. A reply of 100,000 tokens has less than 1 MB; parsed JSON
/// takes many times its size in memory.
const MAX_WHOLE_REPLY_BYTES: u64 = 16 * 1024 * 1024;
/// The time limit until a connection to the server is established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// The time limit for reading the body of an error response.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit of a whole stream, as a multiple of the timeout between two pieces.
const STREAM_TIMEOUT_FACTOR: u32 = 10;

/// A chat model behind HTTP, with its connection settings and what was learned of it.
pub(super) struct RemoteModel {
    name: String,
    model: String,
    host: String,
    url: Url,
    key: Option<ApiKey>,
    vendor: &'static Vendor,
    client: Client,
    options: ModelOptions,
    capabilities: Mutex<ModelCapabilities>,
    masker: RequestMasker,
}

impl RemoteModel {
    /// Creates the chat model `model` of the provider `vendor`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ChatError::Options`] where the address or the key is invalid, or the TLS client cannot be set up.
    pub(super) fn new(
        vendor: &'static Vendor,
        model: String,
        key: Option<String>,
        options: ModelOptions,
    ) -> Result<Self, ChatError> {
        let wire = wire_protocol_for(vendor.protocol);
        let url = build_request_url(vendor, options.base_url.as_deref()).map_err(ChatError::Options)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let (is_loopback, is_plain) = (web::is_loopback_url(&url), url.scheme() == "http");
        if key.is_some() && is_plain && !is_loopback {
            return Err(ChatError::Options(format!(
                "the key is not sent to {host} without encryption: use an https address, or leave the key out"
            )));
        }
        let unsendable = |reason: String| {
            let variables = vendor.key_variables.join(" or ");
            ChatError::Options(format!("{reason} in {variables}, or in the key file ({KEY_FILE_SETTINGS})"))
        };
        let key = key.map(|key| ApiKey::new(wire.key_header_and_prefix().1, &key)).transpose().map_err(unsendable)?;
        let no_client = |reason: String| {
            ChatError::Options(format!(
                "no connection can be made: {reason}; https needs the system's CA certificates (package ca-certificates)"
            ))
        };
        let mut builder = Client::builder()
            .tls_backend_preconfigured(web::build_tls_config(is_plain && is_loopback).map_err(no_client)?)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT_TIMEOUT.min(options.timeout / 2))
            .user_agent(concat!("peelback/", env!("CARGO_PKG_VERSION")));
        if is_loopback {
            // A proxy would see requests that are not meant to leave this machine, the key included.
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| no_client(describe_error_with_causes(&error.without_url())))?;
        let capabilities = ModelCapabilities::new(vendor.uses_max_completion_tokens, options.effort.clone());
        let capabilities = Mutex::new(capabilities);
        let name = format!("{}/{model}", vendor.name);
        Ok(Self {
            name,
            model,
            host,
            url,
            key,
            vendor,
            client,
            options,
            capabilities,
            masker: RequestMasker::default(),
        })
    }

    fn wire_protocol(&self) -> &'static dyn WireProtocol {
        wire_protocol_for(self.vendor.protocol)
    }

    /// Sends a chat request, with retries after failures, and returns the reply.
    async fn send_with_retries(
        &self,
        request: &ChatRequest,
        on_text: Option<TextCallback<'_>>,
    ) -> Result<ChatReply, ChatError> {
        check_chat_request(request)?;
        let started_at = self.options.clock.time_since_clock_start();
        let (mut tries, mut unreached, mut pages) = (1, 0, 0);
        loop {
            let capabilities = self.known_capabilities_for_next_request(on_text.is_some());
            let body = self.wire_protocol().build_request_body(request, &self.model, &capabilities);
            let result = self.send_once(&body, on_text).await;
            let is_page = matches!(result, Err(TryFailure::Page(_)));
            let pause_after = |requested| {
                let elapsed = self.options.clock.time_since_clock_start().saturating_sub(started_at);
                self.options.retry.pause_after_tries(tries, elapsed, requested)
            };
            let (error, requested, pause, max_tries) = match result {
                Ok(reply) => return Ok(reply),
                Err(TryFailure::Permanent(error)) => return Err(error),
                Err(TryFailure::Unsupported(error, words)) => {
                    // The loop ends: each missing capability of the model is learned once, and there are few.
                    if !self.update_capabilities_from_error(&words, &capabilities, request) {
                        return Err(error);
                    }
                    continue;
                }
                Err(TryFailure::Unreached(error)) => {
                    unreached += 1;
                    let pause = pause_after_unreached_server(unreached).filter(|_| tries < self.options.retry.tries);
                    (error, None, pause, max_tries_of_unreached_server().min(self.options.retry.tries))
                }
                Err(TryFailure::Transient(error, requested)) => {
                    unreached = 0;
                    (error, requested, pause_after(requested), self.options.retry.tries)
                }
                Err(TryFailure::Page(error)) => {
                    unreached = 0;
                    pages += 1;
                    (error, None, pause_after(None).filter(|_| pages <= PAGE_RETRIES), tries + 1)
                }
            };
            let Some(pause) = pause else {
                return Err(final_error_with_tries_and_pause(error, tries, requested));
            };
            let tokens = TokenCountCalibration::new(self.vendor.token_ratio)
                .estimate_provider_tokens(count_request_tokens(request))
                .saturating_add(u64::from(request.max_output_tokens));
            let rate_limiter = self.options.rate_limiter.as_deref();
            if let Some(rate_limiter) = rate_limiter
                && !error.is_certainly_unbilled()
                && !rate_limiter.record_failed_try_if_allowed(tokens)
            {
                // The failed try may be billed, and another try too.
                return Err(append_to_error_message(
                    final_error_with_tries_and_pause(error, tries, requested),
                    "; the budget does not allow another try",
                ));
            }
            if let Some(on_retry) = &self.options.on_retry {
                on_retry(&format_retry_message(&error, is_page, pause, tries + 1, max_tries.max(tries + 1)));
            }
            self.options.clock.sleep(pause).await;
            if let Some(rate_limiter) = rate_limiter.filter(|_| unreached == 0) {
                // The tokens of the failed try stay counted, since its usage is unknown. The minimum keeps a call that
                // was admitted once from failing by this coarser estimate.
                rate_limiter.wait_for_admission(tokens.min(rate_limiter.tokens_per_minute())).await?;
            }
            tries += 1;
        }
    }

    /// The optional parameters that the model supports, as far as is known, for the next request.
    fn known_capabilities_for_next_request(&self, streams: bool) -> ModelCapabilities {
        ModelCapabilities { streams, ..self.capabilities.lock().unwrap_or_else(PoisonError::into_inner).clone() }
    }

    /// Updates the known capabilities of the model after it refused, with `message`, a request that was made with the
    /// capabilities `sent`. Returns whether another request is worth a try.
    fn update_capabilities_from_error(&self, message: &str, sent: &ModelCapabilities, request: &ChatRequest) -> bool {
        let mut learned = sent.clone();
        if !learned.update_from_error_message(message, request) {
            return false;
        }
        let mut capabilities = self.capabilities.lock().unwrap_or_else(PoisonError::into_inner);
        // The parameter for the limit on the reply may change its name once: changing it back would be an endless loop.
        let initial = self.vendor.uses_max_completion_tokens;
        if learned.uses_max_completion_tokens == initial && sent.uses_max_completion_tokens != initial {
            return false;
        }
        *capabilities = ModelCapabilities { streams: false, ..learned };
        true
    }

    /// Makes one try of a request: sends `body` and reads the reply.
    async fn send_once(&self, body: &Value, on_text: Option<TextCallback<'_>>) -> Result<ChatReply, TryFailure> {
        let mut request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, if on_text.is_some() { "text/event-stream, application/json" } else { "application/json" })
            .body(body.to_string());
        for (name, value) in self.wire_protocol().extra_headers() {
            request = request.header(*name, *value);
        }
        if let Some(key) = &self.key {
            request = request
                .header(HeaderName::from_static(self.wire_protocol().key_header_and_prefix().0), key.header_value());
        }
        match on_text {
            Some(on_text) => {
                let response = self
                    .await_within_timeout(request.send())
                    .await?
                    .map_err(|error| self.failure_of_http_client_error(&error))?;
                self.read_streamed_reply(self.check_response_status(response).await?, on_text).await
            }
            None => {
                let reply = async {
                    let response = request.send().await.map_err(|error| self.failure_of_http_client_error(&error))?;
                    let response = self.check_response_status(response).await?;
                    self.read_whole_reply(response).await
                };
                self.await_within_timeout(reply).await?
            }
        }
    }

    /// The output of `future` within the timeout. A try that timed out is not repeated: the provider may still work on
    /// it.
    async fn await_within_timeout<T>(&self, future: impl Future<Output = T>) -> Result<T, TryFailure> {
        let timeout = self.options.timeout;
        tokio::time::timeout(timeout, future).await.map_err(|_| {
            let reason =
                format!("no answer within {} seconds; allow more time, or use a faster model", timeout.as_secs_f32());
            TryFailure::Permanent(ChatError::Connection { host: self.host.clone(), reason })
        })
    }

    /// The output of `future` before the deadline `end`, for the next bytes of a stream.
    async fn await_before_deadline<T>(&self, end: Instant, future: impl Future<Output = T>) -> Result<T, TryFailure> {
        tokio::time::timeout_at(end, future).await.map_err(|_| {
            let seconds = self.options.timeout.as_secs_f32();
            let reason = format!(
                "nothing new within {seconds} seconds, or no end within {STREAM_TIMEOUT_FACTOR} times as long; allow more time, or use \
                 a faster model"
            );
            TryFailure::Permanent(ChatError::Connection { host: self.host.clone(), reason })
        })
    }

    /// Reads a whole reply, which is not streamed.
    async fn read_whole_reply(&self, response: Response) -> Result<ChatReply, TryFailure> {
        let head = ResponseHead::of_response(&response);
        self.parse_reply_bytes(&self.read_limited_body(response, &head).await?, &head)
    }

    pub(super) fn parse_reply_bytes(&self, body: &[u8], head: &ResponseHead) -> Result<ChatReply, TryFailure> {
        let body: Value = serde_json::from_slice(body)
            .map_err(|error| self.no_json_failure(head, body, &format!("it is not JSON ({error})")))?;
        self.parse_reply_json(&body)
    }

    /// Parses the body of a whole reply, or returns the failure that it reports.
    fn parse_reply_json(&self, body: &Value) -> Result<ChatReply, TryFailure> {
        if let Some(refusal) = find_error_in_response_body(body) {
            // Some servers report an error in the body of a response whose status is a success.
            return Err(self.failure_of_error_response(&refusal, None));
        }
        self.wire_protocol()
            .parse_reply_or_usage(body)
            .map_err(|(reason, usage)| self.malformed_reply_failure(&reason, usage))
    }

    /// Reads a streamed reply and passes each piece of its text to `on_text`.
    async fn read_streamed_reply(
        &self,
        mut response: Response,
        on_text: TextCallback<'_>,
    ) -> Result<ChatReply, TryFailure> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") {
            // Some servers send a whole reply where a stream was requested.
            let reply = self.await_within_timeout(self.read_whole_reply(response)).await??;
            if !reply.message.text.is_empty() {
                on_text(&reply.message.text);
            }
            return Ok(reply);
        }
        let mut stream = self.new_reply_stream(on_text, ResponseHead::of_response(&response));
        let mut events = EventParser::default();
        let mut bytes = 0_u64;
        let stream_deadline = deadline_after(self.options.timeout.saturating_mul(STREAM_TIMEOUT_FACTOR));
        // Each event extends the deadline; comments that only keep the connection alive do not.
        let mut event_deadline = deadline_after(self.options.timeout);
        loop {
            let chunk = match self.await_before_deadline(event_deadline.min(stream_deadline), response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break,
                Ok(Err(error)) => {
                    return Err(self.broken_stream_failure(&stream, &describe_error_with_causes(&error.without_url())));
                }
                Err(TryFailure::Permanent(ChatError::Connection { reason, .. })) if stream.has_text => {
                    return Err(self.permanent_broken_stream_failure(&stream, &reason));
                }
                Err(failure) => return Err(failure),
            };
            bytes = bytes.saturating_add(chunk.len() as u64);
            if bytes > MAX_STREAM_BYTES {
                return Err(self.too_large_reply_failure(MAX_STREAM_BYTES, self.reported_stream_usage(&stream)));
            }
            stream.keep_beginning(&chunk);
            for event in events.parse_bytes(&chunk) {
                self.handle_stream_event(&event, &mut stream)?;
                event_deadline = deadline_after(self.options.timeout);
            }
        }
        self.finish_streamed_reply(events, stream)
    }

    fn new_reply_stream<'a>(&self, on_text: TextCallback<'a>, head: ResponseHead) -> ReplyStream<'a> {
        let accumulator = self.wire_protocol().new_stream_accumulator();
        ReplyStream { accumulator, on_text, has_text: false, head, beginning: Vec::new(), events: 0 }
    }

    /// Parses a streamed reply after its last byte.
    fn finish_streamed_reply(&self, events: EventParser, mut stream: ReplyStream<'_>) -> Result<ChatReply, TryFailure> {
        for event in events.finish_with_last_event() {
            self.handle_stream_event(&event, &mut stream)?;
        }
        if stream.events == 0 {
            return Err(self.no_json_failure(&stream.head, &stream.beginning, "it is not a stream of events"));
        }
        if !stream.accumulator.is_complete() {
            return Err(self.broken_stream_failure(&stream, "the stream ended early"));
        }
        let body = stream.accumulator.reply_body_so_far();
        self.parse_reply_json(&body)
    }

    /// Reads a streamed reply that has arrived in `chunks`.
    #[cfg(fuzzing)]
    pub(super) fn parse_streamed_reply_chunks(
        &self,
        chunks: &[&[u8]],
        on_text: TextCallback<'_>,
    ) -> Result<ChatReply, TryFailure> {
        let (mut events, mut stream) =
            (EventParser::default(), self.new_reply_stream(on_text, ResponseHead::default()));
        for chunk in chunks {
            stream.keep_beginning(chunk);
            for event in events.parse_bytes(chunk) {
                self.handle_stream_event(&event, &mut stream)?;
            }
        }
        self.finish_streamed_reply(events, stream)
    }

    /// The body of a request, as text.
    #[cfg(fuzzing)]
    pub(super) fn request_body(&self, request: &ChatRequest, streams: bool) -> String {
        let capabilities = self.known_capabilities_for_next_request(streams);
        self.wire_protocol().build_request_body(request, &self.model, &capabilities).to_string()
    }

    /// Adds an event of a streamed reply to the reply so far.
    fn handle_stream_event(&self, data: &str, stream: &mut ReplyStream<'_>) -> Result<(), TryFailure> {
        stream.events += 1;
        if data.trim() == "[DONE]" || data.trim().is_empty() {
            return Ok(());
        }
        let data: Value = serde_json::from_str(data).map_err(|error| {
            let reason = format!("a piece of it is not JSON ({error})");
            match self.reported_stream_usage(stream) {
                usage if stream.has_text || usage != Usage::default() => self.malformed_reply_failure(&reason, usage),
                _ => self.no_json_failure(&stream.head, &stream.beginning, &reason),
            }
        })?;
        if let Some(refusal) = find_error_in_response_body(&data) {
            return Err(if stream.has_text {
                let message = web::sanitize_server_message(&refusal.message, self.key.as_ref());
                self.permanent_broken_stream_failure(stream, &format!("the stream ended with an error: {message}"))
            } else {
                self.failure_of_error_response(&refusal, None)
            });
        }
        if let Some(piece) = stream.accumulator.add_event_and_return_text(&data) {
            stream.has_text = true;
            (stream.on_text)(&piece);
        }
        Ok(())
    }

    /// The failure for a streamed reply that broke off. The call is repeated only where no text was passed on and no
    /// usage was reported.
    fn broken_stream_failure(&self, stream: &ReplyStream<'_>, reason: &str) -> TryFailure {
        if stream.has_text || self.reported_stream_usage(stream) != Usage::default() {
            return self.permanent_broken_stream_failure(stream, reason);
        }
        TryFailure::Transient(self.connection_error(reason.to_owned()), None)
    }

    /// The failure for a streamed reply that broke off and is not requested again.
    fn permanent_broken_stream_failure(&self, stream: &ReplyStream<'_>, reason: &str) -> TryFailure {
        self.malformed_reply_failure(&format!("{reason}; try again"), self.reported_stream_usage(stream))
    }

    /// The token usage that a streamed reply has reported so far.
    fn reported_stream_usage(&self, stream: &ReplyStream<'_>) -> Usage {
        self.wire_protocol().parse_usage(&stream.accumulator.reply_body_so_far())
    }

    /// Reads the body of a response, of at most [`MAX_WHOLE_REPLY_BYTES`] bytes.
    async fn read_limited_body(&self, mut response: Response, head: &ResponseHead) -> Result<Vec<u8>, TryFailure> {
        if response.content_length().is_some_and(|length| length > MAX_WHOLE_REPLY_BYTES) {
            return Err(self.too_large_reply_failure(MAX_WHOLE_REPLY_BYTES, Usage::default()));
        }
        let mut body = Vec::new();
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                // The headers arrived, and the body broke off.
                Err(error) => {
                    let reason = describe_error_with_causes(&error.without_url());
                    let reason = format!("the body broke off ({reason}), {}", head.describe(&body, self.key.as_ref()));
                    return Err(TryFailure::Transient(self.connection_error(reason), None));
                }
            };
            if body.len() as u64 + chunk.len() as u64 > MAX_WHOLE_REPLY_BYTES {
                return Err(self.too_large_reply_failure(MAX_WHOLE_REPLY_BYTES, Usage::default()));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Returns the response where its HTTP status is a success, and otherwise the failure that it means.
    async fn check_response_status(&self, mut response: Response) -> Result<Response, TryFailure> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status.is_redirection() {
            let message =
                "it redirects to another place, which is not followed: set the address that it redirects to".to_owned();
            let error = ChatError::Status { host: self.host.clone(), status: status.as_u16(), message };
            return Err(TryFailure::Permanent(error));
        }
        let requested = parse_retry_after(response.headers(), self.options.clock.current_system_time());
        let mut body = Vec::new();
        let end = deadline_after(self.options.timeout.min(ERROR_BODY_TIMEOUT));
        // The body of the error response may be incomplete: its beginning may contain the message.
        while let Ok(Ok(Some(chunk))) = tokio::time::timeout_at(end, response.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() as u64 > web::MAX_ERROR_BODY_BYTES {
                break;
            }
        }
        Err(self.failure_of_error_response(&ErrorResponse::parse(status.as_u16(), &body), requested))
    }

    /// The failure that an error response means; `requested` is the pause before another try that the provider asked
    /// for.
    pub(super) fn failure_of_error_response(&self, refusal: &ErrorResponse, requested: Option<Duration>) -> TryFailure {
        let host = self.host.clone();
        let message = web::sanitize_server_message(&refusal.message, self.key.as_ref());
        if is_context_too_long_error(refusal) {
            return TryFailure::Permanent(ChatError::ContextTooLong { host, message });
        }
        let status = refusal.status;
        let has_key = self.key.is_some();
        let message = refusal.message_with_remedy(&message, self.vendor, has_key);
        let error = ChatError::Status { host, status, message };
        match status {
            _ if refusal.is_api_key_error() => TryFailure::Permanent(error),
            // Some gateways answer with the status 500 where the key is missing.
            500 if !has_key => TryFailure::Unreached(error),
            400 | 422 => TryFailure::Unsupported(error, refusal.message.clone()),
            status if is_transient_status(status) && !refusal.is_out_of_credit() => {
                TryFailure::Transient(error, requested)
            }
            _ => TryFailure::Permanent(error),
        }
    }

    /// The failure of a try that an error of the HTTP client means.
    fn failure_of_http_client_error(&self, error: &reqwest::Error) -> TryFailure {
        // Only the host of the URL is shown: others may read the log.
        let reason = describe_error_with_causes(error).replace(self.url.as_str(), &self.host);
        if !error.is_connect() {
            return TryFailure::Transient(ChatError::Connection { host: self.host.clone(), reason }, None);
        }
        // Nothing was sent yet. The innermost cause is the reason: a refused connection or an unknown host name.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let reason = format!(
            "there is no connection ({cause}); check that the server runs, the network, and the base URL ({BASE_URL_SETTINGS})"
        );
        let unreached = ChatError::Unreachable { host: format_host_and_port(&self.url), reason };
        if error.is_timeout() { TryFailure::Permanent(unreached) } else { TryFailure::Unreached(unreached) }
    }

    fn connection_error(&self, reason: String) -> ChatError {
        ChatError::Connection { host: self.host.clone(), reason }
    }

    /// The failure of a try whose reply has no JSON, such as the page of a proxy or a body that was cut. Most such
    /// replies are made between this machine and the model's, for a moment, so the call is tried again.
    fn no_json_failure(&self, head: &ResponseHead, body: &[u8], reason: &str) -> TryFailure {
        let described = head.describe(body, self.key.as_ref());
        let reason = format!("{reason}, {described}; {NO_API_HINT}");
        let error = ChatError::Malformed { host: self.host.clone(), reason, usage: Usage::default() };
        if head.is_page(body) { TryFailure::Page(error) } else { TryFailure::Transient(error, None) }
    }

    /// The failure of a try whose reply does not follow the protocol.
    fn malformed_reply_failure(&self, reason: &str, usage: Usage) -> TryFailure {
        let reason = web::sanitize_server_message(reason, self.key.as_ref());
        TryFailure::Permanent(ChatError::Malformed { host: self.host.clone(), reason, usage })
    }

    /// The failure of a try whose reply has more than `max_bytes` bytes.
    fn too_large_reply_failure(&self, max_bytes: u64, usage: Usage) -> TryFailure {
        self.malformed_reply_failure(&format!("it has more than {max_bytes} bytes"), usage)
    }
}

/// The instant that is the duration `time` from now.
fn deadline_after(time: Duration) -> Instant {
    let now = Instant::now();
    // Where the sum overflows, a year is long enough.
    now.checked_add(time).unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 3_600))
}

/// A reply that is being streamed, as far as it has arrived.
struct ReplyStream<'a> {
    accumulator: Box<dyn StreamAccumulator>,
    on_text: TextCallback<'a>,
    /// Whether text of the reply was passed to the callback.
    has_text: bool,
    /// The status and the content type of the response.
    head: ResponseHead,
    /// The first bytes of the response's body, at most [`MAX_BEGINNING_BYTES`], for error messages.
    beginning: Vec<u8>,
    /// The number of events that were read.
    events: u64,
}

impl ReplyStream<'_> {
    /// Keeps the first bytes of the body for error messages.
    fn keep_beginning(&mut self, chunk: &[u8]) {
        let room = MAX_BEGINNING_BYTES.saturating_sub(self.beginning.len());
        self.beginning.extend(chunk.iter().take(room));
    }
}

impl ChatModel for RemoteModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, on_text: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(async move {
            // The last place before the network: whoever made the request, no secret passes.
            let request = self.masker.mask(request);
            self.send_with_retries(&request, on_text).await
        })
    }
}

impl fmt::Debug for RemoteModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteModel").field("name", &self.name).field("options", &self.options).finish_non_exhaustive()
    }
}
