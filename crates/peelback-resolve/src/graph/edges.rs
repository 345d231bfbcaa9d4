//! Where the imports of a file lead.

use std::collections::HashSet;

use peelback_syntax::Language;
use peelback_syntax::names::{ModuleImport, ModuleImportKind, Names};

use crate::modules::{Destination, Families, Family, FileId, ProjectIndex};

/// Where one import leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lead {
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
    leads: Box<[Lead]>,
    files: Box<[FileId]>,
}

impl FileEdges {
    /// The edges of a file with these names.
    pub fn of(
        families: &Families,
        project_index: &dyn ProjectIndex,
        file: FileId,
        language: &Language,
        names: &Names,
    ) -> Self {
        let Some(family) = Family::of(language.name) else { return Self::default() };
        let modules = families.of(family, project_index);
        let lead = |import: &ModuleImport| {
            let mut files = modules.dependencies(project_index, file, names, import);
            let is_own = !files.is_empty();
            files.retain(|to| *to != file);
            if !files.is_empty() {
                return Lead::Files(files.into());
            }
            if is_own {
                return Lead::Nothing;
            }
            match modules.destination(project_index, file, names, import) {
                Destination::External(package) => Lead::External(package.into()),
                // A string that looks like a module need not be one.
                Destination::Unresolved(_) if import.kind == ModuleImportKind::Mention => Lead::Nothing,
                Destination::Unresolved(what) => Lead::Unresolved(what.into()),
                Destination::Module(_) => Lead::Nothing,
            }
        };
        Self::with(names.imports.iter().map(lead).collect())
    }

    fn with(leads: Box<[Lead]>) -> Self {
        let mut seen = HashSet::new();
        let mut files = Vec::new();
        for lead in &leads {
            if let Lead::Files(to) = lead {
                files.extend(to.iter().copied().filter(|file| seen.insert(*file)));
            }
        }
        Self { leads, files: files.into() }
    }

    /// Edges to these files alone.
    #[cfg(test)]
    pub fn to(files: &[FileId]) -> Self {
        Self::with(files.iter().map(|file| Lead::Files([*file].into())).collect())
    }

    /// The files that the file depends on, each once, in the order of its text.
    pub fn files(&self) -> &[FileId] {
        &self.files
    }

    /// Each import with where it leads; `names` are those that the edges were made from, or a surface of their shape.
    pub fn leads<'a>(&'a self, names: &'a Names) -> impl Iterator<Item = (&'a ModuleImport, &'a Lead)> {
        names.imports.iter().zip(&self.leads)
    }

    /// How much a file uses of `to`: the first line where it takes something, and how many names it takes, at least one
    /// for each import.
    pub fn use_of(&self, names: &Names, to: FileId) -> (u32, usize) {
        let mut line = u32::MAX;
        let mut used: HashSet<&str> = HashSet::new();
        let mut wholes = 0;
        for (import, lead) in self.leads(names) {
            if !matches!(lead, Lead::Files(files) if files.contains(&to)) {
                continue;
            }
            line = line.min(import.line);
            used.extend(import.names.iter().map(|name| names.text(*name)));
            wholes += usize::from(import.names.is_empty());
        }
        (line, used.len() + wholes)
    }
}
