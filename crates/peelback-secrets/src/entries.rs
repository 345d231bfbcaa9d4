//! Entries that write a name and its value as two: `name: TOKEN` and `value: …`, attributes, blocks of variables.

use std::ops::Range;

use crate::judgement::{NameStrength, Writing};
use crate::named_values::NamedValueReader;
use crate::values::{opening_quote_at, skip_line_start, skip_spaces};

/// How far from its name the `value` of a pair may stand, in bytes and in lines.
const MAX_PAIR_BYTES: usize = 400;
const MAX_PAIR_LINES: usize = 5;

impl NamedValueReader<'_> {
    /// Reads a pair of a name and a value that are written as two: `name: TOKEN` and `value: …` on the next line,
    /// `key="Token" value="…"`, `variable "token" { default = "…" }`.
    pub(crate) fn read_value_of_name_value_entry(&mut self, name: &Range<usize>, strength: NameStrength) {
        let rest = self.text.get(name.end..).unwrap_or("");
        let mut end = rest.len().min(MAX_PAIR_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let rest = rest.get(..end).unwrap_or("");
        let mut lines = 0;
        let mut at = 0;
        let bytes = rest.as_bytes();
        // A block may say more of the variable before its value; a pair has nothing between.
        let mut is_block = false;
        while at < bytes.len() && lines <= MAX_PAIR_LINES {
            let part = bytes.get(at..).unwrap_or_default();
            let word = part.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
            if word > 0 {
                let text = rest.get(at..at + word).unwrap_or("");
                let is_value = ["value", "default", "defaultvalue", "content", "val"]
                    .iter()
                    .any(|known| text.eq_ignore_ascii_case(known));
                let from = name.end + at + word;
                if is_value {
                    let mut next = from;
                    if let Some(quote) = opening_quote_at(self.bytes, next) {
                        next += quote.len();
                    }
                    next = skip_spaces(self.bytes, next);
                    if matches!(self.byte_at(next), b':' | b'=') {
                        self.keep_value_if_secret(next + 1, "value", strength, Writing::Bare);
                    } else if self.byte_at(next) == b'>' {
                        self.keep_text_before_tag_if_secret(next + 1, strength);
                    }
                    return;
                }
                if !is_block || lines == 0 {
                    return;
                }
                // The rest of a line of a block.
                let line = part.iter().position(|byte| *byte == b'\n').unwrap_or(part.len());
                at += line.max(word);
                continue;
            }
            match part.first() {
                Some(b'\n') => {
                    lines += 1;
                    let next = skip_line_start(self.bytes, name.end + at);
                    at = (next - name.end).max(at + 1);
                    continue;
                }
                Some(b'{') => is_block = true,
                Some(b'"' | b'\'' | b',' | b' ' | b'\t' | b'\r' | b'\\' | b'-' | b'<' | b'/' | b'>' | b':') => {}
                _ => return,
            }
            at += 1;
        }
    }
}
