//! Symbols of functions, classes and variables.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::WalkStep;
use crate::outline::{MANY_NAMES, OutlineBuilder};
use crate::text;

use super::placement::{
    body_or_long_value, build_declaration_definition, build_definition_with_decorators, fold_long_initializer,
    is_function_value, nearest_unwrapped_ancestor, read_declaration_placement, symbol_kind_of_value, unwrap_value,
};
use super::{assignments, modules};

/// Adds the symbol of `function f() {}` or of a function signature without a body.
pub(super) fn enter_function_declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    let definition = build_declaration_definition(builder, SymbolKind::Function, name, node, body);
    if let Some(body) = body {
        builder.fold_body(body);
    }
    builder.open_definition(definition);
    WalkStep::Descend
}

/// Visits a function expression. A variable or member that has the function as its value is already a symbol; any other
/// function expression is a symbol if it has a name.
pub(super) fn enter_function_expression<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if let Some(body) = node.child_by_field_name("body") {
        if body.kind() == "statement_block" {
            builder.fold_body(body);
        } else {
            builder.fold_long_value(body);
        }
    }
    let name = builder.field_text(node, "name");
    let bound = is_value_bound_to_symbol(builder);
    builder.open_anonymous_scope();
    if let Some(name) = name
        && !bound
    {
        let definition = build_definition_with_decorators(
            builder,
            SymbolKind::Function,
            name,
            node,
            node.child_by_field_name("body"),
        );
        builder.open_definition(definition);
    }
    WalkStep::Descend
}

/// Whether the node that contains the current value has added a symbol for the value.
fn is_value_bound_to_symbol(builder: &OutlineBuilder<'_, '_>) -> bool {
    let Some(value_holder) = nearest_unwrapped_ancestor(builder) else { return false };
    match value_holder.kind() {
        "variable_declarator" => {
            value_holder.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier")
        }
        "pair" | "field_definition" | "public_field_definition" | "export_statement" => true,
        "assignment_expression" => value_holder
            .child_by_field_name("left")
            .is_some_and(|left| assignments::parse_assignment_target(left, builder).is_some()),
        _ => false,
    }
}

/// Adds the symbol of `class C {}`.
pub(super) fn enter_class_declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let definition =
        build_declaration_definition(builder, SymbolKind::Class, name, node, node.child_by_field_name("body"));
    builder.open_definition(definition);
    WalkStep::Descend
}

/// Visits a class expression. An unbound class expression is a symbol if it has a name.
pub(super) fn enter_class_expression<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if is_value_bound_to_symbol(builder) {
        return WalkStep::Descend;
    }
    builder.open_anonymous_scope();
    if let Some(name) = builder.field_text(node, "name") {
        let definition =
            build_definition_with_decorators(builder, SymbolKind::Class, name, node, node.child_by_field_name("body"));
        builder.open_definition(definition);
    }
    WalkStep::Descend
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
pub(super) fn enter_variable_declarator<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = node.child_by_field_name("name") else { return WalkStep::Descend };
    let value = node.child_by_field_name("value");
    let kind = value.and_then(|value| symbol_kind_of_value(unwrap_value(value)));
    if builder.is_in_local_scope() {
        // A local variable is a symbol only if its value is a function or a class.
        if let Some(kind) = kind
            && name.kind() == "identifier"
        {
            let definition = build_declaration_definition(
                builder,
                kind,
                builder.text_of_node(name),
                node,
                value.and_then(body_or_long_value),
            );
            builder.open_definition(definition);
        }
        return WalkStep::Descend;
    }
    let hidden = value.and_then(body_or_long_value);
    let plain =
        if read_declaration_placement(node, builder).constant { SymbolKind::Constant } else { SymbolKind::Variable };
    if name.kind() == "identifier" {
        let definition =
            build_declaration_definition(builder, kind.unwrap_or(plain), builder.text_of_node(name), node, hidden);
        if let Some(value) = value {
            fold_long_initializer(value, builder);
        }
        builder.open_definition(definition);
        return WalkStep::Descend;
    }
    let names = modules::identifiers_bound_by_pattern(name);
    let many = names.len() > MANY_NAMES;
    let parts = object_pattern_entries(name);
    let is_part = !many && parts.len() > 1;
    for bound in names {
        let brief = many || is_part;
        let mut definition = build_declaration_definition(
            builder,
            plain,
            builder.text_of_node(bound),
            node,
            if brief { Some(name) } else { hidden },
        );
        if many {
            definition.signature = format!("{} {}", definition.signature.trim_end(), builder.text_of_node(bound));
        } else if is_part {
            // The signature of each name shows only the name's own part of the pattern.
            let part = parts.iter().find(|part| part.byte_range().contains(&bound.start_byte())).unwrap_or(&bound);
            let end = hidden.map_or(node.end_byte(), |hidden| hidden.start_byte());
            let rest = builder.signature_of_range(node, name.end_byte()..end.max(name.end_byte()));
            let part =
                format!("{} {{ {} }}", definition.signature.trim_end(), text::to_one_line(builder.text_of_node(*part)));
            let space = if rest.is_empty() || rest.starts_with(':') { "" } else { " " };
            definition.signature = format!("{part}{space}{rest}");
        }
        builder.add_leaf_definition(definition);
    }
    if let Some(value) = value.filter(|value| !is_function_value(unwrap_value(*value))) {
        fold_long_initializer(value, builder);
    }
    WalkStep::Descend
}
