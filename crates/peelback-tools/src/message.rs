//! Messages: sentences that contain tool calls.

use crate::call::Call;
use crate::context::CallContext;
use crate::page::{MarkedText, PartKind};

/// A sentence of an answer: words and tool calls. The calls remain values until the message is rendered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Message {
    parts: Vec<MessagePiece>,
}

#[derive(Debug, Clone, PartialEq)]
enum MessagePiece {
    Words(String),
    Call(Call),
}

impl Message {
    /// Appends words to the message.
    #[must_use]
    pub fn append_words(mut self, words: impl Into<String>) -> Self {
        self.parts.push(MessagePiece::Words(words.into()));
        self
    }

    /// Appends a tool call to the message.
    #[must_use]
    pub fn with_call(mut self, call: Call) -> Self {
        self.parts.push(MessagePiece::Call(call));
        self
    }

    /// The tool calls in the message, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|piece| match piece {
            MessagePiece::Words(_) => None,
            MessagePiece::Call(call) => Some(call),
        })
    }

    /// The message as text for a reader whose working directory is the project's root.
    pub fn text_with_commands_from_project_root(&self) -> String {
        self.render_with_calls_as_commands(Call::to_command_from_project_root)
    }

    /// The message as text, with its calls written for the reader of an answer in this context.
    pub(crate) fn render_for_caller(&self, context: &CallContext) -> String {
        self.render_with_calls_as_commands(|call| context.format_call_as_command(call))
    }

    fn render_with_calls_as_commands(&self, command: impl Fn(&Call) -> String) -> String {
        let mut out = String::new();
        for piece in &self.parts {
            match piece {
                MessagePiece::Words(words) => out.push_str(words),
                MessagePiece::Call(call) => out.push_str(&command(call)),
            }
        }
        out
    }

    /// Writes the message to a page as a part of a line, with its calls marked as [`PartKind::Call`].
    pub(crate) fn write_to_page(&self, context: &CallContext, page: &mut MarkedText) {
        self.write_pieces(context, page, MarkedText::push_with_line_breaks_escaped);
    }

    /// Writes the message to a page as [`Self::write_to_page`] does, with the line ends of its words.
    pub(crate) fn write_lines_to_page(&self, context: &CallContext, page: &mut MarkedText) {
        self.write_pieces(context, page, MarkedText::push_str);
    }

    fn write_pieces(&self, context: &CallContext, page: &mut MarkedText, write_words: impl Fn(&mut MarkedText, &str)) {
        for piece in &self.parts {
            match piece {
                MessagePiece::Words(words) => write_words(page, words),
                MessagePiece::Call(call) => page.write_part(PartKind::Call, context.format_call_as_command(call)),
            }
        }
    }
}

impl From<&str> for Message {
    fn from(words: &str) -> Self {
        Self::default().append_words(words)
    }
}

impl From<String> for Message {
    fn from(words: String) -> Self {
        Self::default().append_words(words)
    }
}
