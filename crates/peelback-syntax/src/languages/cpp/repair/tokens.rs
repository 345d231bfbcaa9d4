//! The tokens of C++ source, as far as the repair looks at it.

use std::ops::Range;

use super::super::super::c::{is_cpp_keyword, logical_line_end, raw_string_end};

/// The limit on the number of tokens between brackets that are followed.
const MAX_BRACKET_TOKENS: usize = 2_000;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Mark(u8),
    /// The operator `::`.
    Scope,
    Literal,
    Directive,
}

pub(super) struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
}

/// A source with its tokens.
pub(super) struct Code<'s> {
    pub bytes: &'s [u8],
    pub tokens: Vec<Token>,
    /// For each opening bracket the index of its closing one, and the other way round; 0 for all other tokens.
    pub closing: Vec<usize>,
}

/// The ranges of the names in a source that are neither keywords nor in directives, each with whether `(` stands behind it.
pub(in crate::languages::cpp) fn names_of_source(source: &str) -> Vec<(Range<usize>, bool)> {
    let code = Code::new(source.as_bytes());
    let is_name = |at: &usize| code.kind(*at) == Some(Kind::Word) && !is_cpp_keyword(code.word(*at));
    (0..code.tokens.len()).filter(is_name).map(|at| (code.range(at), code.is_mark(at + 1, b'('))).collect()
}

impl<'s> Code<'s> {
    pub fn new(bytes: &'s [u8]) -> Self {
        let tokens = tokens_of_source(bytes);
        Self { bytes, closing: closing_brackets(&tokens), tokens }
    }

    pub fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub fn is_mark(&self, at: usize, mark: u8) -> bool {
        self.kind(at) == Some(Kind::Mark(mark))
    }

    /// The range of a token in the source; empty if there is no such token.
    pub fn range(&self, at: usize) -> Range<usize> {
        self.tokens.get(at).map_or(0..0, |token| token.range.clone())
    }

    pub fn word(&self, at: usize) -> &'s str {
        let word = self.tokens.get(at).filter(|token| token.kind == Kind::Word);
        word.and_then(|token| std::str::from_utf8(self.bytes.get(token.range.clone())?).ok()).unwrap_or("")
    }

    pub fn is_macro(&self, at: usize) -> bool {
        let word = self.word(at);
        word.len() >= 3 && is_macro_like_name(word.as_bytes())
    }

    /// The index of the bracket that closes the one at `at`, if one does.
    pub fn closing_bracket(&self, at: usize) -> Option<usize> {
        self.closing.get(at).copied().filter(|end| *end > at)
    }

    /// The index of the bracket that the one at `at` closes, if it closes one.
    pub fn opening_bracket(&self, at: usize) -> Option<usize> {
        let is_closing = matches!(self.kind(at), Some(Kind::Mark(b')' | b']' | b'}' | b'>')));
        self.closing
            .get(at)
            .copied()
            .filter(|start| is_closing && *start < at && self.closing_bracket(*start) == Some(at))
    }

    /// The index after the bracket that closes the one at `at`.
    pub fn after_brackets(&self, at: usize) -> Option<usize> {
        self.closing_bracket(at).map(|end| end + 1)
    }

    /// Whether no bytes are between a token and the next one.
    pub fn touches_next(&self, at: usize) -> bool {
        self.range(at).end == self.range(at + 1).start
    }

    /// Whether a token is on a later line than the end of the one before it.
    pub fn begins_line(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let between = self.bytes.get(self.range(before).end..self.range(at).start).unwrap_or(&[]);
        self.kind(before) == Some(Kind::Directive) || memchr::memchr(b'\n', between).is_some()
    }
}

