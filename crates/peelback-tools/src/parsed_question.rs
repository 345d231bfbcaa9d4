//! Parsed questions, for the tools that rank files or passages.

use peelback_code::syntax::{Language, language};
use peelback_code::{Fault, Question, nearest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::context::CallContext;
use crate::message::Message;
use crate::next::{NextCalls, TextOption};
use crate::recover::RecoverableError;
use crate::shorten::clip;

/// The most words of the question that an answer names.
const MOST_WORDS: usize = 12;

/// The most bytes of a question that calls in the answer repeat.
const LONG: usize = 300;

/// Whether files of tests count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tests {
    /// Tests count like other files.
    #[default]
    With,
    /// Tests do not count.
    Without,
    /// Only tests count.
    Only,
}

impl Tests {
    /// The filter for test files: `true` for only tests, `false` for no tests, `None` for both.
    pub fn filter(self) -> Option<bool> {
        match self {
            Self::With => None,
            Self::Without => Some(false),
            Self::Only => Some(true),
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
    pub is_whole: bool,
    next: &'static dyn NextCalls,
}

impl ParsedQuestion {
    /// Parses the `query` of a call.
    ///
    /// # Errors
    /// An error when the query contains no searchable word.
    pub fn new(context: &CallContext, query: &str, call: Call) -> Result<Self, RecoverableError> {
        let question = Question::new(query);
        let title = title(query);
        if question.is_empty() {
            let error = format!("{title:?} holds no word to look for");
            return Err(RecoverableError::new(Fault::BadUsage, error)
                .hint_call("name what you look for, or see what is there: ", context.next().map()));
        }
        let keywords = question.keywords().into_iter().take(MOST_WORDS).map(str::to_owned).collect::<Vec<_>>();
        // A call with a query of several lines cannot be pasted.
        let is_whole = query.len() <= LONG && query.lines().count() <= 1;
        let call = if is_whole { call } else { call.with("query", keywords.join(" ")) };
        Ok(Self { question, keywords, title, call, is_whole, next: context.next() })
    }

    /// A description of the result of a narrower call: `count`, where `call` contains the whole question. Otherwise the
    /// result is unknown, because a call with only the keywords of a bug report ranks anew.
    pub fn count_or_unknown(&self, count: impl FnOnce() -> String) -> String {
        if self.is_whole { count() } else { "for the keywords alone".to_owned() }
    }

    /// A hint for a question without ranked results: a text search for any of its words, or the file tree where the
    /// question has no words.
    pub fn fallback_hint(&self) -> Message {
        let words = alternatives(self.keywords.iter().map(String::as_str));
        // A name in a question may contain no keyword, such as `x.c`.
        let words =
            if words.is_empty() { alternatives(std::iter::once(self.title.trim_end_matches('…'))) } else { words };
        if words.is_empty() {
            return Message::from("see what is there: ").call(self.next.map());
        }
        let text = self.next.text(&words.join("|"), &[TextOption::IgnoreCase]);
        Message::from("search the text for parts of the words: ").call(text)
    }
}

/// The words of texts as alternatives of a regular expression.
fn alternatives<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let says = |word: &&str| word.chars().any(char::is_alphanumeric);
    for word in texts.flat_map(str::split_whitespace).filter(says).take(MOST_WORDS) {
        let word = regex_escape(word);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Escapes a text as a regular expression that matches only this text.
fn regex_escape(text: &str) -> String {
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
fn title(question: &str) -> String {
    let line = question.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    clip(line, LONG / 2)
}

/// The language that a caller names, by the language's name or by a file name extension.
///
/// # Errors
/// An error for an unknown language, with the nearest name as the hint.
pub(crate) fn language_named(name: &str, call: &Call) -> Result<&'static Language, RecoverableError> {
    let lower = name.trim().trim_start_matches("*.").trim_start_matches('.').to_lowercase();
    let of_ending = || language::language_of_file_name(&format!("a.{lower}"));
    language::language_by_name(&lower).or_else(of_ending).ok_or_else(|| {
        let names: Vec<&str> = language::all_languages().iter().map(|language| language.name).collect();
        let near = nearest(&lower, names.iter().copied(), 1).into_iter().next();
        let near = near.unwrap_or_else(|| names.first().copied().unwrap_or_default().to_owned());
        let error = format!("no language is called {name:?}; languages are {}", names.join(", "));
        let again = call.clone().with("language", near.as_str());
        RecoverableError::new(Fault::BadUsage, error).hint_call(format!("did you mean {near}? "), again)
    })
}

/// A score rounded to two decimal places, which suffice for comparison.
pub(crate) fn rounded(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

/// The names and values of ranking signals, as a row prints them.
pub(crate) fn signal_list(signals: Vec<(&'static str, f32)>) -> String {
    signals.into_iter().map(|(name, value)| format!("{name} {value:.2}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fallback_hint(query: &str) -> String {
        let context = CallContext::new(None, None, crate::tools::next_calls());
        match ParsedQuestion::new(&context, query, Call::new("search")) {
            Ok(question) => question.fallback_hint().text(),
            Err(error) => error.guidance.map(|guidance| guidance.message().text()).unwrap_or_default(),
        }
    }

    #[test]
    fn the_text_search_of_a_hint_finds_the_words() {
        assert_eq!(regex_escape("a.b|c-d_e(f)"), r"a\.b\|c\-d_e\(f\)");
        // A pattern without a word would match every line.
        assert!(fallback_hint("\u{2014}\u{2014}").ends_with(": tree"), "{}", fallback_hint("\u{2014}\u{2014}"));
        let parted = fallback_hint("retry\u{a0}policy");
        assert!(parted.contains("retry|policy"), "{parted}");
        let named = fallback_hint("x.c");
        assert!(!named.contains("--pattern ''"), "{named}");
    }
}
