//! Execution of a compiled tags query: one walk over the syntax tree that tries each pattern at the nodes where the
//! pattern can begin.

use tree_sitter::{Node, Tree};

use super::pattern::{ChildPattern, NodePattern, Pattern, Predicate, Query, Shape};

/// The captures of a query's match, as pairs of the capture's index and the captured node.
type Captures<'t> = Vec<(usize, Node<'t>)>;

/// A callback that receives each match of a query: the index of the pattern, and the captures.
pub(super) type MatchCallback<'f, 't> = dyn FnMut(usize, &[(usize, Node<'t>)]) + 'f;

/// Calls `found` for every match of a query in a syntax tree, in the order of the tree, with the pattern's index and
/// the captures.
pub(super) fn for_each_match<'t>(query: &Query, tree: &'t Tree, source: &str, found: &mut MatchCallback<'_, 't>) {
    let mut cursor = tree.walk();
    let mut captures = Vec::new();
    'walk: loop {
        let node = cursor.node();
        for &index in query.by_kind.get(usize::from(node.kind_id())).map_or(&[][..], Vec::as_slice) {
            let Some(pattern) = query.patterns.get(index) else { continue };
            captures.clear();
            for_each_match_at_node(&pattern.node, node, &mut captures, &mut |captures| {
                if has_satisfied_predicates(pattern, captures, source) {
                    found(index, captures);
                }
            });
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
}

fn has_satisfied_predicates(pattern: &Pattern, captures: &[(usize, Node<'_>)], source: &str) -> bool {
    let text = |index: usize| {
        let node = captures.iter().find(|(capture, _)| *capture == index).map(|(_, node)| node);
        node.and_then(|node| source.get(node.byte_range()))
    };
    pattern.predicates.iter().all(|predicate| match predicate {
        Predicate::AnyOf(capture, words) => text(*capture).is_some_and(|text| words.iter().any(|word| word == text)),
        Predicate::NotAnyOf(capture, words) => text(*capture).is_none_or(|text| !words.iter().any(|word| word == text)),
        Predicate::StartsWith(capture, starts) => {
            text(*capture).is_some_and(|text| starts.iter().any(|start| text.starts_with(start.as_str())))
        }
        Predicate::NotStartsWith(capture, starts) => {
            text(*capture).is_none_or(|text| !starts.iter().any(|start| text.starts_with(start.as_str())))
        }
        Predicate::NotEndsWith(capture, ends) => {
            text(*capture).is_none_or(|text| !ends.iter().any(|end| text.ends_with(end.as_str())))
        }
    })
}

/// Calls `then` for every way in which a node matches a pattern of the query. The recursion is as deep as the pattern,
/// not as the syntax tree.
fn for_each_match_at_node<'t>(
    pattern: &NodePattern,
    node: Node<'t>,
    captures: &mut Captures<'t>,
    then: &mut dyn FnMut(&mut Captures<'t>),
) {
    if !node_kind_matches_pattern(&pattern.shape, node) {
        return;
    }
    let mark = captures.len();
    captures.extend(pattern.captures.iter().map(|&capture| (capture, node)));
    if let Shape::OneOf(nodes) = &pattern.shape {
        for pattern in nodes {
            for_each_match_at_node(pattern, node, captures, then);
        }
    } else if pattern.children.is_empty() && pattern.absent_fields.is_empty() {
        then(captures);
    } else {
        let children = children_without_extra_nodes(node);
        if !children.iter().any(|child| child.field.is_some_and(|field| pattern.absent_fields.contains(&field))) {
            let candidates =
                (children.len() > MANY_CHILDREN).then(|| NextCandidates::new(&pattern.children, &children));
            let patterns = ChildPatterns { patterns: &pattern.children, ends: pattern.ends_with_last_child };
            for_each_match_of_child_patterns(patterns, &children, candidates.as_ref(), captures, then);
        }
    }
    captures.truncate(mark);
}

/// Whether a node has the kind that a pattern requires. Its children and fields are not compared.
fn node_kind_matches_pattern(shape: &Shape, node: Node<'_>) -> bool {
    match shape {
        Shape::Kind(kind) => node.kind_id() == *kind,
        Shape::Any => true,
        Shape::AnyNamed => node.is_named() && !node.is_error(),
        Shape::OneOf(patterns) => patterns.iter().any(|pattern| node_kind_matches_pattern(&pattern.shape, node)),
    }
}

/// The limit on the number of a node's children up to which a pattern searches them again each time; with more
/// children, an index of the candidates is built.
const MANY_CHILDREN: usize = 64;

/// An index over the children of one node: for each child pattern, the next child that can match it.
struct NextCandidates {
    /// One list for each child pattern: the next matching child from each position on. A list begins with the last
    /// position.
    next: Vec<Vec<usize>>,
}

impl NextCandidates {
    fn new(patterns: &[ChildPattern], children: &[Child<'_>]) -> Self {
        let next = patterns.iter().map(|pattern| {
            let mut upcoming = children.len();
            let mut next: Vec<usize> = Vec::with_capacity(children.len());
            for (index, child) in children.iter().enumerate().rev() {
                let in_field = pattern.field.is_none_or(|field| child.field == Some(field));
                if in_field && node_kind_matches_pattern(&pattern.node.shape, child.node) {
                    upcoming = index;
                }
                next.push(upcoming);
            }
            next
        });
        Self { next: next.collect() }
    }

    /// The number of children that can be skipped because the first of `patterns` cannot match them, with `left`
    /// children remaining.
    fn count_children_to_skip(&self, patterns: &[ChildPattern], left: usize) -> usize {
        // The lists of the index are stored from the last child to the first.
        let next = self.next.get(self.next.len().saturating_sub(patterns.len()));
        let total = next.map_or(0, Vec::len);
        let index = left.checked_sub(1).and_then(|at| next.and_then(|next| next.get(at)));
        index.map_or(0, |index| (index + left).saturating_sub(total))
    }
}

struct Child<'t> {
    node: Node<'t>,
    field: Option<u16>,
}

/// The child nodes of a node, without comments.
fn children_without_extra_nodes(node: Node<'_>) -> Vec<Child<'_>> {
    let mut cursor = node.walk();
    let mut children = Vec::new();
    if cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if !child.is_extra() {
                children.push(Child { node: child, field: cursor.field_id().map(std::num::NonZero::get) });
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    children
}

/// The child patterns of a node that are still to be matched.
#[derive(Clone, Copy)]
struct ChildPatterns<'p> {
    patterns: &'p [ChildPattern],
    /// Whether no named child may follow the last matched one.
    ends: bool,
}

/// Matches child patterns with the children of a node, in order; unmatched children are allowed between them. Calls
/// `then` for a match, and returns whether it was called.
fn for_each_match_of_child_patterns<'t>(
    ChildPatterns { patterns, ends }: ChildPatterns<'_>,
    children: &[Child<'t>],
    candidates: Option<&NextCandidates>,
    captures: &mut Captures<'t>,
    then: &mut dyn FnMut(&mut Captures<'t>),
) -> bool {
    let Some((pattern, others)) = patterns.split_first() else {
        if ends && children.iter().any(|child| child.node.is_named()) {
            return false;
        }
        then(captures);
        return true;
    };
    let others = ChildPatterns { patterns: others, ends };
    let mut matched = false;
    let mut rest = children;
    loop {
        if let Some(candidates) = candidates.filter(|_| !pattern.anchored) {
            rest = rest.get(candidates.count_children_to_skip(patterns, rest.len())..).unwrap_or(&[]);
        }
        let Some((child, after)) = rest.split_first() else { break };
        rest = after;
        if pattern.field.is_none_or(|field| child.field == Some(field)) {
            for_each_match_at_node(&pattern.node, child.node, captures, &mut |captures| {
                matched |= for_each_match_of_child_patterns(others, after, candidates, captures, then);
            });
        }
        if matched && pattern.optional || pattern.anchored && (child.node.is_named() || !pattern.named) {
            break;
        }
    }
    if !matched && pattern.optional {
        matched = for_each_match_of_child_patterns(others, children, candidates, captures, then);
    }
    matched
}
