//! Expressions, and the way from a node to what reads it.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, This, Want};
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeKind};

/// More parts of an array than this are not told apart.
const MAX_PARTS: usize = 16;

impl<'t> Binder<'t> {
    /// Reads a node as an expression or statement, whichever it is.
    pub(super) fn value(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Token | Kind::Leaf | Kind::String => cx.unknown(),
            Kind::Identifier => self.identifier(node, want.role, cx),
            Kind::This => self.this(cx),
            Kind::Super => match self.this {
                This::Instance(scope) | This::Type(scope) => cx.expr(Expr::Super { scope }),
                _ => cx.unknown(),
            },
            kind => cx.deeper(node, |cx| self.compound(kind, node, want, cx)),
        }
    }

    fn compound(&mut self, kind: Kind, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        match kind {
            Kind::Member => return self.member(node, want, cx),
            Kind::Call => return self.call(node, want, cx),
            Kind::Subscript => return self.subscript(node, want, cx),
            Kind::Transparent => return self.transparent(node, want, cx),
            Kind::New => return self.new_instance(node, cx),
            Kind::Object => return self.object(node, want.expected, cx),
            Kind::Array => return self.array(node, want, cx),
            Kind::Arrow | Kind::FunctionExpression => return self.function_value(node, want, cx),
            Kind::ClassExpression => return self.class_expression(node, cx),
            Kind::Assignment => return self.assignment(node, cx),
            Kind::AugmentedAssignment => return self.augmented_assignment(node, cx),
            Kind::Binary => return self.binary(node, want, cx),
            Kind::Ternary => return self.ternary(node, want, cx),
            Kind::Sequence => return self.sequence(node, want, cx),
            Kind::Await => {
                let of = self.last_value(node, want, cx);
                return Self::element(of, cx);
            }
            Kind::Yield => self.yielded(node, cx),
            Kind::As | Kind::Satisfies => return self.assertion(kind, node, want, cx),
            Kind::TypeAssertion => return self.type_assertion(node, want, cx),
            Kind::Instantiation => return self.instantiation(node, want, cx),
            Kind::Update => {
                self.each(node, cx, |this, child, _, cx| {
                    this.value(child, Want::role(Role::Write), cx);
                });
            }
            Kind::NestedIdentifier => return self.nested_identifier(node, want.role, cx),
            Kind::JsxOpening => self.jsx_opening(node, cx),
            Kind::JsxClosing => self.jsx_closing(node, cx),
            Kind::Decorator => {
                self.each(node, cx, |this, child, _, cx| {
                    this.value(child, Want::role(Role::Decorator), cx);
                });
            }
            _ => self.statement(kind, node, cx),
        }
        cx.unknown()
    }

    /// A bare name.
    pub(super) fn identifier(&mut self, node: Node<'t>, role: Role, cx: &mut Cx<'_>) -> ExprId {
        if cx.text(node) == "exports" && self.is_free(node, cx) {
            let scope = self.exports(cx);
            return cx.expr(Expr::Object { scope });
        }
        let expr = cx.use_name(node, self.scope, role);
        if self.narrowed.is_empty() {
            return expr;
        }
        let name = cx.name(node);
        self.narrowed.iter().rev().find(|(narrowed, _)| *narrowed == name).map_or(expr, |(_, known)| *known)
    }

    fn member(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        if let Some(exports) = self.module_exports(node, cx) {
            return exports;
        }
        let (mut base, mut property) = (cx.unknown(), None);
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Object => base = this.value(child, Want::READ, cx),
            Field::Property => property = Some(child),
            _ if child.is_named() => {
                this.value(child, Want::READ, cx);
            }
            _ => {}
        });
        match property {
            Some(property) => self.use_member(base, property, want.role, cx),
            None => cx.unknown(),
        }
    }

    /// The member of a value under the name that `property` spells.
    pub(super) fn use_member(&mut self, base: ExprId, property: Node<'t>, role: Role, cx: &mut Cx<'_>) -> ExprId {
        let role = if role == Role::Read { Role::Member } else { role };
        cx.use_member(base, property, role)
    }

    fn subscript(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let (mut base, mut index) = (cx.unknown(), None);
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Object => base = this.value(child, Want::READ, cx),
            Field::Index => {
                index = Some(child);
                this.value(child, Want::READ, cx);
            }
            _ => {}
        });
        let Some(index) = index else { return cx.unknown() };
        if let Some(name) = self.string_name(index, cx) {
            return self.use_member(base, name, want.role, cx);
        }
        match cx.text(index).parse() {
            Ok(index) if base != cx.unknown() => cx.expr(Expr::Item { of: base, index }),
            _ => Self::element(base, cx),
        }
    }

    /// The part of a string that is its text, where it has but one and that is a name.
    pub(super) fn string_name(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> Option<Node<'t>> {
        let fragment = self.string_text(node)?;
        let text = cx.text(fragment);
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

    fn transparent(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let mut value = cx.unknown();
        let asserts = node.kind() == "non_null_expression";
        self.each(node, cx, |this, child, field, cx| {
            if field == Field::Type {
                this.annotation(child, cx);
            } else if asserts && child.is_named() && !this.is_comment(child) {
                value = this.asserted(child, want, cx);
            } else if child.is_named() && !this.is_comment(child) {
                value = this.value(child, want, cx);
            }
        });
        value
    }

    /// The value that `!` stands behind: the grammar reads `+a!.b` as `(+a)!.b`, and `a - b!.c` as `(a - b)!.c`.
    fn asserted(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Unary | Kind::Await | Kind::Update => cx.deeper(node, |cx| {
                let mut value = cx.unknown();
                self.each(node, cx, |this, child, _, cx| {
                    if child.is_named() && !this.is_comment(child) {
                        value = this.asserted(child, want, cx);
                    }
                });
                value
            }),
            Kind::Binary => cx.deeper(node, |cx| {
                let narrowed = self.narrowed.len();
                let (mut value, mut left) = (cx.unknown(), None);
                self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
                    (Field::Left, _) => {
                        left = Some(child);
                        this.value(child, Want::READ, cx);
                    }
                    (Field::Operator, Kind::AndToken) => {
                        if let Some(left) = left {
                            this.narrow(left, cx);
                        }
                    }
                    (Field::Right, _) => value = this.asserted(child, want, cx),
                    _ => {}
                });
                self.narrowed.truncate(narrowed);
                value
            }),
            _ => self.value(node, want, cx),
        }
    }

    /// The value of the last child.
    fn last_value(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let mut value = cx.unknown();
        self.each(node, cx, |this, child, _, cx| {
            if child.is_named() && !this.is_comment(child) {
                value = this.value(child, want, cx);
            }
        });
        value
    }

    fn sequence(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        self.last_value(node, want, cx)
    }

    fn array(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let expected = Self::element(want.expected, cx);
        let mut parts = Vec::new();
        self.each(node, cx, |this, child, _, cx| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            let part = if this.kind(child) == Kind::Spread {
                let spread = this.last_value(child, Want::READ, cx);
                Self::element(spread, cx)
            } else {
                this.value(child, Want::expected(expected), cx)
            };
            if parts.len() < MAX_PARTS {
                parts.push(part);
            }
        });
        if parts.iter().all(|part| *part == cx.unknown()) {
            return cx.unknown();
        }
        let span = cx.list(&parts);
        cx.expr(Expr::Tuple(span))
    }

    /// Reads chains of operators without going deeper for each: sums of thousands of strings occur.
    fn binary(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let mut spine = vec![node];
        let mut leftmost = node;
        while let Some(left) = self.child(leftmost, Field::Left, cx) {
            leftmost = left;
            if self.kind(left) != Kind::Binary {
                break;
            }
            spine.push(left);
        }
        let narrowed = self.narrowed.len();
        let mut value = if self.kind(leftmost) == Kind::Binary { cx.unknown() } else { self.value(leftmost, want, cx) };
        while let Some(node) = spine.pop() {
            let (mut operator, mut right, mut left) = (Kind::Token, None, None);
            self.each(node, cx, |this, child, field, _| match field {
                Field::Left => left = Some(child),
                Field::Operator => operator = this.kind(child),
                Field::Right => right = Some(child),
                _ => {}
            });
            if operator == Kind::AndToken
                && let Some(left) = left
            {
                self.narrow(left, cx);
            }
            let logical = matches!(operator, Kind::AndToken | Kind::OrToken | Kind::NullishToken);
            let want = if logical { want } else { Want::READ };
            let right = right.map_or(cx.unknown(), |right| self.value(right, want, cx));
            value = match operator {
                Kind::AndToken => right,
                Kind::OrToken | Kind::NullishToken => cx.either(vec![value, right]),
                _ => cx.unknown(),
            };
        }
        self.narrowed.truncate(narrowed);
        value
    }

    /// Notes what holds where `condition` does: `x instanceof Foo`, alone or among others that all hold.
    pub(super) fn narrow(&mut self, condition: Node<'t>, cx: &mut Cx<'_>) {
        let mut conditions = vec![condition];
        while let Some(node) = conditions.pop() {
            match self.kind(node) {
                Kind::Transparent => conditions.extend(self.inner(node, cx)),
                Kind::Binary => {
                    let (mut operator, mut right, mut left) = (Kind::Token, None, None);
                    self.each(node, cx, |this, child, field, _| match field {
                        Field::Left => left = Some(child),
                        Field::Operator => operator = this.kind(child),
                        Field::Right => right = Some(child),
                        _ => {}
                    });
                    let (Some(left), Some(right)) = (left, right) else { continue };
                    match operator {
                        Kind::AndToken => conditions.extend([left, right]),
                        Kind::InstanceofToken if self.kind(left) == Kind::Identifier => {
                            let known = self.class_named(right, cx);
                            if known != cx.unknown() {
                                let known = Self::instance(known, cx);
                                let name = cx.name(left);
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
    fn class_named(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => {
                let name = cx.name(node);
                let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
                cx.expr(Expr::Name { name, scope: self.scope, at })
            }
            Kind::Member => {
                let (object, property) = (self.child(node, Field::Object, cx), self.child(node, Field::Property, cx));
                let (Some(object), Some(property)) = (object, property) else { return cx.unknown() };
                let base = cx.deeper(node, |cx| self.class_named(object, cx));
                if base == cx.unknown() {
                    return base;
                }
                let name = cx.name(property);
                let at = u32::try_from(property.start_byte()).unwrap_or(u32::MAX);
                cx.expr(Expr::Member { base, name, at })
            }
            _ => cx.unknown(),
        }
    }

    fn ternary(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let narrowed = self.narrowed.len();
        let mut values = Vec::new();
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Condition => {
                this.value(child, Want::READ, cx);
                this.narrow(child, cx);
            }
            Field::Consequence => {
                values.push(this.value(child, want, cx));
                this.narrowed.truncate(narrowed);
            }
            Field::Alternative => values.push(this.value(child, want, cx)),
            _ => {}
        });
        cx.either(values)
    }

    fn yielded(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let mut every = false;
        let mut value = cx.unknown();
        self.each(node, cx, |this, child, _, cx| match this.kind(child) {
            Kind::StarToken => every = true,
            _ if child.is_named() && !this.is_comment(child) => value = this.value(child, Want::READ, cx),
            _ => {}
        });
        let value = if every { Self::element(value, cx) } else { value };
        if self.body.generator {
            self.body.returns.push(value);
        }
    }

    /// `x as T`, `x satisfies T`.
    fn assertion(&mut self, kind: Kind, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let (mut subject, mut declared) = (None, None);
        self.each(node, cx, |this, child, _, _| {
            if child.is_named() && !this.is_comment(child) {
                if subject.is_none() { subject = Some(child) } else { declared = Some(child) }
            }
        });
        // `as const` has no type.
        let of = declared.map(|declared| self.ty(declared, cx));
        let instance = of.map_or(cx.unknown(), |of| Self::instance(of, cx));
        let want = if of.is_some() { Want { expected: instance, ..want } } else { want };
        let value = subject.map_or(cx.unknown(), |subject| self.value(subject, want, cx));
        if of.is_some() && kind == Kind::As { instance } else { value }
    }

    /// `<T>x`.
    fn type_assertion(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let mut instance = cx.unknown();
        self.each(node, cx, |this, child, _, cx| {
            if this.kind(child) == Kind::TypeArguments {
                let args = this.type_arguments(child, cx);
                instance = args.first().map_or(cx.unknown(), |of| Self::instance(*of, cx));
            } else if child.is_named() {
                this.value(child, Want { expected: instance, ..want }, cx);
            }
        });
        instance
    }

    /// `f<T>`, not called.
    fn instantiation(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let (mut base, mut args) = (cx.unknown(), Vec::new());
        self.each(node, cx, |this, child, _, cx| {
            if this.kind(child) == Kind::TypeArguments {
                args = this.type_arguments(child, cx);
            } else if child.is_named() {
                base = this.value(child, want, cx);
            }
        });
        Self::generic(base, &args, cx)
    }

    /// `a.b` in places where only names may stand.
    pub(super) fn nested_identifier(&mut self, node: Node<'t>, role: Role, cx: &mut Cx<'_>) -> ExprId {
        let (mut base, mut property) = (cx.unknown(), None);
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Object => base = this.value(child, Want::READ, cx),
            Field::Property => property = Some(child),
            _ => {}
        });
        match property {
            Some(property) => self.use_member(base, property, role, cx),
            None => cx.unknown(),
        }
    }

    /// A class that is a value: its own name is seen inside of it only.
    fn class_expression(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let scope = self.open(ScopeKind::Block, node, cx);
        let name = self.child(node, Field::Name, cx);
        let binding = match name {
            Some(name) => self.bind(scope, BindingKind::Type, name, cx),
            None => {
                let unnamed = cx.intern_made("");
                cx.bind_name(scope, BindingKind::Type, unnamed, node.start_byte())
            }
        };
        self.within(scope, |this| this.class(node, binding, cx));
        cx.expr(Expr::Bound { binding })
    }
}
