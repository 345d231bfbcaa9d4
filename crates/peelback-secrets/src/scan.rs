//! One look at a text: all readers, and their ranges put together.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::blocks;
use crate::escaped::unescaped_lines;
use crate::known::KnownSecrets;
use crate::marker::MASK;
use crate::named_values::NamedValueReader;
use crate::names::NAME_WORDS;
use crate::places;
use crate::positional::{PositionReader, position_words};
use crate::repeated::repeated_secret_ranges;
use crate::stop::{ReadingEnd, ReadingLimits, Stop, is_step_of_check};
use crate::vendor_rules::{RULES, token_range_with_prefix, vendor_token_prefixes};

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretRange {
    /// The bytes of the secret; both ends are boundaries of characters.
    pub range: Range<usize>,
    /// What kind of secret it is: the name of a rule of gitleaks, or the name of a reader of this crate.
    pub kind: &'static str,
}

/// Finds the words of names and the keywords of rules in one pass.
struct Keywords {
    automaton: Option<AhoCorasick>,
    /// The rules of each keyword, by the number of its pattern; words of names come first, then beginnings of tokens, then words
    /// of positions, and none of these have any.
    rules: Vec<Vec<usize>>,
    beginnings: usize,
    positions: usize,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let mut words: Vec<&str> = NAME_WORDS.to_vec();
    words.extend(vendor_token_prefixes(&RULES));
    let beginnings = words.len();
    words.extend(position_words());
    let positions = words.len();
    let mut rules: Vec<Vec<usize>> = vec![Vec::new(); words.len()];
    for (index, rule) in RULES.rules.iter().enumerate() {
        for keyword in &rule.keywords {
            // A word of names stands in the list twice where it is a keyword, too, which its number tells apart.
            let known = words.iter().skip(positions).position(|word| word == keyword);
            match known.and_then(|at| rules.get_mut(positions + at)) {
                Some(rules) => rules.push(index),
                None => {
                    words.push(keyword);
                    rules.push(vec![index]);
                }
            }
        }
    }
    let automaton =
        AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::ContiguousNFA)).build(&words);
    Keywords { automaton: automaton.ok(), rules, beginnings, positions }
});

/// How often escapes within escapes are read: JSON in a string of JSON.
const MAX_ESCAPE_LEVELS: usize = 2;

/// The secrets in a text, in order and without overlaps.
pub fn find_secrets(text: &str) -> Vec<SecretRange> {
    find_secrets_with(text, &KnownSecrets::default())
}

/// The secrets in an excerpt of texts whose secrets are `known`, in order and without overlaps.
pub fn find_secrets_with(text: &str, known: &KnownSecrets) -> Vec<SecretRange> {
    // Nothing stops it.
    find_secrets_within_limits(text, known, ReadingLimits::until(Stop::never())).unwrap_or_default()
}

/// The secrets in an excerpt of texts whose secrets are `known`, in order and without overlaps.
pub(crate) fn find_secrets_within_limits(
    text: &str,
    known: &KnownSecrets,
    limits: ReadingLimits<'_>,
) -> Result<Vec<SecretRange>, ReadingEnd> {
    let found = find_secrets_below_escapes(text, MAX_ESCAPE_LEVELS, limits)?;
    let values = found.iter().filter_map(|one| text.get(one.range.clone()));
    let repeated = repeated_secret_ranges(text, values, limits.stop)?
        .into_iter()
        .map(|range| SecretRange { range, kind: "repeated" });
    let known = known.ranges_in(text, limits.stop)?.into_iter().map(|range| SecretRange { range, kind: "known" });
    let more: Vec<_> = repeated.chain(known).collect();
    Ok(if more.is_empty() { found } else { sort_and_join_ranges(text, [found, more].concat()) })
}

/// The secrets in a text, read as it is and as its escapes stand for it.
fn find_secrets_below_escapes(
    text: &str,
    levels: usize,
    limits: ReadingLimits<'_>,
) -> Result<Vec<SecretRange>, ReadingEnd> {
    let mut found = find_unescaped_secrets(text, limits)?;
    if let Some(levels) = levels.checked_sub(1) {
        for line in unescaped_lines(text) {
            let within = find_secrets_below_escapes(&line.text, levels, limits)?;
            found.extend(within.into_iter().map(|one| SecretRange { range: line.escaped_range(&one.range), ..one }));
            limits.check(found.len())?;
        }
    }
    Ok(sort_and_join_ranges(text, found))
}

