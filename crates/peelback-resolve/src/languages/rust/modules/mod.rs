//! Resolves the crates and module trees of Rust.
//!
//! The file of a module follows from its path and the files around it. Which file declares a module is found on demand,
//! by reading the files that may declare it; the whole tree is never built.

mod manifest;
mod paths;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::names::{BindingKind, FILE_SCOPE, ModuleImport, ModuleImportKind, Names, ScopeId, ScopeKind};

use crate::modules::{
    Destination, FileId, FileTable, Module, ModuleResolver, ProjectIndex, file_name_of_path, folder_of_path,
    join_and_normalize_path,
};
use manifest::{CargoManifest, CargoPackage};
use paths::{ImportInFile, PathTarget, RustPathResolver};

/// For each file of a module that a file declares, the index of the import that declares it.
type DeclaredModules = Arc<HashMap<FileId, usize>>;

/// For each file that a `#[path]` attribute names, the file that contains the attribute.
type PathAttributeModules = Arc<HashMap<FileId, FileId>>;

pub(super) struct RustModules {
    /// The Rust packages of the project, sorted by folder.
    packages: Vec<CargoPackage>,
    by_folder: HashMap<String, usize>,
    roots: HashSet<FileId>,
    /// The file that declares each module looked up so far, by the module's file; `None` for crate roots.
    parents: Mutex<HashMap<FileId, Option<FileId>>>,
    /// The files of the modules that each file declares, with the indexes of the imports that declare them.
    declared_modules: Mutex<HashMap<FileId, DeclaredModules>>,
    /// The files of each package, by the package's folder.
    package_files: Mutex<HashMap<String, Arc<[FileId]>>>,
    /// For each folder, the modules that `#[path]` attributes in its files declare: the module's file, with the file
    /// that contains the attribute.
    path_attribute_modules: Mutex<HashMap<String, PathAttributeModules>>,
}

impl RustModules {
    pub fn new(project_index: &dyn ProjectIndex) -> Self {
        let files = project_index.project_file_table();
        let manifests: Vec<CargoManifest> = (0..)
            .zip(files.entries())
            .filter(|(_, entry)| file_name_of_path(&entry.path) == "Cargo.toml")
            .filter_map(|(file, _)| CargoManifest::read(files, file))
            .collect();
        let mut packages: Vec<CargoPackage> =
            manifests.iter().filter_map(|manifest| manifest.to_package(files, &manifests)).collect();
        packages.sort_by(|a, b| a.folder.cmp(&b.folder));
        let by_folder = packages.iter().enumerate().map(|(at, package)| (package.folder.clone(), at)).collect();
        let roots = packages.iter().flat_map(|package| package.crate_roots.iter().copied()).collect();
        Self {
            packages,
            by_folder,
            roots,
            parents: Mutex::default(),
            declared_modules: Mutex::default(),
            package_files: Mutex::default(),
            path_attribute_modules: Mutex::default(),
        }
    }

