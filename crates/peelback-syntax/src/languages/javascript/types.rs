//! What only TypeScript has: interfaces, type aliases, enums, namespaces.

use tree_sitter::Node;

use crate::facts::{SymbolKind, Visibility};
use crate::text;
use crate::walk::{Cx, Next};

use super::placement::declare;
use super::{declarations, members};

/// Types longer than this are left out of an alias's signature.
const LONG_TYPE: usize = 240;

/// Segments of a namespace's name that are symbols of their own.
const MAX_SEGMENTS: usize = 16;

/// What the nodes mean that only TypeScript's grammars have.
pub(super) fn enter<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    match node.kind() {
        "function_signature" => declarations::function(node, cx),
        "abstract_class_declaration" => declarations::class(node, cx),
        "method_signature" | "abstract_method_signature" | "call_signature" | "construct_signature" => {
            members::method(node, cx)
        }
        "public_field_definition" | "property_signature" => members::field(node, cx),
        "interface_declaration" => open(SymbolKind::Interface, node, cx),
        "enum_declaration" => open(SymbolKind::Enum, node, cx),
        "enum_assignment" => members::enum_member(node, cx),
        "type_alias_declaration" => alias(node, cx),
        "ambient_declaration" => ambient(node, cx),
        "module" | "internal_module" => namespace(node, cx),
        "object_type" | "intersection_type" => literal(cx),
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
pub(super) fn name<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    if cx.ancestors().next().is_some_and(|parent| parent.kind() == "enum_body") {
        members::enum_member(node, cx);
    }
    Next::Skip
}

fn open<'t>(kind: SymbolKind, node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(name) = cx.field_text(node, "name") else { return Next::Descend };
    let definition = declare(cx, kind, name, node, node.child_by_field_name("body"));
    cx.open(definition);
    Next::Descend
}

/// `type T = …`. The members of an object type are the alias's.
fn alias<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(name) = cx.field_text(node, "name") else { return Next::Skip };
    let value = node.child_by_field_name("value");
    let hidden = value.filter(|value| value.kind() == "object_type" || value.byte_range().len() > LONG_TYPE);
    let definition = declare(cx, SymbolKind::Type, name, node, hidden);
    cx.open(definition);
    Next::Descend
}

/// An object type shows its members where it is what an alias stands for.
fn literal(cx: &Cx<'_, '_>) -> Next {
    let named = cx
        .ancestors()
        .take(8)
        .find(|ancestor| ancestor.kind() != "intersection_type")
        .is_some_and(|ancestor| ancestor.kind() == "type_alias_declaration");
    if named { Next::Descend } else { Next::Skip }
}

/// `declare …`: `declare global {}` defines, the rest declares what follows.
fn ambient<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let mut cursor = node.walk();
    let mut tokens = node.children(&mut cursor).skip(1);
    match tokens.next().map(|token| token.kind()) {
        Some("global") => {
            let body = tokens.find(|child| child.kind() == "statement_block");
            let mut definition = declare(cx, SymbolKind::Module, "global", node, body);
            definition.visibility = Visibility::Public;
            cx.open(definition);
            Next::Descend
        }
        Some("module") if tokens.next().is_some_and(|token| token.kind() == ".") => Next::Skip,
        _ => Next::DescendKeeping,
    }
}

/// `namespace A.B {}` and `module "x" {}`.
fn namespace<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    if name.kind() == "string" {
        let mut definition = declare(cx, SymbolKind::Module, text::unquote(cx.text(name)), node, body);
        definition.visibility = Visibility::Public;
        cx.open(definition);
        return Next::Descend;
    }
    let mut segments = cx.text(name).split('.').map(str::trim);
    let path: Vec<&str> = segments.by_ref().take(MAX_SEGMENTS).collect();
    if segments.next().is_some() {
        cx.miss(name);
    }
    for segment in path.into_iter().filter(|segment| !segment.is_empty()) {
        let definition = declare(cx, SymbolKind::Namespace, segment, node, body);
        cx.open(definition);
    }
    Next::Descend
}
