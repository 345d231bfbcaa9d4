//! Finds the C++ declarations and definitions that are one: those of one path of names, in headers and sources.

use std::collections::{BTreeMap, BTreeSet};

use peelback_syntax::names::BindingKind;

use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::include_links::add_definitions_linked_by_includes;
use crate::resolve::resolver::Resolver;
use crate::semantics::{Linking, VisibleDefinitions};

/// Links the declarations and definitions that have the path of the search target (`a::Store::open`). Functions, variables
/// and types are one if at most one file defines them; members if they are of one type. All others, and what several files
/// define, are one if their files include one another.
pub(super) fn link_definitions_of_search_target(resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
    // No path and kind is a name alone.
    if !linking.visible_definitions.contains_key(linking.name) {
        linking
            .visible_definitions
            .insert(linking.name.to_owned(), VisibleDefinitions { all: Vec::new(), body_count: 0 });
        let defs = index_definitions_of_name(resolver, linking);
        linking.linked_names.insert(linking.name.to_owned(), defs);
    }
    let mut budget = resolver.new_budget();
    if linking.is_member {
        link_name_of_owner_type(resolver, linking);
    }
    let Some(path) = resolver.qualified_path_of_definition(linking.target, &mut budget) else { return };
    let Some(target) = resolver.binding_of_definition(linking.target) else { return };
    let (linked_kind, is_private) = (LinkedKind::of(target.kind), target.private);
    let Some(VisibleDefinitions { all, body_count }) = linking.visible_definitions.get(&key(&path, linked_kind)) else {
        return;
    };
    let fits = |def: &Def| {
        let is_other_private = resolver.binding_of_definition(*def).is_some_and(|binding| binding.private);
        def.file == linking.target.file || !(is_private || is_other_private)
    };
    let all: Vec<Def> = all.iter().copied().filter(fits).collect();
    if linking.is_member {
        let owner = resolver.owner_type(linking.target, &mut budget);
        let is_of_owner = |def: &Def| owner.is_some() && resolver.owner_type(*def, &mut resolver.new_budget()) == owner;
        linking.united_definitions.extend(all.iter().copied().filter(is_of_owner));
    }
    let is_united_by_linker = !linking.is_member && !matches!(linked_kind, LinkedKind::Other(_));
    if is_united_by_linker && *body_count <= 1 {
        linking.united_definitions.extend(all);
    } else {
        // Several programs of the project may define the name. A file belongs to the same program as the files that it
        // includes.
        add_definitions_linked_by_includes(resolver, &all, linking.united_definitions);
    }
}

/// The key of the definitions with a path and of a kind.
fn key(path: &str, linked_kind: LinkedKind) -> String {
    format!("{path} {linked_kind:?}")
}

/// What kinds of definitions one declaration and another can be of, if they are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkedKind {
    Type,
    Function,
    Variable,
    Other(BindingKind),
}

impl LinkedKind {
    fn of(kind: BindingKind) -> Self {
        match kind {
            BindingKind::Type => Self::Type,
            BindingKind::Function => Self::Function,
            BindingKind::Variable | BindingKind::Field => Self::Variable,
            other => Self::Other(other),
        }
    }
}

/// Whether a binding names something that other files can mean.
fn is_linkable(kind: BindingKind) -> bool {
    !matches!(
        kind,
        BindingKind::Import
            | BindingKind::Parameter
            | BindingKind::TypeParameter
            | BindingKind::Label
            | BindingKind::Module
    )
}

/// The definitions of the search target's name in the files that contain it, without those that are local to functions.
/// Those of one path and kind are collected together.
fn index_definitions_of_name(resolver: &Resolver<'_>, linking: &mut Linking<'_>) -> Vec<Def> {
    let mut all = Vec::new();
    let mut files_with_bodies: BTreeMap<String, BTreeSet<FileId>> = BTreeMap::new();
    let files: BTreeSet<FileId> = linking.files.iter().copied().chain([linking.target.file]).collect();
    for file in files {
        let Some(index) = resolver.names_index(file) else { continue };
        let Some(name) = index.name_id_of_text(linking.name) else { continue };
        for id in index.bindings_of_name(name) {
            let def = Def { file, binding: *id };
            let binding = index.binding_or_placeholder(*id);
            let Some(path) = resolver.qualified_path_of_definition(def, &mut resolver.new_budget()) else { continue };
            let representative = resolver.representative_of_same_name_in_scope(def);
            let key = key(&path, LinkedKind::of(binding.kind));
            let is_defined_variable = LinkedKind::of(binding.kind) == LinkedKind::Variable && !binding.wrapped;
            if binding.body.is_some() || is_defined_variable {
                files_with_bodies.entry(key.clone()).or_default().insert(file);
            }
            let none = VisibleDefinitions { all: Vec::new(), body_count: 0 };
            linking.visible_definitions.entry(key).or_insert(none).all.push(representative);
            if is_linkable(binding.kind) {
                all.push(representative);
            }
        }
    }
    for (key, files) in files_with_bodies {
        if let Some(found) = linking.visible_definitions.get_mut(&key) {
            found.body_count = files.len();
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Links the name of the type that the searched member belongs to, because files that only forward-declare the type
/// mean this type.
fn link_name_of_owner_type(resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
    if let Some(owner) = resolver.owner_type(linking.target, &mut resolver.new_budget())
        && let Some(binding) = resolver.binding_of_definition(owner)
    {
        linking
            .linked_names
            .entry(resolver.name_text(owner.file, binding.name).to_owned())
            .or_insert_with(|| vec![owner]);
    }
}
