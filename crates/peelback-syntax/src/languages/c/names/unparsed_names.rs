//! Names in C source without a syntax tree: macro bodies, and text that the repair removed before parsing.

use std::ops::Range;

use crate::names::{BindingKind, Expr, FILE_SCOPE, ModuleImportKind, NamesBuilder, Role, ScopeId, Target};

/// Keywords of C and its compilers, which are not names. Sorted for binary search.
const KEYWORDS: &[&str] = &[
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "__VA_ARGS__",
    "__asm",
    "__asm__",
    "__attribute",
    "__attribute__",
    "__const",
    "__extension__",
    "__inline",
    "__inline__",
    "__restrict",
    "__restrict__",
    "__typeof__",
    "__volatile__",
    "alignas",
    "alignof",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "constexpr",
    "continue",
    "default",
    "defined",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "nullptr",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "switch",
    "thread_local",
    "true",
    "typedef",
    "typeof",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
];

/// Words of C++ that are not names, besides those of C. Sorted for binary search.
const CPP_KEYWORDS: &[&str] = &[
    "alignas",
    "and",
    "and_eq",
    "bitand",
    "bitor",
    "catch",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constinit",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "final",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "operator",
    "or",
    "or_eq",
    "override",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_cast",
    "template",
    "this",
    "throw",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
];

/// The language of code that has no syntax tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    C,
    Cpp,
}

impl Dialect {
    fn is_keyword(self, word: &str) -> bool {
        KEYWORDS.binary_search(&word).is_ok() || self == Self::Cpp && CPP_KEYWORDS.binary_search(&word).is_ok()
    }
}

/// Whether a word is a keyword of C++, or one that C or compilers have.
pub(in crate::languages) fn is_cpp_keyword(word: &str) -> bool {
    Dialect::Cpp.is_keyword(word)
}

/// Words of preprocessor directives. After a `#` they are not names. Sorted for binary search.
const DIRECTIVES: &[&str] = &[
    "define",
    "elif",
    "elifdef",
    "elifndef",
    "else",
    "endif",
    "error",
    "ident",
    "if",
    "ifdef",
    "ifndef",
    "import",
    "include",
    "include_next",
    "line",
    "pragma",
    "undef",
    "warning",
];

/// Records the import that an `#include` directive stands for, by the directive's argument as written.
pub(in crate::languages) fn record_import_from_include_argument(
    written: &str,
    line: u32,
    builder: &mut NamesBuilder<'_>,
) {
    if let Some((source, angled)) = parse_include_argument(written) {
        add_include_import(source, angled, line, builder);
    }
}

/// The path in the argument of an `#include` directive, and whether it is in angle brackets.
fn parse_include_argument(written: &str) -> Option<(&str, bool)> {
    let written = written.trim();
    if let Some(rest) = written.strip_prefix('<') {
        return rest.split('>').next().map(|path| (path.trim(), true));
    }
    let path = crate::text::without_quotes(written.strip_prefix('L').unwrap_or(written));
    (path.len() < written.len()).then_some((path, false))
}

/// Adds the import of the included file `source`. `angled` is whether its path is in angle brackets.
fn add_include_import(source: &str, angled: bool, line: u32, builder: &mut NamesBuilder<'_>) {
    let source = builder.intern_constructed_text(source);
    let import = builder.add_import_at_line(ModuleImportKind::Include, source, FILE_SCOPE, line);
    let import = builder.import_mut(import);
    import.special = angled;
    // The declarations of the included file are visible as if they were in this file.
    import.glob = true;
}

/// Records the names in byte ranges of the source that the repair blanked or replaced before the parse.
pub(super) fn record_names_in_unparsed_ranges(parts: &[Range<usize>], builder: &mut NamesBuilder<'_>) {
    let (mut line, mut counted) = (1, 0);
    for part in parts {
        line += crate::text::count_newlines(builder.source, counted..part.start);
        counted = part.start;
        let scope = innermost_scope_at_byte(part.start, builder);
        record_names_in_unparsed_code(part.clone(), line, scope, builder);
    }
}

/// The innermost scope that contains a byte offset. Relies on the order of the scopes: they were opened in source
/// order.
fn innermost_scope_at_byte(byte: usize, builder: &NamesBuilder<'_>) -> ScopeId {
    let scopes = &builder.names.scopes;
    let after = scopes.partition_point(|scope| scope.bytes.start as usize <= byte);
    let mut at = ScopeId::try_from(after.saturating_sub(1)).unwrap_or(FILE_SCOPE);
    while let Some(scope) = scopes.get(at as usize) {
        match scope.parent {
            Some(parent) if scope.bytes.end as usize <= byte => at = parent,
            _ => break,
        }
    }
    at
}

