//! The replacing of secrets.

use std::borrow::Cow;
use std::ops::Range;

use crate::known::KnownSecrets;
use crate::marker::MASK;
use crate::scan::{SecretRange, find_secrets_unless_stopped};
use crate::stop::{Stop, Stopped};

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
        count => Masked { text: Cow::Owned(write_with_masks(text, &found, |_, _| {})), count },
    }
}

/// The ranges of a text that are masked in it, in order and without overlaps. The text in which each of them is a mask is
/// one in which nothing is to be masked.
///
/// # Errors
/// When `stop` ended the reading.
pub fn find_secrets_to_mask(text: &str, known: &KnownSecrets, stop: Stop<'_>) -> Result<Vec<SecretRange>, Stopped> {
    let mut found = find_secrets_unless_stopped(text, known, stop)?;
    if found.is_empty() {
        return Ok(found);
    }
    for pass in 1..MAX_PASSES + MAX_PASSES_OF_LINES {
        let mut places = MaskPlaces::default();
        let masked = write_with_masks(text, &found, |secret, mask| places.0.push((secret, mask)));
        let more = find_secrets_unless_stopped(&masked, known, stop)?;
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

/// The text with a mask for each of these ranges, which are in order and without overlaps. Line breaks inside of them stay,
/// so that line numbers do not change. `report` is told where each stood and where its mask stands.
pub fn write_with_masks(
    text: &str,
    secrets: &[SecretRange],
    mut report: impl FnMut(Range<usize>, Range<usize>),
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        out.push_str(text.get(at..secret.range.start).unwrap_or(""));
        let start = out.len();
        out.push_str(MASK);
        out.extend(text.get(secret.range.clone()).unwrap_or("").chars().filter(|c| *c == '\n'));
        report(secret.range.clone(), start..out.len());
        at = secret.range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// Where secrets stood, and where their masks stand.
#[derive(Default)]
struct MaskPlaces(Vec<(Range<usize>, Range<usize>)>);

impl MaskPlaces {
    /// Where a place of the masked text is in the text that was masked. A place inside of a mask is the begin or the end of
    /// what it masks.
    fn place_before_masking(&self, at: usize, is_end: bool) -> usize {
        let next = self.0.partition_point(|(_, mask)| if is_end { mask.start < at } else { mask.start <= at });
        match next.checked_sub(1).and_then(|last| self.0.get(last)) {
            None => at,
            Some((secret, mask)) if at >= mask.end => secret.end + (at - mask.end),
            Some((secret, _)) if is_end => secret.end,
            Some((secret, _)) => secret.start,
        }
    }
}

/// The lines, without the last line's break, that a range stands in.
fn whole_lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(range.end..).and_then(|after| after.find('\n')).map_or(text.len(), |at| range.end + at);
    start..end
}

/// Ranges in order, those that overlap joined.
fn joined(mut ranges: Vec<SecretRange>) -> Vec<SecretRange> {
    ranges.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
    let mut joined: Vec<SecretRange> = Vec::with_capacity(ranges.len());
    for one in ranges {
        match joined.last_mut() {
            Some(last) if one.range.start < last.range.end => last.range.end = last.range.end.max(one.range.end),
            _ => joined.push(one),
        }
    }
    joined
}
