//! The text of an answer, with marks on its parts.
//!
//! A tool writes the text once. Each interface then renders the page without parsing the text: programs receive the
//! plain text, a terminal aligns and colours the marked parts, and an agent receives the text without some parts.
//!
//! All text passes through [`MarkedText::push_str`], which escapes what a terminal would obey. Text that is a part of a row (a
//! name, a signature, a sentence) is written by [`MarkedText::push_with_line_breaks_escaped`] or as [`EscapedToOneLine`], or it is a part of a kind that has
//! one line, so that a line break in it forges no row.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::ops::Range;

use peelback_code::{escape_control_characters, escape_to_one_line};
use peelback_secrets::{KnownSecrets, Stop};

/// The kind of a marked part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// The label before a suggestion: `next:`, `hint:`, `or:`, `by file:`.
    Label,
    /// The label before a limitation of the answer: `evidence:`, `note:`, `warning:`.
    Caution,
    /// The label before an error message.
    Error,
    /// The complete line of a hint.
    Hint,
    /// The block of calls that narrow the answer or return its next page.
    Alternatives,
    /// A tool call.
    Call,
    /// Line numbers, or a count, at the beginning of a row.
    Number,
    /// The file that a row describes.
    Subject,
    /// The token cost of opening a row, including the rest of the line after the cost.
    TokenCost,
    /// One cell of a row with columns.
    Cell,
    /// Verbatim text from the project.
    Source,
    /// What an answer says of itself after rows that are for programs.
    Remark,
}

impl PartKind {
    /// Whether a value of a part of this kind stands in one line.
    fn must_stay_on_one_line(self) -> bool {
        matches!(self, Self::Call | Self::Number | Self::Subject | Self::TokenCost | Self::Cell)
    }
}

/// The maximum number of escaped characters that a note names.
const MAX_NAMED_ESCAPES: usize = 4;

/// A text that is a part of a row, as [`MarkedText`] writes it: line breaks in it are escaped.
pub(crate) struct EscapedToOneLine<T>(pub T);

impl<T: AsRef<str>> Display for EscapedToOneLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape_to_one_line(self.0.as_ref()))
    }
}

/// A mark on one part of a page. Marked parts may be nested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartMark {
    /// The byte range of the part in the text.
    pub range: Range<usize>,
    /// The kind of the part.
    pub part: PartKind,
}

/// The text of an answer, with marks on its parts in the order of their start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkedText {
    text: String,
    marked_parts: Vec<PartMark>,
    /// Whether source is being written.
    is_in_source: bool,
    /// The characters of the project's source that are shown as escapes, and how many of each.
    escaped_in_source: BTreeMap<char, usize>,
}

impl MarkedText {
    /// The plain text of the page, without marks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Converts the page to its plain text.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The marks, in the order of their start. Of two marks with equal start, the enclosing mark comes first.
    pub fn marked_parts(&self) -> &[PartMark] {
        &self.marked_parts
    }

    /// Whether the page contains a part of the kind `part`.
    pub fn has_part_of_kind(&self, part: PartKind) -> bool {
        self.marked_parts.iter().any(|mark| mark.part == part)
    }

    /// The plain text of the outermost parts of this kind.
    pub fn text_of_parts_of_kind(&self, part: PartKind) -> String {
        let mut out = String::new();
        let mut written = 0;
        for mark in self.marked_parts.iter().filter(|mark| mark.part == part) {
            out.push_str(self.text.get(mark.range.start.max(written)..mark.range.end).unwrap_or(""));
            written = written.max(mark.range.end);
        }
        out
    }

