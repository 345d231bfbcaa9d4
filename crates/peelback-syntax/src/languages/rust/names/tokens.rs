//! Names inside macro calls, which the grammar leaves as tokens.
//!
//! Most macros receive ordinary Rust, so the binder reads their tokens as expressions, closures, `let`, `match` arms
//! and items as far as that works. The result is a best effort; nothing depends on its completeness.

use tree_sitter::Node;

use super::calls::{Receiver, call_result};
use super::exprs::is_enclosing_scope;
use super::kinds::{FIELDS, Kind, kind};
use super::paths::is_type_name;
use super::types::SMART_POINTERS;
use super::{Binder, offset};
use crate::names::{BindingKind, Expr, ExprId, NameId, NamesBuilder, Role, ScopeId, ScopeKind};

/// A cursor over the tokens of one token tree, without its brackets and comments.
pub(super) struct Tokens<'t> {
    tokens: Vec<(Kind, Node<'t>)>,
    pub at: usize,
}

impl<'t> Tokens<'t> {
    pub fn of(tree: Node<'t>) -> Self {
        let mut cursor = tree.walk();
        let all = tree.children(&mut cursor).map(|node| (kind(node), node));
        let tokens = all.filter(|(kind, _)| {
            !matches!(
                kind,
                Kind::LineComment
                    | Kind::BlockComment
                    | Kind::OpenParen
                    | Kind::OpenBracket
                    | Kind::OpenBrace
                    | Kind::CloseParen
                    | Kind::CloseBracket
                    | Kind::CloseBrace
            )
        });
        Self { tokens: tokens.collect(), at: 0 }
    }

    pub fn get(&self, ahead: usize) -> Option<(Kind, Node<'t>)> {
        self.tokens.get(self.at.saturating_add(ahead)).copied()
    }

    pub fn peek(&self, ahead: usize) -> Kind {
        self.get(ahead).map_or(Kind::Other, |(kind, _)| kind)
    }

    pub fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub fn next(&mut self) -> Option<(Kind, Node<'t>)> {
        let token = self.get(0)?;
        self.at += 1;
        Some(token)
    }

    pub fn take(&mut self, kind: Kind) -> Option<Node<'t>> {
        let (found, node) = self.get(0)?;
        if found != kind {
            return None;
        }
        self.at += 1;
        Some(node)
    }

    /// The next token, if it is a token tree with this opening bracket.
    pub fn tree(&self, open: Kind) -> Option<Node<'t>> {
        let (Kind::TokenTree, node) = self.get(0)? else { return None };
        (node.child(0).map(kind) == Some(open)).then_some(node)
    }

    pub fn take_tree(&mut self, open: Kind) -> Option<Node<'t>> {
        let tree = self.tree(open)?;
        self.at += 1;
        Some(tree)
    }

    /// Index of the next token of this kind.
    pub fn find(&self, kind: Kind) -> Option<usize> {
        let ahead = self.tokens.get(self.at..)?.iter().position(|(found, _)| *found == kind)?;
        Some(self.at + ahead)
    }

    /// Number of commas between the token after the current one and the next token of `kind`: the commas of a closure's
    /// parameter list.
    pub fn commas_between(&self, kind: Kind) -> usize {
        let rest = self.tokens.get(self.at.saturating_add(1)..).unwrap_or(&[]);
        rest.iter().take_while(|(found, _)| *found != kind).filter(|(found, _)| *found == Kind::Comma).count()
    }

    /// Splits off the tokens from the current one up to index `end`, which is not included.
    pub fn until(&mut self, end: usize) -> Self {
        let end = end.min(self.tokens.len()).max(self.at);
        let part = self.tokens.get(self.at..end).unwrap_or(&[]).to_vec();
        self.at = end;
        Self { tokens: part, at: 0 }
    }
}

