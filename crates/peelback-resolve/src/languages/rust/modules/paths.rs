//! Resolves Rust paths (`crate::a::b`) one segment at a time.

use peelback_syntax::names::{
    Binding, BindingKind, FILE_SCOPE, ModuleImport, ModuleImportKind, Names, ScopeId, ScopeKind,
};
use peelback_syntax::stack::run_on_enough_stack;

use super::RustModules;
use crate::modules::{FileId, Module, ProjectIndex};

/// The result of resolving a Rust path.
#[derive(Debug)]
pub(super) enum PathTarget {
    /// The path leads to this module.
    Module(Module),
    /// The path leads to an item in this module, and the item is no module itself.
    Item(Module),
    /// The path leads to something in the external crate of this name.
    External(String),
    /// Nothing was found at the path.
    Missing,
}

impl PathTarget {
    fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

/// The limit on the number of steps that resolving one path may take; glob imports can lead through many modules.
const MAX_STEPS: usize = 400;

/// The limit on the length of a chain of imports that is followed.
const MAX_IMPORTS: usize = 24;

/// The state of resolving one Rust path in an import.
pub(super) struct RustPathResolver<'a> {
    modules: &'a RustModules,
    project_index: &'a dyn ProjectIndex,
    /// Whether re-exports are followed; otherwise a path ends in the module that re-exports.
    follow_re_exports: bool,
    steps: usize,
    /// The lookups in progress, by module and name; a repeated lookup is a cycle.
    open_lookups: Vec<(Module, String)>,
}

/// An import, with the file that contains it and the names in that file.
#[derive(Clone, Copy)]
pub(super) struct ImportInFile<'a> {
    pub file: FileId,
    pub names: &'a Names,
    pub import: &'a ModuleImport,
}

impl<'a> RustPathResolver<'a> {
    pub fn new(modules: &'a RustModules, project_index: &'a dyn ProjectIndex, follow: bool) -> Self {
        Self { modules, project_index, follow_re_exports: follow, steps: 0, open_lookups: Vec::new() }
    }

