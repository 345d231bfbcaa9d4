//! Values of expressions, and the dispatch from a node kind to its reader.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeKind};

/// The most elements of an array literal that are kept apart.
const MAX_PARTS: usize = 16;

impl<'t> Binder<'t> {
    /// Reads a node as an expression or a statement, and returns its value.
    pub(super) fn expression_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind_of(node) {
            Kind::Token | Kind::Leaf | Kind::String => builder.unknown(),
            Kind::Identifier => self.identifier_value(node, context.role, builder),
            Kind::This => self.this_value(builder),
            Kind::Super => match self.this {
                This::Instance(scope) | This::Type(scope) => builder.expr(Expr::Super { scope }),
                _ => builder.unknown(),
            },
            kind => builder.deeper(node, |builder| self.compound_expression_value(kind, node, context, builder)),
        }
    }

    fn compound_expression_value(
        &mut self,
        kind: Kind,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match kind {
            Kind::Member => return self.member_value(node, context, builder),
            Kind::Call => return self.call_value(node, context, builder),
            Kind::Subscript => return self.subscript_value(node, context, builder),
            Kind::Transparent => return self.wrapped_value(node, context, builder),
            Kind::New => return self.new_expression_value(node, builder),
            Kind::Object => return self.object_value(node, context.expected, builder),
            Kind::Array => return self.array_value(node, context, builder),
            Kind::Arrow | Kind::FunctionExpression => return self.function_value(node, context, builder),
            Kind::ClassExpression => return self.class_expression_value(node, builder),
            Kind::Assignment => return self.assignment_value(node, builder),
            Kind::AugmentedAssignment => return self.augmented_assignment_value(node, builder),
            Kind::Binary => return self.binary_value(node, context, builder),
            Kind::Ternary => return self.ternary_value(node, context, builder),
            Kind::Sequence => return self.sequence_value(node, context, builder),
            Kind::Await => {
                let of = self.last_value(node, context, builder);
                return Self::element_of(of, builder);
            }
            Kind::Yield => self.record_yield(node, builder),
            Kind::As | Kind::Satisfies => return self.assertion_value(kind, node, context, builder),
            Kind::TypeAssertion => return self.type_assertion_value(node, context, builder),
            Kind::Instantiation => return self.instantiation_value(node, context, builder),
            Kind::Update => {
                self.for_each_child(node, builder, |this, child, _, builder| {
                    this.expression_value(child, ExprContext::role(Role::Write), builder);
                });
            }
            Kind::NestedIdentifier => return self.nested_identifier_value(node, context.role, builder),
            Kind::JsxOpening => self.bind_jsx_opening(node, builder),
            Kind::JsxClosing => self.bind_jsx_closing(node, builder),
            Kind::Decorator => {
                self.for_each_child(node, builder, |this, child, _, builder| {
                    this.expression_value(child, ExprContext::role(Role::Decorator), builder);
                });
            }
            _ => self.bind_statement(kind, node, builder),
        }
        builder.unknown()
    }

    /// The value of a bare name.
    pub(super) fn identifier_value(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        if builder.text(node) == "exports" && self.is_unbound(node, builder) {
            let scope = self.exports_scope(builder);
            return builder.expr(Expr::Object { scope });
        }
        let expr = builder.use_name(node, self.scope, role);
        if self.narrowings.is_empty() {
            return expr;
        }
        let name = builder.name(node);
        self.narrowings.iter().rev().find(|(narrowed, _)| *narrowed == name).map_or(expr, |(_, known)| *known)
    }

    fn member_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(exports) = self.module_exports_object(node, builder) {
            return exports;
        }
        let (mut base, mut property) = (builder.unknown(), None);
        self.for_each_child(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.expression_value(child, ExprContext::READ, builder),
            Field::Property => property = Some(child),
            _ if child.is_named() => {
                this.expression_value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        match property {
            Some(property) => self.use_member(base, property, context.role, builder),
            None => builder.unknown(),
        }
    }

    /// The member of `base` that `property` names.
    pub(super) fn use_member(
        &mut self,
        base: ExprId,
        property: Node<'t>,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let role = if role == Role::Read { Role::Member } else { role };
        builder.use_member(base, property, role)
    }

    fn subscript_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut index) = (builder.unknown(), None);
        self.for_each_child(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.expression_value(child, ExprContext::READ, builder),
            Field::Index => {
                index = Some(child);
                this.expression_value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        let Some(index) = index else { return builder.unknown() };
        if let Some(name) = self.name_in_string(index, builder) {
            return self.use_member(base, name, context.role, builder);
        }
        match builder.text(index).parse() {
            Ok(index) if base != builder.unknown() => builder.expr(Expr::Item { of: base, index }),
            _ => Self::element_of(base, builder),
        }
    }

    /// The text node of a string literal whose text looks like a name or path.
    pub(super) fn name_in_string(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let fragment = self.string_fragment(node)?;
        let text = builder.text(fragment);
        let is_name = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | '/'));
        is_name.then_some(fragment)
    }

    /// The text node of a string literal without escapes.
    pub(super) fn string_fragment(&self, node: Node<'t>) -> Option<Node<'t>> {
        if self.kind_of(node) != Kind::String || node.named_child_count() != 1 {
            return None;
        }
        node.named_child(0).filter(|part| self.kind_of(*part) == Kind::StringFragment)
    }

    fn wrapped_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut value = builder.unknown();
        let asserts = node.kind() == "non_null_expression";
        self.for_each_child(node, builder, |this, child, field, builder| {
            if field == Field::Type {
                this.type_of_annotation(child, builder);
            } else if asserts && child.is_named() && !this.is_comment(child) {
                value = this.non_null_value(child, context, builder);
            } else if child.is_named() && !this.is_comment(child) {
                value = this.expression_value(child, context, builder);
            }
        });
        value
    }

    /// The operand of a postfix `!`. The grammar reads `+a!.b` as `(+a)!.b`, and `a - b!.c` as `(a - b)!.c`.
    fn non_null_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind_of(node) {
            Kind::Unary | Kind::Await | Kind::Update => builder.deeper(node, |builder| {
                let mut value = builder.unknown();
                self.for_each_child(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        value = this.non_null_value(child, context, builder);
                    }
                });
                value
            }),
            Kind::Binary => builder.deeper(node, |builder| {
                let mark = self.narrowings.len();
                let (mut value, mut left) = (builder.unknown(), None);
                self.for_each_child(node, builder, |this, child, field, builder| match (field, this.kind_of(child)) {
                    (Field::Left, _) => {
                        left = Some(child);
                        this.expression_value(child, ExprContext::READ, builder);
                    }
                    (Field::Operator, Kind::AndToken) => {
                        if let Some(left) = left {
                            this.record_narrowing(left, builder);
                        }
                    }
                    (Field::Right, _) => value = this.non_null_value(child, context, builder),
                    _ => {}
                });
                self.narrowings.truncate(mark);
                value
            }),
            _ => self.expression_value(node, context, builder),
        }
    }

    /// The value of the last named child.
    fn last_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut value = builder.unknown();
        self.for_each_child(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                value = this.expression_value(child, context, builder);
            }
        });
        value
    }

    fn sequence_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        self.last_value(node, context, builder)
    }

    fn array_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let expected = Self::element_of(context.expected, builder);
        let mut parts = Vec::new();
        self.for_each_child(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            let part = if this.kind_of(child) == Kind::Spread {
                let spread = this.last_value(child, ExprContext::READ, builder);
                Self::element_of(spread, builder)
            } else {
                this.expression_value(child, ExprContext::expected(expected), builder)
            };
            if parts.len() < MAX_PARTS {
                parts.push(part);
            }
        });
        if parts.iter().all(|part| *part == builder.unknown()) {
            return builder.unknown();
        }
        let span = builder.list(&parts);
        builder.expr(Expr::Tuple(span))
    }

    /// The value of a chain of binary operators. A loop replaces the recursion, because sums of thousands of strings
    /// occur.
    fn binary_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut spine = vec![node];
        let mut leftmost = node;
        while let Some(left) = self.child_in_field(leftmost, Field::Left, builder) {
            leftmost = left;
            if self.kind_of(left) != Kind::Binary {
                break;
            }
            spine.push(left);
        }
        let mark = self.narrowings.len();
        let mut value = if self.kind_of(leftmost) == Kind::Binary {
            builder.unknown()
        } else {
            self.expression_value(leftmost, context, builder)
        };
        while let Some(node) = spine.pop() {
            let (mut operator, mut right, mut left) = (Kind::Token, None, None);
            self.for_each_child(node, builder, |this, child, field, _| match field {
                Field::Left => left = Some(child),
                Field::Operator => operator = this.kind_of(child),
                Field::Right => right = Some(child),
                _ => {}
            });
            if operator == Kind::AndToken
                && let Some(left) = left
            {
                self.record_narrowing(left, builder);
            }
            let logical = matches!(operator, Kind::AndToken | Kind::OrToken | Kind::NullishToken);
            let context = if logical { context } else { ExprContext::READ };
            let right = right.map_or(builder.unknown(), |right| self.expression_value(right, context, builder));
            value = match operator {
                Kind::AndToken => right,
                Kind::OrToken | Kind::NullishToken => builder.either(vec![value, right]),
                _ => builder.unknown(),
            };
        }
        self.narrowings.truncate(mark);
        value
    }

    /// Records the narrowings that are valid where `condition` is true: `x instanceof Foo`, alone or combined by `&&`.
    pub(super) fn record_narrowing(&mut self, condition: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut conditions = vec![condition];
        while let Some(node) = conditions.pop() {
            match self.kind_of(node) {
                Kind::Transparent => conditions.extend(self.first_code_child(node, builder)),
                Kind::Binary => {
                    let (mut operator, mut right, mut left) = (Kind::Token, None, None);
                    self.for_each_child(node, builder, |this, child, field, _| match field {
                        Field::Left => left = Some(child),
                        Field::Operator => operator = this.kind_of(child),
                        Field::Right => right = Some(child),
                        _ => {}
                    });
                    let (Some(left), Some(right)) = (left, right) else { continue };
                    match operator {
                        Kind::AndToken => conditions.extend([left, right]),
                        Kind::InstanceofToken if self.kind_of(left) == Kind::Identifier => {
                            let known = self.class_path_expr(right, builder);
                            if known != builder.unknown() {
                                let known = Self::instance_of(known, builder);
                                let name = builder.name(left);
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

    /// The expression for a path of names, without new occurrences of the names.
    fn class_path_expr(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind_of(node) {
            Kind::Identifier => {
                let name = builder.name(node);
                let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
                builder.expr(Expr::Name { name, scope: self.scope, at })
            }
            Kind::Member => {
                let (object, property) = (
                    self.child_in_field(node, Field::Object, builder),
                    self.child_in_field(node, Field::Property, builder),
                );
                let (Some(object), Some(property)) = (object, property) else { return builder.unknown() };
                let base = builder.deeper(node, |builder| self.class_path_expr(object, builder));
                if base == builder.unknown() {
                    return base;
                }
                let name = builder.name(property);
                let at = u32::try_from(property.start_byte()).unwrap_or(u32::MAX);
                builder.expr(Expr::Member { base, name, at })
            }
            _ => builder.unknown(),
        }
    }

    fn ternary_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mark = self.narrowings.len();
        let mut values = Vec::new();
        self.for_each_child(node, builder, |this, child, field, builder| match field {
            Field::Condition => {
                this.expression_value(child, ExprContext::READ, builder);
                this.record_narrowing(child, builder);
            }
            Field::Consequence => {
                values.push(this.expression_value(child, context, builder));
                this.narrowings.truncate(mark);
            }
            Field::Alternative => values.push(this.expression_value(child, context, builder)),
            _ => {}
        });
        builder.either(values)
    }

    fn record_yield(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut every = false;
        let mut value = builder.unknown();
        self.for_each_child(node, builder, |this, child, _, builder| match this.kind_of(child) {
            Kind::StarToken => every = true,
            _ if child.is_named() && !this.is_comment(child) => {
                value = this.expression_value(child, ExprContext::READ, builder)
            }
            _ => {}
        });
        let value = if every { Self::element_of(value, builder) } else { value };
        if self.body.generator {
            self.body.returns.push(value);
        }
    }

    /// The value of `x as T` or `x satisfies T`.
    fn assertion_value(
        &mut self,
        kind: Kind,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let (mut subject, mut declared) = (None, None);
        self.for_each_child(node, builder, |this, child, _, _| {
            if child.is_named() && !this.is_comment(child) {
                if subject.is_none() { subject = Some(child) } else { declared = Some(child) }
            }
        });
        // `as const` has no type.
        let of = declared.map(|declared| self.type_expr(declared, builder));
        let instance = of.map_or(builder.unknown(), |of| Self::instance_of(of, builder));
        let context = if of.is_some() { ExprContext { expected: instance, ..context } } else { context };
        let value = subject.map_or(builder.unknown(), |subject| self.expression_value(subject, context, builder));
        if of.is_some() && kind == Kind::As { instance } else { value }
    }

    /// The value of the type assertion `<T>x`.
    fn type_assertion_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut instance = builder.unknown();
        self.for_each_child(node, builder, |this, child, _, builder| {
            if this.kind_of(child) == Kind::TypeArguments {
                let args = this.type_argument_exprs(child, builder);
                instance = args.first().map_or(builder.unknown(), |of| Self::instance_of(*of, builder));
            } else if child.is_named() {
                this.expression_value(child, ExprContext { expected: instance, ..context }, builder);
            }
        });
        instance
    }

    /// The value of `f<T>` without a call.
    fn instantiation_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut args) = (builder.unknown(), Vec::new());
        self.for_each_child(node, builder, |this, child, _, builder| {
            if this.kind_of(child) == Kind::TypeArguments {
                args = this.type_argument_exprs(child, builder);
            } else if child.is_named() {
                base = this.expression_value(child, context, builder);
            }
        });
        Self::apply_type_arguments(base, &args, builder)
    }

    /// The value of `a.b` where the grammar allows only names.
    pub(super) fn nested_identifier_value(
        &mut self,
        node: Node<'t>,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let (mut base, mut property) = (builder.unknown(), None);
        self.for_each_child(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.expression_value(child, ExprContext::READ, builder),
            Field::Property => property = Some(child),
            _ => {}
        });
        match property {
            Some(property) => self.use_member(base, property, role, builder),
            None => builder.unknown(),
        }
    }

    /// The value of a class expression. Its own name is visible only inside the class.
    fn class_expression_value(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = self.open_scope(ScopeKind::Block, node, builder);
        let name = self.child_in_field(node, Field::Name, builder);
        let binding = match name {
            Some(name) => self.bind_name(scope, BindingKind::Type, name, builder),
            None => {
                let unnamed = builder.intern_made("");
                builder.bind_name(scope, BindingKind::Type, unnamed, node.start_byte())
            }
        };
        self.with_scope(scope, |this| this.bind_class(node, binding, builder));
        builder.expr(Expr::Bound { binding })
    }
}
