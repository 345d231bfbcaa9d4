//! The tool `grep`: text search that names the symbol around each match.

mod existence;
mod files;
mod rows;

use std::collections::BTreeMap;

use peelback_code::{
    CodeAccess, CodeError, Evidence, FileMatches, GrepLine, GrepQuery, LineKind, RowUnit, WalkOptions,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::existence::existence_reply;
use self::files::matching_files_reply;
use self::rows::{MatchingLinesPayload, NestedFields, RowNoun, ScalarFields, match_and_context_rows_of_file};
use crate::answer::Answer;
use crate::arguments::MAX_PATTERN_CHARS;
use crate::budget::AnswerTokenBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_with_thousands_separators};
use crate::guidance::Guidance;
use crate::output_guard::PageLimiter;
use crate::parameter_name::parameter_name;
use crate::parsed_question::TestFilter;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::tool_call::call;
use crate::view::{Format, OutputOptions, is_default_value};

/// The maximum number of matching lines in an answer at detail level `exploring`.
const MAX_EXPLORING_ROWS: usize = 200;

/// Regex matches with their symbols.
///
/// Searches as ripgrep does: respects .gitignore, leaves hidden and binary files out. The pattern is a regular
/// expression in Rust's syntax (no look-around); `fixed_strings` takes it as plain text.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Regular expression to search for. The syntax is that of Rust; with `fixed_strings` it is plain text.
    pub pattern: String,
    /// Files, folders or globs to search.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub scope: Vec<String>,
    /// The pattern is plain text.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub fixed_strings: bool,
    /// Match either letter case.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub ignore_case: bool,
    /// Whole words only.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub word: bool,
    /// Lines that do not match.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub invert_match: bool,
    /// Only names of matching files. Each has the number of its matching lines.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub files: bool,
    /// Only counts of matching lines. One for each file and one for all; with `only_matching`, counts of matches.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub count: bool,
    /// Only the matched texts. Each match is a row.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub only_matching: bool,
    /// Only whether anything matches. On the command line there is no output but the exit code.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub quiet: bool,
    /// Whether tests count.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub tests: TestFilter,
    /// File globs; a leading ! excludes.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub glob: Vec<String>,
    /// File types: py, rust, js. The names are those of ripgrep.
    #[serde(default, rename = "type", skip_serializing_if = "is_default_value")]
    pub types: Vec<String>,
    /// Lines around each match.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub context: usize,
    /// Lines before each match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// Lines after each match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// Omit symbols around matches.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub no_owners: bool,
    /// Include hidden files.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub hidden: bool,
    /// Include ignored files. These are the files that .gitignore and .ignore files exclude.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub no_ignore: bool,
    #[serde(flatten)]
    pub view: OutputOptions,
}

/// The limit on the lines before and after a match where the answer has a budget.
pub(crate) const MAX_CONTEXT_LINES: usize = 2_000;

/// The limit on the lines of a page, matches and those around them, where the answer has a budget.
const MAX_LINES_OF_PAGE: usize = 100_000;

pub struct Grep;

impl Tool for Grep {
    type Parameters = Parameters;

