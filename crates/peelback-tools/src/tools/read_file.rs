//! `read_file`: the profile of a file, or its text.

use std::time::Duration;

use peelback_code::CodeAccess;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Guidance, Reply, ReplyStatus, counted};
use crate::call::Call;
use crate::guard::Budget;
use crate::recover::RecoverableError;
use crate::tool::Tool;
use crate::tools::profile::Profile;
use crate::tools::read_lines::lines_of;
use crate::view::{Format, View, is_default};

/// How long a profile looks for those who use the file.
const PATIENCE: Duration = Duration::from_millis(500);

/// A file's profile, or raw text.
///
/// Bodies are folded to `{ ... }`: they exist. The profile never costs more than the text: for a small file it is
/// the text. The last resort for code; read_symbol and read_lines give parts.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// The file.
    pub path: String,
    /// The text instead of the profile.
    #[serde(default, skip_serializing_if = "is_default")]
    pub raw: bool,
    /// Put its number before each line of the text, or of the skeleton in JSON (the profile as text has them anyway).
    #[serde(default, skip_serializing_if = "is_default")]
    pub line_numbers: bool,
    #[serde(flatten)]
    pub view: View,
}

pub struct ReadFile;

impl Tool for ReadFile {
    type Parameters = Parameters;

    const NAME: &'static str = "read_file";
    const ALIASES: &'static [&'static str] = &["read", "cat"];
    const POSITIONAL: &'static [&'static str] = &["path"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("full", "raw")];
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[('n', "line_numbers")];
    const EXAMPLES: &'static [&'static str] = &["read_file --path src/main.rs", "read_file --path src/main.rs --raw"];

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::of(Self::NAME, &parameters);
        let view = &parameters.view;
        let file = access.read(&parameters.path).map_err(|error| RecoverableError::of(&error, &call, "path"))?;
        // A page of a file is a page of its text.
        if parameters.raw || view.offset > 0 || view.limit.is_some() {
            let whole = view.format == Format::Text && view.offset == 0 && view.limit.is_none();
            // The text as it stands, where nothing needs to be said about it.
            if whole
                && !parameters.line_numbers
                && file.decoding.is_none()
                && !file.text.is_empty()
                && Budget::of(view).admits(&file.text)
            {
                let preview = format!("{}: {}\n", file.path, counted(file.line_count() as usize, "line", "lines"));
                return Ok(Reply { output: file.text, status: ReplyStatus::Found, preview });
            }
            let lines = file.line_count();
            let is_code = peelback_code::syntax::language::of_file(file.name(), &file.text).is_some();
            let better = Call::new("outline").with("path", file.path.as_str());
            let advice = (whole && is_code && !Budget::of(view).admits(&file.text))
                .then(|| Guidance::Warning(format!("the text is over the budget; its symbols cost less: {better}")));
            return Ok(lines_of(&file, &[(1, lines)], view, parameters.line_numbers, call, advice));
        }
        let relations = access.relations(&file, PATIENCE).ok();
        let profile = Profile::of(access.analyse(file), relations);
        Ok(Reply {
            output: profile.render(view, parameters.line_numbers),
            status: ReplyStatus::Found,
            preview: profile.preview(),
        })
    }
}
