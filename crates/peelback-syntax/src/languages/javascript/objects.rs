//! Members of object literals.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::walk::{Cx, Next};

use super::assignments;
use super::placement::{MAX_WRAPPERS, bare, define, fold_value, hidden_part, is_function, is_wrapper, member_name};

/// `key: value`: a method where the value is a function, a field where the object is bound to a module's name.
pub(super) fn pair<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
        return Next::Descend;
    };
    let inner = bare(value);
    let kind = match inner.kind() {
        "class" => SymbolKind::Class,
        _ if is_function(inner) => SymbolKind::Method,
        _ if !cx.is_local() && is_bound(cx) => SymbolKind::Field,
        _ => return Next::Descend,
    };
    let name = member_name(key, cx);
    let mut definition = define(cx, kind, &name, node, hidden_part(value));
    definition.container = container(cx);
    fold_value(value, cx);
    cx.open(definition);
    Next::Descend
}

/// `{ name }`, short for `{ name: name }`.
pub(super) fn shorthand<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    if !cx.is_local() && is_bound(cx) {
        let definition = define(cx, SymbolKind::Field, cx.text(node), node, None);
        cx.leaf(definition);
    }
    Next::Skip
}

/// What holds the object that is the current node's parent.
fn holder_of_object<'t>(cx: &Cx<'t, '_>) -> Option<Node<'t>> {
    let mut above = cx.ancestors();
    above.next().filter(|object| object.kind() == "object")?;
    above.take(MAX_WRAPPERS + 1).find(|ancestor| !is_wrapper(ancestor.kind()))
}

/// Whether the object around the current member is itself the value of a symbol, not a part of a larger expression.
fn is_bound(cx: &Cx<'_, '_>) -> bool {
    let Some(owner) = cx.enclosing_symbol() else { return false };
    let Some(holder) = holder_of_object(cx) else { return false };
    let binds = matches!(holder.kind(), "variable_declarator" | "export_statement" | "assignment_expression" | "pair");
    // The holder was opened as the symbol that encloses us, or it is no symbol and an outer one encloses us.
    binds && owner.bytes.start <= holder.start_byte() && owner.bytes.end <= holder.end_byte()
}

/// `Foo` for the members of `Foo.prototype = { … }`.
pub(super) fn container(cx: &Cx<'_, '_>) -> Option<String> {
    let holder = holder_of_object(cx).filter(|holder| holder.kind() == "assignment_expression")?;
    assignments::prototype_owner(holder.child_by_field_name("left")?, cx)
}
