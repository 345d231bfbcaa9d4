//! Values of which one name says what all are: lists and maps under a plural name, and elements and tables of markup.

use std::ops::Range;

use crate::judgement::{NameStrength, Writing};
use crate::named_values::NamedValueReader;
use crate::values::{
    Value, opening_quote_at, read_quoted_value, read_unquoted_value, skip_line_start, skip_spaces, skip_string_prefix,
};

/// How far a collection is read, in bytes and in values.
const MAX_COLLECTION_BYTES: usize = 2_000;
const MAX_VALUES: usize = 50;

/// Last letters of the names of collections.
const PLURALS: &[&str] = &["passwords", "tokens", "secrets", "keys", "credentials", "passphrases", "pwds"];

/// Values in brackets that were read: what stands in brackets among them was judged as one of them.
#[derive(Default)]
pub(crate) struct ReadCollection {
    end: usize,
    /// The strength of their name; `None` where nothing was read.
    strength: Option<NameStrength>,
    /// Where brackets open among them that need no other reading. Others stand in what was taken for a string, or their
    /// values were too far away.
    brackets: Vec<usize>,
    /// How often brackets up to the end were read again.
    repeats: u8,
}

impl ReadCollection {
    /// The most times that a place is read again, so that brackets within brackets take no longer than others.
    const MAX_REPEATS: u8 = 4;

    /// Whether the brackets that open at `at`, behind a name of this strength, are to be read.
    fn needs_reading(&self, at: usize, strength: NameStrength) -> bool {
        at >= self.end
            || Some(strength) > self.strength
            || self.repeats < Self::MAX_REPEATS && !self.brackets.contains(&at)
    }

    fn add_reading(&mut self, at: usize, end: usize, strength: NameStrength, mut brackets: Vec<usize>) {
        let is_repeat = at < self.end && Some(strength) <= self.strength;
        if is_repeat {
            brackets.append(&mut self.brackets);
        }
        let repeats = if is_repeat { self.repeats + 1 } else { 0 };
        let (end, strength) = if is_repeat { (end.max(self.end), self.strength) } else { (end, Some(strength)) };
        *self = Self { end, strength, brackets, repeats };
    }
}

