//! Edits of a document's text that change one citation: its path, its lines or the mark after it.

use std::ops::Range;

use peelback_code::syntax::Lines;

use super::mark::UNVERIFIED_MARK;
use super::scan::Citation;

/// An edit of a document's text: the byte range to replace, and the new text.
pub(crate) type Edit = (Range<usize>, String);

/// Characters that the new path of a citation must not contain, because they end the path in some notation of a
/// citation, or because Markdown interprets them.
const NOT_WRITTEN: &[char] = &['`', '(', ')', '[', ']', '<', '>', '|', '*', '#', ':', '\\'];

impl Citation {
    /// The citation's path without a leading `./`.
    pub(crate) fn path_without_dot_slash(&self) -> &str {
        self.path.strip_prefix("./").unwrap_or(&self.path)
    }

    /// The byte offset in the document of the Markdown element that contains the citation.
    pub(crate) fn markdown_element_start(&self) -> usize {
        self.element.start
    }

    /// Whether the citation's Markdown element is the byte range `at` of the document, or a part of it.
    pub(crate) fn is_inside(&self, at: &Range<usize>) -> bool {
        at.start <= self.element.start && self.element.start < at.end
    }

    /// The byte offset in the document of the citation's path. Several line ranges can share one path.
    pub(crate) fn path_start(&self) -> Option<usize> {
        self.path_at.as_ref().map(|at| at.start)
    }

    /// The `unverified` mark that an earlier check added after the citation, with the mark's byte range.
    pub(crate) fn existing_unverified_mark<'a>(&self, markdown: &'a str) -> Option<(Range<usize>, &'a str)> {
        let at = self.mark.clone()?;
        markdown.get(at.clone()).map(|mark| (at, mark))
    }

    /// The edits that change the citation's path and lines to the given values; `None` if the citation's notation
    /// cannot express them.
    pub(crate) fn edits_to_change_location(
        &self,
        markdown: &str,
        path: &str,
        lines: Option<Lines>,
    ) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        if path != self.path_without_dot_slash() {
            if path.contains(NOT_WRITTEN) || path.chars().any(|c| c.is_whitespace() || c.is_control()) {
                return None;
            }
            edits.push((self.path_at.clone()?, path.to_owned()));
        }
        if lines.map(|lines| (lines.first, lines.last)) != self.lines {
            let at = self.lines_at.clone()?;
            let written = format_line_range_like_existing(markdown.get(at.clone())?, lines?);
            edits.push((at, written));
        }
        Some(edits)
    }

    /// The edit that adds an `unverified` mark after the citation, or replaces the mark that is already there.
    pub(crate) fn edit_to_set_unverified_mark(&self, reason: &str) -> Edit {
        (self.mark.clone().unwrap_or(self.element.end..self.element.end), format_unverified_mark(reason))
    }

    /// The edit that removes the `unverified` mark after the citation.
    pub(crate) fn edit_to_remove_unverified_mark(&self) -> Edit {
        (self.mark.clone().unwrap_or(self.element.end..self.element.end), String::new())
    }
}

/// Keeps only the first of several edits that add a mark after the same Markdown element, because an element may
/// contain several citations.
pub(crate) fn keep_one_mark_edit_per_element(mut marks: Vec<Edit>) -> Vec<Edit> {
    marks.sort_by_key(|(at, text)| (at.start, text.is_empty()));
    marks.dedup_by_key(|(at, _)| at.start);
    marks
}

/// The byte range `within` of a document's text, with all edits inside that range applied. The byte ranges of the edits
/// refer to the original text.
pub(crate) fn text_range_with_edits_applied(markdown: &str, within: Range<usize>, mut edits: Vec<Edit>) -> String {
    edits.retain(|(at, _)| within.start <= at.start && at.end <= within.end);
    edits.sort_by_key(|(at, _)| (at.start, at.end));
    // Two citations that share one path produce equal edits for that path, so duplicates are removed.
    edits.dedup();
    let mut out = String::with_capacity(within.len() + 64);
    let mut from = within.start;
    for (at, new) in edits {
        if at.start < from {
            continue;
        }
        out.push_str(markdown.get(from..at.start).unwrap_or(""));
        out.push_str(&new);
        from = at.end;
    }
    out.push_str(markdown.get(from..within.end).unwrap_or(""));
    out
}

/// Formats a range of lines in the notation of an existing range: `L10-L40` if the existing range is `L1-L4`.
pub(super) fn format_line_range_like_existing(written: &str, lines: Lines) -> String {
    let letter = if written.starts_with('L') { "L" } else { "" };
    if lines.first == lines.last {
        format!("{letter}{}", lines.first)
    } else {
        format!("{letter}{}-{letter}{}", lines.first, lines.last)
    }
}

/// Formats the mark for an unverified citation: ` (⚠ unverified: no such file)`. The reason is escaped, so that it can
/// neither end the mark early nor act as Markdown.
pub(super) fn format_unverified_mark(reason: &str) -> String {
    let plain = |c: char| match c {
        '(' => '[',
        ')' => ']',
        '|' | '`' | '*' | '\\' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    format!(" ({UNVERIFIED_MARK} {})", reason.chars().map(plain).collect::<String>())
}
