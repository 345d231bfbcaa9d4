//! Secrets that a whole file shows to be secrets. An excerpt of the file may lack the name, the heading or the first line
//! that shows it, so excerpts are masked by what the file as a whole says.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::judgement::{NameStrength, Writing, has_no_sign_of_code, is_secret_value, randomness_score};
use crate::marker::MASK;
use crate::stop::{Stop, Stopped};
use crate::values::CUT;

/// A part that is shorter is looked for as a whole word: it could be the middle of another.
const MIN_UNBOUNDED_BYTES: usize = 16;

/// A part that is shorter is looked for as a whole, and a longer one by its pieces. Parts of fewer bytes have pieces that
/// overlap, so that each of them could stand in too many parts.
const MIN_BYTES_WITH_PIECES: usize = 2 * PIECE_BYTES;

/// The most parts that are known, and the most bytes of them: with more, everything counts as a secret. Each part takes
/// some 600 bytes with its index.
pub(crate) const MAX_PARTS: usize = 25_000;
const MAX_BYTES: usize = 2 << 20;

/// The length of the pieces by which a long part is found where an excerpt shows a window of it.
const PIECE_BYTES: usize = 12;

/// How much of a part that is looked for as a whole is compared first. A secret is longer.
const WORD_BEGINNING_BYTES: usize = 4;

/// The number of parts that are looked at where a piece is found. Parts that begin alike differ in other pieces.
const MAX_PARTS_OF_PIECE: usize = 8;

/// The shortest beginning or end of a part that is masked where an excerpt cuts it.
const MIN_CUT_BYTES: usize = 3;

/// The longest one that is looked for at the cut: what is longer holds a piece.
const MAX_CUT_BYTES: usize = 32;

/// A beginning or end of a part that is shorter is masked only where a word begins or ends with it.
const MIN_CUT_IN_WORD_BYTES: usize = 8;

/// A text cut out of a secret that is shorter would be masked in most words.
const MIN_CUT_TEXT_BYTES: usize = 4;

/// The number of different bytes that a piece must have: less stands in other texts, too.
const MIN_DISTINCT_BYTES: usize = 6;

/// The secrets of whole texts, for the masking of excerpts of these texts.
#[derive(Clone, Default)]
pub struct KnownSecrets {
    /// The lines of the secrets, without the space around them.
    parts: Arc<BTreeSet<Arc<str>>>,
    /// Texts that an answer shows and that are cut out of secrets: see [`KnownSecrets::add_text_cut_from_secret`].
    cuts: Arc<BTreeSet<Arc<str>>>,
    /// Where to look in a text for the parts: made once for all clones, when it is first needed, and anew when parts are
    /// added.
    index: Arc<OnceLock<PartIndex>>,
    /// Whether there are secrets that are not known, so that everything counts as one.
    is_everything: bool,
}

impl std::fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownSecrets").field("count", &self.parts.len()).finish_non_exhaustive()
    }
}

impl KnownSecrets {
    /// For texts whose secrets could not be told: whatever an excerpt shows of them is masked.
    pub fn everything() -> Self {
        Self { is_everything: true, ..Self::default() }
    }

    /// Whether all of a text counts as a secret.
    pub fn is_everything(&self) -> bool {
        self.is_everything
    }

    /// Whether no secret is known.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.cuts.is_empty() && !self.is_everything
    }

    /// Adds a text that an answer shows and that is cut out of a secret, as a search for parts of lines cuts it. It is masked
    /// wherever it stands. Where it is so short that it would be masked in most words, all counts as a secret.
    pub fn add_text_cut_from_secret(&mut self, text: &str) {
        match text.trim() {
            "" => {}
            text if text.len() < MIN_CUT_TEXT_BYTES || self.cuts.len() == MAX_PARTS => *self = Self::everything(),
            text if !self.is_everything => {
                Arc::make_mut(&mut self.cuts).insert(Arc::from(text));
            }
            _ => {}
        }
    }

    /// What these parts say, of which no more are read than are known.
    pub(crate) fn of_parts(parts: impl Iterator<Item = Arc<str>>) -> Self {
        let (mut set, mut bytes) = (BTreeSet::new(), 0);
        for part in parts {
            let length = part.len();
            if set.insert(part) {
                bytes += length;
            }
            if set.len() > MAX_PARTS || bytes > MAX_BYTES {
                return Self::everything();
            }
        }
        Self { parts: Arc::new(set), ..Self::default() }
    }

    pub(crate) fn parts(&self) -> &BTreeSet<Arc<str>> {
        &self.parts
    }

    /// Adds what is known from another text.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.is_everything || other.is_everything {
            *self = Self::everything();
        } else if self.is_empty() {
            *self = other.clone();
        } else {
            let cuts = self.cuts.union(&other.cuts).cloned().collect();
            if !other.parts.is_subset(&self.parts) {
                *self = Self::of_parts(self.parts.iter().chain(other.parts.iter()).cloned());
            }
            self.cuts = Arc::new(cuts);
        }
    }

    /// The ranges of the known secrets in a text, in no order. What stands there as a mask is in none of them.
    pub(crate) fn ranges_in(&self, text: &str, stop: Stop<'_>) -> Result<Vec<Range<usize>>, Stopped> {
        if self.is_everything {
            return Ok(outside_of_masks(text, std::iter::once(0..text.len()).collect()));
        }
        let mut cuts = Vec::new();
        for cut in self.cuts.iter() {
            stop.check()?;
            let places = memchr::memmem::find_iter(text.as_bytes(), cut.as_bytes());
            cuts.extend(places.map(|at| at..at + cut.len()));
        }
        if self.parts.is_empty() {
            return Ok(outside_of_masks(text, cuts));
        }
        let index = self.index.get_or_init(|| PartIndex::of_parts(&self.parts));
        let mut found = index.ranges_of_words(text);
        stop.check()?;
        found.extend(index.ranges_of_pieces(text));
        stop.check()?;
        found.extend(index.ranges_at_cuts(text));
        found.extend(cuts);
        Ok(outside_of_masks(text, found))
    }
}

