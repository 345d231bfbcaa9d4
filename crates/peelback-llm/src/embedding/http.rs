//! Models behind HTTP.

mod answer;
mod cut;

use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use reqwest::blocking::{Client, Response};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{StatusCode, Url, redirect};
use rustls::ClientConfig;
use serde_json::json;

use super::{EmbeddingError, EmbeddingModel, is_past, unit};
use crate::web::{self, Key, MAX_FAILURE, chain};

/// Bytes of an answer that are read. A batch of 32 vectors of 4,096 numbers is some 3 MB of JSON.
const MAX_ANSWER: u64 = 64 * 1024 * 1024;
/// How often a batch is sent at most.
const MAX_TRIES: u32 = 3;
/// The pause before the second try; it doubles for the third.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Texts in a request. Servers refuse more than they are set to, and 32 is the lowest usual setting.
const BATCH: usize = 32;

/// How an endpoint wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointForm {
    /// `URL/embeddings`, as OpenAI has it and most servers after it. The address mostly ends in `/v1`.
    OpenAi,
    /// `URL/api/embed`, as Ollama has it.
    Ollama,
}

/// Which endpoint to ask, and how.
#[derive(Clone)]
pub struct EndpointOptions {
    /// The base of the address, `http` or `https`, without user, query or fragment.
    pub url: String,
    /// The form of requests and answers.
    pub form: EndpointForm,
    /// The model's name, as the server knows it.
    pub model: String,
    /// Sent as `Authorization: Bearer`. White space around it is dropped; an empty one is none.
    pub key: Option<String>,
    /// How long one batch may take, all its tries together.
    pub timeout: Duration,
}

impl fmt::Debug for EndpointOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the key nor an address that may hold a password.
        f.debug_struct("EndpointOptions")
            .field("form", &self.form)
            .field("model", &self.model)
            .field("key", &self.key.as_ref().map(|_| "hidden"))
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// A model behind HTTP.
///
/// Its name holds the form, the model and the address. What a server serves under a model's name it can change: then
/// vectors of one name differ.
///
/// A batch that is answered with 429 or 5xx, or whose connection breaks, is sent up to three times. Redirects are not
/// followed, since texts go to no other host than was said; the variables of the environment for proxies count, but not
/// on the way to this machine itself. With OpenAI's form, a text over 8,000 tokens is cut, which is what OpenAI's models
/// take; a server whose model takes less has to cut by itself. An empty text is sent as a space.
pub struct Endpoint {
    name: String,
    host: String,
    url: Url,
    form: EndpointForm,
    model: String,
    key: Option<Key>,
    timeout: Duration,
    is_loopback: bool,
    tls: ClientConfig,
    /// Made with the first call, since it has a thread.
    client: Mutex<Option<Client>>,
}

/// Why a try failed, and whether another may do better.
struct Failure {
    error: EmbeddingError,
    again: Again,
}

enum Again {
    No,
    /// After so long where the server said so.
    After(Option<Duration>),
}

impl Endpoint {
    /// An endpoint as `options` say. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Where the options cannot be used, where a key would go over plain HTTP to another machine, and where the
    /// system has no CA certificates for https.
    pub fn new(options: EndpointOptions) -> Result<Self, EmbeddingError> {
        let EndpointOptions { url, form, model, key, timeout } = options;
        let base = web::base(&url).map_err(EmbeddingError::Options)?;
        let host = base.host_str().unwrap_or_default().to_owned();
        let is_loopback = web::is_loopback(&base);
        let key = key.as_deref().map(str::trim).filter(|key| !key.is_empty()).map(bearer).transpose()?;
        if key.is_some() && base.scheme() == "http" && !is_loopback {
            return Err(EmbeddingError::PlainKey { host });
        }
        if model.trim().is_empty() {
            return Err(EmbeddingError::Options("no model is named".to_owned()));
        }
        let base_text = base.as_str().trim_end_matches('/');
        let (form_name, path) = match form {
            EndpointForm::OpenAi => ("openai", "embeddings"),
            EndpointForm::Ollama => ("ollama", "api/embed"),
        };
        let url = Url::parse(&format!("{base_text}/{path}"))
            .map_err(|error| EmbeddingError::Options(format!("the address is not one: {error}")))?;
        let name = format!("{form_name}:{model}@{base_text}");
        let tls = web::tls(base.scheme() == "http" && is_loopback).map_err(EmbeddingError::Client)?;
        Ok(Self { name, host, url, form, model, key, timeout, is_loopback, tls, client: Mutex::new(None) })
    }

