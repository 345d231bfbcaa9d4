//! Calls that could not be answered, and what to do instead.

use peelback_code::{CodeError, Fault};
use serde_json::Value;

use crate::answer::Guidance;
use crate::call::Call;
use crate::tool::AnyTool;

/// A failure that the caller can mend: a normal answer with the error and one guidance.
#[derive(Debug, Clone)]
pub struct RecoverableError {
    /// What is wrong.
    pub error: String,
    /// What to do instead.
    pub guidance: Option<Guidance>,
    /// Whose fault it is.
    pub fault: Fault,
    /// More fields of the answer.
    pub extra: Vec<(String, Value)>,
    /// The tool whose docs the caller needs: its arguments do not fit the tool.
    pub invalid: Option<&'static AnyTool>,
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
    pub fn new(fault: Fault, error: impl Into<String>) -> Self {
        Self { error: error.into(), guidance: None, fault, extra: Vec::new(), invalid: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.guidance = Some(Guidance::Hint(hint.into()));
        self
    }

    /// Adds guidance that must be followed: for failures from which a caller would draw a false conclusion.
    #[must_use]
    pub fn must_follow(mut self, text: impl Into<String>) -> Self {
        self.guidance = Some(Guidance::MustFollow(text.into()));
        self
    }

    /// Adds the docs of the tool, whose arguments these are not.
    #[must_use]
    pub fn invalid(mut self, tool: &'static AnyTool) -> Self {
        self.invalid = Some(tool);
        self
    }

    /// Adds a field to the answer.
    #[must_use]
    pub fn extra(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.push((name.to_owned(), value.into()));
        self
    }

    /// The failure of `call`, whose parameter `parameter` holds the path that `error` is about.
    pub(crate) fn of(error: &CodeError, call: &Call, parameter: &str) -> Self {
        let plain = Self::new(error.fault(), error.to_string());
        match error {
            CodeError::NotFound { path, nearest } => {
                let alternatives = Value::from(nearest.clone());
                match nearest.first() {
                    Some(first) => plain
                        .hint(format!(
                            "did you mean {}? {}",
                            nearest.join(" or "),
                            call.clone().with(parameter, replaced(call, parameter, path, first))
                        ))
                        .extra("did_you_mean", alternatives),
                    None => {
                        let tree = Call::new("tree").with("depth", 2);
                        let find = Call::new("find_files").with("query", path.rsplit('/').next().unwrap_or(path));
                        plain.hint(format!("what is there: {tree}; files of that name: {find}"))
                    }
                }
            }
            CodeError::IsFolder { path } => {
                plain.hint(format!("what it holds: {}", Call::new("outline").with("path", path.as_str())))
            }
            CodeError::TooLarge { path, .. } => {
                let grep = Call::new("grep").with("pattern", "TODO").with("scope", path.as_str());
                plain.hint(format!("search inside: {grep}"))
            }
            CodeError::BadPattern { pattern, what: "regex", .. } => {
                let fixed = call.clone().with("pattern", pattern.as_str()).with("fixed_strings", true);
                if call.tool() == "grep" {
                    plain.hint(format!("to search for the text as it stands: {fixed}"))
                } else {
                    plain.hint(format!("as part of a name: {}", call.clone().with("match", "substring")))
                }
            }
            CodeError::BadPattern { .. } => plain.hint("a glob is like src/**/*.rs or *.{ts,tsx}".to_owned()),
            CodeError::UnknownType { nearest, .. } => match nearest.first() {
                Some(first) => plain.hint(format!(
                    "did you mean {}? {}",
                    nearest.join(" or "),
                    call.clone().with("type", Value::from(vec![first.clone()]))
                )),
                None => plain
                    .hint(format!("by a glob instead: {}", call.clone().without("type").with("glob", vec!["*.rs"]))),
            },
            CodeError::OutsideRoot { .. }
            | CodeError::NotRegular { .. }
            | CodeError::Withheld { .. }
            | CodeError::Binary { .. }
            | CodeError::Io { .. } => plain,
        }
    }
}