/// The parts of a secret that are looked for where nothing names them: its lines, and what stands beside a mask. A word
/// that an author chose to write beside a secret would otherwise be masked wherever the file has it.
pub(crate) fn known_parts(secret: &str) -> impl Iterator<Item = Arc<str>> + '_ {
    let lines = secret.lines().flat_map(|line| line.split(MASK)).map(str::trim);
    lines.filter(|line| is_told_alone(line)).map(Arc::from)
}

/// Whether a text shows by itself that it is a secret or a line of one, and none of code, which its author could have put
/// there to hide it from a reader.
fn is_told_alone(text: &str) -> bool {
    /// Random letters have about 1 for each of them, and names less than 0.
    const MIN_RANDOMNESS_PER_BYTE: f32 = 0.25;
    let length = f32::from(u16::try_from(text.len().min(512)).unwrap_or(u16::MAX));
    has_no_sign_of_code(text)
        && (is_secret_value(text, NameStrength::Password, Writing::Quoted)
            || text.len() >= MIN_UNBOUNDED_BYTES && randomness_score(text) > length * MIN_RANDOMNESS_PER_BYTE)
}

/// The places of a part's pieces: the number of the part, and where the piece begins in it.
type Places = Vec<(u32, u32)>;

/// Parts by what a text shows of them. Each step at a place of a text takes a time that does not depend on the number of parts.
#[derive(Default)]
struct PartIndex {
    parts: Vec<Arc<str>>,
    /// The parts that are looked for as a whole; the shorter ones of them as whole words.
    words: HashSet<Arc<str>>,
    /// The lengths of these, and how they begin.
    word_lengths: BTreeSet<usize>,
    word_beginnings: HashSet<[u8; WORD_BEGINNING_BYTES]>,
    pieces: HashMap<[u8; PIECE_BYTES], Places>,
    /// How parts begin, in order.
    beginnings: Vec<Box<[u8]>>,
    /// How parts end, read backwards, in order.
    ends: Vec<Box<[u8]>>,
}

impl PartIndex {
    fn of_parts(parts: &BTreeSet<Arc<str>>) -> Self {
        let mut index = Self { parts: parts.iter().cloned().collect(), ..Self::default() };
        for (number, part) in (0_u32..).zip(&index.parts) {
            let bytes = part.as_bytes();
            index.beginnings.push(bytes.iter().copied().take(MAX_CUT_BYTES).collect());
            index.ends.push(bytes.iter().rev().copied().take(MAX_CUT_BYTES).collect());
            if part.len() < MIN_BYTES_WITH_PIECES {
                index.word_lengths.insert(part.len());
                index.words.insert(Arc::clone(part));
                index.word_beginnings.extend(bytes.first_chunk::<WORD_BEGINNING_BYTES>());
                continue;
            }
            let last = part.len() - PIECE_BYTES;
            for at in (0..last).step_by(PIECE_BYTES).chain([last]) {
                let piece = bytes.get(at..at + PIECE_BYTES).and_then(|piece| <[u8; PIECE_BYTES]>::try_from(piece).ok());
                let (Some(piece), Ok(at)) = (piece, u32::try_from(at)) else { continue };
                let places = index.pieces.entry(piece).or_default();
                if places.len() < MAX_PARTS_OF_PIECE {
                    places.push((number, at));
                }
            }
        }
        for sorted in [&mut index.beginnings, &mut index.ends] {
            sorted.sort_unstable();
            sorted.dedup();
        }
        index
    }

    fn ranges_of_words(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if self.words.is_empty() {
            return found;
        }
        for (start, beginning) in text.as_bytes().windows(WORD_BEGINNING_BYTES).enumerate() {
            if !beginning.first_chunk().is_some_and(|beginning| self.word_beginnings.contains(beginning)) {
                continue;
            }
            let is_inside = is_inside_word(text, start);
            let is_known = |length: &&usize| {
                let end = start + **length;
                (**length >= MIN_UNBOUNDED_BYTES || !is_inside && !is_inside_word(text, end))
                    && text.get(start..end).is_some_and(|word| self.words.contains(word))
            };
            found.extend(self.word_lengths.iter().rev().find(is_known).map(|length| start..start + length));
        }
        found
    }

