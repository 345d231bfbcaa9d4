//! The tool `read_lines`: exact lines of a file.

mod ranges;
mod selected_lines;

use peelback_code::{CodeAccess, ErrorCategory, SourceFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::ranges::{
    LineRange, PastEnd, is_list_of_line_ranges, parse_line_range, shorter_texts_of_ranges, without_repeated_lines,
};
pub(crate) use self::selected_lines::LinesForm;
use self::selected_lines::{LineSelection, selected_lines_reply};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_line_range;
use crate::guidance::Guidance;
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::tool_call::call;
use crate::view::{OutputOptions, is_default_value};

/// The maximum number of characters of a line. Longer lines are cut unless the call lifts its budget, because minified
/// files have lines of several megabytes.
const MAX_LINE_CHARS: usize = 2_000;

/// The number of characters that remain of a single line that exceeds the budget.
const MAX_SHORTENED_LINE_CHARS: usize = 200;

/// Exact lines of a file.
///
/// Several ranges at once, in the order given; a line that several hold is shown once. A range is `10-40` or `10` (lines
/// from 1, both ends included); the path may carry one: `src/a.rs:10-40`. Without ranges, the whole file as far
/// as it fits; of several ranges that do not fit, each has its beginning.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// File to read.
    pub path: String,
    /// Line ranges: 10-40, 10, or src/b.rs:10-40. The number 10 alone is one line; src/b.rs:10-40 is a range of another file.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub ranges: Vec<String>,
    /// Omit the line numbers.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub plain: bool,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct ReadLines;

impl Tool for ReadLines {
    type Parameters = Parameters;

    const NAME: &'static str = "read_lines";
    const ALIASES: &'static [&'static str] = &["lines", "read_fragment", "get_lines"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["path", "ranges"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("line_ranges", "ranges"), ("range", "ranges"), ("lines", "ranges")];
    const EXAMPLES: &'static [&'static str] = &[
        "read_lines --path src/main.rs --ranges 10-40",
        "read_lines --path src/main.rs --ranges 1-20 --ranges 90-120",
    ];
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Drill,
        phrase: "gives exact ranges, several at once",
        cost_ranks: &[(100, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Lines;
    const LABEL_PARAMETERS: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 1_500;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(
        access: &CodeAccess,
        context: &CallContext,
        mut parameters: Parameters,
    ) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        if access.project().require_readable_file(&parameters.path).is_err()
            && let Some((path, ranges)) = parameters.path.rsplit_once(':')
            && is_list_of_line_ranges(ranges)
        {
            parameters.ranges.insert(0, ranges.to_owned());
            parameters.path = path.to_owned();
        }
        let mut named = NamedLines::default();
        named.add_file(access, context, &call, &parameters.path)?;
        for item in &parameters.ranges {
            named.add_ranges_or_file(access, context, &call, item)?;
        }
        named.name_whole_file_without_ranges();
        named.require_lines()?;
        let is_whole_text = parameters.ranges.is_empty();
        let ranges = without_repeated_lines(&named.ranges);
        // The call of the next page repeats the ranges, and these may be far fewer.
        let shorter = (named.files.len() == 1).then(|| shorter_texts_of_ranges(&ranges, &parameters.ranges)).flatten();
        let call = match shorter {
            Some(texts) => call.with_rewritten_argument(parameter_name!(Parameters, ranges), texts),
            None => call,
        };
        let form = LinesForm { is_numbered: !parameters.plain, is_whole_text, is_file: false };
        let selection = LineSelection { files: &named.files, ranges: &ranges, past_ends: &named.past_ends, form };
        Ok(selected_lines_reply(access, context, selection, &parameters.view, call, None))
    }
}

/// The limit on the files of a call: each is held in memory.
pub(crate) const MAX_FILES: usize = 20;

/// The lines that a call names.
#[derive(Default)]
struct NamedLines {
    files: Vec<SourceFile>,
    ranges: Vec<LineRange>,
    /// The number of the file that was named last.
    last_file: usize,
    /// Whether ranges of that file were named since.
    has_ranges: bool,
    /// The ranges behind the ends of files.
    past_ends: Vec<PastEnd>,
}

impl NamedLines {
    /// Reads a file, of which ranges may follow.
    fn add_file(
        &mut self,
        access: &CodeAccess,
        context: &CallContext,
        call: &Call,
        path: &str,
    ) -> Result<(), RecoverableError> {
        self.name_whole_file_without_ranges();
        let file = access.read_file(path).map_err(|error| {
            RecoverableError::from_code_error(context, &error, call, parameter_name!(Parameters, path))
        })?;
        self.has_ranges = false;
        self.last_file = match self.files.iter().position(|known| known.path == file.path) {
            Some(known) => known,
            None if self.files.len() == MAX_FILES => {
                let error = format!("more than {MAX_FILES} files are named");
                let first = self.files.first().map_or("", |file| file.path.as_str());
                return Err(RecoverableError::of_invalid_arguments(error)
                    .with_hint_and_call("fewer at once: ", call!(ReadLines { path: first })));
            }
            None => {
                self.files.push(file);
                self.files.len() - 1
            }
        };
        Ok(())
    }

    /// Where the file that was named last has no ranges, all of it is meant.
    fn name_whole_file_without_ranges(&mut self) {
        if let Some(file) = self.files.get(self.last_file).filter(|_| !self.has_ranges) {
            self.ranges.push(LineRange { file: self.last_file, first: 1, last: file.line_count() });
            self.has_ranges = true;
        }
    }

    /// Adds what one argument names: ranges of the file that was named last, or another file with its own.
    fn add_ranges_or_file(
        &mut self,
        access: &CodeAccess,
        context: &CallContext,
        call: &Call,
        item: &str,
    ) -> Result<(), RecoverableError> {
        // A path may have spaces and commas.
        if let Some((path, ranges)) = other_file_and_ranges(access, item) {
            self.add_file(access, context, call, path)?;
            return ranges.map_or(Ok(()), |ranges| self.add_ranges(ranges));
        }
        for part in item.split([',', ' ']).filter(|part| !part.is_empty()) {
            match other_file_and_ranges(access, part) {
                Some((path, ranges)) => {
                    self.add_file(access, context, call, path)?;
                    ranges.map_or(Ok(()), |ranges| self.add_ranges(ranges))?;
                }
                None => self.add_ranges(part)?,
            }
        }
        Ok(())
    }

    /// Adds ranges of the file that was named last.
    fn add_ranges(&mut self, ranges: &str) -> Result<(), RecoverableError> {
        let Some(file) = self.files.get(self.last_file) else { return Ok(()) };
        let count = file.line_count();
        for part in ranges.split(',') {
            let Some((first, last)) = parse_line_range(part) else {
                let error =
                    format!("{part:?} is neither a range of lines nor a file: write 10-40 or 10; lines count from 1");
                let retry_call = call!(ReadLines { path: file.path.as_str(), ranges: "1-40" });
                return Err(
                    RecoverableError::of_invalid_arguments(error).with_hint_and_call("for example: ", retry_call)
                );
            };
            self.has_ranges = true;
            if first <= count {
                self.ranges.push(LineRange { file: self.last_file, first, last: last.min(count) });
                continue;
            }
            match self.past_ends.iter_mut().find(|past| past.file == self.last_file) {
                Some(PastEnd { ranges, .. }) => {
                    ranges.push_str(", ");
                    ranges.push_str(part);
                }
                None => self.past_ends.push(PastEnd { file: self.last_file, ranges: part.to_owned() }),
            }
        }
        Ok(())
    }

    /// Requires that the call names a line, or that no range of it lies behind the end of its file.
    fn require_lines(&self) -> Result<(), RecoverableError> {
        let Some(past) = self.past_ends.first().filter(|_| self.ranges.is_empty()) else { return Ok(()) };
        let Some(file) = self.files.get(past.file) else { return Ok(()) };
        let failure = RecoverableError::new(ErrorCategory::NothingFound, past.describe(file));
        let count = file.line_count();
        if count == 0 {
            return Err(failure.with_hint("the file is empty"));
        }
        let last = format_line_range(count.saturating_sub(39).max(1), count);
        let retry_call = call!(ReadLines { path: file.path.as_str(), ranges: last });
        Err(failure.with_hint_and_call("its last lines: ", retry_call))
    }
}

/// The file that an argument names, with or without ranges behind it: `src/a.rs:10-40`. `None` where it names no file that can
/// be read, as where it is a range.
fn other_file_and_ranges<'a>(access: &CodeAccess, item: &'a str) -> Option<(&'a str, Option<&'a str>)> {
    if is_list_of_line_ranges(item) {
        return None;
    }
    let is_file = |path: &str| access.project().find_entry(path).is_some_and(|entry| !entry.is_folder);
    if is_file(item) {
        return Some((item, None));
    }
    let (path, ranges) = item.rsplit_once(':')?;
    (is_list_of_line_ranges(ranges) && is_file(path)).then_some((path, Some(ranges)))
}

/// The reply with the lines of a whole file, in a form.
pub(crate) fn lines_of_file_reply(
    access: &CodeAccess,
    context: &CallContext,
    (file, form): (SourceFile, LinesForm),
    view: &OutputOptions,
    call: Call,
    advice: Option<Guidance>,
) -> Reply {
    let ranges = [LineRange { file: 0, first: 1, last: file.line_count() }];
    let selection = LineSelection { files: &[file], ranges: &ranges, past_ends: &[], form };
    selected_lines_reply(access, context, selection, view, call, advice)
}
