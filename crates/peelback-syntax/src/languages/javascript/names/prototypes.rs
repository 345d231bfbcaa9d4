//! Name binding for inheritance between prototypes, and for functions that become members of a prototype.

use tree_sitter::Node;

use super::{Binder, This};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// Whether the function that is called as `callee` copies the members of its further arguments to its first one.
    pub(super) fn does_function_copy_members(&mut self, callee: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        if !self.prototypes.does_function_copy_members(callee, builder.source) {
            return false;
        }
        // What a function binds by that name can be anything.
        let mut root = callee;
        while let Some(object) = root.child_by_field_name("object") {
            root = object;
        }
        let name = builder.name_id_of_node(root);
        let known = self.find_visible_binding_in_file(self.scope, name, builder);
        known.is_none_or(|known| builder.binding_mut(known).scope == FILE_SCOPE)
    }

    /// The value of `this` in the function of the file's top level that `binding` names: an instance of the classes to whose
    /// prototypes the file assigns the function. `None` if it assigns it to none.
    pub(super) fn this_in_function_assigned_to_prototype(
        &mut self,
        binding: BindingId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<This> {
        let (name, scope, at) = {
            let binding = builder.binding_mut(binding);
            (binding.name, binding.scope, binding.at)
        };
        if scope != FILE_SCOPE {
            return None;
        }
        let classes = self.prototypes.classes_of_function(builder.names.name_text(name)).to_vec();
        let mut instances = Vec::new();
        for class in classes {
            let class = builder.intern_constructed_text(&class);
            let of = builder.add_expr(Expr::Name { name: class, scope: FILE_SCOPE, at });
            instances.push(builder.add_expr(Expr::Instance { of }));
        }
        if instances.is_empty() {
            return None;
        }
        // The function has a name of its own, by which it can be called with any object.
        let callee = builder.unknown_expr();
        instances.push(builder.add_expr(Expr::Call { callee }));
        Some(This::Declared(builder.expr_of_possible_values(instances)))
    }

    /// The scope of the members of the instances of `A`, and the value of `this` in such members, for the expression
    /// `A.prototype`.
    pub(super) fn instance_members_of_prototype(
        &mut self,
        expr: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(ScopeId, This)> {
        class_of_prototype(expr, builder)?;
        let owner = self.member_scope_if_defined_in_file(expr, builder)?;
        matches!(owner.this, This::Instance(_)).then_some((owner.scope, owner.this))
    }

    /// Records the inheritance that a call with the values `args` makes: `inherits(A, B)`, or
    /// `Object.setPrototypeOf(A.prototype, B.prototype)`, or `Object.assign(A.prototype, B.prototype)`.
    pub(super) fn record_inheritance_by_call(
        &mut self,
        callee: &str,
        copies_members: bool,
        args: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) {
        let [heir, base, ..] = args else { return };
        if copies_members {
            // A class whose prototype gets the members of another one's, or of an object, has those that it has at that time.
            let Some(heir) = class_of_prototype(*heir, builder) else { return };
            for source in args.iter().skip(1) {
                let class = class_of_prototype(*source, builder);
                if !class.is_some_and(|class| self.is_class_of_file(class, builder)) {
                    self.record_inheritance(heir, class.unwrap_or(*source), false, builder);
                }
            }
            return;
        }
        match callee.rsplit('.').next() {
            Some("inherits") => self.record_inheritance(*heir, *base, true, builder),
            Some("setPrototypeOf") if callee == "Object.setPrototypeOf" => {
                let heir = class_of_prototype(*heir, builder).unwrap_or(*heir);
                let base = class_of_prototype(*base, builder).unwrap_or(*base);
                self.record_inheritance(heir, base, true, builder);
            }
            _ => {}
        }
    }

    /// Records the inheritance that the assignment of `value` to the member `name` of `object` makes:
    /// `A.prototype = Object.create(B.prototype)`, `A.prototype = new B()`, or `A.prototype.__proto__ = B.prototype`.
    pub(super) fn record_inheritance_by_assignment(
        &mut self,
        object: ExprId,
        name: &str,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let heir = match name {
            "prototype" => Some(object),
            "__proto__" => class_of_prototype(object, builder),
            _ => None,
        };
        let Some(heir) = heir else { return };
        let last = match builder.names.expr_by_id(value) {
            Expr::Either(values) => builder.names.expr_ids_in_list_range(values).last().copied(),
            _ => Some(value),
        };
        let base = last.and_then(|last| match builder.names.expr_by_id(last) {
            Expr::Instance { of } => Some(of),
            _ => class_of_prototype(last, builder),
        });
        if let Some(base) = base {
            self.record_inheritance(heir, base, true, builder);
        }
    }

    /// Whether an expression names a class with a body in this file, whose methods no copying of members reaches.
    fn is_class_of_file(&self, expr: ExprId, builder: &NamesBuilder<'_>) -> bool {
        let Expr::Name { name, scope, .. } = builder.names.expr_by_id(expr) else { return false };
        let known = self.find_visible_binding_in_file(scope, name, builder);
        let known = known.and_then(|known| builder.names.bindings.get(known as usize));
        known.is_some_and(|known| known.kind == BindingKind::Type)
    }

    /// Records that `heir` inherits from `base`, for certain or not.
    fn record_inheritance(&mut self, heir: ExprId, base: ExprId, is_certain: bool, builder: &mut NamesBuilder<'_>) {
        let is_path = |expr: ExprId| {
            matches!(builder.names.expr_by_id(expr), Expr::Name { .. } | Expr::Bound { .. } | Expr::Member { .. })
        };
        let is_module = matches!(builder.names.expr_by_id(base), Expr::Imported { .. });
        if is_path(heir) && (is_path(base) || is_module) && heir != base {
            let members = builder.add_child_scope_for_bytes(self.scope, ScopeKind::Type, 0..0);
            let base = if is_certain {
                base
            } else {
                let possible = builder.add_expr_list(&[base]);
                builder.add_expr(Expr::Either(possible))
            };
            builder.add_member_extension(heir, Some(base), members);
        }
    }
}

/// The class `A` of the expression `A.prototype`.
fn class_of_prototype(expr: ExprId, builder: &NamesBuilder<'_>) -> Option<ExprId> {
    match builder.names.expr_by_id(expr) {
        Expr::Member { base, name, .. } if builder.names.name_text(name) == "prototype" => Some(base),
        _ => None,
    }
}
