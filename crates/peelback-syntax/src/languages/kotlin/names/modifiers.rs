//! Name binding of Kotlin's modifiers and annotations.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId};

/// What the modifiers of a declaration say of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Modifiers {
    pub is_private: bool,
    pub is_override: bool,
    pub is_abstract: bool,
    pub is_enum: bool,
    pub is_annotation: bool,
    pub is_data: bool,
    pub is_inner: bool,
    pub is_operator: bool,
    pub is_vararg: bool,
}

impl<'t> Binder<'t> {
    /// Binds the annotations among the modifiers of a declaration, and returns what its modifiers say.
    pub(super) fn bind_modifiers(
        &mut self,
        declaration: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Modifiers {
        let list = self.find_child(declaration, |binder, child| binder.kind(child) == Kind::Modifiers);
        let mut found = Modifiers::default();
        if let Some(list) = list {
            self.read_modifiers(list, scope, &mut found, builder);
        }
        found
    }

    /// Binds the annotations in a list of modifiers, and adds what the modifiers say to `found`.
    pub(super) fn read_modifiers(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        found: &mut Modifiers,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_child(list, builder, |binder, child, builder| {
            if binder.kind(child) == Kind::Annotation {
                binder.bind_annotation(child, scope, builder);
                return;
            }
            match builder.text_of_node(child) {
                "private" => found.is_private = true,
                "override" => found.is_override = true,
                "abstract" => found.is_abstract = true,
                "enum" => found.is_enum = true,
                "annotation" => found.is_annotation = true,
                "data" => found.is_data = true,
                "inner" => found.is_inner = true,
                "operator" => found.is_operator = true,
                "vararg" => found.is_vararg = true,
                _ => {}
            }
        });
    }

    /// Binds the names in an annotation: `@A`, `@field:A(x)`, `@[A B]`.
    pub(super) fn bind_annotation(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        builder.run_with_depth_limit(node, |builder| {
            self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
                Kind::ConstructorInvocation => {
                    binder.bind_constructor_invocation(child, scope, Role::Decorator, builder);
                }
                Kind::UserType => {
                    binder.type_expr_in_role(child, scope, Role::Decorator, builder);
                }
                _ => {}
            });
        });
    }

    pub(super) fn bind_file_annotation(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.bind_annotation(node, FILE_SCOPE, builder);
        // The name that Java knows the file by.
        let text = builder.text_of_node(node);
        if let Some(rest) = text.split_once("JvmName").map(|(_, rest)| rest)
            && let Some(name) = rest.split('"').nth(1)
        {
            builder.names.facade = Some(builder.intern_constructed_text(name));
        }
    }

    /// Binds `T(arguments)` behind a colon or an `@`, and returns the type.
    pub(super) fn bind_constructor_invocation(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut of = builder.unknown_expr();
        let mut callee = builder.unknown_expr();
        self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::ValueArguments => binder.bind_arguments(Some(child), None, (callee, callee), scope, builder),
            _ => {
                of = binder.type_expr_in_role(child, scope, role, builder);
                if role == Role::Call {
                    callee = binder.record_constructor_use(child, of, builder);
                } else {
                    callee = super::types::without_type_arguments(of, builder);
                }
            }
        });
        of
    }
}
