//! One pass over a text, which is split into pieces as o200k splits it before it merges bytes; each piece is priced.

use crate::tables::{self, CONTROL_SYMBOL, LATIN_SYMBOL, NEWLINE_SYMBOL, START_SYMBOL, UNIT, price_of_character_pair};

/// The class of a byte of the text: it decides which kind of piece the byte begins or continues.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum ByteClass {
    Lower,
    Upper,
    Digit,
    Punctuation,
    Space,
    Newline,
    /// A byte of a character beyond ASCII, which has several bytes.
    Wide,
}

/// The class of each byte value, for the split of a text into pieces.
static CLASSES: [ByteClass; 256] = build_byte_classes();

#[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "evaluated at compile time; below 128")]
const fn build_byte_classes() -> [ByteClass; 256] {
    let mut classes = [ByteClass::Wide; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => ByteClass::Lower,
            b'A'..=b'Z' => ByteClass::Upper,
            b'0'..=b'9' => ByteClass::Digit,
            b'\n' | b'\r' => ByteClass::Newline,
            b' ' | b'\t' | 0x0b | 0x0c => ByteClass::Space,
            _ => ByteClass::Punctuation,
        };
        byte += 1;
    }
    classes
}

/// The limit on spaces in a row that are one token.
const MAX_SPACES_PER_TOKEN: usize = 80;
/// The limit on tabs in a row that are one token.
const MAX_TABS_PER_TOKEN: usize = 16;
/// The price of a blank line: its newline nearly always joins the token of the line before.
const BLANK_LINE_PRICE: i64 = UNIT / 5;
/// The price of a symbol beyond ASCII, no letter, that repeats the symbol before it: the vocabulary has tokens for
/// rules such as `────`.
const REPEATED_SYMBOL_PRICE: i64 = 12;

