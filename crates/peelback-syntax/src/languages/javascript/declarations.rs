//! The outline of JavaScript functions, classes and variables.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::WalkStep;
use crate::outline::{MANY_NAMES, OutlineBuilder};
use crate::text;

use super::placement::{
    ancestor_beyond_parentheses_and_assertions, build_declaration_definition_and_add_export,
    build_definition_with_decorators, fold_long_initializer, identifiers_bound_by_pattern, is_function_value,
    part_left_out_of_signature, read_statement_around_declaration, symbol_kind_of_function_or_class_value,
    unwrap_parentheses_and_assertions,
};
use super::{assignments, properties};

/// Adds the symbol of `function f() {}`, or of a function signature without a body, to the outline.
pub(super) fn outline_function_declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    let definition = build_declaration_definition_and_add_export(builder, SymbolKind::Function, name, node, body);
    if let Some(body) = body {
        builder.fold_node_as_body(body);
    }
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Reads a function expression: folds its body, and adds a symbol if the function has a name. No symbol is added where
/// the function is the value of a variable or member, or the getter of a property, which already has a symbol.
pub(super) fn outline_function_expression_by_own_name<'t>(
    node: Node<'t>,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    if let Some(body) = node.child_by_field_name("body") {
        if body.kind() == "statement_block" {
            builder.fold_node_as_body(body);
        } else {
            builder.fold_value_if_long(body);
        }
    }
    let name = builder.field_text(node, "name");
    let bound = is_value_bound_to_symbol(builder) || properties::is_function_of_defined_property(node, builder);
    builder.open_local_scope_without_symbol();
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
        builder.add_definition_and_open_scope(definition);
    }
    WalkStep::Descend
}

/// Whether the node around the current value (a declarator, a member, an export, an assignment) has added a symbol for
/// the value.
fn is_value_bound_to_symbol(builder: &OutlineBuilder<'_, '_>) -> bool {
    let Some(value_holder) = ancestor_beyond_parentheses_and_assertions(builder) else { return false };
    match value_holder.kind() {
        "variable_declarator" => {
            value_holder.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier")
        }
        "pair" | "field_definition" | "public_field_definition" | "export_statement" => true,
        "assignment_expression" => value_holder
            .child_by_field_name("left")
            .is_some_and(|left| assignments::parse_member_assignment_target(left, builder).is_some()),
        _ => false,
    }
}

/// Adds the symbol of `class C {}` to the outline.
pub(super) fn outline_class_declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let definition = build_declaration_definition_and_add_export(
        builder,
        SymbolKind::Class,
        name,
        node,
        node.child_by_field_name("body"),
    );
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Adds the symbol of a class expression that has a name, unless the class is the value of a variable or member, which
/// already has a symbol.
pub(super) fn outline_class_expression<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if is_value_bound_to_symbol(builder) {
        return WalkStep::Descend;
    }
    builder.open_local_scope_without_symbol();
    if let Some(name) = builder.field_text(node, "name") {
        let definition =
            build_definition_with_decorators(builder, SymbolKind::Class, name, node, node.child_by_field_name("body"));
        builder.add_definition_and_open_scope(definition);
    }
    WalkStep::Descend
}

/// The entries `a`, `b: c`, `...rest` of an object pattern such as `{ a, b: c, ...rest }`; empty for other patterns.
fn object_pattern_entries(pattern: Node<'_>) -> Vec<Node<'_>> {
    if pattern.kind() != "object_pattern" {
        return Vec::new();
    }
    let mut cursor = pattern.walk();
    pattern.named_children(&mut cursor).filter(|part| part.kind() != "comment").collect()
}

/// Adds the symbols of one declarator (`name = value`) in a `const`, `let` or `var` statement to the outline.
pub(super) fn outline_variable_declarator<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = node.child_by_field_name("name") else { return WalkStep::Descend };
    let value = node.child_by_field_name("value");
    let kind = value.and_then(|value| symbol_kind_of_function_or_class_value(unwrap_parentheses_and_assertions(value)));
    if builder.is_in_local_scope() {
        // A local variable is a symbol only if its value is a function or a class.
        if let Some(kind) = kind
            && name.kind() == "identifier"
        {
            let definition = build_declaration_definition_and_add_export(
                builder,
                kind,
                builder.text_of_node(name),
                node,
                value.and_then(part_left_out_of_signature),
            );
            builder.add_definition_and_open_scope(definition);
        }
        return WalkStep::Descend;
    }
    let hidden = value.and_then(part_left_out_of_signature);
    let plain = if read_statement_around_declaration(node, builder).constant {
        SymbolKind::Constant
    } else {
        SymbolKind::Variable
    };
    if name.kind() == "identifier" {
        let definition = build_declaration_definition_and_add_export(
            builder,
            kind.unwrap_or(plain),
            builder.text_of_node(name),
            node,
            hidden,
        );
        if let Some(value) = value {
            fold_long_initializer(value, builder);
        }
        builder.add_definition_and_open_scope(definition);
        return WalkStep::Descend;
    }
    let names = identifiers_bound_by_pattern(name);
    let many = names.len() > MANY_NAMES;
    let parts = object_pattern_entries(name);
    let is_part = !many && parts.len() > 1;
    for bound in names {
        let brief = many || is_part;
        let mut definition = build_declaration_definition_and_add_export(
            builder,
            plain,
            builder.text_of_node(bound),
            node,
            if brief { Some(name) } else { hidden },
        );
        if many {
            definition.signature = format!("{} {}", definition.signature.trim_end(), builder.text_of_node(bound));
        } else if is_part {
            // The signature of each name shows only the part of the destructuring pattern that binds the name.
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
    if let Some(value) = value.filter(|value| !is_function_value(unwrap_parentheses_and_assertions(*value))) {
        fold_long_initializer(value, builder);
    }
    WalkStep::Descend
}
