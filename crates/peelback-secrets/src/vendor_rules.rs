//! Tokens of vendors by the rules of gitleaks.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

use crate::judgement::{contains_placeholder_word, shannon_entropy_per_byte};
use crate::stop::{Stop, Stopped};

/// The rules as `rules/renew.py` writes them.
const DATA: &str = include_str!("../rules/gitleaks.tsv");

/// Rules that the readers of structure replace. They apply to any name and value, to files by their names, or to whole
/// private keys alone.
const REPLACED: &[&str] = &["generic-api-key", "hashicorp-tf-password", "kubernetes-secret-yaml", "private-key"];

/// How gitleaks' rules end a token, and what ends it here: tokens also stand before commas, dots and brackets.
const TOKEN_ENDS: &[&str] = &[r#"(?:[\x60'"\s;]|\\[nr]|$)"#];
const TOKEN_END: &str = r"(?:[^0-9A-Za-z_+/=-]|$)";

/// The bytes before and after a keyword in which its rule is matched. The longest patterns with a bound on their length
/// have 300 bytes.
const BYTES_BEFORE: usize = 160;
const BYTES_AFTER: usize = 768;

/// The limits in bytes of a compiled pattern and of its matching. The largest of the rules needs a tenth.
const PATTERN_BYTES: usize = 4 << 20;

/// A rule: the tokens of one kind of one vendor.
pub(crate) struct VendorRule {
    /// The rule's name in the rule set.
    pub id: &'static str,
    /// The words of which one stands in each token of this kind or near it.
    pub keywords: Vec<&'static str>,
    entropy: f64,
    group: usize,
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
    allowed: Vec<Allowance>,
}

/// A pattern of what is no secret though a rule matches it.
struct Allowance {
    target: &'static str,
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

/// The rule set.
pub(crate) struct RuleSet {
    pub rules: Vec<VendorRule>,
    allowed: Vec<Allowance>,
    /// Words that are usual in names and values that are no secrets.
    pub words: Vec<&'static str>,
}

/// The rules of gitleaks. Reading them compiles no pattern.
pub(crate) static RULES: LazyLock<RuleSet> = LazyLock::new(|| parse_vendor_rules(DATA));

fn parse_vendor_rules(data: &'static str) -> RuleSet {
    let mut set = RuleSet { rules: Vec::new(), allowed: Vec::new(), words: Vec::new() };
    for line in data.lines() {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap_or("");
        match next() {
            "rule" => {
                let (id, entropy, group, keywords, pattern) = (next(), next(), next(), next(), next());
                set.rules.push(VendorRule {
                    id,
                    keywords: keywords.split(' ').filter(|word| !word.is_empty()).collect(),
                    entropy: entropy.parse().unwrap_or(0.0),
                    group: group.parse().unwrap_or(0),
                    pattern,
                    compiled: OnceLock::new(),
                    allowed: Vec::new(),
                });
            }
            "allow" => {
                let (id, target, pattern) = (next(), next(), next());
                let allowance = Allowance { target, pattern, compiled: OnceLock::new() };
                match set.rules.last_mut().filter(|rule| rule.id == id) {
                    Some(rule) => rule.allowed.push(allowance),
                    None => set.allowed.push(allowance),
                }
            }
            "words" => set.words.extend(next().split(' ')),
            _ => {}
        }
    }
    set.rules.retain(|rule| !REPLACED.contains(&rule.id));
    set
}

/// The rules whose tokens also stand behind an underscore, as in `backup_AKIA…`: their beginnings are letters that a word
/// boundary does not part from a name. Other rules have no boundary, or need one to tell their tokens from names.
const GLUED_RULES: &[&str] =
    &["aws-access-token", "gcp-api-key", "huggingface-access-token", "jwt", "sendgrid-api-token"];

/// A word boundary, or an underscore beside a token.
const BOUNDARY_OR_UNDERSCORE: &str = r"(?:\b|_)";

/// The pattern of a rule of [`GLUED_RULES`], which takes an underscore before and after a token for a boundary.
fn pattern_with_underscore_as_boundary(pattern: &str) -> String {
    let rest = pattern.strip_prefix(r"\b").unwrap_or(pattern);
    match rest.strip_suffix(r"\b") {
        Some(middle) => format!("{BOUNDARY_OR_UNDERSCORE}{middle}{BOUNDARY_OR_UNDERSCORE}"),
        None => format!("{BOUNDARY_OR_UNDERSCORE}{rest}"),
    }
}

/// Compiles a pattern of the rules. Go's classes are those of ASCII.
fn compile_rule_pattern(pattern: &str) -> Option<Regex> {
    let ended = TOKEN_ENDS.iter().find_map(|end| Some(format!("{}{TOKEN_END}", pattern.strip_suffix(end)?)));
    let pattern = ended.as_deref().unwrap_or(pattern);
    RegexBuilder::new(pattern).unicode(false).size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES).build().ok()
}

impl Allowance {
    fn is_match(&self, text: &[u8]) -> bool {
        let compiled = self.compiled.get_or_init(|| compile_rule_pattern(self.pattern));
        compiled.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }
}

impl VendorRule {
    fn compiled_pattern(&self) -> Option<&Regex> {
        let compile = || match GLUED_RULES.contains(&self.id) {
            true => compile_rule_pattern(&pattern_with_underscore_as_boundary(self.pattern)),
            false => compile_rule_pattern(self.pattern),
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// Whether a token is one for certain where only an underscore parts it from a name. A constant such as
    /// `REGION_ASIAPACIFICSOUTHEAST` has the form of a token, and no digit.
    fn is_certain_behind_underscore(&self, bytes: &[u8], secret: &Range<usize>) -> bool {
        let before = secret.start.checked_sub(1).and_then(|before| bytes.get(before));
        let is_glued = |byte: Option<&u8>| byte == Some(&b'_');
        self.id != "aws-access-token"
            || !(is_glued(before) || is_glued(bytes.get(secret.end)))
            || bytes.get(secret.clone()).is_some_and(|secret| secret.iter().any(u8::is_ascii_digit))
    }

    /// The ranges of the tokens of this kind in `text` near the places `hits` of the rule's keywords, which are in order.
    pub fn token_ranges(
        &self,
        text: &str,
        hits: &[usize],
        set: &RuleSet,
        stop: Stop<'_>,
    ) -> Result<Vec<Range<usize>>, Stopped> {
        let Some(pattern) = self.compiled_pattern() else { return Ok(Vec::new()) };
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        let mut done = 0;
        let mut hits = hits.iter().copied().peekable();
        while let Some(hit) = hits.next() {
            let mut start = hit.saturating_sub(BYTES_BEFORE).max(done);
            let mut end = hit.saturating_add(BYTES_AFTER);
            while hits.next_if(|next| next.saturating_sub(BYTES_BEFORE) < end).is_some_and(|next| {
                end = next.saturating_add(BYTES_AFTER);
                true
            }) {}
            let end = end_of_token_run(bytes, end);
            let window = bytes.get(..end).unwrap_or(bytes);
            stop.check()?;
            while let Some(captures) = pattern.captures_at(window, start) {
                let Some(whole) = captures.get(0) else { break };
                let secret = match self.group {
                    0 => captures.iter().skip(1).flatten().find(|group| !group.is_empty()).unwrap_or(whole),
                    group => captures.get(group).unwrap_or(whole),
                };
                if self.is_secret(secret.as_bytes(), whole.as_bytes(), set)
                    && self.is_certain_behind_underscore(bytes, &secret.range())
                    && !is_commit_or_file_digest(bytes, &secret.range())
                {
                    found.push(secret.range());
                }
                start = secret.end().max(whole.start() + 1);
            }
            done = end;
        }
        Ok(found)
    }

    fn is_secret(&self, secret: &[u8], whole: &[u8], set: &RuleSet) -> bool {
        let is_allowed = |one: &Allowance| one.is_match(if one.target == "secret" { secret } else { whole });
        !secret.is_empty()
            && shannon_entropy_per_byte(secret) >= self.entropy
            && !std::str::from_utf8(secret).is_ok_and(contains_placeholder_word)
            && !self.allowed.iter().chain(&set.allowed).any(is_allowed)
    }
}

/// Whether a token of hexadecimal digits is that of a commit or a file, by what stands before it. Rules without a
/// beginning of their own take any such number near the vendor's name.
fn is_commit_or_file_digest(bytes: &[u8], token: &Range<usize>) -> bool {
    const BYTES_BEFORE: usize = 24;
    const WORDS: &[&[u8]] =
        &[b"rev", b"sha", b"commit", b"hash", b"checksum", b"digest", b"integrity", b"ref", b"#", b"@"];
    let value = bytes.get(token.clone()).unwrap_or_default();
    let before = bytes.get(token.start.saturating_sub(BYTES_BEFORE)..token.start).unwrap_or_default();
    let before = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
    value.len() >= 32
        && value.iter().all(u8::is_ascii_hexdigit)
        && WORDS.iter().any(|word| memchr::memmem::find(&before, word).is_some())
}

/// Beginnings of tokens that no keyword of the rules has.
const OTHER_BEGINNINGS: &[&str] = &["sk-", "whsec_"];

/// The beginnings that vendors give their tokens: keywords that end in a dash or an underscore. What is random behind one
/// is a token, also where a rule expects another length, since vendors change them.
pub(crate) fn vendor_token_prefixes(set: &RuleSet) -> Vec<&'static str> {
    let keywords = set.rules.iter().flat_map(|rule| &rule.keywords).copied();
    let own =
        keywords.filter(|word| (3..=24).contains(&word.len()) && word.ends_with(['-', '_']) && !word.starts_with('_'));
    let mut found: Vec<&str> = own.chain(OTHER_BEGINNINGS.iter().copied()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The token that begins at `start` with a beginning that ends at `end`.
pub(crate) fn token_range_with_prefix(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    const LEAST_CHARS: usize = 16;
    const MAX_CHARS: usize = 512;
    let bytes = text.as_bytes();
    if start.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let is_token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let length = bytes.get(end..)?.iter().take(MAX_CHARS).take_while(is_token).count();
    let value = text.get(end..end + length)?.trim_end_matches(['-', '_']);
    // What is random comes last: `sk-ant-api03-…`, `sk_live_…`.
    let random = value.rsplit(['-', '_']).map(str::len).max().unwrap_or(0);
    let is_random = value.len() >= LEAST_CHARS && random >= 10 && crate::judgement::is_random_token(value, LEAST_CHARS);
    is_random.then_some(start..end + value.len())
}

/// The end of the run of token characters around `end`, so that a window does not cut a long token.
fn end_of_token_run(bytes: &[u8], end: usize) -> usize {
    const MAX_RUN_BYTES: usize = 16 << 10;
    let rest = bytes.get(end..).unwrap_or_default();
    let is_token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=_-.".contains(byte);
    (end + rest.iter().take(MAX_RUN_BYTES).take_while(is_token).count() + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_the_rules_compiles() {
        assert!(RULES.rules.len() > 200 && RULES.words.len() > 900, "{} rules", RULES.rules.len());
        for rule in &RULES.rules {
            assert!(rule.compiled_pattern().is_some(), "{}: {}", rule.id, rule.pattern);
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
        }
        for allowance in RULES.rules.iter().flat_map(|rule| &rule.allowed).chain(&RULES.allowed) {
            assert!(compile_rule_pattern(allowance.pattern).is_some(), "{}", allowance.pattern);
        }
    }
}