    fn ranges_of_pieces(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if self.pieces.is_empty() {
            return found;
        }
        let bytes = text.as_bytes();
        let mut done = 0;
        for (at, piece) in bytes.windows(PIECE_BYTES).enumerate() {
            // A piece that ends where a range that was found ends shows nothing new.
            if at + PIECE_BYTES <= done {
                continue;
            }
            let Some(places) = <&[u8; PIECE_BYTES]>::try_from(piece).ok().and_then(|piece| self.pieces.get(piece))
            else {
                continue;
            };
            let ranges = places.iter().filter_map(|(number, offset)| {
                let part = self.parts.get(*number as usize)?.as_bytes();
                // What stands before the last range's end is masked already, and would be compared again for each piece.
                let range = shown_range(bytes, at, part, *offset as usize, done);
                (range.len() == part.len() || has_distinct_bytes(piece)).then_some(range)
            });
            for range in ranges.collect::<Vec<_>>() {
                done = done.max(range.end);
                match found.last_mut() {
                    Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                    _ => found.push(range),
                }
            }
        }
        found
    }

    /// What an excerpt shows of a secret before and behind the place where it is cut.
    fn ranges_at_cuts(&self, text: &str) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let cuts: Vec<usize> = memchr::memmem::find_iter(bytes, CUT.as_bytes()).collect();
        let mut found = Vec::new();
        let mut after_last = 0;
        for (number, &cut) in cuts.iter().enumerate() {
            let (first, next) = (cut + CUT.len(), cuts.get(number + 1).copied().unwrap_or(bytes.len()));
            let is_bounded = |length: usize, end: usize| length >= MIN_CUT_IN_WORD_BYTES || !is_inside_word(text, end);
            let before = cut.saturating_sub(MAX_CUT_BYTES).max(after_last);
            let beginning = (before..=cut.saturating_sub(MIN_CUT_BYTES)).find(|start| {
                let shown = bytes.get(*start..cut).unwrap_or_default();
                is_bounded(shown.len(), *start) && one_begins_with(&self.beginnings, shown)
            });
            found.extend(beginning.map(|start| start..cut));
            let after: Vec<u8> = bytes.get(first..next.min(first + MAX_CUT_BYTES)).unwrap_or_default().to_vec();
            let end = (MIN_CUT_BYTES..=after.len()).rev().find(|length| {
                let shown: Vec<u8> = after.iter().take(*length).rev().copied().collect();
                is_bounded(shown.len(), first + length) && one_begins_with(&self.ends, &shown)
            });
            found.extend(end.map(|length| first..first + length));
            after_last = first;
        }
        found
    }
}

/// Whether one of these texts, which are in order, begins with `beginning`.
fn one_begins_with(sorted: &[Box<[u8]>], beginning: &[u8]) -> bool {
    beginning.len() >= MIN_CUT_BYTES
        && sorted.get(sorted.partition_point(|one| &**one < beginning)).is_some_and(|one| one.starts_with(beginning))
}

fn has_distinct_bytes(piece: &[u8]) -> bool {
    piece.iter().collect::<BTreeSet<_>>().len() >= MIN_DISTINCT_BYTES
}

/// Whether a place stands between two letters of a word.
fn is_inside_word(text: &str, at: usize) -> bool {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| text.as_bytes().get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    is_word(at.checked_sub(1)) && is_word(Some(at))
}

/// The range, from `from` on, of what a text shows of `part` around the piece of it that stands at `at` and begins at
/// `offset` in `part`.
fn shown_range(text: &[u8], at: usize, part: &[u8], offset: usize, from: usize) -> Range<usize> {
    let before = text.get(from.min(at)..at).unwrap_or_default().iter().rev();
    let before = before.zip(part.get(..offset).unwrap_or_default().iter().rev()).take_while(|(a, b)| a == b).count();
    let after = text.get(at..).unwrap_or_default().iter();
    let after = after.zip(part.get(offset..).unwrap_or_default()).take_while(|(a, b)| a == b).count();
    at - before..at + after
}

/// The parts of these ranges that no mask in the text covers. A mask may be, or be a part of, what the same letters are a
/// secret of elsewhere.
fn outside_of_masks(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let masks: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), MASK.as_bytes()).collect();
    let mut outside = Vec::with_capacity(ranges.len());
    for range in ranges {
        let mut start = range.start;
        let first = masks.partition_point(|mask| mask + MASK.len() <= range.start);
        for &mask in masks.iter().skip(first).take_while(|mask| **mask < range.end) {
            outside.push(start..mask.max(start));
            start = mask + MASK.len();
        }
        outside.push(start..range.end.max(start));
    }
    outside.retain(|range| text.get(range.clone()).is_none_or(|shown| !shown.trim().is_empty()));
    outside
}
