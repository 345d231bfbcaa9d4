//! Resolves the namespaces of C#. A namespace can have parts in any file, and `using` names no file: the files that a file
//! depends on are those that declare the types that it names.

mod projects;
mod scan;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use peelback_syntax::names::{BindingKind, FILE_SCOPE, ModuleImport, ModuleImportKind, Names, ScopeId, ScopeKind};

use crate::modules::{Destination, FileId, Module, ModuleResolver, ProjectIndex, SharedImports, file_name_of_path};
use projects::{ProjectOfFile, Projects};

/// The limit on the number of namespaces around a file in which names are looked up.
const MAX_NAMESPACES: usize = 64;

pub(super) struct CSharpModules {
    /// The files of each namespace, by its path, in order; that without a name is empty.
    namespaces: BTreeMap<Arc<str>, Vec<FileId>>,
    namespaces_of_file: HashMap<FileId, Vec<Arc<str>>>,
    /// The files that declare types of a name, in order.
    types: HashMap<Box<str>, Vec<FileId>>,
    types_of_file: HashMap<FileId, Vec<Box<str>>>,
    /// The files that declare extension methods of a name, in order.
    extension_methods: HashMap<Box<str>, Vec<FileId>>,
    projects: Projects,
    project_of_file: ProjectOfFile,
    /// What files without a project import by `global using`.
    usings_without_project: SharedImports,
    /// The names that `global using` directives give to types besides their own, by the last name of the type's path.
    aliases_of_types: HashMap<Box<str>, BTreeSet<Box<str>>>,
}

impl CSharpModules {
    pub fn new(project_index: &dyn ProjectIndex) -> Self {
        let files = project_index.project_file_table();
        let mut made = Self {
            namespaces: BTreeMap::new(),
            namespaces_of_file: HashMap::new(),
            types: HashMap::new(),
            types_of_file: HashMap::new(),
            extension_methods: HashMap::new(),
            projects: Projects::new(files),
            project_of_file: HashMap::new(),
            usings_without_project: SharedImports::default(),
            aliases_of_types: HashMap::new(),
        };
        for (id, entry) in (0..).zip(files.entries()) {
            if !entry.path.ends_with(".cs") {
                continue;
            }
            let Some(text) = files.read_and_record_text(id) else { continue };
            let found = scan::scan_text(&text);
            let project = made.projects.project_of_path(&entry.path);
            made.project_of_file.extend(project.map(|project| (id, project)));
            match project {
                Some(project) => made.projects.add_usings(project, found.global_usings),
                None => made.usings_without_project.extend(found.global_usings),
            }
            for path in found.namespaces {
                let path: Arc<str> = match made.namespaces.get_key_value(path.as_str()) {
                    Some((known, _)) => known.clone(),
                    None => path.into(),
                };
                made.namespaces.entry(path.clone()).or_default().push(id);
                made.namespaces_of_file.entry(id).or_default().push(path);
            }
            for name in &found.types {
                made.types.entry(name.as_str().into()).or_default().push(id);
            }
            for name in found.extension_methods {
                made.extension_methods.entry(name.into()).or_default().push(id);
            }
            made.types_of_file.insert(id, found.types.into_iter().map(Into::into).collect());
        }
        let without_project = made.usings_without_project.clone();
        let of_projects: Vec<SharedImports> = made.projects.all_usings().cloned().collect();
        for usings in of_projects.into_iter().chain([without_project]) {
            made.add_aliases(&usings);
        }
        made
    }

    fn add_aliases(&mut self, usings: &SharedImports) {
        for (alias, path) in &usings.aliases {
            let name = path.rsplit('.').next().unwrap_or(path);
            self.aliases_of_types.entry(name.into()).or_default().insert(alias.as_str().into());
        }
    }

    /// The module of a namespace, if it has files or namespaces inside it have some.
    pub fn namespace_module(&self, path: &str) -> Option<Module> {
        let from = (std::ops::Bound::Included(path), std::ops::Bound::Unbounded);
        let exact = self.namespaces.range::<str, _>(from).next().filter(|(known, _)| &***known == path);
        let inner = format!("{path}.");
        let inside = || {
            let from = (std::ops::Bound::Included(inner.as_str()), std::ops::Bound::Unbounded);
            self.namespaces.range::<str, _>(from).next().filter(|(known, _)| known.starts_with(&inner))
        };
        let file = *exact.or_else(inside)?.1.first()?;
        Some(Module::Package(path.into(), file))
    }

    /// The namespaces around the code of a file, the innermost first, without the one that has no name.
    pub fn namespaces_around(&self, file: FileId) -> Vec<&str> {
        let mut around: Vec<&str> = Vec::new();
        for path in self.namespaces_of_file.get(&file).into_iter().flatten() {
            let mut path: &str = path;
            while !path.is_empty() && around.len() < MAX_NAMESPACES {
                if !around.contains(&path) {
                    around.push(path);
                }
                path = path.rsplit_once('.').map_or("", |(outer, _)| outer);
            }
        }
        around.sort_by_key(|path| std::cmp::Reverse(path.len()));
        around
    }

