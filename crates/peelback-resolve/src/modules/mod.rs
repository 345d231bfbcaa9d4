//! The interface of module resolution: what an import can name, and the trait that finds it for the imports of a
//! language.

#[cfg(test)]
pub(crate) mod testing;

use std::sync::Arc;

use peelback_syntax::Language;
use peelback_syntax::names::{FILE_SCOPE, ModuleImport, Names, ScopeId};

pub(crate) use peelback_project::{
    ConsultedTexts, FileId, FileTable, file_name_of_path, folder_of_path, join_and_normalize_path,
};

use crate::resolve::index::NamesIndex;

/// A container of names in which other files can look names up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Module {
    /// A whole file as a module.
    File(FileId),
    /// A scope inside a file: an inline module, a namespace.
    Scope(FileId, ScopeId),
    /// A folder, by its path from the root: a Go package, a Python namespace package.
    Folder(Arc<str>),
    /// A package that is told by its name, whose files may be in several folders (Java): its name, and the first file
    /// that belongs to it or to a package whose name begins with its name.
    Package(Arc<str>, FileId),
}

/// The target that an import names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Destination {
    /// A module of the project.
    Module(Module),
    /// A package outside the project, by the name that one installs or includes (`react`, `std`, `stdio.h`).
    External(String),
    /// A target that should be in the project but was not found, with the reason in a few words.
    Unresolved(String),
}

/// The facts about the files of a project that the resolution of modules and names asks for.
pub(crate) trait ProjectIndex: Sync {
    /// The table of all files of the project.
    fn project_file_table(&self) -> &FileTable;

    /// The names of a file; `None` if the file cannot be read or parsed. A [`ModuleResolver`] can rely on imports,
    /// exports, modules, and bindings of the file and its modules; the rest may be missing.
    fn names_of_file(&self, file: FileId) -> Option<Arc<Names>>;

    /// The language of a file, by its name or its first line.
    fn language_of_project_file(&self, file: FileId) -> Option<&'static Language> {
        peelback_syntax::language::language_of_file_name(self.project_file_table().entry(file).name())
    }

    /// Whether a file can contain a name, without computing its names. `false` is certain.
    fn may_file_contain_name(&self, _file: FileId, _word: &str) -> bool {
        true
    }

    /// Whether the text of a file can contain a word. `false` is certain.
    fn may_text_contain_word(&self, _file: FileId, _word: &str) -> bool {
        true
    }

    /// An index for look-ups of the names in a file; `None` if the file cannot be read or parsed.
    fn names_index_of_file(&self, file: FileId) -> Option<Arc<NamesIndex>> {
        self.names_of_file(file).map(|names| Arc::new(NamesIndex::new(names)))
    }
}

/// Imports that one file has for others: `global using` of a C# project.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SharedImports {
    /// The paths of namespaces.
    pub namespaces: Vec<String>,
    /// The paths of types whose members are named without the type (`using static`).
    pub types: Vec<String>,
    /// Other names for types, with the path of each.
    pub aliases: Vec<(String, String)>,
}

impl SharedImports {
    /// Adds further imports.
    pub fn extend(&mut self, others: Self) {
        self.namespaces.extend(others.namespaces);
        self.types.extend(others.types);
        self.aliases.extend(others.aliases);
    }

    /// The path for which an alias stands.
    pub fn path_of_alias(&self, name: &str) -> Option<&str> {
        self.aliases.iter().find(|(alias, _)| alias == name).map(|(_, path)| path.as_str())
    }
}

/// Finds the modules that the imports of a language name, for one state of the project. Facts about the whole project
/// (source roots, configuration, the module tree) are computed when the resolver is created, or on first use.
pub(crate) trait ModuleResolver: Send + Sync {
    /// The target that the source of `import` names in the file `from`. The names that are taken from the source do not
    /// matter.
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination;