    /// The plain text of the page without the parts of these kinds.
    pub fn text_without_parts_of_kinds(&self, parts: &[PartKind]) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut written = 0;
        for mark in self.marked_parts.iter().filter(|mark| parts.contains(&mark.part)) {
            out.push_str(self.text.get(written..mark.range.start).unwrap_or(""));
            written = written.max(mark.range.end);
        }
        out.push_str(self.text.get(written..).unwrap_or(""));
        out
    }

    /// The page with the secrets of its text masked, those of the files that it quotes among them, and how many were. Parts
    /// stay marked; one that lies inside of a secret is as long as the mask.
    pub(crate) fn with_masked_secrets(self, known: &KnownSecrets) -> (Self, usize) {
        // Nothing stops it.
        let found = peelback_secrets::find_secrets_to_mask(&self.text, known, Stop::never()).unwrap_or_default();
        if found.is_empty() {
            return (self, 0);
        }
        let (text, places) = peelback_secrets::write_with_masks(&self.text, &found);
        let marks = self.marked_parts.into_iter().map(|mark| PartMark {
            range: places.place_after_masking(mark.range.start, false)
                ..places.place_after_masking(mark.range.end, true),
            part: mark.part,
        });
        (Self { text, marked_parts: marks.collect(), ..Self::default() }, found.len())
    }

    /// The length of the text so far, in bytes.
    pub(crate) fn byte_len(&self) -> usize {
        self.text.len()
    }

    /// Writes another page after the text so far, with its marks.
    pub(crate) fn append(&mut self, other: Self) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.marked_parts.extend(
            other
                .marked_parts
                .into_iter()
                .map(|mark| PartMark { range: mark.range.start + start..mark.range.end + start, part: mark.part }),
        );
        for (c, count) in other.escaped_in_source {
            *self.escaped_in_source.entry(c).or_default() += count;
        }
    }

    /// Writes text of any number of lines. What a terminal would obey in it is escaped.
    pub(crate) fn push_str(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.text.ends_with('\r') && !text.starts_with('\n') {
            self.escape_last_carriage_return();
        }
        let shown = escape_control_characters(text);
        if self.is_in_source && matches!(shown, Cow::Owned(_)) {
            self.record_escaped_source_characters(text);
        }
        self.text.push_str(&shown);
    }

    fn record_escaped_source_characters(&mut self, text: &str) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let is_escaped = match c {
                '\r' => !matches!(chars.peek(), Some('\n') | None),
                c => matches!(escape_control_characters(c.encode_utf8(&mut [0; 4])), Cow::Owned(_)),
            };
            if is_escaped {
                *self.escaped_in_source.entry(c).or_default() += 1;
            }
        }
    }

    /// The page with a note on the characters of the source that are shown as escapes: what is shown of them is not what
    /// the file holds. The note ends the header, or begins a page that has only source.
    pub(crate) fn with_note_on_escaped_source(mut self) -> Self {
        let Some(source) = self.marked_parts.iter().find(|mark| mark.part == PartKind::Source) else { return self };
        let before = self.text.get(..source.range.start).unwrap_or("");
        let end_of_header = before.find("\n\n").or_else(|| before.rfind('\n'));
        let at = end_of_header.map_or(0, |end| end + 1);
        let Some(note) = self.take_note_on_escaped_source() else { return self };
        let added = note.text.len();
        self.text.insert_str(at, &note.text);
        for end in self.marked_parts.iter_mut().flat_map(|mark| [&mut mark.range.start, &mut mark.range.end]) {
            if *end >= at {
                *end += added;
            }
        }
        let index = self.marked_parts.partition_point(|mark| mark.range.start < at);
        for (offset, mark) in note.marked_parts.into_iter().enumerate() {
            let range = mark.range.start + at..mark.range.end + at;
            self.marked_parts.insert(index + offset, PartMark { range, ..mark });
        }
        self
    }

    /// The line that says which characters of the source are shown as escapes, which is taken from the page; `None` where none
    /// are.
    pub(crate) fn take_note_on_escaped_source(&mut self) -> Option<Self> {
        let escaped = std::mem::take(&mut self.escaped_in_source);
        if escaped.is_empty() {
            return None;
        }
        let mut note = Self::default();
        note.write_part(PartKind::Caution, "note:");
        note.text.push_str(" the source has characters that are shown as escapes:");
        for (index, (c, count)) in escaped.iter().take(MAX_NAMED_ESCAPES).enumerate() {
            let name = match c {
                '\u{c}' => "form feed",
                '\u{b}' => "vertical tab",
                '\r' => "carriage return",
                '\u{1b}' => "escape",
                '\0' => "NUL",
                c if c.is_control() => "control character",
                _ => "invisible character",
            };
            let separator = if index == 0 { "" } else { "," };
            let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
            note.text.push_str(&format!("{separator} {} ({name}, {times})", c.escape_unicode()));
        }
        if escaped.len() > MAX_NAMED_ESCAPES {
            note.text.push_str(&format!(", … +{} more", escaped.len() - MAX_NAMED_ESCAPES));
        }
        note.text.push('\n');
        Some(note)
    }

    /// Writes text that is a part of a row: line breaks in it are escaped, too.
    pub(crate) fn push_with_line_breaks_escaped(&mut self, text: &str) {
        self.push_str(&escape_to_one_line(text));
    }

    pub(crate) fn push(&mut self, c: char) {
        self.push_str(c.encode_utf8(&mut [0; 4]));
    }

    /// Escapes the carriage return at the end of the text, after which no line end came.
    fn escape_last_carriage_return(&mut self) {
        let len_before = self.text.len();
        self.text.pop();
        self.text.extend('\r'.escape_unicode());
        let added = self.text.len() - len_before;
        for mark in &mut self.marked_parts {
            for end in [&mut mark.range.start, &mut mark.range.end] {
                if *end == len_before {
                    *end += added;
                }
            }
        }
    }

    /// Removes the text after the first `len` bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
        self.marked_parts.retain(|mark| mark.range.end <= len);
    }

    /// Writes text with `write` and marks it as a part of the kind `part`.
    pub(crate) fn write_and_mark_part(&mut self, part: PartKind, write: impl FnOnce(&mut Self)) {
        let (start, index) = (self.text.len(), self.marked_parts.len());
        self.marked_parts.push(PartMark { range: start..start, part });
        write(self);
        let end = self.text.len();
        if let Some(mark) = self.marked_parts.get_mut(index) {
            mark.range.end = end;
        }
    }

    /// Writes `value` and marks it as a part of the kind `part`.
    pub(crate) fn write_part(&mut self, part: PartKind, value: impl Display) {
        self.write_and_mark_part(part, |page| {
            if part.must_stay_on_one_line() {
                page.push_with_line_breaks_escaped(&value.to_string());
            } else {
                page.is_in_source = part == PartKind::Source;
                let _ = write!(page, "{value}");
                page.is_in_source = false;
            }
        });
    }

    /// Writes a call on a line of its own, without a line end: after a line end where the last line has text.
    pub(crate) fn write_call_on_own_line(&mut self, call: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.push('\n');
        }
        self.write_part(PartKind::Call, call);
    }

    /// Writes another cell of a row, two spaces after the previous cell.
    pub(crate) fn write_cell(&mut self, value: impl Display) {
        self.push_str("  ");
        self.write_part(PartKind::Cell, value);
    }

    /// Writes a further cell with the token cost of opening the row.
    pub(crate) fn write_token_cost_cell(&mut self, tokens: usize) {
        self.write_and_mark_part(PartKind::TokenCost, |page| page.write_cell(format_args!("~{tokens} tokens")));
    }

    /// Writes the token cost of opening a row that has no columns.
    pub(crate) fn write_token_cost(&mut self, tokens: usize) {
        self.write_part(PartKind::TokenCost, format_args!("  ~{tokens} tokens"));
    }

    /// Writes a line with a note on how complete the answer is.
    pub(crate) fn write_completeness_note_line(&mut self, note: impl Display) {
        self.write_part(PartKind::Caution, "note:");
        let _ = writeln!(self, " {}", EscapedToOneLine(note.to_string()));
    }

    /// Writes a source line of the project, preceded by its line number.
    pub(crate) fn write_numbered_source_line(&mut self, number: u32, text: &str) {
        self.write_part(PartKind::Number, number);
        self.push_str(": ");
        self.write_part(PartKind::Source, text);
        self.push('\n');
    }

    /// Writes a line that represents omitted source lines.
    pub(crate) fn write_omitted_lines_separator(&mut self) {
        self.push_str("--\n");
    }

    /// Writes a line with the path of a file, as the heading of the rows below it.
    pub(crate) fn write_file_heading_line(&mut self, path: &str) {
        self.write_part(PartKind::Subject, path);
        self.push('\n');
    }

    /// Writes verbatim text of the project, and a line end where the text has none.
    pub(crate) fn write_source_with_line_end(&mut self, text: &str) {
        self.write_part(PartKind::Source, text);
        if !text.ends_with('\n') {
            self.push('\n');
        }
    }
}

