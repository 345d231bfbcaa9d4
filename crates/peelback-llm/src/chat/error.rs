//! The errors of chat models.

use serde::{Deserialize, Serialize};

use super::model::Usage;

/// The reason why a request to a model has no reply. No message contains a key, nor more of an address than its host
/// and port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatError {
    /// The name of the model, the address, the key or another option is invalid; nothing was sent.
    #[error("the model cannot be used: {0}")]
    Options(String),

    /// The conversation breaks a rule of the providers; nothing was sent.
    #[error("providers do not accept such a conversation: {0}")]
    History(String),

    /// A budget forbids the call; nothing was sent.
    #[error("{0}")]
    Budget(String),

    /// The provider answered with an error status, also after retries.
    #[error("{host} answered with HTTP {status}: {message}")]
    Status {
        /// The host of the provider's server.
        host: String,
        /// The HTTP status of the response.
        status: u16,
        /// The provider's error message, truncated and without the key, and the remedy.
        message: String,
    },

    /// The conversation is longer than the context of the model: a shorter conversation may succeed.
    #[error("{host} says that the conversation is too long for the model: {message}; send less, or use another model")]
    ContextTooLong {
        /// The host of the provider's server.
        host: String,
        /// The provider's error message, truncated and without the key.
        message: String,
    },

    /// The connection to the provider broke after the conversation was sent, also after retries, or the response timed
    /// out.
    #[error("{host}: {reason}")]
    Connection {
        /// The host of the provider's server.
        host: String,
        /// The cause of the error and the remedy, in words.
        reason: String,
    },

    /// No connection to the provider: the host is unknown, or nothing listens there. Nothing was sent.
    #[error("{host}: {reason}")]
    Unreachable {
        /// The host of the provider's server, and its port.
        host: String,
        /// The cause of the error and the remedy, in words.
        reason: String,
    },

    /// The response does not follow the protocol, or its stream broke off.
    #[error("{host} sent a reply that cannot be read: {reason}")]
    Malformed {
        /// The host of the provider's server.
        host: String,
        /// The first deviation of the response from the protocol, in words.
        reason: String,
        /// The tokens that the call used, as far as the provider reported them.
        usage: Usage,
    },

    /// The model's reply does not fit the JSON schema of the request, nor did a second reply.
    #[error("the model's reply does not fit the form that was asked for: {reason}")]
    Form {
        /// The places where the reply violates the JSON schema, in words.
        reason: String,
    },

    /// A recording of exchanges cannot be read or written, or does not contain the request.
    #[error("the recording {0}")]
    ReplayedModel(String),
}

impl ChatError {
    /// The tokens used by the failed call, as far as the provider reported them.
    pub fn reported_usage(&self) -> Usage {
        match self {
            Self::Malformed { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }

    /// Whether the failed call is certainly not billed: nothing was sent, or the provider refused it.
    pub fn is_certainly_unbilled(&self) -> bool {
        !matches!(self, Self::Malformed { .. } | Self::Connection { .. } | Self::Form { .. })
    }

    /// Whether certainly nothing of the conversation was sent.
    pub(super) fn is_certainly_unsent(&self) -> bool {
        matches!(
            self,
            Self::Options(_) | Self::History(_) | Self::Budget(_) | Self::Unreachable { .. } | Self::ReplayedModel(_)
        )
    }
}
