//! Chat models behind HTTP: addresses and keys, the protocols of the providers, retries, and what failures mean.

mod address;
mod failure;
#[cfg(fuzzing)]
mod fuzzing;
mod head;
mod open;
mod options;
mod refusal;
mod remote;
mod retry;
mod sse;
mod wire;

#[cfg(fuzzing)]
pub use fuzzing::{ReceivedReply, ReceivedReplyParser};
pub use open::{open_model, open_model_with_environment};
pub use options::{ModelOptions, RetryCallback};
pub use retry::RetryPolicy;
