//! The exports of a Python module, from `__all__` or else from its top-level names.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::facts::{Export, ExportKind};
use crate::outline::OutlineBuilder;
use crate::text;

/// Adds the strings of an `__all__` value as exports. Understands lists, tuples, their sums, and `"a b".split()`.
pub(super) fn add_dunder_all_exports(value: Option<Node<'_>>, builder: &mut OutlineBuilder<'_, '_>) {
    let mut waiting: Vec<Node<'_>> = value.into_iter().collect();
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "string" => {
                let name = text::without_quotes(builder.text_of_node(node)).to_owned();
                let line = builder.lines_of_node(node).first;
                builder.exports.push(Export { name, kind: ExportKind::Named, line });
            }
            "call" => {
                let Some(function) = node.child_by_field_name("function") else { continue };
                match function.kind() {
                    // The call may wrap a list (`sorted([...])`, `list(...)`), so its arguments are searched.
                    "identifier" => waiting.extend(node.child_by_field_name("arguments")),
                    "attribute" if builder.field_text(function, "attribute") == Some("split") => {
                        let words = builder.field_text(function, "object").unwrap_or("");
                        let line = builder.lines_of_node(node).first;
                        for name in text::without_quotes(words).trim_matches(['"', '\'']).split_whitespace() {
                            builder.exports.push(Export { name: name.to_owned(), kind: ExportKind::Named, line });
                        }
                    }
                    _ => {}
                }
            }
            "list"
            | "tuple"
            | "set"
            | "expression_list"
            | "argument_list"
            | "parenthesized_expression"
            | "binary_operator"
            | "list_splat" => {
                let mut cursor = node.walk();
                let from = waiting.len();
                waiting.extend(node.named_children(&mut cursor));
                if let Some(added) = waiting.get_mut(from..) {
                    added.reverse();
                }
            }
            _ => {}
        }
    }
}

/// Applies `__all__.extend([...])`, `.append("a")` and `.remove("a")` to the exports.
pub(super) fn apply_dunder_all_method_call(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let Some(method) = builder.field_text(node, "function").and_then(|name| name.strip_prefix("__all__.")) else {
        return;
    };
    let arguments = node.child_by_field_name("arguments");
    match method.trim() {
        "extend" | "append" | "insert" => add_dunder_all_exports(arguments, builder),
        "remove" => {
            let kept = builder.exports.len();
            add_dunder_all_exports(arguments, builder);
            let removed: HashSet<String> = builder.exports.drain(kept..).map(|export| export.name).collect();
            builder.exports.retain(|export| !removed.contains(&export.name));
        }
        _ => {}
    }
}

/// Completes the exports of a module: removes duplicates, and, for a module without `__all__`, exports every top-level
/// name without a leading underscore.
pub(super) fn add_implicit_exports_and_deduplicate(builder: &mut OutlineBuilder<'_, '_>) {
    if builder.exports.is_empty() {
        builder.exports = builder
            .top_level_symbols()
            .filter(|symbol| !symbol.name.starts_with('_') && symbol.container.is_none() && !symbol.local)
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
    }
    let mut seen = HashSet::new();
    builder.exports.retain(|export| seen.insert(export.name.clone()));
}
