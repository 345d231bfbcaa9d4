//! Names in text that has no tree: the bodies of macros, and what the grammar did not get to see.

use std::ops::Range;

use super::{included, link_include};
use crate::names::{BindingKind, Expr, FILE_SCOPE, NamesBuilder, Role, ScopeId, Target};

/// Words that are no names, in their order.
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

/// Directives, in their order: no names where they follow a `#`.
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

/// Notes an include by its argument as written.
pub(super) fn include(written: &str, line: u32, builder: &mut NamesBuilder<'_>) {
    if let Some((source, angled)) = included(written) {
        link_include(source, angled, line, builder);
    }
}

/// Notes the names in parts of the text that were left out of the parse.
pub(super) fn unseen(parts: &[Range<usize>], builder: &mut NamesBuilder<'_>) {
    let (mut line, mut counted) = (1, 0);
    for part in parts {
        line += crate::text::newlines(builder.source, counted..part.start);
        counted = part.start;
        let scope = scope_at(part.start, builder);
        code(part.clone(), line, scope, &[], builder);
    }
}

/// The innermost scope around a byte: scopes were opened in the order of the text.
fn scope_at(byte: usize, builder: &NamesBuilder<'_>) -> ScopeId {
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

/// A token that means something to the one after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// `.` or `->`.
    Member,
    /// `struct`, `union`, `enum`.
    Tag,
    /// `##`: what follows is a part of a name.
    Paste,
    /// `#` at the beginning of a line.
    Directive,
}

/// Notes the names in a piece of code, looked up from `scope`; those of a macro's parameters mean the parameters.
pub(super) fn code(
    bytes: Range<usize>,
    line: u32,
    scope: ScopeId,
    parameters: &[&str],
    builder: &mut NamesBuilder<'_>,
) {
    let source = builder.source;
    let Some(text) = source.get(bytes.clone()) else { return };
    let text = text.as_bytes();
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let (mut at, mut line) = (0, line);
    let mut before = Before::Nothing;
    // Whether only white space stands before on the line.
    let mut fresh = true;
    while at < text.len() {
        let here = byte(at);
        match here {
            b'\n' => {
                line += 1;
                fresh = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\\' => {
                at += 1;
                continue;
            }
            b'/' if matches!(byte(at + 1), b'/' | b'*') => {
                let end = skip_comment(text, at);
                line += lines(text, at..end);
                at = end;
                continue;
            }
            b'"' | b'\'' => {
                let end = skip_literal(text, at);
                line += lines(text, at..end);
                at = end;
                before = Before::Nothing;
            }
            b'#' if byte(at + 1) == b'#' => {
                before = Before::Paste;
                at += 2;
            }
            b'#' => {
                before = if fresh { Before::Directive } else { Before::Nothing };
                at += 1;
            }
            b'-' if byte(at + 1) == b'>' => {
                before = Before::Member;
                at += 2;
            }
            b'.' if byte(at + 1) != b'.' => {
                before = Before::Member;
                at += 1;
            }
            b'0'..=b'9' => {
                while byte(at).is_ascii_alphanumeric() || matches!(byte(at), b'_' | b'.') {
                    at += 1;
                }
                before = Before::Nothing;
            }
            _ if is_word(here) => {
                let start = at;
                while is_word(byte(at)) || byte(at).is_ascii_digit() {
                    at += 1;
                }
                let place = bytes.start + start..bytes.start + at;
                let word = source.get(place.clone()).unwrap_or("");
                if before == Before::Directive && DIRECTIVES.binary_search(&word).is_ok() {
                    let end = directive(word, text, at, bytes.start, line, builder);
                    line += lines(text, at..end);
                    at = end;
                    before = Before::Nothing;
                    fresh = false;
                    continue;
                }
                let next = next_byte(text, at);
                let part = before == Before::Paste || (next == (b'#', b'#'));
                let kind = before;
                before = match word {
                    "struct" | "union" | "enum" => Before::Tag,
                    _ => Before::Nothing,
                };
                // A literal's prefix: `L"…"`.
                let prefix = matches!(byte(at), b'"' | b'\'');
                if !part && !prefix && KEYWORDS.binary_search(&word).is_err() && !parameters.contains(&word) {
                    let name = builder.name_at(place.clone());
                    let first = u32::try_from(place.start).unwrap_or(u32::MAX);
                    let (role, expr) = match kind {
                        Before::Member => {
                            let base = builder.unknown();
                            let role = if next.0 == b'(' { Role::Call } else { Role::Member };
                            (role, Expr::Member { base, name, at: first })
                        }
                        Before::Tag => (Role::Type, Expr::Name { name, scope, at: first }),
                        _ => {
                            let role = if next.0 == b'(' { Role::Call } else { Role::Read };
                            (role, Expr::Name { name, scope, at: first })
                        }
                    };
                    let expr = builder.expr(expr);
                    builder.occur_at(name, place.start, line, role, Target::Expr(expr));
                }
            }
            _ => {
                before = Before::Nothing;
                at += 1;
            }
        }
        fresh = false;
    }
}

