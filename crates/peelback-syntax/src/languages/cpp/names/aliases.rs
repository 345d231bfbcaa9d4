//! Binds the aliases of types that C++ code declares, with `using` or `typedef`.

use tree_sitter::Node;

use super::Binder;
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds `using Name = type;`.
    pub(super) fn bind_alias(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let aliased = match self.child_in_field(node, self.grammar.r#type) {
            Some(written) => self.type_expr(written, inner, builder),
            None => builder.unknown_expr(),
        };
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        self.bind_alias_name(name, aliased, scope, builder);
    }

    fn bind_alias_name(&mut self, name: Node<'t>, aliased: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let bound = builder.add_binding_with_definition(scope, BindingKind::TypeAlias, name);
        let is_local = matches!(builder.scope_kind(scope), ScopeKind::Function | ScopeKind::Block);
        let binding = builder.binding_mut(bound);
        binding.private = self.is_private;
        binding.on_type = true;
        binding.annotation = Some(aliased);
        if is_local {
            binding.visible_from = u32::try_from(name.end_byte()).unwrap_or(u32::MAX);
        }
    }

    pub(super) fn bind_typedef(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let head = self.read_specifiers(node, scope, builder);
        let mut members = match builder.names.expr_by_id(head.declared_type) {
            Expr::Object { scope } => Some(scope),
            _ => None,
        };
        let mut aliased = head.declared_type;
        for (declarator, _) in head.declarators {
            let Some(mut declared) = self.read_declared_name_and_type(declarator, aliased, scope, builder) else {
                continue;
            };
            if let Some(function) = declared.function {
                if let Some(parameters) = self.child_in_field(function, self.grammar.parameters) {
                    self.record_names_in_parameters(parameters, scope, builder);
                }
                declared.declared_type = self.function_type(function, declared.declared_type, scope, builder);
            }
            let name = builder.name_id_of_node(declared.name);
            let is_same_name = matches!(builder.names.expr_by_id(declared.declared_type),
                Expr::Name { name: written, .. } if written == name);
            match members.take() {
                // In `typedef struct { … } point;` the struct has no other name.
                Some(body) if declared.function.is_none() => {
                    let bound = builder.add_binding_with_definition(scope, BindingKind::Type, declared.name);
                    builder.link_binding_and_body_scope(bound, body);
                    aliased = builder.add_expr(Expr::Bound { binding: bound });
                }
                // `typedef struct node node;` names no other type.
                _ if is_same_name => {
                    builder.add_binding_with_definition(scope, BindingKind::Type, declared.name);
                }
                _ => self.bind_alias_name(declared.name, declared.declared_type, scope, builder),
            }
        }
    }
}
