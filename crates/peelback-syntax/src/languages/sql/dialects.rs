//! Text of SQL files that the grammar does not read: it is blanked before the parse.

/// Returns the text with the commands of `psql` (`\echo …`) and the modes of parameters (`IN`, `OUT`) replaced by spaces,
/// so that every byte keeps its offset; `None` if there are none.
pub(super) fn blank_what_is_not_read(source: &str) -> Option<String> {
    let mut bytes = source.as_bytes().to_vec();
    let mut is_changed = false;
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\r', '\n']).len();
        if line.starts_with('\\') {
            is_changed = true;
            bytes.iter_mut().take(end).skip(start).for_each(|byte| *byte = b' ');
        }
        start += line.len();
    }
    for (at, word) in words(source) {
        let before = source.get(..at).unwrap_or("").trim_end();
        let is_parameter = before.ends_with(['(', ',']);
        let is_mode = MODES.iter().any(|mode| mode.eq_ignore_ascii_case(word));
        let is_before_name = source.get(at + word.len()..).is_some_and(|rest| {
            rest.trim_start_matches([' ', '\t']).starts_with(|c: char| c.is_alphabetic() || c == '_')
        });
        if is_parameter && is_mode && is_before_name {
            is_changed = true;
            bytes.iter_mut().skip(at).take(word.len()).for_each(|byte| *byte = b' ');
        }
    }
    is_changed.then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The words that say whether a parameter is given, returned, or both.
const MODES: &[&str] = &["IN", "OUT", "INOUT", "VARIADIC"];

/// The words of a text, each with its byte offset.
fn words(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    source.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(move |word| {
        // Each word ends at one character, of which the length is only known from the text.
        let start = at;
        at += word.len();
        at += source.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        (start, word)
    })
}
