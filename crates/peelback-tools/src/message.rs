//! Messages: sentences that contain tool calls.

use crate::call::Call;
use crate::context::CallContext;
use crate::page::MarkedText;

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

/// What stands on a line of a rendered message; words may have line ends of their own.
enum MessageLine<'a> {
    Words(String),
    Call(&'a Call),
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

    /// The message as text for a shell in the project's root.
    pub fn text_with_commands_from_project_root(&self) -> String {
        self.render_with_calls(Call::to_command_from_project_root)
    }

    /// The message as text, with its calls written for the caller of this context, each alone on a line.
    pub(crate) fn render_for_caller(&self, context: &CallContext) -> String {
        self.render_with_calls(|call| context.format_call(call))
    }

    /// The lines of the message, each with whether it is a call for the caller of this context.
    pub(crate) fn lines_for_caller(&self, context: &CallContext) -> Vec<(String, bool)> {
        let line = |line: MessageLine<'_>| match line {
            MessageLine::Words(words) => (words, false),
            MessageLine::Call(call) => (context.format_call(call), true),
        };
        self.lines().into_iter().map(line).collect()
    }

    fn render_with_calls(&self, format: impl Fn(&Call) -> String) -> String {
        let mut out = String::new();
        for line in self.lines() {
            if !out.is_empty() {
                out.push('\n');
            }
            match line {
                MessageLine::Words(words) => out.push_str(&words),
                MessageLine::Call(call) => out.push_str(&format(call)),
            }
        }
        out
    }

    /// The message with each call alone on a line, without the spaces and separators around calls.
    fn lines(&self) -> Vec<MessageLine<'_>> {
        let mut lines: Vec<MessageLine<'_>> = Vec::new();
        for piece in &self.parts {
            match (piece, lines.last_mut()) {
                (MessagePiece::Call(call), last) => {
                    if let Some(MessageLine::Words(words)) = last {
                        words.truncate(words.trim_end().len());
                        if words.is_empty() {
                            lines.pop();
                        }
                    }
                    lines.push(MessageLine::Call(call));
                }
                (MessagePiece::Words(words), Some(MessageLine::Words(line))) => line.push_str(words),
                (MessagePiece::Words(words), Some(MessageLine::Call(_))) => {
                    let words = words.trim_start_matches([';', ' ']);
                    if !words.is_empty() {
                        lines.push(MessageLine::Words(words.to_owned()));
                    }
                }
                (MessagePiece::Words(words), None) => lines.push(MessageLine::Words(words.clone())),
            }
        }
        lines
    }

    /// Writes the message to a page after what stands in the last line, without a line end. Calls stand on lines of their own
    /// and are marked as [`PartKind::Call`].
    pub(crate) fn write_to_page(&self, context: &CallContext, page: &mut MarkedText) {
        self.write_pieces(context, page, MarkedText::push_with_line_breaks_escaped);
    }

    /// Writes the message to a page as [`Self::write_to_page`] does, with the line ends of its words.
    pub(crate) fn write_lines_to_page(&self, context: &CallContext, page: &mut MarkedText) {
        self.write_pieces(context, page, MarkedText::push_str);
    }

    fn write_pieces(&self, context: &CallContext, page: &mut MarkedText, write_words: impl Fn(&mut MarkedText, &str)) {
        for (index, line) in self.lines().into_iter().enumerate() {
            match line {
                MessageLine::Words(words) => {
                    if index > 0 {
                        page.push('\n');
                    }
                    write_words(page, &words);
                }
                MessageLine::Call(call) => page.write_call_on_own_line(&context.format_call(call)),
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
