//! Replies to failed tool calls.

use crate::budget::AnswerTokenBudget;
use crate::context::CallContext;
use crate::guidance::Guidance;
use crate::message::Message;
use crate::page::{MarkedText, PartKind};
use crate::recoverable_error::RecoverableError;
use crate::reply::{Reply, ReplyContent, ReplyStatus};
use crate::view::{Format, OutputOptions};
use peelback_code::{escape_control_characters, escape_control_characters_of_json};
use peelback_tokens::text::truncate_chars_and_add_ellipsis;

/// The maximum number of characters of an error message, and of its guidance.
const MAX_ERROR_CHARS: usize = 1_500;

/// The maximum number of characters of an error message, and of its guidance, under a small budget.
const MAX_BRIEF_ERROR_CHARS: usize = 70;

/// The maximum number of characters of an error message in a preview.
const MAX_PREVIEW_ERROR_CHARS: usize = 300;

/// The content of a reply to a failed call.
struct FailureContent {
    error: RecoverableError,
    documentation: ShownDocumentation,
}

/// The documentation of a tool, for a reply to a call with invalid arguments.
pub(crate) struct ToolDocumentation {
    /// The name of the tool.
    pub tool_name: &'static str,
    /// The documentation, from the longest form to the shortest.
    pub texts: Vec<String>,
}