/// What a directive says whose word ends at `at`; where its own part of the text ends.
fn directive(word: &str, text: &[u8], at: usize, base: usize, line: u32, builder: &mut NamesBuilder<'_>) -> usize {
    let end = logical_line(text, at);
    let source = builder.source;
    let rest = source.get(base + at..base + end).unwrap_or("");
    match word {
        "include" | "include_next" | "import" => {
            include(rest, line, builder);
            end
        }
        "error" | "warning" | "pragma" | "line" | "ident" => end,
        "define" => {
            let blank = rest.len() - rest.trim_start().len();
            let start = base + at + blank;
            let name = rest.trim_start();
            let length = name.bytes().take_while(|byte| is_word(*byte) || byte.is_ascii_digit()).count();
            if length > 0 {
                let name = builder.name_at(start..start + length);
                let binding = builder.bind_name(FILE_SCOPE, BindingKind::Macro, name, start);
                builder.occur_at(name, start, line, Role::Definition, Target::Binding(binding));
            }
            let after = source.get(start + length..base + end).unwrap_or("");
            let (parameters, skipped) = match after.strip_prefix('(').and_then(|list| list.split_once(')')) {
                Some((list, _)) => (list.split(',').map(str::trim).collect(), list.len() + 2),
                None => (Vec::new(), 0),
            };
            code(start + length + skipped..base + end, line, FILE_SCOPE, &parameters, builder);
            end
        }
        // The rest of the line is code like any other.
        _ => at,
    }
}

/// The end of a directive: a line goes on after a backslash and inside of a comment.
pub(super) fn logical_line(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' if text.get(at + 1) == Some(&b'\r') => at += 3,
            b'\\' => at += 2,
            b'"' | b'\'' => at = skip_literal(text, at),
            b'/' if text.get(at + 1) == Some(&b'*') => at = skip_comment(text, at),
            _ => at += 1,
        }
    }
    text.len()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn lines(text: &[u8], bytes: Range<usize>) -> u32 {
    let count = memchr::memchr_iter(b'\n', text.get(bytes).unwrap_or(&[])).count();
    u32::try_from(count).unwrap_or(0)
}

fn skip_comment(text: &[u8], at: usize) -> usize {
    let rest = text.get(at + 2..).unwrap_or(&[]);
    let length = match text.get(at + 1) {
        Some(b'*') => memchr::memmem::find(rest, b"*/").map(|found| found + 2),
        _ => memchr::memchr(b'\n', rest),
    };
    length.map_or(text.len(), |length| at + 2 + length)
}

/// The end of a string or character; an open one ends with its line.
fn skip_literal(text: &[u8], start: usize) -> usize {
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

/// The next two bytes that are no white space.
fn next_byte(text: &[u8], at: usize) -> (u8, u8) {
    let rest = text.get(at..).unwrap_or(&[]);
    let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let byte = |at: usize| rest.get(at).copied().unwrap_or(0);
    (byte(blank), byte(blank + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        assert!(KEYWORDS.is_sorted() && DIRECTIVES.is_sorted());
    }
}
