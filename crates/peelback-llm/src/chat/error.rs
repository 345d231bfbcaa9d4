//! What can go wrong between a request and its reply.

use super::model::Usage;

/// Why there is no reply. No message holds a key, nor an address beyond its host.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The model, address or key cannot be used as it stands.
    #[error("the model cannot be used: {0}")]
    Options(String),

    /// The conversation breaks the providers' rules; nothing was sent.
    #[error("the conversation is not one that providers accept: {0}")]
    History(String),

    /// A budget does not allow the call; nothing was sent.
    #[error("{0}")]
    Budget(String),

    /// The provider refused or failed, after every try.
    #[error("{host} answered with HTTP {status}: {message}")]
    Status {
        /// The host.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What the provider says of it, cut, without the key; and what to do.
        message: String,
    },

    /// No connection, or it broke, after every try.
    #[error("{host}: {reason}")]
    Connection {
        /// The host.
        host: String,
        /// What happened, and what to do.
        reason: String,
    },

    /// The reply cannot be read.
    #[error("{host} sent a reply that cannot be read: {reason}")]
    Malformed {
        /// The host.
        host: String,
        /// What is wrong with it.
        reason: String,
        /// What was used nevertheless, where it is known.
        usage: Usage,
    },

    /// The reply does not have the form that was asked for, nor had it after a repair.
    #[error("the model's reply does not fit the form that was asked for: {reason}")]
    Form {
        /// The first misfit.
        reason: String,
    },

    /// A recording holds no such exchange.
    #[error("the recording {0}")]
    Replay(String),
}
