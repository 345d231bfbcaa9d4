//! What only TypeScript has: interfaces, type aliases, enums, namespaces.

use tree_sitter::Node;

use crate::facts::{SymbolKind, Visibility};
use crate::frontend::Next;
use crate::outline::OutlineBuilder;
use crate::text;

use super::placement::declare;
use super::{declarations, members};

/// Types longer than this are left out of an alias's signature.
const LONG_TYPE: usize = 240;

/// Segments of a namespace's name that are symbols of their own.
const MAX_SEGMENTS: usize = 16;

/// What the nodes mean that only TypeScript's grammars have.
pub(super) fn enter<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    match node.kind() {
        "function_signature" => declarations::function(node, builder),
        "abstract_class_declaration" => declarations::class(node, builder),
        "method_signature" | "abstract_method_signature" | "call_signature" | "construct_signature" => {
            members::method(node, builder)
        }
        "public_field_definition" | "property_signature" => members::field(node, builder),
        "interface_declaration" => open(SymbolKind::Interface, node, builder),
        "enum_declaration" => open(SymbolKind::Enum, node, builder),
        "enum_assignment" => members::enum_member(node, builder),
        "type_alias_declaration" => alias(node, builder),
        "ambient_declaration" => ambient(node, builder),
        "module" | "internal_module" => namespace(node, builder),
        "object_type" | "intersection_type" => literal(builder),
        // No statement stands inside other types.
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
        | "import_alias" => Next::Skip,
        _ => Next::Descend,
    }
}

/// A name that stands alone: a member where an enum's body holds it.
pub(super) fn name<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if builder.ancestors().next().is_some_and(|parent| parent.kind() == "enum_body") {
        members::enum_member(node, builder);
    }
    Next::Skip
}

fn open<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Descend };
    let definition = declare(builder, kind, name, node, node.child_by_field_name("body"));
    builder.open(definition);
    Next::Descend
}

/// `type T = …`. The members of an object type are the alias's.
fn alias<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Skip };
    let value = node.child_by_field_name("value");
    let hidden = value.filter(|value| value.kind() == "object_type" || value.byte_range().len() > LONG_TYPE);
    let definition = declare(builder, SymbolKind::Type, name, node, hidden);
    builder.open(definition);
    Next::Descend
}

/// An object type shows its members where it is what an alias stands for.
fn literal(builder: &OutlineBuilder<'_, '_>) -> Next {
    let named = builder
        .ancestors()
        .take(8)
        .find(|ancestor| ancestor.kind() != "intersection_type")
        .is_some_and(|ancestor| ancestor.kind() == "type_alias_declaration");
    if named { Next::Descend } else { Next::Skip }
}

/// `declare …`: `declare global {}` defines, the rest declares what follows.
fn ambient<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let mut cursor = node.walk();
    let mut tokens = node.children(&mut cursor).skip(1);
    match tokens.next().map(|token| token.kind()) {
        Some("global") => {
            let body = tokens.find(|child| child.kind() == "statement_block");
            let mut definition = declare(builder, SymbolKind::Module, "global", node, body);
            definition.visibility = Visibility::Public;
            builder.open(definition);
            Next::Descend
        }
        Some("module") if tokens.next().is_some_and(|token| token.kind() == ".") => Next::Skip,
        _ => Next::DescendKeeping,
    }
}

/// `namespace A.B {}` and `module "x" {}`.
fn namespace<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    if name.kind() == "string" {
        let mut definition = declare(builder, SymbolKind::Module, text::unquote(builder.text(name)), node, body);
        definition.visibility = Visibility::Public;
        builder.open(definition);
        return Next::Descend;
    }
    let mut segments = builder.text(name).split('.').map(str::trim);
    let path: Vec<&str> = segments.by_ref().take(MAX_SEGMENTS).collect();
    if segments.next().is_some() {
        builder.miss(name);
    }
    for segment in path.into_iter().filter(|segment| !segment.is_empty()) {
        let definition = declare(builder, SymbolKind::Namespace, segment, node, body);
        builder.open(definition);
    }
    Next::Descend
}
