//! A project in a temporary folder, for tests of module resolvers.

use peelback_project::{FactsStore, Project, Snapshot};
use std::fs;
use std::sync::Arc;

use super::{Destination, FileId, Module, ModuleResolver};
use crate::languages;
use crate::semantics::ModuleResolvers;

pub(crate) struct ProjectFixture {
    // Keeps the folder until the fixture is dropped.
    _folder: tempfile::TempDir,
    snapshot: Snapshot,
    module_resolvers: ModuleResolvers,
}

impl ProjectFixture {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let project = Project::discover(Some(folder.path()), None).expect("a folder");
        let snapshot = Snapshot::of(&project, &Arc::new(FactsStore::default())).expect("a walk");
        Self { _folder: folder, snapshot, module_resolvers: languages::new_module_resolvers() }
    }

    fn file(&self, path: &str) -> (FileId, &dyn ModuleResolver) {
        let file = self.snapshot.files().id(path).expect("a file");
        let language = peelback_syntax::language::language_of_file_name(self.snapshot.files().entry(file).name());
        let semantics =
            language.and_then(|language| languages::semantics_of_language(language.name)).expect("semantics");
        (file, self.module_resolvers.get(semantics, &self.snapshot).expect("a module resolver"))
    }

    fn shown(&self, module: &Module) -> String {
        match module {
            Module::File(file) => self.snapshot.files().path(*file).to_owned(),
            Module::Scope(file, scope) => format!("{}#{scope}", self.snapshot.files().path(*file)),
            Module::Folder(folder) => folder.to_string(),
        }
    }

    /// The targets of the imports of a file, in source order.
    pub fn leads(&self, path: &str) -> Vec<String> {
        let (file, modules) = self.file(path);
        let names = self.snapshot.names(file).expect("names");
        let lead = |import| match modules.import_destination(&self.snapshot, file, &names, import) {
            Destination::Module(_) => {
                let files = modules.import_dependencies(&self.snapshot, file, &names, import);
                files.iter().map(|file| self.snapshot.files().path(*file)).collect::<Vec<_>>().join(" ")
            }
            Destination::External(name) => format!("external: {name}"),
            Destination::Unresolved(why) => format!("unresolved: {why}"),
        };
        names.imports.iter().map(lead).collect()
    }

    /// The modules whose names are visible in a file without an import.
    pub fn implicit_modules(&self, path: &str) -> Vec<String> {
        let (file, modules) = self.file(path);
        modules.implicit_modules(&self.snapshot, file).iter().map(|module| self.shown(module)).collect()
    }

    /// The module that a bare name at the start of a path means.
    pub fn path_root(&self, path: &str, name: &str) -> Option<String> {
        let (file, modules) = self.file(path);
        modules.path_root_module(&self.snapshot, file, 0, name).map(|module| self.shown(&module))
    }

    pub fn needles(&self, path: &str) -> Vec<String> {
        let (file, modules) = self.file(path);
        modules.import_search_texts(&self.snapshot, file)
    }

    /// Fails if a dependent contains none of the needles of the file that it depends on; returns the number of
    /// dependencies.
    pub fn check_needles(&self) -> usize {
        let mut edges = 0;
        for (from, entry) in (0..).zip(self.snapshot.files().entries()) {
            let (_, modules) = self.file(&entry.path);
            let names = self.snapshot.names(from).expect("names");
            let text = self.snapshot.files().read(from).expect("text");
            for import in &names.imports {
                for to in modules.import_dependencies(&self.snapshot, from, &names, import) {
                    edges += 1;
                    let needles = modules.import_search_texts(&self.snapshot, to);
                    let held = needles.iter().any(|needle| text.contains(needle.as_str()));
                    assert!(held, "{} -> {}: {needles:?}", entry.path, self.snapshot.files().path(to));
                }
            }
        }
        edges
    }
}
