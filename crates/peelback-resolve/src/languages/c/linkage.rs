//! Finds the C definitions that a linker makes one: declarations of one name in several files.

use std::collections::{BTreeMap, BTreeSet};

use peelback_syntax::names::{BindingKind, FILE_SCOPE, ModuleImportKind};

use crate::modules::{Destination, FileId, Module};
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::semantics::Linking;

/// Links the declarations and definitions that have the name of the search target: all of the project if at most one of
/// them has a body, else those whose files include one another.
pub(super) fn link_definitions_of_search_target(resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
    if linking.is_member {
        link_owner_type_of_member(resolver, linking);
        return;
    }
    let is_public = |def: Def| {
        resolver.binding_of_definition(def).is_some_and(|binding| binding.scope == FILE_SCOPE && !binding.private)
    };
    if !is_public(linking.target) {
        return;
    }
    let (all, bodies) = externally_visible_definitions_and_body_count(resolver, linking);
    linking.linked_names.insert(linking.name.to_owned(), all.clone());
    if bodies <= 1 {
        linking.united_definitions.extend(all);
    } else {
        // Several programs of the project define the name. A file belongs to the same program as the files that it
        // includes.
        add_definitions_linked_by_includes(resolver, &all, linking.united_definitions);
    }
}

/// Links the name of the type that the searched member belongs to, because files that only forward-declare the type
/// mean this type.
fn link_owner_type_of_member(resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
    if let Some(owner) = resolver.owner_type(linking.target, &mut resolver.new_budget())
        && let Some(binding) = resolver.binding_of_definition(owner)
    {
        linking.linked_names.insert(resolver.name_text(owner.file, binding.name).to_owned(), vec![owner]);
    }
}

/// The definitions of the search target's name that other files can see, and how many of them have a body.
fn externally_visible_definitions_and_body_count(resolver: &Resolver<'_>, linking: &Linking<'_>) -> (Vec<Def>, usize) {
    let mut all: Vec<Def> = Vec::new();
    let mut bodies: BTreeSet<Def> = BTreeSet::new();
    for file in linking.files.iter().copied().chain([linking.target.file]) {
        let Some(index) = resolver.names_index(file) else { continue };
        for id in index.bindings_of_name_text_in_scope(FILE_SCOPE, linking.name) {
            let binding = index.binding_or_placeholder(*id);
            if binding.private || binding.kind == BindingKind::Import {
                continue;
            }
            let canonical = resolver.canonical_definition(Def { file, binding: *id });
            if binding.body.is_some() {
                bodies.insert(canonical);
            }
            all.push(canonical);
        }
    }
    all.sort_unstable();
    all.dedup();
    (all, bodies.len())
}

/// Adds to `same` each definition of `all` whose file includes the file of a definition in `same`, or is included by
/// it.
fn add_definitions_linked_by_includes(resolver: &Resolver<'_>, all: &[Def], same: &mut BTreeSet<Def>) {
    let includes: BTreeMap<FileId, BTreeSet<FileId>> =
        all.iter().map(|def| (def.file, transitively_included_files(resolver, def.file))).collect();
    let is_included = |from: FileId, file: FileId| includes.get(&from).is_some_and(|files| files.contains(&file));
    loop {
        let before = same.len();
        for def in all {
            let is_connected = same.iter().any(|known| {
                known.file == def.file || is_included(def.file, known.file) || is_included(known.file, def.file)
            });
            if is_connected {
                same.insert(*def);
            }
        }
        if same.len() == before {
            break;
        }
    }
}

/// All files that a file includes, at any depth.
fn transitively_included_files(resolver: &Resolver<'_>, file: FileId) -> BTreeSet<FileId> {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![file];
    while let Some(file) = waiting.pop() {
        let Some(names) = resolver.names_of_file(file) else { continue };
        let Some(modules) = resolver.module_resolver_of_file_language(file) else { continue };
        for import in names.imports.iter().filter(|import| import.kind == ModuleImportKind::Include) {
            if let Destination::Module(Module::File(next)) =
                modules.import_destination(resolver.project_index(), file, names, import)
                && seen.insert(next)
            {
                waiting.push(next);
            }
        }
    }
    seen
}
