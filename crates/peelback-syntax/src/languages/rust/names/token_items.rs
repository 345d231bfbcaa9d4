//! Name binding for statements and items among the tokens of a Rust macro call.

use tree_sitter::Node;

use super::Binder;
use super::kinds::Kind;
use super::saturating_u32;
use super::token_stream::TokenCursor;
use crate::names::{BindingKind, ExprId, NamesBuilder, ScopeId, ScopeKind};

impl Binder {
    /// Binds the statement or item that begins with the next keyword among the tokens. Returns `false` if there is
    /// none.
    pub fn bind_statement_or_item_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> bool {
        let Some((kind, node)) = tokens.peek_token(0) else { return false };
        match kind {
            Kind::LetWord => self.bind_let_from_tokens(builder, tokens, scope),
            Kind::ForWord => return self.bind_for_from_tokens(builder, tokens, scope),
            Kind::MatchWord => {
                builder.run_with_depth_limit(node, |builder| self.match_value_from_tokens(builder, tokens, scope));
            }
            Kind::Hash => {
                tokens.at += 1;
                tokens.consume_token_of_kind(Kind::Bang);
                tokens.consume_token_tree_with_bracket(Kind::OpenBracket);
            }
            Kind::Quote => tokens.at += 2,
            Kind::FnWord if tokens.peek_token_kind(1) == Kind::Identifier => {
                builder.run_with_depth_limit(node, |builder| self.bind_function_from_tokens(builder, tokens, scope));
            }
            Kind::StructWord | Kind::EnumWord | Kind::TraitWord if tokens.peek_token_kind(1) == Kind::Identifier => {
                tokens.at += 1;
                if let Some((_, name)) = tokens.next_token() {
                    self.bind_definition_outside_macro_rules(builder, scope, BindingKind::Type, name);
                }
            }
            Kind::TypeWord
                if tokens.peek_token_kind(1) == Kind::Identifier && tokens.peek_token_kind(2) == Kind::Equals =>
            {
                tokens.at += 1;
                let Some((_, name)) = tokens.next_token() else { return true };
                tokens.at += 1;
                let of = self.type_from_tokens(builder, tokens, scope);
                if let Some(binding) =
                    self.bind_definition_outside_macro_rules(builder, scope, BindingKind::TypeAlias, name)
                {
                    builder.binding_mut(binding).annotation = Some(of);
                }
            }
            Kind::StaticWord | Kind::ConstWord => {
                return self.bind_constant_or_static_from_tokens(builder, tokens, scope);
            }
            Kind::ModWord if tokens.peek_token_kind(1) == Kind::Identifier => {
                tokens.at += 1;
                let Some((_, name)) = tokens.next_token() else { return true };
                if tokens.peek_token_kind(0) == Kind::Semicolon && !self.in_macro_definition {
                    self.bind_module_of_other_file(builder, name, scope, &[]);
                }
            }
            Kind::UseWord => {
                tokens.at += 1;
                self.bind_use_from_tokens(builder, tokens, scope);
            }
            _ => return false,
        }
        true
    }

    /// Binds the name of a definition in a macro call. A definition in the rules of a macro is not bound, because it is
    /// defined where the macro is called.
    fn bind_definition_outside_macro_rules(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        scope: ScopeId,
        kind: BindingKind,
        name: Node<'_>,
    ) -> Option<u32> {
        if self.in_macro_definition {
            return None;
        }
        self.record_item_if_inside_function(builder, name, scope);
        Some(builder.add_binding_with_definition(scope, kind, name))
    }

    /// Binds the variables of `let a = b` among the tokens, also where it is in a condition.
    fn bind_let_from_tokens(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut TokenCursor<'_>, scope: ScopeId) {
        tokens.at += 1;
        let ends = tokens.index_of_next_token_of_kind(Kind::Semicolon).unwrap_or(usize::MAX);
        let Some(end) = tokens.index_of_next_token_of_kind(Kind::Equals).filter(|end| *end < ends) else { return };
        let mut pattern = tokens.take_tokens_until_index(end);
        tokens.at += 1;
        while matches!(tokens.peek_token_kind(0), Kind::And | Kind::Star | Kind::Mutable) {
            tokens.at += 1;
        }
        let value = self.operand_value_from_tokens(builder, tokens, scope);
        let from = tokens
            .at
            .checked_sub(1)
            .and_then(|_| tokens.peek_token(0))
            .map_or(0, |(_, node)| saturating_u32(node.start_byte()));
        self.bind_typed_pattern_from_tokens(builder, &mut pattern, scope, BindingKind::Variable, value, from);
    }

