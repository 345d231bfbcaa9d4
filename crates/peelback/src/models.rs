//! The model that writes, as the configuration names it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use peelback_agent::scope::Mode;
use peelback_llm::{
    ChatError, ChatModel, Clock, Limits, Metered, ModelOptions, Pace, Prices, Recorder, Replay, SkippingClock,
    SystemClock,
};

use crate::config::{Dollars, Settings};

/// Where the exchanges with a model come from, and where they go.
#[derive(Debug, Default)]
pub(crate) struct Exchanges<'a> {
    /// A file that they are written to.
    pub record: Option<&'a Path>,
    /// A recording that they are taken from: nothing is sent.
    pub replay: Option<&'a Path>,
}

/// The prices that hold: the user's own over those of the program.
///
/// # Errors
/// When the file of prices cannot be read.
pub(crate) fn prices(settings: &Settings) -> Result<Prices, ChatError> {
    settings.prices_file.value.as_deref().map_or_else(|| Ok(Prices::built_in()), Prices::with_file)
}

/// The throttle that several runs of one process share.
pub(crate) fn pace(settings: &Settings) -> Arc<Pace> {
    limits(settings, Mode::Pipeline).pace(Arc::new(SystemClock::new()))
}

/// The model of the settings within their budget; `None` where none is configured. Runs of one process share a throttle.
///
/// # Errors
/// When the model cannot be used as it is configured, or a recording cannot be opened.
pub(crate) fn model(
    settings: &Settings,
    exchanges: &Exchanges<'_>,
    mode: Mode,
    shared: Option<&Arc<Pace>>,
) -> Result<Option<Arc<Metered>>, ChatError> {
    let clock: Arc<dyn Clock> = match exchanges.replay {
        // What was waited for once need not be again.
        Some(_) => Arc::new(SkippingClock::new()),
        None => Arc::new(SystemClock::new()),
    };
    let limits = limits(settings, mode);
    let pace = shared.cloned().unwrap_or_else(|| limits.pace(clock.clone()));
    let model: Box<dyn ChatModel> = match (exchanges.replay, &settings.model.value) {
        (Some(file), _) => Box::new(Replay::open(file)?),
        (None, Some(name)) => {
            let options = ModelOptions {
                base_url: settings.base_url.value.clone(),
                key_file: settings.key_file.value.clone(),
                timeout: Duration::from_secs(settings.reply_seconds.value),
                clock,
                pace: Some(pace.clone()),
                ..ModelOptions::new(name.clone())
            };
            peelback_llm::open(options)?
        }
        (None, None) => return Ok(None),
    };
    let model: Box<dyn ChatModel> = match exchanges.record {
        Some(file) => Box::new(Recorder::new(model, file)?),
        None => model,
    };
    Metered::new(model, limits, &prices(settings)?, pace).map(|model| Some(Arc::new(model)))
}

fn limits(settings: &Settings, mode: Mode) -> Limits {
    Limits {
        max_input_tokens: match mode {
            Mode::Agent => settings.max_input_tokens.value,
            // It has limits of its own, in characters.
            Mode::Pipeline => u64::MAX,
        },
        tokens_per_minute: settings.tokens_per_minute.value,
        max_total_tokens: settings.max_total_tokens.value,
        max_cost: settings.max_cost.value.map(Dollars::amount),
        ..Limits::default()
    }
}
