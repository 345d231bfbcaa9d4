//! Fills in the columns and lines of references, which are read only when the references are shown.

use super::outline_symbols::innermost_accepted_symbol_at;
use super::reference::Reference;
use crate::analyzer::ProjectAnalyzer;
use crate::languages;
use peelback_project::{AnalysedFile, SourceFile};
use peelback_syntax::{Symbol, language};

/// The limit, in bytes, on the part of a line that is shown. Minified files have lines of megabytes.
const MAX_LINE: usize = 1_000;

/// Fills in the columns and line texts of those references that lack them.
pub(super) fn fill_columns_and_line_texts(access: &ProjectAnalyzer, references: &mut [Reference]) {
    let mut path = String::new();
    let mut text: Option<SourceFile> = None;
    let mut outline: Option<AnalysedFile> = None;
    let mut cursor = TextCursor::default();
    for reference in references.iter_mut().filter(|reference| reference.column == 0) {
        if path != reference.path {
            path.clone_from(&reference.path);
            text = access.read_file_if_unchanged(&path);
            outline = text.as_ref().and_then(|text| outline_if_names_are_not_resolved(access, text));
            cursor = TextCursor::default();
        }
        // Where names are not resolved, scopes are not known, and the outline tells the definition around a place.
        if let Some(outline) = &outline {
            reference.enclosing = name_of_definition_at(outline, reference.at);
        }
        reference.column = 1;
        // If the file changed after the search, the place of the reference may no longer exist.
        if let Some(text) = &text
            && cursor.move_to_byte_offset(&text.text, reference.at as usize).is_some()
        {
            reference.column = u32::try_from(cursor.column).unwrap_or(u32::MAX);
            cursor.current_line_or_part(&text.text).clone_into(&mut reference.context);
        }
    }
}

/// The outline of a file in a language whose names are not resolved; `None` in any other.
fn outline_if_names_are_not_resolved(access: &ProjectAnalyzer, text: &SourceFile) -> Option<AnalysedFile> {
    let language = language::language_of_file_name_and_text(text.file_name(), &text.text)?;
    languages::semantics_of_language(language.name).is_none().then(|| access.analyse_file(text.clone()))
}

/// The qualified name of the definition around a byte offset; empty at the top level of the file.
fn name_of_definition_at(outline: &AnalysedFile, at: u32) -> String {
    let holds_code = |symbol: &Symbol| !symbol.kind.is_value();
    let found = innermost_accepted_symbol_at(&outline.facts.symbols, at, &holds_code);
    found.map_or(String::new(), |symbol| symbol.qualified_name.clone())
}

/// A position in a text. Moving forward scans each byte once, however long the lines are.
#[derive(Default)]
struct TextCursor {
    at: usize,
    /// The byte offset at which the line of the position starts.
    start: usize,
    /// The column of the position in characters, from 1; 0 before the first move.
    column: usize,
}

impl TextCursor {
    /// Moves the cursor to a byte offset; `None` if the offset is not in the text.
    fn move_to_byte_offset(&mut self, text: &str, at: usize) -> Option<()> {
        let known = self.column > 0 && at >= self.at;
        let from = if known { self.at } else { 0 };
        let between = text.get(from..at)?;
        match memchr::memrchr(b'\n', between.as_bytes()) {
            Some(newline) => {
                self.start = from + newline + 1;
                self.column = 1 + text.get(self.start..at)?.chars().count();
            }
            None if known => self.column += between.chars().count(),
            None => {
                self.start = 0;
                self.column = 1 + between.chars().count();
            }
        }
        self.at = at;
        Some(())
    }

    /// The text of the line that contains the position; only the part around the position if the line is longer than
    /// [`MAX_LINE`].
    fn current_line_or_part<'t>(&self, text: &'t str) -> &'t str {
        let limit = text.floor_char_boundary((self.at + MAX_LINE).min(text.len()));
        let rest = text.get(self.at..limit).unwrap_or("");
        let end = self.at + rest.find('\n').unwrap_or(rest.len());
        let line = text.get(self.start..end).unwrap_or("").trim_end_matches('\r');
        if line.len() <= MAX_LINE {
            return line;
        }
        let from = line.floor_char_boundary((self.at - self.start).saturating_sub(MAX_LINE / 4));
        let to = line.floor_char_boundary((from + MAX_LINE).min(line.len()));
        line.get(from..to).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE, TextCursor};

    #[test]
    fn places_have_columns_and_lines() {
        let text = "ab\r\n\u{e9}c d\n\nlast";
        let mut cursor = TextCursor::default();
        for (at, column, line) in
            [(1, 2, "ab"), (6, 2, "\u{e9}c d"), (8, 4, "\u{e9}c d"), (11, 1, "last"), (0, 1, "ab")]
        {
            cursor.move_to_byte_offset(text, at).expect("a place");
            assert_eq!((cursor.column, cursor.current_line_or_part(text)), (column, line), "{at}");
        }
        assert!(cursor.move_to_byte_offset(text, 5).is_none() && cursor.move_to_byte_offset(text, 99).is_none());
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = "x".repeat(9_000) + "name" + &"\u{e9}".repeat(9_000);
        let mut cursor = TextCursor::default();
        cursor.move_to_byte_offset(&text, 9_000).expect("a place");
        assert!(
            cursor.current_line_or_part(&text).len() <= MAX_LINE
                && cursor.current_line_or_part(&text).contains("xname\u{e9}")
        );
        assert_eq!(cursor.column, 9_001);
    }
}
