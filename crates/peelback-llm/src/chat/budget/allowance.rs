//! The tokens that the limits of a run leave for a model call and its reply.

use super::limits::{Limits, Purpose};
use super::spending::format_with_thousands_commas;
use crate::chat::error::ChatError;
use crate::chat::prices::Price;
use crate::chat::tokens::tokens_as_float;

/// The minimum of output tokens for which a call is sent, where its request allows more.
const MIN_OUTPUT_TOKENS: u64 = 256;

/// The tokens and the cost that a run has used, calls in flight included.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CommittedTotals {
    pub(super) tokens: u64,
    pub(super) cost: f64,
}

/// The tokens and the cost that one model call may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Allowance {
    /// The estimated input tokens of the call.
    pub(super) input: u64,
    /// The limit on the output tokens of the call.
    pub(super) output: u32,
    /// The highest cost of the call in US dollars; 0 where the price of the model is unknown.
    pub(super) cost: f64,
}

impl Allowance {
    /// The input and output tokens of the call together.
    pub(super) fn total_tokens(&self) -> u64 {
        self.input.saturating_add(u64::from(self.output))
    }
}

/// The allowance of a call of `input` tokens for `purpose` that requests a reply of up to `output` tokens. The reply is
/// limited to the tokens that are left.
///
/// # Errors
/// [`ChatError::Budget`] where fewer than [`MIN_OUTPUT_TOKENS`] tokens are left for the reply.
pub(super) fn compute_token_and_cost_limits_of_call(
    limits: &Limits,
    price: Option<&Price>,
    committed: CommittedTotals,
    purpose: Purpose,
    input: u64,
    output: u32,
) -> Result<Allowance, ChatError> {
    let min_output = u64::from(output).min(MIN_OUTPUT_TOKENS);
    let refused = |words: String| Err(ChatError::Budget(words));
    if input > limits.max_input_tokens {
        return refused(format!(
            "the call would send about {} tokens, over the limit of {}: send less, or raise the input tokens of a call",
            format_with_thousands_commas(input),
            format_with_thousands_commas(limits.max_input_tokens)
        ));
    }
    let mut max_output = u64::from(output);
    let in_a_minute = limits.tokens_per_minute.saturating_sub(input);
    if in_a_minute < min_output {
        return refused(format!(
            "the call would send about {} tokens, more than the {} allowed in a minute, the reply included: send less, or raise the tokens per minute",
            format_with_thousands_commas(input),
            format_with_thousands_commas(limits.tokens_per_minute)
        ));
    }
    max_output = max_output.min(in_a_minute);
    if let Some(ceiling) = limits.max_total_tokens {
        let left = remaining_run_tokens_for_purpose(ceiling, committed, limits, purpose);
        let for_reply = left.saturating_sub(input);
        if for_reply < min_output {
            return refused(format!(
                "the run's ceiling of {} tokens is reached: {} are used, {} are left{}, and the call would send about \
                 {}; raise the total tokens, or ask for less",
                format_with_thousands_commas(ceiling),
                format_with_thousands_commas(committed.tokens),
                format_with_thousands_commas(left),
                error_suffix_about_reserve(purpose),
                format_with_thousands_commas(input)
            ));
        }
        max_output = max_output.min(for_reply);
    }
    let input_cost = price.map_or(0.0, |price| price.max_input_cost(input));
    if let (Some(ceiling), Some(price)) = (limits.max_cost, price) {
        let left = remaining_run_cost_for_purpose(ceiling, committed, limits, price, purpose) - input_cost;
        if left < price.output_cost(min_output) {
            return refused(format!(
                "the run's ceiling of ${ceiling:.2} is reached: ${:.4} are spent, and the call would cost ${:.4} or \
                 more{}; raise the cost, or ask for less",
                committed.cost,
                input_cost + price.output_cost(min_output),
                error_suffix_about_reserve(purpose)
            ));
        }
        if price.output > 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; rounded down")]
            let for_reply = (left / price.output * 1e6).floor() as u64;
            // Rounding must not take the reply below the minimum that was checked above.
            max_output = max_output.min(for_reply.max(min_output));
        }
    }
    // The limit on the reply is at most `output`, so that it fits into 32 bits.
    let output = u32::try_from(max_output).unwrap_or(output);
    let cost = input_cost + price.map_or(0.0, |price| price.output_cost(u64::from(output)));
    Ok(Allowance { input, output, cost })
}

