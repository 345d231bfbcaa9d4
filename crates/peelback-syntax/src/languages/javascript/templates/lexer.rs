//! Splits expressions in markup into tokens: a small lexer of JavaScript and TypeScript, which in Astro also reads the
//! markup inside expressions. It never fails: what it cannot read is an operator or is skipped.

use std::ops::Range;

use super::tokens::{Bracket, TokenKind, Tokens};

/// What the lexer reads beside expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Nothing.
    Plain,
    /// References of characters, such as `&amp;`: the expression is the value of an attribute.
    Attribute,
    /// Markup inside expressions.
    WithMarkup,
}

pub(super) struct Lexer<'s> {
    pub(super) source: &'s str,
    pub(super) at: usize,
    pub(super) end: usize,
    dialect: Dialect,
    pub(super) tokens: Tokens,
    /// The kind and the token index of each bracket that is open.
    pub(super) open: Vec<(Bracket, usize)>,
    /// The number of open brackets that a `}` closes.
    open_braces: usize,
    /// For each open bracket of kind [`Bracket::Markup`], the number of open elements.
    pub(super) open_elements: Vec<usize>,
    /// Before this offset no `/` begins a regular expression, because one that did would have no end.
    no_regex_before: usize,
}

/// Elements that have no content and no closing tag.
pub(super) fn is_void_element(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The tokens of the expression in the byte range `bytes`.
pub(super) fn tokens_of_range(source: &str, bytes: Range<usize>, dialect: Dialect) -> Tokens {
    let mut lexer = Lexer::new(source, bytes, dialect);
    loop {
        match lexer.read_code_or_template() {
            Step::Read => {}
            Step::UnopenedBrace => lexer.push(TokenKind::Operator, 1),
            Step::End => return lexer.into_tokens(),
        }
    }
}

/// The tokens of the expression that begins at the start of `bytes` and ends before a `}` that nothing in it opens, with
/// the offset of that `}`; `None` in place of the offset if there is none in `bytes`.
pub(super) fn tokens_until_closing_brace(source: &str, bytes: Range<usize>) -> (Tokens, Option<usize>) {
    let mut lexer = Lexer::new(source, bytes, Dialect::Plain);
    loop {
        match lexer.read_code_or_template() {
            Step::Read => {}
            Step::End => return (lexer.into_tokens(), None),
            Step::UnopenedBrace => {
                let at = lexer.at;
                return (lexer.into_tokens(), Some(at));
            }
        }
    }
}

/// What one step of the lexer met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A token, or something without one.
    Read,
    /// The end of the region.
    End,
    /// A `}` that nothing has opened; it is not consumed.
    UnopenedBrace,
}

impl<'s> Lexer<'s> {
    pub fn new(source: &'s str, bytes: Range<usize>, dialect: Dialect) -> Self {
        Self {
            source,
            at: bytes.start,
            end: bytes.end.min(source.len()),
            dialect,
            tokens: Tokens::default(),
            open: Vec::new(),
            open_braces: 0,
            open_elements: Vec::new(),
            no_regex_before: 0,
        }
    }

