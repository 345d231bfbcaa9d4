//! One pass over a text: it is cut into pieces as o200k cuts it before it merges bytes, and each piece is priced.

use crate::tables::{self, CONTROL, LATIN, NEWLINE, START, UNIT, pair};

/// What a byte may begin or continue.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Class {
    Lower,
    Upper,
    Digit,
    Punctuation,
    Space,
    Newline,
    Wide,
}

static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Wide; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'\n' | b'\r' => Class::Newline,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Space,
            _ => Class::Punctuation,
        };
        byte += 1;
    }
    classes
}

/// Spaces up to here are one token.
const LONG_SPACE: usize = 80;
/// Tabs up to here are one token.
const LONG_TABS: usize = 16;
/// What a blank line adds: its newline nearly always joins the token of the line before.
const BLANK_LINE: i64 = UNIT / 5;
/// What a symbol adds to the same symbol before it: rules have tokens of their own.
const REPEATED: i64 = 12;

pub(crate) struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0 }
    }

    #[inline(always)]
    fn class(&self, at: usize) -> Option<Class> {
        self.bytes.get(at).map(|&byte| CLASSES[usize::from(byte)])
    }

    /// The price of the next line with its newline, in [`UNIT`]s; `None` at the end of the text.
    #[inline]
    pub fn line(&mut self) -> Option<i64> {
        let start = self.at;
        if start >= self.bytes.len() {
            return None;
        }
        match &self.bytes[start..] {
            [b'\n', ..] => {
                self.at += 1;
                return Some(BLANK_LINE);
            }
            [b'\r', b'\n', ..] => {
                self.at += 2;
                return Some(BLANK_LINE);
            }
            _ => {}
        }
        let mut price = 0;
        while let Some(class) = self.class(self.at) {
            price += match class {
                Class::Lower | Class::Upper => self.word(self.at),
                Class::Digit => self.digits(),
                Class::Space => self.space(),
                Class::Punctuation => {
                    let start = self.at;
                    if matches!(self.class(start + 1), Some(Class::Lower | Class::Upper)) {
                        self.at += 1;
                        self.word(start)
                    } else {
                        self.punctuation(start)
                    }
                }
                Class::Wide => self.wide(),
                Class::Newline => {
                    self.newline();
                    UNIT
                }
            };
            // A newline ends its piece, whichever that was.
            if self.bytes.get(self.at - 1) == Some(&b'\n') {
                break;
            }
        }
        Some(price)
    }

    /// Steps over a newline: `\n`, `\r\n` or a stray `\r`.
    #[inline]
    fn newline(&mut self) {
        if self.bytes.get(self.at) == Some(&b'\r') {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
        }
    }

    /// Capitals, then small letters, behind at most one other character: o200k parts `fooBar` and `getHTTP` in two.
    /// The piece begins at `start`; the scanner stands on its first letter.
    #[inline]
    fn word(&mut self, start: usize) -> i64 {
        while self.class(self.at) == Some(Class::Upper) {
            self.at += 1;
        }
        self.at += small_letters(self.bytes, self.at);
        if self.class(self.at) == Some(Class::Wide) {
            self.latin(start);
        }
        if self.bytes.get(self.at) == Some(&b'\'') {
            self.at += self.contraction();
        }
        if tables::is_token(tables::hash(self.bytes, start, self.at, 0)) { UNIT } else { self.parts(start) }
    }

    /// Goes on with a word from `start` that has letters beyond ASCII.
    #[cold]
    fn latin(&mut self, start: usize) {
        let mut small = self.bytes.get(start..self.at).is_some_and(|read| read.iter().any(u8::is_ascii_lowercase));
        while let Some(c) = self.char() {
            let capital = match c {
                'a'..='z' => false,
                'A'..='Z' => true,
                _ if tables::wide(c).is_latin() => c.is_uppercase(),
                _ => break,
            };
            if capital && small {
                break;
            }
            small |= !capital;
            self.at += c.len_utf8();
        }
    }

    /// The price of a word piece from `start` that is more than one token.
    #[cold]
    fn parts(&self, start: usize) -> i64 {
        let mut before = START;
        let mut price = 0;
        let mut length = 0;
        for c in self.text.get(start..self.at).unwrap_or("").chars() {
            let after = match u8::try_from(c) {
                Ok(byte) if byte < 128 => symbol(byte),
                _ => {
                    price += (tables::wide(c).alone() - 1) * UNIT;
                    LATIN
                }
            };
            price += pair(before, after);
            before = after;
            length += 1;
        }
        (price + tables::word_base(length)).max(if length > 1 { 2 * UNIT } else { UNIT })
    }

    /// The length of `'s`, `'re` and their like, which stay with their word.
    #[inline]
    fn contraction(&self) -> usize {
        let letter = |at: usize| self.bytes.get(self.at + at).map_or(0, u8::to_ascii_lowercase);
        match (letter(1), letter(2)) {
            (b's' | b't' | b'm' | b'd', _) => 2,
            (b'r' | b'v', b'e') | (b'l', b'l') => 3,
            _ => 0,
        }
    }

    /// Three digits are one token.
    #[inline]
    fn digits(&mut self) -> i64 {
        let start = self.at;
        while self.class(self.at) == Some(Class::Digit) {
            self.at += 1;
        }
        let length = self.at - start;
        as_price(length.div_ceil(3))
    }

    /// White space: its last character goes with the word or the punctuation behind it.
    #[inline]
    fn space(&mut self) -> i64 {
        let start = self.at;
        while self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        let plain = self.class(self.at) != Some(Class::Space) && self.at - start <= LONG_SPACE;
        if !plain {
            while self.class(self.at) == Some(Class::Space) {
                self.at += 1;
            }
        }
        let last = if plain { b' ' } else { self.bytes[self.at - 1] };
        let run = self.at - start;
        let alone = |length: usize| match length {
            0 => 0,
            _ if plain => UNIT,
            _ => self.bytes.get(start..start + length).map_or(0, mixed_space),
        };
        let before_last = alone(run - 1);
        match self.class(self.at) {
            Some(Class::Lower | Class::Upper) => before_last + self.word(self.at - 1),
            Some(Class::Punctuation) if last == b' ' => before_last + self.punctuation(self.at - 1),
            Some(Class::Newline) => {
                // The run and its newline are one piece, which few lengths have a token for.
                let newline = if run > 4 { UNIT } else { 0 };
                alone(run) + newline - UNIT
            }
            Some(Class::Wide) if self.char().is_some_and(|c| tables::wide(c).is_latin()) => {
                before_last + self.word(self.at - 1)
            }
            Some(Class::Wide) if last == b' ' => before_last + self.char().map_or(UNIT, lead_space),
            Some(Class::Wide | Class::Punctuation | Class::Digit) => before_last + UNIT,
            _ => alone(run),
        }
    }

    /// Punctuation, with the newline behind it. The piece begins at `start`: on a space, or where the scanner stands.
    #[inline]
    fn punctuation(&mut self, start: usize) -> i64 {
        while self.class(self.at) == Some(Class::Punctuation) {
            self.at += 1;
        }
        let end = self.at;
        if self.class(self.at) == Some(Class::Newline) {
            self.newline();
        }
        let newline = self.at - end;
        if tables::is_token(tables::hash(self.bytes, start, end, newline)) {
            return UNIT;
        }
        let mut price = 0;
        let mut before = START;
        for &byte in &self.bytes[start..end] {
            let byte = symbol(byte);
            price += pair(before, byte);
            before = byte;
        }
        if newline > 0 {
            price += pair(before, NEWLINE);
        }
        let length = end - start + usize::from(newline > 0);
        (price + tables::punctuation_base(length)).max(if length > 1 { 2 * UNIT } else { UNIT })
    }

    #[inline]
    fn char(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    /// A run of characters beyond ASCII: letters of one or more scripts, or one symbol and its repetitions.
    fn wide(&mut self) -> i64 {
        let Some(c) = self.char() else {
            self.at += 1;
            return UNIT;
        };
        let first = tables::wide(c);
        if first.is_latin() {
            return self.word(self.at);
        }
        let mut parts = first.alone();
        let mut price = parts * UNIT;
        self.at += c.len_utf8();
        let letter = first.is_letter(c);
        for next in self.text.get(self.at..).unwrap_or("").chars() {
            let wide = tables::wide(next);
            let step = if letter {
                if next.is_ascii() || wide.is_latin() || !wide.is_letter(next) {
                    break;
                }
                wide.step()
            } else if next == c {
                REPEATED
            } else {
                break;
            };
            // Only a character that is a token of its own joins others.
            let next_parts = wide.alone();
            price += if parts == 1 && next_parts == 1 { step } else { next_parts * UNIT };
            parts = next_parts;
            self.at += next.len_utf8();
        }
        price
    }
}

