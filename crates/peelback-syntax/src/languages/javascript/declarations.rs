//! Symbols of functions, classes and variables.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::Next;
use crate::outline::{MANY_NAMES, OutlineBuilder};
use crate::text;

use super::placement::{
    body_or_long_value, define_declaration, define_with_decorators, fold_long_initializer, is_function_value,
    read_placement, symbol_kind_of_value, unwrap_value, value_holder,
};
use super::{assignments, modules};

/// Adds the symbol of `function f() {}` or of a function signature without a body.
pub(super) fn enter_function_declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    let definition = define_declaration(builder, SymbolKind::Function, name, node, body);
    if let Some(body) = body {
        builder.fold(body);
    }
    builder.open(definition);
    Next::Descend
}

/// Visits a function expression. A variable or member that has the function as its value is already a symbol; any other
/// function expression is a symbol if it has a name.
pub(super) fn enter_function_value<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if let Some(body) = node.child_by_field_name("body") {
        if body.kind() == "statement_block" {
            builder.fold(body);
        } else {
            builder.fold_long_value(body);
        }
    }
    let name = builder.field_text(node, "name");
    let bound = is_bound_to_symbol(builder);
    builder.open_anonymous();
    if let Some(name) = name
        && !bound
    {
        let definition =
            define_with_decorators(builder, SymbolKind::Function, name, node, node.child_by_field_name("body"));
        builder.open(definition);
    }
    Next::Descend
}

/// Whether the node that contains the current value has added a symbol for the value.
fn is_bound_to_symbol(builder: &OutlineBuilder<'_, '_>) -> bool {
    let Some(value_holder) = value_holder(builder) else { return false };
    match value_holder.kind() {
        "variable_declarator" => {
            value_holder.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier")
        }
        "pair" | "field_definition" | "public_field_definition" | "export_statement" => true,
        "assignment_expression" => value_holder
            .child_by_field_name("left")
            .is_some_and(|left| assignments::parse_target(left, builder).is_some()),
        _ => false,
    }
}

/// Adds the symbol of `class C {}`.
pub(super) fn enter_class_declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Descend };
    let definition = define_declaration(builder, SymbolKind::Class, name, node, node.child_by_field_name("body"));
    builder.open(definition);
    Next::Descend
}

/// Visits a class expression. An unbound class expression is a symbol if it has a name.
pub(super) fn enter_class_value<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if is_bound_to_symbol(builder) {
        return Next::Descend;
    }
    builder.open_anonymous();
    if let Some(name) = builder.field_text(node, "name") {
        let definition =
            define_with_decorators(builder, SymbolKind::Class, name, node, node.child_by_field_name("body"));
        builder.open(definition);
    }
    Next::Descend
}

/// The entries of an object pattern; empty for other patterns.
fn object_pattern_entries(pattern: Node<'_>) -> Vec<Node<'_>> {
    if pattern.kind() != "object_pattern" {
        return Vec::new();
    }
    let mut cursor = pattern.walk();
    pattern.named_children(&mut cursor).filter(|part| part.kind() != "comment").collect()
}

/// Adds the symbols of one declarator in a `const`, `let` or `var` statement.
pub(super) fn enter_declarator<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Descend };
    let value = node.child_by_field_name("value");
    let kind = value.and_then(|value| symbol_kind_of_value(unwrap_value(value)));
    if builder.is_local() {
        // A local variable is a symbol only if its value is a function or a class.
        if let Some(kind) = kind
            && name.kind() == "identifier"
        {
            let definition =
                define_declaration(builder, kind, builder.text(name), node, value.and_then(body_or_long_value));
            builder.open(definition);
        }
        return Next::Descend;
    }
    let hidden = value.and_then(body_or_long_value);
    let plain = if read_placement(node, builder).constant { SymbolKind::Constant } else { SymbolKind::Variable };
    if name.kind() == "identifier" {
        let definition = define_declaration(builder, kind.unwrap_or(plain), builder.text(name), node, hidden);
        if let Some(value) = value {
            fold_long_initializer(value, builder);
        }
        builder.open(definition);
        return Next::Descend;
    }
    let names = modules::bound_names(name);
    let many = names.len() > MANY_NAMES;
    let parts = object_pattern_entries(name);
    let is_part = !many && parts.len() > 1;
    for bound in names {
        let brief = many || is_part;
        let mut definition =
            define_declaration(builder, plain, builder.text(bound), node, if brief { Some(name) } else { hidden });
        if many {
            definition.signature = format!("{} {}", definition.signature.trim_end(), builder.text(bound));
        } else if is_part {
            // The signature of each name shows only the name's own part of the pattern.
            let part = parts.iter().find(|part| part.byte_range().contains(&bound.start_byte())).unwrap_or(&bound);
            let end = hidden.map_or(node.end_byte(), |hidden| hidden.start_byte());
            let rest = builder.signature(node, name.end_byte()..end.max(name.end_byte()));
            let part = format!("{} {{ {} }}", definition.signature.trim_end(), text::one_line(builder.text(*part)));
            let space = if rest.is_empty() || rest.starts_with(':') { "" } else { " " };
            definition.signature = format!("{part}{space}{rest}");
        }
        builder.leaf(definition);
    }
    if let Some(value) = value.filter(|value| !is_function_value(unwrap_value(*value))) {
        fold_long_initializer(value, builder);
    }
    Next::Descend
}
