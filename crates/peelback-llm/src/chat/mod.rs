//! Models that converse: the seam [`ChatModel`] and what goes through it.

mod address;
mod budget;
mod check;
mod clock;
mod dry_run;
mod error;
mod failure;
mod json_schema;
mod message;
mod model;
mod open;
mod prices;
mod record;
mod refusal;
mod remote;
mod retry;
mod sse;
mod structured;
mod tokens;
mod vendors;
mod wire;

pub use budget::{Admitted, BudgetedModel, Forecast, LastAnswer, Limits, Purpose, RateLimiter, Reserve, Spent};
pub use check::{check, check_request};
pub use clock::{Clock, Pause, SkippingClock, SystemClock};
pub use dry_run::DryRunModel;
pub use error::ChatError;
pub use message::{AssistantMessage, Message, ToolCall, ToolResult};
pub use model::{
    ChatFuture, ChatModel, ChatReply, ChatRequest, OutputSchema, StopReason, ToolChoice, ToolDefinition, Usage, Watch,
};
pub use open::{ModelOptions, WatchRetries, open, open_in};
pub use prices::{Price, Prices};
pub use record::{Recorder, Replay};
pub use retry::Retry;
pub use structured::{Structured, structured};
pub use tokens::{Calibration, count_message, count_request};
pub use vendors::{VENDORS, Vendor, vendor_of};
pub use wire::Wire;