    /// What all files of a file's project import.
    pub fn global_usings(&self, file: FileId) -> &SharedImports {
        let project = self.project_of_file.get(&file).and_then(|project| self.projects.usings(*project));
        project.unwrap_or(&self.usings_without_project)
    }

    /// The files of a namespace that may declare a type.
    fn files_declaring(&self, namespace: &str, name: &str) -> Vec<FileId> {
        let Some(files) = self.namespaces.get(namespace) else { return Vec::new() };
        let declaring = self.types.get(name).map_or(&[][..], Vec::as_slice);
        let (few, many) =
            if files.len() < declaring.len() { (files.as_slice(), declaring) } else { (declaring, files.as_slice()) };
        few.iter().copied().filter(|file| many.binary_search(file).is_ok()).collect()
    }

    /// The namespaces in which a file finds types by their bare names, by precedence.
    fn namespaces_in_sight(&self, from: FileId, names: &Names) -> Vec<String> {
        let mut found: Vec<String> = self.namespaces_around(from).into_iter().map(str::to_owned).collect();
        found.push(String::new());
        found.extend(self.global_usings(from).namespaces.iter().cloned());
        let globs = names.imports.iter().filter(|import| import.glob && !import.special);
        for import in globs.take(MAX_NAMESPACES) {
            found.extend(self.namespace_of_using(from, names.name_text(import.source)));
        }
        found
    }

    /// The full path of the namespace that a `using` directive names: its path can begin in a namespace around it.
    fn namespace_of_using(&self, from: FileId, path: &str) -> Option<String> {
        if self.namespace_module(path).is_some() {
            return Some(path.to_owned());
        }
        let inside = self.namespaces_around(from).into_iter().map(|around| format!("{around}.{path}"));
        inside.into_iter().find(|path| self.namespace_module(path).is_some())
    }

    /// The files that declare the type that a bare name means in a file.
    fn files_of_bare_type_name(&self, from: FileId, names: &Names, name: &str) -> Vec<FileId> {
        if let Some(path) = self.global_usings(from).path_of_alias(name) {
            let splits = self.splits_of_path(from, path);
            let declaring = |(namespace, types): &(String, Vec<&str>)| {
                types.first().map_or_else(Vec::new, |first| self.files_declaring(namespace, first))
            };
            return splits.iter().map(declaring).find(|files| !files.is_empty()).unwrap_or_default();
        }
        if !self.types.contains_key(name) {
            return Vec::new();
        }
        for namespace in self.namespaces_in_sight(from, names) {
            let mut files = self.files_declaring(&namespace, name);
            for own_first in [true, false] {
                let fits = |file: &FileId| match own_first {
                    true => self.are_compiled_together(from, *file),
                    false => self.can_see_definitions_of_file(from, *file),
                };
                if files.iter().any(fits) {
                    files.retain(fits);
                }
            }
            if !files.is_empty() {
                return files;
            }
        }
        Vec::new()
    }

    /// The namespaces and the names of types into which a path can be split, the longest namespace first.
    pub fn splits_of_path<'p>(&self, from: FileId, path: &'p str) -> Vec<(String, Vec<&'p str>)> {
        let parts: Vec<&str> = path.split('.').collect();
        let mut found = Vec::new();
        let around: Vec<&str> = std::iter::once("").chain(self.namespaces_around(from)).collect();
        for count in (0..parts.len()).rev() {
            let Some((inside, types)) = parts.split_at_checked(count) else { continue };
            for outer in &around {
                let inside = inside.join(".");
                let namespace = match (outer.is_empty(), inside.is_empty()) {
                    (true, _) => inside,
                    (false, true) => (*outer).to_owned(),
                    (false, false) => format!("{outer}.{inside}"),
                };
                if let Some(first) = types.first()
                    && !self.files_declaring(&namespace, first).is_empty()
                {
                    found.push((namespace, types.to_vec()));
                }
            }
        }
        found
    }
}

impl ModuleResolver for CSharpModules {
    fn import_destination(
        &self,
        _project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let path = names.name_text(import.source);
        if import.kind == ModuleImportKind::Path {
            // If the name is of no type of the project, nothing is imported.
            let files = self.files_of_bare_type_name(from, names, path);
            return Destination::Module(Module::File(files.first().copied().unwrap_or(from)));
        }
        if path.is_empty() {
            return Destination::Module(Module::Package(path.into(), from));
        }
        if let Some(module) = self.namespace_of_using(from, path).and_then(|path| self.namespace_module(&path)) {
            return Destination::Module(module);
        }
        for (namespace, types) in self.splits_of_path(from, path) {
            let files = types.first().map_or_else(Vec::new, |first| self.files_declaring(&namespace, first));
            if let Some(file) = files.first() {
                return Destination::Module(Module::File(*file));
            }
        }
        Destination::External(path.to_owned())
    }

