//! The graph of dependencies: which file leans on which.
//!
//! - `edges.rs` finds where the imports of a file lead;
//! - `cache.rs` keeps the graph of a project for as long as its process lives, and makes it new where files changed;
//! - `reverse_dependencies.rs` answers for one file without the graph;
//! - `gaps.rs` says what neither knows;
//! - `query.rs` is the way in.

mod cache;
mod cycles;
mod edges;
mod gaps;
mod query;
mod reverse_dependencies;
mod tests_of;

use crate::modules::FileId;
use edges::FileEdges;
pub use query::{Dependencies, DependencyQuery, Direction, External, Neighbour, Overview, Unresolved};
pub use tests_of::is_test;

/// Which files depend on which, all in the order of paths.
#[derive(Debug, Default)]
pub(crate) struct DependencyGraph {
    edges: Vec<FileEdges>,
    incoming: Vec<Vec<FileId>>,
}

impl DependencyGraph {
    /// The graph of the files that have these edges.
    pub fn new(edges: Vec<FileEdges>) -> Self {
        let mut incoming: Vec<Vec<FileId>> = vec![Vec::new(); edges.len()];
        for (from, edges) in (0..).zip(&edges) {
            for to in edges.files() {
                if let Some(incoming) = incoming.get_mut(*to as usize) {
                    incoming.push(from);
                }
            }
        }
        incoming.iter_mut().for_each(Vec::shrink_to_fit);
        Self { edges, incoming }
    }

    /// The edges of a file.
    pub fn edges(&self, file: FileId) -> Option<&FileEdges> {
        self.edges.get(file as usize)
    }

    /// The files that a file depends on, in the order of its text.
    pub fn outgoing(&self, file: FileId) -> &[FileId] {
        self.edges(file).map_or(&[], FileEdges::files)
    }

    /// The files that depend on a file, in the order of their paths.
    pub fn incoming(&self, file: FileId) -> &[FileId] {
        self.incoming.get(file as usize).map_or(&[], Vec::as_slice)
    }

    /// How many files there are, and how many dependencies between them.
    pub fn size(&self) -> (usize, usize) {
        (self.edges.len(), self.edges.iter().map(|edges| edges.files().len()).sum())
    }

    /// The files that can be reached from `start` in at most `depth` steps, each with the fewest steps to it; nearer
    /// ones first, then in the order that `next` gives.
    pub fn reach(&self, start: &[FileId], depth: usize, next: impl Fn(FileId) -> Vec<FileId>) -> Vec<(FileId, usize)> {
        let mut seen = vec![false; self.edges.len()];
        let mut reached = Vec::new();
        let mut mark = |file: FileId| seen.get_mut(file as usize).is_some_and(|seen| !std::mem::replace(seen, true));
        let mut frontier: Vec<FileId> = start.iter().copied().filter(|file| mark(*file)).collect();
        for step in 1..=depth {
            let found: Vec<FileId> = frontier.iter().flat_map(|file| next(*file)).filter(|file| mark(*file)).collect();
            if found.is_empty() {
                break;
            }
            reached.extend(found.iter().map(|file| (*file, step)));
            frontier = found;
        }
        reached
    }

    /// The cycles of the graph.
    pub fn cycles(&self) -> Cycles {
        let used: Vec<Vec<FileId>> = self.edges.iter().map(|edges| edges.used_files().collect()).collect();
        let by_use = self.components(|file| used.get(file as usize).map_or(&[], Vec::as_slice));
        let all = self.components(|file| self.outgoing(file));
        let by_declaration = all.iter().filter(|cycle| !by_use.contains(cycle)).count();
        Cycles { by_use, by_declaration }
    }

    /// Groups of files that reach each other, the largest first, each in the order of paths.
    fn components<'a>(&self, next: impl Fn(FileId) -> &'a [FileId]) -> Vec<Vec<FileId>> {
        let mut cycles = cycles::components(self.edges.len(), next);
        cycles.iter_mut().for_each(|cycle| cycle.sort_unstable());
        cycles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        cycles
    }
}

/// Groups of files that depend on each other in a circle.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cycles {
    /// The cycles in which each file takes something from the next, the largest first, each in the order of paths.
    pub by_use: Vec<Vec<FileId>>,
    /// How many groups are circular, or as large as they are, only because a parent module declares its child (`mod a;`
    /// in Rust) and the child uses the parent.
    pub by_declaration: usize,
}

#[cfg(test)]
mod tests {
    use super::edges::FileEdges;
    use super::{Cycles, DependencyGraph};

    fn graph(edges: &[&[u32]]) -> DependencyGraph {
        DependencyGraph::new(edges.iter().map(|to| FileEdges::to(to, &[])).collect())
    }

    #[test]
    fn both_directions_agree() {
        let graph = graph(&[&[1, 2], &[2], &[], &[2]]);
        assert_eq!(graph.outgoing(0), [1, 2]);
        assert_eq!(graph.incoming(2), [0, 1, 3]);
        assert_eq!(graph.size(), (4, 4));
    }

    #[test]
    fn what_is_reached_is_reached_once_and_by_the_shortest_way() {
        let graph = graph(&[&[1, 3], &[2], &[0], &[2, 4], &[]]);
        let out = |depth| graph.reach(&[0], depth, |file| graph.outgoing(file).to_vec());
        assert_eq!(out(1), [(1, 1), (3, 1)]);
        assert_eq!(out(9), [(1, 1), (3, 1), (2, 2), (4, 2)]);
        let back = graph.reach(&[4], 9, |file| graph.incoming(file).to_vec());
        assert_eq!(back, [(3, 1), (0, 2), (2, 3), (1, 4)]);
    }

    #[test]
    fn circles_are_found_whole() {
        let graph = graph(&[&[1], &[2], &[0, 3], &[4], &[3], &[5]]);
        assert_eq!(graph.cycles(), Cycles { by_use: vec![vec![0, 1, 2], vec![3, 4]], by_declaration: 0 });
        // Deep chains take no stack.
        let mut long: Vec<Vec<u32>> = (1..=200_000).map(|next| vec![next]).collect();
        long.push(vec![0]);
        let long: Vec<&[u32]> = long.iter().map(Vec::as_slice).collect();
        assert_eq!(self::graph(&long).cycles().by_use.len(), 1);
    }

    #[test]
    fn a_parent_that_only_declares_its_child_makes_no_cycle_by_use() {
        // The root 0 declares 1 and 2, of which 1 uses the root; 3 and 4 use each other, and 3 declares 4, too.
        let edges = [
            FileEdges::to(&[], &[1, 2]),
            FileEdges::to(&[0], &[]),
            FileEdges::to(&[], &[]),
            FileEdges::to(&[4], &[4]),
            FileEdges::to(&[3], &[]),
        ];
        let graph = DependencyGraph::new(edges.into());
        assert_eq!(graph.outgoing(3), [4]);
        assert_eq!(graph.cycles(), Cycles { by_use: vec![vec![3, 4]], by_declaration: 1 });
    }
}
