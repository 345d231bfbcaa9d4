//! Splits a text into chunks without parsing it: a chunk begins at a line that looks like the definition of a function
//! or class, or at a heading.

use peelback_syntax::language;

use crate::words::{DEFINITION_KEYWORDS, ShortWordSet, is_identifier_byte};

/// Modifier keywords that may come before the keyword of a definition.
static MODIFIERS: ShortWordSet<19> = ShortWordSet::from_words([
    "abstract",
    "async",
    "const",
    "default",
    "export",
    "extern",
    "final",
    "inline",
    "internal",
    "open",
    "override",
    "private",
    "protected",
    "pub",
    "public",
    "sealed",
    "static",
    "unsafe",
    "virtual",
]);

/// Control-flow words, such as `if` and `return`, that begin a line which may end in `{` but is no definition.
static CONTROL_KEYWORDS: ShortWordSet<26> = ShortWordSet::from_words([
    "if", "else", "for", "while", "switch", "match", "catch", "try", "do", "return", "with", "case", "loop", "until",
    "unless", "elif", "foreach", "select", "go", "defer", "await", "throw", "raise", "print", "assert", "require",
]);

/// Other words at the start of a line that cannot be a function's return type.
static NOT_RETURN_TYPES: ShortWordSet<7> =
    ShortWordSet::from_words(["import", "from", "yield", "new", "delete", "not", "in"]);

/// The maximum indentation of a line that counts as the start of a method, in characters.
const MAX_METHOD_INDENT: usize = 8;

/// The byte offsets at which the chunks and the function names of a text begin, guessed line by line without parsing.
#[derive(Debug, Default)]
pub(crate) struct ChunkStarts {
    /// Byte offsets at which chunks begin; the offset 0 of the first chunk is left out. A chunk begins at a line that
    /// looks like a definition, or at the comments and decorators right above that line.
    pub starts: Vec<usize>,
    /// Byte offsets of function names that no keyword precedes, as in C.
    pub function_names: Vec<usize>,
}

/// Finds the offsets at which the chunks of `text`, the content of a file called `name`, begin. The file extension
/// decides whether the text is read as Markdown or as code.
pub(crate) fn find_chunk_starts_and_function_names(name: &str, text: &str) -> ChunkStarts {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let has_headings = language::well_known_project_files_of_languages()
        .any(|files| files.documentation_extensions.contains(&extension));
    let ChunkStarts { mut starts, function_names: mut functions } = ChunkStarts::default();
    let mut at = 0;
    // The offset at which the block of comments right above the current line began.
    let mut comments_start: Option<usize> = None;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let line = rest.get(..memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)).unwrap_or(rest);
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let bare = line.get(indent..).unwrap_or(&[]).trim_ascii_end();
        if has_headings {
            if indent == 0 && is_markdown_heading(bare) {
                starts.push(at);
            }
        } else if bare.is_empty() {
            comments_start = None;
        } else if looks_like_comment_or_decorator(bare) {
            comments_start.get_or_insert(at);
        } else {
            let function = if indent == 0 { offset_of_probable_function_name(bare) } else { None };
            functions.extend(function.map(|start| at + start));
            if function.is_some() || looks_like_definition(indent, bare) {
                starts.push(comments_start.unwrap_or(at));
            }
            comments_start = None;
        }
        at += line.len();
    }
    starts.retain(|start| *start > 0);
    ChunkStarts { starts, function_names: functions }
}

/// Whether a line is a Markdown heading, such as `## Title`.
fn is_markdown_heading(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| **byte == b'#').count();
    (1..=6).contains(&marks) && line.get(marks) == Some(&b' ')
}

/// Whether a line is a comment, a decorator or an attribute, which belongs to the line below.
fn looks_like_comment_or_decorator(line: &[u8]) -> bool {
    match line {
        [b'#', ..] => !line.starts_with(b"#define") && !line.starts_with(b"#if") && !line.starts_with(b"#end"),
        [b'@' | b'*', ..] => true,
        [b'/', b'/' | b'*', ..] => true,
        _ => false,
    }
}