    /// The tokens that were read. Brackets that are still open end here.
    pub fn into_tokens(mut self) -> Tokens {
        while !self.open.is_empty() {
            self.close_innermost_bracket(0);
        }
        self.tokens
    }

    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.at..self.end).unwrap_or("")
    }

    pub(super) fn byte_at(&self, offset: usize) -> u8 {
        match self.at.checked_add(offset) {
            Some(at) if at < self.end => self.source.as_bytes().get(at).copied().unwrap_or(0),
            _ => 0,
        }
    }

    pub(super) fn push(&mut self, kind: TokenKind, length: usize) {
        let end = (self.at + length).min(self.end);
        self.tokens.push(kind, self.at..end);
        self.at = end;
    }

    /// Opens a bracket whose text has `length` bytes.
    pub(super) fn open_bracket(&mut self, bracket: Bracket, length: usize) {
        let index = self.tokens.len();
        self.push(TokenKind::Open(bracket), length);
        self.open.push((bracket, index));
        self.open_braces += usize::from(bracket.is_closed_by_brace());
        if bracket == Bracket::Markup {
            self.open_elements.push(0);
        }
    }

    /// Closes the innermost bracket with `length` bytes of text.
    pub(super) fn close_innermost_bracket(&mut self, length: usize) {
        let Some((bracket, open)) = self.open.pop() else { return };
        let index = self.tokens.len();
        self.push(TokenKind::Close(bracket), length);
        self.tokens.join_pair(open, index);
        self.open_braces -= usize::from(bracket.is_closed_by_brace());
        if bracket == Bracket::Markup {
            self.open_elements.pop();
        }
    }

    pub(super) fn innermost_bracket(&self) -> Option<Bracket> {
        self.open.last().map(|(bracket, _)| *bracket)
    }

    /// Reads a step of code, or of the template literal that is open.
    pub(super) fn read_code_or_template(&mut self) -> Step {
        if self.innermost_bracket() == Some(Bracket::Template) { self.read_template_text() } else { self.read_code() }
    }

    /// Reads the text of a template literal up to its end or to a substitution.
    fn read_template_text(&mut self) -> Step {
        loop {
            match self.byte_at(0) {
                0 if self.at >= self.end => return Step::End,
                b'`' => {
                    self.close_innermost_bracket(1);
                    return Step::Read;
                }
                b'$' if self.byte_at(1) == b'{' => {
                    self.open_bracket(Bracket::Substitution, 2);
                    return Step::Read;
                }
                b'\\' => self.at = (self.at + 2).min(self.end),
                _ => self.at += 1,
            }
        }
    }

    fn read_code(&mut self) -> Step {
        let Some(c) = self.rest().chars().next() else {
            // An offset inside a character is behind an escape.
            if self.at < self.end {
                self.at += 1;
                return Step::Read;
            }
            return Step::End;
        };
        if c.is_whitespace() {
            self.at += c.len_utf8();
            return Step::Read;
        }
        if is_word_char(c) && !c.is_ascii_digit() {
            let rest = self.rest();
            let length = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
            self.push(TokenKind::Word, length);
            return Step::Read;
        }
        let next = self.byte_at(1);
        match c {
            '0'..='9' => self.read_number(),
            '.' if next.is_ascii_digit() => self.read_number(),
            '.' if next == b'.' && self.byte_at(2) == b'.' => self.push(TokenKind::Spread, 3),
            '.' => self.push(TokenKind::Dot, 1),
            '"' | '\'' => self.read_string(),
            '`' => self.open_bracket(Bracket::Template, 1),
            '(' => self.open_bracket(Bracket::Paren, 1),
            '[' => self.open_bracket(Bracket::Square, 1),
            '{' => self.open_bracket(Bracket::Brace, 1),
            ')' => self.read_closing_bracket(Bracket::Paren),
            ']' => self.read_closing_bracket(Bracket::Square),
            '}' => return self.read_closing_brace(),
            ',' => self.push(TokenKind::Comma, 1),
            ';' => self.push(TokenKind::Semicolon, 1),
            ':' => self.push(TokenKind::Colon, 1),
            '/' => self.read_slash(next),
            '&' if self.dialect == Dialect::Attribute => self.read_ampersand_of_attribute(),
            '<' if self.dialect == Dialect::WithMarkup && self.begins_markup(next) => {
                self.open_bracket(Bracket::Markup, 0);
            }
            _ => self.read_operator(c, next),
        }
        Step::Read
    }

    fn read_number(&mut self) {
        let bytes = self.rest().as_bytes();
        let mut length = 1;
        while let Some(byte) = bytes.get(length) {
            let is_point = *byte == b'.' && bytes.get(length + 1).is_some_and(u8::is_ascii_digit);
            if !(byte.is_ascii_alphanumeric() || *byte == b'_' || is_point) {
                break;
            }
            length += 1;
        }
        self.push(TokenKind::Literal, length);
    }

    /// Reads a string; one without an end reaches to the end of its line.
    fn read_string(&mut self) {
        let bytes = self.rest().as_bytes();
        let quote = bytes.first().copied().unwrap_or(0);
        let mut length = 1;
        while let Some(byte) = bytes.get(length) {
            match byte {
                b'\\' => length += 1,
                b'\n' => break,
                _ if *byte == quote => {
                    length += 1;
                    break;
                }
                _ => {}
            }
            length += 1;
        }
        self.push(TokenKind::Literal, length);
        while !self.source.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    fn read_closing_bracket(&mut self, bracket: Bracket) {
        if self.innermost_bracket() == Some(bracket) {
            self.close_innermost_bracket(1);
        } else {
            self.push(TokenKind::Operator, 1);
        }
    }

    pub(super) fn read_closing_brace(&mut self) -> Step {
        if self.open_braces == 0 {
            if self.dialect == Dialect::WithMarkup {
                self.push(TokenKind::Operator, 1);
                return Step::Read;
            }
            return Step::UnopenedBrace;
        }
        while self.innermost_bracket().is_some_and(|bracket| !bracket.is_closed_by_brace()) {
            self.close_innermost_bracket(0);
        }
        self.close_innermost_bracket(1);
        Step::Read
    }

    /// Reads a comment, a regular expression or a division.
    fn read_slash(&mut self, next: u8) {
        let bytes = self.rest().as_bytes();
        match next {
            b'/' => self.at += memchr::memchr(b'\n', bytes).unwrap_or(bytes.len()),
            b'*' => {
                let inside = bytes.get(2..).unwrap_or(&[]);
                self.at += memchr::memmem::find(inside, b"*/").map_or(bytes.len(), |found| found + 4);
            }
            _ if !self.is_behind_operand() && self.at >= self.no_regex_before => match regex_length(bytes) {
                Ok(length) => self.push(TokenKind::Literal, length),
                Err(looked_at) => {
                    self.no_regex_before = self.at + looked_at;
                    self.push(TokenKind::Operator, 1);
                }
            },
            b'=' => self.push(TokenKind::Assign, 2),
            _ => self.push(TokenKind::Operator, 1),
        }
    }

    fn is_behind_operand(&self) -> bool {
        self.tokens.len().checked_sub(1).is_some_and(|last| self.tokens.ends_operand(self.source, last))
    }

    /// Reads the reference of a character (`&amp;`) as an operator, or as the quote that it stands for.
    fn read_ampersand_of_attribute(&mut self) {
        let rest = self.rest();
        let name = rest.get(1..).unwrap_or("");
        let length = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '#')).unwrap_or(name.len());
        let is_reference = length > 0 && name.as_bytes().get(length) == Some(&b';');
        if !is_reference {
            return self.read_operator('&', self.byte_at(1));
        }
        let reference = rest.get(..length + 2).unwrap_or("");
        if matches!(reference, "&quot;" | "&apos;" | "&#39;" | "&#34;") {
            let inside = rest.get(reference.len()..).unwrap_or("");
            if let Some(end) = inside.find(reference) {
                return self.push(TokenKind::Literal, end + reference.len() * 2);
            }
            self.at = self.end;
            return;
        }
        self.push(TokenKind::Operator, reference.len());
    }

    fn read_operator(&mut self, c: char, next: u8) {
        let third = self.byte_at(2);
        match (c, next) {
            ('=', b'>') => self.push(TokenKind::Arrow, 2),
            ('=' | '!', b'=') => self.push(TokenKind::Operator, if third == b'=' { 3 } else { 2 }),
            ('=', _) => self.push(TokenKind::Assign, 1),
            ('!', _) => self.push(TokenKind::Bang, 1),
            ('+', b'+') | ('-', b'-') => self.push(TokenKind::Update, 2),
            ('+' | '-' | '*' | '%' | '&' | '|' | '^', b'=') => self.push(TokenKind::Assign, 2),
            ('&', b'&') | ('|', b'|') | ('*', b'*') if third == b'=' => self.push(TokenKind::Assign, 3),
            ('&', b'&') | ('|', b'|') | ('*', b'*') => self.push(TokenKind::Operator, 2),
            ('?', b'?') => self.push(
                if third == b'=' { TokenKind::Assign } else { TokenKind::Operator },
                if third == b'=' { 3 } else { 2 },
            ),
            // `a?.b` is `a.b`, and `a?.(b)` is `a(b)`.
            ('?', b'.') if !third.is_ascii_digit() => {
                if matches!(third, b'(' | b'[' | b'`') {
                    self.at += 2;
                } else {
                    self.push(TokenKind::Dot, 2);
                }
            }
            ('?', _) => self.push(TokenKind::Question, 1),
            ('<' | '>', b'=') => self.push(TokenKind::Operator, 2),
            ('<', _) => self.push(TokenKind::Less, 1),
            ('>', _) => self.push(TokenKind::Greater, 1),
            _ => self.push(TokenKind::Operator, c.len_utf8()),
        }
    }

    /// Whether the `<` at the current offset begins an element or a fragment, and is not a comparison.
    fn begins_markup(&self, next: u8) -> bool {
        (next.is_ascii_alphabetic() || matches!(next, b'>' | b'!')) && !self.is_behind_operand()
    }
}

/// The length of the regular expression at the start of `bytes`; an error with the number of bytes that were looked at if
/// none is there.
fn regex_length(bytes: &[u8]) -> Result<usize, usize> {
    let mut at = 1;
    let mut in_class = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => break,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => {
                let flags = bytes.get(at + 1..).unwrap_or(&[]);
                return Ok(at + 1 + flags.iter().take_while(|byte| byte.is_ascii_alphabetic()).count());
            }
            _ => {}
        }
        at += 1;
    }
    Err(at)
}
