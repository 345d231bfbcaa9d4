//! Resolves imports of JavaScript and TypeScript: relative paths, `tsconfig.json`, packages and workspaces.
//!
//! The resolvers of runtimes and bundlers read installed packages and built files. In a plain checkout neither need
//! exist, and the question is only which project file an import means. So all paths are looked up in the file list. A
//! path that a package names but that is not in the list counts as build output of a source file in the list
//! (`lookup.rs`).

mod config;
mod framework;
mod lookup;
mod package;
mod workspace;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use peelback_syntax::names::{ModuleImport, ModuleImportKind, Names, ScopeKind};

use crate::modules::{
    Destination, FileId, Module, ModuleResolver, ProjectIndex, file_name_of_path, folder_of_path,
    join_and_normalize_path,
};
use config::TsConfig;
use framework::DEPENDENCY_FIELDS;
use lookup::ImportStyle;
use package::NpmPackage;
use workspace::NpmWorkspace;

/// A cache of lookup results for one state of the project.
type LookupCache<K, V> = Mutex<HashMap<K, V, foldhash::fast::RandomState>>;

#[derive(Default)]
pub(super) struct JavaScriptModules {
    /// The `tsconfig.json` and `jsconfig.json` configurations that apply to the files of each folder, nearest first.
    configs: LookupCache<String, Arc<[Arc<TsConfig>]>>,
    /// The packages (folders with a `package.json`) that contain each folder, innermost first.
    packages: LookupCache<String, Arc<[Arc<NpmPackage>]>>,
    /// The workspaces of packages by their root folder; `None` for folders that are no workspace root.
    workspaces: LookupCache<String, Option<Arc<NpmWorkspace>>>,
    /// The folders of all packages of the project that have a name, each with that name.
    named_package_folders: OnceLock<Vec<(String, String)>>,
    /// All `tsconfig.json` and `jsconfig.json` configurations of the project.
    all_configs: OnceLock<Vec<Arc<TsConfig>>>,
    /// The modules that declaration files declare by name (`declare module "x"`).
    declared_modules: OnceLock<HashMap<Box<str>, Module>>,
    /// The destinations of imports resolved so far, by the importing file's folder, the import specifier and the import
    /// style.
    destination_cache: LookupCache<(String, String, ImportStyle), Destination>,
}

fn get_or_compute<K, V>(known: &LookupCache<K, V>, key: K, make: impl FnOnce(&K) -> V) -> V
where
    K: std::hash::Hash + Eq,
    V: Clone,
{
    if let Some(value) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return value.clone();
    }
    // Computed without holding the lock, because `make` looks up other values.
    let value = make(&key);
    known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value.clone());
    value
}

/// The folders around `folder` that have no entry, outermost first, up to the first that has one. They are computed in
/// this order, so that a deep folder makes no deep recursion.
fn outer_folders_not_in_cache<'f, V>(known: &LookupCache<String, V>, folder: &'f str) -> Vec<&'f str> {
    let known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let outer = std::iter::successors(parent_folder(folder), |outer| parent_folder(outer));
    let mut missing: Vec<&str> = outer.take_while(|outer| !known.contains_key(*outer)).collect();
    missing.reverse();
    missing
}

/// Splits an import specifier, `name/rest` or `@scope/name/rest`, into the package name and the rest.
fn split_specifier_after_package_name(specifier: &str) -> Option<(&str, &str)> {
    let end = match specifier.strip_prefix('@') {
        Some(scoped) => {
            let slash = scoped.find('/').filter(|at| *at > 0)? + 1;
            specifier.get(slash + 1..)?.find('/').map_or(specifier.len(), |at| slash + 1 + at)
        }
        None => specifier.find('/').unwrap_or(specifier.len()),
    };
    let (name, rest) = specifier.split_at_checked(end)?;
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '/' | '~' | '!' | '*');
    let named = !name.is_empty() && !name.ends_with('/') && name.chars().all(valid) && name != "~";
    named.then(|| (name, rest.trim_start_matches('/')))
}

fn is_relative_import_specifier(specifier: &str) -> bool {
    matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../")
}

