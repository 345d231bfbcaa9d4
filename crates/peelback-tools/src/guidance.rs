//! What the caller should do next.

use crate::message::Message;

/// What the caller should do next; the name of the level is part of the message, and an answer has at most one.
///
/// The levels are chosen by what ignoring them does. `hint`: nothing; it names a next step or the call that was meant.
/// `warning`: the answer stands, but another call would be the better one (a result of over ten pages, the
/// text of code whose outline would do). `must_follow`: the caller who goes on as if it had not read it states something
/// false. Its uses are these, and a new one needs a case of its own in this list and in the test that holds them under a
/// tenth of all recoverable errors:
///
/// - nothing was found, but part of what was asked about could not be looked at, so that "it does not exist" does not
///   follow (`find_symbols`, `read_symbol`), nor that nobody uses it (`find_references`).
#[derive(Debug, Clone, PartialEq)]
pub enum Guidance {
    /// Take it or leave it.
    Hint(Message),
    /// The answer is right but off the good path.
    Warning(Message),
    /// Ignoring it gives wrong results.
    MustFollow(Message),
}

impl Guidance {
    /// A hint of words and a call at their end.
    pub(crate) fn hint(words: impl Into<String>, call: crate::call::Call) -> Self {
        Self::Hint(Message::default().words(words).call(call))
    }

    /// The level's name, as a label of the text and a field of the JSON.
    pub fn level(&self) -> &'static str {
        match self {
            Self::Hint(_) => "hint",
            Self::Warning(_) => "warning",
            Self::MustFollow(_) => "must_follow",
        }
    }

    /// What the guidance says.
    pub fn message(&self) -> &Message {
        match self {
            Self::Hint(message) | Self::Warning(message) | Self::MustFollow(message) => message,
        }
    }
}
