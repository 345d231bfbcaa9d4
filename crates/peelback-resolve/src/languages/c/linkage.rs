//! Finds the C definitions that a linker makes one: declarations of one name in several files.

use std::collections::BTreeSet;

use peelback_syntax::names::{BindingKind, FILE_SCOPE};

use crate::resolve::definition::Def;
use crate::resolve::include_links::add_definitions_linked_by_includes;
use crate::resolve::resolver::Resolver;
use crate::semantics::{Linking, VisibleDefinitions};

/// Links the declarations and definitions that have the name of the search target: all of the project if at most one of
/// them has a body, else those whose files include one another.
pub(super) fn link_definitions_of_search_target(resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
    if linking.is_member {
        link_name_of_owner_type(resolver, linking);
        return;
    }
    let is_public = |def: Def| {
        resolver.binding_of_definition(def).is_some_and(|binding| binding.scope == FILE_SCOPE && !binding.private)
    };
    if !is_public(linking.target) {
        return;
    }
    let known = linking.visible_definitions.get(linking.name).filter(|_| linking.files.contains(&linking.target.file));
    let VisibleDefinitions { all, body_count } = match known {
        Some(known) => known.clone(),
        None => {
            let found = find_externally_visible_definitions(resolver, linking);
            linking.visible_definitions.insert(linking.name.to_owned(), found.clone());
            linking.linked_names.insert(linking.name.to_owned(), found.all.clone());
            found
        }
    };
    if body_count <= 1 {
        linking.united_definitions.extend(all);
    } else {
        // Several programs of the project define the name. A file belongs to the same program as the files that it
        // includes.
        add_definitions_linked_by_includes(resolver, &all, linking.united_definitions);
    }
}

/// Links the name of the type that the searched member belongs to, because files that only forward-declare the type
/// mean this type.
fn link_name_of_owner_type(resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
    if let Some(owner) = resolver.owner_type(linking.target, &mut resolver.new_budget())
        && let Some(binding) = resolver.binding_of_definition(owner)
    {
        linking.linked_names.insert(resolver.name_text(owner.file, binding.name).to_owned(), vec![owner]);
    }
}

/// The definitions of the search target's name that other files can see.
fn find_externally_visible_definitions(resolver: &Resolver<'_>, linking: &Linking<'_>) -> VisibleDefinitions {
    let mut all: Vec<Def> = Vec::new();
    let mut bodies: BTreeSet<Def> = BTreeSet::new();
    for file in linking.files.iter().copied().chain([linking.target.file]) {
        let Some(index) = resolver.names_index(file) else { continue };
        for id in index.bindings_of_name_text_in_scope(FILE_SCOPE, linking.name) {
            let binding = index.binding_or_placeholder(*id);
            if binding.private || binding.kind == BindingKind::Import {
                continue;
            }
            let canonical = resolver.representative_of_same_name_in_scope(Def { file, binding: *id });
            if binding.body.is_some() {
                bodies.insert(canonical);
            }
            all.push(canonical);
        }
    }
    all.sort_unstable();
    all.dedup();
    VisibleDefinitions { all, body_count: bodies.len() }
}
