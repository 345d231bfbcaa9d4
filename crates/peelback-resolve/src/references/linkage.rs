//! Definitions that a linker makes one: declarations of one name in several C files.

use std::collections::{BTreeMap, BTreeSet};

use peelback_syntax::names::{BindingKind, FILE_SCOPE, ModuleImportKind};

use super::scan::Scan;
use super::{Goal, Search, new_walk};
use crate::modules::{Destination, Family, FileId, Module};
use crate::resolve::Def;

/// Adds to each goal of C the declarations and definitions of its name that are the same thing: all of the project
/// where at most one of them has a body; else those whose files include one another.
pub(super) fn unite(search: &Search<'_>, goals: &mut [Goal], scan: &Scan) {
    let mut names_united: BTreeMap<String, Vec<Def>> = BTreeMap::new();
    for goal in goals.iter().filter(|goal| goal.family == Some(Family::Rust)) {
        let Some(def) = goal.def else { continue };
        let binding = search.resolver.names(def.file).and_then(|names| names.bindings.get(def.binding as usize));
        if binding.is_some_and(|binding| binding.kind == BindingKind::Macro) {
            names_united.entry(goal.name.clone()).or_default().push(def);
        }
    }
    for goal in goals.iter_mut().filter(|goal| goal.family == Some(Family::C)) {
        let Some(own) = goal.def else { continue };
        if goal.is_member {
            // Files that know its type by an announcement alone mean that type.
            let holder = search.resolver.holder(own, &mut new_walk());
            let binding = |def: Def| search.resolver.names(def.file)?.bindings.get(def.binding as usize);
            if let Some(holder) = holder
                && let Some(names) = search.resolver.names(holder.file)
                && let Some(binding) = binding(holder)
            {
                names_united.insert(names.text(binding.name).to_owned(), vec![holder]);
            }
            continue;
        }
        let is_public = |def: Def| {
            let names = search.resolver.names(def.file);
            let binding = names.and_then(|names| names.bindings.get(def.binding as usize));
            binding.is_some_and(|binding| binding.scope == FILE_SCOPE && !binding.private)
        };
        if !is_public(own) {
            continue;
        }
        let mut all: Vec<Def> = Vec::new();
        let mut bodies: BTreeSet<Def> = BTreeSet::new();
        for file in scan.files().chain([goal.file]) {
            let Some(indexed) = search.resolver.file(file) else { continue };
            for binding in indexed.bound_text(FILE_SCOPE, &goal.name) {
                let def = Def { file, binding: *binding };
                let found = indexed.binding(*binding);
                if found.private || found.kind == BindingKind::Import {
                    continue;
                }
                let canonical = search.resolver.canonical(def);
                if found.body.is_some() {
                    bodies.insert(canonical);
                }
                all.push(canonical);
            }
        }
        all.sort_unstable();
        all.dedup();
        names_united.insert(goal.name.clone(), all.clone());
        if bodies.len() <= 1 {
            goal.all.extend(all);
            continue;
        }
        // Several programs define it: a file goes with what it includes.
        let includes: BTreeMap<FileId, BTreeSet<FileId>> =
            all.iter().map(|def| (def.file, included(search, def.file))).collect();
        loop {
            let before = goal.all.len();
            for def in &all {
                let connected = goal.all.iter().any(|known| {
                    known.file == def.file
                        || includes.get(&def.file).is_some_and(|files| files.contains(&known.file))
                        || includes.get(&known.file).is_some_and(|files| files.contains(&def.file))
                });
                if connected {
                    goal.all.insert(*def);
                }
            }
            if goal.all.len() == before {
                break;
            }
        }
    }
    if !names_united.is_empty() {
        search.resolver.import(names_united);
    }
}

/// All files that a C file includes, at any depth.
pub(super) fn included(search: &Search<'_>, file: FileId) -> BTreeSet<FileId> {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![file];
    while let Some(file) = waiting.pop() {
        let Some(names) = search.resolver.names(file) else { continue };
        let Some(modules) = search.resolver.modules_of(file) else { continue };
        for import in names.imports.iter().filter(|import| import.kind == ModuleImportKind::Include) {
            if let Destination::Module(Module::File(next)) =
                modules.destination(search.resolver.project_index(), file, names, import)
                && seen.insert(next)
            {
                waiting.push(next);
            }
        }
    }
    seen
}
