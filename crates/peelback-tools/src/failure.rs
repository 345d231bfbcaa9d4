//! Replies to failed tool calls.

use crate::budget::Budget;
use crate::context::CallContext;
use crate::guidance::Guidance;
use crate::message::Message;
use crate::page::{Page, Part};
use crate::recover::RecoverableError;
use crate::reply::{Content, Reply, ReplyStatus};
use crate::view::{Format, View};
use peelback_tokens::text::truncate_chars;

/// The most characters of an error message, and of its guidance.
const ERROR_CHARS: usize = 1_500;

/// The most characters of an error message, and of its guidance, under a small budget.
const BRIEF_ERROR_CHARS: usize = 70;

/// The most characters of an error message in a preview.
const PREVIEW_CHARS: usize = 300;

/// The content of a reply to a failed call.
struct Failure {
    error: RecoverableError,
    documentation: Option<String>,
}

impl Reply {
    /// The reply to a failed call. For invalid arguments, the reply contains the tool's documentation, in the longest
    /// form that the budget allows.
    pub(crate) fn failed(context: &CallContext, error: &RecoverableError, view: &View) -> Self {
        let budget = Budget::new(context, view);
        let status =
            if error.invalid.is_some() { ReplyStatus::InvalidArguments } else { ReplyStatus::Failed(error.fault) };
        let preview = format!("error: {}\n", truncate_chars(&error.error.text_for(context), PREVIEW_CHARS));
        // Error and hint repeat the caller's arguments, so their length must be limited.
        let (whole, brief) = (clipped(context, error, ERROR_CHARS), clipped(context, error, BRIEF_ERROR_CHARS));
        let documentation = error.invalid.iter().flatten().cloned().map(Some);
        let forms = documentation.chain([None]).map(|documentation| Failure { error: whole.clone(), documentation });
        let mut fitting = forms.filter(|form| budget.admits(&form.render(context, view.format)));
        let content = fitting.next().unwrap_or(Failure { error: brief, documentation: None });
        Self::new(status, preview, view.format, context, content)
    }

    /// The reply to a call that could not reach a tool, because the tool or the root does not exist.
    pub fn refused(context: &CallContext, error: &RecoverableError, format: Format) -> Self {
        Self::failed(context, error, &View { format, ..View::default() })
    }
}

/// The error with its message in at most `max_chars` characters. Longer guidance and fields are removed, because a
/// truncated call does not work.
fn clipped(context: &CallContext, error: &RecoverableError, max_chars: usize) -> RecoverableError {
    let mut clipped = error.clone();
    let text = error.error.text_for(context);
    if text.chars().count() > max_chars {
        clipped.error = truncate_chars(&text, max_chars).into_owned().into();
    }
    let is_long = |message: &Message| message.text_for(context).chars().count() > max_chars;
    if clipped.guidance.as_ref().is_some_and(|guidance| is_long(guidance.message())) {
        clipped.guidance = None;
    }
    clipped.extra.retain(|(_, value)| value.to_string().chars().count() <= max_chars);
    clipped
}

impl Failure {
    fn render(&self, context: &CallContext, format: Format) -> String {
        match format {
            Format::Json => self.json(context),
            Format::Text | Format::Dot | Format::Mermaid => self.page(context).into_text(),
        }
    }
}

impl Content for Failure {
    fn page(&self, context: &CallContext) -> Page {
        let mut page = Page::default();
        page.put(Part::Error, "error:");
        page.push(' ');
        self.error.error.write(context, &mut page);
        page.push('\n');
        if let Some(guidance) = &self.error.guidance {
            guidance.write(context, &mut page);
        }
        if let Some(documentation) = &self.documentation {
            page.part(Part::Documentation, |page| {
                page.push('\n');
                page.push_str(documentation);
            });
        }
        page
    }

    fn json(&self, context: &CallContext) -> String {
        let mut object = serde_json::Map::new();
        object.insert("error".to_owned(), self.error.error.text_for(context).into());
        if let Some(guidance) = &self.error.guidance {
            object.insert(guidance.level().to_owned(), guidance.message().text_for(context).into());
        }
        object.extend(self.error.extra.clone());
        if let Some(documentation) = &self.documentation {
            object.insert("documentation".to_owned(), documentation.as_str().into());
        }
        format!("{}\n", serde_json::Value::Object(object))
    }

    fn guidance(&self) -> Option<&Guidance> {
        self.error.guidance.as_ref()
    }
}
