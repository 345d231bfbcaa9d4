//! Name binding of Kotlin's expressions: the uses of names in them, and the expressions for their values.

use tree_sitter::Node;

use super::expected::ExpectedFunction;
use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId};

impl<'t> Binder<'t> {
    /// Binds the names in an expression, and returns the expression for its value.
    pub(super) fn value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let expected = self.expected_function.take();
        match self.kind(node) {
            Kind::Identifier => match builder.text_of_node(node) {
                "true" | "false" => self.value_of_known_type("Boolean", builder),
                "null" => self.value_of_known_type("null", builder),
                "break" | "continue" => builder.unknown_expr(),
                text => {
                    let of = self.record_name(node, scope, Role::Read, builder);
                    self.narrowed_value(text, of, builder)
                }
            },
            Kind::CharacterLiteral => self.value_of_known_type("Char", builder),
            Kind::NumberLiteral => match builder.text_of_node(node).ends_with(['l', 'L']) {
                true => self.value_of_known_type("Long", builder),
                false => self.value_of_known_type("Int", builder),
            },
            Kind::FloatLiteral => match builder.text_of_node(node).ends_with(['f', 'F']) {
                true => self.value_of_known_type("Float", builder),
                false => self.value_of_known_type("Double", builder),
            },
            Kind::ThisExpression => {
                let of = self.this_value(node, scope, builder);
                self.narrowed_value("this", of, builder)
            }
            Kind::SuperExpression => self.super_value(node, scope, builder),
            _ => builder.run_with_depth_limit(node, |builder| self.compound_value(node, scope, expected, builder)),
        }
    }

    fn this_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(label) = self.child_of_kind(node, Kind::Identifier) else {
            return builder.add_expr(Expr::This { scope });
        };
        let (name, _) = self.name_and_place(label, builder);
        match self.labels.iter().rev().find(|(label, _)| *label == name) {
            Some((_, scope)) => {
                let scope = *scope;
                builder.add_expr(Expr::This { scope })
            }
            None => builder.unknown_expr(),
        }
    }

    /// The value of `super`, `super<A>` or `super@Outer`.
    fn super_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(written) = self.find_child(node, |binder, child| binder.is_type(child)) {
            let of = self.type_expr(written, scope, builder);
            return builder.add_expr(Expr::Instance { of });
        }
        let label = self.child_of_kind(node, Kind::Identifier).map(|label| self.name_and_place(label, builder).0);
        let of = label.and_then(|name| self.labels.iter().rev().find(|(label, _)| *label == name).map(|(_, of)| *of));
        builder.add_expr(Expr::Super { scope: of.unwrap_or(scope) })
    }

    /// The value of an expression that contains other expressions.
    fn compound_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(node) {
            Kind::ParenthesizedExpression | Kind::AnnotatedExpression => {
                let mut value = builder.unknown_expr();
                self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
                    Kind::Annotation => binder.bind_annotation(child, scope, builder),
                    _ => {
                        binder.expected_function = expected;
                        value = binder.value(child, scope, builder);
                    }
                });
                value
            }
            Kind::LabeledExpression => {
                let children = self.named_children(node);
                let label = children.first().filter(|label| self.kind(**label) == Kind::Label);
                let label = label.map(|label| self.label_name(*label, builder));
                match children.last() {
                    Some(last) if self.kind(*last) == Kind::LambdaLiteral => {
                        self.lambda_value(*last, scope, (expected, label), builder)
                    }
                    Some(last) if self.kind(*last) != Kind::Label => self.bind_statement(*last, scope, builder),
                    _ => builder.unknown_expr(),
                }
            }
            Kind::LambdaLiteral => self.lambda_value(node, scope, (expected, None), builder),
            Kind::AnonymousFunction => self.anonymous_function_value(node, scope, builder),
            Kind::NavigationExpression => {
                let of = self.navigation_value(node, scope, Role::Member, builder);
                match self.narrowed.is_empty() {
                    true => of,
                    false => match self.path_of_names(node, builder) {
                        Some(path) => self.narrowed_value(&path, of, builder),
                        None => of,
                    },
                }
            }
            Kind::CallExpression => self.call_value(node, scope, builder),
            Kind::InfixExpression => self.infix_value(node, scope, builder),
            Kind::IndexExpression => {
                let (base, index) = self.base_and_index(node, scope, builder);
                let bracket = self.sign_of(node, &["["]);
                self.operator_call(base, "get", &index, bracket, builder)
            }
            Kind::UnaryExpression => self.unary_value(node, scope, builder),
            Kind::BinaryExpression => self.binary_value(node, scope, expected, builder),
            Kind::RangeExpression => {
                let children = self.named_children(node);
                let values: Vec<ExprId> = children.iter().map(|child| self.value(*child, scope, builder)).collect();
                let sign = self.sign_of(node, &["..", "..<"]);
                let name = if sign.kind() == "..<" { "rangeUntil" } else { "rangeTo" };
                match values.as_slice() {
                    [first, second] => self.operator_call(*first, name, &[*second], sign, builder),
                    _ => builder.unknown_expr(),
                }
            }
            Kind::InExpression => {
                let children = self.named_children(node);
                let values: Vec<ExprId> = children.iter().map(|child| self.value(*child, scope, builder)).collect();
                if let [element, of] = values.as_slice() {
                    let sign = self.sign_of(node, &["in", "!in"]);
                    self.operator_call(*of, "contains", &[*element], sign, builder);
                }
                self.value_of_known_type("Boolean", builder)
            }
            Kind::IsExpression => {
                if let Some(left) = self.field(node, self.grammar.left) {
                    self.value(left, scope, builder);
                }
                if let Some(written) = self.field(node, self.grammar.right) {
                    let of = self.type_expr(written, scope, builder);
                    self.tested_types.insert(node.id(), of);
                }
                self.value_of_known_type("Boolean", builder)
            }
            Kind::AsExpression => {
                let written = self.field(node, self.grammar.right);
                let mut value = builder.unknown_expr();
                // A lambda that is converted to a type is given what the type declares.
                let of = written.map_or(builder.unknown_expr(), |written| self.type_expr(written, scope, builder));
                if let Some(left) = self.field(node, self.grammar.left) {
                    value = self.value_for_type(left, scope, Some(of), builder);
                }
                self.tested_types.insert(node.id(), of);
                builder.add_expr(Expr::Matched { value, of })
            }
            Kind::IfExpression => self.if_value(node, scope, expected, builder),
            Kind::WhenExpression => self.when_value(node, scope, expected, builder),
            Kind::TryExpression => self.try_value(node, scope, builder),
            Kind::ObjectLiteral => self.object_literal_value(node, scope, builder),
            Kind::CallableReference => self.callable_reference_value(node, scope, builder),
            Kind::StringLiteral | Kind::MultilineStringLiteral => {
                self.bind_templates(node, scope, builder);
                self.value_of_known_type("String", builder)
            }
            Kind::ReturnExpression => self.return_value(node, scope, builder),
            Kind::ThrowExpression => {
                self.bind_children(node, scope, builder);
                builder.unknown_expr()
            }
            Kind::SpreadExpression => {
                let mut value = builder.unknown_expr();
                self.for_each_child(node, builder, |binder, child, builder| {
                    value = binder.value(child, scope, builder)
                });
                builder.add_expr(Expr::Element { of: value })
            }
            Kind::CollectionLiteral => {
                let children = self.named_children(node);
                let values: Vec<ExprId> = children.iter().map(|child| self.value(*child, scope, builder)).collect();
                let element = builder.expr_of_possible_values(values);
                self.array_of(element, builder)
            }
            Kind::UserType | Kind::NullableType | Kind::FunctionType => self.type_expr(node, scope, builder),
            Kind::Block
            | Kind::Assignment
            | Kind::ForStatement
            | Kind::WhileStatement
            | Kind::DoWhileStatement
            | Kind::PropertyDeclaration
            | Kind::FunctionDeclaration
            | Kind::ClassDeclaration
            | Kind::ObjectDeclaration => self.bind_statement(node, scope, builder),
            // Broken source may have anything in place of an expression.
            _ => {
                self.bind_children(node, scope, builder);
                builder.unknown_expr()
            }
        }
    }

    pub(super) fn bind_children(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(node, builder, |binder, child, builder| {
            binder.value(child, scope, builder);
        });
    }

    pub(super) fn operator_text<'s>(&self, node: Node<'t>, builder: &NamesBuilder<'s>) -> &'s str {
        self.field(node, self.grammar.operator).map_or("", |operator| builder.text_of_node(operator))
    }

    /// The value of `a.b`, `a?.b` or `a::b`.
    pub(super) fn navigation_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let children = self.named_children(node);
        let (Some(first), Some(name)) = (children.first(), children.last()) else { return builder.unknown_expr() };
        let base = self.value(*first, scope, builder);
        if first == name || self.kind(*name) != Kind::Identifier {
            return base;
        }
        let role = if self.has_token(node, "::") { Role::Read } else { role };
        self.record_member(base, *name, role, builder)
    }

    /// The value of `a infix b`.
    fn infix_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let children = self.named_children(node);
        let [left, name, right] = children.as_slice() else {
            self.bind_children(node, scope, builder);
            return builder.unknown_expr();
        };
        let base = self.value(*left, scope, builder);
        let callee = self.record_member(base, *name, Role::Call, builder);
        self.expected_function = Some(ExpectedFunction::Argument { callee, index: 0 });
        let argument = self.value(*right, scope, builder);
        let arguments = builder.add_expr_list(&[argument]);
        builder.names.call_arguments.push((callee, arguments));
        builder.add_expr(Expr::Call { callee })
    }

    fn binary_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if let Some(call) = self.call_value_in_comparison(node, scope, builder) {
            return call;
        }
        let operator = self.operator_text(node, builder);
        let (Some(left), Some(right)) = (self.field(node, self.grammar.left), self.field(node, self.grammar.right))
        else {
            self.bind_children(node, scope, builder);
            return builder.unknown_expr();
        };
        if operator == "?:" {
            self.expected_function = expected;
            let first = self.value(left, scope, builder);
            self.expected_function = expected;
            let second = self.value(right, scope, builder);
            return builder.expr_of_possible_values(vec![first, second]);
        }
        let first = self.value(left, scope, builder);
        let mark = self.narrowed.len();
        // The right side is evaluated only where the left side holds, or does not.
        if matches!(operator, "&&" | "||") {
            self.narrow_by_condition(left, operator == "&&", builder);
        }
        let second = self.value(right, scope, builder);
        self.narrowed.truncate(mark);
        self.binary_operator_value(node, operator, ((left, first), (right, second)), builder)
    }

    /// Records the use of what an assignment or an update writes, and returns its value.
    pub(super) fn assigned_target(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => self.record_name(node, scope, Role::Write, builder),
            Kind::NavigationExpression => {
                builder.run_with_depth_limit(node, |builder| self.navigation_value(node, scope, Role::Write, builder))
            }
            Kind::ParenthesizedExpression => match self.first_named_child(node) {
                Some(inner) => {
                    builder.run_with_depth_limit(inner, |builder| self.assigned_target(inner, scope, builder))
                }
                None => builder.unknown_expr(),
            },
            Kind::IndexExpression => {
                self.bind_children(node, scope, builder);
                builder.unknown_expr()
            }
            _ => self.value(node, scope, builder),
        }
    }

    /// The value of `::f`, `A::f`, `a::f` or `A::class`.
    fn callable_reference_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let children = self.all_children(node);
        let receiver = children.iter().copied().find(|child| self.is_type(*child));
        let sign = children.iter().position(|child| child.kind() == "::").unwrap_or(children.len());
        let name = children.iter().skip(sign + 1).copied().find(|child| self.kind(*child) == Kind::Identifier);
        let base = receiver.map(|receiver| self.value_or_type(receiver, scope, builder));
        match (base, name) {
            (Some(base), Some(name)) => self.record_member(base, name, Role::Read, builder),
            (None, Some(name)) => self.record_name(name, scope, Role::Read, builder),
            (Some(base), None) => {
                let of = self.known_type("KClass", builder);
                let args = builder.add_expr_list(&[base]);
                let of = builder.add_expr(Expr::Generic { base: Some(of), args });
                builder.add_expr(Expr::Instance { of })
            }
            (None, None) => builder.unknown_expr(),
        }
    }

    /// The expression for what stands before `::`: the path of a type, or of a value.
    fn value_or_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if self.kind(node) != Kind::UserType {
            return self.type_expr(node, scope, builder);
        }
        let children = self.named_children(node);
        if children.iter().any(|child| self.kind(*child) == Kind::TypeArguments) {
            return self.type_expr(node, scope, builder);
        }
        let mut base: Option<ExprId> = None;
        let mut path = String::new();
        for child in children {
            if self.kind(child) != Kind::Identifier {
                continue;
            }
            let text = builder.text_of_node(child);
            let role = if super::is_written_as_type(text) { Role::Type } else { Role::Read };
            let of = match base {
                Some(base) => self.record_member(base, child, role, builder),
                None => self.record_name(child, scope, role, builder),
            };
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(text);
            base = Some(self.narrowed_value(&path, of, builder));
        }
        base.unwrap_or(builder.unknown_expr())
    }

    /// Binds `return x`. What a lambda or a function without a name returns is recorded.
    fn return_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let label = self.field(node, self.grammar.label);
        let returned = self
            .find_child(node, |binder, child| child.is_named() && !binder.is_comment(child) && Some(child) != label);
        let Some(returned) = returned else { return builder.unknown_expr() };
        let value = self.value(returned, scope, builder);
        let from = match label {
            Some(label) => {
                let (name, _) = self.name_and_place(label, builder);
                self.labels.iter().rev().find(|(label, _)| *label == name).map(|(_, scope)| *scope)
            }
            None => self.returned.last().map(|(scope, _)| *scope),
        };
        if let Some(from) = from
            && let Some((_, values)) = self.returned.iter_mut().rev().find(|(scope, _)| *scope == from)
        {
            values.push(value);
        }
        builder.unknown_expr()
    }
}
