//! The trait that each protocol of chat models implements.

use serde_json::Value;

use super::capabilities::ModelCapabilities;
use crate::chat::model::{ChatReply, ChatRequest, Usage};

/// A protocol of chat models: the URL path, the headers, and the JSON of requests and replies.
pub(in super::super) trait WireProtocol: Sync {
    /// The URL path of the requests, which follows the base URL.
    fn request_path(&self) -> &'static str;

    /// The name of the HTTP header that contains the API key, and the text before the key in that header.
    fn key_header_and_prefix(&self) -> (&'static str, &'static str) {
        ("authorization", "Bearer ")
    }

    /// The HTTP headers of every request, in addition to that of the key.
    fn extra_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Builds the JSON body of a request to the model named `model`.
    fn build_request_body(&self, request: &ChatRequest, model: &str, capabilities: &ModelCapabilities) -> Value;

    /// Parses the JSON body of a reply.
    ///
    /// # Errors
    /// The first deviation from the protocol, in words.
    fn parse_reply_body(&self, body: &Value) -> Result<ChatReply, String>;

    /// The token usage in the JSON body of a reply; zeros where there is none.
    fn parse_usage(&self, body: &Value) -> Usage;

    /// Creates an accumulator for a streamed reply.
    fn new_stream_accumulator(&self) -> Box<dyn StreamAccumulator>;

    /// Parses the JSON body of a reply; where it deviates from the protocol, only its token usage.
    ///
    /// # Errors
    /// The first deviation from the protocol, in words, with the usage that the body reports nevertheless.
    fn parse_reply_or_usage(&self, body: &Value) -> Result<ChatReply, (String, Usage)> {
        self.parse_reply_body(body).map_err(|reason| (reason, self.parse_usage(body)))
    }
}

/// Collects the events of a streamed reply into the JSON body of a whole reply, so that one parser reads both.
pub(in super::super) trait StreamAccumulator: Send {
    /// Adds the data of one event, and returns the text by which it continues the reply.
    fn add_event_and_return_text(&mut self, data: &Value) -> Option<String>;

    /// The JSON body of the reply as far as it has arrived.
    fn reply_body_so_far(&self) -> Value;

    /// Whether the streamed reply is complete.
    fn is_complete(&self) -> bool;
}
