//! Symbols of Ruby's classes, modules, methods and constants.

use tree_sitter::Node;

use super::literals::{self, DefiningCall};
use super::visibility;
use crate::facts::{SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;
use crate::text;

/// Words of which the body of a method contains at least one if it defines or loads something.
const WORDS_OF_DEFINITIONS_IN_BODIES: &[&str] =
    &["def", "class", "module", "define_method", "alias_method", "require", "require_relative", "load", "autoload"];

/// Adds a class or module, and opens its scope.
pub(super) fn outline_type<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = node.child_by_field_name("name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    // The name of a base ends the signature of a class whose body is empty.
    let (last, container) = name_and_container(builder.text_of_node(name), builder);
    let mut definition = builder.build_definition(kind, &last, node, body);
    if body.is_none() {
        let end = node.child_by_field_name("superclass").unwrap_or(name).end_byte();
        definition.signature = builder.signature_of_range(node, node.start_byte()..end);
    }
    definition.container = container;
    definition.visibility = visibility::visibility_of_definition(node, (&last, false), builder);
    builder.add_definition_and_open_scope(definition);
    if let Some(body) = body {
        visibility::read_named_visibilities_in_body(body, builder);
    }
    WalkStep::Descend
}

/// The last name of a path, and the names before it as the owner where they are not the symbol around.
fn name_and_container(path: &str, builder: &OutlineBuilder<'_, '_>) -> (String, Option<String>) {
    let parts: Vec<&str> = path.split("::").map(str::trim).filter(|part| !part.is_empty()).collect();
    let Some((last, owners)) = parts.split_last() else { return (path.to_owned(), None) };
    let around = builder.enclosing_symbol().map(|symbol| symbol.name.as_str());
    let owners = match owners.split_first() {
        Some((first, rest)) if around == Some(*first) => rest,
        _ => owners,
    };
    ((*last).to_owned(), (!owners.is_empty()).then(|| owners.join(".")))
}

/// Adds a method with the node `node`. `outer` is the call around it, as in `private def a`, or the same node.
pub(super) fn outline_method<'t>(node: Node<'t>, outer: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let object = node.child_by_field_name("object");
    let body = node.child_by_field_name("body");
    let is_member = matches!(
        builder.enclosing_symbol_kind(),
        Some(SymbolKind::Class | SymbolKind::Module | SymbolKind::Property | SymbolKind::Constant)
    );
    let on_class = object.is_some();
    let kind = match name {
        "initialize" if is_member && !on_class => SymbolKind::Constructor,
        _ if is_member || object.is_some_and(|object| object.kind() != "self") => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let mut definition = builder.build_definition(kind, name, outer, body);
    // An endless method has its sign behind its parameters.
    let kept = definition.signature.trim_end_matches([';', '=']).trim_end();
    let is_operator = kept.len() < definition.signature.len() && kept.ends_with([' ', '.']);
    if !is_operator && body.is_some() && !definition.signature.ends_with(name) {
        let kept = kept.len();
        definition.signature.truncate(kept);
    }
    if body.is_none() {
        let end = node.child_by_field_name("parameters").or(node.child_by_field_name("name"));
        let end = end.map_or(node.end_byte(), |end| end.end_byte());
        definition.signature = builder.signature_of_range(outer, outer.start_byte()..end);
    }
    if let Some(object) = object.filter(|object| matches!(object.kind(), "constant" | "identifier")) {
        let object = builder.text_of_node(object);
        let around = builder.enclosing_symbol().map(|symbol| symbol.name.as_str());
        definition.container = (around != Some(object)).then(|| object.to_owned());
    }
    definition.visibility = visibility::visibility_of_definition(node, (name, on_class), builder);
    let Some(body) = body else {
        builder.add_leaf_definition(definition);
        return WalkStep::Skip;
    };
    builder.fold_node_as_body(body);
    if text::has_any_word(builder.text_of_node(node), WORDS_OF_DEFINITIONS_IN_BODIES)
        && text::has_any_word(builder.text_of_node(body), WORDS_OF_DEFINITIONS_IN_BODIES)
    {
        if outer != node {
            visibility::mark_added(node, builder);
        }
        builder.add_definition_and_open_scope(definition);
        WalkStep::Descend
    } else {
        builder.add_leaf_definition(definition);
        WalkStep::Skip
    }
}

/// Adds the method that `alias new old` defines.
pub(super) fn outline_alias<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() != "global_variable") {
        let range = literals::name_range_of_literal(name).unwrap_or_else(|| name.byte_range());
        let name = builder.source.get(range).unwrap_or("");
        add_leaf(SymbolKind::Method, name, node, builder);
    }
    WalkStep::Skip
}