    fn dependency_files_of_import(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Vec<FileId> {
        if import.kind == ModuleImportKind::Path {
            return self.files_of_bare_type_name(from, names, names.name_text(import.source));
        }
        match self.import_destination(project_index, from, names, import) {
            // Of a namespace, the files that declare what the file names.
            Destination::Module(Module::Package(path, _)) => {
                let used = names.imports.iter().filter(|import| import.kind == ModuleImportKind::Path);
                let used = used.map(|import| names.name_text(import.source));
                let own = import.names.iter().map(|name| names.name_text(*name));
                let files: BTreeSet<FileId> =
                    used.chain(own).flat_map(|name| self.files_declaring(&path, name)).collect();
                files.into_iter().collect()
            }
            Destination::Module(Module::File(file)) => vec![file],
            _ => Vec::new(),
        }
    }

    fn files_of_package(&self, _project_index: &dyn ProjectIndex, package: &str) -> Vec<FileId> {
        self.namespaces.get(package).cloned().unwrap_or_default()
    }

    fn files_of_package_possibly_defining(
        &self,
        _project_index: &dyn ProjectIndex,
        package: &str,
        name: &str,
    ) -> Vec<FileId> {
        self.files_declaring(package, name)
    }

    fn scopes_of_package_in_file(&self, names: &Names, package: &str) -> Vec<ScopeId> {
        if package.is_empty() {
            return vec![FILE_SCOPE];
        }
        let scopes = (0..).zip(&names.scopes).filter(|(_, scope)| {
            let owner = scope.owner.and_then(|owner| names.bindings.get(owner as usize));
            scope.kind == ScopeKind::Module && owner.is_some_and(|owner| names.name_text(owner.name) == package)
        });
        scopes.map(|(id, _)| id).collect()
    }

    fn package_of_scope(&self, names: &Names, scope: ScopeId) -> Option<String> {
        if scope == FILE_SCOPE {
            return Some(String::new());
        }
        let owner = names.scopes.get(scope as usize)?.owner?;
        let binding = names.bindings.get(owner as usize).filter(|binding| binding.kind == BindingKind::Module)?;
        Some(names.name_text(binding.name).to_owned())
    }

    fn can_see_definitions_of_file(&self, from: FileId, to: FileId) -> bool {
        match (self.project_of_file.get(&from), self.project_of_file.get(&to)) {
            (Some(from), Some(to)) => self.projects.can_see(*from, *to),
            _ => true,
        }
    }

    fn are_compiled_together(&self, one: FileId, other: FileId) -> bool {
        match (self.project_of_file.get(&one), self.project_of_file.get(&other)) {
            (Some(one), Some(other)) => one == other,
            // A file without a project is linked into others.
            _ => true,
        }
    }

    fn files_possibly_adding_member(&self, name: &str) -> Vec<FileId> {
        self.extension_methods.get(name).cloned().unwrap_or_default()
    }

    fn file_backed_submodule(&self, _project_index: &dyn ProjectIndex, module: &Module, name: &str) -> Option<Module> {
        match module {
            Module::Package(package, _) if package.is_empty() => self.namespace_module(name),
            Module::Package(package, _) => self.namespace_module(&format!("{package}.{name}")),
            _ => None,
        }
    }

    fn module_of_unbound_first_segment(
        &self,
        _project_index: &dyn ProjectIndex,
        from: FileId,
        _scope: u32,
        name: &str,
    ) -> Option<Module> {
        let inside = self.namespaces_around(from).into_iter().map(|around| format!("{around}.{name}"));
        inside.into_iter().find_map(|path| self.namespace_module(&path)).or_else(|| self.namespace_module(name))
    }

    fn modules_visible_without_import(&self, _project_index: &dyn ProjectIndex, from: FileId) -> Vec<Module> {
        let own = self.namespaces_around(from).into_iter().map(|path| Module::Package(path.into(), from));
        let outermost = Module::Package("".into(), from);
        let shared = self.global_usings(from).namespaces.iter().filter_map(|path| self.namespace_module(path));
        own.chain(std::iter::once(outermost)).chain(shared).collect()
    }

    fn shared_imports(&self, from: FileId) -> Option<&SharedImports> {
        Some(self.global_usings(from))
    }

    fn shared_aliases_of_type(&self, name: &str) -> Vec<String> {
        let aliases = self.aliases_of_types.get(name).into_iter().flatten();
        aliases.map(|alias| alias.as_ref().to_owned()).collect()
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        let types = self.types_of_file.get(&file).map_or(&[][..], Vec::as_slice);
        if types.is_empty() {
            let path = project_index.project_file_table().path_of_file(file);
            return vec![file_name_of_path(path).trim_end_matches(".cs").to_owned()];
        }
        let short = types.iter().filter_map(|name| name.strip_suffix("Attribute").filter(|name| !name.is_empty()));
        types.iter().map(|name| &**name).chain(short).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests;
