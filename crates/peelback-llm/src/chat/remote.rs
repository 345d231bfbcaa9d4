//! A model behind HTTP: what is sent, how often, and what a failure means.

use std::fmt;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use reqwest::{Client, Response, Url, redirect};
use serde_json::Value;

use super::check::check_request;
use super::error::ChatError;
use super::model::{ChatFuture, ChatModel, ChatReply, ChatRequest, Usage, Watch};
use super::open::ModelOptions;
use super::refusal::{Refusal, is_too_long, said_in};
use super::retry::{may_pass, wanted};
use super::sse::Events;
use super::tokens::count_request;
use super::vendors::Vendor;
use super::wire::{Gathering, Manner, Wire};
use crate::web::{self, Key, chain};

/// Bytes of a reply that are read. A reply of 100,000 tokens in pieces, each in its own JSON, is some 20 MB.
const MAX_REPLY: u64 = 64 * 1024 * 1024;

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
    manner: Mutex<Manner>,
}

/// Why a try failed.
enum Failure {
    /// Another would fail too.
    Last(ChatError),
    /// Another may do, after so long where the provider said so.
    Later(ChatError, Option<Duration>),
    /// The request has something that the provider does not know; these are its words.
    Unfit(ChatError, String),
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
        let key = key.map(|key| Key::new(wire.key_header().1, &key)).transpose().map_err(ChatError::Options)?;
        let no_client = |reason: String| {
            ChatError::Options(format!(
                "no connection can be made: {reason}; https needs the system's CA certificates (package ca-certificates)"
            ))
        };
        let mut builder = Client::builder()
            .tls_backend_preconfigured(web::tls(is_plain && is_loopback).map_err(no_client)?)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .user_agent(concat!("peelback/", env!("CARGO_PKG_VERSION")));
        if is_loopback {
            // A proxy would read what was not meant to leave this machine, the key included.
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| no_client(chain(&error.without_url())))?;
        // OpenAI's newer models refuse the old name of the limit; most others do not know the new one.
        let manner = Mutex::new(Manner::new(vendor.name == "openai", options.effort.clone()));
        let name = format!("{}/{model}", vendor.name);
        Ok(Self { name, model, host, url, key, vendor, client, options, manner })
    }

    fn wire(&self) -> Wire {
        self.vendor.wire
    }

    async fn exchange(&self, request: &ChatRequest, watch: Option<Watch<'_>>) -> Result<ChatReply, ChatError> {
        check_request(request)?;
        let begun = self.options.clock.now();
        let mut tries = 1;
        loop {
            let manner = self.manner(watch.is_some());
            let body = self.wire().body(request, &self.model, &manner);
            let (error, wanted) = match self.attempt(&body, watch).await {
                Ok(reply) => return Ok(reply),
                Err(Failure::Last(error)) => return Err(error),
                Err(Failure::Unfit(error, words)) => {
                    // What is learned stays, so this ends: there are few things to learn.
                    if !self.learn(&words, &manner, request) {
                        return Err(error);
                    }
                    continue;
                }
                Err(Failure::Later(error, wanted)) => (error, wanted),
            };
            let elapsed = self.options.clock.now().saturating_sub(begun);
            let Some(pause) = self.options.retry.pause(tries, elapsed, wanted) else {
                return Err(given_up(error, tries, wanted));
            };
            self.options.clock.sleep(pause).await;
            if let Some(pace) = &self.options.pace {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and far below")]
                let input = (count_request(request) as f64 * self.vendor.token_ratio).ceil() as u64;
                // It stays in the minute: nobody tells what a try used that failed.
                pace.admit(input.saturating_add(u64::from(request.max_output_tokens))).await?;
            }
            tries += 1;
        }
    }

    fn manner(&self, streams: bool) -> Manner {
        Manner { streams, ..self.manner.lock().unwrap_or_else(PoisonError::into_inner).clone() }
    }

    /// Learns from a refusal of a request that was made in the manner `sent`. False where nothing new is to be tried.
    fn learn(&self, words: &str, sent: &Manner, request: &ChatRequest) -> bool {
        let mut learned = sent.clone();
        if !learned.learn(words, request) {
            return false;
        }
        let mut manner = self.manner.lock().unwrap_or_else(PoisonError::into_inner);
        // The name of the limit is the one thing that could go to and fro.
        let first = self.vendor.name == "openai";
        if learned.says_completion == first && sent.says_completion != first {
            return false;
        }
        *manner = Manner { streams: false, ..learned };
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
        let mut told = Told { gathering: self.wire().gather(), watch, any: false };
        let mut events = Events::default();
        let mut bytes = 0_u64;
        loop {
            let chunk = match self.in_time(response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(self.cut(&told, &chain(&error.without_url()))),
                Err(Failure::Last(ChatError::Connection { reason, .. })) if told.any => {
                    return Err(self.cut_off(&told, &reason));
                }
                Err(failure) => return Err(failure),
            };
            bytes = bytes.saturating_add(chunk.len() as u64);
            if bytes > MAX_REPLY {
                return Err(self.too_large());
            }
            for event in events.take(&chunk) {
                self.event(&event, &mut told)?;
            }
        }
        for event in events.finish() {
            self.event(&event, &mut told)?;
        }
        if !told.gathering.is_whole() {
            return Err(self.cut(&told, "the stream ended early"));
        }
        let body = told.gathering.body();
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
        if let Some(piece) = told.gathering.take(&data) {
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
        self.wire().usage(&told.gathering.body())
    }

    async fn bytes(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        if response.content_length().is_some_and(|length| length > MAX_REPLY) {
            return Err(self.too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(&error))? {
            if body.len() as u64 + chunk.len() as u64 > MAX_REPLY {
                return Err(self.too_large());
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
        // What was read before a failure still tells something.
        while let Ok(Ok(Some(chunk))) = self.in_time(response.chunk()).await {
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
        let error = ChatError::Status { host, status, message: refusal.message(&words, self.vendor) };
        match status {
            400 | 422 => Failure::Unfit(error, refusal.words.clone()),
            status if may_pass(status) && !refusal.is_unpaid() => Failure::Later(error, wanted),
            _ => Failure::Last(error),
        }
    }

    fn broken(&self, error: &reqwest::Error) -> Failure {
        let reason = chain(error);
        // The address is the user's own, but it may be in a log that others read.
        let reason = reason.replace(self.url.as_str(), &self.host);
        let advice = if error.is_connect() { "; check the address, the network, and that the server runs" } else { "" };
        Failure::Later(ChatError::Connection { host: self.host.clone(), reason: format!("{reason}{advice}") }, None)
    }

    fn malformed(&self, reason: &str, usage: Usage) -> Failure {
        let reason = web::shown(reason, self.key.as_ref());
        Failure::Last(ChatError::Malformed { host: self.host.clone(), reason, usage })
    }

    fn too_large(&self) -> Failure {
        self.malformed(&format!("it has more than {MAX_REPLY} bytes"), Usage::default())
    }
}

/// What came of a stream, and who is told.
struct Told<'a> {
    gathering: Box<dyn Gathering>,
    watch: Watch<'a>,
    /// Whether anything was told.
    any: bool,
}

/// The error of the last try, with how many there were.
fn given_up(error: ChatError, tries: u32, wanted: Option<Duration>) -> ChatError {
    let mut more = if tries > 1 { format!(" (after {tries} tries)") } else { String::new() };
    if let Some(wanted) = wanted {
        more.push_str(&format!(" (it asks to wait {} seconds)", wanted.as_secs_f32().ceil()));
    }
    match error {
        ChatError::Status { host, status, message } => ChatError::Status { host, status, message: message + &more },
        ChatError::Connection { host, reason } => ChatError::Connection { host, reason: reason + &more },
        other => other,
    }
}

/// The address that requests go to.
fn address(vendor: &Vendor, base_url: Option<&str>) -> Result<Url, String> {
    let base_url = base_url.map(str::trim).filter(|url| !url.is_empty()).unwrap_or(vendor.base_url);
    if base_url.is_empty() {
        return Err(format!("{} has no address of its own: give a base URL, as https://host/v1", vendor.name));
    }
    let base = web::base(base_url)?;
    let path = vendor.wire.path();
    let mut text = base.as_str().trim_end_matches('/');
    // A whole address is fine too.
    text = text.strip_suffix(path).unwrap_or(text).trim_end_matches('/');
    let version = if base.path().trim_matches('/').is_empty() { "/v1" } else { "" };
    Url::parse(&format!("{text}{version}/{path}")).map_err(|error| format!("the address is not one: {error}"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::vendors::vendor_of;

    #[test]
    fn addresses_are_completed() {
        let at = |model: &str, base: Option<&str>| {
            address(vendor_of(model).expect("a vendor").0, base).map(|url| url.to_string())
        };
        let ok = |url: &str| Ok(url.to_owned());
        assert_eq!(at("anthropic/x", None), ok("https://api.anthropic.com/v1/messages"));
        assert_eq!(at("openai/x", None), ok("https://api.openai.com/v1/chat/completions"));
        assert_eq!(at("openai-responses/x", None), ok("https://api.openai.com/v1/responses"));
        assert_eq!(at("ollama/x", Some("http://box:11434/")), ok("http://box:11434/v1/chat/completions"));
        assert_eq!(at("openai/x", Some("https://a.b/api/v3/")), ok("https://a.b/api/v3/chat/completions"));
        assert_eq!(at("openai/x", Some("https://a.b/v1/chat/completions")), ok("https://a.b/v1/chat/completions"));
        assert!(at("compatible/x", None).is_err());
        assert!(at("openai/x", Some("a.b")).is_err());
    }
}