impl NamedValueReader<'_> {
    /// Records the values of a list or map whose name is a plural.
    pub(crate) fn record_values_of_collection(&mut self, name: &Range<usize>, text: &str, strength: NameStrength) {
        let lowercase = text.to_ascii_lowercase();
        if strength == NameStrength::Weak || !PLURALS.iter().any(|plural| lowercase.ends_with(plural)) {
            return;
        }
        let mut at = name.end;
        if let Some(quote) = opening_quote_at(self.bytes, at) {
            at += quote.len();
        }
        at = skip_spaces(self.bytes, at);
        let sign =
            self.bytes.get(at..).unwrap_or_default().iter().take(3).take_while(|byte| b":=>".contains(byte)).count();
        if sign == 0 {
            return;
        }
        at = skip_spaces(self.bytes, at + sign);
        match self.byte_at(at) {
            b'[' | b'{' | b'(' if self.collection.needs_reading(at, strength) => {
                let (end, brackets) = self.record_values_in_brackets(at, strength);
                self.collection.add_reading(at, end, strength, brackets);
            }
            b'\r' | b'\n' => self.record_values_of_lines(name.start, at, strength),
            _ => {}
        }
    }

    /// Records the strings in the brackets that begin at `at`, without the keys of a map, and returns the place up to which
    /// they were read, and where brackets open in that need no other reading.
    fn record_values_in_brackets(&mut self, at: usize, strength: NameStrength) -> (usize, Vec<usize>) {
        let limit = (at + MAX_COLLECTION_BYTES).min(self.bytes.len());
        let (mut next, mut values) = (at, 0);
        // Where brackets open that have not closed yet, and how many values stood before.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut closed = Vec::new();
        while next < limit && values < MAX_VALUES {
            if opening_quote_at(self.bytes, next).is_some() {
                let Some(value) = read_quoted_value(self.bytes, next) else { break };
                let end = value.parts.last().map_or(next, |part| part.end) + 1;
                let is_key = matches!(self.byte_at(skip_spaces(self.bytes, end)), b':')
                    || self.begins_with(skip_spaces(self.bytes, end), "=>");
                if !is_key {
                    self.keep_item_if_secret(&value, strength);
                    values += 1;
                }
                next = end.max(next + 1);
                continue;
            }
            match self.byte_at(next) {
                b'[' | b'{' | b'(' => open.push((next, values)),
                b']' | b'}' | b')' => {
                    closed.extend(open.pop().map(|(start, _)| start));
                    if open.is_empty() {
                        break;
                    }
                }
                _ => {}
            }
            next += 1;
        }
        // Of brackets that do not close before the end those are done of which at least half of what is read was read.
        let is_done = |(start, before): &&(usize, usize)| {
            next - start >= MAX_COLLECTION_BYTES / 2 || values - before >= MAX_VALUES / 2
        };
        closed.extend(open.iter().filter(is_done).map(|(start, _)| start));
        (next, closed)
    }

    /// Keeps an item of a collection, if it is a secret. Tokens of a grammar have the same name as those of a service, which
    /// are made of letters and digits.
    fn keep_item_if_secret(&mut self, value: &Value, strength: NameStrength) {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_.-".contains(&byte);
        let text = || value.parts.iter().filter_map(|part| self.text.get(part.clone()));
        let has_digit = text().any(|part| part.bytes().any(|byte| byte.is_ascii_digit()));
        let is_like_token = text().all(|part| part.bytes().all(is_token));
        if has_digit && (strength == NameStrength::Password || is_like_token) {
            self.keep_if_secret(value, strength);
        }
    }

    /// Records the values of the lines below a key of YAML that are indented more, or are items of its list.
    fn record_values_of_lines(&mut self, key: usize, line_end: usize, strength: NameStrength) {
        let line_start =
            |at: usize| self.bytes.get(..at).and_then(|text| memchr::memrchr(b'\n', text)).map_or(0, |at| at + 1);
        // Behind other text, the column of the key tells nothing.
        let own_line = self.bytes.get(line_start(key)..key).unwrap_or_default();
        let indent = if own_line.iter().all(|byte| b" \t-\"'".contains(byte)) { own_line.len() } else { 0 };
        let (mut at, limit) = (line_end, (line_end + MAX_COLLECTION_BYTES).min(self.bytes.len()));
        for _ in 0..MAX_VALUES {
            let Some(end) = self.bytes.get(at..limit).and_then(|text| memchr::memchr(b'\n', text)) else { return };
            let start = at + end + 1;
            let first = skip_spaces(self.bytes, start);
            let is_item = self.begins_with(first, "- ");
            if !is_item && first <= start + indent || self.byte_at(first) == b'\n' {
                return;
            }
            let mut value = if is_item { skip_spaces(self.bytes, first + 1) } else { first };
            let word = self.bytes.get(value..).unwrap_or_default();
            let word =
                word.iter().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-@".contains(byte)).count();
            if self.begins_with(value + word, ": ") {
                value = skip_spaces(self.bytes, value + word + 1);
            } else if !is_item {
                at = first;
                continue;
            }
            let string = skip_string_prefix(self.bytes, value);
            let read = match opening_quote_at(self.bytes, string) {
                Some(_) => read_quoted_value(self.bytes, string),
                None => read_unquoted_value(self.bytes, value),
            };
            if let Some(value) = read {
                self.keep_item_if_secret(&value, strength);
            }
            at = first;
        }
    }

    /// Records the value of an element with attributes, in a section of characters, or in the next cell of a table, and
    /// returns whether the name stands in such a place.
    pub(crate) fn record_value_in_markup(&mut self, name: &Range<usize>, strength: NameStrength) -> bool {
        const MAX_ATTRIBUTES_BYTES: usize = 200;
        let before = self.byte_at(name.start.wrapping_sub(1));
        if before == b'<' {
            let rest = self.bytes.get(name.end..).unwrap_or_default();
            let end = rest.iter().take(MAX_ATTRIBUTES_BYTES).position(|byte| matches!(byte, b'>' | b'<' | b'\n'));
            let Some(end) = end.filter(|end| rest.get(*end) == Some(&b'>')) else { return false };
            let has_attributes =
                matches!(rest.first(), Some(b' ' | b'\t')) && rest.get(..end).is_some_and(|text| text.contains(&b'='));
            if end > 0 && !has_attributes || rest.get(end.wrapping_sub(1)) == Some(&b'/') {
                return false;
            }
            self.keep_text_before_tag_if_secret(name.end + end + 1, strength);
            // An attribute may hold the value.
            return end == 0;
        }
        // `| password | … |`.
        let cell = skip_spaces(self.bytes, name.end);
        let is_cell = self.byte_at(cell) == b'|' && matches!(self.byte_at(cell + 1), b' ' | b'\t');
        let indent = self.bytes.get(..name.start).unwrap_or_default();
        let is_row = indent.iter().rev().find(|byte| !b" \t*`".contains(byte)) == Some(&b'|');
        if !is_cell || !is_row {
            return false;
        }
        let mut value = skip_spaces(self.bytes, cell + 1);
        if self.byte_at(value) == b'`' {
            value += 1;
        }
        let rest = self.bytes.get(value..).unwrap_or_default();
        let length = rest.iter().take(256).take_while(|byte| byte.is_ascii_graphic() && !b"|`".contains(byte)).count();
        let end = value + length;
        if length > 0 && matches!(self.byte_at(skip_spaces(self.bytes, end)), b'|' | b'`') {
            let parts = std::iter::once(value..end).collect();
            self.keep_if_secret(&Value { parts, writing: Writing::Bare, is_closed: true }, strength);
        }
        true
    }

    /// The place behind a tag or an anchor of YAML: `!!str value`, `&name value`.
    pub(crate) fn skip_yaml_tag(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let signs = if rest.starts_with(b"!!") { 2 } else { usize::from(matches!(rest.first(), Some(b'!' | b'&'))) };
        let word = rest
            .iter()
            .skip(signs)
            .take(40)
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
            .count();
        let next = skip_spaces(self.bytes, at + signs + word);
        let is_tag =
            signs > 0 && word > 0 && next > at + signs + word && !matches!(self.byte_at(next), b'\n' | b'\r' | b'#');
        if is_tag { next } else { at }
    }
}

/// The place of the text of a section of characters, and whether one begins there: `<![CDATA[…]]>`.
pub(crate) fn skip_character_section(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const MAX_SECTION_BYTES: usize = 4096;
    let start = at + b"<![CDATA[".len();
    bytes.get(at..start).filter(|text| *text == b"<![CDATA[")?;
    let limit = (start + MAX_SECTION_BYTES).min(bytes.len());
    let rest = bytes.get(start..limit)?;
    let start = if matches!(rest.first(), Some(b'\r' | b'\n')) { skip_line_start(bytes, start) } else { start };
    Some(start..start + memchr::memmem::find(bytes.get(start..limit)?, b"]]>")?)
}
