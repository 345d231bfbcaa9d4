//! The tokens of the expressions in markup, and the list in which a reader finds them.

use std::ops::Range;

/// The index of a token that has no partner.
const NO_PARTNER: u32 = u32::MAX;

/// The kind of a pair of brackets, or of another pair of tokens with tokens between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Paren,
    Square,
    Brace,
    /// A template literal with what is substituted in it.
    Template,
    /// `${…}` in a template literal.
    Substitution,
    /// `{…}` in markup: in the text or as an attribute.
    Container,
    /// The tag of an element, with its attributes.
    Tag,
    /// A run of markup in an expression: an element with its children.
    Markup,
}

impl Bracket {
    /// Whether a `}` ends what the bracket begins.
    pub fn is_closed_by_brace(self) -> bool {
        matches!(self, Self::Brace | Self::Substitution | Self::Container)
    }
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number, a string or a regular expression.
    Literal,
    Open(Bracket),
    Close(Bracket),
    /// `.`, or `?.` before a name.
    Dot,
    /// `...`
    Spread,
    Comma,
    Semicolon,
    Colon,
    Question,
    /// `=` and the like of `+=`.
    Assign,
    /// `++` or `--`.
    Update,
    /// `=>`
    Arrow,
    /// `!`
    Bang,
    Less,
    Greater,
    /// Any other operator or character.
    Operator,
    /// The name of an element where its tag begins.
    OpeningTag,
    /// The name of an element where its closing tag stands.
    ClosingTag,
}

/// What is known of a token beside its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    /// The name that a pattern binds.
    Binding,
    /// The bracket that opens a pattern.
    Pattern,
    /// The key of an object or of a pattern; no name of a variable.
    Key,
    /// A part of a type.
    Type,
}

/// A token of an expression.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub mark: Mark,
    pub start: u32,
    pub end: u32,
    /// For a bracket, the index of the bracket that belongs to it.
    partner: u32,
}

/// The tokens of a region of the text.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    list: Vec<Token>,
}

impl Tokens {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn push(&mut self, kind: TokenKind, bytes: Range<usize>) -> usize {
        let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let (start, end) = (at(bytes.start), at(bytes.end));
        self.list.push(Token { kind, mark: Mark::None, start, end, partner: NO_PARTNER });
        self.list.len() - 1
    }

    /// Makes the tokens at two indexes the brackets of one pair.
    pub fn join_pair(&mut self, open: usize, close: usize) {
        let at = |index: usize| u32::try_from(index).unwrap_or(NO_PARTNER);
        for (index, partner) in [(open, close), (close, open)] {
            if let Some(token) = self.list.get_mut(index) {
                token.partner = at(partner);
            }
        }
    }

    pub fn get(&self, index: usize) -> Option<Token> {
        self.list.get(index).copied()
    }

    pub fn kind(&self, index: usize) -> Option<TokenKind> {
        self.list.get(index).map(|token| token.kind)
    }

    pub fn mark(&mut self, index: usize, mark: Mark) {
        if let Some(token) = self.list.get_mut(index) {
            token.mark = mark;
        }
    }

    /// The index of the bracket that closes the one at `open`; the number of tokens where none does.
    pub fn closing_bracket_index(&self, open: usize) -> usize {
        match self.list.get(open).map(|token| token.partner) {
            Some(partner) if partner != NO_PARTNER => usize::try_from(partner).unwrap_or(self.list.len()),
            _ => self.list.len(),
        }
    }

    /// The first index after the token at `index` and, if that opens a bracket, after what is in it.
    pub fn index_after(&self, index: usize) -> usize {
        match self.kind(index) {
            Some(TokenKind::Open(_)) => self.closing_bracket_index(index).saturating_add(1).min(self.len()),
            _ => index + 1,
        }
    }

    /// The text of the token at `index`; empty where there is none.
    pub fn text<'s>(&self, source: &'s str, index: usize) -> &'s str {
        let Some(token) = self.list.get(index) else { return "" };
        source.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// Whether the token at `index` is the word `word`.
    pub fn is_word(&self, source: &str, index: usize, word: &str) -> bool {
        self.kind(index) == Some(TokenKind::Word) && self.text(source, index) == word
    }

    /// Whether an operand ends with the token at `index`, so that an operator or the end of the expression follows.
    pub fn ends_operand(&self, source: &str, index: usize) -> bool {
        match self.kind(index) {
            Some(TokenKind::Literal) => true,
            Some(TokenKind::Word) => {
                !is_operator_or_statement_keyword(self.text(source, index))
                    || index.checked_sub(1).is_some_and(|before| self.kind(before) == Some(TokenKind::Dot))
            }
            Some(TokenKind::Close(bracket)) => !matches!(bracket, Bracket::Container | Bracket::Tag | Bracket::Markup),
            // `a!` of TypeScript, not `!a`.
            Some(TokenKind::Bang) => index.checked_sub(1).is_some_and(|before| {
                matches!(self.kind(before), Some(TokenKind::Word | TokenKind::Close(Bracket::Paren | Bracket::Square)))
            }),
            _ => false,
        }
    }
}

/// Whether a keyword of JavaScript is followed by an operand or a statement.
pub(super) fn is_operator_or_statement_keyword(word: &str) -> bool {
    matches!(
        word,
        "typeof"
            | "void"
            | "delete"
            | "in"
            | "of"
            | "instanceof"
            | "new"
            | "await"
            | "return"
            | "else"
            | "do"
            | "case"
            | "throw"
            | "yield"
            | "if"
            | "for"
            | "while"
            | "switch"
            | "break"
            | "continue"
            | "try"
            | "catch"
            | "finally"
            | "const"
            | "let"
            | "var"
            | "function"
            | "class"
            | "extends"
            | "default"
            | "debugger"
            | "import"
            | "export"
            | "async"
    )
}

/// Whether a word that stands where a variable may is none: a keyword or the name of a constant of the language.
pub(super) fn is_keyword(word: &str) -> bool {
    is_operator_or_statement_keyword(word)
        || matches!(word, "true" | "false" | "null" | "undefined" | "this" | "super" | "NaN" | "Infinity" | "arguments")
}

/// Whether a word in a type is a type of the language or an operator of types.
pub(super) fn is_type_keyword(word: &str) -> bool {
    matches!(
        word,
        "any"
            | "asserts"
            | "bigint"
            | "boolean"
            | "infer"
            | "is"
            | "keyof"
            | "never"
            | "number"
            | "object"
            | "readonly"
            | "string"
            | "symbol"
            | "unique"
            | "unknown"
    )
}
