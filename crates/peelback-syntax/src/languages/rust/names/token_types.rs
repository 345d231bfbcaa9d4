//! Types among the tokens of a Rust macro call.

use tree_sitter::Node;

use super::Binder;
use super::kinds::Kind;
use super::token_stream::TokenCursor;
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId};

impl Binder {
    /// The expression for the type at the current token. Reads all tokens that belong to the type.
    pub fn type_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> ExprId {
        loop {
            let Some((kind, node)) = tokens.peek_token(0) else { return builder.unknown_expr() };
            match kind {
                Kind::And | Kind::Star | Kind::Mutable | Kind::ConstWord | Kind::ImplWord => tokens.at += 1,
                Kind::Quote => tokens.at += 2,
                Kind::Identifier if matches!(builder.text_of_node(node), "dyn" | "mut") => tokens.at += 1,
                Kind::Identifier | Kind::Crate | Kind::Super | Kind::SelfWord | Kind::Metavariable => break,
                Kind::TokenTree => {
                    tokens.at += 1;
                    return builder
                        .run_with_depth_limit(node, |builder| self.type_from_bracketed_tokens(builder, node, scope));
                }
                Kind::PrimitiveType => {
                    tokens.at += 1;
                    return builder.unknown_expr();
                }
                _ => return builder.unknown_expr(),
            }
        }
        let start = tokens.at;
        let path = self.read_path_recording_all_but_last(builder, tokens, scope);
        tokens.at = tokens.at.max(start + 1);
        let Some(last) = path.last else { return path.base.unwrap_or(builder.unknown_expr()) };
        let base = match builder.text_of_node(last) {
            "_" => builder.unknown_expr(),
            _ => self.record_last_path_segment_use(builder, path.base, last, scope, Role::Type),
        };
        if tokens.peek_token_kind(0) != Kind::Less {
            return base;
        }
        let mut args = self.type_arguments_from_tokens(builder, tokens, scope);
        args.truncate(super::types::count_element_type_arguments(path.text));
        self.generic_type_expr(builder, base, path.text, &args)
    }

    fn type_from_bracketed_tokens(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) -> ExprId {
        let mut inside = TokenCursor::new(tree);
        let mut parts = Vec::new();
        while !inside.is_at_end() {
            let from = inside.at;
            parts.push(self.type_from_tokens(builder, &mut inside, scope));
            inside.at =
                inside.index_of_next_token_of_kind(Kind::Comma).map_or(usize::MAX, |comma| comma + 1).max(from + 1);
        }
        match (tree.child(0).map(super::kinds::kind_of_node), parts.as_slice()) {
            (Some(Kind::OpenBracket), [first, ..]) => self.unnamed_container_type_expr(builder, *first),
            (Some(Kind::OpenParen), [_, ..]) => {
                let parts = builder.add_expr_list(&parts);
                builder.add_expr(Expr::Tuple(parts))
            }
            _ => builder.unknown_expr(),
        }
    }

    /// The expressions for the type arguments `<A, B>` at the current token.
    pub fn type_arguments_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> Vec<ExprId> {
        let mut args = Vec::new();
        let Some(open) = tokens.consume_token_of_kind(Kind::Less) else { return args };
        self.open_angles += 1;
        let level = self.open_angles;
        while let Some((kind, _)) = tokens.peek_token(0) {
            match kind {
                Kind::Greater => {
                    tokens.at += 1;
                    self.open_angles = self.open_angles.saturating_sub(1);
                    break;
                }
                Kind::Shift => {
                    tokens.at += 1;
                    self.open_angles = self.open_angles.saturating_sub(2);
                    break;
                }
                Kind::Semicolon => {
                    self.open_angles = level.saturating_sub(1);
                    break;
                }
                Kind::Quote => tokens.at += 2,
                Kind::Comma => tokens.at += 1,
                Kind::Identifier if matches!(tokens.peek_token_kind(1), Kind::Equals | Kind::Colon) => tokens.at += 2,
                Kind::Identifier
                | Kind::Crate
                | Kind::Super
                | Kind::SelfWord
                | Kind::Metavariable
                | Kind::And
                | Kind::Star
                | Kind::TokenTree
                | Kind::PrimitiveType
                | Kind::ImplWord => {
                    let from = tokens.at;
                    args.push(
                        builder.run_with_depth_limit(open, |builder| self.type_from_tokens(builder, tokens, scope)),
                    );
                    tokens.at = tokens.at.max(from + 1);
                }
                _ => tokens.at += 1,
            }
            // The token `>>` also closes the type arguments around these.
            if self.open_angles < level {
                break;
            }
        }
        if tokens.is_at_end() {
            self.open_angles = level.saturating_sub(1);
        }
        args
    }
}