    const NAME: &'static str = "grep";
    const ALIASES: &'static [&'static str] = &["grep_in_files", "grep_file", "search_pattern", "rg"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["pattern", "scope"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "scope"),
        ("directory", "scope"),
        ("file_path", "scope"),
        ("relative_path", "scope"),
        ("query", "pattern"),
        ("regex", "pattern"),
        ("literal", "fixed_strings"),
        ("case_insensitive", "ignore_case"),
        ("globs", "glob"),
        ("include", "glob"),
        ("file_type", "type"),
        ("context_lines", "context"),
        ("word_regexp", "word"),
        ("regexp", "pattern"),
        ("files_with_matches", "files"),
        ("files_only", "files"),
        ("count_only", "count"),
        ("matches_only", "only_matching"),
        ("silent", "quiet"),
        ("max_count", "limit"),
        ("file_pattern", "glob"),
    ];
    const IGNORED_ARGUMENTS: &'static [&'static str] =
        &["n", "line_number", "line_numbers", "recursive", "with_filename"];
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[
        ('i', "ignore_case"),
        ('w', "word"),
        ('v', "invert_match"),
        ('l', "files"),
        ('c', "count"),
        ('o', "only_matching"),
        ('q', "quiet"),
        ('e', "pattern"),
        ('m', "limit"),
        ('F', "fixed_strings"),
        ('g', "glob"),
        ('t', "type"),
        ('C', "context"),
        ('B', "before"),
        ('A', "after"),
    ];
    /// Flags that users type from habit: lines always have numbers, files are always named, and folders are always
    /// searched.
    const IGNORED_FLAGS: &'static [(char, &'static str)] =
        &[('n', "line-number"), ('H', "with-filename"), ('r', "recursive")];
    const LONG_TEXT_PARAMETERS: &'static [(&'static str, usize)] =
        &[(parameter_name!(Parameters, pattern), MAX_PATTERN_CHARS)];
    const EXAMPLES: &'static [&'static str] =
        &["grep --pattern 'fn \\w+_test'", "grep --pattern TODO --scope src --ignore_case --context 2"];
    const HAS_PLACES: bool = true;
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Search,
        phrase: "finds text and names the symbol around each hit",
        cost_ranks: &[(40, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Search;
    const LABEL_PARAMETERS: &'static [&'static str] = &["pattern", "scope"];
    const AGENT_TOKENS: usize = 800;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    /// For an agent, one context line around each match is shown unless the call sets another number.
    fn adapt_arguments_for_agent(arguments: &mut Map<String, Value>) {
        let names_without_context = ["context", "before", "after", "files", "count", "only_matching", "quiet"];
        if !names_without_context.into_iter().any(|name| arguments.contains_key(name)) {
            arguments.insert("context".to_owned(), 1.into());
        }
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let view = &parameters.view;
        let lists_places = view.format == Format::Vimgrep;
        let shows_rows = !(parameters.files || parameters.count || parameters.quiet);
        if lists_places && !shows_rows && !parameters.quiet {
            return Err(error_for_files_as_places(&parameters, &call));
        }
        let row_unit = match (parameters.only_matching, lists_places) {
            (true, _) if shows_rows || parameters.count && !parameters.files => RowUnit::MatchedText,
            (false, true) => RowUnit::LineOfMatch,
            _ => RowUnit::Line,
        };
        // Matches and places stand for themselves.
        let has_context = row_unit == RowUnit::Line && shows_rows;
        let context_lines = |own: Option<usize>| if has_context { own.unwrap_or(parameters.context) } else { 0 };
        let mut query = GrepQuery {
            pattern: parameters.pattern.clone(),
            fixed_strings: parameters.fixed_strings,
            ignore_case: parameters.ignore_case,
            word: parameters.word,
            invert: parameters.invert_match,
            before: context_lines(parameters.before),
            after: context_lines(parameters.after),
            scopes: parameters.scope.clone(),
            walk_options: WalkOptions {
                hidden: parameters.hidden,
                no_ignore: parameters.no_ignore,
                globs: parameters.glob.clone(),
                types: parameters.types.clone(),
            },
            path_filter: parameters.tests.path_filter(),
            row_unit,
        };
        if parameters.quiet {
            let found = access.has_match(&query).map_err(|error| failed_text_search_error(context, &error, &call))?;
            return Ok(existence_reply(context, found, &parameters));
        }
        let unit = RowNoun::of_query(&query);
        let guard = PageLimiter::new(view, MAX_EXPLORING_ROWS);
        let budget = AnswerTokenBudget::new(context, view);
        let (max_before, max_after) = (query.before.min(MAX_CONTEXT_LINES), query.after.min(MAX_CONTEXT_LINES));
        let max_rows = if !shows_rows {
            0
        } else if budget.is_unlimited() {
            guard.row_limit()
        } else {
            // Lines are read only for what an answer can show, and one more, which tells that some were left out.
            query.before = query.before.min(MAX_CONTEXT_LINES + 1);
            query.after = query.after.min(MAX_CONTEXT_LINES + 1);
            let max_matches = MAX_LINES_OF_PAGE / (1 + query.before + query.after);
            guard.row_limit().min(budget.max_rows()).min(max_matches)
        };
        let mut found = access
            .grep(&query, view.offset, max_rows)
            .map_err(|error| failed_text_search_error(context, &error, &call))?;
        let is_context_lessened =
            !budget.is_unlimited() && remove_context_lines_beyond(&mut found.files, max_before, max_after);
        if !shows_rows {
            return Ok(matching_files_reply(access, context, found, &parameters, unit, call));
        }
        if parameters.only_matching && parameters.invert_match {
            found.evidence.add_note("only_matching has no effect with invert_match: whole lines are shown");
        }
        let counts = std::mem::take(&mut found.counts);
        let mut plan = guard.page_plan_from_row_counts(counts.total, counts.by_file.clone(), unit.several());
        // The glob is a scope, not a `-g` glob: as in ripgrep, a `-g` glob would include hidden and ignored files.
        if let Some((glob, rows)) =
            most_common_extension_glob_and_count(&counts.by_file).filter(|_| parameters.scope.is_empty())
        {
            plan = plan.with_narrowing_call(
                call.clone().with_argument(parameter_name!(Parameters, scope), vec![glob]),
                rows,
                unit.one_and_several(),
            );
        }
        if let Some((file, rows)) = plan
            .narrower_place_and_count(&parameters.scope, &context.file_kinds())
            .map(|(file, rows)| (file.to_owned(), rows))
        {
            plan = plan.with_narrowing_call(
                call.clone().with_argument(parameter_name!(Parameters, scope), vec![file]),
                rows,
                unit.one_and_several(),
            );
        }
        let guidance = (counts.total == 0).then(|| nothing_found_guidance(context, &call, &parameters));
        let head = ScalarFields {
            pattern: parameters.pattern.clone(),
            files_matched: counts.by_file.len(),
            files_searched: counts.searched,
            ..ScalarFields::default()
        };
        let plan = plan.with_original_call_for_paging(call);
        let empty = counts.total == 0;
        let mut evidence = found.evidence;
        if is_context_lessened {
            let lines = format_with_thousands_separators(MAX_CONTEXT_LINES as u64);
            evidence.add_note(format!("at most {lines} lines before and after a match are shown"));
        }
        let build_answer = |files: &[FileMatches], evidence: &Evidence| {
            let matches = files.iter().cloned().flat_map(match_and_context_rows_of_file).collect();
            let payload =
                MatchingLinesPayload { head: head.clone(), total: counts.total, unit, body: NestedFields { matches } };
            Answer {
                payload,
                plan: plan.clone(),
                evidence: evidence.clone(),
                guidance: guidance.clone(),
                is_empty: empty,
            }
        };
        let files = &mut found.files;
        if !parameters.no_owners && !lists_places {
            // Only files whose rows are shown are parsed for the symbols around their matches. The number of shown
            // files depends on the length of these symbols' names. Placeholder names of typical length are used until
            // all files that fit are parsed.
            files
                .iter_mut()
                .flat_map(|file| &mut file.lines)
                .for_each(|line| line.enclosing_symbol = dummy_symbol_name_for_line(line));
            let mut parsed_count = 0;
            let mut files_without_owners = 0;
            loop {
                let shown = build_answer(files, &evidence).into_fitted_payload(context, view).count_shown_files();
                let Some(more) = files.get_mut(parsed_count..shown).filter(|more| !more.is_empty()) else { break };
                files_without_owners += access.fill_in_enclosing_symbols(more);
                parsed_count = shown;
            }
            if files_without_owners > 0 {
                evidence.add_note(format!(
                    "{}: the symbols around the hits were not looked up",
                    format_count_with_noun(files_without_owners, "file", "files")
                ));
                files
                    .iter_mut()
                    .skip(parsed_count)
                    .flat_map(|file| &mut file.lines)
                    .for_each(|line| line.enclosing_symbol = None);
            }
        }
        Ok(build_answer(files, &evidence).into_reply(context, view))
    }
}

