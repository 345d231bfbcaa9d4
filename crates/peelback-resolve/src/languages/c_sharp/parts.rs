//! The parts of partial types.

use peelback_syntax::names::{BindingId, ScopeId, ScopeKind};

use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::index::NamesIndex;
use crate::resolve::resolver::Resolver;

/// The limit on the number of types around a type whose parts are looked for.
const MAX_TYPES_AROUND: usize = 16;

/// The parts of a type that says `partial`, in the order of files; none for any other type.
pub(super) fn parts_of_type(resolver: &Resolver<'_>, def: Def) -> Vec<Def> {
    if !is_partial(resolver, def) {
        return Vec::new();
    }
    let Some(indexed) = resolver.names_index(def.file) else { return vec![def] };
    let binding = indexed.binding_or_placeholder(def.binding);
    let name = indexed.names().name_text(binding.name);
    let mut scopes = Vec::new();
    if indexed.scope_kind(binding.scope) == ScopeKind::Type {
        if let Some(owner) = indexed.scope_owner(binding.scope).filter(|_| has_few_types_around(indexed, binding.scope))
        {
            // Each type around is a step of this recursion.
            let around = resolver.parts_of_type(Def { file: def.file, binding: owner });
            scopes.extend(around.iter().filter_map(|part| Some((part.file, body_of_type(resolver, *part)?))));
        }
    } else if let Some(modules) = resolver.module_resolver_of_file_language(def.file)
        && let Some(package) = modules.package_of_scope(indexed.names(), binding.scope)
    {
        let files = modules.files_of_package_possibly_defining(resolver.project_index(), &package, name);
        for file in files.into_iter().filter(|file| modules.are_compiled_together(def.file, *file)) {
            let Some(names) = resolver.names_of_file(file) else { continue };
            scopes.extend(modules.scopes_of_package_in_file(names, &package).into_iter().map(|scope| (file, scope)));
        }
    }
    let count = resolver.type_parameter_count_of_type(def);
    let is_part = |other: &Def| is_partial(resolver, *other) && resolver.type_parameter_count_of_type(*other) == count;
    let mut found: Vec<Def> = scopes
        .into_iter()
        .flat_map(|(file, scope)| bindings_in_scope(resolver, file, scope, name))
        .filter(is_part)
        .chain([def])
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn bindings_in_scope(resolver: &Resolver<'_>, file: FileId, scope: ScopeId, name: &str) -> Vec<Def> {
    let Some(indexed) = resolver.names_index(file) else { return Vec::new() };
    let def = |binding: &BindingId| Def { file, binding: *binding };
    indexed.bindings_of_name_text_in_scope(scope, name).iter().map(def).collect()
}

fn body_of_type(resolver: &Resolver<'_>, def: Def) -> Option<ScopeId> {
    resolver.binding_of_definition(def)?.body
}

fn is_partial(resolver: &Resolver<'_>, def: Def) -> bool {
    resolver.binding_of_definition(def).is_some_and(|binding| binding.wrapped)
}

fn has_few_types_around(indexed: &NamesIndex, scope: ScopeId) -> bool {
    let mut around = Some(scope);
    let mut count = 0;
    while let Some(scope) = around {
        count += usize::from(indexed.scope_kind(scope) == ScopeKind::Type);
        if count > MAX_TYPES_AROUND {
            return false;
        }
        around = indexed.parent_scope(scope);
    }
    true
}
