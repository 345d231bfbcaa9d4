//! Assignments: what they write to, and what they define.

use tree_sitter::Node;

use super::calls::is_shaped_by_context;
use super::kinds::{Field, Kind};
use super::owners::Owner;
use super::{Binder, ExprContext, MadeField, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NameId, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// `left = right`; its value is that of `right`.
    pub(super) fn assignment(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (left, right) = (self.child(node, Field::Left, builder), self.child(node, Field::Right, builder));
        let (Some(left), Some(right)) = (left, right) else {
            self.children(node, builder);
            return builder.unknown();
        };
        match self.kind(left) {
            Kind::Identifier => {
                let expected = match is_shaped_by_context(self.kind(right)) {
                    true => {
                        let at = u32::try_from(left.start_byte()).unwrap_or(u32::MAX);
                        let name = builder.name(left);
                        builder.expr(Expr::Name { name, scope: self.scope, at })
                    }
                    false => builder.unknown(),
                };
                let value = self.value(right, ExprContext::expected(expected), builder);
                if builder.text(left) == "exports" && self.is_free(left, builder) {
                    return value;
                }
                builder.use_name(left, self.scope, Role::Write);
                let name = builder.name(left);
                self.assign_name(name, &[value], builder);
                value
            }
            Kind::Member | Kind::Subscript => self.member_assignment(left, right, builder),
            _ => {
                let value = self.value(right, ExprContext::READ, builder);
                self.assign_pattern(left, value, builder);
                value
            }
        }
    }

    pub(super) fn augmented_assignment(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut value = builder.unknown();
        self.each(node, builder, |this, child, field, builder| match field {
            Field::Left => {
                value = this.value(child, ExprContext::role(Role::Write), builder);
            }
            Field::Right => {
                let right = this.value(child, ExprContext::READ, builder);
                value = builder.either(vec![value, right]);
            }
            _ => {}
        });
        value
    }

    /// Notes what a name is assigned, where that tells more than its declaration.
    pub(super) fn assign_name(&mut self, name: NameId, values: &[ExprId], builder: &mut NamesBuilder<'_>) {
        if let Some(binding) = self.find(self.scope, name, builder) {
            for value in values {
                self.assign_binding(binding, *value, builder);
            }
        }
    }

    pub(super) fn assign_binding(&mut self, binding: BindingId, value: ExprId, builder: &mut NamesBuilder<'_>) {
        if value != builder.unknown()
            && known_kind(builder.binding(binding).kind)
            && builder.binding(binding).annotation.is_none()
        {
            self.assigned.push((binding, value));
        }
    }

    /// The object and the name of `a.b`, `a["b"]`, with all the names in the object read.
    fn place(&mut self, left: Node<'t>, builder: &mut NamesBuilder<'_>) -> (ExprId, Option<Node<'t>>) {
        let (mut base, mut name) = (builder.unknown(), None);
        self.each(left, builder, |this, child, field, builder| match field {
            Field::Object => base = this.value(child, ExprContext::READ, builder),
            Field::Property => name = Some(child),
            Field::Index => {
                name = this.string_name(child, builder);
                this.value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        (base, name)
    }

    /// `a.b` is assigned a value that has been read already.
    pub(super) fn assign_member(&mut self, left: Node<'t>, value: ExprId, builder: &mut NamesBuilder<'_>) {
        let (base, name) = self.place(left, builder);
        let Some(name) = name else { return };
        match self.owner(base, builder).filter(|_| value != builder.unknown()) {
            Some(owner) => self.put(owner, base, name, value, builder),
            None => {
                builder.use_member(base, name, Role::Write);
            }
        }
    }

    fn member_assignment(&mut self, left: Node<'t>, right: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        if self.is_module_exports(left, builder) {
            return self.export_module(left, right, builder);
        }
        let (base, name) = self.place(left, builder);
        let Some(name) = name else { return self.value(right, ExprContext::READ, builder) };
        let owner = self.owner(base, builder);
        // `Foo.prototype = { … }`: the object's members are those of what `Foo` makes.
        if builder.text(name) == "prototype"
            && let Some(Owner { scope, on_type: true, .. }) = owner
            && self.kind(right) == Kind::Object
        {
            let unknown = builder.unknown();
            return self.object_into(right, scope, This::Instance(scope), unknown, builder);
        }
        let this = owner.map_or(This::Unknown, |owner| owner.this);
        // What stands on the right is expected to fit what the left declares.
        let expected = match base == builder.unknown() || !is_shaped_by_context(self.kind(right)) {
            true => builder.unknown(),
            false => {
                let id = builder.name(name);
                let at = u32::try_from(name.start_byte()).unwrap_or(u32::MAX);
                builder.expr(Expr::Member { base, name: id, at })
            }
        };
        let value = match self.kind(right) {
            Kind::FunctionExpression => {
                builder.deeper(right, |builder| self.function_expression(right, this, expected, &[], builder))
            }
            _ => self.value(right, ExprContext::expected(expected), builder),
        };
        match owner {
            Some(owner) => self.put(owner, base, name, value, builder),
            None => {
                builder.use_member(base, name, Role::Write);
            }
        }
        value
    }

    /// Puts a member on what this file makes: a definition where it has none of that name, else an assignment.
    fn put(&mut self, owner: Owner, base: ExprId, name: Node<'t>, value: ExprId, builder: &mut NamesBuilder<'_>) {
        let id = builder.name(name);
        let in_class = matches!(owner.this, This::Instance(_) | This::Type(_))
            && self.is_receiver(base, builder)
            && !self.extensions.values().any(|scope| *scope == owner.scope);
        if in_class {
            // A class may declare it further down.
            self.fields.push(MadeField { scope: owner.scope, on_type: owner.on_type, name, value });
        } else if let Some(binding) = self.bound.get(&(owner.scope, id)).copied() {
            builder.use_member(base, name, Role::Write);
            self.assign_binding(binding, value, builder);
        } else {
            let binding = self.bind(owner.scope, BindingKind::Field, name, builder);
            builder.binding(binding).on_type = owner.on_type;
            Self::set_values(binding, &[value], builder);
            if Some(owner.scope) == self.exports {
                let bound = builder.expr(Expr::Bound { binding });
                builder.export(id, name.start_byte(), crate::names::Exported::Expr(bound));
            }
        }
    }

    fn is_receiver(&self, base: ExprId, builder: &NamesBuilder<'_>) -> bool {
        matches!(builder.names.expr(base), Expr::This { .. } | Expr::ThisType { .. })
    }

    /// Whether no binding of this file holds a name that the module system gives every file.
    pub(super) fn is_free(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let name = builder.name(node);
        self.find(self.scope, name, builder).is_none()
    }

    /// The scope of the members of `exports`.
    pub(super) fn exports(&mut self, builder: &mut NamesBuilder<'_>) -> crate::names::ScopeId {
        if let Some(scope) = self.exports {
            return scope;
        }
        let scope = builder.scope_of_bytes(crate::names::FILE_SCOPE, ScopeKind::Type, 0..0);
        self.exports = Some(scope);
        scope
    }
}

fn known_kind(kind: BindingKind) -> bool {
    matches!(kind, BindingKind::Variable | BindingKind::Field)
}
