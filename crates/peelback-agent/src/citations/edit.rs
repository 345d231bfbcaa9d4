//! Citations written anew where they stand: another path, other lines, a mark.

use std::ops::Range;

use peelback_code::syntax::Lines;

use super::mark::UNVERIFIED_MARK;
use super::scan::Citation;

/// Bytes of a text, and what comes in their place.
pub(crate) type Edit = (Range<usize>, String);

/// Characters that end a path in one of the forms that a citation can have, or mean something else in Markdown.
const NOT_WRITTEN: &[char] = &['`', '(', ')', '[', ']', '<', '>', '|', '*', '#', ':', '\\'];

impl Citation {
    /// The path, without `./` before it.
    pub(crate) fn plain_path(&self) -> &str {
        self.path.strip_prefix("./").unwrap_or(&self.path)
    }

    /// Where its element begins.
    pub(crate) fn begins_at(&self) -> usize {
        self.element.start
    }

    /// Where its path is written: several ranges of lines can share one.
    pub(crate) fn path_begins_at(&self) -> Option<usize> {
        self.path_at.as_ref().map(|at| at.start)
    }

    /// The mark that an earlier check left, and where it stands.
    pub(crate) fn mark_in<'a>(&self, markdown: &'a str) -> Option<(Range<usize>, &'a str)> {
        let at = self.mark.clone()?;
        markdown.get(at.clone()).map(|mark| (at, mark))
    }

    /// What makes it lead to other lines of this or another path; `None` where that cannot be written there.
    pub(crate) fn led_to(&self, markdown: &str, path: &str, lines: Option<Lines>) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        if path != self.plain_path() {
            if path.contains(NOT_WRITTEN) || path.chars().any(|c| c.is_whitespace() || c.is_control()) {
                return None;
            }
            edits.push((self.path_at.clone()?, path.to_owned()));
        }
        if lines.map(|lines| (lines.first, lines.last)) != self.lines {
            let at = self.lines_at.clone()?;
            let written = lines_like(markdown.get(at.clone())?, lines?);
            edits.push((at, written));
        }
        Some(edits)
    }

    /// What marks it, in place of a mark that is there.
    pub(crate) fn marked(&self, reason: &str) -> Edit {
        (self.mark.clone().unwrap_or(self.element.end..self.element.end), mark(reason))
    }

    /// What takes its mark away.
    pub(crate) fn unmarked(&self) -> Edit {
        (self.mark.clone().unwrap_or(self.element.end..self.element.end), String::new())
    }
}

/// One mark for each element, the first that says something: an element may hold several citations.
pub(crate) fn one_mark_each(mut marks: Vec<Edit>) -> Vec<Edit> {
    marks.sort_by_key(|(at, text)| (at.start, text.is_empty()));
    marks.dedup_by_key(|(at, _)| at.start);
    marks
}

/// A part of a text with those of the edits that lie in it, all at once: none sees what another wrote.
pub(crate) fn spliced(markdown: &str, within: Range<usize>, mut edits: Vec<Edit>) -> String {
    edits.retain(|(at, _)| within.start <= at.start && at.end <= within.end);
    edits.sort_by_key(|(at, _)| (at.start, at.end));
    // Two citations of one path have one place.
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

/// Lines in the form in which others are written: `L10-L40` where those are `L1-L4`.
pub(super) fn lines_like(written: &str, lines: Lines) -> String {
    let letter = if written.starts_with('L') { "L" } else { "" };
    if lines.first == lines.last {
        format!("{letter}{}", lines.first)
    } else {
        format!("{letter}{}-{letter}{}", lines.first, lines.last)
    }
}

/// ` (⚠ unverified: no such file)`: nothing in it can end it early, or be taken for Markdown.
pub(super) fn mark(reason: &str) -> String {
    let plain = |c: char| match c {
        '(' => '[',
        ')' => ']',
        '|' | '`' | '*' | '\\' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    format!(" ({UNVERIFIED_MARK} {})", reason.chars().map(plain).collect::<String>())
}
