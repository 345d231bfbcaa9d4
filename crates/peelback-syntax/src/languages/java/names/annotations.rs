//! Name binding of Java's annotations and modifiers.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, RestrictedNameKind, Role, ScopeId};

/// What the modifiers of a declaration say of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Modifiers {
    pub is_static: bool,
    pub is_private: bool,
    pub is_final: bool,
}

impl<'t> Binder<'t> {
    /// Binds the annotations among the modifiers of a declaration, and returns what its modifiers say.
    pub(super) fn bind_modifiers(
        &mut self,
        declaration: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Modifiers {
        let mut found = Modifiers::default();
        // They come first: a declaration can have thousands of names behind them.
        let Some(modifiers) = self.first_named_child(declaration).filter(|first| self.kind(*first) == Kind::Modifiers)
        else {
            return found;
        };
        let count = modifiers.child_count();
        for child in (0..count).filter_map(|at| modifiers.child(at)) {
            match child.kind() {
                "static" => found.is_static = true,
                "private" => found.is_private = true,
                "final" => found.is_final = true,
                _ => self.bind_annotation_if_any(child, scope, builder),
            }
        }
        found
    }

    /// Binds the names in a node if it is an annotation.
    pub(super) fn bind_annotation_if_any(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if !matches!(self.kind(node), Kind::Annotation | Kind::MarkerAnnotation) {
            return;
        }
        builder.run_with_depth_limit(node, |builder| self.bind_annotation(node, scope, builder));
    }

    fn bind_annotation(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let of = match self.kind(name) {
            Kind::Identifier => {
                self.record_restricted_name_use(name, scope, (RestrictedNameKind::Type, Role::Decorator), builder)
            }
            _ => self.qualified_type_name_expr(name, scope, Role::Decorator, builder),
        };
        let Some(arguments) = self.field(node, self.grammar.arguments) else { return };
        self.for_each_named_non_comment_child(arguments, builder, |binder, argument, builder| {
            if binder.kind(argument) != Kind::ElementValuePair {
                binder.bind_element_value(argument, scope, builder);
                return;
            }
            if let Some(key) = binder.field(argument, binder.grammar.key) {
                // An element is a method of the annotation type.
                builder.record_member_use(of, key, Role::Read);
            }
            if let Some(value) = binder.field(argument, binder.grammar.value) {
                binder.bind_element_value(value, scope, builder);
            }
        });
    }

    /// Binds the names in the value of an annotation's element.
    pub(super) fn bind_element_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        builder.run_with_depth_limit(node, |builder| match self.kind(node) {
            Kind::Annotation | Kind::MarkerAnnotation => self.bind_annotation(node, scope, builder),
            Kind::ElementValueArrayInitializer => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    binder.bind_element_value(child, scope, builder)
                });
            }
            _ => {
                self.value(node, scope, builder);
            }
        });
    }

    /// The expression for a type that is named by a dotted path in an annotation: `@Outer.Inner`, `@a.b.C`.
    fn qualified_type_name_expr(
        &mut self,
        path: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(path) {
            Kind::ScopedIdentifier => builder.run_with_depth_limit(path, |builder| {
                let base = match self.field(path, self.grammar.scope) {
                    Some(owner) => self.qualified_type_name_expr(owner, scope, Role::Type, builder),
                    None => builder.unknown_expr(),
                };
                match self.field(path, self.grammar.name) {
                    Some(name) => builder.record_member_use(base, name, role),
                    None => builder.add_expr(Expr::Unknown),
                }
            }),
            _ => self.record_restricted_name_use(path, scope, (RestrictedNameKind::Type, role), builder),
        }
    }
}