/// Whether a line looks like the definition of a function or type. `line` has no indentation, `indent` is its width.
fn looks_like_definition(indent: usize, line: &[u8]) -> bool {
    if !line.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let mut rest = line;
    let mut first = None;
    loop {
        let len = rest.iter().take_while(|byte| is_identifier_byte(**byte)).count();
        let (word, all) = (rest.get(..len).unwrap_or(&[]), rest);
        rest = rest.get(len..).unwrap_or(&[]);
        if DEFINITION_KEYWORDS.contains_text_prefix(all, len) {
            // A definition keyword has to be followed by a name; the keyword itself is no name.
            return match word {
                b"type" | b"object" => indent == 0 && rest.first() == Some(&b' '),
                _ => matches!(rest.first(), Some(b' ' | b'!' | b'*' | b'<')),
            };
        }
        first.get_or_insert(word);
        if !MODIFIERS.contains_text_prefix(all, len) {
            break;
        }
        if word == b"pub" && rest.first() == Some(&b'(') {
            let close = memchr::memchr(b')', rest).map_or(0, |close| close + 1);
            rest = rest.get(close..).unwrap_or(&[]);
        }
        match rest.first() {
            Some(b' ') => rest = rest.trim_ascii_start(),
            _ => break,
        }
    }
    let Some(first) = first.filter(|first| !CONTROL_KEYWORDS.contains_text_prefix(first, first.len())) else {
        return false;
    };
    // `name(args) {`, `async name(args): T {`, `const name = (args) => {`
    let opens = line.ends_with(b"{") && memchr::memchr(b'(', line).is_some() && indent <= MAX_METHOD_INDENT;
    let is_binding = matches!(first, b"const" | b"let" | b"var" | b"export");
    opens && if is_binding { indent == 0 } else { looks_like_method_header(line) }
}

/// Whether a line looks like the header of a method: the text before the first parenthesis consists of words and then a
/// name, without a dot or `=`.
fn looks_like_method_header(line: &[u8]) -> bool {
    let Some(open) = memchr::memchr(b'(', line) else { return false };
    let head = line.get(..open).unwrap_or(&[]);
    head.iter().all(|byte| {
        is_identifier_byte(*byte) || matches!(byte, b' ' | b'*' | b'&' | b'<' | b'>' | b':' | b'#' | b',' | b'$')
    }) && head.last().is_some_and(|last| is_identifier_byte(*last) || matches!(last, b'>' | b'$'))
}

/// The offset of the function's name in an unindented line that looks like a function's definition: `static int
/// read_all(FILE *f)`, `func (s *Server) Close() error`. `None` for other lines.
fn offset_of_probable_function_name(line: &[u8]) -> Option<usize> {
    if !line.first()?.is_ascii_alphabetic() {
        return None;
    }
    let receiver = if line.starts_with(b"func (") { memchr::memchr(b')', line)? + 1 } else { 0 };
    let open = receiver + memchr::memchr(b'(', line.get(receiver..)?)?;
    let head = line.get(receiver..open)?;
    let len = head.iter().rev().take_while(|byte| is_identifier_byte(**byte)).count();
    let before = head.get(..head.len() - len)?;
    let is_plain = before.iter().all(|byte| is_identifier_byte(*byte) || matches!(byte, b' ' | b'*'));
    if len == 0 || !before.last().is_some_and(|last| matches!(last, b' ' | b'*')) || !is_plain {
        return None;
    }
    if receiver == 0 {
        let word = before.iter().take_while(|byte| is_identifier_byte(**byte)).count();
        if CONTROL_KEYWORDS.contains_text_prefix(before, word) || NOT_RETURN_TYPES.contains_text_prefix(before, word) {
            return None;
        }
        if memchr::memchr(b';', line).is_some() {
            return None;
        }
    }
    Some(open - len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks<'a>(name: &str, text: &'a str) -> Vec<&'a str> {
        let starts = find_chunk_starts_and_function_names(name, text).starts;
        let first = std::iter::once(0).chain(starts.iter().copied());
        let last = starts.iter().copied().chain(std::iter::once(text.len()));
        first.zip(last).map(|(start, end)| text[start..end].trim_start().lines().next().unwrap_or("")).collect()
    }

    #[test]
    fn pieces_begin_with_what_stands_above_a_definition() {
        let text = "import x\n\n# The first.\n@decorated\ndef one():\n    # within\n    return 1\n\nclass Two(Base):\n    def three(self):\n        if x(y):\n            print (x)\n";
        assert_eq!(chunks("a.py", text), ["import x", "# The first.", "class Two(Base):", "def three(self):"]);
    }

    #[test]
    fn braces_and_receivers_are_known() {
        let text = "use x;\npub(crate) async fn one() {\n    for x in y(z) {\n        go(x);\n    }\n}\nfunc (s *Server) Close() error {\n}\nstatic int read_all(FILE *f)\n{\n  return go(1);\n}\nexport const two = (a) => {\n  list.forEach((x) => {\n  });\n}\nclass A {\n  async three(x: number): Promise<void> {\n    if (x) {\n";
        assert_eq!(
            chunks("a.ts", text),
            [
                "use x;",
                "pub(crate) async fn one() {",
                "func (s *Server) Close() error {",
                "static int read_all(FILE *f)",
                "export const two = (a) => {",
                "class A {",
                "async three(x: number): Promise<void> {"
            ]
        );
    }

    #[test]
    fn headings_part_a_document() {
        assert_eq!(chunks("a.md", "# One\ntext\n## Two\n#hash\n"), ["# One", "## Two"]);
    }
}
