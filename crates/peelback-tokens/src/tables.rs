//! The constants of the estimate, read from three files at compile time.
//!
//! `pairs.txt` holds what each character adds to a piece after the one before it: 100 rows (before) by 100 columns
//! (after), each value one printable character, `(code - 74) / 32` of a token. `chars.txt` holds, for each code point
//! below U+10000, how many tokens it is alone (1 to 3, or more where that is said as 3): three to a byte, two bits
//! each, counted from `0`. `pieces.bloom` is the filter of the pieces that are one token; the tests below make it and
//! `chars.txt` anew from the tokenizer where `UPDATE_TABLES` is set.

/// Parts of a token that costs are counted in.
pub(crate) const UNIT: i64 = 32;

/// Stands before the first character of a piece.
pub(crate) const START: u8 = 0;
/// A control character that is not white space.
pub(crate) const CONTROL: u8 = 1;
/// A Latin letter beyond ASCII.
pub(crate) const LATIN: u8 = 2;
/// The end of a line.
pub(crate) const NEWLINE: u8 = b'\n';

const SYMBOLS: usize = 100;
const PAIRS_TEXT: &[u8; SYMBOLS * (SYMBOLS + 1)] = include_bytes!("pairs.txt");
static PAIRS: [[i8; 128]; 128] = pairs();

/// The place of a symbol in the rows and columns of `pairs.txt`.
const fn place(symbol: usize) -> usize {
    match symbol as u8 {
        START => 0,
        LATIN => 2,
        b'\t' => 3,
        b'\n' | b'\r' => 4,
        b' '..=b'~' => symbol - b' ' as usize + 5,
        _ => 1,
    }
}

const fn pairs() -> [[i8; 128]; 128] {
    let mut pairs = [[0; 128]; 128];
    let mut before = 0;
    while before < 128 {
        let mut after = 0;
        while after < 128 {
            pairs[before][after] = (PAIRS_TEXT[place(before) * (SYMBOLS + 1) + place(after)] as i16 - 74) as i8;
            after += 1;
        }
        before += 1;
    }
    pairs
}

/// What `after` adds to a piece behind `before`; both are below 128.
#[inline(always)]
pub(crate) fn pair(before: u8, after: u8) -> i64 {
    PAIRS[usize::from(before & 127)][usize::from(after & 127)].into()
}

const LENGTHS: usize = 24;

/// What a word piece costs by its length in characters, pairs apart. From 20 letters on it is what was fitted and two
/// tokens more: so long a word that the vocabulary lacks is rare in code, but where it is the name of a file it stands
/// in every row of an answer, so that what it falls short adds up. With this, 99 of 100 such words of random letters
/// cost no more than they are said to.
const WORD: [i16; LENGTHS] =
    [32, 32, 0, 9, 31, 35, 40, 43, 47, 50, 54, 57, 58, 60, 64, 64, 69, 76, 77, 79, 144, 145, 153, 161];

/// Rules (`----`) longer than the table take another token for so many characters.
const LONG_RULE: usize = 16;

/// What a piece of punctuation costs by its length, pairs apart.
const PUNCTUATION: [i16; LENGTHS] =
    [32, 32, 12, 16, 29, 39, 47, 54, 57, 60, 66, 64, 75, 73, 73, 81, 74, 74, 79, 83, 77, 76, 78, 86];

/// What each letter adds to a word longer than the table: nobody's word, so that few of its parts are tokens.
const LONG_WORD: i64 = 4;

#[inline(always)]
pub(crate) fn word_base(length: usize) -> i64 {
    let beyond = i64::try_from(length.saturating_sub(LENGTHS - 1)).unwrap_or(i64::MAX / LONG_WORD);
    i64::from(WORD[length.min(LENGTHS - 1)]) + beyond * LONG_WORD
}

#[inline(always)]
pub(crate) fn punctuation_base(length: usize) -> i64 {
    let long = i64::try_from(length.saturating_sub(LENGTHS - 1) / LONG_RULE).unwrap_or(i64::MAX / UNIT);
    i64::from(PUNCTUATION[length.min(LENGTHS - 1)]) + long * UNIT
}

const CHARS_TEXT: &[u8] = include_bytes!("chars.txt");
const CHARS_LINE: usize = 64;

/// What is known of a character beyond ASCII: in the two lowest bits how many tokens it is alone less one, above them
/// its step.
#[derive(Clone, Copy)]
pub(crate) struct Wide(u8);

/// Stands for a step in the table: a Latin letter, which belongs to a word.
const IS_LATIN: u8 = 63;

/// The characters below U+10000.
static WIDE: [Wide; 0x1_0000] = wides();

const fn wides() -> [Wide; 0x1_0000] {
    let mut wides = [Wide(0); 0x1_0000];
    let mut code = 0;
    while code < wides.len() {
        let byte = code / 3;
        let byte = CHARS_TEXT[byte / CHARS_LINE * (CHARS_LINE + 1) + byte % CHARS_LINE];
        let alone = ((byte - b'0') >> (code % 3 * 2)) & 3;
        let step = if is_latin(code) { IS_LATIN } else { letter_step(code) };
        wides[code] = Wide(step << 2 | alone.saturating_sub(1));
        code += 1;
    }
    wides
}

