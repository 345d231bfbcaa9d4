//! Enums of C and C++ whose constants are names of the scope around them.

use peelback_syntax::names::{BindingKind, Expr};

use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;

/// The constant called `name` of an enum whose constants are names of the scope around it.
pub(in crate::languages) fn constant_of_unscoped_enum(resolver: &Resolver<'_>, def: Def, name: &str) -> Resolution {
    let Some(indexed) = resolver.names_index(def.file) else { return Resolution::default() };
    let of = indexed.binding_or_placeholder(def.binding);
    let is_of_enum = |id: &&u32| {
        let binding = indexed.binding_or_placeholder(**id);
        let owner = binding.annotation.map(|owner| indexed.names().expr_by_id(owner));
        binding.kind == BindingKind::EnumMember
            && matches!(owner, Some(Expr::Bound { binding }) if binding == def.binding)
    };
    let bound = indexed.bindings_of_name_text_in_scope(of.scope, name).iter().filter(is_of_enum);
    let defs = bound.map(|id| Referent::Def(Def { file: def.file, binding: *id })).collect();
    Resolution { missing: Missing::Nothing, ..Resolution::new(defs, true) }
}