/// Reads a text piece by piece and prices each piece. Prices are in [`UNIT`]s.
pub(crate) struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// Byte offset of the first character of the text that is not yet priced.
    offset: usize,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, bytes: text.as_bytes(), offset: 0 }
    }

    /// The class of the byte at offset `at` of the text; `None` behind the end of the text.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the table has an entry for each value of a byte")]
    fn byte_class_at(&self, at: usize) -> Option<ByteClass> {
        self.bytes.get(at).map(|&byte| CLASSES[usize::from(byte)])
    }

    /// Scans the next line of the text with its newline, and returns its price in [`UNIT`]s; `None` at the end of the
    /// text.
    #[inline]
    pub fn scan_line_and_get_token_cost(&mut self) -> Option<i64> {
        let start = self.offset;
        if start >= self.bytes.len() {
            return None;
        }
        match self.bytes.get(start..) {
            Some([b'\n', ..]) => {
                self.offset += 1;
                return Some(BLANK_LINE_PRICE);
            }
            Some([b'\r', b'\n', ..]) => {
                self.offset += 2;
                return Some(BLANK_LINE_PRICE);
            }
            _ => {}
        }
        let mut price = 0;
        while let Some(class) = self.byte_class_at(self.offset) {
            price += match class {
                ByteClass::Lower | ByteClass::Upper => self.scan_and_price_word(self.offset),
                ByteClass::Digit => self.scan_and_price_digits(),
                ByteClass::Space => self.scan_and_price_space_then_piece(),
                ByteClass::Punctuation => {
                    let start = self.offset;
                    if matches!(self.byte_class_at(start + 1), Some(ByteClass::Lower | ByteClass::Upper)) {
                        self.offset += 1;
                        self.scan_and_price_word(start)
                    } else {
                        self.scan_and_price_punctuation_and_newline(start)
                    }
                }
                ByteClass::Wide => self.scan_and_price_non_ascii_run(),
                ByteClass::Newline => {
                    self.skip_newline();
                    UNIT
                }
            };
            // A newline ends the piece that it is in, of whatever kind the piece is.
            if self.bytes.get(self.offset - 1) == Some(&b'\n') {
                break;
            }
        }
        Some(price)
    }

    /// Steps over a newline of the text: `\n`, `\r\n` or a stray `\r`.
    #[inline]
    fn skip_newline(&mut self) {
        if self.bytes.get(self.offset) == Some(&b'\r') {
            self.offset += 1;
        }
        if self.bytes.get(self.offset) == Some(&b'\n') {
            self.offset += 1;
        }
    }

    /// Scans a word and returns its price: upper-case letters, then lower-case ones, after at most one other character.
    /// `fooBar` and `getHTTP` are two words, as for o200k. The piece begins at `start`; the scanner is at its first
    /// letter.
    #[inline]
    fn scan_and_price_word(&mut self, start: usize) -> i64 {
        while self.byte_class_at(self.offset) == Some(ByteClass::Upper) {
            self.offset += 1;
        }
        self.offset += lower_case_ascii_run_length(self.bytes, self.offset);
        if self.byte_class_at(self.offset) == Some(ByteClass::Wide) {
            self.skip_to_end_of_latin_word(start);
        }
        if self.bytes.get(self.offset) == Some(&b'\'') {
            self.offset += self.contraction_length();
        }
        if tables::may_be_hash_of_single_token(tables::hash_piece_and_newline(self.bytes, start, self.offset, 0)) {
            UNIT
        } else {
            self.token_cost_by_character_pairs(start)
        }
    }

    /// Moves the scanner to the end of a word that begins at `start` and has Latin letters beyond ASCII.
    #[cold]
    fn skip_to_end_of_latin_word(&mut self, start: usize) {
        let mut has_lower_case =
            self.bytes.get(start..self.offset).is_some_and(|before| before.iter().any(u8::is_ascii_lowercase));
        while let Some(c) = self.current_char() {
            let is_upper_case = match c {
                'a'..='z' => false,
                'A'..='Z' => true,
                _ if tables::token_price_entry_of_char(c).is_non_ascii_latin_letter() => c.is_uppercase(),
                _ => break,
            };
            if is_upper_case && has_lower_case {
                break;
            }
            has_lower_case |= !is_upper_case;
            self.offset += c.len_utf8();
        }
    }

    /// The price of a word that begins at `start` and is more than one token: by its length and its pairs of
    /// neighbouring characters.
    #[cold]
    fn token_cost_by_character_pairs(&self, start: usize) -> i64 {
        let mut before = START_SYMBOL;
        let mut price = 0;
        let mut length = 0;
        for c in self.text.get(start..self.offset).unwrap_or("").chars() {
            let after = match u8::try_from(c) {
                Ok(byte) if byte < 128 => pair_table_character_of_byte(byte),
                _ => {
                    price += (tables::token_price_entry_of_char(c).token_count() - 1) * UNIT;
                    LATIN_SYMBOL
                }
            };
            price += price_of_character_pair(before, after);
            before = after;
            length += 1;
        }
        (price + tables::token_cost_of_word_length(length)).max(if length > 1 { 2 * UNIT } else { UNIT })
    }

    /// The length in bytes of an English contraction (`'s`, `'re`, `'ll` and the like) at the scanner's offset, 0 for
    /// none: it is part of the word before it.
    #[inline]
    fn contraction_length(&self) -> usize {
        let letter = |at: usize| self.bytes.get(self.offset + at).map_or(0, u8::to_ascii_lowercase);
        match (letter(1), letter(2)) {
            (b's' | b't' | b'm' | b'd', _) => 2,
            (b'r' | b'v', b'e') | (b'l', b'l') => 3,
            _ => 0,
        }
    }

    /// Scans a run of digits and returns its price: each three digits are one token.
    #[inline]
    fn scan_and_price_digits(&mut self) -> i64 {
        let start = self.offset;
        while self.byte_class_at(self.offset) == Some(ByteClass::Digit) {
            self.offset += 1;
        }
        let length = self.offset - start;
        cost_units_of_whole_tokens(length.div_ceil(3))
    }

    /// Scans a run of white space, and the word or the punctuation after it, which includes the last character of the
    /// run, and returns their price.
    #[inline]
    fn scan_and_price_space_then_piece(&mut self) -> i64 {
        let start = self.offset;
        while self.bytes.get(self.offset) == Some(&b' ') {
            self.offset += 1;
        }
        let is_plain_spaces =
            self.byte_class_at(self.offset) != Some(ByteClass::Space) && self.offset - start <= MAX_SPACES_PER_TOKEN;
        if !is_plain_spaces {
            while self.byte_class_at(self.offset) == Some(ByteClass::Space) {
                self.offset += 1;
            }
        }
        let last = if is_plain_spaces { Some(&b' ') } else { self.bytes.get(self.offset - 1) };
        let run = self.offset - start;
        let run_price = |length: usize| match length {
            0 => 0,
            _ if is_plain_spaces => UNIT,
            _ => self.bytes.get(start..start + length).map_or(0, long_or_mixed_white_space_price),
        };
        let before_last = run_price(run - 1);
        match self.byte_class_at(self.offset) {
            Some(ByteClass::Lower | ByteClass::Upper) => before_last + self.scan_and_price_word(self.offset - 1),
            Some(ByteClass::Punctuation) if last == Some(&b' ') => {
                before_last + self.scan_and_price_punctuation_and_newline(self.offset - 1)
            }
            Some(ByteClass::Newline) => {
                // The run of white space and its newline are one piece; the vocabulary has tokens for few lengths of
                // it.
                let newline = if run > 4 { UNIT } else { 0 };
                run_price(run) + newline - UNIT
            }
            Some(ByteClass::Wide)
                if self
                    .current_char()
                    .is_some_and(|c| tables::token_price_entry_of_char(c).is_non_ascii_latin_letter()) =>
            {
                before_last + self.scan_and_price_word(self.offset - 1)
            }
            Some(ByteClass::Wide) if last == Some(&b' ') => {
                before_last + self.current_char().map_or(UNIT, token_cost_of_space_before_character)
            }
            Some(ByteClass::Wide | ByteClass::Punctuation | ByteClass::Digit) => before_last + UNIT,
            _ => run_price(run),
        }
    }

    /// Scans punctuation with the newline after it, and returns its price. The piece begins at `start`: at the space
    /// before the scanner's offset, or at that offset.
    #[inline]
    fn scan_and_price_punctuation_and_newline(&mut self, start: usize) -> i64 {
        while self.byte_class_at(self.offset) == Some(ByteClass::Punctuation) {
            self.offset += 1;
        }
        let end = self.offset;
        if self.byte_class_at(self.offset) == Some(ByteClass::Newline) {
            self.skip_newline();
        }
        let newline = self.offset - end;
        if tables::may_be_hash_of_single_token(tables::hash_piece_and_newline(self.bytes, start, end, newline)) {
            return UNIT;
        }
        let mut price = 0;
        let mut before = START_SYMBOL;
        for &byte in self.bytes.get(start..end).unwrap_or(&[]) {
            let after = pair_table_character_of_byte(byte);
            price += price_of_character_pair(before, after);
            before = after;
        }
        if newline > 0 {
            price += price_of_character_pair(before, NEWLINE_SYMBOL);
        }
        let length = end - start + usize::from(newline > 0);
        (price + tables::token_cost_of_punctuation_length(length)).max(if length > 1 { 2 * UNIT } else { UNIT })
    }

    /// The character at the scanner's offset.
    #[inline]
    fn current_char(&self) -> Option<char> {
        self.text.get(self.offset..)?.chars().next()
    }

    /// Scans a run of characters beyond ASCII, and returns its price: letters of one or more scripts, or one symbol and
    /// its repetitions.
    fn scan_and_price_non_ascii_run(&mut self) -> i64 {
        let Some(c) = self.current_char() else {
            self.offset += 1;
            return UNIT;
        };
        let first = tables::token_price_entry_of_char(c);
        if first.is_non_ascii_latin_letter() {
            return self.scan_and_price_word(self.offset);
        }
        let mut parts = first.token_count();
        let mut price = parts * UNIT;
        self.offset += c.len_utf8();
        let is_letter = first.is_letter_or_vowel_mark(c);
        for next in self.text.get(self.offset..).unwrap_or("").chars() {
            let wide = tables::token_price_entry_of_char(next);
            let step_price = if is_letter {
                if next.is_ascii() || wide.is_non_ascii_latin_letter() || !wide.is_letter_or_vowel_mark(next) {
                    break;
                }
                wide.token_cost_after_letter()
            } else if next == c {
                REPEATED_SYMBOL_PRICE
            } else {
                break;
            };
            // Only a character that is one token alone can be merged with its neighbour.
            let next_parts = wide.token_count();
            price += if parts == 1 && next_parts == 1 { step_price } else { next_parts * UNIT };
            parts = next_parts;
            self.offset += next.len_utf8();
        }
        price
    }
}

