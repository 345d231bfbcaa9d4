//! The replacing of secrets.

use std::borrow::Cow;
use std::ops::Range;

use crate::known::KnownSecrets;
use crate::marker::MASK;
use crate::scan::{SecretRange, find_secrets_within_limits, joined};
use crate::stop::{ReadingEnd, ReadingLimits, Stop, Stopped};

/// The most times that a text is looked at again after something was masked in it. Masking can change what stands
/// beside a name, so that a second look finds more; a third rarely did in tests.
const MAX_PASSES: usize = 6;

/// The most times after that, where each line that still shows something is masked as a whole.
const MAX_PASSES_OF_LINES: usize = 4;

/// A text without secrets, and how many were masked in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked<'a> {
    /// The text, borrowed where nothing was masked.
    pub text: Cow<'a, str>,
    /// The number of masked values.
    pub count: usize,
}

/// Replaces each secret in a text by [`MASK`]. Line breaks stay where they are. Any text is accepted, and masking a
/// masked text changes nothing.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    mask_secrets_and_count(text).text
}

/// As [`mask_secrets`], with the number of masked values.
pub fn mask_secrets_and_count(text: &str) -> Masked<'_> {
    mask_secrets_with(text, &KnownSecrets::default())
}

/// As [`mask_secrets_and_count`] for an excerpt of texts whose secrets are `known`: they are masked, too, whatever stands
/// around them.
pub fn mask_secrets_with<'a>(text: &'a str, known: &KnownSecrets) -> Masked<'a> {
    // Nothing stops it.
    let found = find_secrets_to_mask(text, known, Stop::never()).unwrap_or_default();
    match found.len() {
        0 => Masked { text: Cow::Borrowed(text), count: 0 },
        count => Masked { text: Cow::Owned(write_with_masks(text, &found).0), count },
    }
}

/// The ranges of a text that are masked in it, in order and without overlaps. The text in which each of them is a mask is
/// one in which nothing is to be masked.
///
/// # Errors
/// When `stop` ended the reading.
pub fn find_secrets_to_mask(text: &str, known: &KnownSecrets, stop: Stop<'_>) -> Result<Vec<SecretRange>, Stopped> {
    // Without a limit nothing else ends it.
    find_secrets_to_mask_within_limits(text, known, ReadingLimits::until(stop)).map_err(|_| Stopped)
}

/// As [`find_secrets_to_mask`], also with a limit to their number.
pub(crate) fn find_secrets_to_mask_within_limits(
    text: &str,
    known: &KnownSecrets,
    limits: ReadingLimits<'_>,
) -> Result<Vec<SecretRange>, ReadingEnd> {
    let mut found = find_secrets_within_limits(text, known, limits)?;
    if found.is_empty() {
        return Ok(found);
    }
    for pass in 1..MAX_PASSES + MAX_PASSES_OF_LINES {
        let (masked, places) = write_with_masks(text, &found);
        let more = find_secrets_within_limits(&masked, known, limits)?;
        if more.is_empty() {
            return Ok(found);
        }
        for one in more {
            let mut range =
                places.place_before_masking(one.range.start, false)..places.place_before_masking(one.range.end, true);
            if pass >= MAX_PASSES {
                range = whole_lines(text, &range);
            }
            found.push(SecretRange { range, kind: one.kind });
        }
        found = joined(found);
    }
    // A text in which each mask shows another secret is none that somebody wrote to be read.
    Ok(vec![SecretRange { range: 0..text.len(), kind: "text" }])
}

/// The text with a mask for each of these ranges, which are in order and without overlaps, and where they are. Line breaks
/// inside of them stay, so that line numbers do not change.
pub fn write_with_masks(text: &str, secrets: &[SecretRange]) -> (String, MaskPlaces) {
    let mut out = String::with_capacity(text.len());
    let mut places = MaskPlaces(Vec::with_capacity(secrets.len()));
    let mut at = 0;
    for secret in secrets {
        out.push_str(text.get(at..secret.range.start).unwrap_or(""));
        let start = out.len();
        out.push_str(MASK);
        out.extend(text.get(secret.range.clone()).unwrap_or("").chars().filter(|c| *c == '\n'));
        places.0.push(MaskedSecret { secret: secret.range.clone(), mask: start..out.len() });
        at = secret.range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    (out, places)
}

/// Where secrets stood, and where their masks stand.
#[derive(Debug, Clone, Default)]
pub struct MaskPlaces(Vec<MaskedSecret>);

/// Where a secret stood, and where its mask stands.
#[derive(Debug, Clone)]
struct MaskedSecret {
    secret: Range<usize>,
    mask: Range<usize>,
}

impl MaskPlaces {
    /// Where a place of the text is in the masked text. A place inside of a secret is the begin or the end of its mask.
    pub fn place_after_masking(&self, at: usize, is_end: bool) -> usize {
        self.moved_place(at, is_end, |one| [&one.secret, &one.mask])
    }

    /// Where a place of the masked text is in the text that was masked. A place inside of a mask is the begin or the end of
    /// what it masks.
    pub fn place_before_masking(&self, at: usize, is_end: bool) -> usize {
        self.moved_place(at, is_end, |one| [&one.mask, &one.secret])
    }

    fn moved_place(&self, at: usize, is_end: bool, from_and_to: fn(&MaskedSecret) -> [&Range<usize>; 2]) -> usize {
        let next = self.0.partition_point(|one| {
            let [from, _] = from_and_to(one);
            if is_end { from.start < at } else { from.start <= at }
        });
        match next.checked_sub(1).and_then(|last| self.0.get(last)).map(from_and_to) {
            None => at,
            Some([from, to]) if at >= from.end => to.end + (at - from.end),
            Some([_, to]) if is_end => to.end,
            Some([_, to]) => to.start,
        }
    }
}

/// The lines, without the last line's break, that a range stands in.
fn whole_lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(range.end..).and_then(|after| after.find('\n')).map_or(text.len(), |at| range.end + at);
    start..end
}
