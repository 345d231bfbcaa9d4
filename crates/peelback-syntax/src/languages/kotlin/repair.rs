//! Rewrites Kotlin source that the grammar cannot parse. Every byte keeps its offset and its line, so that the tree matches
//! the original text.
//!
//! The grammar knows fewer of the words that are keywords in some places only (`final = true`, `by.write()`), ends a class
//! where a line ends before its constructor, and does not know strings that begin with several dollar signs nor the guards
//! of `when`. The repaired tree counts only if errors cover less of it.

#[cfg(all(test, feature = "lang-kotlin"))]
mod tests;
mod words;

/// The text to parse in place of `source`; `None` if nothing in it is known to be misread.
pub(super) fn repair_source(source: &str) -> Option<String> {
    let mut scanner =
        Scanner { source, bytes: source.as_bytes(), at: 0, previous: 0, open: Vec::new(), edits: Vec::new() };
    scanner.scan();
    let edits = scanner.edits;
    let mut bytes = source.as_bytes().to_vec();
    let mut changed = !edits.is_empty();
    for (at, byte) in edits {
        if let Some(edited) = bytes.get_mut(at) {
            *edited = byte;
        }
    }
    changed |= add_semicolons_in_one_line_bodies(&mut bytes);
    if changed { String::from_utf8(bytes).ok() } else { None }
}

/// What is open around a place of the source.
enum Open {
    /// A brace in code.
    Brace,
    /// A template in a string.
    Template,
    /// A string: whether it is raw, and the number of dollar signs that begin a template.
    String { is_raw: bool, dollars: usize },
}

/// Reads a source from its beginning to its end, and notes the bytes to replace.
struct Scanner<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    /// The last byte of code before `at` that is no blank; 0 at the beginning.
    previous: u8,
    open: Vec<Open>,
    edits: Vec<(usize, u8)>,
}

