//! What only TypeScript has: interfaces, type aliases, enums, namespaces.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::text;
use crate::walk::{Cx, Next};

use super::placement::declare;

/// Types longer than this are left out of an alias's signature.
const LONG_TYPE: usize = 240;

/// `interface I {}`.
pub(super) fn interface<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    open(SymbolKind::Interface, node, cx)
}

/// `enum E {}`.
pub(super) fn enumeration<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    open(SymbolKind::Enum, node, cx)
}

fn open<'t>(kind: SymbolKind, node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(name) = cx.field_text(node, "name") else { return Next::Descend };
    let definition = declare(cx, kind, name, node, node.child_by_field_name("body"));
    cx.open(definition);
    Next::Descend
}

/// `type T = …`. The members of an object type are the alias's.
pub(super) fn alias<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(name) = cx.field_text(node, "name") else { return Next::Skip };
    let value = node.child_by_field_name("value");
    let hidden = value.filter(|value| value.kind() == "object_type" || value.byte_range().len() > LONG_TYPE);
    let definition = declare(cx, SymbolKind::Type, name, node, hidden);
    cx.open(definition);
    Next::Descend
}

/// An object type shows its members where it is what an alias stands for.
pub(super) fn literal(cx: &Cx<'_, '_>) -> Next {
    let named = cx
        .ancestors()
        .take(8)
        .find(|ancestor| ancestor.kind() != "intersection_type")
        .is_some_and(|ancestor| ancestor.kind() == "type_alias_declaration");
    if named { Next::Descend } else { Next::Skip }
}

/// `declare …`: `declare global {}` defines, the rest declares what follows.
pub(super) fn ambient<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let mut cursor = node.walk();
    let mut tokens = node.children(&mut cursor).skip(1);
    match tokens.next().map(|token| token.kind()) {
        Some("global") => {
            let body = tokens.find(|child| child.kind() == "statement_block");
            let definition = declare(cx, SymbolKind::Module, "global", node, body);
            cx.open(definition);
            Next::Descend
        }
        Some("module") if tokens.next().is_some_and(|token| token.kind() == ".") => Next::Skip,
        _ => Next::DescendKeeping,
    }
}

/// `namespace A.B {}` and `module "x" {}`.
pub(super) fn namespace<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    if name.kind() == "string" {
        let definition = declare(cx, SymbolKind::Module, text::unquote(cx.text(name)), node, body);
        cx.open(definition);
        return Next::Descend;
    }
    let path: Vec<&str> = cx.text(name).split('.').map(str::trim).collect();
    for segment in path.into_iter().filter(|segment| !segment.is_empty()) {
        let definition = declare(cx, SymbolKind::Namespace, segment, node, body);
        cx.open(definition);
    }
    Next::Descend
}