    /// The package whose folder contains a file.
    fn package_of_file(&self, files: &FileTable, file: FileId) -> Option<&CargoPackage> {
        let mut folder = folder_of_path(files.path_of_file(file));
        loop {
            if let Some(at) = self.by_folder.get(folder) {
                return self.packages.get(*at);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder_of_path(folder);
        }
    }

    /// The root file of the crate that a file belongs to. A file that belongs to no crate counts as the root of its own
    /// crate.
    fn crate_root_of_file_or_itself(&self, project_index: &dyn ProjectIndex, file: FileId) -> FileId {
        let mut at = file;
        // A module tree is at most as deep as its folders; the limit ends cycles.
        for _ in 0..64 {
            match self.parent_module_file(project_index, at) {
                Some(parent) => at = parent,
                None => return at,
            }
        }
        file
    }

    /// The file that declares the module whose file is `file`; `None` for a crate root.
    fn parent_module_file(&self, project_index: &dyn ProjectIndex, file: FileId) -> Option<FileId> {
        if self.roots.contains(&file) {
            return None;
        }
        if let Some(known) = self.parents.lock().unwrap_or_else(PoisonError::into_inner).get(&file) {
            return *known;
        }
        let found = self.find_parent_module_file_uncached(project_index, file);
        self.parents.lock().unwrap_or_else(PoisonError::into_inner).insert(file, found);
        found
    }

    fn find_parent_module_file_uncached(&self, project_index: &dyn ProjectIndex, file: FileId) -> Option<FileId> {
        let files = project_index.project_file_table();
        let path = files.path_of_file(file);
        let declares = |candidate: FileId| {
            candidate != file && self.import_index_of_module_declaration(project_index, candidate, file).is_some()
        };
        let top = self.package_of_file(files, file).map_or("", |package| package.folder.as_str());
        let mut folder = folder_of_path(path);
        if file_name_of_path(path) == "mod.rs" {
            folder = folder_of_path(folder);
        }
        loop {
            let beside =
                [join_and_normalize_path(folder, "mod.rs"), (!folder.is_empty()).then(|| format!("{folder}.rs"))];
            let mut candidates: Vec<FileId> =
                beside.into_iter().flatten().filter_map(|path| files.id_of_path(&path)).collect();
            candidates.extend(files.child_files(folder).filter(|file| {
                self.roots.contains(file)
                    || matches!(file_name_of_path(files.path_of_file(*file)), "lib.rs" | "main.rs")
            }));
            if let Some(found) = candidates.into_iter().find(|candidate| declares(*candidate)) {
                return Some(found);
            }
            // A module inside an inline module is in a folder that has no file of its own.
            if folder == top || folder.is_empty() {
                break;
            }
            folder = folder_of_path(folder);
        }
        // The remaining possibility: a `#[path]` attribute names the file.
        self.files_named_by_path_attributes(project_index, top).get(&file).copied()
    }

    /// The files below the folder `top` that `#[path = "…"] mod name;` attributes in other files name, each with the
    /// file that contains the attribute.
    fn files_named_by_path_attributes(&self, project_index: &dyn ProjectIndex, top: &str) -> PathAttributeModules {
        // The lock is held while the files are read, because reading them twice takes longer than waiting.
        let mut known = self.path_attribute_modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(attributed) = known.get(top) {
            return attributed.clone();
        }
        let files = project_index.project_file_table();
        let is_rust = |file: &FileId| files.path_of_file(*file).ends_with(".rs");
        let mut attributed = HashMap::new();
        for parent in files.files_below_folder(top).filter(is_rust) {
            if !files.read_and_record_text(parent).is_some_and(|text| may_contain_path_attribute(&text)) {
                continue;
            }
            let Some(names) = project_index.names_of_file(parent) else { continue };
            for import in
                names.imports.iter().filter(|import| import.kind == ModuleImportKind::Module && import.special)
            {
                if let Some(child) =
                    self.declared_module_file(files, parent, &names, import).filter(|child| *child != parent)
                {
                    attributed.entry(child).or_insert(parent);
                }
            }
        }
        let attributed = Arc::new(attributed);
        known.insert(top.to_owned(), attributed.clone());
        attributed
    }

    /// The index of the import by which `parent` declares `child` as a module.
    fn import_index_of_module_declaration(
        &self,
        project_index: &dyn ProjectIndex,
        parent: FileId,
        child: FileId,
    ) -> Option<usize> {
        let lock = || self.declared_modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&parent) {
            return known.get(&child).copied();
        }
        let names = project_index.names_of_file(parent)?;
        let mut declared = HashMap::new();
        for (index, import) in names.imports.iter().enumerate() {
            if import.kind == ModuleImportKind::Module
                && let Some(file) =
                    self.declared_module_file(project_index.project_file_table(), parent, &names, import)
            {
                declared.entry(file).or_insert(index);
            }
        }
        let found = declared.get(&child).copied();
        lock().insert(parent, Arc::new(declared));
        found
    }

