//! Reading and writing of a document's YAML front matter. Any YAML reader can read what this module writes. Keys of
//! this program are parsed strictly, and other keys leniently.
//!
//! No YAML library is used. `serde_norway` and `serde-saphyr` write unquoted words, which readers of YAML 1.1 take for
//! dates and numbers, and write citations in block style. Both refuse `title: One: two`, which people write, and
//! neither returns the source text of an unknown key's value, which has to be written again unchanged.

use std::collections::HashSet;

use peelback_secrets::mask_secrets;
use serde_json::Value;

use super::error::DocumentError;
use super::scalar::{self, UnchangedYamlValue, parse_yaml_scalar, quote_yaml_string};
use super::stored_citations::parse_lines;
use crate::citations::entries::MAX_CITATIONS;
use crate::citations::entry::CitationEntry;

/// The values of a document's front matter. Keys that have no field in this type are preserved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    /// The folder or URL of the analysed repository, without credentials.
    pub source_repo: String,
    /// The user's question that the document answers.
    pub scope_question: String,
    /// The date and time when the document was written, in RFC 3339.
    pub scan_date: String,
    /// The name of the model that wrote the document; `none` if no model did.
    pub model_used: String,
    /// The way in which the document was written: `pipeline`, `agent`, `evidence` or `context`.
    pub mode: Option<String>,
    /// The number of files that were analysed for the document.
    pub files_analyzed: u32,
    /// The id of the repository's commit that the document describes.
    pub commit: Option<String>,
    /// The number of tokens that were sent to the model.
    pub input_tokens: Option<u64>,
    /// The number of tokens that the model wrote.
    pub output_tokens: Option<u64>,
    /// The cost of the model calls in US dollars, if the model's price is known.
    pub cost_usd: Option<f64>,
    /// The number of tokens of failed requests that the provider may have billed; `None` if there are none.
    pub possibly_billed_tokens: Option<u64>,
    /// The limits on the tokens and the cost of the run, in words: `$2.00`; `None` without a model or a limit.
    pub ceiling: Option<String>,
    /// The reason why the document is incomplete; `None` for a complete document.
    pub incomplete: Option<String>,
    /// What was withheld from the model or did not fit into its requests, with the reasons, on one line; `None` if
    /// nothing was left out.
    pub left_out: Option<String>,
    /// The verified citations, each with hashes of the cited content. The front matter has their number alone; they are
    /// stored in the comment at the end of the document.
    pub citations: Vec<CitationEntry>,
    /// The other keys whose values are text; the writer quotes a value where necessary. If a key occurs several times,
    /// only the last value is written. Keys that have a field in this type are not written from this list.
    pub other: Vec<(String, String)>,
    /// The other keys whose values were parsed as YAML other than quoted text. These values are written back unchanged.
    pub kept: Vec<(String, UnchangedYamlValue)>,
}

/// The front matter keys that have a field in [`FrontMatter`].
const OWN: &[&str] = &[
    "source_repo",
    "scope_question",
    "scan_date",
    "model_used",
    "mode",
    "files_analyzed",
    "commit",
    "model_spending",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "complete",
    "incomplete_reason",
    "left_out",
    "citations",
];

/// Formats a document's front matter as YAML, with its two `---` lines and a newline at the end: at most 14 lines and
/// those of other keys. `counts_citations` adds the number of the stored citations.
pub(super) fn format_front_matter(front: &FrontMatter, counts_citations: bool) -> String {
    let mut out = String::from("---\n");
    let mut line = |key: &str, value: String| out.push_str(&format!("{key}: {value}\n"));
    line("source_repo", quote_with_secrets_masked(&front.source_repo));
    line("scope_question", quote_with_secrets_masked(&front.scope_question));
    line("scan_date", quote_yaml_string(&front.scan_date));
    line("model_used", quote_with_secrets_masked(&front.model_used));
    if let Some(mode) = front.mode.as_ref().filter(|mode| !mode.is_empty()) {
        line("mode", quote_yaml_string(mode));
    }
    line("files_analyzed", front.files_analyzed.to_string());
    if let Some(commit) = front.commit.as_ref().filter(|commit| !commit.is_empty()) {
        line("commit", quote_yaml_string(commit));
    }
    if counts_citations {
        line("citations", front.citations.len().to_string());
    }
    if let Some(spending) = format_model_spending(front) {
        line("model_spending", spending);
    }
    line("complete", front.incomplete.is_none().to_string());
    if let Some(reason) = &front.incomplete {
        line("incomplete_reason", quote_with_secrets_masked(reason));
    }
    if let Some(left_out) = &front.left_out {
        line("left_out", quote_with_secrets_masked(left_out));
    }
    let is_free = |key: &str| !OWN.contains(&key);
    for (index, (key, value)) in front.other.iter().enumerate() {
        let comes_again = front.other.iter().skip(index + 1).any(|(later, _)| later == key);
        if is_free(key) && !comes_again {
            line(&scalar::format_yaml_key(key), scalar::format_yaml_integer_or_string(&mask_secrets(value)));
        }
    }
    let mut written: HashSet<&str> = front.other.iter().map(|(key, _)| key.as_str()).collect();
    for (key, value) in &front.kept {
        if is_free(key) && written.insert(key) {
            out.push_str(&mask_secrets(&format!("{}:{value}\n", scalar::format_yaml_key(key))));
        }
    }
    out.push_str("---\n");
    out
}

