//! Output on a terminal: aligned columns, colours, and answers' calls as shell commands. Output that does not go to a
//! terminal stays unchanged.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use peelback_tools::{Mark, Page, Part};

const HEAD: Style = Style::new().bold();
const CALL: Style = AnsiColor::Cyan.on_default();
const PRICE: Style = Style::new().dimmed();
const NUMBER: Style = AnsiColor::Green.on_default();
const PATH: Style = AnsiColor::Magenta.on_default().bold();
const ALARM: Style = AnsiColor::Yellow.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The prefix that turns a tool call into a shell command.
const PROGRAM: &str = "peelback ";

/// Formats an answer for a terminal. With `columns`, the cells of consecutive rows are padded to the same width.
pub(crate) fn colorize(page: &Page, columns: bool, colour: bool) -> String {
    let mut lines = lines_of(page);
    if columns {
        align(&mut lines);
    }
    let mut out = String::with_capacity(page.text().len() * 2);
    let mut in_head = true;
    for (index, line) in lines.iter_mut().enumerate() {
        in_head &= !line.text.is_empty();
        let is_listed = line.marks.iter().any(|mark| mark.part == Part::Alternatives);
        if (in_head && index > 0) || is_listed {
            line.complete_calls();
        }
        if colour {
            line.write_coloured(index == 0, in_head, &mut out);
        } else {
            line.write(0..line.text.len(), None, &mut out);
        }
        out.push('\n');
    }
    out
}

/// Escapes the characters of a text that control a terminal or change the direction of writing. Line breaks stay.
pub(crate) fn printable(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// One line of an answer.
struct Line<'a> {
    text: &'a str,
    /// The marked parts of the answer that overlap the line, with byte ranges in the line.
    marks: Vec<Mark>,
    /// Byte offsets in the line of calls that become shell commands.
    commands: Vec<usize>,
    /// Padding of the line's cells, as pairs of the byte offset of the cell's end and the number of spaces.
    padding: Vec<(usize, usize)>,
    /// Byte offset of the end of the visible text, which is before the gap of an empty last cell.
    end: usize,
}

/// Splits an answer into its lines, without line breaks.
fn lines_of(page: &Page) -> Vec<Line<'_>> {
    let mut marks = page.marks().iter().peekable();
    let mut open: Vec<&Mark> = Vec::new();
    let mut start = 0;
    let mut lines = Vec::new();
    for raw in page.text().split_inclusive('\n') {
        let end = start + raw.len();
        open.retain(|mark| mark.range.end > start);
        while let Some(mark) = marks.next_if(|mark| mark.range.start < end) {
            open.push(mark);
        }
        let text = raw.strip_suffix('\n').map_or(raw, |line| line.strip_suffix('\r').unwrap_or(line));
        let within = |at: usize| at.saturating_sub(start).min(text.len());
        let marks = open.iter().filter(|mark| mark.range.end > start);
        let marks = marks.map(|mark| Mark { range: within(mark.range.start)..within(mark.range.end), part: mark.part });
        lines.push(Line { text, marks: marks.collect(), commands: Vec::new(), padding: Vec::new(), end: text.len() });
        start = end;
    }
    lines
}

