//! Finds the C++ declarations and definitions that are one: those of one path of names, in headers and sources.

use std::collections::BTreeSet;

use peelback_syntax::names::BindingKind;

use crate::resolve::definition::Def;
use crate::resolve::include_links::add_definitions_linked_by_includes;
use crate::resolve::resolver::Resolver;
use crate::semantics::{Linking, VisibleDefinitions};

/// Links the declarations and definitions that have the path of the search target (`a::Store::open`): all of them if at
/// most one file has a body, else those whose files include one another.
pub(super) fn link_definitions_of_search_target(resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
    if !linking.linked_names.contains_key(linking.name) {
        let defs = all_definitions_of_name(resolver, linking);
        linking.linked_names.insert(linking.name.to_owned(), defs);
    }
    let mut budget = resolver.new_budget();
    if linking.is_member {
        link_name_of_owner_type(resolver, linking);
    }
    let Some(path) = resolver.qualified_path_of_definition(linking.target, &mut budget) else { return };
    let Some(target) = resolver.binding_of_definition(linking.target) else { return };
    let (class, is_private) = (LinkedKind::of(target.kind), target.private);
    let key = format!("{path} {class:?}");
    let VisibleDefinitions { all, body_count } = match linking.visible_definitions.get(&key) {
        Some(known) => known.clone(),
        None => {
            let found = definitions_of_path(resolver, linking, &path, class);
            linking.visible_definitions.insert(key, found.clone());
            found
        }
    };
    let fits = |def: &Def| {
        let is_other_private = resolver.binding_of_definition(*def).is_some_and(|binding| binding.private);
        def.file == linking.target.file || !(is_private || is_other_private)
    };
    let all: Vec<Def> = all.into_iter().filter(fits).collect();
    if body_count <= 1 {
        linking.united_definitions.extend(all);
    } else {
        // Several programs of the project may define the name. A file belongs to the same program as the files that it
        // includes.
        add_definitions_linked_by_includes(resolver, &all, linking.united_definitions);
    }
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
fn all_definitions_of_name(resolver: &Resolver<'_>, linking: &Linking<'_>) -> Vec<Def> {
    let mut all = Vec::new();
    let mut budget = resolver.new_budget();
    for file in linking.files.iter().copied() {
        let Some(index) = resolver.names_index(file) else { continue };
        let Some(name) = index.name_id_of_text(linking.name) else { continue };
        for id in index.bindings_of_name(name) {
            let def = Def { file, binding: *id };
            if is_linkable(index.binding_or_placeholder(*id).kind)
                && resolver.qualified_path_of_definition(def, &mut budget).is_some()
            {
                all.push(resolver.representative_of_same_name_in_scope(def));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The definitions with a path and of a kind, in the files that contain the search target's name.
fn definitions_of_path(
    resolver: &Resolver<'_>,
    linking: &Linking<'_>,
    path: &str,
    class: LinkedKind,
) -> VisibleDefinitions {
    let mut all: Vec<Def> = Vec::new();
    let mut files_with_bodies = BTreeSet::new();
    let files: BTreeSet<_> = linking.files.iter().copied().chain([linking.target.file]).collect();
    for file in files {
        let Some(index) = resolver.names_index(file) else { continue };
        let Some(name) = index.name_id_of_text(linking.name) else { continue };
        for id in index.bindings_of_name(name) {
            let def = Def { file, binding: *id };
            let binding = index.binding_or_placeholder(*id);
            if LinkedKind::of(binding.kind) != class
                || resolver.qualified_path_of_definition(def, &mut resolver.new_budget()).as_deref() != Some(path)
            {
                continue;
            }
            if binding.body.is_some() {
                files_with_bodies.insert(file);
            }
            all.push(resolver.representative_of_same_name_in_scope(def));
        }
    }
    all.sort_unstable();
    all.dedup();
    VisibleDefinitions { all, body_count: files_with_bodies.len() }
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