    /// The file of a module that is declared without a body (`mod name;`).
    fn declared_module_file(
        &self,
        files: &FileTable,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Option<FileId> {
        let path = files.path_of_file(from);
        let folder = folder_of_path(path);
        let stem = file_name_of_path(path).strip_suffix(".rs").unwrap_or_default();
        let own = join_and_normalize_path(folder, stem)?;
        let inside = folder_path_of_inline_modules(names, import.scope);
        let source = names.name_text(import.source);
        if import.special {
            let below_own = join_and_normalize_path(&own, &inside)
                .and_then(|base| files.id_of_path(&join_and_normalize_path(&base, source)?));
            let below_folder = join_and_normalize_path(folder, &inside)
                .and_then(|base| files.id_of_path(&join_and_normalize_path(&base, source)?));
            return if inside.is_empty() { below_folder } else { below_own.or(below_folder) };
        }
        let source = source.strip_prefix("r#").unwrap_or(source);
        let is_root = matches!(stem, "mod" | "lib" | "main") || self.roots.contains(&from);
        // A file that a `#[path]` attribute names may also have its own modules in its own folder.
        let bases = if is_root { [folder, own.as_str()] } else { [own.as_str(), folder] };
        bases.into_iter().find_map(|base| {
            let base = join_and_normalize_path(base, &inside)?;
            let at = |path: &str| files.id_of_path(&join_and_normalize_path(&base, path)?).filter(|file| *file != from);
            at(&format!("{source}.rs")).or_else(|| at(&format!("{source}/mod.rs")))
        })
    }

    /// The Rust module that contains a scope: an inline module, or the file itself.
    fn module_of_scope(names: &Names, file: FileId, scope: ScopeId) -> Module {
        let mut at = Some(scope);
        while let Some(scope) = at.and_then(|at| names.scopes.get(at as usize)) {
            if scope.kind == ScopeKind::Module {
                return Module::Scope(file, at.unwrap_or(FILE_SCOPE));
            }
            at = scope.parent;
        }
        Module::File(file)
    }

    /// The module that `super` means inside `module`.
    fn parent_module(&self, project_index: &dyn ProjectIndex, module: &Module) -> Option<Module> {
        match module {
            Module::File(file) => {
                let parent = self.parent_module_file(project_index, *file)?;
                let names = project_index.names_of_file(parent)?;
                let import =
                    names.imports.get(self.import_index_of_module_declaration(project_index, parent, *file)?)?;
                Some(Self::module_of_scope(&names, parent, import.scope))
            }
            Module::Scope(file, scope) => {
                let names = project_index.names_of_file(*file)?;
                let parent = names.scopes.get(*scope as usize)?.parent?;
                Some(Self::module_of_scope(&names, *file, parent))
            }
            Module::Folder(_) | Module::Package(..) => None,
        }
    }

    /// The root file of the project crate that a file may refer to as `name`.
    fn project_crate_root_by_name(&self, files: &FileTable, from: FileId, name: &str) -> Option<FileId> {
        let package = self.package_of_file(files, from)?;
        if let Some(folder) = package.dependencies.get(name) {
            let at = self.by_folder.get(folder)?;
            return self.packages.get(*at)?.library_root;
        }
        // The other crates of a package refer to its library by the library's name.
        (package.library_name == name).then_some(package.library_root).flatten()
    }
}

/// Whether a Rust text may contain `#[path = "…"]`, alone or among other attributes.
fn may_contain_path_attribute(text: &str) -> bool {
    let mut before = 0;
    memchr::memmem::find_iter(text.as_bytes(), "path").any(|at| {
        let opens = text.get(before..at).and_then(|text| text.trim_end().chars().next_back());
        let rest = text.get(at + "path".len()..).unwrap_or("").trim_start();
        before = at;
        let value = rest.strip_prefix('=').map(str::trim_start);
        matches!(opens, Some('[' | '(' | ',')) && value.is_some_and(|value| value.starts_with(['"', 'r']))
    })
}

/// The folder path that the inline modules around a scope add to the files of modules declared there: `a/b`.
fn folder_path_of_inline_modules(names: &Names, scope: ScopeId) -> String {
    let mut parts = Vec::new();
    let mut at = Some(scope);
    while let Some(scope) = at.and_then(|at| names.scopes.get(at as usize)) {
        if scope.kind == ScopeKind::Module
            && let Some(owner) = scope.owner.and_then(|owner| names.bindings.get(owner as usize))
        {
            parts.push(names.name_text(owner.name));
        }
        at = scope.parent;
    }
    parts.reverse();
    parts.join("/")
}

impl ModuleResolver for RustModules {
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let unresolved = || Destination::Unresolved(names.name_text(import.source).to_owned());
        if import.kind == ModuleImportKind::Module {
            let file = self.declared_module_file(project_index.project_file_table(), from, names, import);
            return file.map_or_else(unresolved, |file| Destination::Module(Module::File(file)));
        }
        match RustPathResolver::new(self, project_index, true).resolve_import_to_module_or_item(ImportInFile {
            file: from,
            names,
            import,
        }) {
            PathTarget::Module(module) | PathTarget::Item(module) => Destination::Module(module),
            PathTarget::External(name) => Destination::External(name),
            PathTarget::Missing => unresolved(),
        }
    }

