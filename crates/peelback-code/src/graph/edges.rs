//! Where the links of a file lead.

use std::collections::HashSet;

use peelback_syntax::Language;
use peelback_syntax::names::{Link, LinkKind, Names};

use crate::modules::{Destination, Families, Family, FileId, World};

/// Where one link leads.
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

/// Where all links of a file lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileEdges {
    leads: Box<[Lead]>,
    files: Box<[FileId]>,
}

impl FileEdges {
    /// The edges of a file with these names.
    pub fn of(families: &Families, world: &dyn World, file: FileId, language: &Language, names: &Names) -> Self {
        let Some(family) = Family::of(language.name) else { return Self::default() };
        let modules = families.of(family, world);
        let lead = |link: &Link| {
            let mut files = modules.dependencies(world, file, names, link);
            let is_own = !files.is_empty();
            files.retain(|to| *to != file);
            if !files.is_empty() {
                return Lead::Files(files.into());
            }
            if is_own {
                return Lead::Nothing;
            }
            match modules.destination(world, file, names, link) {
                Destination::External(package) => Lead::External(package.into()),
                // A string that looks like a module need not be one.
                Destination::Unresolved(_) if link.kind == LinkKind::Mention => Lead::Nothing,
                Destination::Unresolved(what) => Lead::Unresolved(what.into()),
                Destination::Module(_) => Lead::Nothing,
            }
        };
        Self::with(names.links.iter().map(lead).collect())
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

    /// Each link with where it leads; `names` are those that the edges were made from, or a surface of their shape.
    pub fn leads<'a>(&'a self, names: &'a Names) -> impl Iterator<Item = (&'a Link, &'a Lead)> {
        names.links.iter().zip(&self.leads)
    }

    /// How much a file uses of `to`: the first line where it takes something, and how many names it takes, at least one
    /// for each link.
    pub fn use_of(&self, names: &Names, to: FileId) -> (u32, usize) {
        let mut line = u32::MAX;
        let mut used: HashSet<&str> = HashSet::new();
        let mut wholes = 0;
        for (link, lead) in self.leads(names) {
            if !matches!(lead, Lead::Files(files) if files.contains(&to)) {
                continue;
            }
            line = line.min(link.line);
            used.extend(link.names.iter().map(|name| names.text(*name)));
            wholes += usize::from(link.names.is_empty());
        }
        (line, used.len() + wholes)
    }
}
