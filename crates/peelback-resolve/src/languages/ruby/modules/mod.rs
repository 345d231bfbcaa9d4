//! Resolves the files that Ruby code loads: by `require` below the load paths, relative to the file itself, and by the names
//! of constants where a project loads files by convention.
//!
//! The load paths of a project are its folders called `lib`, those that gem specifications name, and the folders of tests
//! around a file. Folders below `app` of a Rails project, and `lib` of a project that uses Zeitwerk, are loaded by
//! convention: the constant `Admin::UserList` is in `admin/user_list.rb`.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use peelback_syntax::names::{BindingKind, Expr, ModuleImport, ModuleImportKind, Names, ScopeId, ScopeKind};

use crate::modules::{
    Destination, FileId, FileTable, Module, ModuleResolver, ProjectIndex, file_name_of_path, folder_of_path,
    join_and_normalize_path,
};

pub(super) struct RubyModules {
    /// The folders below which `require` finds files.
    load_paths: Vec<String>,
    /// The files that are loaded by convention, by the path of the constant in lower case without `_`: `admin/userlist`.
    by_constant: HashMap<String, Vec<FileId>>,
}

/// Names of folders that tests are started with as load paths.
const TEST_FOLDERS: &[&str] = &["test", "spec", "tests", "specs", "features"];

/// The limit on the number of nested scopes that are looked at for the classes around a constant.
const MAX_NESTED_SCOPES: usize = 64;

impl RubyModules {
    pub fn new(project_index: &dyn ProjectIndex) -> Self {
        let files = project_index.project_file_table();
        let mut load_paths: BTreeSet<String> = BTreeSet::new();
        let mut roots: BTreeSet<String> = BTreeSet::new();
        let mut zeitwerk_libraries: BTreeSet<String> = BTreeSet::new();
        for (id, entry) in (0..).zip(files.entries()) {
            let path = entry.path.as_str();
            if !path.ends_with(".rb") && !path.ends_with(".gemspec") {
                continue;
            }
            let folder = folder_of_path(path);
            if path.ends_with(".gemspec") {
                for name in require_paths(files, id) {
                    load_paths.extend(join_and_normalize_path(folder, &name));
                }
                continue;
            }
            if let Some(library) = library_folder(path) {
                // The file that sets the loader up is directly in the library folder, or in its first folder.
                let depth = path.get(library.len()..).map_or(0, |rest| rest.matches('/').count());
                if depth <= 1
                    && !zeitwerk_libraries.contains(library)
                    && files.read_and_record_text(id).is_some_and(|text| text.contains("Zeitwerk::Loader"))
                {
                    zeitwerk_libraries.insert(library.to_owned());
                }
                load_paths.insert(library.to_owned());
            }
            for root in convention_roots(path) {
                roots.insert(root);
            }
            if path == "config/application.rb"
                && files
                    .read_and_record_text(id)
                    .is_some_and(|text| text.contains("autoload_lib") || text.contains("autoload_paths"))
            {
                zeitwerk_libraries.insert("lib".to_owned());
            }
        }
        roots.extend(zeitwerk_libraries);
        let mut by_constant: HashMap<String, Vec<FileId>> = HashMap::new();
        for root in &roots {
            for id in files.files_below_folder(root) {
                let path = files.path_of_file(id);
                let below = path.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/'));
                if let Some(stem) = below.and_then(|below| below.strip_suffix(".rb")) {
                    by_constant.entry(key_of_path(stem)).or_default().push(id);
                }
            }
        }
        Self { load_paths: load_paths.into_iter().collect(), by_constant }
    }

    /// The file that `require path` loads in the file `from`.
    fn required_file(&self, files: &FileTable, from: &str, path: &str) -> Option<FileId> {
        let folder = folder_of_path(from);
        let mut candidates: Vec<(usize, &str)> =
            self.load_paths.iter().map(|root| (shared_folder_count(root, from), root.as_str())).collect();
        // The nearest load path comes first.
        candidates.sort_by_key(|(shared, root)| (std::cmp::Reverse(*shared), *root));
        let tests = test_folders_around(folder);
        let roots = candidates.into_iter().map(|(_, root)| root).chain(tests.iter().map(String::as_str)).chain([""]);
        for root in roots {
            if let Some(found) = file_at(files, root, path) {
                return Some(found);
            }
        }
        None
    }

    /// The file that defines a constant by convention. `around` is the path of the classes around the place.
    fn file_of_constant(&self, around: &[String], constant: &str) -> Option<FileId> {
        if self.by_constant.is_empty() {
            return None;
        }
        let constant = constant.trim_start_matches(':');
        for count in (0..=around.len()).rev() {
            let prefix = around.get(..count).unwrap_or(&[]);
            let mut parts: Vec<&str> = prefix.iter().map(String::as_str).chain(constant.split("::")).collect();
            // A constant inside a class is in the file of the class.
            while parts.len() > prefix.len() {
                let key = key_of_path(&parts.join("/"));
                if let Some(file) = self.by_constant.get(&key).and_then(|files| files.first()) {
                    return Some(*file);
                }
                parts.pop();
            }
        }
        None
    }
}

