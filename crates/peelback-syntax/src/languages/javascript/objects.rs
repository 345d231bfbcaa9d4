//! Symbols for the members of object literals.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;

use super::assignments;
use super::placement::{
    MAX_WRAPPERS, body_or_long_value, build_definition_with_decorators, fold_long_initializer, is_function_value,
    is_value_wrapper_kind, member_name, unwrap_value,
};

/// Adds the symbol of `key: value`: a method if the value is a function, and a field if the object is the value of a
/// symbol.
pub(super) fn enter_object_pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
        return WalkStep::Descend;
    };
    let inner = unwrap_value(value);
    let kind = match inner.kind() {
        "class" => SymbolKind::Class,
        _ if is_function_value(inner) => SymbolKind::Method,
        _ if !builder.is_in_local_scope() && is_object_bound_to_symbol(builder) => SymbolKind::Field,
        _ => return WalkStep::Descend,
    };
    let name = member_name(key, builder);
    let mut definition = build_definition_with_decorators(builder, kind, &name, node, body_or_long_value(value));
    definition.container = prototype_container_name(builder);
    fold_long_initializer(value, builder);
    builder.open_definition(definition);
    WalkStep::Descend
}

/// Adds the symbol of the shorthand member `{ name }`, which means `{ name: name }`.
pub(super) fn add_shorthand_member<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if !builder.is_in_local_scope() && is_object_bound_to_symbol(builder) {
        let definition =
            build_definition_with_decorators(builder, SymbolKind::Field, builder.text_of_node(node), node, None);
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// The node that contains the object of the current member, without parentheses and type assertions.
fn node_around_object<'t>(builder: &OutlineBuilder<'t, '_>) -> Option<Node<'t>> {
    let mut above = builder.ancestors();
    above.next().filter(|object| object.kind() == "object")?;
    above.take(MAX_WRAPPERS + 1).find(|ancestor| !is_value_wrapper_kind(ancestor.kind()))
}

/// Whether the object of the current member is the whole value of a symbol, and not a part of a larger expression.
fn is_object_bound_to_symbol(builder: &OutlineBuilder<'_, '_>) -> bool {
    let Some(owner) = builder.enclosing_symbol() else { return false };
    let Some(value_holder) = node_around_object(builder) else { return false };
    let is_binding_node =
        matches!(value_holder.kind(), "variable_declarator" | "export_statement" | "assignment_expression" | "pair");
    // The containing node either opened the enclosing symbol itself, or it lies inside that symbol.
    is_binding_node && owner.bytes.start <= value_holder.start_byte() && owner.bytes.end <= value_holder.end_byte()
}

/// The container of a member of `Foo.prototype = { … }`: `Foo`.
pub(super) fn prototype_container_name(builder: &OutlineBuilder<'_, '_>) -> Option<String> {
    let value_holder =
        node_around_object(builder).filter(|value_holder| value_holder.kind() == "assignment_expression")?;
    assignments::prototype_owner_name(value_holder.child_by_field_name("left")?, builder)
}
