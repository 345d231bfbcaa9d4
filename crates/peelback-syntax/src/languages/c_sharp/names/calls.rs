//! Name binding of C#'s calls.

use tree_sitter::Node;

use super::open_functions::ExpectedFunction;
use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, Target, first_line_number_of_node};

impl<'t> Binder<'t> {
    pub(super) fn call_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(function) = self.field(node, self.grammar.function) else { return builder.unknown_expr() };
        let arguments = self.field(node, self.grammar.arguments);
        if self.kind(function) == Kind::Identifier && builder.text_of_node(function) == "nameof" {
            if let Some(arguments) = arguments {
                self.bind_values_in(arguments, scope, builder);
            }
            return self.value_of_known_type("string", builder);
        }
        let called = self.callee_expr(function, scope, builder);
        // The arguments belong to the name, without its type arguments.
        let callee = match builder.names.expr_by_id(called) {
            Expr::Generic { base: Some(base), .. } => base,
            _ => called,
        };
        self.bind_call_arguments(arguments, callee, scope, builder);
        builder.add_expr(Expr::Call { callee: called })
    }

    /// The expression for what is called.
    fn callee_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => self.use_name(node, scope, Role::Call, builder),
            Kind::GenericName => self.generic_name_expr(node, None, (scope, Role::Call), builder),
            Kind::MemberAccessExpression => {
                builder.run_with_depth_limit(node, |builder| self.member_value(node, scope, Role::Call, builder))
            }
            Kind::ConditionalAccessExpression => builder
                .run_with_depth_limit(node, |builder| self.conditional_access_value(node, scope, Role::Call, builder)),
            _ => self.value(node, scope, builder),
        }
    }

    /// Binds the names in the arguments of a call of `callee`, and records the arguments.
    pub(super) fn bind_call_arguments(
        &mut self,
        list: Option<Node<'t>>,
        callee: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut values = Vec::new();
        if let Some(list) = list {
            let mut index = 0;
            let mut is_named = false;
            self.for_each_child(list, builder, |binder, argument, builder| {
                if binder.kind(argument) != Kind::Argument {
                    values.push(binder.value(argument, scope, builder));
                    index += 1;
                    return;
                }
                let name = binder.field(argument, binder.grammar.name);
                if let Some(name) = name {
                    is_named = true;
                    let (id, at) = binder.name_of_identifier(name, builder);
                    let line = first_line_number_of_node(name);
                    builder.record_occurrence_at_offset(id, at, line, Role::Read, Target::Parameter { callee });
                }
                // The place of an argument with a name is that of its parameter.
                let expected = ExpectedFunction::Argument { callee, index };
                let value = binder.argument_value(argument, (callee, expected), scope, builder);
                values.push(if is_named { builder.unknown_expr() } else { value });
                index += 1;
            });
        }
        if callee != builder.unknown_expr() {
            let args = builder.add_expr_list(&values);
            builder.names.call_arguments.push((callee, args));
        }
    }

    /// The value of an argument. A name that it declares (`out var x`) has the type of the parameter.
    fn argument_value(
        &mut self,
        argument: Node<'t>,
        (callee, expected): (ExprId, ExpectedFunction),
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let name = self.field(argument, self.grammar.name);
        let value = self.find_child(argument, |binder, child| {
            Some(child) != name && (child.is_named() || matches!(binder.kind(child), Kind::This | Kind::Base))
        });
        let Some(value) = value else { return builder.unknown_expr() };
        let ExpectedFunction::Argument { index, .. } = expected else { return builder.unknown_expr() };
        if self.kind(value) == Kind::DeclarationExpression {
            let given = builder.add_expr(Expr::Given { callee, argument: index, parameter: OUT_PARAMETER });
            return self.bind_declaration_expression(value, Some(given), scope, builder);
        }
        self.expected_function = Some(expected);
        self.expected_type = None;
        self.value(value, scope, builder)
    }
}

/// The number in place of that of a lambda's parameter where an argument is given to a variable.
const OUT_PARAMETER: u32 = u32::MAX;
