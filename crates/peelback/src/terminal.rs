//! Output on a terminal: aligned columns and colours. Output that does not go to a
//! terminal stays unchanged.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use peelback_tools::{MarkedText, PartKind, PartMark};

const HEAD_STYLE: Style = Style::new().bold();
const CALL_STYLE: Style = AnsiColor::Cyan.on_default();
const COST_STYLE: Style = Style::new().dimmed();
const LINE_NUMBER_STYLE: Style = AnsiColor::Green.on_default();
const PATH_STYLE: Style = AnsiColor::Magenta.on_default().bold();
const CAUTION_STYLE: Style = AnsiColor::Yellow.on_default();
const ERROR_STYLE: Style = AnsiColor::Red.on_default().bold();

/// Formats a tool's answer for a terminal. With `columns`, the cells of consecutive rows are padded to the same width.
pub(crate) fn format_tool_answer_for_terminal(page: &MarkedText, columns: bool, colour: bool) -> String {
    let mut lines = split_tool_answer_into_lines(page);
    if columns {
        align_cells_of_answer_lines(&mut lines);
    }
    let mut out = String::with_capacity(page.text().len() * 2);
    let mut in_head = true;
    for (index, line) in lines.iter_mut().enumerate() {
        in_head &= !line.text.is_empty();
        if colour {
            line.write_coloured_line(index == 0, in_head, &mut out);
        } else {
            line.write_styled_range(0..line.text.len(), None, &mut out);
        }
        out.push('\n');
    }
    out
}

/// One line of a tool's answer that is formatted for a terminal.
struct AnswerLine<'a> {
    text: &'a str,
    /// The marked parts of the answer that overlap the line, with byte ranges within the line.
    marks: Vec<PartMark>,
    /// Padding of the line's cells, as pairs of the byte offset of the cell's end and the number of spaces.
    padding: Vec<(usize, usize)>,
    /// Byte offset of the end of the visible text, which is before the gap of an empty last cell.
    visible_end: usize,
}

/// Splits a tool's answer into its lines, without line breaks.
fn split_tool_answer_into_lines(page: &MarkedText) -> Vec<AnswerLine<'_>> {
    let mut marks = page.marked_parts().iter().peekable();
    let mut open_marks: Vec<&PartMark> = Vec::new();
    let mut start = 0;
    let mut lines = Vec::new();
    for raw in page.text().split_inclusive('\n') {
        let end = start + raw.len();
        open_marks.retain(|mark| mark.range.end > start);
        while let Some(mark) = marks.next_if(|mark| mark.range.start < end) {
            open_marks.push(mark);
        }
        let text = raw.strip_suffix('\n').map_or(raw, |line| line.strip_suffix('\r').unwrap_or(line));
        let to_line_offset = |at: usize| at.saturating_sub(start).min(text.len());
        let marks = open_marks.iter().filter(|mark| mark.range.end > start);
        let marks = marks.map(|mark| PartMark {
            range: to_line_offset(mark.range.start)..to_line_offset(mark.range.end),
            part: mark.part,
        });
        lines.push(AnswerLine { text, marks: marks.collect(), padding: Vec::new(), visible_end: text.len() });
        start = end;
    }
    lines
}

