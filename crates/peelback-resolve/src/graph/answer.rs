//! Questions about dependencies, and their answers.

use peelback_project::Evidence;
use peelback_syntax::Language;

use super::test_paths::is_test_path;
use crate::modules::{FileId, FileTable, folder_of_path};

/// Which way dependencies are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Both directions.
    #[default]
    Both,
    /// From a file to the files that it depends on.
    Outgoing,
    /// From a file to the files that depend on it.
    Incoming,
}

/// A question about a file or a folder.
#[derive(Debug, Clone, Default)]
pub struct DependencyQuery {
    /// The path of the file or folder.
    pub path: String,
    /// The direction to follow.
    pub direction: Direction,
    /// The number of steps to follow; 0 and 1 both mean direct dependencies.
    pub depth: usize,
}

/// A file at the other end of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The file's path.
    pub path: String,
    /// The number of steps to the file.
    pub depth: usize,
    /// The first line on which the dependent file takes something from the other; 0 for indirect dependencies.
    pub line: u32,
    /// The number of names that are taken; for a folder, the number of its files that take some.
    pub names: usize,
    /// Whether the file is a test.
    pub is_test: bool,
}

/// A package outside the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalPackage {
    /// The package's name.
    pub name: String,
    /// The number of imports from the package.
    pub imports: usize,
    /// The first line that imports the package; 0 if the question is about several files.
    pub line: u32,
}

/// An import whose target was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedImport {
    /// The importing file.
    pub path: String,
    /// The line of the import.
    pub line: u32,
    /// The source that the import names.
    pub source: String,
    /// The reason, if there is more to say than that nothing was found.
    pub reason: Option<String>,
}

/// The dependencies and dependents of a file or folder.
#[derive(Debug, Clone)]
pub struct Dependencies {
    /// The path of the file or folder, relative to the root.
    pub path: String,
    /// The number of files below a folder whose imports are known; `None` for a file.
    pub files: Option<usize>,
    /// The file's language.
    pub language: Option<&'static Language>,
    /// Whether imports are resolved in the file's language.
    pub are_imports_resolved: bool,
    /// Files that the file depends on, in source order, nearer files first.
    pub outgoing: Vec<Neighbour>,
    /// Packages outside the project.
    pub external: Vec<ExternalPackage>,
    /// Imports whose targets were not found.
    pub unresolved: Vec<UnresolvedImport>,
    /// Files that depend on the file, the most relevant first.
    pub incoming: Vec<Neighbour>,
    /// Every dependency that was followed, as a pair of dependent and dependency.
    pub edges: Vec<(String, String)>,
    /// How complete the answer is.
    pub evidence: Evidence,
}

/// The dependencies of a whole project.
#[derive(Debug, Clone)]
pub struct DependencyOverview {
    /// The number of files whose imports are known.
    pub files: usize,
    /// The number of dependencies between files.
    pub dependencies: usize,
    /// Files that depend on others and that nothing depends on, without tests. Files with most dependencies come first.
    pub entry_points: Vec<Neighbour>,
    /// The number of tests that nothing depends on.
    pub tests: usize,
    /// Files by the number of files that depend on them, which is in `names`.
    pub most_depended_on: Vec<Neighbour>,
    /// Cycles in which each file takes something from the next, the largest first.
    pub cycles: Vec<Vec<String>>,
    /// The number of groups that are cyclic, or that large, only because a parent module declares its child (`mod a;`
    /// in Rust).
    pub module_cycles: usize,
    /// Packages outside the project, by number of imports, most first.
    pub external: Vec<ExternalPackage>,
    /// Imports whose targets were not found.
    pub unresolved: Vec<UnresolvedImport>,
    /// Every dependency, as a pair of dependent and dependency.
    pub edges: Vec<(String, String)>,
    /// How complete the answer is.
    pub evidence: Evidence,
}

/// A file as a neighbour of the file that the question is about.
pub(super) fn build_neighbour(files: &FileTable, file: FileId, depth: usize, line: u32, names: usize) -> Neighbour {
    let path = files.path_of_file(file).to_owned();
    let is_test = is_test_path(&path);
    Neighbour { path, depth, line, names, is_test }
}

/// Sorts dependents of `path` by relevance: fewer steps first, then code before tests, the same folder before others,
/// more names before fewer.
pub(super) fn sort_neighbours_by_relevance(incoming: &mut [Neighbour], path: &str) {
    let folder = folder_of_path(path);
    incoming.sort_by(|a, b| {
        let key = |end: &Neighbour| {
            (end.depth, end.is_test, folder_of_path(&end.path) != folder, std::cmp::Reverse(end.names))
        };
        key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
    });
}
