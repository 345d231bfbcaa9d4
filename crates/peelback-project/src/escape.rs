//! Escapes of characters that a terminal obeys or that a reader cannot see, in text that is shown: `\u{1b}`.
//!
//! Names and lines come from whoever wrote the project. A control character in them could write to the clipboard, move
//! the cursor or retitle the window; a line break in a name could forge a row of an answer; a character that turns the
//! direction of writing could show code that is not there; characters that have no width could carry words that only a
//! model reads. Joiners and marks of direction, which some scripts need, stay as they are.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character never stands in shown text as it is: a control character other than a tab, one that turns the
/// direction of writing, one that nobody sees, or one that ends a line for some readers and none for a compiler.
pub(crate) fn is_control_or_invisible(c: char) -> bool {
    (c.is_control() && c != '\t')
        || is_writing_direction_control(c)
        || is_invisible_character(c)
        || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether a character changes the direction of writing, with which code can be made to look like other code.
pub fn is_writing_direction_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character has no width and no use between others: spaces of no width, invisible operators, tags, and the
/// variants that no font has.
fn is_invisible_character(c: char) -> bool {
    matches!(
        c,
        '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e01ef}'
    )
}

/// Whether a character ends a line for every reader.
fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

/// A text of several lines as it can be shown: control characters and characters that turn the direction of writing or are not
/// seen are escaped. Tabs and line ends stay; a carriage return is part of a line end before a newline or at the end of the text.
pub fn escape_control_characters(text: &str) -> Cow<'_, str> {
    if is_plain_ascii(text) {
        return Cow::Borrowed(text);
    }
    escape_selected_characters(text, |c, next| match c {
        '\n' => false,
        '\r' => !matches!(next, Some('\n') | None),
        c => is_control_or_invisible(c),
    })
}

/// A text as it can be shown in one line: [`escape_control_characters`], and line ends are escaped, too.
pub fn escape_to_one_line(text: &str) -> Cow<'_, str> {
    if is_plain_ascii(text) && !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    escape_selected_characters(text, |c, _| is_control_or_invisible(c) || is_line_end(c))
}

/// A text of JSON in which no character controls a terminal, turns the direction of writing or is unseen. JSON itself escapes only
/// some control characters; those that are left can stand only in its strings, where `\u009b` means the same.
pub fn escape_control_characters_of_json(json: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| c != '\n' && is_control_or_invisible(c);
    if is_plain_ascii(json) || !json.contains(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Writes the escape of a character.
pub(crate) fn write_escaped_char(c: char, out: &mut String) {
    out.extend(c.escape_unicode());
}

/// The text with those characters escaped that `is_escaped` selects, by the character and the one after it.
fn escape_selected_characters(text: &str, is_escaped: impl Fn(char, Option<char>) -> bool) -> Cow<'_, str> {
    let mut escaped = String::new();
    let mut copied = 0;
    let candidates = text.bytes().enumerate().filter(|(_, byte)| can_start_escaped_char(*byte));
    for (at, _) in candidates {
        let mut chars = text.get(at..).unwrap_or_default().chars();
        let Some(c) = chars.next() else { continue };
        if is_escaped(c, chars.next()) {
            escaped.push_str(text.get(copied..at).unwrap_or_default());
            write_escaped_char(c, &mut escaped);
            copied = at + c.len_utf8();
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(escaped)
}

/// Whether a byte of UTF-8 can be the first of a character that is escaped somewhere: one of
/// [`is_control_or_invisible`] or [`is_line_end`]. Most letters of other scripts are sorted out by their first byte.
fn can_start_escaped_char(byte: u8) -> bool {
    match byte {
        // U+0080 to U+009F, U+180E, U+200B to U+206F, U+FEFF to U+FFFB, U+E0000 to U+E01EF.
        0xc2 | 0xe1 | 0xe2 | 0xef | 0xf3 => true,
        byte => byte.is_ascii_control() && byte != b'\t',
    }
}

/// Whether a text is ASCII without control characters other than tabs and newlines, as nearly all text is.
fn is_plain_ascii(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    // The bytes of a piece are compared without a branch between them, so that the compiler takes many at a time.
    text.as_bytes().chunks(64).all(|piece| piece.iter().fold(true, |plain, byte| plain & is_plain(*byte)))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{
        can_start_escaped_char, escape_control_characters, escape_control_characters_of_json, escape_to_one_line,
        is_control_or_invisible, is_line_end,
    };

    #[test]
    fn ordinary_text_is_not_copied() {
        for text in ["", "fn größe() {\n\treturn 1\r\n}\r\n", "名前 🦀 \u{200d} \u{200f}", "a\r"] {
            assert!(matches!(escape_control_characters(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
        assert!(matches!(escape_to_one_line("größe\t1"), Cow::Borrowed(_)));
    }

    #[test]
    fn every_escaped_character_starts_with_a_byte_that_is_looked_for() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let first = c.to_string().as_bytes()[0];
            let is_escaped = is_control_or_invisible(c) || is_line_end(c);
            assert!(!is_escaped || can_start_escaped_char(first), "{c:?}");
            let expected = if is_escaped { c.escape_unicode().to_string() } else { c.to_string() };
            assert_eq!(escape_to_one_line(&format!("a{c}{c}ß")), format!("a{expected}{expected}ß"), "{c:?}");
        }
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        for (text, shown) in [
            ("\u{1b}]52;c;aGk=\u{7}", "\\u{1b}]52;c;aGk=\\u{7}"),
            ("\u{9b}2J\u{85}\u{7f}", "\\u{9b}2J\\u{85}\\u{7f}"),
            ("a\u{202e}b\u{2066}c\u{2069}", "a\\u{202e}b\\u{2066}c\\u{2069}"),
            ("a\rb\r\nc\r", "a\\u{d}b\r\nc\r"),
            ("a\u{200b}\u{feff}\u{e0041}\u{2060}", "a\\u{200b}\\u{feff}\\u{e0041}\\u{2060}"),
            ("\u{c}\u{b}\u{0}\u{8}", "\\u{c}\\u{b}\\u{0}\\u{8}"),
            // They end a line for some readers, and a comment goes on after them.
            ("// a\u{2028}b\u{2029}c\n", "// a\\u{2028}b\\u{2029}c\n"),
        ] {
            assert_eq!(escape_control_characters(text), shown, "{text:?}");
        }
        assert_eq!(escape_to_one_line("a\nb\r\n\u{2028}c\t"), "a\\u{a}b\\u{d}\\u{a}\\u{2028}c\t");
    }

    #[test]
    fn json_means_the_same() {
        assert_eq!(
            escape_control_characters_of_json("{\"a\": \"\u{9b}\u{7f}\u{202e}ß\u{e0041}\"}\n"),
            "{\"a\": \"\\u009b\\u007f\\u202eß\\udb40\\udc41\"}\n"
        );
        assert_eq!(escape_control_characters_of_json("[\"a\u{2028}b\"]"), "[\"a\\u2028b\"]");
        assert!(matches!(escape_control_characters_of_json("{\"a\": \"ß\"}\n"), Cow::Borrowed(_)));
    }
}
