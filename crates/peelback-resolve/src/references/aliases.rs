//! Finds other names of the definitions searched for: imports and exports that rename them.

use crate::resolve::definition::{Def, Referent, Resolution};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use peelback_syntax::names::{BindingKind, Exported, Expr, FILE_SCOPE, NameId};
use rayon::prelude::*;

use super::scan::{ReferenceWordScan, SearchWords, is_quote_char};
use super::search::ReferenceSearch;
use super::target::SearchTarget;
use crate::modules::{FileId, Module};

/// The other names by which files refer to the targets of a search, in addition to the targets' own names.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// For each file, the other names (such as import aliases) by which only that file refers to a search target.
    local: BTreeMap<FileId, BTreeSet<NameId>>,
    /// The modules whose default export is a search target, and whose importers were already searched for.
    default_export_modules: BTreeSet<FileId>,
}

impl Aliases {
    /// The names that mean a search target inside `file`, in addition to the words that all files are searched for.
    pub fn local_target_names_in_file(&self, file: FileId) -> impl Iterator<Item = NameId> + '_ {
        self.local.get(&file).into_iter().flatten().copied()
    }

    /// Finds further names of the search targets in the files that were scanned. Returns the new names that all files
    /// must be scanned for.
    pub fn find_new_target_names(
        &mut self,
        search: &ReferenceSearch<'_>,
        targets: &[SearchTarget],
        scan: &ReferenceWordScan,
        words: &SearchWords,
    ) -> SearchWords {
        loop {
            let known = self.default_export_modules.len();
            let fresh = self.find_new_target_names_once(search, targets, scan, words);
            // A scanned file may import, under the target's own name, a module that has only now become known to be the
            // target.
            if !fresh.is_empty() || self.default_export_modules.len() == known {
                return fresh;
            }
        }
    }

    fn find_new_target_names_once(
        &mut self,
        search: &ReferenceSearch<'_>,
        targets: &[SearchTarget],
        scan: &ReferenceWordScan,
        words: &SearchWords,
    ) -> SearchWords {
        let files: Vec<FileId> = scan.files_with_hits().collect();
        let further = targets.iter().flat_map(|target| search.further_names_of_target_function(target));
        let mut fresh: SearchWords = further.map(str::to_owned).collect();
        fresh.extend(targets.iter().flat_map(|target| search.further_names_of_target(target)));
        let definitions = TargetDefinitions {
            all: targets.iter().flat_map(|target| target.definitions.iter().copied()).collect(),
            called: search.called_target_index_by_definition(targets),
        };
        let found: Vec<FileAliases> =
            files.into_par_iter().filter_map(|file| self.aliases_in_file(search, &definitions, file, words)).collect();
        for FileAliases { file, local, names_in_other_files: outside, is_default_export: default } in found {
            self.local.entry(file).or_default().extend(local);
            fresh.extend(outside);
            if default && self.default_export_modules.insert(file) {
                // A file that imports a default export chooses its own name for it and names the module, so the
                // module's names are searched.
                if let Some(modules) = search.resolver.module_resolver_of_file_language(file) {
                    fresh.extend(modules.texts_every_dependent_contains_one_of(search.resolver.project_index(), file));
                }
            }
        }
        fresh.retain(|word| !words.contains(word) && is_searchable_word(word));
        fresh
    }

    fn aliases_in_file(
        &self,
        search: &ReferenceSearch<'_>,
        targets: &TargetDefinitions,
        file: FileId,
        words: &SearchWords,
    ) -> Option<FileAliases> {
        let names = search.resolver.names_of_file(file)?.clone();
        let mut found = FileAliases {
            file,
            local: BTreeSet::new(),
            names_in_other_files: SearchWords::new(),
            is_default_export: false,
        };
        let is_searched = |name: NameId| words.contains(names.name_text(name));
        let mut own: BTreeSet<NameId> = BTreeSet::new();
        for (id, binding) in (0..).zip(&names.bindings) {
            let Some((import, imported)) = binding.import.filter(|_| binding.kind == BindingKind::Import) else {
                continue;
            };
            let renamed = match imported {
                Some(imported) => {
                    imported != binding.name && (is_searched(imported) || names.name_text(imported) == "default")
                }
                // The import binds the module itself, which is a target: `import x = require()`. Or its path ends with the
                // name of a definition, which it binds under another name: `import a.B as C`.
                None => names.imports.get(import as usize).is_some_and(|import| {
                    let is_other = |name: &NameId| *name != binding.name && is_searched(*name);
                    !self.default_export_modules.is_empty() || import.names.iter().any(is_other)
                }),
            };
            if !renamed || own.contains(&binding.name) {
                continue;
            }
            let resolution = search.evaluate_and_count_if_cut(|budget| {
                search.resolver.resolve_definition_through_import(Def { file, binding: id }, budget)
            });
            if resolution.referents.iter().any(|referent| is_referent_search_target(search, targets, referent)) {
                own.insert(binding.name);
                if binding.scope == FILE_SCOPE {
                    found.names_in_other_files.insert(names.name_text(binding.name).to_owned());
                }
            }
        }
        if search.calls {
            // A variable that holds the target function is called by the variable's name.
            let held = names.bindings.iter().zip(0..).filter(|(binding, _)| {
                let value = match names.expr_ids_in_list_range(binding.values) {
                    [value] => names.expr_by_id(*value),
                    _ => Expr::Unknown,
                };
                let passes = match value {
                    Expr::Name { name, .. } | Expr::Member { name, .. } => is_searched(name),
                    _ => false,
                };
                passes && !is_searched(binding.name)
            });
            for (binding, id) in held {
                let resolution = Resolution::new_certain_single(Referent::Def(Def { file, binding: id }));
                let (defs, _) = search.resolver.callable_definitions_and_certainty(&resolution);
                if defs.iter().any(|def| targets.called.contains_key(def)) {
                    found.names_in_other_files.insert(names.name_text(binding.name).to_owned());
                }
            }
        }
        let index = search.resolver.names_index(file)?;
        let getters = index.exported_getters().iter().filter_map(|(getter, path)| Some((*getter, (*path)?)));
        for (binding, path) in index.exported_members_forwarding_to_paths().iter().copied().chain(getters) {
            let passes = match names.expr_by_id(path) {
                Expr::Name { name, .. } | Expr::Member { name, .. } => is_searched(name) || own.contains(&name),
                Expr::Imported { .. } => !self.default_export_modules.is_empty(),
                _ => false,
            };
            let name = names.bindings.get(binding as usize).map_or("", |binding| names.name_text(binding.name));
            let is_new = passes && !words.contains(name);
            if is_new && is_referent_search_target(search, targets, &Referent::Def(Def { file, binding })) {
                match name {
                    "default" => found.is_default_export = true,
                    _ => found.names_in_other_files.extend([name.to_owned()]),
                }
            }
        }
        for export in names.exports.as_deref().unwrap_or(&[]) {
            let name = names.name_text(export.name);
            if words.contains(name) && name != "default" {
                continue;
            }
            let means = match export.what {
                Exported::Expr(expr) | Exported::Module(expr) => {
                    let resolution = search
                        .evaluate_and_count_if_cut(|budget| search.resolver.resolve_expr_as_name(file, expr, budget));
                    resolution.referents.iter().any(|referent| is_referent_search_target(search, targets, referent))
                }
                Exported::From(import, Some(from)) if is_searched(from) || names.name_text(from) == "default" => {
                    let resolution = search.evaluate_and_count_if_cut(|budget| {
                        search.resolver.resolve_import(file, import, Some(from), budget)
                    });
                    resolution.referents.iter().any(|referent| is_referent_search_target(search, targets, referent))
                }
                _ => false,
            };
            if means && (name == "default" || matches!(export.what, Exported::Module(_))) {
                found.is_default_export = true;
            } else if means && name != "*" {
                found.names_in_other_files.insert(name.to_owned());
            }
        }
        found.local = own;
        (!found.local.is_empty() || !found.names_in_other_files.is_empty() || found.is_default_export).then_some(found)
    }
}

