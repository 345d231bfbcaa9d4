//! The language model that writes documents, created from the configuration.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use peelback_agent::limits::CharacterLimits;
use peelback_agent::scope::Mode;
use peelback_code::SpendingLimits;
use peelback_llm::{
    BudgetedModel, ChatError, ChatModel, Clock, DryRunModel, Limits, ModelOptions, Prices, RateLimiter, RecordingModel,
    ReplayedModel, RetryCallback, SkippingClock, SystemClock,
};

use crate::config::{Dollars, Origin, Settings};
use crate::progress_output;

/// Options to record a run's exchanges with a language model, or to replay a recording.
#[derive(Default)]
pub(crate) struct ExchangeOptions<'a> {
    /// The file to which exchanges with the language model are written.
    pub record_file: Option<&'a Path>,
    /// The recording from which the language model's replies are taken; no request is sent.
    pub replay_file: Option<&'a Path>,
    /// Whether requests to the language model are computed but not sent, so that no key is needed.
    pub is_dry_run: bool,
    /// The callback that is told when a request is tried again; `None` for one that prints it on a terminal.
    pub on_retry: Option<RetryCallback>,
}

/// The prices of language models: prices in the user's file override the built-in ones.
///
/// # Errors
/// When the user's file of prices cannot be read.
pub(crate) fn load_model_prices(settings: &Settings) -> Result<Prices, ChatError> {
    settings.prices_file.value.as_deref().map_or_else(|| Ok(Prices::built_in()), Prices::with_overrides_from_file)
}

/// Builds the limiter of tokens per minute that several runs of one process share.
pub(crate) fn build_shared_rate_limiter(settings: &Settings) -> Arc<RateLimiter> {
    budget_limits_from_settings(settings, Mode::Pipeline).new_rate_limiter(Arc::new(SystemClock::new()))
}

/// The configured language model, limited to its budget and to the limits of the call that it is opened for; `None` where
/// none is configured. Runs of one process share a rate limiter.
///
/// # Errors
/// When the model cannot be used as it is configured, or a recording cannot be opened.
pub(crate) fn open_budgeted_model(
    settings: &Settings,
    exchanges: &ExchangeOptions<'_>,
    mode: Mode,
    shared_rate_limiter: Option<&Arc<RateLimiter>>,
    limits_of_call: SpendingLimits,
) -> Result<Option<Arc<BudgetedModel>>, ChatError> {
    let clock: Arc<dyn Clock> = match exchanges.replay_file {
        // A replay does not wait: the recorded run already waited.
        Some(_) => Arc::new(SkippingClock::new()),
        None => Arc::new(SystemClock::new()),
    };
    let limits = budget_limits_from_settings(settings, mode);
    let rate_limiter = shared_rate_limiter.cloned().unwrap_or_else(|| limits.new_rate_limiter(clock.clone()));
    let model: Box<dyn ChatModel> = match (exchanges.replay_file, &settings.model.value) {
        (Some(file), _) => Box::new(ReplayedModel::read_recording(file)?),
        (None, Some(name)) if exchanges.is_dry_run => Box::new(DryRunModel::new(name)?),
        (None, Some(name)) => {
            check_endpoint_key_and_model_origins(settings, name)?;
            let options = ModelOptions {
                base_url: settings.base_url.value.clone(),
                key_file: settings.key_file.value.clone(),
                timeout: Duration::from_secs(settings.reply_seconds.value),
                clock,
                rate_limiter: Some(rate_limiter.clone()),
                on_retry: exchanges.on_retry.clone().or_else(progress_output::retry_printer),
                ..ModelOptions::new(name.clone())
            };
            peelback_llm::open_model(options)?
        }
        (None, None) => return Ok(None),
    };
    let model: Box<dyn ChatModel> = match exchanges.record_file.filter(|_| !exchanges.is_dry_run) {
        Some(file) => Box::new(RecordingModel::new(model, file)?),
        None => model,
    };
    let prices = load_model_prices(settings)?;
    let price = prices.price_of_model(model.name());
    let limits = run_limits(settings, mode, price.is_some(), limits_of_call).with_reserve_for_run_limit(price);
    BudgetedModel::new(model, limits, &prices, rate_limiter).map(|model| Some(Arc::new(model)))
}

