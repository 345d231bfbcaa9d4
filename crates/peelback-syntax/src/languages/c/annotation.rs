//! Macros that annotate a declaration in C source: `API`, `WINAPI`, `__init`.
//!
//! Such macros expand to attributes or to nothing. C's grammar reads an unknown word among the specifiers as the type,
//! and then the type as the name. A declaration has one type and one name, so the surplus words, which are the macros,
//! can be found before parsing.

use std::ops::Range;

/// Limit on the number of words at the start of a declaration. A declaration with more words is not examined.
const MAX_DECLARATION_WORDS: usize = 16;

/// A word to remove from a C declaration, such as an annotation macro, and the text to put in its place.
pub(super) struct AnnotationMacro {
    pub bytes: Range<usize>,
    pub replacement: &'static str,
}

/// The word that replaces an annotation macro among a declaration's specifiers. With it the declaration still begins at
/// the same byte.
const QUALIFIER_REPLACEMENT: &str = "const";

#[derive(Clone, Copy, PartialEq, Eq)]
enum WordKind {
    /// A modifier such as `static` or `const`. Any number of modifiers may precede the type of a declaration.
    Modifier,
    /// A builtin type such as `int` or `unsigned`. Several such words form one type.
    Builtin,
    /// One of the keywords `struct`, `union` and `enum`.
    TagKeyword,
    /// A keyword, such as `return`, that begins a statement which is not a declaration.
    StatementKeyword,
    /// A name in upper case or with two leading underscores, as is common for names of macros.
    MacroLike,
    Name,
}

/// Finds the annotation macros among the words that begin a C statement at byte `start`. `top` is whether the statement
/// is outside functions and cannot be a call.
pub(super) fn find_annotation_macros_at_statement_start(source: &str, start: usize, top: bool) -> Vec<AnnotationMacro> {
    let (words, next, is_pointer_in_parentheses) = statement_start_words_and_next_byte(source, start);
    let kind_of = |range: &Range<usize>| classify_declaration_word(source.get(range.clone()).unwrap_or(""));
    let kinds: Vec<WordKind> = words.iter().map(kind_of).collect();
    if kinds.contains(&WordKind::StatementKeyword) {
        return Vec::new();
    }
    if let ([only], [WordKind::Name | WordKind::MacroLike], true, true) =
        (words.as_slice(), kinds.as_slice(), is_pointer_in_parentheses, top)
    {
        // The grammar reads `handler_t (*handler)(int);` as two calls; with a builtin type in front it is a
        // declaration.
        return vec![AnnotationMacro { bytes: only.clone(), replacement: "int" }];
    }
    if let ([only], [WordKind::MacroLike], b'}' | b'#' | 0) = (words.as_slice(), kinds.as_slice(), next) {
        // A macro without a semicolon is a statement of its own: `G_BEGIN_DECLS`, `COMMON_FIELDS }`.
        return vec![AnnotationMacro { bytes: only.clone(), replacement: "" }];
    }
    if words.len() < 2 {
        return Vec::new();
    }
    let macro_like_between = |from: usize, to: usize| {
        (from..to).filter(|&index| kinds.get(index) == Some(&WordKind::MacroLike)).collect::<Vec<usize>>()
    };
    let annotations = |indices: Vec<usize>, replacement: &'static str| {
        let ranges = indices.into_iter().filter_map(|index| words.get(index).cloned());
        ranges
            .map(|bytes| {
                // A macro on a line of its own precedes the declaration and is not part of it.
                let line = source.get(bytes.end..).unwrap_or("").trim_start_matches([' ', '\t', '\r']);
                let is_on_own_line = bytes.start == start && line.starts_with('\n');
                AnnotationMacro { bytes, replacement: if is_on_own_line { "" } else { replacement } }
            })
            .collect()
    };
    let tag_keyword_index = kinds.iter().position(|kind| *kind == WordKind::TagKeyword);
    if next == b'{' {
        // In `struct PACKED name {` the last word is the tag.
        return match tag_keyword_index {
            Some(at) => annotations(macro_like_between(at + 1, words.len() - 1), ""),
            None => Vec::new(),
        };
    }
    // In front of `*` the last word is the declaration's type; in front of anything else it is the declared name.
    let mut end = if next == b'*' { words.len() } else { words.len() - 1 };
    let names_between = |from: usize, to: usize| {
        (from..to).filter(|&index| matches!(kinds.get(index), Some(WordKind::MacroLike | WordKind::Name))).count()
    };
    if let Some(at) = tag_keyword_index {
        let mut found = macro_like_between(0, at);
        // The word after `struct` is the tag (the struct's name) and not a macro.
        found.extend(macro_like_between(at + 2, end));
        return annotations(found, QUALIFIER_REPLACEMENT);
    }
    let has_builtin = kinds.contains(&WordKind::Builtin);
    let type_count = names_between(0, end) + usize::from(has_builtin);
    if type_count < 2 {
        return Vec::new();
    }
    // In `int count UNUSED = 3` the last word is a macro and not the name.
    if next != b'*'
        && next != b'('
        && kinds.last() == Some(&WordKind::MacroLike)
        && kinds.get(end - 1) == Some(&WordKind::Name)
    {
        let mut found: Vec<AnnotationMacro> = annotations(vec![words.len() - 1], "");
        end -= 1;
        if names_between(0, end) + usize::from(has_builtin) > 1 {
            found.extend::<Vec<AnnotationMacro>>(annotations(macro_like_between(0, end), QUALIFIER_REPLACEMENT));
        }
        return found;
    }
    let mut found = macro_like_between(0, end);
    if !has_builtin && found.len() == names_between(0, end) {
        // If all words look like macros, the first word counts as the type.
        found.remove(0);
    }
    annotations(found, QUALIFIER_REPLACEMENT)
}

