//! Places in files: columns, and rows that are places.

use std::borrow::Cow;
use std::collections::HashMap;

use peelback_code::escape_to_one_line;

use crate::page::{MarkedText, PartKind};

/// A row of an answer as a place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceRow<'a> {
    pub path: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub byte_column: u32,
    /// What stands there, in one line.
    pub text: Cow<'a, str>,
}

impl PlaceRow<'_> {
    /// Writes the row as `path:line:column:text`.
    pub fn write_line(&self, page: &mut MarkedText) {
        page.write_part(PartKind::Subject, self.path);
        page.push(':');
        page.write_part(PartKind::Number, self.line);
        page.push(':');
        page.write_part(PartKind::Number, self.byte_column);
        page.push(':');
        let text = self.text.trim_end();
        let text = if text.contains('\n') { escape_to_one_line(text) } else { Cow::Borrowed(text) };
        page.write_part(PartKind::Source, text);
        page.push('\n');
    }
}

/// A column in bytes, where it is another than the one in characters.
pub(crate) fn byte_column_if_different(column: u32, byte_column: u32) -> Option<u32> {
    (byte_column != column).then_some(byte_column)
}

/// The columns in characters and in bytes, from 1, of byte offsets in a text. The text is read once, whatever the offsets
/// and the lengths of its lines are.
pub(crate) fn columns_of_byte_offsets(text: &str, mut offsets: Vec<usize>) -> HashMap<usize, (u32, u32)> {
    offsets.sort_unstable();
    offsets.dedup();
    let (mut at, mut line_start, mut chars) = (0, 0, 0_usize);
    let mut columns = HashMap::with_capacity(offsets.len());
    for offset in offsets {
        let Some(between) = text.get(at..offset) else { continue };
        match between.rfind('\n') {
            Some(newline) => {
                line_start = at + newline + 1;
                chars = between.get(newline + 1..).map_or(0, |rest| rest.chars().count());
            }
            None => chars += between.chars().count(),
        }
        at = offset;
        let column = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        columns.insert(offset, (column(chars), column(at - line_start)));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::{PlaceRow, columns_of_byte_offsets};
    use crate::page::MarkedText;

    #[test]
    fn columns_count_characters_and_bytes_of_the_line() {
        let text = "ab\n\u{e9}c d\n\nlast";
        let columns = columns_of_byte_offsets(text, vec![10, 1, 7, 4, 0, 1, 99]);
        // Byte 4 is inside of a character.
        let expected = [(0, (1, 1)), (1, (2, 2)), (7, (4, 5)), (10, (1, 1))];
        assert_eq!(columns, expected.into());
    }

    #[test]
    fn a_place_is_one_line() {
        let mut page = MarkedText::default();
        PlaceRow { path: "a\nb", line: 3, byte_column: 7, text: "\tone\ntwo  ".into() }.write_line(&mut page);
        assert_eq!(page.text(), "a\\u{a}b:3:7:\tone\\u{a}two\n");
    }
}
