//! What can go wrong between a request and its reply.

use serde::{Deserialize, Serialize};

use super::model::Usage;

/// Why there is no reply. No message holds a key, nor an address beyond its host and port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
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

    /// The conversation is longer than the model takes: a shorter one may do.
    #[error("{host} says that the conversation is too long for the model: {message}; send less, or use another model")]
    ContextTooLong {
        /// The host.
        host: String,
        /// What the provider says of it, cut, without the key.
        message: String,
    },

    /// The connection broke after the conversation was sent, or no answer came in time, after every try.
    #[error("{host}: {reason}")]
    Connection {
        /// The host.
        host: String,
        /// What happened, and what to do.
        reason: String,
    },

    /// Nothing could be sent: the host is not known, or nothing answers there.
    #[error("{host}: {reason}")]
    Unreachable {
        /// The host and its port.
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

impl ChatError {
    /// What was used nevertheless, where it is known.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Malformed { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }

    /// Whether it is sure that the provider used nothing: nothing was sent, or it refused.
    pub fn is_free(&self) -> bool {
        !matches!(self, Self::Malformed { .. } | Self::Connection { .. } | Self::Form { .. })
    }

    /// Whether it is sure that nothing of the conversation was sent.
    pub(super) fn is_unsent(&self) -> bool {
        matches!(
            self,
            Self::Options(_) | Self::History(_) | Self::Budget(_) | Self::Unreachable { .. } | Self::Replay(_)
        )
    }
}