/// The token before a name, as far as it determines the role of the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PrecedingToken {
    Nothing,
    /// An operator that accesses a member: `.` or `->`.
    Member,
    /// The operator `::` of C++.
    Scope,
    /// One of the keywords `struct`, `union` and `enum`.
    Tag,
    /// The paste operator `##`: the next token is a part of a name.
    Paste,
    /// A `#` at the beginning of a line, which starts a directive.
    Directive,
}

/// Records the names in a byte range of code that has no syntax tree and may contain directives. They are looked up
/// from `scope`.
pub(super) fn record_names_in_unparsed_code(
    bytes: Range<usize>,
    line: u32,
    scope: ScopeId,
    builder: &mut NamesBuilder<'_>,
) {
    record_names_in_code_without_tree(bytes, line, scope, None, Dialect::C, builder);
}

/// Records the names in a byte range of C++ code that has no syntax tree. `parameters` are those of the macro whose body it
/// is, if it is one.
pub(in crate::languages) fn record_names_in_cpp_code(
    bytes: Range<usize>,
    line: u32,
    scope: ScopeId,
    parameters: Option<&[&str]>,
    builder: &mut NamesBuilder<'_>,
) {
    record_names_in_code_without_tree(bytes, line, scope, parameters, Dialect::Cpp, builder);
}

/// Records the names in byte ranges of a C++ source that the repair blanked before the parse.
pub(in crate::languages) fn record_names_in_blanked_cpp_ranges(parts: &[Range<usize>], builder: &mut NamesBuilder<'_>) {
    let (mut line, mut counted) = (1, 0);
    let starts: Vec<u32> = parts.iter().map(|part| u32::try_from(part.start).unwrap_or(u32::MAX)).collect();
    let scopes = builder.names.innermost_scopes_at_sorted_offsets(&starts);
    for (part, scope) in parts.iter().zip(scopes) {
        line += crate::text::count_newlines(builder.source, counted..part.start);
        counted = part.start;
        record_names_in_cpp_code(part.clone(), line, scope, None, builder);
    }
}

/// Records the names in the body of a macro, which is a byte range without a syntax tree. `parameters`, the names of the
/// macro's parameters, are skipped. A body contains no directives, also where a `#` stands at the beginning of a line.
pub(super) fn record_names_in_macro_body(
    bytes: Range<usize>,
    line: u32,
    parameters: &[&str],
    builder: &mut NamesBuilder<'_>,
) {
    record_names_in_code_without_tree(bytes, line, FILE_SCOPE, Some(parameters), Dialect::C, builder);
}

