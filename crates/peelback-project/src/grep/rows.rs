//! The rows of a search in one file: which matches are rows, where they stand, and how a line is shown.

use std::collections::BTreeMap;
use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::messages::{GrepLine, GrepQuery, LineKind, RowUnit};
use super::pattern::LinePattern;

/// The length in bytes above which only part of a line is shown. Minified files have lines of megabytes.
const MAX_LINE_BYTES: usize = 300;
/// Counts the rows of one file.
pub(super) struct RowCounter<'a> {
    matcher: &'a RegexMatcher,
    row_unit: RowUnit,
    pub(super) rows: usize,
    pub(super) binary: bool,
}

impl<'a> RowCounter<'a> {
    pub(super) fn new(query: &GrepQuery, pattern: &'a LinePattern) -> Self {
        Self { matcher: &pattern.matcher, row_unit: query.row_unit_of_matches(), rows: 0, binary: false }
    }
}

impl Sink for RowCounter<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.rows += match self.row_unit {
            RowUnit::Line => found.lines().count(),
            unit => found.lines().map(|line| matches_that_are_rows(self.matcher, unit, line).len()).sum(),
        };
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, Self::Error> {
        self.binary = true;
        Ok(false)
    }
}
/// The matches of a matching line that are rows of an answer, as byte ranges.
fn matches_that_are_rows(matcher: &RegexMatcher, row_unit: RowUnit, line: &[u8]) -> Vec<Range<usize>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let mut found = Vec::new();
    if row_unit == RowUnit::Line {
        let first = matcher.find(line).ok().flatten();
        found.push(first.map_or(0..0, |first| first.start()..first.end()));
        return found;
    }
    let mut first_empty = None;
    // Patterns without look-around have no errors.
    let _ = matcher.find_iter(line, |part| {
        if part.is_empty() {
            first_empty.get_or_insert(part.start());
        } else {
            found.push(part.start()..part.end());
        }
        true
    });
    if found.is_empty() && row_unit == RowUnit::LineOfMatch {
        let at = first_empty.unwrap_or(0);
        found.push(at..at);
    }
    found
}

/// Collects the rows `skip..skip + take` of one file, with their context.
pub(super) struct RowCollector<'a> {
    skip: usize,
    take: usize,
    matcher: &'a RegexMatcher,
    row_unit: RowUnit,
    rows_seen: usize,
    /// The rows by their lines and by their numbers in the line.
    lines: BTreeMap<(u32, usize), GrepLine>,
    /// The number of the last line with a row on the page. Context more than `after` lines below it belongs to a match of
    /// the next page.
    last_line_on_page: Option<u32>,
    after: usize,
}

impl<'a> RowCollector<'a> {
    pub(super) fn new(query: &GrepQuery, pattern: &'a LinePattern, skip: usize, take: usize) -> Self {
        Self {
            skip,
            take,
            matcher: &pattern.matcher,
            row_unit: query.row_unit_of_matches(),
            rows_seen: 0,
            lines: BTreeMap::new(),
            last_line_on_page: None,
            after: query.after,
        }
    }

    /// The rows and context lines, in the order of the file.
    pub(super) fn into_lines(self) -> Vec<GrepLine> {
        self.lines.into_values().collect()
    }

    /// Adds the rows of a matching line that are on the page. Returns whether rows of further lines may be.
    fn add_matching_line(&mut self, number: Option<u64>, bytes: &[u8]) -> bool {
        let line = line_number(number);
        let text = String::from_utf8_lossy(bytes);
        let mut place = PlaceInLine::default();
        let mut chars_in_line = None;
        for (index, range) in matches_that_are_rows(self.matcher, self.row_unit, bytes).into_iter().enumerate() {
            let row = self.rows_seen;
            self.rows_seen += 1;
            if row < self.skip {
                // The lines collected so far are context of a match on the previous page.
                self.lines.clear();
                continue;
            }
            if row >= self.skip.saturating_add(self.take) {
                // The context before this match comes after the last match of this page.
                let last = self.last_line_on_page.unwrap_or(0);
                let reach = u32::try_from(self.after).unwrap_or(u32::MAX);
                self.lines.retain(|(line, _), _| *line <= last.saturating_add(reach));
                return false;
            }
            self.last_line_on_page = Some(line);
            place.move_to_byte(bytes, range.start);
            let text = match self.row_unit {
                RowUnit::MatchedText => {
                    let matched = String::from_utf8_lossy(bytes.get(range.clone()).unwrap_or_default());
                    shorten_long_line_around(&matched, 0, || matched.chars().count())
                }
                RowUnit::Line | RowUnit::LineOfMatch => shorten_long_line_around(&text, place.text_at, || {
                    *chars_in_line.get_or_insert_with(|| without_line_end(&text).chars().count())
                }),
            };
            let [column, byte_column] = [place.chars, range.start].map(column_after);
            let row = GrepLine { line, kind: LineKind::Match, column, byte_column, text, enclosing_symbol: None };
            self.lines.insert((line, index), row);
        }
        true
    }
}

impl Sink for RowCollector<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        Ok(self.add_matching_line(found.line_number(), found.bytes()))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        let line = line_number(context.line_number());
        let text = String::from_utf8_lossy(context.bytes());
        let text = shorten_long_line_around(&text, 0, || without_line_end(&text).chars().count());
        let row = GrepLine { line, kind: LineKind::Context, column: 1, byte_column: 1, text, enclosing_symbol: None };
        self.lines.insert((line, 0), row);
        Ok(true)
    }
}

fn line_number(number: Option<u64>) -> u32 {
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX)
}

/// The column, from 1, after so many characters or bytes.
fn column_after(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1)
}

/// A place in a line of any bytes. Moving forward reads each byte once, however many matches the line has.
#[derive(Default)]
struct PlaceInLine {
    byte: usize,
    /// The place in the text that is shown for the bytes, in bytes.
    text_at: usize,
    /// The number of characters before the place.
    chars: usize,
}

impl PlaceInLine {
    /// Moves to a byte of the line that is not before the place.
    fn move_to_byte(&mut self, line: &[u8], byte: usize) {
        let between = String::from_utf8_lossy(line.get(self.byte..byte).unwrap_or_default());
        self.text_at += between.len();
        self.chars += between.chars().count();
        self.byte = byte;
    }
}

fn without_line_end(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

/// A line as shown in answers: without its line end, and shortened to the part around the byte `at` if it is very long.
/// `count_chars` counts its characters.
fn shorten_long_line_around(line: &str, at: usize, count_chars: impl FnOnce() -> usize) -> String {
    let line = without_line_end(line);
    if line.len() <= MAX_LINE_BYTES {
        return line.to_owned();
    }
    let before = MAX_LINE_BYTES / 3;
    let start = floor_char_boundary(line, at.saturating_sub(before));
    let end = floor_char_boundary(line, start + MAX_LINE_BYTES);
    let part = line.get(start..end).unwrap_or("");
    let omitted_chars = count_chars().saturating_sub(part.chars().count());
    if omitted_chars == 0 {
        return line.to_owned();
    }
    let (leading_ellipsis, trailing_ellipsis) =
        (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    format!("{leading_ellipsis}{part}{trailing_ellipsis} [+{omitted_chars} characters]")
}

/// The nearest character boundary at or before byte `at`.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
