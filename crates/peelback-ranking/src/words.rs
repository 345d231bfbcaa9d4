//! Splits texts and questions into terms: every identifier is split into parts, and each part is reduced to its stem.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rust_stemmers::{Algorithm, Stemmer};

/// A word as a 32-bit hash: of the stem of an identifier's part, or of a whole identifier in lower case. A hash
/// collision only adds one wrong match among many.
pub(super) type Term = u32;

/// The maximum number of parts of one identifier that count. A part that ends in digits counts as two.
const MAX_IDENTIFIER_PARTS: usize = 8;

/// The maximum length in bytes of an identifier that has terms; longer ones are data.
const MAX_IDENTIFIER_BYTES: usize = 96;

/// The maximum number of identifiers that an [`IdentifierSplitter`] remembers; when the limit is reached, it forgets
/// all.
const MAX_REMEMBERED_IDENTIFIERS: usize = 1 << 18;

/// The size of an [`IdentifierSplitter`]'s table of recent identifiers: 2 to the power of 11, as 11 bits of a hash
/// remain for the index.
const RECENT_TABLE_SIZE: usize = 1 << 11;

/// The terms of one identifier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Terms {
    list: [Term; MAX_IDENTIFIER_PARTS + 1],
    len: u8,
}

impl Terms {
    fn push_if_absent(&mut self, term: Term) {
        if self.as_slice().contains(&term) {
            return;
        }
        if let Some(entry) = self.list.get_mut(usize::from(self.len)) {
            *entry = term;
            self.len += 1;
        }
    }

    /// The distinct terms of the identifier: its parts in their order, then the whole identifier if it has several
    /// parts.
    pub fn as_slice(&self) -> &[Term] {
        self.list.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

/// The term of a lower-case word: its hash, equal in every process.
pub(super) fn hash_word_as_term(word: &str) -> Term {
    let hash = foldhash::quality::FixedState::with_seed(0).hash_one(word);
    // The upper half of the hash is distributed as well as the whole.
    (hash >> 32) as Term
}

/// The term of a whole identifier, as used for names of definitions.
pub(super) fn hash_identifier_as_term(name: &str) -> Term {
    hash_word_as_term(&name.to_lowercase())
}

/// Whether a byte can be part of an identifier; all bytes beyond ASCII can.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the table has 256 entries, one for every byte")]
pub(super) fn is_identifier_byte(byte: u8) -> bool {
    IS_IDENTIFIER_BYTE[usize::from(byte)]
}

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "the loop ends at the table's length, 256, so that the index is in the table and fits into a byte"
)]
static IS_IDENTIFIER_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        let it = byte as u8;
        table[byte] = it.is_ascii_alphanumeric() || it == b'_' || it >= 0x80;
        byte += 1;
    }
    table
};

/// The identifiers of a text, each with the offset of its first byte. Beyond ASCII, an identifier consists of letters,
/// digits and joining characters. It ends at non-ASCII quotation marks, dashes and spaces, and where an ideographic
/// script changes to another script.
pub(super) fn identifiers_in_text(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            while bytes.get(at).is_some_and(|byte| !is_identifier_byte(*byte)) {
                at += 1;
            }
            let start = at;
            let mut is_ascii = true;
            while let Some(byte) = bytes.get(at).filter(|byte| is_identifier_byte(**byte)) {
                is_ascii &= byte.is_ascii();
                at += 1;
            }
            if start == at {
                return None;
            }
            // Consecutive bytes beyond ASCII are taken as one run, so that both ends of the run are character
            // boundaries.
            let run = text.get(start..at).unwrap_or("");
            if is_ascii {
                return Some((start, run));
            }
            let Some(first) = run.find(is_identifier_char) else { continue };
            let word = run.get(first..).unwrap_or("");
            let script = word.chars().next().is_some_and(is_chinese_japanese_or_korean);
            let end = word
                .find(|c| !is_identifier_char(c) || is_chinese_japanese_or_korean(c) != script)
                .unwrap_or(word.len());
            let word = word.get(..end).unwrap_or("");
            at = start + first + end;
            // A long sentence in a script without spaces is returned in pieces that overlap by one character, so that
            // no pair of adjacent characters is lost.
            let mut rest = word.char_indices().skip(MAX_IDENTIFIER_PARTS);
            if let (true, Some((last, _)), Some((cut, _))) = (script, rest.next(), rest.next()) {
                at = start + first + last;
                return Some((start + first, word.get(..cut).unwrap_or("")));
            }
            return Some((start + first, word));
        }
    })
}

