//! The names that a symbol goes by: imports and exports under another name.

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use std::collections::{BTreeMap, BTreeSet};

use peelback_syntax::names::{BindingKind, Exported, Expr, FILE_SCOPE, NameId};
use rayon::prelude::*;

use super::Search;
use super::scan::{Scan, Words, is_quote};
use super::target::SearchTarget;
use crate::modules::{FileId, Module};

/// What the symbols are called besides their own names.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// Names that mean a goal in one file.
    local: BTreeMap<FileId, BTreeSet<NameId>>,
    /// Modules whose default export is a goal, already looked after.
    defaults: BTreeSet<FileId>,
}

impl Aliases {
    /// Names that mean a goal in a file, besides those that were sought.
    pub fn of(&self, file: FileId) -> impl Iterator<Item = NameId> + '_ {
        self.local.get(&file).into_iter().flatten().copied()
    }

    /// Finds aliases in the files that were scanned; gives the names that are to be looked for in all files.
    pub fn find(&mut self, search: &Search<'_>, targets: &[SearchTarget], scan: &Scan, words: &Words) -> Words {
        loop {
            let known = self.defaults.len();
            let fresh = self.find_once(search, targets, scan, words);
            // Files that were scanned before may import a module that is known to be the symbol only now: its name may be
            // that of the symbol.
            if !fresh.is_empty() || self.defaults.len() == known {
                return fresh;
            }
        }
    }

    fn find_once(&mut self, search: &Search<'_>, targets: &[SearchTarget], scan: &Scan, words: &Words) -> Words {
        let files: Vec<FileId> = scan.files().collect();
        let found: Vec<Found> =
            files.into_par_iter().filter_map(|file| self.in_file(search, targets, file, words)).collect();
        let mut fresh = Words::new();
        for Found { file, local, outside, default } in found {
            self.local.entry(file).or_default().extend(local);
            fresh.extend(outside);
            if default && self.defaults.insert(file) {
                // Whoever imports the default export gives it a name of their own, and names the module.
                if let Some(modules) = search.resolver.module_resolver(file) {
                    fresh.extend(modules.needles(search.resolver.project_index(), file));
                }
            }
        }
        fresh.retain(|word| !words.contains(word) && is_name(word));
        fresh
    }

    fn in_file(&self, search: &Search<'_>, targets: &[SearchTarget], file: FileId, words: &Words) -> Option<Found> {
        let names = search.resolver.names(file)?.clone();
        let mut found = Found { file, local: BTreeSet::new(), outside: Words::new(), default: false };
        let sought = |name: NameId| words.contains(names.text(name));
        let mut own: BTreeSet<NameId> = BTreeSet::new();
        for (id, binding) in (0..).zip(&names.bindings) {
            let Some((import, imported)) = binding.import.filter(|_| binding.kind == BindingKind::Import) else {
                continue;
            };
            let renamed = match imported {
                Some(imported) => imported != binding.name && (sought(imported) || names.text(imported) == "default"),
                // `import x = require()` and the like: the module itself is the symbol.
                None => names.imports.get(import as usize).is_some() && !self.defaults.is_empty(),
            };
            if !renamed || own.contains(&binding.name) {
                continue;
            }
            let resolution = search.resolver.follow_import(Def { file, binding: id }, &mut EvaluationBudget::new());
            if resolution.referents.iter().any(|referent| is_search_target(search, targets, referent)) {
                own.insert(binding.name);
                if binding.scope == FILE_SCOPE {
                    found.outside.insert(names.text(binding.name).to_owned());
                }
            }
        }
        if search.calls {
            // What holds the function is called under its own name.
            let held = names.bindings.iter().zip(0..).filter(|(binding, _)| {
                let value = match names.list(binding.values) {
                    [value] => names.expr(*value),
                    _ => Expr::Unknown,
                };
                let passes = match value {
                    Expr::Name { name, .. } | Expr::Member { name, .. } => sought(name),
                    _ => false,
                };
                passes && !sought(binding.name)
            });
            for (binding, id) in held {
                let resolution = Resolution::one(Referent::Def(Def { file, binding: id }));
                let (defs, _) = search.resolver.callable_definitions(&resolution);
                if search.called_target(targets, &defs).is_some() {
                    found.outside.insert(names.text(binding.name).to_owned());
                }
            }
        }
        for (binding, path) in search.resolver.names_index(file)?.forwarded_members() {
            let passes = match names.expr(*path) {
                Expr::Name { name, .. } | Expr::Member { name, .. } => sought(name) || own.contains(&name),
                _ => false,
            };
            let name = names.bindings.get(*binding as usize).map_or("", |binding| names.text(binding.name));
            let is_new = passes && !words.contains(name);
            if is_new && is_search_target(search, targets, &Referent::Def(Def { file, binding: *binding })) {
                match name {
                    "default" => found.default = true,
                    _ => found.outside.extend([name.to_owned()]),
                }
            }
        }
        for export in names.exports.as_deref().unwrap_or(&[]) {
            let name = names.text(export.name);
            if words.contains(name) && name != "default" {
                continue;
            }
            let means = match export.what {
                Exported::Expr(expr) | Exported::Module(expr) => {
                    let resolution = search.resolver.resolve_expr(file, expr, &mut EvaluationBudget::new());
                    resolution.referents.iter().any(|referent| is_search_target(search, targets, referent))
                }
                Exported::From(import, Some(from)) if sought(from) || names.text(from) == "default" => {
                    let resolution =
                        search.resolver.resolve_import(file, import, Some(from), &mut EvaluationBudget::new());
                    resolution.referents.iter().any(|referent| is_search_target(search, targets, referent))
                }
                _ => false,
            };
            if means && (name == "default" || matches!(export.what, Exported::Module(_))) {
                found.default = true;
            } else if means && name != "*" {
                found.outside.insert(name.to_owned());
            }
        }
        found.local = own;
        (!found.local.is_empty() || !found.outside.is_empty() || found.default).then_some(found)
    }
}

struct Found {
    file: FileId,
    local: BTreeSet<NameId>,
    outside: Words,
    default: bool,
}

fn is_search_target(search: &Search<'_>, targets: &[SearchTarget], referent: &Referent) -> bool {
    match referent {
        Referent::Def(def) => {
            let def = search.resolver.resolve_forwarding(*def);
            targets.iter().any(|target| target.all.contains(&def))
        }
        Referent::Module(Module::File(file)) => {
            search.resolver.module_value_matches(*file, |referent| match referent {
                Referent::Def(def) => {
                    let def = search.resolver.resolve_forwarding(*def);
                    targets.iter().any(|target| target.all.contains(&def))
                }
                _ => false,
            })
        }
        _ => false,
    }
}

/// Whether a needle can be a name or a source in quotes, so that looking for whole words finds it.
fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | '/') || is_quote(c))
}
