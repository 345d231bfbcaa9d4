//! Name binding for `use` declarations among the tokens of a Rust macro call.

use tree_sitter::Node;

use super::Binder;
use super::kinds::Kind;
use super::token_stream::TokenCursor;
use crate::names::{BindingKind, ExprId, ModuleImportKind, NameId, NamesBuilder, Role, ScopeId, Target};

impl Binder {
    /// Binds the names that `use a::{b, c as d};` imports, where the declaration is among the tokens.
    pub fn bind_use_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
    ) {
        let end = tokens.index_of_next_token_of_kind(Kind::Semicolon).unwrap_or(usize::MAX);
        let mut inside = tokens.take_tokens_until_index(end);
        self.bind_use_tree_from_tokens(builder, &mut inside, scope, String::new(), None);
    }

    fn bind_use_tree_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        mut source: String,
        mut base: Option<ExprId>,
    ) {
        while let Some((kind, node)) = tokens.next_token() {
            match kind {
                Kind::Identifier | Kind::Crate | Kind::Super | Kind::SelfWord => {
                    let text = builder.text_of_node(node);
                    if tokens.peek_token_kind(0) != Kind::Colons {
                        self.bind_use_leaf_from_tokens(builder, tokens, scope, &source, node);
                        continue;
                    }
                    base = Some(match base {
                        Some(base) => builder.record_member_use(base, node, Role::Import),
                        None => self.path_qualifier_expr(builder, node, scope, Some(Role::Import)),
                    });
                    if !source.is_empty() {
                        source.push_str("::");
                    }
                    source.push_str(text);
                }
                Kind::Star if !self.in_macro_definition => {
                    let source = builder.intern_constructed_text(&source);
                    let import = builder.add_import(ModuleImportKind::Import, source, scope, node);
                    builder.import_mut(import).glob = true;
                }
                Kind::TokenTree => builder.run_with_depth_limit(node, |builder| {
                    let mut inside = TokenCursor::new(node);
                    while !inside.is_at_end() {
                        let end = inside.index_of_next_token_of_kind(Kind::Comma).unwrap_or(usize::MAX);
                        let mut entry = inside.take_tokens_until_index(end);
                        inside.consume_token_of_kind(Kind::Comma);
                        self.bind_use_tree_from_tokens(builder, &mut entry, scope, source.clone(), base);
                    }
                }),
                _ => {}
            }
        }
    }

    fn bind_use_leaf_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut TokenCursor<'_>,
        scope: ScopeId,
        source: &str,
        node: Node<'_>,
    ) {
        if self.in_macro_definition {
            return;
        }
        let text = builder.text_of_node(node);
        let (source, taken): (&str, Option<NameId>) = match (source, text) {
            ("", text) => (text, None),
            (source, "self") => (source, None),
            (source, _) => (source, Some(builder.name_id_of_node(node))),
        };
        let source_id = builder.intern_constructed_text(source);
        let import = builder.add_import(ModuleImportKind::Import, source_id, scope, node);
        if let Some(taken) = taken {
            builder.import_mut(import).names.push(taken);
        }
        builder.record_occurrence(node, Role::Import, Target::Imported(import, taken));
        let mut local = match taken {
            Some(taken) => taken,
            None => builder.intern_constructed_text(source.rsplit("::").next().unwrap_or("")),
        };
        let mut place = node;
        if tokens.peek_token_kind(0) == Kind::AsWord
            && let Some((Kind::Identifier, alias)) = tokens.peek_token(1)
        {
            tokens.at += 2;
            local = builder.name_id_of_node(alias);
            place = alias;
        }
        let binding = builder.add_binding(scope, BindingKind::Import, local, place.start_byte());
        builder.binding_mut(binding).import = Some((import, taken));
    }
}
