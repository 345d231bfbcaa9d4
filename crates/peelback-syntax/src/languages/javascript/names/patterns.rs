//! Name binding for JavaScript variable declarators and destructuring patterns.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId};

/// What the binder does with the names in a destructuring pattern: bind them, or record assignments to them.
#[derive(Clone, Copy)]
enum BindingMode {
    /// The pattern declares its names: they are bound in this scope with this kind.
    Declare(ScopeId, BindingKind),
    /// The pattern assigns to variables that are declared elsewhere.
    Assign,
}

impl<'t> Binder<'t> {
    /// Binds the names in the declarator `name: Type = value`, in the scope `scope`.
    pub(super) fn bind_variable_declarator(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let (mut name, mut annotation, mut value) = (None, None, None);
        self.for_each_named_or_unnamed_child(node, builder, |_, child, field, _| match field {
            Field::Name => name = Some(child),
            Field::Type => annotation = Some(child),
            Field::Value => value = Some(child),
            _ => {}
        });
        let annotation = annotation.map(|annotation| self.type_of_annotation(annotation, builder));
        let Some(name) = name else {
            if let Some(value) = value {
                self.bind_names_and_get_value(value, ExprContext::READ, builder);
            }
            return;
        };
        if let Some(value) = value
            && self.try_bind_require_declaration(name, value, scope, builder)
        {
            return;
        }
        let declared = annotation.unwrap_or(builder.unknown_expr());
        let instance = Self::instance_expr_of_type(declared, builder);
        if self.kind_of_node(name) == Kind::Identifier {
            let binding = self.bind_name(scope, BindingKind::Variable, name, builder);
            builder.binding_mut(binding).annotation = annotation.filter(|of| *of != builder.unknown_expr());
            if let Some(value) = value {
                let value = self.initializer_value(binding, value, instance, builder);
                Self::set_binding_values_except_unknown(binding, &[value], builder);
            }
            return;
        }
        let value = value.map_or(builder.unknown_expr(), |value| {
            self.bind_names_and_get_value(value, ExprContext::with_expected_value(instance), builder)
        });
        let value = if instance == builder.unknown_expr() { value } else { instance };
        self.bind_pattern(name, scope, BindingKind::Variable, value, builder);
    }