impl ModuleResolver for RubyModules {
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let files = project_index.project_file_table();
        let source = names.name_text(import.source);
        if import.kind == ModuleImportKind::Path {
            let around = types_around_scope(names, import.scope);
            let file = self.file_of_constant(&around, source).unwrap_or(from);
            return Destination::Module(Module::File(file));
        }
        let path = files.path_of_file(from);
        if import.special || source.starts_with("./") || source.starts_with("../") {
            // `require './a'` is relative to the folder in which the program runs, which is mostly that of the project.
            let folder = folder_of_path(path);
            let own = file_at(files, folder, source);
            let found = own.or_else(|| if import.special { None } else { file_at(files, "", source) });
            return match found {
                Some(file) => Destination::Module(Module::File(file)),
                None => Destination::Unresolved(source.to_owned()),
            };
        }
        match self.required_file(files, path, source) {
            Some(file) => Destination::Module(Module::File(file)),
            None => match source.split('/').next().unwrap_or(source) {
                // A path of the file system, which no package has: `load "/etc/app.rb"`.
                "" | "." | ".." => Destination::Unresolved(source.to_owned()),
                package => Destination::External(package.to_owned()),
            },
        }
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        let path = project_index.project_file_table().path_of_file(file);
        let name = file_name_of_path(path);
        let mut texts = vec![name.strip_suffix(".rb").unwrap_or(name).to_owned()];
        if let Some(names) = project_index.names_of_file(file) {
            let types = names.bindings.iter().filter(|binding| {
                binding.kind == BindingKind::Type || (binding.kind == BindingKind::Variable && binding.constant)
            });
            texts.extend(types.map(|binding| names.name_text(binding.name).to_owned()));
        }
        texts.sort();
        texts.dedup();
        texts
    }
}

/// The names of the classes around a scope, the outermost first.
fn types_around_scope(names: &Names, scope: ScopeId) -> Vec<String> {
    let mut found = Vec::new();
    let mut next = Some(scope);
    for _ in 0..MAX_NESTED_SCOPES {
        let Some(scope) = next.and_then(|id| names.scopes.get(id as usize)) else { break };
        if scope.kind == ScopeKind::Type
            && let Some(owner) = scope.owner.and_then(|owner| names.bindings.get(owner as usize))
        {
            found.push(names.name_text(owner.name).to_owned());
            // `class A::B` is inside a scope of members of `A`.
            let holder = names.extensions.iter().find(|extension| extension.scope == owner.scope);
            let mut target = holder.map(|extension| extension.target);
            while let Some(expr) = target {
                target = match names.expr_by_id(expr) {
                    Expr::Member { base, name, .. } => {
                        found.push(names.name_text(name).to_owned());
                        Some(base)
                    }
                    Expr::Name { name, .. } => {
                        found.push(names.name_text(name).to_owned());
                        None
                    }
                    _ => None,
                };
            }
        }
        next = scope.parent;
    }
    found.reverse();
    found
}

/// A path of files or constants in lower case, without the signs that tell words apart: acronyms are written in several ways.
fn key_of_path(path: &str) -> String {
    path.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// The file that a path means below a folder, with the extension or without it.
fn file_at(files: &FileTable, folder: &str, path: &str) -> Option<FileId> {
    let path = join_and_normalize_path(folder, path)?;
    let with_extension = || files.id_of_path(&format!("{path}.rb"));
    match path.ends_with(".rb") || path.ends_with(".rake") || path.ends_with(".ru") {
        true => files.id_of_path(&path).or_else(with_extension),
        false => with_extension(),
    }
}

/// The innermost folder called `lib` above a file.
fn library_folder(path: &str) -> Option<&str> {
    let folder = folder_of_path(path);
    if folder == "lib" || folder.starts_with("lib/") {
        return Some("lib");
    }
    let at = folder.find("/lib/").or_else(|| folder.ends_with("/lib").then(|| folder.len() - 4))?;
    folder.get(..at + 4)
}

/// The folders of a Rails project above a file that are loaded by convention: `app/models`, `app/models/concerns`.
fn convention_roots(path: &str) -> Vec<String> {
    let folder = folder_of_path(path);
    let at = match folder.starts_with("app/") {
        true => 0,
        false => match folder.find("/app/") {
            Some(at) => at + 1,
            None => return Vec::new(),
        },
    };
    let (before, below) = folder.split_at(at);
    let mut parts = below.split('/').skip(1);
    let Some(first) = parts.next() else { return Vec::new() };
    let root = format!("{before}app/{first}");
    match parts.next() {
        Some("concerns") => vec![format!("{root}/concerns"), root],
        _ => vec![root],
    }
}

/// The load paths that a gem specification names.
fn require_paths(files: &FileTable, specification: FileId) -> Vec<String> {
    require_paths_in_text(&files.read_and_record_text(specification).unwrap_or_default())
}

/// The load paths in the text of a gem specification; `lib` if it names none.
fn require_paths_in_text(text: &str) -> Vec<String> {
    let listed = text.find("require_path").and_then(|at| text.get(at..));
    let value = listed.and_then(|rest| rest.lines().next()?.split_once('=')).map_or("", |(_, value)| value);
    let value = value.trim().trim_start_matches("%w");
    let is_part_of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let names = value.split(|c| !is_part_of_path(c)).filter(|part| part.contains(char::is_alphabetic));
    let names: Vec<String> = names.map(str::to_owned).collect();
    if names.is_empty() { vec!["lib".to_owned()] } else { names }
}

/// The folders of tests around a folder, the innermost first.
fn test_folders_around(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = folder;
    loop {
        if TEST_FOLDERS.contains(&file_name_of_path(at)) {
            found.push(at.to_owned());
        }
        match at.rsplit_once('/') {
            Some((above, _)) => at = above,
            None => break,
        }
    }
    // A project has its tests beside its library.
    found.extend(TEST_FOLDERS.iter().take(2).map(|name| (*name).to_owned()));
    found
}

/// The number of leading folders that two paths have in common.
fn shared_folder_count(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
}
