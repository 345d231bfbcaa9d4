//! Questions about dependencies, and their answers.

use peelback_project::Evidence;
use peelback_syntax::Language;

use super::tests_of::is_test;
use crate::modules::{FileId, Files, folder_of};

/// Which way dependencies are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Both.
    #[default]
    Both,
    /// To what a file depends on.
    Outgoing,
    /// To what depends on it.
    Incoming,
}

/// A question about a file or a folder.
#[derive(Debug, Clone, Default)]
pub struct DependencyQuery {
    /// The file or folder.
    pub path: String,
    /// Which way.
    pub direction: Direction,
    /// Steps to follow; 0 and 1 are direct dependencies.
    pub depth: usize,
}

/// A file at the other end of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// Its path.
    pub path: String,
    /// Steps to it.
    pub depth: usize,
    /// The first line, of whichever file depends on the other, where it takes something; 0 further away.
    pub line: u32,
    /// How many names are taken; of a folder, how many of its files take some.
    pub names: usize,
    /// Whether it is a test.
    pub is_test: bool,
}

/// A package from outside of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// Its name.
    pub name: String,
    /// How many imports lead to it.
    pub imports: usize,
    /// The first line that does; 0 where several files are asked about.
    pub line: u32,
}

/// An import that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// What it names.
    pub source: String,
    /// Why it leads nowhere, where there is more to say than that nothing is there.
    pub reason: Option<String>,
}

/// What a file or folder depends on, and what depends on it.
#[derive(Debug, Clone)]
pub struct Dependencies {
    /// The file or folder, from the root.
    pub path: String,
    /// How many files a folder holds whose imports are known; `None` for a file.
    pub files: Option<usize>,
    /// The file's language.
    pub language: Option<&'static Language>,
    /// Whether imports of such a file are followed at all.
    pub is_followed: bool,
    /// Files that it depends on: of a file in the order of its text, further ones after nearer ones.
    pub outgoing: Vec<Neighbour>,
    /// Packages from outside.
    pub external: Vec<External>,
    /// Links that lead nowhere.
    pub unresolved: Vec<Unresolved>,
    /// Files that depend on it, those that matter most first.
    pub incoming: Vec<Neighbour>,
    /// Every dependency that was followed, from and to.
    pub edges: Vec<(String, String)>,
    /// How far all that can be trusted.
    pub evidence: Evidence,
}

/// A whole project.
#[derive(Debug, Clone)]
pub struct Overview {
    /// Files whose imports are known.
    pub files: usize,
    /// Dependencies between them.
    pub dependencies: usize,
    /// Files that depend on others and that nothing depends on, those that reach most first. Tests are not among them.
    pub entry_points: Vec<Neighbour>,
    /// Tests that nothing depends on.
    pub tests: usize,
    /// Files by how many depend on them: that is in `names`.
    pub most_depended_on: Vec<Neighbour>,
    /// Groups of files in which each takes something from the next in a circle, the largest first.
    pub cycles: Vec<Vec<String>>,
    /// How many groups of files are circular, or as large as they are, only because a parent module declares its child
    /// (`mod a;` in Rust).
    pub module_cycles: usize,
    /// Packages from outside, those with most imports first.
    pub external: Vec<External>,
    /// Links that lead nowhere.
    pub unresolved: Vec<Unresolved>,
    /// Every dependency, from and to.
    pub edges: Vec<(String, String)>,
    /// How far all that can be trusted.
    pub evidence: Evidence,
}

/// A file as a neighbour of the file that the question is about.
pub(super) fn neighbour(files: &Files, file: FileId, depth: usize, line: u32, names: usize) -> Neighbour {
    let path = files.path(file).to_owned();
    let is_test = is_test(&path);
    Neighbour { path, depth, line, names, is_test }
}

/// Puts those first that matter most to who asks about `path`: near ones before far ones, code before tests, the same
/// folder before others, many names before few.
pub(super) fn rank_neighbours(incoming: &mut [Neighbour], path: &str) {
    let folder = folder_of(path);
    incoming.sort_by(|a, b| {
        let key =
            |end: &Neighbour| (end.depth, end.is_test, folder_of(&end.path) != folder, std::cmp::Reverse(end.names));
        key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
    });
}
