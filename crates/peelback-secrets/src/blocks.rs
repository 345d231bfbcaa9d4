//! Detection of the lines of private keys in texts, in any presentation: numbered, quoted, indented, or without their
//! first or last line.

use std::ops::Range;

use crate::judgement::shannon_entropy_per_byte;
use crate::pattern::constant_patterns;

/// A regular expression for the prefix of a line in tool answers: optionally the file's path, then the line number,
/// then `:`, `-`, `|`, a tab or a space.
const GUTTER: &str = r#"(?:[ \t]*(?:[^\s"'=]+[:-])?[0-9]{1,8}(?:[ \t]?[:|│\t-]|[ \t])){0,2}"#;

/// A regular expression for the suffix of a line in tool answers: the name of the enclosing symbol, or the cost in
/// tokens.
const OWNER: &str = r"(?:[ \t]+(?:\[in [^\]\n]+\]|~[0-9,]+(?: tokens)?))?";

/// The minimum number of base64 characters in a full line of a key. Lines of PEM and PGP keys have 64 characters, lines
/// of OpenSSH keys have 70; the last line is shorter.
const LINE_CHARS: usize = 40;

/// The number of base64 characters that each line must have in a run of fewer than [`RUN_LINES`] lines, such as a
/// single line of a key.
const LONE_CHARS: Range<usize> = 60..81;

/// The minimum number of consecutive base64 lines that count as a private key without a `BEGIN` line.
const RUN_LINES: usize = 3;

/// The minimum number of base64 characters in a short line that is masked because it is next to the first or last line
/// of a private key.
const LEAST_CHARS: usize = 12;

/// The minimum entropy, in bits per character, of a long text that counts as random base64. Random base64 has 6 bits;
/// words and digests have 4.
const BASE64_BITS: f64 = 4.6;

/// How base64 of images, archives and certificates begins.
const PUBLIC_BEGINNINGS: &[&str] = &[
    "iVBORw0KGgo",
    "R0lGOD",
    "/9j/",
    "UklGR",
    "PHN2Zy",
    "JVBERi",
    "H4sI",
    "UEsDB",
    "AAABAA",
    "MIIBIjAN",
    "MIICIjAN",
    "MFkwEwYH",
    "T2dnUw",
    "SUQz",
    "d09GR",
    "AAEAAAA",
    "T1RUTw",
];

constant_patterns! {
    /// A private key on a single line, where line breaks are written as `\n`.
    KEY_ON_A_LINE = r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----([A-Za-z0-9+/=\\ ]{32,})";
    /// A line of base64 with its surroundings: the prefix of tool answers, indentation, a diff sign or a comment sign,
    /// and quotes.
    LINE = &format!(
        r#"^{GUTTER}[ \t>*#;|-]*(?:\+[ \t]+|//+[ \t]+)?(?:[bru]?["'`]{{1,3}})?([A-Za-z0-9+/=]{{4,}})(?:\\[nr]){{0,2}}["'`]{{0,3}}[ \t]*[+\\,;.)]*{OWNER}[ \t\r]*$"#
    );
    /// A header line between the `BEGIN` line of a private key and the key's base64, or an empty line.
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
    /// The `BEGIN` line of armoured data that is no private key, such as a certificate or a public key.
    Public,
    /// A line of base64. The value is the byte range of the base64 in the text.
    Body(Range<usize>),
    /// A header line of a private key, or an empty line.
    Header,
    Other,
}

/// The byte ranges in a text of the base64 in the lines of private keys, without line numbers, quotes and other text
/// around it.
pub(crate) fn private_key_base64_ranges(text: &str) -> Vec<Range<usize>> {
    let lines = classify_private_key_lines(text);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line {
            Line::Begin => found.extend(key_block_base64_ranges(text, lines.iter().skip(at + 1), LINE_CHARS / 2)),
            Line::End => found.extend(key_block_base64_ranges(text, lines.iter().take(at).rev(), LEAST_CHARS)),
            _ => {}
        }
    }
    let mut at = 0;
    while at < lines.len() {
        let run: Vec<Range<usize>> = lines.iter().skip(at).map_while(range_of_long_base64_line).collect();
        if run.is_empty() {
            at += 1;
            continue;
        }
        let begins_public = run
            .first()
            .and_then(|line| text.get(line.clone()))
            .is_some_and(|first| PUBLIC_BEGINNINGS.iter().any(|beginning| first.starts_with(beginning)));
        let heading = lines.iter().take(at).rev().find(|line| **line != Line::Header);
        let is_public = begins_public || heading == Some(&Line::Public) || continues_image_or_attachment(text, &run);
        let is_block = run.len() >= RUN_LINES || run.iter().all(|line| LONE_CHARS.contains(&line.len()));
        at += run.len();
        if !is_public && is_block && looks_like_random_base64(&concatenate_text_ranges(text, &run)) {
            found.extend(run);
            // The last line of a private key is usually shorter than the other lines, so the minimum length does not
            // apply to it.
            if let Some(Line::Body(last)) = lines.get(at) {
                found.extend(
                    Some(last.clone())
                        .filter(|last| !is_all_lowercase_or_all_digits(text.get(last.clone()).unwrap_or(""))),
                );
            }
        }
    }
    if text.contains("PRIVATE KEY") {
        found.extend(one_line_private_key_ranges(text));
    }
    found.sort_by_key(|range| range.start);
    found.dedup();
    found
}