/// The secrets in a text as it is, in no order.
fn find_unescaped_secrets(text: &str, limits: ReadingLimits<'_>) -> Result<Vec<SecretRange>, ReadingEnd> {
    let stop = limits.stop;
    let mut found: Vec<SecretRange> = Vec::new();
    let mut add = |ranges: Vec<Range<usize>>, kind: &'static str| {
        found.extend(ranges.into_iter().map(|range| SecretRange { range, kind }));
    };
    stop.check()?;
    add(blocks::private_key_base64_ranges(text), "private-key");
    stop.check()?;
    let mut names = NamedValueReader::new(text);
    let mut tokens = Vec::new();
    let mut positions = PositionReader::new(text);
    let mut hits: Vec<Vec<usize>> = vec![Vec::new(); RULES.rules.len()];
    if let Some(automaton) = &KEYWORDS.automaton {
        for (step, hit) in automaton.find_overlapping_iter(text).enumerate() {
            if is_step_of_check(step) {
                limits.check(names.found.len().max(tokens.len()).max(positions.found.len()))?;
            }
            let rules = KEYWORDS.rules.get(hit.pattern().as_usize()).map_or(&[][..], Vec::as_slice);
            let pattern = hit.pattern().as_usize();
            if (NAME_WORDS.len()..KEYWORDS.beginnings).contains(&pattern) {
                tokens.extend(token_range_with_prefix(text, hit.start(), hit.end()));
            } else if (KEYWORDS.beginnings..KEYWORDS.positions).contains(&pattern) {
                positions.read_position_at_word(pattern - KEYWORDS.beginnings, hit.end());
            } else if rules.is_empty() {
                names.read_named_value_around_word(hit.start(), hit.end());
            } else if should_match_rules_at_keyword(text, hit.start(), hit.end()) {
                for rule in rules {
                    if let Some(hits) = hits.get_mut(*rule) {
                        hits.push(hit.start());
                    }
                }
            }
        }
    }
    add(names.found, "named-value");
    add(tokens, "token");
    for (rule, hits) in RULES.rules.iter().zip(&hits).filter(|(_, hits)| !hits.is_empty()) {
        add(rule.token_ranges(text, hits, &RULES, stop)?, rule.id);
    }
    stop.check()?;
    add(places::secret_ranges_by_structure(text), "place");
    add(positions.found, "position");
    limits.check(found.len())?;
    Ok(found)
}

/// Whether the rules of a keyword are to be matched where it stands. Two letters, such as the `ey` at the beginning of a
/// JSON web token, stand in most lines of code: they must begin a long token.
fn should_match_rules_at_keyword(text: &str, start: usize, end: usize) -> bool {
    if end - start > 2 {
        return true;
    }
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
    let bytes = text.as_bytes();
    let begins = !start.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(is_word);
    let after = bytes.get(end..).unwrap_or_default();
    begins && after.iter().take(16).filter(|byte| is_word(byte) || b"-_.".contains(byte)).count() == 16
        || after.first() == Some(&b'~')
}

/// Whether a text is nothing but a mask with hardly more than signs around it.
fn is_masked_already(text: &str) -> bool {
    const MIN_REST_BYTES: usize = 6;
    text.is_empty()
        || text.contains(MASK)
            && text.replace(MASK, "").bytes().filter(u8::is_ascii_alphanumeric).count() < MIN_REST_BYTES
}

/// Puts ranges in order, joins those that overlap, moves their ends to boundaries of characters, and leaves out what is
/// masked already.
fn sort_and_join_ranges(text: &str, mut found: Vec<SecretRange>) -> Vec<SecretRange> {
    for one in &mut found {
        one.range.end = one.range.end.min(text.len());
        while !text.is_char_boundary(one.range.start) {
            one.range.start -= 1;
        }
        while !text.is_char_boundary(one.range.end) {
            one.range.end += 1;
        }
    }
    // A part of a mask is no secret, whatever it says.
    let masks: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), MASK.as_bytes()).collect();
    found.retain(|one| {
        let at_or_before = masks.partition_point(|start| *start <= one.range.start);
        let mask = at_or_before.checked_sub(1).and_then(|index| masks.get(index));
        mask.is_none_or(|start| one.range.end > start + MASK.len())
    });
    found.retain(|one| !text.get(one.range.clone()).is_none_or(is_masked_already));
    joined(found)
}

/// Ranges in order, those that overlap joined.
pub(crate) fn joined(mut ranges: Vec<SecretRange>) -> Vec<SecretRange> {
    ranges.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
    ranges.dedup_by(|one, last| {
        let overlaps = one.range.start < last.range.end;
        if overlaps {
            last.range.end = last.range.end.max(one.range.end);
        }
        overlaps
    });
    ranges
}
