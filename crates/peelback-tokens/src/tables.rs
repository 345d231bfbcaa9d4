//! The tables of prices for the estimate of tokens, compiled in from three files.
//!
//! `pairs.txt` holds the price of each pair of neighbouring characters: 100 rows (the first character) by 100 columns
//! (the second), each value one printable character that means `(code - 74) / 32` of a token. `chars.txt` holds, for
//! each code point below U+10000, the number of tokens of that character alone (1 to 3, where 3 includes more): three
//! code points to a byte, two bits each, offset by `0`. `pieces.bloom` is the Bloom filter of the pieces that are one
//! token. The tests below compare the last two with the tokenizer, and write them where the environment variable
//! `UPDATE_TABLES` is set.

/// The number of price units of one token: prices count in 32nds of a token.
pub(crate) const UNIT: i64 = 32;

/// The pair symbol for the start of a piece of text, which only is the first of a pair.
pub(crate) const START_SYMBOL: u8 = 0;
/// The pair symbol for a control character that is not white space.
pub(crate) const CONTROL_SYMBOL: u8 = 1;
/// The pair symbol for a Latin letter beyond ASCII.
pub(crate) const LATIN_SYMBOL: u8 = 2;
/// The pair symbol for a line end.
pub(crate) const NEWLINE_SYMBOL: u8 = b'\n';

/// The number of symbols in `pairs.txt`, which are its rows and columns.
const SYMBOL_COUNT: usize = 100;
const PAIRS_TEXT: &[u8; SYMBOL_COUNT * (SYMBOL_COUNT + 1)] = include_bytes!("pairs.txt");
/// The price of each pair of neighbouring symbols, in [`UNIT`]s.
static PAIR_PRICES: [[i8; 128]; 128] = build_character_pair_price_table();

/// The row and the column number of a pair symbol in `pairs.txt`.
#[expect(clippy::cast_possible_truncation, reason = "symbols are below 128")]
const fn pair_character_to_table_index(symbol: usize) -> usize {
    match symbol as u8 {
        START_SYMBOL => 0,
        LATIN_SYMBOL => 2,
        b'\t' => 3,
        b'\n' | b'\r' => 4,
        b' '..=b'~' => symbol - b' ' as usize + 5,
        _ => 1,
    }
}

#[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "evaluated at compile time")]
const fn build_character_pair_price_table() -> [[i8; 128]; 128] {
    let mut pairs = [[0; 128]; 128];
    let mut before = 0;
    while before < 128 {
        let mut after = 0;
        while after < 128 {
            pairs[before][after] = (PAIRS_TEXT
                [pair_character_to_table_index(before) * (SYMBOL_COUNT + 1) + pair_character_to_table_index(after)]
                as i16
                - 74) as i8;
            after += 1;
        }
        before += 1;
    }
    pairs
}

/// The price of the symbol `after` behind the symbol `before` in the same piece, in [`UNIT`]s; both are below 128.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "both indices are below 128 by the mask")]
pub(crate) fn price_of_character_pair(before: u8, after: u8) -> i64 {
    PAIR_PRICES[usize::from(before & 127)][usize::from(after & 127)].into()
}

/// The number of entries of the tables of prices by length; longer pieces cost as the last entry and more.
const PRICED_LENGTHS: usize = 24;

/// The price of a word by its length in characters, in [`UNIT`]s, without its pairs. From 20 letters on, two tokens are
/// added to the fitted price: a word of that length that the vocabulary lacks is rare in code, but where it is the name
/// of a file it is in every row of an answer, so that underestimates add up. With the addition, 99 of 100 words of that
/// length of random letters cost no more tokens than their price.
const WORD_PRICES: [i16; PRICED_LENGTHS] =
    [32, 32, 0, 9, 31, 35, 40, 43, 47, 50, 54, 57, 58, 60, 64, 64, 69, 76, 77, 79, 144, 145, 153, 161];

/// The number of characters for which a rule (`----`) longer than the table costs another token.
const LONG_RULE: usize = 16;

/// The price of a piece of punctuation by its length in characters, in [`UNIT`]s, without its pairs.
const PUNCTUATION_PRICES: [i16; PRICED_LENGTHS] =
    [32, 32, 12, 16, 29, 39, 47, 54, 57, 60, 66, 64, 75, 73, 73, 81, 74, 74, 79, 83, 77, 76, 78, 86];

/// The price, in [`UNIT`]s, of each letter of a word beyond the length of the table: a word of no language, of which
/// few parts are tokens.
const LONG_WORD: i64 = 4;

/// The price of a word of `length` characters, in [`UNIT`]s, without its pairs.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the index is bounded by the length of the table")]
pub(crate) fn token_cost_of_word_length(length: usize) -> i64 {
    let beyond = i64::try_from(length.saturating_sub(PRICED_LENGTHS - 1)).unwrap_or(i64::MAX / LONG_WORD);
    i64::from(WORD_PRICES[length.min(PRICED_LENGTHS - 1)]) + beyond * LONG_WORD
}

