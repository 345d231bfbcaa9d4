//! Records the names in the tokens of an expression. The reader goes over the tokens once, in order; brackets and scopes
//! are on stacks of its own, so that no input can make it recurse.

use std::ops::Range;

use super::lexer::{Dialect, tokens_of_range};
use super::patterns::{index_after_type, index_after_type_arguments, is_type_before_arrow, mark_patterns, mark_type};
use super::sink::MarkupNames;
use super::tokens::{Bracket, Mark, Token, TokenKind, Tokens, is_keyword, is_type_keyword};
use crate::names::{Expr, ExprId, Role};

/// How many members, calls and elements a path may have of which the value is followed.
const MAX_PATH_STEPS: u32 = 200;

/// What the reader knows of a bracket that is open.
struct Level {
    bracket: Bracket,
    /// Whether a brace is the literal of an object, and not a block.
    is_object: bool,
    /// Whether the bracket is a part of a pattern, whose names stay local behind it.
    is_pattern: bool,
    /// The number of conditional expressions that still miss their `:`.
    conditionals: u32,
    /// The value in front of the bracket: what is called or indexed.
    before: Option<ExprId>,
    /// The value that a callback in the parentheses of a call gets as its first parameter.
    callback_value: Option<ExprId>,
    /// The number of local names before the bracket.
    locals: usize,
    /// The number of steps of the path in front of the bracket.
    steps: u32,
}

/// A function whose parameters are in scope.
struct FunctionScope {
    /// The number of levels that are open where the function stands.
    levels: usize,
    locals: usize,
    /// The conditional expressions of the level that still miss their `:` where the function begins.
    conditionals: u32,
    has_block: bool,
}

/// The state of the reader.
struct Reader<'t> {
    tokens: &'t mut Tokens,
    to: usize,
    levels: Vec<Level>,
    scopes: Vec<FunctionScope>,
    /// The conditional expressions outside of brackets that still miss their `:`.
    conditionals: u32,
    /// The value of the operand that has just ended; `None` where no operand has.
    value: Option<ExprId>,
    /// The role of the name with which the expression ends.
    last_role: Role,
    /// The number of members, calls and elements of the value's path.
    steps: u32,
    /// The value that the next parameter gets.
    parameter_value: Option<ExprId>,
}

/// Records the names in `tokens` from `from` to before `to`, and returns the value of the expression, which is unknown if
/// it is no path. `last_role` is the role of the expression's last name. Names that are marked as bound stay local after
/// the call, as do those that are declared outside of brackets.
pub(super) fn record_names_in_tokens(
    tokens: &mut Tokens,
    range: (usize, usize),
    last_role: Role,
    names: &mut MarkupNames<'_, '_>,
) -> ExprId {
    read_tokens(tokens, range, (last_role, None), names)
}

/// Makes the names local that the patterns in `tokens` from `from` to before `to` bind, and records the names in their
/// default values and types. `value` is what the first pattern stands for, if that is known.
pub(super) fn declare_patterns(
    tokens: &mut Tokens,
    (from, to): (usize, usize),
    value: Option<ExprId>,
    names: &mut MarkupNames<'_, '_>,
) {
    mark_patterns(tokens, names.source, from, to);
    let value = value.filter(|_| tokens.kind(from) == Some(TokenKind::Word));
    read_tokens(tokens, (from, to), (Role::Read, value), names);
}

/// Records the names in the expression in the byte range `bytes`, and returns its value. What it declares ends with it.
pub(super) fn record_names_in_bytes(
    bytes: Range<usize>,
    dialect: Dialect,
    last_role: Role,
    names: &mut MarkupNames<'_, '_>,
) -> ExprId {
    let mut tokens = tokens_of_range(names.source, bytes, dialect);
    let (end, locals) = (tokens.len(), names.locals.len());
    let value = record_names_in_tokens(&mut tokens, (0, end), last_role, names);
    names.locals.truncate(locals);
    value
}

