//! Errors of calls that the caller can correct, with guidance.

use peelback_code::{CodeError, Fault};
use serde_json::Value;

use crate::call::Call;
use crate::context::CallContext;
use crate::guidance::Guidance;
use crate::message::Message;
use crate::next::TextOption;

/// An error from which the caller can recover. The reply is a normal answer with the error message and at most one
/// guidance.
#[derive(Debug, Clone)]
pub struct RecoverableError {
    /// The error message.
    pub error: Message,
    /// The recommended next step.
    pub guidance: Option<Guidance>,
    /// The category of the error: nothing found, a wrong call, or a failure of the file system or of Peelback.
    pub fault: Fault,
    /// Additional fields of the JSON answer.
    pub extra: Vec<(String, Value)>,
    /// For invalid arguments: the tool's documentation, from the longest form to the shortest.
    pub invalid: Option<Vec<String>>,
}

/// The value of a parameter with `path` replaced by `better`.
fn replaced(call: &Call, parameter: &str, path: &str, better: &str) -> Value {
    match call.arguments().get(parameter) {
        Some(Value::Array(items)) => {
            Value::Array(items.iter().map(|item| if item == path { better.into() } else { item.clone() }).collect())
        }
        _ => better.into(),
    }
}

impl RecoverableError {
    /// An error without guidance.
    pub fn new(fault: Fault, error: impl Into<Message>) -> Self {
        Self { error: error.into(), guidance: None, fault, extra: Vec::new(), invalid: None }
    }

    /// Adds a hint to the error.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Message>) -> Self {
        self.guidance = Some(Guidance::Hint(hint.into()));
        self
    }

    /// Adds a hint that consists of words followed by a call.
    #[must_use]
    pub(crate) fn hint_call(self, words: impl Into<String>, call: Call) -> Self {
        self.hint(Message::default().words(words).call(call))
    }

    /// Adds binding guidance that ends with a call, for an error from which the caller might draw a false conclusion.
    #[must_use]
    pub(crate) fn must_follow(mut self, words: impl Into<String>, call: Call) -> Self {
        self.guidance = Some(Guidance::MustFollow(Message::default().words(words).call(call)));
        self
    }

    /// Marks the error as one of invalid arguments, and adds the tool's documentation, from the longest form to the
    /// shortest.
    #[must_use]
    pub(crate) fn invalid(mut self, documentation: Vec<String>) -> Self {
        self.invalid = Some(documentation);
        self
    }

    /// Adds a field to the JSON answer.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.push((name.to_owned(), value.into()));
        self
    }

    /// Converts a code access error of `call`; its parameter `parameter` contains the path that caused the error.
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
            // Tools that accept regular expressions add their own hint.
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
