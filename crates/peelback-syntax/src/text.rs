//! Functions on source text that the analysis of all languages shares.

use std::ops::Range;

/// The number of newlines in the byte range `bytes` of `source`.
pub(crate) fn count_newlines(source: &str, bytes: Range<usize>) -> u32 {
    let text = source.as_bytes().get(bytes).unwrap_or(&[]);
    u32::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX)
}

/// The end of the byte range `bytes` of a text without trailing white space: in some grammars a node includes its
/// newline.
pub(crate) fn trimmed_end_offset(source: &str, bytes: Range<usize>) -> usize {
    let start = bytes.start;
    source.get(bytes).map_or(start, |text| start + text.trim_end().len())
}

/// A text on one line: each run of white space becomes one space.
pub(crate) fn to_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(512));
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// A declaration as a signature on one line, formatted as by hand: no space inside brackets, no comma before a closing
/// bracket, and without the token that opens the body.
pub(crate) fn format_signature(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() && !out.ends_with(['(', '[']) {
            if word.starts_with([')', ']']) {
                if out.ends_with(',') {
                    out.pop();
                }
            } else {
                out.push(' ');
            }
        }
        out.push_str(word);
    }
    let mut end = out.trim_end();
    loop {
        let cut = end.strip_suffix("=>").unwrap_or(end).trim_end_matches(['{', '=', ';', ',']).trim_end();
        if cut.len() == end.len() {
            break;
        }
        end = cut;
    }
    let end = end.len();
    out.truncate(end);
    out
}

/// The first non-blank line of a text, trimmed.
pub(crate) fn first_non_blank_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// Whether `text` contains one of `words` as a whole word. This is much cheaper than a walk over the syntax tree: a
/// function body without a keyword that declares something need not be visited.
pub(crate) fn has_any_word(text: &str, words: &[&str]) -> bool {
    let part_of_name = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let bytes = text.as_bytes();
    words.iter().any(|word| {
        memchr::memmem::find_iter(bytes, word).any(|at| {
            !part_of_name(at.checked_sub(1).and_then(|i| bytes.get(i))) && !part_of_name(bytes.get(at + word.len()))
        })
    })
}

/// The content of a string literal: without the quotes (single, double, backtick) at both ends.
pub(crate) fn without_quotes(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\'', '`'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// The text of a documentation comment `/** … */` without its comment marks; `None` for any other comment.
pub(crate) fn javadoc_text(comment: &str) -> Option<&str> {
    let inner = comment.strip_prefix("/**")?;
    Some(inner.strip_suffix("*/").unwrap_or(inner).trim_start_matches(|c: char| c.is_whitespace() || c == '*'))
}

/// The text of a `/* … */` or `// …` comment, without the comment marks of its first line.
pub(crate) fn c_comment_text(comment: &str) -> &str {
    let inner = if let Some(block) = comment.strip_prefix("/*") {
        block.strip_suffix("*/").unwrap_or(block)
    } else {
        comment.strip_prefix("//").unwrap_or(comment)
    };
    inner.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '/' | '!' | '<'))
}
