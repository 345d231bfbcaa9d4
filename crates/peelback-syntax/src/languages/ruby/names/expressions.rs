//! Expressions and statements, which are expressions, too.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, ExprId, NamesBuilder, Role};

impl<'t> Binder<'t> {
    /// Binds the names of an expression, and returns its value.
    pub(super) fn bind_expression(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => self.bind_identifier(node, builder),
            Kind::Constant => self.bind_constant_use(node, Role::Read, builder),
            Kind::InstanceVariable | Kind::ClassVariable | Kind::GlobalVariable => {
                self.bind_variable(node, false, builder)
            }
            Kind::SelfWord => self.self_expr(builder),
            Kind::Super => self.bind_super(node, builder),
            Kind::Integer => self.object_of_core_class("Integer", builder),
            Kind::Float => self.object_of_core_class("Float", builder),
            Kind::SimpleSymbol | Kind::HashKeySymbol => self.object_of_core_class("Symbol", builder),
            Kind::True => self.object_of_core_class("TrueClass", builder),
            Kind::False => self.object_of_core_class("FalseClass", builder),
            Kind::Nil | Kind::EmptyStatement | Kind::StringContent => builder.unknown_expr(),
            Kind::Character | Kind::HeredocBeginning => self.object_of_core_class("String", builder),
            _ => builder.run_with_depth_limit(node, |builder| self.bind_nested_expression(node, builder)),
        }
    }

    fn bind_nested_expression(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::ScopeResolution => self.bind_constant_use(node, Role::Read, builder),
            Kind::Call => {
                let method = self.field(node, self.grammar.method);
                let name = method.map_or("", |method| builder.text_of_node(method));
                let value = self.bind_call(node, builder);
                if self.frame.is_type_body && self.field(node, self.grammar.receiver).is_none() {
                    self.bind_callbacks(node, name, builder);
                }
                value
            }
            Kind::ElementReference => self.bind_element_reference(node, false, builder),
            Kind::Assignment => self.bind_assignment(node, builder),
            Kind::OperatorAssignment => self.bind_operator_assignment(node, builder),
            Kind::Class | Kind::Module => self.bind_class_or_module(node, builder),
            Kind::SingletonClass => self.bind_singleton_class(node, builder),
            Kind::Method | Kind::SingletonMethod => self.bind_method(node, builder),
            Kind::Alias => self.bind_alias(node, builder),
            Kind::Lambda => self.bind_lambda(node, builder),
            Kind::Block | Kind::DoBlock => {
                let self_kind = self.self_kind_in_plain_block();
                self.bind_block(node, self_kind, builder)
            }
            Kind::Binary => self.bind_binary(node, builder),
            Kind::Conditional => {
                self.bind_field(node, self.grammar.condition, builder);
                let one = self.bind_field(node, self.grammar.consequence, builder);
                let other = self.bind_field(node, self.grammar.alternative, builder);
                builder.expr_of_possible_values(vec![one, other])
            }
            Kind::If | Kind::Unless | Kind::Elsif => {
                self.bind_field(node, self.grammar.condition, builder);
                let one = self.bind_field(node, self.grammar.consequence, builder);
                let other = self.bind_field(node, self.grammar.alternative, builder);
                builder.expr_of_possible_values(vec![one, other])
            }
            // The condition stands behind the body, and assigns the variables of the body none the less late.
            Kind::IfModifier | Kind::UnlessModifier => {
                let value = self.bind_field(node, self.grammar.body, builder);
                self.bind_field(node, self.grammar.condition, builder);
                value
            }
            Kind::RescueModifier => self.bind_statements(node, builder),
            Kind::Begin | Kind::BodyStatement => self.bind_body_with_handlers(node, builder),
            Kind::Rescue => self.bind_rescue(node, builder),
            Kind::Case => self.bind_case(node, builder),
            Kind::CaseMatch => self.bind_case_match(node, builder),
            Kind::MatchPattern | Kind::TestPattern => {
                let value = self.bind_field(node, self.grammar.value, builder);
                if let Some(pattern) = self.field(node, self.grammar.pattern) {
                    self.bind_pattern(pattern, value, builder);
                }
                builder.unknown_expr()
            }
            Kind::Return => {
                let value = self.bind_value_of_jump(node, builder);
                if value != builder.unknown_expr() {
                    self.frame.returns.push(value);
                }
                builder.unknown_expr()
            }
            Kind::Break | Kind::Next => self.bind_value_of_jump(node, builder),
            Kind::For => {
                self.bind_field(node, self.grammar.value, builder);
                if let Some(pattern) = self.field(node, self.grammar.pattern) {
                    let unknown = builder.unknown_expr();
                    self.bind_assigned_target(pattern, unknown, builder);
                }
                self.bind_field(node, self.grammar.body, builder);
                builder.unknown_expr()
            }
            Kind::String | Kind::ChainedString | Kind::Subshell | Kind::BareString | Kind::HeredocBody => {
                self.bind_statements(node, builder);
                self.object_of_core_class("String", builder)
            }
            Kind::DelimitedSymbol | Kind::BareSymbol => {
                self.bind_statements(node, builder);
                self.object_of_core_class("Symbol", builder)
            }
            Kind::Regex => {
                self.bind_statements(node, builder);
                self.object_of_core_class("Regexp", builder)
            }
            Kind::Array | Kind::SymbolArray | Kind::StringArray => {
                self.bind_statements(node, builder);
                self.object_of_core_class("Array", builder)
            }
            Kind::Hash => {
                self.bind_statements(node, builder);
                self.object_of_core_class("Hash", builder)
            }
            Kind::Range => {
                self.bind_statements(node, builder);
                self.object_of_core_class("Range", builder)
            }
            Kind::Pair => {
                let key = self.field(node, self.grammar.key);
                let value = self.field(node, self.grammar.value);
                match (key, value) {
                    // `f(a:)` passes the local variable or the result of the method `a`.
                    (Some(key), None) if self.kind(key) == Kind::HashKeySymbol => self.bind_identifier(key, builder),
                    (key, value) => {
                        if let Some(key) = key.filter(|key| self.kind(*key) != Kind::HashKeySymbol) {
                            self.bind_expression(key, builder);
                        }
                        value.map_or(builder.unknown_expr(), |value| self.bind_expression(value, builder))
                    }
                }
            }
            Kind::BlockArgument => {
                // `&:name` calls the method of each object.
                let mut value = builder.unknown_expr();
                self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
                    Kind::SimpleSymbol => {
                        for written in binder.names_in_literal(child) {
                            let base = builder.unknown_expr();
                            binder.record_method_named_by_literal(base, &written, Role::Member, builder);
                        }
                    }
                    _ => value = binder.bind_expression(child, builder),
                });
                value
            }
            Kind::Undef => {
                let base = self.object_expr_in_type_body(builder);
                for name in self.children(node) {
                    if self.kind(name) == Kind::Identifier {
                        let id = builder.name_id_of_node(name);
                        self.record_member(base, id, name, Role::Member, builder);
                    }
                }
                builder.unknown_expr()
            }
            Kind::ParenthesizedStatements
            | Kind::Program
            | Kind::Then
            | Kind::Else
            | Kind::BlockBody
            | Kind::Ensure => self.bind_statements(node, builder),
            Kind::Unary | Kind::Interpolation | Kind::SplatArgument | Kind::Yield => {
                self.bind_statements(node, builder);
                builder.unknown_expr()
            }
            _ => {
                self.bind_statements(node, builder);
                builder.unknown_expr()
            }
        }
    }

    fn bind_field(&mut self, node: Node<'t>, field: u16, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.field(node, field) {
            Some(child) => self.bind_expression(child, builder),
            None => builder.unknown_expr(),
        }
    }

    /// Binds `a + b` and the like. The operands of `a || b` are alternatives.
    fn bind_binary(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let left = self.bind_field(node, self.grammar.left, builder);
        let right = self.bind_field(node, self.grammar.right, builder);
        let Some(operator) = self.field(node, self.grammar.operator) else { return builder.unknown_expr() };
        match builder.text_of_node(operator) {
            "||" | "or" => builder.expr_of_possible_values(vec![left, right]),
            "&&" | "and" => right,
            "=~" | "!~" | "!=" => builder.unknown_expr(),
            _ => {
                let name = builder.name_id_of_node(operator);
                let callee = self.record_member(left, name, operator, Role::Call, builder);
                builder.add_expr(crate::names::Expr::Call { callee })
            }
        }
    }

    /// Binds statements with `rescue`, `else` and `ensure` behind them.
    fn bind_body_with_handlers(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut last = builder.unknown_expr();
        let mut values = Vec::new();
        self.for_each_child(node, builder, |binder, child, builder| {
            let value = binder.bind_expression(child, builder);
            match binder.kind(child) {
                Kind::Rescue => values.push(value),
                Kind::Ensure | Kind::HeredocBody => {}
                _ => last = value,
            }
        });
        if values.is_empty() {
            return last;
        }
        values.insert(0, last);
        builder.expr_of_possible_values(values)
    }

    fn bind_rescue(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut types = Vec::new();
        if let Some(exceptions) = self.field(node, self.grammar.exceptions) {
            self.for_each_child(exceptions, builder, |binder, exception, builder| {
                types.push(match binder.kind(exception) {
                    Kind::Constant | Kind::ScopeResolution => {
                        let of = binder.bind_constant_use(exception, Role::Type, builder);
                        builder.add_expr(crate::names::Expr::Instance { of })
                    }
                    _ => binder.bind_expression(exception, builder),
                });
            });
        }
        if let Some(variable) = self.field(node, self.grammar.variable) {
            let value = match types.is_empty() {
                true => self.object_of_core_class("StandardError", builder),
                false => builder.expr_of_possible_values(types),
            };
            self.for_each_child(variable, builder, |binder, target, builder| {
                binder.bind_assigned_target(target, value, builder);
            });
        }
        self.bind_field(node, self.grammar.body, builder)
    }

    fn bind_case(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut values = Vec::new();
        self.bind_field(node, self.grammar.value, builder);
        self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::When => {
                let body = binder.field(child, binder.grammar.body);
                binder.for_each_child(child, builder, |binder, part, builder| {
                    if Some(part.id()) != body.map(|body| body.id()) {
                        binder.bind_statements(part, builder);
                    }
                });
                if let Some(body) = body {
                    values.push(binder.bind_expression(body, builder));
                }
            }
            Kind::Else => values.push(binder.bind_expression(child, builder)),
            _ => {}
        });
        builder.expr_of_possible_values(values)
    }

    fn bind_value_of_jump(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut values = Vec::new();
        self.for_each_child(node, builder, |binder, arguments, builder| {
            binder.for_each_child(arguments, builder, |binder, argument, builder| {
                values.push(binder.bind_expression(argument, builder));
            });
        });
        match values.as_slice() {
            [one] => *one,
            [] => builder.unknown_expr(),
            _ => self.object_of_core_class("Array", builder),
        }
    }

    /// Binds a name that a pattern or an assignment gives a value.
    pub(super) fn bind_assigned_name(&mut self, node: Node<'t>, value: ExprId, builder: &mut NamesBuilder<'_>) {
        let name = builder.name_id_of_node(node);
        let binding = match self.local(name) {
            Some(binding) => {
                builder.record_occurrence(node, Role::Write, crate::names::Target::Binding(binding));
                binding
            }
            None => self.declare_local(node, BindingKind::Variable, builder),
        };
        self.add_value(binding, value, builder);
    }
}
