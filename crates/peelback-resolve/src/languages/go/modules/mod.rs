//! Resolves the module paths and packages of Go.
//!
//! A package is a folder. The project's `go.mod` files map import paths to folders: each assigns a module path to its
//! own folder, and may map other module paths to further folders (`replace`). Third-party code copied into the project
//! (`vendor/`) counts as external.

mod manifest;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use peelback_syntax::names::{BindingKind, ModuleImport, Names, ScopeId};

use crate::modules::{
    Destination, FileId, Module, ModuleResolver, ProjectIndex, file_name_of_path, folder_of_path,
    join_and_normalize_path,
};
use manifest::GoManifest;

pub(super) struct GoModules {
    /// The Go modules of the project, those with the longest module path first.
    modules: Vec<GoModule>,
    /// The Go files of each folder, with the name of the package that each file declares.
    packages: RwLock<HashMap<Box<str>, Arc<Package>>>,
    /// For each file, the folders that it imports under a package name other than the last part of the import path.
    differently_named_imports: RwLock<HashMap<FileId, NamedModules>>,
}

/// Imported packages, each with the name by which one file refers to it.
type NamedModules = Arc<Vec<(Box<str>, Module)>>;

struct GoModule {
    path: String,
    folder: String,
    /// Module paths that mean folders of this project when files of this module import them.
    replaces: Vec<(String, String)>,
}

/// The Go files of one folder, with the packages that they declare.
struct Package {
    /// Each Go file of the folder with the name in its package clause.
    files: Vec<(FileId, Box<str>)>,
    /// Whether all Go files of the folder declare the same package.
    has_one_package: bool,
}

impl GoModules {
    pub fn new(project_index: &dyn ProjectIndex) -> Self {
        let files = project_index.project_file_table();
        let mut modules: Vec<GoModule> = Vec::new();
        let mut workspaces: Vec<(String, Vec<(String, String)>)> = Vec::new();
        for (id, entry) in (0..).zip(files.entries()) {
            let name = file_name_of_path(&entry.path);
            if name != "go.mod" && name != "go.work" {
                continue;
            }
            let folder = folder_of_path(&entry.path);
            if folder.split('/').any(|part| part == "vendor") {
                continue;
            }
            let Some(text) = files.read_and_record_text(id) else { continue };
            let GoManifest { module, replaces } = GoManifest::parse(&text);
            let replaces: Vec<(String, String)> = replaces
                .into_iter()
                .filter_map(|(path, to)| Some((path, join_and_normalize_path(folder, &to)?)))
                .collect();
            match module {
                Some(path) if name == "go.mod" => modules.push(GoModule { path, folder: folder.to_owned(), replaces }),
                _ => workspaces.push((folder.to_owned(), replaces)),
            }
        }
        // The replacements in a `go.work` file apply to all Go modules below its folder.
        for module in &mut modules {
            for (folder, replaces) in &workspaces {
                if is_folder_same_or_below(&module.folder, folder) {
                    module.replaces.extend(replaces.iter().cloned());
                }
            }
        }
        modules.sort_by(|a, b| b.path.len().cmp(&a.path.len()).then_with(|| a.folder.cmp(&b.folder)));
        Self { modules, packages: RwLock::default(), differently_named_imports: RwLock::default() }
    }

    /// The Go module that contains the file `path`: the one with the nearest `go.mod` in a folder above.
    fn module_containing_file(&self, path: &str) -> Option<&GoModule> {
        let folder = folder_of_path(path);
        let above = self.modules.iter().filter(|module| is_folder_same_or_below(folder, &module.folder));
        above.max_by_key(|module| module.folder.len())
    }