/// Whether a character can be part of an identifier.
fn is_identifier_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a character belongs to a script without spaces between words: Chinese, Japanese, Korean.
fn is_chinese_japanese_or_korean(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The parts of an identifier as written: `HTTPServer_v2` has the parts `HTTP`, `Server`, `v2`.
pub(super) fn identifier_parts(identifier: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for_each_identifier_part(identifier, |part| parts.push(part));
    parts
}

/// Calls `tell` for each part that [`identifier_parts`] lists. No list is allocated, because this runs for every word
/// of a project.
fn for_each_identifier_part<'a>(identifier: &'a str, mut tell: impl FnMut(&'a str)) {
    for run in identifier.split('_').filter(|run| !run.is_empty()) {
        if run.is_ascii() {
            let bytes = run.as_bytes();
            for_each_camel_case_part(
                run,
                bytes.iter().enumerate().map(|(at, byte)| (at, char::from(*byte))),
                &mut tell,
            );
        } else if run.chars().all(is_chinese_japanese_or_korean) && run.chars().nth(2).is_some() {
            // In a script without spaces, every two adjacent characters may be a word.
            let starts = run.char_indices().map(|(at, _)| at);
            let ends = run.char_indices().skip(2).map(|(at, _)| at).chain([run.len()]);
            starts.zip(ends).filter_map(|(at, end)| run.get(at..end)).for_each(&mut tell);
        } else {
            for_each_camel_case_part(run, run.char_indices(), &mut tell);
        }
    }
}

/// Splits `run`, a piece of an identifier whose characters are `chars`, at changes between lower-case and capital
/// letters, and calls `tell` for each part.
fn for_each_camel_case_part<'a>(
    run: &'a str,
    chars: impl Iterator<Item = (usize, char)> + Clone,
    tell: &mut impl FnMut(&'a str),
) {
    let mut start = 0;
    let mut after = chars.clone().skip(2);
    for ((_, one), (at, two)) in chars.clone().zip(chars.skip(1)) {
        let next_is_lower = after.next().is_some_and(|(_, c)| c.is_lowercase());
        let turns = (one.is_lowercase() || one.is_ascii_digit()) && two.is_uppercase();
        let ends_capitals = one.is_uppercase() && two.is_uppercase() && next_is_lower;
        if turns || ends_capitals {
            run.get(start..at).into_iter().for_each(&mut *tell);
            start = at;
        }
    }
    run.get(start..).filter(|rest| !rest.is_empty()).into_iter().for_each(tell);
}

/// The number of an identifier in an `IdentifierSplitter`, with the two most requested facts packed in: whether the
/// identifier has terms, and whether it is a definition keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IdentifierId(u32);

impl IdentifierId {
    const NO_TERMS: u32 = 1 << 31;
    const DEFINES: u32 = 1 << 30;
    const DEFINES_AT_START: u32 = 1 << 29;

    /// The index of the identifier among those that have terms.
    pub fn index_among_identifiers_with_terms(self) -> usize {
        (self.0 & (Self::DEFINES_AT_START - 1)) as usize
    }

    /// Whether the identifier has terms.
    pub fn has_terms(self) -> bool {
        self.0 & Self::NO_TERMS == 0
    }

    /// Whether the identifier is a keyword after which the name of a definition follows.
    pub fn definition_keyword_status(self) -> DefinitionKeyword {
        if self.0 & Self::DEFINES != 0 {
            DefinitionKeyword::Yes
        } else if self.0 & Self::DEFINES_AT_START != 0 {
            DefinitionKeyword::AtLineStart
        } else {
            DefinitionKeyword::No
        }
    }
}

/// Whether a word is a keyword after which the name of a definition follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefinitionKeyword {
    No,
    /// The name of a definition follows the word: `class`, `fn`.
    Yes,
    /// The name of a definition follows the word if it begins a line: `let`, `const`.
    AtLineStart,
}

