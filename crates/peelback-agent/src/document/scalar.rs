//! Keys and values of YAML on one line: texts written so that every reader reads the same text, and parsed again.

use std::fmt;

use serde_json::Value;

/// A value that was read as YAML and is written again unchanged: a list, a block, an unquoted word. Only parsing
/// creates such a value, so that no text of a program or a model is ever written unquoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsRead(String);

impl AsRead {
    /// A value from the text behind the colon and the lines below that belong to the key; each of these lines begins
    /// with white space or `- `.
    pub(super) fn new<'a>(value: &str, below: impl Iterator<Item = &'a str>) -> Self {
        let mut kept = String::new();
        if !value.is_empty() {
            kept.push(' ');
            kept.push_str(value);
        }
        for line in below {
            kept.push('\n');
            kept.push_str(line);
        }
        Self(kept)
    }

    /// The YAML behind the key's colon.
    pub fn as_str(&self) -> &str {
        self.0.trim_start_matches(' ')
    }
}

impl fmt::Display for AsRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether front matter must not contain a character unescaped: some YAML readers treat it as a line break or refuse
/// it.
pub(super) fn is_unprintable(c: char) -> bool {
    (c.is_control() && c != '\t') || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Any text as a quoted YAML string: the form of JSON, which is also YAML's double-quoted form, with further characters
/// escaped that YAML does not print.
pub(super) fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Whether YAML reads a text as a number that is written the same way.
fn is_number(text: &str) -> bool {
    (1..=15).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'))
}

/// A text as a YAML value: numbers unchanged, other text quoted.
pub(super) fn text(value: &str) -> String {
    if is_number(value) { value.to_owned() } else { quoted(value) }
}

/// A text as a YAML key, quoted where necessary.
pub(super) fn key(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    // The other words of YAML 1.1 for true, false and null have at most two characters.
    let is_word = matches!(name.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "yes" | "off");
    let is_plain = name.len() > 2 && name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain);
    if is_plain && !is_word { name.to_owned() } else { quoted(name) }
}

/// The key of a line, and the text behind its colon.
pub(super) fn parse_key(line: &str) -> Result<(String, &str), String> {
    let colon = || "a key and a colon are missing".to_owned();
    if line.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let key = values.next().and_then(Result::ok).ok_or("its quotes do not fit")?;
        let rest = line.get(values.byte_offset()..).unwrap_or("").trim_start();
        return Ok((key, rest.strip_prefix(':').ok_or_else(colon)?));
    }
    if let Some(inner) = line.strip_prefix('\'') {
        let end = inner.replace("''", "\u{0}\u{0}").find('\'').ok_or("its quotes do not fit")?;
        let rest = inner.get(end + 1..).unwrap_or("").trim_start();
        let key = inner.get(..end).unwrap_or(inner).replace("''", "'");
        return Ok((key, rest.strip_prefix(':').ok_or_else(colon)?));
    }
    let (key, rest) = line.split_once(':').ok_or_else(colon)?;
    let key = key.trim();
    // These characters begin other YAML syntax.
    if key.is_empty()
        || key.starts_with(['?', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '%', '@', '`'])
        || key.starts_with("...")
        || key.contains(" #")
    {
        return Err("it begins with no plain key".to_owned());
    }
    Ok((key.to_owned(), rest))
}

/// The text of an unknown key's value where the value is quoted or plainly text; `None` for other YAML; an error where
/// the quotes do not match.
pub(super) fn as_text(value: &str) -> Option<Result<String, String>> {
    if value.starts_with(['"', '\'']) {
        return Some(unquoted(value));
    }
    // The line `title: One: two` is invalid YAML and means text.
    let is_loose = !value.starts_with(['[', '{']) && (value.contains(": ") || value.ends_with(':'));
    (is_number(value) || is_loose).then(|| Ok(value.to_owned()))
}

/// The string that a scalar on one line represents.
pub(super) fn unquoted(value: &str) -> Result<String, String> {
    if value.starts_with('"') {
        // Only a comment may follow the closing quote.
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<String>();
        let string = values.next().and_then(Result::ok).ok_or("its quotes do not fit")?;
        let rest = value.get(values.byte_offset()..).unwrap_or("").trim();
        return if rest.is_empty() || rest.starts_with('#') {
            Ok(string)
        } else {
            Err("text follows its quotes".to_owned())
        };
    }
    if let Some(inner) = value.strip_prefix('\'') {
        let end = inner.replace("''", "\u{0}\u{0}").find('\'').ok_or("its quotes do not fit")?;
        return Ok(inner.get(..end).unwrap_or(inner).replace("''", "'"));
    }
    if value.starts_with(['{', '[', '&', '*', '!', '@', '`']) {
        return Err("it is no plain text".to_owned());
    }
    Ok(value.find(" #").and_then(|at| value.get(..at)).unwrap_or(value).trim().to_owned())
}
