//! Resolves the packages and modules of Python.
//!
//! An absolute import is searched below *source roots*: folders that an interpreter may have on its path. Source roots
//! are the folder around a file's outermost package, every folder with a project file or a `conftest.py` together with
//! its `src` and similar subfolders, and every folder that contains an outermost package. If several roots contain the
//! name, the root nearest to the importing file wins.

mod declared;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use peelback_syntax::language;
use peelback_syntax::names::{FILE_SCOPE, ModuleImport, Names};

use crate::modules::{
    Destination, FileId, FileTable, Module, ModuleResolver, ProjectIndex, file_name_of_path, folder_of_path,
    join_and_normalize_path,
};

/// Whether a top-level module belongs to Python's standard library.
fn is_standard_library_module(name: &str) -> bool {
    language::language_by_exact_name("python")
        .and_then(|python| python.standard_library)
        .is_some_and(|contains| contains(name))
}

/// Files that mark their folder as the root of a Python project.
const PROJECT_FILES: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg", "conftest.py", "manage.py", "tox.ini"];

/// Usual names of the folders of a project that contain its Python packages.
const SOURCE_FOLDERS: &[&str] = &["src", "lib", "python", "source"];

/// Names of folders whose packages serve only neighbouring code, so that imports elsewhere do not mean them.
const SEPARATE_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "testdata",
    "test_data",
    "fixtures",
    "data",
    "example",
    "examples",
    "samples",
    "docs",
    "doc",
    "vendor",
    "_vendor",
    "third_party",
    "site-packages",
    "node_modules",
    "benchmarks",
];

pub(super) struct PythonModules {
    /// The source roots that contain each top-level module or package, by its name; the roots are in path order.
    roots: HashMap<String, Vec<Arc<str>>>,
    /// The names of all Python modules of the project and of the folders that contain them, at any depth.
    all_module_names: HashSet<String>,
    /// The packages that the project's files declare as requirements; read on first use.
    declared_packages: OnceLock<HashSet<String>>,
    /// The destinations of absolute imports resolved so far, by the importing file's folder and the import's source.
    resolved_imports: RwLock<HashMap<String, HashMap<String, Destination>>>,
}

/// The result of looking up a dotted module name below a folder.
enum DottedLookup {
    /// The module that the whole dotted name means was found.
    Complete(Module),
    /// The first part of the name is a package or module, but a later part was not found.
    Partial,
    Missing,
}

impl PythonModules {
    pub fn new(project_index: &dyn ProjectIndex) -> Self {
        let files = project_index.project_file_table();
        let mut bases: BTreeSet<&str> = BTreeSet::from([""]);
        for entry in files.entries() {
            if PROJECT_FILES.contains(&file_name_of_path(&entry.path)) {
                bases.insert(folder_of_path(&entry.path));
            }
        }
        let mut roots: BTreeSet<String> = BTreeSet::new();
        for base in bases {
            roots.insert(base.to_owned());
            let inside = SOURCE_FOLDERS.iter().filter_map(|name| join_and_normalize_path(base, name));
            roots
                .extend(inside.filter(|folder| {
                    files.has_files_below_folder(folder) && !is_regular_package_folder(files, folder)
                }));
        }
        // Project folders contribute all their top-level names to the source roots. Folders around outermost packages
        // contribute only those packages.
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in files.entries().iter().filter(|entry| is_python_file(&entry.path)) {
            let path = entry.path.as_str();
            let mut around = Some(folder_of_path(path));
            while let Some(folder) = around {
                if let Some(root) = roots.get(folder) {
                    let rest = if root.is_empty() { path } else { path.get(root.len() + 1..).unwrap_or("") };
                    let top = rest.split('/').next().unwrap_or("");
                    let top = python_file_stem(top).unwrap_or(top);
                    found.entry(top.to_owned()).or_default().insert(root.clone());
                }
                around = (!folder.is_empty()).then(|| folder_of_path(folder));
            }
            if python_file_stem(file_name_of_path(path)) == Some("__init__") {
                let package = folder_of_path(path);
                if !package.is_empty() && !is_regular_package_folder(files, folder_of_path(package)) {
                    let root = folder_of_path(package).to_owned();
                    found.entry(file_name_of_path(package).to_owned()).or_default().insert(root);
                }
            }
        }
        let sources = files.entries().iter().map(|entry| entry.path.as_str()).filter(|path| is_python_file(path));
        let mut everywhere: HashSet<String> = HashSet::new();
        for part in sources.flat_map(|path| path.split('/')) {
            let name = python_file_stem(part).unwrap_or(part);
            if !everywhere.contains(name) {
                everywhere.insert(name.to_owned());
            }
        }
        let shared = |roots: BTreeSet<String>| roots.into_iter().map(Arc::from).collect();
        let roots = found.into_iter().map(|(name, roots)| (name, shared(roots))).collect();
        Self {
            roots,
            all_module_names: everywhere,
            declared_packages: OnceLock::new(),
            resolved_imports: RwLock::default(),
        }
    }

