//! Where imports lead: the files of a project, and what finds the modules that imports name.

#[cfg(test)]
pub(crate) mod testing;

use std::sync::Arc;

use peelback_syntax::Language;
use peelback_syntax::names::{ModuleImport, Names, ScopeId};

pub(crate) use peelback_project::{Consulted, FileId, Files, folder_of, join, name_of};

use crate::resolve::index::NamesIndex;

/// What can hold names that are looked up from outside.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Module {
    /// A file.
    File(FileId),
    /// A scope inside a file: an inline module, a namespace.
    Scope(FileId, ScopeId),
    /// A folder, by its path from the root: a Go package, a Python namespace package.
    Folder(Arc<str>),
}

/// Where an import leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Destination {
    /// A module of the project.
    Module(Module),
    /// A package from outside of the project, by the name that one installs or includes (`react`, `std`, `stdio.h`).
    External(String),
    /// It should be in the project and is not there, or nothing says where it is; why, in a few words.
    Unresolved(String),
}

/// What a language family's resolver can ask about the project.
pub(crate) trait ProjectIndex: Sync {
    /// The files.
    fn files(&self) -> &Files;

    /// What the names of a file mean; `None` where it cannot be read or parsed. [`ModuleResolver`] can rely on imports, exports,
    /// modules and what is bound in the file and its modules; the rest need not be there.
    fn names(&self, file: FileId) -> Option<Arc<Names>>;

    /// The language of a file, by its name or by what it begins with.
    fn language(&self, file: FileId) -> Option<&'static Language> {
        peelback_syntax::language::of_name(self.files().entry(file).name())
    }

    /// Whether `word` can be one of the names of a file: less than its names take to know. `false` is certain.
    fn may_hold(&self, _file: FileId, _word: &str) -> bool {
        true
    }

    /// The names of a file, ready for look-ups.
    fn indexed(&self, file: FileId) -> Option<Arc<NamesIndex>> {
        self.names(file).map(|names| Arc::new(NamesIndex::new(names)))
    }
}

/// How a language family finds the modules that its imports name. Made once for a state of the project; what it needs
/// to know of the whole project (source roots, configuration, the tree of modules) it finds out then, or when it is
/// asked first.
pub(crate) trait ModuleResolver: Send + Sync {
    /// Where `import` of the file `from` leads (the source as a whole; not the names taken from it).
    fn destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination;

    /// The files that `import` makes `from` depend on, each once: what [`ModuleResolver::destination`] names, with the
    /// submodules that its names mean, where the language has such.
    fn dependencies(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Vec<FileId> {
        match self.destination(project_index, from, names, import) {
            Destination::Module(Module::File(file) | Module::Scope(file, _)) => vec![file],
            Destination::Module(Module::Folder(folder)) => project_index.files().children(&folder).collect(),
            Destination::External(_) | Destination::Unresolved(_) => Vec::new(),
        }
    }

    /// The module called `name` inside `module`, where that is told by files and not by a name bound in it.
    fn submodule(&self, _project_index: &dyn ProjectIndex, _module: &Module, _name: &str) -> Option<Module> {
        None
    }

    /// What a bare name means as the beginning of a path where nothing in scope is called so: `crate`, `super`, a crate
    /// of the workspace.
    fn path_root(
        &self,
        _project_index: &dyn ProjectIndex,
        _from: FileId,
        _scope: ScopeId,
        _name: &str,
    ) -> Option<Module> {
        None
    }

    /// Modules whose names hold in the file `from` without an import: the other files of a Go package.
    fn implicit_modules(&self, _project_index: &dyn ProjectIndex, _from: FileId) -> Vec<Module> {
        Vec::new()
    }

    /// The files whose extensions may add members to the types of `file`, itself among them, in a fixed order: the
    /// files of a Go package, of a Rust crate. Empty: its own alone. Two files give the same list or lists without a
    /// common first file.
    fn extending_files(&self, _project_index: &dyn ProjectIndex, _file: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// The module that some file of the project declares by the name `source`, which comes before any file: an ambient
    /// module of TypeScript.
    fn declared_module(&self, _project_index: &dyn ProjectIndex, _source: &str) -> Option<Module> {
        None
    }

    /// Texts of which every file that depends on `file` holds at least one, so that few files need be parsed to find
    /// them: names of the module as an import may write them. Empty: any file may depend on it.
    fn needles(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String>;
}