/// Checks that the configured address and key belong to the provider of the configured model.
///
/// A model on the command line overrides the model of a configuration file and can belong to another provider. That
/// provider's key must not be sent to the address in the file, and the file's key must not be sent to that provider.
fn check_endpoint_key_and_model_origins(settings: &Settings, model: &str) -> Result<(), ChatError> {
    let (vendor, _) = peelback_llm::parse_vendor_and_model_name(model)?;
    let model_precedence = configuration_origin_precedence(&settings.model.origin);
    let is_from_lower_layer =
        |is_set: bool, origin: &Origin| is_set && self::configuration_origin_precedence(origin) < model_precedence;
    let mismatch_error = |what: &str, origin: &Origin, flag: &str| {
        ChatError::Options(format!(
            "the model {model} comes from {}, and {what} from {origin}, which may be meant for another provider: give {flag} \
             beside the model, '' for none",
            settings.model.origin
        ))
    };
    let (url, key) = (&settings.base_url, &settings.key_file);
    // A self-hosted server has no default address, and a key only if its owner configured one.
    if !vendor.key_optional && is_from_lower_layer(url.value.is_some(), &url.origin) {
        return Err(mismatch_error("the address", &url.origin, "--base-url"));
    }
    if !vendor.key_optional && is_from_lower_layer(key.value.is_some(), &key.origin) {
        return Err(mismatch_error("the key file", &key.origin, "--key-file"));
    }
    Ok(())
}

/// The precedence of a configuration value by its origin; a value with a higher one overrides one with a lower one.
fn configuration_origin_precedence(origin: &Origin) -> usize {
    match origin {
        Origin::Default => 0,
        Origin::UserFile(_) | Origin::ProjectFile(_) => 1,
        Origin::Environment(_) => 2,
        Origin::Flag(_) => 3,
    }
}

/// The limits on the characters of code in the requests of a run.
pub fn character_limits_from_settings(settings: &Settings) -> CharacterLimits {
    let chars = |chars: u64| usize::try_from(chars).unwrap_or(usize::MAX);
    CharacterLimits {
        exploration: chars(settings.exploration_chars.value),
        writing: chars(settings.writing_chars.value),
        exploration_aim: chars(settings.exploration_aim_chars.value),
    }
}

/// The limits on the tokens and on the cost, in US dollars, of a run with a model whose price is known or not.
///
/// A limit that the user set holds. By default the cost is limited where the price is known. Where it is not known, the
/// cost cannot be counted, and the tokens are limited, unless the user has set the cost's limit (0 lifts both).
fn run_ceiling(settings: &Settings, is_price_known: bool) -> (Option<u64>, Option<f64>) {
    let (tokens, cost) = (&settings.max_total_tokens, &settings.max_cost);
    let (is_tokens_default, is_cost_default) = (tokens.origin == Origin::Default, cost.origin == Origin::Default);
    let tokens = tokens.value.filter(|_| !is_tokens_default || (is_cost_default && !is_price_known));
    let cost = cost.value.filter(|_| !is_cost_default || is_price_known);
    (tokens, cost.map(Dollars::amount))
}

/// The limits of a run with a model whose price is known or not: those of the settings, lowered by those of the call. A
/// limit of the settings that is not in force for this run lowers nothing. A limit of 0 is none, which only whoever
/// configures the program can choose.
fn run_limits(settings: &Settings, mode: Mode, is_price_known: bool, of_call: SpendingLimits) -> Limits {
    let limits = budget_limits_from_settings(settings, mode);
    let (max_total_tokens, max_cost) = run_ceiling(settings, is_price_known);
    let given = |limit: Option<u64>| limit.filter(|limit| *limit > 0);
    let own_and_given = [given(max_total_tokens), given(of_call.max_total_tokens)];
    Limits {
        max_input_tokens: limits.max_input_tokens.min(given(of_call.max_input_tokens).unwrap_or(u64::MAX)),
        max_total_tokens: own_and_given.into_iter().flatten().min(),
        max_cost: [max_cost, of_call.max_cost].into_iter().flatten().reduce(f64::min),
        ..limits
    }
}