    /// Whether a module that was not found is external: nothing in the project has its name, or the project declares it
    /// as a requirement.
    fn is_missing_module_external(&self, project_index: &dyn ProjectIndex, top: &str) -> bool {
        is_standard_library_module(top)
            || !self.all_module_names.contains(top)
            || self
                .declared_packages
                .get_or_init(|| declared::normalised_names_of_declared_packages(project_index.project_file_table()))
                .contains(&declared::normalise_package_name(top))
    }

    /// The source roots where the file `from` can find a module called `top`, most likely first.
    fn source_roots_for_top_module(&self, files: &FileTable, from: &str, top: &str) -> Vec<Arc<str>> {
        let own = source_root_of_file(files, from);
        let folder = folder_of_path(from);
        let mut candidates: Vec<(bool, usize, Arc<str>)> = Vec::new();
        for root in self.roots.get(top).map_or(&[][..], Vec::as_slice) {
            let shared = shared_leading_folder_count(root, folder);
            let apart = root.split('/').skip(shared).any(|part| SEPARATE_FOLDERS.contains(&part));
            if !apart {
                candidates.push((&**root == own, shared, Arc::clone(root)));
            }
        }
        if !candidates.iter().any(|(is_own, ..)| *is_own) {
            candidates.push((true, usize::MAX, Arc::from(own)));
        }
        candidates.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
        candidates.into_iter().map(|(.., root)| root).collect()
    }

    fn resolve_absolute_import(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
        source: &str,
    ) -> Destination {
        let folder = folder_of_path(project_index.project_file_table().path_of_file(from));
        let known = self.resolved_imports.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(folder).and_then(|known| known.get(source)) {
            return known.clone();
        }
        drop(known);
        let (destination, for_all) = self.resolve_absolute_import_uncached(project_index, from, names, import, source);
        if for_all {
            let mut known = self.resolved_imports.write().unwrap_or_else(PoisonError::into_inner);
            known.entry(folder.to_owned()).or_default().insert(source.to_owned(), destination.clone());
        }
        destination
    }

    /// The destination of an absolute import, and whether the result is equal for all files of the folder, whatever
    /// names they import.
    fn resolve_absolute_import_uncached(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
        source: &str,
    ) -> (Destination, bool) {
        let files = project_index.project_file_table();
        let path = files.path_of_file(from);
        let top = source.split('.').next().unwrap_or(source);
        let external = || Destination::External(top.to_owned());
        if top.is_empty() {
            return (Destination::Unresolved(format!("not a module's name: {source}")), true);
        }
        let standard = is_standard_library_module(top);
        if standard && !self.roots.contains_key(top) {
            return (external(), true);
        }
        let mut part = false;
        let mut namespace = None;
        let mut for_all = true;
        for root in self.source_roots_for_top_module(files, path, top) {
            // A module of the standard library comes before a project file of that name, unless the importing file is
            // inside the package that it imports.
            let around = |folder: &str| path.starts_with(&format!("{folder}/"));
            let first = join_and_normalize_path(&root, top).unwrap_or_default();
            let regular = regular_module_at_extensionless_path(files, &first).is_some();
            if standard && !(is_regular_package_folder(files, &first) && around(&first)) {
                continue;
            }
            match find_dotted_module(files, &root, source) {
                DottedLookup::Complete(Module::Folder(folder)) => {
                    for_all = false;
                    namespace = namespace
                        .or_else(|| self.namespace_package_in_use(files, names, import, source, &root, folder));
                }
                DottedLookup::Complete(module) if regular => return (Destination::Module(module), for_all),
                DottedLookup::Complete(module) => namespace = namespace.or(Some(module)),
                DottedLookup::Partial => part |= regular && is_regular_package_folder(files, &first),
                DottedLookup::Missing => {}
            }
        }
        let destination = match namespace {
            Some(module) => Destination::Module(module),
            None if part => Destination::Unresolved(format!("no module {source} in the project's package {top}")),
            None if self.is_missing_module_external(project_index, top) => external(),
            None => Destination::Unresolved(format!("no module {source} where it is sought")),
        };
        (destination, for_all)
    }

