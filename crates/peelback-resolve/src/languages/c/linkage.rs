//! Finds the C definitions that a linker makes one: declarations of one name in several files.

use std::collections::{BTreeMap, BTreeSet};

use peelback_syntax::names::{BindingKind, FILE_SCOPE, ModuleImportKind};

use crate::modules::{Destination, FileId, Module};
use crate::resolve::definition::Def;
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

/// Adds to `same` each definition of `all` whose file includes the file of a definition in `same`, at any depth, or is
/// included by it.
pub(in crate::languages) fn add_definitions_linked_by_includes(
    resolver: &Resolver<'_>,
    all: &[Def],
    same: &mut BTreeSet<Def>,
) {
    let includes = Includes::of_files(resolver, all.iter().chain(same.iter()).map(|def| def.file));
    let defining: BTreeSet<FileId> = all.iter().map(|def| def.file).collect();
    // Each file is passed once in each direction, so that the work grows with the number of includes.
    let (mut included, mut including) = (BTreeSet::new(), BTreeSet::new());
    let mut linked: BTreeSet<FileId> = same.iter().map(|def| def.file).collect();
    let mut waiting: Vec<FileId> = linked.iter().copied().collect();
    while let Some(file) = waiting.pop() {
        let mut reached = Vec::new();
        add_reachable_files(&includes.included_by_file, file, &mut included, &mut reached);
        add_reachable_files(&includes.files_including_file, file, &mut including, &mut reached);
        waiting.extend(reached.into_iter().filter(|file| defining.contains(file) && linked.insert(*file)));
    }
    same.extend(all.iter().filter(|def| linked.contains(&def.file)));
}

/// Adds the files that edges lead to from a file, at any depth, to `seen`, and those that were not among them to
/// `reached`.
fn add_reachable_files(
    edges: &BTreeMap<FileId, Vec<FileId>>,
    file: FileId,
    seen: &mut BTreeSet<FileId>,
    reached: &mut Vec<FileId>,
) {
    let mut waiting = vec![file];
    while let Some(file) = waiting.pop() {
        for next in edges.get(&file).into_iter().flatten() {
            if seen.insert(*next) {
                reached.push(*next);
                waiting.push(*next);
            }
        }
    }
}

/// Which files include which, for some files and all that they include at any depth.
#[derive(Default)]
struct Includes {
    included_by_file: BTreeMap<FileId, Vec<FileId>>,
    files_including_file: BTreeMap<FileId, Vec<FileId>>,
}

impl Includes {
    fn of_files(resolver: &Resolver<'_>, files: impl Iterator<Item = FileId>) -> Self {
        let mut made = Self::default();
        let mut seen: BTreeSet<FileId> = files.collect();
        let mut waiting: Vec<FileId> = seen.iter().copied().collect();
        while let Some(file) = waiting.pop() {
            let Some(names) = resolver.names_of_file(file) else { continue };
            let Some(modules) = resolver.module_resolver_of_file_language(file) else { continue };
            for import in names.imports.iter().filter(|import| import.kind == ModuleImportKind::Include) {
                if let Destination::Module(Module::File(next)) =
                    modules.import_destination(resolver.project_index(), file, names, import)
                {
                    made.included_by_file.entry(file).or_default().push(next);
                    made.files_including_file.entry(next).or_default().push(file);
                    if seen.insert(next) {
                        waiting.push(next);
                    }
                }
            }
        }
        made
    }
}
