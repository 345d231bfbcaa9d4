//! Finds the scope that contains the members of a value from this file. Members that are added later (`value.name = …`)
//! are bound in this scope.

use super::{Binder, This, WholeExport};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NameId, NamesBuilder, ScopeId, ScopeKind};

/// The limit on the number of steps of a path `a.b.c` that are followed to find the owner of a member.
const MAX_PATH: u32 = 16;

/// The scope that contains the members of a value, and how new members are added there.
#[derive(Clone, Copy)]
pub(super) struct MemberOwner {
    pub scope: ScopeId,
    /// Whether a new member belongs to the type itself and not to its instances.
    pub on_type: bool,
    /// The value of `this` in a function that is added as a member.
    pub this: This,
}

impl<'t> Binder<'t> {
    /// The scope of the members of `expr`, if this file defines what `expr` refers to.
    pub(super) fn member_scope_if_defined_in_file(
        &mut self,
        expr: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<MemberOwner> {
        self.member_owner_of_expr(expr, MAX_PATH, builder)
    }

    /// Whether this file defines the member `name` of the value of `expr`: of an object, of a class, or of an instance that a
    /// variable holds.
    pub(super) fn is_member_defined_in_file(
        &mut self,
        expr: ExprId,
        name: &str,
        builder: &mut NamesBuilder<'_>,
    ) -> bool {
        let mut value = expr;
        if let Expr::Name { name, scope, .. } = builder.names.expr_by_id(expr)
            && let Some(binding) = self.find_visible_binding_in_file(scope, name, builder)
            && let Some(known) = builder.names.bindings.get(binding as usize)
            && let Some(first) = builder.names.expr_ids_in_list_range(known.values).first()
        {
            value = *first;
        }
        let owner = match builder.names.expr_by_id(value) {
            Expr::Instance { of } => self.member_scope_if_defined_in_file(of, builder).map(|owner| MemberOwner {
                on_type: false,
                this: This::Instance(owner.scope),
                ..owner
            }),
            _ => self.member_scope_if_defined_in_file(value, builder),
        };
        let Some(owner) = owner else { return false };
        let name = builder.intern_constructed_text(name);
        self.bound_member_of_owner(owner, name, builder).is_some()
    }

    fn member_owner_of_expr(
        &mut self,
        expr: ExprId,
        steps: u32,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<MemberOwner> {
        let steps = steps.checked_sub(1)?;
        match builder.names.expr_by_id(expr) {
            Expr::Object { scope } => Some(MemberOwner { scope, on_type: false, this: This::Object(scope) }),
            Expr::This { scope } => Some(MemberOwner { scope, on_type: false, this: This::Instance(scope) }),
            Expr::ThisType { scope } => Some(MemberOwner { scope, on_type: true, this: This::Type(scope) }),
            Expr::Bound { binding } => self.get_or_add_member_owner_of_binding(binding, steps, builder),
            Expr::Name { name, scope, .. } => {
                let binding = self.find_visible_binding_in_file(scope, name, builder)?;
                self.get_or_add_member_owner_of_binding(binding, steps, builder)
            }
            Expr::Member { base, name, .. } => {
                if builder.names.name_text(name) == "prototype" {
                    return self.instance_member_scope_of_constructor(base, steps, builder);
                }
                let owner = self.member_owner_of_expr(base, steps, builder)?;
                let binding = self.bound_member_of_owner(owner, name, builder)?;
                self.get_or_add_member_owner_of_binding(binding, steps, builder)
            }
            Expr::Either(values) => {
                let first = builder.names.expr_ids_in_list_range(values).first().copied()?;
                matches!(builder.names.expr_by_id(first), Expr::Object { .. })
                    .then(|| self.member_owner_of_expr(first, steps, builder))
                    .flatten()
            }
            _ => None,
        }
    }

    /// The scope of the members of the instances that the class or function `expr` creates.
    fn instance_member_scope_of_constructor(
        &mut self,
        expr: ExprId,
        steps: u32,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<MemberOwner> {
        let instance = |scope| MemberOwner { scope, on_type: false, this: This::Instance(scope) };
        if let (Expr::Object { scope }, WholeExport::Expr(exported)) =
            (builder.names.expr_by_id(expr), self.whole_export)
            && Some(scope) == self.known_exports_scope
        {
            return self.instance_member_scope_of_constructor(exported, steps.checked_sub(1)?, builder);
        }
        if let Some(owner) = self.member_owner_of_expr(expr, steps, builder) {
            return owner.on_type.then(|| instance(owner.scope));
        }
        // Members that are added to a type from another file are recorded as an extension of the type in this file.
        let Expr::Name { name, scope, .. } = builder.names.expr_by_id(expr) else { return None };
        let scope = match self.find_visible_binding_in_file(scope, name, builder) {
            Some(binding) if builder.binding_mut(binding).kind != BindingKind::Import => return None,
            Some(binding) => builder.binding_mut(binding).scope,
            None => crate::names::FILE_SCOPE,
        };
        Some(instance(self.get_or_add_prototype_extension_scope(expr, name, scope, builder)))
    }

    fn get_or_add_prototype_extension_scope(
        &mut self,
        target: ExprId,
        name: NameId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ScopeId {
        if let Some(known) = self.prototype_extensions.get(&(scope, name)) {
            return *known;
        }
        let members = builder.add_child_scope_for_bytes(scope, ScopeKind::Type, 0..0);
        builder.add_member_extension(target, None, members);
        self.prototype_extensions.insert((scope, name), members);
        members
    }

    fn get_or_add_member_owner_of_binding(
        &mut self,
        binding: BindingId,
        steps: u32,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<MemberOwner> {
        let (kind, body, values) = {
            let binding = builder.binding_mut(binding);
            (binding.kind, binding.body, binding.values)
        };
        let on_type = |scope| MemberOwner { scope, on_type: true, this: This::Type(scope) };
        match kind {
            BindingKind::Type => body.map(on_type),
            BindingKind::Function => Some(on_type(self.get_or_add_extension_scope(binding, builder))),
            BindingKind::Variable | BindingKind::Field => {
                let value = builder.names.expr_ids_in_list_range(values).first().copied()?;
                match builder.names.expr_by_id(value) {
                    Expr::Function { .. } => Some(on_type(self.get_or_add_extension_scope(binding, builder))),
                    Expr::Object { .. } | Expr::Bound { .. } | Expr::Either(_) => {
                        self.member_owner_of_expr(value, steps, builder)
                    }
                    // `var proto = Node.prototype`
                    Expr::Member { name, .. } if builder.names.name_text(name) == "prototype" => {
                        self.member_owner_of_expr(value, steps, builder)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The scope for members that are added to a function or variable, and for members that a function adds to its
    /// instances. Creates the scope on first use.
    pub(super) fn get_or_add_extension_scope(&mut self, binding: BindingId, builder: &mut NamesBuilder<'_>) -> ScopeId {
        if let Some(scope) = self.extensions.get(&binding) {
            return *scope;
        }
        let around = builder.binding_mut(binding).scope;
        let members = builder.add_child_scope_for_bytes(around, ScopeKind::Type, 0..0);
        let target = builder.add_expr(Expr::Bound { binding });
        builder.add_member_extension(target, None, members);
        self.extensions.insert(binding, members);
        members
    }
}