/// Removes the context lines that are more than `before` lines before a match and more than `after` lines after one. Returns
/// whether there were any.
fn remove_context_lines_beyond(files: &mut [FileMatches], before: usize, after: usize) -> bool {
    let [before, after] = [before, after].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let mut has_removed = false;
    for file in files {
        let is_match = |line: &&GrepLine| line.kind == LineKind::Match;
        let matches: Vec<u32> = file.lines.iter().filter(is_match).map(|line| line.line).collect();
        let count = file.lines.len();
        file.lines.retain(|line| {
            let next = matches.partition_point(|number| *number < line.line);
            let is_after = next.checked_sub(1).and_then(|last| matches.get(last));
            matches.get(next).is_some_and(|number| number - line.line <= before)
                || is_after.is_some_and(|number| line.line - number <= after)
        });
        has_removed |= file.lines.len() < count;
    }
    has_removed
}

/// The glob of the file name extension with the most matching lines, with their number; `None` where all files have
/// that extension.
fn most_common_extension_glob_and_count(by_file: &[(String, usize)]) -> Option<(String, usize)> {
    let mut lines = BTreeMap::new();
    for (path, count) in by_file {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
        *lines.entry(ending).or_insert(0usize) += count;
    }
    let (ending, most) =
        lines.iter().filter_map(|(ending, lines)| Some(((*ending)?, *lines))).max_by_key(|(_, n)| *n)?;
    let plain = ending.chars().all(|c| c.is_alphanumeric() || c == '_');
    (lines.len() > 1 && plain).then(|| (format!("*.{ending}"), most))
}

