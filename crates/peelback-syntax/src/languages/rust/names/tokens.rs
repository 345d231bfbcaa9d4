//! Names inside macro calls, which the grammar leaves as tokens.
//!
//! Most macros receive ordinary Rust, so the binder reads their tokens as expressions, closures, `let`, `match` arms
//! and items as far as that works. The result is a best effort; nothing depends on its completeness.

use tree_sitter::Node;

use super::calls::{CalledMethod, call_result};
use super::kinds::{FIELDS, Kind, kind};
use super::token_stream::Tokens;
use super::{Binder, offset};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

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
        if let Some(named) = FIELDS.macro_name.child_of(node) {
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
            return FIELDS.name.child_of(named).map_or("", |name| builder.text(name));
        }
        // The lookup of a macro ignores variables of the same name: it starts at the scope of items.
        let name = builder.name(named);
        let from = self.item_lookup_scope(name, scope);
        builder.use_name(named, from, Role::Call);
        builder.text(named)
    }

    pub fn macro_result(
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
            self.sequence_values(builder, &mut Tokens::new(tree), scope)
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
        let mut tokens = Tokens::new(tree);
        let value = self.token_expression_value(builder, &mut tokens, scope);
        tokens.consume(Kind::Comma);
        let end = tokens.position_of(Kind::IfWord).or_else(|| tokens.position_of(Kind::Comma)).unwrap_or(usize::MAX);
        let mut pattern = tokens.split_off_until(end);
        self.bind_token_pattern(builder, &mut pattern, scope, BindingKind::Variable, value, 0);
        self.sequence_values(builder, &mut tokens, scope);
    }

    /// Reads the tokens of a macro rule's body, or of any tree whose meaning is unknown, in a scope of their own.
    pub fn read_token_tree(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        builder.deeper(tree, |builder| {
            let inner = builder.scope(scope, ScopeKind::Block, tree);
            self.sequence_values(builder, &mut Tokens::new(tree), inner);
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
        while !tokens.is_at_end() {
            let value = self.token_expression_value(builder, tokens, scope);
            values.push(value);
            while matches!(tokens.peek_kind(0), Kind::Comma | Kind::Semicolon | Kind::FatArrow) {
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
        while let Some((kind, node)) = tokens.peek_token(0) {
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
        let Some((kind, node)) = tokens.peek_token(0) else { return builder.unknown() };
        let mut value = match kind {
            Kind::TokenTree | Kind::TokenRepetition => {
                tokens.at += 1;
                builder.deeper(node, |builder| self.bracketed_tokens_value(builder, node, scope))
            }
            Kind::SelfWord if tokens.peek_kind(1) != Kind::Colons => {
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
        while let Some((kind, node)) = tokens.peek_token(0) {
            match kind {
                Kind::Dot => {
                    let Some((kind, field)) = tokens.peek_token(1) else { break };
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
        let values = self.sequence_values(builder, &mut Tokens::new(tree), inner);
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
        let of = if tokens.peek_kind(0) == Kind::Colons && tokens.peek_kind(1) == Kind::Less {
            tokens.at += 1;
            self.type_arguments_from_tokens(builder, tokens, scope).first().copied()
        } else {
            None
        };
        let Some(tree) = tokens.consume_tree(Kind::OpenParen) else {
            return builder.use_member(base, field, Role::Member);
        };
        let method = builder.use_member(base, field, Role::Call);
        let name = builder.text(field);
        let given = builder.deeper(tree, |builder| {
            let mut inside = Tokens::new(tree);
            let mut values = Vec::new();
            while !inside.is_at_end() {
                let word = inside.peek_kind(0) == Kind::Identifier
                    && inside.peek_token(0).is_some_and(|(_, n)| builder.text(n) == "move");
                inside.at += usize::from(word);
                values.push(if matches!(inside.peek_kind(0), Kind::Bar | Kind::Bars) {
                    let count = inside.commas_before(Kind::Bar) + 1;
                    let hints = self.closure_parameter_hints(
                        builder,
                        CalledMethod { method, name, value: base },
                        &values,
                        count,
                    );
                    self.token_closure_value(builder, &mut inside, scope, &hints)
                } else {
                    self.token_expression_value(builder, &mut inside, scope)
                });
                while matches!(inside.peek_kind(0), Kind::Comma | Kind::Semicolon | Kind::FatArrow) {
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

    /// The function value of a closure `|a, b: T| …`.
    fn token_closure_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        hints: &[ExprId],
    ) -> ExprId {
        let Some((opening, start)) = tokens.next_token() else { return builder.unknown() };
        let end = match opening {
            Kind::Bar => tokens.position_of(Kind::Bar),
            _ => None,
        };
        // A `|` without a second `|` does not begin a closure.
        if opening == Kind::Bar && end.is_none() {
            return builder.unknown();
        }
        let last = tokens.peek_token(0).map_or(start, |(_, node)| node);
        let body = builder.scope_of_bytes(scope, ScopeKind::Function, start.start_byte()..last.end_byte());
        let name = builder.intern("");
        let binding = builder.bind_name(body, BindingKind::Function, name, start.start_byte());
        builder.own(binding, body);
        if let Some(end) = end {
            let mut parameters = tokens.split_off_until(end);
            tokens.at += 1;
            let mut hints = hints.iter().copied();
            while !parameters.is_at_end() {
                let hint = hints.next().unwrap_or(builder.unknown());
                self.bind_token_parameter(builder, &mut parameters, body, hint);
            }
        }
        let return_type = if tokens.consume(Kind::Arrow).is_some() {
            Some(self.type_from_tokens(builder, tokens, body))
        } else {
            None
        };
        let value = self.token_expression_value(builder, tokens, body);
        if value != builder.unknown() {
            let values = builder.list(&[value]);
            builder.binding(binding).values = values;
        }
        builder.binding(binding).annotation = return_type;
        if let Some((_, last)) = tokens.previous_token()
            && let Some(scope) = builder.names.scopes.get_mut(body as usize)
        {
            scope.bytes.end = offset(last.end_byte());
        }
        builder.expr(Expr::Function { binding })
    }
}