impl JavaScriptModules {
    fn resolve_import_specifier(
        &self,
        project_index: &dyn ProjectIndex,
        folder: &str,
        specifier: &str,
        style: ImportStyle,
    ) -> Destination {
        let unresolved = || Destination::Unresolved(specifier.to_owned());
        let lead = |file: FileId| Destination::Module(Module::File(file));
        // An option for the bundler after the path is not part of the file name: `./a.svg?url`.
        let plain = match specifier.find(['?', '!']) {
            Some(at) if at > 0 => specifier.get(..at).unwrap_or(specifier),
            _ => specifier,
        };
        if plain.is_empty() {
            return unresolved();
        }
        if plain.contains("//") && !plain.contains("://") && !plain.starts_with('/') {
            let mut single = plain.replace("//", "/");
            while single.contains("//") {
                single = single.replace("//", "/");
            }
            return self.resolve_import_specifier(project_index, folder, &single, style);
        }
        if is_relative_import_specifier(plain) {
            return self.resolve_relative_specifier(project_index, folder, plain, style).map_or_else(unresolved, lead);
        }
        if let Some(absolute) = plain.strip_prefix('/') {
            let packages = self.packages_around_folder(project_index, folder);
            let roots = packages.iter().map(|package| package.folder.as_str()).chain([""]);
            let found = roots
                .filter_map(|root| join_and_normalize_path(root, absolute))
                .find_map(|path| self.find_module_file_for_path(project_index, &path, style));
            return found.map_or_else(unresolved, lead);
        }
        let configs = self.typescript_configs_for_folder(project_index, folder);
        if let Some(file) = configs
            .iter()
            .find_map(|config| config.resolve_non_relative_specifier(project_index.project_file_table(), plain, style))
        {
            return lead(file);
        }
        let around = self.packages_around_folder(project_index, folder);
        // The nearest package that has such an alias counts.
        let aliased =
            around.iter().find_map(|package| package.aliases.iter().find_map(|alias| alias.path_of_specifier(plain)));
        if let Some(path) = aliased {
            if let Some(file) = self.find_module_file_for_path(project_index, &path, style) {
                return lead(file);
            }
            if plain.starts_with('$') {
                return unresolved();
            }
        }
        if plain.starts_with('#') {
            for package in self.packages_around_folder(project_index, folder).iter() {
                match package.resolve_specifier_in_imports_field(project_index.project_file_table(), plain, style) {
                    Some(Ok(file)) => return lead(file),
                    Some(Err(other)) if !other.starts_with('#') => {
                        return self.resolve_bare_specifier(project_index, folder, &other, style);
                    }
                    _ => {}
                }
            }
            return unresolved();
        }
        if configs.iter().any(|config| config.has_path_pattern_for(plain))
            && split_specifier_after_package_name(plain).is_none()
        {
            return unresolved();
        }
        self.resolve_bare_specifier(project_index, folder, plain, style)
    }

    /// The destination of an import specifier that begins with a package name.
    fn resolve_bare_specifier(
        &self,
        project_index: &dyn ProjectIndex,
        folder: &str,
        specifier: &str,
        style: ImportStyle,
    ) -> Destination {
        let unresolved = || Destination::Unresolved(specifier.to_owned());
        let lead = |file: FileId| Destination::Module(Module::File(file));
        // Import specifiers with a scheme are external: `node:fs`, `https://…`, `virtual:…`.
        if specifier.find(':').is_some_and(|at| !specifier.get(..at).unwrap_or("").contains('/')) {
            return Destination::External(specifier.to_owned());
        }
        let aliased = ["@/", "~/", "~~/", "@@/"].iter().find_map(|alias| specifier.strip_prefix(alias));
        if let Some(rest) = aliased {
            // These prefixes of import specifiers are bundlers' usual aliases for the source folder.
            let packages = self.packages_around_folder(project_index, folder);
            let roots = packages.iter().map(|package| package.folder.as_str()).chain([""]);
            let inside = roots.flat_map(|root| {
                ["src", "app", ""].into_iter().filter_map(move |inside| join_and_normalize_path(root, inside))
            });
            let found = inside
                .filter_map(|root| join_and_normalize_path(&root, rest))
                .find_map(|path| self.find_module_file_for_path(project_index, &path, style));
            return found.map_or_else(unresolved, lead);
        }
        let Some((name, rest)) = split_specifier_after_package_name(specifier) else { return unresolved() };
        let Some(home) = self.folder_of_imported_project_package(project_index, folder, name) else {
            // Only a declared package is known to be external. Any other name may be a bundler's alias for a folder.
            let known = self.may_be_declared_dependency(project_index, folder, name);
            return if known { Destination::External(name.to_owned()) } else { unresolved() };
        };
        let package = self.packages_around_folder(project_index, &home).first().cloned();
        let found =
            package.and_then(|package| package.resolve_subpath(project_index.project_file_table(), rest, style));
        found.map_or_else(unresolved, lead)
    }

