//! The protocols of the providers: one file translates requests and replies for one protocol, and nothing else knows
//! its JSON.

mod anthropic;
mod capabilities;
mod completions;
mod conversion;
mod protocol;
mod responses;
mod schema;

pub(super) use capabilities::ModelCapabilities;
pub(super) use protocol::{StreamAccumulator, WireProtocol};

use crate::chat::vendors::Protocol;

/// The implementation of the protocol that is named `protocol`.
pub(super) fn wire_protocol_for(protocol: Protocol) -> &'static dyn WireProtocol {
    match protocol {
        Protocol::AnthropicMessages => &anthropic::AnthropicMessages,
        Protocol::ChatCompletions => &completions::ChatCompletions,
        Protocol::Responses => &responses::Responses,
    }
}
