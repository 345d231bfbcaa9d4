//! The limits on the tokens and the cost of a run of model calls.

use std::sync::Arc;

use super::rate_limiter::RateLimiter;
use crate::chat::clock::Clock;

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
