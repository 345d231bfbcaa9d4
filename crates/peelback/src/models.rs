//! The model that writes documents, created from the configuration.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use peelback_agent::scope::Mode;
use peelback_llm::{
    BudgetedModel, ChatError, ChatModel, Clock, DryRunModel, Limits, ModelOptions, Prices, RateLimiter, Recorder,
    Replay, SkippingClock, SystemClock,
};

use crate::config::{Dollars, Origin, Settings};
use crate::watch;

/// Options to record exchanges with a model, or to replay a recording.
#[derive(Debug, Default)]
pub(crate) struct Exchanges<'a> {
    /// The file to which exchanges with the model are written.
    pub record: Option<&'a Path>,
    /// The recording from which replies are taken; no request is sent.
    pub replay: Option<&'a Path>,
    /// Whether requests are computed but not sent, so that no key is needed.
    pub dry: bool,
}

/// The prices of models: the user's own ones override those of the program.
///
/// # Errors
/// When the file of prices cannot be read.
pub(crate) fn prices(settings: &Settings) -> Result<Prices, ChatError> {
    settings.prices_file.value.as_deref().map_or_else(|| Ok(Prices::built_in()), Prices::with_file)
}

/// The rate limiter that several runs of one process share.
pub(crate) fn rate_limiter(settings: &Settings) -> Arc<RateLimiter> {
    limits(settings, Mode::Pipeline).rate_limiter(Arc::new(SystemClock::new()))
}

/// The configured model within its budget; `None` where none is configured. Runs of one process share a rate limiter.
///
/// # Errors
/// When the model cannot be used as it is configured, or a recording cannot be opened.
pub(crate) fn model(
    settings: &Settings,
    exchanges: &Exchanges<'_>,
    mode: Mode,
    shared: Option<&Arc<RateLimiter>>,
) -> Result<Option<Arc<BudgetedModel>>, ChatError> {
    let clock: Arc<dyn Clock> = match exchanges.replay {
        // A replay does not wait: the recorded run already waited.
        Some(_) => Arc::new(SkippingClock::new()),
        None => Arc::new(SystemClock::new()),
    };
    let limits = limits(settings, mode);
    let rate_limiter = shared.cloned().unwrap_or_else(|| limits.rate_limiter(clock.clone()));
    let model: Box<dyn ChatModel> = match (exchanges.replay, &settings.model.value) {
        (Some(file), _) => Box::new(Replay::open(file)?),
        (None, Some(name)) if exchanges.dry => Box::new(DryRunModel::new(name)?),
        (None, Some(name)) => {
            belong_together(settings, name)?;
            let options = ModelOptions {
                base_url: settings.base_url.value.clone(),
                key_file: settings.key_file.value.clone(),
                timeout: Duration::from_secs(settings.reply_seconds.value),
                clock,
                rate_limiter: Some(rate_limiter.clone()),
                on_retry: watch::retries(),
                ..ModelOptions::new(name.clone())
            };
            peelback_llm::open_model(options)?
        }
        (None, None) => return Ok(None),
    };
    let model: Box<dyn ChatModel> = match exchanges.record.filter(|_| !exchanges.dry) {
        Some(file) => Box::new(Recorder::new(model, file)?),
        None => model,
    };
    BudgetedModel::new(model, limits, &prices(settings)?, rate_limiter).map(|model| Some(Arc::new(model)))
}

/// Whether the configured address and key belong to the configured model.
///
/// A model on the command line overrides the model of a configuration file and can belong to another provider. That
/// provider's key must not be sent to the address in the file, and the file's key must not be sent to that provider.
fn belong_together(settings: &Settings, model: &str) -> Result<(), ChatError> {
    let (vendor, _) = peelback_llm::parse_model_name(model)?;
    let layer = layer(&settings.model.origin);
    let earlier = |is_set: bool, origin: &Origin| is_set && self::layer(origin) < layer;
    let told = |what: &str, origin: &Origin, flag: &str| {
        ChatError::Options(format!(
            "the model {model} comes from {}, and {what} from {origin}, which may be meant for another provider: give {flag} \
             beside the model, '' for none",
            settings.model.origin
        ))
    };
    let (url, key) = (&settings.base_url, &settings.key_file);
    // A self-hosted server has no default address, and a key only if its owner configured one.
    if !vendor.key_optional && earlier(url.value.is_some(), &url.origin) {
        return Err(told("the address", &url.origin, "--base-url"));
    }
    if !vendor.key_optional && earlier(key.value.is_some(), &key.origin) {
        return Err(told("the key file", &key.origin, "--key-file"));
    }
    Ok(())
}

/// The precedence of a layer of the configuration; a higher one overrides a lower one.
fn layer(origin: &Origin) -> usize {
    match origin {
        Origin::Default => 0,
        Origin::UserFile(_) | Origin::ProjectFile(_) => 1,
        Origin::Environment(_) => 2,
        Origin::Flag(_) => 3,
    }
}

fn limits(settings: &Settings, mode: Mode) -> Limits {
    Limits {
        max_input_tokens: match mode {
            Mode::Agent => settings.max_input_tokens.value,
            // In pipeline mode the default limit is off, because the pipeline has its own limits in characters.
            Mode::Pipeline if settings.max_input_tokens.origin == Origin::Default => u64::MAX,
            Mode::Pipeline => settings.max_input_tokens.value,
        },
        tokens_per_minute: settings.tokens_per_minute.value,
        max_total_tokens: settings.max_total_tokens.value,
        max_cost: settings.max_cost.value.map(Dollars::amount),
        ..Limits::default()
    }
}
