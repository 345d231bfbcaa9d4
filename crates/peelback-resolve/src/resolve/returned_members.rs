//! Members of the objects that functions return: they hand out what the function defines, such as `return { load, save }`.

use std::collections::BTreeSet;

use peelback_syntax::names::{BindingId, BindingKind, Expr, ExprId, ScopeId};

use super::index::NamesIndex;

/// The members of objects that functions of one file return, and constants that may hold such members.
#[derive(Debug, Default)]
pub(crate) struct ReturnedMembers {
    /// The scopes of the members of the objects.
    pub objects: BTreeSet<ScopeId>,
    /// Members that hand out what the function calls by the same name, each with that name, in the order of bindings.
    pub handed_out: Vec<(BindingId, ExprId)>,
    /// Constants that have the name of the member that is their value (`const { load } = useArticles()`), each with the member,
    /// in the order of bindings.
    pub constants: Vec<(BindingId, ExprId)>,
}

impl ReturnedMembers {
    pub fn of_file(index: &NamesIndex) -> Self {
        let names = index.names();
        let mut made = Self::default();
        for binding in names.bindings.iter().filter(|binding| binding.kind == BindingKind::Function) {
            let returned = names.expr_ids_in_list_range(binding.values);
            if !returned.is_empty() {
                made.objects.extend(index.object_literal_scopes_of_exprs(returned.to_vec()));
            }
        }
        for (id, binding) in (0..).zip(&names.bindings) {
            let [value] = names.expr_ids_in_list_range(binding.values) else { continue };
            match names.expr_by_id(*value) {
                Expr::Name { name, .. }
                    if binding.kind == BindingKind::Field
                        && name == binding.name
                        && made.objects.contains(&binding.scope) =>
                {
                    made.handed_out.push((id, *value));
                }
                Expr::Member { name, .. }
                    if binding.constant
                        && binding.annotation.is_none()
                        && name == binding.name
                        && matches!(index.bindings_of_name_in_scope(binding.scope, name), [_]) =>
                {
                    made.constants.push((id, *value));
                }
                _ => {}
            }
        }
        made
    }
}
