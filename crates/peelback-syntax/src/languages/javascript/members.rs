//! The outline of the members of JavaScript and TypeScript classes, interfaces, enums and object types.

use tree_sitter::Node;

use crate::facts::{SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;

use super::objects;
use super::placement::{
    build_definition_in_outer_header, build_definition_with_decorators, fold_long_initializer, is_function_value,
    member_name, part_left_out_of_signature, unwrap_parentheses_and_assertions,
};
use super::properties;

/// Adds the symbol of a method, an accessor or a constructor of a class, an interface or an object. The body is
/// optional.
pub(super) fn outline_method<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let name = match (node.kind(), node.child_by_field_name("name")) {
        ("call_signature", _) => "()".to_owned(),
        ("construct_signature", _) => "new".to_owned(),
        (_, Some(name)) => member_name(name, builder),
        (_, None) => return WalkStep::Descend,
    };
    let parent = builder.ancestor_nodes().next().map_or("", |parent| parent.kind());
    if parent == "object" && properties::is_function_in_property_descriptor(&name, builder) {
        if let Some(body) = node.child_by_field_name("body") {
            builder.fold_node_as_body(body);
        }
        builder.open_local_scope_without_symbol();
        return WalkStep::Descend;
    }
    let constructor = name == "constructor" && parent == "class_body";
    let kind = if constructor { SymbolKind::Constructor } else { SymbolKind::Method };
    let body = node.child_by_field_name("body");
    let mut definition = build_definition_with_decorators(builder, kind, &name, node, body);
    if parent == "object" {
        definition.container = objects::class_name_of_enclosing_prototype_object(builder);
    } else {
        definition.visibility = visibility_from_modifier_or_name(node, &name, builder);
    }
    if constructor {
        add_parameter_properties(node, builder);
    }
    if let Some(body) = body {
        builder.fold_node_as_body(body);
    }
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Adds the symbol of a field or property. A field whose value is a function is a method.
pub(super) fn outline_field<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property")) else {
        return WalkStep::Descend;
    };
    let signature = node.kind() == "property_signature";
    if signature && builder.ancestor_nodes().next().is_some_and(|parent| parent.is_error()) {
        // A property signature below a parse error is left out: the type around it is unknown.
        return WalkStep::Skip;
    }
    let name = member_name(name, builder);
    let value = node.child_by_field_name("value");
    let kind = match value.map(unwrap_parentheses_and_assertions) {
        Some(value) if is_function_value(value) => SymbolKind::Method,
        Some(value) if value.kind() == "class" => SymbolKind::Class,
        _ => SymbolKind::Field,
    };
    let mut definition =
        build_definition_with_decorators(builder, kind, &name, node, value.and_then(part_left_out_of_signature));
    definition.visibility = visibility_from_modifier_or_name(node, &name, builder);
    if signature {
        builder.add_leaf_definition(definition);
        return WalkStep::Skip;
    }
    if let Some(value) = value {
        fold_long_initializer(value, builder);
    }
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Adds the symbol of an enum member: `A` or `A = 1`.
pub(super) fn add_enum_member_symbol<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let name = member_name(node.child_by_field_name("name").unwrap_or(node), builder);
    let hidden = node.child_by_field_name("value").and_then(part_left_out_of_signature);
    let mut definition = build_definition_with_decorators(builder, SymbolKind::EnumMember, &name, node, hidden);
    definition.visibility = Visibility::Public;
    builder.add_leaf_definition(definition);
    WalkStep::Skip
}

/// Adds the symbols of fields that constructor parameters declare: `constructor(private x: T)` declares the field `x`.
fn add_parameter_properties<'t>(constructor: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) {
    let Some(parameters) = constructor.child_by_field_name("parameters") else { return };
    let mut cursor = parameters.walk();
    for parameter in parameters.named_children(&mut cursor) {
        let Some(pattern) = parameter.child_by_field_name("pattern").filter(|p| p.kind() == "identifier") else {
            continue;
        };
        let mut inner = parameter.walk();
        let declares = parameter
            .children(&mut inner)
            .any(|child| matches!(child.kind(), "accessibility_modifier" | "override_modifier" | "readonly"));
        if !declares {
            continue;
        }
        let name = builder.text_of_node(pattern).to_owned();
        let hidden = parameter.child_by_field_name("value").and_then(part_left_out_of_signature);
        let mut definition = build_definition_in_outer_header(builder, SymbolKind::Field, &name, parameter, hidden);
        definition.visibility = visibility_from_modifier_or_name(parameter, &name, builder);
        builder.add_leaf_definition(definition);
    }
}

/// The visibility of a class member, from a modifier such as `private`. A member without a modifier is public, and a
/// name that begins with `#` is private.
fn visibility_from_modifier_or_name(node: Node<'_>, name: &str, builder: &OutlineBuilder<'_, '_>) -> Visibility {
    if name.starts_with('#') {
        return Visibility::Private;
    }
    let mut cursor = node.walk();
    let modifier = node.children(&mut cursor).take(6).find(|child| child.kind() == "accessibility_modifier");
    match modifier.map(|modifier| builder.text_of_node(modifier)) {
        Some("private") => Visibility::Private,
        Some("protected") => Visibility::Protected,
        _ => Visibility::Public,
    }
}
