//! Conditional code that the grammar cannot read: directives inside a list of bases, parameters or arguments.
//!
//! The grammar reads `#if` around whole declarations and statements. Elsewhere the directives are blanked, so that the code of
//! the first branch remains. Every byte keeps its offset and its line.

use std::ops::Range;

/// The limit on the levels of directives inside each other whose code is looked through.
const MAX_DEPTH: usize = 32;

/// One `#if` with its further branches.
struct Group {
    /// Whether the code before it is complete, so that declarations or statements can follow.
    begins_complete: bool,
    branches: Vec<Branch>,
}

struct Branch {
    /// The line of the directive that begins the branch.
    directive: Range<usize>,
    /// The code of the branch.
    code: Range<usize>,
}

/// The text with directives blanked where they stand inside a declaration or an expression; `None` if there are none.
pub(super) fn repair_source_for_parser(source: &str) -> Option<String> {
    memchr::memmem::find(source.as_bytes(), b"#if").or_else(|| memchr::memmem::find(source.as_bytes(), b"# if"))?;
    let mut open: Vec<Group> = Vec::new();
    let mut blanked: Vec<Range<usize>> = Vec::new();
    let mut last_code = b';';
    let mut is_in_comment = false;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let text = line.trim();
        match directive_word(text) {
            Some("if") => open.push(Group {
                begins_complete: is_end_of_declaration(last_code),
                branches: vec![Branch { code: range.end..range.end, directive: range }],
            }),
            Some("else" | "elif") => {
                if let Some(group) = open.last_mut() {
                    if let Some(last) = group.branches.last_mut() {
                        last.code.end = range.start;
                    }
                    group.branches.push(Branch { code: range.end..range.end, directive: range });
                }
            }
            Some("endif") => {
                if let Some(mut group) = open.pop() {
                    if let Some(last) = group.branches.last_mut() {
                        last.code.end = range.start;
                    }
                    if open.len() >= MAX_DEPTH || !is_complete(&group, source) {
                        blanked.extend(group.branches.iter().map(|branch| branch.directive.clone()));
                        blanked.push(range);
                        blanked.extend(group.branches.iter().skip(1).map(|branch| branch.code.clone()));
                    }
                }
            }
            Some(_) => {}
            None if is_in_comment => is_in_comment = !text.contains("*/"),
            None if text.starts_with("/*") => is_in_comment = !text.contains("*/"),
            None => {
                if let Some(last) = code_of_line(text).trim_end().bytes().last() {
                    last_code = last;
                }
            }
        }
    }
    if blanked.is_empty() {
        return None;
    }
    let mut bytes = source.as_bytes().to_vec();
    blanked.sort_unstable_by_key(|range| (range.start, range.end));
    let mut done = 0;
    for range in blanked {
        let from = range.start.max(done);
        done = done.max(range.end);
        for byte in bytes.get_mut(from..done).into_iter().flatten() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// The word of a directive on a line.
fn directive_word(line: &str) -> Option<&str> {
    let word = line.strip_prefix('#')?.trim_start();
    Some(word.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or(""))
}

/// A line without the comment at its end.
fn code_of_line(line: &str) -> &str {
    if line.starts_with('*') || line.starts_with("/*") {
        return "";
    }
    match line.find("//") {
        // The two slashes of an address are in a string.
        Some(at) if !line.get(..at).unwrap_or("").ends_with(':') => line.get(..at).unwrap_or(""),
        _ => line,
    }
}

fn is_end_of_declaration(last: u8) -> bool {
    matches!(last, b';' | b'{' | b'}' | b']')
}

/// Whether each branch of a group consists of whole declarations or statements, and the group stands where they can.
fn is_complete(group: &Group, source: &str) -> bool {
    group.begins_complete
        && group.branches.iter().all(|branch| {
            let code = source.get(branch.code.clone()).unwrap_or("");
            let mut depth = 0_i64;
            let mut last = b';';
            let mut is_first = true;
            for line in code.lines() {
                let text = line.trim();
                if directive_word(text).is_some() {
                    continue;
                }
                let text = code_of_line(text).trim_end();
                if is_first && !text.is_empty() {
                    is_first = false;
                    if continues_statement(text) {
                        return false;
                    }
                }
                depth += depth_of_brackets(text);
                last = text.bytes().last().unwrap_or(last);
            }
            // Attributes alone belong to what comes behind the directives.
            depth == 0 && is_end_of_declaration(last) && last != b']'
        })
}

/// The number of brackets that a line opens and does not close, without those in strings and characters.
fn depth_of_brackets(line: &str) -> i64 {
    let (mut depth, mut quote, mut is_escaped) = (0, None, false);
    for byte in line.bytes() {
        match (quote, byte) {
            _ if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'{' | b'[') => depth += 1,
            (None, b')' | b'}' | b']') => depth -= 1,
            _ => {}
        }
    }
    depth
}

/// Whether a line goes on with the statement before it.
fn continues_statement(line: &str) -> bool {
    let word = line.split(|c: char| !c.is_ascii_alphabetic()).next();
    matches!(word, Some("else" | "catch" | "finally"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_inside_declarations_are_blanked() {
        let source = "class A : B\n#if X\n    , C\n#else\n    , D\n#endif\n{\n#if Y\n    int x;\n#endif\n}\n";
        let repaired = repair_source_for_parser(source).unwrap_or_default();
        assert_eq!(repaired.len(), source.len());
        let lines: Vec<&str> = repaired.lines().map(str::trim).collect();
        assert_eq!(lines, ["class A : B", "", ", C", "", "", "", "{", "#if Y", "int x;", "#endif", "}"]);
    }

    #[test]
    fn directives_between_parts_of_a_statement_are_blanked() {
        let source = "if (a) {\n}\n#if X\nelse if (b) {\n}\n#endif\nelse {\n}\n#if Y\n[A]\n#endif\nvoid F() { }\n";
        let repaired = repair_source_for_parser(source).unwrap_or_default();
        let lines: Vec<&str> = repaired.lines().map(str::trim).collect();
        let expected = ["if (a) {", "}", "", "else if (b) {", "}", "", "else {", "}", "", "[A]", "", "void F() { }"];
        assert_eq!(lines, expected);
    }

    #[test]
    fn complete_conditional_code_is_kept() {
        assert_eq!(repair_source_for_parser("#if X\nusing A;\n#endif\nclass B { }\n"), None);
        assert_eq!(repair_source_for_parser("#endif\n#else\n#if"), None);
    }

    #[test]
    fn brackets_in_strings_and_words_of_comments_do_not_count() {
        assert_eq!(
            repair_source_for_parser("/*\n Licence of a\n*/\n#if X\nclass A { }\n#else\nclass B { }\n#endif\n"),
            None
        );
        assert_eq!(repair_source_for_parser("a();\n#if X\nb(\"{\");\n#else\nc();\n#endif\n"), None);
    }
}