impl AnswerLine<'_> {
    fn first_marked_part_of_kind(&self, part: PartKind) -> Option<&PartMark> {
        self.marks.iter().find(|mark| mark.part == part)
    }

    /// The byte ranges of the table cells in the line; the first cell starts at the beginning of the line.
    fn cell_ranges(&self) -> Vec<Range<usize>> {
        let cells = self.marks.iter().filter(|mark| mark.part == PartKind::Cell && !mark.range.is_empty());
        cells.enumerate().map(|(index, mark)| if index == 0 { 0..mark.range.end } else { mark.range.clone() }).collect()
    }

    /// Writes a byte range of the line in one style, with the padding of cells that end there.
    fn write_styled_range(&self, range: Range<usize>, style: Option<Style>, out: &mut String) {
        let range = range.start.min(self.visible_end)..range.end.min(self.visible_end);
        let is_in_range = |at: &usize| range.start < *at && *at <= range.end;
        let padding =
            self.padding.iter().filter(|(at, _)| is_in_range(at)).map(|(at, spaces)| (*at, " ".repeat(*spaces)));
        let mut text = String::new();
        let mut at = range.start;
        for (offset, spaces) in padding {
            text.push_str(self.text.get(at..offset).unwrap_or(""));
            text.push_str(&spaces);
            at = offset;
        }
        text.push_str(self.text.get(at..range.end).unwrap_or(""));
        let _ = match style {
            Some(style) => write!(out, "{style}{text}{style:#}"),
            None => write!(out, "{text}"),
        };
    }

    fn write_coloured_line(&self, is_first: bool, in_head: bool, out: &mut String) {
        let whole = 0..self.text.len();
        if let Some(label) = self.first_marked_part_of_kind(PartKind::Error) {
            self.write_styled_range(label.range.clone(), Some(ERROR_STYLE), out);
            self.write_styled_range(label.range.end..whole.end, None, out);
        } else if is_first {
            self.write_styled_range(whole, Some(HEAD_STYLE), out);
        } else if let Some(call) = self.first_marked_part_of_kind(PartKind::Call) {
            self.write_styled_range(0..call.range.start, None, out);
            self.write_styled_range(call.range.start..whole.end, Some(CALL_STYLE), out);
        } else if let Some(label) = self.first_marked_part_of_kind(PartKind::Label) {
            self.write_styled_range(label.range.clone(), Some(COST_STYLE), out);
            self.write_styled_range(label.range.end..whole.end, None, out);
        } else if let Some(label) = self.first_marked_part_of_kind(PartKind::Caution) {
            self.write_styled_range(label.range.clone(), Some(CAUTION_STYLE), out);
            self.write_styled_range(label.range.end..whole.end, None, out);
        } else if in_head {
            self.write_styled_range(whole, None, out);
        } else {
            self.write_coloured_row(out);
        }
    }

    /// Writes a row of an answer in colours: its line numbers, its subject and its cost in tokens. In source text, a
    /// number at the beginning is a line number.
    fn write_coloured_row(&self, out: &mut String) {
        let indent = self.text.len() - self.text.trim_start().len();
        let text_after = |at: usize| self.text.get(at..).unwrap_or("");
        let is_source = self.first_marked_part_of_kind(PartKind::Source).is_some();
        let number = match self.first_marked_part_of_kind(PartKind::Number) {
            Some(number) => number.range.end,
            None if is_source => {
                let text = text_after(indent);
                indent + text.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(0)
            }
            None => indent,
        };
        let price = match self.first_marked_part_of_kind(PartKind::TokenCost) {
            Some(price) => price.range.start,
            None if is_source => text_after(number).find("  ~").map_or(self.text.len(), |at| number + at),
            None => self.text.len(),
        };
        let subject = match self.first_marked_part_of_kind(PartKind::Subject) {
            Some(subject) => self.text.get(subject.range.clone()).unwrap_or(""),
            None if is_source => text_after(0).split("  ").next().unwrap_or(""),
            None => "",
        };
        self.write_styled_range(0..indent, None, out);
        if number > indent {
            self.write_styled_range(indent..number, Some(LINE_NUMBER_STYLE), out);
        }
        let is_path = number == 0 && is_path_like(subject);
        self.write_styled_range(number..price, is_path.then_some(PATH_STYLE), out);
        if price < self.text.len() {
            self.write_styled_range(price..self.text.len(), Some(COST_STYLE), out);
        }
    }
}

/// Whether the subject of a row looks like a path, which is coloured; a single word without `/` and `.` does not.
fn is_path_like(subject: &str) -> bool {
    !subject.contains(' ') && subject.contains(['/', '.'])
}

/// Pads the cells of consecutive rows of an answer to the same width.
fn align_cells_of_answer_lines(lines: &mut [AnswerLine<'_>]) {
    let width = |line: &AnswerLine<'_>, cell: &Range<usize>| line.text.get(cell.clone()).unwrap_or("").chars().count();
    for block in lines.chunk_by_mut(|a, b| a.cell_ranges().len() > 1 && b.cell_ranges().len() > 1) {
        let rows: Vec<Vec<Range<usize>>> = block.iter().map(AnswerLine::cell_ranges).collect();
        if rows.iter().all(|cells| cells.len() < 2) {
            continue;
        }
        let max_cells = rows.iter().map(Vec::len).max().unwrap_or(0);
        let column_width = |column: usize| {
            let cells = block.iter().zip(&rows).filter_map(|(line, cells)| Some(width(line, cells.get(column)?)));
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..max_cells).map(column_width).collect();
        for (line, cells) in block.iter_mut().zip(&rows) {
            let Some(last) = cells.last() else { continue };
            line.visible_end = last.end;
            for (cell, widest) in cells.iter().zip(&widths).take(cells.len() - 1) {
                let spaces = widest.saturating_sub(width(line, cell));
                line.padding.push((cell.end, spaces));
            }
        }
    }
}