impl Scanner<'_> {
    fn scan(&mut self) {
        while self.at < self.bytes.len() {
            let before = self.at;
            match self.open.last() {
                Some(Open::String { is_raw, dollars }) => {
                    let (is_raw, dollars) = (*is_raw, *dollars);
                    self.scan_string(is_raw, dollars);
                }
                _ => self.scan_code(),
            }
            // Every step goes on.
            self.at = self.at.max(before + 1);
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn starts_with(&self, at: usize, text: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// The offset of the first byte at or behind `at` that is no blank of the same line.
    fn skip_blanks(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    /// The offset of the first byte at or behind `at` that is no white space.
    fn skip_space(&self, mut at: usize) -> usize {
        while at < self.bytes.len() && self.byte(at).is_ascii_whitespace() {
            at += 1;
        }
        at
    }

    /// The offset behind the word at `at`.
    fn word_end(&self, mut at: usize) -> usize {
        while is_word_byte(self.byte(at)) {
            at += 1;
        }
        at
    }

    fn scan_code(&mut self) {
        let byte = self.byte(self.at);
        match byte {
            b'/' if self.starts_with(self.at, "//") => {
                self.at = self.find_byte(self.at, b'\n');
                return;
            }
            b'/' if self.starts_with(self.at, "/*") => {
                self.at = self.end_of_comment(self.at);
                return;
            }
            b'"' | b'$' => {
                let quotes =
                    self.at + self.bytes.get(self.at..).unwrap_or(&[]).iter().take_while(|b| **b == b'$').count();
                if self.byte(quotes) == b'"' {
                    self.enter_string(quotes);
                } else {
                    self.at = quotes;
                }
                return;
            }
            b'\'' => {
                self.at = self.end_of_character(self.at);
            }
            b'`' => {
                let end = self.find_byte(self.at + 1, b'`');
                self.at = end + 1;
                self.previous = b'`';
                return;
            }
            b'{' => self.open.push(Open::Brace),
            b'}' => {
                self.open.pop();
            }
            _ if is_word_byte(byte) => {
                let end = self.word_end(self.at);
                self.judge_word(self.at, end);
                self.previous = self.byte(end - 1);
                self.at = end;
                return;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.previous = byte;
        }
        self.at += 1;
    }

    fn find_byte(&self, from: usize, byte: u8) -> usize {
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        rest.iter().position(|other| *other == byte).map_or(self.bytes.len(), |at| from + at)
    }

    /// The offset of a byte that is near `from`.
    fn find_near_byte(&self, from: usize, byte: u8) -> Option<usize> {
        let near = self.bytes.get(from..self.bytes.len().min(from + MAX_NEAR_BYTES))?;
        near.iter().position(|other| *other == byte).map(|at| from + at)
    }

    /// The offset behind the comment that begins at `at`. Comments nest.
    fn end_of_comment(&self, mut at: usize) -> usize {
        let mut depth = 0_usize;
        while at < self.bytes.len() {
            if self.starts_with(at, "/*") {
                depth += 1;
                at += 2;
            } else if self.starts_with(at, "*/") {
                depth = depth.saturating_sub(1);
                at += 2;
                if depth == 0 {
                    break;
                }
            } else {
                at += 1;
            }
        }
        at
    }

    /// The offset of the last byte of the character literal that begins at `at`.
    fn end_of_character(&self, at: usize) -> usize {
        let first = if self.byte(at + 1) == b'\\' { at + 3 } else { at + 2 };
        // A character may have several bytes, or be written by its number.
        (first..first + MAX_CHARACTER_BYTES).find(|end| self.byte(*end) == b'\'').unwrap_or(at)
    }

    /// Enters the string whose quotes are at `quotes`; dollar signs may stand before them.
    fn enter_string(&mut self, quotes: usize) {
        let dollars = quotes - self.at;
        for sign in self.at..quotes {
            self.edits.push((sign, b' '));
        }
        let is_raw = self.starts_with(quotes, "\"\"\"");
        self.open.push(Open::String { is_raw, dollars: dollars.max(1) });
        self.at = quotes + if is_raw { 3 } else { 1 };
    }

    fn scan_string(&mut self, is_raw: bool, dollars: usize) {
        match self.byte(self.at) {
            b'\\' if !is_raw => self.at += 2,
            b'"' if is_raw => {
                let count = self.bytes.get(self.at..).unwrap_or(&[]).iter().take_while(|byte| **byte == b'"').count();
                self.at += count;
                if count >= 3 {
                    self.leave_string();
                }
            }
            b'"' => {
                self.at += 1;
                self.leave_string();
            }
            b'\n' if !is_raw => self.leave_string(),
            b'$' => {
                let count = self.bytes.get(self.at..).unwrap_or(&[]).iter().take_while(|byte| **byte == b'$').count();
                let end = self.at + count;
                let is_template = self.byte(end) == b'{' && count >= dollars;
                // The grammar takes one sign before a brace as the beginning of a template.
                if dollars > 1 && self.byte(end) == b'{' {
                    let kept = if is_template { end - 1 } else { end };
                    self.edits.extend((self.at..kept).map(|sign| (sign, b'_')));
                }
                self.at = end;
                if is_template {
                    self.at = end + 1;
                    self.previous = b'{';
                    self.open.push(Open::Template);
                }
            }
            _ => self.at += 1,
        }
    }

    fn leave_string(&mut self) {
        self.open.pop();
        self.previous = b'"';
    }
}

/// The limit on the bytes that are looked at around a word.
const MAX_NEAR_BYTES: usize = 500;

/// The limit on the bytes of a character literal behind its first one.
const MAX_CHARACTER_BYTES: usize = 7;

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Inserts a semicolon after the last member of a body on one line: `{ val a = 1 }` becomes `{ val a = 1;}`. Without it
/// the grammar loses the rest of the file. Returns whether there is such a body.
fn add_semicolons_in_one_line_bodies(bytes: &mut [u8]) -> bool {
    let mut changed = false;
    let mut in_string = false;
    // The last byte on the current line that is not blank, and the byte before the current one.
    let (mut last, mut previous) = (b'\n', b'\n');
    for at in 0..bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or(b'\n');
        match byte {
            b'\n' => in_string = false,
            b'"' if previous != b'\\' => in_string = !in_string,
            b'}' if !in_string && matches!(previous, b' ' | b'\t') && can_byte_end_member(last) => {
                if let Some(blank) = bytes.get_mut(at - 1) {
                    *blank = b';';
                    changed = true;
                }
            }
            _ => {}
        }
        if byte == b'\n' || !byte.is_ascii_whitespace() {
            last = byte;
        }
        previous = byte;
    }
    changed
}

/// Whether the last member of a body can end with this byte.
fn can_byte_end_member(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b')' | b']' | b'}' | b'>' | b'?' | b'"' | b'\'')
}
