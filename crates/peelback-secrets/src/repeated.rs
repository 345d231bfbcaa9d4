//! Secrets that stand in a text a second time, where nothing says what they are: a message repeats what it received, in
//! part and without the name.

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::judgement::{NameStrength, Writing, is_secret_value};

/// The most values that are looked for: with more, a text is a list of secrets, which stand there with their names.
const MAX_VALUES: usize = 128;
/// The longest part of a value that is looked for.
const MAX_VALUE_BYTES: usize = 256;
/// The shortest value that is looked for. A shorter one could be part of something else.
const MIN_VALUE_BYTES: usize = 12;

/// The ranges in which values that are secrets elsewhere in the text stand, and so do their last parts behind a slash.
pub(crate) fn repeated_secret_ranges<'t>(text: &'t str, found: impl Iterator<Item = &'t str>) -> Vec<Range<usize>> {
    let mut values: HashSet<&str> = HashSet::new();
    for value in found.filter(|value| value.len() <= MAX_VALUE_BYTES) {
        let last_part = value.rsplit('/').next().unwrap_or(value);
        let is_told = |part: &&str| {
            part.len() >= MIN_VALUE_BYTES && is_secret_value(part, NameStrength::Password, Writing::Quoted)
        };
        values.extend([value, last_part].into_iter().filter(is_told));
        if values.len() > MAX_VALUES {
            return Vec::new();
        }
    }
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&values);
    match automaton {
        Ok(automaton) if !values.is_empty() => automaton.find_iter(text).map(|one| one.range()).collect(),
        _ => Vec::new(),
    }
}