/// The price of a piece of punctuation of `length` characters, in [`UNIT`]s, without its pairs.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the index is bounded by the length of the table")]
pub(crate) fn token_cost_of_punctuation_length(length: usize) -> i64 {
    let long = i64::try_from(length.saturating_sub(PRICED_LENGTHS - 1) / LONG_RULE).unwrap_or(i64::MAX / UNIT);
    i64::from(PUNCTUATION_PRICES[length.min(PRICED_LENGTHS - 1)]) + long * UNIT
}

const CHARS_TEXT: &[u8] = include_bytes!("chars.txt");
const CHARS_LINE: usize = 64;

/// The entry of the table of characters beyond ASCII for one character: the two lowest bits are the number of tokens of
/// that character alone, less one; the bits above them are its price after another letter.
#[derive(Clone, Copy)]
pub(crate) struct WideCharEntry(u8);

/// The mark, in the entry of a Latin letter, in place of a price: such a letter is priced as part of a word.
const LATIN_MARK: u8 = 63;

/// The entries of the characters below U+10000, by code point.
static WIDE_CHARS: [WideCharEntry; 0x1_0000] = build_char_token_price_table();

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn build_char_token_price_table() -> [WideCharEntry; 0x1_0000] {
    let mut wides = [WideCharEntry(0); 0x1_0000];
    let mut code = 0;
    while code < wides.len() {
        let byte = code / 3;
        let byte = CHARS_TEXT[byte / CHARS_LINE * (CHARS_LINE + 1) + byte % CHARS_LINE];
        let token_count = ((byte - b'0') >> (code % 3 * 2)) & 3;
        let price = if is_non_ascii_latin_letter_code(code) { LATIN_MARK } else { price_after_letter_by_script(code) };
        wides[code] = WideCharEntry(price << 2 | token_count.saturating_sub(1));
        code += 1;
    }
    wides
}

/// The table entry of the character `c`; for characters above U+10000 it is computed.
#[inline(always)]
pub(crate) fn token_price_entry_of_char(c: char) -> WideCharEntry {
    WIDE_CHARS.get(c as usize).copied().unwrap_or_else(|| {
        let alone = match c as u32 {
            0x1_F300..0x1_F500 => 2,
            0x1_D000..0x1_E000 | 0x1_F000..0x2_0000 => 3,
            _ => 4,
        };
        WideCharEntry(UNKNOWN_SCRIPT << 2 | (alone - 1))
    })
}

impl WideCharEntry {
    /// The number of tokens of the entry's character alone.
    #[inline(always)]
    pub fn token_count(self) -> i64 {
        i64::from(self.0 & 3) + 1
    }

    /// Whether the entry's character is a Latin letter beyond ASCII.
    #[inline(always)]
    pub fn is_non_ascii_latin_letter(self) -> bool {
        self.0 >> 2 == LATIN_MARK
    }

    /// Whether `c`, the entry's character, is a letter, or a mark of a script that writes vowels as marks.
    #[inline(always)]
    pub fn is_letter_or_vowel_mark(self, c: char) -> bool {
        self.0 >> 2 != UNKNOWN_SCRIPT || c.is_alphabetic()
    }

    /// The price of the entry's character behind another letter, in [`UNIT`]s.
    #[inline(always)]
    pub fn token_cost_after_letter(self) -> i64 {
        i64::from(self.0 >> 2)
    }
}

/// Whether the code point `code`, which is beyond ASCII, is a Latin letter.
const fn is_non_ascii_latin_letter_code(code: usize) -> bool {
    matches!(code, 0xaa | 0xb5 | 0xba | 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0x24f | 0x1e00..=0x1eff)
}

/// The price, in [`UNIT`]s, of a character whose script is not in the table: one token.
#[expect(clippy::cast_possible_truncation, reason = "32")]
const UNKNOWN_SCRIPT: u8 = UNIT as u8;

/// The price of a letter behind another letter, in [`UNIT`]s, by the script of its code point.
const fn price_after_letter_by_script(code: usize) -> u8 {
    match code {
        // Upper-case Cyrillic letters cost more, since they follow one another in acronyms and alphabets, not in words.
        0x400..=0x42f => 22,
        0x430..=0x52f | 0x900..=0x97f => 8,
        0x530..=0x5ff | 0x980..=0xdff | 0x10a0..=0x10ff => 13,
        0x600..=0x6ff => 14,
        0x370..=0x3ff => 17,
        0xe00..=0xe7f | 0x1000..=0x109f | 0x1780..=0x17ff => 18,
        0x3040..=0x309f => 20,
        0x30a0..=0x30ff => 21,
        0xac00..=0xd7a3 => 21,
        0x4e00..=0x9fff => 29,
        _ => UNKNOWN_SCRIPT,
    }
}

/// The number of 64-bit blocks of the Bloom filter of pieces that are one token.
const FILTER_BLOCKS: usize = 1 << 15;
const TOKEN_FILTER: &[u8; FILTER_BLOCKS * 8] = include_bytes!("pieces.bloom");