/// The ranges of the words that have a line of code for themselves, in order. Comments may be around them.
pub(in crate::languages::cpp) fn words_alone_on_lines(source: &str) -> Vec<Range<usize>> {
    let tokens = tokens_of_source(source.as_bytes());
    let has_line_end = |bytes: Range<usize>| source.get(bytes).is_some_and(|between| between.contains('\n'));
    let mut found = Vec::new();
    let mut end = 0;
    let mut is_first = true;
    for (at, token) in tokens.iter().enumerate() {
        let begins_line = is_first || has_line_end(end..token.range.start);
        (is_first, end) = (false, token.range.end);
        let next = tokens.get(at + 1).map_or(source.len(), |next| next.range.start);
        let ends_line = at + 1 == tokens.len() || has_line_end(end..next);
        if token.kind == Kind::Word && begins_line && ends_line {
            found.push(token.range.clone());
        }
    }
    found
}

/// For each opening bracket the index of its closing one, and the other way round.
fn closing_brackets(tokens: &[Token]) -> Vec<usize> {
    let mut closing = vec![0; tokens.len()];
    let mut open: Vec<(u8, usize)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Kind::Mark(mark) = token.kind else { continue };
        match mark {
            b'(' | b'[' | b'{' | b'<' => open.push((mark, at)),
            b')' | b']' | b'}' | b'>' => {
                let wanted = match mark {
                    b')' => b'(',
                    b']' => b'[',
                    b'}' => b'{',
                    _ => b'<',
                };
                // A `<` that compares closes nowhere.
                while mark != b'>' && open.last().is_some_and(|(known, _)| *known == b'<') {
                    open.pop();
                }
                if let Some((_, start)) = open.pop_if(|(known, _)| *known == wanted)
                    && at - start <= MAX_BRACKET_TOKENS
                    && let (Some(first), true) = (closing.get_mut(start), at > 0)
                {
                    *first = at;
                    if let Some(last) = closing.get_mut(at) {
                        *last = start;
                    }
                }
            }
            b';' => {
                while open.last().is_some_and(|(known, _)| *known == b'<') {
                    open.pop();
                }
            }
            _ => {}
        }
    }
    closing
}

/// The tokens of a source without comments. A directive is one token.
fn tokens_of_source(bytes: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(bytes.len() / 4);
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let mut at = 0;
    let mut is_line_empty = true;
    while at < bytes.len() {
        let start = at;
        let kind = match byte(at) {
            b'\n' => {
                is_line_empty = true;
                at += 1;
                continue;
            }
            current if current.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'\\' => {
                at += 1;
                continue;
            }
            b'/' if byte(at + 1) == b'/' => {
                at = logical_line_end(bytes, at);
                continue;
            }
            b'/' if byte(at + 1) == b'*' => {
                let rest = bytes.get(at + 2..).unwrap_or(&[]);
                at += 2 + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            b'#' if is_line_empty => {
                at = logical_line_end(bytes, at);
                Kind::Directive
            }
            quote @ (b'"' | b'\'') => {
                at = literal_end(bytes, at, quote);
                Kind::Literal
            }
            current if current.is_ascii_digit() => {
                while is_name_byte(byte(at)) || matches!(byte(at), b'.' | b'\'') {
                    at += 1;
                }
                Kind::Literal
            }
            current if is_name_byte(current) || current >= 0x80 => {
                while is_name_byte(byte(at)) || byte(at) >= 0x80 {
                    at += 1;
                }
                if byte(at) == b'"' && bytes.get(start..at).is_some_and(|word| word.ends_with(b"R")) {
                    at = raw_string_end(bytes, at);
                    Kind::Literal
                } else {
                    Kind::Word
                }
            }
            b':' if byte(at + 1) == b':' => {
                at += 2;
                Kind::Scope
            }
            mark => {
                at += 1;
                Kind::Mark(mark)
            }
        };
        is_line_empty = false;
        tokens.push(Token { kind, range: start..at });
    }
    tokens
}

fn literal_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a word looks like a macro name: upper case and at least three characters.
pub(super) fn is_macro_like_name(word: &[u8]) -> bool {
    word.len() >= 3
        && word.first().is_some_and(|byte| !byte.is_ascii_digit())
        && word.iter().any(u8::is_ascii_uppercase)
        && !word.iter().any(u8::is_ascii_lowercase)
}
