//! Functions, classes and variables.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::Next;
use crate::outline::{MANY_NAMES, OutlineBuilder};
use crate::text;

use super::placement::{bare, declare, define, fold_value, hidden_part, holder, is_function, kind_of_value, placement};
use super::{assignments, modules};

/// `function f() {}`, and a signature without a body.
pub(super) fn function<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    let definition = declare(builder, SymbolKind::Function, name, node, body);
    if let Some(body) = body {
        builder.fold(body);
    }
    builder.open(definition);
    Next::Descend
}

/// A function that is a value: what it is bound to was defined already; unbound it counts if it has a name.
pub(super) fn function_value<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if let Some(body) = node.child_by_field_name("body") {
        if body.kind() == "statement_block" {
            builder.fold(body);
        } else {
            builder.fold_long_value(body);
        }
    }
    let name = builder.field_text(node, "name");
    let bound = binds(builder);
    builder.open_anonymous();
    if let Some(name) = name
        && !bound
    {
        let definition = define(builder, SymbolKind::Function, name, node, node.child_by_field_name("body"));
        builder.open(definition);
    }
    Next::Descend
}

/// Whether what holds the current value has defined a symbol for it.
fn binds(builder: &OutlineBuilder<'_, '_>) -> bool {
    let Some(holder) = holder(builder) else { return false };
    match holder.kind() {
        "variable_declarator" => holder.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier"),
        "pair" | "field_definition" | "public_field_definition" | "export_statement" => true,
        "assignment_expression" => {
            holder.child_by_field_name("left").is_some_and(|left| assignments::target(left, builder).is_some())
        }
        _ => false,
    }
}

/// `class C {}`.
pub(super) fn class<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Descend };
    let definition = declare(builder, SymbolKind::Class, name, node, node.child_by_field_name("body"));
    builder.open(definition);
    Next::Descend
}

/// A class that is a value.
pub(super) fn class_value<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if binds(builder) {
        return Next::Descend;
    }
    builder.open_anonymous();
    if let Some(name) = builder.field_text(node, "name") {
        let definition = define(builder, SymbolKind::Class, name, node, node.child_by_field_name("body"));
        builder.open(definition);
    }
    Next::Descend
}

/// The parts of a pattern that takes an object apart.
fn parts(pattern: Node<'_>) -> Vec<Node<'_>> {
    if pattern.kind() != "object_pattern" {
        return Vec::new();
    }
    let mut cursor = pattern.walk();
    pattern.named_children(&mut cursor).filter(|part| part.kind() != "comment").collect()
}

/// One name or pattern of `const`, `let` or `var`.
pub(super) fn declarator<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Descend };
    let value = node.child_by_field_name("value");
    let kind = value.and_then(|value| kind_of_value(bare(value)));
    if builder.is_local() {
        // A local is a symbol only where it is a function or a class.
        if let Some(kind) = kind
            && name.kind() == "identifier"
        {
            let definition = declare(builder, kind, builder.text(name), node, value.and_then(hidden_part));
            builder.open(definition);
        }
        return Next::Descend;
    }
    let hidden = value.and_then(hidden_part);
    let plain = if placement(node, builder).constant { SymbolKind::Constant } else { SymbolKind::Variable };
    if name.kind() == "identifier" {
        let definition = declare(builder, kind.unwrap_or(plain), builder.text(name), node, hidden);
        if let Some(value) = value {
            fold_value(value, builder);
        }
        builder.open(definition);
        return Next::Descend;
    }
    let names = modules::bound_names(name);
    let many = names.len() > MANY_NAMES;
    let parts = parts(name);
    let is_part = !many && parts.len() > 1;
    for bound in names {
        let brief = many || is_part;
        let mut definition =
            declare(builder, plain, builder.text(bound), node, if brief { Some(name) } else { hidden });
        if many {
            definition.signature = format!("{} {}", definition.signature.trim_end(), builder.text(bound));
        } else if is_part {
            // Each name with its own part of the pattern: the others have rows of their own.
            let part = parts.iter().find(|part| part.byte_range().contains(&bound.start_byte())).unwrap_or(&bound);
            let end = hidden.map_or(node.end_byte(), |hidden| hidden.start_byte());
            let rest = builder.signature(node, name.end_byte()..end.max(name.end_byte()));
            let part = format!("{} {{ {} }}", definition.signature.trim_end(), text::one_line(builder.text(*part)));
            let space = if rest.is_empty() || rest.starts_with(':') { "" } else { " " };
            definition.signature = format!("{part}{space}{rest}");
        }
        builder.leaf(definition);
    }
    if let Some(value) = value.filter(|value| !is_function(bare(*value))) {
        fold_value(value, builder);
    }
    Next::Descend
}
