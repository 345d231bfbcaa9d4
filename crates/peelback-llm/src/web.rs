//! What every exchange over HTTP needs: addresses, keys, encryption, and a server's words made fit to show.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::HeaderValue;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use serde_json::Value;

/// Characters of a server's own words that are shown.
const MAX_MESSAGE: usize = 300;
/// Bytes of an answer that tells of a failure: its first sentences are wanted.
pub(crate) const MAX_FAILURE: u64 = 64 * 1024;

/// What an address looks like.
const EXAMPLE: &str = "give a whole one, as http://localhost:4000 or https://host/v1";

/// A key as it is sent, and as it is looked for in what a server says.
pub(crate) struct Key {
    header: HeaderValue,
    plain: String,
}

impl Key {
    /// The key that is sent as `scheme` and then itself; or why it cannot be.
    pub(crate) fn new(scheme: &str, plain: &str) -> Result<Self, String> {
        // The header's own error is left out, so that nothing of the key can be in it.
        let mut header = HeaderValue::try_from(format!("{scheme}{plain}")).map_err(|_| {
            "the key holds characters that no header can, such as a line's end: give it alone".to_owned()
        })?;
        header.set_sensitive(true);
        Ok(Self { header, plain: plain.to_owned() })
    }

    /// The header's value.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}

/// A server's words as an error shows them. The key goes first, so that no part of it is left at a cut.
pub(crate) fn shown(words: &str, key: Option<&Key>) -> String {
    match key {
        Some(key) => shortened(&words.replace(&key.plain, "[key]")),
        None => shortened(words),
    }
}

/// The base of an address, where it is one that texts may be sent to. Messages hold nothing of it, since it may hold a
/// password.
pub(crate) fn base(url: &str) -> Result<Url, String> {
    let refused = |reason: &str| Err(reason.to_owned());
    let url = match Url::parse(url.trim()) {
        Ok(url) => url,
        Err(error) => return refused(&format!("the address is not one ({error}): {EXAMPLE}")),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refused(&format!("the address must begin with https:// or http://: {EXAMPLE}"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused("the address holds a user or password: give a key instead");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refused("the address holds a query or fragment: give the base alone, as https://host/v1");
    }
    Ok(url)
}

/// Whether the address is of this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<std::net::IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        // The URL's parser has made the host small letters.
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// The system's own certificates, checked by rustls with ring. The provider is handed over, not installed: a process has
/// one place for that, and it belongs to the program.
pub(crate) fn tls(is_unused: bool) -> Result<ClientConfig, String> {
    let failed = |error: rustls::Error| error.to_string();
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let builder = if is_unused {
        // Looking for certificates takes time and may fail.
        builder.with_root_certificates(RootCertStore::empty())
    } else {
        builder.with_platform_verifier().map_err(failed)?
    };
    Ok(builder.with_no_client_auth())
}

/// An error with its causes: the outermost alone mostly says "error sending request".
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = error.source();
    }
    text
}

/// What a server says of a failure, in the places where servers say it. Only JSON is read: the key may be written in any
/// way in what is not, and could not be taken out.
pub(crate) fn message(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let places = ["/error/message", "/error", "/message", "/detail"];
    places.iter().find_map(|place| body.pointer(place)?.as_str()).map(str::to_owned)
}

/// A server's words in one line, cut.
fn shortened(message: &str) -> String {
    let mut line = String::new();
    for word in message.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
