//! Budgets, in three layers: what one call may send, what may go in a minute, and what a whole run may cost.

mod budgeted_model;
mod forecast;
mod plan;
mod rate_limiter;
mod spent;

use std::sync::Arc;

pub use budgeted_model::{BudgetedModel, LastAnswer};
pub use forecast::Forecast;
pub use rate_limiter::{Admitted, RateLimiter};
pub use spent::Spent;

use super::clock::Clock;

/// What a run may use. Tokens are the provider's.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Tokens that one call may send; [`u64::MAX`] for no limit.
    pub max_input_tokens: u64,
    /// Tokens that may go in and out within any minute; [`u64::MAX`] for no limit.
    pub tokens_per_minute: u64,
    /// Tokens that the whole run may use, in and out.
    pub max_total_tokens: Option<u64>,
    /// US dollars that the whole run may cost. The model's price must be known for it.
    pub max_cost: Option<f64>,
    /// What is kept for a last answer, where there is a ceiling.
    pub reserve: Reserve,
}

/// What is kept for a last answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserve {
    /// Tokens that it may send.
    pub input: u64,
    /// Tokens that it may have.
    pub output: u64,
}

impl Reserve {
    /// Both together.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Default for Reserve {
    /// 8,000 tokens: more than a quarter of the usual ceiling of 30,000.
    fn default() -> Self {
        Self { input: 6_000, output: 2_000 }
    }
}

impl Default for Limits {
    /// 20,000 tokens a call and 40,000 a minute, without a ceiling.
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
    /// The throttle of these limits, for [`ModelOptions::rate_limiter`](super::ModelOptions) and [`BudgetedModel::new`].
    pub fn rate_limiter(&self, clock: Arc<dyn Clock>) -> Arc<RateLimiter> {
        RateLimiter::new(self.tokens_per_minute, clock)
    }
}

/// What a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An ordinary call: it leaves the reserve alone.
    Ordinary,
    /// The answer that ends the run: it may use the reserve.
    LastAnswer,
}
