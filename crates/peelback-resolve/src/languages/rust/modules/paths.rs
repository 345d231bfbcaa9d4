//! Resolves Rust paths (`crate::a::b`) one segment at a time.

use peelback_syntax::names::{
    Binding, BindingKind, FILE_SCOPE, ModuleImport, ModuleImportKind, Names, ScopeId, ScopeKind,
};

use super::RustModules;
use crate::modules::{FileId, Module, ProjectIndex};

/// The result of resolving a path.
#[derive(Debug)]
pub(super) enum Found {
    /// A module.
    Module(Module),
    /// An item in this module that is no module itself.
    Item(Module),
    /// Something in the external crate of this name.
    External(String),
    /// Nothing was found.
    Missing,
}

impl Found {
    fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

/// The most steps that resolving one path may take; glob imports can lead through many modules.
const MAX_STEPS: usize = 400;

/// The longest chain of imports that is followed.
const MAX_IMPORTS: usize = 24;

/// The state of resolving one path.
pub(super) struct Way<'a> {
    modules: &'a RustModules,
    project_index: &'a dyn ProjectIndex,
    /// Whether re-exports are followed; otherwise a path ends in the module that re-exports.
    follow: bool,
    steps: usize,
    /// The lookups in progress, by module and name; a repeated lookup is a cycle.
    open: Vec<(Module, String)>,
}

/// An import with its file.
#[derive(Clone, Copy)]
pub(super) struct From<'a> {
    pub file: FileId,
    pub names: &'a Names,
    pub import: &'a ModuleImport,
}

impl<'a> Way<'a> {
    pub fn new(modules: &'a RustModules, project_index: &'a dyn ProjectIndex, follow: bool) -> Self {
        Self { modules, project_index, follow, steps: 0, open: Vec::new() }
    }

