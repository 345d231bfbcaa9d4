//! Values whose name says that they are secret, in the notations of languages and formats.

use std::ops::Range;

use crate::collections::{ReadCollection, skip_character_section};
use crate::judgement::{NameStrength, Writing, is_secret_value};
use crate::names::secret_name_strength;
use crate::values::{
    CUT, Value, decode_base64, opening_quote_at, read_quoted_value, read_unquoted_value, skip_enclosing_symbol_suffix,
    skip_line_start, skip_spaces, skip_string_prefix,
};

/// The greatest length in bytes of a name, to each side of the word in it.
const MAX_NAME_BYTES: usize = 100;

/// The greatest length in bytes of a type between a name and its value.
const MAX_TYPE_BYTES: usize = 80;

/// Schemes of the header `Authorization`.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "digest", "bot", "key", "authorization:"];

/// Whether a value that stands under a name, as in JSON, is a secret.
pub fn is_secret_value_of_name(name: &str, value: &str) -> bool {
    secret_name_strength(name).is_some_and(|strength| is_secret_value(value, strength, Writing::Quoted))
}

/// Reads values behind names.
pub(crate) struct NamedValueReader<'a> {
    pub(crate) text: &'a str,
    pub(crate) bytes: &'a [u8],
    /// The end of the last name, so that a name with two words is read once.
    done: usize,
    /// The values in brackets that were last read.
    pub(crate) collection: ReadCollection,
    /// The ranges of secrets that were found.
    pub found: Vec<Range<usize>>,
}

