//! The trait that each protocol implements.

use serde_json::Value;

use super::capabilities::ModelCapabilities;
use crate::chat::model::{ChatReply, ChatRequest, Usage};

/// A protocol: the URL path, the headers, and the JSON of requests and replies.
pub(in super::super) trait WireProtocol: Sync {
    /// The path of the requests, which follows the base URL.
    fn request_path(&self) -> &'static str;

    /// The name of the header that contains the key, and the text before the key in it.
    fn key_header_and_prefix(&self) -> (&'static str, &'static str) {
        ("authorization", "Bearer ")
    }

    /// The headers of every request, in addition to the key.
    fn extra_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The body of a request to `model`.
    fn build_request_body(&self, request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value;

    /// Parses the body of a reply.
    ///
    /// # Errors
    /// The first deviation from the protocol, in words.
    fn parse_reply_body(&self, body: &Value) -> Result<ChatReply, String>;

    /// The usage in the body of a reply; zeros where there is none.
    fn parse_usage(&self, body: &Value) -> Usage;

    /// An accumulator for a streamed reply.
    fn new_stream_accumulator(&self) -> Box<dyn StreamAccumulator>;

    /// Parses the body of a reply.
    ///
    /// # Errors
    /// The first deviation from the protocol, in words, with the usage that the body reports nevertheless.
    fn parse_reply_or_usage(&self, body: &Value) -> Result<ChatReply, (String, Usage)> {
        self.parse_reply_body(body).map_err(|reason| (reason, self.parse_usage(body)))
    }
}

/// Collects the events of a streamed reply into the body of a whole one, so that one parser reads both.
pub(in super::super) trait StreamAccumulator: Send {
    /// Adds the data of one event and returns the text that it adds to the reply.
    fn add_event(&mut self, data: &Value) -> Option<String>;

    /// The body of the reply as far as it has arrived.
    fn reply_body(&self) -> Value;

    /// Whether the reply is complete.
    fn is_complete(&self) -> bool;
}
