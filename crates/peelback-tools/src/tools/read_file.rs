//! The tool `read_file`: the profile of a file, or its raw text.

use std::time::Duration;

use peelback_code::{CodeAccess, escape_control_characters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::budget::AnswerTokenBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::message::Message;
use crate::page::{MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::{Location, Reply, ReplyContent, ReplyStatus, ShownDetail};
use crate::retention::ResultKind;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::tools::profile::FileProfile;
use crate::tools::read_lines::{LinesForm, lines_of_file_reply};
use crate::view::{Format, OutputOptions, is_default_value};

/// The time limit of the search for a file's dependents in a call for its profile.
const DEPENDENTS_TIME_LIMIT: Duration = Duration::from_millis(500);

/// A file's profile, or raw text.
///
/// Bodies are folded to `{ ... }`: they exist. The profile never costs more than the text: for a small file it is
/// the text. The last resort for code; read_symbol and read_lines give parts.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// File to read.
    pub path: String,
    /// Return the text, not the profile.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub raw: bool,
    /// Print lines with their numbers. In JSON also those of the skeleton; the profile as text always has them.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub line_numbers: bool,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct ReadFile;

impl Tool for ReadFile {
    type Parameters = Parameters;

    const NAME: &'static str = "read_file";
    const ALIASES: &'static [&'static str] = &["read", "cat"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["path"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("full", "raw")];
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[('n', "line_numbers")];
    const EXAMPLES: &'static [&'static str] = &["read_file --path src/main.rs", "read_file --path src/main.rs --raw"];
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Drill,
        phrase: "gives the profile of a file, its text only with raw",
        cost_ranks: &[(110, ""), (120, " with raw")],
    };
    const RESULT_KIND: ResultKind = ResultKind::File;
    const LABEL_PARAMETERS: &'static [&'static str] = &["path"];
    /// 8,000 bytes of raw text (the limit at detail level `exploring`) are about this many tokens.
    const AGENT_TOKENS: usize = 2_000;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    /// Removes the detail level, so that the byte limit of detail level `exploring` applies to an agent's call.
    fn adapt_arguments_for_agent(arguments: &mut Map<String, Value>) {
        arguments.shift_remove("detail_level");
        if let Some(raw @ Value::String(_)) = arguments.get_mut("raw") {
            let is_true = raw.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"));
            *raw = Value::Bool(is_true);
        }
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let view = &parameters.view;
        let file = access.read_file(&parameters.path).map_err(|error| {
            RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, path))
        })?;
        // A request for a page of a file is a request for its text.
        if parameters.raw || view.offset > 0 || view.limit.is_some() {
            let is_whole_file = view.format == Format::Text && view.offset == 0 && view.limit.is_none();
            // The text of the file is returned without additions, where no notice is needed.
            if is_whole_file
                && !parameters.line_numbers
                && file.decoding_note.is_none()
                && !file.text.is_empty()
                && AnswerTokenBudget::new(context, view).can_hold_text(&escape_control_characters(&file.text))
            {
                let preview =
                    format!("{}: {}\n", file.path, format_count_with_noun(file.line_count() as usize, "line", "lines"));
                let text = RawTextContent { path: file.path, text: file.text, is_requested: parameters.raw };
                return Ok(Reply::new(ReplyStatus::Found, preview, view.format, context, text));
            }
            let is_code =
                peelback_code::syntax::language::language_of_file_name_and_text(file.file_name(), &file.text).is_some();
            let over_budget_warning = (is_whole_file
                && is_code
                && !AnswerTokenBudget::new(context, view).can_hold_text(&escape_control_characters(&file.text)))
            .then(|| {
                let message = Message::from("the text is over the budget; its symbols cost less: ");
                Guidance::Warning(message.with_call(context.follow_up_call_builder().outline_call(&file.path)))
            });
            let form = LinesForm { is_numbered: parameters.line_numbers, is_whole_text: parameters.raw, is_file: true };
            return Ok(lines_of_file_reply(access, context, (file, form), view, call, over_budget_warning));
        }
        let relations = access.find_direct_dependencies_and_dependents(&file, DEPENDENTS_TIME_LIMIT).ok();
        let profile = FileProfile::new(access.analyse_source_file(file), relations);
        Ok(profile.into_reply(context, view, parameters.line_numbers))
    }
}

/// The content of a reply that is the unmodified text of a file.
struct RawTextContent {
    path: String,
    text: String,
    /// Whether the call requested the raw text, and did not only ask for a page of the file.
    is_requested: bool,
}

impl ReplyContent for RawTextContent {
    fn render_marked_text(&self, _: &CallContext) -> MarkedText {
        let mut page = MarkedText::default();
        page.write_part(PartKind::Source, &self.text);
        page.with_note_on_escaped_source()
    }

    fn render_json(&self, _: &CallContext) -> String {
        let mut out = serde_json::json!({ "path": self.path, "text": self.text }).to_string();
        out.push('\n');
        out
    }

    fn shown_locations(&self) -> Vec<Location> {
        vec![Location { is_whole_text: self.is_requested, ..Location::for_whole_file(&self.path, ShownDetail::Read) }]
    }
}
