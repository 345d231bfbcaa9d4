//! Name binding for JavaScript assignments: the occurrences of names in their targets, and the members that they
//! define.

use tree_sitter::Node;

use super::calls::does_node_kind_pass_expected_value_to_parts;
use super::kinds::{Field, Kind};
use super::owners::MemberOwner;
use super::{AssignedField, Binder, ExprContext, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NameId, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds the names in `left = right`, and returns the value of `right`.
    pub(super) fn bind_assignment(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (left, right) = (
            self.first_child_in_field(node, Field::Left, builder),
            self.first_child_in_field(node, Field::Right, builder),
        );
        let (Some(left), Some(right)) = (left, right) else {
            self.bind_names_in_children(node, builder);
            return builder.unknown_expr();
        };
        match self.kind_of_node(left) {
            Kind::Identifier => {
                let expected = if does_node_kind_pass_expected_value_to_parts(self.kind_of_node(right)) {
                    let at = u32::try_from(left.start_byte()).unwrap_or(u32::MAX);
                    let name = builder.name_id_of_node(left);
                    builder.add_expr(Expr::Name { name, scope: self.scope, at })
                } else {
                    builder.unknown_expr()
                };
                let value = self.bind_names_and_get_value(right, ExprContext::with_expected_value(expected), builder);
                if builder.text_of_node(left) == "exports" && self.is_unbound_name(left, builder) {
                    return value;
                }
                builder.record_name_use(left, self.scope, Role::Write);
                let name = builder.name_id_of_node(left);
                self.record_values_assigned_to_variable(name, &[value], builder);
                value
            }
            Kind::Member | Kind::Subscript => self.bind_member_assignment(left, right, builder),
            _ => {
                let value = self.bind_names_and_get_value(right, ExprContext::READ, builder);
                self.record_assignment_to_pattern(left, value, builder);
                value
            }
        }
    }

    pub(super) fn bind_augmented_assignment(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut value = builder.unknown_expr();
        self.for_each_named_or_unnamed_child(node, builder, |this, child, field, builder| match field {
            Field::Left => {
                value = this.bind_names_and_get_value(child, ExprContext::for_role(Role::Write), builder);
            }
            Field::Right => {
                let right = this.bind_names_and_get_value(child, ExprContext::READ, builder);
                value = builder.expr_of_possible_values(vec![value, right]);
            }
            _ => {}
        });
        value
    }

    /// Records values that are assigned to the variable called `name`, unless its declaration has a type.
    pub(super) fn record_values_assigned_to_variable(
        &mut self,
        name: NameId,
        values: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(binding) = self.find_visible_binding_in_file(self.scope, name, builder) {
            for value in values {
                self.record_assigned_value(binding, *value, builder);
            }
        }
    }

    pub(super) fn record_assigned_value(&mut self, binding: BindingId, value: ExprId, builder: &mut NamesBuilder<'_>) {
        if value != builder.unknown_expr()
            && is_variable_or_field_kind(builder.binding_mut(binding).kind)
            && builder.binding_mut(binding).annotation.is_none()
        {
            self.assigned_values.push((binding, value));
        }
    }

    /// The object and the name node of the member that an assignment writes: `a.b` or `a["b"]`. Also records the names
    /// in the object expression.
    fn object_and_name_of_assigned_member(
        &mut self,
        left: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> (ExprId, Option<Node<'t>>) {
        let (mut base, mut name) = (builder.unknown_expr(), None);
        self.for_each_named_or_unnamed_child(left, builder, |this, child, field, builder| match field {
            Field::Object => base = this.bind_names_and_get_value(child, ExprContext::READ, builder),
            Field::Property => name = Some(child),
            Field::Index => {
                name = this.name_or_path_string_text_node(child, builder);
                this.bind_names_and_get_value(child, ExprContext::READ, builder);
            }
            _ => {}
        });
        (base, name)
    }

    /// Records that `value`, which was evaluated before, is assigned to the member in `left` (`a.b`).
    pub(super) fn record_value_assigned_to_member(
        &mut self,
        left: Node<'t>,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let (base, name) = self.object_and_name_of_assigned_member(left, builder);
        let Some(name) = name else { return };
        match self.member_scope_if_defined_in_file(base, builder).filter(|_| value != builder.unknown_expr()) {
            Some(owner) => self.add_or_update_member_of_owner(owner, base, name, value, builder),
            None => {
                builder.record_member_use(base, name, Role::Write);
            }
        }
    }

    fn bind_member_assignment(&mut self, left: Node<'t>, right: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        if self.is_commonjs_module_exports(left, builder) {
            return self.bind_module_exports_assignment(left, right, builder);
        }
        let (base, name) = self.object_and_name_of_assigned_member(left, builder);
        let Some(name) = name else { return self.bind_names_and_get_value(right, ExprContext::READ, builder) };
        let owner = self.member_scope_if_defined_in_file(base, builder);
        // The members of the object in `Foo.prototype = { … }` are members of the instances of `Foo`.
        if builder.text_of_node(name) == "prototype"
            && let Some(MemberOwner { scope, on_type: true, .. }) = owner
            && self.kind_of_node(right) == Kind::Object
        {
            let unknown = builder.unknown_expr();
            return self.bind_object_literal_members(right, scope, This::Instance(scope), unknown, builder);
        }
        let this = owner.map_or(This::Unknown, |owner| owner.this);
        // The declaration of the left side determines the expected value of the right side.
        let expected = if base == builder.unknown_expr()
            || !does_node_kind_pass_expected_value_to_parts(self.kind_of_node(right))
        {
            builder.unknown_expr()
        } else {
            let id = builder.name_id_of_node(name);
            let at = u32::try_from(name.start_byte()).unwrap_or(u32::MAX);
            builder.add_expr(Expr::Member { base, name: id, at })
        };
        let value = match self.kind_of_node(right) {
            Kind::FunctionExpression => builder.run_with_depth_limit(right, |builder| {
                self.function_expression_value(right, this, expected, &[], builder)
            }),
            _ => self.bind_names_and_get_value(right, ExprContext::with_expected_value(expected), builder),
        };
        self.record_inheritance_by_assignment(base, builder.text_of_node(name), value, builder);
        match owner {
            Some(owner) => self.add_or_update_member_of_owner(owner, base, name, value, builder),
            None => {
                builder.record_member_use(base, name, Role::Write);
            }
        }
        value
    }

    /// Adds a member to a type or object that this file defines. The first assignment to a member's name defines the
    /// member; later assignments add values to it.
    pub(super) fn add_or_update_member_of_owner(
        &mut self,
        owner: MemberOwner,
        base: ExprId,
        name: Node<'t>,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let id = builder.name_id_of_node(name);
        if self.is_bound_at_end_of_class(owner, base, builder) {
            self.assigned_fields.push(AssignedField { scope: owner.scope, on_type: owner.on_type, name, value });
        } else if let Some(binding) = self.bound_member_of_owner(owner, id, builder) {
            builder.record_member_use(base, name, Role::Write);
            self.record_assigned_value(binding, value, builder);
        } else {
            let binding = self.bind_new_member_of_owner(owner, BindingKind::Field, name, builder);
            Self::set_binding_values_except_unknown(binding, &[value], builder);
        }
    }

    /// Whether a field that is assigned to `base` is bound at the end of its class: the class may declare the field below the
    /// method that assigns it.
    pub(super) fn is_bound_at_end_of_class(
        &self,
        owner: MemberOwner,
        base: ExprId,
        builder: &NamesBuilder<'_>,
    ) -> bool {
        matches!(owner.this, This::Instance(_) | This::Type(_))
            && self.is_this_expr(base, builder)
            && !self.extensions.values().any(|scope| *scope == owner.scope)
    }

    /// Binds a member of a type or object, and exports it where the object is that of the exports of a CommonJS module.
    pub(super) fn bind_new_member_of_owner(
        &mut self,
        owner: MemberOwner,
        kind: BindingKind,
        name: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let binding = self.bind_name(owner.scope, kind, name, builder);
        builder.binding_mut(binding).on_type = owner.on_type;
        let key = (owner.scope, builder.binding_mut(binding).name);
        if self.bound.get(&key).is_some_and(|first| *first != binding) {
            self.bound_on_other_side.entry(key).or_insert(binding);
        }
        if Some(owner.scope) == self.known_exports_scope {
            let id = builder.binding_mut(binding).name;
            let bound = builder.add_expr(Expr::Bound { binding });
            builder.add_export(id, name.start_byte(), crate::names::Exported::Expr(bound));
        }
        binding
    }

    /// The member called `name` of a type or object: of a type's members, that of the type itself and that of its instances are
    /// two (`Point.of`, `Point.prototype.of`).
    pub(super) fn bound_member_of_owner(
        &self,
        owner: MemberOwner,
        name: NameId,
        builder: &NamesBuilder<'_>,
    ) -> Option<BindingId> {
        let key = (owner.scope, name);
        let on_other_side = self.bound_on_other_side.get(&key).copied();
        let both = self.bound.get(&key).copied().into_iter().chain(on_other_side);
        both.into_iter().find(|binding| {
            let known = builder.names.bindings.get(*binding as usize);
            known.is_some_and(|known| known.on_type == owner.on_type)
        })
    }

    fn is_this_expr(&self, base: ExprId, builder: &NamesBuilder<'_>) -> bool {
        matches!(builder.names.expr_by_id(base), Expr::This { .. } | Expr::ThisType { .. })
    }

    /// Whether a name that the module system provides (`exports`, `require`) keeps that meaning, because no binding of
    /// this file hides it.
    pub(super) fn is_unbound_name(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let name = builder.name_id_of_node(node);
        self.find_visible_binding_in_file(self.scope, name, builder).is_none()
    }

    /// The scope that contains the members of a CommonJS module's `exports` object. Creates the scope on first use.
    pub(super) fn commonjs_exports_scope(&mut self, builder: &mut NamesBuilder<'_>) -> crate::names::ScopeId {
        if let Some(scope) = self.known_exports_scope {
            return scope;
        }
        let scope = builder.add_child_scope_for_bytes(crate::names::FILE_SCOPE, ScopeKind::Type, 0..0);
        self.known_exports_scope = Some(scope);
        scope
    }
}

fn is_variable_or_field_kind(kind: BindingKind) -> bool {
    matches!(kind, BindingKind::Variable | BindingKind::Field)
}