/// The byte ranges in a text of the base64 in the lines that follow a private key's `BEGIN` line.
fn private_key_base64_ranges_after_begin(text: &str) -> Vec<Range<usize>> {
    let lines = classify_private_key_lines(text);
    let begins = lines.iter().enumerate().filter(|(_, line)| **line == Line::Begin);
    begins.flat_map(|(at, _)| key_block_base64_ranges(text, lines.iter().skip(at + 1), LINE_CHARS / 2)).collect()
}

/// Whether a text is random base64, in contrast to words, names, horizontal rules and digests.
fn looks_like_random_base64(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.bytes().any(|byte| test(&byte));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    // A short text cannot reach the usual threshold, since its entropy is at most the logarithm of its length.
    let possible = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX).max(1)).log2();
    is_mixed && shannon_entropy_per_byte(text.as_bytes()) >= BASE64_BITS.min(possible * 0.8)
}

fn classify_private_key_lines(text: &str) -> Vec<Line> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let at = start;
        start += line.len();
        classify_private_key_line(line.strip_suffix('\n').unwrap_or(line), at)
    });
    lines.collect()
}

fn classify_private_key_line(line: &str, start: usize) -> Line {
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

/// The byte ranges of the base64 lines that follow a private key's `BEGIN` line (or precede its `END` line, if `lines`
/// are in reverse order). The result is empty if no line has at least `least` characters, or if the base64 is not
/// random.
fn key_block_base64_ranges<'a>(text: &str, lines: impl Iterator<Item = &'a Line>, least: usize) -> Vec<Range<usize>> {
    let bodies = lines.map_while(|line| match line {
        Line::Body(range) => Some(Some(range.clone())),
        Line::Header => Some(None),
        _ => None,
    });
    let found: Vec<Range<usize>> = bodies.flatten().collect();
    // After a `BEGIN` line, one long base64 line is enough to count as a key, without a check of its entropy.
    let is_told = least > LEAST_CHARS && found.iter().any(|line| line.len() >= LINE_CHARS);
    let is_key = is_told
        || found.iter().any(|line| line.len() >= least)
            && looks_like_random_base64(&concatenate_text_ranges(text, &found));
    if is_key { found } else { Vec::new() }
}

fn range_of_long_base64_line(line: &Line) -> Option<Range<usize>> {
    match line {
        Line::Body(range) if range.len() >= LINE_CHARS => Some(range.clone()),
        _ => None,
    }
}

fn concatenate_text_ranges(text: &str, lines: &[Range<usize>]) -> String {
    lines.iter().filter_map(|range| text.get(range.clone())).collect()
}

fn is_all_lowercase_or_all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase()) || text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether what stands before lines of base64 says what they are: the rest of an image or of an attachment.
fn continues_image_or_attachment(text: &str, run: &[Range<usize>]) -> bool {
    const BYTES_BEFORE: usize = 400;
    let Some(first) = run.first() else { return false };
    let before = text.as_bytes().get(first.start.saturating_sub(BYTES_BEFORE)..first.start).unwrap_or_default();
    [&b";base64,"[..], b"Encoding: base64"].iter().any(|mark| memchr::memmem::find(before, mark).is_some())
}

/// The byte ranges of the base64 of private keys that are written on one line.
fn one_line_private_key_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let keys = KEY_ON_A_LINE.captures_iter(text).filter_map(|found| found.get(1));
    keys.filter(|key| looks_like_random_base64(key.as_str())).map(|key| key.range())
}

/// The number of bytes in a text that belong to the base64 of private keys.
pub(crate) fn private_key_byte_count(text: &str) -> usize {
    private_key_base64_ranges_after_begin(text)
        .into_iter()
        .chain(one_line_private_key_ranges(text))
        .map(|range| range.len())
        .sum()
}
