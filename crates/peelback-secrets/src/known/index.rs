//! The look-up of many known parts of secrets in a text. Every place of the text is looked up in tables of texts of a few
//! fixed lengths, so that neither many parts nor a text made for it cost more than a bounded time for each byte.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::values::CUT;

/// A part that is shorter is looked for as a whole word: it could be the middle of another.
const MIN_UNBOUNDED_BYTES: usize = 16;

/// The length of the pieces by which a long part is found, also where an excerpt shows only a window of it.
const PIECE_BYTES: usize = 12;

/// A part of at least this length is found by its pieces, and a shorter one as a whole.
const MIN_BYTES_IN_PIECES: usize = 2 * PIECE_BYTES;

/// The number of places where the same piece may stand in parts. Of more, the text around a piece tells nothing.
const MAX_PLACES_OF_PIECE: usize = 4;

/// The shortest beginning or end of a part that is masked where an excerpt cuts it. A longer one than
/// [`MIN_BYTES_IN_PIECES`] has a piece.
const MIN_CUT_BYTES: usize = 3;

/// The number of different bytes that a piece must have: less stands in other texts, too.
const MIN_DISTINCT_BYTES: usize = 6;

/// The known parts, by what is looked up.
pub(super) struct PartIndex {
    /// The parts under [`MIN_BYTES_IN_PIECES`] bytes.
    short_parts: HashSet<Arc<str>>,
    /// The lengths of the short parts.
    short_lengths: BTreeSet<usize>,
    /// The pieces of longer parts, with the parts and the offsets in them.
    pieces: HashMap<[u8; PIECE_BYTES], Vec<(Arc<str>, usize)>>,
    /// All parts in order, for the beginning of a part before a cut.
    sorted_parts: Vec<Arc<str>>,
    /// The bytes of all parts backwards, in order, for the end of a part behind a cut.
    sorted_reversed_parts: Vec<Vec<u8>>,
}

impl PartIndex {
    pub(super) fn new(parts: impl Iterator<Item = Arc<str>>) -> Self {
        let sorted_parts: Vec<Arc<str>> = parts.collect();
        let mut index = Self {
            short_parts: HashSet::new(),
            short_lengths: BTreeSet::new(),
            pieces: HashMap::new(),
            sorted_reversed_parts: sorted_parts.iter().map(|part| part.bytes().rev().collect()).collect(),
            sorted_parts,
        };
        index.sorted_reversed_parts.sort_unstable();
        for part in index.sorted_parts.clone() {
            if part.len() < MIN_BYTES_IN_PIECES {
                index.short_lengths.insert(part.len());
                index.short_parts.insert(part);
            } else {
                index.add_pieces(&part);
            }
        }
        index
    }

    fn add_pieces(&mut self, part: &Arc<str>) {
        let last = part.len() - PIECE_BYTES;
        for offset in (0..last).step_by(PIECE_BYTES).chain([last]) {
            let Some(piece) = piece_at(part.as_bytes(), offset) else { continue };
            // A part of which no piece tells it from other texts is found by its beginning.
            if offset == 0 || has_distinct_bytes(&piece) {
                let places = self.pieces.entry(piece).or_default();
                if places.len() < MAX_PLACES_OF_PIECE {
                    places.push((Arc::clone(part), offset));
                }
            }
        }
    }

    /// The ranges of the parts in a text, in no order.
    pub(super) fn ranges_in(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in 0..text.len() {
            if let Some(range) = self.short_part_at(text, at) {
                found.push(range);
            }
            let is_inside_last =
                found.last().is_some_and(|last| last.contains(&at) && last.len() >= MIN_BYTES_IN_PIECES);
            if !is_inside_last && let Some(range) = self.piece_range_at(text, at) {
                found.push(range);
            }
        }
        for cut in memchr::memmem::find_iter(text.as_bytes(), CUT.as_bytes()) {
            found.extend(self.beginning_of_part_before(text, cut));
            found.extend(self.end_of_part_after(text, cut + CUT.len()));
        }
        found
    }

