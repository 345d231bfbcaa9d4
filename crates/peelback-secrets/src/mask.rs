//! The replacing of secrets.

use std::borrow::Cow;

use crate::known::KnownSecrets;
use crate::marker::MASK;
use crate::scan::{SecretRange, find_secrets, find_secrets_with};

/// The most times that a text is looked at again after something was masked in it. Masking can change what stands
/// beside a name, so that a second look finds more; a third never did in tests.
const MAX_PASSES: usize = 4;

/// A text without secrets, and how many were masked in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked<'a> {
    /// The text, borrowed where nothing was masked.
    pub text: Cow<'a, str>,
    /// The number of masked values.
    pub count: usize,
}

/// Replaces each secret in a text by [`MASK`]. Line breaks stay where they are. Any text is accepted, and the time is
/// linear in its length.
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
    let mut masked = Cow::Borrowed(text);
    let count = mask_until_nothing_is_found(|| {
        let found = find_secrets_with(&masked, known);
        if !found.is_empty() {
            masked = Cow::Owned(mask_ranges(&masked, &found));
        }
        found.len()
    });
    Masked { text: masked, count }
}

/// Calls `mask_once`, which masks the secrets that it finds and returns their number, until it finds none, and returns
/// how many were masked. The number of calls is bounded.
pub fn mask_until_nothing_is_found(mut mask_once: impl FnMut() -> usize) -> usize {
    let mut count = 0;
    for _ in 0..MAX_PASSES {
        match mask_once() {
            0 => break,
            found => count += found,
        }
    }
    count
}

/// The secrets of a text, as [`mask_secrets`] masks them.
pub(crate) fn mask_and_collect_secrets(text: &str) -> Vec<String> {
    let mut masked = Cow::Borrowed(text);
    let mut secrets = Vec::new();
    let _ = mask_until_nothing_is_found(|| {
        let found = find_secrets(&masked);
        if !found.is_empty() {
            secrets.extend(found.iter().filter_map(|one| masked.get(one.range.clone())).map(str::to_owned));
            masked = Cow::Owned(mask_ranges(&masked, &found));
        }
        found.len()
    });
    secrets
}

/// The text with these ranges masked.
fn mask_ranges(text: &str, found: &[SecretRange]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in found {
        out.push_str(text.get(at..secret.range.start).unwrap_or(""));
        out.push_str(MASK);
        // Line breaks inside a masked value are preserved, so that line numbers do not change.
        out.extend(text.get(secret.range.clone()).unwrap_or("").chars().filter(|c| *c == '\n'));
        at = secret.range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}
