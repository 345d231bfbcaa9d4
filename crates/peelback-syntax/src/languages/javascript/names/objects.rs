//! Objects written out: their members are those of a type without a name.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// `{ … }`, where `expected` is what something declares it to be.
    pub(super) fn object(&mut self, node: Node<'t>, expected: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = self.open(ScopeKind::Type, node, builder);
        self.object_into(node, scope, This::Object(scope), expected, builder)
    }

    /// Binds an object's members in `members`.
    pub(super) fn object_into(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        this: This,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut values = vec![builder.expr(Expr::Object { scope: members })];
        self.each(node, builder, |binder, child, _, builder| match binder.kind(child) {
            Kind::Pair => builder.deeper(child, |builder| binder.pair(child, members, this, expected, builder)),
            Kind::ShorthandProperty => {
                let value = binder.identifier(child, Role::Read, builder);
                binder.expected_member(expected, child, builder);
                let binding = binder.bind(members, BindingKind::Field, child, builder);
                Self::set_values(binding, &[value], builder);
            }
            Kind::Method => builder.deeper(child, |builder| {
                let mut function = builder.unknown();
                if let Some(name) = binder.child(child, Field::Name, builder).filter(|_| expected != builder.unknown())
                    && binder.kind(name) == Kind::PropertyIdentifier
                {
                    function = binder.expected_member(expected, name, builder);
                }
                binder.method(child, members, matches!(this, This::Object(_)), function, builder);
            }),
            Kind::Spread => {
                if let Some(inner) = binder.inner(child, builder) {
                    values.push(binder.value(inner, ExprContext::expected(expected), builder));
                }
            }
            _ => {
                binder.value(child, ExprContext::READ, builder);
            }
        });
        builder.either(values)
    }

    /// A member that a type declares is written where an object for it is.
    fn expected_member(&mut self, expected: ExprId, name: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        if expected == builder.unknown() { expected } else { builder.use_member(expected, name, Role::Write) }
    }

    fn pair(&mut self, node: Node<'t>, members: ScopeId, this: This, expected: ExprId, builder: &mut NamesBuilder<'_>) {
        let (key, value) = (self.child(node, Field::Key, builder), self.child(node, Field::Value, builder));
        let name = key.and_then(|key| self.member_name(key, builder));
        let expected = match name {
            Some(name) => self.expected_member(expected, name, builder),
            None => Self::element(expected, builder),
        };
        let binding = name.map(|name| self.bind(members, BindingKind::Field, name, builder));
        let value = value.map_or(builder.unknown(), |value| match self.kind(value) {
            Kind::FunctionExpression => {
                builder.deeper(value, |builder| self.function_expression(value, this, expected, &[], builder))
            }
            _ => self.value(value, ExprContext::expected(expected), builder),
        });
        if let Some(binding) = binding {
            Self::set_values(binding, &[value], builder);
        }
    }
}
