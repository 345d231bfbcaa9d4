//! Variables, and patterns that take values apart.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId};

/// Whether a destructuring pattern declares the names in it or assigns to names that exist.
#[derive(Clone, Copy)]
enum BindingMode {
    /// Each name becomes a new binding of this kind in this scope.
    Declare(ScopeId, BindingKind),
    /// Each name gets a new value.
    Assign,
}

impl<'t> Binder<'t> {
    /// `name: Type = value` of a declaration that binds in `scope`.
    pub(super) fn declarator(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let (mut name, mut annotation, mut value) = (None, None, None);
        self.each(node, builder, |_, child, field, _| match field {
            Field::Name => name = Some(child),
            Field::Type => annotation = Some(child),
            Field::Value => value = Some(child),
            _ => {}
        });
        let annotation = annotation.map(|annotation| self.annotation(annotation, builder));
        let Some(name) = name else {
            if let Some(value) = value {
                self.value(value, ExprContext::READ, builder);
            }
            return;
        };
        if let Some(value) = value
            && self.required(name, value, scope, builder)
        {
            return;
        }
        let declared = annotation.unwrap_or(builder.unknown());
        let instance = Self::instance(declared, builder);
        if self.kind(name) == Kind::Identifier {
            let binding = self.bind(scope, BindingKind::Variable, name, builder);
            builder.binding(binding).annotation = annotation.filter(|of| *of != builder.unknown());
            if let Some(value) = value {
                let value = self.value_of(binding, value, instance, builder);
                Self::set_values(binding, &[value], builder);
            }
            return;
        }
        let value =
            value.map_or(builder.unknown(), |value| self.value(value, ExprContext::expected(instance), builder));
        let value = if instance == builder.unknown() { value } else { instance };
        self.bind_pattern(name, scope, BindingKind::Variable, value, builder);
    }

    /// The value that a variable gets: a function among them may be a constructor.
    fn value_of(
        &mut self,
        binding: BindingId,
        value: Node<'t>,
        expected: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(value) {
            Kind::FunctionExpression => builder.deeper(value, |builder| {
                let this = This::Constructed(binding);
                self.function_expression(value, this, expected, &[], builder)
            }),
            _ => self.value(value, ExprContext::expected(expected), builder),
        }
    }

    /// Binds the names in a pattern to the parts of `value` that they mean.
    pub(super) fn bind_pattern(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        kind: BindingKind,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.pattern(node, BindingMode::Declare(scope, kind), &[value], builder);
    }

    /// Assigns the parts of `value` to the names in a pattern.
    pub(super) fn assign_pattern(&mut self, node: Node<'t>, value: ExprId, builder: &mut NamesBuilder<'_>) {
        self.pattern(node, BindingMode::Assign, &[value], builder);
    }

    /// `values`: what the pattern may be given; the first of them is the one that is taken apart.
    fn pattern(&mut self, node: Node<'t>, mode: BindingMode, values: &[ExprId], builder: &mut NamesBuilder<'_>) {
        match (self.kind(node), mode) {
            (Kind::Identifier | Kind::ShorthandPattern, BindingMode::Declare(scope, kind)) => {
                let binding = self.bind(scope, kind, node, builder);
                Self::set_values(binding, values, builder);
            }
            (Kind::Identifier | Kind::ShorthandPattern, BindingMode::Assign) => {
                builder.use_name(node, self.scope, Role::Write);
                let name = builder.name(node);
                self.assign_name(name, values, builder);
            }
            _ => builder.deeper(node, |builder| self.parts(node, mode, values, builder)),
        }
    }

    fn parts(&mut self, node: Node<'t>, mode: BindingMode, values: &[ExprId], builder: &mut NamesBuilder<'_>) {
        let value = values.first().copied().unwrap_or(builder.unknown());
        match self.kind(node) {
            Kind::ObjectPattern => {
                self.each(node, builder, |this, child, _, builder| this.property(child, mode, value, builder));
            }
            Kind::ArrayPattern => {
                let mut index = 0;
                self.each(node, builder, |this, child, _, builder| {
                    if !child.is_named() {
                        index += u32::from(child.kind() == ",");
                    } else if this.kind(child) == Kind::RestPattern {
                        this.pattern(child, mode, &[value], builder);
                    } else if !this.is_comment(child) {
                        let part = if value == builder.unknown() {
                            value
                        } else {
                            builder.expr(Expr::Item { of: value, index })
                        };
                        this.pattern(child, mode, &[part], builder);
                    }
                });
            }
            Kind::AssignmentPattern => {
                let (left, right) = (self.child(node, Field::Left, builder), self.child(node, Field::Right, builder));
                let default =
                    right.map_or(builder.unknown(), |right| self.value(right, ExprContext::expected(value), builder));
                if let Some(left) = left {
                    self.pattern(left, mode, &[value, default], builder);
                }
            }
            Kind::RestPattern => {
                if let Some(inner) = self.inner(node, builder) {
                    self.pattern(inner, mode, values, builder);
                }
            }
            Kind::Transparent => {
                if let Some(inner) = self.inner(node, builder) {
                    self.pattern(inner, mode, values, builder);
                }
            }
            Kind::Member | Kind::Subscript => self.assign_member(node, value, builder),
            _ => {
                self.value(node, ExprContext::role(Role::Write), builder);
            }
        }
    }

    /// One entry of `{ a, b: c, d = 1, ...rest }`.
    fn property(&mut self, node: Node<'t>, mode: BindingMode, value: ExprId, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::ShorthandPattern => {
                let part = builder.use_member(value, node, Role::Member);
                let part = if value == builder.unknown() { value } else { part };
                self.pattern(node, mode, &[part], builder);
            }
            Kind::PairPattern => {
                let (key, target) = (self.child(node, Field::Key, builder), self.child(node, Field::Value, builder));
                let mut part = builder.unknown();
                if let Some(key) = key {
                    match self.member_name(key, builder) {
                        Some(name) => {
                            let member = builder.use_member(value, name, Role::Member);
                            if value != builder.unknown() {
                                part = member;
                            }
                        }
                        None => part = Self::element(value, builder),
                    }
                }
                if let Some(target) = target {
                    self.pattern(target, mode, &[part], builder);
                }
            }
            Kind::AssignmentPattern => {
                let (left, right) = (self.child(node, Field::Left, builder), self.child(node, Field::Right, builder));
                let mut part = builder.unknown();
                if let Some(left) = left.filter(|left| self.kind(*left) == Kind::ShorthandPattern) {
                    let member = builder.use_member(value, left, Role::Member);
                    if value != builder.unknown() {
                        part = member;
                    }
                }
                let default =
                    right.map_or(builder.unknown(), |right| self.value(right, ExprContext::expected(part), builder));
                if let Some(left) = left {
                    self.pattern(left, mode, &[part, default], builder);
                }
            }
            Kind::RestPattern => self.pattern(node, mode, &[value], builder),
            Kind::Token | Kind::Leaf => {}
            _ => {
                self.value(node, ExprContext::READ, builder);
            }
        }
    }

    /// The token that names a member: what a string or `["x"]` holds counts. Other computed names are read.
    pub(super) fn member_name(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        match self.kind(node) {
            Kind::PropertyIdentifier => Some(node),
            Kind::String => self.string_name(node, builder),
            Kind::ComputedName => {
                let inside = self.inner(node, builder)?;
                let name = self.string_name(inside, builder);
                if name.is_none() {
                    self.value(inside, ExprContext::READ, builder);
                }
                name
            }
            _ => None,
        }
    }
}
