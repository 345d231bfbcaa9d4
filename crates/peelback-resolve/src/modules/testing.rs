//! A project in a temporary folder, for tests of the module resolver of one language.

use peelback_project::{FactsStore, Project, Snapshot};
use std::fs;
use std::sync::Arc;

use super::{Destination, FileId, Module, ModuleResolver, ProjectIndex};

/// A project and the resolver `R` that was made for it.
pub(crate) struct ProjectFixture<R> {
    // Keeps the folder until the fixture is dropped.
    _folder: tempfile::TempDir,
    snapshot: Snapshot,
    resolver: R,
}

impl<R: ModuleResolver> ProjectFixture<R> {
    /// A project of `files`, each a path and a text, with the resolver that `new_resolver` makes for it.
    pub fn new(new_resolver: fn(&dyn ProjectIndex) -> R, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let project = Project::discover(Some(folder.path()), None).expect("a folder");
        let snapshot = Snapshot::of_project(&project, &Arc::new(FactsStore::default())).expect("a walk");
        let resolver = new_resolver(&snapshot);
        Self { _folder: folder, snapshot, resolver }
    }

    fn file(&self, path: &str) -> FileId {
        self.snapshot.file_table().id_of_path(path).expect("a file")
    }

    fn format_module(&self, module: &Module) -> String {
        match module {
            Module::File(file) => self.snapshot.file_table().path_of_file(*file).to_owned(),
            Module::Scope(file, scope) => format!("{}#{scope}", self.snapshot.file_table().path_of_file(*file)),
            Module::Folder(folder) => folder.to_string(),
            Module::Package(package, _) => package.to_string(),
        }
    }

    /// The targets of the imports of a file, in source order.
    pub fn import_targets(&self, path: &str) -> Vec<String> {
        let file = self.file(path);
        let names = self.snapshot.names_if_parsable(file).expect("names");
        let lead = |import| match self.resolver.import_destination(&self.snapshot, file, &names, import) {
            Destination::Module(_) => {
                let files = self.resolver.dependency_files_of_import(&self.snapshot, file, &names, import);
                files.iter().map(|file| self.snapshot.file_table().path_of_file(*file)).collect::<Vec<_>>().join(" ")
            }
            Destination::External(name) => format!("external: {name}"),
            Destination::Unresolved(why) => format!("unresolved: {why}"),
        };
        names.imports.iter().map(lead).collect()
    }

    /// The modules whose names are visible in a file without an import.
    pub fn modules_visible_without_import(&self, path: &str) -> Vec<String> {
        let file = self.file(path);
        self.resolver
            .modules_visible_without_import(&self.snapshot, file)
            .iter()
            .map(|module| self.format_module(module))
            .collect()
    }

    /// The module that a bare name at the start of a path means.
    pub fn module_of_first_path_segment(&self, path: &str, name: &str) -> Option<String> {
        let file = self.file(path);
        self.resolver
            .module_of_unbound_first_segment(&self.snapshot, file, 0, name)
            .map(|module| self.format_module(&module))
    }

    pub fn texts_that_dependents_contain(&self, path: &str) -> Vec<String> {
        let file = self.file(path);
        self.resolver.texts_every_dependent_contains_one_of(&self.snapshot, file)
    }

    /// Fails if a dependent contains none of the needles of the file that it depends on; returns the number of
    /// dependencies.
    pub fn assert_dependents_contain_texts(&self) -> usize {
        let mut edges = 0;
        for (from, entry) in (0..).zip(self.snapshot.file_table().entries()) {
            let names = self.snapshot.names_if_parsable(from).expect("names");
            let text = self.snapshot.file_table().read_and_record_text(from).expect("text");
            for import in &names.imports {
                let targets = self.resolver.dependency_files_of_import(&self.snapshot, from, &names, import);
                // An import that leads to its own file makes no dependency.
                for to in targets.into_iter().filter(|to| *to != from) {
                    edges += 1;
                    let needles = self.resolver.texts_every_dependent_contains_one_of(&self.snapshot, to);
                    let held = needles.iter().any(|needle| text.contains(needle.as_str()));
                    assert!(held, "{} -> {}: {needles:?}", entry.path, self.snapshot.file_table().path_of_file(to));
                }
            }
        }
        edges
    }
}
