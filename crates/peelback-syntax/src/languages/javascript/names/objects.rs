//! Object literals: their members are bound like the members of an unnamed type.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// The value of an object literal. `expected` is the value that the context declares.
    pub(super) fn object_value(&mut self, node: Node<'t>, expected: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = self.open_scope(ScopeKind::Type, node, builder);
        self.bind_object_members(node, scope, This::Object(scope), expected, builder)
    }

    /// Binds an object literal's members in the scope `members`.
    pub(super) fn bind_object_members(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        this: This,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut values = vec![builder.expr(Expr::Object { scope: members })];
        self.for_each_child(node, builder, |binder, child, _, builder| match binder.kind_of(child) {
            Kind::Pair => builder.deeper(child, |builder| binder.bind_pair(child, members, this, expected, builder)),
            Kind::ShorthandProperty => {
                let value = binder.identifier_value(child, Role::Read, builder);
                binder.use_expected_member(expected, child, builder);
                let binding = binder.bind_name(members, BindingKind::Field, child, builder);
                Self::set_values(binding, &[value], builder);
            }
            Kind::Method => builder.deeper(child, |builder| {
                let mut function = builder.unknown();
                if let Some(name) =
                    binder.child_in_field(child, Field::Name, builder).filter(|_| expected != builder.unknown())
                    && binder.kind_of(name) == Kind::PropertyIdentifier
                {
                    function = binder.use_expected_member(expected, name, builder);
                }
                binder.bind_method(child, members, matches!(this, This::Object(_)), function, builder);
            }),
            Kind::Spread => {
                if let Some(inner) = binder.first_code_child(child, builder) {
                    values.push(binder.expression_value(inner, ExprContext::expected(expected), builder));
                }
            }
            _ => {
                binder.expression_value(child, ExprContext::READ, builder);
            }
        });
        builder.either(values)
    }

    /// Records the name of an object's member as a write of the member that the expected type declares.
    fn use_expected_member(&mut self, expected: ExprId, name: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        if expected == builder.unknown() { expected } else { builder.use_member(expected, name, Role::Write) }
    }

    fn bind_pair(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        this: This,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let (key, value) =
            (self.child_in_field(node, Field::Key, builder), self.child_in_field(node, Field::Value, builder));
        let name = key.and_then(|key| self.member_name_node(key, builder));
        let expected = match name {
            Some(name) => self.use_expected_member(expected, name, builder),
            None => Self::element_of(expected, builder),
        };
        let binding = name.map(|name| self.bind_name(members, BindingKind::Field, name, builder));
        let value = value.map_or(builder.unknown(), |value| match self.kind_of(value) {
            Kind::FunctionExpression => {
                builder.deeper(value, |builder| self.function_expression_value(value, this, expected, &[], builder))
            }
            _ => self.expression_value(value, ExprContext::expected(expected), builder),
        });
        if let Some(binding) = binding {
            Self::set_values(binding, &[value], builder);
        }
    }
}
