//! Variables that stand for a member of another module, because nothing but that member is ever in them: `const f = utils.f`.

use std::collections::BTreeSet;

use peelback_syntax::names::{BindingId, BindingKind, Expr, ExprId, NameId, Names, Role, Target};

use super::index::NamesIndex;

impl NamesIndex {
    /// Variables that have the name of the member that is their only value, a member of a module that the file imports
    /// (`const f = utils.f`, `const { f } = utils`), and to which nothing else is assigned: each with the member, in the order of
    /// bindings.
    pub(super) fn find_constants_holding_imported_members(&self) -> Vec<(BindingId, ExprId)> {
        let names = self.names();
        let mut found = Vec::new();
        for (id, binding) in (0..).zip(&names.bindings) {
            if binding.kind != BindingKind::Variable || binding.annotation.is_some() {
                continue;
            }
            let [value] = names.expr_ids_in_list_range(binding.values) else { continue };
            if let Expr::Member { base, name, .. } = names.expr_by_id(*value)
                && name == binding.name
                && self.does_path_begin_with_import(base)
                && matches!(self.bindings_of_name_in_scope(binding.scope, name), [_])
            {
                found.push((id, *value));
            }
        }
        if !found.is_empty() {
            let written = names_written_by_themselves(names);
            found.retain(|(id, _)| !written.contains(&self.binding_or_placeholder(*id).name));
        }
        found
    }
}

/// The bare names to which the file assigns. The same name in another scope may be meant, but most names have one meaning in a
/// file.
fn names_written_by_themselves(names: &Names) -> BTreeSet<NameId> {
    let is_written = |role: Role, target: Target| {
        role == Role::Write
            && matches!(target, Target::Expr(expr) if matches!(names.expr_by_id(expr), Expr::Name { .. }))
    };
    let written = names.occurrences.iter().filter(|found| is_written(found.role, found.target));
    written.map(|found| found.name).collect()
}
