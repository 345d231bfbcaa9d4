//! Constants that stand for a member of another module, because nothing but that member is ever in them: `const f = utils.f`.

use peelback_syntax::names::{BindingId, Expr, ExprId};

use super::index::NamesIndex;

impl NamesIndex {
    /// Constants that have the name of the member that is their value, a member of a module that the file imports
    /// (`const f = utils.f`, `const { f } = utils`): each with the member, in the order of bindings.
    pub(super) fn find_constants_holding_imported_members(&self) -> Vec<(BindingId, ExprId)> {
        let names = self.names();
        let mut found = Vec::new();
        for (id, binding) in (0..).zip(&names.bindings) {
            if !binding.constant || binding.annotation.is_some() {
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
        found
    }
}
