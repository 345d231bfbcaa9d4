//! Detection of definitions without code: overloads, abstract methods, and functions whose body is only a docstring.

use peelback_code::CodeAccess;
use peelback_code::syntax::language::{self, StubStyle};
use peelback_code::syntax::{Lines, SymbolKind};

use crate::excerpt::docstring_and_leading_comment_ranges;

/// Whether the given lines of a file only declare a symbol and contain no statement.
pub(super) fn is_definition_without_code(access: &CodeAccess, path: &str, lines: Lines, kind: SymbolKind) -> bool {
    let Ok(file) = access.read_file_by_root_path(path) else { return false };
    let style =
        language::language_of_file_name(file.file_name()).map_or(StubStyle::Unknown, |language| language.stub_style);
    is_empty_definition(file.text_of_lines(lines.first, lines.last), style, kind)
}

/// Whether the text of a definition contains no statement. `style` is the form of declarations without code in the
/// language.
fn is_empty_definition(text: &str, style: StubStyle, kind: SymbolKind) -> bool {
    let is_callable = matches!(kind, SymbolKind::Function | SymbolKind::Method);
    if style == StubStyle::Placeholder && (is_callable || kind == SymbolKind::Class) {
        let hidden = docstring_and_leading_comment_ranges(text, 1, true);
        let is_hidden = |number: u32| hidden.iter().any(|(first, last)| (*first..=*last).contains(&number));
        let kept = (1..).zip(text.lines()).filter(|(number, _)| !is_hidden(*number)).map(|(_, line)| line.trim());
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with('#') && !is_one_line_docstring(line);
        let last = kept.filter(is_code).last().unwrap_or("");
        return last.ends_with(':') || last == "..." || last == "pass" || last.ends_with(": ...");
    }
    is_callable && style == StubStyle::NoBraces && !text.contains('{') && !text.contains('=')
}

/// Whether a line of code is a docstring that also ends on this line.
fn is_one_line_docstring(line: &str) -> bool {
    let inner = line.trim_start_matches(['r', 'u', 'b']);
    ["\"\"\"", "'''"].iter().any(|quotes| inner.len() >= 6 && inner.starts_with(quotes) && inner.ends_with(quotes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_declares_is_empty() {
        for text in [
            "def f(a: int) -> str: ...",
            "def f(\n    a: int,\n) -> str:\n    ...",
            "def f(a):\n    \"\"\"Says much,\n\n    and does nothing.\n    \"\"\"",
            "def f(a):\n    '''Short.'''\n    pass",
        ] {
            assert!(is_empty_definition(text, StubStyle::Placeholder, SymbolKind::Function), "{text}");
        }
        assert!(!is_empty_definition(
            "def f(a):\n    \"\"\"Adds.\"\"\"\n    return a + 1",
            StubStyle::Placeholder,
            SymbolKind::Function
        ));
        assert!(!is_empty_definition(
            "class C:\n    \"\"\"A pair.\"\"\"\n    a: int",
            StubStyle::Placeholder,
            SymbolKind::Class
        ));
        assert!(is_empty_definition(
            "export function f(a: string): number;",
            StubStyle::NoBraces,
            SymbolKind::Function
        ));
        assert!(!is_empty_definition("export const f = (a) => a;", StubStyle::NoBraces, SymbolKind::Function));
        assert!(!is_empty_definition("fn f() {}", StubStyle::NoBraces, SymbolKind::Function));
        assert!(!is_empty_definition("A = 1", StubStyle::Placeholder, SymbolKind::Constant));
    }
}
