//! What kinds of methods C# has.

use peelback_syntax::names::BindingKind;

use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

/// Whether a method is an extension method: the binder marks its first parameter.
pub(super) fn is_extension_method(resolver: &Resolver<'_>, def: Def) -> bool {
    let Some(indexed) = resolver.names_index(def.file) else { return false };
    let binding = indexed.binding_or_placeholder(def.binding);
    let Some(body) = binding.body.filter(|_| binding.kind == BindingKind::Function && binding.on_type) else {
        return false;
    };
    // It is the first parameter: one that a method has more of can be far behind.
    indexed.parameters_of_scope(body).first().is_some_and(|first| indexed.binding_or_placeholder(*first).constant)
}