struct FileAliases {
    file: FileId,
    local: BTreeSet<NameId>,
    names_in_other_files: SearchWords,
    is_default_export: bool,
}

/// The definitions that are search targets.
struct TargetDefinitions {
    all: HashSet<Def>,
    /// The definitions whose call calls a target.
    called: HashMap<Def, usize>,
}

fn is_referent_search_target(search: &ReferenceSearch<'_>, targets: &TargetDefinitions, referent: &Referent) -> bool {
    is_definition_or_module_search_target(search, targets, referent) || {
        let Referent::Def(def) = referent else { return false };
        let originals = search.resolver.originals_of_exported_getter(*def);
        originals
            .into_iter()
            .flat_map(|originals| originals.referents)
            .any(|original| is_definition_or_module_search_target(search, targets, &original))
    }
}

fn is_definition_or_module_search_target(
    search: &ReferenceSearch<'_>,
    targets: &TargetDefinitions,
    referent: &Referent,
) -> bool {
    let is_target = |def: Def| targets.all.contains(&search.resolver.forwarded_or_canonical_definition(def));
    match referent {
        Referent::Def(def) => is_target(*def),
        Referent::Module(Module::File(file)) => {
            search.resolver.does_exported_module_value_match(*file, |referent| match referent {
                Referent::Def(def) => is_target(*def),
                _ => false,
            })
        }
        _ => false,
    }
}

/// Whether a search for whole words can find `word`: it is a name, or an import source in quotes.
fn is_searchable_word(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | '/') || is_quote_char(c))
}
