//! Name binding inside Rust macro calls, which the grammar leaves as tokens.
//!
//! Most macros receive ordinary Rust, so the binder reads their tokens as expressions, closures, `let`, `match` arms
//! and items as far as that works. The result is a best effort; nothing depends on its completeness.

use tree_sitter::Node;

use super::calls::{CalledMethod, call_result_expr};
use super::kinds::{FIELDS, Kind, kind_of_node};
use super::macro_rules::{is_macro_of_standard_library, macro_call_expr};
use super::token_stream::TokenCursor;
use super::{Binder, saturating_u32};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// Keywords that the parser reads as identifiers inside macros.
const KEYWORDS_READ_AS_NAMES: &[&str] = &["box", "do", "dyn", "else", "extern", "in", "move", "ref", "yield"];

/// The macro that a macro call names.
#[derive(Clone, Copy)]
pub(super) struct CalledMacro<'s> {
    /// The macro's name, without the path before it.
    pub name: &'s str,
    /// The expression for the macro's name.
    pub expr: ExprId,
}

impl Binder {
    /// The value of a macro call. A macro call in item position may bind names in `scope`.
    pub fn macro_call_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        item: bool,
    ) -> ExprId {
        let called = match FIELDS.macro_name.child_of(node) {
            Some(named) => self.record_macro_use(builder, named, scope),
            None => CalledMacro { name: "", expr: builder.unknown_expr() },
        };
        let mut cursor = node.walk();
        let Some(tree) = node.children(&mut cursor).find(|child| kind_of_node(*child) == Kind::TokenTree) else {
            return builder.unknown_expr();
        };
        let item = item && matches!(builder.scope_kind(scope), ScopeKind::File | ScopeKind::Module | ScopeKind::Type);
        self.bind_macro_arguments_and_get_result(builder, called, tree, scope, item)
    }

    /// Records the use of a macro's name in a call of the macro.
    pub fn record_macro_use<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        named: Node<'_>,
        scope: ScopeId,
    ) -> CalledMacro<'s> {
        if kind_of_node(named) == Kind::ScopedIdentifier {
            let expr = self.path_expr(builder, named, scope, Role::Call);
            let name = FIELDS.name.child_of(named).map_or("", |name| builder.text_of_node(name));
            return CalledMacro { name, expr };
        }
        // The lookup of a macro's name ignores variables: it starts at the scope of items.
        let name = builder.name_id_of_node(named);
        let from = self.item_lookup_scope(name, scope);
        let expr = builder.record_name_use(named, from, Role::Call);
        CalledMacro { name: builder.text_of_node(named), expr }
    }

    pub fn bind_macro_arguments_and_get_result(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        called: CalledMacro<'_>,
        tree: Node<'_>,
        scope: ScopeId,
        item: bool,
    ) -> ExprId {
        let name = called.name;
        if matches!(name, "matches" | "assert_matches" | "debug_assert_matches") {
            builder.run_with_depth_limit(tree, |builder| self.bind_matches_macro_arguments(builder, tree, scope));
            return builder.unknown_expr();
        }
        let values = builder.run_with_depth_limit(tree, |builder| {
            let kind = if is_macro_of_standard_library(name) { ScopeKind::Block } else { ScopeKind::MacroCall };
            let scope = if item { scope } else { builder.add_child_scope(scope, kind, tree) };
            self.separated_expression_values(builder, &mut TokenCursor::new(tree), scope)
        });
        let first = values.first().copied().unwrap_or(builder.unknown_expr());
        match name {
            "vec" => self.container_instance_with_value(builder, None, first),
            "dbg" => first,
            "try" | "ready" => self.element_or_awaited_expr(builder, first),
            _ if item => builder.unknown_expr(),
            _ => macro_call_expr(builder, called, &values),
        }
    }

    /// Binds the names in the arguments of `matches!`: `value, pattern if condition`.
    fn bind_matches_macro_arguments(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        let scope = builder.add_child_scope(scope, ScopeKind::Block, tree);
        let mut tokens = TokenCursor::new(tree);
        let value = self.expression_value_from_tokens(builder, &mut tokens, scope);
        tokens.consume_token_of_kind(Kind::Comma);
        let end = tokens
            .index_of_next_token_of_kind(Kind::IfWord)
            .or_else(|| tokens.index_of_next_token_of_kind(Kind::Comma))
            .unwrap_or(usize::MAX);
        let mut pattern = tokens.take_tokens_until_index(end);
        self.bind_pattern_from_tokens(builder, &mut pattern, scope, BindingKind::Variable, value, 0);
        self.separated_expression_values(builder, &mut tokens, scope);
    }

    /// Binds the names in the body of a macro rule, or in any bracketed tokens whose meaning is unknown, in a scope of
    /// their own.
    pub fn bind_token_tree_in_own_scope(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        builder.run_with_depth_limit(tree, |builder| {
            let inner = builder.add_child_scope(scope, ScopeKind::Block, tree);
            self.separated_expression_values(builder, &mut TokenCursor::new(tree), inner);
        });
    }

    /// The values of the expressions among the tokens, which commas, semicolons or `=>` separate. Binds the items and
    /// statements among them.
    pub fn separated_expression_values(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> Vec<ExprId> {
        let mut values = Vec::new();
        while !tokens.is_at_end() {
            let value = self.expression_value_from_tokens(builder, tokens, scope);
            values.push(value);
            while matches!(tokens.peek_token_kind(0), Kind::Comma | Kind::Semicolon | Kind::FatArrow) {
                tokens.at += 1;
            }
        }
        values
    }

    /// The value of one expression among the tokens, which ends before a comma, a semicolon or `=>`.
    pub fn expression_value_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let mut value = builder.unknown_expr();
        // The value of a `match`, unless it is a statement before the expression.
        let mut matched = builder.unknown_expr();
        let mut operands = 0;
        let mut after_operand = false;
        while let Some((kind, node)) = tokens.peek_token(0) {
            match kind {
                Kind::Comma | Kind::Semicolon | Kind::FatArrow => break,
                Kind::MatchWord if operands == 0 => {
                    let from = tokens.at;
                    matched = builder
                        .run_with_depth_limit(node, |builder| self.match_value_from_tokens(builder, tokens, scope));
                    tokens.at = tokens.at.max(from + 1);
                }
                Kind::Bar | Kind::Bars if !after_operand => {
                    value = self.closure_value_from_tokens(builder, tokens, scope, &[]);
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
                    if kind == Kind::Identifier && KEYWORDS_READ_AS_NAMES.contains(&builder.text_of_node(node)) {
                        tokens.at += 1;
                        after_operand = false;
                        continue;
                    }
                    value = self.postfix_chain_value_from_tokens(builder, tokens, scope);
                    operands += 1;
                    after_operand = true;
                }
                _ => {
                    let from = tokens.at;
                    let is_bound = self.bind_statement_or_item_from_tokens(builder, tokens, scope);
                    // At the limit on the depth nothing is read.
                    tokens.at = tokens.at.max(from + 1);
                    if !is_bound {
                        tokens.at = from + 1;
                        // An operator combines its operands into a new value, which is unknown.
                        operands += usize::from(after_operand);
                    }
                    after_operand = false;
                }
            }
        }
        match operands {
            0 => matched,
            1 => value,
            _ => builder.unknown_expr(),
        }
    }

    /// The value of an operand among the tokens, with its postfix operators: `a::b(c).d?[0]`.
    pub fn postfix_chain_value_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let Some((kind, node)) = tokens.peek_token(0) else { return builder.unknown_expr() };
        let mut value = match kind {
            Kind::TokenTree | Kind::TokenRepetition => {
                tokens.at += 1;
                builder.run_with_depth_limit(node, |builder| self.bracketed_tokens_value(builder, node, scope))
            }
            Kind::SelfWord if tokens.peek_token_kind(1) != Kind::Colons => {
                tokens.at += 1;
                builder.add_expr(Expr::This { scope })
            }
            Kind::Identifier
            | Kind::SelfWord
            | Kind::Super
            | Kind::Crate
            | Kind::Metavariable
            | Kind::PrimitiveType => builder
                .run_with_depth_limit(node, |builder| self.path_or_call_value_from_tokens(builder, tokens, scope)),
            _ => {
                tokens.at += 1;
                builder.unknown_expr()
            }
        };
        while let Some((kind, node)) = tokens.peek_token(0) {
            match kind {
                Kind::Dot => {
                    let Some((kind, field)) = tokens.peek_token(1) else { break };
                    match kind {
                        Kind::Identifier => {
                            tokens.at += 2;
                            value = self.member_or_method_call_from_tokens(builder, tokens, scope, value, field);
                        }
                        Kind::AwaitWord => {
                            tokens.at += 2;
                            value = self.element_or_awaited_expr(builder, value);
                        }
                        Kind::Integer => {
                            tokens.at += 2;
                            let (name, at) = (builder.name_id_of_node(field), saturating_u32(field.start_byte()));
                            value = builder.add_expr(Expr::Member { base: value, name, at });
                        }
                        _ => break,
                    }
                }
                Kind::Question => {
                    tokens.at += 1;
                    value = self.element_or_awaited_expr(builder, value);
                }
                Kind::TokenTree => match node.child(0).map(super::kinds::kind_of_node) {
                    Some(Kind::OpenBracket) => {
                        tokens.at += 1;
                        self.bind_token_tree_in_own_scope(builder, node, scope);
                        value = self.element_or_awaited_expr(builder, value);
                    }
                    Some(Kind::OpenParen) => {
                        tokens.at += 1;
                        self.bind_token_tree_in_own_scope(builder, node, scope);
                        value = call_result_expr(builder, value);
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        value
    }

    /// The value of the bracketed tokens `(…)`, `[…]` or `{…}`, where they are an operand.
    pub fn bracketed_tokens_value(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) -> ExprId {
        let inner = builder.add_child_scope(scope, ScopeKind::Block, tree);
        let values = self.separated_expression_values(builder, &mut TokenCursor::new(tree), inner);
        let last = values.last().copied().unwrap_or(builder.unknown_expr());
        match (tree.child(0).map(kind_of_node), values.as_slice()) {
            (Some(Kind::OpenBrace), _) | (Some(Kind::OpenParen), [_]) => last,
            (Some(Kind::OpenParen), [_, ..]) => {
                let parts = builder.add_expr_list(&values);
                builder.add_expr(Expr::Tuple(parts))
            }
            (Some(Kind::OpenBracket), [first, ..]) => self.container_instance_with_value(builder, None, *first),
            _ => builder.unknown_expr(),
        }
    }

    /// The value of `.name` or `.name(…)` among the tokens, a member of `base`.
    fn member_or_method_call_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        base: ExprId,
        field: Node<'_>,
    ) -> ExprId {
        let of = if tokens.peek_token_kind(0) == Kind::Colons && tokens.peek_token_kind(1) == Kind::Less {
            tokens.at += 1;
            self.type_arguments_from_tokens(builder, tokens, scope).first().copied()
        } else {
            None
        };
        let Some(tree) = tokens.consume_token_tree_with_bracket(Kind::OpenParen) else {
            return builder.record_member_use(base, field, Role::Member);
        };
        let method = builder.record_member_use(base, field, Role::Call);
        let name = builder.text_of_node(field);
        let given = builder.run_with_depth_limit(tree, |builder| {
            let mut inside = TokenCursor::new(tree);
            let mut values = Vec::new();
            while !inside.is_at_end() {
                let word = inside.peek_token_kind(0) == Kind::Identifier
                    && inside.peek_token(0).is_some_and(|(_, n)| builder.text_of_node(n) == "move");
                inside.at += usize::from(word);
                values.push(if matches!(inside.peek_token_kind(0), Kind::Bar | Kind::Bars) {
                    let count = inside.count_commas_until_kind(Kind::Bar) + 1;
                    let hints = self.closure_parameter_type_hints(
                        builder,
                        CalledMethod { method, name, value: base },
                        &values,
                        count,
                    );
                    self.closure_value_from_tokens(builder, &mut inside, scope, &hints)
                } else {
                    self.expression_value_from_tokens(builder, &mut inside, scope)
                });
                while matches!(inside.peek_token_kind(0), Kind::Comma | Kind::Semicolon | Kind::FatArrow) {
                    inside.at += 1;
                }
            }
            values
        });
        if let Some(of) = of.filter(|of| !self.has_inferred_type_part(builder, *of)) {
            match name {
                "collect" | "into" | "sum" => return self.instance_expr_of_type(builder, of),
                "parse" | "try_into" => {
                    let of = self.unnamed_container_type_expr(builder, of);
                    return self.instance_expr_of_type(builder, of);
                }
                _ => {}
            }
        }
        self.method_call_result(builder, name, base, method, &given)
    }

    /// The value of the closure `|a, b: T| …` among the tokens.
    fn closure_value_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        hints: &[ExprId],
    ) -> ExprId {
        let Some((opening, start)) = tokens.next_token() else { return builder.unknown_expr() };
        let end = match opening {
            Kind::Bar => tokens.index_of_next_token_of_kind(Kind::Bar),
            _ => None,
        };
        // A `|` without a second `|` does not begin a closure.
        if opening == Kind::Bar && end.is_none() {
            return builder.unknown_expr();
        }
        let last = tokens.peek_token(0).map_or(start, |(_, node)| node);
        let body = builder.add_child_scope_for_bytes(scope, ScopeKind::Function, start.start_byte()..last.end_byte());
        let name = builder.intern_source_text("");
        let binding = builder.add_binding(body, BindingKind::Function, name, start.start_byte());
        builder.link_binding_and_body_scope(binding, body);
        if let Some(end) = end {
            let mut parameters = tokens.take_tokens_until_index(end);
            tokens.at += 1;
            let mut hints = hints.iter().copied();
            while !parameters.is_at_end() {
                let hint = hints.next().unwrap_or(builder.unknown_expr());
                self.bind_parameter_from_tokens(builder, &mut parameters, body, hint);
            }
        }
        let return_type = if tokens.consume_token_of_kind(Kind::Arrow).is_some() {
            Some(self.type_from_tokens(builder, tokens, body))
        } else {
            None
        };
        let value = builder
            .run_with_depth_limit(start, |builder| Some(self.expression_value_from_tokens(builder, tokens, body)));
        // At the limit, the rest is passed over: each closure around would read it again.
        while value.is_none()
            && let Some((_, unread)) = tokens.next_token()
        {
            builder.record_missed_region(unread);
        }
        let value = value.unwrap_or(builder.unknown_expr());
        if value != builder.unknown_expr() {
            let values = builder.add_expr_list(&[value]);
            builder.binding_mut(binding).values = values;
        }
        builder.binding_mut(binding).annotation = return_type;
        if let Some((_, last)) = tokens.previous_token()
            && let Some(scope) = builder.names.scopes.get_mut(body as usize)
        {
            scope.bytes.end = saturating_u32(last.end_byte());
        }
        builder.add_expr(Expr::Function { binding })
    }
}
