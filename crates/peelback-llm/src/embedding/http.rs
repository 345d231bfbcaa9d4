//! An embedding model behind HTTP: an endpoint to which texts are sent.

mod form;
mod truncate;

use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use reqwest::blocking::{Client, Response};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{StatusCode, Url, redirect};
use rustls::ClientConfig;

pub use self::form::EmbeddingApiFormat;
use super::error::EmbeddingError;
use super::model::{EmbeddingModel, is_deadline_past, normalize_vector};
use crate::web::{self, ApiKey, MAX_ERROR_BODY_BYTES, describe_error_with_causes};

/// The size limit of a response in bytes. A batch of 32 vectors of 4,096 numbers is some 3 MB of JSON.
const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;
/// The limit on the tries of a batch of texts.
const MAX_TRIES: u32 = 3;
/// The pause before the second try of a batch; it doubles before the third.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The number of texts in one request. Servers refuse more than their setting, and 32 is the lowest usual one.
const BATCH_SIZE: usize = 32;

/// The options of an embedding endpoint: its address, its form and its model.
#[derive(Clone)]
pub struct EndpointOptions {
    /// The base URL of the endpoint, `http` or `https`, without user, query or fragment.
    pub url: String,
    /// The form of the endpoint's requests and responses.
    pub form: EmbeddingApiFormat,
    /// The name of the embedding model on the server.
    pub model: String,
    /// The API key, sent as `Authorization: Bearer`. It is trimmed; an empty key is none.
    pub key: Option<String>,
    /// The time limit of one batch of texts, all tries together.
    pub timeout: Duration,
}

impl fmt::Debug for EndpointOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The output has neither the key nor the address, which may contain a password.
        f.debug_struct("EndpointOptions")
            .field("form", &self.form)
            .field("model", &self.model)
            .field("key", &self.key.as_ref().map(|_| "hidden"))
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// An embedding model behind HTTP.
///
/// Its name contains the form, the model and the address. Where a server changes the model behind a name, vectors of
/// the same name differ.
///
/// A batch is tried up to three times where the server answers with 429 or 5xx, or the connection breaks. Redirects are
/// not followed, since texts are only sent to the configured host. The environment variables for proxies apply, except
/// for this machine. With OpenAI's form, a text is truncated to 8,000 tokens, the limit of OpenAI's models; a server
/// with a lower limit has to truncate by itself. An empty text is sent as a space.
pub struct RemoteEmbeddingModel {
    name: String,
    host: String,
    url: Url,
    form: EmbeddingApiFormat,
    model: String,
    key: Option<ApiKey>,
    timeout: Duration,
    is_loopback: bool,
    tls: ClientConfig,
    /// The HTTP client, built at the first call, since it has a thread of its own.
    client: Mutex<Option<Client>>,
}

/// The failure of one try of a request.
struct TryFailure {
    error: EmbeddingError,
    retry: RetryAdvice,
}

/// Whether another try of a request may succeed.
enum RetryAdvice {
    /// No: another try would fail too.
    No,
    /// Yes, after the pause that the server asked for, where it did.
    After(Option<Duration>),
}

impl RemoteEmbeddingModel {
    /// Creates the embedding model of `options`. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`] where an option is invalid, where the key would be sent over plain HTTP to another machine,
    /// or where the system has no CA certificates for https.
    pub fn new(options: EndpointOptions) -> Result<Self, EmbeddingError> {
        let EndpointOptions { url, form, model, key, timeout } = options;
        let base = web::parse_and_check_base_url(&url).map_err(EmbeddingError::Options)?;
        let host = base.host_str().unwrap_or_default().to_owned();
        let is_loopback = web::is_loopback_url(&base);
        let key = key.as_deref().map(str::trim).filter(|key| !key.is_empty()).map(bearer_key_from_text).transpose()?;
        if key.is_some() && base.scheme() == "http" && !is_loopback {
            return Err(EmbeddingError::PlainKey { host });
        }
        if model.trim().is_empty() {
            return Err(EmbeddingError::Options("no model is named".to_owned()));
        }
        let base_text = base.as_str().trim_end_matches('/');
        let url = Url::parse(&format!("{base_text}/{}", form.request_path()))
            .map_err(|error| EmbeddingError::Options(format!("the address is not valid: {error}")))?;
        let name = format!("{}:{model}@{base_text}", form.name());
        let tls = web::build_tls_config(base.scheme() == "http" && is_loopback).map_err(EmbeddingError::Client)?;
        Ok(Self { name, host, url, form, model, key, timeout, is_loopback, tls, client: Mutex::new(None) })
    }

