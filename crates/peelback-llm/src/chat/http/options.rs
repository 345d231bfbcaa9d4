//! The options of a chat model behind HTTP.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::retry::RetryPolicy;
use crate::chat::budget::rate_limiter::RateLimiter;
use crate::chat::clock::{Clock, SystemClock};

/// The names of the settings that give a key file, for error messages.
pub(super) const KEY_FILE_SETTINGS: &str = "`--key-file`, or `key_file` in the configuration";

/// A callback that receives a message before each further try of a call.
pub type RetryCallback = Arc<dyn Fn(&str) + Send + Sync>;

/// The name of a chat model, and how it is reached.
#[derive(Clone)]
pub struct ModelOptions {
    /// The name of the model, `provider/model`; the providers are in [`VENDORS`](crate::VENDORS).
    pub model: String,
    /// The base URL of the server, in place of that of the provider; `/v1` is added to a host without a path. It must
    /// come from the user and never from the files of a project, since the key is sent there.
    pub base_url: Option<String>,
    /// A file that contains the API key and nothing else. It takes precedence over the environment.
    pub key_file: Option<PathBuf>,
    /// The time limit of one try. In a stream it is the limit between two pieces, and ten times as much is that of the
    /// whole.
    pub timeout: Duration,
    /// The limits on the tries of a failed call: their number and their duration.
    pub retry: RetryPolicy,
    /// The reasoning effort in the words of the provider, such as `low`. `None` is the default of the provider.
    pub effort: Option<String>,
    /// The clock by which the model waits between tries.
    pub clock: Arc<dyn Clock>,
    /// The rate limiter that counts further tries of a call: that of the [`BudgetedModel`](crate::BudgetedModel) around
    /// this model.
    pub rate_limiter: Option<Arc<RateLimiter>>,
    /// A callback that receives one line before each further try, such as `HTTP 429, next try in 12 s (2 of 5)`.
    pub on_retry: Option<RetryCallback>,
}

impl ModelOptions {
    /// Creates options for `model` with the address of its provider, the key of the environment, a timeout of five
    /// minutes, and the clock of the system.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            base_url: None,
            key_file: None,
            timeout: Duration::from_secs(300),
            retry: RetryPolicy::default(),
            effort: None,
            clock: Arc::new(SystemClock::new()),
            rate_limiter: None,
            on_retry: None,
        }
    }
}

impl fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The base URL may contain a password, so it is left out.
        f.debug_struct("ModelOptions")
            .field("model", &self.model)
            .field("key_file", &self.key_file)
            .field("timeout", &self.timeout)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
