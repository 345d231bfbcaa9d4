//! Resolves the packages and imports of Java.
//!
//! A package is told by the `package` line of its files, and its files may be in several folders (`src/main/java`,
//! `src/test/java`, several modules of one build). The files of one folder mostly have one package, and its name is the
//! end of the folder's path: then the line of one file tells that of all.

mod facades;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use peelback_syntax::names::{BindingKind, FILE_SCOPE, ModuleImport, ModuleImportKind, Names};

use super::platform_names;
use crate::modules::{Destination, FileId, Module, ModuleResolver, ProjectIndex, file_name_of_path, folder_of_path};
use crate::resolve::memo::Memo;

pub(in super::super) struct JavaModules {
    /// The packages of the project by their names.
    packages: BTreeMap<Arc<str>, Package>,
    /// The package of each file.
    package_of_file: HashMap<FileId, Arc<str>>,
    /// Memoized files that define types, by the package and the name of a type.
    defining: Memo<(Box<str>, Box<str>), Vec<FileId>>,
    /// Memoized files that are one class for Java, by the package and the name of the class.
    class_files: Memo<(Box<str>, Box<str>), Vec<FileId>>,
}

/// The files of one package.
#[derive(Default)]
struct Package {
    files: Vec<FileId>,
    /// The files by their names without the extension: a public type is in the file of its name.
    by_stem: HashMap<Box<str>, Vec<FileId>>,
}

/// What a dotted path leads to.
enum PathTarget {
    /// A type: the file that defines it, or the type that it is inside of.
    Type(FileId),
    Package(Module),
    Outside,
}

impl JavaModules {
    pub fn new(project_index: &dyn ProjectIndex) -> Self {
        let files = project_index.project_file_table();
        let mut by_folder: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
        for (id, entry) in (0..).zip(files.entries()) {
            if stem_of_source(&entry.path).is_some() && file_name_of_path(&entry.path) != "module-info.java" {
                by_folder.entry(folder_of_path(&entry.path)).or_default().push(id);
            }
        }
        let mut made = Self {
            packages: BTreeMap::new(),
            package_of_file: HashMap::new(),
            defining: Memo::new(),
            class_files: Memo::new(),
        };
        let package_in = |file: FileId| {
            let is_java = files.path_of_file(file).ends_with(".java");
            let read = if is_java { package_in_text } else { facades::package_without_semicolon };
            files.read_and_record_text(file).map(|text| read(&text))
        };
        for (folder, ids) in by_folder {
            let first = ids.iter().find_map(|id| package_in(*id));
            let is_told_by_folder = first.as_ref().is_some_and(|name| is_end_of_path(folder, name));
            for id in ids {
                let name = match &first {
                    Some(name) if is_told_by_folder => Some(name.clone()),
                    _ => package_in(id),
                };
                if let Some(name) = name {
                    made.add_file(id, &name, files.path_of_file(id));
                }
            }
        }
        made
    }

    fn add_file(&mut self, file: FileId, name: &str, path: &str) {
        let name: Arc<str> = match self.packages.get_key_value(name) {
            Some((known, _)) => known.clone(),
            None => name.into(),
        };
        let package = self.packages.entry(name.clone()).or_default();
        package.files.push(file);
        let stem = stem_of_source(path).unwrap_or(path);
        package.by_stem.entry(stem.into()).or_default().push(file);
        self.package_of_file.insert(file, name);
    }

    /// The module of the package called `name`, if it has files or packages inside it have some.
    pub fn package_module(&self, name: &str) -> Option<Module> {
        let begin = |name: &str| {
            let from = (std::ops::Bound::Included(name), std::ops::Bound::Unbounded);
            self.packages.range::<str, _>(from).next()
        };
        // Another package can sort between `a.b` and those inside it.
        let inside = || begin(&format!("{name}.")).filter(|(other, _)| is_inside(other, name));
        let first = begin(name).filter(|(other, _)| is_inside(other, name)).or_else(inside);
        let file = *first?.1.files.first()?;
        Some(Module::Package(name.into(), file))
    }

    /// The files of a package that may define a type called `name`: that of its name, else those that hold the name.
    fn files_possibly_defining(&self, project_index: &dyn ProjectIndex, package: &str, name: &str) -> Vec<FileId> {
        let Some(package) = self.packages.get(package) else { return Vec::new() };
        if let Some(files) = package.by_stem.get(name) {
            // A file can have the name of functions that it defines.
            let are_sure =
                files.iter().all(|file| project_index.project_file_table().path_of_file(*file).ends_with(".java"));
            let defines =
                |file: &FileId| project_index.names_of_file(*file).is_some_and(|names| defines_at_top(&names, name));
            if are_sure || files.iter().any(defines) {
                return files.clone();
            }
        }
        if platform_names::is_in_lang(name) {
            return Vec::new();
        }
        let holders = package.files.iter().copied();
        holders.filter(|file| project_index.may_file_contain_name(*file, name)).collect()
    }

