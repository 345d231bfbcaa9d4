//! The graph of dependencies between files.

use super::cycles;
use super::edges::FileEdges;
use crate::modules::FileId;

/// A graph of dependencies: for each file of a project, in the order of paths, the files that it depends on and the
/// files that depend on it.
#[derive(Debug, Default)]
pub(crate) struct DependencyGraph {
    edges: Vec<FileEdges>,
    incoming: Vec<Vec<FileId>>,
}

impl DependencyGraph {
    /// Builds the graph from the resolved imports of each file.
    pub fn new(edges: Vec<FileEdges>) -> Self {
        let mut incoming: Vec<Vec<FileId>> = vec![Vec::new(); edges.len()];
        for (from, edges) in (0..).zip(&edges) {
            for to in edges.dependency_files() {
                if let Some(incoming) = incoming.get_mut(*to as usize) {
                    incoming.push(from);
                }
            }
        }
        incoming.iter_mut().for_each(Vec::shrink_to_fit);
        Self { edges, incoming }
    }

    /// The resolved imports of a file, which are its edges in the graph; `None` for an unknown file.
    pub fn edges_of_file(&self, file: FileId) -> Option<&FileEdges> {
        self.edges.get(file as usize)
    }

    /// The files that a file depends on, in source order.
    pub fn dependencies_of(&self, file: FileId) -> &[FileId] {
        self.edges_of_file(file).map_or(&[], FileEdges::dependency_files)
    }

    /// The files that depend on a file, in the order of paths.
    pub fn dependents_of(&self, file: FileId) -> &[FileId] {
        self.incoming.get(file as usize).map_or(&[], Vec::as_slice)
    }

    /// The number of files, and the number of dependencies between them.
    pub fn file_and_dependency_counts(&self) -> (usize, usize) {
        (self.edges.len(), self.edges.iter().map(|edges| edges.dependency_files().len()).sum())
    }

    /// The files that can be reached from `start` in at most `depth` steps, each with the fewest steps to it; nearer
    /// ones first, then in the order of `next`, which gives the files one step further.
    pub fn files_reachable_within_depth(
        &self,
        start: &[FileId],
        depth: usize,
        next: impl Fn(FileId) -> Vec<FileId>,
    ) -> Vec<(FileId, usize)> {
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

    /// Finds the groups of files that depend on each other in cycles.
    pub fn find_cycles(&self) -> Cycles {
        let used: Vec<Vec<FileId>> =
            self.edges.iter().map(|edges| edges.dependency_files_beyond_submodule_declarations().collect()).collect();
        let by_use = self.cyclic_file_groups(|file| used.get(file as usize).map_or(&[], Vec::as_slice));
        let all = self.cyclic_file_groups(|file| self.dependencies_of(file));
        let by_declaration = all.iter().filter(|cycle| !by_use.contains(cycle)).count();
        Cycles { use_cycles: by_use, declaration_only_count: by_declaration }
    }

    /// Groups of files that reach each other through the edges that `next` gives, the largest first, each in the order
    /// of paths.
    fn cyclic_file_groups<'a>(&self, next: impl Fn(FileId) -> &'a [FileId]) -> Vec<Vec<FileId>> {
        let mut cycles = cycles::cyclic_strongly_connected_components(self.edges.len(), next);
        cycles.iter_mut().for_each(|cycle| cycle.sort_unstable());
        cycles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        cycles
    }
}

/// The groups of files in a dependency graph that depend on each other in cycles.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cycles {
    /// Groups of files that use each other, directly or through other files of the group. The largest group comes
    /// first; each is in the order of paths.
    pub use_cycles: Vec<Vec<FileId>>,
    /// The number of groups of files that are cyclic, or as large as they are, only because a parent module declares
    /// its child (`mod a;` in Rust) and the child uses the parent.
    pub declaration_only_count: usize,
}

#[cfg(test)]
mod tests {
    use super::{Cycles, DependencyGraph};
    use crate::graph::edges::FileEdges;

    fn graph(edges: &[&[u32]]) -> DependencyGraph {
        DependencyGraph::new(edges.iter().map(|to| FileEdges::new_from_targets(to, &[])).collect())
    }

    #[test]
    fn both_directions_agree() {
        let graph = graph(&[&[1, 2], &[2], &[], &[2]]);
        assert_eq!(graph.dependencies_of(0), [1, 2]);
        assert_eq!(graph.dependents_of(2), [0, 1, 3]);
        assert_eq!(graph.file_and_dependency_counts(), (4, 4));
    }

    #[test]
    fn what_is_reached_is_reached_once_and_by_the_shortest_way() {
        let graph = graph(&[&[1, 3], &[2], &[0], &[2, 4], &[]]);
        let out = |depth| graph.files_reachable_within_depth(&[0], depth, |file| graph.dependencies_of(file).to_vec());
        assert_eq!(out(1), [(1, 1), (3, 1)]);
        assert_eq!(out(9), [(1, 1), (3, 1), (2, 2), (4, 2)]);
        let back = graph.files_reachable_within_depth(&[4], 9, |file| graph.dependents_of(file).to_vec());
        assert_eq!(back, [(3, 1), (0, 2), (2, 3), (1, 4)]);
    }

    #[test]
    fn circles_are_found_whole() {
        let graph = graph(&[&[1], &[2], &[0, 3], &[4], &[3], &[5]]);
        assert_eq!(
            graph.find_cycles(),
            Cycles { use_cycles: vec![vec![0, 1, 2], vec![3, 4]], declaration_only_count: 0 }
        );
        // A long chain of dependencies must not overflow the stack.
        let mut long: Vec<Vec<u32>> = (1..=200_000).map(|next| vec![next]).collect();
        long.push(vec![0]);
        let long: Vec<&[u32]> = long.iter().map(Vec::as_slice).collect();
        assert_eq!(self::graph(&long).find_cycles().use_cycles.len(), 1);
    }

    #[test]
    fn a_parent_that_only_declares_its_child_makes_no_cycle_by_use() {
        // The root 0 declares 1 and 2, of which 1 uses the root; 3 and 4 use each other, and 3 declares 4, too.
        let edges = [
            FileEdges::new_from_targets(&[], &[1, 2]),
            FileEdges::new_from_targets(&[0], &[]),
            FileEdges::new_from_targets(&[], &[]),
            FileEdges::new_from_targets(&[4], &[4]),
            FileEdges::new_from_targets(&[3], &[]),
        ];
        let graph = DependencyGraph::new(edges.into());
        assert_eq!(graph.dependencies_of(3), [4]);
        assert_eq!(graph.find_cycles(), Cycles { use_cycles: vec![vec![3, 4]], declaration_only_count: 1 });
    }
}
