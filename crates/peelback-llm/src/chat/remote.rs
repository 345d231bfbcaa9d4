//! A model behind HTTP: what is sent, how often, and what a failure means.

use std::fmt;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use reqwest::{Client, Response, Url, redirect};
use serde_json::Value;
use tokio::time::Instant;

use super::address::{BASE_URL, address, place};
use super::check::check_request;
use super::error::ChatError;
use super::failure::{Failure, given_up, soon_pause, soon_tries, told, with};
use super::model::{ChatFuture, ChatModel, ChatReply, ChatRequest, Usage, Watch};
use super::open::{KEY_FILE, ModelOptions};
use super::refusal::{Refusal, is_too_long, said_in};
use super::retry::{may_pass, wanted};
use super::sse::Events;
use super::tokens::{Calibration, count_request};
use super::vendors::Vendor;
use super::wire::{ModelCapabilities, StreamAccumulator, Wire};
use crate::web::{self, Key, chain};

/// Bytes of a reply in pieces that are read. One of 100,000 tokens, each piece in its own JSON, is some 20 MB.
const MAX_STREAM: u64 = 64 * 1024 * 1024;
/// Bytes of a whole reply that are read. One of 100,000 tokens has less than 1 MB; JSON takes many times its size when it
/// is read.
const MAX_WHOLE: u64 = 16 * 1024 * 1024;
/// How long it may take until there is a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// How long it may take to read what is said of a failure.
const FAILURE_TIMEOUT: Duration = Duration::from_secs(10);
/// All pieces of a stream may take so many times as long as one.
const PIECES: u32 = 10;

/// A model behind HTTP.
pub(super) struct Remote {
    name: String,
    model: String,
    host: String,
    url: Url,
    key: Option<Key>,
    vendor: &'static Vendor,
    client: Client,
    options: ModelOptions,
    capabilities: Mutex<ModelCapabilities>,
}

