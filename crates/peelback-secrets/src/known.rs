//! Secrets that a whole file shows to be secrets. An excerpt of the file may lack the name, the heading or the first line
//! that shows it, so excerpts are masked by what the file as a whole says.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::values::CUT;

/// The shortest part of a secret that is looked for.
pub(crate) const MIN_PART_BYTES: usize = 4;

/// A part that is shorter is looked for as a whole word: it could be the middle of another.
const MIN_UNBOUNDED_BYTES: usize = 16;

/// The length of the pieces by which a long part is found where an excerpt shows a window of it.
const PIECE_BYTES: usize = 12;

/// The shortest beginning or end of a part that is masked where an excerpt cuts it.
const MIN_CUT_BYTES: usize = 3;

/// The number of different bytes that a piece must have: less stands in other texts, too.
const MIN_DISTINCT_BYTES: usize = 6;

/// The secrets of whole texts, for the masking of excerpts of these texts.
#[derive(Clone, Default)]
pub struct KnownSecrets {
    /// The lines of the secrets, without the space around them.
    pub(crate) parts: BTreeSet<Box<str>>,
}

impl std::fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownSecrets").field("count", &self.parts.len()).finish_non_exhaustive()
    }
}

impl KnownSecrets {
    /// Whether no secret is known.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The ranges of the known secrets in a text, in no order.
    pub(crate) fn ranges_in(&self, text: &str) -> Vec<Range<usize>> {
        if self.parts.is_empty() {
            return Vec::new();
        }
        let mut pieces: Vec<(&str, &str, usize)> = Vec::new();
        for part in &self.parts {
            pieces.push((part, part, 0));
            if part.len() >= 2 * PIECE_BYTES {
                let last = part.len() - PIECE_BYTES;
                let starts = (0..last).step_by(PIECE_BYTES).chain([last]);
                pieces.extend(starts.filter_map(|at| Some((part.get(at..at + PIECE_BYTES)?, &**part, at))));
            }
        }
        pieces.retain(|(piece, part, _)| piece.len() == part.len() || has_distinct_bytes(piece));
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(pieces.iter().map(|one| one.0));
        let Ok(automaton) = automaton else { return Vec::new() };
        let mut found: Vec<Range<usize>> = Vec::new();
        for hit in automaton.find_overlapping_iter(text) {
            let Some((piece, part, offset)) = pieces.get(hit.pattern().as_usize()) else { continue };
            if piece.len() == part.len() {
                if part.len() >= MIN_UNBOUNDED_BYTES || is_whole_word(text, &hit.range()) {
                    found.push(hit.range());
                }
            } else if found.last().is_none_or(|last| last.end < hit.end()) {
                found.push(extended_range(text, hit.range(), part, *offset));
            }
        }
        self.add_ranges_at_cuts(text, &mut found);
        found
    }

    /// Adds what an excerpt shows of a secret before and behind the place where it is cut.
    fn add_ranges_at_cuts(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let bytes = text.as_bytes();
        for cut in memchr::memmem::find_iter(bytes, CUT.as_bytes()) {
            let (before, after) = (text.get(..cut).unwrap_or(""), text.get(cut + CUT.len()..).unwrap_or(""));
            for part in &self.parts {
                let ends_with = |length: &usize| part.get(..*length).is_some_and(|start| before.ends_with(start));
                if let Some(length) = (MIN_CUT_BYTES..part.len()).rev().find(ends_with) {
                    found.push(cut - length..cut);
                }
                let begins_with =
                    |length: &usize| part.get(part.len() - length..).is_some_and(|end| after.starts_with(end));
                if let Some(length) = (MIN_CUT_BYTES..part.len()).rev().find(begins_with) {
                    found.push(cut + CUT.len()..cut + CUT.len() + length);
                }
            }
        }
    }
}

fn has_distinct_bytes(text: &str) -> bool {
    text.bytes().collect::<BTreeSet<u8>>().len() >= MIN_DISTINCT_BYTES
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
