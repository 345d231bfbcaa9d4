//! Name binding of Java's expressions: their values, and the names that they use.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, FILE_SCOPE, NamesBuilder, RestrictedNameKind, Role, ScopeId};

impl<'t> Binder<'t> {
    /// The value of the expression `node`.
    pub(super) fn value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let expected = self.expected_function.take();
        match self.kind(node) {
            Kind::Identifier => builder.record_name_use(node, scope, Role::Read),
            Kind::This => builder.add_expr(Expr::This { scope }),
            Kind::Super => builder.add_expr(Expr::Super { scope }),
            Kind::StringLiteral if node.named_child_count() == 0 => self.value_of_known_type("String", builder),
            Kind::CharacterLiteral => self.value_of_known_type("char", builder),
            Kind::True | Kind::False => self.value_of_known_type("boolean", builder),
            Kind::NullLiteral => self.value_of_known_type("null", builder),
            Kind::DecimalIntegerLiteral
            | Kind::HexIntegerLiteral
            | Kind::OctalIntegerLiteral
            | Kind::BinaryIntegerLiteral => match builder.text_of_node(node).ends_with(['l', 'L']) {
                true => self.value_of_known_type("long", builder),
                false => self.value_of_known_type("int", builder),
            },
            Kind::DecimalFloatingPointLiteral | Kind::HexFloatingPointLiteral => {
                match builder.text_of_node(node).ends_with(['f', 'F']) {
                    true => self.value_of_known_type("float", builder),
                    false => self.value_of_known_type("double", builder),
                }
            }
            // What a lambda in parentheses is given is what the parentheses are given.
            Kind::LambdaExpression => {
                builder.run_with_depth_limit(node, |builder| self.lambda_value(node, scope, expected, builder))
            }
            Kind::ParenthesizedExpression | Kind::TernaryExpression => {
                builder.run_with_depth_limit(node, |builder| self.passed_on_value(node, scope, expected, builder))
            }
            _ => builder.run_with_depth_limit(node, |builder| self.compound_value(node, scope, builder)),
        }
    }

    /// The value of an expression that is the value of one of its parts.
    fn passed_on_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Option<super::lambdas::ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if self.kind(node) == Kind::ParenthesizedExpression {
            let Some(inner) = self.first_named_child(node) else { return builder.unknown_expr() };
            self.expected_function = expected;
            return self.value(inner, scope, builder);
        }
        self.value_in_field(node, self.grammar.condition, scope, builder);
        let mut parts = Vec::new();
        for field in [self.grammar.consequence, self.grammar.alternative] {
            self.expected_function = expected;
            parts.push(self.value_in_field(node, field, scope, builder));
        }
        self.expected_function = None;
        self.operator_value("?:", &parts, builder)
    }

    /// The value of an operator, as a call of a function that no source can name: the rules of the language know the results.
    fn operator_value(&mut self, name: &'static str, operands: &[ExprId], builder: &mut NamesBuilder<'_>) -> ExprId {
        let name = builder.intern_constructed_text(name);
        let callee = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: 0 });
        builder.names.restricted_names.push((callee, RestrictedNameKind::Function));
        let operands = builder.add_expr_list(operands);
        builder.names.call_arguments.push((callee, operands));
        builder.add_expr(Expr::Call { callee })
    }

    /// The value of an expression that contains other expressions.
    fn compound_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::FieldAccess => self.field_access_value(node, scope, Role::Member, builder),
            Kind::MethodInvocation => self.call_value(node, scope, builder),
            Kind::ObjectCreationExpression => self.created_object_value(node, scope, builder),
            Kind::MethodReference => self.method_reference_value(node, scope, builder),
            Kind::BinaryExpression => self.binary_value(node, scope, builder),
            Kind::UnaryExpression => {
                let value = self.value_in_field(node, self.grammar.operand, scope, builder);
                match self.operator_text(node, builder) {
                    "!" => self.value_of_known_type("boolean", builder),
                    _ => self.operator_value("+", &[value], builder),
                }
            }
            Kind::UpdateExpression => match self.first_named_child(node) {
                Some(target) => self.assigned_target(target, scope, builder),
                None => builder.unknown_expr(),
            },
            Kind::AssignmentExpression => {
                let target = match self.field(node, self.grammar.left) {
                    Some(target) => self.assigned_target(target, scope, builder),
                    None => builder.unknown_expr(),
                };
                match self.field(node, self.grammar.right) {
                    Some(right) => {
                        // A lambda is given what the type of the target declares.
                        let of = builder.add_expr(Expr::TypeOf { of: target });
                        self.value_for_type(right, scope, Some(of), builder);
                        target
                    }
                    None => target,
                }
            }
            Kind::CastExpression => {
                let mut types = Vec::new();
                let value = self.field(node, self.grammar.value);
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    if Some(child) != value {
                        types.push(binder.type_expr(child, scope, builder));
                    }
                });
                let of = builder.expr_of_possible_values(types);
                if let Some(value) = value {
                    self.value_for_type(value, scope, Some(of), builder);
                }
                builder.add_expr(Expr::Instance { of })
            }
            Kind::InstanceofExpression => {
                let tested = self.value_in_field(node, self.grammar.left, scope, builder);
                self.bind_instanceof_pattern(node, tested, scope, builder);
                self.value_of_known_type("boolean", builder)
            }
            Kind::ClassLiteral => {
                let mut of = builder.unknown_expr();
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    of = binder.type_expr(child, scope, builder)
                });
                let base = self.known_type("Class", builder);
                let args = builder.add_expr_list(&[of]);
                let of = builder.add_expr(Expr::Generic { base: Some(base), args });
                builder.add_expr(Expr::Instance { of })
            }
            Kind::ArrayAccess => {
                let of = self.value_in_field(node, self.grammar.array, scope, builder);
                self.value_in_field(node, self.grammar.index, scope, builder);
                builder.add_expr(Expr::Element { of })
            }
            Kind::ArrayCreationExpression => self.created_array_value(node, scope, builder),
            Kind::SwitchExpression => self.switch_value(node, scope, builder),
            Kind::StringLiteral => {
                self.bind_children(node, scope, builder);
                self.value_of_known_type("String", builder)
            }
            Kind::Annotation | Kind::MarkerAnnotation => {
                self.bind_annotation_if_any(node, scope, builder);
                builder.unknown_expr()
            }
            Kind::TypeIdentifier
            | Kind::ScopedTypeIdentifier
            | Kind::GenericType
            | Kind::ArrayType
            | Kind::AnnotatedType => self.type_expr(node, scope, builder),
            Kind::Block | Kind::LocalVariableDeclaration | Kind::ExpressionStatement | Kind::ReturnStatement => {
                self.bind_statement(node, scope, builder);
                builder.unknown_expr()
            }
            // Broken source may have anything in place of an expression.
            _ => {
                self.bind_children(node, scope, builder);
                builder.unknown_expr()
            }
        }
    }

    fn bind_children(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
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
                self.expected_function = None;
                builder.unknown_expr()
            }
        }
    }

    fn operator_text<'s>(&self, node: Node<'t>, builder: &NamesBuilder<'s>) -> &'s str {
        self.field(node, self.grammar.operator).map_or("", |operator| builder.text_of_node(operator))
    }

    /// The value of `a.b`, or of `Outer.this`.
    fn field_access_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let object = self.field(node, self.grammar.object);
        let Some(name) = self.field(node, self.grammar.field) else {
            return match object {
                Some(object) => self.value(object, scope, builder),
                None => builder.unknown_expr(),
            };
        };
        if self.kind(name) == Kind::This {
            let of = match object.filter(|object| self.kind(*object) == Kind::Identifier) {
                Some(object) => {
                    self.record_restricted_name_use(object, scope, (RestrictedNameKind::Type, Role::Type), builder)
                }
                None => object.map_or(builder.unknown_expr(), |object| self.value(object, scope, builder)),
            };
            return builder.add_expr(Expr::Instance { of });
        }
        let base = object.map_or(builder.unknown_expr(), |object| self.value(object, scope, builder));
        builder.record_member_use(base, name, role)
    }

    /// Records the use of what an assignment or an update writes, and returns its value.
    fn assigned_target(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => builder.record_name_use(node, scope, Role::Write),
            Kind::FieldAccess => {
                builder.run_with_depth_limit(node, |builder| self.field_access_value(node, scope, Role::Write, builder))
            }
            Kind::ParenthesizedExpression => match self.first_named_child(node) {
                Some(inner) => {
                    builder.run_with_depth_limit(inner, |builder| self.assigned_target(inner, scope, builder))
                }
                None => builder.unknown_expr(),
            },
            _ => self.value(node, scope, builder),
        }
    }

    /// The value of operands and the operators between them. A long chain of operators is one value, since its type is that
    /// of all its operands together.
    fn binary_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let operator = self.operator_text(node, builder);
        if !is_arithmetic(operator) {
            let left = self.value_in_field(node, self.grammar.left, scope, builder);
            self.value_in_field(node, self.grammar.right, scope, builder);
            return match operator {
                "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => self.value_of_known_type("boolean", builder),
                // A shift.
                _ => self.operator_value("+", &[left], builder),
            };
        }
        let mut chain = vec![node];
        let mut first = self.field(node, self.grammar.left);
        while let Some(left) = first
            && self.kind(left) == Kind::BinaryExpression
            && is_arithmetic(self.operator_text(left, builder))
        {
            chain.push(left);
            first = self.field(left, self.grammar.left);
        }
        let mut operands = Vec::new();
        operands.extend(first.map(|first| self.value(first, scope, builder)));
        for part in chain.iter().rev() {
            operands.push(self.value_in_field(*part, self.grammar.right, scope, builder));
        }
        let string = self.known_types.get("String").map(|of| Expr::Instance { of: *of });
        if operands.iter().any(|operand| Some(builder.names.expr_by_id(*operand)) == string) {
            return self.value_of_known_type("String", builder);
        }
        if operands.len() > MAX_OPERANDS {
            return builder.unknown_expr();
        }
        self.operator_value("+", &operands, builder)
    }

    /// The value of `new T[n]` or `new T[] { … }`.
    fn created_array_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut of = builder.unknown_expr();
        let written = self.field(node, self.grammar.r#type);
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::DimensionsExpr => {
                binder.bind_children(child, scope, builder);
                of = binder.array_of(of, builder);
            }
            Kind::Dimensions => of = binder.array_type_expr(of, Some(child), scope, builder),
            Kind::Annotation | Kind::MarkerAnnotation => binder.bind_annotation_if_any(child, scope, builder),
            Kind::ArrayInitializer => {
                binder.bind_array_initializer(child, scope, builder);
            }
            _ if Some(child) == written => of = binder.type_expr(child, scope, builder),
            _ => {}
        });
        builder.add_expr(Expr::Instance { of })
    }

    /// Binds the names in the elements of an array.
    pub(super) fn bind_array_initializer(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_children(node, scope, builder);
    }
}

/// The limit on the number of operands of whose types the type of a chain of operators is made.
const MAX_OPERANDS: usize = 64;

/// Whether the result of an operator has a type that all its operands decide.
fn is_arithmetic(operator: &str) -> bool {
    matches!(operator, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^")
}
