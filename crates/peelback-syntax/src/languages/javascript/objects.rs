//! Members of object literals.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::Next;
use crate::outline::OutlineBuilder;

use super::assignments;
use super::placement::{MAX_WRAPPERS, bare, define, fold_value, hidden_part, is_function, is_wrapper, member_name};

/// `key: value`: a method where the value is a function, a field where the object is bound to a module's name.
pub(super) fn pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
        return Next::Descend;
    };
    let inner = bare(value);
    let kind = match inner.kind() {
        "class" => SymbolKind::Class,
        _ if is_function(inner) => SymbolKind::Method,
        _ if !builder.is_local() && is_bound(builder) => SymbolKind::Field,
        _ => return Next::Descend,
    };
    let name = member_name(key, builder);
    let mut definition = define(builder, kind, &name, node, hidden_part(value));
    definition.container = container(builder);
    fold_value(value, builder);
    builder.open(definition);
    Next::Descend
}

/// `{ name }`, short for `{ name: name }`.
pub(super) fn shorthand<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if !builder.is_local() && is_bound(builder) {
        let definition = define(builder, SymbolKind::Field, builder.text(node), node, None);
        builder.leaf(definition);
    }
    Next::Skip
}

/// What holds the object that is the current node's parent.
fn holder_of_object<'t>(builder: &OutlineBuilder<'t, '_>) -> Option<Node<'t>> {
    let mut above = builder.ancestors();
    above.next().filter(|object| object.kind() == "object")?;
    above.take(MAX_WRAPPERS + 1).find(|ancestor| !is_wrapper(ancestor.kind()))
}

/// Whether the object around the current member is itself the value of a symbol, not a part of a larger expression.
fn is_bound(builder: &OutlineBuilder<'_, '_>) -> bool {
    let Some(owner) = builder.enclosing_symbol() else { return false };
    let Some(holder) = holder_of_object(builder) else { return false };
    let binds = matches!(holder.kind(), "variable_declarator" | "export_statement" | "assignment_expression" | "pair");
    // The holder was opened as the symbol that encloses us, or it is no symbol and an outer one encloses us.
    binds && owner.bytes.start <= holder.start_byte() && owner.bytes.end <= holder.end_byte()
}

/// `Foo` for the members of `Foo.prototype = { … }`.
pub(super) fn container(builder: &OutlineBuilder<'_, '_>) -> Option<String> {
    let holder = holder_of_object(builder).filter(|holder| holder.kind() == "assignment_expression")?;
    assignments::prototype_owner(holder.child_by_field_name("left")?, builder)
}
