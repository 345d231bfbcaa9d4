//! The lines of private keys, wherever they stand: numbered, quoted, indented, without their first or last line.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::values::{entropy, pattern};

/// What answers put before a line: a number, with the path before it where a line stands alone, and `:`, `-` or a space.
const GUTTER: &str = r#"(?:[ \t]*(?:[^\s"'=]+[:-])?[0-9]{1,8}(?:[ \t]?[:|│\t-]|[ \t]))?"#;

/// What answers put behind a line: the symbol that it lies in, or what it costs.
const OWNER: &str = r"(?:[ \t]+(?:\[in [^\]\n]+\]|~[0-9,]+(?: tokens)?))?";

/// Characters from which a line counts as one of a key: PEM and PGP have 64, OpenSSH 70; the last line is shorter.
const LINE_CHARS: usize = 40;

/// Characters from which a line counts for one that is alone.
const LONE_CHARS: Range<usize> = 60..81;

/// Lines that are a block without a line that says so.
const RUN_LINES: usize = 3;

/// Characters of base64 under which a short line beside a key's first or last line is left alone.
const LEAST_CHARS: usize = 12;

/// Bits per character from which a text of many characters is random base64: that has 6, words have 4, digests 4.
const BASE64_BITS: f64 = 4.6;

/// A line that is base64 but for what surrounds it: the gutter, indentation, the sign of a change or a comment, quotes.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"^{GUTTER}[ \t>*#;|-]*(?:\+[ \t]+|//+[ \t]+)?[bru]?["'`]{{0,3}}([A-Za-z0-9+/=]{{4,}})(?:\\[nr]){{0,2}}["'`]{{0,3}}[ \t]*[+\\,;.)]*{OWNER}[ \t\r]*$"#
    ))
});

/// What stands between the first line of a key and its content.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"^{GUTTER}[ \t>*#;|"'+-]*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash)[ \t]*:.*)?[ \t\\n"'\r]*$"#
    ))
});

#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    /// The first line of a private key.
    Begin,
    /// The last.
    End,
    /// The first line of something else in the same armour.
    Public,
    /// Base64, where it stands in the text.
    Body(Range<usize>),
    /// A header of a key, or nothing.
    Header,
    Other,
}

/// The lines of private keys, without what surrounds them.
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
            // The last line of a block is short.
            if let Some(Line::Body(last)) = lines.get(at) {
                found.extend(Some(last.clone()).filter(|last| !is_word(text.get(last.clone()).unwrap_or(""))));
            }
        }
    }
    found.sort_by_key(|range| range.start);
    found.dedup();
    found
}

/// The lines of private keys whose first line stands there.
pub(super) fn after_begin(text: &str) -> Vec<Range<usize>> {
    let lines = lines_of(text);
    let begins = lines.iter().enumerate().filter(|(_, line)| **line == Line::Begin);
    begins.flat_map(|(at, _)| content(text, lines.iter().skip(at + 1), LINE_CHARS / 2)).collect()
}

/// Whether a text is base64 that no word, name, ruler or digest looks like.
pub(super) fn is_base64(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.bytes().any(|byte| test(&byte));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    // A short text cannot have more bits than it has characters.
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

/// The base64 that goes on from a key's first or last line, where it has a line of at least `least` characters.
fn content<'a>(text: &str, lines: impl Iterator<Item = &'a Line>, least: usize) -> Vec<Range<usize>> {
    let bodies = lines.map_while(|line| match line {
        Line::Body(range) => Some(Some(range.clone())),
        Line::Header => Some(None),
        _ => None,
    });
    let found: Vec<Range<usize>> = bodies.flatten().collect();
    // A line that says what follows, and a long one after it, are enough; what stands there need not look like chance.
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