/// How many small ASCII letters stand at `at`: eight bytes at a time.
#[inline(always)]
fn small_letters(bytes: &[u8], at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let mut length = 0;
    while let Some(eight) = bytes.get(at + length..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        let low = word & !HIGH;
        // The high bit of each byte says: from `a` on, and behind `z`.
        let (from_a, behind_z) = (low + (0x80 - 0x61) * ONES, low + (0x80 - 0x7b) * ONES);
        let others = !(from_a & !behind_z & !word) & HIGH;
        if others != 0 {
            return length + (others.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    while bytes.get(at + length).is_some_and(u8::is_ascii_lowercase) {
        length += 1;
    }
    length
}

/// The price of white space that stands alone and is not just a few spaces.
#[cold]
fn mixed_space(run: &[u8]) -> i64 {
    let changes = run.windows(2).filter(|two| two[0] != two[1]).count();
    let long = if run.contains(&b' ') { run.len() / LONG_SPACE } else { 0 };
    let tabs = run.iter().filter(|&&byte| byte != b' ').count() / LONG_TABS;
    as_price(1 + changes + long + tabs)
}

#[inline(always)]
fn symbol(byte: u8) -> u8 {
    match byte {
        b' '..=b'~' | b'\t' | b'\n' => byte,
        _ => CONTROL,
    }
}

fn as_price(tokens: usize) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX / UNIT) * UNIT
}

/// What a space adds to the piece that begins behind it: it joins the words of scripts that part words by spaces.
fn lead_space(c: char) -> i64 {
    match c as u32 {
        0x370..=0xdff => 0,
        0xac00..=0xd7a3 => UNIT / 4,
        _ => UNIT,
    }
}
