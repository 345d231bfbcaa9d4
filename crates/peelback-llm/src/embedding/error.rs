//! What can go wrong, and what to do about it.

use std::path::PathBuf;

/// Why there are no vectors. No message holds a key, nor the address beyond its host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The address, the model or the key of an endpoint cannot be used as it stands.
    #[error("the embedding endpoint cannot be used: {0}")]
    Options(String),

    /// A key would cross the network for everyone on the way to read.
    #[error("the key is not sent to {host} without encryption: use an https address, or leave the key out")]
    PlainKey {
        /// Where it would have gone.
        host: String,
    },

    /// The client could not be set up.
    #[error("no connection can be made: {0}; https needs the system's CA certificates (package ca-certificates)")]
    Client(String),

    /// There is no connection to the host.
    #[error("cannot connect to {host}: {reason}; check the address, and that the server runs")]
    Connect {
        /// The host of the endpoint.
        host: String,
        /// What the connection failed with.
        reason: String,
    },

    /// The connection broke in the middle, every time.
    #[error("{host} broke the connection {tries} times: {reason}; see the server's log")]
    Dropped {
        /// The host of the endpoint.
        host: String,
        /// How often it was tried.
        tries: u32,
        /// What the last try failed with.
        reason: String,
    },

    /// The host was too slow.
    #[error("{host} did not answer in time; allow it more, or use a faster model")]
    TimedOut {
        /// The host of the endpoint.
        host: String,
    },

    /// The caller's deadline passed.
    #[error("the deadline passed before every text had its vector; allow more time, or give fewer texts")]
    Deadline,

    /// The host answered with a redirect, and texts go to no other place than was said.
    #[error("{host} answered with a redirect ({status}), which is not followed: set the address that it leads to")]
    Redirect {
        /// The host of the endpoint.
        host: String,
        /// The HTTP status.
        status: u16,
    },

    /// The host refused or failed.
    #[error("{host} answered with HTTP {status}{}; {}", said(.message.as_deref()), remedy(*.status))]
    Status {
        /// The host of the endpoint.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What the server says of it, cut, without the key.
        message: Option<String>,
    },

    /// The answer is larger than any answer to so few texts.
    #[error("{host} answered with more than {limit} bytes; check that the address is an embedding endpoint")]
    TooLarge {
        /// The host of the endpoint.
        host: String,
        /// The bytes that are read at most.
        limit: u64,
    },

    /// The answer does not have the form.
    #[error("the answer of {host} cannot be read: {reason}; check the form of the endpoint and its address")]
    Malformed {
        /// The host of the endpoint.
        host: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The answer has too few or too many vectors.
    #[error("{host} answered with {got} vectors for {asked} texts; check that the model is one for embeddings")]
    Count {
        /// The host of the endpoint.
        host: String,
        /// How many texts it was given.
        asked: usize,
        /// How many vectors it gave.
        got: usize,
    },

    /// Two vectors of one call have different lengths.
    #[error("{host} answered with vectors of {one} and of {other} numbers; all must have the same")]
    Lengths {
        /// The host of the endpoint.
        host: String,
        /// The numbers of the first vector.
        one: usize,
        /// The numbers of the vector that differs.
        other: usize,
    },

    /// A vector points nowhere.
    #[error("{model} gave a vector of NaN, infinite or missing numbers, or of zeros alone; use another model or build")]
    NoDirection {
        /// The host of the endpoint, or the name of the local model.
        model: String,
    },

    /// A file of a local model is not there.
    #[error(
        "{} is missing: a model's folder holds config.json, tokenizer.json and model.safetensors, as \
         sentence-transformers saves them", .file.display()
    )]
    Missing {
        /// The file.
        file: PathBuf,
    },

    /// A file of a local model cannot be used.
    #[error("{} cannot be used: {reason}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// A local model failed on a text.
    #[error("{model} failed: {reason}")]
    Model {
        /// Its name.
        model: String,
        /// What it failed with.
        reason: String,
    },
}

fn said(message: Option<&str>) -> String {
    message.map(|message| format!(": {message}")).unwrap_or_default()
}

fn remedy(status: u16) -> &'static str {
    match status {
        401 | 403 => "check the key",
        404 | 405 => "check the address, the form of the endpoint and the name of the model",
        400 | 413 | 422 => "check the name of the model, and whether it takes texts of this length",
        402 | 429 => "try again later, or raise the quota",
        500.. => "try again later, or see the server's log",
        _ => "check the address",
    }
}
