//! Finds the cycles in a directed graph, and the edges that close them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::modules::FileId;

/// A weighted edge of a directed graph, between two nodes given by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightedEdge {
    /// The number of the node that the edge leaves.
    pub from: usize,
    /// The number of the node to which the edge leads.
    pub to: usize,
    /// The weight of the edge.
    pub weight: usize,
}

/// The heaviest weight that counts; sums of so many edges as fit into memory stay below the limit of their type.
const MAX_WEIGHT: u32 = 1 << 24;

fn bounded_weight(edge: &WeightedEdge) -> i64 {
    i64::from(u32::try_from(edge.weight).unwrap_or(MAX_WEIGHT).clamp(1, MAX_WEIGHT))
}

/// For each of `edges`, whether it closes a cycle: without these edges no cycle is left. They are chosen so that their
/// weight is small, by the heuristic of Eades, Lin and Smyth within each strongly connected component. The graph has
/// `node_count` nodes; an edge to another node is ignored.
#[expect(
    clippy::indexing_slicing,
    reason = "every index is below `node_count`, the length of the vectors: edges are checked, and components contain \
              only ends of edges"
)]
pub fn edges_closing_cycles(node_count: usize, edges: &[WeightedEdge]) -> Vec<bool> {
    let is_inside = |edge: &&WeightedEdge| edge.from < node_count && edge.to < node_count && edge.from != edge.to;
    let mut next: Vec<Vec<FileId>> = vec![Vec::new(); node_count];
    for edge in edges.iter().filter(is_inside) {
        next[edge.from].push(FileId::try_from(edge.to).unwrap_or(FileId::MAX));
    }
    let components = cyclic_strongly_connected_components(node_count, |node| &next[node as usize]);
    let mut component_of: Vec<Option<usize>> = vec![None; node_count];
    for (index, component) in components.iter().enumerate() {
        component.iter().for_each(|node| component_of[*node as usize] = Some(index));
    }
    let is_in_component = |edge: &&WeightedEdge| {
        is_inside(edge) && component_of[edge.from].is_some() && component_of[edge.from] == component_of[edge.to]
    };
    let mut leaving: Vec<Vec<&WeightedEdge>> = vec![Vec::new(); node_count];
    let mut arriving: Vec<Vec<&WeightedEdge>> = vec![Vec::new(); node_count];
    let mut surplus: Vec<(i64, i64)> = vec![(0, 0); node_count];
    for edge in edges.iter().filter(is_in_component) {
        leaving[edge.from].push(edge);
        arriving[edge.to].push(edge);
        surplus[edge.from].0 += bounded_weight(edge);
        surplus[edge.to].1 += bounded_weight(edge);
    }
    let mut place = vec![0usize; node_count];
    for component in components {
        let (mut first, mut last) = (0, component.len());
        let mut open: BTreeSet<_> = component.iter().map(|node| rank_of_node(*node as usize, &surplus)).collect();
        // A node that nothing open leaves goes to the end, another one with the largest surplus to the beginning.
        while let Some(rank) = open.pop_last() {
            let Reverse(node) = rank.node;
            if rank.is_left_by_nothing {
                last -= 1;
                place[node] = last;
            } else {
                place[node] = first;
                first += 1;
            }
            for edge in &leaving[node] {
                change_surplus(edge.to, &mut surplus, &mut open, |surplus| surplus.1 -= bounded_weight(edge));
            }
            for edge in &arriving[node] {
                change_surplus(edge.from, &mut surplus, &mut open, |surplus| surplus.0 -= bounded_weight(edge));
            }
        }
    }
    edges.iter().map(|edge| is_in_component(&edge) && place[edge.from] > place[edge.to]).collect()
}

/// What tells which node of a component is placed next: the greatest.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NodeRank {
    /// Whether no edge leads from the node to one that is not placed.
    is_left_by_nothing: bool,
    /// Whether no edge leads to the node from one that is not placed.
    is_reached_by_nothing: bool,
    /// The weight of the edges that leave the node less that of those that reach it.
    surplus: i64,
    /// Of equal nodes, the one with the lower number is first.
    node: Reverse<usize>,
}

/// The rank of a node; `surplus` has for each node the weights of the edges that leave it and of those that reach it.
#[expect(clippy::indexing_slicing, reason = "nodes are below the length of `surplus`")]
fn rank_of_node(node: usize, surplus: &[(i64, i64)]) -> NodeRank {
    let (out, into) = surplus[node];
    let is_left_by_nothing = out == 0;
    NodeRank {
        is_left_by_nothing,
        // Of the nodes that go to the end, the numbers alone tell the order.
        is_reached_by_nothing: !is_left_by_nothing && into == 0,
        surplus: if is_left_by_nothing { 0 } else { out - into },
        node: Reverse(node),
    }
}

