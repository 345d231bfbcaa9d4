//! Macros, includes and header guards.

use tree_sitter::Node;

use crate::facts::{Import, ImportKind, SymbolKind, Visibility};
use crate::frontend::Next;
use crate::outline::OutlineBuilder;
use crate::text;

/// Adds the macro of `#define`.
pub(super) fn enter_define<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Skip };
    let value = node.child_by_field_name("value");
    let long = value.filter(|value| value.end_position().row > value.start_position().row);
    let mut definition = builder.define(SymbolKind::Macro, name, node, long);
    // The signature leaves out continuation lines and a comment after the value.
    let end = match (long, value) {
        (Some(long), _) => long.start_byte(),
        (None, Some(value)) => value.end_byte(),
        (None, None) => {
            node.child_by_field_name("parameters").or(node.child_by_field_name("name")).map_or(0, |at| at.end_byte())
        }
    };
    let shown = builder.source.get(node.start_byte()..end).unwrap_or("").replace("\\\n", "\n").replace("\\\r\n", "\n");
    definition.signature = text::one_line(&shown);
    definition.visibility = Visibility::Public;
    builder.leaf(definition);
    if let Some(long) = long {
        builder.fold_long_value(long);
    }
    Next::Skip
}

/// Adds the import of `#include` or of a compiler's variant of it (`#include_next`, `#import`).
pub(super) fn enter_include(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) -> Next {
    let path = match node.kind() {
        "preproc_include" => node.child_by_field_name("path"),
        _ if matches!(
            builder.field_text(node, "directive").map(|directive| directive.trim_start_matches(['#', ' ', '\t'])),
            Some("include_next" | "import")
        ) =>
        {
            node.child_by_field_name("argument")
        }
        _ => None,
    };
    let Some(path) = path else { return Next::Skip };
    let text = text::one_line(builder.source.get(node.start_byte()..path.end_byte()).unwrap_or(""));
    let written = builder.text(path).trim();
    let source = written.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(text::unquote(written));
    let import = Import {
        text,
        source: source.to_owned(),
        names: Vec::new(),
        kind: ImportKind::Include,
        lines: builder.lines(node),
    };
    builder.imports.push(import);
    Next::Skip
}

/// The macro that guards a header against double inclusion; empty for `#pragma once`, and `None` for a file without a
/// guard.
pub(super) fn header_guard(source: &str) -> Option<&str> {
    let mut directives = source.lines().map(str::trim_start).filter_map(|line| line.strip_prefix('#')).map(str::trim);
    let first = directives.next()?;
    if is_pragma_once(first) {
        return Some("");
    }
    let second = directives.next()?;
    if is_pragma_once(second) {
        return Some("");
    }
    let asked = match first.strip_prefix("ifndef") {
        Some(name) => name,
        None => first.strip_prefix("if")?.trim_start().strip_prefix('!')?.trim_start().strip_prefix("defined")?,
    };
    let asked = asked.trim_start_matches([' ', '\t', '(']);
    let name = second.strip_prefix("define")?.split_whitespace().next()?;
    asked.strip_prefix(name).filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).map(|_| name)
}

fn is_pragma_once(directive: &str) -> bool {
    directive.strip_prefix("pragma").is_some_and(|rest| rest.split_whitespace().next() == Some("once"))
}