    fn client(&self) -> Result<Client, EmbeddingError> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*client {
            return Ok(client.clone());
        }
        let mut builder = Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .user_agent(concat!("peelback/", env!("CARGO_PKG_VERSION")))
            .timeout(None);
        if self.is_loopback {
            // A proxy would read what was not meant to leave this machine, the key included.
            builder = builder.no_proxy();
        }
        let made = builder.build().map_err(|error| EmbeddingError::Client(chain(&error.without_url())))?;
        Ok(client.insert(made).clone())
    }

    fn embed_batch(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let until = match (deadline, Instant::now().checked_add(self.timeout)) {
            (Some(deadline), Some(timeout)) => Some(deadline.min(timeout)),
            (deadline, timeout) => deadline.or(timeout),
        };
        let input: Vec<&str> = texts.iter().map(|&text| if text.is_empty() { " " } else { text }).collect();
        let request = match self.form {
            EndpointForm::OpenAi => {
                let input: Vec<&str> = input.into_iter().map(cut::to_tokens).collect();
                json!({ "model": self.model, "input": input, "encoding_format": "float" })
            }
            EndpointForm::Ollama => json!({ "model": self.model, "input": input }),
        };
        let answer = self.post(request.to_string().into_bytes(), until)?;
        let vectors = answer::read(self.form, &answer)
            .map_err(|reason| EmbeddingError::Malformed { host: self.host.clone(), reason: self.shown(&reason) })?;
        if vectors.len() != texts.len() {
            return Err(EmbeddingError::Count { host: self.host.clone(), asked: texts.len(), got: vectors.len() });
        }
        let no_direction = || EmbeddingError::NoDirection { model: self.host.clone() };
        vectors.into_iter().map(|vector| unit(vector?)).map(|unit| unit.ok_or_else(no_direction)).collect()
    }

    /// The body of the answer to `body`, tried until it is there, a try would not help, or the time is up.
    fn post(&self, body: Vec<u8>, until: Option<Instant>) -> Result<Vec<u8>, EmbeddingError> {
        let client = self.client()?;
        let mut pause = FIRST_PAUSE;
        let mut tries = 1;
        loop {
            let Failure { error, again } = match self.attempt(&client, body.clone(), until, tries) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let Again::After(wanted) = again else { return Err(error) };
            let pause_now = wanted.unwrap_or(pause);
            if tries == MAX_TRIES || left(until).is_some_and(|left| left <= pause_now) {
                return Err(error);
            }
            thread::sleep(pause_now);
            pause *= 2;
            tries += 1;
        }
    }

    fn attempt(&self, client: &Client, body: Vec<u8>, until: Option<Instant>, tries: u32) -> Result<Vec<u8>, Failure> {
        let timed_out = || Failure::last(EmbeddingError::TimedOut { host: self.host.clone() });
        let mut request = client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .body(body);
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.header());
        }
        if let Some(left) = left(until) {
            if left.is_zero() {
                return Err(timed_out());
            }
            request = request.timeout(left);
        }
        let response = request.send().map_err(|error| {
            if error.is_timeout() {
                return timed_out();
            }
            let is_connect = error.is_connect();
            let reason = chain(&error.without_url());
            let host = self.host.clone();
            if is_connect {
                return Failure::last(EmbeddingError::Connect { host, reason });
            }
            Failure { error: EmbeddingError::Dropped { host, tries, reason }, again: Again::After(None) }
        })?;
        if !response.status().is_success() {
            return Err(self.refusal(response));
        }
        let too_large = || Failure::last(EmbeddingError::TooLarge { host: self.host.clone(), limit: MAX_ANSWER });
        if response.content_length().is_some_and(|length| length > MAX_ANSWER) {
            return Err(too_large());
        }
        let mut answer = Vec::new();
        if let Err(error) = response.take(MAX_ANSWER + 1).read_to_end(&mut answer) {
            if is_past(until) {
                return Err(timed_out());
            }
            let error = EmbeddingError::Dropped { host: self.host.clone(), tries, reason: chain(&error) };
            return Err(Failure { error, again: Again::After(None) });
        }
        if answer.len() as u64 > MAX_ANSWER {
            return Err(too_large());
        }
        Ok(answer)
    }

    /// What an answer means that is no success.
    fn refusal(&self, response: Response) -> Failure {
        let status = response.status();
        let host = self.host.clone();
        if status.is_redirection() {
            return Failure::last(EmbeddingError::Redirect { host, status: status.as_u16() });
        }
        // The other form of Retry-After, a date, is rare and needs both clocks to be right.
        let wanted = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|seconds| seconds.trim().parse().ok())
            .map(Duration::from_secs);
        let mut body = Vec::new();
        // What was read before a failure still tells something.
        let _ = response.take(MAX_FAILURE).read_to_end(&mut body);
        let message = web::message(&body).map(|message| self.shown(&message));
        let error = EmbeddingError::Status { host, status: status.as_u16(), message };
        let may_pass = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        Failure { error, again: if may_pass { Again::After(wanted) } else { Again::No } }
    }

    /// A server's words as an error shows them. The key goes first, so that no part of it is left at a cut.
    fn shown(&self, words: &str) -> String {
        web::shown(words, self.key.as_ref())
    }
}

impl EmbeddingModel for Endpoint {
    fn name(&self) -> &str {
        &self.name
    }

    /// Always the host of the address: what listens on this machine may pass texts on.
    fn host(&self) -> Option<&str> {
        Some(&self.host)
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn embed(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            if is_past(deadline) {
                return Err(EmbeddingError::Deadline);
            }
            vectors.extend(self.embed_batch(batch, deadline)?);
        }
        let one = vectors.first().map_or(0, Vec::len);
        match vectors.iter().map(Vec::len).find(|&length| length != one) {
            Some(other) => Err(EmbeddingError::Lengths { host: self.host.clone(), one, other }),
            None => Ok(vectors),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("name", &self.name).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Failure {
    fn last(error: EmbeddingError) -> Self {
        Self { error, again: Again::No }
    }
}

fn bearer(plain: &str) -> Result<Key, EmbeddingError> {
    Key::new("Bearer ", plain).map_err(EmbeddingError::Options)
}

/// What is left until then; `None` is no end.
fn left(until: Option<Instant>) -> Option<Duration> {
    until.map(|until| until.saturating_duration_since(Instant::now()))
}