/// A set of short words, each stored as a number (see [`short_identifier_as_number`]), because numbers compare faster
/// than strings.
pub(super) struct ShortWordSet<const N: usize>([u128; N]);

impl<const N: usize> ShortWordSet<N> {
    /// Creates a set from ASCII words of up to 15 bytes.
    #[expect(
        clippy::indexing_slicing,
        reason = "`index` stays below N, the length of both arrays, and `at` below the length of the word"
    )]
    pub const fn from_words(words: [&str; N]) -> Self {
        let mut numbers = [0; N];
        let mut index = 0;
        while index < N {
            let bytes = words[index].as_bytes();
            assert!(bytes.len() <= 15, "too long a word");
            let mut at = bytes.len();
            while at > 0 {
                at -= 1;
                numbers[index] = numbers[index] << 8 | bytes[at] as u128;
            }
            index += 1;
        }
        Self(numbers)
    }

    /// Whether the first `len` bytes of a text are one of the words in the set.
    pub fn contains_text_prefix(&self, text: &[u8], len: usize) -> bool {
        short_identifier_as_number(text, 0, len).is_some_and(|number| self.0.contains(&number))
    }
}

/// Keywords that precede the name of a definition, in all supported languages.
pub(super) static DEFINITION_KEYWORDS: ShortWordSet<22> = ShortWordSet::from_words([
    "class",
    "def",
    "defmodule",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "macro_rules",
    "mod",
    "module",
    "namespace",
    "object",
    "protocol",
    "record",
    "struct",
    "trait",
    "type",
    "typedef",
    "union",
]);

/// Keywords that precede the name of a definition only at the start of a line.
static LINE_START_DEFINITION_KEYWORDS: ShortWordSet<5> =
    ShortWordSet::from_words(["const", "let", "static", "val", "var"]);

/// The bytes of an identifier as a number; `None` for an identifier of more than 15 bytes. No identifier contains a
/// zero byte, so different identifiers have different numbers.
fn short_identifier_as_number(bytes: &[u8], at: usize, len: usize) -> Option<u128> {
    if len > 15 {
        return None;
    }
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        Some(chunk) => Some(u128::from_le_bytes(*chunk) & ((1 << (len * 8)) - 1)),
        None => {
            let own = bytes.get(at..at + len)?;
            Some(own.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte)))
        }
    }
}

/// The terms that one question needs. A process that answers one question and exits has no use for other terms, and the
/// first two letters rule out most identifiers.
#[derive(Debug)]
pub(crate) struct WantedTerms {
    /// A number that no other set of this process has.
    number: u64,
    terms: HashSet<Term, foldhash::fast::RandomState>,
    /// For each pair of first letters, as a number: whether any term begins with these two letters.
    first_letters: Box<[bool]>,
}

/// The number of different pairs of first letters, as numbers of 14 bits.
const FIRST_LETTERS_COUNT: usize = 1 << 14;

/// The first two letters of an ASCII word as one number. `y` counts as `i`, because the stem of `dying` is `die`.
fn first_two_letters_as_number(word: &[u8]) -> Option<usize> {
    let letter = |at: usize| -> Option<usize> {
        let byte = word.get(at)?.to_ascii_lowercase();
        byte.is_ascii().then_some(usize::from(if byte == b'y' { b'i' } else { byte }))
    };
    Some(letter(0)? << 7 | letter(1)?)
}

impl WantedTerms {
    /// Creates the set from words and their terms.
    pub fn from_words<'a>(words: impl Iterator<Item = (&'a str, Term)>) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let mut heads = vec![false; FIRST_LETTERS_COUNT];
        let mut terms = HashSet::default();
        for (word, term) in words {
            terms.insert(term);
            let word = word.to_lowercase();
            // A stem begins with the same letters as its word.
            match first_two_letters_as_number(word.as_bytes()).and_then(|head| heads.get_mut(head)) {
                Some(known) => *known = true,
                None => heads.fill(true),
            }
        }
        Self { number: NUMBER.fetch_add(1, Ordering::Relaxed), terms, first_letters: heads.into() }
    }

    /// The number that identifies this set in the process.
    pub fn unique_set_id(&self) -> u64 {
        self.number
    }

    /// Whether a word may have a term of the set, judged by the word's first two letters.
    fn can_have_wanted_term(&self, word: &str) -> bool {
        first_two_letters_as_number(word.as_bytes())
            .and_then(|head| self.first_letters.get(head))
            .is_none_or(|wanted| *wanted)
    }

    /// Whether the set contains a term.
    pub fn contains(&self, term: Term) -> bool {
        self.terms.contains(&term)
    }
}

