//! Repairs and marks, written into the text.

use std::ops::Range;

use super::MARK;
use super::check::{CheckedCitation, Verdict};

/// The text with each citation as its verdict wants it.
pub(super) fn apply(markdown: &str, citations: &[CheckedCitation]) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut marks: Vec<(Range<usize>, String)> = Vec::new();
    for checked in citations {
        let citation = &checked.citation;
        let at = citation.mark.clone().unwrap_or(citation.element.end..citation.element.end);
        match &checked.verdict {
            // A mark that is there already belongs to what was wrong then; another citation of the element may keep it.
            Verdict::True(_) => marks.push((at, String::new())),
            Verdict::Marked { reason } => marks.push((at, mark(reason))),
            Verdict::Repaired(repair) => {
                marks.push((at, String::new()));
                let Some(entry) = &checked.entry else { continue };
                if let Some(path_at) = citation.path_at.clone()
                    && entry.path != citation.path
                    && !repair.to.is_empty()
                {
                    edits.push((path_at, entry.path.clone()));
                }
                if let (Some(lines_at), Some(lines)) = (citation.lines_at.clone(), entry.lines)
                    && citation.lines != Some((lines.first, lines.last))
                {
                    let written = markdown.get(lines_at.clone()).unwrap_or("");
                    let letter = if written.starts_with('L') { "L" } else { "" };
                    let new = if lines.first == lines.last {
                        format!("{letter}{}", lines.first)
                    } else {
                        format!("{letter}{}-{letter}{}", lines.first, lines.last)
                    };
                    edits.push((lines_at, new));
                }
            }
        }
    }
    // One element has one mark: the first reason.
    marks.sort_by_key(|(at, text)| (at.start, text.is_empty()));
    marks.dedup_by_key(|(at, _)| at.start);
    edits.extend(marks);
    edits.sort_by_key(|(at, _)| (at.start, at.end));
    // Two citations of one path have one place.
    edits.dedup();
    let mut out = String::with_capacity(markdown.len() + 64);
    let mut from = 0;
    for (at, new) in edits {
        if at.start < from {
            continue;
        }
        out.push_str(markdown.get(from..at.start).unwrap_or(""));
        out.push_str(&new);
        from = at.end;
    }
    out.push_str(markdown.get(from..).unwrap_or(""));
    out
}

/// ` (⚠ unverified: no such file)`: nothing in it can end it early, or be taken for Markdown.
fn mark(reason: &str) -> String {
    let plain = |c: char| match c {
        '(' => '[',
        ')' => ']',
        '|' | '`' | '*' | '\\' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    format!(" ({MARK} {})", reason.chars().map(plain).collect::<String>())
}
