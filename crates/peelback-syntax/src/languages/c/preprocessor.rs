//! Macro definitions, includes and header guards of C files.

use tree_sitter::Node;

use crate::facts::{Import, ImportKind, SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;
use crate::text;

/// Adds the symbol of the macro that a `#define` directive defines.
pub(super) fn outline_macro_definition<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Skip };
    let value = node.child_by_field_name("value");
    let multiline_value = value.filter(|value| value.end_position().row > value.start_position().row);
    let mut definition = builder.build_definition(SymbolKind::Macro, name, node, multiline_value);
    // The signature leaves out continuation lines and a comment after the value.
    let end = match (multiline_value, value) {
        (Some(long), _) => long.start_byte(),
        (None, Some(value)) => value.end_byte(),
        (None, None) => {
            node.child_by_field_name("parameters").or(node.child_by_field_name("name")).map_or(0, |at| at.end_byte())
        }
    };
    let signature_source =
        builder.source.get(node.start_byte()..end).unwrap_or("").replace("\\\n", "\n").replace("\\\r\n", "\n");
    definition.signature = text::to_one_line(&signature_source);
    definition.visibility = Visibility::Public;
    builder.add_leaf_definition(definition);
    if let Some(long) = multiline_value {
        builder.fold_value_if_long(long);
    }
    WalkStep::Skip
}

/// Adds the import that an `#include` directive stands for, or a compiler's variant of the directive (`#include_next`,
/// `#import`).
pub(super) fn outline_include(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) -> WalkStep {
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
    let Some(path) = path else { return WalkStep::Skip };
    let text = text::to_one_line(builder.source.get(node.start_byte()..path.end_byte()).unwrap_or(""));
    let written = builder.text_of_node(path).trim();
    let source =
        written.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(text::without_quotes(written));
    let import = Import {
        text,
        source: source.to_owned(),
        names: Vec::new(),
        kind: ImportKind::Include,
        lines: builder.lines_of_node(node),
    };
    builder.imports.push(import);
    WalkStep::Skip
}

/// The name of the macro that guards a header file against double inclusion; empty for `#pragma once`, `None` for a
/// file without a guard.
pub(super) fn header_guard_macro(source: &str) -> Option<&str> {
    let mut directives = source.lines().map(str::trim_start).filter_map(|line| line.strip_prefix('#')).map(str::trim);
    let first = directives.next()?;
    if is_pragma_once(first) {
        return Some("");
    }
    let second = directives.next()?;
    if is_pragma_once(second) {
        return Some("");
    }
    let tested_macro = match first.strip_prefix("ifndef") {
        Some(name) => name,
        None => first.strip_prefix("if")?.trim_start().strip_prefix('!')?.trim_start().strip_prefix("defined")?,
    };
    let asked = tested_macro.trim_start_matches([' ', '\t', '(']);
    let name = second.strip_prefix("define")?.split_whitespace().next()?;
    asked.strip_prefix(name).filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).map(|_| name)
}

fn is_pragma_once(directive: &str) -> bool {
    directive.strip_prefix("pragma").is_some_and(|rest| rest.split_whitespace().next() == Some("once"))
}
