//! Name binding of C#'s expressions: their values, and the names that they use.

use tree_sitter::Node;

use super::open_functions::ExpectedFunction;
use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// What is expected where an expression stands.
#[derive(Clone, Copy, Default)]
struct Expected {
    function: Option<ExpectedFunction>,
    of: Option<ExprId>,
}

impl<'t> Binder<'t> {
    /// The value of the expression `node`.
    pub(super) fn value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let expected = Expected { function: self.expected_function.take(), of: self.expected_type.take() };
        match self.kind(node) {
            Kind::Identifier => self.use_name(node, scope, Role::Read, builder),
            Kind::This => builder.add_expr(Expr::This { scope }),
            Kind::Base => builder.add_expr(Expr::Super { scope }),
            Kind::StringLiteral | Kind::VerbatimStringLiteral | Kind::RawStringLiteral => {
                self.value_of_known_type("string", builder)
            }
            Kind::CharacterLiteral => self.value_of_known_type("char", builder),
            Kind::BooleanLiteral => self.value_of_known_type("bool", builder),
            Kind::NullLiteral => self.value_of_known_type("null", builder),
            Kind::IntegerLiteral => {
                let text = builder.text_of_node(node).to_ascii_lowercase();
                let name = match (text.ends_with('l') || text.ends_with("lu"), text.contains('u')) {
                    (true, true) => "ulong",
                    (true, false) => "long",
                    (false, true) => "uint",
                    (false, false) => "int",
                };
                self.value_of_known_type(name, builder)
            }
            Kind::RealLiteral => {
                let name = match builder.text_of_node(node).bytes().last() {
                    Some(b'f' | b'F') => "float",
                    Some(b'm' | b'M') => "decimal",
                    _ => "double",
                };
                self.value_of_known_type(name, builder)
            }
            _ => builder.run_with_depth_limit(node, |builder| self.compound_value(node, scope, expected, builder)),
        }
    }

    /// The value of an expression that contains other expressions.
    fn compound_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Expected,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(node) {
            Kind::GenericName => self.generic_name_expr(node, None, (scope, Role::Read), builder),
            Kind::PredefinedType
            | Kind::QualifiedName
            | Kind::ArrayType
            | Kind::NullableType
            | Kind::TupleType
            | Kind::PointerType => self.type_expr(node, scope, builder),
            Kind::AliasQualifiedName => match self.field(node, self.grammar.name) {
                Some(name) => self.value(name, crate::names::FILE_SCOPE, builder),
                None => builder.unknown_expr(),
            },
            Kind::LambdaExpression | Kind::AnonymousMethodExpression => {
                self.lambda_value(node, scope, expected.function, builder)
            }
            Kind::ParenthesizedExpression | Kind::RefExpression => {
                let inner = self.find_child(node, |binder, child| {
                    child.is_named() || matches!(binder.kind(child), Kind::This | Kind::Base)
                });
                let Some(inner) = inner else { return builder.unknown_expr() };
                self.expect(expected);
                self.value(inner, scope, builder)
            }
            Kind::ConditionalExpression => {
                self.value_in_field(node, self.grammar.condition, scope, builder);
                let mut parts = Vec::new();
                for field in [self.grammar.consequence, self.grammar.alternative] {
                    self.expect(expected);
                    parts.push(self.value_in_field(node, field, scope, builder));
                }
                self.expect(Expected::default());
                self.operator_value("?:", &parts, builder)
            }
            Kind::MemberAccessExpression => self.member_value(node, scope, Role::Read, builder),
            Kind::ConditionalAccessExpression => self.conditional_access_value(node, scope, Role::Read, builder),
            Kind::InvocationExpression => self.call_value(node, scope, builder),
            Kind::ObjectCreationExpression => self.created_object_value(node, scope, builder),
            Kind::ImplicitObjectCreationExpression => {
                self.created_object_of_expected_type(node, expected.of, scope, builder)
            }
            Kind::AnonymousObjectCreationExpression => self.anonymous_object_value(node, scope, builder),
            Kind::ArrayCreationExpression | Kind::ImplicitArrayCreationExpression | Kind::StackallocExpression => {
                self.created_array_value(node, scope, builder)
            }
            Kind::InitializerExpression => {
                let element = expected.of.map(|of| builder.add_expr(Expr::Element { of }));
                self.array_elements(node, element, scope, builder);
                expected.of.map_or(builder.unknown_expr(), |of| builder.add_expr(Expr::Instance { of }))
            }
            Kind::CollectionExpression => {
                let element = expected.of.map(|of| builder.add_expr(Expr::Element { of }));
                self.for_each_child(node, builder, |binder, part, builder| {
                    if let Some(value) = binder.first_child(part) {
                        binder.value_for_type(value, scope, element, builder);
                    }
                });
                expected.of.map_or(builder.unknown_expr(), |of| builder.add_expr(Expr::Instance { of }))
            }
            Kind::AssignmentExpression => self.assignment_value(node, scope, builder),
            Kind::BinaryExpression => self.binary_value(node, scope, expected, builder),
            Kind::PrefixUnaryExpression | Kind::PostfixUnaryExpression => self.unary_value(node, scope, builder),
            Kind::AwaitExpression => {
                let value = self.first_child(node).map(|of| self.value(of, scope, builder));
                self.operator_value("await", &[value.unwrap_or(builder.unknown_expr())], builder)
            }
            Kind::CastExpression => {
                let of = self.declared_type(node, scope, builder).unwrap_or(builder.unknown_expr());
                if let Some(value) = self.field(node, self.grammar.value) {
                    self.value_for_type(value, scope, Some(of), builder);
                }
                builder.add_expr(Expr::Instance { of })
            }
            Kind::AsExpression => {
                self.value_in_field(node, self.grammar.left, scope, builder);
                let Some(written) = self.field(node, self.grammar.right) else { return builder.unknown_expr() };
                let of = self.type_expr(written, scope, builder);
                builder.add_expr(Expr::Instance { of })
            }
            Kind::IsExpression => {
                self.value_in_field(node, self.grammar.left, scope, builder);
                if let Some(right) = self.field(node, self.grammar.right) {
                    // What the grammar reads as a type can be a constant.
                    match self.kind(right) {
                        Kind::Identifier => {
                            self.use_name(right, scope, Role::Read, builder);
                        }
                        _ => {
                            self.type_expr(right, scope, builder);
                        }
                    }
                }
                self.value_of_known_type("bool", builder)
            }
            Kind::IsPatternExpression => {
                let tested = self.value_in_field(node, self.grammar.expression, scope, builder);
                if let Some(pattern) = self.field(node, self.grammar.pattern) {
                    self.bind_pattern(pattern, tested, scope, builder);
                }
                self.value_of_known_type("bool", builder)
            }
            Kind::SwitchExpression => self.switch_value(node, scope, expected, builder),
            Kind::ElementAccessExpression => {
                let of = self.value_in_field(node, self.grammar.expression, scope, builder);
                if let Some(subscript) = self.field(node, self.grammar.subscript) {
                    self.bind_values_in(subscript, scope, builder);
                }
                self.operator_value("[]", &[of], builder)
            }
            Kind::TypeofExpression => {
                self.declared_type(node, scope, builder);
                self.value_of_known_type("Type", builder)
            }
            Kind::SizeofExpression => {
                self.declared_type(node, scope, builder);
                self.value_of_known_type("int", builder)
            }
            Kind::DefaultExpression => match self.declared_type(node, scope, builder).or(expected.of) {
                Some(of) => builder.add_expr(Expr::Instance { of }),
                None => self.value_of_known_type("null", builder),
            },
            Kind::InterpolatedStringExpression => {
                self.for_each_child(node, builder, |binder, part, builder| binder.bind_values_in(part, scope, builder));
                self.value_of_known_type("string", builder)
            }
            Kind::TupleExpression => {
                let mut items = Vec::new();
                self.for_each_child(node, builder, |binder, argument, builder| {
                    let name = binder.field(argument, binder.grammar.name);
                    let value = binder.find_child(argument, |binder, child| {
                        Some(child) != name && (child.is_named() || binder.kind(child) == Kind::This)
                    });
                    items.push(value.map_or(builder.unknown_expr(), |value| binder.value(value, scope, builder)));
                });
                let items = builder.add_expr_list(&items);
                builder.add_expr(Expr::Tuple(items))
            }
            Kind::DeclarationExpression => self.bind_declaration_expression(node, None, scope, builder),
            Kind::QueryExpression => self.query_value(node, scope, builder),
            Kind::WithExpression => self.with_value(node, scope, builder),
            Kind::ThrowExpression => {
                self.bind_values_in(node, scope, builder);
                self.value_of_known_type("null", builder)
            }
            Kind::PreprocIf | Kind::PreprocElse | Kind::PreprocElif => {
                let condition = self.field(node, self.grammar.condition);
                let mut values = Vec::new();
                self.for_each_child(node, builder, |binder, child, builder| {
                    if Some(child) != condition {
                        values.push(binder.value(child, scope, builder));
                    }
                });
                builder.expr_of_possible_values(values)
            }
            Kind::Block | Kind::ReturnStatement | Kind::VariableDeclaration | Kind::LocalFunctionStatement => {
                self.bind_statement(node, scope, builder);
                builder.unknown_expr()
            }
            _ if self.is_type_declaration(node) || self.is_member(node) => {
                self.bind_statement(node, scope, builder);
                builder.unknown_expr()
            }
            // Broken source may have anything in place of an expression.
            _ => {
                self.bind_values_in(node, scope, builder);
                builder.unknown_expr()
            }
        }
    }

    fn expect(&mut self, expected: Expected) {
        self.expected_function = expected.function;
        self.expected_type = expected.of;
    }

    /// Binds the expressions that are children of a node.
    pub(super) fn bind_values_in(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(node, builder, |binder, child, builder| {
            binder.value(child, scope, builder);
        });
    }

    pub(super) fn value_in_field(
        &mut self,
        node: Node<'t>,
        field: u16,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.field(node, field) {
            Some(node) => self.value(node, scope, builder),
            None => {
                self.expect(Expected::default());
                builder.unknown_expr()
            }
        }
    }

    /// The value of `a.b`.
    pub(super) fn member_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let base = self.value_in_field(node, self.grammar.expression, scope, builder);
        match self.field(node, self.grammar.name) {
            Some(name) => self.named_member_expr(base, name, (scope, role), builder),
            None => base,
        }
    }

    /// The value of `a?.b` or `a?[b]`.
    pub(super) fn conditional_access_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let base = self.value_in_field(node, self.grammar.condition, scope, builder);
        if let Some(binding) = self.child_of_kind(node, Kind::MemberBindingExpression) {
            return match self.field(binding, self.grammar.name) {
                Some(name) => self.named_member_expr(base, name, (scope, role), builder),
                None => base,
            };
        }
        if let Some(binding) = self.child_of_kind(node, Kind::ElementBindingExpression) {
            self.bind_values_in(binding, scope, builder);
        }
        self.operator_value("[]", &[base], builder)
    }

    fn assignment_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let left = self.field(node, self.grammar.left);
        if let Some(left) = left.filter(|left| self.kind(*left) == Kind::TupleExpression) {
            let value = self.value_in_field(node, self.grammar.right, scope, builder);
            self.bind_deconstruction(left, value, scope, builder);
            return value;
        }
        let target = match left {
            Some(left) => self.assigned_target(left, scope, builder),
            None => builder.unknown_expr(),
        };
        if let Some(right) = self.field(node, self.grammar.right) {
            let of = builder.add_expr(Expr::TypeOf { of: target });
            self.value_for_type(right, scope, Some(of), builder);
        }
        target
    }

    /// Records the use of what an assignment or an update writes, and returns its value.
    pub(super) fn assigned_target(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => self.use_name(node, scope, Role::Write, builder),
            Kind::MemberAccessExpression => {
                builder.run_with_depth_limit(node, |builder| self.member_value(node, scope, Role::Write, builder))
            }
            Kind::ParenthesizedExpression => match self.first_child(node) {
                Some(inner) => {
                    builder.run_with_depth_limit(inner, |builder| self.assigned_target(inner, scope, builder))
                }
                None => builder.unknown_expr(),
            },
            _ => self.value(node, scope, builder),
        }
    }

    fn unary_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let operand = self.find_child(node, |binder, child| {
            child.is_named() || matches!(binder.kind(child), Kind::This | Kind::Base)
        });
        let Some(operand) = operand else { return builder.unknown_expr() };
        if self.has_token(node, "++") || self.has_token(node, "--") {
            return self.assigned_target(operand, scope, builder);
        }
        let is_not = self.kind(node) == Kind::PrefixUnaryExpression && self.has_token(node, "!");
        let value = self.value(operand, scope, builder);
        if is_not { self.value_of_known_type("bool", builder) } else { value }
    }

    /// The value of operands and the operators between them. A chain of operators is read in a loop: it can be long.
    fn binary_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Expected,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let operator = self.operator_text(node, builder);
        let mut chain = vec![node];
        let mut first = self.field(node, self.grammar.left);
        while let Some(left) = first.filter(|left| self.kind(*left) == Kind::BinaryExpression) {
            chain.push(left);
            first = self.field(left, self.grammar.left);
        }
        let mut operands = Vec::new();
        operands.extend(first.map(|first| self.value(first, scope, builder)));
        for part in chain.iter().rev() {
            if self.operator_text(*part, builder) == "??" {
                self.expect(expected);
            }
            operands.push(self.value_in_field(*part, self.grammar.right, scope, builder));
        }
        match operator {
            "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => self.value_of_known_type("bool", builder),
            "??" => self.operator_value("?:", &operands, builder),
            _ if operands.len() > MAX_OPERANDS => builder.unknown_expr(),
            _ => self.operator_value("+", &operands, builder),
        }
    }

    fn operator_text<'s>(&self, node: Node<'t>, builder: &NamesBuilder<'s>) -> &'s str {
        self.field(node, self.grammar.operator).map_or("", |operator| builder.text_of_node(operator))
    }

    fn switch_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Expected,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let Some(tested_node) = self.first_child(node) else { return builder.unknown_expr() };
        let tested = self.value(tested_node, scope, builder);
        let mut results = Vec::new();
        self.for_each_child(node, builder, |binder, arm, builder| {
            if binder.kind(arm) != Kind::SwitchExpressionArm {
                return;
            }
            let inside = builder.add_child_scope(scope, ScopeKind::Block, arm);
            let parts = binder.children(arm, builder);
            let last = parts.len().saturating_sub(1);
            for (index, part) in parts.into_iter().enumerate() {
                match binder.kind(part) {
                    Kind::WhenClause => binder.bind_values_in(part, inside, builder),
                    _ if index == 0 => binder.bind_pattern(part, tested, inside, builder),
                    _ if index == last => {
                        binder.expect(expected);
                        results.push(binder.value(part, inside, builder));
                    }
                    _ => {}
                }
            }
        });
        results.truncate(MAX_RESULTS);
        self.operator_value("?:", &results, builder)
    }
}

/// The limit on the number of operands of whose types the type of a chain of operators is made.
const MAX_OPERANDS: usize = 64;

/// The limit on the number of alternatives from which the type of a `switch` is taken.
const MAX_RESULTS: usize = 8;
