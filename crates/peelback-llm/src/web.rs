//! HTTP for chat and embedding models: base URLs, keys, TLS, and the messages of servers in errors.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use peelback_tokens::text::{to_terminal_line, truncate_chars_and_add_ellipsis};
use reqwest::Url;
use reqwest::header::HeaderValue;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use serde_json::Value;

/// The limit on the characters of a server's message in an error.
const MAX_MESSAGE_CHARS: usize = 300;
/// The limit on the bytes that are read of an error response: its first sentences are enough.
pub(crate) const MAX_ERROR_BODY_BYTES: u64 = 64 * 1024;

/// The advice in error messages about a base URL.
const BASE_URL_ADVICE: &str = "give a complete one, such as http://localhost:4000 or https://host/v1";

/// An API key: the value of its HTTP header, and its text, which is removed from the messages of the server.
pub(crate) struct ApiKey {
    header: HeaderValue,
    plain: String,
}

impl ApiKey {
    /// Creates an API key from the text `plain`, sent after the text `scheme` in its header; or returns the reason why
    /// it is invalid.
    pub(crate) fn new(scheme: &str, plain: &str) -> Result<Self, String> {
        // The error of the header is omitted, since it could contain a part of the key.
        let mut header = HeaderValue::try_from(format!("{scheme}{plain}")).map_err(|_| {
            "the key has characters that a header cannot contain, such as a line break: give the key alone".to_owned()
        })?;
        header.set_sensitive(true);
        Ok(Self { header, plain: plain.to_owned() })
    }

    /// The value of the HTTP header that contains the key.
    pub(crate) fn header_value(&self) -> HeaderValue {
        self.header.clone()
    }

    /// Whether a text contains the key, or a long part of it between the characters that encodings change.
    pub(crate) fn is_partly_in(&self, text: &str) -> bool {
        const MIN_PART_CHARS: usize = 8;
        let parts = self.plain.split(|c: char| !c.is_ascii_alphanumeric());
        parts.filter(|part| part.len() >= MIN_PART_CHARS).chain([self.plain.as_str()]).any(|part| text.contains(part))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}

/// The message of a server in one line, truncated, without the key and with other secrets masked, since it can quote what
/// was sent. Both come first: the end of the truncated text contains no part of them, and a secret is known by its line.
pub(crate) fn sanitize_server_message(message: &str, key: Option<&ApiKey>) -> String {
    let without_key = match key {
        Some(key) => Cow::Owned(message.replace(&key.plain, "[key]")),
        None => Cow::Borrowed(message),
    };
    let message = to_terminal_line(&peelback_secrets::mask_secrets(&without_key));
    truncate_chars_and_add_ellipsis(&message, MAX_MESSAGE_CHARS).into_owned()
}

/// Parses a base URL and checks that requests may be sent there. The reason for a refusal contains no part of the URL,
/// which may contain a password.
pub(crate) fn parse_and_check_base_url(url: &str) -> Result<Url, String> {
    let refused = |reason: &str| Err(reason.to_owned());
    let url = match Url::parse(url.trim()) {
        Ok(url) => url,
        Err(error) => return refused(&format!("the address is not valid ({error}): {BASE_URL_ADVICE}")),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refused(&format!("the address must begin with https:// or http://: {BASE_URL_ADVICE}"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused("the address contains a user or password: give a key instead");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refused("the address contains a query or fragment: give the base alone, such as https://host/v1");
    }
    Ok(url)
}

/// Whether a URL leads to this machine.
pub(crate) fn is_loopback_url(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let host_without_brackets = host.trim_start_matches('[').trim_end_matches(']');
    match host_without_brackets.parse::<std::net::IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        // The URL parser has lower-cased the host.
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Builds a TLS configuration with the certificates of the system. The crypto provider (ring) is passed, not installed:
/// the process-wide default belongs to the program. `is_unused` is for plain HTTP.
pub(crate) fn build_tls_config(is_unused: bool) -> Result<ClientConfig, String> {
    let failed = |error: rustls::Error| error.to_string();
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let builder = if is_unused {
        // Where TLS is not used no certificates are loaded: loading takes time and may fail.
        builder.with_root_certificates(RootCertStore::empty())
    } else {
        builder.with_platform_verifier().map_err(failed)?
    };
    Ok(builder.with_no_client_auth())
}

/// The message of an error with those of its causes: the outermost message alone is mostly "error sending request".
pub(crate) fn describe_error_with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    text
}

/// The server's message in the body of an error response, in the fields that servers use. Only JSON is read: other text
/// may contain the key in an encoding in which it cannot be removed.
pub(crate) fn parse_server_error_message(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let pointers = ["/error/message", "/error", "/message", "/detail"];
    pointers.iter().find_map(|pointer| body.pointer(pointer)?.as_str()).map(str::to_owned)
}
