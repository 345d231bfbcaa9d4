//! Members of classes, interfaces, enums and object types.

use tree_sitter::Node;

use crate::facts::{SymbolKind, Visibility};
use crate::frontend::Next;
use crate::outline::OutlineBuilder;

use super::objects;
use super::placement::{bare, define, define_inside, fold_value, hidden_part, is_function, member_name};

/// A method, accessor or constructor, with a body or without, of a class, an interface or an object.
pub(super) fn method<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let name = match (node.kind(), node.child_by_field_name("name")) {
        ("call_signature", _) => "()".to_owned(),
        ("construct_signature", _) => "new".to_owned(),
        (_, Some(name)) => member_name(name, builder),
        (_, None) => return Next::Descend,
    };
    let parent = builder.ancestors().next().map_or("", |parent| parent.kind());
    let constructor = name == "constructor" && parent == "class_body";
    let kind = if constructor { SymbolKind::Constructor } else { SymbolKind::Method };
    let body = node.child_by_field_name("body");
    let mut definition = define(builder, kind, &name, node, body);
    if parent == "object" {
        definition.container = objects::container(builder);
    } else {
        definition.visibility = visibility(node, &name, builder);
    }
    if constructor {
        parameter_properties(node, builder);
    }
    if let Some(body) = body {
        builder.fold(body);
    }
    builder.open(definition);
    Next::Descend
}

/// A field or property. One that holds a function is a method.
pub(super) fn field<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property")) else {
        return Next::Descend;
    };
    let signature = node.kind() == "property_signature";
    if signature && builder.ancestors().next().is_some_and(|parent| parent.is_error()) {
        // The type that it is a member of was not understood.
        return Next::Skip;
    }
    let name = member_name(name, builder);
    let value = node.child_by_field_name("value");
    let kind = match value.map(bare) {
        Some(value) if is_function(value) => SymbolKind::Method,
        Some(value) if value.kind() == "class" => SymbolKind::Class,
        _ => SymbolKind::Field,
    };
    let mut definition = define(builder, kind, &name, node, value.and_then(hidden_part));
    definition.visibility = visibility(node, &name, builder);
    if signature {
        builder.leaf(definition);
        return Next::Skip;
    }
    if let Some(value) = value {
        fold_value(value, builder);
    }
    builder.open(definition);
    Next::Descend
}

/// `A` or `A = 1` in an enum.
pub(super) fn enum_member<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let name = member_name(node.child_by_field_name("name").unwrap_or(node), builder);
    let hidden = node.child_by_field_name("value").and_then(hidden_part);
    let mut definition = define(builder, SymbolKind::EnumMember, &name, node, hidden);
    definition.visibility = Visibility::Public;
    builder.leaf(definition);
    Next::Skip
}

/// `constructor(private x: T)` declares the field `x`.
fn parameter_properties<'t>(constructor: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) {
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
        let name = builder.text(pattern).to_owned();
        let hidden = parameter.child_by_field_name("value").and_then(hidden_part);
        let mut definition = define_inside(builder, SymbolKind::Field, &name, parameter, hidden);
        definition.visibility = visibility(parameter, &name, builder);
        builder.leaf(definition);
    }
}

/// What its modifier says; a member without one is public, one with `#` private.
fn visibility(node: Node<'_>, name: &str, builder: &OutlineBuilder<'_, '_>) -> Visibility {
    if name.starts_with('#') {
        return Visibility::Private;
    }
    let mut cursor = node.walk();
    let modifier = node.children(&mut cursor).take(6).find(|child| child.kind() == "accessibility_modifier");
    match modifier.map(|modifier| builder.text(modifier)) {
        Some("private") => Visibility::Private,
        Some("protected") => Visibility::Protected,
        _ => Visibility::Public,
    }
}
