//! Expressions for the types in Python source: annotations, base classes, type arguments.

use tree_sitter::Node;

use super::{Binder, Field, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// The expression for the type in an annotation, a base class or a type argument.
    pub(super) fn type_expr(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Identifier => {
                let named = self.record_name_use(builder, node, Role::Type);
                self.resolve_self_type(builder, builder.text_of_node(node), named)
            }
            Kind::None | Kind::Ellipsis => builder.unknown_expr(),
            Kind::String => self.type_in_string(builder, node),
            Kind::Attribute => self.bind_names_and_get_value(builder, node, Role::Type),
            _ => builder.run_with_depth_limit(node, |builder| self.compound_type_expr(builder, node)),
        }
    }

    /// The enclosing class for the type name `Self`. Returns `named`, the looked-up name, for any other type name.
    pub(super) fn resolve_self_type(&self, builder: &mut NamesBuilder<'_>, text: &str, named: ExprId) -> ExprId {
        let inside = text == "Self" && builder.nearest_scope_of_kinds(self.scope, &[ScopeKind::Type]).is_some();
        if inside { builder.add_expr(Expr::ThisType { scope: self.scope }) } else { named }
    }

    fn compound_type_expr(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Type | Kind::ParenthesizedExpression | Kind::SplatType => match self.only_or_first_child(node) {
                Some(inner) => self.type_expr(builder, inner),
                None => builder.unknown_expr(),
            },
            Kind::Subscript | Kind::GenericType => self.generic_subscript_type(builder, node),
            Kind::UnionType | Kind::BinaryOperator => {
                let types = self.child_type_exprs(builder, node);
                builder.expr_of_possible_values(types)
            }
            Kind::MemberType => {
                let children = self.push_named_non_comment_children(node);
                let (base, name) = (self.child_at_index(children, 0), self.child_at_index(children, 1));
                self.pop_children(children);
                let (Some(base), Some(name)) = (base, name) else { return builder.unknown_expr() };
                let base = self.type_expr(builder, base.node);
                builder.record_member_use(base, name.node, Role::Type)
            }
            Kind::List | Kind::Tuple => {
                let types = self.child_type_exprs(builder, node);
                let span = builder.add_expr_list(&types);
                builder.add_expr(Expr::Tuple(span))
            }
            Kind::ConcatenatedString | Kind::Integer | Kind::Float | Kind::True | Kind::False => builder.unknown_expr(),
            // A base class may be a call: `class A(make_base())`.
            Kind::Call => self.bind_names_and_get_value(builder, node, Role::Type),
            Kind::ConstrainedType => {
                self.child_type_exprs(builder, node);
                builder.unknown_expr()
            }
            _ => {
                self.bind_names_and_get_value(builder, node, Role::Read);
                builder.unknown_expr()
            }
        }
    }

    fn child_type_exprs(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            types.push(binder.type_expr(builder, child.node))
        });
        types
    }

    /// The expression for the generic type `base[arguments]`.
    pub(super) fn generic_subscript_type(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let children = self.push_named_non_comment_children(node);
        let Some(base) = self.child_at_index(children, 0) else {
            self.pop_children(children);
            return builder.unknown_expr();
        };
        let last = builder.text_of_node(base.node).rsplit('.').next().unwrap_or("");
        let base = self.type_expr(builder, base.node);
        let mut arguments = Vec::new();
        let mut has_ellipsis = false;
        let mut at = 1;
        while let Some(child) = self.child_at_index(children, at) {
            at += 1;
            // The grammar wraps the arguments of `base[A, B]` in one node.
            if matches!(self.kind_of_node(child.node), Kind::TypeParameter | Kind::Tuple) {
                let inner = self.push_named_non_comment_children(child.node);
                let mut at = 0;
                while let Some(child) = self.child_at_index(inner, at) {
                    at += 1;
                    has_ellipsis |= builder.text_of_node(child.node) == "...";
                    let argument = self.type_argument_expr(builder, child.node, last, arguments.len());
                    arguments.push(argument);
                }
                self.pop_children(inner);
            } else if child.field == Field::Subscript || self.kind_of_node(child.node) != Kind::Other {
                has_ellipsis |= builder.text_of_node(child.node) == "...";
                let argument = self.type_argument_expr(builder, child.node, last, arguments.len());
                arguments.push(argument);
            }
        }
        self.pop_children(children);
        generic_type_expr(builder, last, base, &arguments, has_ellipsis)
    }

    fn type_argument_expr(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        base: &str,
        index: usize,
    ) -> ExprId {
        let is_type = match base {
            "Literal" => false,
            "Annotated" => index == 0,
            _ => true,
        };
        if is_type {
            return self.type_expr(builder, node);
        }
        let mut node = node;
        while self.kind_of_node(node) == Kind::Type {
            match self.only_or_first_child(node) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        self.bind_names_and_get_value(builder, node, Role::Read)
    }
}

/// The expression for the type `base[arguments]`, where `name` is the text of `base`.
pub(super) fn generic_type_expr(
    builder: &mut NamesBuilder<'_>,
    name: &str,
    base: ExprId,
    arguments: &[ExprId],
    has_ellipsis: bool,
) -> ExprId {
    let first = arguments.first().copied().unwrap_or(builder.unknown_expr());
    match name {
        "Optional" | "ClassVar" | "Final" | "Annotated" | "Required" | "NotRequired" | "ReadOnly" | "InitVar"
        | "Mapped" | "Unpack" => first,
        "Union" => builder.expr_of_possible_values(arguments.to_vec()),
        "Literal" | "TypeGuard" | "TypeIs" | "Concatenate" => builder.unknown_expr(),
        // An instance of `type[T]` is the class `T` itself.
        "type" | "Type" if first != builder.unknown_expr() => builder.add_expr(Expr::TypeOf { of: first }),
        "Callable" => {
            let returned =
                arguments.last().copied().filter(|last| *last != builder.unknown_expr() && arguments.len() > 1);
            let Some(returned) = returned else { return builder.unknown_expr() };
            let scope = builder.add_child_scope_for_bytes(crate::names::FILE_SCOPE, ScopeKind::Function, 0..0);
            let name = builder.intern_source_text("Callable");
            let binding = builder.add_binding(scope, BindingKind::Function, name, 0);
            builder.link_binding_and_body_scope(binding, scope);
            builder.binding_mut(binding).annotation = Some(returned);
            let of = builder.add_expr(Expr::Function { binding });
            builder.add_expr(Expr::TypeOf { of })
        }
        "tuple" | "Tuple" if !has_ellipsis => {
            let span = builder.add_expr_list(arguments);
            builder.add_expr(Expr::Tuple(span))
        }
        "tuple" | "Tuple" | "Generator" | "AsyncGenerator" => {
            let args = builder.add_expr_list(&[first]);
            builder.add_expr(Expr::Generic { base: Some(base), args })
        }
        _ => {
            let args = builder.add_expr_list(arguments);
            builder.add_expr(Expr::Generic { base: Some(base), args })
        }
    }
}