fn add_leaf<'t>(kind: SymbolKind, name: &str, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) {
    if name.is_empty() {
        return;
    }
    let mut definition = builder.build_definition(kind, name, node, None);
    definition.visibility = visibility::visibility_of_definition(node, (name, false), builder);
    builder.add_leaf_definition(definition);
}

/// The limit on the number of names in one call up to which the signature of each name is the whole call.
const MAX_NAMES_WITH_FULL_SIGNATURE: usize = 32;

/// Adds what a call such as `attr_reader :a, :b` defines.
pub(super) fn outline_defining_call<'t>(
    call: Node<'t>,
    defining: DefiningCall,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    let kind = match defining {
        DefiningCall::Attributes { .. } | DefiningCall::Association => SymbolKind::Property,
        _ => SymbolKind::Method,
    };
    let is_record = matches!(defining, DefiningCall::Association | DefiningCall::Scope);
    if is_record && builder.enclosing_symbol_kind() != Some(SymbolKind::Class) {
        return WalkStep::Descend;
    }
    let arguments = literals::arguments_of_call(call);
    let names = literals::names_defined_by_call(defining, &arguments);
    if names.is_empty()
        || builder.is_in_local_scope() && kind == SymbolKind::Method && defining != DefiningCall::MethodWithBlock
    {
        return WalkStep::Descend;
    }
    let body = call.child_by_field_name("block").and_then(|block| block.child_by_field_name("body"));
    if defining == DefiningCall::MethodWithBlock
        && let Some(name) = names.first().and_then(|range| builder.source.get(range.clone()))
    {
        let mut definition = builder.build_definition(kind, name, call, body);
        definition.visibility = visibility::visibility_of_definition(call, (name, false), builder);
        if let Some(body) = body {
            builder.fold_node_as_body(body);
            let kept = definition.signature.trim_end();
            let kept = kept
                .strip_suffix("do")
                .or_else(|| kept.strip_suffix('{'))
                .map_or(kept.len(), |rest| rest.trim_end().len());
            definition.signature.truncate(kept);
        }
        builder.add_definition_and_open_scope(definition);
        return WalkStep::Descend;
    }
    let has_many_names = names.len() > MAX_NAMES_WITH_FULL_SIGNATURE;
    for range in names {
        let name = builder.source.get(range).unwrap_or("");
        let end = arguments.first().copied().filter(|_| has_many_names);
        let mut definition = builder.build_definition(kind, name, call, end);
        if has_many_names {
            definition.signature = name.to_owned();
        }
        definition.visibility = visibility::visibility_of_definition(call, (name, false), builder);
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// Adds a constant, class variable or global variable where it is assigned first, and a class that the value makes.
pub(super) fn outline_assignment<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(left) = node.child_by_field_name("left") else { return WalkStep::Descend };
    let right = node.child_by_field_name("right");
    let parent = builder.ancestor_nodes().next();
    let parent_kind = parent.map_or("", |parent| parent.kind());
    let kind = match left.kind() {
        "constant" | "scope_resolution" => {
            let call = right.filter(|right| right.kind() == "call");
            match call.and_then(|call| literals::maker_of_type(call, builder.source)) {
                Some("Module") => SymbolKind::Module,
                Some(_) => SymbolKind::Class,
                None => SymbolKind::Constant,
            }
        }
        "class_variable" if parent_kind == "body_statement" && !builder.is_in_local_scope() => SymbolKind::Field,
        "global_variable" if parent_kind == "program" => SymbolKind::Variable,
        _ => return WalkStep::Descend,
    };
    let (name, container) = name_and_container(builder.text_of_node(left), builder);
    if parent.is_some_and(|parent| !builder.mark_name_bound_in_block(parent, builder.text_of_node(left))) {
        return WalkStep::Descend;
    }
    let is_type = matches!(kind, SymbolKind::Class | SymbolKind::Module);
    let block = right.filter(|_| is_type).and_then(|call| call.child_by_field_name("block"));
    let multiline = right.filter(|right| !is_type && right.end_position().row > right.start_position().row);
    let mut definition = builder.build_definition(kind, &name, node, block.or(multiline));
    if multiline.is_some() {
        let kept = definition.signature.trim_end().trim_end_matches(['|', '=']).trim_end().len();
        definition.signature.truncate(kept);
    }
    definition.container = container;
    definition.visibility = match kind {
        SymbolKind::Field | SymbolKind::Variable => Visibility::Unknown,
        _ => visibility::visibility_of_definition(node, (&name, false), builder),
    };
    if is_type {
        builder.add_definition_and_open_scope(definition);
        if let Some(body) = block.and_then(|block| block.child_by_field_name("body")) {
            visibility::read_named_visibilities_in_body(body, builder);
        }
    } else {
        if let Some(right) = right {
            builder.fold_value_if_long(right);
        }
        builder.add_leaf_definition(definition);
    }
    WalkStep::Descend
}