    /// The module that a folder without `__init__.py` is, if it is used as a package. It counts as one only if
    /// something is imported from it, because any folder could be one.
    fn namespace_package_in_use(
        &self,
        files: &FileTable,
        names: &Names,
        import: &ModuleImport,
        source: &str,
        root: &str,
        folder: Arc<str>,
    ) -> Option<Module> {
        let takes = import.names.iter().any(|name| module_in_folder(files, &folder, names.name_text(*name)).is_some());
        let passes = import.names.is_empty()
            && names.imports.iter().any(|other| {
                let longer = names.name_text(other.source);
                longer.strip_prefix(source).is_some_and(|rest| rest.starts_with('.'))
                    && matches!(find_dotted_module(files, root, longer), DottedLookup::Complete(_))
            });
        (takes || passes).then_some(Module::Folder(folder))
    }

    fn resolve_relative_import(&self, project_index: &dyn ProjectIndex, from: FileId, source: &str) -> Destination {
        let files = project_index.project_file_table();
        let rest = source.trim_start_matches('.');
        let mut folder = folder_of_path(files.path_of_file(from));
        for _ in 1..source.len() - rest.len() {
            if folder.is_empty() {
                return Destination::Unresolved(format!("{source} is above the project's root"));
            }
            folder = folder_of_path(folder);
        }
        if rest.is_empty() {
            return Destination::Module(
                regular_module_at_extensionless_path(files, folder)
                    .unwrap_or_else(|| Module::Folder(Arc::from(folder))),
            );
        }
        match find_dotted_module(files, folder, rest) {
            DottedLookup::Complete(module) => Destination::Module(module),
            _ => Destination::Unresolved(format!("no module {source}")),
        }
    }
}