    /// The folder of the project package that files in `folder` import as `name`.
    fn folder_of_imported_project_package(
        &self,
        project_index: &dyn ProjectIndex,
        folder: &str,
        name: &str,
    ) -> Option<String> {
        let around = self.packages_around_folder(project_index, folder);
        for package in around.iter() {
            if package.name.as_deref() == Some(name) {
                return Some(package.folder.clone());
            }
            let wanted = DEPENDENCY_FIELDS.iter().find_map(|field| package.json.get(field).get(name).as_text());
            let path = wanted.and_then(|wanted| {
                let path =
                    ["file:", "link:", "portal:", "workspace:"].iter().find_map(|way| wanted.strip_prefix(way))?;
                path.contains('/').then_some(path)
            });
            if let Some(home) = path.and_then(|path| join_and_normalize_path(&package.folder, path))
                && self
                    .packages_around_folder(project_index, &home)
                    .first()
                    .is_some_and(|package| package.folder == home)
            {
                return Some(home);
            }
            // This package declares the dependency by a published version, so the packages around it are not asked.
            if wanted.is_some() {
                break;
            }
        }
        let mut root = Some(folder);
        while let Some(at) = root {
            let known = get_or_compute(&self.workspaces, at.to_owned(), |root| {
                NpmWorkspace::from_root_folder(project_index, root, self.folders_and_names_of_packages(project_index))
                    .map(Arc::new)
            });
            if let Some(home) = known.as_ref().and_then(|workspace| workspace.members.get(name)) {
                return Some(home.clone());
            }
            root = parent_folder(at);
        }
        None
    }

    /// Whether the packages around a folder declare `name` as a dependency. Also true if the folder is in no package,
    /// because nothing could declare it then.
    fn may_be_declared_dependency(&self, project_index: &dyn ProjectIndex, folder: &str, name: &str) -> bool {
        let around = self.packages_around_folder(project_index, folder);
        // The type declarations of a package may come from a separate package: `@types/node`, `@types/babel__core` for
        // `@babel/core`.
        let types = format!("@types/{}", name.trim_start_matches('@').replace('/', "__"));
        around.is_empty()
            || is_builtin_module(name)
            || around.iter().any(|package| {
                DEPENDENCY_FIELDS.iter().any(|field| {
                    let declared = package.json.get(field);
                    !declared.get(name).is_null() || !declared.get(&types).is_null()
                })
            })
    }

    fn folders_and_names_of_packages(&self, project_index: &dyn ProjectIndex) -> &[(String, String)] {
        self.named_package_folders.get_or_init(|| {
            let folders = workspace::folders_with_package_json(project_index).into_iter();
            folders
                .filter_map(|folder| NpmPackage::read(project_index, &folder)?.name.map(|name| (folder, name)))
                .collect()
        })
    }

    /// The file that a relative import specifier in a file of `folder` means.
    fn resolve_relative_specifier(
        &self,
        project_index: &dyn ProjectIndex,
        folder: &str,
        specifier: &str,
        style: ImportStyle,
    ) -> Option<FileId> {
        let path = join_and_normalize_path(folder, specifier)?;
        let is_folder = specifier.ends_with('/') || specifier.ends_with("..") || specifier == ".";
        let found = if is_folder {
            self.main_or_index_file_of_folder(project_index, &path, style)
        } else {
            self.find_module_file_for_path(project_index, &path, style)
        };
        found.or_else(|| {
            let configs = self.typescript_configs_for_folder(project_index, folder);
            let beside = configs.iter().flat_map(|config| config.candidate_paths_in_root_dirs(folder, specifier));
            beside.into_iter().find_map(|path| self.find_module_file_for_path(project_index, &path, style))
        })
    }

    /// The file that an import of `path` means: that file, the main or index file of that folder, or the source of
    /// build output.
    fn find_module_file_for_path(
        &self,
        project_index: &dyn ProjectIndex,
        path: &str,
        style: ImportStyle,
    ) -> Option<FileId> {
        let found = lookup::find_file_by_import_path(project_index.project_file_table(), path, style);
        found.or_else(|| self.main_or_index_file_of_folder(project_index, path, style)).or_else(|| {
            let packages = self.packages_around_folder(project_index, folder_of_path(path));
            packages.first().and_then(|package| {
                package.find_source_of_build_output(project_index.project_file_table(), path, false, style)
            })
        })
    }

    fn main_or_index_file_of_folder(
        &self,
        project_index: &dyn ProjectIndex,
        path: &str,
        style: ImportStyle,
    ) -> Option<FileId> {
        let files = project_index.project_file_table();
        if !files.has_files_below_folder(path) {
            return None;
        }
        let package = join_and_normalize_path(path, "package.json").and_then(|package| files.id_of_path(&package));
        let main = package.and_then(|_| {
            self.packages_around_folder(project_index, path).first()?.main_file_ignoring_exports(files, style)
        });
        main.or_else(|| lookup::find_index_file(files, path, style))
    }