/// Formats the tokens, the cost and the ceiling of the run as a YAML flow mapping on one line, which is also JSON;
/// `None` if no value is known.
fn format_model_spending(front: &FrontMatter) -> Option<String> {
    let cost = front.cost_usd.filter(|cost| cost.is_finite());
    let has_tokens = front.input_tokens.is_some() || front.output_tokens.is_some();
    let cost = match cost {
        Some(cost) => Some(format!("{cost:.4}")),
        // The cost could not be counted.
        None => has_tokens.then(|| "null".to_owned()),
    };
    let parts: Vec<String> = [
        front.input_tokens.map(|tokens| format!("\"input_tokens\": {tokens}")),
        front.output_tokens.map(|tokens| format!("\"output_tokens\": {tokens}")),
        cost.map(|cost| format!("\"cost_usd\": {cost}")),
        front.possibly_billed_tokens.map(|tokens| format!("\"possibly_billed_tokens\": {tokens}")),
        front.ceiling.as_ref().map(|ceiling| format!("\"ceiling\": {}", quote_with_secrets_masked(ceiling))),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(", ")))
}

/// Parses the mapping that [`format_model_spending`] writes into `front`. Returns `None` if it is not understood.
fn parse_model_spending(text: &str, front: &mut FrontMatter) -> Option<()> {
    let Value::Object(map) = serde_json::from_str(text).ok()? else { return None };
    let number = |key: &str| match map.get(key) {
        None => Some(None),
        Some(value) => value.as_u64().map(Some),
    };
    front.input_tokens = number("input_tokens")?;
    front.output_tokens = number("output_tokens")?;
    front.possibly_billed_tokens = number("possibly_billed_tokens")?;
    if let Some(cost) = map.get("cost_usd").filter(|cost| !cost.is_null()) {
        front.cost_usd = Some(cost.as_f64()?);
    }
    if let Some(ceiling) = map.get("ceiling") {
        front.ceiling = Some(ceiling.as_str()?.to_owned());
    }
    Some(())
}

/// A value in quotes, without secrets.
fn quote_with_secrets_masked(text: &str) -> String {
    quote_yaml_string(&mask_secrets(text))
}

/// Splits the text of a document into the front matter between the two `---` lines and the body below them.
pub(super) fn split_off_front_matter(text: &str) -> Result<(&str, &str), DocumentError> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let mut at = match lines.next() {
        Some(first) if first.trim_end() == "---" => first.len(),
        _ => return Err(DocumentError::NoFrontMatter),
    };
    let start = at;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            let below = at + line.len();
            return Ok((text.get(start..at).unwrap_or(""), text.get(below..).unwrap_or("")));
        }
        at += line.len();
    }
    Err(DocumentError::Unclosed)
}

