//! Secrets that stand in a text a second time, where nothing says what they are: a message repeats what it received, in
//! part and without the name.

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::judgement::{NameStrength, Writing, has_no_sign_of_code, is_secret_value};
use crate::stop::{Stop, Stopped};

/// The most values that are looked for: with more, a text is a list of secrets, which stand there with their names.
const MAX_VALUES: usize = 128;
/// The longest part of a value that is looked for.
const MAX_VALUE_BYTES: usize = 256;
/// The shortest value that is looked for. A shorter one could be part of something else.
const MIN_VALUE_BYTES: usize = 12;

/// The ranges in which values that are secrets elsewhere in the text stand, and so do their last parts behind a slash.
/// What could be code is none of them: it would hide the code.
pub(crate) fn repeated_secret_ranges<'t>(
    text: &'t str,
    found: impl Iterator<Item = &'t str>,
    stop: Stop<'_>,
) -> Result<Vec<Range<usize>>, Stopped> {
    let mut values: HashSet<&str> = HashSet::new();
    for value in found.filter(|value| value.len() <= MAX_VALUE_BYTES) {
        let last_part = value.rsplit('/').next().unwrap_or(value);
        let is_told = |part: &&str| {
            part.len() >= MIN_VALUE_BYTES
                && has_no_sign_of_code(part)
                && is_secret_value(part, NameStrength::Password, Writing::Quoted)
        };
        values.extend([value, last_part].into_iter().filter(is_told));
        if values.len() > MAX_VALUES {
            return Ok(Vec::new());
        }
    }
    let mut ranges = Vec::new();
    if values.is_empty() {
        return Ok(ranges);
    }
    if let Ok(automaton) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&values) {
        for (step, one) in automaton.find_iter(text).enumerate() {
            stop.check_at_step(step)?;
            ranges.push(one.range());
        }
    }
    Ok(ranges)
}
