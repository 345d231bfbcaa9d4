//! Finds the files that declare what PHP code names by a full path, and the files that it includes.
//!
//! How a class is loaded (composer's rules, a class map, plain includes) does not matter: a path means the declaration in
//! the project that has it. The texts of all files are read for their declarations, without parsing them.

mod scan;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use peelback_syntax::language;
use peelback_syntax::names::{ModuleImport, ModuleImportKind, Names};
use rayon::prelude::*;

use crate::modules::{
    Destination, FileId, Module, ModuleResolver, ProjectIndex, file_name_of_path, folder_of_path,
    join_and_normalize_path,
};
use scan::{DeclaredKind, declarations_in_text};

/// The limit on the number of names of a file that its dependents are searched for.
const MAX_NEEDLES: usize = 400;

pub(super) struct PhpModules {
    /// The files that declare a type, by its path in lower case.
    classes: HashMap<Box<str>, Vec<FileId>>,
    functions: HashMap<Box<str>, Vec<FileId>>,
    constants: HashMap<Box<str>, Vec<FileId>>,
    /// The namespaces in which files of the project declare something, in lower case.
    declaring_namespaces: HashSet<Box<str>>,
    /// The same namespaces, with those around them.
    namespaces: HashSet<Box<str>>,
    /// The names that each file declares.
    names_of_files: HashMap<FileId, Vec<Box<str>>>,
}

/// What the source of an import names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedPath<'n> {
    kind: DeclaredKind,
    /// The full path, without a backslash in front.
    pub path: &'n str,
}

impl<'n> NamedPath<'n> {
    pub fn of_source(source: &'n str) -> Self {
        let of = |kind, path| Self { kind, path };
        if let Some(path) = source.strip_prefix("function ") {
            return of(DeclaredKind::Function, path);
        }
        match source.strip_prefix("const ") {
            Some(path) => of(DeclaredKind::Constant, path),
            None => of(DeclaredKind::Class, source),
        }
    }

    /// The namespace of the path, and its last name.
    pub fn namespace_and_name(&self) -> (&'n str, &'n str) {
        self.path.rsplit_once('\\').unwrap_or(("", self.path))
    }
}

/// The kind, namespace and name of what a file declares.
type OwnedDeclaration = (DeclaredKind, String, String);

impl PhpModules {
    pub fn new(project_index: &dyn ProjectIndex) -> Self {
        let files = project_index.project_file_table();
        let php: Vec<FileId> = (0..)
            .zip(files.entries())
            .filter(|(_, entry)| {
                language::language_of_file_name(entry.name()).is_some_and(|language| language.name == "php")
            })
            .map(|(id, _)| id)
            .collect();
        let mut made = Self {
            classes: HashMap::new(),
            functions: HashMap::new(),
            constants: HashMap::new(),
            declaring_namespaces: HashSet::new(),
            namespaces: HashSet::new(),
            names_of_files: HashMap::new(),
        };
        let scanned: Vec<(FileId, Vec<OwnedDeclaration>)> = php
            .into_par_iter()
            .filter_map(|file| {
                let text = files.read_and_record_text(file)?;
                let owned = declarations_in_text(&text)
                    .into_iter()
                    .map(|found| (found.kind, found.namespace, found.name.to_owned()));
                Some((file, owned.collect()))
            })
            .collect();
        for (file, declared) in scanned {
            for (kind, namespace, name) in declared {
                made.add_declaration(file, kind, &namespace, &name);
            }
        }
        made
    }

    fn add_declaration(&mut self, file: FileId, kind: DeclaredKind, namespace: &str, name: &str) {
        let lower = namespace.to_ascii_lowercase();
        if !lower.is_empty() && !self.declaring_namespaces.contains(lower.as_str()) {
            self.declaring_namespaces.insert(lower.as_str().into());
        }
        let mut around = lower.as_str();
        while !around.is_empty() && !self.namespaces.contains(around) {
            self.namespaces.insert(around.into());
            around = around.rsplit_once('\\').map_or("", |(outer, _)| outer);
        }
        let key = match kind {
            DeclaredKind::Constant => join(&lower, name),
            _ => join(&lower, &name.to_ascii_lowercase()),
        };
        let files = self.declarations_mut(kind).entry(key.into()).or_default();
        if files.last() != Some(&file) {
            files.push(file);
        }
        let names = self.names_of_files.entry(file).or_default();
        if names.len() < MAX_NEEDLES && !names.iter().any(|known| **known == *name) {
            names.push(name.into());
        }
    }