    /// The value of a variable's initialiser. A function there may be used as a constructor, so its `this` is an
    /// instance.
    fn initializer_value(
        &mut self,
        binding: BindingId,
        value: Node<'t>,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind_of_node(value) {
            Kind::FunctionExpression => builder.run_with_depth_limit(value, |builder| {
                let this = self.this_in_function_assigned_to_prototype(binding, builder);
                let this = this.unwrap_or(This::Constructed(binding));
                self.function_expression_value(value, this, expected, &[], builder)
            }),
            _ => self.bind_names_and_get_value(value, ExprContext::with_expected_value(expected), builder),
        }
    }

    /// Binds each name in a pattern to the part of `value` that it matches.
    pub(super) fn bind_pattern(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        kind: BindingKind,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.bind_or_assign_pattern(node, BindingMode::Declare(scope, kind), &[value], builder);
    }

    /// Records the assignment of `value` to a pattern: each name in the pattern gets the part of the value that it
    /// matches.
    pub(super) fn record_assignment_to_pattern(
        &mut self,
        node: Node<'t>,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.bind_or_assign_pattern(node, BindingMode::Assign, &[value], builder);
    }

    /// Binds the names in a pattern, or records assignments to them. `values` are the possible values of the pattern;
    /// only the first of them is taken apart.
    fn bind_or_assign_pattern(
        &mut self,
        node: Node<'t>,
        mode: BindingMode,
        values: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) {
        match (self.kind_of_node(node), mode) {
            (Kind::Identifier | Kind::ShorthandPattern, BindingMode::Declare(scope, kind)) => {
                let binding = self.bind_name(scope, kind, node, builder);
                Self::set_binding_values_except_unknown(binding, values, builder);
            }
            (Kind::Identifier | Kind::ShorthandPattern, BindingMode::Assign) => {
                builder.record_name_use(node, self.scope, Role::Write);
                let name = builder.name_id_of_node(node);
                self.record_values_assigned_to_variable(name, values, builder);
            }
            _ => builder
                .run_with_depth_limit(node, |builder| self.bind_or_assign_pattern_parts(node, mode, values, builder)),
        }
    }

    fn bind_or_assign_pattern_parts(
        &mut self,
        node: Node<'t>,
        mode: BindingMode,
        values: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) {
        let value = values.first().copied().unwrap_or(builder.unknown_expr());
        match self.kind_of_node(node) {
            Kind::ObjectPattern => {
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    this.bind_or_assign_pattern_property(child, mode, value, builder)
                });
            }
            Kind::ArrayPattern => {
                let mut index = 0;
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    if !child.is_named() {
                        index += u32::from(child.kind() == ",");
                    } else if this.kind_of_node(child) == Kind::RestPattern {
                        this.bind_or_assign_pattern(child, mode, &[value], builder);
                    } else if !this.is_comment(child) {
                        let part = if value == builder.unknown_expr() {
                            value
                        } else {
                            builder.add_expr(Expr::Item { of: value, index })
                        };
                        this.bind_or_assign_pattern(child, mode, &[part], builder);
                    }
                });
            }
            Kind::AssignmentPattern => {
                let (left, right) = (
                    self.first_child_in_field(node, Field::Left, builder),
                    self.first_child_in_field(node, Field::Right, builder),
                );
                let default = right.map_or(builder.unknown_expr(), |right| {
                    self.bind_names_and_get_value(right, ExprContext::with_expected_value(value), builder)
                });
                if let Some(left) = left {
                    self.bind_or_assign_pattern(left, mode, &[value, default], builder);
                }
            }
            Kind::RestPattern => {
                if let Some(inner) = self.first_named_non_comment_child(node, builder) {
                    self.bind_or_assign_pattern(inner, mode, values, builder);
                }
            }
            Kind::Transparent => {
                if let Some(inner) = self.first_named_non_comment_child(node, builder) {
                    self.bind_or_assign_pattern(inner, mode, values, builder);
                }
            }
            Kind::Member | Kind::Subscript => self.record_value_assigned_to_member(node, value, builder),
            _ => {
                self.bind_names_and_get_value(node, ExprContext::for_role(Role::Write), builder);
            }
        }
    }

    /// Binds or assigns the name in one entry of an object pattern `{ a, b: c, d = 1, ...rest }`.
    fn bind_or_assign_pattern_property(
        &mut self,
        node: Node<'t>,
        mode: BindingMode,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        match self.kind_of_node(node) {
            Kind::ShorthandPattern => {
                let part = builder.record_member_use(value, node, Role::Member);
                let part = if value == builder.unknown_expr() { value } else { part };
                self.bind_or_assign_pattern(node, mode, &[part], builder);
            }
            Kind::PairPattern => {
                let (key, target) = (
                    self.first_child_in_field(node, Field::Key, builder),
                    self.first_child_in_field(node, Field::Value, builder),
                );
                let mut part = builder.unknown_expr();
                if let Some(key) = key {
                    match self.member_name_node(key, builder) {
                        Some(name) => {
                            let member = builder.record_member_use(value, name, Role::Member);
                            if value != builder.unknown_expr() {
                                part = member;
                            }
                        }
                        None => part = Self::element_or_awaited_expr(value, builder),
                    }
                }
                if let Some(target) = target {
                    self.bind_or_assign_pattern(target, mode, &[part], builder);
                }
            }
            Kind::AssignmentPattern => {
                let (left, right) = (
                    self.first_child_in_field(node, Field::Left, builder),
                    self.first_child_in_field(node, Field::Right, builder),
                );
                let mut part = builder.unknown_expr();
                if let Some(left) = left.filter(|left| self.kind_of_node(*left) == Kind::ShorthandPattern) {
                    let member = builder.record_member_use(value, left, Role::Member);
                    if value != builder.unknown_expr() {
                        part = member;
                    }
                }
                let default = right.map_or(builder.unknown_expr(), |right| {
                    self.bind_names_and_get_value(right, ExprContext::with_expected_value(part), builder)
                });
                if let Some(left) = left {
                    self.bind_or_assign_pattern(left, mode, &[part, default], builder);
                }
            }
            Kind::RestPattern => self.bind_or_assign_pattern(node, mode, &[value], builder),
            Kind::Token | Kind::Leaf => {}
            _ => {
                self.bind_names_and_get_value(node, ExprContext::READ, builder);
            }
        }
    }

    /// The node with the name of a member: an identifier, a string, or the string in `["x"]`. Any other computed name
    /// is read as an expression, and the result is `None`.
    pub(super) fn member_name_node(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        match self.kind_of_node(node) {
            Kind::PropertyIdentifier => Some(node),
            Kind::String => self.name_or_path_string_text_node(node, builder),
            Kind::ComputedName => {
                let inside = self.first_named_non_comment_child(node, builder)?;
                let name = self.name_or_path_string_text_node(inside, builder);
                if name.is_none() {
                    self.bind_names_and_get_value(inside, ExprContext::READ, builder);
                }
                name
            }
            _ => None,
        }
    }
}