    /// Resolves an import path in the file `from`: to the folder of a package of the project, or to an external
    /// package.
    fn resolve_import_path(&self, project_index: &dyn ProjectIndex, from: &str, path: &str) -> Destination {
        let own = self.module_containing_file(from);
        let replaced = own.into_iter().flat_map(|module| &module.replaces).map(|(path, to)| (path, to));
        let mut candidates: Vec<(&String, &String)> =
            replaced.chain(self.modules.iter().map(|module| (&module.path, &module.folder))).collect();
        // The longest matching module path wins. At equal length, replacements in the file's own module come before the
        // module itself.
        candidates.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        if let Some(own) = own {
            candidates.sort_by_key(|(path, to)| (std::cmp::Reverse(path.len()), **to != own.folder));
        }
        let mut is_ours = false;
        for (module, folder) in candidates {
            let Some(rest) = relative_path_below(path, module) else { continue };
            is_ours = true;
            let Some(folder) = join_and_normalize_path(folder, rest) else { continue };
            if has_go_files(project_index, &folder) {
                return Destination::Module(Module::Folder(folder.into()));
            }
        }
        if is_ours {
            return Destination::Unresolved(format!("{path} (no Go files there)"));
        }
        if self.modules.is_empty()
            && let Some(folder) = guess_folder_of_import_path(project_index, from, path)
        {
            return Destination::Module(Module::Folder(folder.into()));
        }
        Destination::External(path.to_owned())
    }

    fn packages_of_go_files_in_folder(&self, project_index: &dyn ProjectIndex, folder: &str) -> Arc<Package> {
        if let Some(known) = self.packages.read().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return known.clone();
        }
        let mut files = Vec::new();
        for file in go_files_in_folder(project_index, folder) {
            let Some(names) = project_index.names_of_file(file) else { continue };
            let package = names.package.map_or("", |name| names.name_text(name));
            files.push((file, Box::from(package)));
        }
        let is_one = files.windows(2).all(|pair| matches!(pair, [a, b] if a.1 == b.1));
        let found = Arc::new(Package { files, has_one_package: is_one });
        self.packages.write().unwrap_or_else(PoisonError::into_inner).insert(folder.into(), found.clone());
        found
    }

    /// The files that belong to the same Go package as `file`, which is one of them.
    fn files_of_same_package(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<FileId> {
        let package = self.packages_of_go_files_in_folder(
            project_index,
            folder_of_path(project_index.project_file_table().path_of_file(file)),
        );
        let Some((_, own)) = package.files.iter().find(|(id, _)| *id == file) else { return Vec::new() };
        package.files.iter().filter(|(_, name)| name == own).map(|(id, _)| *id).collect()
    }

    /// The packages that a file imports without an alias and whose name differs from the last part of the import path.
    fn imported_packages_named_unlike_path(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
    ) -> Arc<Vec<(Box<str>, Module)>> {
        if let Some(known) = self.differently_named_imports.read().unwrap_or_else(PoisonError::into_inner).get(&from) {
            return known.clone();
        }
        let mut found = Vec::new();
        if let Some(names) = project_index.names_of_file(from) {
            for binding in names.bindings.iter().filter(|binding| binding.kind == BindingKind::Import) {
                let Some(import) = binding.import.and_then(|(import, _)| names.imports.get(import as usize)) else {
                    continue;
                };
                // An occurrence of the bound name at the binding's position is an explicit alias.
                if names.occurrences.binary_search_by_key(&binding.at, |occurrence| occurrence.at).is_ok() {
                    continue;
                }
                if let Destination::Module(Module::Folder(folder)) =
                    self.import_destination(project_index, from, &names, import)
                {
                    let package = self.packages_of_go_files_in_folder(project_index, &folder);
                    let called = package.files.iter().find(|(_, name)| !name.ends_with("_test"));
                    if let Some((_, called)) = called
                        && **called != *names.name_text(binding.name)
                    {
                        found.push((called.clone(), Module::Folder(folder)));
                    }
                }
            }
        }
        let found = Arc::new(found);
        self.differently_named_imports.write().unwrap_or_else(PoisonError::into_inner).insert(from, found.clone());
        found
    }
}

