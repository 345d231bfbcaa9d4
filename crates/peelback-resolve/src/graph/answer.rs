//! The types of questions about the dependencies between files, and of the answers to them.

use peelback_project::Evidence;
use peelback_syntax::Language;

use super::edges::ImportsFromFile;
use super::test_paths::looks_like_test_path;
use crate::modules::{FileId, FileTable, folder_of_path};

/// The direction in which dependencies between files are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Both directions: to dependencies and to dependents.
    #[default]
    Both,
    /// The direction from a file to the files that it depends on.
    Outgoing,
    /// The direction from a file to the files that depend on it.
    Incoming,
}

/// A question about the dependencies and dependents of one file or folder.
#[derive(Debug, Clone, Default)]
pub struct DependencyQuery {
    /// The path of the file or folder that the question is about.
    pub path: String,
    /// The direction in which dependencies are followed.
    pub direction: Direction,
    /// The number of dependency steps to follow from the file or folder; 0 and 1 both mean direct dependencies only.
    pub depth: usize,
}

/// A file in an answer about dependencies, such as a dependency or a dependent of the file that the question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The path of the neighbouring file, relative to the project root.
    pub path: String,
    /// The number of dependency steps between this file and the file or folder that the question is about.
    pub depth: usize,
    /// The first line on which the dependent file imports something from the other file; 0 for indirect dependencies.
    pub line: u32,
    /// The number of names that the dependent file imports from the other file. In an answer about a folder: the number
    /// of its files that directly depend on this file, or that this file directly depends on.
    pub names: usize,
    /// Whether the path shows that the file is a test or supports tests.
    pub is_test: bool,
    /// Whether the dependent file exports what it imports, so that other files can use it from there. `false` for indirect
    /// dependencies.
    pub is_re_export: bool,
    /// Whether no import statement leads from the one file to the other: the names are visible without one, such as those
    /// of one package in Java. `false` for indirect dependencies, and in an answer about a folder.
    pub is_without_statement: bool,
}

/// A package outside the project from which files of the project import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalPackage {
    /// The name of the external package.
    pub name: String,
    /// The number of imports from the package, in the files that the question is about.
    pub imports: usize,
    /// The first line that imports the package; 0 if the question is about several files.
    pub line: u32,
}

/// An import whose target should be in the project but was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedImport {
    /// The path of the file that contains the import.
    pub path: String,
    /// The line of the import in that file.
    pub line: u32,
    /// The text by which the import names its target: a path, or the name of a module or package.
    pub source: String,
    /// The reason why the target was not found, if there is more to say than that it is missing.
    pub reason: Option<String>,
}

/// The answer to a [`DependencyQuery`]: the dependencies and dependents of a file or folder.
#[derive(Debug, Clone)]
pub struct Dependencies {
    /// The path of the file or folder that the answer is about, relative to the project root.
    pub path: String,
    /// For a folder, the number of files below it whose imports are known; `None` for a file.
    pub files: Option<usize>,
    /// The language of the file; `None` for a folder, and if the language is not known.
    pub language: Option<&'static Language>,
    /// Whether imports in the file's language are resolved; for a folder, `false` where it has files of code, but none in
    /// such a language.
    pub are_imports_resolved: bool,
    /// For a folder, the languages of its files whose imports are not resolved, each with the number of its files.
    pub files_with_unresolved_imports: Vec<(&'static str, usize)>,
    /// Whether the search for dependents was stopped before it looked at all files.
    pub is_search_unfinished: bool,
    /// The files that the file or folder depends on, those at fewer steps first. Direct dependencies of a file are in
    /// source order.
    pub outgoing: Vec<Neighbour>,
    /// Packages outside the project that the file, or files of the folder, import.
    pub external: Vec<ExternalPackage>,
    /// Imports of the file, or of files of the folder, whose targets were not found.
    pub unresolved: Vec<UnresolvedImport>,
    /// The files that depend on the file or folder, the most relevant first.
    pub incoming: Vec<Neighbour>,
    /// Every dependency that was followed, as two paths: the dependent file, and the file that it depends on.
    pub edges: Vec<(String, String)>,
    /// Those of `edges` by which a file only declares another one as its submodule (`mod a;` in Rust). They make no cycle
    /// by use. Empty for a file.
    pub submodule_declarations: Vec<(String, String)>,
    /// The files below the folder whose imports are known, in the order of paths; empty for a file.
    pub known_files: Vec<String>,
    /// How complete this answer is, and which files it could not take into account.
    pub evidence: Evidence,
}

/// An overview of the dependencies between all files of a project.
#[derive(Debug, Clone)]
pub struct DependencyOverview {
    /// The number of files of the project whose imports are known.
    pub files: usize,
    /// The number of dependencies between files of the project.
    pub dependencies: usize,
    /// The entry points: files that no file depends on, without tests. Each depends on other files, or has the name of
    /// a program. Files with most dependencies come first.
    pub entry_points: Vec<Neighbour>,
    /// The number of test files that no file depends on.
    pub tests: usize,
    /// The files that others depend on, those with most dependents first. The field `names` has the number of
    /// dependents.
    pub most_depended_on: Vec<Neighbour>,
    /// The dependency cycles: groups of files that use each other, directly or through other files of the group, as
    /// paths. The largest group comes first.
    pub cycles: Vec<Vec<String>>,
    /// The number of groups of files that form a cycle, or one of that size, only because a parent module declares its
    /// child (`mod a;` in Rust).
    pub module_cycles: usize,
    /// Packages outside the project that its files import, those with most imports first.
    pub external: Vec<ExternalPackage>,
    /// Imports of the project's files whose targets were not found.
    pub unresolved: Vec<UnresolvedImport>,
    /// Every dependency between files, as two paths: the dependent file, and the file that it depends on.
    pub edges: Vec<(String, String)>,
    /// Those of `edges` by which a file only declares another one as its submodule (`mod a;` in Rust). They make no cycle
    /// by use.
    pub submodule_declarations: Vec<(String, String)>,
    /// The files of the project whose imports are known, in the order of paths.
    pub known_files: Vec<String>,
    /// How complete this overview is, and which files it could not take into account.
    pub evidence: Evidence,
}

/// Builds the entry for a file in an answer: finds its path, and whether it is a test.
pub(super) fn build_neighbour(files: &FileTable, file: FileId, depth: usize, line: u32, names: usize) -> Neighbour {
    let path = files.path_of_file(file).to_owned();
    let is_test = looks_like_test_path(&path);
    Neighbour { path, depth, line, names, is_test, is_re_export: false, is_without_statement: false }
}

/// Builds the entry for a file that directly depends on another one, or on which the other one depends.
pub(super) fn build_direct_neighbour(files: &FileTable, file: FileId, imports: ImportsFromFile) -> Neighbour {
    let ImportsFromFile { line, names, is_re_export, is_without_statement } = imports;
    Neighbour { is_re_export, is_without_statement, ..build_neighbour(files, file, 1, line, names) }
}

/// Sorts dependents of `path` by relevance: fewer steps first, then code before tests, the same folder before others,
/// more names before fewer.
pub(super) fn sort_dependents_by_relevance(incoming: &mut [Neighbour], path: &str) {
    let folder = folder_of_path(path);
    incoming.sort_by(|a, b| {
        let key = |end: &Neighbour| {
            (end.depth, end.is_test, folder_of_path(&end.path) != folder, std::cmp::Reverse(end.names))
        };
        key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
    });
}