/// A placeholder for the name of the symbol around a matching line, of typical length and different for each line.
fn dummy_symbol_name_for_line(line: &GrepLine) -> Option<String> {
    (line.kind == LineKind::Match).then(|| format!("Owner{:05}.of_line", line.line))
}

/// The error for a failed text search. An invalid regular expression may be meant as plain text, which the hint
/// suggests unless that is what was searched for, or the pattern has several lines, which no search finds.
fn failed_text_search_error(context: &CallContext, error: &CodeError, call: &Call) -> RecoverableError {
    let failure = RecoverableError::from_code_error(context, error, call, parameter_name!(Parameters, scope));
    let is_plain_text = call.arguments().contains_key(parameter_name!(Parameters, fixed_strings));
    match error {
        CodeError::BadPattern { pattern, what: "regex", .. } if !is_plain_text && !pattern.contains('\n') => {
            let literal = call!(call.clone() => Grep { pattern: pattern.as_str(), fixed_strings: true });
            failure.with_hint_and_call("to search for the literal text: ", literal)
        }
        _ => failure,
    }
}

/// The error where files or counts are asked for as places.
fn error_for_files_as_places(parameters: &Parameters, call: &Call) -> RecoverableError {
    let (what, parameter) = match parameters.files {
        true => ("files", parameter_name!(Parameters, files)),
        false => ("counts of files", parameter_name!(Parameters, count)),
    };
    let error = format!("the format vimgrep lists places with a line and a column, and {what} have none");
    RecoverableError::of_invalid_arguments(error)
        .with_hint_and_call("the matches themselves: ", call.clone().without_argument(parameter))
}

fn nothing_found_guidance(context: &CallContext, call: &Call, parameters: &Parameters) -> Guidance {
    let wider = if parameters.tests != TestFilter::With {
        call.clone().without_argument(parameter_name!(Parameters, tests))
    } else if !parameters.ignore_case {
        call.clone().with_argument(parameter_name!(Parameters, ignore_case), true)
    } else if !parameters.scope.is_empty() {
        call.clone().without_argument(parameter_name!(Parameters, scope))
    } else {
        context.follow_up_call_builder().rank_files_call(&parameters.pattern)
    };
    Guidance::hint_with_call("wider: ", wider)
}
