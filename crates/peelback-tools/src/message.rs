//! Messages: sentences that contain tool calls.

use crate::call::Call;
use crate::context::CallContext;
use crate::page::{Page, Part};

/// A sentence of an answer: words and tool calls. The calls remain values until the message is rendered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Message {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Words(String),
    Call(Call),
}

impl Message {
    /// Appends words to the message.
    #[must_use]
    pub fn words(mut self, words: impl Into<String>) -> Self {
        self.pieces.push(Piece::Words(words.into()));
        self
    }

    /// Appends a tool call to the message.
    #[must_use]
    pub fn call(mut self, call: Call) -> Self {
        self.pieces.push(Piece::Call(call));
        self
    }

    /// The tool calls in the message, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Words(_) => None,
            Piece::Call(call) => Some(call),
        })
    }

    /// The message as text for a reader whose working directory is the project's root.
    pub fn text(&self) -> String {
        self.render(Call::command)
    }

    /// The message as text for the reader of an answer with this context.
    pub(crate) fn text_for(&self, context: &CallContext) -> String {
        self.render(|call| context.command(call))
    }

    fn render(&self, command: impl Fn(&Call) -> String) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Words(words) => out.push_str(words),
                Piece::Call(call) => out.push_str(&command(call)),
            }
        }
        out
    }

    /// Writes the message to a page, with its calls marked as [`Part::Call`].
    pub(crate) fn write(&self, context: &CallContext, page: &mut Page) {
        for piece in &self.pieces {
            match piece {
                Piece::Words(words) => page.push_str(words),
                Piece::Call(call) => page.put(Part::Call, context.command(call)),
            }
        }
    }
}

impl From<&str> for Message {
    fn from(words: &str) -> Self {
        Self::default().words(words)
    }
}

impl From<String> for Message {
    fn from(words: String) -> Self {
        Self::default().words(words)
    }
}
