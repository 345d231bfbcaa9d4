//! Models that converse: the trait [`ChatModel`] and its implementations.

mod budget;
mod check;
mod clock;
mod dry_run;
mod error;
#[cfg(feature = "http")]
mod http;
mod json_schema;
mod masked;
mod message;
mod model;
mod prices;
mod record;
mod structured;
mod tokens;
mod vendors;

pub use budget::{
    Admission, BudgetedModel, Forecast, LastAnswerModel, Limits, Purpose, RateLimiter, RateWait, Reserve, Spending,
};
pub use check::{check_chat_request, check_conversation};
pub use clock::{Clock, SkippingClock, SleepFuture, SystemClock};
pub use dry_run::DryRunModel;
pub use error::ChatError;
#[cfg(feature = "http")]
pub use http::{ModelOptions, RetryCallback, RetryPolicy, open_model, open_model_with_environment};
#[cfg(all(fuzzing, feature = "http"))]
pub use http::{ReceivedReply, ReceivedReplyParser};
pub use masked::mask_request;
pub use message::{AssistantMessage, Message, ToolCall, ToolResult};
pub use model::{
    ChatFuture, ChatModel, ChatReply, ChatRequest, OutputSchema, StopReason, TextCallback, ToolChoice, ToolDefinition,
    Usage,
};
pub use prices::{Price, Prices};
pub use record::{RecordingModel, ReplayedModel};
pub use structured::{StructuredReply, request_structured_reply};
pub use tokens::{TokenCountCalibration, count_message_tokens, count_request_tokens};
pub use vendors::{Protocol, VENDORS, Vendor, parse_vendor_and_model_name};