    /// The files of a package that define a type called `name`. Results are memoized: each import may ask for them.
    fn files_defining(&self, project_index: &dyn ProjectIndex, package: &str, name: &str) -> Vec<FileId> {
        let key = (Box::from(package), Box::from(name));
        if let Some(known) = self.defining.get(&key) {
            return known;
        }
        let files = self.find_files_defining_uncached(project_index, package, name);
        self.defining.insert(key, files.clone());
        files
    }

    fn find_files_defining_uncached(&self, project_index: &dyn ProjectIndex, package: &str, name: &str) -> Vec<FileId> {
        let mut files = self.files_possibly_defining(project_index, package, name);
        files.retain(|file| project_index.names_of_file(*file).is_some_and(|names| defines_at_top(&names, name)));
        files
    }

    /// What a dotted path leads to, as the file `from` sees it.
    fn resolve_path(&self, project_index: &dyn ProjectIndex, from: FileId, path: &str) -> PathTarget {
        let parts: Vec<&str> = path.split('.').collect();
        for count in (0..parts.len()).rev() {
            let package = parts.get(..count).unwrap_or(&[]).join(".");
            let Some(name) = parts.get(count) else { continue };
            if !self.packages.contains_key(package.as_str()) {
                continue;
            }
            let files = self.files_defining(project_index, &package, name);
            if let Some(file) = nearest_file(project_index, from, &files) {
                return PathTarget::Type(file);
            }
            if let Some(class) = self.class_of_files(project_index, &package, name) {
                return PathTarget::Package(class);
            }
        }
        self.package_module(path).map_or(PathTarget::Outside, PathTarget::Package)
    }

    /// The names in a path from that of the type on that `file` defines at its top: `Outer` and `Inner` of
    /// `a.b.Outer.Inner`.
    pub fn names_from_type_of_file(project_index: &dyn ProjectIndex, file: FileId, path: &str) -> Vec<String> {
        let Some(names) = project_index.names_of_file(file) else { return Vec::new() };
        let package = names.package.map_or("", |package| names.name_text(package));
        let rest = match package {
            "" => Some(path),
            package => path.strip_prefix(package).and_then(|rest| rest.strip_prefix('.')),
        };
        rest.map_or_else(Vec::new, |rest| rest.split('.').map(str::to_owned).collect())
    }

    fn destination_of_path(&self, project_index: &dyn ProjectIndex, from: FileId, path: &str) -> Destination {
        match self.resolve_path(project_index, from, path) {
            PathTarget::Type(file) => Destination::Module(Module::File(file)),
            PathTarget::Package(module) => Destination::Module(module),
            PathTarget::Outside => {
                // A package of the project lacks a type that an import takes from it: it may be generated.
                match path.rsplit_once('.') {
                    Some((package, _)) if self.packages.contains_key(package) => {
                        Destination::Unresolved(format!("{path} (no such type there)"))
                    }
                    _ => Destination::External(path.to_owned()),
                }
            }
        }
    }
}

