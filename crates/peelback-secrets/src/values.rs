//! The values that stand behind a name: in quotes of all languages, bare, between tags.

use std::ops::Range;

use crate::judgement::Writing;

/// The greatest length in bytes of a value that is read. Keys in one line have some three thousand.
const MAX_VALUE_BYTES: usize = 16 << 10;

/// The greatest length in bytes of a value in quotes of prose. A text can open these again and again without closing any.
const MAX_PROSE_BYTES: usize = 512;

/// The greatest length in bytes of a value without quotes that is no base64.
const MAX_BARE_BYTES: usize = 512;

/// What an excerpt writes where a value is cut.
pub(crate) const CUT: &str = "\u{2026}";

/// A value: its parts, which are more than one where strings are joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub parts: Vec<Range<usize>>,
    pub writing: Writing,
    /// Whether the closing quote was found.
    pub is_closed: bool,
}

/// A quote as it is written: `"`, `\"`, `"""`, `&quot;`.
pub(crate) fn opening_quote_at(bytes: &[u8], at: usize) -> Option<&'static [u8]> {
    const QUOTES: &[&[u8]] = &[
        br#"\\\""#,
        b"\\\"",
        b"\\'",
        b"\"\"\"",
        b"'''",
        b"\"",
        b"'",
        b"`",
        b"&quot;",
        b"&#39;",
        "\u{201c}".as_bytes(),
        "\u{2018}".as_bytes(),
    ];
    let rest = bytes.get(at..)?;
    QUOTES.iter().copied().find(|quote| rest.starts_with(quote))
}

