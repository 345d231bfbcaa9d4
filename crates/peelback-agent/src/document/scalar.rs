//! Parsing and formatting of YAML keys and values on one line. Every YAML reader reads a formatted value as the same
//! text.

use std::fmt;

use serde_json::Value;

/// A YAML value that was parsed from a document and is written back unchanged: a list, a block or an unquoted word.
/// Only parsing creates such a value, so that text from a program or a model is always quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnchangedYamlValue(String);

impl UnchangedYamlValue {
    /// Creates the value from the text after the key's colon and from the following lines that belong to the key. Each
    /// of these lines begins with white space or `- `.
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

    /// The value as the YAML text after the key's colon.
    pub fn as_str(&self) -> &str {
        self.0.trim_start_matches(' ')
    }
}

impl fmt::Display for UnchangedYamlValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a character must be escaped in YAML front matter, because some YAML readers treat the character as a line
/// break or reject it.
pub(super) fn is_char_escaped_in_yaml(c: char) -> bool {
    (c.is_control() && c != '\t') || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Formats any text as a double-quoted YAML string. The string uses JSON syntax, which is valid YAML, and also escapes
/// the characters that YAML does not allow in unescaped form.
pub(super) fn quote_yaml_string(text: &str) -> String {
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

/// Whether a text is an integer that YAML readers read, and write back in the same form.
fn is_round_trip_yaml_integer(text: &str) -> bool {
    (1..=15).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'))
}

/// Formats a text as a YAML value. An integer stays unchanged; all other text is quoted.
pub(super) fn format_yaml_integer_or_string(value: &str) -> String {
    if is_round_trip_yaml_integer(value) { value.to_owned() } else { quote_yaml_string(value) }
}

/// Formats a text as a YAML key, with quotes where necessary.
pub(super) fn format_yaml_key(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    // The other YAML 1.1 words for true, false and null have at most two characters, and keys of at most two characters
    // are always quoted.
    let is_word = matches!(name.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "yes" | "off");
    let is_plain = name.len() > 2 && name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain);
    if is_plain && !is_word { name.to_owned() } else { quote_yaml_string(name) }
}

/// Splits a line of YAML into its key and the text after the key's colon.
pub(super) fn split_yaml_key_from_value(line: &str) -> Result<(String, &str), String> {
    let colon = || "a key and a colon are missing".to_owned();
    if line.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let key = values.next().and_then(Result::ok).ok_or("a quotation mark is missing")?;
        let rest = line.get(values.byte_offset()..).unwrap_or("").trim_start();
        return Ok((key, rest.strip_prefix(':').ok_or_else(colon)?));
    }
    if let Some(inner) = line.strip_prefix('\'') {
        let end = inner.replace("''", "\u{0}\u{0}").find('\'').ok_or("a quotation mark is missing")?;
        let rest = inner.get(end + 1..).unwrap_or("").trim_start();
        let key = inner.get(..end).unwrap_or(inner).replace("''", "'");
        return Ok((key, rest.strip_prefix(':').ok_or_else(colon)?));
    }
    let (key, rest) = line.split_once(':').ok_or_else(colon)?;
    let key = key.trim();
    // An unquoted key must not begin with a character that starts other YAML syntax.
    if key.is_empty()
        || key.starts_with(['?', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '%', '@', '`'])
        || key.starts_with("...")
        || key.contains(" #")
    {
        return Err("it does not begin with a plain key".to_owned());
    }
    Ok((key.to_owned(), rest))
}

/// The text of an unknown front matter key's value, if the value is quoted or is clearly plain text. The result is
/// `None` for other YAML, and an error if the quotes do not match.
pub(super) fn text_of_unambiguous_yaml_value(value: &str) -> Option<Result<String, String>> {
    if value.starts_with(['"', '\'']) {
        return Some(parse_yaml_scalar(value));
    }
    // The line `title: One: two` is invalid YAML, but its author meant the text `One: two`.
    let is_loose = !value.starts_with(['[', '{']) && (value.contains(": ") || value.ends_with(':'));
    (is_round_trip_yaml_integer(value) || is_loose).then(|| Ok(value.to_owned()))
}

/// Parses a quoted or unquoted YAML scalar on one line into its string.
pub(super) fn parse_yaml_scalar(value: &str) -> Result<String, String> {
    if value.starts_with('"') {
        // After the closing quote of a value, only a YAML comment is allowed.
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<String>();
        let string = values.next().and_then(Result::ok).ok_or("a quotation mark is missing")?;
        let rest = value.get(values.byte_offset()..).unwrap_or("").trim();
        return if rest.is_empty() || rest.starts_with('#') {
            Ok(string)
        } else {
            Err("text follows the closing quote".to_owned())
        };
    }
    if let Some(inner) = value.strip_prefix('\'') {
        let end = inner.replace("''", "\u{0}\u{0}").find('\'').ok_or("a quotation mark is missing")?;
        return Ok(inner.get(..end).unwrap_or(inner).replace("''", "'"));
    }
    if value.starts_with(['{', '[', '&', '*', '!', '@', '`']) {
        return Err("it is not plain text".to_owned());
    }
    Ok(value.find(" #").and_then(|at| value.get(..at)).unwrap_or(value).trim().to_owned())
}