    /// The files that `import` makes `from` depend on, each once: the file of [`ModuleResolver::import_destination`],
    /// and submodules that the imported names mean.
    fn dependency_files_of_import(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Vec<FileId> {
        match self.import_destination(project_index, from, names, import) {
            Destination::Module(Module::File(file) | Module::Scope(file, _)) => vec![file],
            Destination::Module(Module::Folder(folder)) => {
                project_index.project_file_table().child_files(&folder).collect()
            }
            Destination::Module(Module::Package(package, _)) => {
                self.files_of_package(project_index, &package).into_iter().filter(|file| *file != from).collect()
            }
            Destination::External(_) | Destination::Unresolved(_) => Vec::new(),
        }
    }

    /// The files of the package with this name, see [`Module::Package`].
    fn files_of_package(&self, _project_index: &dyn ProjectIndex, _package: &str) -> Vec<FileId> {
        Vec::new()
    }

    /// The files of a package that may define a type called `name`, see [`Module::Package`].
    fn files_of_package_possibly_defining(
        &self,
        project_index: &dyn ProjectIndex,
        package: &str,
        name: &str,
    ) -> Vec<FileId> {
        let mut files = self.files_of_package(project_index, package);
        files.retain(|file| project_index.may_file_contain_name(*file, name));
        files
    }

    /// The scopes of a file whose names belong to a package, see [`Module::Package`].
    fn scopes_of_package_in_file(&self, _names: &Names, _package: &str) -> Vec<ScopeId> {
        vec![FILE_SCOPE]
    }

    /// The package to which the names of a scope belong, where the scopes of one file can be of several packages.
    fn package_of_scope(&self, _names: &Names, _scope: ScopeId) -> Option<String> {
        None
    }

    /// Whether the file `from` can use what the file `to` defines, by the units in which they are compiled.
    fn can_see_definitions_of_file(&self, _from: FileId, _to: FileId) -> bool {
        true
    }

    /// Whether two files are compiled together.
    fn are_compiled_together(&self, _one: FileId, _other: FileId) -> bool {
        true
    }

    /// The files that may add a member of this name to types from outside, for code in any file.
    fn files_possibly_adding_member(&self, _name: &str) -> Vec<FileId> {
        Vec::new()
    }

    /// The module called `name` inside `module`, if files define it and not a binding.
    fn file_backed_submodule(
        &self,
        _project_index: &dyn ProjectIndex,
        _module: &Module,
        _name: &str,
    ) -> Option<Module> {
        None
    }

    /// Whether a module stands for a class of which code can import the members (a file of Kotlin in Java).
    fn is_class_of_files(&self, _module: &Module) -> bool {
        false
    }

    /// Whether files can define members of `module` that no binding names, other than those of
    /// [`ModuleResolver::relative_module_keywords`].
    fn may_have_file_submodules(&self, _project_index: &dyn ProjectIndex, _module: &Module) -> bool {
        false
    }

    /// The names that mean a module inside every module, without a binding: `self`, `super`.
    fn relative_module_keywords(&self) -> &'static [&'static str] {
        &[]
    }

    /// The module that a bare name at the start of a path means if no scope binds it: `crate`, `super`, a crate of the
    /// workspace.
    fn module_of_unbound_first_segment(
        &self,
        _project_index: &dyn ProjectIndex,
        _from: FileId,
        _scope: ScopeId,
        _name: &str,
    ) -> Option<Module> {
        None
    }

    /// Modules whose names are visible in the file `from` without an import: the other files of a Go package.
    fn modules_visible_without_import(&self, _project_index: &dyn ProjectIndex, _from: FileId) -> Vec<Module> {
        Vec::new()
    }

    /// The imports that hold in the file `from` though another file has them; `None` in a language without such.
    fn shared_imports(&self, _from: FileId) -> Option<&SharedImports> {
        None
    }

    /// The names that shared imports give to types called `name` besides their own, in any file.
    fn shared_aliases_of_type(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// The files whose extensions can add members to the types of `file`, itself included, in a fixed order: the files
    /// of a Go package, of a Rust crate. Empty if only the file itself can. The lists of two files are equal, or have
    /// different first files.
    fn files_possibly_extending_types_of(&self, _project_index: &dyn ProjectIndex, _file: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// The module that a file of the project declares by the name `source`, which takes precedence over files: an
    /// ambient module of TypeScript.
    fn find_ambient_module(&self, _project_index: &dyn ProjectIndex, _source: &str) -> Option<Module> {
        None
    }

    /// Whether a tool adds imports to a file, so that names which nothing binds there can be definitions of other files.
    fn are_imports_added_by_tool(&self, _project_index: &dyn ProjectIndex, _file: FileId) -> bool {
        false
    }

    /// Texts of which every file that depends on `file` contains at least one: names of the module as an import can
    /// write them. They limit the files that must be parsed to find dependents. Empty if any file may depend on it.
    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String>;
}
