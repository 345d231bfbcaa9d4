//! A cursor over JSON text that knows its line, and keeps nothing of what it skips: outputs can be most of a notebook, and
//! nested as deep as somebody likes.

use std::ops::Range;

use super::decoded;

/// A position in JSON text. Methods return `None` where the text is not what they read.
pub(super) struct JsonCursor<'j> {
    text: &'j str,
    at: usize,
    line: usize,
    /// Whether [`JsonCursor::string_literal`] read the value that began last.
    has_read: bool,
}

impl<'j> JsonCursor<'j> {
    pub fn new(text: &'j str) -> Self {
        Self { text, at: 0, line: 1, has_read: false }
    }

    /// The line of the next token, from 1.
    pub fn line(&mut self) -> usize {
        self.peek();
        self.line
    }

    pub fn text(&self, range: Range<usize>) -> &'j str {
        self.text.get(range).unwrap_or("")
    }

    /// The first byte of the next token.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                byte => return Some(*byte),
            }
            self.at += 1;
        }
    }

    pub fn is_at_array(&mut self) -> bool {
        self.peek() == Some(b'[')
    }

    /// Goes behind the next token if it is this byte.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Goes behind the next token, if it is a string. Returns its line, and its bytes with the quotes.
    pub fn string_literal(&mut self) -> Option<(usize, Range<usize>)> {
        self.has_read = false;
        if self.peek() != Some(b'"') {
            return None;
        }
        let bytes = self.text.as_bytes();
        let (start, line) = (self.at, self.line);
        let mut at = start + 1;
        loop {
            at += memchr::memchr3(b'"', b'\\', b'\n', bytes.get(at..)?)?;
            match bytes.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                _ => {
                    self.line += 1;
                    at += 1;
                }
            }
        }
        self.at = at + 1;
        self.has_read = true;
        Some((line, start..self.at))
    }

    /// Calls `visit` at the value of each field of the object that comes next, with the field's name.
    pub fn for_each_field(&mut self, mut visit: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        if !self.takes(b'{') {
            return self.skip_value();
        }
        if self.takes(b'}') {
            return Some(());
        }
        loop {
            let (_, key) = self.string_literal()?;
            if !self.takes(b':') {
                return None;
            }
            let key = decoded(self.text(key));
            visit(self, &key)?;
            if !self.takes(b',') {
                return self.takes(b'}').then_some(());
            }
        }
    }

    /// Calls `visit` at each element of the array that comes next.
    pub fn for_each_element(&mut self, mut visit: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if !self.takes(b'[') {
            return self.skip_value();
        }
        if self.takes(b']') {
            return Some(());
        }
        loop {
            visit(self)?;
            if !self.takes(b',') {
                return self.takes(b']').then_some(());
            }
        }
    }

    /// Goes behind the next value, unless it was a string that was read already.
    pub fn skip_value_unless_read(&mut self) -> Option<()> {
        if std::mem::take(&mut self.has_read) { Some(()) } else { self.skip_value() }
    }

    /// Goes behind the next value, whatever it is.
    pub fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string_literal()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => {
                    if depth == 0 {
                        return None;
                    }
                    self.at += 1;
                    continue;
                }
                _ => {
                    let rest = self.text.as_bytes().get(self.at..)?;
                    let is_end = |byte: &u8| {
                        matches!(byte, b',' | b']' | b'}' | b':' | b'"' | b'[' | b'{') || byte.is_ascii_whitespace()
                    };
                    self.at += rest.iter().position(is_end).unwrap_or(rest.len());
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}
