//! Values of JavaScript expressions. The module chooses the method for each node kind.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeKind};

/// The limit on the number of array elements whose values are kept; the values of further elements are not used.
const MAX_PARTS: usize = 16;

impl<'t> Binder<'t> {
    /// Binds the names in an expression or a statement, and returns its value; a statement has no value.
    pub(super) fn bind_names_and_get_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Token | Kind::Leaf | Kind::String => builder.unknown_expr(),
            Kind::Identifier => self.record_identifier_use_and_get_value(node, context.role, builder),
            Kind::This => self.this_value(builder),
            Kind::Super => match self.this {
                This::Instance(scope) | This::Type(scope) => builder.add_expr(Expr::Super { scope }),
                _ => builder.unknown_expr(),
            },
            kind => builder.run_with_depth_limit(node, |builder| {
                self.bind_compound_node_and_get_value(kind, node, context, builder)
            }),
        }
    }

    fn bind_compound_node_and_get_value(
        &mut self,
        kind: Kind,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match kind {
            Kind::Member => return self.member_access_value(node, context, builder),
            Kind::Call => return self.call_value(node, context, builder),
            Kind::Subscript => return self.subscript_value(node, context, builder),
            Kind::Transparent => return self.value_inside_parentheses_or_assertion(node, context, builder),
            Kind::New => return self.new_expression_value(node, builder),
            Kind::Object => return self.object_literal_value(node, context.expected, builder),
            Kind::Array => return self.array_literal_value(node, context, builder),
            Kind::Arrow | Kind::FunctionExpression => return self.function_value_in_context(node, context, builder),
            Kind::ClassExpression => return self.class_expression_value(node, builder),
            Kind::Assignment => return self.bind_assignment(node, builder),
            Kind::AugmentedAssignment => return self.bind_augmented_assignment(node, builder),
            Kind::Binary => return self.binary_expression_value(node, context, builder),
            Kind::Ternary => return self.conditional_expression_value(node, context, builder),
            Kind::Sequence => return self.sequence_expression_value(node, context, builder),
            Kind::Await => {
                let of = self.last_named_child_value(node, context, builder);
                return Self::element_or_awaited_expr(of, builder);
            }
            Kind::Yield => self.record_yielded_value(node, builder),
            Kind::As | Kind::Satisfies => return self.as_or_satisfies_value(kind, node, context, builder),
            Kind::TypeAssertion => return self.angle_bracket_assertion_value(node, context, builder),
            Kind::Instantiation => return self.value_with_explicit_type_arguments(node, context, builder),
            Kind::Update => {
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    this.bind_names_and_get_value(child, ExprContext::for_role(Role::Write), builder);
                });
            }
            Kind::NestedIdentifier => return self.dotted_name_value(node, context.role, builder),
            Kind::JsxOpening => self.bind_jsx_opening_element(node, builder),
            Kind::JsxClosing => self.bind_jsx_closing_element(node, builder),
            Kind::Decorator => {
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    this.bind_names_and_get_value(child, ExprContext::for_role(Role::Decorator), builder);
                });
            }
            _ => self.bind_node_without_value(kind, node, builder),
        }
        builder.unknown_expr()
    }

    /// Records the use of a bare name, and returns the value that the name refers to.
    pub(super) fn record_identifier_use_and_get_value(
        &mut self,
        node: Node<'t>,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if builder.text_of_node(node) == "exports" && self.is_unbound_name(node, builder) {
            let scope = self.commonjs_exports_scope(builder);
            return builder.add_expr(Expr::Object { scope });
        }
        let expr = builder.record_name_use(node, self.scope, role);
        if self.narrowings.is_empty() {
            return expr;
        }
        let name = builder.name_id_of_node(node);
        self.narrowings.iter().rev().find(|(narrowed, _)| *narrowed == name).map_or(expr, |(_, known)| *known)
    }

    fn member_access_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(exports) = self.exports_object_if_module_exports(node, builder) {
            return exports;
        }
        let (mut base, mut property) = (builder.unknown_expr(), None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.bind_names_and_get_value(child, ExprContext::READ, builder),
            Field::Property => property = Some(child),
            _ if child.is_named() => {
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        match property {
            Some(property) => self.record_member_use(base, property, context.role, builder),
            None => builder.unknown_expr(),
        }
    }

    /// Records the use of the name `property` for a member of `base`, and returns the member.
    pub(super) fn record_member_use(
        &mut self,
        base: ExprId,
        property: Node<'t>,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let role = if role == Role::Read { Role::Member } else { role };
        builder.record_member_use(base, property, role)
    }

    fn subscript_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut index) = (builder.unknown_expr(), None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.bind_names_and_get_value(child, ExprContext::READ, builder),
            Field::Index => {
                index = Some(child);
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        let Some(index) = index else { return builder.unknown_expr() };
        if let Some(name) = self.name_or_path_string_text_node(index, builder) {
            return self.record_member_use(base, name, context.role, builder);
        }
        match builder.text_of_node(index).parse() {
            Ok(index) if base != builder.unknown_expr() => builder.add_expr(Expr::Item { of: base, index }),
            _ => Self::element_or_awaited_expr(base, builder),
        }
    }

    /// The text node of a string literal, if the text can be a name or a path.
    pub(super) fn name_or_path_string_text_node(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<Node<'t>> {
        let fragment = self.escape_free_string_text_node(node)?;
        let text = builder.text_of_node(fragment);
        let is_name = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | '/'));
        is_name.then_some(fragment)
    }

    /// The text node of a string literal; `None` if the literal contains an escape sequence.
    pub(super) fn escape_free_string_text_node(&self, node: Node<'t>) -> Option<Node<'t>> {
        if self.kind_of_node(node) != Kind::String || node.named_child_count() != 1 {
            return None;
        }
        node.named_child(0).filter(|part| self.kind_of_node(*part) == Kind::StringFragment)
    }

    fn value_inside_parentheses_or_assertion(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut value = builder.unknown_expr();
        let asserts = node.kind() == "non_null_expression";
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
            if field == Field::Type {
                this.type_of_annotation(child, builder);
            } else if asserts && child.is_named() && !this.is_comment(child) {
                value = this.non_null_operand_value(child, context, builder);
            } else if child.is_named() && !this.is_comment(child) {
                value = this.bind_names_and_get_value(child, context, builder);
            }
        });
        value
    }

    /// The value of the operand of a postfix `!`. The grammar reads `+a!.b` as `(+a)!.b`, and `a - b!.c` as
    /// `(a - b)!.c`, so the operand is the last one inside.
    fn non_null_operand_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Unary | Kind::Await | Kind::Update => builder.run_with_depth_limit(node, |builder| {
                let mut value = builder.unknown_expr();
                self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        value = this.non_null_operand_value(child, context, builder);
                    }
                });
                value
            }),
            Kind::Binary => builder.run_with_depth_limit(node, |builder| {
                let mark = self.narrowings.len();
                let (mut value, mut left) = (builder.unknown_expr(), None);
                self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| {
                    match (field, this.kind_of_node(child)) {
                        (Field::Left, _) => {
                            left = Some(child);
                            this.bind_names_and_get_value(child, ExprContext::READ, builder);
                        }
                        (Field::Operator, Kind::AndToken) => {
                            if let Some(left) = left {
                                this.record_instanceof_narrowings(left, builder);
                            }
                        }
                        (Field::Right, _) => value = this.non_null_operand_value(child, context, builder),
                        _ => {}
                    }
                });
                self.narrowings.truncate(mark);
                value
            }),
            _ => self.bind_names_and_get_value(node, context, builder),
        }
    }

    /// The value of a node's last named child; the other children are read only for their names.
    fn last_named_child_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut value = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                value = this.bind_names_and_get_value(child, context, builder);
            }
        });
        value
    }

    fn sequence_expression_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        self.last_named_child_value(node, context, builder)
    }

    fn array_literal_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let expected = Self::element_or_awaited_expr(context.expected, builder);
        let mut parts = Vec::new();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            let part = if this.kind_of_node(child) == Kind::Spread {
                let spread = this.last_named_child_value(child, ExprContext::READ, builder);
                Self::element_or_awaited_expr(spread, builder)
            } else {
                this.bind_names_and_get_value(child, ExprContext::with_expected_value(expected), builder)
            };
            if parts.len() < MAX_PARTS {
                parts.push(part);
            }
        });
        if parts.iter().all(|part| *part == builder.unknown_expr()) {
            return builder.unknown_expr();
        }
        let span = builder.add_expr_list(&parts);
        builder.add_expr(Expr::Tuple(span))
    }

    /// The value of a chain of binary operators (`a + b + c`). Uses a loop instead of recursion, because sums of
    /// thousands of strings occur.
    fn binary_expression_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut spine = vec![node];
        let mut leftmost = node;
        while let Some(left) = self.first_child_in_field(leftmost, Field::Left, builder) {
            leftmost = left;
            if self.kind_of_node(left) != Kind::Binary {
                break;
            }
            spine.push(left);
        }
        let mark = self.narrowings.len();
        let mut value = if self.kind_of_node(leftmost) == Kind::Binary {
            builder.unknown_expr()
        } else {
            self.bind_names_and_get_value(leftmost, context, builder)
        };
        while let Some(node) = spine.pop() {
            let (mut operator, mut right, mut left) = (Kind::Token, None, None);
            self.for_each_named_or_unnamed_child(node, builder, |this, child, field, _| match field {
                Field::Left => left = Some(child),
                Field::Operator => operator = this.kind_of_node(child),
                Field::Right => right = Some(child),
                _ => {}
            });
            if operator == Kind::AndToken
                && let Some(left) = left
            {
                self.record_instanceof_narrowings(left, builder);
            }
            let logical = matches!(operator, Kind::AndToken | Kind::OrToken | Kind::NullishToken);
            let context = if logical { context } else { ExprContext::READ };
            let right =
                right.map_or(builder.unknown_expr(), |right| self.bind_names_and_get_value(right, context, builder));
            value = match operator {
                Kind::AndToken => right,
                Kind::OrToken | Kind::NullishToken => builder.expr_of_possible_values(vec![value, right]),
                _ => builder.unknown_expr(),
            };
        }
        self.narrowings.truncate(mark);
        value
    }

    /// Records the narrower types of names that hold where `condition` is true: `x instanceof Foo`, alone or combined
    /// by `&&`.
    pub(super) fn record_instanceof_narrowings(&mut self, condition: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut conditions = vec![condition];
        while let Some(node) = conditions.pop() {
            match self.kind_of_node(node) {
                Kind::Transparent => conditions.extend(self.first_named_non_comment_child(node, builder)),
                Kind::Binary => {
                    let (mut operator, mut right, mut left) = (Kind::Token, None, None);
                    self.for_each_named_or_unnamed_child(node, builder, |this, child, field, _| match field {
                        Field::Left => left = Some(child),
                        Field::Operator => operator = this.kind_of_node(child),
                        Field::Right => right = Some(child),
                        _ => {}
                    });
                    let (Some(left), Some(right)) = (left, right) else { continue };
                    match operator {
                        Kind::AndToken => conditions.extend([left, right]),
                        Kind::InstanceofToken if self.kind_of_node(left) == Kind::Identifier => {
                            let known = self.instanceof_class_expr(right, builder);
                            if known != builder.unknown_expr() {
                                let known = Self::instance_expr_of_type(known, builder);
                                let name = builder.name_id_of_node(left);
                                self.narrowings.push((name, known));
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    /// The expression for the class after `instanceof`, a path of names. Records no occurrences of the names, because
    /// they are recorded elsewhere.
    fn instanceof_class_expr(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind_of_node(node) {
            Kind::Identifier => {
                let name = builder.name_id_of_node(node);
                let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
                builder.add_expr(Expr::Name { name, scope: self.scope, at })
            }
            Kind::Member => {
                let (object, property) = (
                    self.first_child_in_field(node, Field::Object, builder),
                    self.first_child_in_field(node, Field::Property, builder),
                );
                let (Some(object), Some(property)) = (object, property) else { return builder.unknown_expr() };
                let base = builder.run_with_depth_limit(node, |builder| self.instanceof_class_expr(object, builder));
                if base == builder.unknown_expr() {
                    return base;
                }
                let name = builder.name_id_of_node(property);
                let at = u32::try_from(property.start_byte()).unwrap_or(u32::MAX);
                builder.add_expr(Expr::Member { base, name, at })
            }
            _ => builder.unknown_expr(),
        }
    }

    fn conditional_expression_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mark = self.narrowings.len();
        let mut values = Vec::new();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Condition => {
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
                this.record_instanceof_narrowings(child, builder);
            }
            Field::Consequence => {
                values.push(this.bind_names_and_get_value(child, context, builder));
                this.narrowings.truncate(mark);
            }
            Field::Alternative => values.push(this.bind_names_and_get_value(child, context, builder)),
            _ => {}
        });
        builder.expr_of_possible_values(values)
    }

    fn record_yielded_value(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut every = false;
        let mut value = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| match this.kind_of_node(child) {
            Kind::StarToken => every = true,
            _ if child.is_named() && !this.is_comment(child) => {
                value = this.bind_names_and_get_value(child, ExprContext::READ, builder)
            }
            _ => {}
        });
        let value = if every { Self::element_or_awaited_expr(value, builder) } else { value };
        if self.body.is_generator {
            self.body.returns.push(value);
        }
    }

    /// The value of `x as T` or `x satisfies T`.
    fn as_or_satisfies_value(
        &mut self,
        kind: Kind,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let (mut subject, mut declared) = (None, None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, _| {
            if child.is_named() && !this.is_comment(child) {
                if subject.is_none() { subject = Some(child) } else { declared = Some(child) }
            }
        });
        // The assertion `as const` names no type.
        let of = declared.map(|declared| self.type_expr(declared, builder));
        let instance = of.map_or(builder.unknown_expr(), |of| Self::instance_expr_of_type(of, builder));
        let context = if of.is_some() { ExprContext { expected: instance, ..context } } else { context };
        let value =
            subject.map_or(builder.unknown_expr(), |subject| self.bind_names_and_get_value(subject, context, builder));
        if of.is_some() && kind == Kind::As { instance } else { value }
    }

    /// The value of the type assertion `<T>x`.
    fn angle_bracket_assertion_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut instance = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if this.kind_of_node(child) == Kind::TypeArguments {
                let args = this.type_argument_exprs(child, builder);
                instance = args.first().map_or(builder.unknown_expr(), |of| Self::instance_expr_of_type(*of, builder));
            } else if child.is_named() {
                this.bind_names_and_get_value(child, ExprContext { expected: instance, ..context }, builder);
            }
        });
        instance
    }

    /// The value of `f<T>`, a generic function with type arguments that is not called.
    fn value_with_explicit_type_arguments(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let (mut base, mut args) = (builder.unknown_expr(), Vec::new());
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if this.kind_of_node(child) == Kind::TypeArguments {
                args = this.type_argument_exprs(child, builder);
            } else if child.is_named() {
                base = this.bind_names_and_get_value(child, context, builder);
            }
        });
        Self::apply_type_arguments(base, &args, builder)
    }

    /// The value of the dotted name `a.b` in a position where the grammar allows no other expression.
    pub(super) fn dotted_name_value(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut property) = (builder.unknown_expr(), None);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.bind_names_and_get_value(child, ExprContext::READ, builder),
            Field::Property => property = Some(child),
            _ => {}
        });
        match property {
            Some(property) => self.record_member_use(base, property, role, builder),
            None => builder.unknown_expr(),
        }
    }

    /// The value of a class expression. The name of the class, if it has one, is visible only inside the class.
    fn class_expression_value(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = self.add_scope_inside_current(ScopeKind::Block, node, builder);
        let name = self.first_child_in_field(node, Field::Name, builder);
        let binding = match name {
            Some(name) => self.bind_name(scope, BindingKind::Type, name, builder),
            None => {
                let unnamed = builder.intern_constructed_text("");
                builder.add_binding(scope, BindingKind::Type, unnamed, node.start_byte())
            }
        };
        self.run_in_scope(scope, |this| this.bind_class_parts(node, binding, builder));
        builder.add_expr(Expr::Bound { binding })
    }
}
