//! Type expressions: annotations, bases, type arguments.

use tree_sitter::Node;

use super::{Binder, Field, Kind};
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// What type a node means.
    pub(super) fn annotation(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => {
                let named = self.use_name(cx, node, Role::Type);
                self.own_type(cx, cx.text(node), named)
            }
            Kind::None | Kind::Ellipsis => cx.unknown(),
            Kind::String => self.written_type(cx, node),
            Kind::Attribute => self.expression(cx, node, Role::Type),
            _ => cx.deeper(node, |cx| self.compound_type(cx, node)),
        }
    }

    /// `Self` is the class around.
    pub(super) fn own_type(&self, cx: &mut Cx<'_>, text: &str, named: ExprId) -> ExprId {
        let inside = text == "Self" && cx.nearest(self.scope, &[ScopeKind::Type]).is_some();
        if inside { cx.expr(Expr::ThisType { scope: self.scope }) } else { named }
    }

    fn compound_type(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        match self.kind(node) {
            Kind::Type | Kind::ParenthesizedExpression | Kind::SplatType => match self.only_child(node) {
                Some(inner) => self.annotation(cx, inner),
                None => cx.unknown(),
            },
            Kind::Subscript | Kind::GenericType => self.generic_subscript(cx, node),
            Kind::UnionType | Kind::BinaryOperator => {
                let types = self.types_in(cx, node);
                cx.either(types)
            }
            Kind::MemberType => {
                let kids = self.children(node);
                let (base, name) = (self.child(kids, 0), self.child(kids, 1));
                self.done(kids);
                let (Some(base), Some(name)) = (base, name) else { return cx.unknown() };
                let base = self.annotation(cx, base.node);
                cx.use_member(base, name.node, Role::Type)
            }
            Kind::List | Kind::Tuple => {
                let types = self.types_in(cx, node);
                let span = cx.list(&types);
                cx.expr(Expr::Tuple(span))
            }
            Kind::ConcatenatedString | Kind::Integer | Kind::Float | Kind::True | Kind::False => cx.unknown(),
            // A base may be called for: `class A(make_base())`.
            Kind::Call => self.expression(cx, node, Role::Type),
            Kind::ConstrainedType => {
                self.types_in(cx, node);
                cx.unknown()
            }
            _ => {
                self.expression(cx, node, Role::Read);
                cx.unknown()
            }
        }
    }

    fn types_in(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.each(cx, node, |binder, cx, child| types.push(binder.annotation(cx, child.node)));
        types
    }

    /// `base[arguments]`.
    pub(super) fn generic_subscript(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        let kids = self.children(node);
        let Some(base) = self.child(kids, 0) else {
            self.done(kids);
            return cx.unknown();
        };
        let last = cx.text(base.node).rsplit('.').next().unwrap_or("");
        let base = self.annotation(cx, base.node);
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
                    lasts_forever |= cx.text(child.node) == "...";
                    let argument = self.type_argument(cx, child.node, last, arguments.len());
                    arguments.push(argument);
                }
                self.done(inner);
            } else if child.field == Field::Subscript || self.kind(child.node) != Kind::Other {
                lasts_forever |= cx.text(child.node) == "...";
                let argument = self.type_argument(cx, child.node, last, arguments.len());
                arguments.push(argument);
            }
        }
        self.done(kids);
        generic(cx, last, base, &arguments, lasts_forever)
    }

    fn type_argument(&mut self, cx: &mut Cx<'_>, node: Node<'t>, base: &str, index: usize) -> ExprId {
        let is_type = match base {
            "Literal" => false,
            "Annotated" => index == 0,
            _ => true,
        };
        if is_type {
            return self.annotation(cx, node);
        }
        let mut node = node;
        while self.kind(node) == Kind::Type {
            match self.only_child(node) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        self.expression(cx, node, Role::Read)
    }
}

/// The type that a generic one with these arguments means. `base` is called `name`.
pub(super) fn generic(cx: &mut Cx<'_>, name: &str, base: ExprId, arguments: &[ExprId], forever: bool) -> ExprId {
    let first = arguments.first().copied().unwrap_or(cx.unknown());
    match name {
        "Optional" | "ClassVar" | "Final" | "Annotated" | "Required" | "NotRequired" | "ReadOnly" | "InitVar"
        | "Mapped" | "Unpack" => first,
        "Union" => cx.either(arguments.to_vec()),
        "Literal" | "TypeGuard" | "TypeIs" | "Concatenate" => cx.unknown(),
        // An instance of it is the type.
        "type" | "Type" if first != cx.unknown() => cx.expr(Expr::TypeOf { of: first }),
        "Callable" => {
            let returned = arguments.last().copied().filter(|last| *last != cx.unknown() && arguments.len() > 1);
            let Some(returned) = returned else { return cx.unknown() };
            let scope = cx.scope_of_bytes(crate::names::FILE_SCOPE, ScopeKind::Function, 0..0);
            let name = cx.intern("Callable");
            let binding = cx.bind_name(scope, BindingKind::Function, name, 0);
            cx.own(binding, scope);
            cx.binding(binding).annotation = Some(returned);
            let of = cx.expr(Expr::Function { binding });
            cx.expr(Expr::TypeOf { of })
        }
        "tuple" | "Tuple" if !forever => {
            let span = cx.list(arguments);
            cx.expr(Expr::Tuple(span))
        }
        "tuple" | "Tuple" | "Generator" | "AsyncGenerator" => {
            let args = cx.list(&[first]);
            cx.expr(Expr::Generic { base: Some(base), args })
        }
        _ => {
            let args = cx.list(arguments);
            cx.expr(Expr::Generic { base: Some(base), args })
        }
    }
}