/// Records the names in a byte range of code that has no syntax tree. `parameters` are those of the macro whose body it
/// is, if it is one.
fn record_names_in_code_without_tree(
    bytes: Range<usize>,
    line: u32,
    scope: ScopeId,
    parameters: Option<&[&str]>,
    dialect: Dialect,
    builder: &mut NamesBuilder<'_>,
) {
    let source = builder.source;
    let Some(text) = source.get(bytes.clone()) else { return };
    let text = text.as_bytes();
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let (mut at, mut line) = (0, line);
    let mut preceding = PrecedingToken::Nothing;
    // The expression for the path before `::`.
    let mut path: Option<crate::names::ExprId> = None;
    // Whether the line so far contains only white space.
    let mut is_line_blank_so_far = true;
    while at < text.len() {
        let current = byte(at);
        match current {
            b'\n' => {
                line += 1;
                is_line_blank_so_far = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\\' => {
                at += 1;
                continue;
            }
            b'/' if matches!(byte(at + 1), b'/' | b'*') => {
                let end = comment_end(text, at);
                line += count_newlines(text, at..end);
                at = end;
                continue;
            }
            b'"' | b'\'' => {
                let end = string_or_char_literal_end(text, at);
                line += count_newlines(text, at..end);
                at = end;
                preceding = PrecedingToken::Nothing;
            }
            b'#' if byte(at + 1) == b'#' => {
                preceding = PrecedingToken::Paste;
                at += 2;
            }
            b'#' => {
                let is_directive = is_line_blank_so_far && parameters.is_none();
                preceding = if is_directive { PrecedingToken::Directive } else { PrecedingToken::Nothing };
                at += 1;
            }
            b'-' if byte(at + 1) == b'>' => {
                preceding = PrecedingToken::Member;
                at += 2;
            }
            b'.' if byte(at + 1) != b'.' => {
                preceding = PrecedingToken::Member;
                at += 1;
            }
            b'0'..=b'9' => {
                while byte(at).is_ascii_alphanumeric()
                    || matches!(byte(at), b'_' | b'.')
                    || dialect == Dialect::Cpp && byte(at) == b'\'' && byte(at + 1).is_ascii_alphanumeric()
                {
                    at += 1;
                }
                preceding = PrecedingToken::Nothing;
            }
            _ if is_identifier_start_byte(current) => {
                let start = at;
                while is_identifier_start_byte(byte(at)) || byte(at).is_ascii_digit() {
                    at += 1;
                }
                let name_range = bytes.start + start..bytes.start + at;
                let word = source.get(name_range.clone()).unwrap_or("");
                if dialect == Dialect::Cpp && byte(at) == b'"' && matches!(word, "R" | "LR" | "uR" | "UR" | "u8R") {
                    let end = raw_string_end(text, at);
                    line += count_newlines(text, at..end);
                    at = end;
                    preceding = PrecedingToken::Nothing;
                    path = None;
                    is_line_blank_so_far = false;
                    continue;
                }
                if preceding == PrecedingToken::Directive && DIRECTIVES.binary_search(&word).is_ok() {
                    let end = record_names_in_unparsed_directive(word, text, at, bytes.start, line, builder);
                    line += count_newlines(text, at..end);
                    at = end;
                    preceding = PrecedingToken::Nothing;
                    is_line_blank_so_far = false;
                    continue;
                }
                let next = next_two_bytes_after_blanks(text, at);
                let is_name_part = preceding == PrecedingToken::Paste || (next == (b'#', b'#'));
                let kind = preceding;
                preceding = match word {
                    "struct" | "union" | "enum" => PrecedingToken::Tag,
                    "class" | "typename" if dialect == Dialect::Cpp => PrecedingToken::Tag,
                    _ => PrecedingToken::Nothing,
                };
                let base = path.take();
                // The word is the prefix of a literal: `L"…"`.
                let is_literal_prefix = matches!(byte(at), b'"' | b'\'');
                if !is_name_part
                    && !is_literal_prefix
                    && !dialect.is_keyword(word)
                    && !parameters.is_some_and(|parameters| parameters.contains(&word))
                {
                    let name = builder.name_id_of_source_range(name_range.clone());
                    let first = u32::try_from(name_range.start).unwrap_or(u32::MAX);
                    let (role, expr) = match kind {
                        PrecedingToken::Scope | PrecedingToken::Member => {
                            let base = base.unwrap_or(builder.unknown_expr());
                            let role = match kind {
                                _ if next.0 == b'(' => Role::Call,
                                PrecedingToken::Scope => Role::Read,
                                _ => Role::Member,
                            };
                            (role, Expr::Member { base, name, at: first })
                        }
                        PrecedingToken::Tag => (Role::Type, Expr::Name { name, scope, at: first }),
                        _ => {
                            let role = if next.0 == b'(' { Role::Call } else { Role::Read };
                            (role, Expr::Name { name, scope, at: first })
                        }
                    };
                    let expr = builder.add_expr(expr);
                    builder.record_occurrence_at_offset(name, name_range.start, line, role, Target::Expr(expr));
                    path = Some(expr);
                }
                if dialect == Dialect::Cpp && next == (b':', b':') {
                    // Behind a parameter of a macro or a template, the path is not known.
                    path = Some(path.unwrap_or(builder.unknown_expr()));
                    preceding = PrecedingToken::Scope;
                    at += text.get(at..).unwrap_or(&[]).iter().take_while(|byte| **byte != b':').count() + 2;
                } else {
                    path = None;
                }
            }
            _ => {
                preceding = PrecedingToken::Nothing;
                at += 1;
            }
        }
        is_line_blank_so_far = false;
    }
}

