//! The constants of the estimate, read from two text files at compile time.
//!
//! `pairs.txt` holds what each character adds to a piece after the one before it: 100 rows (before) by 100 columns
//! (after), each value one printable character, `(code - 74) / 32` of a token. `chars.txt` holds, for each code point
//! below U+10000, how many tokens it is alone (1 to 3, or more where that is said as 3): three to a byte, two bits
//! each, counted from `0`.

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

/// What a word piece costs by its length in characters, pairs apart.
const WORD: [i16; LENGTHS] =
    [32, 32, 0, 9, 31, 35, 40, 43, 47, 50, 54, 57, 58, 60, 64, 64, 69, 76, 77, 79, 80, 81, 89, 97];

/// What a piece of punctuation costs by its length, pairs apart.
const PUNCTUATION: [i16; LENGTHS] =
    [32, 32, 12, 16, 29, 39, 47, 54, 57, 60, 66, 64, 75, 73, 73, 81, 74, 74, 79, 83, 77, 76, 78, 86];

#[inline(always)]
pub(crate) fn word_base(length: usize) -> i64 {
    WORD[length.min(LENGTHS - 1)].into()
}

#[inline(always)]
pub(crate) fn punctuation_base(length: usize) -> i64 {
    PUNCTUATION[length.min(LENGTHS - 1)].into()
}

const CHARS_TEXT: &[u8] = include_bytes!("chars.txt");
const CHARS_LINE: usize = 64;

/// How many tokens a character beyond ASCII is alone.
pub(crate) fn alone(c: char) -> i64 {
    let code = c as usize;
    match code {
        0..0x1_0000 => {
            let byte = code / 3;
            let byte = CHARS_TEXT.get(byte / CHARS_LINE * (CHARS_LINE + 1) + byte % CHARS_LINE);
            byte.map_or(3, |byte| ((byte.wrapping_sub(b'0') >> (code % 3 * 2)) & 3).into())
        }
        0x1_F300..0x1_F500 => 2,
        0x1_D000..0x1_E000 | 0x1_F000..0x2_0000 => 3,
        _ => 4,
    }
}

const BLOCKS: usize = 1 << 15;
const TOKENS: &[u8; BLOCKS * 8] = include_bytes!("pieces.bloom");

/// The hash of a piece, byte by byte.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    #[inline(always)]
    pub fn new() -> Self {
        Self(0)
    }

    #[inline(always)]
    pub fn add(&mut self, byte: u8) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0xFF65_0928_425C_6197);
    }

    /// The block of the filter that the piece falls in, and its bits there.
    #[inline(always)]
    pub fn bits(self) -> (usize, u64) {
        let hash = self.0 ^ (self.0 >> 29);
        let bits = 1 << (hash & 63)
            | 1 << (hash >> 6 & 63)
            | 1 << (hash >> 12 & 63)
            | 1 << (hash >> 18 & 63)
            | 1 << (hash >> 24 & 63);
        ((hash >> 49) as usize, bits)
    }

    /// Whether the piece is one token; wrong for about one in a hundred that are not.
    #[inline(always)]
    pub fn is_token(self) -> bool {
        let (block, bits) = self.bits();
        let (blocks, _) = TOKENS.as_chunks::<8>();
        blocks.get(block).is_some_and(|block| u64::from_le_bytes(*block) & bits == bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens beyond this rank are rare words of many languages: not knowing them errs to the safe side.
    const RANKS: u32 = 120_000;

    fn is_latin(c: char) -> bool {
        c.is_ascii() || crate::scan::is_latin(c)
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
            let starts = text.chars().next().is_some_and(|c| !c.is_numeric());
            let one_newline = !text.contains('\r') && text.trim_end_matches('\n').len() + 1 >= text.len();
            if starts && one_newline && !text.trim().is_empty() && text.chars().all(is_latin) {
                let mut hash = Hash::new();
                text.bytes().for_each(|byte| hash.add(byte));
                let (block, bits) = hash.bits();
                filter[block] |= bits;
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