    /// The packages (folders with a `package.json`) that contain a folder, innermost first.
    fn packages_around_folder(&self, project_index: &dyn ProjectIndex, folder: &str) -> Arc<[Arc<NpmPackage>]> {
        get_or_compute(&self.packages, folder.to_owned(), |folder| {
            for outer in outer_folders_not_in_cache(&self.packages, folder) {
                self.packages_around_folder(project_index, outer);
            }
            let around = parent_folder(folder).map(|parent| self.packages_around_folder(project_index, parent));
            let own = NpmPackage::read(project_index, folder).map(|mut package| {
                package.outputs = self.output_and_source_folders_of_package(project_index, folder);
                package.aliases = framework::folder_aliases_of_package(project_index, folder, &package.json);
                package.has_tool_adding_imports = framework::has_tool_adding_imports(&package.json);
                package.folders_imported_by_tool = framework::folders_imported_by_tool(folder, &package.json);
                Arc::new(package)
            });
            own.into_iter().chain(around.iter().flat_map(|around| around.iter().cloned())).collect()
        })
    }

    /// The build output folders of the package in a folder, each with its source folder if known.
    fn output_and_source_folders_of_package(
        &self,
        project_index: &dyn ProjectIndex,
        folder: &str,
    ) -> Vec<(String, Option<String>)> {
        let files = project_index.project_file_table();
        let own = files.child_files(folder).filter(|file| is_typescript_config_path(files.path_of_file(*file)));
        let configs = own.filter_map(|file| self.read_typescript_config(project_index, files.path_of_file(file)));
        let mut found: Vec<(String, Option<String>)> = Vec::new();
        for output in configs.flat_map(|config| config.output_and_source_folders()) {
            if !found.contains(&output) {
                found.push(output);
            }
        }
        found
    }

    fn read_typescript_config(&self, project_index: &dyn ProjectIndex, path: &str) -> Option<Arc<TsConfig>> {
        // Finds the packages that configurations extend by name alone. Entry points of packages cannot be used here,
        // because they depend on output folders, which depend on this configuration.
        let package = |_: &str, name: &str| {
            let named = self.folders_and_names_of_packages(project_index).iter().find(|(_, known)| known == name);
            named.map(|(folder, _)| folder.clone())
        };
        TsConfig::read_with_extended_configs(project_index, path, &package).map(Arc::new)
    }

    /// The `tsconfig.json` and `jsconfig.json` configurations that apply to the files of a folder, nearest first.
    fn typescript_configs_for_folder(&self, project_index: &dyn ProjectIndex, folder: &str) -> Arc<[Arc<TsConfig>]> {
        get_or_compute(&self.configs, folder.to_owned(), |folder| {
            for outer in outer_folders_not_in_cache(&self.configs, folder) {
                self.typescript_configs_for_folder(project_index, outer);
            }
            let mut found: Vec<Arc<TsConfig>> = Vec::new();
            for name in ["tsconfig.json", "jsconfig.json", "tsconfig.base.json"] {
                let path = join_and_normalize_path(folder, name)
                    .filter(|path| project_index.project_file_table().id_of_path(path).is_some());
                let Some(config) = path.and_then(|path| self.read_typescript_config(project_index, &path)) else {
                    continue;
                };
                let references = config.references.iter();
                let referenced: Vec<_> =
                    references.filter_map(|path| self.read_typescript_config(project_index, path)).collect();
                found.push(config);
                found.extend(referenced);
                break;
            }
            if let Some(parent) = parent_folder(folder) {
                found.extend(self.typescript_configs_for_folder(project_index, parent).iter().cloned());
            }
            found.into()
        })
    }
}

/// The limit on the number of modules whose names are in sight without an import.
const MAX_VISIBLE_MODULES: usize = 500;

/// Whether a module is built into Node.js or Bun, so that no package declares it.
fn is_builtin_module(name: &str) -> bool {
    BUILTIN_MODULES.binary_search(&name).is_ok()
}

/// The names of the modules that are built into Node.js or Bun, in byte order.
#[rustfmt::skip]
const BUILTIN_MODULES: &[&str] = &[
    "assert", "async_hooks", "buffer", "bun", "child_process", "cluster", "console", "constants", "crypto", "dgram",
    "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os",
    "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys",
    "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
];