    /// Returns the HTTP client, which is built at the first call.
    fn get_or_build_http_client(&self) -> Result<Client, EmbeddingError> {
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
            // A proxy would see texts that are not meant to leave this machine, and the key.
            builder = builder.no_proxy();
        }
        let built = builder
            .build()
            .map_err(|error| EmbeddingError::Client(describe_error_with_causes(&error.without_url())))?;
        Ok(client.insert(built).clone())
    }

    /// Requests the vectors of one batch of texts.
    fn embed_batch(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let batch_deadline = match (deadline, Instant::now().checked_add(self.timeout)) {
            (Some(deadline), Some(timeout)) => Some(deadline.min(timeout)),
            (deadline, timeout) => deadline.or(timeout),
        };
        let request = self.form.build_request_body(&self.model, texts);
        let response = self.post_with_retries(request.to_string().into_bytes(), batch_deadline)?;
        let vectors = self.form.parse_vectors(&response).map_err(|reason| EmbeddingError::Malformed {
            host: self.host.clone(),
            reason: self.sanitize_server_message(&reason),
        })?;
        if vectors.len() != texts.len() {
            return Err(EmbeddingError::Count { host: self.host.clone(), asked: texts.len(), got: vectors.len() });
        }
        let no_direction = || EmbeddingError::NoDirection { model: self.host.clone() };
        vectors
            .into_iter()
            .map(|vector| normalize_vector(vector?))
            .map(|vector| vector.ok_or_else(no_direction))
            .collect()
    }

    /// Sends the request body `body` and returns the body of the response, with retries until `deadline`.
    fn post_with_retries(&self, body: Vec<u8>, deadline: Option<Instant>) -> Result<Vec<u8>, EmbeddingError> {
        let client = self.get_or_build_http_client()?;
        let mut pause = FIRST_PAUSE;
        let mut tries = 1;
        loop {
            let TryFailure { error, retry } = match self.post_once(&client, body.clone(), deadline, tries) {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let RetryAdvice::After(requested) = retry else { return Err(error) };
            let pause_now = requested.unwrap_or(pause);
            if tries == MAX_TRIES || time_left_until(deadline).is_some_and(|left| left <= pause_now) {
                return Err(error);
            }
            thread::sleep(pause_now);
            pause *= 2;
            tries += 1;
        }
    }

    /// Makes one try of a request: sends `body` and reads the response.
    fn post_once(
        &self,
        client: &Client,
        body: Vec<u8>,
        deadline: Option<Instant>,
        tries: u32,
    ) -> Result<Vec<u8>, TryFailure> {
        let timed_out = || TryFailure::new_permanent(EmbeddingError::TimedOut { host: self.host.clone() });
        let mut request = client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .body(body);
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.header_value());
        }
        if let Some(left) = time_left_until(deadline) {
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
            let reason = describe_error_with_causes(&error.without_url());
            let host = self.host.clone();
            if is_connect {
                return TryFailure::new_permanent(EmbeddingError::Connect { host, reason });
            }
            TryFailure { error: EmbeddingError::Dropped { host, tries, reason }, retry: RetryAdvice::After(None) }
        })?;
        if !response.status().is_success() {
            return Err(self.failure_of_error_response(response));
        }
        let too_large = || {
            TryFailure::new_permanent(EmbeddingError::TooLarge { host: self.host.clone(), limit: MAX_RESPONSE_BYTES })
        };
        if response.content_length().is_some_and(|length| length > MAX_RESPONSE_BYTES) {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        if let Err(error) = response.take(MAX_RESPONSE_BYTES + 1).read_to_end(&mut bytes) {
            if is_deadline_past(deadline) {
                return Err(timed_out());
            }
            let error =
                EmbeddingError::Dropped { host: self.host.clone(), tries, reason: describe_error_with_causes(&error) };
            return Err(TryFailure { error, retry: RetryAdvice::After(None) });
        }
        if bytes.len() as u64 > MAX_RESPONSE_BYTES {
            return Err(too_large());
        }
        Ok(bytes)
    }

    /// The failure of a try that an error response means.
    fn failure_of_error_response(&self, response: Response) -> TryFailure {
        let status = response.status();
        let host = self.host.clone();
        if status.is_redirection() {
            return TryFailure::new_permanent(EmbeddingError::Redirect { host, status: status.as_u16() });
        }
        // The form of the `Retry-After` header with a date is not read: it is rare and needs synchronized clocks.
        let requested = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|seconds| seconds.trim().parse().ok())
            .map(Duration::from_secs);
        let mut body = Vec::new();
        // The body of the error response may be incomplete: its beginning may contain the message.
        let _ = response.take(MAX_ERROR_BODY_BYTES).read_to_end(&mut body);
        let message = web::parse_server_error_message(&body).map(|message| self.sanitize_server_message(&message));
        let error = EmbeddingError::Status { host, status: status.as_u16(), message };
        let is_transient = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        TryFailure { error, retry: if is_transient { RetryAdvice::After(requested) } else { RetryAdvice::No } }
    }

    /// The server's message, truncated and without the key, for an error.
    fn sanitize_server_message(&self, message: &str) -> String {
        web::sanitize_server_message(message, self.key.as_ref())
    }
}

impl EmbeddingModel for RemoteEmbeddingModel {
    fn name(&self) -> &str {
        &self.name
    }

    /// The host of the endpoint, also where it is this machine: a local server may pass texts on.
    fn host(&self) -> Option<&str> {
        Some(&self.host)
    }

    fn max_batch_size(&self) -> usize {
        BATCH_SIZE
    }

    fn embed(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        // The last place before the network: whoever made the texts, no secret passes.
        let masked: Vec<_> = texts.iter().map(|text| peelback_secrets::mask_secrets(text)).collect();
        let texts: Vec<&str> = masked.iter().map(AsRef::as_ref).collect();
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH_SIZE) {
            if is_deadline_past(deadline) {
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

impl fmt::Debug for RemoteEmbeddingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteEmbeddingModel")
            .field("name", &self.name)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl TryFailure {
    /// Creates a failure that another try would repeat.
    fn new_permanent(error: EmbeddingError) -> Self {
        Self { error, retry: RetryAdvice::No }
    }
}

/// Creates the API key for an `Authorization: Bearer` header from its text.
fn bearer_key_from_text(plain: &str) -> Result<ApiKey, EmbeddingError> {
    ApiKey::new("Bearer ", plain).map_err(EmbeddingError::Options)
}

/// The time left before `deadline`; `None` where there is no deadline.
fn time_left_until(deadline: Option<Instant>) -> Option<Duration> {
    deadline.map(|until| until.saturating_duration_since(Instant::now()))
}
