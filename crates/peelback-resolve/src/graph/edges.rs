//! The resolved imports of a file: its edges in the dependency graph.

use std::collections::HashSet;

use peelback_syntax::Language;
use peelback_syntax::names::{ModuleImport, ModuleImportKind, Names};

use crate::languages;
use crate::modules::{Destination, FileId, ProjectIndex};
use crate::semantics::ModuleResolvers;

/// The target that one import was resolved to, as the dependency graph needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResolvedImport {
    /// The files of the project that the import makes the importing file depend on.
    Files(Box<[ImportedFile]>),
    /// A package outside the project, by its name.
    External(Box<str>),
    /// A target that should be in the project but was not found: its name, or the reason.
    Unresolved(Box<str>),
    /// No dependency on another file: the target is the importing file itself, or a folder without files.
    NoOtherFile,
}

/// A file that an import makes the importing file depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportedFile {
    file: FileId,
    /// The places of the names that are taken from the file, in the list of names of the import; `None` where all are.
    name_places: Option<Box<[usize]>>,
}

/// What a file imports from one other file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImportsFromFile {
    /// The line of the first import, from 1.
    pub line: u32,
    /// The number of imported names. An import without names counts as one.
    pub names: usize,
    /// Whether the importing file exports what it imports.
    pub is_re_export: bool,
    /// Whether no import statement leads to the other file: its names are visible without one.
    pub is_without_statement: bool,
}

/// The resolved imports of one file, which are its edges in the dependency graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileEdges {
    resolved_imports: Box<[ResolvedImport]>,
    files: Box<[FileId]>,
    /// Files that the file only declares as submodules (`mod a;` in Rust), without taking anything from them.
    declared_only: Box<[FileId]>,
}

impl FileEdges {
    /// Resolves the imports of `file`, which has these names.
    pub fn resolve_imports(
        module_resolvers: &ModuleResolvers,
        project_index: &dyn ProjectIndex,
        file: FileId,
        language: &Language,
        names: &Names,
    ) -> Self {
        let semantics = languages::semantics_of_imports_in_language(language.name);
        let modules = semantics.and_then(|semantics| module_resolvers.resolver_for_semantics(semantics, project_index));
        let Some(modules) = modules else { return Self::default() };
        let resolved_import = |import: &ModuleImport| {
            let mut files = modules.dependency_files_of_import(project_index, file, names, import);
            let is_own = !files.is_empty();
            let has_several_targets = files.len() > 1 && import.names.len() > 1;
            files.retain(|to| *to != file);
            if !files.is_empty() {
                let targets_of_names = has_several_targets.then(|| {
                    let alone = |name| ModuleImport { names: vec![name], glob: false, ..import.clone() };
                    let targets = |name| modules.dependency_files_of_import(project_index, file, names, &alone(name));
                    import.names.iter().map(|name| targets(*name)).collect()
                });
                return ResolvedImport::Files(imported_files(&files, targets_of_names));
            }
            if is_own {
                return ResolvedImport::NoOtherFile;
            }
            match modules.import_destination(project_index, file, names, import) {
                Destination::External(package) => ResolvedImport::External(package.into()),
                // A mention is a string that looks like a module's name. If there is no such module, it is no
                // unresolved import.
                Destination::Unresolved(_) if import.kind == ModuleImportKind::Mention => ResolvedImport::NoOtherFile,
                Destination::Unresolved(what) => ResolvedImport::Unresolved(what.into()),
                Destination::Module(_) => ResolvedImport::NoOtherFile,
            }
        };
        let resolved_imports = names.imports.iter().map(resolved_import).collect();
        Self::from_resolved_imports(resolved_imports, names.imports.iter().map(|import| import.kind))
    }