    fn dependency_files_of_import(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Vec<FileId> {
        let mut files = Vec::new();
        let mut add = |module: &Module| {
            if let Module::File(file) | Module::Scope(file, _) = module
                && *file != from
                && !files.contains(file)
            {
                files.push(*file);
            }
        };
        if import.kind == ModuleImportKind::Module {
            files.extend(self.declared_module_file(project_index.project_file_table(), from, names, import));
            return files;
        }
        let mut way = RustPathResolver::new(self, project_index, false);
        match way.resolve_import_to_module_or_item(ImportInFile { file: from, names, import }) {
            PathTarget::Module(module) if import.names.is_empty() => add(&module),
            PathTarget::Module(module) => {
                for name in &import.names {
                    match way.resolve_name_in_module(&module, names.name_text(*name)) {
                        PathTarget::Module(inner) => add(&inner),
                        _ => add(&module),
                    }
                }
            }
            PathTarget::Item(module) => add(&module),
            PathTarget::External(_) | PathTarget::Missing => {}
        }
        files
    }

    fn file_backed_submodule(&self, project_index: &dyn ProjectIndex, module: &Module, name: &str) -> Option<Module> {
        match name {
            "super" => self.parent_module(project_index, module),
            "self" => Some(module.clone()),
            _ => None,
        }
    }

    fn relative_module_keywords(&self) -> &'static [&'static str] {
        &["self", "super"]
    }

    fn module_of_unbound_first_segment(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        scope: ScopeId,
        name: &str,
    ) -> Option<Module> {
        match name {
            "crate" => Some(Module::File(self.crate_root_of_file_or_itself(project_index, from))),
            "self" | "super" => {
                let names = project_index.names_of_file(from)?;
                let here = Self::module_of_scope(&names, from, scope);
                if name == "self" { Some(here) } else { self.parent_module(project_index, &here) }
            }
            _ => {
                if let Some(root) = self.project_crate_root_by_name(project_index.project_file_table(), from, name) {
                    return Some(Module::File(root));
                }
                if !self.package_of_file(project_index.project_file_table(), from)?.has_2015_paths {
                    return None;
                }
                match RustPathResolver::new(self, project_index, true)
                    .resolve_name_in_module(&Module::File(self.crate_root_of_file_or_itself(project_index, from)), name)
                {
                    PathTarget::Module(module) => Some(module),
                    _ => None,
                }
            }
        }
    }

    fn files_possibly_extending_types_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<FileId> {
        let files = project_index.project_file_table();
        let Some(package) = self.package_of_file(files, file) else { return Vec::new() };
        let lock = || self.package_files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&package.folder) {
            return known.to_vec();
        }
        let own = |file: &FileId| {
            files.path_of_file(*file).ends_with(".rs")
                && self.package_of_file(files, *file).is_some_and(|other| other.folder == package.folder)
        };
        let found: Vec<FileId> = files.files_below_folder(&package.folder).filter(own).collect();
        lock().insert(package.folder.clone(), found.as_slice().into());
        found
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        let files = project_index.project_file_table();
        let path = files.path_of_file(file);
        let stem = file_name_of_path(path).strip_suffix(".rs").unwrap_or_default();
        let mut needles: Vec<String> = Vec::new();
        let is_root = self.roots.contains(&file);
        if !is_root {
            // A file that no other file declares as a module is the root of its own crate.
            match self.parent_module_file(project_index, file).and_then(|parent| {
                Some((parent, self.import_index_of_module_declaration(project_index, parent, file)?))
            }) {
                Some((parent, import)) => {
                    // The declaration determines the module's name, since a `#[path]` attribute may name a file that is
                    // called otherwise.
                    let declared = project_index.names_of_file(parent).into_iter().flat_map(|names| {
                        let of = |binding: &peelback_syntax::names::Binding| {
                            binding.kind == BindingKind::Import
                                && binding.import.is_some_and(|(found, _)| found as usize == import)
                        };
                        names
                            .bindings
                            .iter()
                            .filter(|binding| of(binding))
                            .map(|b| names.name_text(b.name).to_owned())
                            .collect::<Vec<String>>()
                    });
                    needles.extend(declared.map(|name| name.trim_start_matches("r#").to_owned()));
                }
                None => needles.push("crate".to_owned()),
            }
            needles.push(if stem == "mod" {
                file_name_of_path(folder_of_path(path)).to_owned()
            } else {
                stem.to_owned()
            });
        } else {
            needles.push("crate".to_owned());
            needles.extend((!matches!(stem, "lib" | "main")).then(|| stem.to_owned()));
            for package in &self.packages {
                if package.library_root == Some(file) {
                    needles.push(package.library_name.clone());
                    let folder = &package.folder;
                    for other in &self.packages {
                        let renamed = other.dependencies.iter().filter(|(_, to)| *to == folder);
                        needles.extend(renamed.map(|(name, _)| name.clone()));
                    }
                }
            }
        }
        // Modules below this one may refer to it as `super`.
        if project_index
            .names_of_file(file)
            .is_none_or(|names| names.imports.iter().any(|import| import.kind == ModuleImportKind::Module))
        {
            needles.push("super".to_owned());
        }
        needles.sort_unstable();
        needles.dedup();
        needles
    }
}
