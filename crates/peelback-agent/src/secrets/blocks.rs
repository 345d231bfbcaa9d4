//! The lines of private keys in any presentation: numbered, quoted, indented, without their first or last line.

use std::ops::Range;

use super::entropy::entropy;
use crate::pattern::constant_patterns;

/// The prefix of a line in answers of tools: a number, before it the path where a line is alone, and `:`, `-` or a
/// space.
const GUTTER: &str = r#"(?:[ \t]*(?:[^\s"'=]+[:-])?[0-9]{1,8}(?:[ \t]?[:|│\t-]|[ \t]))?"#;

/// The suffix of a line in answers of tools: the enclosing symbol, or the cost in tokens.
const OWNER: &str = r"(?:[ \t]+(?:\[in [^\]\n]+\]|~[0-9,]+(?: tokens)?))?";

/// Characters from which a line may be part of a key: lines of PEM and PGP have 64, of OpenSSH 70; the last line is
/// shorter.
const LINE_CHARS: usize = 40;

/// Characters of a single line of a key without neighbours.
const LONE_CHARS: Range<usize> = 60..81;

/// Consecutive lines that count as a key without a `BEGIN` line.
const RUN_LINES: usize = 3;

/// Characters of base64 below which a short line next to a key's first or last line is not masked.
const LEAST_CHARS: usize = 12;

/// Bits of entropy per character from which a text of many characters is random base64: random base64 has 6, words and
/// digests have 4.
const BASE64_BITS: f64 = 4.6;

constant_patterns! {
    /// A line of base64 with its surroundings: the prefix of answers, indentation, the sign of a change or a comment,
    /// quotes.
    LINE = &format!(
        r#"^{GUTTER}[ \t>*#;|-]*(?:\+[ \t]+|//+[ \t]+)?[bru]?["'`]{{0,3}}([A-Za-z0-9+/=]{{4,}})(?:\\[nr]){{0,2}}["'`]{{0,3}}[ \t]*[+\\,;.)]*{OWNER}[ \t\r]*$"#
    );
    /// A header line between the first line of a key and its content.
    HEADER = &format!(
        r#"^{GUTTER}[ \t>*#;|"'+-]*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash)[ \t]*:.*)?[ \t\\n"'\r]*$"#
    );
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    /// The `BEGIN` line of a private key.
    Begin,
    /// The `END` line of a private key.
    End,
    /// The `BEGIN` line of a certificate, a public key or other armoured data.
    Public,
    /// A line of base64, and the byte range of the base64.
    Body(Range<usize>),
    /// A header line of a key, or an empty line.
    Header,
    Other,
}

/// The byte ranges of the base64 lines of private keys, without their surroundings.
pub(super) fn key_lines(text: &str) -> Vec<Range<usize>> {
    let lines = lines_of(text);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line {
            Line::Begin => found.extend(content(text, lines.iter().skip(at + 1), LINE_CHARS / 2)),
            Line::End => found.extend(content(text, lines.iter().take(at).rev(), LEAST_CHARS)),
            _ => {}
        }
    }
    let mut at = 0;
    while at < lines.len() {
        let run: Vec<Range<usize>> = lines.iter().skip(at).map_while(long_body).collect();
        if run.is_empty() {
            at += 1;
            continue;
        }
        let is_public = at > 0 && lines.get(at - 1) == Some(&Line::Public);
        let is_block = run.len() >= RUN_LINES || run.iter().all(|line| LONE_CHARS.contains(&line.len()));
        at += run.len();
        if !is_public && is_block && is_base64(&joined(text, &run)) {
            found.extend(run);
            // The last line of a key is usually shorter.
            if let Some(Line::Body(last)) = lines.get(at) {
                found.extend(Some(last.clone()).filter(|last| !is_word(text.get(last.clone()).unwrap_or(""))));
            }
        }
    }
    found.sort_by_key(|range| range.start);
    found.dedup();
    found
}

/// The byte ranges of the base64 lines that follow a `BEGIN` line.
pub(super) fn key_lines_after_begin(text: &str) -> Vec<Range<usize>> {
    let lines = lines_of(text);
    let begins = lines.iter().enumerate().filter(|(_, line)| **line == Line::Begin);
    begins.flat_map(|(at, _)| content(text, lines.iter().skip(at + 1), LINE_CHARS / 2)).collect()
}

/// Whether a text is random base64, which words, names, rulers and digests are not.
pub(super) fn is_base64(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.bytes().any(|byte| test(&byte));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    // The entropy of a text is at most the logarithm of its length.
    let possible = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX).max(1)).log2();
    is_mixed && entropy(text) >= BASE64_BITS.min(possible * 0.8)
}

fn lines_of(text: &str) -> Vec<Line> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let at = start;
        start += line.len();
        kind(line.strip_suffix('\n').unwrap_or(line), at)
    });
    lines.collect()
}

fn kind(line: &str, start: usize) -> Line {
    if line.contains("-----") {
        let is_private = line.contains("PRIVATE KEY");
        return match (line.contains("-----BEGIN "), line.contains("-----END ")) {
            (true, false) if is_private => Line::Begin,
            (false, true) if is_private => Line::End,
            (true, false) => Line::Public,
            _ => Line::Other,
        };
    }
    if let Some(body) = LINE.captures(line).and_then(|found| found.get(1)) {
        return Line::Body(start + body.start()..start + body.end());
    }
    if HEADER.is_match(line) { Line::Header } else { Line::Other }
}

/// The base64 lines that continue from a key's first or last line, where one of them has at least `least` characters.
fn content<'a>(text: &str, lines: impl Iterator<Item = &'a Line>, least: usize) -> Vec<Range<usize>> {
    let bodies = lines.map_while(|line| match line {
        Line::Body(range) => Some(Some(range.clone())),
        Line::Header => Some(None),
        _ => None,
    });
    let found: Vec<Range<usize>> = bodies.flatten().collect();
    // After a `BEGIN` line, one long line suffices; its entropy is not checked.
    let is_told = least > LEAST_CHARS && found.iter().any(|line| line.len() >= LINE_CHARS);
    let is_key = is_told || found.iter().any(|line| line.len() >= least) && is_base64(&joined(text, &found));
    if is_key { found } else { Vec::new() }
}

fn long_body(line: &Line) -> Option<Range<usize>> {
    match line {
        Line::Body(range) if range.len() >= LINE_CHARS => Some(range.clone()),
        _ => None,
    }
}

fn joined(text: &str, lines: &[Range<usize>]) -> String {
    lines.iter().filter_map(|range| text.get(range.clone())).collect()
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase()) || text.bytes().all(|byte| byte.is_ascii_digit())
}