    /// The edges of a file whose imports have these targets and, in the same order, these kinds.
    fn from_resolved_imports(
        resolved_imports: Box<[ResolvedImport]>,
        kinds: impl Iterator<Item = ModuleImportKind>,
    ) -> Self {
        let mut seen = HashSet::new();
        let mut used = HashSet::new();
        let mut files = Vec::new();
        for (resolved_import, kind) in resolved_imports.iter().zip(kinds) {
            if let ResolvedImport::Files(to) = resolved_import {
                files.extend(to.iter().map(|to| to.file).filter(|file| seen.insert(*file)));
                if kind != ModuleImportKind::Module {
                    used.extend(to.iter().map(|to| to.file));
                }
            }
        }
        let declared = files.iter().copied().filter(|file| !used.contains(file)).collect();
        Self { resolved_imports, files: files.into(), declared_only: declared }
    }

    /// Edges to files that are used, and to files that are only declared as submodules.
    #[cfg(test)]
    pub fn new_from_targets(used: &[FileId], declared: &[FileId]) -> Self {
        let resolved_import = |file: &FileId| ResolvedImport::Files(imported_files(&[*file], None));
        let resolved_imports = used.iter().chain(declared).map(resolved_import).collect();
        let used = used.iter().map(|_| ModuleImportKind::Import);
        Self::from_resolved_imports(resolved_imports, used.chain(declared.iter().map(|_| ModuleImportKind::Module)))
    }

    /// The files that the file depends on, each once, in source order.
    pub fn dependency_files(&self) -> &[FileId] {
        &self.files
    }

    /// The files from which the file imports something, each once, in source order: [`FileEdges::dependency_files`]
    /// without files that it only declares as submodules.
    pub fn dependency_files_beyond_submodule_declarations(&self) -> impl Iterator<Item = FileId> + '_ {
        self.files.iter().copied().filter(|file| !self.only_declares(*file))
    }

    /// Whether the file only declares `to` as its submodule, without taking anything from it.
    pub fn only_declares(&self, to: FileId) -> bool {
        self.declared_only.contains(&to)
    }

    /// Each import of the file with its target. `names` must be the names that the edges were built from, or a module
    /// interface of the same shape.
    pub fn imports_with_resolved_targets<'a>(
        &'a self,
        names: &'a Names,
    ) -> impl Iterator<Item = (&'a ModuleImport, &'a ResolvedImport)> {
        names.imports.iter().zip(&self.resolved_imports)
    }

    /// What the file with these edges imports from `to`.
    pub fn imports_from_file(&self, names: &Names, to: FileId) -> ImportsFromFile {
        let mut line = u32::MAX;
        let mut used: HashSet<&str> = HashSet::new();
        let mut wholes = 0;
        let mut is_re_export = false;
        let mut is_without_statement = true;
        for (import, resolved_import) in self.imports_with_resolved_targets(names) {
            let ResolvedImport::Files(files) = resolved_import else { continue };
            let Some(imported) = files.iter().find(|imported| imported.file == to) else { continue };
            line = line.min(import.line);
            let is_from_file =
                |place: &usize| imported.name_places.as_ref().is_none_or(|places| places.binary_search(place).is_ok());
            let imported_names = import.names.iter().enumerate().filter(|(place, _)| is_from_file(place));
            used.extend(imported_names.map(|(_, name)| names.name_text(*name)));
            wholes += usize::from(import.names.is_empty());
            is_re_export |= import.kind == ModuleImportKind::ReExport;
            is_without_statement &= import.kind == ModuleImportKind::WithoutStatement;
        }
        ImportsFromFile { line, names: used.len() + wholes, is_re_export, is_without_statement }
    }
}

/// The targets of an import. `targets_of_names` are those of each of its names alone, where names lead to several files.
fn imported_files(files: &[FileId], targets_of_names: Option<Vec<Vec<FileId>>>) -> Box<[ImportedFile]> {
    let imported = |file: &FileId| ImportedFile {
        file: *file,
        name_places: targets_of_names.as_ref().map(|targets| {
            let leads_to_file = |(place, targets): (usize, &Vec<FileId>)| targets.contains(file).then_some(place);
            targets.iter().enumerate().filter_map(leads_to_file).collect()
        }),
    };
    files.iter().map(imported).collect()
}