/// The limits of the settings, except those of the whole run: see [`run_ceiling`].
fn budget_limits_from_settings(settings: &Settings, mode: Mode) -> Limits {
    Limits {
        max_input_tokens: match mode {
            Mode::Agent => settings.max_input_tokens.value,
            // In pipeline mode the default limit is off, because the pipeline has its own limits in characters.
            Mode::Pipeline if settings.max_input_tokens.origin == Origin::Default => u64::MAX,
            Mode::Pipeline => settings.max_input_tokens.value,
        },
        tokens_per_minute: settings.tokens_per_minute.value,
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Setting;

    #[test]
    fn a_call_lowers_the_limits_that_are_in_force_and_no_others() {
        let default = Settings::default();
        let limits = |mode, is_price_known, call| run_limits(&default, mode, is_price_known, call);
        let input = |tokens| SpendingLimits { max_input_tokens: Some(tokens), ..SpendingLimits::default() };
        // Of the pipeline the default limit is off.
        assert_eq!(limits(Mode::Pipeline, true, SpendingLimits::default()).max_input_tokens, u64::MAX);
        assert_eq!(limits(Mode::Pipeline, true, input(0)).max_input_tokens, u64::MAX);
        assert_eq!(limits(Mode::Pipeline, true, input(100_000)).max_input_tokens, 100_000);
        assert_eq!(limits(Mode::Agent, true, input(100_000)).max_input_tokens, 20_000);
        assert_eq!(limits(Mode::Agent, true, input(9_000)).max_input_tokens, 9_000);
        let ceiling = |is_price_known, call| {
            let limits = limits(Mode::Pipeline, is_price_known, call);
            (limits.max_total_tokens, limits.max_cost)
        };
        let total = |tokens| SpendingLimits { max_total_tokens: Some(tokens), ..SpendingLimits::default() };
        assert_eq!(ceiling(true, total(5_000_000)), (Some(5_000_000), Some(2.0)));
        assert_eq!(ceiling(false, total(5_000_000)), (Some(1_000_000), None));
        assert_eq!(ceiling(false, total(30_000)), (Some(30_000), None));
        assert_eq!(ceiling(true, total(0)), (None, Some(2.0)));
        let cost = |dollars| SpendingLimits { max_cost: Some(dollars), ..SpendingLimits::default() };
        assert_eq!(ceiling(true, cost(5.0)), (None, Some(2.0)));
        assert_eq!(ceiling(true, cost(0.5)), (None, Some(0.5)));
        // A limit that cannot be counted does not lift the one that can.
        assert_eq!(ceiling(false, cost(0.5)), (Some(1_000_000), Some(0.5)));
    }

    #[test]
    fn a_run_has_a_ceiling_unless_the_user_lifts_it() {
        let by_user = |value| Setting { value, origin: Origin::Flag("max-total-tokens") };
        let cost_by_user = |value| Setting { value, origin: Origin::Flag("max-cost") };
        let default = Settings::default();
        assert_eq!(run_ceiling(&default, true), (None, Some(2.0)));
        assert_eq!(run_ceiling(&default, false), (Some(1_000_000), None));
        let lifted = Settings { max_cost: cost_by_user(None), ..Settings::default() };
        assert_eq!((run_ceiling(&lifted, true), run_ceiling(&lifted, false)), ((None, None), (None, None)));
        let lifted = Settings { max_total_tokens: by_user(None), ..Settings::default() };
        assert_eq!((run_ceiling(&lifted, true), run_ceiling(&lifted, false)), ((None, Some(2.0)), (None, None)));
        let lower = Settings { max_total_tokens: by_user(Some(30_000)), ..Settings::default() };
        assert_eq!(run_ceiling(&lower, true), (Some(30_000), Some(2.0)));
        assert_eq!(run_ceiling(&lower, false), (Some(30_000), None));
    }
}
