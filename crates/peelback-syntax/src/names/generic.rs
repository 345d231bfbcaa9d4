//! Names of a file whose language has no binder: its identifiers are recorded, and their targets are unknown.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

use super::{NamesBuilder, Role, Target};
use crate::text;

/// Records every identifier of a syntax tree outside of comments and strings. `defining_identifiers` are the byte offsets
/// of those that name definitions, with their roles; the text tells which of the others are called.
pub(crate) fn record_identifiers_outside_comments_and_strings(
    tree: &Tree,
    defining_identifiers: &HashMap<usize, Role>,
    builder: &mut NamesBuilder<'_>,
) {
    builder.names.basic = true;
    let mut cursor = tree.walk();
    let mut parent_kinds: Vec<&str> = Vec::new();
    'walk: loop {
        let node = cursor.node();
        if node.child_count() == 0 && node.is_named() && looks_like_identifier_node(node, builder) {
            let is_called = || {
                cursor.field_name() == Some("method")
                    || parent_kinds.last() == Some(&"command_name")
                    || is_followed_by_parenthesis(node, builder)
            };
            let role = match defining_identifiers.get(&node.start_byte()) {
                Some(role) => *role,
                None if is_called() => Role::Call,
                None => Role::Read,
            };
            builder.record_occurrence(node, role, Target::Unknown);
        }
        if !is_comment_or_string_content_kind(node.kind()) && cursor.goto_first_child() {
            parent_kinds.push(node.kind());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            parent_kinds.pop();
        }
    }
}

/// Records the places of names that a language's query found, in the order of the text, each with its role.
pub(crate) fn record_queried_occurrences(
    occurrences: Vec<(std::ops::Range<usize>, Role)>,
    builder: &mut NamesBuilder<'_>,
) {
    builder.names.basic = true;
    let (mut line, mut counted) = (1, 0);
    for (bytes, role) in occurrences {
        line += text::count_newlines(builder.source, counted..bytes.start);
        counted = bytes.start;
        let name = builder.name_id_of_source_range(bytes.clone());
        builder.record_occurrence_at_offset(name, bytes.start, line, role, Target::Unknown);
    }
}

/// Whether a parenthesis follows an identifier on its line, as that of a call does.
fn is_followed_by_parenthesis(node: Node<'_>, builder: &NamesBuilder<'_>) -> bool {
    let after = builder.source.get(node.end_byte()..).unwrap_or("");
    after.trim_start_matches([' ', '\t']).starts_with('(')
}

/// Whether nodes of this kind are text without code: comments and strings. A string with embedded code, such as a
/// template, has child nodes for the code.
fn is_comment_or_string_content_kind(kind: &str) -> bool {
    kind.contains("comment") || (kind.contains("string") && kind.contains("content"))
}

fn looks_like_identifier_node(node: Node<'_>, builder: &NamesBuilder<'_>) -> bool {
    let kind = node.kind();
    if is_comment_or_string_content_kind(kind) {
        return false;
    }
    let text = builder.text_of_node(node);
    if kind == "operator_identifier" {
        return !text.is_empty() && text.chars().all(|c| !c.is_alphanumeric() && !c.is_whitespace());
    }
    // `save!` and `empty?` are whole names in Ruby.
    let mut chars = text.strip_suffix(['!', '?']).unwrap_or(text).chars();
    (kind.contains("identifier") || kind.contains("name") || kind.contains("constant") || kind == "word")
        && chars.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$' | '@'))
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}
