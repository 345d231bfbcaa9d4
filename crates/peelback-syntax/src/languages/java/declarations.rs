//! Symbols of Java's types and their members.

use tree_sitter::Node;

use crate::facts::{SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::{Definition, OutlineBuilder};
use crate::text;

/// Words of which a body contains at least one if it declares a type: a local class, or a class without a name.
const WORDS_OF_TYPES_IN_BODIES: &[&str] = &["new", "class", "interface", "enum", "record"];

/// The limit on the number of names of one declaration (`int a, b;`) that all show the whole declaration as their
/// signature.
const MAX_NAMES_WITH_FULL_SIGNATURE: usize = 16;

/// Adds a class, interface, enum, record or annotation type, and opens its scope.
pub(super) fn outline_type<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(definition) = build_named_definition(kind, node, node.child_by_field_name("body"), builder) else {
        return WalkStep::Descend;
    };
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Adds a method or constructor. Its body is visited if it may declare types.
pub(super) fn outline_callable<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let body = node.child_by_field_name("body");
    let Some(definition) = build_named_definition(kind, node, body, builder) else { return WalkStep::Descend };
    let Some(body) = body else {
        builder.add_leaf_definition(definition);
        return WalkStep::Skip;
    };
    builder.fold_node_as_body(body);
    if text::has_any_word(builder.text_of_node(body), WORDS_OF_TYPES_IN_BODIES) {
        builder.add_definition_and_open_scope(definition);
        WalkStep::Descend
    } else {
        builder.add_leaf_definition(definition);
        WalkStep::Skip
    }
}

/// Adds an element of an annotation type. Its signature includes the default.
pub(super) fn outline_annotation_element<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if let Some(definition) = build_named_definition(SymbolKind::Method, node, None, builder) {
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// Adds a constant of an enum. Its own body (`PAID { … }`) has members.
pub(super) fn outline_enum_constant<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let body = node.child_by_field_name("body");
    let Some(definition) = build_named_definition(SymbolKind::EnumMember, node, body, builder) else {
        return WalkStep::Descend;
    };
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Adds each name of a declaration of fields: `int a, b = 1;`.
pub(super) fn outline_fields<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let mut cursor = node.walk();
    let declarators: Vec<Node<'t>> = node.children_by_field_name("declarator", &mut cursor).collect();
    let has_many_names = declarators.len() > MAX_NAMES_WITH_FULL_SIGNATURE;
    let is_alone = declarators.len() == 1;
    let mut visits_values = false;
    for (index, declarator) in declarators.iter().enumerate() {
        let Some(name) = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier") else {
            continue;
        };
        let value = declarator.child_by_field_name("value");
        let multiline = value.filter(|value| value.end_position().row > value.start_position().row);
        let has_types = value.is_some_and(|value| may_declare_types(value, builder));
        if let Some(value) = value.filter(|_| !has_types) {
            builder.fold_value_if_long(value);
        }
        // The value of a single name ends its signature where it has several lines.
        let end = multiline.filter(|_| is_alone).or(declarators.first().copied().filter(|_| has_many_names));
        let mut definition = build_definition_of_member(kind, builder.text_of_node(name), node, end, builder);
        if has_many_names {
            definition.signature = builder.text_of_node(name).to_owned();
        } else if end.is_some() {
            let kept = definition.signature.trim_end().trim_end_matches('=').trim_end().len();
            definition.signature.truncate(kept);
        }
        let kept = definition.signature.trim_end_matches(';').trim_end().len();
        definition.signature.truncate(kept);
        visits_values |= has_types;
        if has_types && index + 1 == declarators.len() {
            builder.add_definition_and_open_scope(definition);
        } else {
            builder.add_leaf_definition(definition);
        }
    }
    if visits_values { WalkStep::Descend } else { WalkStep::Skip }
}

/// Adds the component of a record, which is a field of it. Other parameters are no symbols.
pub(super) fn outline_parameter<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let mut ancestors = builder.ancestor_nodes();
    let is_component = ancestors.next().is_some_and(|list| list.kind() == "formal_parameters")
        && ancestors.next().is_some_and(|owner| owner.kind() == "record_declaration");
    drop(ancestors);
    if is_component && let Some(definition) = build_named_definition(SymbolKind::Field, node, None, builder) {
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// Folds the body of a function without a name, unless it is a part of a body that is folded already.
pub(super) fn fold_body_outside_of_functions<'t>(body: Option<Node<'t>>, builder: &mut OutlineBuilder<'t, '_>) {
    if let Some(body) = body.filter(|body| body.kind() == "block" && !builder.is_in_local_scope()) {
        builder.fold_node_as_body(body);
    }
}

/// Whether an initialiser may contain a class without a name, or a function with a body.
fn may_declare_types(value: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> bool {
    let text = builder.text_of_node(value);
    text.contains('{')
        && (text.contains("->") || text::has_any_word(text, &["new", "switch"]))
        && value.kind() != "array_initializer"
        && value.kind() != "array_creation_expression"
}

fn build_named_definition<'t>(
    kind: SymbolKind,
    node: Node<'t>,
    body: Option<Node<'t>>,
    builder: &OutlineBuilder<'t, '_>,
) -> Option<Definition<'t>> {
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
    let mut definition = build_definition_of_member(kind, builder.text_of_node(name), node, body, builder);
    let kept = definition.signature.trim_end_matches(';').trim_end().len();
    definition.signature.truncate(kept);
    Some(definition)
}

/// Builds a definition that begins after the annotations in front of it.
fn build_definition_of_member<'t>(
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
    builder: &OutlineBuilder<'t, '_>,
) -> Definition<'t> {
    let mut definition = builder.build_definition(kind, name, node, body);
    // Modifiers come first: a declaration can have thousands of names behind them.
    let Some(modifiers) = node.child(0).filter(|child| child.kind() == "modifiers") else { return definition };
    let mut start = None;
    let mut inner = modifiers.walk();
    for part in modifiers.children(&mut inner) {
        match part.kind() {
            "annotation" | "marker_annotation" => {
                if start.is_none() {
                    definition.decorators.push(text::to_one_line(builder.text_of_node(part)));
                }
            }
            "line_comment" | "block_comment" => {}
            word => {
                start.get_or_insert(part.start_byte());
                let visibility = match word {
                    "public" => Visibility::Public,
                    "protected" => Visibility::Protected,
                    "private" => Visibility::Private,
                    _ => continue,
                };
                definition.visibility = visibility;
            }
        }
    }
    let start = start.or_else(|| first_child_after(node, modifiers).map(|child| child.start_byte()));
    if let Some(start) = start.filter(|start| *start > definition.start) {
        let end = body.map_or(definition.end, |body| body.start_byte()).clamp(start, definition.end.max(start));
        definition.signature = builder.signature_of_range(node, start..end);
        definition.start = start;
    }
    definition
}

/// The first child of `node` behind its child `before` that is not a comment.
fn first_child_after<'t>(node: Node<'t>, before: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .skip_while(|child| child.start_byte() < before.end_byte())
        .find(|child| !matches!(child.kind(), "line_comment" | "block_comment"))
}
