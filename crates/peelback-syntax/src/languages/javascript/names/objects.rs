//! Name binding for JavaScript object literals: their members are bound like the members of an unnamed type.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// The value of an object literal. `expected` is the value that the literal's context declares.
    pub(super) fn object_literal_value(
        &mut self,
        node: Node<'t>,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let scope = self.add_scope_inside_current(ScopeKind::Type, node, builder);
        self.bind_object_literal_members(node, scope, This::Object(scope), expected, builder)
    }

    /// Binds the members of an object literal in the scope `members`.
    pub(super) fn bind_object_literal_members(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        this: This,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut values = vec![builder.add_expr(Expr::Object { scope: members })];
        self.for_each_named_or_unnamed_child(node, builder, |binder, child, _, builder| {
            binder.bind_object_literal_member(child, members, (this, expected), &mut values, builder);
        });
        builder.expr_of_possible_values(values)
    }

    /// Binds a child of an object literal as a member in the scope `members`. `this` is the value of `this` in functions, and
    /// `expected` the value that the literal's context declares. Adds what is spread into the literal to `values`.
    pub(super) fn bind_object_literal_member(
        &mut self,
        child: Node<'t>,
        members: ScopeId,
        (this, expected): (This, ExprId),
        values: &mut Vec<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        match self.kind_of_node(child) {
            Kind::Pair => builder
                .run_with_depth_limit(child, |builder| self.bind_object_pair(child, members, this, expected, builder)),
            Kind::ShorthandProperty => {
                let value = self.record_identifier_use_and_get_value(child, Role::Read, builder);
                self.record_write_of_expected_type_member(expected, child, builder);
                let binding = self.bind_name(members, BindingKind::Field, child, builder);
                Self::set_binding_values_except_unknown(binding, &[value], builder);
            }
            Kind::Method => builder.run_with_depth_limit(child, |builder| {
                let mut function = builder.unknown_expr();
                if let Some(name) = self
                    .first_child_in_field(child, Field::Name, builder)
                    .filter(|_| expected != builder.unknown_expr())
                    && self.kind_of_node(name) == Kind::PropertyIdentifier
                {
                    function = self.record_write_of_expected_type_member(expected, name, builder);
                }
                self.bind_method_or_accessor(child, members, Some(this), function, builder);
            }),
            Kind::Spread => {
                if let Some(inner) = self.first_named_non_comment_child(child, builder) {
                    let context = ExprContext::with_expected_value(expected);
                    values.push(self.bind_names_and_get_value(inner, context, builder));
                }
            }
            _ => {
                self.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
        }
    }

    /// Records the name of an object literal's member as a write of the member that the expected type declares.
    fn record_write_of_expected_type_member(
        &mut self,
        expected: ExprId,
        name: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if expected == builder.unknown_expr() {
            expected
        } else {
            builder.record_member_use(expected, name, Role::Write)
        }
    }

    fn bind_object_pair(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        this: This,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let (key, value) = (
            self.first_child_in_field(node, Field::Key, builder),
            self.first_child_in_field(node, Field::Value, builder),
        );
        let name = key.and_then(|key| self.member_name_node(key, builder));
        let expected = match name {
            Some(name) => self.record_write_of_expected_type_member(expected, name, builder),
            None => Self::element_or_awaited_expr(expected, builder),
        };
        let binding = name.map(|name| self.bind_name(members, BindingKind::Field, name, builder));
        let value = value.map_or(builder.unknown_expr(), |value| match self.kind_of_node(value) {
            Kind::FunctionExpression => builder.run_with_depth_limit(value, |builder| {
                self.function_expression_value(value, this, expected, &[], builder)
            }),
            _ => self.bind_names_and_get_value(value, ExprContext::with_expected_value(expected), builder),
        });
        if let Some(binding) = binding {
            Self::set_binding_values_except_unknown(binding, &[value], builder);
        }
    }
}
