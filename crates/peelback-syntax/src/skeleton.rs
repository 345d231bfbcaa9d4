//! The skeleton of a text: its source with every body folded.
//!
//! A body becomes `{ ... }` in every language, also in those without braces: no language reads that as an empty body.
//! Bodies inside a folded body go with it. A comment keeps its first line of text.

use std::ops::Range;

use crate::facts::{Fold, FoldKind, Lines};
use crate::text;

/// The text in place of a folded body.
pub const FOLDED: &str = "{ ... }";

/// The options of a skeleton.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Keep the first line of each comment; without it comments are left out.
    pub comments: bool,
}

/// A skeleton, line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton {
    /// The lines of the skeleton; blank lines of the source are left out.
    pub lines: Vec<SkeletonLine>,
    /// How many bodies were folded.
    pub folded: usize,
}

/// One line of a skeleton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkeletonLine {
    /// The lines of the source that the line shows.
    pub lines: Lines,
    /// The text, with the source's indentation.
    pub text: String,
}

impl Skeleton {
    /// The text, without line numbers.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            out.push_str(&line.text);
            out.push('\n');
        }
        out
    }

    /// The text with the range of source lines before each line.
    pub fn numbered(&self) -> String {
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

/// The skeleton of `bytes` of `source`, with `folds` as [`crate::Facts`] gives them. A fold that begins outside
/// `bytes` or at its start is not applied: the caller asked for what it hides.
pub fn skeleton(source: &str, folds: &[Fold], bytes: Range<usize>, options: Options) -> Skeleton {
    let mut writer = Writer {
        out: Vec::new(),
        current: String::new(),
        first: 1 + text::newlines(source, 0..bytes.start),
        line: 1 + text::newlines(source, 0..bytes.start),
        after_comment: false,
        folded: 0,
    };
    let inside: Vec<&Fold> = folds
        .iter()
        .filter(|fold| fold.bytes.start > bytes.start.saturating_sub(1) && fold.bytes.end <= bytes.end)
        .collect();
    let mut at = bytes.start;
    let mut index = 0;
    while let Some(fold) = inside.get(index) {
        let between = source.get(at..fold.bytes.start).unwrap_or("");
        match fold.kind {
            FoldKind::Body => {
                writer.text(between);
                writer.body(source.get(fold.bytes.clone()).unwrap_or(""));
                at = fold.bytes.end;
                index += 1;
            }
            FoldKind::Comment => {
                writer.text(between);
                let mut end = fold.bytes.end;
                index += 1;
                while let Some(next) = inside.get(index)
                    && next.kind == FoldKind::Comment
                    && source.as_bytes().get(fold.bytes.start) == source.as_bytes().get(next.bytes.start)
                    && continues(source, end..next.bytes.start)
                {
                    end = next.bytes.end;
                    index += 1;
                }
                writer.comment(source.get(fold.bytes.start..end).unwrap_or(""), options.comments);
                at = end;
            }
        }
    }
    writer.text(source.get(at..bytes.end).unwrap_or(""));
    writer.end_line();
    Skeleton { lines: writer.out, folded: writer.folded }
}

/// Whether a comment continues after `gap`: the next comment is on the next line, with only white space between.
fn continues(source: &str, gap: Range<usize>) -> bool {
    let newlines = text::newlines(source, gap.clone());
    newlines <= 1 && source.get(gap).is_some_and(|gap| gap.trim().is_empty())
}

struct Writer {
    out: Vec<SkeletonLine>,
    current: String,
    /// The source line where `current` begins.
    first: u32,
    /// The source line reached.
    line: u32,
    after_comment: bool,
    folded: usize,
}

impl Writer {
    fn text(&mut self, text: &str) {
        for (index, part) in text.split('\n').enumerate() {
            if index > 0 {
                self.end_line();
                self.line += 1;
                self.first = self.line;
            }
            if !part.trim().is_empty() {
                self.after_comment = false;
            }
            self.current.push_str(part);
        }
    }

    fn body(&mut self, hidden: &str) {
        // The marker joins the line that announces the body, as a brace would, unless a comment ends that line.
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

    fn comment(&mut self, comment: &str, keep: bool) {
        let lines = u32::try_from(memchr::memchr_iter(b'\n', comment.as_bytes()).count()).unwrap_or(u32::MAX);
        if keep {
            self.current.push_str(&first_of_comment(comment));
            self.after_comment = true;
        }
        self.line += lines;
    }

    fn end_line(&mut self) {
        let text = self.current.trim_end();
        if !text.is_empty() {
            let lines = Lines { first: self.first, last: self.line };
            self.out.push(SkeletonLine { lines, text: text.to_owned() });
        }
        self.current.clear();
    }
}

/// The first line of text of a comment, closed as the comment closes, with `…` where more follows.
fn first_of_comment(comment: &str) -> String {
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
    let says = |line: &str| line.chars().any(char::is_alphanumeric);
    let first = if says(opening) {
        opening.to_owned()
    } else {
        match lines.find(|line| says(line)) {
            Some(line) => {
                format!("{} {}", opening.trim_end(), line.trim().trim_start_matches(['*', '/', '#', '!', '-']).trim())
            }
            None => opening.to_owned(),
        }
    };
    format!("{} …{close}", first.trim_end().trim_end_matches("*/").trim_end())
}