fn closing_quote(quote: &'static [u8]) -> &'static [u8] {
    match quote {
        quote if quote == "\u{201c}".as_bytes() => "\u{201d}".as_bytes(),
        quote if quote == "\u{2018}".as_bytes() => "\u{2019}".as_bytes(),
        quote => quote,
    }
}

/// The value in quotes that begins at `at`, with the strings that are joined to it.
pub(crate) fn read_quoted_value(bytes: &[u8], at: usize) -> Option<Value> {
    let (first, mut end, is_closed) = read_single_quoted_string(bytes, at)?;
    let mut parts = vec![first];
    const MAX_PARTS: usize = 6;
    while is_closed && parts.len() < MAX_PARTS {
        let Some(next) = next_concatenated_string_start(bytes, end) else { break };
        let Some((part, after, _)) = read_single_quoted_string(bytes, next) else { break };
        parts.push(part);
        end = after;
    }
    Some(Value { parts, writing: Writing::Quoted, is_closed })
}

/// Where a string begins that is joined to the one that ends at `end`: `"a" + "b"`, `"a" . "b"`, `"a"` and `"b"` on the
/// next line.
fn next_concatenated_string_start(bytes: &[u8], end: usize) -> Option<usize> {
    let mut at = skip_spaces(bytes, end);
    let mut joins = false;
    if matches!(bytes.get(at), Some(b'+' | b'.' | b'&' | b'~' | b'\\')) {
        joins = true;
        at = skip_spaces(bytes, at + 1);
    }
    if matches!(bytes.get(at), Some(b'\r' | b'\n')) {
        at = skip_line_start(bytes, at);
        if matches!(bytes.get(at), Some(b'+' | b'.' | b'&')) {
            joins = true;
            at = skip_spaces(bytes, at + 1);
        }
    }
    let at = skip_string_prefix(bytes, at);
    let quote = opening_quote_at(bytes, at)?;
    // A string on the same line, without anything between, is joined in C and Python; a list has commas.
    let is_plain = matches!(quote, b"\"" | b"'" | b"\\\"")
        && bytes.get(at + quote.len()).is_some_and(|byte| !b",)]};: \r\n".contains(byte));
    (joins || is_plain && at > end).then_some(at)
}

fn read_single_quoted_string(bytes: &[u8], at: usize) -> Option<(Range<usize>, usize, bool)> {
    let quote = opening_quote_at(bytes, at)?;
    let close = closing_quote(quote);
    let mut start = at + quote.len();
    if quote.len() == 3 {
        // The text of a long string can begin on the next line.
        if bytes.get(start) == Some(&b'\\') {
            start += 1;
        }
        if matches!(bytes.get(start), Some(b'\r' | b'\n')) {
            start = skip_line_start(bytes, start);
        }
    }
    let mut end = start;
    let longest = if close == quote { MAX_VALUE_BYTES } else { MAX_PROSE_BYTES };
    let limit = (start + longest).min(bytes.len());
    while end < limit {
        let rest = bytes.get(end..).unwrap_or_default();
        if rest.starts_with(close) {
            return Some((start..end, end + close.len(), true));
        }
        match rest.first() {
            Some(b'\r' | b'\n') => break,
            // An escaped text inside of another: its quotes are escaped, and it ends with the outer string.
            Some(b'\\') if quote.first() != Some(&b'\\') => {
                // A line break in JSON ends a line of the text that is inside, not the string.
                end += 2;
            }
            Some(b'"') if quote.first() == Some(&b'\\') => return Some((start..end, end, true)),
            _ => end += 1,
        }
    }
    Some((start..end.min(limit), end.min(limit), false))
}

/// Skips the letters that stand before a string's quotes in many languages: `b"`, `r#"`, `u8"`, `@"`, `$"`.
pub(crate) fn skip_string_prefix(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let letters = rest.iter().take(3).take_while(|byte| b"bBrRuUfFlLcCsSN8@$#".contains(byte)).count();
    let hashes = rest.iter().skip(letters).take(3).take_while(|byte| **byte == b'#').count();
    let after = at + letters + hashes;
    if opening_quote_at(bytes, after).is_some() { after } else { at }
}

/// The value without quotes that begins at `at`.
pub(crate) fn read_unquoted_value(bytes: &[u8], at: usize) -> Option<Value> {
    let rest = bytes.get(at..)?;
    let is_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
    let base64 = rest.iter().take(MAX_VALUE_BYTES).take_while(is_base64).count();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>".contains(byte);
    let rest_limit = rest.len().min(base64.saturating_add(MAX_BARE_BYTES));
    let mut length = base64;
    while length < rest_limit {
        let byte = rest.get(length).copied().unwrap_or(b' ');
        let tail = rest.get(length + 1..).unwrap_or_default();
        if is_end(&byte) || rest.get(length..).is_some_and(|rest| rest.starts_with(CUT.as_bytes())) {
            break;
        }
        match byte {
            // Line breaks that are written as such.
            b'\\'
                if matches!(
                    tail.first(),
                    Some(b'n' | b'r' | b't' | b'u' | b'"' | b'\'' | b'\\' | b'\r' | b'\n') | None
                ) =>
            {
                break;
            }
            b'&' | b';' | b',' | b'|' if is_end_of_value(tail) => break,
            b'}' | b')' | b']'
                if tail.iter().take(64).take_while(|byte| !is_end(byte)).all(u8::is_ascii_punctuation) =>
            {
                break;
            }
            _ => length += 1,
        }
    }
    (length > 0).then_some(Value {
        parts: std::iter::once(at..at + length).collect(),
        writing: Writing::Bare,
        is_closed: true,
    })
}

/// Whether what follows a separator is the end of a line or another setting: `;Encrypt=true`, `&user=ann`.
fn is_end_of_value(tail: &[u8]) -> bool {
    let name = tail.iter().take(48).take_while(|byte| byte.is_ascii_alphanumeric() || b"_.- ".contains(byte)).count();
    if tail.get(name..).is_some_and(|rest| rest.starts_with(CUT.as_bytes())) {
        return true;
    }
    if tail.first().is_none_or(u8::is_ascii_whitespace) {
        return true;
    }
    match tail.get(name) {
        None => true,
        Some(byte) => {
            byte.is_ascii_whitespace() && name == 0 || b"\"'`".contains(byte) || name > 0 && matches!(byte, b'=' | b':')
        }
    }
}

/// Skips spaces and tabs, at most as many as an alignment has.
pub(crate) fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    at + bytes.get(at..).unwrap_or_default().iter().take(80).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Skips what an answer puts behind a line: `  [in signing.secret_key]`.
pub(crate) fn skip_enclosing_symbol_suffix(bytes: &[u8], at: usize) -> usize {
    const MAX_OWNER_BYTES: usize = 200;
    let rest = bytes.get(at..).unwrap_or_default();
    if !rest.starts_with(b"[in ") {
        return at;
    }
    let end = rest.iter().take(MAX_OWNER_BYTES).position(|byte| matches!(byte, b']' | b'\n'));
    end.filter(|end| rest.get(*end) == Some(&b']')).map_or(at, |end| at + end + 1)
}

/// Skips a line break, and what an excerpt or a diff puts before the next line, and its indentation.
pub(crate) fn skip_line_start(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    if bytes.get(at) == Some(&b'\r') {
        at += 1;
    }
    if bytes.get(at) == Some(&b'\n') {
        at += 1;
    }
    at = skip_spaces(bytes, at);
    // An excerpt of an excerpt has two numbers.
    at = skip_line_number(bytes, at);
    at = skip_line_number(bytes, at);
    if matches!(bytes.get(at), Some(b'+' | b'-')) && matches!(bytes.get(at + 1), Some(b' ' | b'\t')) {
        at = skip_spaces(bytes, at + 1);
    }
    at
}

/// Skips the number that an excerpt puts before a line: `12: `, `12- `, `12 `, `src/a.yml:12:`.
fn skip_line_number(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let path = rest.iter().take(120).take_while(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(byte)).count();
    let digits = |from: usize| rest.iter().skip(from).take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let from = if rest.get(path) == Some(&b':') && digits(path + 1) > 0 { path + 1 } else { 0 };
    let number = digits(from);
    if number > 0 && matches!(rest.get(from + number), Some(b':' | b'-' | b'|' | b' ' | b'\t')) {
        return skip_spaces(bytes, at + from + number + 1);
    }
    at
}

/// The text that base64 stands for, with the replacement character for what is no text; `None` where it is no base64.
pub(crate) fn decode_base64(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(six)) & 0xFF_FFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xFF).unwrap_or(0));
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}
