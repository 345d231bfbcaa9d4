//! From the name of a model to one that can be asked.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::budget::Pace;
use super::clock::{Clock, SystemClock};
use super::error::ChatError;
use super::model::ChatModel;
use super::remote::Remote;
use super::retry::Retry;
use super::vendors::{Vendor, vendor_of};

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
    /// How long one try may take; in a stream, how long each piece may take.
    pub timeout: Duration,
    /// How often a call is tried.
    pub retry: Retry,
    /// How much the model should think, in the provider's own word, such as `low`. None is the provider's default.
    pub effort: Option<String>,
    /// What waits between tries.
    pub clock: Arc<dyn Clock>,
    /// The throttle that further tries of a call count in too. It is the one of the [`Metered`](super::Metered) around.
    pub pace: Option<Arc<Pace>>,
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
            pace: None,
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
        let key = std::fs::read_to_string(file)
            .map_err(|error| ChatError::Options(format!("the key file {} cannot be read: {error}", file.display())))?;
        return match trimmed(key) {
            Some(key) => Ok(Some(key)),
            None => Err(ChatError::Options(format!("the key file {} is empty", file.display()))),
        };
    }
    let key = vendor.key_variables.iter().find_map(|variable| environment(variable).and_then(trimmed));
    if key.is_none() && !vendor.key_optional && options.base_url.is_none() {
        let variable = vendor.key_variables.first().copied().unwrap_or_default();
        return Err(ChatError::Options(format!(
            "{} needs a key: set {variable}, or name a file that holds it",
            vendor.name
        )));
    }
    Ok(key)
}
