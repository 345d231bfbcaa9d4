//! The replacing of secrets.

use std::borrow::Cow;

use crate::marker::MASK;
use crate::scan::find_secrets;

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
    let mut masked = Masked { text: Cow::Borrowed(text), count: 0 };
    for _ in 0..MAX_PASSES {
        let Some((text, count)) = mask_secrets_in_one_pass(&masked.text) else { break };
        masked = Masked { text: Cow::Owned(text), count: masked.count + count };
    }
    masked
}

/// The text with the secrets that one look finds masked, and their number; `None` where there is none.
fn mask_secrets_in_one_pass(text: &str) -> Option<(String, usize)> {
    let found = find_secrets(text);
    if found.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in &found {
        out.push_str(text.get(at..secret.range.start).unwrap_or(""));
        out.push_str(MASK);
        // Line breaks inside a masked value are preserved, so that line numbers do not change.
        out.extend(text.get(secret.range.clone()).unwrap_or("").chars().filter(|c| *c == '\n'));
        at = secret.range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    Some((out, found.len()))
}