/// What a reply to a failed call shows of the documentation of the tool.
enum ShownDocumentation {
    /// Nothing.
    Nothing,
    /// The documentation of the tool with this name.
    Text(&'static str, String),
    /// The call that gives the documentation of the tool with this name.
    Call(&'static str),
}

impl Reply {
    /// The reply to a failed call of a tool. For invalid arguments, the reply to a model contains the tool's documentation,
    /// in the longest form that the budget allows, and the reply to a shell the command that shows it.
    pub(crate) fn from_error(
        documentation: impl FnOnce() -> ToolDocumentation,
        context: &CallContext,
        error: &RecoverableError,
        view: &OutputOptions,
    ) -> Self {
        let mut forms = Vec::new();
        if error.is_about_arguments {
            let ToolDocumentation { tool_name, texts } = documentation();
            if context.is_of_model() {
                forms.extend(texts.into_iter().map(|text| ShownDocumentation::Text(tool_name, text)));
            }
            forms.push(ShownDocumentation::Call(tool_name));
        }
        Self::from_error_with_documentation(context, error, view, forms)
    }

    /// The reply to a failed call with the first of several forms of documentation that the budget allows, or with none.
    fn from_error_with_documentation(
        context: &CallContext,
        error: &RecoverableError,
        view: &OutputOptions,
        documentation: Vec<ShownDocumentation>,
    ) -> Self {
        let budget = AnswerTokenBudget::new(context, view);
        let status = match error.is_about_arguments {
            true => ReplyStatus::InvalidArguments { fits_schema: !error.is_outside_schema },
            false => ReplyStatus::Failed(error.fault),
        };
        let preview = format!(
            "error: {}\n",
            escape_control_characters(&truncate_chars_and_add_ellipsis(
                &error.message.render_for_caller(context),
                MAX_PREVIEW_ERROR_CHARS
            ))
        );
        // Error message and hint repeat the caller's arguments, so their length must be limited.
        let clipped = |max_chars| clip_message_and_drop_long_extras(context, error, max_chars);
        let (whole, brief) = (clipped(MAX_ERROR_CHARS), clipped(MAX_BRIEF_ERROR_CHARS));
        let documentation = documentation.into_iter().chain([ShownDocumentation::Nothing]);
        let forms = documentation.map(|documentation| FailureContent { error: whole.clone(), documentation });
        // Characters differ in what they cost, so that a brief form may be too long, too.
        let bare = |max_chars| RecoverableError { guidance: None, json_fields: Vec::new(), ..clipped(max_chars) };
        let brief_forms =
            [brief, bare(MAX_BRIEF_ERROR_CHARS), bare(MAX_BRIEF_ERROR_CHARS / 2), bare(MAX_BRIEF_ERROR_CHARS / 5)];
        let brief_forms = brief_forms.map(|error| FailureContent { error, documentation: ShownDocumentation::Nothing });
        // A control character takes up to six characters, and as many tokens.
        let shortest =
            FailureContent { error: bare(MAX_BRIEF_ERROR_CHARS / 12), documentation: ShownDocumentation::Nothing };
        let content = forms
            .chain(brief_forms)
            .find(|form| budget.can_hold_text(&form.render_in_format(context, view.format)))
            .unwrap_or(shortest);
        Self::new(status, preview, view.format, context, content)
    }

    /// The reply to a call that could not reach a tool, because the tool or the root does not exist.
    pub fn from_error_without_tool(context: &CallContext, error: &RecoverableError, format: Format) -> Self {
        let view = OutputOptions { format, ..OutputOptions::default() };
        Self::from_error_with_documentation(context, error, &view, Vec::new())
    }
}

/// The error with its message cut to at most `max_chars` characters. Longer guidance and longer JSON fields are removed
/// as a whole, because a truncated call does not work.
fn clip_message_and_drop_long_extras(
    context: &CallContext,
    error: &RecoverableError,
    max_chars: usize,
) -> RecoverableError {
    let mut clipped = error.clone();
    let text = error.message.render_for_caller(context);
    if text.chars().count() > max_chars {
        clipped.message = truncate_chars_and_add_ellipsis(&text, max_chars).into_owned().into();
    }
    let is_long = |message: &Message| message.render_for_caller(context).chars().count() > max_chars;
    if clipped.guidance.as_ref().is_some_and(|guidance| is_long(guidance.message())) {
        clipped.guidance = None;
    }
    clipped.json_fields.retain(|(_, value)| value.to_string().chars().count() <= max_chars);
    clipped
}

impl FailureContent {
    fn render_in_format(&self, context: &CallContext, format: Format) -> String {
        match format {
            // Measured as it is written: an escape is longer than its character.
            Format::Json => escape_control_characters_of_json(&self.render_json(context)).into_owned(),
            Format::Text | Format::Vimgrep | Format::Dot | Format::Mermaid => {
                self.render_marked_text(context).into_text()
            }
        }
    }
}

impl ReplyContent for FailureContent {
    fn render_marked_text(&self, context: &CallContext) -> MarkedText {
        let mut page = MarkedText::default();
        page.write_part(PartKind::Error, "error:");
        page.push(' ');
        if self.error.is_message_of_several_lines {
            self.error.message.write_lines_to_page(context, &mut page);
        } else {
            self.error.message.write_to_page(context, &mut page);
        }
        page.push('\n');
        if let Some(guidance) = &self.error.guidance {
            guidance.write_labelled_line(context, &mut page);
        }
        match &self.documentation {
            ShownDocumentation::Nothing => {}
            ShownDocumentation::Text(_, documentation) => {
                page.push('\n');
                page.push_str(documentation);
            }
            ShownDocumentation::Call(tool) => {
                page.write_part(PartKind::Label, format_args!("docs of {tool}:"));
                page.write_call_on_own_line(&context.format_documentation_call(tool));
                page.push('\n');
            }
        }
        page
    }

    fn render_json(&self, context: &CallContext) -> String {
        let mut object = serde_json::Map::new();
        object.insert("error".to_owned(), self.error.message.render_for_caller(context).into());
        if let Some(guidance) = &self.error.guidance {
            object.insert(guidance.level_name().to_owned(), guidance.message().render_for_caller(context).into());
        }
        object.extend(self.error.json_fields.clone());
        match &self.documentation {
            ShownDocumentation::Nothing => {}
            ShownDocumentation::Text(_, documentation) => {
                object.insert("documentation".to_owned(), documentation.as_str().into());
            }
            ShownDocumentation::Call(tool) => {
                object.insert("documentation_call".to_owned(), context.format_documentation_call(tool).into());
            }
        }
        format!("{}\n", serde_json::Value::Object(object))
    }

    fn guidance(&self) -> Option<&Guidance> {
        self.error.guidance.as_ref()
    }

    fn with_call_in_place_of_documentation(&self) -> Option<Self> {
        match &self.documentation {
            ShownDocumentation::Nothing | ShownDocumentation::Call(_) => None,
            ShownDocumentation::Text(tool, _) => {
                Some(Self { error: self.error.clone(), documentation: ShownDocumentation::Call(tool) })
            }
        }
    }
}
