//! Expressions, and the way from a node to what reads it.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeKind};

/// More parts of an array than this are not told apart.
const MAX_PARTS: usize = 16;

impl<'t> Binder<'t> {
    /// Reads a node as an expression or statement, whichever it is.
    pub(super) fn value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Token | Kind::Leaf | Kind::String => builder.unknown(),
            Kind::Identifier => self.identifier(node, context.role, builder),
            Kind::This => self.this(builder),
            Kind::Super => match self.this {
                This::Instance(scope) | This::Type(scope) => builder.expr(Expr::Super { scope }),
                _ => builder.unknown(),
            },
            kind => builder.deeper(node, |builder| self.compound(kind, node, context, builder)),
        }
    }

    fn compound(&mut self, kind: Kind, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        match kind {
            Kind::Member => return self.member(node, context, builder),
            Kind::Call => return self.call(node, context, builder),
            Kind::Subscript => return self.subscript(node, context, builder),
            Kind::Transparent => return self.transparent(node, context, builder),
            Kind::New => return self.new_instance(node, builder),
            Kind::Object => return self.object(node, context.expected, builder),
            Kind::Array => return self.array(node, context, builder),
            Kind::Arrow | Kind::FunctionExpression => return self.function_value(node, context, builder),
            Kind::ClassExpression => return self.class_expression(node, builder),
            Kind::Assignment => return self.assignment(node, builder),
            Kind::AugmentedAssignment => return self.augmented_assignment(node, builder),
            Kind::Binary => return self.binary(node, context, builder),
            Kind::Ternary => return self.ternary(node, context, builder),
            Kind::Sequence => return self.sequence(node, context, builder),
            Kind::Await => {
                let of = self.last_value(node, context, builder);
                return Self::element(of, builder);
            }
            Kind::Yield => self.yielded(node, builder),
            Kind::As | Kind::Satisfies => return self.assertion(kind, node, context, builder),
            Kind::TypeAssertion => return self.type_assertion(node, context, builder),
            Kind::Instantiation => return self.instantiation(node, context, builder),
            Kind::Update => {
                self.each(node, builder, |this, child, _, builder| {
                    this.value(child, ExprContext::role(Role::Write), builder);
                });
            }
            Kind::NestedIdentifier => return self.nested_identifier(node, context.role, builder),
            Kind::JsxOpening => self.jsx_opening(node, builder),
            Kind::JsxClosing => self.jsx_closing(node, builder),
            Kind::Decorator => {
                self.each(node, builder, |this, child, _, builder| {
                    this.value(child, ExprContext::role(Role::Decorator), builder);
                });
            }
            _ => self.statement(kind, node, builder),
        }
        builder.unknown()
    }

    /// A bare name.
    pub(super) fn identifier(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        if builder.text(node) == "exports" && self.is_free(node, builder) {
            let scope = self.exports(builder);
            return builder.expr(Expr::Object { scope });
        }
        let expr = builder.use_name(node, self.scope, role);
        if self.narrowed.is_empty() {
            return expr;
        }
        let name = builder.name(node);
        self.narrowed.iter().rev().find(|(narrowed, _)| *narrowed == name).map_or(expr, |(_, known)| *known)
    }

    fn member(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(exports) = self.module_exports(node, builder) {
            return exports;
        }
        let (mut base, mut property) = (builder.unknown(), None);
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.value(child, ExprContext::READ, builder),
            Field::Property => property = Some(child),
            _ if child.is_named() => {
                this.value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        match property {
            Some(property) => self.use_member(base, property, context.role, builder),
            None => builder.unknown(),
        }
    }

    /// The member of a value under the name that `property` spells.
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

    fn subscript(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut index) = (builder.unknown(), None);
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.value(child, ExprContext::READ, builder),
            Field::Index => {
                index = Some(child);
                this.value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        let Some(index) = index else { return builder.unknown() };
        if let Some(name) = self.string_name(index, builder) {
            return self.use_member(base, name, context.role, builder);
        }
        match builder.text(index).parse() {
            Ok(index) if base != builder.unknown() => builder.expr(Expr::Item { of: base, index }),
            _ => Self::element(base, builder),
        }
    }

    /// The part of a string that is its text, where it has but one and that is a name.
    pub(super) fn string_name(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let fragment = self.string_text(node)?;
        let text = builder.text(fragment);
        let is_name = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | '/'));
        is_name.then_some(fragment)
    }

    /// The part of a string literal that is its text, where nothing in it is escaped.
    pub(super) fn string_text(&self, node: Node<'t>) -> Option<Node<'t>> {
        if self.kind(node) != Kind::String || node.named_child_count() != 1 {
            return None;
        }
        node.named_child(0).filter(|part| self.kind(*part) == Kind::StringFragment)
    }

    fn transparent(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut value = builder.unknown();
        let asserts = node.kind() == "non_null_expression";
        self.each(node, builder, |this, child, field, builder| {
            if field == Field::Type {
                this.annotation(child, builder);
            } else if asserts && child.is_named() && !this.is_comment(child) {
                value = this.asserted(child, context, builder);
            } else if child.is_named() && !this.is_comment(child) {
                value = this.value(child, context, builder);
            }
        });
        value
    }

    /// The value that `!` stands behind: the grammar reads `+a!.b` as `(+a)!.b`, and `a - b!.c` as `(a - b)!.c`.
    fn asserted(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Unary | Kind::Await | Kind::Update => builder.deeper(node, |builder| {
                let mut value = builder.unknown();
                self.each(node, builder, |this, child, _, builder| {
                    if child.is_named() && !this.is_comment(child) {
                        value = this.asserted(child, context, builder);
                    }
                });
                value
            }),
            Kind::Binary => builder.deeper(node, |builder| {
                let narrowed = self.narrowed.len();
                let (mut value, mut left) = (builder.unknown(), None);
                self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
                    (Field::Left, _) => {
                        left = Some(child);
                        this.value(child, ExprContext::READ, builder);
                    }
                    (Field::Operator, Kind::AndToken) => {
                        if let Some(left) = left {
                            this.narrow(left, builder);
                        }
                    }
                    (Field::Right, _) => value = this.asserted(child, context, builder),
                    _ => {}
                });
                self.narrowed.truncate(narrowed);
                value
            }),
            _ => self.value(node, context, builder),
        }
    }

    /// The value of the last child.
    fn last_value(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut value = builder.unknown();
        self.each(node, builder, |this, child, _, builder| {
            if child.is_named() && !this.is_comment(child) {
                value = this.value(child, context, builder);
            }
        });
        value
    }

    fn sequence(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        self.last_value(node, context, builder)
    }

    fn array(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let expected = Self::element(context.expected, builder);
        let mut parts = Vec::new();
        self.each(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            let part = if this.kind(child) == Kind::Spread {
                let spread = this.last_value(child, ExprContext::READ, builder);
                Self::element(spread, builder)
            } else {
                this.value(child, ExprContext::expected(expected), builder)
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

    /// Reads chains of operators without going deeper for each: sums of thousands of strings occur.
    fn binary(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut spine = vec![node];
        let mut leftmost = node;
        while let Some(left) = self.child(leftmost, Field::Left, builder) {
            leftmost = left;
            if self.kind(left) != Kind::Binary {
                break;
            }
            spine.push(left);
        }
        let narrowed = self.narrowed.len();
        let mut value = if self.kind(leftmost) == Kind::Binary {
            builder.unknown()
        } else {
            self.value(leftmost, context, builder)
        };
        while let Some(node) = spine.pop() {
            let (mut operator, mut right, mut left) = (Kind::Token, None, None);
            self.each(node, builder, |this, child, field, _| match field {
                Field::Left => left = Some(child),
                Field::Operator => operator = this.kind(child),
                Field::Right => right = Some(child),
                _ => {}
            });
            if operator == Kind::AndToken
                && let Some(left) = left
            {
                self.narrow(left, builder);
            }
            let logical = matches!(operator, Kind::AndToken | Kind::OrToken | Kind::NullishToken);
            let context = if logical { context } else { ExprContext::READ };
            let right = right.map_or(builder.unknown(), |right| self.value(right, context, builder));
            value = match operator {
                Kind::AndToken => right,
                Kind::OrToken | Kind::NullishToken => builder.either(vec![value, right]),
                _ => builder.unknown(),
            };
        }
        self.narrowed.truncate(narrowed);
        value
    }

    /// Notes what holds where `condition` does: `x instanceof Foo`, alone or among others that all hold.
    pub(super) fn narrow(&mut self, condition: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut conditions = vec![condition];
        while let Some(node) = conditions.pop() {
            match self.kind(node) {
                Kind::Transparent => conditions.extend(self.inner(node, builder)),
                Kind::Binary => {
                    let (mut operator, mut right, mut left) = (Kind::Token, None, None);
                    self.each(node, builder, |this, child, field, _| match field {
                        Field::Left => left = Some(child),
                        Field::Operator => operator = this.kind(child),
                        Field::Right => right = Some(child),
                        _ => {}
                    });
                    let (Some(left), Some(right)) = (left, right) else { continue };
                    match operator {
                        Kind::AndToken => conditions.extend([left, right]),
                        Kind::InstanceofToken if self.kind(left) == Kind::Identifier => {
                            let known = self.class_named(right, builder);
                            if known != builder.unknown() {
                                let known = Self::instance(known, builder);
                                let name = builder.name(left);
                                self.narrowed.push((name, known));
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    /// What a path of names means, without noting its names again.
    fn class_named(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => {
                let name = builder.name(node);
                let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
                builder.expr(Expr::Name { name, scope: self.scope, at })
            }
            Kind::Member => {
                let (object, property) =
                    (self.child(node, Field::Object, builder), self.child(node, Field::Property, builder));
                let (Some(object), Some(property)) = (object, property) else { return builder.unknown() };
                let base = builder.deeper(node, |builder| self.class_named(object, builder));
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

    fn ternary(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let narrowed = self.narrowed.len();
        let mut values = Vec::new();
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Condition => {
                this.value(child, ExprContext::READ, builder);
                this.narrow(child, builder);
            }
            Field::Consequence => {
                values.push(this.value(child, context, builder));
                this.narrowed.truncate(narrowed);
            }
            Field::Alternative => values.push(this.value(child, context, builder)),
            _ => {}
        });
        builder.either(values)
    }

    fn yielded(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut every = false;
        let mut value = builder.unknown();
        self.each(node, builder, |this, child, _, builder| match this.kind(child) {
            Kind::StarToken => every = true,
            _ if child.is_named() && !this.is_comment(child) => value = this.value(child, ExprContext::READ, builder),
            _ => {}
        });
        let value = if every { Self::element(value, builder) } else { value };
        if self.body.generator {
            self.body.returns.push(value);
        }
    }

    /// `x as T`, `x satisfies T`.
    fn assertion(
        &mut self,
        kind: Kind,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let (mut subject, mut declared) = (None, None);
        self.each(node, builder, |this, child, _, _| {
            if child.is_named() && !this.is_comment(child) {
                if subject.is_none() { subject = Some(child) } else { declared = Some(child) }
            }
        });
        // `as const` has no type.
        let of = declared.map(|declared| self.ty(declared, builder));
        let instance = of.map_or(builder.unknown(), |of| Self::instance(of, builder));
        let context = if of.is_some() { ExprContext { expected: instance, ..context } } else { context };
        let value = subject.map_or(builder.unknown(), |subject| self.value(subject, context, builder));
        if of.is_some() && kind == Kind::As { instance } else { value }
    }

    /// `<T>x`.
    fn type_assertion(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut instance = builder.unknown();
        self.each(node, builder, |this, child, _, builder| {
            if this.kind(child) == Kind::TypeArguments {
                let args = this.type_arguments(child, builder);
                instance = args.first().map_or(builder.unknown(), |of| Self::instance(*of, builder));
            } else if child.is_named() {
                this.value(child, ExprContext { expected: instance, ..context }, builder);
            }
        });
        instance
    }

    /// `f<T>`, not called.
    fn instantiation(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut args) = (builder.unknown(), Vec::new());
        self.each(node, builder, |this, child, _, builder| {
            if this.kind(child) == Kind::TypeArguments {
                args = this.type_arguments(child, builder);
            } else if child.is_named() {
                base = this.value(child, context, builder);
            }
        });
        Self::generic(base, &args, builder)
    }

    /// `a.b` in places where only names may stand.
    pub(super) fn nested_identifier(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (mut base, mut property) = (builder.unknown(), None);
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Object => base = this.value(child, ExprContext::READ, builder),
            Field::Property => property = Some(child),
            _ => {}
        });
        match property {
            Some(property) => self.use_member(base, property, role, builder),
            None => builder.unknown(),
        }
    }

    /// A class that is a value: its own name is seen inside of it only.
    fn class_expression(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = self.open(ScopeKind::Block, node, builder);
        let name = self.child(node, Field::Name, builder);
        let binding = match name {
            Some(name) => self.bind(scope, BindingKind::Type, name, builder),
            None => {
                let unnamed = builder.intern_made("");
                builder.bind_name(scope, BindingKind::Type, unnamed, node.start_byte())
            }
        };
        self.within(scope, |this| this.class(node, binding, builder));
        builder.expr(Expr::Bound { binding })
    }
}
