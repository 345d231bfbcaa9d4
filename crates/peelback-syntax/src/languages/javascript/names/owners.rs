//! Which scope holds the members of a value that this file writes, so that what is put on it later finds its place.

use super::{Binder, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NameId, NamesBuilder, ScopeId, ScopeKind};

/// How long a path `a.b.c` is followed.
const MAX_PATH: u32 = 16;

/// The members of something.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub scope: ScopeId,
    /// Whether what is put on it belongs to a type itself and not to its instances.
    pub on_type: bool,
    /// What `this` is in a function that is put there.
    pub this: This,
}

impl<'t> Binder<'t> {
    /// The members that `expr` has, where this file makes what it means.
    pub(super) fn owner(&mut self, expr: ExprId, builder: &mut NamesBuilder<'_>) -> Option<Owner> {
        self.owner_of(expr, MAX_PATH, builder)
    }

    fn owner_of(&mut self, expr: ExprId, steps: u32, builder: &mut NamesBuilder<'_>) -> Option<Owner> {
        let steps = steps.checked_sub(1)?;
        match builder.names.expr(expr) {
            Expr::Object { scope } => Some(Owner { scope, on_type: false, this: This::Object(scope) }),
            Expr::This { scope } => Some(Owner { scope, on_type: false, this: This::Instance(scope) }),
            Expr::ThisType { scope } => Some(Owner { scope, on_type: true, this: This::Type(scope) }),
            Expr::Bound { binding } => self.owner_of_binding(binding, steps, builder),
            Expr::Name { name, scope, .. } => {
                let binding = self.find(scope, name, builder)?;
                self.owner_of_binding(binding, steps, builder)
            }
            Expr::Member { base, name, .. } => {
                if builder.names.text(name) == "prototype" {
                    return self.prototype(base, steps, builder);
                }
                let owner = self.owner_of(base, steps, builder)?;
                let binding = self.bound.get(&(owner.scope, name)).copied()?;
                self.owner_of_binding(binding, steps, builder)
            }
            Expr::Either(values) => {
                let first = builder.names.list(values).first().copied()?;
                matches!(builder.names.expr(first), Expr::Object { .. })
                    .then(|| self.owner_of(first, steps, builder))
                    .flatten()
            }
            _ => None,
        }
    }

    /// The members of the instances of what `expr` means.
    fn prototype(&mut self, expr: ExprId, steps: u32, builder: &mut NamesBuilder<'_>) -> Option<Owner> {
        let instance = |scope| Owner { scope, on_type: false, this: This::Instance(scope) };
        if let Some(owner) = self.owner_of(expr, steps, builder) {
            return owner.on_type.then(|| instance(owner.scope));
        }
        // What another file defines gets an extension here.
        let Expr::Name { name, scope, .. } = builder.names.expr(expr) else { return None };
        let scope = match self.find(scope, name, builder) {
            Some(binding) if builder.binding(binding).kind != BindingKind::Import => return None,
            Some(binding) => builder.binding(binding).scope,
            None => crate::names::FILE_SCOPE,
        };
        Some(instance(self.extension_of(expr, name, scope, builder)))
    }

    fn extension_of(
        &mut self,
        target: ExprId,
        name: NameId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ScopeId {
        if let Some(known) = self.extended.get(&(scope, name)) {
            return *known;
        }
        let members = builder.scope_of_bytes(scope, ScopeKind::Type, 0..0);
        builder.extend(target, None, members);
        self.extended.insert((scope, name), members);
        members
    }

    fn owner_of_binding(&mut self, binding: BindingId, steps: u32, builder: &mut NamesBuilder<'_>) -> Option<Owner> {
        let (kind, body, values) = {
            let binding = builder.binding(binding);
            (binding.kind, binding.body, binding.values)
        };
        let on_type = |scope| Owner { scope, on_type: true, this: This::Type(scope) };
        match kind {
            BindingKind::Type => body.map(on_type),
            BindingKind::Function => Some(on_type(self.extension(binding, builder))),
            BindingKind::Variable | BindingKind::Field => {
                let value = builder.names.list(values).first().copied()?;
                match builder.names.expr(value) {
                    Expr::Function { .. } => Some(on_type(self.extension(binding, builder))),
                    Expr::Object { .. } | Expr::Bound { .. } | Expr::Either(_) => self.owner_of(value, steps, builder),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The scope of what is put on a function from outside, and of what it puts on its instances.
    pub(super) fn extension(&mut self, binding: BindingId, builder: &mut NamesBuilder<'_>) -> ScopeId {
        if let Some(scope) = self.extensions.get(&binding) {
            return *scope;
        }
        let around = builder.binding(binding).scope;
        let members = builder.scope_of_bytes(around, ScopeKind::Type, 0..0);
        let target = builder.expr(Expr::Bound { binding });
        builder.extend(target, None, members);
        self.extensions.insert(binding, members);
        members
    }
}
