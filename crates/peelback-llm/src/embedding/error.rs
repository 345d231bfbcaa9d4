//! The errors of embedding models.

use std::path::PathBuf;

/// The reason why an embedding model returned no vectors. No message contains a key, nor more of an address than its
/// host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The address, the name of the model or the key of an endpoint is invalid.
    #[error("the embedding endpoint cannot be used: {0}")]
    Options(String),

    /// The key would be sent over plain HTTP to another machine.
    #[error("the key is not sent to {host} without encryption: use an https address, or leave the key out")]
    PlainKey {
        /// The host of the endpoint.
        host: String,
    },

    /// The HTTP client of an endpoint could not be set up.
    #[error("no connection can be made: {0}; https needs the system's CA certificates (package ca-certificates)")]
    Client(String),

    /// No connection to the host of the endpoint was made.
    #[error("cannot connect to {host}: {reason}; check the address, and that the server runs")]
    Connect {
        /// The host of the endpoint.
        host: String,
        /// The error of the connection, in words.
        reason: String,
    },

    /// The connection to the endpoint broke during the exchange, also in each retry.
    #[error("{host} broke the connection {tries} times: {reason}; see the server's log")]
    Dropped {
        /// The host of the endpoint.
        host: String,
        /// The number of tries that were made.
        tries: u32,
        /// The error of the last try, in words.
        reason: String,
    },

    /// The host of the endpoint did not answer within the timeout.
    #[error("{host} did not answer in time; allow more time, or use a faster model")]
    TimedOut {
        /// The host of the endpoint.
        host: String,
    },

    /// The deadline that the caller gave passed.
    #[error("the deadline passed before every text had its vector; allow more time, or give fewer texts")]
    Deadline,

    /// The host of the endpoint answered with a redirect, which is not followed: texts are only sent to the configured
    /// host.
    #[error("{host} answered with a redirect ({status}), which is not followed: set the address that it redirects to")]
    Redirect {
        /// The host of the endpoint.
        host: String,
        /// The HTTP status of the redirect.
        status: u16,
    },

    /// The host of the endpoint answered with an error status.
    #[error("{host} answered with HTTP {status}{}; {}", server_message_suffix(.message.as_deref()), remedy_for_http_status(*.status))]
    Status {
        /// The host of the endpoint.
        host: String,
        /// The HTTP status of the response.
        status: u16,
        /// The server's error message, truncated and without the key.
        message: Option<String>,
    },

    /// The response is larger than any response for a batch of texts.
    #[error("{host} answered with more than {limit} bytes; check that the address is an embedding endpoint")]
    TooLarge {
        /// The host of the endpoint.
        host: String,
        /// The limit on the bytes that are read of a response.
        limit: u64,
    },

    /// The response does not have the JSON form of the endpoint.
    #[error("the answer of {host} cannot be read: {reason}; check the form of the endpoint and its address")]
    Malformed {
        /// The host of the endpoint.
        host: String,
        /// The first deviation of the response from that form, in words.
        reason: String,
    },

    /// The response has too few or too many vectors.
    #[error("{host} answered with {got} vectors for {asked} texts; check that the model is one for embeddings")]
    Count {
        /// The host of the endpoint.
        host: String,
        /// The number of texts that were sent.
        asked: usize,
        /// The number of vectors that were received.
        got: usize,
    },

    /// Two vectors of one call have different dimensions.
    #[error("{host} answered with vectors of {one} and of {other} numbers; all must have the same")]
    Lengths {
        /// The host of the endpoint.
        host: String,
        /// The number of dimensions of the first vector.
        one: usize,
        /// The number of dimensions of the vector that differs.
        other: usize,
    },

    /// A vector has no direction: it is all zeros, or contains a number that is missing or not finite.
    #[error("{model} gave a vector of NaN, infinite or missing numbers, or of zeros alone; use another model or build")]
    NoDirection {
        /// The host of the endpoint, or the name of the local model.
        model: String,
    },

    /// A file of a local model is missing.
    #[error(
        "{} is missing: a model's folder holds config.json, tokenizer.json and model.safetensors, as \
         sentence-transformers saves them", .file.display()
    )]
    Missing {
        /// The path of the missing file.
        file: PathBuf,
    },

    /// A file of a local model is unusable.
    #[error("{} cannot be used: {reason}", .file.display())]
    File {
        /// The path of the unusable file.
        file: PathBuf,
        /// The reason why the file is unusable, in words.
        reason: String,
    },

    /// A local model failed to compute the vector of a text.
    #[error("{model} failed: {reason}")]
    Model {
        /// The name of the local model.
        model: String,
        /// The error of the local model, in words.
        reason: String,
    },
}

/// The message of the server after a colon, as the end of an error message; empty where there is none.
fn server_message_suffix(message: Option<&str>) -> String {
    message.map(|message| format!(": {message}")).unwrap_or_default()
}

/// The remedy for an HTTP error status, in words for an error message.
fn remedy_for_http_status(status: u16) -> &'static str {
    match status {
        401 | 403 => "check the key",
        404 | 405 => "check the address, the form of the endpoint and the name of the model",
        400 | 413 | 422 => "check the name of the model, and whether it takes texts of this length",
        402 | 429 => "try again later, or raise the quota",
        500.. => "try again later, or see the server's log",
        _ => "check the address",
    }
}
