//! The text of an answer with marks on its parts.
//!
//! A tool writes the text once. Each face then renders the page without looking at the text: programs get the text as
//! it is, a terminal aligns and colours the marked parts, an agent leaves parts out.

use std::fmt::{self, Display, Write as _};
use std::ops::Range;

/// What a part of a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The word before a text that offers something: `next:`, `hint:`, `or:`, `by file:`.
    Label,
    /// The word before a text that limits what the answer says: `evidence:`, `note:`, `warning:`.
    Caution,
    /// The word before an error.
    Error,
    /// The whole line of a hint.
    Hint,
    /// The block of calls that would narrow the answer or give its next page.
    Alternatives,
    /// The docs of a tool whose call failed.
    Documentation,
    /// A call of a tool.
    Call,
    /// Line numbers or a count at the beginning of a row.
    Number,
    /// The file that a row is about.
    Subject,
    /// What opening a row costs, with all that comes after it in the line.
    Price,
    /// One cell of a row that has columns.
    Cell,
    /// Text that was read from the project, as it is there.
    Source,
}

/// One part of a page. Parts may contain one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The part's place in the text, in bytes.
    pub range: Range<usize>,
    /// What the part is.
    pub part: Part,
}

/// The text of an answer with marks on its parts, in the order of their beginnings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    text: String,
    marks: Vec<Mark>,
}

impl Page {
    /// The text as it is.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it is.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The marks, in the order of their beginnings; of two that begin together, the one that contains the other is first.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Whether the page has a part of this kind.
    pub fn has(&self, part: Part) -> bool {
        self.marks.iter().any(|mark| mark.part == part)
    }

    /// The text without the parts of these kinds.
    pub fn text_without(&self, parts: &[Part]) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut written = 0;
        for mark in self.marks.iter().filter(|mark| parts.contains(&mark.part)) {
            out.push_str(self.text.get(written..mark.range.start).unwrap_or(""));
            written = written.max(mark.range.end);
        }
        out.push_str(self.text.get(written..).unwrap_or(""));
        out
    }

    /// Bytes of the text so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn push(&mut self, c: char) {
        self.text.push(c);
    }

    /// Removes what was written after the first `len` bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
        self.marks.retain(|mark| mark.range.end <= len);
    }

    /// Marks what `write` writes.
    pub(crate) fn part(&mut self, part: Part, write: impl FnOnce(&mut Self)) {
        let (start, index) = (self.text.len(), self.marks.len());
        self.marks.push(Mark { range: start..start, part });
        write(self);
        let end = self.text.len();
        if let Some(mark) = self.marks.get_mut(index) {
            mark.range.end = end;
        }
    }

    /// Writes `value` and marks it.
    pub(crate) fn put(&mut self, part: Part, value: impl Display) {
        self.part(part, |page| {
            let _ = write!(page, "{value}");
        });
    }

    /// Writes a further cell of a row, two spaces behind the one before it.
    pub(crate) fn cell(&mut self, value: impl Display) {
        self.push_str("  ");
        self.put(Part::Cell, value);
    }

    /// Writes a further cell of a row that says what opening it costs.
    pub(crate) fn price_cell(&mut self, tokens: usize) {
        self.part(Part::Price, |page| page.cell(format_args!("~{tokens} tokens")));
    }

    /// Writes the price of a row that has no columns.
    pub(crate) fn price(&mut self, tokens: usize) {
        self.put(Part::Price, format_args!("  ~{tokens} tokens"));
    }

    /// Writes a note on the evidence.
    pub(crate) fn note(&mut self, note: impl Display) {
        self.put(Part::Caution, "note:");
        let _ = writeln!(self, " {note}");
    }

    /// Writes a line of the project with its number before it.
    pub(crate) fn numbered_source(&mut self, number: u32, text: &str) {
        self.put(Part::Number, number);
        self.push_str(": ");
        self.put(Part::Source, text);
        self.push('\n');
    }

    /// Writes the line that stands for lines that are not shown.
    pub(crate) fn gap(&mut self) {
        self.push_str("--\n");
    }

    /// Writes a line that names the file of the rows below it.
    pub(crate) fn file_line(&mut self, path: &str) {
        self.put(Part::Subject, path);
        self.push('\n');
    }

    /// Writes a line that is a text of the project, with a line end where it has none.
    pub(crate) fn source(&mut self, text: &str) {
        self.put(Part::Source, text);
        if !text.ends_with('\n') {
            self.push('\n');
        }
    }
}

impl fmt::Write for Page {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Page, Part};

    #[test]
    fn parts_are_left_out_by_their_kind() {
        let mut page = Page::default();
        page.push_str("2 files\n");
        page.part(Part::Hint, |page| {
            page.put(Part::Label, "hint:");
            page.push_str(" look\n");
        });
        page.source("hint: a line of a file");
        assert_eq!(page.text_without(&[Part::Hint]), "2 files\nhint: a line of a file\n");
        assert!(page.has(Part::Label) && !page.has(Part::Price));
    }
}