impl Remote {
    pub(super) fn new(
        vendor: &'static Vendor,
        model: String,
        key: Option<String>,
        options: ModelOptions,
    ) -> Result<Self, ChatError> {
        let wire = vendor.wire;
        let url = address(vendor, options.base_url.as_deref()).map_err(ChatError::Options)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let (is_loopback, is_plain) = (web::is_loopback(&url), url.scheme() == "http");
        if key.is_some() && is_plain && !is_loopback {
            return Err(ChatError::Options(format!(
                "the key is not sent to {host} without encryption: use an https address, or leave the key out"
            )));
        }
        let unsendable = |reason: String| {
            let variables = vendor.key_variables.join(" or ");
            ChatError::Options(format!("{reason} in {variables}, or in the key file ({KEY_FILE})"))
        };
        let key = key.map(|key| Key::new(wire.key_header().1, &key)).transpose().map_err(unsendable)?;
        let no_client = |reason: String| {
            ChatError::Options(format!(
                "no connection can be made: {reason}; https needs the system's CA certificates (package ca-certificates)"
            ))
        };
        let mut builder = Client::builder()
            .tls_backend_preconfigured(web::tls(is_plain && is_loopback).map_err(no_client)?)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT_TIMEOUT.min(options.timeout / 2))
            .user_agent(concat!("peelback/", env!("CARGO_PKG_VERSION")));
        if is_loopback {
            // A proxy would read what was not meant to leave this machine, the key included.
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| no_client(chain(&error.without_url())))?;
        // OpenAI's newer models refuse the old name of the limit; most others do not know the new one.
        let capabilities = Mutex::new(ModelCapabilities::new(vendor.name == "openai", options.effort.clone()));
        let name = format!("{}/{model}", vendor.name);
        Ok(Self { name, model, host, url, key, vendor, client, options, capabilities })
    }

    fn wire(&self) -> Wire {
        self.vendor.wire
    }

    async fn exchange(&self, request: &ChatRequest, watch: Option<Watch<'_>>) -> Result<ChatReply, ChatError> {
        check_request(request)?;
        let begun = self.options.clock.now();
        let (mut tries, mut soon) = (1, 0);
        loop {
            let capabilities = self.capabilities(watch.is_some());
            let body = self.wire().body(request, &self.model, &capabilities);
            let (error, wanted, pause, most) = match self.attempt(&body, watch).await {
                Ok(reply) => return Ok(reply),
                Err(Failure::Last(error)) => return Err(error),
                Err(Failure::Unfit(error, words)) => {
                    // What is learned stays, so this ends: there are few things to learn.
                    if !self.learn(&words, &capabilities, request) {
                        return Err(error);
                    }
                    continue;
                }
                Err(Failure::Soon(error)) => {
                    soon += 1;
                    let pause = soon_pause(soon).filter(|_| tries < self.options.retry.tries);
                    (error, None, pause, soon_tries().min(self.options.retry.tries))
                }
                Err(Failure::Later(error, wanted)) => {
                    soon = 0;
                    let elapsed = self.options.clock.now().saturating_sub(begun);
                    let pause = self.options.retry.pause(tries, elapsed, wanted);
                    (error, wanted, pause, self.options.retry.tries)
                }
            };
            let Some(pause) = pause else {
                return Err(given_up(error, tries, wanted));
            };
            let tokens = Calibration::new(self.vendor.token_ratio)
                .estimate(count_request(request))
                .saturating_add(u64::from(request.max_output_tokens));
            let rate_limiter = self.options.rate_limiter.as_deref();
            if let Some(rate_limiter) = rate_limiter
                && !error.is_free()
                && !rate_limiter.lose(tokens)
            {
                // It may be billed, and another may be too.
                return Err(with(given_up(error, tries, wanted), "; the budget leaves no room for another try"));
            }
            if let Some(on_retry) = &self.options.on_retry {
                on_retry(&told(&error, pause, tries + 1, most.max(tries + 1)));
            }
            self.options.clock.sleep(pause).await;
            if let Some(rate_limiter) = rate_limiter.filter(|_| soon == 0) {
                // It stays in the minute: nobody tells what a try used that failed. A call that was let through once is
                // not held back for good by a coarser estimate.
                rate_limiter.admit(tokens.min(rate_limiter.limit())).await?;
            }
            tries += 1;
        }
    }

    fn capabilities(&self, streams: bool) -> ModelCapabilities {
        ModelCapabilities { streams, ..self.capabilities.lock().unwrap_or_else(PoisonError::into_inner).clone() }
    }

    /// Learns from a refusal of a request that was made in the capabilities `sent`. False where nothing new is to be tried.
    fn learn(&self, words: &str, sent: &ModelCapabilities, request: &ChatRequest) -> bool {
        let mut learned = sent.clone();
        if !learned.learn(words, request) {
            return false;
        }
        let mut capabilities = self.capabilities.lock().unwrap_or_else(PoisonError::into_inner);
        // The name of the limit is the one thing that could go to and fro.
        let first = self.vendor.name == "openai";
        if learned.says_completion == first && sent.says_completion != first {
            return false;
        }
        *capabilities = ModelCapabilities { streams: false, ..learned };
        true
    }

    async fn attempt(&self, body: &Value, watch: Option<Watch<'_>>) -> Result<ChatReply, Failure> {
        let mut request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, if watch.is_some() { "text/event-stream, application/json" } else { "application/json" })
            .body(body.to_string());
        for (name, value) in self.wire().headers() {
            request = request.header(*name, *value);
        }
        if let Some(key) = &self.key {
            request = request.header(HeaderName::from_static(self.wire().key_header().0), key.header());
        }
        match watch {
            Some(watch) => {
                let response = self.in_time(request.send()).await?.map_err(|error| self.broken(&error))?;
                self.streamed(self.successful(response).await?, watch).await
            }
            None => {
                let whole = async {
                    let response = request.send().await.map_err(|error| self.broken(&error))?;
                    let response = self.successful(response).await?;
                    self.whole(response).await
                };
                self.in_time(whole).await?
            }
        }
    }

    /// What `future` gives, where it does in time. A try that took too long is not made again: the provider may still
    /// be at work on it.
    async fn in_time<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        let timeout = self.options.timeout;
        tokio::time::timeout(timeout, future).await.map_err(|_| {
            let reason =
                format!("no answer within {} seconds; allow more time, or ask a faster model", timeout.as_secs_f32());
            Failure::Last(ChatError::Connection { host: self.host.clone(), reason })
        })
    }

    /// As [`Self::in_time`], for the next bytes of a stream: up to `end`.
    async fn until<T>(&self, end: Instant, future: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::time::timeout_at(end, future).await.map_err(|_| {
            let seconds = self.options.timeout.as_secs_f32();
            let reason = format!(
                "nothing new within {seconds} seconds, or no end within {PIECES} times as long; allow more time, or ask \
                 a faster model"
            );
            Failure::Last(ChatError::Connection { host: self.host.clone(), reason })
        })
    }

    async fn whole(&self, response: Response) -> Result<ChatReply, Failure> {
        let body = self.bytes(response).await?;
        let body: Value = serde_json::from_slice(&body).map_err(|error| {
            self.malformed(
                &format!("it is no JSON ({error}); check that the address is the base of an API"),
                Usage::default(),
            )
        })?;
        self.read(&body)
    }

    fn read(&self, body: &Value) -> Result<ChatReply, Failure> {
        if let Some(refusal) = said_in(body) {
            // Some tell of a failure with the status of a success.
            return Err(self.refused(&refusal, None));
        }
        self.wire().reply(body).map_err(|(reason, usage)| self.malformed(&reason, usage))
    }

    async fn streamed(&self, mut response: Response, watch: Watch<'_>) -> Result<ChatReply, Failure> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") {
            // Some give the whole reply though a stream was asked for.
            let reply = self.in_time(self.whole(response)).await??;
            if !reply.message.text.is_empty() {
                watch(&reply.message.text);
            }
            return Ok(reply);
        }
        let mut told = Told { accumulator: self.wire().stream_accumulator(), watch, any: false };
        let mut events = Events::default();
        let mut bytes = 0_u64;
        let end = after(self.options.timeout.saturating_mul(PIECES));
        // Events put it off; a server that only sends comments to keep the connection does not.
        let mut next = after(self.options.timeout);
        loop {
            let chunk = match self.until(next.min(end), response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(self.cut(&told, &chain(&error.without_url()))),
                Err(Failure::Last(ChatError::Connection { reason, .. })) if told.any => {
                    return Err(self.cut_off(&told, &reason));
                }
                Err(failure) => return Err(failure),
            };
            bytes = bytes.saturating_add(chunk.len() as u64);
            if bytes > MAX_STREAM {
                return Err(self.too_large(MAX_STREAM, self.used(&told)));
            }
            for event in events.take(&chunk) {
                self.event(&event, &mut told)?;
                next = after(self.options.timeout);
            }
        }
        for event in events.finish() {
            self.event(&event, &mut told)?;
        }
        if !told.accumulator.is_whole() {
            return Err(self.cut(&told, "the stream ended early"));
        }
        let body = told.accumulator.body();
        self.read(&body)
    }

    fn event(&self, data: &str, told: &mut Told<'_>) -> Result<(), Failure> {
        if data.trim() == "[DONE]" || data.trim().is_empty() {
            return Ok(());
        }
        let data: Value = serde_json::from_str(data)
            .map_err(|error| self.malformed(&format!("a piece of it is no JSON ({error})"), self.used(told)))?;
        if let Some(refusal) = said_in(&data) {
            return Err(if told.any {
                let words = web::shown(&refusal.words, self.key.as_ref());
                self.cut_off(told, &format!("the stream ended with an error: {words}"))
            } else {
                self.refused(&refusal, None)
            });
        }
        if let Some(piece) = told.accumulator.take(&data) {
            told.any = true;
            (told.watch)(&piece);
        }
        Ok(())
    }

    /// A stream that broke. It is begun anew only where nothing of it was told and nothing is known to be used.
    fn cut(&self, told: &Told<'_>, reason: &str) -> Failure {
        if told.any || self.used(told) != Usage::default() {
            return self.cut_off(told, reason);
        }
        Failure::Later(ChatError::Connection { host: self.host.clone(), reason: reason.to_owned() }, None)
    }

    fn cut_off(&self, told: &Told<'_>, reason: &str) -> Failure {
        self.malformed(&format!("{reason}; try again"), self.used(told))
    }

    fn used(&self, told: &Told<'_>) -> Usage {
        self.wire().usage(&told.accumulator.body())
    }

    async fn bytes(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        if response.content_length().is_some_and(|length| length > MAX_WHOLE) {
            return Err(self.too_large(MAX_WHOLE, Usage::default()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(&error))? {
            if body.len() as u64 + chunk.len() as u64 > MAX_WHOLE {
                return Err(self.too_large(MAX_WHOLE, Usage::default()));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    async fn successful(&self, mut response: Response) -> Result<Response, Failure> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status.is_redirection() {
            let message =
                "it sends on to another place, which is not followed: set the address that it leads to".to_owned();
            let error = ChatError::Status { host: self.host.clone(), status: status.as_u16(), message };
            return Err(Failure::Last(error));
        }
        let wanted = wanted(response.headers(), self.options.clock.date());
        let mut body = Vec::new();
        let end = after(self.options.timeout.min(FAILURE_TIMEOUT));
        // What was read before a failure still tells something.
        while let Ok(Ok(Some(chunk))) = tokio::time::timeout_at(end, response.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() as u64 > web::MAX_FAILURE {
                break;
            }
        }
        Err(self.refused(&Refusal::of(status.as_u16(), &body), wanted))
    }

    fn refused(&self, refusal: &Refusal, wanted: Option<Duration>) -> Failure {
        let host = self.host.clone();
        let words = web::shown(&refusal.words, self.key.as_ref());
        if is_too_long(refusal) {
            return Failure::Last(ChatError::ContextTooLong { host, message: words });
        }
        let status = refusal.status;
        let has_key = self.key.is_some();
        let error = ChatError::Status { host, status, message: refusal.message(&words, self.vendor, has_key) };
        match status {
            _ if refusal.is_about_key() => Failure::Last(error),
            // Gateways fail so where they miss a key.
            500 if !has_key => Failure::Soon(error),
            400 | 422 => Failure::Unfit(error, refusal.words.clone()),
            status if may_pass(status) && !refusal.is_unpaid() => Failure::Later(error, wanted),
            _ => Failure::Last(error),
        }
    }

    fn broken(&self, error: &reqwest::Error) -> Failure {
        // The address is the user's own, but it may be in a log that others read.
        let reason = chain(error).replace(self.url.as_str(), &self.host);
        if !error.is_connect() {
            return Failure::Later(ChatError::Connection { host: self.host.clone(), reason }, None);
        }
        // Nothing was sent yet. The innermost cause says it: a refused connection, a name that nobody knows.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let reason = format!(
            "there is no connection ({cause}); check that the server runs, the network, and the base URL ({BASE_URL})"
        );
        let unreached = ChatError::Unreachable { host: place(&self.url), reason };
        if error.is_timeout() { Failure::Last(unreached) } else { Failure::Soon(unreached) }
    }

    fn malformed(&self, reason: &str, usage: Usage) -> Failure {
        let reason = web::shown(reason, self.key.as_ref());
        Failure::Last(ChatError::Malformed { host: self.host.clone(), reason, usage })
    }

    fn too_large(&self, most: u64, usage: Usage) -> Failure {
        self.malformed(&format!("it has more than {most} bytes"), usage)
    }
}

/// So long from now.
fn after(time: Duration) -> Instant {
    let now = Instant::now();
    // A year is as good as for ever.
    now.checked_add(time).unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 3_600))
}

/// What came of a stream, and who is told.
struct Told<'a> {
    accumulator: Box<dyn StreamAccumulator>,
    watch: Watch<'a>,
    /// Whether anything was told.
    any: bool,
}

impl ChatModel for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, watch: Option<Watch<'a>>) -> ChatFuture<'a> {
        Box::pin(self.exchange(request, watch))
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("name", &self.name).field("options", &self.options).finish_non_exhaustive()
    }
}
