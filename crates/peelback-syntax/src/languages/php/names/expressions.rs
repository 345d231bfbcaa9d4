//! Name binding of PHP's expressions: their values, and the names that they use.

use tree_sitter::Node;

use super::conditions::{is_and, is_or};
use super::state::PathKind;
use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, SubscriptKey};

/// The limit on the number of elements of an array whose places are known.
const MAX_TUPLE: usize = 8;

/// The limit on the number of elements of an array whose values are known.
const MAX_ELEMENTS: usize = 64;

impl<'t> Binder<'t> {
    /// The value of the expression `node`.
    pub(super) fn value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::VariableName => self.variable_value(node, scope, Role::Read, builder),
            Kind::Name | Kind::QualifiedName | Kind::RelativeName => {
                let text = builder.text_of_node(node);
                match self.relative_class_expr(text, scope, builder) {
                    Some(relative) => relative,
                    // `__DIR__` and the like.
                    None if text.starts_with("__") && text.ends_with("__") => {
                        self.value_of_known_type("?scalar", builder)
                    }
                    None => self.path_expr(node, PathKind::Constant, Role::Read, builder),
                }
            }
            Kind::String | Kind::Nowdoc | Kind::Integer | Kind::Float | Kind::Boolean => {
                self.value_of_known_type("?scalar", builder)
            }
            Kind::Null => builder.unknown_expr(),
            Kind::AnonymousFunction | Kind::ArrowFunction => builder.run_with_depth_limit(node, |builder| {
                self.bind_closure(node, scope, self.kind(node) == Kind::ArrowFunction, builder)
            }),
            _ => {
                self.expected_parameters.clear();
                builder.run_with_depth_limit(node, |builder| self.compound_value(node, scope, builder))
            }
        }
    }

    pub(super) fn value_in_field(
        &mut self,
        node: Node<'t>,
        field: u16,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        self.field(node, field).map_or(builder.unknown_expr(), |node| self.value(node, scope, builder))
    }

    /// The value of an expression that contains other expressions.
    fn compound_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::MemberAccessExpression | Kind::NullsafeMemberAccessExpression => {
                self.member_access_value(node, scope, Role::Member, builder)
            }
            Kind::ScopedPropertyAccessExpression => self.scoped_property_value(node, scope, Role::Member, builder),
            Kind::ClassConstantAccessExpression => self.class_constant_value(node, scope, builder),
            Kind::FunctionCallExpression => self.function_call_value(node, scope, builder),
            Kind::MemberCallExpression | Kind::NullsafeMemberCallExpression => {
                self.method_call_value(node, scope, builder)
            }
            Kind::ScopedCallExpression => self.static_call_value(node, scope, builder),
            Kind::ObjectCreationExpression => self.created_object_value(node, scope, builder),
            Kind::AssignmentExpression | Kind::ReferenceAssignmentExpression => {
                let pending = std::mem::take(&mut self.pending_variables);
                let value = self.value_in_field(node, self.grammar.right, scope, builder);
                self.pending_variables = pending;
                if let Some(target) = self.field(node, self.grammar.left) {
                    self.assign(target, value, scope, builder);
                }
                value
            }
            Kind::AugmentedAssignmentExpression => {
                let right = self.value_in_field(node, self.grammar.right, scope, builder);
                let Some(target) = self.field(node, self.grammar.left) else { return right };
                let value = match self.operator_text(node, builder) {
                    "??=" => {
                        let before = self.value(target, scope, builder);
                        builder.expr_of_possible_values(vec![before, right])
                    }
                    "+=" => builder.unknown_expr(),
                    _ => self.value_of_known_type("?scalar", builder),
                };
                self.assign(target, value, scope, builder);
                value
            }
            Kind::BinaryExpression => self.binary_value(node, scope, builder),
            Kind::ConditionalExpression => self.conditional_value(node, scope, builder),
            Kind::MatchExpression => self.match_value(node, scope, builder),
            Kind::ParenthesizedExpression | Kind::ErrorSuppressionExpression | Kind::CloneExpression | Kind::ByRef => {
                match self.first_named_child(node) {
                    Some(inner) if self.kind(inner) == Kind::Arguments => {
                        let arguments = self.bind_arguments(inner, scope, builder);
                        arguments.first().copied().unwrap_or(builder.unknown_expr())
                    }
                    Some(inner) => self.value(inner, scope, builder),
                    None => builder.unknown_expr(),
                }
            }
            Kind::CastExpression => {
                let value = self.value_in_field(node, self.grammar.value, scope, builder);
                let written = self.field(node, self.grammar.r#type).map_or("", |of| builder.text_of_node(of));
                match written.to_ascii_lowercase().as_str() {
                    "array" => value,
                    "object" => builder.unknown_expr(),
                    _ => self.value_of_known_type("?scalar", builder),
                }
            }
            Kind::UnaryOpExpression => {
                self.bind_children(node, scope, builder);
                self.value_of_known_type("?scalar", builder)
            }
            Kind::EncapsedString | Kind::Heredoc => {
                self.bind_children(node, scope, builder);
                self.value_of_known_type("?scalar", builder)
            }
            Kind::ArrayCreationExpression => self.array_value(node, scope, builder),
            Kind::SubscriptExpression => {
                let parts = self.named_children(node, builder);
                let Some(base) = parts.first() else { return builder.unknown_expr() };
                let of = self.value(*base, scope, builder);
                let Some(index) = parts.get(1) else { return builder.unknown_expr() };
                self.value(*index, scope, builder);
                let place = match self.kind(*index) {
                    Kind::Integer => builder.text_of_node(*index).parse::<u32>().ok(),
                    _ => None,
                };
                if of == builder.unknown_expr() {
                    return of;
                }
                builder.add_expr(match place {
                    Some(index) => Expr::Item { of, index },
                    None => Expr::Subscript { of, key: SubscriptKey::Item },
                })
            }
            Kind::YieldExpression => self.bind_yield(node, scope, builder),
            Kind::IncludeExpression
            | Kind::IncludeOnceExpression
            | Kind::RequireExpression
            | Kind::RequireOnceExpression => self.bind_include(node, scope, builder),
            Kind::AnonymousClass => self.bind_anonymous_class(node, scope, builder),
            Kind::ListLiteral => {
                let value = builder.unknown_expr();
                self.assign(node, value, scope, builder);
                value
            }
            Kind::VariadicUnpacking => {
                let of = self.first_named_child(node);
                let of = of.map_or(builder.unknown_expr(), |of| self.value(of, scope, builder));
                match of == builder.unknown_expr() {
                    true => of,
                    false => builder.add_expr(Expr::Element { of }),
                }
            }
            Kind::NamedType | Kind::OptionalType | Kind::UnionType | Kind::PrimitiveType => {
                self.type_expr(node, scope, builder).expr
            }
            _ => {
                self.bind_children(node, scope, builder);
                builder.unknown_expr()
            }
        }
    }

    /// Records the use of a member in `$object->member`, and returns its value.
    pub(super) fn member_access_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let base = self.value_in_field(node, self.grammar.object, scope, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return builder.unknown_expr() };
        if self.kind(name) != Kind::Name || name.named_child_count() > 0 {
            self.value(name, scope, builder);
            return builder.unknown_expr();
        }
        let member = builder.record_member_use(base, name, role);
        if role == Role::Member
            && let Some(key) = self.key_of_tested_value(node, builder)
            && let Some(known) = self.current_value(key)
        {
            return known;
        }
        member
    }

    /// The expression for the class or object in front of `::`.
    pub(super) fn qualifier_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Name | Kind::QualifiedName | Kind::RelativeName | Kind::RelativeScope => {
                self.class_expr(node, scope, Role::Type, builder)
            }
            _ => self.value(node, scope, builder),
        }
    }

    /// Records the use of a static property: `Foo::$instance`.
    pub(super) fn scoped_property_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let of = self.field(node, self.grammar.scope);
        let base = of.map_or(builder.unknown_expr(), |of| self.qualifier_expr(of, scope, builder));
        let Some(name) = self.field(node, self.grammar.name) else { return builder.unknown_expr() };
        match self.child_of_kind(name, Kind::Name).filter(|_| self.kind(name) == Kind::VariableName) {
            Some(name) => builder.record_member_use(base, name, role),
            None => {
                self.value(name, scope, builder);
                builder.unknown_expr()
            }
        }
    }

    /// The value of `Foo::BAR`, or of `Foo::class`, which stands for the class.
    fn class_constant_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let parts = self.named_children(node, builder);
        let Some(of) = parts.first() else { return builder.unknown_expr() };
        let base = self.qualifier_expr(*of, scope, builder);
        match parts.get(1) {
            Some(name) if self.kind(*name) == Kind::Name && name.named_child_count() == 0 => {
                match builder.text_of_node(*name).eq_ignore_ascii_case("class") {
                    true => match self.kind(*of) {
                        Kind::Name | Kind::QualifiedName | Kind::RelativeName | Kind::RelativeScope => base,
                        _ => builder.add_expr(Expr::TypeOf { of: base }),
                    },
                    false => builder.record_member_use(base, *name, Role::Member),
                }
            }
            Some(other) => {
                self.bind_children(*other, scope, builder);
                builder.unknown_expr()
            }
            None => base,
        }
    }

    /// The value of operands and the operator between them. A long chain of operators is read without recursion.
    fn binary_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let operator = self.operator_text(node, builder);
        if operator.eq_ignore_ascii_case("instanceof") {
            return self.instance_test_value(node, scope, builder);
        }
        if operator == "??" {
            let left = self.value_in_field(node, self.grammar.left, scope, builder);
            let right = self.value_in_field(node, self.grammar.right, scope, builder);
            return builder.expr_of_possible_values(vec![left, right]);
        }
        if is_and(operator) || is_or(operator) {
            let is_met = is_and(operator);
            self.value_in_field(node, self.grammar.left, scope, builder);
            let start = self.begin_branch();
            if let Some(left) = self.field(node, self.grammar.left) {
                self.apply_types_told_by_condition(left, is_met, builder);
            }
            self.value_in_field(node, self.grammar.right, scope, builder);
            let assigned = self.end_branch(start);
            self.forget_assigned(assigned);
            return self.value_of_known_type("?scalar", builder);
        }
        let mut chain = vec![node];
        let mut first = self.field(node, self.grammar.left);
        while let Some(left) = first
            && self.kind(left) == Kind::BinaryExpression
            && is_plain_operator(self.operator_text(left, builder))
        {
            chain.push(left);
            first = self.field(left, self.grammar.left);
        }
        if let Some(first) = first {
            self.value(first, scope, builder);
        }
        for part in chain.iter().rev() {
            self.value_in_field(*part, self.grammar.right, scope, builder);
        }
        match operator {
            "+" => builder.unknown_expr(),
            _ => self.value_of_known_type("?scalar", builder),
        }
    }

    fn instance_test_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let left = self.field(node, self.grammar.left);
        if let Some(left) = left {
            self.value(left, scope, builder);
        }
        if let Some(right) = self.field(node, self.grammar.right) {
            let of = match self.kind(right) {
                Kind::Name | Kind::QualifiedName | Kind::RelativeName => {
                    Some(self.class_expr(right, scope, Role::Type, builder))
                }
                _ => {
                    self.value(right, scope, builder);
                    None
                }
            };
            let key = left.and_then(|left| self.key_of_tested_value(left, builder));
            if let (Some(key), Some(of)) = (key, of) {
                self.instance_tests.insert(node.id(), (key, of));
            }
        }
        self.value_of_known_type("?scalar", builder)
    }

    /// The value of `a ? b : c`, and of `a ?: b`.
    fn conditional_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let tested = self.value_in_field(node, self.grammar.condition, scope, builder);
        let condition = self.field(node, self.grammar.condition);
        let mut parts = Vec::new();
        for (field, result) in [(self.grammar.body, true), (self.grammar.alternative, false)] {
            let Some(branch) = self.field(node, field) else {
                parts.push(tested);
                continue;
            };
            let start = self.begin_branch();
            if let Some(condition) = condition {
                self.apply_types_told_by_condition(condition, result, builder);
            }
            parts.push(self.value(branch, scope, builder));
            let assigned = self.end_branch(start);
            self.forget_assigned(assigned);
        }
        builder.expr_of_possible_values(parts)
    }

    fn match_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        self.value_in_field(node, self.grammar.condition, scope, builder);
        let mut values = Vec::new();
        let Some(block) = self.field(node, self.grammar.body) else { return builder.unknown_expr() };
        self.for_each_named_non_comment_child(block, builder, |binder, arm, builder| {
            let start = binder.begin_branch();
            if let Some(list) = binder.field(arm, binder.grammar.conditional_expressions) {
                let conditions = binder.named_children(list, builder);
                for condition in &conditions {
                    binder.value(*condition, scope, builder);
                }
                if let [condition] = conditions.as_slice() {
                    binder.apply_types_told_by_condition(*condition, true, builder);
                }
            }
            let value = binder.value_in_field(arm, binder.grammar.return_expression, scope, builder);
            if values.len() < MAX_ELEMENTS {
                values.push(value);
            }
            let assigned = binder.end_branch(start);
            binder.forget_assigned(assigned);
        });
        builder.expr_of_possible_values(values)
    }

    /// The value of an array. The places of a few elements without keys are known.
    fn array_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(callable) = self.callable_array_value(node, scope, builder) {
            return callable;
        }
        let mut values = Vec::new();
        let mut is_list = true;
        self.for_each_named_non_comment_child(node, builder, |binder, element, builder| {
            let parts = match binder.kind(element) {
                Kind::ArrayElementInitializer => binder.named_children(element, builder),
                _ => vec![element],
            };
            if let [key, _] = parts.as_slice() {
                is_list = false;
                binder.value(*key, scope, builder);
            }
            if let Some(value) = parts.last() {
                is_list &= binder.kind(*value) != Kind::VariadicUnpacking;
                let value = binder.value(*value, scope, builder);
                if values.len() < MAX_ELEMENTS {
                    values.push(value);
                }
            }
        });
        if is_list && !values.is_empty() && values.len() <= MAX_TUPLE {
            let items = builder.add_expr_list(&values);
            return builder.add_expr(Expr::Tuple(items));
        }
        self.array_of_values(values, builder)
    }

    /// Binds `yield`, which makes the function around it a generator. What it receives is not known.
    fn bind_yield(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(inner) = self.first_named_child(node) else { return builder.unknown_expr() };
        let is_delegation = self.kind(inner) != Kind::ArrayElementInitializer;
        let mut value = builder.unknown_expr();
        if is_delegation {
            let of = self.value(inner, scope, builder);
            if of != builder.unknown_expr() {
                value = builder.add_expr(Expr::Element { of });
            }
        } else {
            for part in self.named_children(inner, builder) {
                value = self.value(part, scope, builder);
            }
        }
        if let Some(function) = self.functions.last_mut() {
            function.yielded.push(value);
        }
        builder.unknown_expr()
    }
}

/// Whether an operator has a plain value that its operands do not narrow.
fn is_plain_operator(operator: &str) -> bool {
    !operator.eq_ignore_ascii_case("instanceof") && operator != "??" && !is_and(operator) && !is_or(operator)
}