/// The values of a document's front matter, and the number of citations in the comment at the document's end where the
/// front matter says it. Documents of earlier versions have the citations themselves in their front matter.
pub(super) fn parse_front_matter(text: &str) -> Result<(FrontMatter, StoredCitationCount), DocumentError> {
    let mut count = StoredCitationCount::NotSaid;
    let mut front = FrontMatter::default();
    let mut incomplete = (false, None);
    let mut seen = HashSet::new();
    for (index, line) in text.lines().enumerate() {
        if line.chars().any(scalar::is_char_escaped_in_yaml) {
            return Err(DocumentError::Malformed {
                line: u32::try_from(index + 2).unwrap_or(u32::MAX),
                reason: "it holds a control character or a line break that is not escaped".to_owned(),
            });
        }
    }
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let wrong = |reason: &str| DocumentError::Malformed {
            // Line numbers in errors count from the document's first `---` line, which is line 1.
            line: u32::try_from(index + 2).unwrap_or(u32::MAX),
            reason: reason.to_owned(),
        };
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        if line.starts_with([' ', '\t', '-']) {
            return Err(wrong("it does not belong to a key"));
        }
        let (key, value) = scalar::split_yaml_key_from_value(line).map_err(|reason| wrong(&reason))?;
        if !value.is_empty() && !value.starts_with([' ', '\t']) {
            return Err(wrong("a space is missing after the colon"));
        }
        // A duplicate key is an error, because YAML readers differ in which value they use: a document could hide a
        // second source from the user.
        if !seen.insert(key.clone()) {
            return Err(wrong(&format!("the key {} occurs twice", quote_yaml_string(&key))));
        }
        let (key, value) = (key.as_str(), value.trim());
        // Indented lines below a front matter key belong to the value of that key.
        let mut below = Vec::new();
        while let Some((at, next)) =
            lines.next_if(|(_, next)| next.starts_with([' ', '\t', '-']) || next.trim().is_empty())
        {
            if next.starts_with('-') && !(next.trim_end() == "-" || next.starts_with("- ")) {
                let line = u32::try_from(at + 2).unwrap_or(u32::MAX);
                let reason = "a list item needs a space after its dash".to_owned();
                return Err(DocumentError::Malformed { line, reason });
            }
            if !next.trim().is_empty() {
                below.push((at, next));
            }
        }
        if key == "citations" {
            if let (Ok(number), true) = (value.parse::<usize>(), below.is_empty()) {
                count = StoredCitationCount::AtEnd(number);
                continue;
            }
            if !matches!(value, "" | "[]") {
                return Err(wrong("citations are a number, or a list with one on each line"));
            }
            count = StoredCitationCount::InFrontMatter;
            if below.len() > MAX_CITATIONS {
                return Err(wrong(&format!("there are more than {MAX_CITATIONS} citations")));
            }
            for (at, entry) in below {
                let entry = entry.trim().strip_prefix('-').map(str::trim).and_then(parse_citation_entry);
                front.citations.push(entry.ok_or_else(|| DocumentError::Malformed {
                    line: u32::try_from(at + 2).unwrap_or(u32::MAX),
                    reason: "it is not a citation in the form used here".to_owned(),
                })?);
            }
            continue;
        }
        if OWN.contains(&key) && !below.is_empty() && !matches!(value, ">" | "|" | ">-" | "|-" | ">+" | "|+") {
            return Err(wrong("its value must follow the colon"));
        }
        let folded = || below.iter().map(|(_, line)| line.trim()).collect::<Vec<_>>().join(" ");
        let scalar = |value: &str| -> Result<String, DocumentError> {
            if below.is_empty() { parse_yaml_scalar(value).map_err(|reason| wrong(&reason)) } else { Ok(folded()) }
        };
        let number =
            |value: &str| value.replace(['_', ','], "").parse::<u64>().map_err(|_| wrong("it is not a number"));
        match key {
            "source_repo" | "scope_question" | "scan_date" | "model_used" | "mode" | "commit" | "incomplete_reason"
            | "left_out" => {
                let value = scalar(value)?;
                match key {
                    "source_repo" => front.source_repo = value,
                    "scope_question" => front.scope_question = value,
                    "scan_date" => front.scan_date = value,
                    "model_used" => front.model_used = value,
                    "mode" => front.mode = Some(value).filter(|value| !value.is_empty()),
                    "commit" => front.commit = Some(value).filter(|value| !value.is_empty()),
                    "left_out" => front.left_out = Some(value),
                    _ => incomplete.1 = Some(value),
                }
            }
            "files_analyzed" => {
                front.files_analyzed =
                    u32::try_from(number(&parse_yaml_scalar(value).map_err(|reason| wrong(&reason))?)?)
                        .map_err(|_| wrong("it is not a number of files"))?;
            }
            "model_spending" => {
                parse_model_spending(value, &mut front).ok_or_else(|| wrong("it is not a JSON object of numbers"))?;
            }
            "input_tokens" => front.input_tokens = Some(number(value)?),
            "output_tokens" => front.output_tokens = Some(number(value)?),
            "cost_usd" => {
                let cost = value.trim_start_matches('$').parse::<f64>().ok().filter(|cost| cost.is_finite());
                front.cost_usd = Some(cost.ok_or_else(|| wrong("it is not an amount"))?);
            }
            "complete" => match value {
                "true" => {}
                "false" => incomplete.0 = true,
                _ => return Err(wrong("it is neither true nor false")),
            },
            _ => match below.is_empty().then(|| scalar::text_of_unambiguous_yaml_value(value)).flatten() {
                Some(text) => front.other.push((key.to_owned(), text.map_err(|reason| wrong(&reason))?)),
                None => front
                    .kept
                    .push((key.to_owned(), UnchangedYamlValue::new(value, below.iter().map(|(_, line)| *line)))),
            },
        }
    }
    if incomplete.0 {
        front.incomplete = Some(incomplete.1.unwrap_or_default());
    }
    Ok((front, count))
}

/// What a document's front matter says of the stored citations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoredCitationCount {
    /// The front matter has no key for them.
    NotSaid,
    /// So many are in the comment at the document's end.
    AtEnd(usize),
    /// They are in the front matter, as documents of earlier versions have them.
    InFrontMatter,
}

/// Parses a citation in the front matter of a document of an earlier version.
fn parse_citation_entry(text: &str) -> Option<CitationEntry> {
    let Value::Object(map) = serde_json::from_str(text).ok()? else { return None };
    let string = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
    let lines = match map.get("lines").map(Value::as_str) {
        None => None,
        Some(lines) => Some(parse_lines(lines?)?),
    };
    Some(CitationEntry {
        path: string("path")?,
        lines,
        symbol: string("symbol"),
        description: string("description").unwrap_or_default(),
        hash: string("hash"),
        file_hash: string("file")?,
    })
}
