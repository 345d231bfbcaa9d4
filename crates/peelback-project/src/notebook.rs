//! Jupyter notebooks (`.ipynb`): their JSON becomes the code of their cells, each line of code at its line of the file.
//!
//! The format: <https://nbformat.readthedocs.io/en/latest/format_description.html>, versions 3 and 4.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use peelback_syntax::language::{self, NotebookSyntax};

mod json;
mod magics;

use json::JsonCursor;

/// The code of a notebook, and what there is to say about it.
pub(crate) struct NotebookCode {
    /// The text: the source of code cells, the other cells as comments, and a comment `# %% cell N` above each cell, which
    /// counts cells from 1. The first line has a comment with the language: `# notebook: python`.
    pub text: String,
    /// How the text came from the file, for users.
    pub note: &'static str,
}

/// One cell of a notebook.
#[derive(Default)]
struct Cell {
    /// `code`, `markdown`, `raw` or, in old notebooks, `heading`.
    kind: String,
    /// The line of the file on which the cell's source begins, from 1.
    line: usize,
    /// The strings that make up the source, with the lines on which they stand.
    source: Vec<(usize, Range<usize>)>,
}

/// What the text of a notebook is.
pub(crate) enum NotebookText {
    /// JSON with cells.
    Code(NotebookCode),
    /// JSON with cells whose code is in a language that is not read.
    InUnknownLanguage,
    /// No JSON, or none with cells: it was cut off, or holds the marks of a merge.
    Broken,
}

/// The code of the notebook with this JSON.
///
/// The code has a line for each line of the file where every string of the cells' sources stands on a line of its own, as
/// notebooks are saved. Otherwise its lines count on their own, and the note says so.
pub(crate) fn code_of_notebook(json: &str) -> NotebookText {
    let Some((cells, language)) = read_cells_and_language(json) else { return NotebookText::Broken };
    let Some((syntax, first_line)) = language::syntax_and_first_line_of_notebook(language.as_deref()) else {
        return NotebookText::InUnknownLanguage;
    };
    let keeps_lines = can_keep_lines(json, &cells);
    let mut code = CodeWriter { text: first_line, line: 1, keeps_lines };
    for (number, cell) in (1..).zip(&cells) {
        code.write_cell(json, number, cell, syntax);
    }
    if keeps_lines {
        code.go_to_line(json.lines().count());
    }
    code.text.push('\n');
    let note = match keeps_lines {
        true => "a notebook: the code of its cells at the lines of the file, without outputs",
        false => "a notebook: the code of its cells, without outputs; lines count in this text, not in the file",
    };
    NotebookText::Code(NotebookCode { text: code.text, note })
}

/// The cell around a line of a notebook's text: its number, and the line in the cell, both from 1.
/// `None` for a line before the first cell, and in a text that is no notebook.
pub fn cell_and_line_in_cell(text: &str, line: u32) -> Option<(u32, u32)> {
    if !language::is_text_of_notebook(text) {
        return None;
    }
    let mut found = None;
    for (at, text) in (1..=line).zip(text.lines()) {
        if let Some(number) = cell_number_in_marker(text) {
            found = Some((number, at));
        }
    }
    found.filter(|(_, marker)| *marker < line).map(|(number, marker)| (number, line - marker))
}

fn cell_number_in_marker(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("# %% cell ").or_else(|| line.strip_prefix("// %% cell "))?;
    rest.split(' ').next()?.parse().ok()
}

/// Whether each string of the sources is one line of code on a line of its own, below the first line of the file, with a free
/// line above each cell.
fn can_keep_lines(json: &str, cells: &[Cell]) -> bool {
    let mut last = 1;
    cells.iter().all(|cell| {
        let marker = cell.line;
        let is_marker_free = marker > last;
        last = last.max(marker);
        is_marker_free
            && cell.source.iter().all(|(line, range)| {
                let is_free = *line > last;
                last = *line;
                is_free && is_one_line(json.get(range.clone()).unwrap_or(""))
            })
    })
}

/// Whether a string, as JSON writes it, has no line break but one at its end.
fn is_one_line(literal: &str) -> bool {
    let inside = literal.strip_suffix('"').unwrap_or(literal);
    let inside = inside.strip_suffix("\\n").filter(|rest| !ends_with_odd_backslashes(rest)).unwrap_or(inside);
    !(inside.contains("\\n") || inside.contains("\\u000"))
        || decoded(literal).trim_end_matches(['\n', '\r']).lines().count() <= 1
}

fn ends_with_odd_backslashes(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// The value of a string that JSON writes as `literal`, with its quotes.
fn decoded(literal: &str) -> Cow<'_, str> {
    let inside = literal.get(1..literal.len().saturating_sub(1)).unwrap_or("");
    if !inside.contains('\\') {
        return Cow::Borrowed(inside);
    }
    serde_json::from_str::<String>(literal).map_or(Cow::Borrowed(inside), Cow::Owned)
}

