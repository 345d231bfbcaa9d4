//! Symbols for the members of object literals.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::Next;
use crate::outline::OutlineBuilder;

use super::assignments;
use super::placement::{
    MAX_WRAPPERS, body_or_long_value, define_with_decorators, fold_long_initializer, is_function_value, is_wrapper,
    member_name, unwrap_value,
};

/// Adds the symbol of `key: value`: a method if the value is a function, and a field if the object is the value of a
/// symbol.
pub(super) fn enter_pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
        return Next::Descend;
    };
    let inner = unwrap_value(value);
    let kind = match inner.kind() {
        "class" => SymbolKind::Class,
        _ if is_function_value(inner) => SymbolKind::Method,
        _ if !builder.is_local() && is_object_bound_to_symbol(builder) => SymbolKind::Field,
        _ => return Next::Descend,
    };
    let name = member_name(key, builder);
    let mut definition = define_with_decorators(builder, kind, &name, node, body_or_long_value(value));
    definition.container = prototype_container(builder);
    fold_long_initializer(value, builder);
    builder.open(definition);
    Next::Descend
}

/// Adds the symbol of the shorthand member `{ name }`, which means `{ name: name }`.
pub(super) fn add_shorthand_member<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if !builder.is_local() && is_object_bound_to_symbol(builder) {
        let definition = define_with_decorators(builder, SymbolKind::Field, builder.text(node), node, None);
        builder.leaf(definition);
    }
    Next::Skip
}

/// The node that contains the object of the current member, without parentheses and type assertions.
fn container_of_object<'t>(builder: &OutlineBuilder<'t, '_>) -> Option<Node<'t>> {
    let mut above = builder.ancestors();
    above.next().filter(|object| object.kind() == "object")?;
    above.take(MAX_WRAPPERS + 1).find(|ancestor| !is_wrapper(ancestor.kind()))
}

/// Whether the object of the current member is the whole value of a symbol, and not a part of a larger expression.
fn is_object_bound_to_symbol(builder: &OutlineBuilder<'_, '_>) -> bool {
    let Some(owner) = builder.enclosing_symbol() else { return false };
    let Some(value_holder) = container_of_object(builder) else { return false };
    let binds =
        matches!(value_holder.kind(), "variable_declarator" | "export_statement" | "assignment_expression" | "pair");
    // The containing node either opened the enclosing symbol itself, or it lies inside that symbol.
    binds && owner.bytes.start <= value_holder.start_byte() && owner.bytes.end <= value_holder.end_byte()
}

/// The container of a member of `Foo.prototype = { … }`: `Foo`.
pub(super) fn prototype_container(builder: &OutlineBuilder<'_, '_>) -> Option<String> {
    let value_holder =
        container_of_object(builder).filter(|value_holder| value_holder.kind() == "assignment_expression")?;
    assignments::prototype_owner(value_holder.child_by_field_name("left")?, builder)
}