/// Keywords that the parser reads as identifiers inside macros.
const KEYWORDS_READ_AS_NAMES: &[&str] = &["box", "do", "dyn", "else", "extern", "in", "move", "ref", "yield"];

impl Binder {
    /// The value of a macro call. A call in item position may bind names in `scope`.
    pub fn macro_call_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        item: bool,
    ) -> ExprId {
        let mut name = "";
        if let Some(named) = FIELDS.macro_name.of(node) {
            name = self.use_macro_name(builder, named, scope);
        }
        let mut cursor = node.walk();
        let Some(tree) = node.children(&mut cursor).find(|child| kind(*child) == Kind::TokenTree) else {
            return builder.unknown();
        };
        let item = item && matches!(builder.kind_of(scope), ScopeKind::File | ScopeKind::Module | ScopeKind::Type);
        self.macro_result(builder, name, tree, scope, item)
    }

    pub fn use_macro_name<'s>(&mut self, builder: &mut NamesBuilder<'s>, named: Node<'_>, scope: ScopeId) -> &'s str {
        if kind(named) == Kind::ScopedIdentifier {
            self.path_expr(builder, named, scope, Role::Call);
            return FIELDS.name.of(named).map_or("", |name| builder.text(name));
        }
        // A variable of the same name is not a macro, so the lookup starts at items.
        let name = builder.name(named);
        let from = self.item_lookup_scope(name, scope);
        builder.use_name(named, from, Role::Call);
        builder.text(named)
    }

    fn macro_result(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: &str,
        tree: Node<'_>,
        scope: ScopeId,
        item: bool,
    ) -> ExprId {
        if matches!(name, "matches" | "assert_matches" | "debug_assert_matches") {
            builder.deeper(tree, |builder| self.bind_matches_arguments(builder, tree, scope));
            return builder.unknown();
        }
        let values = builder.deeper(tree, |builder| {
            let scope = if item { scope } else { builder.scope(scope, ScopeKind::Block, tree) };
            self.sequence_values(builder, &mut Tokens::of(tree), scope)
        });
        let first = values.first().copied().unwrap_or(builder.unknown());
        match name {
            "vec" => self.container_of_value(builder, None, first),
            "dbg" => first,
            "try" | "ready" => self.element_of(builder, first),
            _ => builder.unknown(),
        }
    }

    /// Binds the arguments of `matches!`: `value, pattern if condition`.
    fn bind_matches_arguments(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        let scope = builder.scope(scope, ScopeKind::Block, tree);
        let mut tokens = Tokens::of(tree);
        let value = self.token_expression_value(builder, &mut tokens, scope);
        tokens.take(Kind::Comma);
        let end = tokens.find(Kind::IfWord).or_else(|| tokens.find(Kind::Comma)).unwrap_or(usize::MAX);
        let mut pattern = tokens.until(end);
        self.bind_token_pattern(builder, &mut pattern, scope, BindingKind::Variable, value, 0);
        self.sequence_values(builder, &mut tokens, scope);
    }

    /// Reads the tokens of a macro rule's body, or of any tree whose meaning is unknown, in a scope of their own.
    pub fn read_token_tree(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        builder.deeper(tree, |builder| {
            let inner = builder.scope(scope, ScopeKind::Block, tree);
            self.sequence_values(builder, &mut Tokens::of(tree), inner);
        });
    }

    /// The values of expressions separated by commas, semicolons or `=>`. Binds the items and statements among them.
    pub fn sequence_values(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
    ) -> Vec<ExprId> {
        let mut values = Vec::new();
        while !tokens.done() {
            let value = self.token_expression_value(builder, tokens, scope);
            values.push(value);
            while matches!(tokens.peek(0), Kind::Comma | Kind::Semicolon | Kind::FatArrow) {
                tokens.at += 1;
            }
        }
        values
    }

    /// The value of one expression, which ends before a comma, a semicolon or `=>`.
    pub fn token_expression_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let mut value = builder.unknown();
        let mut operands = 0;
        let mut after_operand = false;
        while let Some((kind, node)) = tokens.get(0) {
            match kind {
                Kind::Comma | Kind::Semicolon | Kind::FatArrow => break,
                Kind::Bar | Kind::Bars if !after_operand => {
                    value = self.token_closure_value(builder, tokens, scope, &[]);
                    operands += 1;
                    after_operand = true;
                }
                Kind::And | Kind::Star | Kind::Mutable if !after_operand => tokens.at += 1,
                Kind::Identifier
                | Kind::SelfWord
                | Kind::Super
                | Kind::Crate
                | Kind::Metavariable
                | Kind::PrimitiveType
                | Kind::TokenTree
                | Kind::TokenRepetition
                | Kind::String
                | Kind::RawString
                | Kind::Integer
                | Kind::Float
                | Kind::Char
                | Kind::Boolean => {
                    if kind == Kind::Identifier && KEYWORDS_READ_AS_NAMES.contains(&builder.text(node)) {
                        tokens.at += 1;
                        after_operand = false;
                        continue;
                    }
                    value = self.postfix_chain_value(builder, tokens, scope);
                    operands += 1;
                    after_operand = true;
                }
                _ => {
                    let from = tokens.at;
                    if !self.bind_token_item(builder, tokens, scope) {
                        tokens.at = from + 1;
                        // An operator combines its operands into a new value, which is unknown.
                        operands += usize::from(after_operand);
                    }
                    after_operand = false;
                }
            }
        }
        if operands == 1 { value } else { builder.unknown() }
    }

    /// The value of an operand with its postfix operators: `a::b(c).d?[0]`.
    pub fn postfix_chain_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let Some((kind, node)) = tokens.get(0) else { return builder.unknown() };
        let mut value = match kind {
            Kind::TokenTree | Kind::TokenRepetition => {
                tokens.at += 1;
                builder.deeper(node, |builder| self.bracketed_tokens_value(builder, node, scope))
            }
            Kind::SelfWord if tokens.peek(1) != Kind::Colons => {
                tokens.at += 1;
                builder.expr(Expr::This { scope })
            }
            Kind::Identifier
            | Kind::SelfWord
            | Kind::Super
            | Kind::Crate
            | Kind::Metavariable
            | Kind::PrimitiveType => builder.deeper(node, |builder| self.token_path_value(builder, tokens, scope)),
            _ => {
                tokens.at += 1;
                builder.unknown()
            }
        };
        while let Some((kind, node)) = tokens.get(0) {
            match kind {
                Kind::Dot => {
                    let Some((kind, field)) = tokens.get(1) else { break };
                    match kind {
                        Kind::Identifier => {
                            tokens.at += 2;
                            value = self.token_member_value(builder, tokens, scope, value, field);
                        }
                        Kind::AwaitWord => {
                            tokens.at += 2;
                            value = self.element_of(builder, value);
                        }
                        Kind::Integer => {
                            tokens.at += 2;
                            let (name, at) = (builder.name(field), offset(field.start_byte()));
                            value = builder.expr(Expr::Member { base: value, name, at });
                        }
                        _ => break,
                    }
                }
                Kind::Question => {
                    tokens.at += 1;
                    value = self.element_of(builder, value);
                }
                Kind::TokenTree => match node.child(0).map(super::kinds::kind) {
                    Some(Kind::OpenBracket) => {
                        tokens.at += 1;
                        self.read_token_tree(builder, node, scope);
                        value = self.element_of(builder, value);
                    }
                    Some(Kind::OpenParen) => {
                        tokens.at += 1;
                        self.read_token_tree(builder, node, scope);
                        value = call_result(builder, value);
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        value
    }

    /// The value of `(…)`, `[…]` or `{…}` as an operand.
    fn bracketed_tokens_value(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) -> ExprId {
        let inner = builder.scope(scope, ScopeKind::Block, tree);
        let values = self.sequence_values(builder, &mut Tokens::of(tree), inner);
        let last = values.last().copied().unwrap_or(builder.unknown());
        match (tree.child(0).map(kind), values.as_slice()) {
            (Some(Kind::OpenBrace), _) | (Some(Kind::OpenParen), [_]) => last,
            (Some(Kind::OpenParen), [_, ..]) => {
                let parts = builder.list(&values);
                builder.expr(Expr::Tuple(parts))
            }
            (Some(Kind::OpenBracket), [first, ..]) => self.container_of_value(builder, None, *first),
            _ => builder.unknown(),
        }
    }

    /// The value of `.name` or `.name(…)` after `base`.
    fn token_member_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        base: ExprId,
        field: Node<'_>,
    ) -> ExprId {
        let of = if tokens.peek(0) == Kind::Colons && tokens.peek(1) == Kind::Less {
            tokens.at += 1;
            self.type_arguments_from_tokens(builder, tokens, scope).first().copied()
        } else {
            None
        };
        let Some(tree) = tokens.take_tree(Kind::OpenParen) else {
            return builder.use_member(base, field, Role::Member);
        };
        let method = builder.use_member(base, field, Role::Call);
        let name = builder.text(field);
        let given = builder.deeper(tree, |builder| {
            let mut inside = Tokens::of(tree);
            let mut values = Vec::new();
            while !inside.done() {
                let word =
                    inside.peek(0) == Kind::Identifier && inside.get(0).is_some_and(|(_, n)| builder.text(n) == "move");
                inside.at += usize::from(word);
                values.push(if matches!(inside.peek(0), Kind::Bar | Kind::Bars) {
                    let count = inside.commas_between(Kind::Bar) + 1;
                    let hints =
                        self.closure_parameter_hints(builder, Receiver { method, name, value: base }, &values, count);
                    self.token_closure_value(builder, &mut inside, scope, &hints)
                } else {
                    self.token_expression_value(builder, &mut inside, scope)
                });
                while matches!(inside.peek(0), Kind::Comma | Kind::Semicolon | Kind::FatArrow) {
                    inside.at += 1;
                }
            }
            values
        });
        if let Some(of) = of.filter(|of| !self.has_inferred_part(builder, *of)) {
            match name {
                "collect" | "into" | "sum" => return self.instance_of(builder, of),
                "parse" | "try_into" => {
                    let of = self.container_type(builder, of);
                    return self.instance_of(builder, of);
                }
                _ => {}
            }
        }
        self.method_result(builder, name, base, method, &given)
    }

    /// The value of a path, including the call, macro call or struct literal that the path begins.
    fn token_path_value(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) -> ExprId {
        let Some((_, first)) = tokens.get(0) else { return builder.unknown() };
        // `name = value` and `name: value` are named arguments: their name is bound elsewhere.
        if tokens.peek(0) == Kind::Identifier {
            match tokens.peek(1) {
                Kind::Colon => {
                    tokens.at += 2;
                    return self.type_from_tokens(builder, tokens, scope);
                }
                Kind::Equals if !is_type_name(builder.text(first)) => {
                    let known = builder.name(first);
                    let role = if self.is_variable_in_scope(builder, known, scope) { Some(Role::Write) } else { None };
                    tokens.at += 1;
                    return role.map_or(builder.unknown(), |role| builder.use_name(first, scope, role));
                }
                _ => {}
            }
        }
        let path = self.read_path_tokens(builder, tokens, scope);
        let TokenPath { base, last, text, of } = path;
        if tokens.peek(0) == Kind::Bang
            && tokens.peek(1) == Kind::TokenTree
            && let Some(last) = last
            && let Some((_, tree)) = tokens.get(1)
        {
            tokens.at += 2;
            let module = self.module;
            let from = if base.is_none() { module } else { scope };
            self.use_last_segment(builder, base, last, from, Role::Call);
            return self.macro_result(builder, text, tree, scope, false);
        }
        let Some(last) = last else { return base.unwrap_or(builder.unknown()) };
        if let Some(tree) = tokens.take_tree(Kind::OpenParen) {
            let callee = self.use_last_segment(builder, base, last, scope, Role::Call);
            let inner = builder.scope(scope, ScopeKind::Block, tree);
            let values = builder.deeper(tree, |builder| self.sequence_values(builder, &mut Tokens::of(tree), inner));
            let first = values.first().copied().unwrap_or(builder.unknown());
            return match (text, of) {
                ("Some" | "Ok", _) => self.container_of_value(builder, None, first),
                ("Err", _) => builder.unknown(),
                ("new" | "pin", Some(of)) if SMART_POINTERS.contains(&of) => first,
                ("new", Some("Mutex" | "RefCell" | "RwLock" | "Cell")) => self.container_of_value(builder, None, first),
                _ => call_result(builder, callee),
            };
        }
        if is_type_name(text)
            && let Some(tree) = tokens.take_tree(Kind::OpenBrace)
        {
            let of = self.use_last_segment(builder, base, last, scope, Role::Call);
            let value = self.instance_of(builder, of);
            builder
                .deeper(tree, |builder| self.read_struct_literal_fields(builder, &mut Tokens::of(tree), scope, value));
            return value;
        }
        self.use_last_segment(builder, base, last, scope, Role::Read)
    }

    /// Whether a variable of this name is in scope. Searches only the last 200 bindings.
    fn is_variable_in_scope(&self, builder: &NamesBuilder<'_>, name: NameId, scope: ScopeId) -> bool {
        let nearby = builder.names.bindings.iter().rev().take(200).filter(|binding| binding.name == name);
        nearby.into_iter().any(|binding| is_enclosing_scope(builder, binding.scope, scope))
    }

    pub fn use_last_segment(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        base: Option<ExprId>,
        last: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match base {
            Some(base) => builder.use_member(base, last, role),
            None if builder.text(last) == "Self" => builder.expr(Expr::ThisType { scope }),
            None => builder.use_name(last, scope, role),
        }
    }

    /// Reads the names of a path. The last name is not recorded yet: the tokens after the path determine its role.
    pub fn read_path_tokens<'s, 't>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        tokens: &mut Tokens<'t>,
        scope: ScopeId,
    ) -> TokenPath<'s, 't> {
        let mut base = None;
        let start = tokens.get(0).map_or(0, |(_, node)| node.start_byte());
        let (mut of, mut before) = (None, 0);
        while let Some((kind, node)) = tokens.next() {
            let goes_on = tokens.peek(0) == Kind::Colons;
            let text = builder.text(node);
            if !goes_on && kind == Kind::Identifier {
                if let Some(source) = builder.source.get(start..before) {
                    self.record_token_path(builder, source.trim_start_matches('$'), node, scope);
                }
                return TokenPath { base, last: Some(node), text, of };
            }
            let at = offset(node.start_byte());
            base = Some(match (kind, base) {
                (Kind::Identifier, Some(base)) => {
                    builder.use_member(base, node, if is_type_name(text) { Role::Type } else { Role::Read })
                }
                (Kind::Identifier, None) => self.qualifier_expr(builder, node, scope, None),
                (Kind::SelfWord | Kind::Crate | Kind::Super, Some(base)) => {
                    let name = builder.name(node);
                    builder.expr(Expr::Member { base, name, at })
                }
                (Kind::SelfWord | Kind::Crate | Kind::Super, None) => {
                    let name = builder.name(node);
                    builder.expr(Expr::Name { name, scope, at })
                }
                (Kind::Metavariable, None) if text == "$crate" => {
                    let name = builder.intern("crate");
                    builder.expr(Expr::Name { name, scope, at })
                }
                _ => builder.unknown(),
            });
            of = Some(text);
            before = node.end_byte();
            if !goes_on {
                break;
            }
            tokens.at += 1;
            if tokens.peek(0) == Kind::Less {
                self.type_arguments_from_tokens(builder, tokens, scope);
                if tokens.take(Kind::Colons).is_none() {
                    break;
                }
            }
            if !matches!(tokens.peek(0), Kind::Identifier | Kind::SelfWord | Kind::Super | Kind::Crate) {
                break;
            }
        }
        TokenPath { base, last: None, text: "", of }
    }

    fn record_token_path<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        source: &'s str,
        name: Node<'_>,
        scope: ScopeId,
    ) {
        let plain = source.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
        if plain && source.starts_with(|first: char| first.is_lowercase() || first == '_') {
            let text = builder.name(name);
            self.record_path_import(builder, source, text, scope, name);
        }
    }

    /// Reads the fields of a struct literal.
    fn read_struct_literal_fields(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        value: ExprId,
    ) {
        while let Some((kind, node)) = tokens.get(0) {
            match (kind, tokens.peek(1)) {
                (Kind::Identifier, Kind::Colon) => {
                    tokens.at += 2;
                    builder.use_member(value, node, Role::Write);
                    self.token_expression_value(builder, tokens, scope);
                }
                (Kind::Identifier, Kind::Comma | Kind::Other) => {
                    tokens.at += 1;
                    builder.use_member(value, node, Role::Write);
                    builder.use_name(node, scope, Role::Read);
                }
                (Kind::Comma | Kind::DotDot, _) => tokens.at += 1,
                _ => {
                    let from = tokens.at;
                    self.token_expression_value(builder, tokens, scope);
                    tokens.at = tokens.at.max(from + 1);
                }
            }
        }
    }

    /// The function value of a closure `|a, b: T| …`.
    fn token_closure_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        hints: &[ExprId],
    ) -> ExprId {
        let Some((opening, start)) = tokens.next() else { return builder.unknown() };
        let end = match opening {
            Kind::Bar => tokens.find(Kind::Bar),
            _ => None,
        };
        // A bar without a second bar does not begin a closure.
        if opening == Kind::Bar && end.is_none() {
            return builder.unknown();
        }
        let last = tokens.get(0).map_or(start, |(_, node)| node);
        let body = builder.scope_of_bytes(scope, ScopeKind::Function, start.start_byte()..last.end_byte());
        let name = builder.intern("");
        let binding = builder.bind_name(body, BindingKind::Function, name, start.start_byte());
        builder.own(binding, body);
        if let Some(end) = end {
            let mut parameters = tokens.until(end);
            tokens.at += 1;
            let mut hints = hints.iter().copied();
            while !parameters.done() {
                let hint = hints.next().unwrap_or(builder.unknown());
                self.bind_token_parameter(builder, &mut parameters, body, hint);
            }
        }
        let return_type =
            if tokens.take(Kind::Arrow).is_some() { Some(self.type_from_tokens(builder, tokens, body)) } else { None };
        let value = self.token_expression_value(builder, tokens, body);
        if value != builder.unknown() {
            let values = builder.list(&[value]);
            builder.binding(binding).values = values;
        }
        builder.binding(binding).annotation = return_type;
        if let Some((_, last)) = tokens.at.checked_sub(1).and_then(|at| tokens.tokens.get(at).copied())
            && let Some(scope) = builder.names.scopes.get_mut(body as usize)
        {
            scope.bytes.end = offset(last.end_byte());
        }
        builder.expr(Expr::Function { binding })
    }
}

/// A path that was read from tokens.
pub(super) struct TokenPath<'s, 't> {
    /// The expression for the path in front of the last name.
    pub base: Option<ExprId>,
    /// The node of the last name.
    pub last: Option<Node<'t>>,
    /// The text of the last name.
    pub text: &'s str,
    /// The text of the second to last name.
    pub of: Option<&'s str>,
}
