//! Paths of modules: `crate::a::b`, step by step.

use peelback_syntax::names::{
    Binding, BindingKind, FILE_SCOPE, ModuleImport, ModuleImportKind, Names, ScopeId, ScopeKind,
};

use super::RustModules;
use crate::modules::{FileId, Module, ProjectIndex};

/// What a path leads to.
#[derive(Debug)]
pub(super) enum Found {
    /// A module.
    Module(Module),
    /// Something in this module that is no module.
    Item(Module),
    /// Something of this crate, which is not of the project.
    External(String),
    /// Nothing that is there.
    Missing,
}

impl Found {
    fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

/// How many steps one path may take in all: imports of everything lead to many modules.
const MAX_STEPS: usize = 400;

/// How many imports are followed from one to the next.
const MAX_IMPORTS: usize = 24;

/// One path on its way.
pub(super) struct Way<'a> {
    modules: &'a RustModules,
    project_index: &'a dyn ProjectIndex,
    /// Whether re-exports are followed; else a path ends in the module that has them.
    follow: bool,
    steps: usize,
    /// Where names are sought at the moment: what leads there again leads in a circle.
    open: Vec<(Module, String)>,
}

/// An import of a file.
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

    /// Where the source of an import leads.
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
                // What a macro makes, or an import of everything brings in, is in the module where it is sought.
                Found::Missing if !self.follow => return Found::Item(module),
                next => next,
            };
        }
        found
    }

    /// `extern crate name`.
    fn crate_called(&self, file: FileId, name: &str) -> Found {
        if name == "self" {
            return Found::Module(Module::File(self.modules.root(self.project_index, file)));
        }
        match self.modules.extern_crate(self.project_index.files(), file, name) {
            Some(root) => Found::Module(Module::File(root)),
            None => Found::External(name.to_owned()),
        }
    }

    /// The first name of a path.
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
            // Without a manifest a crate may have any name.
            None if !written => return Found::External(name.to_owned()),
            _ => {}
        }
        if let Some(found) = self.root_crate(from.file, name) {
            return found;
        }
        // `macro_rules! a …` and `use a;`: that a macro is seen from other modules.
        let is_macro = |id| from.names.bindings.iter().any(|b| b.kind == BindingKind::Macro && b.name == id);
        // What nobody declares in code (a primitive type, a tool, what a macro makes) is no other package's.
        if written || from.names.id_of(name).is_some_and(is_macro) {
            return Found::Item(here);
        }
        self.outer_star(from)
    }

    /// The crate that the root of the file's own brings in under a name for all its modules: `extern crate a as b`.
    fn root_crate(&mut self, file: FileId, name: &str) -> Option<Found> {
        let root = self.modules.root(self.project_index, file);
        let names = self.project_index.names(root)?;
        let id = names.id_of(name)?;
        let imports = names.bindings.iter().filter(|binding| binding.scope == FILE_SCOPE && binding.name == id);
        let mut imports = imports.filter_map(|binding| names.imports.get(binding.import?.0 as usize));
        let import = imports.find(|import| import.special && import.kind != ModuleImportKind::Module)?;
        Some(self.crate_called(root, names.text(import.source)))
    }

    /// The other package of which a file takes everything: a name that is nowhere else may be of it.
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

    /// What is called `name` in a scope itself; at the head of the path of `head`, which binds it in vain.
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

    /// What the imports of everything in a scope bring in under a name.
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

    /// What a module has under a name.
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
        let circle = self.open.iter().any(|(known, sought)| known == module && sought == name);
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

/// A scope and those around it, up to the module that holds it: a module does not see what is around it.
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