impl ModuleResolver for JavaModules {
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let path = names.name_text(import.source);
        if import.kind != ModuleImportKind::Path {
            return self.destination_of_path(project_index, from, path);
        }
        // A name that may be a type of the file's own package. If it is none, nothing is imported.
        let (package, name) = path.rsplit_once('.').unwrap_or(("", path));
        let files = self.files_defining(project_index, package, name);
        Destination::Module(Module::File(nearest_file(project_index, from, &files).unwrap_or(from)))
    }

    fn files_of_package(&self, project_index: &dyn ProjectIndex, package: &str) -> Vec<FileId> {
        if let Some((package, class)) = package.split_once(facades::CLASS_MARK) {
            return self.files_of_class(project_index, package, class);
        }
        self.packages.get(package).map_or_else(Vec::new, |package| package.files.clone())
    }

    fn files_of_package_possibly_defining(
        &self,
        project_index: &dyn ProjectIndex,
        package: &str,
        name: &str,
    ) -> Vec<FileId> {
        if let Some((package, class)) = package.split_once(facades::CLASS_MARK) {
            return self.files_of_class(project_index, package, class);
        }
        self.files_possibly_defining(project_index, package, name)
    }

    fn is_class_of_files(&self, module: &Module) -> bool {
        matches!(module, Module::Package(name, _) if name.contains(facades::CLASS_MARK))
    }

    fn file_backed_submodule(&self, project_index: &dyn ProjectIndex, module: &Module, name: &str) -> Option<Module> {
        match module {
            Module::Package(package, _) if package.contains(facades::CLASS_MARK) => None,
            Module::Package(package, _) if package.is_empty() => {
                self.class_of_files(project_index, "", name).or_else(|| self.package_module(name))
            }
            Module::Package(package, _) => self
                .class_of_files(project_index, package, name)
                .or_else(|| self.package_module(&format!("{package}.{name}"))),
            _ => None,
        }
    }

    fn module_of_unbound_first_segment(
        &self,
        _project_index: &dyn ProjectIndex,
        _from: FileId,
        _scope: u32,
        name: &str,
    ) -> Option<Module> {
        self.package_module(name)
    }

    fn modules_visible_without_import(&self, _project_index: &dyn ProjectIndex, from: FileId) -> Vec<Module> {
        let name = self.package_of_file.get(&from);
        name.and_then(|name| self.package_module(name)).into_iter().collect()
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        match self.package_of_file.get(&file) {
            Some(name) if !name.is_empty() => vec![name.to_string()],
            _ => {
                let path = project_index.project_file_table().path_of_file(file);
                vec![stem_of_source(path).unwrap_or(path).to_owned()]
            }
        }
    }
}

/// Whether a package is the one called `name`, or inside it.
fn is_inside(package: &str, name: &str) -> bool {
    name.is_empty() || package.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a file defines something called `name` at its top.
fn defines_at_top(names: &Names, name: &str) -> bool {
    names.id_of_name(name).is_some_and(|name| {
        names
            .bindings
            .iter()
            .any(|binding| binding.scope == FILE_SCOPE && binding.kind != BindingKind::Import && binding.name == name)
    })
}

/// The name of a source file without its extension; `None` for other files.
fn stem_of_source(path: &str) -> Option<&str> {
    let name = file_name_of_path(path);
    name.strip_suffix(".java").or_else(|| name.strip_suffix(".kt"))
}

/// The file whose path has the most folders in common with that of `from`.
fn nearest_file(project_index: &dyn ProjectIndex, from: FileId, files: &[FileId]) -> Option<FileId> {
    let table = project_index.project_file_table();
    let own = table.path_of_file(from);
    let shared =
        |file: &FileId| own.split('/').zip(table.path_of_file(*file).split('/')).take_while(|(a, b)| a == b).count();
    files.iter().copied().max_by_key(|file| (shared(file), std::cmp::Reverse(*file)))
}

/// Whether a folder's path ends with the parts of a package's name.
fn is_end_of_path(folder: &str, package: &str) -> bool {
    let mut parts = folder.rsplit('/');
    !package.is_empty() && package.rsplit('.').all(|part| parts.next() == Some(part))
}

/// The name in the `package` line of a text; empty for the package without a name.
fn package_in_text(text: &str) -> String {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else if let Some(annotation) = rest.strip_prefix('@') {
            // The annotations of a package stand before it, in a file of their own.
            if annotation.starts_with("interface") {
                return String::new();
            }
            let is_end = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '.');
            let name_and_rest = annotation.trim_start();
            rest = match name_and_rest.find(is_end) {
                Some(at) => after_annotation(name_and_rest.get(at..).unwrap_or("").trim_start()),
                None => "",
            };
        } else {
            break;
        }
    }
    let Some(name) =
        rest.strip_prefix("package").filter(|name| name.starts_with(|c: char| c.is_whitespace() || c == '/'))
    else {
        return String::new();
    };
    path_without_blanks(name.split_once(';').map_or("", |(name, _)| name))
}

/// A dotted path without the blanks and comments between its parts.
fn path_without_blanks(text: &str) -> String {
    let mut path = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        path.push_str(rest.get(..at).unwrap_or(""));
        let comment = rest.get(at..).unwrap_or("");
        let end = if comment.starts_with("/*") { "*/" } else { "\n" };
        rest = comment.split_once(end).map_or("", |(_, rest)| rest);
    }
    path.push_str(rest);
    path.retain(|c| !c.is_whitespace());
    path
}

/// The text behind the arguments of an annotation, if they begin here.
fn after_annotation(text: &str) -> &str {
    let Some(arguments) = text.strip_prefix('(') else { return text };
    let mut depth = 1_usize;
    for (at, c) in arguments.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return arguments.get(at + 1..).unwrap_or("");
        }
    }
    ""
}

#[cfg(test)]
mod tests;
