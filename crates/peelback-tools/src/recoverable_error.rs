//! Errors of calls that the caller can correct, with guidance.

use peelback_code::{CodeError, ErrorCategory};
use serde_json::Value;

use crate::call::Call;
use crate::context::CallContext;
use crate::guidance::Guidance;
use crate::message::Message;
use crate::next_calls::TextSearchOption;

/// Which values a parameter with file types takes. There are some two hundred, too many for an error.
const FILE_TYPES: &str = "the types are those of ripgrep: c, cpp, cs, go, java, js, md, py, ruby, rust, ts and others";

/// An error from which the caller can recover. The reply is a normal answer with the error message and at most one
/// guidance.
#[derive(Debug, Clone)]
pub struct RecoverableError {
    /// The error message.
    pub message: Message,
    /// The recommended next step.
    pub guidance: Option<Guidance>,
    /// The category of the error: nothing found, a wrong call, or a failure of the file system or of Peelback.
    pub fault: ErrorCategory,
    /// Additional fields of the JSON answer.
    pub json_fields: Vec<(String, Value)>,
    /// Whether the arguments alone show that the call is wrong, whatever the project holds: a parameter is missing or
    /// unknown, or no tool takes the value. The reply then leads to the tool's documentation.
    pub(crate) is_about_arguments: bool,
    /// Whether the arguments do not fit the tool's schema, which lists the parameters, their types and ranges, and the values
    /// of some. What the schema allows can be wrong all the same: a regular expression that cannot be compiled.
    pub(crate) is_outside_schema: bool,
    /// Whether the message has several lines, as one about a pattern that shows where the pattern is wrong. In any other
    /// message, a line break belongs to a name and is escaped.
    pub(crate) is_message_of_several_lines: bool,
}

/// The value of a parameter of `call`, with the path `path` in it replaced by `better`.
fn argument_with_path_replaced(call: &Call, parameter: &str, path: &str, better: &str) -> Value {
    match call.arguments().get(parameter) {
        Some(Value::Array(items)) => {
            Value::Array(items.iter().map(|item| if item == path { better.into() } else { item.clone() }).collect())
        }
        _ => better.into(),
    }
}

impl RecoverableError {
    /// An error without guidance.
    pub fn new(fault: ErrorCategory, error: impl Into<Message>) -> Self {
        Self {
            message: error.into(),
            guidance: None,
            fault,
            json_fields: Vec::new(),
            is_about_arguments: false,
            is_outside_schema: false,
            is_message_of_several_lines: false,
        }
    }

    /// An error of arguments that do not fit the tool's schema, without guidance.
    pub(crate) fn of_arguments_outside_schema(error: impl Into<Message>) -> Self {
        Self { is_outside_schema: true, ..Self::of_invalid_arguments(error) }
    }

    /// An error of arguments that fit the tool's schema and are wrong all the same, whatever the project holds, without
    /// guidance.
    pub(crate) fn of_invalid_arguments(error: impl Into<Message>) -> Self {
        Self { is_about_arguments: true, ..Self::new(ErrorCategory::BadUsage, error) }
    }

    /// Adds a hint to the error.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Message>) -> Self {
        self.guidance = Some(Guidance::Hint(hint.into()));
        self
    }

    /// Adds a hint that consists of words followed by a call.
    #[must_use]
    pub(crate) fn with_hint_and_call(self, words: impl Into<String>, call: Call) -> Self {
        self.with_hint(Message::default().append_words(words).with_call(call))
    }

    /// Adds guidance that the caller must follow and that ends with a call, for an error from which the caller might
    /// draw a false conclusion.
    #[must_use]
    pub(crate) fn with_binding_guidance_and_call(mut self, words: impl Into<String>, call: Call) -> Self {
        self.guidance = Some(Guidance::MustFollow(Message::default().append_words(words).with_call(call)));
        self
    }

    /// Adds a field to the JSON answer.
    #[must_use]
    pub fn with_json_field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.json_fields.push((name.to_owned(), value.into()));
        self
    }

    /// Converts an error of the access to the code during `call`; the parameter `parameter` of `call` contains the path
    /// that caused the error.
    pub(crate) fn from_code_error(context: &CallContext, error: &CodeError, call: &Call, parameter: &str) -> Self {
        let message = match error {
            CodeError::UnknownType { .. } => format!("{error}; {FILE_TYPES}"),
            _ => error.to_string(),
        };
        let mut error_without_hint = Self::new(error.category(), message);
        error_without_hint.is_message_of_several_lines = matches!(error, CodeError::BadPattern { .. });
        error_without_hint.is_about_arguments =
            matches!(error, CodeError::BadPattern { .. } | CodeError::UnknownType { .. });
        let next = context.follow_up_call_builder();
        match error {
            CodeError::NotFound { path, nearest } => match nearest.first() {
                Some(first) => {
                    let meant = call
                        .clone()
                        .with_argument(parameter, argument_with_path_replaced(call, parameter, path, first));
                    error_without_hint
                        .with_hint_and_call(format!("did you mean {}? ", nearest.join(" or ")), meant)
                        .with_json_field("did_you_mean", nearest.clone())
                }
                None => {
                    let whole = path.trim_end_matches('/');
                    let name = whole.rsplit('/').next().unwrap_or(whole);
                    let hint = Message::from("what is there: ").with_call(next.project_tree_to_depth_call(2));
                    error_without_hint.with_hint(match name {
                        "" => hint,
                        name => hint.append_words("; files of that name: ").with_call(next.rank_files_call(name)),
                    })
                }
            },
            CodeError::IsFolder { path } => {
                error_without_hint.with_hint_and_call("what it holds: ", next.outline_call(path))
            }
            CodeError::TooLarge { path, .. } => error_without_hint.with_hint_and_call(
                "search inside: ",
                next.text_search_call("TODO", &[TextSearchOption::InScope(path)]),
            ),
            // Tools that accept regular expressions add their own hint.
            CodeError::BadPattern { what: "regex", .. } => error_without_hint,
            CodeError::BadPattern { .. } => error_without_hint.with_hint("a glob is like src/**/*.rs or *.{ts,tsx}"),
            CodeError::UnknownType { nearest, .. } => match nearest.first() {
                Some(first) => error_without_hint.with_hint_and_call(
                    format!("did you mean {}? ", nearest.join(" or ")),
                    call.clone().with_argument("type", Value::from(vec![first.clone()])),
                ),
                None => error_without_hint.with_hint_and_call(
                    "by a glob instead: ",
                    call.clone().without_argument("type").with_argument("glob", vec!["*.rs"]),
                ),
            },
            CodeError::NotRegular { .. } => {
                error_without_hint.with_hint("write its content to a file below the root, and name that file")
            }
            CodeError::OutsideRoot { .. }
            | CodeError::Withheld { .. }
            | CodeError::Binary { .. }
            | CodeError::Io { .. } => error_without_hint,
        }
    }
}
