//! What of several things that a call asks for is not there, in an answer about the others.

use serde::Serialize;

use crate::context::CallContext;
use crate::message::Message;
use crate::page::{MarkedText, PartKind};
use crate::recoverable_error::RecoverableError;

/// A thing that a call asks for by a name or a path, and that is not there.
pub(crate) struct NotFound {
    asked_for: String,
    message: Message,
    /// What was probably meant, with a call.
    hint: Option<Message>,
}

/// [`NotFound`] in JSON.
#[derive(Serialize)]
pub(crate) struct NotFoundJson {
    asked_for: String,
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl NotFound {
    pub fn new(asked_for: &str, error: RecoverableError) -> Self {
        let hint = error.guidance.map(|guidance| guidance.message().clone());
        Self { asked_for: asked_for.to_owned(), message: error.message, hint }
    }

    /// Writes what is not there as a line.
    pub fn write_line(&self, context: &CallContext, page: &mut MarkedText) {
        page.write_part(PartKind::Caution, "note:");
        page.push(' ');
        self.message.write_to_page(context, page);
        if let Some(hint) = &self.hint {
            page.push_str("; ");
            hint.write_to_page(context, page);
        }
        page.push('\n');
    }

    pub fn json_value(&self, context: &CallContext) -> NotFoundJson {
        NotFoundJson {
            asked_for: self.asked_for.clone(),
            error: self.message.render_for_caller(context),
            hint: self.hint.as_ref().map(|hint| hint.render_for_caller(context)),
        }
    }

    /// Removes the hint, and returns whether there was one.
    pub fn remove_hint(&mut self) -> bool {
        self.hint.take().is_some()
    }
}

/// The error of a call of which nothing is there: that of the first thing, with what else is missing.
pub(crate) fn error_where_nothing_is_found(errors: Vec<(String, RecoverableError)>) -> RecoverableError {
    let count = errors.len();
    let mut errors = errors.into_iter();
    let Some((_, mut first)) = errors.next() else {
        return RecoverableError::of_invalid_arguments("no name or path is given");
    };
    if count > 1 {
        let others: Vec<String> = errors.map(|(asked_for, _)| asked_for).collect();
        first.message = first.message.append_words(format!("; {} not found either", others.join(", ")));
    }
    first
}
