//! Texts shortened for people and models: one line, the first characters, an ellipsis where text is missing.

/// The text on one line: each run of white space becomes one space, none at the ends.
///
/// ```
/// assert_eq!(peelback_tokens::one_line(" a\n  b\tc "), "a b c");
/// ```
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first `max_chars` characters of the text, or the whole text where it is shorter.
///
/// ```
/// assert_eq!(peelback_tokens::first_chars("größer", 4), "größ");
/// ```
pub fn first_chars(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The text in at most `max_chars` characters, an ellipsis at the end included where text is missing.
///
/// ```
/// assert_eq!(peelback_tokens::ellipsized("one two", 5), "one…");
/// assert_eq!(peelback_tokens::ellipsized("one", 5), "one");
/// ```
pub fn ellipsized(text: &str, max_chars: usize) -> String {
    if first_chars(text, max_chars).len() == text.len() {
        return text.to_owned();
    }
    format!("{}…", first_chars(text, max_chars.saturating_sub(1)).trim_end())
}

/// The first `max_chars` characters of the text with an ellipsis behind them where text is missing.
///
/// ```
/// assert_eq!(peelback_tokens::with_ellipsis("one two", 5), "one t…");
/// ```
pub fn with_ellipsis(text: &str, max_chars: usize) -> String {
    let first = first_chars(text, max_chars);
    if first.len() == text.len() { text.to_owned() } else { format!("{first}…") }
}