    /// The longest short part that begins at `at`: a whole word where it is shorter than [`MIN_UNBOUNDED_BYTES`].
    fn short_part_at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let ranges = self.short_lengths.iter().rev().map(|length| at..at + length);
        ranges.into_iter().find(|range| {
            let is_free = range.len() >= MIN_UNBOUNDED_BYTES || is_whole_word(text, range);
            is_free && text.get(range.clone()).is_some_and(|found| self.short_parts.contains(found))
        })
    }

    /// The longest range of what the text shows of a part of which a piece stands at `at`.
    fn piece_range_at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let piece = piece_at(text.as_bytes(), at)?;
        let places = self.pieces.get(&piece)?;
        let is_telling = has_distinct_bytes(&piece);
        let ranges = places.iter().map(|(part, offset)| {
            let range = extended_range(text, at..at + PIECE_BYTES, part, *offset);
            // What stands in other texts, too, must be the whole part.
            if is_telling || range.len() == part.len() { range } else { at..at }
        });
        ranges.max_by_key(Range::len).filter(|range| !range.is_empty())
    }

    /// What stands before a cut and is the beginning of a part.
    fn beginning_of_part_before(&self, text: &str, cut: usize) -> Option<Range<usize>> {
        let lengths = (MIN_CUT_BYTES..=MIN_BYTES_IN_PIECES.min(cut)).rev();
        let mut ranges = lengths.map(|length| cut - length..cut);
        ranges.find(|range| {
            let Some(shown) = text.get(range.clone()) else { return false };
            let at = self.sorted_parts.partition_point(|part| &**part < shown);
            self.sorted_parts.get(at).is_some_and(|part| part.starts_with(shown) && part.len() > shown.len())
        })
    }

    /// What stands behind a cut and is the end of a part.
    fn end_of_part_after(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let longest = MIN_BYTES_IN_PIECES.min(text.len().saturating_sub(start));
        let mut ranges = (MIN_CUT_BYTES..=longest).rev().map(|length| start..start + length);
        ranges.find(|range| {
            let Some(shown) = text.get(range.clone()) else { return false };
            let shown: Vec<u8> = shown.bytes().rev().collect();
            let at = self.sorted_reversed_parts.partition_point(|part| *part < shown);
            self.sorted_reversed_parts.get(at).is_some_and(|part| part.starts_with(&shown) && part.len() > shown.len())
        })
    }
}

fn piece_at(bytes: &[u8], at: usize) -> Option<[u8; PIECE_BYTES]> {
    bytes.get(at..at + PIECE_BYTES)?.try_into().ok()
}

fn has_distinct_bytes(bytes: &[u8]) -> bool {
    bytes.iter().collect::<BTreeSet<&u8>>().len() >= MIN_DISTINCT_BYTES
}

fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| text.as_bytes().get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    let is_joined = |at: usize| is_word(at.checked_sub(1)) && is_word(Some(at));
    !is_joined(range.start) && !is_joined(range.end)
}

/// The range of what a text shows of `part` around the piece of it that stands at `hit` and begins at `offset` in `part`.
fn extended_range(text: &str, hit: Range<usize>, part: &str, offset: usize) -> Range<usize> {
    let (bytes, part) = (text.as_bytes(), part.as_bytes());
    let before = bytes.get(..hit.start).unwrap_or_default().iter().rev();
    let before = before.zip(part.get(..offset).unwrap_or_default().iter().rev()).take_while(|(a, b)| a == b).count();
    let after = bytes.get(hit.end..).unwrap_or_default().iter();
    let rest = part.get(offset + hit.len()..).unwrap_or_default();
    let after = after.zip(rest).take_while(|(a, b)| a == b).count();
    hit.start - before..hit.end + after
}