    /// Resolves the path that an import has as its source.
    pub fn resolve_import_to_module_or_item(&mut self, from: ImportInFile<'_>) -> PathTarget {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return PathTarget::Missing;
        }
        // Every cycle of this resolver passes here or through `resolve_name_in_module`, which has a limit on its depth.
        run_on_enough_stack(|| self.resolve_path_of_import(from))
    }

    fn resolve_path_of_import(&mut self, from: ImportInFile<'_>) -> PathTarget {
        let mut segments = from.names.name_text(from.import.source).split("::").filter(|segment| !segment.is_empty());
        let Some(first) = segments.next() else { return PathTarget::Missing };
        let mut found = if from.import.special {
            self.resolve_extern_crate(from.file, first)
        } else {
            self.resolve_first_path_segment(from, first)
        };
        for segment in segments {
            let PathTarget::Module(module) = found else { return found };
            found = match self.resolve_name_in_module(&module, segment) {
                // A name that a macro generates or that a glob import provides is assumed to be in the module where it
                // is looked up.
                PathTarget::Missing if !self.follow_re_exports => return PathTarget::Item(module),
                next => next,
            };
        }
        found
    }

    /// Resolves `extern crate name`.
    fn resolve_extern_crate(&self, file: FileId, name: &str) -> PathTarget {
        if name == "self" {
            return PathTarget::Module(Module::File(
                self.modules.crate_root_of_file_or_itself(self.project_index, file),
            ));
        }
        match self.modules.project_crate_root_by_name(self.project_index.project_file_table(), file, name) {
            Some(root) => PathTarget::Module(Module::File(root)),
            None => PathTarget::External(name.to_owned()),
        }
    }

    /// Resolves the first segment of the path of an import.
    fn resolve_first_path_segment(&mut self, from: ImportInFile<'_>, name: &str) -> PathTarget {
        let here = RustModules::module_of_scope(from.names, from.file, from.import.scope);
        match name {
            "crate" => {
                return PathTarget::Module(Module::File(
                    self.modules.crate_root_of_file_or_itself(self.project_index, from.file),
                ));
            }
            "self" => return PathTarget::Module(here),
            "super" => {
                return self
                    .modules
                    .parent_module(self.project_index, &here)
                    .map_or(PathTarget::Missing, PathTarget::Module);
            }
            _ => {}
        }
        for scope in scopes_up_to_module(from.names, from.import.scope) {
            let found = self.resolve_name_bound_in_scope(from.file, from.names, scope, name, Some(from.import));
            if !found.is_missing() {
                return found;
            }
        }
        if let Some(root) =
            self.modules.project_crate_root_by_name(self.project_index.project_file_table(), from.file, name)
        {
            return PathTarget::Module(Module::File(root));
        }
        let written = from.import.kind == ModuleImportKind::Path;
        if matches!(name, "std" | "core" | "alloc" | "proc_macro") || (name == "test" && !written) {
            return PathTarget::External(name.to_owned());
        }
        let old = self
            .modules
            .package_of_file(self.project_index.project_file_table(), from.file)
            .is_some_and(|package| package.has_2015_paths);
        if old {
            let root = Module::File(self.modules.crate_root_of_file_or_itself(self.project_index, from.file));
            let found = self.resolve_name_in_module(&root, name);
            if !found.is_missing() {
                return found;
            }
        }
        for scope in scopes_up_to_module(from.names, from.import.scope) {
            let found = self.resolve_glob_imported_name(from.file, from.names, scope, name, Some(from.import));
            if !found.is_missing() {
                return found;
            }
        }
        match self.modules.package_of_file(self.project_index.project_file_table(), from.file) {
            Some(package) if package.can_be_dependency_name(name) => return PathTarget::External(name.to_owned()),
            // In a file of no package, any name may be that of an external crate.
            None if !written => return PathTarget::External(name.to_owned()),
            _ => {}
        }
        if let Some(found) = self.extern_crate_declared_in_crate_root(from.file, name) {
            return found;
        }
        // `macro_rules! a …` with `use a;` makes a macro visible to other modules.
        let is_macro = |id| from.names.bindings.iter().any(|b| b.kind == BindingKind::Macro && b.name == id);
        // A name without a declaration in code (a primitive type, a tool, generated by a macro) does not belong to an
        // external crate.
        if written || from.names.id_of_name(name).is_some_and(is_macro) {
            return PathTarget::Item(here);
        }
        self.first_glob_imported_external_crate(from)
    }

    /// The crate that the crate root imports for all its modules under a name: `extern crate a as b`.
    fn extern_crate_declared_in_crate_root(&mut self, file: FileId, name: &str) -> Option<PathTarget> {
        let root = self.modules.crate_root_of_file_or_itself(self.project_index, file);
        let names = self.project_index.names_of_file(root)?;
        let id = names.id_of_name(name)?;
        let imports = names.bindings.iter().filter(|binding| binding.scope == FILE_SCOPE && binding.name == id);
        let mut imports = imports.filter_map(|binding| names.imports.get(binding.import?.0 as usize));
        let import = imports.find(|import| import.special && import.kind != ModuleImportKind::Module)?;
        Some(self.resolve_extern_crate(root, names.name_text(import.source)))
    }

    /// The external crate from which a file imports everything: an otherwise unknown name may come from it.
    fn first_glob_imported_external_crate(&mut self, from: ImportInFile<'_>) -> PathTarget {
        for scope in scopes_up_to_module(from.names, from.import.scope) {
            let globs = |import: &&ModuleImport| import.glob && import.scope == scope && *import != from.import;
            for import in from.names.imports.iter().filter(globs) {
                let head = from.names.name_text(import.source).split("::").next().unwrap_or("");
                let package = self.modules.package_of_file(self.project_index.project_file_table(), from.file);
                if package.is_some_and(|package| package.can_be_dependency_name(head)) {
                    return PathTarget::External(head.to_owned());
                }
            }
        }
        PathTarget::Missing
    }

    /// The target of the name `name` if the scope itself binds it. `head` is the import whose path begins with this
    /// name; its own binding does not count.
    fn resolve_name_bound_in_scope(
        &mut self,
        file: FileId,
        names: &Names,
        scope: ScopeId,
        name: &str,
        head: Option<&ModuleImport>,
    ) -> PathTarget {
        let Some(index) = self.project_index.names_index_of_file(file) else { return PathTarget::Missing };
        let mut ids = index.bindings_of_name_text_in_scope(scope, name).to_vec();
        ids.sort_unstable();
        let mut best = PathTarget::Missing;
        for binding in ids.iter().map(|id| index.binding_or_placeholder(*id)) {
            let found = self.resolve_binding(file, names, binding, head);
            let better = match (&best, &found) {
                (PathTarget::Missing, _) => true,
                (PathTarget::Module(_), _) => false,
                (_, found) => matches!(found, PathTarget::Module(_)),
            };
            if better {
                best = found;
            }
        }
        best
    }

    fn resolve_binding(
        &mut self,
        file: FileId,
        names: &Names,
        binding: &Binding,
        head: Option<&ModuleImport>,
    ) -> PathTarget {
        let here = PathTarget::Item(RustModules::module_of_scope(names, file, binding.scope));
        match (binding.kind, binding.import) {
            (BindingKind::Module, _) => match binding.body {
                Some(body) => PathTarget::Module(Module::Scope(file, body)),
                None => here,
            },
            (BindingKind::Import, Some((import, taken))) => {
                let Some(import) = names.imports.get(import as usize) else { return PathTarget::Missing };
                if head == Some(import) {
                    return PathTarget::Missing;
                }
                if import.kind == ModuleImportKind::Module {
                    let file =
                        self.modules.declared_module_file(self.project_index.project_file_table(), file, names, import);
                    return file.map_or(PathTarget::Missing, |file| PathTarget::Module(Module::File(file)));
                }
                if !self.follow_re_exports && head.is_none() {
                    return here;
                }
                let source = self.resolve_import_to_module_or_item(ImportInFile { file, names, import });
                match (taken, source) {
                    (Some(taken), PathTarget::Module(module)) => {
                        match self.resolve_name_in_module(&module, names.name_text(taken)) {
                            PathTarget::Missing => PathTarget::Item(module),
                            found => found,
                        }
                    }
                    (_, source) => source,
                }
            }
            (BindingKind::Type | BindingKind::TypeAlias, _) => here,
            _ => PathTarget::Missing,
        }
    }

    /// The target of a name that the glob imports of a scope provide.
    fn resolve_glob_imported_name(
        &mut self,
        file: FileId,
        names: &Names,
        scope: ScopeId,
        name: &str,
        except: Option<&ModuleImport>,
    ) -> PathTarget {
        for import in
            names.imports.iter().filter(|import| import.glob && import.scope == scope && except != Some(*import))
        {
            let follow = std::mem::replace(&mut self.follow_re_exports, true);
            let source = self.resolve_import_to_module_or_item(ImportInFile { file, names, import });
            self.follow_re_exports = follow;
            if let PathTarget::Module(module) = source {
                let found = self.resolve_name_in_module(&module, name);
                if !found.is_missing() {
                    return found;
                }
            }
        }
        PathTarget::Missing
    }

    /// Resolves a name inside a Rust module.
    pub fn resolve_name_in_module(&mut self, module: &Module, name: &str) -> PathTarget {
        let (file, scope) = match (name, module) {
            ("self", _) => return PathTarget::Module(module.clone()),
            ("super", _) => {
                return self
                    .modules
                    .parent_module(self.project_index, module)
                    .map_or(PathTarget::Missing, PathTarget::Module);
            }
            (_, Module::File(file)) => (*file, FILE_SCOPE),
            (_, Module::Scope(file, scope)) => (*file, *scope),
            (_, Module::Folder(_) | Module::Package(..)) => return PathTarget::Missing,
        };
        self.steps += 1;
        let circle = self.open_lookups.iter().any(|(known, open_name)| known == module && open_name == name);
        if circle || self.steps > MAX_STEPS || self.open_lookups.len() > MAX_IMPORTS {
            return PathTarget::Missing;
        }
        let Some(names) = self.project_index.names_of_file(file) else { return PathTarget::Missing };
        self.open_lookups.push((module.clone(), name.to_owned()));
        let mut found = self.resolve_name_bound_in_scope(file, &names, scope, name, None);
        if found.is_missing() && self.follow_re_exports {
            found = self.resolve_glob_imported_name(file, &names, scope, name, None);
        }
        self.open_lookups.pop();
        found
    }
}

/// A scope and its enclosing scopes up to the module that contains it. A module does not see names from the scopes
/// around it.
fn scopes_up_to_module(names: &Names, scope: ScopeId) -> Vec<ScopeId> {
    let mut all = Vec::new();
    let mut at = Some(scope);
    while let Some(here) = at
        && let Some(scope) = names.scopes.get(here as usize)
    {
        all.push(here);
        at = if scope.kind == ScopeKind::Module { None } else { scope.parent };
    }
    all
}
