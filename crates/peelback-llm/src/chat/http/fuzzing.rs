//! The reading of replies without a connection, for the fuzz targets.

use super::failure::TryFailure;
use super::options::ModelOptions;
use super::refusal::ErrorResponse;
use super::remote::RemoteModel;
use crate::chat::error::ChatError;
use crate::chat::model::{ChatReply, ChatRequest, TextCallback};
use crate::chat::vendors::parse_vendor_and_model_name;

/// What a server answers to a request.
#[derive(Debug, Clone, Copy)]
pub enum ReceivedReply<'a> {
    /// A whole reply.
    Whole(&'a [u8]),
    /// A streamed reply, in the pieces in which it arrives.
    Stream(&'a [&'a [u8]]),
    /// An error with an HTTP status.
    Error(u16, &'a [u8]),
}

/// Parses replies that the caller passes in as the client of a chat model parses those of a server, without a
/// connection.
#[derive(Debug)]
pub struct ReceivedReplyParser(RemoteModel);

impl ReceivedReplyParser {
    /// Creates the parser of the replies to the model named `name`, with the key `key`.
    ///
    /// # Errors
    /// [`ChatError::Options`] where the name is invalid.
    pub fn new(name: &str, key: &str) -> Result<Self, ChatError> {
        let (vendor, model) = parse_vendor_and_model_name(name)?;
        let model = model.to_owned();
        RemoteModel::new(vendor, model, Some(key.to_owned()), ModelOptions::new(name)).map(Self)
    }

    /// Parses a reply as if it had arrived over HTTP; of a streamed one, passes each piece of the text to `on_text`.
    ///
    /// # Errors
    /// The error of the one try.
    pub fn parse_received_reply(
        &self,
        received: ReceivedReply<'_>,
        on_text: TextCallback<'_>,
    ) -> Result<ChatReply, ChatError> {
        let read = match received {
            ReceivedReply::Whole(body) => self.0.parse_reply_bytes(body, &super::head::ResponseHead::default()),
            ReceivedReply::Stream(chunks) => self.0.parse_streamed_reply_chunks(chunks, on_text),
            ReceivedReply::Error(status, body) => {
                Err(self.0.failure_of_error_response(&ErrorResponse::parse(status, body), None))
            }
        };
        read.map_err(|failure| match failure {
            TryFailure::Permanent(error)
            | TryFailure::Transient(error, _)
            | TryFailure::Page(error)
            | TryFailure::Unreached(error)
            | TryFailure::Unsupported(error, _) => error,
        })
    }

    /// The body of a request, as text.
    pub fn build_request_body(&self, request: &ChatRequest, streams: bool) -> String {
        self.0.request_body(request, streams)
    }
}
