//! Budgets in three layers: the input tokens of one call, the tokens per minute, and the tokens and cost of a run.

mod allowance;
mod budgeted_model;
mod forecast;
mod limits;
pub(super) mod rate_limiter;
mod spending;

pub use budgeted_model::{BudgetedModel, LastAnswerModel};
pub use forecast::Forecast;
pub use limits::{Limits, Purpose, Reserve};
pub use rate_limiter::{Admission, RateLimiter, RateWait};
pub use spending::Spending;