    fn declarations_mut(&mut self, kind: DeclaredKind) -> &mut HashMap<Box<str>, Vec<FileId>> {
        match kind {
            DeclaredKind::Class => &mut self.classes,
            DeclaredKind::Function => &mut self.functions,
            DeclaredKind::Constant => &mut self.constants,
        }
    }

    fn files_declaring(&self, kind: DeclaredKind, path: &str) -> &[FileId] {
        let (namespace, name) = path.rsplit_once('\\').unwrap_or(("", path));
        let lower = namespace.to_ascii_lowercase();
        let found = match kind {
            DeclaredKind::Class => self.classes.get(path.to_ascii_lowercase().as_str()),
            DeclaredKind::Function => self.functions.get(path.to_ascii_lowercase().as_str()),
            DeclaredKind::Constant => self.constants.get(join(&lower, name).as_str()),
        };
        found.map_or(&[], Vec::as_slice)
    }

    /// The file that declares what an import names. A function or constant that its namespace does not have can be a global
    /// one.
    fn file_declaring(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        named: NamedPath<'_>,
        may_be_global: bool,
    ) -> Option<FileId> {
        let mut files = self.files_declaring(named.kind, named.path);
        if files.is_empty() && may_be_global {
            files = self.files_declaring(named.kind, named.namespace_and_name().1);
        }
        if files.len() > 1 && files.contains(&from) {
            return Some(from);
        }
        let table = project_index.project_file_table();
        let own = table.path_of_file(from);
        let fit = |file: &FileId| {
            let path = table.path_of_file(*file);
            let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
            // The parts that the end of the file's path shares with the full path, then the folders that are near.
            let ends =
                stem.rsplit('/').zip(named.path.rsplit('\\')).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
            let begins = own.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
            (ends, begins)
        };
        files.iter().copied().max_by_key(|file| (fit(file), std::cmp::Reverse(*file)))
    }

    fn included_file(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        path: &str,
        is_relative: bool,
    ) -> Option<FileId> {
        let table = project_index.project_file_table();
        let path = path.replace('\\', "/");
        let mut folder = folder_of_path(table.path_of_file(from));
        let at = |folder: &str| table.id_of_path(&join_and_normalize_path(folder, path.trim_start_matches('/'))?);
        loop {
            if let Some(found) = at(folder) {
                return Some(found);
            }
            // The folders that paths are relative to are settings of the run.
            if is_relative || folder.is_empty() {
                return None;
            }
            folder = folder_of_path(folder);
        }
    }
}

impl ModuleResolver for PhpModules {
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let source = names.name_text(import.source);
        if import.kind == ModuleImportKind::Include {
            return match self.included_file(project_index, from, source, import.special) {
                Some(file) => Destination::Module(Module::File(file)),
                None if source.split('/').any(|part| part == "vendor") => Destination::External(source.to_owned()),
                None => Destination::Unresolved(source.to_owned()),
            };
        }
        let named = NamedPath::of_source(source);
        if let Some(file) = self.file_declaring(project_index, from, named, import.special) {
            return Destination::Module(Module::File(file));
        }
        // Nothing is imported by a name that no file declares, nor by the name of a namespace.
        if import.kind == ModuleImportKind::Path || self.namespaces.contains(named.path.to_ascii_lowercase().as_str()) {
            return Destination::Module(Module::File(from));
        }
        let (namespace, _) = named.namespace_and_name();
        let is_own = self.declaring_namespaces.contains(namespace.to_ascii_lowercase().as_str());
        match named.kind == DeclaredKind::Class && is_own {
            // It may be generated.
            true => Destination::Unresolved(format!("{} (no such type there)", named.path)),
            false => Destination::External(named.path.to_owned()),
        }
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        let path = project_index.project_file_table().path_of_file(file);
        let names = self.names_of_files.get(&file).map_or(&[][..], Vec::as_slice);
        if names.len() >= MAX_NEEDLES {
            return Vec::new();
        }
        let mut needles: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        needles.push(file_name_of_path(path).to_owned());
        needles
    }
}

fn join(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}\\{name}") }
}