/// Records the names in a preprocessor directive whose keyword `word` ends at offset `at` of `text`. Returns the offset
/// in `text` at which ordinary code continues.
fn record_names_in_unparsed_directive(
    word: &str,
    text: &[u8],
    at: usize,
    base: usize,
    line: u32,
    builder: &mut NamesBuilder<'_>,
) -> usize {
    let end = logical_line_end(text, at);
    let source = builder.source;
    let rest = source.get(base + at..base + end).unwrap_or("");
    match word {
        "include" | "include_next" | "import" => {
            record_import_from_include_argument(rest, line, builder);
            end
        }
        "error" | "warning" | "pragma" | "line" | "ident" => end,
        "define" => {
            let blank = rest.len() - rest.trim_start().len();
            let start = base + at + blank;
            let name = rest.trim_start();
            let length =
                name.bytes().take_while(|byte| is_identifier_start_byte(*byte) || byte.is_ascii_digit()).count();
            if length > 0 {
                let name = builder.name_id_of_source_range(start..start + length);
                let binding = builder.add_binding(FILE_SCOPE, BindingKind::Macro, name, start);
                builder.record_occurrence_at_offset(name, start, line, Role::Definition, Target::Binding(binding));
            }
            let after = source.get(start + length..base + end).unwrap_or("");
            let (parameters, skipped) = match after.strip_prefix('(').and_then(|list| list.split_once(')')) {
                Some((list, _)) => (list.split(',').map(str::trim).collect(), list.len() + 2),
                None => (Vec::new(), 0),
            };
            let body = start + length + skipped..base + end;
            // The list of parameters may go on over several lines.
            let line = line + crate::text::count_newlines(source, start..body.start);
            record_names_in_macro_body(body, line, &parameters, builder);
            end
        }
        // The rest of the line is ordinary code.
        _ => at,
    }
}

/// Byte offset of the end of the preprocessor directive that contains byte `start`. A backslash or a comment may
/// continue it on the next line.
pub(in crate::languages) fn logical_line_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' if text.get(at + 1) == Some(&b'\r') => at += 3,
            b'\\' => at += 2,
            b'"' | b'\'' => at = string_or_char_literal_end(text, at),
            b'/' if text.get(at + 1) == Some(&b'*') => at = comment_end(text, at),
            b'/' if text.get(at + 1) == Some(&b'/') => return line_comment_end(text, at),
            _ => at += 1,
        }
    }
    text.len()
}

/// Byte offset of the end of the line comment at `start`, which a backslash continues on the next line.
fn line_comment_end(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or(&[]);
    for end in memchr::memchr_iter(b'\n', rest) {
        let line = rest.get(..end).unwrap_or(&[]);
        if !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\") {
            return start + end;
        }
    }
    text.len()
}

fn is_identifier_start_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn count_newlines(text: &[u8], bytes: Range<usize>) -> u32 {
    let count = memchr::memchr_iter(b'\n', text.get(bytes).unwrap_or(&[])).count();
    u32::try_from(count).unwrap_or(0)
}

fn comment_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at + 2..).unwrap_or(&[]);
    let length = match text.get(at + 1) {
        Some(b'*') => memchr::memmem::find(rest, b"*/").map(|found| found + 2),
        _ => memchr::memchr(b'\n', rest),
    };
    length.map_or(text.len(), |length| at + 2 + length)
}

/// Byte offset after a string or character literal. An unclosed literal ends at the end of its line.
fn string_or_char_literal_end(text: &[u8], start: usize) -> usize {
    let quote = text.get(start).copied().unwrap_or(b'"');
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The end of a raw string whose quote is at `start`: `R"mark(…)mark"`.
pub(in crate::languages) fn raw_string_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start + 1..).unwrap_or(&[]);
    let Some(open) = memchr::memchr(b'(', rest.get(..17).unwrap_or(rest)) else {
        return string_or_char_literal_end(bytes, start);
    };
    let mut end = vec![b')'];
    end.extend_from_slice(rest.get(..open).unwrap_or(&[]));
    end.push(b'"');
    let found = memchr::memmem::find(rest.get(open..).unwrap_or(&[]), &end);
    found.map_or(bytes.len(), |found| start + 1 + open + found + end.len())
}

/// The two bytes after the spaces and tabs at offset `at`; 0 stands for a byte past the end of the text.
fn next_two_bytes_after_blanks(text: &[u8], at: usize) -> (u8, u8) {
    let rest = text.get(at..).unwrap_or(&[]);
    let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let byte = |at: usize| rest.get(at).copied().unwrap_or(0);
    (byte(blank), byte(blank + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyword_and_directive_lists_are_sorted() {
        assert!(KEYWORDS.is_sorted() && CPP_KEYWORDS.is_sorted() && DIRECTIVES.is_sorted());
    }
}