/// The hash, for the Bloom filter, of the piece `text[start..end]` with a newline of `newline` bytes after it (2 for
/// `\r\n`, 0 for none).
#[inline(always)]
pub(crate) fn hash_piece_and_newline(text: &[u8], start: usize, end: usize, newline: usize) -> u64 {
    let mut hash = ((end - start) * 4 + newline) as u64;
    let mut at = start;
    loop {
        let left = end - at;
        let word = match text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(eight) if left >= 8 => u64::from_le_bytes(*eight),
            Some(eight) => u64::from_le_bytes(*eight) & ((1 << (left * 8)) - 1),
            None => text.get(at..end).unwrap_or(&[]).iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        hash = (hash.rotate_left(25) ^ word).wrapping_mul(MULTIPLIER);
        if left <= 8 {
            break;
        }
        at += 8;
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(MULTIPLIER);
    hash ^ (hash >> 29)
}

/// The multiplier of the hash of pieces: of 150 random numbers, the one whose false positives are rarest in real files.
const MULTIPLIER: u64 = 0xB595_1DB5_DDA7_26BF;

/// The two blocks of the Bloom filter for the hash of a piece, each with the three bits that must be set in it.
#[inline(always)]
const fn bloom_filter_probes_of_hash(hash: u64) -> [(usize, u64); 2] {
    let first = 1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63);
    let second = 1 << (hash >> 18 & 63) | 1 << (hash >> 24 & 63) | 1 << (hash >> 30 & 63);
    [((hash >> 49) as usize, first), ((hash >> 36) as usize & (FILTER_BLOCKS - 1), second)]
}

/// Whether the piece of text with this hash is one token. One in five thousand other pieces is a false positive.
#[inline(always)]
pub(crate) fn may_be_hash_of_single_token(hash: u64) -> bool {
    let (blocks, _) = TOKEN_FILTER.as_chunks::<8>();
    let has_bits =
        |(block, bits): (usize, u64)| blocks.get(block).is_some_and(|b| u64::from_le_bytes(*b) & bits == bits);
    let [first, second] = bloom_filter_probes_of_hash(hash);
    has_bits(first) && has_bits(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::o200k_tokenizer;

    /// The number of tokens that the filter holds. Those of a higher rank are rare words of many languages; without
    /// them the estimate errs on the high side.
    const RANKS: u32 = 120_000;

    fn is_latin(c: char) -> bool {
        c.is_ascii() || token_price_entry_of_char(c).is_non_ascii_latin_letter()
    }

    /// Compares a committed table with `expected`, or writes it where `UPDATE_TABLES` is set.
    fn assert_table(file: &str, committed: &[u8], expected: &[u8]) {
        if std::env::var_os("UPDATE_TABLES").is_some() {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
            std::fs::write(path, expected).expect("the table is written");
        } else {
            assert!(committed == expected, "{file} does not match the tokenizer: run the test with UPDATE_TABLES=1");
        }
    }

    #[test]
    fn the_filter_holds_the_words_and_punctuation_of_the_vocabulary() {
        let tokenizer = o200k_tokenizer().expect("the vocabulary is compiled in");
        let mut filter = vec![0u64; FILTER_BLOCKS];
        for token in 0..RANKS {
            let Some(text) = tokenizer.decode_to_string(&[token]).ok() else {
                continue;
            };
            let piece = text.trim_end_matches(['\r', '\n']);
            let newline = text.get(piece.len()..).unwrap_or("");
            let starts = piece.chars().next().is_some_and(|c| !c.is_numeric());
            if starts
                && ["", "\n", "\r\n"].contains(&newline)
                && !piece.trim().is_empty()
                && piece.chars().all(is_latin)
            {
                for (block, bits) in
                    bloom_filter_probes_of_hash(hash_piece_and_newline(piece.as_bytes(), 0, piece.len(), newline.len()))
                {
                    filter[block] |= bits;
                }
            }
        }
        let bytes: Vec<u8> = filter.iter().flat_map(|block| block.to_le_bytes()).collect();
        assert_table("pieces.bloom", TOKEN_FILTER, &bytes);
    }

    #[test]
    fn the_table_has_the_token_count_of_each_character() {
        let tokenizer = o200k_tokenizer().expect("the vocabulary is compiled in");
        let tokens = |code: u32| char::from_u32(code).map_or(3, |c| tokenizer.count(c.encode_utf8(&mut [0; 4])));
        let mut table = Vec::new();
        for code in (0..0x1_0000).step_by(3) {
            let three = (0..3)
                .filter(|n| code + n < 0x1_0000)
                .map(|n| u8::try_from(tokens(code + n).min(3)).unwrap_or(3) << (n * 2));
            table.push(b'0' + three.sum::<u8>());
        }
        while table.len() % CHARS_LINE != 0 {
            table.push(b'0');
        }
        let text: Vec<u8> = table.chunks(CHARS_LINE).flat_map(|line| [line, b"\n"].concat()).collect();
        assert_table("chars.txt", CHARS_TEXT, &text);
    }
}
