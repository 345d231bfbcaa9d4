//! From the name of a model to one that can be asked.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::budget::RateLimiter;
use super::clock::{Clock, SystemClock};
use super::error::ChatError;
use super::model::ChatModel;
use super::remote::Remote;
use super::retry::Retry;
use super::vendors::{Vendor, vendor_of};

/// Bytes of a file of a key at most. Keys have some hundred.
const MAX_KEY: u64 = 16 * 1024;

/// Told that a call is tried again, in words.
pub type WatchRetries = Arc<dyn Fn(&str) + Send + Sync>;

/// Which model to ask, and how.
#[derive(Clone)]
pub struct ModelOptions {
    /// `provider/model`; the providers are in [`VENDORS`](super::VENDORS).
    pub model: String,
    /// The base of the address in place of the provider's own; `/v1` is added where it is a host alone. It must come
    /// from the user and never from the files that are looked at: the key goes there.
    pub base_url: Option<String>,
    /// A file that holds the key and nothing else. It goes before the environment.
    pub key_file: Option<PathBuf>,
    /// How long one try may take; in a stream, how long each piece may take, and all of them ten times as long.
    pub timeout: Duration,
    /// How often a call is tried.
    pub retry: Retry,
    /// How much the model should think, in the provider's own word, such as `low`. None is the provider's default.
    pub effort: Option<String>,
    /// What waits between tries.
    pub clock: Arc<dyn Clock>,
    /// The throttle that further tries of a call count in too. It is the one of the [`BudgetedModel`](super::BudgetedModel) around.
    pub rate_limiter: Option<Arc<RateLimiter>>,
    /// Told in one line before each further try, as in `HTTP 429, next try in 12 s (2 of 5)`.
    pub on_retry: Option<WatchRetries>,
}

impl ModelOptions {
    /// `model` with its provider's address, the key of the environment, five minutes for a try, and the machine's clock.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            base_url: None,
            key_file: None,
            timeout: Duration::from_secs(300),
            retry: Retry::default(),
            effort: None,
            clock: Arc::new(SystemClock::new()),
            rate_limiter: None,
            on_retry: None,
        }
    }
}

impl fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the address, which may hold a password.
        f.debug_struct("ModelOptions")
            .field("model", &self.model)
            .field("key_file", &self.key_file)
            .field("timeout", &self.timeout)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

/// How users name the file of a key.
pub(super) const KEY_FILE: &str = "`--key-file`, or `key_file` in the configuration";

/// The model that `options` name. Nothing is sent yet. The key comes from the file, or else from the environment.
///
/// # Errors
/// [`ChatError::Options`] where the name, the address or the key cannot be used, each with what to do.
pub fn open(options: ModelOptions) -> Result<Box<dyn ChatModel>, ChatError> {
    open_in(options, &|variable| std::env::var(variable).ok())
}

/// [`open`] with an environment of one's own.
///
/// # Errors
/// As [`open`].
pub fn open_in(
    options: ModelOptions,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Box<dyn ChatModel>, ChatError> {
    let (vendor, model) = vendor_of(&options.model)?;
    let key = key(vendor, &options, environment)?;
    let model = model.to_owned();
    Ok(Box::new(Remote::new(vendor, model, key, options)?))
}

fn key(
    vendor: &Vendor,
    options: &ModelOptions,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>, ChatError> {
    let trimmed = |key: String| Some(key.trim().to_owned()).filter(|key| !key.is_empty());
    if let Some(file) = &options.key_file {
        let failed = |reason: String| {
            let named = format!("the key file {} ({KEY_FILE})", file.display());
            ChatError::Options(format!("{named} {reason}"))
        };
        let key = read_key(file).map_err(failed)?;
        return match trimmed(key) {
            Some(key) => Ok(Some(key)),
            None => Err(failed("is empty: it must hold the key and nothing else".to_owned())),
        };
    }
    let key = vendor.key_variables.iter().find_map(|variable| environment(variable).and_then(trimmed));
    if key.is_none() && !vendor.key_optional && options.base_url.is_none() {
        let variable = vendor.key_variables.first().copied().unwrap_or_default();
        return Err(ChatError::Options(format!(
            "{} needs a key: set the environment's variable {variable}, or name a file that holds it with {KEY_FILE}",
            vendor.name
        )));
    }
    Ok(key)
}

/// The text of a file of a key; or what is wrong with it. No more is read than a key may have: the file may be a device.
fn read_key(file: &Path) -> Result<String, String> {
    let mut key = String::new();
    let read = File::open(file).and_then(|file| file.take(MAX_KEY + 1).read_to_string(&mut key));
    match read {
        Err(error) => Err(format!("cannot be read: {error}")),
        Ok(_) if key.len() as u64 > MAX_KEY => {
            Err(format!("has more than {MAX_KEY} bytes: it must hold the key and nothing else"))
        }
        Ok(_) => Ok(key),
    }
}
