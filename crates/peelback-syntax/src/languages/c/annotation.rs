//! Macros that annotate a declaration: `API`, `WINAPI`, `__init`.
//!
//! They expand to attributes or to nothing. The grammar takes an unknown word among the specifiers for the type, and
//! then the type for the name. Which words are too many shows before parsing: a declaration has one type and one name.

use std::ops::Range;

/// Words of one declaration looked at, at most.
const MAX_WORDS: usize = 16;

/// What to take out of a declaration, and the word that may stand in its place.
pub(super) struct Annotation {
    pub bytes: Range<usize>,
    pub instead: &'static str,
}

/// What stands in the place of an annotation among specifiers: with it the declaration begins where it began.
const QUALIFIER: &str = "const";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// `static`, `const`: any number may stand before the type.
    Modifier,
    /// `int`, `unsigned`: several make one type.
    Builtin,
    /// `struct`, `union`, `enum`.
    Tagged,
    /// Begins a statement that declares nothing.
    Statement,
    /// A name in capitals or with two underscores before it, as macros are called.
    Loud,
    Name,
}

/// The annotations among the words that begin a statement at `start`; `top` where no statement can be a call.
pub(super) fn find(source: &str, start: usize, top: bool) -> Vec<Annotation> {
    let (words, next, wrapped) = words(source, start);
    let kind_of = |range: &Range<usize>| classify(source.get(range.clone()).unwrap_or(""));
    let kinds: Vec<Word> = words.iter().map(kind_of).collect();
    if kinds.contains(&Word::Statement) {
        return Vec::new();
    }
    if let ([only], [Word::Name | Word::Loud], true, true) = (words.as_slice(), kinds.as_slice(), wrapped, top) {
        // `handler_t (*handler)(int);` reads as two calls, with a type that the grammar knows it does not.
        return vec![Annotation { bytes: only.clone(), instead: "int" }];
    }
    if let ([only], [Word::Loud], b'}' | b'#' | 0) = (words.as_slice(), kinds.as_slice(), next) {
        // A macro alone, without a semicolon: `G_BEGIN_DECLS`, `COMMON_FIELDS }`.
        return vec![Annotation { bytes: only.clone(), instead: "" }];
    }
    if words.len() < 2 {
        return Vec::new();
    }
    let loud = |from: usize, to: usize| {
        (from..to).filter(|&index| kinds.get(index) == Some(&Word::Loud)).collect::<Vec<usize>>()
    };
    let annotations = |indices: Vec<usize>, instead: &'static str| {
        let ranges = indices.into_iter().filter_map(|index| words.get(index).cloned());
        ranges
            .map(|bytes| {
                // A macro on a line of its own stands above the declaration, not in it.
                let line = source.get(bytes.end..).unwrap_or("").trim_start_matches([' ', '\t', '\r']);
                let alone = bytes.start == start && line.starts_with('\n');
                Annotation { bytes, instead: if alone { "" } else { instead } }
            })
            .collect()
    };
    let tagged = kinds.iter().position(|kind| *kind == Word::Tagged);
    if next == b'{' {
        // `struct PACKED name {`: the last word is the tag.
        return match tagged {
            Some(at) => annotations(loud(at + 1, words.len() - 1), ""),
            None => Vec::new(),
        };
    }
    // Before `*` stands the type alone, before anything else the name as well.
    let mut end = if next == b'*' { words.len() } else { words.len() - 1 };
    let plain = |from: usize, to: usize| {
        (from..to).filter(|&index| matches!(kinds.get(index), Some(Word::Loud | Word::Name))).count()
    };
    if let Some(at) = tagged {
        let mut found = loud(0, at);
        // The word after `struct` is its tag.
        found.extend(loud(at + 2, end));
        return annotations(found, QUALIFIER);
    }
    let builtin = kinds.contains(&Word::Builtin);
    let types = plain(0, end) + usize::from(builtin);
    if types < 2 {
        return Vec::new();
    }
    // `int count UNUSED = 3`: the loud last word is not the name.
    if next != b'*' && next != b'(' && kinds.last() == Some(&Word::Loud) && kinds.get(end - 1) == Some(&Word::Name) {
        let mut found: Vec<Annotation> = annotations(vec![words.len() - 1], "");
        end -= 1;
        if plain(0, end) + usize::from(builtin) > 1 {
            found.extend::<Vec<Annotation>>(annotations(loud(0, end), QUALIFIER));
        }
        return found;
    }
    let mut found = loud(0, end);
    if !builtin && found.len() == plain(0, end) {
        // Nothing but loud words: the first is taken for the type.
        found.remove(0);
    }
    annotations(found, QUALIFIER)
}

/// The words that stand one after another from `start`, the character after them, and whether that is the `*` of `(*`.
fn words(source: &str, start: usize) -> (Vec<Range<usize>>, u8, bool) {
    let bytes = source.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let space = |at: usize| after_space(source, at);
    let mut found = Vec::new();
    let mut at = start;
    while byte(at).is_ascii_alphabetic() || byte(at) == b'_' {
        if found.len() == MAX_WORDS {
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
    // A calling convention may stand before the star: `(WINAPI *handler)(int)`.
    let word = source.get(inside..).unwrap_or("");
    let word = word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
    if byte(at) == b'(' && word.len() > 1 && is_loud(word) {
        inside = space(inside + word.len());
    }
    let wrapped = byte(at) == b'(' && byte(inside) == b'*';
    (found, if wrapped { b'*' } else { byte(at) }, wrapped)
}

/// Where white space and comments from `at` end.
pub(super) fn after_space(source: &str, mut at: usize) -> usize {
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

fn classify(word: &str) -> Word {
    match word {
        "static" | "extern" | "inline" | "const" | "volatile" | "register" | "typedef" | "restrict" | "constexpr"
        | "auto" | "thread_local" | "_Thread_local" | "_Noreturn" | "noreturn" | "__inline" | "__inline__"
        | "__forceinline" | "__extension__" | "__thread" | "__restrict" | "__restrict__" | "__const"
        | "__volatile__" | "_Nonnull" | "_Atomic" | "__cdecl" | "__stdcall" | "__fastcall" | "__thiscall"
        | "__vectorcall" | "__clrcall" | "__unaligned" | "_unaligned" | "__declspec" | "__attribute__"
        | "__attribute" | "_Alignas" | "alignas" | "__based" => Word::Modifier,
        "void" | "char" | "short" | "int" | "long" | "float" | "double" | "signed" | "unsigned" | "bool" | "_Bool"
        | "_Complex" | "size_t" | "ssize_t" => Word::Builtin,
        "struct" | "union" | "enum" => Word::Tagged,
        "return" | "goto" | "else" | "case" | "default" | "do" | "if" | "for" | "while" | "switch" | "break"
        | "continue" | "sizeof" | "typeof" | "__typeof__" | "__asm__" | "asm" | "__asm" | "_Static_assert"
        | "static_assert" | "__try" | "__except" | "__finally" | "__leave" => Word::Statement,
        _ if word.len() > 1 && is_loud(word) => Word::Loud,
        _ => Word::Name,
    }
}

/// Whether a word is written as macros are.
pub(super) fn is_loud(word: &str) -> bool {
    word.starts_with("__")
        || (word.bytes().any(|b| b.is_ascii_uppercase()) && !word.bytes().any(|b| b.is_ascii_lowercase()))
}