/// Splits identifiers into parts, computes the terms of the parts, and remembers them.
pub(super) struct IdentifierSplitter {
    stemmer: Stemmer,
    /// The ids of identifiers of up to 15 bytes, which are nearly all; the key is the identifier's bytes as a number.
    short_ids: HashMap<u128, IdentifierId, foldhash::fast::RandomState>,
    /// The most recently used short identifiers. A few words make up most of a text, and a small table is faster to
    /// search.
    recent: Box<[(u128, IdentifierId)]>,
    long_ids: HashMap<Box<str>, IdentifierId, foldhash::fast::RandomState>,
    /// The terms of each identifier, by the index of its id.
    terms_by_index: Vec<Terms>,
    /// The terms of identifiers' parts of up to 15 bytes. There are many identifiers but few different parts.
    stems: HashMap<u128, Term, foldhash::fast::RandomState>,
    /// The only terms to compute, if the splitter serves one question; `None` computes all terms.
    wanted: Option<Arc<WantedTerms>>,
}

impl IdentifierSplitter {
    pub fn new() -> Self {
        Self::new_for_wanted_terms(None)
    }

    /// Creates a splitter that computes only the `wanted` terms, or all terms for `None`.
    pub fn new_for_wanted_terms(wanted: Option<Arc<WantedTerms>>) -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            short_ids: HashMap::default(),
            recent: vec![(0, IdentifierId(IdentifierId::NO_TERMS)); RECENT_TABLE_SIZE].into(),
            long_ids: HashMap::default(),
            terms_by_index: Vec::new(),
            stems: HashMap::default(),
            wanted,
        }
    }

    /// The stem of a word, in lower case.
    pub fn stem(&self, word: &str) -> String {
        let lowercase = word.to_lowercase();
        self.stemmer.stem(&lowercase).into_owned()
    }

    /// Clears the remembered identifiers if there are many; ids from before this call become invalid.
    pub fn clear_identifiers_if_full(&mut self) {
        if self.short_ids.len() + self.long_ids.len() >= MAX_REMEMBERED_IDENTIFIERS {
            self.short_ids.clear();
            self.recent.fill((0, IdentifierId(IdentifierId::NO_TERMS)));
            self.long_ids.clear();
            self.terms_by_index.clear();
            self.stems.clear();
        }
    }

    /// The id of an identifier, valid until [`Self::clear_identifiers_if_full`].
    fn get_or_add_identifier_id(&mut self, identifier: &str) -> IdentifierId {
        match short_identifier_as_number(identifier.as_bytes(), 0, identifier.len()) {
            Some(number) => self.get_or_add_short_identifier_id(number, identifier),
            None => self.get_or_add_long_identifier_id(identifier),
        }
    }

    /// The id of the identifier at offset `at` of a text. This is faster than [`Self::get_or_add_identifier_id`].
    pub fn get_or_add_identifier_id_at(&mut self, bytes: &[u8], at: usize, identifier: &str) -> IdentifierId {
        match short_identifier_as_number(bytes, at, identifier.len()) {
            Some(number) => self.get_or_add_short_identifier_id(number, identifier),
            None => self.get_or_add_long_identifier_id(identifier),
        }
    }

    fn get_or_add_short_identifier_id(&mut self, number: u128, identifier: &str) -> IdentifierId {
        let folded = ((number & 0xffff_ffff_ffff_ffff) as u64) ^ ((number >> 64) as u64).rotate_left(32);
        let slot = (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) as usize;
        if let Some((known, id)) = self.recent.get(slot)
            && *known == number
        {
            return *id;
        }
        let id = match self.short_ids.get(&number) {
            Some(id) => *id,
            None => {
                let id = self.add_identifier(identifier);
                self.short_ids.insert(number, id);
                id
            }
        };
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = (number, id);
        }
        id
    }

    fn get_or_add_long_identifier_id(&mut self, identifier: &str) -> IdentifierId {
        if let Some(id) = self.long_ids.get(identifier) {
            return *id;
        }
        let id = self.add_identifier(identifier);
        self.long_ids.insert(identifier.into(), id);
        id
    }

    fn add_identifier(&mut self, identifier: &str) -> IdentifierId {
        let (bytes, len) = (identifier.as_bytes(), identifier.len());
        let defining = if DEFINITION_KEYWORDS.contains_text_prefix(bytes, len) {
            IdentifierId::DEFINES
        } else if LINE_START_DEFINITION_KEYWORDS.contains_text_prefix(bytes, len) {
            IdentifierId::DEFINES_AT_START
        } else {
            0
        };
        let terms = if len > MAX_IDENTIFIER_BYTES { Terms::default() } else { self.compute_terms(identifier) };
        let index = u32::try_from(self.terms_by_index.len()).unwrap_or(u32::MAX);
        if terms.as_slice().is_empty() || index >= IdentifierId::DEFINES_AT_START {
            return IdentifierId(IdentifierId::NO_TERMS | defining);
        }
        self.terms_by_index.push(terms);
        IdentifierId(index | defining)
    }

    /// Whether the splitter computes this term, because it computes all terms or this one is wanted.
    pub fn should_compute_term(&self, term: Term) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(term))
    }

    /// The terms of the identifier with this index; see [`IdentifierId::index`].
    pub fn terms_of_identifier_at_index(&self, index: usize) -> &[Term] {
        self.terms_by_index.get(index).map_or(&[], Terms::as_slice)
    }

    /// The terms of an identifier. None for a single letter, for digits alone, and for an identifier that is too long.
    pub fn terms_of_identifier(&mut self, identifier: &str) -> Terms {
        self.clear_identifiers_if_full();
        let id = self.get_or_add_identifier_id(identifier);
        if id.has_terms() {
            self.terms_by_index.get(id.index_among_identifiers_with_terms()).copied().unwrap_or_default()
        } else {
            Terms::default()
        }
    }

    /// The term of an identifier's part: the hash of its stem.
    fn term_of_part(&mut self, part: &str) -> Term {
        let number = if part.is_ascii() { short_identifier_as_number(part.as_bytes(), 0, part.len()) } else { None };
        let Some(number) = number else { return hash_word_as_term(&self.stem(part)) };
        if let Some(known) = self.stems.get(&number) {
            return *known;
        }
        let made = hash_word_as_term(&self.stem(part));
        self.stems.insert(number, made);
        made
    }

    fn compute_terms(&mut self, identifier: &str) -> Terms {
        let mut terms = Terms::default();
        // Taken out of `self` during the loop, because `term_of_part` borrows `self` mutably; put back at the end.
        let wanted = self.wanted.take();
        let may_have = |word: &str| wanted.as_ref().is_none_or(|wanted| wanted.can_have_wanted_term(word));
        let mut add = |term: Term| {
            if wanted.as_ref().is_none_or(|wanted| wanted.contains(term)) {
                terms.push_if_absent(term);
            }
        };
        // Parts beyond the limit are counted without regard to `wanted`; otherwise the terms of an identifier would
        // depend on the question.
        let mut room = MAX_IDENTIFIER_PARTS;
        let mut count = 0;
        for_each_identifier_part(identifier, |part| {
            count += 1;
            let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
            if count > MAX_IDENTIFIER_PARTS || part.chars().nth(1).is_none() || (is_number && part.len() > 6) {
                return;
            }
            // Words with trailing digits, such as `utf8` and `Linear1D`, also yield the term without the digits.
            let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
            let letters = (letters.len() < part.len() && letters.chars().nth(2).is_some()).then_some(letters);
            for word in std::iter::once(part).chain(letters) {
                let Some(left) = room.checked_sub(1) else { break };
                room = left;
                if may_have(part) {
                    add(self.term_of_part(word));
                }
            }
        });
        if count > 1 && may_have(identifier) {
            add(hash_identifier_as_term(identifier));
        }
        self.wanted = wanted;
        terms
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of files and words: the last digits of millions do not matter")]
pub(super) fn count_as_f32(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_come_apart() {
        for (identifier, expected) in [
            ("fooBar", vec!["foo", "Bar"]),
            ("HTTPServer_v2", vec!["HTTP", "Server", "v2"]),
            ("__init__", vec!["init"]),
            ("Pix2Sky_TAN", vec!["Pix2", "Sky", "TAN"]),
            ("größeÄndern", vec!["größe", "Ändern"]),
            ("検索する", vec!["検索", "索す", "する"]),
            ("検索", vec!["検索"]),
            ("_", vec![]),
        ] {
            assert_eq!(identifier_parts(identifier), expected, "{identifier}");
        }
    }

    #[test]
    fn words_of_one_stem_are_one_term() {
        let mut splitter = IdentifierSplitter::new();
        let mut first = |identifier: &str| splitter.terms_of_identifier(identifier).as_slice().first().copied();
        assert_eq!(first("models"), first("Model"));
        assert_eq!(first("authenticate"), first("authentication"));
        assert_ne!(first("model"), first("mode"));
        assert_eq!(first("x"), None);
    }

    #[test]
    fn what_one_question_wants_is_all_that_is_made_for_it() {
        for word in ["models", "die", "dying", "größe", "case", "snake_case", "zeta5", "zeta", "delta"] {
            let mut all = IdentifierSplitter::new();
            let whole = hash_identifier_as_term(word);
            let asked = if word.contains('_') { whole } else { all.terms_of_identifier(word).as_slice()[0] };
            let mut some = IdentifierSplitter::new_for_wanted_terms(Some(Arc::new(WantedTerms::from_words(
                std::iter::once((word, asked)),
            ))));
            for identifier in [
                "Model2",
                "dying",
                "dieModel",
                "GRÖßE_models",
                "snake_case",
                "Snake_Case",
                "x",
                "other",
                "alpha1_beta2_gamma3_delta4_zeta5",
            ] {
                let expected = all.terms_of_identifier(identifier).as_slice().contains(&asked);
                assert_eq!(
                    some.terms_of_identifier(identifier).as_slice(),
                    &[asked][..usize::from(expected)],
                    "{word} {identifier}"
                );
            }
        }
    }

    #[test]
    fn words_are_known_by_their_numbers() {
        for text in ["def f", "def", "fn", "macro_rules!", "namespace x"] {
            let len = text.bytes().take_while(|byte| is_identifier_byte(*byte)).count();
            assert!(DEFINITION_KEYWORDS.contains_text_prefix(text.as_bytes(), len), "{text}");
        }
        assert!(
            !DEFINITION_KEYWORDS.contains_text_prefix(b"defs", 4)
                && !DEFINITION_KEYWORDS.contains_text_prefix(b"a_word_of_many_letters", 22)
                && !DEFINITION_KEYWORDS.contains_text_prefix(b"", 0)
        );
    }

    #[test]
    fn a_text_has_its_identifiers() {
        let found: Vec<&str> = identifiers_in_text("a.b_c(größe) // d2").map(|(_, word)| word).collect();
        assert_eq!(found, ["a", "b_c", "größe", "d2"]);
        for (text, expected) in [
            ("the “retry” policy", vec!["the", "retry", "policy"]),
            ("retry\u{a0}policy — now…", vec!["retry", "policy", "now"]),
            ("重试 retry策略", vec!["重试", "retry", "策略"]),
            ("—“”…", vec![]),
            ("質問に答えるファイルを検索する。", vec!["質問に答えるファイ", "イルを検索する"]),
        ] {
            let found: Vec<(usize, &str)> = identifiers_in_text(text).collect();
            assert_eq!(found.iter().map(|(_, word)| *word).collect::<Vec<_>>(), expected, "{text}");
            assert!(found.iter().all(|(at, word)| text[*at..].starts_with(word)), "{text}");
        }
    }
}