fn is_typescript_config_path(path: &str) -> bool {
    let name = file_name_of_path(path);
    name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

/// The folder that contains a folder; `None` for the project root.
fn parent_folder(folder: &str) -> Option<&str> {
    (!folder.is_empty()).then(|| folder_of_path(folder))
}

/// The limit on the number of declaration files (`.d.ts`) that are searched for declared modules.
const MAX_DECLARING: usize = 200;

/// The modules that declaration files declare by name (`declare module "x" { … }`). If several files declare one name,
/// the first counts.
fn find_all_ambient_modules(project_index: &dyn ProjectIndex) -> HashMap<Box<str>, Module> {
    let entries = (0..).zip(project_index.project_file_table().entries());
    let declaring = entries.filter(|(_, entry)| {
        let name = entry.name();
        [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| name.ends_with(ending))
    });
    let mut declared = HashMap::new();
    for (file, _) in declaring.take(MAX_DECLARING) {
        let Some(names) = project_index.names_of_file(file) else { continue };
        for import in names.imports.iter().filter(|import| import.kind == ModuleImportKind::Mention) {
            let scope = names.scopes.get(import.scope as usize);
            if scope.is_some_and(|scope| scope.kind == ScopeKind::Module && scope.owner.is_none()) {
                declared.entry(names.name_text(import.source).into()).or_insert(Module::Scope(file, import.scope));
            }
        }
    }
    declared
}

impl ModuleResolver for JavaScriptModules {
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let path = project_index.project_file_table().path_of_file(from);
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let style = ImportStyle {
            typescript: !matches!(extension, "js" | "jsx" | "mjs" | "cjs"),
            require: import.kind == ModuleImportKind::Require,
        };
        let key = (folder_of_path(path).to_owned(), names.name_text(import.source).to_owned(), style);
        get_or_compute(&self.destination_cache, key, |(folder, specifier, style)| {
            self.resolve_import_specifier(project_index, folder, specifier, *style)
        })
    }

    fn find_ambient_module(&self, project_index: &dyn ProjectIndex, source: &str) -> Option<Module> {
        if source.starts_with(['.', '/']) {
            return None;
        }
        self.declared_modules.get_or_init(|| find_all_ambient_modules(project_index)).get(source).cloned()
    }

    fn are_imports_added_by_tool(&self, project_index: &dyn ProjectIndex, file: FileId) -> bool {
        let folder = folder_of_path(project_index.project_file_table().path_of_file(file));
        self.packages_around_folder(project_index, folder).iter().any(|package| package.has_tool_adding_imports)
    }

    fn modules_visible_without_import(&self, project_index: &dyn ProjectIndex, from: FileId) -> Vec<Module> {
        let files = project_index.project_file_table();
        let packages = self.packages_around_folder(project_index, folder_of_path(files.path_of_file(from)));
        let folders = packages.iter().flat_map(|package| &package.folders_imported_by_tool);
        let modules = folders.flat_map(|folder| files.child_files(folder)).filter(|file| {
            let name = file_name_of_path(files.path_of_file(*file));
            *file != from && [".ts", ".js", ".mts", ".mjs"].iter().any(|ending| name.ends_with(ending))
        });
        modules.take(MAX_VISIBLE_MODULES).map(Module::File).collect()
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        let files = project_index.project_file_table();
        let path = files.path_of_file(file);
        let stem = lookup::module_file_stem(path);
        let mut found = vec![stem.to_owned()];
        let packages = self.packages_around_folder(project_index, folder_of_path(path));
        if stem == "index" {
            found.push(file_name_of_path(folder_of_path(path)).to_owned());
        }
        if stem == "index" || packages.iter().any(|package| package.is_main_file(files, file)) {
            for quote in ['"', '\'', '`'] {
                // Specifiers of an index file in files of its own folder, and of folders below it.
                for way in [".", "./", "../"] {
                    found.push(format!("{quote}{way}{quote}"));
                }
                found.extend([format!("..{quote}"), format!("../{quote}")]);
            }
        }
        for package in packages.iter() {
            found.extend(package.texts_every_import_contains_one_of(files, file));
            let aliases = package.aliases.iter().filter(|alias| alias.means_file(files, file));
            found.extend(aliases.map(|alias| alias.name.clone()));
        }
        let all = self.all_configs.get_or_init(|| {
            let paths =
                files.entries().iter().map(|entry| entry.path.as_str()).filter(|path| is_typescript_config_path(path));
            paths.filter_map(|path| self.read_typescript_config(project_index, path)).collect()
        });
        for config in all {
            found.extend(config.texts_every_import_contains_one_of(files, file));
        }
        found.retain(|needle| !needle.is_empty());
        found.sort_unstable();
        found.dedup();
        found
    }
}
