//! Type expressions: annotations, bases, type arguments.

use tree_sitter::Node;

use super::{Binder, Field, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// What type a node means.
    pub(super) fn annotation(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => {
                let named = self.use_name(builder, node, Role::Type);
                self.own_type(builder, builder.text(node), named)
            }
            Kind::None | Kind::Ellipsis => builder.unknown(),
            Kind::String => self.written_type(builder, node),
            Kind::Attribute => self.expression(builder, node, Role::Type),
            _ => builder.deeper(node, |builder| self.compound_type(builder, node)),
        }
    }

    /// `Self` is the class around.
    pub(super) fn own_type(&self, builder: &mut NamesBuilder<'_>, text: &str, named: ExprId) -> ExprId {
        let inside = text == "Self" && builder.nearest(self.scope, &[ScopeKind::Type]).is_some();
        if inside { builder.expr(Expr::ThisType { scope: self.scope }) } else { named }
    }

    fn compound_type(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.kind(node) {
            Kind::Type | Kind::ParenthesizedExpression | Kind::SplatType => match self.only_child(node) {
                Some(inner) => self.annotation(builder, inner),
                None => builder.unknown(),
            },
            Kind::Subscript | Kind::GenericType => self.generic_subscript(builder, node),
            Kind::UnionType | Kind::BinaryOperator => {
                let types = self.types_in(builder, node);
                builder.either(types)
            }
            Kind::MemberType => {
                let kids = self.children(node);
                let (base, name) = (self.child(kids, 0), self.child(kids, 1));
                self.done(kids);
                let (Some(base), Some(name)) = (base, name) else { return builder.unknown() };
                let base = self.annotation(builder, base.node);
                builder.use_member(base, name.node, Role::Type)
            }
            Kind::List | Kind::Tuple => {
                let types = self.types_in(builder, node);
                let span = builder.list(&types);
                builder.expr(Expr::Tuple(span))
            }
            Kind::ConcatenatedString | Kind::Integer | Kind::Float | Kind::True | Kind::False => builder.unknown(),
            // A base may be called for: `class A(make_base())`.
            Kind::Call => self.expression(builder, node, Role::Type),
            Kind::ConstrainedType => {
                self.types_in(builder, node);
                builder.unknown()
            }
            _ => {
                self.expression(builder, node, Role::Read);
                builder.unknown()
            }
        }
    }

    fn types_in(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.each(builder, node, |binder, builder, child| types.push(binder.annotation(builder, child.node)));
        types
    }

    /// `base[arguments]`.
    pub(super) fn generic_subscript(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let kids = self.children(node);
        let Some(base) = self.child(kids, 0) else {
            self.done(kids);
            return builder.unknown();
        };
        let last = builder.text(base.node).rsplit('.').next().unwrap_or("");
        let base = self.annotation(builder, base.node);
        let mut arguments = Vec::new();
        let mut lasts_forever = false;
        let mut at = 1;
        while let Some(child) = self.child(kids, at) {
            at += 1;
            // `[A, B]` of a generic type is one node around them, and so is a tuple in a subscript.
            if matches!(self.kind(child.node), Kind::TypeParameter | Kind::Tuple) {
                let inner = self.children(child.node);
                let mut at = 0;
                while let Some(child) = self.child(inner, at) {
                    at += 1;
                    lasts_forever |= builder.text(child.node) == "...";
                    let argument = self.type_argument(builder, child.node, last, arguments.len());
                    arguments.push(argument);
                }
                self.done(inner);
            } else if child.field == Field::Subscript || self.kind(child.node) != Kind::Other {
                lasts_forever |= builder.text(child.node) == "...";
                let argument = self.type_argument(builder, child.node, last, arguments.len());
                arguments.push(argument);
            }
        }
        self.done(kids);
        generic(builder, last, base, &arguments, lasts_forever)
    }

    fn type_argument(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, base: &str, index: usize) -> ExprId {
        let is_type = match base {
            "Literal" => false,
            "Annotated" => index == 0,
            _ => true,
        };
        if is_type {
            return self.annotation(builder, node);
        }
        let mut node = node;
        while self.kind(node) == Kind::Type {
            match self.only_child(node) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        self.expression(builder, node, Role::Read)
    }
}

/// The type that a generic one with these arguments means. `base` is called `name`.
pub(super) fn generic(
    builder: &mut NamesBuilder<'_>,
    name: &str,
    base: ExprId,
    arguments: &[ExprId],
    forever: bool,
) -> ExprId {
    let first = arguments.first().copied().unwrap_or(builder.unknown());
    match name {
        "Optional" | "ClassVar" | "Final" | "Annotated" | "Required" | "NotRequired" | "ReadOnly" | "InitVar"
        | "Mapped" | "Unpack" => first,
        "Union" => builder.either(arguments.to_vec()),
        "Literal" | "TypeGuard" | "TypeIs" | "Concatenate" => builder.unknown(),
        // An instance of it is the type.
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
        "tuple" | "Tuple" if !forever => {
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
