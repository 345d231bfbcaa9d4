//! Finds the definitions whose files include one another.

use std::collections::{BTreeMap, BTreeSet};

use peelback_syntax::names::ModuleImportKind;

use crate::modules::{Destination, FileId, Module};
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

/// Adds to `same` each definition of `all` whose file includes the file of a definition in `same`, at any depth, or is
/// included by it.
pub(crate) fn add_definitions_linked_by_includes(resolver: &Resolver<'_>, all: &[Def], same: &mut BTreeSet<Def>) {
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