/// Writes code at the lines of the file.
struct CodeWriter {
    text: String,
    /// The line that the end of `text` is on, from 1.
    line: usize,
    keeps_lines: bool,
}

impl CodeWriter {
    /// Begins a new line: the one with this number where lines are kept, else the next one.
    fn go_to_line(&mut self, line: usize) {
        let breaks = if self.keeps_lines { line.saturating_sub(self.line) } else { 1 };
        self.text.extend(std::iter::repeat_n('\n', breaks));
        self.line += breaks;
    }

    fn write_cell(&mut self, json: &str, number: usize, cell: &Cell, syntax: NotebookSyntax) {
        let comment = syntax.comment;
        let is_code = cell.kind == "code";
        self.go_to_line(cell.line);
        let kind = if is_code { String::new() } else { format!(" ({})", cell.kind.escape_default()) };
        let _ = write!(self.text, "{comment} %% cell {number}{kind}");
        let mut magics = magics::CellMagics::default();
        let mut write_line = |this: &mut Self, line: usize, code: &str| {
            this.go_to_line(line);
            let code = code.trim_end_matches(['\r', '\n']);
            if !is_code {
                let _ = write!(this.text, "{comment} {code}");
            } else if syntax.has_magics {
                this.text.push_str(&magics.python_of_line(code));
            } else {
                this.text.push_str(code);
            }
        };
        if self.keeps_lines {
            for (line, range) in &cell.source {
                write_line(self, *line, &decoded(json.get(range.clone()).unwrap_or("\"\"")));
            }
        } else {
            let literals = cell.source.iter().map(|(_, range)| decoded(json.get(range.clone()).unwrap_or("\"\"")));
            let source: String = literals.collect();
            source.lines().for_each(|code| write_line(self, 0, code));
        }
    }
}

/// The cells of a notebook in their order, and the language of its kernel, if it has one.
fn read_cells_and_language(json: &str) -> Option<(Vec<Cell>, Option<String>)> {
    let mut cursor = JsonCursor::new(json);
    let mut cells = None;
    let (mut language, mut kernel) = (None, None);
    cursor.for_each_field(|cursor, key| match key {
        "cells" => {
            cells = Some(read_cells(cursor)?);
            Some(())
        }
        // Version 3.
        "worksheets" => cursor.for_each_element(|cursor| {
            cursor.for_each_field(|cursor, key| {
                if key == "cells" {
                    cells.get_or_insert_with(Vec::new).extend(read_cells(cursor)?);
                    return Some(());
                }
                cursor.skip_value()
            })
        }),
        "metadata" => cursor.for_each_field(|cursor, key| match key {
            "language_info" => {
                cursor.for_each_field(|cursor, key| read_text_field(cursor, key == "name", &mut language))
            }
            "kernelspec" => {
                cursor.for_each_field(|cursor, key| read_text_field(cursor, key == "language", &mut kernel))
            }
            _ => cursor.skip_value(),
        }),
        _ => cursor.skip_value(),
    })?;
    Some((cells?, language.or(kernel)))
}

fn read_text_field(cursor: &mut JsonCursor<'_>, is_wanted: bool, to: &mut Option<String>) -> Option<()> {
    match cursor.string_literal().filter(|_| is_wanted) {
        Some((_, range)) => *to = Some(decoded(cursor.text(range)).into_owned()),
        None => cursor.skip_value_unless_read()?,
    }
    Some(())
}

