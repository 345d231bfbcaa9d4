//! The limits on the tokens and the cost of a run of model calls.

use std::sync::Arc;

use super::rate_limiter::RateLimiter;
use crate::chat::clock::Clock;
use crate::chat::prices::Price;

/// The share of a run's limit that is reserved for its last answer, as its divisor.
const RESERVED_SHARE: u64 = 4;

/// The limits on the tokens and the cost of a run. Tokens are counted as the provider counts them.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The limit on the input tokens of one call; [`u64::MAX`] for no limit.
    pub max_input_tokens: u64,
    /// The limit on the tokens, input and output, within any 60 seconds; [`u64::MAX`] for no limit.
    pub tokens_per_minute: u64,
    /// The limit on the tokens, input and output, of the whole run.
    pub max_total_tokens: Option<u64>,
    /// The limit on the cost of the whole run in US dollars. It needs a model whose price is known.
    pub max_cost: Option<f64>,
    /// The tokens reserved for the last answer, where the run has a limit.
    pub reserve: Reserve,
}

/// The tokens reserved for the last answer of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserve {
    /// The input tokens that are kept free for the last answer of the run.
    pub input: u64,
    /// The output tokens that are kept free for the last answer of the run.
    pub output: u64,
}

impl Reserve {
    /// A reserve of `total` tokens, of which a quarter is output.
    fn of_total_tokens(total: u64) -> Self {
        let output = total / 4;
        Self { input: total - output, output }
    }

    /// The input and output tokens of the last answer together.
    pub fn total_tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Default for Reserve {
    /// The default reserve of 8,000 tokens: more than a quarter of the usual limit of 30,000 for a run.
    fn default() -> Self {
        Self { input: 6_000, output: 2_000 }
    }
}

impl Limits {
    /// The limits with a reserve that grows with the limit of the run: a quarter of it, of which a quarter is output. It
    /// is at least the default reserve, and at most what may be sent in a minute. So a high limit leaves the last answer
    /// as much room as it has without one, whatever the calls before it use.
    #[must_use]
    pub fn with_reserve_for_run_limit(self, price: Option<Price>) -> Self {
        let for_tokens = self.max_total_tokens.map(|ceiling| ceiling / RESERVED_SHARE);
        let for_cost = self.max_cost.zip(price).map(|(ceiling, price)| {
            let million = Reserve::of_total_tokens(1_000_000);
            let cost = price.max_input_cost(million.input) + price.output_cost(million.output);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            // A model that costs nothing has an infinite quotient, which becomes the largest number.
            let tokens = (ceiling / RESERVED_SHARE as f64 / cost * 1e6).floor() as u64;
            tokens
        });
        let Some(total) = for_tokens.into_iter().chain(for_cost).min() else { return self };
        let total = total.min(self.tokens_per_minute).max(Reserve::default().total_tokens());
        Self { reserve: Reserve::of_total_tokens(total), ..self }
    }
}

impl Default for Limits {
    /// The default limits: 20,000 input tokens per call and 40,000 tokens per minute, without a limit for the run.
    fn default() -> Self {
        Self {
            max_input_tokens: 20_000,
            tokens_per_minute: 40_000,
            max_total_tokens: None,
            max_cost: None,
            reserve: Reserve::default(),
        }
    }
}

impl Limits {
    /// Creates the rate limiter of these limits, for [`ModelOptions::rate_limiter`](crate::ModelOptions) and
    /// [`BudgetedModel::new`](crate::BudgetedModel::new).
    pub fn new_rate_limiter(&self, clock: Arc<dyn Clock>) -> Arc<RateLimiter> {
        RateLimiter::new(self.tokens_per_minute, clock)
    }
}

/// The purpose of a model call: it decides whether the call may use the reserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An ordinary call, which may not use the reserve.
    Ordinary,
    /// The call for the last answer of the run, which may use the reserve.
    LastAnswer,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_grows_with_the_limit_of_the_run() {
        let price = Price { input: 3.0, cache_read: None, cache_write: None, output: 15.0 };
        let reserve = |max_total_tokens, max_cost, price| {
            let limits = Limits { max_total_tokens, max_cost, ..Limits::default() };
            let Reserve { input, output } = limits.with_reserve_for_run_limit(price).reserve;
            (input, output)
        };
        assert_eq!(reserve(None, None, Some(price)), (6_000, 2_000), "without a limit it is not used");
        assert_eq!(reserve(Some(30_000), None, None), (6_000, 2_000));
        assert_eq!(reserve(Some(100_000), None, None), (18_750, 6_250));
        assert_eq!(reserve(Some(1_000_000), None, None), (30_000, 10_000), "what goes in a minute");
        // A token of the reserve costs 6 dollars a million.
        assert_eq!(reserve(None, Some(0.48), Some(price)), (15_000, 5_000));
        assert_eq!(reserve(None, Some(2.0), Some(price)), (30_000, 10_000));
        assert_eq!(reserve(Some(100_000), Some(0.48), Some(price)), (15_000, 5_000), "the lower one");
        let free = Price { input: 0.0, output: 0.0, ..price };
        assert_eq!(reserve(None, Some(2.0), Some(free)), (30_000, 10_000));
        assert_eq!(reserve(None, Some(0.0), Some(free)), (6_000, 2_000));
    }
}