impl ModuleResolver for GoModules {
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let path = names.name_text(import.source);
        let from = project_index.project_file_table().path_of_file(from);
        if path.starts_with("./") || path.starts_with("../") {
            return match join_and_normalize_path(folder_of_path(from), path)
                .filter(|folder| has_go_files(project_index, folder))
            {
                Some(folder) => Destination::Module(Module::Folder(folder.into())),
                None => Destination::Unresolved(path.to_owned()),
            };
        }
        self.resolve_import_path(project_index, from, path)
    }

    fn dependency_files_of_import(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Vec<FileId> {
        match self.import_destination(project_index, from, names, import) {
            // An importing file does not see the test files of the imported package.
            Destination::Module(Module::Folder(folder)) => go_files_in_folder(project_index, &folder)
                .filter(|file| {
                    *file != from && !project_index.project_file_table().path_of_file(*file).ends_with("_test.go")
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn module_of_unbound_first_segment(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        _scope: ScopeId,
        name: &str,
    ) -> Option<Module> {
        self.imported_packages_named_unlike_path(project_index, from)
            .iter()
            .find(|(called, _)| **called == *name)
            .map(|(_, module)| module.clone())
    }

    fn modules_visible_without_import(&self, project_index: &dyn ProjectIndex, from: FileId) -> Vec<Module> {
        let folder = folder_of_path(project_index.project_file_table().path_of_file(from));
        if self.packages_of_go_files_in_folder(project_index, folder).has_one_package {
            return vec![Module::Folder(folder.into())];
        }
        self.files_of_same_package(project_index, from)
            .into_iter()
            .filter(|file| *file != from)
            .map(Module::File)
            .collect()
    }

    fn files_possibly_extending_types_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<FileId> {
        self.files_of_same_package(project_index, file)
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        let path = project_index.project_file_table().path_of_file(file);
        let folder = folder_of_path(path);
        let mut paths: Vec<String> = Vec::new();
        let own = self.module_containing_file(path).map(|module| (&module.path, &module.folder));
        let replaced = self.modules.iter().flat_map(|module| &module.replaces).map(|(path, to)| (path, to));
        for (module, root) in own.into_iter().chain(replaced) {
            if let Some(rest) = relative_path_below(folder, root) {
                paths.push(if rest.is_empty() { module.clone() } else { format!("{module}/{rest}") });
            }
        }
        if own.is_none() {
            paths.push(file_name_of_path(folder).to_owned());
        }
        paths.sort();
        paths.dedup();
        let open = if own.is_some() { "\"" } else { "" };
        let mut needles: Vec<String> = paths.iter().map(|path| format!("{open}{path}\"")).collect();
        needles.extend(paths.iter().map(|path| format!("{path}`")));
        needles
    }
}

/// Whether the path `folder` is `root` or is below it.
fn is_folder_same_or_below(folder: &str, root: &str) -> bool {
    relative_path_below(folder, root).is_some()
}

/// The rest of a path below `root`, without the separating slash; `None` if the path is not below it.
fn relative_path_below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    if root.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(root)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn go_files_in_folder<'a>(project_index: &'a dyn ProjectIndex, folder: &'a str) -> impl Iterator<Item = FileId> + 'a {
    let files = project_index.project_file_table();
    files.child_files(folder).filter(|file| files.path_of_file(*file).ends_with(".go"))
}

fn has_go_files(project_index: &dyn ProjectIndex, folder: &str) -> bool {
    go_files_in_folder(project_index, folder).next().is_some()
}

/// The folder of an import path in a project without any `go.mod`: below `src/`, as in an old GOPATH workspace, or the
/// folder whose path is the end of the import path.
fn guess_folder_of_import_path(project_index: &dyn ProjectIndex, from: &str, path: &str) -> Option<String> {
    let mut above = folder_of_path(from);
    loop {
        if file_name_of_path(above) == "src"
            && let Some(folder) =
                join_and_normalize_path(above, path).filter(|folder| has_go_files(project_index, folder))
        {
            return Some(folder);
        }
        if above.is_empty() {
            break;
        }
        above = folder_of_path(above);
    }
    let (host, mut rest) = path.split_once('/')?;
    if !host.contains('.') {
        return None;
    }
    while !rest.is_empty() {
        if has_go_files(project_index, rest) {
            return Some(rest.to_owned());
        }
        rest = rest.split_once('/').map_or("", |(_, rest)| rest);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::GoModules;
    use crate::modules::testing::ProjectFixture;

    const FILES: &[(&str, &str)] = &[
        ("go.mod", "module example.com/app\n\nreplace example.com/lib => ./third/lib\n"),
        (
            "main.go",
            "package main\nimport (\n\t\"fmt\"\n\t\"example.com/app/store\"\n\t\"example.com/lib/x\"\n\t\"example.com/tool\"\n\t\"example.com/app/none\"\n\t\"C\"\n)\n",
        ),
        ("store/a.go", "package storage\nfunc Open() {}\n"),
        ("store/b.go", "package storage\n"),
        ("store/a_test.go", "package storage\n"),
        ("store/x_test.go", "package storage_test\nimport \"example.com/app/store\"\n"),
        ("third/lib/x/x.go", "package x\n"),
        ("tool/go.mod", "module \"example.com/tool\" // a comment\n"),
        ("tool/tool.go", "package tool\nimport \"example.com/app/store\"\n"),
        ("vendor/example.com/v/v.go", "package v\n"),
    ];

    #[test]
    fn import_paths_lead_to_folders() {
        let folder = ProjectFixture::new(GoModules::new, FILES);
        assert_eq!(
            folder.import_targets("main.go"),
            [
                "external: fmt",
                "store/a.go store/b.go",
                "third/lib/x/x.go",
                "tool/tool.go",
                "unresolved: example.com/app/none (no Go files there)",
                "external: C"
            ]
        );
        assert_eq!(folder.import_targets("tool/tool.go"), ["store/a.go store/b.go"]);
        assert_eq!(folder.import_targets("store/x_test.go"), ["store/a.go store/b.go"]);
    }

    #[test]
    fn a_package_is_the_files_that_say_so() {
        let folder = ProjectFixture::new(GoModules::new, FILES);
        assert_eq!(folder.modules_visible_without_import("store/a.go"), ["store/a_test.go", "store/b.go"]);
        assert_eq!(folder.modules_visible_without_import("store/x_test.go"), Vec::<String>::new());
        assert_eq!(folder.modules_visible_without_import("tool/tool.go"), ["tool"]);
        assert_eq!(folder.module_of_first_path_segment("main.go", "storage"), Some("store".to_owned()));
        assert_eq!(folder.module_of_first_path_segment("main.go", "store"), None);
    }

    #[test]
    fn who_imports_a_file_names_its_package() {
        let folder = ProjectFixture::new(GoModules::new, FILES);
        assert_eq!(
            folder.texts_that_dependents_contain("store/a.go"),
            ["\"example.com/app/store\"", "example.com/app/store`"]
        );
        assert!(folder.texts_that_dependents_contain("third/lib/x/x.go").contains(&"\"example.com/lib/x\"".to_owned()));
        assert_eq!(folder.texts_that_dependents_contain("tool/tool.go"), ["\"example.com/tool\"", "example.com/tool`"]);
    }

    #[test]
    fn without_a_manifest_the_end_of_the_path_tells() {
        let folder = ProjectFixture::new(
            GoModules::new,
            &[
                (
                    "main.go",
                    "package main\nimport (\n\t\"errors\"\n\t\"github.com/me/app/errors\"\n\t\"github.com/me/app\"\n)\n",
                ),
                ("errors/e.go", "package errors\n"),
            ],
        );
        assert_eq!(
            folder.import_targets("main.go"),
            ["external: errors", "errors/e.go", "external: github.com/me/app"]
        );
        let folder = ProjectFixture::new(
            GoModules::new,
            &[("src/app/main.go", "package main\nimport \"lib/x\"\n"), ("src/lib/x/x.go", "package x\n")],
        );
        assert_eq!(folder.import_targets("src/app/main.go"), ["src/lib/x/x.go"]);
    }
}