fn read_cells(cursor: &mut JsonCursor<'_>) -> Option<Vec<Cell>> {
    let mut cells = Vec::new();
    if !cursor.is_at_array() {
        return None;
    }
    cursor.for_each_element(|cursor| {
        let mut cell = Cell::default();
        cursor.for_each_field(|cursor, key| match key {
            "cell_type" => {
                let (_, range) = cursor.string_literal()?;
                cell.kind = decoded(cursor.text(range)).into_owned();
                Some(())
            }
            // `input` in version 3.
            "source" | "input" => {
                cell.line = cursor.line();
                if let Some(literal) = cursor.string_literal() {
                    cell.source.push(literal);
                    return Some(());
                }
                cursor.for_each_element(|cursor| {
                    cell.source.push(cursor.string_literal()?);
                    Some(())
                })
            }
            _ => cursor.skip_value(),
        })?;
        cells.push(cell);
        Some(())
    })?;
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::{NotebookCode, NotebookText, cell_and_line_in_cell, code_of_notebook};

    fn code_of(json: &str) -> NotebookCode {
        match code_of_notebook(json) {
            NotebookText::Code(code) => code,
            _ => panic!("no notebook: {json}"),
        }
    }

    fn notebook(cells: &str, language: &str) -> String {
        format!(
            "{{\n \"cells\": [\n{cells}\n ],\n \"metadata\": {{\n  \"language_info\": {{\n   \"name\": \"{language}\"\n  }}\n }},\n \
             \"nbformat\": 4\n}}\n"
        )
    }

    const TWO_CELLS: &str = "  {\n   \"cell_type\": \"markdown\",\n   \"source\": [\n    \"# Load\\n\",\n    \"data\"\n   ]\n  },\n  {\n   \
        \"cell_type\": \"code\",\n   \"outputs\": [{\"text\": [\"def no():\\n\"]}],\n   \"source\": [\n    \"%matplotlib inline\\n\",\n    \
        \"def load(path=\\\"a\\\\n\\\"):\\n\",\n    \"\\n\",\n    \"    return open(path)\"\n   ]\n  }";

    #[test]
    fn each_line_of_code_is_at_its_line_of_the_file() {
        let json = notebook(TWO_CELLS, "python");
        let code = code_of(&json);
        assert_eq!(code.text.lines().count(), json.lines().count());
        let lines: Vec<(usize, &str)> = (1..).zip(code.text.lines()).filter(|(_, line)| !line.is_empty()).collect();
        assert_eq!(
            lines,
            [
                (1, "# notebook: python"),
                (5, "# %% cell 1 (markdown)"),
                (6, "# # Load"),
                (7, "# data"),
                (13, "# %% cell 2"),
                (14, "# %matplotlib inline"),
                (15, "def load(path=\"a\\n\"):"),
                (17, "    return open(path)"),
            ]
        );
        assert_eq!(cell_and_line_in_cell(&code.text, 15), Some((2, 2)));
        assert_eq!(cell_and_line_in_cell(&code.text, 4), None);
        assert_eq!(cell_and_line_in_cell("x\n# %% cell 1\ny\n", 3), None);
    }

    #[test]
    fn a_notebook_on_one_line_has_lines_of_its_own() {
        let json = r#"{"cells":[{"cell_type":"code","source":"a = 1\nb = 2"},{"cell_type":"code","source":["c = 3\n","d = 4"]}]}"#;
        let code = code_of(json);
        assert_eq!(code.text, "# notebook: python\n# %% cell 1\na = 1\nb = 2\n# %% cell 2\nc = 3\nd = 4\n");
        assert!(code.note.contains("not in the file"), "{}", code.note);
    }

    #[test]
    fn a_line_break_that_is_written_as_a_number_counts() {
        let cell = "  {\n   \"cell_type\": \"code\",\n   \"source\": [\n    \"a\\u000ab\"\n   ]\n  }";
        let code = code_of(&notebook(cell, "python"));
        assert_eq!(code.text, "# notebook: python\n# %% cell 1\na\nb\n");
    }

    #[test]
    fn magics_and_commands_of_the_shell_are_comments() {
        let lines = ["%%time\\n", "files = !ls *.py\\n", "!pip install \\\\\\n", "  x\\n", "x = 3 % 2\\n", "print?"];
        let source = lines.map(|line| format!("    \"{line}\"")).join(",\n");
        let cell = format!("  {{\n   \"cell_type\": \"code\",\n   \"source\": [\n{source}\n   ]\n  }}");
        let code = code_of(&notebook(&cell, "python")).text;
        assert!(
            code.contains("\n# %%time\nfiles = None  # !ls *.py\n# !pip install \\\n#   x\nx = 3 % 2\n# print?\n"),
            "{code}"
        );
        let cell = cell.replace("%%time", "%%bash");
        let code = code_of(&notebook(&cell, "python")).text;
        assert!(code.contains("\n# files = !ls *.py\n"), "{code}");
    }

    #[test]
    fn old_notebooks_and_other_languages_are_read_and_what_is_none_is_not() {
        let old = "{\n \"worksheets\": [{\n  \"cells\": [{\n   \"cell_type\": \"code\",\n   \"input\": [\n    \"a = 1\"\n   ]\n  }]\n }]\n}\n";
        assert!(code_of(old).text.contains("\na = 1\n"));
        let script = code_of(&notebook(TWO_CELLS, "javascript")).text;
        assert!(
            script.starts_with("// notebook: javascript\n") && script.contains("\n%matplotlib inline\n"),
            "{script}"
        );
        for none in ["", "{", "[]", "{\"cells\": 3}", "{\"cells\": [", "{\"a\": \"\\", "{]}", "{\"metadata\": {}}"] {
            assert!(matches!(code_of_notebook(none), NotebookText::Broken), "{none}");
        }
        assert!(matches!(code_of_notebook(&notebook(TWO_CELLS, "cobol")), NotebookText::InUnknownLanguage));
        // As deep as it is, nothing of it is kept.
        let deep = format!("{{\"a\": {}{}, \"cells\": []}}", "[".repeat(500_000), "]".repeat(500_000));
        assert!(matches!(code_of_notebook(&deep), NotebookText::Code(_)));
    }
}
