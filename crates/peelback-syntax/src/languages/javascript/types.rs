//! The outline of declarations that only TypeScript has: interfaces, type aliases, enums, namespaces.

use tree_sitter::Node;

use crate::facts::{SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;
use crate::text;

use super::placement::build_declaration_definition_and_add_export;
use super::{declarations, members};

/// The limit on the length, in bytes, of a type that is shown in the signature of its type alias.
const LONG_TYPE: usize = 240;

/// The limit on the number of segments of a namespace name (`A.B.C`) that become symbols.
const MAX_SEGMENTS: usize = 16;

/// Adds the symbol of a node, if its kind is one that only TypeScript's grammars have.
pub(super) fn outline_typescript_node<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    match node.kind() {
        "function_signature" => declarations::outline_function_declaration(node, builder),
        "abstract_class_declaration" => declarations::outline_class_declaration(node, builder),
        "method_signature" | "abstract_method_signature" | "call_signature" | "construct_signature" => {
            members::outline_method(node, builder)
        }
        "public_field_definition" | "property_signature" => members::outline_field(node, builder),
        "interface_declaration" => outline_interface_or_enum(SymbolKind::Interface, node, builder),
        "enum_declaration" => outline_interface_or_enum(SymbolKind::Enum, node, builder),
        "enum_assignment" => members::add_enum_member_symbol(node, builder),
        "type_alias_declaration" => outline_type_alias(node, builder),
        "ambient_declaration" => outline_ambient_declaration(node, builder),
        "module" | "internal_module" => outline_namespace(node, builder),
        "object_type" | "intersection_type" => outline_walk_step_at_object_type(builder),
        // Nodes of these kinds contain no statements, so their children are skipped.
        "type_annotation"
        | "type_arguments"
        | "type_parameters"
        | "union_type"
        | "conditional_type"
        | "function_type"
        | "constructor_type"
        | "generic_type"
        | "array_type"
        | "tuple_type"
        | "lookup_type"
        | "type_query"
        | "index_type_query"
        | "template_literal_type"
        | "parenthesized_type"
        | "readonly_type"
        | "index_signature"
        | "extends_type_clause"
        | "implements_clause"
        | "import_alias" => WalkStep::Skip,
        _ => WalkStep::Descend,
    }
}

/// Adds an enum member for a bare name that is directly in an enum's body.
pub(super) fn outline_bare_enum_member<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if builder.ancestor_nodes().next().is_some_and(|parent| parent.kind() == "enum_body") {
        members::add_enum_member_symbol(node, builder);
    }
    WalkStep::Skip
}

fn outline_interface_or_enum<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let definition =
        build_declaration_definition_and_add_export(builder, kind, name, node, node.child_by_field_name("body"));
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Adds the symbol of `type T = …`. The members of an object type become children of the alias.
fn outline_type_alias<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Skip };
    let value = node.child_by_field_name("value");
    let hidden = value.filter(|value| value.kind() == "object_type" || value.byte_range().len() > LONG_TYPE);
    let definition = build_declaration_definition_and_add_export(builder, SymbolKind::Type, name, node, hidden);
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// The walk's next step at an object type: its members are visited only if the type is the value of a type alias.
fn outline_walk_step_at_object_type(builder: &OutlineBuilder<'_, '_>) -> WalkStep {
    let named = builder
        .ancestor_nodes()
        .take(8)
        .find(|ancestor| ancestor.kind() != "intersection_type")
        .is_some_and(|ancestor| ancestor.kind() == "type_alias_declaration");
    if named { WalkStep::Descend } else { WalkStep::Skip }
}

/// Adds the symbol of `declare global {}`. Any other `declare …` is a modifier of the declaration that follows.
fn outline_ambient_declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let mut cursor = node.walk();
    let mut tokens = node.children(&mut cursor).skip(1);
    match tokens.next().map(|token| token.kind()) {
        Some("global") => {
            let body = tokens.find(|child| child.kind() == "statement_block");
            let mut definition =
                build_declaration_definition_and_add_export(builder, SymbolKind::Module, "global", node, body);
            definition.visibility = Visibility::Public;
            builder.add_definition_and_open_scope(definition);
            WalkStep::Descend
        }
        Some("module") if tokens.next().is_some_and(|token| token.kind() == ".") => WalkStep::Skip,
        _ => WalkStep::DescendKeepingAttachments,
    }
}

/// Adds the symbols of `namespace A.B {}` or `module "x" {}`.
fn outline_namespace<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = node.child_by_field_name("name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    if name.kind() == "string" {
        let mut definition = build_declaration_definition_and_add_export(
            builder,
            SymbolKind::Module,
            text::without_quotes(builder.text_of_node(name)),
            node,
            body,
        );
        definition.visibility = Visibility::Public;
        builder.add_definition_and_open_scope(definition);
        return WalkStep::Descend;
    }
    let mut segments = builder.text_of_node(name).split('.').map(str::trim);
    let path: Vec<&str> = segments.by_ref().take(MAX_SEGMENTS).collect();
    if segments.next().is_some() {
        builder.record_region_with_incomplete_facts(name);
    }
    for segment in path.into_iter().filter(|segment| !segment.is_empty()) {
        let definition =
            build_declaration_definition_and_add_export(builder, SymbolKind::Namespace, segment, node, body);
        builder.add_definition_and_open_scope(definition);
    }
    WalkStep::Descend
}