    /// The value of the operand at the current token; unknown if there is none, or if an operator follows it.
    fn operand_value_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let is_operand = matches!(
            tokens.peek_token_kind(0),
            Kind::Identifier | Kind::SelfWord | Kind::Super | Kind::Crate | Kind::TokenTree | Kind::Metavariable
        );
        if !is_operand {
            return builder.unknown_expr();
        }
        let value = self.postfix_chain_value_from_tokens(builder, tokens, scope);
        match tokens.peek_token_kind(0) {
            Kind::Semicolon | Kind::TokenTree | Kind::Other | Kind::Identifier | Kind::Comma => value,
            _ => builder.unknown_expr(),
        }
    }

    /// Binds the variables of the loop `for a in b { … }` among the tokens. Returns `false` if `for` does not open a
    /// loop.
    fn bind_for_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> bool {
        let from = tokens.at;
        tokens.at += 1;
        let mut end = None;
        for ahead in 0..32 {
            match tokens.peek_token(ahead) {
                Some((Kind::Identifier, node)) if builder.text_of_node(node) == "in" => {
                    end = Some(tokens.at + ahead);
                    break;
                }
                Some((Kind::Semicolon, _)) | None => break,
                Some((Kind::TokenTree, _)) if tokens.peek_token_tree_with_bracket(Kind::OpenBrace).is_some() => break,
                _ => {}
            }
        }
        let Some(end) = end else {
            tokens.at = from;
            return false;
        };
        let mut pattern = tokens.take_tokens_until_index(end);
        tokens.at += 1;
        while matches!(tokens.peek_token_kind(0), Kind::And | Kind::Star | Kind::Mutable) {
            tokens.at += 1;
        }
        let over = self.operand_value_from_tokens(builder, tokens, scope);
        let Some(body) = tokens.consume_token_tree_with_bracket(Kind::OpenBrace) else { return true };
        let inner = builder.add_child_scope(scope, ScopeKind::Block, body);
        let element = self.element_or_awaited_expr(builder, over);
        self.bind_typed_pattern_from_tokens(builder, &mut pattern, inner, BindingKind::Variable, element, 0);
        builder.run_with_depth_limit(body, |builder| {
            self.separated_expression_values(builder, &mut TokenCursor::new(body), inner)
        });
        true
    }

    /// The value of `match a { … }` among the tokens: those of its arms. Binds the variables in the arms.
    pub fn match_value_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> ExprId {
        tokens.at += 1;
        while matches!(tokens.peek_token_kind(0), Kind::And | Kind::Star | Kind::Mutable) {
            tokens.at += 1;
        }
        let matched = self.operand_value_from_tokens(builder, tokens, scope);
        let Some(body) = tokens.consume_token_tree_with_bracket(Kind::OpenBrace) else { return builder.unknown_expr() };
        let mut values = Vec::new();
        let mut arms = TokenCursor::new(body);
        while let Some(end) = arms.index_of_next_token_of_kind(Kind::FatArrow) {
            let mut head = arms.take_tokens_until_index(end);
            arms.at += 1;
            let inner = builder.add_child_scope(scope, ScopeKind::Block, body);
            let guard = head.index_of_next_token_of_kind(Kind::IfWord).unwrap_or(usize::MAX);
            let mut pattern = head.take_tokens_until_index(guard);
            self.bind_typed_pattern_from_tokens(builder, &mut pattern, inner, BindingKind::Variable, matched, 0);
            self.separated_expression_values(builder, &mut head, inner);
            let value = match arms.consume_token_tree_with_bracket(Kind::OpenBrace) {
                Some(block) => {
                    builder.run_with_depth_limit(block, |builder| self.bracketed_tokens_value(builder, block, inner))
                }
                None => self.expression_value_from_tokens(builder, &mut arms, inner),
            };
            values.push(value);
            arms.consume_token_of_kind(Kind::Comma);
        }
        self.separated_expression_values(builder, &mut arms, scope);
        builder.expr_of_possible_values(values)
    }

    fn bind_function_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) {
        tokens.at += 1;
        let Some((_, name)) = tokens.next_token() else { return };
        let binding = self.bind_definition_outside_macro_rules(builder, scope, BindingKind::Function, name);
        if tokens.peek_token_kind(0) == Kind::Less {
            self.type_arguments_from_tokens(builder, tokens, scope);
        }
        let Some(tree) = tokens.consume_token_tree_with_bracket(Kind::OpenParen) else { return };
        let body = builder.add_child_scope(scope, ScopeKind::Function, tree);
        let mut parameters = TokenCursor::new(tree);
        let has_self = parameters.index_of_next_token_of_kind(Kind::SelfWord).is_some();
        while !parameters.is_at_end() {
            let unknown = builder.unknown_expr();
            self.bind_parameter_from_tokens(builder, &mut parameters, body, unknown);
        }
        let return_type = if tokens.consume_token_of_kind(Kind::Arrow).is_some() {
            Some(self.type_from_tokens(builder, tokens, body))
        } else {
            None
        };
        if let Some(binding) = binding {
            builder.link_binding_and_body_scope(binding, body);
            let on_type = builder.scope_kind(scope) == ScopeKind::Type && !has_self;
            let binding = builder.binding_mut(binding);
            binding.annotation = return_type;
            binding.on_type = on_type;
        }
        if let Some(block) = tokens.consume_token_tree_with_bracket(Kind::OpenBrace) {
            if let Some(scope) = builder.names.scopes.get_mut(body as usize) {
                scope.bytes.end = saturating_u32(block.end_byte());
            }
            builder.run_with_depth_limit(block, |builder| {
                self.separated_expression_values(builder, &mut TokenCursor::new(block), body)
            });
        }
    }

    /// Binds the name of `static ref NAME: T = …` or a similar constant among the tokens. Returns `false` if the tokens
    /// have another form.
    fn bind_constant_or_static_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) -> bool {
        let is_ref = tokens
            .peek_token(1)
            .is_some_and(|(kind, node)| kind == Kind::Identifier && builder.text_of_node(node) == "ref");
        let skip = 1 + usize::from(is_ref) + usize::from(tokens.peek_token_kind(1) == Kind::Mutable);
        let (Some((Kind::Identifier, name)), Kind::Colon) = (tokens.peek_token(skip), tokens.peek_token_kind(skip + 1))
        else {
            return false;
        };
        tokens.at += skip + 2;
        let of = self.type_from_tokens(builder, tokens, scope);
        if let Some(binding) = self.bind_definition_outside_macro_rules(builder, scope, BindingKind::Variable, name) {
            builder.binding_mut(binding).annotation = Some(of);
        }
        true
    }
}