    /// Resolves the source of an import.
    pub fn source(&mut self, from: From<'_>) -> Found {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Found::Missing;
        }
        let mut segments = from.names.text(from.import.source).split("::").filter(|segment| !segment.is_empty());
        let Some(first) = segments.next() else { return Found::Missing };
        let mut found = if from.import.special { self.crate_called(from.file, first) } else { self.head(from, first) };
        for segment in segments {
            let Found::Module(module) = found else { return found };
            found = match self.step(&module, segment) {
                // A name that a macro generates or that a glob import provides is assumed to be in the module where it
                // is looked up.
                Found::Missing if !self.follow => return Found::Item(module),
                next => next,
            };
        }
        found
    }

    /// Resolves `extern crate name`.
    fn crate_called(&self, file: FileId, name: &str) -> Found {
        if name == "self" {
            return Found::Module(Module::File(self.modules.root(self.project_index, file)));
        }
        match self.modules.extern_crate(self.project_index.files(), file, name) {
            Some(root) => Found::Module(Module::File(root)),
            None => Found::External(name.to_owned()),
        }
    }

    /// Resolves the first segment of a path.
    fn head(&mut self, from: From<'_>, name: &str) -> Found {
        let here = RustModules::module_of(from.names, from.file, from.import.scope);
        match name {
            "crate" => return Found::Module(Module::File(self.modules.root(self.project_index, from.file))),
            "self" => return Found::Module(here),
            "super" => return self.modules.above(self.project_index, &here).map_or(Found::Missing, Found::Module),
            _ => {}
        }
        for scope in scopes(from.names, from.import.scope) {
            let found = self.bound(from.file, from.names, scope, name, Some(from.import));
            if !found.is_missing() {
                return found;
            }
        }
        if let Some(root) = self.modules.extern_crate(self.project_index.files(), from.file, name) {
            return Found::Module(Module::File(root));
        }
        let written = from.import.kind == ModuleImportKind::Path;
        if matches!(name, "std" | "core" | "alloc" | "proc_macro") || (name == "test" && !written) {
            return Found::External(name.to_owned());
        }
        let old = self.modules.package(self.project_index.files(), from.file).is_some_and(|package| package.old_paths);
        if old {
            let root = Module::File(self.modules.root(self.project_index, from.file));
            let found = self.step(&root, name);
            if !found.is_missing() {
                return found;
            }
        }
        for scope in scopes(from.names, from.import.scope) {
            let found = self.starred(from.file, from.names, scope, name, Some(from.import));
            if !found.is_missing() {
                return found;
            }
        }
        match self.modules.package(self.project_index.files(), from.file) {
            Some(package) if package.names_crate(name) => return Found::External(name.to_owned()),
            // Without a manifest, any name may be that of a crate.
            None if !written => return Found::External(name.to_owned()),
            _ => {}
        }
        if let Some(found) = self.root_crate(from.file, name) {
            return found;
        }
        // `macro_rules! a …` with `use a;` makes a macro visible to other modules.
        let is_macro = |id| from.names.bindings.iter().any(|b| b.kind == BindingKind::Macro && b.name == id);
        // A name without a declaration in code (a primitive type, a tool, generated by a macro) does not belong to an
        // external crate.
        if written || from.names.id_of(name).is_some_and(is_macro) {
            return Found::Item(here);
        }
        self.outer_star(from)
    }

    /// The crate that the crate root imports for all its modules under a name: `extern crate a as b`.
    fn root_crate(&mut self, file: FileId, name: &str) -> Option<Found> {
        let root = self.modules.root(self.project_index, file);
        let names = self.project_index.names(root)?;
        let id = names.id_of(name)?;
        let imports = names.bindings.iter().filter(|binding| binding.scope == FILE_SCOPE && binding.name == id);
        let mut imports = imports.filter_map(|binding| names.imports.get(binding.import?.0 as usize));
        let import = imports.find(|import| import.special && import.kind != ModuleImportKind::Module)?;
        Some(self.crate_called(root, names.text(import.source)))
    }

    /// The external crate from which a file imports everything: an otherwise unknown name may come from it.
    fn outer_star(&mut self, from: From<'_>) -> Found {
        for scope in scopes(from.names, from.import.scope) {
            let globs = |import: &&ModuleImport| import.glob && import.scope == scope && *import != from.import;
            for import in from.names.imports.iter().filter(globs) {
                let head = from.names.text(import.source).split("::").next().unwrap_or("");
                let package = self.modules.package(self.project_index.files(), from.file);
                if package.is_some_and(|package| package.names_crate(head)) {
                    return Found::External(head.to_owned());
                }
            }
        }
        Found::Missing
    }

    /// The target of the name `name` bound directly in a scope. `head` is the import whose path begins with this name;
    /// its own binding does not count.
    fn bound(&mut self, file: FileId, names: &Names, scope: ScopeId, name: &str, head: Option<&ModuleImport>) -> Found {
        let Some(id) = names.id_of(name) else { return Found::Missing };
        let mut best = Found::Missing;
        for binding in names.bindings.iter().filter(|binding| binding.scope == scope && binding.name == id) {
            let found = self.binding(file, names, binding, head);
            let better = match (&best, &found) {
                (Found::Missing, _) => true,
                (Found::Module(_), _) => false,
                (_, found) => matches!(found, Found::Module(_)),
            };
            if better {
                best = found;
            }
        }
        best
    }

    fn binding(&mut self, file: FileId, names: &Names, binding: &Binding, head: Option<&ModuleImport>) -> Found {
        let here = Found::Item(RustModules::module_of(names, file, binding.scope));
        match (binding.kind, binding.import) {
            (BindingKind::Module, _) => match binding.body {
                Some(body) => Found::Module(Module::Scope(file, body)),
                None => here,
            },
            (BindingKind::Import, Some((import, taken))) => {
                let Some(import) = names.imports.get(import as usize) else { return Found::Missing };
                if head == Some(import) {
                    return Found::Missing;
                }
                if import.kind == ModuleImportKind::Module {
                    let file = self.modules.module_file(self.project_index.files(), file, names, import);
                    return file.map_or(Found::Missing, |file| Found::Module(Module::File(file)));
                }
                if !self.follow && head.is_none() {
                    return here;
                }
                let source = self.source(From { file, names, import });
                match (taken, source) {
                    (Some(taken), Found::Module(module)) => match self.step(&module, names.text(taken)) {
                        Found::Missing => Found::Item(module),
                        found => found,
                    },
                    (_, source) => source,
                }
            }
            (BindingKind::Type | BindingKind::TypeAlias, _) => here,
            _ => Found::Missing,
        }
    }

    /// The target of a name that the glob imports of a scope provide.
    fn starred(
        &mut self,
        file: FileId,
        names: &Names,
        scope: ScopeId,
        name: &str,
        except: Option<&ModuleImport>,
    ) -> Found {
        for import in
            names.imports.iter().filter(|import| import.glob && import.scope == scope && except != Some(*import))
        {
            let follow = std::mem::replace(&mut self.follow, true);
            let source = self.source(From { file, names, import });
            self.follow = follow;
            if let Found::Module(module) = source {
                let found = self.step(&module, name);
                if !found.is_missing() {
                    return found;
                }
            }
        }
        Found::Missing
    }

    /// Resolves a name inside a module.
    pub fn step(&mut self, module: &Module, name: &str) -> Found {
        let (file, scope) = match (name, module) {
            ("self", _) => return Found::Module(module.clone()),
            ("super", _) => {
                return self.modules.above(self.project_index, module).map_or(Found::Missing, Found::Module);
            }
            (_, Module::File(file)) => (*file, FILE_SCOPE),
            (_, Module::Scope(file, scope)) => (*file, *scope),
            (_, Module::Folder(_)) => return Found::Missing,
        };
        self.steps += 1;
        let circle = self.open.iter().any(|(known, open_name)| known == module && open_name == name);
        if circle || self.steps > MAX_STEPS || self.open.len() > MAX_IMPORTS {
            return Found::Missing;
        }
        let Some(names) = self.project_index.names(file) else { return Found::Missing };
        self.open.push((module.clone(), name.to_owned()));
        let mut found = self.bound(file, &names, scope, name, None);
        if found.is_missing() && self.follow {
            found = self.starred(file, &names, scope, name, None);
        }
        self.open.pop();
        found
    }
}

/// A scope and its enclosing scopes up to the module that contains it. A module does not see names from the scopes
/// around it.
fn scopes(names: &Names, scope: ScopeId) -> Vec<ScopeId> {
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
