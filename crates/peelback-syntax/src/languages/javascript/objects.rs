//! The outline of the members of JavaScript object literals.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;

use super::assignments;
use super::placement::{
    MAX_WRAPPERS, build_definition_with_decorators, fold_long_initializer, is_function_value,
    is_parenthesis_or_assertion_kind, member_name, part_left_out_of_signature, unwrap_parentheses_and_assertions,
};
use super::properties;

/// Adds the symbol of the object member `key: value`: a method if the value is a function, and a field if the object is
/// the value of a symbol. Other members get no symbol.
pub(super) fn outline_object_pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
        return WalkStep::Descend;
    };
    let inner = unwrap_parentheses_and_assertions(value);
    let kind = match inner.kind() {
        "class" => SymbolKind::Class,
        _ if is_function_value(inner) => SymbolKind::Method,
        _ if !builder.is_in_local_scope() && is_enclosing_object_bound_to_symbol(builder) => SymbolKind::Field,
        _ => return WalkStep::Descend,
    };
    let name = member_name(key, builder);
    if is_function_value(inner) && properties::is_function_in_property_descriptor(&name, builder) {
        return WalkStep::Descend;
    }
    let mut definition =
        build_definition_with_decorators(builder, kind, &name, node, part_left_out_of_signature(value));
    definition.container = class_name_of_enclosing_prototype_object(builder);
    fold_long_initializer(value, builder);
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Adds the symbol of the shorthand member `{ name }`, which means `{ name: name }`.
pub(super) fn add_shorthand_member_symbol<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if !builder.is_in_local_scope() && is_enclosing_object_bound_to_symbol(builder) {
        let definition =
            build_definition_with_decorators(builder, SymbolKind::Field, builder.text_of_node(node), node, None);
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// The node that has the object around the current member as its value. Parentheses and type assertions around the
/// object are passed over.
fn parent_of_enclosing_object<'t>(builder: &OutlineBuilder<'t, '_>) -> Option<Node<'t>> {
    let mut above = builder.ancestor_nodes();
    above.next().filter(|object| object.kind() == "object")?;
    above.take(MAX_WRAPPERS + 1).find(|ancestor| !is_parenthesis_or_assertion_kind(ancestor.kind()))
}

/// Whether the object around the current member is the whole value of a symbol, and not a part of a larger expression.
fn is_enclosing_object_bound_to_symbol(builder: &OutlineBuilder<'_, '_>) -> bool {
    let Some(owner) = builder.enclosing_symbol() else { return false };
    let Some(value_holder) = parent_of_enclosing_object(builder) else { return false };
    let is_binding_node =
        matches!(value_holder.kind(), "variable_declarator" | "export_statement" | "assignment_expression" | "pair");
    // The containing node either opened the enclosing symbol itself, or it lies inside that symbol.
    is_binding_node && owner.bytes.start <= value_holder.start_byte() && owner.bytes.end <= value_holder.end_byte()
}

/// The class name `Foo` if the current member is in the object of `Foo.prototype = { … }` or
/// `Object.assign(Foo.prototype, { … })`.
pub(super) fn class_name_of_enclosing_prototype_object(builder: &mut OutlineBuilder<'_, '_>) -> Option<String> {
    let value_holder = parent_of_enclosing_object(builder)?;
    let prototype = match value_holder.kind() {
        "assignment_expression" => value_holder.child_by_field_name("left")?,
        "arguments" => {
            let mut above = builder.ancestor_nodes().skip_while(|ancestor| ancestor.id() != value_holder.id());
            let function = above.nth(1)?.child_by_field_name("function")?;
            drop(above);
            let source = builder.source;
            let prototypes = assignments::prototypes_of_file(builder)?;
            let mut arguments = value_holder.walk();
            let mut arguments = value_holder.named_children(&mut arguments);
            let first = arguments.find(|argument| argument.kind() != "comment")?;
            prototypes.does_function_copy_members(function, source).then_some(first)?
        }
        _ => return None,
    };
    assignments::class_name_of_prototype_expression(prototype, builder)
}
