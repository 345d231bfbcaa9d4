//! Execution of a compiled tags query: one walk over the syntax tree that tries each pattern at the nodes where the
//! pattern can begin.

use tree_sitter::{Node, Tree};

use super::pattern::{ChildPattern, NodePattern, Pattern, Predicate, Query, Shape};

/// The captures of a match, as pairs of the capture's index and the captured node.
type Captures<'t> = Vec<(usize, Node<'t>)>;

/// A callback that receives the index of a pattern and the captures of a match.
pub(super) type MatchCallback<'f, 't> = dyn FnMut(usize, &[(usize, Node<'t>)]) + 'f;

/// Calls `found` for every match with the pattern's index and the captures, in the order of the tree.
pub(super) fn for_each_match<'t>(query: &Query, tree: &'t Tree, source: &str, found: &mut MatchCallback<'_, 't>) {
    let mut cursor = tree.walk();
    let mut captures = Vec::new();
    'walk: loop {
        let node = cursor.node();
        for &index in query.by_kind.get(usize::from(node.kind_id())).map_or(&[][..], Vec::as_slice) {
            let Some(pattern) = query.patterns.get(index) else { continue };
            captures.clear();
            match_node(&pattern.node, node, &mut captures, &mut |captures| {
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
        Predicate::NotEndsWith(capture, ends) => {
            text(*capture).is_none_or(|text| !ends.iter().any(|end| text.ends_with(end.as_str())))
        }
    })
}

/// Calls `then` for every way in which a node matches a pattern. The recursion is as deep as the pattern, not as the
/// tree.
fn match_node<'t>(
    pattern: &NodePattern,
    node: Node<'t>,
    captures: &mut Captures<'t>,
    then: &mut dyn FnMut(&mut Captures<'t>),
) {
    if !has_shape(&pattern.shape, node) {
        return;
    }
    let mark = captures.len();
    captures.extend(pattern.captures.iter().map(|&capture| (capture, node)));
    if let Shape::OneOf(nodes) = &pattern.shape {
        for pattern in nodes {
            match_node(pattern, node, captures, then);
        }
    } else if pattern.children.is_empty() && pattern.absent_fields.is_empty() {
        then(captures);
    } else {
        let children = children_without_comments(node);
        if !children.iter().any(|child| child.field.is_some_and(|field| pattern.absent_fields.contains(&field))) {
            let candidates =
                (children.len() > MANY_CHILDREN).then(|| NextCandidates::new(&pattern.children, &children));
            match_children(&pattern.children, &children, candidates.as_ref(), captures, then);
        }
    }
    captures.truncate(mark);
}

/// Whether a node matches the shape of a pattern: its kind and fields. Children are not compared.
fn has_shape(shape: &Shape, node: Node<'_>) -> bool {
    match shape {
        Shape::Kind(kind) => node.kind_id() == *kind,
        Shape::Any => true,
        Shape::AnyNamed => node.is_named() && !node.is_error(),
        Shape::OneOf(patterns) => patterns.iter().any(|pattern| has_shape(&pattern.shape, node)),
    }
}

/// The most children of a node for which a pattern is matched by searching the children again each time; with more
/// children, an index of candidates is built.
const MANY_CHILDREN: usize = 64;

/// An index over a node with many children: for each child pattern, the next child that can match.
struct NextCandidates {
    /// For each child pattern, indexed by the position of a child: the next matching child from that position on.
    next: Vec<Vec<usize>>,
}

impl NextCandidates {
    fn new(patterns: &[ChildPattern], children: &[Child<'_>]) -> Self {
        let next = patterns.iter().map(|pattern| {
            let mut upcoming = children.len();
            let mut next: Vec<usize> = Vec::with_capacity(children.len());
            for (index, child) in children.iter().enumerate().rev() {
                let in_field = pattern.field.is_none_or(|field| child.field == Some(field));
                if in_field && has_shape(&pattern.node.shape, child.node) {
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
        // The lists are stored from the last child to the first.
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

/// The children of a node, without comments.
fn children_without_comments(node: Node<'_>) -> Vec<Child<'_>> {
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

/// Matches child patterns with children in order; unmatched children are allowed between them. Returns whether `then`
/// was called.
fn match_children<'t>(
    patterns: &[ChildPattern],
    children: &[Child<'t>],
    candidates: Option<&NextCandidates>,
    captures: &mut Captures<'t>,
    then: &mut dyn FnMut(&mut Captures<'t>),
) -> bool {
    let Some((pattern, others)) = patterns.split_first() else {
        then(captures);
        return true;
    };
    let mut matched = false;
    let mut rest = children;
    loop {
        if let Some(candidates) = candidates.filter(|_| !pattern.anchored) {
            rest = rest.get(candidates.count_children_to_skip(patterns, rest.len())..).unwrap_or(&[]);
        }
        let Some((child, after)) = rest.split_first() else { break };
        rest = after;
        if pattern.field.is_none_or(|field| child.field == Some(field)) {
            match_node(&pattern.node, child.node, captures, &mut |captures| {
                matched |= match_children(others, after, candidates, captures, then);
            });
        }
        if matched && pattern.optional || pattern.anchored && (child.node.is_named() || !pattern.named) {
            break;
        }
    }
    if !matched && pattern.optional {
        matched = match_children(others, children, candidates, captures, then);
    }
    matched
}