impl fmt::Write for MarkedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{EscapedToOneLine, MarkedText, PartKind};

    #[test]
    fn parts_are_left_out_by_their_kind() {
        let mut page = MarkedText::default();
        page.push_str("2 files\n");
        page.write_and_mark_part(PartKind::Hint, |page| {
            page.write_part(PartKind::Label, "hint:");
            page.push_str(" look\n");
        });
        page.write_source_with_line_end("hint: a line of a file");
        assert_eq!(page.text_without_parts_of_kinds(&[PartKind::Hint]), "2 files\nhint: a line of a file\n");
        assert!(page.has_part_of_kind(PartKind::Label) && !page.has_part_of_kind(PartKind::TokenCost));
    }

    #[test]
    fn a_word_of_the_mask_in_a_key_is_masked_once() {
        let mark = |word: &str| format!("-----{word} {} KEY-----", "PRIVATE");
        let key = "aZ3kQ9xB7mW2pL5vT8nR4cY6dF1gH0jS".repeat(2);
        let source = [mark("BEGIN").as_str(), &key, "masked", &mark("END"), "the end", ""].join("\n");
        let mut page = MarkedText::default();
        page.write_source_with_line_end(&source);
        let known = peelback_secrets::KnownSecrets::of_text(&source);
        let (page, count) = page.with_masked_secrets(&known);
        assert!(count >= 1 && !page.text().contains(&key) && !page.text().contains("[["), "{}", page.text());
        assert_eq!(page.marked_parts().iter().map(|mark| mark.range.len()).collect::<Vec<_>>(), [page.text().len()]);
        assert_eq!(page.clone().with_masked_secrets(&known), (page, 0));
    }

    #[test]
    fn nothing_on_a_page_controls_a_terminal_or_forges_a_row() {
        let mut page = MarkedText::default();
        page.write_file_heading_line("a\n9: forged\u{1b}[2J");
        page.write_numbered_source_line(1, "x\u{9b}y\r");
        page.push_with_line_breaks_escaped("name\nof two lines");
        let turned = "d\u{202e}";
        let _ = writeln!(page, " {} {turned}", EscapedToOneLine("b\rc"));
        page.write_source_with_line_end("one\r\ntwo\r");
        assert_eq!(
            page.text(),
            "a\\u{a}9: forged\\u{1b}[2J\n1: x\\u{9b}y\r\nname\\u{a}of two lines b\\u{d}c d\\u{202e}\none\r\ntwo\r\n"
        );
    }

    #[test]
    fn what_stands_for_other_characters_of_the_source_is_said() {
        let mut page = MarkedText::default();
        page.push_str("2 lines of a.c\n\n");
        page.write_numbered_source_line(1, "\u{c}a\u{c}");
        page.write_numbered_source_line(2, "\u{202e}'\\u{c}'\r");
        let page = page.with_note_on_escaped_source();
        assert_eq!(
            page.text(),
            "2 lines of a.c\nnote: the source has characters that are shown as escapes: \\u{c} (form feed, 2 times), \
             \\u{202e} (invisible character, once)\n\n1: \\u{c}a\\u{c}\n2: \\u{202e}'\\u{c}'\r\n"
        );
        let marked: Vec<&str> = page.marked_parts().iter().map(|mark| &page.text()[mark.range.clone()]).collect();
        assert_eq!(marked, ["note:", "1", "\\u{c}a\\u{c}", "2", "\\u{202e}'\\u{c}'\r"]);
        // A page that is the text of a file.
        let mut page = MarkedText::default();
        page.write_source_with_line_end("a\u{b}b");
        let page = page.with_note_on_escaped_source();
        assert_eq!(page.text().lines().collect::<Vec<_>>()[1..], ["a\\u{b}b"]);
        // Names of rows are no source.
        let mut page = MarkedText::default();
        page.write_file_heading_line("a\u{c}b");
        page.write_numbered_source_line(1, "plain\r");
        let text = page.text().to_owned();
        assert_eq!(page.with_note_on_escaped_source().text(), text);
    }

    #[test]
    fn a_carriage_return_before_more_text_is_escaped_and_marks_move_with_it() {
        let mut page = MarkedText::default();
        page.push('a');
        page.write_part(PartKind::Source, "b\r");
        page.write_part(PartKind::Label, "next:");
        assert_eq!(page.text(), "ab\\u{d}next:");
        let marked: Vec<&str> = page.marked_parts().iter().map(|mark| &page.text()[mark.range.clone()]).collect();
        assert_eq!(marked, ["b\\u{d}", "next:"]);
    }
}
