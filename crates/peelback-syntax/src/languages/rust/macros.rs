//! Macros by example, and the `macro` items that the grammar does not know.

use tree_sitter::Node;

use crate::facts::{FoldKind, SymbolKind, Visibility};
use crate::frontend::Next;
use crate::outline::OutlineBuilder;
use crate::text;

/// `macro_rules! name { … }`.
pub(super) fn macro_rules<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Skip };
    let mut cursor = node.walk();
    let frontend = node.children(&mut cursor).find(|child| matches!(child.kind(), "{" | "(" | "["));
    let mut definition = super::define(builder, SymbolKind::Macro, name, node, frontend);
    let exported = definition.decorators.iter().any(|attribute| attribute.contains("macro_export"));
    definition.visibility = if exported { Visibility::Public } else { Visibility::Private };
    if let Some(frontend) = frontend {
        let end = text::trimmed_end(builder.source, node.byte_range());
        builder.fold_bytes(frontend.start_byte()..end, FoldKind::Body);
    }
    builder.leaf(definition);
    Next::Skip
}

/// Finds `macro name(…) { … }` (declarative macros 2.0) in a region that the parser did not understand.
pub(super) fn declarative_macros<'t>(error: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) {
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
        if child.start_byte() < reached || child.kind() != "identifier" || builder.text(child) != "macro" {
            first = false;
            continue;
        }
        // Where one macro's braces do not close, neither do those of the next.
        let Some(found) = read_macro(builder.source, child.end_byte()) else { return };
        reached = found.end;
        let start = visible.map_or(child.start_byte(), |visible| visible.start_byte());
        let mut definition = builder.define(SymbolKind::Macro, &found.name, child, None);
        definition.outer_start = if first { definition.outer_start.min(start) } else { start };
        if !first {
            definition.docstring = None;
            definition.decorators.clear();
        }
        definition.start = start;
        definition.end = found.end;
        definition.signature = text::signature(builder.source.get(start..found.body).unwrap_or(""));
        definition.visibility = match visible.map(|visible| builder.text(visible)) {
            Some("pub") => Visibility::Public,
            Some(_) => Visibility::Internal,
            None => Visibility::Private,
        };
        builder.fold_bytes(found.body..found.end, FoldKind::Body);
        builder.leaf(definition);
        first = false;
    }
}

struct Found {
    name: String,
    /// The byte of the brace that opens its body.
    body: usize,
    /// The byte after the brace that closes it.
    end: usize,
}

/// Reads `name(…) { … }` or `name { … }` from `at`, which follows the word `macro`.
fn read_macro(source: &str, at: usize) -> Option<Found> {
    let rest = source.get(at..)?;
    let name_at = rest.len() - rest.trim_start().len();
    let from_name = rest.get(name_at..)?;
    let name: String = from_name.chars().take_while(|&c| c == '_' || c.is_alphanumeric()).collect();
    if name.is_empty() {
        return None;
    }
    let mut next = at + name_at + name.len();
    next += leading_space(source, next);
    if source.as_bytes().get(next) == Some(&b'(') {
        next = closing(source, next, b'(', b')')?;
        next += leading_space(source, next);
    }
    if source.as_bytes().get(next) != Some(&b'{') {
        return None;
    }
    Some(Found { name, body: next, end: closing(source, next, b'{', b'}')? })
}

fn leading_space(source: &str, at: usize) -> usize {
    source.get(at..).map_or(0, |rest| rest.len() - rest.trim_start().len())
}

/// The byte after the bracket that closes the one at `at`.
fn closing(source: &str, at: usize, open: u8, close: u8) -> Option<usize> {
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