/// The limit on the input tokens of a call for `purpose` whose reply may have `output` tokens.
pub(super) fn max_call_input_tokens(
    limits: &Limits,
    price: Option<&Price>,
    committed: CommittedTotals,
    purpose: Purpose,
    output: u32,
) -> u64 {
    let output = u64::from(output);
    let mut available = limits.max_input_tokens.min(limits.tokens_per_minute.saturating_sub(output));
    if let Some(ceiling) = limits.max_total_tokens {
        available =
            available.min(remaining_run_tokens_for_purpose(ceiling, committed, limits, purpose).saturating_sub(output));
    }
    if let (Some(ceiling), Some(price)) = (limits.max_cost, price) {
        let left =
            remaining_run_cost_for_purpose(ceiling, committed, limits, price, purpose) - price.output_cost(output);
        let token_cost = price.max_input_cost(1);
        if token_cost > 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; rounded down")]
            let tokens = (left.max(0.0) / token_cost).floor() as u64;
            available = available.min(tokens);
        } else if left < 0.0 {
            available = 0;
        }
    }
    available
}

/// The tokens that failed tries of a call may use in addition to those `committed`; `None` where the run has no limit.
pub(super) fn retry_token_allowance(
    limits: &Limits,
    price: Option<&Price>,
    committed: CommittedTotals,
    purpose: Purpose,
) -> Option<u64> {
    let tokens =
        limits.max_total_tokens.map(|ceiling| remaining_run_tokens_for_purpose(ceiling, committed, limits, purpose));
    let for_cost = limits.max_cost.zip(price).and_then(|(ceiling, price)| {
        let token_cost = max_cost_of_tokens(Some(price), 1);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; rounded down")]
        let tokens = (remaining_run_cost_for_purpose(ceiling, committed, limits, price, purpose).max(0.0) / token_cost)
            .floor() as u64;
        (token_cost > 0.0).then_some(tokens)
    });
    match (tokens, for_cost) {
        (Some(tokens), Some(for_cost)) => Some(tokens.min(for_cost)),
        (tokens, for_cost) => tokens.or(for_cost),
    }
}

/// The tokens that are left for `purpose` under the run's limit `ceiling`.
fn remaining_run_tokens_for_purpose(
    ceiling: u64,
    committed: CommittedTotals,
    limits: &Limits,
    purpose: Purpose,
) -> u64 {
    let left = ceiling.saturating_sub(committed.tokens);
    match purpose {
        Purpose::Ordinary => left.saturating_sub(limits.reserve.total_tokens()),
        Purpose::LastAnswer => left,
    }
}

/// The US dollars that are left for `purpose` under the run's limit `ceiling`; may be negative.
fn remaining_run_cost_for_purpose(
    ceiling: f64,
    committed: CommittedTotals,
    limits: &Limits,
    price: &Price,
    purpose: Purpose,
) -> f64 {
    let left = ceiling - committed.cost;
    match purpose {
        Purpose::Ordinary => {
            left - price.max_input_cost(limits.reserve.input) - price.output_cost(limits.reserve.output)
        }
        Purpose::LastAnswer => left,
    }
}

/// The end of an error message about the tokens left, which says that they do not include the reserve.
fn error_suffix_about_reserve(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Ordinary => " beside the reserve for the last answer",
        Purpose::LastAnswer => "",
    }
}

/// The highest possible cost of `tokens`, input or output, in US dollars; 0 where the price is unknown.
pub(super) fn max_cost_of_tokens(price: Option<&Price>, tokens: u64) -> f64 {
    price.map_or(0.0, |price| tokens_as_float(tokens) / 1e6 * price.output.max(price.max_input_cost(1_000_000)))
}
