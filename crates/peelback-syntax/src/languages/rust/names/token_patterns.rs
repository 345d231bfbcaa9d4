//! Name binding for patterns and parameters among the tokens of a Rust macro call.

use super::items::positional_field_name;
use super::kinds::Kind;
use super::paths::looks_like_type_name;
use super::token_stream::TokenCursor;
use super::{Binder, saturating_u32};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId};

impl Binder {
    /// Binds one function parameter among the tokens and skips the comma after it: `a: T`, `self`, `(a, b)`.
    pub fn bind_parameter_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        hint: ExprId,
    ) {
        let mut depth = 0_i32;
        let mut end = tokens.at;
        loop {
            let ahead = end - tokens.at;
            match tokens.peek_token_kind(ahead) {
                _ if tokens.peek_token(ahead).is_none() => break,
                Kind::Comma if depth <= 0 => break,
                Kind::Less => depth += 1,
                Kind::Greater => depth -= 1,
                Kind::Shift => depth -= 2,
                _ => {}
            }
            end += 1;
        }
        let mut parameter = tokens.take_tokens_until_index(end);
        tokens.consume_token_of_kind(Kind::Comma);
        self.bind_typed_pattern_from_tokens(builder, &mut parameter, scope, BindingKind::Parameter, hint, 0);
    }

    /// Binds the names in a pattern with an optional type annotation among the tokens: `a`, `(a, b): T`.
    pub fn bind_typed_pattern_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        kind_of: BindingKind,
        value: ExprId,
        from: u32,
    ) {
        let first = builder.names.bindings.len();
        let typed = tokens.index_of_next_token_of_kind(Kind::Colon);
        let Some(colon) = typed else {
            return self.bind_pattern_from_tokens(builder, tokens, scope, kind_of, value, from);
        };
        let mut pattern = tokens.take_tokens_until_index(colon);
        tokens.at += 1;
        let of = self.type_from_tokens(builder, tokens, scope);
        let simple = !matches!(pattern.peek_token_kind(0), Kind::TokenTree)
            && pattern.index_of_next_token_of_kind(Kind::TokenTree).is_none();
        let known = !self.has_inferred_type_part(builder, of) || value == builder.unknown_expr();
        let inside = if simple || !known { value } else { self.instance_expr_of_type(builder, of) };
        let before = builder.names.bindings.len();
        self.bind_pattern_from_tokens(builder, &mut pattern, scope, kind_of, inside, from);
        let bound = builder.names.bindings.get_mut(before.max(first)..).unwrap_or_default();
        if let (true, true, [bound]) = (simple, known, bound) {
            bound.annotation = Some(of);
        }
    }

    pub fn bind_pattern_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        kind_of: BindingKind,
        value: ExprId,
        from: u32,
    ) {
        while let Some((kind, node)) = tokens.peek_token(0) {
            match kind {
                Kind::Identifier if matches!(builder.text_of_node(node), "_" | "ref" | "box") => tokens.at += 1,
                Kind::Identifier
                    if !looks_like_type_name(builder.text_of_node(node))
                        && tokens.peek_token_kind(1) != Kind::Colons
                        && tokens.peek_token_kind(1) != Kind::TokenTree =>
                {
                    tokens.at += 1;
                    let binding = builder.add_binding_with_definition(scope, kind_of, node);
                    if value != builder.unknown_expr() {
                        let values = builder.add_expr_list(&[value]);
                        builder.binding_mut(binding).values = values;
                    }
                    builder.binding_mut(binding).visible_from = from;
                }
                Kind::Identifier | Kind::Crate | Kind::Super => {
                    builder.run_with_depth_limit(node, |builder| {
                        self.bind_variant_or_struct_pattern_fields(builder, tokens, scope, kind_of, value, from)
                    });
                }
                Kind::SelfWord if tokens.peek_token_kind(1) == Kind::Colons => {
                    builder.run_with_depth_limit(node, |builder| {
                        self.bind_variant_or_struct_pattern_fields(builder, tokens, scope, kind_of, value, from)
                    });
                }
                Kind::TokenTree => {
                    tokens.at += 1;
                    builder.run_with_depth_limit(node, |builder| {
                        let mut inside = TokenCursor::new(node);
                        let mut index = 0;
                        while !inside.is_at_end() {
                            let part = if value == builder.unknown_expr() {
                                value
                            } else {
                                builder.add_expr(Expr::Item { of: value, index })
                            };
                            index += 1;
                            let end = inside.index_of_next_token_of_kind(Kind::Comma);
                            let mut entry = match end {
                                Some(end) => inside.take_tokens_until_index(end),
                                None => inside.take_tokens_until_index(usize::MAX),
                            };
                            inside.consume_token_of_kind(Kind::Comma);
                            self.bind_pattern_from_tokens(builder, &mut entry, scope, kind_of, part, from);
                        }
                    });
                }
                _ => tokens.at += 1,
            }
        }
    }

    /// Binds the names in the fields of a variant or struct pattern among the tokens: `Some(a)`,
    /// `Shape::Circle { x, y: top }`.
    fn bind_variant_or_struct_pattern_fields(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        kind_of: BindingKind,
        value: ExprId,
        from: u32,
    ) {
        let start = tokens.at;
        let path = self.read_path_recording_all_but_last(builder, tokens, scope);
        tokens.at = tokens.at.max(start + 1);
        let Some(last) = path.last else { return };
        let of = self.record_last_path_segment_use(builder, path.base, last, scope, Role::Read);
        if let Some(tree) = tokens.consume_token_tree_with_bracket(Kind::OpenParen) {
            let whole = self.instance_expr_of_type(builder, of);
            let mut inside = TokenCursor::new(tree);
            let mut index = 0;
            while !inside.is_at_end() {
                let part = match path.text {
                    "Some" | "Ok" => self.element_or_awaited_expr(builder, value),
                    "Err" => builder.unknown_expr(),
                    _ => {
                        let (name, at) = (positional_field_name(builder, index), saturating_u32(tree.start_byte()));
                        builder.add_expr(Expr::Member { base: whole, name, at })
                    }
                };
                index += 1;
                let end = inside.index_of_next_token_of_kind(Kind::Comma).unwrap_or(usize::MAX);
                let mut entry = inside.take_tokens_until_index(end);
                inside.consume_token_of_kind(Kind::Comma);
                self.bind_pattern_from_tokens(builder, &mut entry, scope, kind_of, part, from);
            }
        } else if let Some(tree) = tokens.consume_token_tree_with_bracket(Kind::OpenBrace) {
            let whole = self.instance_expr_of_type(builder, of);
            let mut inside = TokenCursor::new(tree);
            while !inside.is_at_end() {
                let end = inside.index_of_next_token_of_kind(Kind::Comma).unwrap_or(usize::MAX);
                let mut entry = inside.take_tokens_until_index(end);
                inside.consume_token_of_kind(Kind::Comma);
                let Some((Kind::Identifier, field)) = entry.peek_token(0) else { continue };
                let part = builder.record_member_use(whole, field, Role::Member);
                if entry.peek_token_kind(1) == Kind::Colon {
                    entry.at += 2;
                }
                self.bind_pattern_from_tokens(builder, &mut entry, scope, kind_of, part, from);
            }
        }
    }
}
