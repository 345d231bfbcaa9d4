//! Assignments: of variables, constants, attributes and elements.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role};

impl<'t> Binder<'t> {
    /// Binds `a = b`, and returns the value.
    pub(super) fn bind_assignment(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (Some(left), Some(right)) = (self.field(node, self.grammar.left), self.field(node, self.grammar.right))
        else {
            return self.bind_statements(node, builder);
        };
        let is_constant = matches!(self.kind(left), Kind::Constant | Kind::ScopeResolution);
        if is_constant
            && self.kind(right) == Kind::Call
            && let Some(maker) = super::super::literals::maker_of_type(right, builder.source)
        {
            let (binding, scope) = self.bind_type_name(left, maker == "Module", right, builder);
            self.bind_call_that_makes_type(right, binding, scope, builder);
            return builder.add_expr(Expr::Bound { binding });
        }
        // A variable is known in the value that it is given.
        let name = (self.kind(left) == Kind::Identifier).then(|| builder.name_id_of_node(left));
        let is_new_local = name.is_some_and(|name| self.local(name).is_none());
        if is_new_local {
            let binding = self.declare_local(left, BindingKind::Variable, builder);
            let value = self.bind_right_side(right, builder);
            self.add_value(binding, value, builder);
            return value;
        }
        let value = self.bind_right_side(right, builder);
        self.bind_assigned_target(left, value, builder);
        value
    }

    fn bind_right_side(&mut self, right: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(right) {
            Kind::RightAssignmentList => {
                let values: Vec<ExprId> =
                    self.children(right).into_iter().map(|child| self.bind_expression(child, builder)).collect();
                let list = builder.add_expr_list(&values);
                builder.add_expr(Expr::Tuple(list))
            }
            _ => self.bind_expression(right, builder),
        }
    }

    /// Binds `a += b` and `a ||= b`.
    pub(super) fn bind_operator_assignment(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (Some(left), Some(right)) = (self.field(node, self.grammar.left), self.field(node, self.grammar.right))
        else {
            return self.bind_statements(node, builder);
        };
        let operator = self.field(node, self.grammar.operator).map_or("", |operator| builder.text_of_node(operator));
        let old = match self.kind(left) {
            // The attribute is read and written at one place.
            Kind::Call => {
                let (receiver, method) =
                    (self.field(left, self.grammar.receiver), self.field(left, self.grammar.method));
                if let (Some(receiver), Some(method)) = (receiver, method) {
                    let base = self.bind_expression(receiver, builder);
                    let name = builder.name_id_of_node(method);
                    let read = self.record_member(base, name, method, Role::Call, builder);
                    let value = self.bind_expression(right, builder);
                    self.record_written_attribute(base, method, builder);
                    let read = builder.add_expr(Expr::Call { callee: read });
                    return builder.expr_of_possible_values(vec![read, value]);
                }
                builder.unknown_expr()
            }
            Kind::Identifier => {
                let name = builder.name_id_of_node(left);
                match self.local(name) {
                    Some(binding) => builder.add_expr(Expr::Bound { binding }),
                    None => builder.unknown_expr(),
                }
            }
            Kind::InstanceVariable | Kind::ClassVariable | Kind::GlobalVariable => {
                self.bind_variable(left, false, builder)
            }
            _ => builder.unknown_expr(),
        };
        let value = self.bind_expression(right, builder);
        let given = if matches!(operator, "||=" | "&&=") { value } else { builder.unknown_expr() };
        self.bind_assigned_target(left, given, builder);
        match operator {
            "||=" => builder.expr_of_possible_values(vec![old, value]),
            _ => value,
        }
    }

    fn record_written_attribute(&mut self, base: ExprId, method: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let name = format!("{}=", builder.text_of_node(method));
        let name = builder.intern_constructed_text(&name);
        self.record_member(base, name, method, Role::Write, builder);
    }

    /// Binds what an assignment gives a value.
    pub(super) fn bind_assigned_target(&mut self, target: Node<'t>, value: ExprId, builder: &mut NamesBuilder<'_>) {
        match self.kind(target) {
            Kind::Identifier => self.bind_assigned_name(target, value, builder),
            Kind::InstanceVariable | Kind::ClassVariable | Kind::GlobalVariable => {
                self.bind_variable(target, true, builder);
                if let Some(binding) = self.known_variable(target, builder) {
                    self.add_value(binding, value, builder);
                }
            }
            Kind::Constant | Kind::ScopeResolution => {
                let (holder, name) = self.scope_of_defined_constant(target, builder);
                let binding = builder.add_binding_with_definition(holder, BindingKind::Variable, name);
                builder.binding_mut(binding).constant = true;
                builder.binding_mut(binding).on_type = false;
                self.add_value(binding, value, builder);
            }
            Kind::Call => {
                let (receiver, method) =
                    (self.field(target, self.grammar.receiver), self.field(target, self.grammar.method));
                let (Some(receiver), Some(method)) = (receiver, method) else {
                    self.bind_expression(target, builder);
                    return;
                };
                let base = match self.kind(receiver) {
                    Kind::Constant | Kind::ScopeResolution => self.bind_constant_use(receiver, Role::Read, builder),
                    _ => self.bind_expression(receiver, builder),
                };
                self.record_written_attribute(base, method, builder);
            }
            Kind::ElementReference => {
                builder.run_with_depth_limit(target, |builder| {
                    self.bind_element_reference(target, true, builder);
                });
            }
            Kind::LeftAssignmentList | Kind::DestructuredLeftAssignment => {
                builder.run_with_depth_limit(target, |builder| {
                    let mut index = 0;
                    self.for_each_child(target, builder, |binder, child, builder| {
                        let is_rest = binder.kind(child) == Kind::RestAssignment;
                        let item = match value == builder.unknown_expr() || is_rest {
                            true => builder.unknown_expr(),
                            false => builder.add_expr(Expr::Item { of: value, index }),
                        };
                        index += 1;
                        binder.bind_assigned_target(child, item, builder);
                    });
                });
            }
            Kind::RestAssignment => {
                let value = self.object_of_core_class("Array", builder);
                self.for_each_child(target, builder, |binder, child, builder| {
                    binder.bind_assigned_target(child, value, builder);
                });
            }
            Kind::SelfWord | Kind::Super | Kind::Nil | Kind::True | Kind::False => {}
            _ => {
                self.bind_expression(target, builder);
            }
        }
    }
}
