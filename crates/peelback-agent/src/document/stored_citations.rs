//! The stored citations of a document: one HTML comment at its end, which no Markdown renderer shows. It holds the
//! hashes by which a later check tells what changed.
//!
//! The first line names the form and a sum of the lines below it, so that damage is noticed. Each further line is a
//! JSON array: the path and the hash of a file, and then one array for each citation of it, with the lines, their hash,
//! the symbol and the description. No line holds `<` or `>` (both are escaped in JSON), so that no content ends the
//! comment.

use std::fmt::Write as _;

use peelback_code::syntax::Lines;
use peelback_secrets::{KnownSecrets, mask_secrets_with};
use serde_json::Value;

use super::scalar::quote_yaml_string;
use crate::citations::entries::MAX_CITATIONS;
use crate::citations::entry::CitationEntry;

/// The beginning of the comment's first line.
const BEGIN: &str = "<!-- peelback citations ";

/// The form that this module writes, which follows [`BEGIN`].
const FORM: &str = "1";

/// The last line of the comment.
const END: &str = "-->";

/// The number of hexadecimal digits of the sum.
const SUM_DIGITS: usize = 16;

/// Whether a text holds a line that begins as the comment does.
pub(super) fn has_comment_beginning(text: &str) -> bool {
    last_beginning(text).is_some()
}

/// Formats the comment, with a newline at its end.
///
/// What is secret anywhere in the document is masked, whatever stands around it here: `known` are the secrets of its text.
pub(super) fn format_stored_citations(entries: &[CitationEntry], known: &KnownSecrets) -> String {
    let texts = entries.iter().flat_map(|entry| [&entry.path, &entry.description].into_iter().chain(&entry.symbol));
    let mut known = known.clone();
    known.add_secrets_of_text(&texts.map(String::as_str).collect::<Vec<_>>().join("\n"));
    let mut lines = String::new();
    let same_file = |a: &CitationEntry, b: &CitationEntry| a.path == b.path && a.file_hash == b.file_hash;
    for of_file in entries.chunk_by(same_file) {
        let Some(first) = of_file.first() else { continue };
        let mut parts = vec![quote(&mask_secrets_with(&first.path, &known).text), quote(&first.file_hash)];
        parts.extend(of_file.iter().map(|entry| format_entry(entry, &known)));
        let _ = writeln!(lines, "[{}]", parts.join(","));
    }
    format!("{BEGIN}{FORM} sum={}\n{lines}{END}\n", sum_of_lines(&lines))
}

/// Formats a citation as an array without the empty values at its end.
fn format_entry(entry: &CitationEntry, known: &KnownSecrets) -> String {
    let masked = |text: &str| quote(&mask_secrets_with(text, known).text);
    let mut parts = [
        entry.lines.map(|lines| quote(&format!("{}-{}", lines.first, lines.last))),
        entry.hash.as_deref().map(quote),
        entry.symbol.as_deref().map(masked),
        Some(entry.description.as_str()).filter(|text| !text.is_empty()).map(masked),
    ]
    .to_vec();
    while parts.last().is_some_and(Option::is_none) {
        parts.pop();
    }
    let parts: Vec<String> = parts.into_iter().map(|part| part.unwrap_or_else(|| "null".to_owned())).collect();
    format!("[{}]", parts.join(","))
}

/// A text as a JSON string that neither ends an HTML comment nor holds a line break of any reader.
fn quote(text: &str) -> String {
    quote_yaml_string(text).replace('<', "\\u003c").replace('>', "\\u003e")
}

/// Splits the last comment off the text below the front matter. Returns the text without the comment, and the comment's
/// citations; `None` where there is no comment.
///
/// # Errors
/// What is wrong with the comment, in words.
pub(super) fn split_off_stored_citations(text: &str) -> Result<Option<(String, Vec<CitationEntry>)>, String> {
    let Some(start) = last_beginning(text) else { return Ok(None) };
    let (before, comment) = text.split_at_checked(start).unwrap_or((text, ""));
    let (first, rest) = comment.split_once('\n').ok_or("its end is missing")?;
    let head = first.trim_end().strip_prefix(BEGIN).unwrap_or_default();
    let sum = match head.split_once(" sum=") {
        Some((FORM, sum)) => sum,
        Some((form, _)) => return Err(format!("its version {form:?} is not known")),
        None => return Err("its first line was changed".to_owned()),
    };
    let mut lines = String::new();
    let mut at = 0;
    let mut has_end = false;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        let line = line.trim_end();
        if line == END {
            has_end = true;
            break;
        }
        let _ = writeln!(lines, "{line}");
    }
    if !has_end {
        return Err("its end is missing".to_owned());
    }
    if sum_of_lines(&lines) != sum {
        return Err("its content was changed".to_owned());
    }
    let mut entries = Vec::new();
    for line in lines.lines() {
        entries.extend(parse_line(line).ok_or("a line of it cannot be read")?);
        if entries.len() > MAX_CITATIONS {
            return Err(format!("it has more than {MAX_CITATIONS} citations"));
        }
    }
    let after = rest.get(at..).unwrap_or("").trim_matches(['\r', '\n']);
    let mut body = before.trim_end_matches(['\r', '\n']).to_owned();
    if !after.trim().is_empty() {
        // Text that somebody wrote below the comment is part of the document.
        let _ = write!(body, "\n\n{after}");
    }
    body.push('\n');
    Ok(Some((body, entries)))
}

/// The byte offset of the last line that begins as the comment does.
fn last_beginning(text: &str) -> Option<usize> {
    let mut found = text.rmatch_indices(BEGIN).map(|(at, _)| at);
    found.find(|at| text.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with('\n')))
}

fn sum_of_lines(lines: &str) -> String {
    blake3::hash(lines.as_bytes()).to_hex().chars().take(SUM_DIGITS).collect()
}

fn parse_line(line: &str) -> Option<Vec<CitationEntry>> {
    let values: Vec<Value> = serde_json::from_str(line).ok()?;
    let [path, file_hash, entries @ ..] = values.as_slice() else { return None };
    let (path, file_hash) = (path.as_str()?, file_hash.as_str()?);
    entries
        .iter()
        .map(|entry| {
            let parts = entry.as_array()?;
            let text = |at: usize| match parts.get(at) {
                None | Some(Value::Null) => Some(None),
                Some(value) => value.as_str().map(|text| Some(text.to_owned())),
            };
            let lines = match text(0)? {
                Some(lines) => Some(parse_lines(&lines)?),
                None => None,
            };
            Some(CitationEntry {
                path: path.to_owned(),
                lines,
                hash: text(1)?,
                symbol: text(2)?,
                description: text(3)?.unwrap_or_default(),
                file_hash: file_hash.to_owned(),
            })
        })
        .collect()
}

/// Parses a range of lines: `10-40`.
pub(super) fn parse_lines(text: &str) -> Option<Lines> {
    let (first, last) = text.split_once('-')?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first >= 1 && first <= last).then_some(Lines { first, last })
}
