//! Where the imports of a file lead.

use std::collections::HashSet;

use peelback_syntax::Language;
use peelback_syntax::names::{ModuleImport, ModuleImportKind, Names};

use crate::languages;
use crate::modules::{Destination, FileId, ProjectIndex};
use crate::semantics::ModuleResolvers;

/// Where one import leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResolvedImport {
    /// To files of the project.
    Files(Box<[FileId]>),
    /// To a package from outside of it.
    External(Box<str>),
    /// To something that should be in the project and is not there: its name, or why.
    Unresolved(Box<str>),
    /// To the file itself, or to a folder without files.
    Nothing,
}

/// Where all imports of a file lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileEdges {
    resolved_imports: Box<[ResolvedImport]>,
    files: Box<[FileId]>,
    /// Those of `files` that the file only declares as its submodules (`mod a;` in Rust) and takes nothing from.
    declared: Box<[FileId]>,
}

impl FileEdges {
    /// The edges of a file with these names.
    pub fn of(
        module_resolvers: &ModuleResolvers,
        project_index: &dyn ProjectIndex,
        file: FileId,
        language: &Language,
        names: &Names,
    ) -> Self {
        let semantics = languages::semantics(language.name);
        let modules = semantics.and_then(|semantics| module_resolvers.get(semantics, project_index));
        let Some(modules) = modules else { return Self::default() };
        let resolved_import = |import: &ModuleImport| {
            let mut files = modules.dependencies(project_index, file, names, import);
            let is_own = !files.is_empty();
            files.retain(|to| *to != file);
            if !files.is_empty() {
                return ResolvedImport::Files(files.into());
            }
            if is_own {
                return ResolvedImport::Nothing;
            }
            match modules.destination(project_index, file, names, import) {
                Destination::External(package) => ResolvedImport::External(package.into()),
                // A string that looks like a module need not be one.
                Destination::Unresolved(_) if import.kind == ModuleImportKind::Mention => ResolvedImport::Nothing,
                Destination::Unresolved(what) => ResolvedImport::Unresolved(what.into()),
                Destination::Module(_) => ResolvedImport::Nothing,
            }
        };
        let resolved_imports = names.imports.iter().map(resolved_import).collect();
        Self::with(resolved_imports, names.imports.iter().map(|import| import.kind))
    }

    /// The edges of a file whose imports have these targets and, in the same order, these kinds.
    fn with(resolved_imports: Box<[ResolvedImport]>, kinds: impl Iterator<Item = ModuleImportKind>) -> Self {
        let mut seen = HashSet::new();
        let mut used = HashSet::new();
        let mut files = Vec::new();
        for (resolved_import, kind) in resolved_imports.iter().zip(kinds) {
            if let ResolvedImport::Files(to) = resolved_import {
                files.extend(to.iter().copied().filter(|file| seen.insert(*file)));
                if kind != ModuleImportKind::Module {
                    used.extend(to.iter().copied());
                }
            }
        }
        let declared = files.iter().copied().filter(|file| !used.contains(file)).collect();
        Self { resolved_imports, files: files.into(), declared }
    }

    /// Edges to files that are used, and to files that are only declared as submodules.
    #[cfg(test)]
    pub fn to(used: &[FileId], declared: &[FileId]) -> Self {
        let resolved_imports = used.iter().chain(declared).map(|file| ResolvedImport::Files([*file].into())).collect();
        let used = used.iter().map(|_| ModuleImportKind::Import);
        Self::with(resolved_imports, used.chain(declared.iter().map(|_| ModuleImportKind::Module)))
    }

    /// The files that the file depends on, each once, in the order of its text.
    pub fn files(&self) -> &[FileId] {
        &self.files
    }

    /// The files from which the file takes something, each once, in the order of its text: [`FileEdges::files`] without
    /// those that it only declares as its submodules.
    pub fn used_files(&self) -> impl Iterator<Item = FileId> + '_ {
        self.files.iter().copied().filter(|file| !self.declared.contains(file))
    }

    /// Each import with where it leads; `names` are those that the edges were made from, or a surface of their shape.
    pub fn resolved_imports<'a>(
        &'a self,
        names: &'a Names,
    ) -> impl Iterator<Item = (&'a ModuleImport, &'a ResolvedImport)> {
        names.imports.iter().zip(&self.resolved_imports)
    }

    /// How much a file uses of `to`: the first line where it takes something, and how many names it takes, at least one
    /// for each import.
    pub fn use_of(&self, names: &Names, to: FileId) -> (u32, usize) {
        let mut line = u32::MAX;
        let mut used: HashSet<&str> = HashSet::new();
        let mut wholes = 0;
        for (import, resolved_import) in self.resolved_imports(names) {
            if !matches!(resolved_import, ResolvedImport::Files(files) if files.contains(&to)) {
                continue;
            }
            line = line.min(import.line);
            used.extend(import.names.iter().map(|name| names.text(*name)));
            wholes += usize::from(import.names.is_empty());
        }
        (line, used.len() + wholes)
    }
}