/// Changes the weights of the edges at a node, and its place among the open nodes if it is one.
#[expect(clippy::indexing_slicing, reason = "nodes are below the length of `surplus`")]
fn change_surplus(
    node: usize,
    surplus: &mut [(i64, i64)],
    open: &mut BTreeSet<NodeRank>,
    change: impl FnOnce(&mut (i64, i64)),
) {
    let is_open = open.remove(&rank_of_node(node, surplus));
    change(&mut surplus[node]);
    if is_open {
        open.insert(rank_of_node(node, surplus));
    }
}

/// The strongly connected components of two and more nodes, by Tarjan's algorithm without recursion. The graph has
/// `count` nodes; `next` gives the nodes to which the edges of a node lead.
#[expect(
    clippy::indexing_slicing,
    reason = "every index is below `count`, the length of the three vectors: roots come from 0..count, a followed edge is \
              checked, and `open` and `stack` contain only these"
)]
pub(super) fn cyclic_strongly_connected_components<'a>(
    count: usize,
    next: impl Fn(FileId) -> &'a [FileId],
) -> Vec<Vec<FileId>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut stack: Vec<FileId> = Vec::new();
    let mut found = Vec::new();
    let mut clock = 0;
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let root = FileId::try_from(root).unwrap_or(FileId::MAX);
        // The nodes on the current path of the search, each with the number of its edges that were followed.
        let mut open_nodes: Vec<(FileId, usize)> = vec![(root, 0)];
        while let Some((node, followed)) = open_nodes.last_mut() {
            let at = *node as usize;
            if *followed == 0 && index[at] == UNSEEN {
                index[at] = clock;
                low[at] = clock;
                clock += 1;
                stack.push(*node);
                on_stack[at] = true;
            }
            if let Some(to) = next(*node).get(*followed).copied() {
                *followed += 1;
                let to_at = to as usize;
                if to_at >= count {
                    continue;
                }
                if index[to_at] == UNSEEN {
                    open_nodes.push((to, 0));
                } else if on_stack[to_at] {
                    low[at] = low[at].min(index[to_at]);
                }
                continue;
            }
            let node = *node;
            open_nodes.pop();
            if let Some((parent, _)) = open_nodes.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[at]);
            }
            if low[at] == index[at] {
                let begin = stack.iter().rposition(|open| *open == node).unwrap_or(0);
                let group = stack.split_off(begin);
                group.iter().for_each(|member| on_stack[*member as usize] = false);
                if group.len() > 1 {
                    found.push(group);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{WeightedEdge, edges_closing_cycles};

    fn closing(node_count: usize, edges: &[(usize, usize, usize)]) -> Vec<(usize, usize)> {
        let edges: Vec<WeightedEdge> =
            edges.iter().map(|(from, to, weight)| WeightedEdge { from: *from, to: *to, weight: *weight }).collect();
        let marks = edges_closing_cycles(node_count, &edges);
        edges.iter().zip(marks).filter(|(_, closes)| *closes).map(|(edge, _)| (edge.from, edge.to)).collect()
    }

    #[test]
    fn the_lightest_edge_closes_a_cycle() {
        assert_eq!(closing(3, &[(0, 1, 9), (1, 2, 9), (2, 0, 1)]), [(2, 0)]);
        assert_eq!(closing(3, &[(0, 1, 1), (1, 2, 9), (2, 0, 9)]), [(0, 1)]);
        assert_eq!(closing(2, &[(0, 1, 3), (1, 0, 7)]), [(0, 1)]);
        // What leads to a cycle or away from it closes none.
        assert_eq!(closing(4, &[(0, 1, 1), (1, 2, 5), (2, 1, 2), (2, 3, 1)]), [(2, 1)]);
        assert_eq!(closing(3, &[(0, 1, 1), (1, 2, 1), (0, 2, 1)]), []);
        assert_eq!(closing(1, &[(0, 0, 1), (0, 7, 1)]), []);
    }

    #[test]
    fn without_the_closing_edges_no_cycle_is_left() {
        let edges: Vec<WeightedEdge> = (0..40)
            .flat_map(|from| [1, 7, 11].map(|step| WeightedEdge { from, to: (from + step) % 40, weight: step }))
            .collect();
        let marks = edges_closing_cycles(40, &edges);
        let rest: Vec<WeightedEdge> =
            edges.iter().zip(&marks).filter(|(_, closes)| !**closes).map(|(edge, _)| *edge).collect();
        assert!(rest.len() < edges.len() && rest.len() > edges.len() / 2, "{}", rest.len());
        assert!(edges_closing_cycles(40, &rest).iter().all(|closes| !closes));
    }
}
