//! The outline of Rust macro definitions: `macro_rules!`, and `macro` items, which the grammar does not know.

use tree_sitter::Node;

use super::definition::build_definition_with_visibility_and_doc;
use crate::facts::{FoldKind, SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;
use crate::text;

/// Adds the symbol of `macro_rules! name { … }` to the outline.
pub(super) fn outline_macro_rules<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Skip };
    let mut cursor = node.walk();
    let body_start = node.children(&mut cursor).find(|child| matches!(child.kind(), "{" | "(" | "["));
    let mut definition = build_definition_with_visibility_and_doc(builder, SymbolKind::Macro, name, node, body_start);
    let exported = definition.decorators.iter().any(|attribute| attribute.contains("macro_export"));
    definition.visibility = if exported { Visibility::Public } else { Visibility::Private };
    if let Some(body_start) = body_start {
        let end = text::trimmed_end_offset(builder.source, node.byte_range());
        builder.fold_byte_range_unless_overlapping(body_start.start_byte()..end, FoldKind::Body);
    }
    builder.add_leaf_definition(definition);
    WalkStep::Skip
}

/// Adds the symbols of `macro name(…) { … }` (declarative macros 2.0) from a region that the parser did not understand.
pub(super) fn add_declarative_macros_in_error_region<'t>(error: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) {
    // Braces that close only behind the node around the region belong to something else.
    let max_end = builder.ancestor_nodes().next().map_or(usize::MAX, |parent| parent.end_byte());
    let mut cursor = error.walk();
    let mut modifier = None;
    let mut reached = 0;
    let mut first = true;
    for child in error.named_children(&mut cursor) {
        if child.kind() == "visibility_modifier" {
            modifier = Some(child);
            continue;
        }
        let visible = modifier.take();
        if child.start_byte() < reached || child.kind() != "identifier" || builder.text_of_node(child) != "macro" {
            first = false;
            continue;
        }
        // If the braces of one macro do not close, the braces of the next macro do not close either.
        let Some(found) = parse_macro_after_macro_keyword(builder.source, child.end_byte()) else { return };
        reached = found.end;
        if found.end > max_end {
            first = false;
            continue;
        }
        let start = visible.map_or(child.start_byte(), |visible| visible.start_byte());
        let mut definition = builder.build_definition(SymbolKind::Macro, &found.name, child, None);
        definition.outer_start = if first { definition.outer_start.min(start) } else { start };
        if !first {
            definition.docstring = None;
            definition.decorators.clear();
        }
        definition.start = start;
        definition.end = found.end;
        definition.signature = text::format_signature(builder.source.get(start..found.body).unwrap_or(""));
        definition.visibility = match visible.map(|visible| builder.text_of_node(visible)) {
            Some("pub") => Visibility::Public,
            Some(_) => Visibility::Internal,
            None => Visibility::Private,
        };
        builder.fold_byte_range_unless_overlapping(found.body..found.end, FoldKind::Body);
        builder.add_leaf_definition(definition);
        first = false;
    }
}

struct MacroItem {
    name: String,
    /// Byte offset of the opening brace of the macro's body.
    body: usize,
    /// Byte offset after the closing brace of the macro's body.
    end: usize,
}

/// Reads `name(…) { … }` or `name { … }` at byte `at`, which follows the keyword `macro`.
fn parse_macro_after_macro_keyword(source: &str, at: usize) -> Option<MacroItem> {
    let rest = source.get(at..)?;
    let name_at = rest.len() - rest.trim_start().len();
    let from_name = rest.get(name_at..)?;
    let name: String = from_name.chars().take_while(|&c| c == '_' || c.is_alphanumeric()).collect();
    if name.is_empty() {
        return None;
    }
    let mut next = at + name_at + name.len();
    next += white_space_len_at_offset(source, next);
    if source.as_bytes().get(next) == Some(&b'(') {
        next = offset_after_matching_bracket(source, next, b'(', b')')?;
        next += white_space_len_at_offset(source, next);
    }
    if source.as_bytes().get(next) != Some(&b'{') {
        return None;
    }
    Some(MacroItem { name, body: next, end: offset_after_matching_bracket(source, next, b'{', b'}')? })
}

fn white_space_len_at_offset(source: &str, at: usize) -> usize {
    source.get(at..).map_or(0, |rest| rest.len() - rest.trim_start().len())
}

/// Byte offset after the bracket that closes the bracket at byte `at`.
fn offset_after_matching_bracket(source: &str, at: usize, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, &byte) in source.as_bytes().get(at..)?.iter().enumerate() {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + offset + 1);
            }
        }
    }
    None
}