impl Line<'_> {
    fn mark(&self, part: Part) -> Option<&Mark> {
        self.marks.iter().find(|mark| mark.part == part)
    }

    /// Marks the calls of the line that become shell commands for pasting. A call without arguments looks like an
    /// ordinary word and stays unchanged.
    fn complete_calls(&mut self) {
        let is_call = |mark: &&Mark| {
            mark.part == Part::Call && self.text.get(mark.range.clone()).is_some_and(|call| call.contains(' '))
        };
        self.commands = self.marks.iter().filter(is_call).map(|mark| mark.range.start).collect();
    }

    /// The byte ranges of a row's cells; the first cell starts at the beginning of the line.
    fn cells(&self) -> Vec<Range<usize>> {
        let cells = self.marks.iter().filter(|mark| mark.part == Part::Cell && !mark.range.is_empty());
        cells.enumerate().map(|(index, mark)| if index == 0 { 0..mark.range.end } else { mark.range.clone() }).collect()
    }

    /// Writes a range of the line in one style, with the command prefixes that belong in the range and the padding of
    /// cells that end there.
    fn write(&self, range: Range<usize>, style: Option<Style>, out: &mut String) {
        let range = range.start.min(self.end)..range.end.min(self.end);
        let commands = self.commands.iter().filter(|at| range.contains(at)).map(|at| (*at, PROGRAM.to_owned()));
        let ends = |at: &usize| range.start < *at && *at <= range.end;
        let padding = self.padding.iter().filter(|(at, _)| ends(at)).map(|(at, spaces)| (*at, " ".repeat(*spaces)));
        let mut inserts: Vec<(usize, String)> = commands.chain(padding).collect();
        inserts.sort_by_key(|(at, _)| *at);
        let mut text = String::new();
        let mut at = range.start;
        for (offset, insert) in inserts {
            text.push_str(self.text.get(at..offset).unwrap_or(""));
            text.push_str(&insert);
            at = offset;
        }
        text.push_str(self.text.get(at..range.end).unwrap_or(""));
        let _ = match style {
            Some(style) => write!(out, "{style}{text}{style:#}"),
            None => write!(out, "{text}"),
        };
    }

    fn write_coloured(&self, is_first: bool, in_head: bool, out: &mut String) {
        let whole = 0..self.text.len();
        if let Some(label) = self.mark(Part::Error) {
            self.write(label.range.clone(), Some(ERROR), out);
            self.write(label.range.end..whole.end, None, out);
        } else if is_first {
            self.write(whole, Some(HEAD), out);
        } else if let Some(label) = self.mark(Part::Label) {
            self.write(label.range.clone(), Some(PRICE), out);
            self.write(label.range.end..whole.end, Some(CALL), out);
        } else if let Some(label) = self.mark(Part::Caution) {
            self.write(label.range.clone(), Some(ALARM), out);
            self.write(label.range.end..whole.end, None, out);
        } else if in_head {
            self.write(whole, None, out);
        } else {
            self.write_row(out);
        }
    }

    /// Writes a row in colours: its line numbers, its subject and its cost in tokens. In source text, a number at the
    /// beginning is a line number.
    fn write_row(&self, out: &mut String) {
        let indent = self.text.len() - self.text.trim_start().len();
        let after = |at: usize| self.text.get(at..).unwrap_or("");
        let is_source = self.mark(Part::Source).is_some();
        let number = match self.mark(Part::Number) {
            Some(number) => number.range.end,
            None if is_source => {
                let text = after(indent);
                indent + text.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(0)
            }
            None => indent,
        };
        let price = match self.mark(Part::Price) {
            Some(price) => price.range.start,
            None if is_source => after(number).find("  ~").map_or(self.text.len(), |at| number + at),
            None => self.text.len(),
        };
        let subject = match self.mark(Part::Subject) {
            Some(subject) => self.text.get(subject.range.clone()).unwrap_or(""),
            None if is_source => after(0).split("  ").next().unwrap_or(""),
            None => "",
        };
        self.write(0..indent, None, out);
        if number > indent {
            self.write(indent..number, Some(NUMBER), out);
        }
        let is_path = number == 0 && looks_like_path(subject);
        self.write(number..price, is_path.then_some(PATH), out);
        if price < self.text.len() {
            self.write(price..self.text.len(), Some(PRICE), out);
        }
    }
}

/// Whether the subject of a row is a path, which has a colour; a single word without `/` and `.` is not.
fn looks_like_path(subject: &str) -> bool {
    !subject.contains(' ') && subject.contains(['/', '.'])
}

/// Pads the cells of consecutive rows to the same width.
fn align(lines: &mut [Line<'_>]) {
    let width = |line: &Line<'_>, cell: &Range<usize>| line.text.get(cell.clone()).unwrap_or("").chars().count();
    for block in lines.chunk_by_mut(|a, b| a.cells().len() > 1 && b.cells().len() > 1) {
        let rows: Vec<Vec<Range<usize>>> = block.iter().map(Line::cells).collect();
        if rows.iter().all(|cells| cells.len() < 2) {
            continue;
        }
        let most = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            let cells = block.iter().zip(&rows).filter_map(|(line, cells)| Some(width(line, cells.get(column)?)));
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..most).map(widest).collect();
        for (line, cells) in block.iter_mut().zip(&rows) {
            let Some(last) = cells.last() else { continue };
            line.end = last.end;
            for (cell, widest) in cells.iter().zip(&widths).take(cells.len() - 1) {
                let spaces = widest.saturating_sub(width(line, cell));
                line.padding.push((cell.end, spaces));
            }
        }
    }
}