/// The length of the run of lower-case ASCII letters in `bytes` at offset `at`, found eight bytes at a time.
#[inline(always)]
fn lower_case_ascii_run_length(bytes: &[u8], at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let mut length = 0;
    while let Some(eight) = bytes.get(at + length..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        let low = word & !HIGH;
        // The high bit of a byte marks a range of characters: it is set in `from_a` for bytes from `a` on, in
        // `behind_z` for bytes above `z`.
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

/// The price of a run of white space that is more than a few spaces and precedes no word.
#[cold]
fn long_or_mixed_white_space_price(run: &[u8]) -> i64 {
    let changes = run.iter().zip(run.iter().skip(1)).filter(|(one, next)| one != next).count();
    let long = if run.contains(&b' ') { run.len() / MAX_SPACES_PER_TOKEN } else { 0 };
    let tabs = run.iter().filter(|&&byte| byte != b' ').count() / MAX_TABS_PER_TOKEN;
    cost_units_of_whole_tokens(1 + changes + long + tabs)
}

/// The symbol that stands for an ASCII byte in the table of pair prices.
#[inline(always)]
fn pair_table_character_of_byte(byte: u8) -> u8 {
    match byte {
        b' '..=b'~' | b'\t' | b'\n' => byte,
        _ => CONTROL_SYMBOL,
    }
}

/// The price, in [`UNIT`]s, of a number of whole tokens.
fn cost_units_of_whole_tokens(tokens: usize) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX / UNIT) * UNIT
}

/// The price of a space before the letter or symbol `c`: it is part of the word in scripts that separate words by
/// spaces.
fn token_cost_of_space_before_character(c: char) -> i64 {
    match c as u32 {
        0x370..=0xdff => 0,
        0xac00..=0xd7a3 => UNIT / 4,
        _ => UNIT,
    }
}
