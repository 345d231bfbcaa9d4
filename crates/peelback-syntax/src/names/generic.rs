//! Names of a file whose language has no binder: its identifiers are recorded, and their targets are unknown.

use tree_sitter::{Node, Tree};

use super::{NamesBuilder, Role, Target};

/// Records every identifier of a syntax tree outside of comments and strings.
pub(crate) fn record_identifiers_outside_comments_and_strings(tree: &Tree, builder: &mut NamesBuilder<'_>) {
    builder.names.basic = true;
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        if node.child_count() == 0 && node.is_named() && looks_like_identifier_node(node, builder) {
            builder.record_occurrence(node, Role::Read, Target::Unknown);
        }
        if !is_comment_or_string_content_kind(node.kind()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
}

/// Whether nodes of this kind are text without code: comments and strings. A string with embedded code, such as a
/// template, has child nodes for the code.
fn is_comment_or_string_content_kind(kind: &str) -> bool {
    kind.contains("comment") || (kind.contains("string") && kind.contains("content"))
}

fn looks_like_identifier_node(node: Node<'_>, builder: &NamesBuilder<'_>) -> bool {
    let text = builder.text_of_node(node);
    let mut chars = text.chars();
    !is_comment_or_string_content_kind(node.kind())
        && node.kind().contains("identifier")
            | node.kind().contains("name")
            | node.kind().contains("constant")
            | (node.kind() == "word")
        && chars.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$' | '@'))
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}