/// The byte ranges of the consecutive words from byte `start` on, the character after them, and whether that character
/// is the `*` of `(*`.
fn statement_start_words_and_next_byte(source: &str, start: usize) -> (Vec<Range<usize>>, u8, bool) {
    let bytes = source.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let space = |at: usize| offset_after_space_and_comments(source, at);
    let mut found = Vec::new();
    let mut at = start;
    while byte(at).is_ascii_alphabetic() || byte(at) == b'_' {
        if found.len() == MAX_DECLARATION_WORDS {
            return (Vec::new(), 0, false);
        }
        let begin = at;
        while byte(at).is_ascii_alphanumeric() || byte(at) == b'_' {
            at += 1;
        }
        found.push(begin..at);
        at = space(at);
    }
    let mut inside = space(at + 1);
    // A calling convention may precede the star: `(WINAPI *handler)(int)`.
    let word = source.get(inside..).unwrap_or("");
    let word = word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
    if byte(at) == b'(' && word.len() > 1 && is_macro_like_name(word) {
        inside = space(inside + word.len());
    }
    let is_pointer_in_parentheses = byte(at) == b'(' && byte(inside) == b'*';
    (found, if is_pointer_in_parentheses { b'*' } else { byte(at) }, is_pointer_in_parentheses)
}

/// Byte offset after the white space and comments that begin at byte `at`.
pub(super) fn offset_after_space_and_comments(source: &str, mut at: usize) -> usize {
    while let Some(rest) = source.as_bytes().get(at..) {
        let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let rest = rest.get(space..).unwrap_or(&[]);
        at += space;
        let comment = match rest {
            [b'/', b'/', ..] => memchr::memchr(b'\n', rest),
            [b'/', b'*', inside @ ..] => memchr::memmem::find(inside, b"*/").map(|found| found + 4),
            _ => return at,
        };
        at += comment.unwrap_or(rest.len());
    }
    at
}

fn classify_declaration_word(word: &str) -> WordKind {
    match word {
        "static" | "extern" | "inline" | "const" | "volatile" | "register" | "typedef" | "restrict" | "constexpr"
        | "auto" | "thread_local" | "_Thread_local" | "_Noreturn" | "noreturn" | "__inline" | "__inline__"
        | "__forceinline" | "__extension__" | "__thread" | "__restrict" | "__restrict__" | "__const"
        | "__volatile__" | "_Nonnull" | "_Atomic" | "__cdecl" | "__stdcall" | "__fastcall" | "__thiscall"
        | "__vectorcall" | "__clrcall" | "__unaligned" | "_unaligned" | "__declspec" | "__attribute__"
        | "__attribute" | "_Alignas" | "alignas" | "__based" => WordKind::Modifier,
        "void" | "char" | "short" | "int" | "long" | "float" | "double" | "signed" | "unsigned" | "bool" | "_Bool"
        | "_Complex" | "size_t" | "ssize_t" => WordKind::Builtin,
        "struct" | "union" | "enum" => WordKind::TagKeyword,
        "return" | "goto" | "else" | "case" | "default" | "do" | "if" | "for" | "while" | "switch" | "break"
        | "continue" | "sizeof" | "typeof" | "__typeof__" | "__asm__" | "asm" | "__asm" | "_Static_assert"
        | "static_assert" | "__try" | "__except" | "__finally" | "__leave" => WordKind::StatementKeyword,
        // The macros with which the structs of Python's objects begin.
        "PyObject_HEAD" | "PyObject_VAR_HEAD" => WordKind::MacroLike,
        _ if word.len() > 1 && is_macro_like_name(word) => WordKind::MacroLike,
        _ => WordKind::Name,
    }
}

/// Whether a word looks like the name of a macro: upper case, or two leading underscores.
pub(super) fn is_macro_like_name(word: &str) -> bool {
    word.starts_with("__")
        || (word.bytes().any(|b| b.is_ascii_uppercase()) && !word.bytes().any(|b| b.is_ascii_lowercase()))
}
