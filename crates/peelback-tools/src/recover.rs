//! Calls that could not be answered, and what to do instead.

use peelback_code::{CodeError, Fault};
use serde_json::Value;

use crate::call::Call;
use crate::context::CallContext;
use crate::guidance::Guidance;
use crate::message::Message;
use crate::next::TextOption;

/// A failure from which the caller can recover: a normal answer with the error and at most one guidance.
#[derive(Debug, Clone)]
pub struct RecoverableError {
    /// What is wrong.
    pub error: Message,
    /// What to do instead.
    pub guidance: Option<Guidance>,
    /// Whose fault it is.
    pub fault: Fault,
    /// More fields of the answer as JSON.
    pub extra: Vec<(String, Value)>,
    /// Set where the arguments do not fit the tool: the docs of that tool, from the longest form to the shortest.
    pub invalid: Option<Vec<String>>,
}

/// The value of a parameter with `better` for `path`.
fn replaced(call: &Call, parameter: &str, path: &str, better: &str) -> Value {
    match call.arguments().get(parameter) {
        Some(Value::Array(items)) => {
            Value::Array(items.iter().map(|item| if item == path { better.into() } else { item.clone() }).collect())
        }
        _ => better.into(),
    }
}

impl RecoverableError {
    /// A failure without guidance.
    pub fn new(fault: Fault, error: impl Into<Message>) -> Self {
        Self { error: error.into(), guidance: None, fault, extra: Vec::new(), invalid: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Message>) -> Self {
        self.guidance = Some(Guidance::Hint(hint.into()));
        self
    }

    /// Adds a hint of words and a call at their end.
    #[must_use]
    pub(crate) fn hint_call(self, words: impl Into<String>, call: Call) -> Self {
        self.hint(Message::default().words(words).call(call))
    }

    /// Adds guidance that must be followed, with a call at its end: for failures from which a caller would draw a false
    /// conclusion.
    #[must_use]
    pub(crate) fn must_follow(mut self, words: impl Into<String>, call: Call) -> Self {
        self.guidance = Some(Guidance::MustFollow(Message::default().words(words).call(call)));
        self
    }

    /// Says that the arguments do not fit the tool, and adds its docs, from the longest form to the shortest.
    #[must_use]
    pub(crate) fn invalid(mut self, documentation: Vec<String>) -> Self {
        self.invalid = Some(documentation);
        self
    }

    /// Adds a field to the answer as JSON.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.push((name.to_owned(), value.into()));
        self
    }

    /// The failure of `call`, whose parameter `parameter` holds the path that `error` is about.
    pub(crate) fn from_code(context: &CallContext, error: &CodeError, call: &Call, parameter: &str) -> Self {
        let plain = Self::new(error.fault(), error.to_string());
        let next = context.next();
        match error {
            CodeError::NotFound { path, nearest } => match nearest.first() {
                Some(first) => {
                    let meant = call.clone().with(parameter, replaced(call, parameter, path, first));
                    plain
                        .hint_call(format!("did you mean {}? ", nearest.join(" or ")), meant)
                        .extra("did_you_mean", nearest.clone())
                }
                None => {
                    let name = path.rsplit('/').next().unwrap_or(path);
                    let hint = Message::from("what is there: ").call(next.map_to_depth(2));
                    plain.hint(hint.words("; files of that name: ").call(next.files(name)))
                }
            },
            CodeError::IsFolder { path } => plain.hint_call("what it holds: ", next.outline(path)),
            CodeError::TooLarge { path, .. } => {
                plain.hint_call("search inside: ", next.text("TODO", &[TextOption::In(path)]))
            }
            // A tool that takes regular expressions says what to do instead.
            CodeError::BadPattern { what: "regex", .. } => plain,
            CodeError::BadPattern { .. } => plain.hint("a glob is like src/**/*.rs or *.{ts,tsx}"),
            CodeError::UnknownType { nearest, .. } => match nearest.first() {
                Some(first) => plain.hint_call(
                    format!("did you mean {}? ", nearest.join(" or ")),
                    call.clone().with("type", Value::from(vec![first.clone()])),
                ),
                None => plain.hint_call("by a glob instead: ", call.clone().without("type").with("glob", vec!["*.rs"])),
            },
            CodeError::OutsideRoot { .. }
            | CodeError::NotRegular { .. }
            | CodeError::Withheld { .. }
            | CodeError::Binary { .. }
            | CodeError::Io { .. } => plain,
        }
    }
}
