//! Variables, and patterns that take values apart.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, This, Want};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, Role, ScopeId};

/// What becomes of the names in a pattern.
#[derive(Clone, Copy)]
enum Fate {
    /// They are bound.
    Bind(ScopeId, BindingKind),
    /// They are assigned to.
    Assign,
}

impl<'t> Binder<'t> {
    /// `name: Type = value` of a declaration that binds in `scope`.
    pub(super) fn declarator(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        let (mut name, mut annotation, mut value) = (None, None, None);
        self.each(node, cx, |_, child, field, _| match field {
            Field::Name => name = Some(child),
            Field::Type => annotation = Some(child),
            Field::Value => value = Some(child),
            _ => {}
        });
        let annotation = annotation.map(|annotation| self.annotation(annotation, cx));
        let Some(name) = name else {
            if let Some(value) = value {
                self.value(value, Want::READ, cx);
            }
            return;
        };
        if let Some(value) = value
            && self.required(name, value, scope, cx)
        {
            return;
        }
        let declared = annotation.unwrap_or(cx.unknown());
        let instance = Self::instance(declared, cx);
        if self.kind(name) == Kind::Identifier {
            let binding = self.bind(scope, BindingKind::Variable, name, cx);
            cx.binding(binding).annotation = annotation.filter(|of| *of != cx.unknown());
            if let Some(value) = value {
                let value = self.value_of(binding, value, instance, cx);
                Self::set_values(binding, &[value], cx);
            }
            return;
        }
        let value = value.map_or(cx.unknown(), |value| self.value(value, Want::expected(instance), cx));
        let value = if instance == cx.unknown() { value } else { instance };
        self.bind_pattern(name, scope, BindingKind::Variable, value, cx);
    }

    /// The value that a variable gets: a function among them may be a constructor.
    fn value_of(&mut self, binding: BindingId, value: Node<'t>, expected: ExprId, cx: &mut Cx<'_>) -> ExprId {
        match self.kind(value) {
            Kind::FunctionExpression => cx.deeper(value, |cx| {
                let this = This::Constructed(binding);
                self.function_expression(value, this, expected, &[], cx)
            }),
            _ => self.value(value, Want::expected(expected), cx),
        }
    }

    /// Binds the names in a pattern to the parts of `value` that they mean.
    pub(super) fn bind_pattern(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        kind: BindingKind,
        value: ExprId,
        cx: &mut Cx<'_>,
    ) {
        self.pattern(node, Fate::Bind(scope, kind), &[value], cx);
    }

    /// Assigns the parts of `value` to the names in a pattern.
    pub(super) fn assign_pattern(&mut self, node: Node<'t>, value: ExprId, cx: &mut Cx<'_>) {
        self.pattern(node, Fate::Assign, &[value], cx);
    }

    /// `values`: what the pattern may be given; the first of them is the one that is taken apart.
    fn pattern(&mut self, node: Node<'t>, fate: Fate, values: &[ExprId], cx: &mut Cx<'_>) {
        match (self.kind(node), fate) {
            (Kind::Identifier | Kind::ShorthandPattern, Fate::Bind(scope, kind)) => {
                let binding = self.bind(scope, kind, node, cx);
                Self::set_values(binding, values, cx);
            }
            (Kind::Identifier | Kind::ShorthandPattern, Fate::Assign) => {
                cx.use_name(node, self.scope, Role::Write);
                let name = cx.name(node);
                self.assign_name(name, values, cx);
            }
            _ => cx.deeper(node, |cx| self.parts(node, fate, values, cx)),
        }
    }

    fn parts(&mut self, node: Node<'t>, fate: Fate, values: &[ExprId], cx: &mut Cx<'_>) {
        let value = values.first().copied().unwrap_or(cx.unknown());
        match self.kind(node) {
            Kind::ObjectPattern => {
                self.each(node, cx, |this, child, _, cx| this.property(child, fate, value, cx));
            }
            Kind::ArrayPattern => {
                let mut index = 0;
                self.each(node, cx, |this, child, _, cx| {
                    if !child.is_named() {
                        index += u32::from(child.kind() == ",");
                    } else if this.kind(child) == Kind::RestPattern {
                        this.pattern(child, fate, &[value], cx);
                    } else if !this.is_comment(child) {
                        let part = if value == cx.unknown() { value } else { cx.expr(Expr::Item { of: value, index }) };
                        this.pattern(child, fate, &[part], cx);
                    }
                });
            }
            Kind::AssignmentPattern => {
                let (left, right) = (self.child(node, Field::Left, cx), self.child(node, Field::Right, cx));
                let default = right.map_or(cx.unknown(), |right| self.value(right, Want::expected(value), cx));
                if let Some(left) = left {
                    self.pattern(left, fate, &[value, default], cx);
                }
            }
            Kind::RestPattern => {
                if let Some(inner) = self.inner(node, cx) {
                    self.pattern(inner, fate, values, cx);
                }
            }
            Kind::Transparent => {
                if let Some(inner) = self.inner(node, cx) {
                    self.pattern(inner, fate, values, cx);
                }
            }
            Kind::Member | Kind::Subscript => self.assign_member(node, value, cx),
            _ => {
                self.value(node, Want::role(Role::Write), cx);
            }
        }
    }

    /// One entry of `{ a, b: c, d = 1, ...rest }`.
    fn property(&mut self, node: Node<'t>, fate: Fate, value: ExprId, cx: &mut Cx<'_>) {
        match self.kind(node) {
            Kind::ShorthandPattern => {
                let part = cx.use_member(value, node, Role::Member);
                let part = if value == cx.unknown() { value } else { part };
                self.pattern(node, fate, &[part], cx);
            }
            Kind::PairPattern => {
                let (key, target) = (self.child(node, Field::Key, cx), self.child(node, Field::Value, cx));
                let mut part = cx.unknown();
                if let Some(key) = key {
                    match self.member_name(key, cx) {
                        Some(name) => {
                            let member = cx.use_member(value, name, Role::Member);
                            if value != cx.unknown() {
                                part = member;
                            }
                        }
                        None => part = Self::element(value, cx),
                    }
                }
                if let Some(target) = target {
                    self.pattern(target, fate, &[part], cx);
                }
            }
            Kind::AssignmentPattern => {
                let (left, right) = (self.child(node, Field::Left, cx), self.child(node, Field::Right, cx));
                let mut part = cx.unknown();
                if let Some(left) = left.filter(|left| self.kind(*left) == Kind::ShorthandPattern) {
                    let member = cx.use_member(value, left, Role::Member);
                    if value != cx.unknown() {
                        part = member;
                    }
                }
                let default = right.map_or(cx.unknown(), |right| self.value(right, Want::expected(part), cx));
                if let Some(left) = left {
                    self.pattern(left, fate, &[part, default], cx);
                }
            }
            Kind::RestPattern => self.pattern(node, fate, &[value], cx),
            Kind::Token | Kind::Leaf => {}
            _ => {
                self.value(node, Want::READ, cx);
            }
        }
    }

    /// The token that names a member: what a string or `["x"]` holds counts. Other computed names are read.
    pub(super) fn member_name(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> Option<Node<'t>> {
        match self.kind(node) {
            Kind::PropertyIdentifier => Some(node),
            Kind::String => self.string_name(node, cx),
            Kind::ComputedName => {
                let inside = self.inner(node, cx)?;
                let name = self.string_name(inside, cx);
                if name.is_none() {
                    self.value(inside, Want::READ, cx);
                }
                name
            }
            _ => None,
        }
    }
}
