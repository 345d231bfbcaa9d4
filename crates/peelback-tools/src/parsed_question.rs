//! Parsed questions, for the tools that rank files or passages.

use peelback_code::syntax::{Language, language};
use peelback_code::{Question, find_similar_names, looks_like_test_path};
use peelback_tokens::text::truncate_chars_and_add_ellipsis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::context::CallContext;
use crate::message::Message;
use crate::next_calls::{FollowUpCallBuilder, TextSearchOption};
use crate::recoverable_error::RecoverableError;

/// The maximum number of the question's words that an answer names.
const MAX_KEYWORDS: usize = 12;

/// The maximum length of a question that the calls in an answer repeat, in bytes.
const MAX_REPEATED_QUERY_BYTES: usize = 300;

/// The name of the parameter with the question, in every tool that ranks for a question.
const QUERY_PARAMETER: &str = "query";

/// Whether files of tests count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestFilter {
    /// Tests count like other files.
    #[default]
    With,
    /// Tests do not count.
    Without,
    /// Only tests count.
    Only,
}

impl TestFilter {
    /// The filter for test files: `true` for only tests, `false` for no tests, `None` for both.
    pub fn to_required_is_test_flag(self) -> Option<bool> {
        match self {
            Self::With => None,
            Self::Without => Some(false),
            Self::Only => Some(true),
        }
    }

    /// Which files count, by their paths; `None` where all do.
    pub fn path_filter(self) -> Option<fn(&str) -> bool> {
        match self {
            Self::With => None,
            Self::Without => Some(|path| !looks_like_test_path(path)),
            Self::Only => Some(looks_like_test_path),
        }
    }
}

/// A call's question, parsed into keywords.
pub(crate) struct ParsedQuestion {
    pub question: Question,
    /// The most important words of the question, at most twelve.
    pub keywords: Vec<String>,
    /// The first line of the question, cut if it is long.
    pub title: String,
    /// The call for use in hints. Its query is replaced by the keywords if it is long, since every call in the answer
    /// would otherwise repeat a whole bug report.
    pub call: Call,
    /// Whether `call` still contains the whole question, so that its pages continue this answer.
    pub has_whole_question: bool,
    next_calls: &'static dyn FollowUpCallBuilder,
}

impl ParsedQuestion {
    /// Parses the `query` of a call.
    ///
    /// # Errors
    /// An error when the query contains no searchable word.
    pub fn new(context: &CallContext, query: &str, call: Call) -> Result<Self, RecoverableError> {
        let question = Question::new(query);
        let title = clipped_first_line_of_question(query);
        if question.is_empty() {
            let error = format!("{title:?} has no word to search for");
            return Err(RecoverableError::of_invalid_arguments(error).with_hint_and_call(
                "say what to search for, or see what is there: ",
                context.follow_up_call_builder().project_tree_call(),
            ));
        }
        let keywords = question.keywords().into_iter().take(MAX_KEYWORDS).map(str::to_owned).collect::<Vec<_>>();
        // A call with a query of several lines cannot be pasted.
        let is_whole = query.len() <= MAX_REPEATED_QUERY_BYTES && query.lines().count() <= 1;
        let call = if is_whole { call } else { call.with_argument(QUERY_PARAMETER, keywords.join(" ")) };
        Ok(Self {
            question,
            keywords,
            title,
            call,
            has_whole_question: is_whole,
            next_calls: context.follow_up_call_builder(),
        })
    }

    /// A description of what a narrower call returns: `count` where the call contains the whole question. Otherwise the
    /// result is unknown, because a call with only the keywords of a bug report ranks anew.
    pub fn describe_narrower_call_result(&self, count: impl FnOnce() -> String) -> String {
        if self.has_whole_question { count() } else { "for the keywords alone".to_owned() }
    }

    /// A hint for a question without ranked results: a text search for any of its words, or the file tree where the
    /// question has no words.
    pub fn no_results_hint(&self) -> Message {
        let words = distinct_words_escaped_for_regex(self.keywords.iter().map(String::as_str));
        // A name in a question may contain no keyword, such as `x.c`.
        let words = if words.is_empty() {
            distinct_words_escaped_for_regex(std::iter::once(self.title.trim_end_matches('…')))
        } else {
            words
        };
        if words.is_empty() {
            return Message::from("see what is there: ").with_call(self.next_calls.project_tree_call());
        }
        let text = self.next_calls.text_search_call(&words.join("|"), &[TextSearchOption::IgnoreCase]);
        Message::from("search the text for parts of the words: ").with_call(text)
    }
}

/// The distinct words of the texts, escaped, to be joined as the alternatives of a regular expression.
fn distinct_words_escaped_for_regex<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
    for word in texts.flat_map(str::split_whitespace).filter(is_word).take(MAX_KEYWORDS) {
        let word = escape_regex(word);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Escapes a text as a regular expression that matches only this text.
fn escape_regex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The first line of a question, cut if it is long.
fn clipped_first_line_of_question(question: &str) -> String {
    let line = question.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    truncate_chars_and_add_ellipsis(line, MAX_REPEATED_QUERY_BYTES / 2).into_owned()
}

/// The language that a caller names, by the language's name or by a file name extension. `parameter` is the parameter
/// of `call` that holds the name.
///
/// # Errors
/// An error for an unknown language, with the nearest name as the hint.
pub(crate) fn language_by_name_or_extension(
    name: &str,
    call: &Call,
    parameter: &str,
) -> Result<&'static Language, RecoverableError> {
    let lowercase = name.trim().trim_start_matches("*.").trim_start_matches('.').to_lowercase();
    let by_extension = || language::language_of_file_name(&format!("a.{lowercase}"));
    language::language_by_exact_name(&lowercase).or_else(by_extension).ok_or_else(|| {
        let names: Vec<&str> = language::all_languages().iter().map(|language| language.name).collect();
        let near = find_similar_names(&lowercase, names.iter().copied(), 1).into_iter().next();
        let near = near.unwrap_or_else(|| names.first().copied().unwrap_or_default().to_owned());
        let error = format!("there is no language {name:?}; the languages are {}", names.join(", "));
        let retry_call = call.clone().with_argument(parameter, near.as_str());
        RecoverableError::of_invalid_arguments(error).with_hint_and_call(format!("did you mean {near}? "), retry_call)
    })
}

/// A ranking score rounded to two decimal places, which suffice for comparison.
pub(crate) fn round_score_to_two_decimals(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

/// The names and values of ranking signals, as a row prints them.
pub(crate) fn format_ranking_signals(signals: Vec<(&'static str, f32)>) -> String {
    signals.into_iter().map(|(name, value)| format!("{name} {value:.2}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_text_matches_only_itself() {
        assert_eq!(escape_regex("a.b|c-d_e(f)"), r"a\.b\|c\-d_e\(f\)");
    }
}
