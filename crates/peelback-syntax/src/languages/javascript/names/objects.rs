//! Objects written out: their members are those of a type without a name.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, This, Want};
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// `{ … }`, where `expected` is what something declares it to be.
    pub(super) fn object(&mut self, node: Node<'t>, expected: ExprId, cx: &mut Cx<'_>) -> ExprId {
        let scope = self.open(ScopeKind::Type, node, cx);
        self.object_into(node, scope, This::Object(scope), expected, cx)
    }

    /// Binds an object's members in `members`.
    pub(super) fn object_into(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        this: This,
        expected: ExprId,
        cx: &mut Cx<'_>,
    ) -> ExprId {
        let mut values = vec![cx.expr(Expr::Object { scope: members })];
        self.each(node, cx, |binder, child, _, cx| match binder.kind(child) {
            Kind::Pair => cx.deeper(child, |cx| binder.pair(child, members, this, expected, cx)),
            Kind::ShorthandProperty => {
                let value = binder.identifier(child, Role::Read, cx);
                binder.expected_member(expected, child, cx);
                let binding = binder.bind(members, BindingKind::Field, child, cx);
                Self::set_values(binding, &[value], cx);
            }
            Kind::Method => cx.deeper(child, |cx| {
                let mut function = cx.unknown();
                if let Some(name) = binder.child(child, Field::Name, cx).filter(|_| expected != cx.unknown())
                    && binder.kind(name) == Kind::PropertyIdentifier
                {
                    function = binder.expected_member(expected, name, cx);
                }
                binder.method(child, members, matches!(this, This::Object(_)), function, cx);
            }),
            Kind::Spread => {
                if let Some(inner) = binder.inner(child, cx) {
                    values.push(binder.value(inner, Want::expected(expected), cx));
                }
            }
            _ => {
                binder.value(child, Want::READ, cx);
            }
        });
        cx.either(values)
    }

    /// A member that a type declares is written where an object for it is.
    fn expected_member(&mut self, expected: ExprId, name: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        if expected == cx.unknown() { expected } else { cx.use_member(expected, name, Role::Write) }
    }

    fn pair(&mut self, node: Node<'t>, members: ScopeId, this: This, expected: ExprId, cx: &mut Cx<'_>) {
        let (key, value) = (self.child(node, Field::Key, cx), self.child(node, Field::Value, cx));
        let name = key.and_then(|key| self.member_name(key, cx));
        let expected = match name {
            Some(name) => self.expected_member(expected, name, cx),
            None => Self::element(expected, cx),
        };
        let binding = name.map(|name| self.bind(members, BindingKind::Field, name, cx));
        let value = value.map_or(cx.unknown(), |value| match self.kind(value) {
            Kind::FunctionExpression => cx.deeper(value, |cx| self.function_expression(value, this, expected, &[], cx)),
            _ => self.value(value, Want::expected(expected), cx),
        });
        if let Some(binding) = binding {
            Self::set_values(binding, &[value], cx);
        }
    }
}
