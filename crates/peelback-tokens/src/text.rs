//! Functions that shorten texts for one line of output: white space is collapsed, long texts are truncated.

use std::borrow::Cow;

/// Replaces each run of white space in `text`, line ends included, by one space, and removes white space at its ends.
pub fn collapse_and_trim_whitespace(text: &str) -> String {
    join_with_spaces(text.split_whitespace())
}

/// Turns `text` into a single line that a terminal can show: each run of white space and control characters becomes one
/// space.
pub fn to_terminal_line(text: &str) -> String {
    join_with_spaces(text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()))
}

/// The first `max_chars` characters of `text`, or all of `text` where it is shorter.
pub fn first_chars(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Returns `text` where it has at most `max_chars` characters; otherwise its first `max_chars` characters and an
/// ellipsis, which is one character more.
pub fn truncate_chars_and_add_ellipsis(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// Returns `text` where it has at most `max_chars` characters; otherwise its first characters, without white space at
/// their end, and an ellipsis, together at most `max_chars` characters (1 where `max_chars` is 0).
pub fn truncate_chars_including_ellipsis(text: &str, max_chars: usize) -> Cow<'_, str> {
    if text.chars().nth(max_chars).is_none() {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// The longest prefix of `text` that has at most `max_bytes` bytes and ends at a character boundary.
pub fn truncate_bytes(text: &str, max_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default()
}

/// The first line of `text` without its line end; empty for an empty text.
pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn join_with_spaces<'t>(words: impl Iterator<Item = &'t str>) -> String {
    let mut joined = String::new();
    for word in words {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_control_characters_become_single_spaces() {
        assert_eq!(collapse_and_trim_whitespace("  a\t b\r\n\nc "), "a b c");
        assert_eq!(collapse_and_trim_whitespace("a\u{1b}b"), "a\u{1b}b");
        assert_eq!(to_terminal_line("\u{1b}[1ma\u{0} \n b"), "[1ma b");
        assert_eq!(to_terminal_line(" \n"), "");
    }

    #[test]
    fn texts_over_the_limit_end_in_an_ellipsis() {
        assert_eq!((first_chars("größe", 3), first_chars("größe", 9)), ("grö", "größe"));
        assert_eq!(truncate_chars_and_add_ellipsis("größe", 5), "größe");
        assert_eq!(truncate_chars_and_add_ellipsis("größe", 3), "grö…");
        assert_eq!(truncate_chars_and_add_ellipsis("größe", 0), "…");
        assert_eq!(truncate_chars_including_ellipsis("größe", 5), "größe");
        assert_eq!(truncate_chars_including_ellipsis("größe", 4), "grö…");
        assert_eq!(truncate_chars_including_ellipsis("a bcd", 3), "a…");
        assert_eq!(truncate_chars_including_ellipsis("ab", 0), "…");
    }

    #[test]
    fn bytes_are_cut_between_characters_and_lines_at_their_ends() {
        assert_eq!(truncate_bytes("größe", 3), "gr");
        assert_eq!(truncate_bytes("größe", 99), "größe");
        assert_eq!((first_line("a\r\nb"), first_line(""), first_line("\na")), ("a", "", ""));
    }
}
