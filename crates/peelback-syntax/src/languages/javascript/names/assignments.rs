//! Assignments: what they write to, and what they define.

use tree_sitter::Node;

use super::calls::is_shaped_by_context;
use super::kinds::{Field, Kind};
use super::owners::Owner;
use super::{Binder, MadeField, This, Want};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, NameId, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// `left = right`; its value is that of `right`.
    pub(super) fn assignment(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let (left, right) = (self.child(node, Field::Left, cx), self.child(node, Field::Right, cx));
        let (Some(left), Some(right)) = (left, right) else {
            self.children(node, cx);
            return cx.unknown();
        };
        match self.kind(left) {
            Kind::Identifier => {
                let expected = match is_shaped_by_context(self.kind(right)) {
                    true => {
                        let at = u32::try_from(left.start_byte()).unwrap_or(u32::MAX);
                        let name = cx.name(left);
                        cx.expr(Expr::Name { name, scope: self.scope, at })
                    }
                    false => cx.unknown(),
                };
                let value = self.value(right, Want::expected(expected), cx);
                if cx.text(left) == "exports" && self.is_free(left, cx) {
                    return value;
                }
                cx.use_name(left, self.scope, Role::Write);
                let name = cx.name(left);
                self.assign_name(name, &[value], cx);
                value
            }
            Kind::Member | Kind::Subscript => self.member_assignment(left, right, cx),
            _ => {
                let value = self.value(right, Want::READ, cx);
                self.assign_pattern(left, value, cx);
                value
            }
        }
    }

    pub(super) fn augmented_assignment(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let mut value = cx.unknown();
        self.each(node, cx, |this, child, field, cx| match field {
            Field::Left => {
                value = this.value(child, Want::role(Role::Write), cx);
            }
            Field::Right => {
                let right = this.value(child, Want::READ, cx);
                value = cx.either(vec![value, right]);
            }
            _ => {}
        });
        value
    }

    /// Notes what a name is assigned, where that tells more than its declaration.
    pub(super) fn assign_name(&mut self, name: NameId, values: &[ExprId], cx: &mut Cx<'_>) {
        if let Some(binding) = self.find(self.scope, name, cx) {
            for value in values {
                self.assign_binding(binding, *value, cx);
            }
        }
    }

    pub(super) fn assign_binding(&mut self, binding: BindingId, value: ExprId, cx: &mut Cx<'_>) {
        if value != cx.unknown() && known_kind(cx.binding(binding).kind) && cx.binding(binding).annotation.is_none() {
            self.assigned.push((binding, value));
        }
    }

    /// The object and the name of `a.b`, `a["b"]`, with all the names in the object read.
    fn place(&mut self, left: Node<'t>, cx: &mut Cx<'_>) -> (ExprId, Option<Node<'t>>) {
        let (mut base, mut name) = (cx.unknown(), None);
        self.each(left, cx, |this, child, field, cx| match field {
            Field::Object => base = this.value(child, Want::READ, cx),
            Field::Property => name = Some(child),
            Field::Index => {
                name = this.string_name(child, cx);
                this.value(child, Want::READ, cx);
            }
            _ => {}
        });
        (base, name)
    }

    /// `a.b` is assigned a value that has been read already.
    pub(super) fn assign_member(&mut self, left: Node<'t>, value: ExprId, cx: &mut Cx<'_>) {
        let (base, name) = self.place(left, cx);
        let Some(name) = name else { return };
        match self.owner(base, cx).filter(|_| value != cx.unknown()) {
            Some(owner) => self.put(owner, base, name, value, cx),
            None => {
                cx.use_member(base, name, Role::Write);
            }
        }
    }

    fn member_assignment(&mut self, left: Node<'t>, right: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        if self.is_module_exports(left, cx) {
            return self.export_module(left, right, cx);
        }
        let (base, name) = self.place(left, cx);
        let Some(name) = name else { return self.value(right, Want::READ, cx) };
        let owner = self.owner(base, cx);
        // `Foo.prototype = { … }`: the object's members are those of what `Foo` makes.
        if cx.text(name) == "prototype"
            && let Some(Owner { scope, on_type: true, .. }) = owner
            && self.kind(right) == Kind::Object
        {
            let unknown = cx.unknown();
            return self.object_into(right, scope, This::Instance(scope), unknown, cx);
        }
        let this = owner.map_or(This::Unknown, |owner| owner.this);
        // What stands on the right is expected to fit what the left declares.
        let expected = match base == cx.unknown() || !is_shaped_by_context(self.kind(right)) {
            true => cx.unknown(),
            false => {
                let id = cx.name(name);
                let at = u32::try_from(name.start_byte()).unwrap_or(u32::MAX);
                cx.expr(Expr::Member { base, name: id, at })
            }
        };
        let value = match self.kind(right) {
            Kind::FunctionExpression => cx.deeper(right, |cx| self.function_expression(right, this, expected, &[], cx)),
            _ => self.value(right, Want::expected(expected), cx),
        };
        match owner {
            Some(owner) => self.put(owner, base, name, value, cx),
            None => {
                cx.use_member(base, name, Role::Write);
            }
        }
        value
    }

    /// Puts a member on what this file makes: a definition where it has none of that name, else an assignment.
    fn put(&mut self, owner: Owner, base: ExprId, name: Node<'t>, value: ExprId, cx: &mut Cx<'_>) {
        let id = cx.name(name);
        let in_class = matches!(owner.this, This::Instance(_) | This::Type(_))
            && self.is_receiver(base, cx)
            && !self.extensions.values().any(|scope| *scope == owner.scope);
        if in_class {
            // A class may declare it further down.
            self.fields.push(MadeField { scope: owner.scope, on_type: owner.on_type, name, value });
        } else if let Some(binding) = self.bound.get(&(owner.scope, id)).copied() {
            cx.use_member(base, name, Role::Write);
            self.assign_binding(binding, value, cx);
        } else {
            let binding = self.bind(owner.scope, BindingKind::Field, name, cx);
            cx.binding(binding).on_type = owner.on_type;
            Self::set_values(binding, &[value], cx);
            if Some(owner.scope) == self.exports {
                let bound = cx.expr(Expr::Bound { binding });
                cx.export(id, name.start_byte(), crate::names::Exported::Expr(bound));
            }
        }
    }

    fn is_receiver(&self, base: ExprId, cx: &Cx<'_>) -> bool {
        matches!(cx.names.expr(base), Expr::This { .. } | Expr::ThisType { .. })
    }

    /// Whether no binding of this file holds a name that the module system gives every file.
    pub(super) fn is_free(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> bool {
        let name = cx.name(node);
        self.find(self.scope, name, cx).is_none()
    }

    /// The scope of the members of `exports`.
    pub(super) fn exports(&mut self, cx: &mut Cx<'_>) -> crate::names::ScopeId {
        if let Some(scope) = self.exports {
            return scope;
        }
        let scope = cx.scope_of_bytes(crate::names::FILE_SCOPE, ScopeKind::Type, 0..0);
        self.exports = Some(scope);
        scope
    }
}

fn known_kind(kind: BindingKind) -> bool {
    matches!(kind, BindingKind::Variable | BindingKind::Field)
}