/// What is known of a character.
#[inline(always)]
pub(crate) fn wide(c: char) -> Wide {
    WIDE.get(c as usize).copied().unwrap_or_else(|| {
        let alone = match c as u32 {
            0x1_F300..0x1_F500 => 2,
            0x1_D000..0x1_E000 | 0x1_F000..0x2_0000 => 3,
            _ => 4,
        };
        Wide(UNKNOWN_STEP << 2 | (alone - 1))
    })
}

impl Wide {
    /// How many tokens it is alone.
    #[inline(always)]
    pub fn alone(self) -> i64 {
        i64::from(self.0 & 3) + 1
    }

    /// Whether it is a Latin letter beyond ASCII.
    #[inline(always)]
    pub fn is_latin(self) -> bool {
        self.0 >> 2 == IS_LATIN
    }

    /// Whether `c`, which this is of, is a letter, or a mark of a script that writes vowels with them.
    #[inline(always)]
    pub fn is_letter(self, c: char) -> bool {
        self.0 >> 2 != UNKNOWN_STEP || c.is_alphabetic()
    }

    /// What it adds behind another letter, in [`UNIT`]s.
    #[inline(always)]
    pub fn step(self) -> i64 {
        i64::from(self.0 >> 2)
    }
}

const fn is_latin(code: usize) -> bool {
    matches!(code, 0xaa | 0xb5 | 0xba | 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0x24f | 0x1e00..=0x1eff)
}

/// The step of characters whose script is not in the table.
const UNKNOWN_STEP: u8 = UNIT as u8;

/// What a letter adds behind another letter, by its script.
const fn letter_step(code: usize) -> u8 {
    match code {
        // Capitals follow one another in acronyms and alphabets, not in words.
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
        _ => UNKNOWN_STEP,
    }
}

const BLOCKS: usize = 1 << 15;
const TOKENS: &[u8; BLOCKS * 8] = include_bytes!("pieces.bloom");

/// The hash of a piece: `text[start..end]` and then a newline of `newline` bytes (`\r\n` has two), 0 for none.
#[inline(always)]
pub(crate) fn hash(text: &[u8], start: usize, end: usize, newline: usize) -> u64 {
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

/// Of 150 random numbers the one whose false friends weigh least among the pieces of real files.
const MULTIPLIER: u64 = 0xB595_1DB5_DDA7_26BF;

/// The two blocks of the filter that a hash falls in, and its bits in each.
#[inline(always)]
const fn bits(hash: u64) -> [(usize, u64); 2] {
    let first = 1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63);
    let second = 1 << (hash >> 18 & 63) | 1 << (hash >> 24 & 63) | 1 << (hash >> 30 & 63);
    [((hash >> 49) as usize, first), ((hash >> 36) as usize & (BLOCKS - 1), second)]
}

/// Whether the piece with this hash is one token; wrong for about one in five thousand that are not.
#[inline(always)]
pub(crate) fn is_token(hash: u64) -> bool {
    let (blocks, _) = TOKENS.as_chunks::<8>();
    let has = |(block, bits): (usize, u64)| blocks.get(block).is_some_and(|b| u64::from_le_bytes(*b) & bits == bits);
    let [first, second] = bits(hash);
    has(first) && has(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens beyond this rank are rare words of many languages: not knowing them errs to the safe side.
    const RANKS: u32 = 120_000;

    fn is_latin(c: char) -> bool {
        c.is_ascii() || wide(c).is_latin()
    }

    /// Compares a table with what the tokenizer says, or renews it where `UPDATE_TABLES` is set.
    fn check(file: &str, committed: &[u8], right: &[u8]) {
        if std::env::var_os("UPDATE_TABLES").is_some() {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
            std::fs::write(path, right).expect("the table is written");
        } else {
            assert!(committed == right, "{file} is not the tokenizer's: run the test with UPDATE_TABLES=1");
        }
    }

    #[test]
    fn the_filter_holds_the_pieces_of_the_vocabulary() {
        let tokenizer = tiktoken_rs::o200k_base().expect("the tokenizer loads");
        let mut filter = vec![0u64; BLOCKS];
        for token in 0..RANKS {
            let Some(text) = tokenizer.decode_bytes(&[token]).ok().and_then(|bytes| String::from_utf8(bytes).ok())
            else {
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
                for (block, bits) in bits(hash(piece.as_bytes(), 0, piece.len(), newline.len())) {
                    filter[block] |= bits;
                }
            }
        }
        let bytes: Vec<u8> = filter.iter().flat_map(|block| block.to_le_bytes()).collect();
        check("pieces.bloom", TOKENS, &bytes);
    }

    #[test]
    fn the_table_tells_how_many_tokens_a_character_is() {
        let tokenizer = tiktoken_rs::o200k_base().expect("the tokenizer loads");
        let tokens =
            |code: u32| char::from_u32(code).map_or(3, |c| tokenizer.encode_ordinary(c.encode_utf8(&mut [0; 4])).len());
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
        check("chars.txt", CHARS_TEXT, &text);
    }
}
