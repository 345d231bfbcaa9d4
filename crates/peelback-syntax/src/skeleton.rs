//! The skeleton of a source text: the text with the body of every definition folded.
//!
//! A folded body is shown as `{ ... }` in every language, also in those without braces, because no language reads that
//! as an empty body. Bodies inside a folded body are not shown. The first line of a comment's text remains.

use std::ops::Range;

use crate::facts::{Fold, FoldKind, Lines};
use crate::text;

/// The text that replaces a folded body in a skeleton.
pub const FOLDED: &str = "{ ... }";

/// Options for what a skeleton shows.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether the skeleton shows the first line of each comment; otherwise it leaves comments out.
    pub comments: bool,
}

/// The skeleton of a source text, line by line: the text with the bodies of its definitions folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton {
    /// The lines of the skeleton; blank lines of the source are left out.
    pub lines: Vec<SkeletonLine>,
    /// The number of bodies that the skeleton folds.
    pub folded: usize,
}

/// One line of a skeleton, with the range of source lines that it represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkeletonLine {
    /// The range of source lines that the skeleton line represents.
    pub lines: Lines,
    /// The text of the skeleton line, with the source's indentation.
    pub text: String,
}

impl Skeleton {
    /// The text of the skeleton, without line numbers.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            out.push_str(&line.text);
            out.push('\n');
        }
        out
    }

    /// The text of the skeleton, where each line begins with the range of its source lines.
    pub fn text_with_line_numbers(&self) -> String {
        let mut out = String::new();
        for SkeletonLine { lines, text } in &self.lines {
            if lines.first == lines.last {
                out.push_str(&format!("{}: {text}\n", lines.first));
            } else {
                out.push_str(&format!("{}-{}: {text}\n", lines.first, lines.last));
            }
        }
        out
    }
}

/// Builds the skeleton of the byte range `bytes` of `source`, where `folds` come from [`crate::Facts`]. A fold that
/// begins before `bytes` or exactly at its start is not applied, because the caller requested the text that the fold
/// would hide.
pub fn build_skeleton(source: &str, folds: &[Fold], bytes: Range<usize>, options: Options) -> Skeleton {
    let mut writer = SkeletonWriter {
        out: Vec::new(),
        current: String::new(),
        first: 1 + text::count_newlines(source, 0..bytes.start),
        line: 1 + text::count_newlines(source, 0..bytes.start),
        after_comment: false,
        folded: 0,
    };
    let applied_folds: Vec<&Fold> = folds
        .iter()
        .filter(|fold| fold.bytes.start > bytes.start.saturating_sub(1) && fold.bytes.end <= bytes.end)
        .collect();
    let mut at = bytes.start;
    let mut index = 0;
    while let Some(fold) = applied_folds.get(index) {
        let between = source.get(at..fold.bytes.start).unwrap_or("");
        match fold.kind {
            FoldKind::Body => {
                writer.write_text(between);
                writer.write_marker_for_folded_body(source.get(fold.bytes.clone()).unwrap_or(""));
                at = fold.bytes.end;
                index += 1;
            }
            FoldKind::Comment => {
                writer.write_text(between);
                let mut end = fold.bytes.end;
                index += 1;
                while let Some(next) = applied_folds.get(index)
                    && next.kind == FoldKind::Comment
                    && source.as_bytes().get(fold.bytes.start) == source.as_bytes().get(next.bytes.start)
                    && is_gap_between_adjacent_comments(source, end..next.bytes.start)
                {
                    end = next.bytes.end;
                    index += 1;
                }
                writer.write_first_comment_line_if_kept(
                    source.get(fold.bytes.start..end).unwrap_or(""),
                    options.comments,
                );
                at = end;
            }
        }
    }
    writer.write_text(source.get(at..bytes.end).unwrap_or(""));
    writer.finish_line();
    Skeleton { lines: writer.out, folded: writer.folded }
}

/// Whether the text `gap` between two comments lets them count as one block: white space with at most one line break.
fn is_gap_between_adjacent_comments(source: &str, gap: Range<usize>) -> bool {
    let newlines = text::count_newlines(source, gap.clone());
    newlines <= 1 && source.get(gap).is_some_and(|gap| gap.trim().is_empty())
}

struct SkeletonWriter {
    out: Vec<SkeletonLine>,
    current: String,
    /// The source line where the current skeleton line begins, from 1.
    first: u32,
    /// The source line of the text that is written next, from 1.
    line: u32,
    after_comment: bool,
    folded: usize,
}

impl SkeletonWriter {
    fn write_text(&mut self, text: &str) {
        for (index, part) in text.split('\n').enumerate() {
            if index > 0 {
                self.finish_line();
                self.line += 1;
                self.first = self.line;
            }
            if !part.trim().is_empty() {
                self.after_comment = false;
            }
            self.current.push_str(part);
        }
    }

    fn write_marker_for_folded_body(&mut self, hidden: &str) {
        // The fold marker is appended to the line that begins the body, as an opening brace would be, unless a comment
        // ends that line.
        if self.current.trim().is_empty()
            && !self.after_comment
            && let Some(previous) = self.out.pop()
        {
            self.first = previous.lines.first;
            self.current = previous.text;
        }
        let indent = self.current.trim().is_empty();
        if !indent {
            let kept = self.current.trim_end().len();
            self.current.truncate(kept);
            if !self.current.ends_with(['(', '[', '!']) {
                self.current.push(' ');
            }
        }
        self.current.push_str(FOLDED);
        self.line += u32::try_from(memchr::memchr_iter(b'\n', hidden.as_bytes()).count()).unwrap_or(u32::MAX);
        self.after_comment = false;
        self.folded += 1;
    }

    fn write_first_comment_line_if_kept(&mut self, comment: &str, is_kept: bool) {
        let lines = u32::try_from(memchr::memchr_iter(b'\n', comment.as_bytes()).count()).unwrap_or(u32::MAX);
        if is_kept {
            self.current.push_str(&comment_shortened_to_first_line(comment));
            self.after_comment = true;
        }
        self.line += lines;
    }

    fn finish_line(&mut self) {
        let text = self.current.trim_end();
        if !text.is_empty() {
            let lines = Lines { first: self.first, last: self.line };
            self.out.push(SkeletonLine { lines, text: text.to_owned() });
        }
        self.current.clear();
    }
}

/// The first line of a comment's text, with the comment's closing mark, and with `…` where the comment has more lines.
fn comment_shortened_to_first_line(comment: &str) -> String {
    let mut lines = comment.lines();
    let opening = lines.next().unwrap_or("").trim_end();
    if comment.lines().count() <= 1 {
        return opening.to_owned();
    }
    let close = if comment.starts_with("/*") {
        " */"
    } else {
        ["\"\"\"", "'''"].into_iter().find(|quotes| opening.contains(quotes)).unwrap_or_default()
    };
    let has_text = |line: &str| line.chars().any(char::is_alphanumeric);
    let first = if has_text(opening) {
        opening.to_owned()
    } else {
        match lines.find(|line| has_text(line)) {
            Some(line) => {
                format!("{} {}", opening.trim_end(), line.trim().trim_start_matches(['*', '/', '#', '!', '-']).trim())
            }
            None => opening.to_owned(),
        }
    };
    format!("{} …{close}", first.trim_end().trim_end_matches("*/").trim_end())
}