fn read_tokens(
    tokens: &mut Tokens,
    (from, to): (usize, usize),
    (last_role, first_value): (Role, Option<ExprId>),
    names: &mut MarkupNames<'_, '_>,
) -> ExprId {
    let mut reader = Reader {
        to: to.min(tokens.len()),
        tokens,
        levels: Vec::new(),
        scopes: Vec::new(),
        conditionals: 0,
        value: None,
        last_role,
        steps: 0,
        parameter_value: first_value,
    };
    let mut at = from;
    let mut operands = 0_usize;
    while at < reader.to {
        let Some(token) = reader.tokens.get(at) else { break };
        let next = reader.read_token(at, token, names);
        let is_path = matches!(token.kind, TokenKind::Word | TokenKind::Dot | TokenKind::Bang);
        operands += usize::from(!is_path && reader.levels.is_empty() && !matches!(token.kind, TokenKind::Close(_)));
        at = next;
    }
    let unknown = names.builder.unknown_expr();
    let is_single_path = operands == 0;
    let value = reader.value.filter(|_| is_single_path).unwrap_or(unknown);
    if let Some(scope) = reader.scopes.first() {
        names.locals.truncate(scope.locals);
    }
    value
}

impl Reader<'_> {
    /// Reads the token at `at` and returns the index of the next one to read.
    fn read_token(&mut self, at: usize, token: Token, names: &mut MarkupNames<'_, '_>) -> usize {
        match token.mark {
            Mark::Type => {
                self.read_token_of_type(at, token, names);
                return at + 1;
            }
            Mark::Key => return at + 1,
            Mark::Binding => {
                let value = self.parameter_value.take();
                names.declare_local(token, value);
                self.value = None;
                return at + 1;
            }
            Mark::None | Mark::Pattern => {}
        }
        match token.kind {
            TokenKind::Word => return self.read_word(at, token, names),
            TokenKind::Literal => self.value = Some(names.builder.unknown_expr()),
            TokenKind::Open(bracket) => self.open_level(at, bracket, names),
            TokenKind::Close(bracket) => self.close_level(bracket, names),
            TokenKind::OpeningTag => names.record_tag(token, Role::Call),
            TokenKind::ClosingTag => names.record_tag(token, Role::Read),
            TokenKind::Comma | TokenKind::Semicolon => {
                self.end_functions_on_level(names);
                self.value = None;
            }
            TokenKind::Question => {
                *self.conditionals_mut() += 1;
                self.value = None;
            }
            TokenKind::Colon => {
                let open = *self.conditionals_mut();
                if self
                    .scopes
                    .last()
                    .is_some_and(|scope| scope.levels == self.levels.len() && open > 0 && open == scope.conditionals)
                {
                    self.end_functions_on_level(names);
                }
                *self.conditionals_mut() = open.saturating_sub(1);
                self.value = None;
            }
            // A path goes on behind these.
            TokenKind::Dot => {}
            TokenKind::Bang if self.value.is_some() => {}
            TokenKind::Less if self.value.is_some() => {
                if let Some(end) = index_after_type_arguments(self.tokens, names.source, at) {
                    mark_type(self.tokens, at, end);
                    return at;
                }
                self.value = None;
            }
            TokenKind::Update if self.value.is_some() => {}
            _ => self.value = None,
        }
        at + 1
    }

    fn conditionals_mut(&mut self) -> &mut u32 {
        match self.levels.last_mut() {
            Some(level) => &mut level.conditionals,
            None => &mut self.conditionals,
        }
    }

    fn read_token_of_type(&self, at: usize, token: Token, names: &mut MarkupNames<'_, '_>) {
        let text = self.tokens.text(names.source, at);
        if token.kind != TokenKind::Word || is_keyword(text) || is_type_keyword(text) {
            return;
        }
        let is_member = at.checked_sub(1).and_then(|before| self.tokens.kind(before)) == Some(TokenKind::Dot);
        let is_key = self.tokens.kind(at + 1) == Some(TokenKind::Colon)
            || (self.tokens.kind(at + 1) == Some(TokenKind::Question)
                && self.tokens.kind(at + 2) == Some(TokenKind::Colon));
        if is_member {
            let unknown = names.builder.unknown_expr();
            names.record_member(unknown, token, Role::Type);
        } else if !is_key {
            names.record_bare(token, Role::Type);
        }
    }

    /// The value that has just ended, as the start of a longer path; `None` if that would be too long.
    fn longer_path_of_value(&mut self) -> Option<ExprId> {
        self.steps += 1;
        self.value.filter(|_| self.steps < MAX_PATH_STEPS)
    }

    fn kind_before(&self, at: usize) -> Option<TokenKind> {
        at.checked_sub(1).and_then(|before| self.tokens.kind(before))
    }

    fn read_word(&mut self, at: usize, token: Token, names: &mut MarkupNames<'_, '_>) -> usize {
        let source = names.source;
        let text = self.tokens.text(source, at);
        let before = self.kind_before(at);
        let next = self.tokens.kind(at + 1);
        if before == Some(TokenKind::Dot) {
            let base = self.longer_path_of_value().unwrap_or(names.builder.unknown_expr());
            let role = match self.role_of_word(at, names) {
                Role::Read => Role::Member,
                role => role,
            };
            self.value = Some(names.record_member(base, token, role));
            return at + 1;
        }
        if self.is_at_key(at) {
            if next == Some(TokenKind::Colon) {
                return at + 1;
            }
            if next == Some(TokenKind::Word) && matches!(text, "get" | "set" | "async") {
                self.tokens.mark(at + 1, Mark::Key);
                if self.tokens.kind(at + 2) == Some(TokenKind::Open(Bracket::Paren)) {
                    self.begin_parameters(at + 2, true, names);
                }
                return at + 2;
            }
            if next == Some(TokenKind::Open(Bracket::Paren)) {
                self.begin_parameters(at + 1, true, names);
                return at + 1;
            }
        }
        if next == Some(TokenKind::Arrow) && text != "async" {
            self.open_function_scope(self.is_block_at(at + 2), names);
            self.tokens.mark(at, Mark::Binding);
            self.parameter_value = self.value_for_parameter(at);
            return at;
        }
        match text {
            "const" | "let" | "var" if next != Some(TokenKind::Dot) => {
                let end = self.index_after_declaration(at + 1, source);
                mark_patterns(self.tokens, source, at + 1, end);
                self.value = None;
            }
            "function" => {
                let mut paren = at + 1;
                while paren < at + 3 && !matches!(self.tokens.kind(paren), None | Some(TokenKind::Open(_))) {
                    if self.tokens.kind(paren) == Some(TokenKind::Word) {
                        self.tokens.mark(paren, Mark::Binding);
                    }
                    paren += 1;
                }
                if self.tokens.kind(paren) == Some(TokenKind::Open(Bracket::Paren)) {
                    self.begin_parameters(paren, true, names);
                }
            }
            "catch" if next == Some(TokenKind::Open(Bracket::Paren)) => self.begin_parameters(at + 1, true, names),
            "as" | "satisfies" if self.value.is_some() => {
                let end = index_after_type(self.tokens, source, at + 1, self.to);
                mark_type(self.tokens, at + 1, end);
                self.value = Some(names.builder.unknown_expr());
            }
            "this" | "super" | "true" | "false" | "null" | "undefined" | "arguments" => {
                self.value = Some(names.builder.unknown_expr());
            }
            _ if is_keyword(text) => self.value = None,
            _ => {
                self.steps = 0;
                let role = self.role_of_word(at, names);
                let value = names.record_bare(token, role);
                let is_constructed = at.checked_sub(1).is_some_and(|before| self.tokens.is_word(source, before, "new"));
                self.value = Some(match is_constructed {
                    true if value != names.builder.unknown_expr() => {
                        names.builder.add_expr(Expr::Instance { of: value })
                    }
                    _ => value,
                });
            }
        }
        at + 1
    }

    /// The role of the name at `at`, which may be the last of a path.
    fn role_of_word(&self, at: usize, names: &MarkupNames<'_, '_>) -> Role {
        let mut next = at + 1;
        if self.tokens.kind(next) == Some(TokenKind::Bang) {
            next += 1;
        }
        match self.tokens.kind(next).filter(|_| next < self.to) {
            Some(TokenKind::Open(Bracket::Paren | Bracket::Template)) => return Role::Call,
            Some(TokenKind::Less) if index_after_type_arguments(self.tokens, names.source, next).is_some() => {
                return Role::Call;
            }
            Some(TokenKind::Assign | TokenKind::Update) => return Role::Write,
            Some(TokenKind::Dot | TokenKind::Open(Bracket::Square)) => return Role::Read,
            None => return self.last_role,
            _ => {}
        }
        let mut before = at;
        while self.kind_before(before) == Some(TokenKind::Dot) {
            before = before.saturating_sub(2);
            if self.tokens.kind(before) != Some(TokenKind::Word) || at - before > 16 {
                return Role::Read;
            }
        }
        match before.checked_sub(1) {
            Some(index) if self.tokens.kind(index) == Some(TokenKind::Update) => Role::Write,
            Some(index) if self.tokens.is_word(names.source, index, "new") => Role::Call,
            _ => Role::Read,
        }
    }

    /// Whether the word at `at` stands where an object has a key.
    fn is_at_key(&self, at: usize) -> bool {
        self.levels.last().is_some_and(|level| level.is_object)
            && matches!(self.kind_before(at), Some(TokenKind::Comma | TokenKind::Open(Bracket::Brace)))
    }

    fn is_block_at(&self, at: usize) -> bool {
        self.tokens.kind(at) == Some(TokenKind::Open(Bracket::Brace))
    }

    /// The index at which the patterns of a declaration end: behind the last declarator, or at the `of` or `in` of a loop.
    fn index_after_declaration(&self, from: usize, source: &str) -> usize {
        let mut at = from;
        while at < self.to {
            match self.tokens.kind(at) {
                None | Some(TokenKind::Semicolon | TokenKind::Close(_)) => break,
                Some(TokenKind::Word) if is_end_of_declaration(self.tokens.text(source, at)) => break,
                _ => at = self.tokens.index_after(at),
            }
        }
        at.min(self.to)
    }

    /// Opens the scope of a function whose parameters are in the parentheses at `paren`, and marks them.
    fn begin_parameters(&mut self, paren: usize, has_block: bool, names: &mut MarkupNames<'_, '_>) {
        let end = self.tokens.closing_bracket_index(paren);
        self.open_function_scope(has_block, names);
        mark_patterns(self.tokens, names.source, paren + 1, end);
        self.parameter_value =
            self.value_for_parameter(paren).filter(|_| self.tokens.kind(paren + 1) == Some(TokenKind::Word));
    }

    fn open_function_scope(&mut self, has_block: bool, names: &MarkupNames<'_, '_>) {
        let conditionals = *self.conditionals_mut();
        let (levels, locals) = (self.levels.len(), names.locals.len());
        self.scopes.push(FunctionScope { levels, locals, conditionals, has_block });
    }

    /// The value that the first parameter of a function at `at` gets, where the function is the first argument of a call that
    /// is known to pass the elements of an array.
    fn value_for_parameter(&self, at: usize) -> Option<ExprId> {
        let before = self.kind_before(at)?;
        self.levels.last()?.callback_value.filter(|_| before == TokenKind::Open(Bracket::Paren))
    }

    fn open_level(&mut self, at: usize, bracket: Bracket, names: &mut MarkupNames<'_, '_>) {
        let before = self.kind_before(at);
        if bracket == Bracket::Paren && self.is_parameter_list(at, names.source) {
            let arrow = self.index_of_arrow_behind(at);
            let close = self.tokens.closing_bracket_index(at);
            mark_type(self.tokens, close + 1, arrow);
            let has_block = self.is_block_at(arrow + 1);
            self.begin_parameters(at, has_block, names);
            self.value = None;
        }
        let is_object = bracket == Bracket::Brace
            && !matches!(
                before,
                Some(
                    TokenKind::Arrow
                        | TokenKind::Close(Bracket::Paren | Bracket::Brace)
                        | TokenKind::Semicolon
                        | TokenKind::Open(Bracket::Brace)
                )
            )
            && !at.checked_sub(1).is_some_and(|before| {
                ["else", "try", "finally", "do"].iter().any(|word| self.tokens.is_word(names.source, before, word))
            });
        let callback_value = match self.value {
            Some(callee) if bracket == Bracket::Paren => names.element_passed_to_callback(callee),
            _ => None,
        };
        let before = self.longer_path_of_value();
        self.levels.push(Level {
            bracket,
            is_object,
            is_pattern: self.tokens.get(at).is_some_and(|token| token.mark == Mark::Pattern),
            conditionals: 0,
            before,
            callback_value,
            locals: names.locals.len(),
            steps: self.steps,
        });
        self.value = None;
    }

    /// Whether the parentheses at `paren` hold the parameters of an arrow function.
    fn is_parameter_list(&mut self, paren: usize, source: &str) -> bool {
        let close = self.tokens.closing_bracket_index(paren);
        match self.tokens.kind(close + 1) {
            Some(TokenKind::Arrow) => true,
            Some(TokenKind::Colon) => {
                *self.conditionals_mut() == 0 && is_type_before_arrow(self.tokens, source, close + 2)
            }
            _ => false,
        }
    }

    /// The index of the arrow behind the parameters in the parentheses at `paren`.
    fn index_of_arrow_behind(&self, paren: usize) -> usize {
        let mut at = self.tokens.closing_bracket_index(paren) + 1;
        while !matches!(self.tokens.kind(at), None | Some(TokenKind::Arrow)) {
            at = self.tokens.index_after(at);
        }
        at
    }

    fn close_level(&mut self, bracket: Bracket, names: &mut MarkupNames<'_, '_>) {
        let Some(level) = self.levels.pop() else { return };
        self.steps = self.steps.max(level.steps);
        while let Some(scope) = self.scopes.pop_if(|scope| scope.levels > self.levels.len()) {
            names.locals.truncate(scope.locals);
        }
        if !level.is_pattern && !matches!(level.bracket, Bracket::Paren | Bracket::Tag) {
            names.locals.truncate(level.locals);
        }
        let unknown = names.builder.unknown_expr();
        let known = |value: Option<ExprId>| value.filter(|value| *value != unknown);
        self.value = match (bracket, known(level.before)) {
            (Bracket::Paren, Some(callee)) => Some(match names.builder.names.expr_by_id(callee) {
                Expr::Instance { .. } => callee,
                _ => names.builder.add_expr(Expr::Call { callee }),
            }),
            (Bracket::Square, Some(of)) => Some(names.builder.add_expr(Expr::Element { of })),
            (Bracket::Paren, None) if level.before.is_none() => self.value.or(Some(unknown)),
            (Bracket::Container | Bracket::Tag | Bracket::Substitution, _) => None,
            (Bracket::Brace, _) if !level.is_object => None,
            _ => Some(unknown),
        };
        if bracket == Bracket::Brace
            && let Some(scope) = self.scopes.pop_if(|scope| scope.has_block && scope.levels == self.levels.len())
        {
            names.locals.truncate(scope.locals);
        }
    }

    /// Ends the functions without a block whose body is on the current level.
    fn end_functions_on_level(&mut self, names: &mut MarkupNames<'_, '_>) {
        while let Some(scope) = self.scopes.pop_if(|scope| scope.levels >= self.levels.len()) {
            names.locals.truncate(scope.locals);
        }
    }
}

/// Whether a word ends the declaration before it: the next declaration does, and the head of a loop.
fn is_end_of_declaration(word: &str) -> bool {
    matches!(word, "of" | "in" | "const" | "let" | "var")
}
