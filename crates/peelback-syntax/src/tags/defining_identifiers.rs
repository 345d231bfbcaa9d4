//! The identifiers that name definitions, as a tags query captures them. A search for uses of a name leaves them out.

use std::collections::{HashMap, HashSet};

use tree_sitter::{Node, Tree};

use super::{CaptureRole, TagsQueryLanguage, matching};
use crate::names::Role;

impl TagsQueryLanguage {
    /// The byte offsets of the identifiers that name definitions, each with its role: a definition, or the target of a
    /// further assignment where the query takes the first one for the definition.
    pub(crate) fn roles_of_defining_identifiers(&self, tree: &Tree, source: &str) -> HashMap<usize, Role> {
        let Some(compiled) = self.compiled_tags() else { return HashMap::new() };
        let mut named: Vec<(usize, usize, bool)> = Vec::new();
        matching::for_each_match(&compiled.query, tree, source, &mut |pattern, captures| {
            let role = |capture: usize| compiled.roles.get(capture).copied().unwrap_or(CaptureRole::Other);
            let is_definition = |capture: usize| matches!(role(capture), CaptureRole::Definition(_));
            let is_name = |capture: usize| matches!(role(capture), CaptureRole::Name | CaptureRole::Qualified);
            if captures.iter().any(|(capture, _)| is_definition(*capture)) {
                let is_repeatable = compiled.patterns.get(pattern).is_some_and(|settings| settings.once);
                for (_, node) in captures.iter().filter(|(capture, _)| is_name(*capture)) {
                    let identifier = last_identifier_of_name(*node);
                    named.push((identifier.start_byte(), identifier.end_byte(), is_repeatable));
                }
            }
        });
        named.sort_unstable();
        named.dedup_by_key(|(start, ..)| *start);
        let mut bound: HashSet<&str> = HashSet::new();
        let role_at = |(start, end, is_repeatable): (usize, usize, bool)| {
            let is_first = bound.insert(source.get(start..end).unwrap_or(""));
            (start, if is_repeatable && !is_first { Role::Write } else { Role::Definition })
        };
        named.into_iter().map(role_at).collect()
    }
}

/// The identifier of a name: of `Editor::apply`, and of `apply<int>`, it is `apply`.
fn last_identifier_of_name(name: Node<'_>) -> Node<'_> {
    let mut node = name;
    while node.child_count() > 0 {
        let last_child = || {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).last()
        };
        match node.child_by_field_name("name").or_else(last_child) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}
