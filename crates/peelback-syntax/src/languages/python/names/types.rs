//! Type expressions: annotations, base classes, type arguments.

use tree_sitter::Node;

use super::{Binder, Field, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// The type that a type expression denotes.
    pub(super) fn type_of_annotation(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.kind_of(node) {
            Kind::Identifier => {
                let named = self.record_name_use(builder, node, Role::Type);
                self.self_type_or(builder, builder.text(node), named)
            }
            Kind::None | Kind::Ellipsis => builder.unknown(),
            Kind::String => self.type_in_string(builder, node),
            Kind::Attribute => self.expression_value(builder, node, Role::Type),
            _ => builder.deeper(node, |builder| self.compound_type(builder, node)),
        }
    }

    /// Resolves `Self` to the enclosing class. Returns `named` for any other name.
    pub(super) fn self_type_or(&self, builder: &mut NamesBuilder<'_>, text: &str, named: ExprId) -> ExprId {
        let inside = text == "Self" && builder.nearest(self.scope, &[ScopeKind::Type]).is_some();
        if inside { builder.expr(Expr::ThisType { scope: self.scope }) } else { named }
    }

    fn compound_type(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.kind_of(node) {
            Kind::Type | Kind::ParenthesizedExpression | Kind::SplatType => match self.only_child(node) {
                Some(inner) => self.type_of_annotation(builder, inner),
                None => builder.unknown(),
            },
            Kind::Subscript | Kind::GenericType => self.generic_subscript_type(builder, node),
            Kind::UnionType | Kind::BinaryOperator => {
                let types = self.child_types(builder, node);
                builder.either(types)
            }
            Kind::MemberType => {
                let children = self.children_of(node);
                let (base, name) = (self.child_at(children, 0), self.child_at(children, 1));
                self.release_children(children);
                let (Some(base), Some(name)) = (base, name) else { return builder.unknown() };
                let base = self.type_of_annotation(builder, base.node);
                builder.use_member(base, name.node, Role::Type)
            }
            Kind::List | Kind::Tuple => {
                let types = self.child_types(builder, node);
                let span = builder.list(&types);
                builder.expr(Expr::Tuple(span))
            }
            Kind::ConcatenatedString | Kind::Integer | Kind::Float | Kind::True | Kind::False => builder.unknown(),
            // A base class may be a call: `class A(make_base())`.
            Kind::Call => self.expression_value(builder, node, Role::Type),
            Kind::ConstrainedType => {
                self.child_types(builder, node);
                builder.unknown()
            }
            _ => {
                self.expression_value(builder, node, Role::Read);
                builder.unknown()
            }
        }
    }

    fn child_types(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.for_each_child(builder, node, |binder, builder, child| {
            types.push(binder.type_of_annotation(builder, child.node))
        });
        types
    }

    /// The generic type `base[arguments]`.
    pub(super) fn generic_subscript_type(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let children = self.children_of(node);
        let Some(base) = self.child_at(children, 0) else {
            self.release_children(children);
            return builder.unknown();
        };
        let last = builder.text(base.node).rsplit('.').next().unwrap_or("");
        let base = self.type_of_annotation(builder, base.node);
        let mut arguments = Vec::new();
        let mut has_ellipsis = false;
        let mut at = 1;
        while let Some(child) = self.child_at(children, at) {
            at += 1;
            // The grammar wraps the arguments of `base[A, B]` in one node.
            if matches!(self.kind_of(child.node), Kind::TypeParameter | Kind::Tuple) {
                let inner = self.children_of(child.node);
                let mut at = 0;
                while let Some(child) = self.child_at(inner, at) {
                    at += 1;
                    has_ellipsis |= builder.text(child.node) == "...";
                    let argument = self.type_argument_value(builder, child.node, last, arguments.len());
                    arguments.push(argument);
                }
                self.release_children(inner);
            } else if child.field == Field::Subscript || self.kind_of(child.node) != Kind::Other {
                has_ellipsis |= builder.text(child.node) == "...";
                let argument = self.type_argument_value(builder, child.node, last, arguments.len());
                arguments.push(argument);
            }
        }
        self.release_children(children);
        generic_type(builder, last, base, &arguments, has_ellipsis)
    }

    fn type_argument_value(
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
            return self.type_of_annotation(builder, node);
        }
        let mut node = node;
        while self.kind_of(node) == Kind::Type {
            match self.only_child(node) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        self.expression_value(builder, node, Role::Read)
    }
}

/// The type that the generic type `base`, called `name`, denotes with these arguments.
pub(super) fn generic_type(
    builder: &mut NamesBuilder<'_>,
    name: &str,
    base: ExprId,
    arguments: &[ExprId],
    has_ellipsis: bool,
) -> ExprId {
    let first = arguments.first().copied().unwrap_or(builder.unknown());
    match name {
        "Optional" | "ClassVar" | "Final" | "Annotated" | "Required" | "NotRequired" | "ReadOnly" | "InitVar"
        | "Mapped" | "Unpack" => first,
        "Union" => builder.either(arguments.to_vec()),
        "Literal" | "TypeGuard" | "TypeIs" | "Concatenate" => builder.unknown(),
        // An instance of `type[T]` is the class `T` itself.
        "type" | "Type" if first != builder.unknown() => builder.expr(Expr::TypeOf { of: first }),
        "Callable" => {
            let returned = arguments.last().copied().filter(|last| *last != builder.unknown() && arguments.len() > 1);
            let Some(returned) = returned else { return builder.unknown() };
            let scope = builder.scope_of_bytes(crate::names::FILE_SCOPE, ScopeKind::Function, 0..0);
            let name = builder.intern("Callable");
            let binding = builder.bind_name(scope, BindingKind::Function, name, 0);
            builder.own(binding, scope);
            builder.binding(binding).annotation = Some(returned);
            let of = builder.expr(Expr::Function { binding });
            builder.expr(Expr::TypeOf { of })
        }
        "tuple" | "Tuple" if !has_ellipsis => {
            let span = builder.list(arguments);
            builder.expr(Expr::Tuple(span))
        }
        "tuple" | "Tuple" | "Generator" | "AsyncGenerator" => {
            let args = builder.list(&[first]);
            builder.expr(Expr::Generic { base: Some(base), args })
        }
        _ => {
            let args = builder.list(arguments);
            builder.expr(Expr::Generic { base: Some(base), args })
        }
    }
}