impl ModuleResolver for PythonModules {
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let source = names.name_text(import.source);
        if source.starts_with('.') {
            self.resolve_relative_import(project_index, from, source)
        } else {
            self.resolve_absolute_import(project_index, from, names, import, source)
        }
    }

    fn dependency_files_of_import(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Vec<FileId> {
        let Destination::Module(module) = self.import_destination(project_index, from, names, import) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let own = match module {
            Module::File(file) => Some(file),
            _ => None,
        };
        // `from package import name` depends on the package's own file only for names bound in it.
        let mut all_are_modules = !import.names.is_empty();
        let bound = own.filter(|own| *own != from).and_then(|own| project_index.names_of_file(own));
        for name in &import.names {
            let text = names.name_text(*name);
            let is_bound = bound.as_ref().is_some_and(|bound| has_binding_besides_submodule_import(bound, text));
            match self.file_backed_submodule(project_index, &module, text) {
                Some(Module::File(file)) if !is_bound => found.push(file),
                _ => all_are_modules = false,
            }
        }
        if !all_are_modules || import.glob {
            found.extend(own);
        }
        found.retain(|file| *file != from);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn file_backed_submodule(&self, project_index: &dyn ProjectIndex, module: &Module, name: &str) -> Option<Module> {
        let files = project_index.project_file_table();
        match module {
            Module::File(file) => {
                let path = files.path_of_file(*file);
                (python_file_stem(file_name_of_path(path)) == Some("__init__"))
                    .then(|| module_in_folder(files, folder_of_path(path), name))?
            }
            Module::Folder(folder) => module_in_folder(files, folder, name),
            Module::Package(..) => None,
            Module::Scope(..) => None,
        }
    }

    fn may_have_file_submodules(&self, project_index: &dyn ProjectIndex, module: &Module) -> bool {
        match module {
            Module::File(file) => {
                let path = project_index.project_file_table().path_of_file(*file);
                python_file_stem(file_name_of_path(path)) == Some("__init__")
            }
            Module::Folder(_) => true,
            Module::Package(..) => false,
            Module::Scope(..) => false,
        }
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        let path = project_index.project_file_table().path_of_file(file);
        match python_file_stem(file_name_of_path(path)) {
            // An import names a package by its folder, or by dots alone from inside the package.
            Some("__init__") => {
                let package = file_name_of_path(folder_of_path(path)).to_owned();
                let dots = ["from .", "from  .", "from\t."].map(str::to_owned);
                std::iter::once(package).filter(|name| !name.is_empty()).chain(dots).collect()
            }
            Some(stem) => vec![stem.to_owned()],
            None => Vec::new(),
        }
    }
}

/// Whether a module binds a name in any way other than importing its own submodule of that name.
fn has_binding_besides_submodule_import(names: &Names, text: &str) -> bool {
    let Some(name) = names.id_of_name(text) else { return false };
    names.bindings.iter().filter(|binding| binding.scope == FILE_SCOPE && binding.name == name).any(|binding| {
        let import = binding.import.and_then(|(import, taken)| {
            let import = names.imports.get(import as usize)?;
            Some((names.name_text(import.source), taken.map(|taken| names.name_text(taken))))
        });
        !matches!(import, Some((".", Some(taken))) if taken == text)
    })
}

/// The name of a Python file without its extension; `None` for other files.
fn python_file_stem(name: &str) -> Option<&str> {
    [".py", ".pyi", ".pyx", ".pyw"].iter().find_map(|ending| name.strip_suffix(ending))
}

fn is_python_file(path: &str) -> bool {
    python_file_stem(file_name_of_path(path)).is_some()
}

fn is_regular_package_folder(files: &FileTable, folder: &str) -> bool {
    init_file_of_folder(files, folder).is_some()
}

fn init_file_of_folder(files: &FileTable, folder: &str) -> Option<FileId> {
    let path = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    ["__init__.py", "__init__.pyi"].iter().find_map(|name| files.id_of_path(&path(name)))
}

/// The package or module at a path that is given without the file extension.
fn regular_module_at_extensionless_path(files: &FileTable, path: &str) -> Option<Module> {
    if let Some(init) = init_file_of_folder(files, path) {
        return Some(Module::File(init));
    }
    let module =
        [".py", ".pyi", ".pyx", ".pyw"].iter().find_map(|ending| files.id_of_path(&format!("{path}{ending}")))?;
    (!path.is_empty()).then_some(Module::File(module))
}

/// The module called `name` in a folder: a package, a file, or a folder that contains modules.
fn module_in_folder(files: &FileTable, folder: &str, name: &str) -> Option<Module> {
    let path = join_and_normalize_path(folder, name)?;
    regular_module_at_extensionless_path(files, &path).or_else(|| {
        let holds_source = files.files_below_folder(&path).any(|file| is_python_file(files.path_of_file(file)));
        (!name.is_empty() && holds_source).then(|| Module::Folder(Arc::from(path)))
    })
}

/// Looks up the module with the dotted name `dotted` below a folder.
fn find_dotted_module(files: &FileTable, folder: &str, dotted: &str) -> DottedLookup {
    let mut at = folder.to_owned();
    let mut module = None;
    for part in dotted.split('.') {
        // A module that is a plain file, not a package, contains no modules.
        if matches!(&module, Some(Module::File(file)) if python_file_stem(file_name_of_path(files.path_of_file(*file))) != Some("__init__"))
        {
            return DottedLookup::Partial;
        }
        match module_in_folder(files, &at, part) {
            Some(found) => module = Some(found),
            None if module.is_some() => return DottedLookup::Partial,
            None => return DottedLookup::Missing,
        }
        match join_and_normalize_path(&at, part) {
            Some(next) => at = next,
            None => return DottedLookup::Missing,
        }
    }
    module.map_or(DottedLookup::Missing, DottedLookup::Complete)
}

/// The source root of a file: the folder around the outermost package that contains it; the file's own folder if that
/// folder is no package.
fn source_root_of_file<'p>(files: &FileTable, path: &'p str) -> &'p str {
    let mut folder = folder_of_path(path);
    while !folder.is_empty() && is_regular_package_folder(files, folder) {
        folder = folder_of_path(folder);
    }
    folder
}

/// The number of leading folders that two paths share.
fn shared_leading_folder_count(a: &str, b: &str) -> usize {
    a.split('/').filter(|part| !part.is_empty()).zip(b.split('/')).take_while(|(a, b)| a == b).count()
}
