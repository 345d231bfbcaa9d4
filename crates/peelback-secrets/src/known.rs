//! Secrets that a whole file shows to be secrets. An excerpt of the file may lack the name, the heading or the first line
//! that shows it, so excerpts are masked by what the file as a whole says.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::mask::mask_and_collect_secrets;
use crate::values::CUT;

/// The shortest part of a secret that is looked for.
const MIN_PART_BYTES: usize = 4;

/// A part that is shorter is looked for as a whole word: it could be the middle of another.
const MIN_UNBOUNDED_BYTES: usize = 16;

/// The length of the pieces by which a long part is found where an excerpt shows a window of it.
const PIECE_BYTES: usize = 12;

/// The shortest beginning or end of a part that is masked where an excerpt cuts it.
const MIN_CUT_BYTES: usize = 3;

/// The number of different bytes that a piece must have: less stands in other texts, too.
const MIN_DISTINCT_BYTES: usize = 6;

/// The number of texts whose secrets are remembered.
const MAX_REMEMBERED_TEXTS: usize = 512;

type Parts = Arc<[Box<str>]>;

/// The secrets of texts that were asked for, by the length and the hash of the text.
#[derive(Default)]
struct RememberedTexts {
    hasher: RandomState,
    parts: Mutex<HashMap<(usize, u64), Parts>>,
}

static REMEMBERED: LazyLock<RememberedTexts> = LazyLock::new(RememberedTexts::default);

/// The secrets of whole texts, for the masking of excerpts of these texts.
#[derive(Clone, Default)]
pub struct KnownSecrets {
    /// The lines of the secrets, without the space around them.
    parts: BTreeSet<Box<str>>,
}

impl std::fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownSecrets").field("count", &self.parts.len()).finish_non_exhaustive()
    }
}

impl KnownSecrets {
    /// The secrets of a whole text.
    pub fn of_text(text: &str) -> Self {
        let mut known = Self::default();
        known.add_secrets_of_text(text);
        known
    }

    /// Adds the secrets of a whole text. Those of a text that was asked for before are remembered.
    pub fn add_secrets_of_text(&mut self, text: &str) {
        self.parts.extend(remembered_secret_parts(text).iter().cloned());
    }

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

/// The lines of the secrets of a text.
fn remembered_secret_parts(text: &str) -> Parts {
    let remembered = &REMEMBERED.parts;
    let key = (text.len(), REMEMBERED.hasher.hash_one(text));
    if let Some(parts) = remembered.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Arc::clone(parts);
    }
    let mut parts = BTreeSet::new();
    for secret in mask_and_collect_secrets(text) {
        for line in secret.lines().map(str::trim).filter(|line| line.len() >= MIN_PART_BYTES) {
            // As a string of JSON shows it.
            if line.contains(['"', '\\']) {
                parts.insert(line.replace('\\', "\\\\").replace('"', "\\\"").into_boxed_str());
            }
            parts.insert(Box::from(line));
        }
    }
    let parts: Parts = parts.into_iter().collect();
    let mut remembered = remembered.lock().unwrap_or_else(PoisonError::into_inner);
    if remembered.len() >= MAX_REMEMBERED_TEXTS {
        remembered.clear();
    }
    remembered.insert(key, Arc::clone(&parts));
    parts
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

#[cfg(test)]
mod tests {
    use super::KnownSecrets;
    use crate::mask_secrets_with;

    fn value(parts: &[&str]) -> String {
        parts.concat()
    }

    #[test]
    fn an_excerpt_is_masked_by_what_the_whole_text_says() {
        let secret = value(&["hR7", "kQz2", "mW9", "xLp4"]);
        let text = format!("storage:\n  password: |\n    {secret}\n  user: ann\n");
        let known = KnownSecrets::of_text(&text);
        assert_eq!(mask_secrets_with(&format!("3:     {secret}\n"), &known).text, "3:     [masked]\n");
        // Without the file nothing shows it.
        assert_eq!(mask_secrets_with(&secret, &KnownSecrets::default()).count, 0);
        // A longer word is another one, and so is a text that only begins alike.
        for other in [format!("x{secret}"), format!("{secret}x"), secret[..8].to_owned()] {
            assert_eq!(mask_secrets_with(&other, &known).text, other);
        }
    }

    #[test]
    fn what_an_excerpt_shows_of_a_cut_secret_is_masked() {
        let secret = value(&["hR7kQz2mW9xLp4T", "vB8nYc3sDf6gHj1", "qZx5wEr7tYu9iOp"]);
        let known = KnownSecrets::of_text(&format!("api_key: {secret}\n"));
        for (shown, masked) in [
            (format!("a \u{2026}{}", &secret[30..]), "a \u{2026}[masked]".to_owned()),
            (format!("a {}\u{2026}", &secret[..9]), "a [masked]\u{2026}".to_owned()),
            (format!("a {} b", &secret[5..40]), "a [masked] b".to_owned()),
        ] {
            assert_eq!(mask_secrets_with(&shown, &known).text, masked);
        }
        assert_eq!(format!("{known:?}"), "KnownSecrets { count: 1, .. }");
    }

    #[test]
    fn a_secret_is_known_as_json_writes_it_too() {
        let secret = value(&["hR7k\"Qz2", "mW9xLp4T"]);
        let known = KnownSecrets::of_text(&format!("[db]\npassword = '{secret}'\n"));
        let json = format!("{{\"a\":{secret:?}}}");
        assert!(!mask_secrets_with(&json, &known).text.contains("mW9x"), "{known:?}");
    }
}