impl<'a> NamedValueReader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), done: 0, collection: ReadCollection::default(), found: Vec::new() }
    }

    pub(crate) fn byte_at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b'\n')
    }

    pub(crate) fn begins_with(&self, at: usize, text: &str) -> bool {
        self.bytes.get(at..at + text.len()).is_some_and(|part| part.eq_ignore_ascii_case(text.as_bytes()))
    }

    /// Reads the name around the word at `start..end`, and the value behind it.
    pub fn read_named_value_around_word(&mut self, start: usize, end: usize) {
        if start < self.done {
            return;
        }
        let name = self.range_of_name_around_word(start, end);
        self.done = name.end;
        let Some(text) = self.text.get(name.clone()) else { return };
        let Some(strength) = secret_name_strength(text).or_else(|| self.strength_of_two_word_name(&name, text)) else {
            return;
        };
        // A signature is a secret in an address alone.
        if text.eq_ignore_ascii_case("sig") && !matches!(self.byte_at(name.start.wrapping_sub(1)), b'&' | b'?' | b';') {
            return;
        }
        let before = self.found.len();
        self.record_values_of_collection(&name, text, strength);
        if self.record_value_in_markup(&name, strength) {
            return;
        }
        self.record_value_after_name(&name, text, strength);
        if self.found.len() > before {
            return;
        }
        self.read_value_of_name_value_entry(&name, strength);
    }

    /// What two words of prose say together: `the api key is …`.
    fn strength_of_two_word_name(&self, name: &Range<usize>, text: &str) -> Option<NameStrength> {
        const MAX_WORD_BYTES: usize = 16;
        if !text.eq_ignore_ascii_case("key") || self.byte_at(name.start.wrapping_sub(1)) != b' ' {
            return None;
        }
        let end = name.start - 1;
        let before = self.bytes.get(end.saturating_sub(MAX_WORD_BYTES)..end)?;
        let start = end - before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        secret_name_strength(&format!("{}_key", self.text.get(start..end)?.to_ascii_lowercase()))
            .filter(|strength| *strength > NameStrength::Weak)
    }

    /// The range of the name around a word.
    fn range_of_name_around_word(&self, start: usize, end: usize) -> Range<usize> {
        // Bytes of letters beyond ASCII are parts of names, too.
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte) || *byte >= 0xc3;
        let is_part = |byte: &u8| is_part(byte) || (0x80..0xc0).contains(byte);
        let before = self.bytes.get(start.saturating_sub(MAX_NAME_BYTES).max(self.done)..start).unwrap_or_default();
        let mut first = start - before.iter().rev().take_while(|byte| is_part(byte)).count();
        // The letter of an escaped line break or tab belongs to no name.
        if first > 0
            && first < start
            && self.byte_at(first - 1) == b'\\'
            && matches!(self.byte_at(first), b'n' | b't' | b'r')
        {
            first += 1;
        }
        let after = self.bytes.get(end..).unwrap_or_default();
        let mut last = end + after.iter().take(MAX_NAME_BYTES).take_while(|byte| is_part(byte)).count();
        while last > end && matches!(self.byte_at(last - 1), b'-' | b'.') {
            last -= 1;
        }
        first..last
    }

    fn record_value_after_name(&mut self, name: &Range<usize>, text: &str, strength: NameStrength) {
        let mut at = name.end;
        let closing = opening_quote_at(self.bytes, at);
        if let Some(quote) = closing {
            at += quote.len();
        }
        // `${DB_PASSWORD:-value}`, and the same with one sign.
        if self.byte_at(name.start.wrapping_sub(1)) == b'{' && self.byte_at(at) == b':' {
            let from = at + 1 + usize::from(matches!(self.byte_at(at + 1), b'-' | b'='));
            self.keep_unquoted_value_if_secret(from, strength, Writing::Bare);
            return;
        }
        if self.begins_with(at, "</key>") || self.begins_with(at, "</name>") {
            at += self
                .bytes
                .get(at..)
                .unwrap_or_default()
                .iter()
                .take(10)
                .position(|byte| *byte == b'>')
                .map_or(0, |end| end + 1);
            if matches!(self.byte_at(at), b'\r' | b'\n') {
                at = skip_line_start(self.bytes, at);
            }
            at = skip_spaces(self.bytes, at);
            if self.begins_with(at, "<string>") || self.begins_with(at, "<value>") {
                let end = self.bytes.get(at..).unwrap_or_default().iter().position(|byte| *byte == b'>').unwrap_or(0);
                self.keep_text_before_tag_if_secret(at + end + 1, strength);
            }
            return;
        }
        // Elements of maps, arrays of characters, closed attributes: `env["A"] =`, `char password[] =`.
        while matches!(self.byte_at(at), b']' | b')' | b'*' | b'!') && at < name.end + 8 {
            at += 1;
        }
        if self.byte_at(at) == b'[' {
            let inner = self.bytes.get(at..).unwrap_or_default();
            if let Some(end) = inner.iter().take(16).position(|byte| *byte == b']') {
                at += end + 1;
            }
        }
        let spaces = skip_spaces(self.bytes, at);
        let has_space = spaces > at;
        at = spaces;
        match self.byte_at(at) {
            b'=' => {
                while matches!(self.byte_at(at), b'=' | b'>' | b'~') && at < spaces + 3 {
                    at += 1;
                }
                self.keep_value_if_secret(at, text, strength, Writing::Bare);
            }
            b':' | b'?' | b'+' | b'!' | b'|' if self.is_assignment_sign(at) => {
                let sign = self
                    .bytes
                    .get(at..)
                    .unwrap_or_default()
                    .iter()
                    .take(3)
                    .take_while(|byte| b":?+!|=".contains(byte))
                    .count();
                self.keep_value_if_secret(at + sign, text, strength, Writing::Bare);
            }
            b':' => {
                at += 1;
                if self.byte_at(at) == b':' {
                    at += 1;
                }
                // A type, and then the value.
                if let Some(value) = self.value_start_after_type_annotation(at) {
                    self.keep_value_if_secret(value, text, strength, Writing::Bare);
                    return;
                }
                self.keep_value_if_secret(at, text, strength, Writing::Bare);
            }
            b'(' => self.keep_quoted_value_if_secret(skip_spaces(self.bytes, at + 1), text, strength),
            b',' => {
                let mut next = skip_spaces(self.bytes, at + 1);
                if matches!(self.byte_at(next), b'\r' | b'\n') {
                    next = skip_line_start(self.bytes, next);
                }
                // `"password", "…"`, and an atom and a string in a pair.
                let is_atom = self.byte_at(name.start.wrapping_sub(1)) == b':'
                    && self.byte_at(name.start.wrapping_sub(2)) != b':';
                if closing.is_some() || is_atom {
                    self.keep_quoted_value_if_secret(next, text, strength);
                    if self.begins_with(next, "default") {
                        let sign = skip_spaces(self.bytes, next + "default".len());
                        self.keep_quoted_value_if_secret(skip_spaces(self.bytes, sign + 1), text, strength);
                    }
                }
            }
            b'{' => self.read_behind_brace(at, text, strength),
            b'>' => self.keep_text_before_tag_if_secret(at + 1, strength),
            b'&' if self.begins_with(at, "&gt;") => self.keep_text_before_tag_if_secret(at + 4, strength),
            b'<' if has_space && self.begins_with(at, "<- ") => {
                self.keep_value_if_secret(at + 3, text, strength, Writing::Bare)
            }
            b'-' if has_space && self.begins_with(at, "-> ") => {
                self.keep_value_if_secret(at + 3, text, strength, Writing::Bare)
            }
            _ if has_space => self.read_value_after_name_and_space(name, at, text, strength),
            _ => {}
        }
    }

    /// Reads a value behind a name and a brace: `kApiKey{"…"}` of C++, `ApiKey { get; set; } = "…"` of C#.
    fn read_behind_brace(&mut self, at: usize, text: &str, strength: NameStrength) {
        const MAX_ACCESSORS_BYTES: usize = 60;
        if opening_quote_at(self.bytes, at + 1).is_some() {
            self.keep_quoted_value_if_secret(at + 1, text, strength);
            return;
        }
        let rest = self.bytes.get(at + 1..).unwrap_or_default();
        let is_accessor = |byte: &&u8| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b';');
        let length = rest.iter().take(MAX_ACCESSORS_BYTES).take_while(is_accessor).count();
        let sign = skip_spaces(self.bytes, at + 1 + length + 1);
        if length > 0 && rest.get(length) == Some(&b'}') && self.byte_at(sign) == b'=' {
            self.keep_value_if_secret(sign + 1, text, strength, Writing::Bare);
        }
    }

    fn is_assignment_sign(&self, at: usize) -> bool {
        let next = self.byte_at(at + 1);
        match self.byte_at(at) {
            b':' | b'+' | b'!' => next == b'=',
            b'?' => next == b'=' || next == b'?',
            _ => next == b'|',
        }
    }

    /// The place of the value behind a type: `: &'static str = "…"`.
    fn value_start_after_type_annotation(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        // A semicolon is part of a type in brackets alone: `[u8; 32]`.
        let mut brackets = 0_usize;
        let mut is_type = |byte: &u8| {
            brackets = match byte {
                b'[' => brackets + 1,
                b']' => brackets.saturating_sub(1),
                _ => brackets,
            };
            byte.is_ascii_alphanumeric() || b"_<>[]&'|?.:, *()".contains(byte) || *byte == b';' && brackets > 0
        };
        let length = rest.iter().take(MAX_TYPE_BYTES).take_while(|byte| is_type(byte)).count();
        let type_text = rest.get(..length)?;
        let is_one = rest.get(length) == Some(&b'=')
            && !matches!(rest.get(length + 1), Some(b'=' | b'>'))
            && type_text.iter().any(u8::is_ascii_alphabetic)
            && type_text.last() == Some(&b' ');
        is_one.then_some(at + length + 1)
    }

    /// What stands behind a name and a space: a type of Go, a quoted value, the argument of a flag, prose.
    fn read_value_after_name_and_space(&mut self, name: &Range<usize>, at: usize, text: &str, strength: NameStrength) {
        for (word, signs) in [("is", " :="), ("are", " :"), ("was", " :"), ("to", " "), ("or", " "), ("by", " ")] {
            if self.begins_with(at, word) && signs.as_bytes().contains(&self.byte_at(at + word.len())) {
                let value = skip_spaces(self.bytes, at + word.len() + 1);
                if opening_quote_at(self.bytes, value).is_some() {
                    self.keep_quoted_value_if_secret(value, text, strength);
                } else {
                    self.keep_unquoted_value_if_secret(value, strength, Writing::Loose);
                }
                return;
            }
        }
        if let Some(value) = self.value_start_behind_owner(at) {
            self.keep_unquoted_value_if_secret(value, strength, Writing::Loose);
            return;
        }
        let value = skip_string_prefix(self.bytes, at);
        if opening_quote_at(self.bytes, value).is_some() {
            self.keep_quoted_value_if_secret(value, text, strength);
            return;
        }
        // `const apiToken string = "…"`.
        if let Some(value) = self.value_start_after_type_annotation(at) {
            self.keep_value_if_secret(value, text, strength, Writing::Bare);
            return;
        }
        let is_flag =
            self.byte_at(name.start.wrapping_sub(1)) == b'-' || text.starts_with("--") || text.starts_with('-');
        let writing = if is_flag { Writing::Bare } else { Writing::Loose };
        self.keep_unquoted_value_if_secret(at, strength, writing);
    }

    /// The place of the value in prose that says whose the secret is: `password of the database to …`, `key for CI is …`.
    fn value_start_behind_owner(&self, at: usize) -> Option<usize> {
        const MAX_OWNER_BYTES: usize = 80;
        if !self.begins_with(at, "of ") && !self.begins_with(at, "for ") {
            return None;
        }
        let rest = self.bytes.get(at..)?;
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b" '-_.".contains(byte);
        let length = rest.iter().take(MAX_OWNER_BYTES).take_while(is_word).count();
        let owner = rest.get(..length)?;
        let end = [&b" is "[..], b" to "].into_iter().filter_map(|word| memchr::memmem::find(owner, word)).min()?;
        Some(skip_spaces(self.bytes, at + end + 4))
    }

    /// Keeps the value at `at`, in quotes or bare, if it is a secret.
    pub(crate) fn keep_value_if_secret(&mut self, at: usize, name: &str, strength: NameStrength, bare: Writing) {
        let mut at = self.skip_yaml_tag(skip_spaces(self.bytes, at));
        // A block of YAML, a value that is continued on the next line, and brackets around a string.
        let is_block = matches!(self.byte_at(at), b'|' | b'>' | b'\\' | b'(' | b'[' | b'{');
        if is_block {
            let sign = at;
            at += 1;
            if matches!(self.byte_at(at), b'-' | b'+') {
                at += 1;
            }
            at = skip_spaces(self.bytes, skip_enclosing_symbol_suffix(self.bytes, skip_spaces(self.bytes, at)));
            if matches!(self.byte_at(at), b'\r' | b'\n') {
                at = skip_line_start(self.bytes, at);
            } else if self.byte_at(sign) == b'\\' {
                at = sign;
            }
        } else if matches!(self.byte_at(at), b'\r' | b'\n') && self.byte_at(at.wrapping_sub(1)) != b':' {
            // A string alone on the line below an assignment.
            let next = skip_string_prefix(self.bytes, skip_line_start(self.bytes, at));
            if opening_quote_at(self.bytes, next).is_some() {
                at = next;
            }
        }
        let string = self.string_start_inside_calls(at);
        if opening_quote_at(self.bytes, string).is_some() {
            let before = self.found.len();
            self.keep_quoted_value_if_secret(string, name, strength);
            // The default behind the name of a setting: `read("a.name", "…")`.
            if self.found.len() == before
                && string > skip_string_prefix(self.bytes, at)
                && let Some(end) =
                    read_quoted_value(self.bytes, string).and_then(|value| value.parts.last().map(|part| part.end))
                && self.byte_at(end + 1) == b','
            {
                self.keep_quoted_value_if_secret(skip_spaces(self.bytes, end + 2), name, strength);
            }
            return;
        }
        // A word alone on the line below its key in YAML.
        if matches!(self.byte_at(at), b'\r' | b'\n') && self.byte_at(at.wrapping_sub(1)) == b':' {
            let next = skip_line_start(self.bytes, at);
            let rest = self.bytes.get(next..).unwrap_or_default();
            let word = rest.iter().take(256).take_while(|byte| byte.is_ascii_graphic()).count();
            let end = skip_enclosing_symbol_suffix(self.bytes, skip_spaces(self.bytes, next + word));
            if matches!(self.byte_at(end), b'\r' | b'\n') && !rest.get(..word).unwrap_or_default().ends_with(b":") {
                self.keep_unquoted_value_if_secret(next, strength, Writing::Bare);
            }
            return;
        }
        // What a shell prints is a value.
        let at = if self.begins_with(at, "$(echo ") { skip_spaces(self.bytes, at + 7) } else { at };
        let at = self.skip_authorization_scheme(at).unwrap_or(at);
        if bare == Writing::Bare && self.keep_rest_of_line_if_secret(at, strength) {
            return;
        }
        self.keep_unquoted_value_if_secret(at, strength, bare);
    }

    /// Keeps the rest of the line, if it is one word and a secret, and returns whether it is: a line of settings ends its
    /// value by nothing else, so any sign can stand in it.
    pub(crate) fn keep_rest_of_line_if_secret(&mut self, at: usize, strength: NameStrength) -> bool {
        const MAX_WORD_BYTES: usize = 256;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = rest.iter().take(MAX_WORD_BYTES).take_while(|byte| byte.is_ascii_graphic()).count();
        let end = skip_enclosing_symbol_suffix(self.bytes, skip_spaces(self.bytes, at + length));
        if length == 0 || length == MAX_WORD_BYTES || !matches!(self.byte_at(end), b'\r' | b'\n' | b'#') {
            return false;
        }
        let bare = read_unquoted_value(self.bytes, at).and_then(|value| value.parts.first().map(Range::len));
        let after = rest.get(bare.unwrap_or(0)..length).unwrap_or_default();
        let is_whole = after.is_empty();
        // What closes around a value is no part of it, and an escape ends a line.
        let holds = |quote: &[u8]| memchr::memmem::find(rest.get(..length).unwrap_or_default(), quote).is_some();
        if holds(b"(\"") || holds(b"('") {
            return false;
        }
        let has_escape =
            || [&b"\\n"[..], b"\\r", b"\\u"].iter().any(|sign| memchr::memmem::find(after, sign).is_some());
        if !is_whole && (after.iter().all(|byte| b"\"'`)]};,><|&\\".contains(byte)) || has_escape()) {
            return false;
        }
        let is_environment = self.byte_at(at.wrapping_sub(1)) == b'='
            && matches!(self.byte_at(at.wrapping_sub(2)), b'A'..=b'Z' | b'0'..=b'9' | b'_');
        let has_digits = || rest.get(..length).is_some_and(|word| word.iter().any(u8::is_ascii_digit));
        if !is_environment && (is_whole || !has_digits()) {
            return false;
        }
        // Nothing but a value stands behind a variable of an environment.
        let writing = if is_environment { Writing::Quoted } else { Writing::Bare };
        let before = self.found.len();
        self.keep_if_secret(
            &Value { parts: std::iter::once(at..at + length).collect(), writing, is_closed: true },
            strength,
        );
        self.found.len() > before
    }

    /// The place of a string in calls and conversions around it: `SecretStr("…")`, `String::from("…")`, `[]byte_at("…")`.
    fn string_start_inside_calls(&self, at: usize) -> usize {
        const MAX_CALL_BYTES: usize = 60;
        let direct = skip_string_prefix(self.bytes, at);
        if opening_quote_at(self.bytes, direct).is_some() {
            return direct;
        }
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:[]*&<> ".contains(byte);
        let mut end = at;
        for _ in 0..3 {
            let rest = self.bytes.get(end..).unwrap_or_default();
            let length = rest.iter().take(MAX_CALL_BYTES).take_while(|byte| is_part(byte)).count();
            if rest.get(length) != Some(&b'(') {
                break;
            }
            end += length + 1;
            let string = skip_string_prefix(self.bytes, skip_spaces(self.bytes, end));
            if opening_quote_at(self.bytes, string).is_some() {
                return string;
            }
        }
        // `x.get() || "…"`, `A ?? "…"`, `b or "…"`.
        let rest = self.bytes.get(at..).unwrap_or_default();
        let line = rest.iter().take(120).position(|byte| *byte == b'\n').unwrap_or(rest.len().min(120));
        let line = rest.get(..line).unwrap_or_default();
        // `… if x else "…"`, `x ? y : "…"`, too.
        for sign in [&b" || "[..], b" ?? ", b" or ", b" ?: ", b" else ", b" : "] {
            if let Some(place) = memchr::memmem::find(line, sign) {
                let string = skip_string_prefix(self.bytes, at + place + sign.len());
                if opening_quote_at(self.bytes, string).is_some() {
                    return string;
                }
            }
        }
        at
    }

    /// Keeps the value in quotes at `at`, if it is a secret.
    pub(crate) fn keep_quoted_value_if_secret(&mut self, at: usize, name: &str, strength: NameStrength) {
        let at = self.string_start_inside_calls(at);
        let Some(mut value) = read_quoted_value(self.bytes, at) else { return };
        if let Some(first) = value.parts.first_mut() {
            // The brackets in `R"(…)"` of C++ are part of the quotes.
            if self.byte_at(at.wrapping_sub(1)) == b'R'
                && self.byte_at(first.start) == b'('
                && self.byte_at(first.end.wrapping_sub(1)) == b')'
                && first.len() > 2
            {
                *first = first.start + 1..first.end - 1;
            }
            // `"Authorization": "Bearer …"`.
            if let Some(behind) = self.skip_authorization_scheme(first.start).filter(|behind| *behind < first.end) {
                first.start = behind;
            }
        }
        // A value that is cut by an excerpt is a secret as the whole one is.
        if !value.is_closed
            && let Some(last) = value.parts.last_mut()
            && let Some(cut) = self.text.get(last.clone()).and_then(|text| text.find(CUT))
        {
            last.end = last.start + cut;
        }
        if name.is_empty() {
            return;
        }
        self.keep_if_secret(&value, strength);
    }

    /// Keeps the text up to the next tag, if it is a secret.
    pub(crate) fn keep_text_before_tag_if_secret(&mut self, at: usize, strength: NameStrength) {
        let at = if matches!(self.byte_at(at), b'\r' | b'\n') {
            skip_line_start(self.bytes, at)
        } else {
            skip_spaces(self.bytes, at)
        };
        if let Some(section) = skip_character_section(self.bytes, at) {
            let parts = std::iter::once(section).collect();
            self.keep_if_secret(&Value { parts, writing: Writing::Quoted, is_closed: true }, strength);
            return;
        }
        let rest = self.bytes.get(at..).unwrap_or_default();
        let Some(length) = rest.iter().take(4096).position(|byte| matches!(byte, b'<' | b'\n' | b'\r')) else { return };
        let is_tag = rest.get(length) == Some(&b'<');
        let text = self.text.get(at..at + length).unwrap_or("");
        let length = text.trim_end().len();
        let writing = if is_tag { Writing::Quoted } else { Writing::Loose };
        self.keep_if_secret(
            &Value { parts: std::iter::once(at..at + length).collect(), writing, is_closed: true },
            strength,
        );
    }

    /// Keeps the value without quotes at `at`, if it is a secret.
    pub(crate) fn keep_unquoted_value_if_secret(&mut self, at: usize, strength: NameStrength, writing: Writing) {
        let at = self.skip_authorization_scheme(at).unwrap_or(at);
        let Some(value) = read_unquoted_value(self.bytes, at) else { return };
        self.keep_if_secret(&Value { writing, ..value }, strength);
    }

    /// The place behind the scheme of a header: `Bearer …`, `basic …`.
    fn skip_authorization_scheme(&self, at: usize) -> Option<usize> {
        let mut end = at;
        while let Some(scheme) = SCHEMES.iter().find(|scheme| {
            self.begins_with(end, scheme) && matches!(self.byte_at(end + scheme.len()), b' ' | b'\t' | b':')
        }) {
            end = skip_spaces(self.bytes, end + scheme.len() + 1);
            if end > at + 60 {
                break;
            }
        }
        (end > at).then_some(end)
    }

    pub(crate) fn keep_if_secret(&mut self, value: &Value, strength: NameStrength) {
        let joined: String = value.parts.iter().filter_map(|part| self.text.get(part.clone())).collect();
        let writing = if value.is_closed { value.writing } else { Writing::Loose };
        // Joined by a program, the parts are one secret, and each is masked.
        if is_secret_value(&joined, strength, writing) || is_basic_credential(&joined, strength) {
            self.found.extend(value.parts.iter().filter(|part| !part.is_empty()).cloned());
        }
    }
}

/// Whether a value is a user and a password as the header `Authorization: Basic` and registries write them: base64 of
/// both with a colon between them.
fn is_basic_credential(value: &str, strength: NameStrength) -> bool {
    strength == NameStrength::Strong
        && (12..=512).contains(&value.len())
        && decode_base64(value).is_some_and(|decoded| {
            let is_text = decoded.chars().all(|c| c.is_ascii_graphic());
            let parts = decoded.split_once(':');
            is_text
                && parts.is_some_and(|(_, password)| is_secret_value(password, NameStrength::Password, Writing::Quoted))
        })
}
