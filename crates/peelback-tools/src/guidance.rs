//! Guidance: the next step that an answer recommends to the caller.

use crate::call::Call;
use crate::context::CallContext;
use crate::message::Message;
use crate::page::{MarkedText, PartKind};

/// The next step that an answer recommends to the caller. The level's name is part of the message, and an answer has at
/// most one guidance.
///
/// The effect of ignoring the guidance determines the level. `hint`: no effect; the guidance names a next step or the
/// call that was probably meant. `warning`: the answer is valid, but another call would be better (for a result of over
/// ten pages, or for the text of code whose outline would suffice). `must_follow`: a caller that ignores the guidance
/// draws a false conclusion. The following list contains all uses of `must_follow`. A new use must be added to this
/// list and to the test that limits `must_follow` to a tenth of all recoverable errors:
///
/// - nothing was found, but part of the searched code could not be analysed, so that the caller cannot conclude that
///   the symbol does not exist (`find_symbols`, `read_symbol`) or that the symbol is unused (`find_references`).
#[derive(Debug, Clone, PartialEq)]
pub enum Guidance {
    /// An optional suggestion.
    Hint(Message),
    /// The answer is correct, but another call would be better.
    Warning(Message),
    /// A caller that ignores the guidance draws a false conclusion.
    MustFollow(Message),
}

impl Guidance {
    /// A hint that consists of words followed by a tool call.
    pub(crate) fn hint_with_call(words: impl Into<String>, call: Call) -> Self {
        Self::Hint(Message::default().append_words(words).with_call(call))
    }

    /// The level's name: the label in text and the field name in JSON.
    pub fn level_name(&self) -> &'static str {
        match self {
            Self::Hint(_) => "hint",
            Self::Warning(_) => "warning",
            Self::MustFollow(_) => "must_follow",
        }
    }

    /// The message of the guidance.
    pub fn message(&self) -> &Message {
        match self {
            Self::Hint(message) | Self::Warning(message) | Self::MustFollow(message) => message,
        }
    }

    /// Writes the guidance as a line with its level as the label.
    pub(crate) fn write_labelled_line(&self, context: &CallContext, page: &mut MarkedText) {
        let write_as = |part: PartKind, page: &mut MarkedText| {
            page.write_part(part, format_args!("{}:", self.level_name()));
            page.push(' ');
            self.message().write_to_page(context, page);
            page.push('\n');
        };
        match self {
            Self::Hint(_) => page.write_and_mark_part(PartKind::Hint, |page| write_as(PartKind::Label, page)),
            Self::Warning(_) | Self::MustFollow(_) => write_as(PartKind::Caution, page),
        }
    }
}
