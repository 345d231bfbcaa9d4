//! Finds the cycles in a directed graph of files.

use crate::modules::FileId;

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
