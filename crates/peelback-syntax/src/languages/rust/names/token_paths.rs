//! Paths among the tokens of a Rust macro call, with the calls and literals that they begin.

use tree_sitter::Node;

use super::calls::call_result_expr;
use super::exprs::is_same_or_enclosing_scope;
use super::kinds::Kind;
use super::paths::looks_like_type_name;
use super::token_stream::TokenCursor;
use super::tokens::CalledMacro;
use super::types::SMART_POINTERS;
use super::{Binder, saturating_u32};
use crate::names::{Expr, ExprId, NameId, NamesBuilder, Role, ScopeId, ScopeKind};

/// A path that was read from the tokens of a macro call.
pub(super) struct TokenPath<'s, 't> {
    /// The expression for the part of the path before the last name; `None` for a bare name.
    pub base: Option<ExprId>,
    /// The node of the last name in the path.
    pub last: Option<Node<'t>>,
    /// The text of the last name in the path.
    pub text: &'s str,
    /// The text of the second to last name in the path.
    pub of: Option<&'s str>,
}

impl Binder {
    /// The value of the next path among the tokens, including the call, macro call or struct literal that the path
    /// begins.
    pub fn path_or_call_value_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let Some((_, first)) = tokens.peek_token(0) else { return builder.unknown_expr() };
        // `name = value` and `name: value` are named arguments of the macro: the name on the left is bound elsewhere.
        if tokens.peek_token_kind(0) == Kind::Identifier {
            match tokens.peek_token_kind(1) {
                Kind::Colon => {
                    tokens.at += 2;
                    return self.type_from_tokens(builder, tokens, scope);
                }
                Kind::Equals if !looks_like_type_name(builder.text_of_node(first)) => {
                    let known = builder.name_id_of_node(first);
                    let role =
                        if self.is_recent_binding_in_scope(builder, known, scope) { Some(Role::Write) } else { None };
                    tokens.at += 1;
                    return role.map_or(builder.unknown_expr(), |role| builder.record_name_use(first, scope, role));
                }
                _ => {}
            }
        }
        let path = self.read_path_recording_all_but_last(builder, tokens, scope);
        let TokenPath { base, last, text, of } = path;
        if tokens.peek_token_kind(0) == Kind::Bang
            && tokens.peek_token_kind(1) == Kind::TokenTree
            && let Some(last) = last
            && let Some((_, tree)) = tokens.peek_token(1)
        {
            tokens.at += 2;
            let module = self.module;
            let from = if base.is_none() { module } else { scope };
            let expr = self.record_last_path_segment_use(builder, base, last, from, Role::Call);
            let called = CalledMacro { name: text, expr };
            return self.bind_macro_arguments_and_get_result(builder, called, tree, scope, false);
        }
        let Some(last) = last else { return base.unwrap_or(builder.unknown_expr()) };
        if let Some(tree) = tokens.consume_token_tree_with_bracket(Kind::OpenParen) {
            let callee = self.record_last_path_segment_use(builder, base, last, scope, Role::Call);
            let inner = builder.add_child_scope(scope, ScopeKind::Block, tree);
            let values = builder.run_with_depth_limit(tree, |builder| {
                self.separated_expression_values(builder, &mut TokenCursor::new(tree), inner)
            });
            let first = values.first().copied().unwrap_or(builder.unknown_expr());
            return match (text, of) {
                ("Some" | "Ok", _) => self.container_instance_with_value(builder, None, first),
                ("Err", _) => builder.unknown_expr(),
                ("new" | "pin", Some(of)) if SMART_POINTERS.contains(&of) => first,
                ("new", Some("Mutex" | "RefCell" | "RwLock" | "Cell")) => {
                    self.container_instance_with_value(builder, None, first)
                }
                _ => call_result_expr(builder, callee),
            };
        }
        if looks_like_type_name(text)
            && let Some(tree) = tokens.consume_token_tree_with_bracket(Kind::OpenBrace)
        {
            let of = self.record_last_path_segment_use(builder, base, last, scope, Role::Call);
            let value = self.instance_expr_of_type(builder, of);
            builder.run_with_depth_limit(tree, |builder| {
                self.bind_struct_literal_fields_from_tokens(builder, &mut TokenCursor::new(tree), scope, value)
            });
            return value;
        }
        self.record_last_path_segment_use(builder, base, last, scope, Role::Read)
    }

    /// Whether a variable called `name` is in scope. Searches only the last 200 bindings.
    fn is_recent_binding_in_scope(&self, builder: &NamesBuilder<'_>, name: NameId, scope: ScopeId) -> bool {
        let nearby = builder.names.bindings.iter().rev().take(200).filter(|binding| binding.name == name);
        nearby.into_iter().any(|binding| is_same_or_enclosing_scope(builder, binding.scope, scope))
    }

    pub fn record_last_path_segment_use(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        base: Option<ExprId>,
        last: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match base {
            Some(base) => builder.record_member_use(base, last, role),
            None if builder.text_of_node(last) == "Self" => builder.add_expr(Expr::ThisType { scope }),
            None => builder.record_name_use(last, scope, role),
        }
    }

    /// Reads a path from the tokens and records its names, except the last: the tokens after the path determine the
    /// role of the last name.
    pub fn read_path_recording_all_but_last<'s, 't>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        tokens: &mut TokenCursor<'t>,
        scope: ScopeId,
    ) -> TokenPath<'s, 't> {
        let mut base = None;
        let start = tokens.peek_token(0).map_or(0, |(_, node)| node.start_byte());
        let (mut of, mut before) = (None, 0);
        while let Some((kind, node)) = tokens.next_token() {
            let goes_on = tokens.peek_token_kind(0) == Kind::Colons;
            let text = builder.text_of_node(node);
            if !goes_on && kind == Kind::Identifier {
                if let Some(source) = builder.source.get(start..before) {
                    self.record_path_import_from_tokens(builder, source.trim_start_matches('$'), node, scope);
                }
                return TokenPath { base, last: Some(node), text, of };
            }
            let at = saturating_u32(node.start_byte());
            base = Some(match (kind, base) {
                (Kind::Identifier, Some(base)) => builder.record_member_use(
                    base,
                    node,
                    if looks_like_type_name(text) { Role::Type } else { Role::Read },
                ),
                (Kind::Identifier, None) => self.path_qualifier_expr(builder, node, scope, None),
                (Kind::SelfWord | Kind::Crate | Kind::Super, Some(base)) => {
                    let name = builder.name_id_of_node(node);
                    builder.add_expr(Expr::Member { base, name, at })
                }
                (Kind::SelfWord | Kind::Crate | Kind::Super, None) => {
                    let name = builder.name_id_of_node(node);
                    builder.add_expr(Expr::Name { name, scope, at })
                }
                (Kind::Metavariable, None) if text == "$crate" => {
                    let name = builder.intern_source_text("crate");
                    builder.add_expr(Expr::Name { name, scope, at })
                }
                (Kind::Metavariable, None) => self.metavariable_expr(builder, node),
                _ => builder.unknown_expr(),
            });
            of = Some(text);
            before = node.end_byte();
            if !goes_on {
                break;
            }
            tokens.at += 1;
            if tokens.peek_token_kind(0) == Kind::Less {
                self.type_arguments_from_tokens(builder, tokens, scope);
                if tokens.consume_token_of_kind(Kind::Colons).is_none() {
                    break;
                }
            }
            if !matches!(tokens.peek_token_kind(0), Kind::Identifier | Kind::SelfWord | Kind::Super | Kind::Crate) {
                break;
            }
        }
        TokenPath { base, last: None, text: "", of }
    }

    fn record_path_import_from_tokens<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        source: &'s str,
        name: Node<'_>,
        scope: ScopeId,
    ) {
        let plain = source.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
        if plain && source.starts_with(|first: char| first.is_lowercase() || first == '_') {
            let text = builder.name_id_of_node(name);
            self.record_qualified_path_reference(builder, source, text, scope, name);
        }
    }

    /// Binds the names in the fields of a struct literal among the tokens.
    fn bind_struct_literal_fields_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        value: ExprId,
    ) {
        while let Some((kind, node)) = tokens.peek_token(0) {
            match (kind, tokens.peek_token_kind(1)) {
                (Kind::Identifier, Kind::Colon) => {
                    tokens.at += 2;
                    builder.record_member_use(value, node, Role::Write);
                    self.expression_value_from_tokens(builder, tokens, scope);
                }
                (Kind::Identifier, Kind::Comma | Kind::Other) => {
                    tokens.at += 1;
                    builder.record_member_use(value, node, Role::Write);
                    builder.record_name_use(node, scope, Role::Read);
                }
                (Kind::Comma | Kind::DotDot, _) => tokens.at += 1,
                _ => {
                    let from = tokens.at;
                    self.expression_value_from_tokens(builder, tokens, scope);
                    tokens.at = tokens.at.max(from + 1);
                }
            }
        }
    }
}
