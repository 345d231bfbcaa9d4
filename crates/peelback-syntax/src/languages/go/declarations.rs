//! Symbols of Go's types and their members, constants, variables, and functions that are assigned to names.

use tree_sitter::Node;

use crate::facts::{SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::{Definition, OutlineBuilder};

/// The visibility of a Go name: a capital first letter exports it from its package.
pub(super) fn visibility_by_name(name: &str) -> Visibility {
    if name.chars().next().is_some_and(char::is_uppercase) { Visibility::Public } else { Visibility::Internal }
}

/// Limit on the names of one spec (an entry of a Go declaration such as `a, b = 1, 2`) that all show the whole spec as
/// their signature.
const MAX_NAMES_WITH_FULL_SIGNATURE: usize = 16;

/// The first name of a spec with more than [`MAX_NAMES_WITH_FULL_SIGNATURE`] names, before which the signatures of all
/// of them end; `None` for a spec with fewer names.
fn first_name_if_many_names<'t>(names: &[Node<'t>]) -> Option<Node<'t>> {
    names.first().copied().filter(|_| names.len() > MAX_NAMES_WITH_FULL_SIGNATURE)
}

/// The next step of the walk at a `type`, `var` or `const` declaration. In a group each spec has its own documentation;
/// a single spec takes the documentation of the declaration.
pub(super) fn outline_walk_step_at_declaration(node: Node<'_>) -> WalkStep {
    match node.child(1).map(|child| child.kind()) {
        Some("(" | "var_spec_list") => WalkStep::Descend,
        _ => WalkStep::DescendKeepingAttachments,
    }
}

/// Byte offset of the keyword (`type`, `var` or `const`) in front of a spec, if only blanks separate the two. A spec in
/// a group has no keyword of its own.
fn declaration_keyword_start(spec: Node<'_>, keyword: &str, builder: &OutlineBuilder<'_, '_>) -> Option<usize> {
    let before = builder.source.get(..spec.start_byte())?.trim_end_matches([' ', '\t']);
    before.strip_suffix(keyword).map(str::len).filter(|_| before.len() < spec.start_byte())
}

/// Builds the definition of a name of a spec. Its signature always begins with the keyword (`type`, `var` or `const`);
/// its range includes the keyword only if that is directly in front of the spec.
fn build_definition_with_keyword<'t>(
    builder: &OutlineBuilder<'t, '_>,
    keyword: &str,
    kind: SymbolKind,
    name: &str,
    spec: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let mut definition = builder.build_definition(kind, name, spec, body);
    definition.visibility = visibility_by_name(name);
    definition.signature = format!("{keyword} {}", definition.signature);
    if let Some(start) = declaration_keyword_start(spec, keyword, builder) {
        definition.start = start;
        definition.outer_start = definition.outer_start.min(start);
    }
    definition
}

pub(super) fn outline_type_spec<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let declared = node.child_by_field_name("type");
    let kind = match declared.map(|declared| declared.kind()) {
        Some("struct_type") => SymbolKind::Struct,
        Some("interface_type") => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    let members = declared.filter(|_| kind != SymbolKind::Type).and_then(member_list_or_opening_brace_node);
    let definition = build_definition_with_keyword(builder, "type", kind, name, node, members);
    if builder.is_in_local_scope() {
        // A local type is added without its members.
        builder.add_leaf_definition(Definition { visibility: Visibility::Private, ..definition });
        return WalkStep::Skip;
    }
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// The node with which the members of a struct or an interface type begin: an opening brace or a field list.
fn member_list_or_opening_brace_node(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| matches!(child.kind(), "field_declaration_list" | "{"))
}

/// Whether members at the current node of the walk are to become symbols: the enclosing symbol lists its members.
fn should_members_become_symbols(builder: &OutlineBuilder<'_, '_>) -> bool {
    let has_listing_owner = matches!(
        builder.enclosing_symbol_kind(),
        Some(SymbolKind::Struct | SymbolKind::Interface | SymbolKind::Type | SymbolKind::Field | SymbolKind::Variable)
    );
    has_listing_owner && !builder.is_in_local_scope()
}

pub(super) fn outline_field<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if !should_members_become_symbols(builder) {
        return WalkStep::Skip;
    }
    let declared = node.child_by_field_name("type");
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    if names.is_empty() {
        if let Some(name) = declared.and_then(|declared| unqualified_type_name(declared, builder)) {
            let mut definition = builder.build_definition(SymbolKind::Field, &name, node, None);
            definition.visibility = visibility_by_name(&name);
            builder.add_leaf_definition(definition);
        }
        return WalkStep::Skip;
    }
    let anonymous = declared.and_then(inner_struct_type);
    let body = anonymous.and_then(member_list_or_opening_brace_node);
    let many_names = first_name_if_many_names(&names);
    for (index, name) in names.iter().enumerate() {
        let name = builder.text_of_node(*name);
        if name == "_" {
            continue;
        }
        let mut definition = builder.build_definition(SymbolKind::Field, name, node, many_names.or(body));
        definition.visibility = visibility_by_name(name);
        if many_names.is_some() {
            definition.signature = name.to_owned();
        }
        // `a, b struct { … }` lists the members once, under the last name.
        if body.is_some() && index + 1 == names.len() {
            builder.add_definition_and_open_scope(definition);
            return WalkStep::Descend;
        }
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// The node of the struct type inside a type: `struct { … }`, `[]struct { … }`, `map[string]*struct { … }`.
fn inner_struct_type(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        node = match node.kind() {
            "struct_type" => return Some(node),
            "slice_type" | "array_type" => node.child_by_field_name("element")?,
            "map_type" => node.child_by_field_name("value")?,
            "pointer_type" | "parenthesized_type" => node.named_child(0)?,
            _ => return None,
        };
    }
}

pub(super) fn outline_interface_method<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if should_members_become_symbols(builder)
        && let Some(name) = builder.field_text(node, "name")
    {
        let mut definition = builder.build_definition(SymbolKind::Method, name, node, None);
        definition.visibility = visibility_by_name(name);
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// Adds the symbol of an interface that is embedded in an interface (`io.Reader`). Unions and `~T` are constraints and
/// add nothing.
pub(super) fn outline_embedded_interface<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if builder.enclosing_symbol_kind() == Some(SymbolKind::Interface)
        && node.child_count() == 1
        && let Some(name) = node.child(0).and_then(|declared| unqualified_type_name(declared, builder))
    {
        let mut definition = builder.build_definition(SymbolKind::Field, &name, node, None);
        definition.visibility = visibility_by_name(&name);
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// The name of a Go type without pointer, package and type arguments.
pub(super) fn unqualified_type_name(mut node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Option<String> {
    loop {
        node = match node.kind() {
            "type_identifier" => return Some(builder.text_of_node(node).to_owned()),
            "qualified_type" => node.child_by_field_name("name")?,
            "generic_type" => node.child_by_field_name("type")?,
            "pointer_type" | "parenthesized_type" => node.named_child(0)?,
            _ => return None,
        };
    }
}

/// Adds the symbols of the names that a spec such as `a, b = 1, 2` declares after `var` or `const`.
pub(super) fn outline_const_or_var_spec<'t>(
    kind: SymbolKind,
    node: Node<'t>,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> =
        node.children_by_field_name("name", &mut cursor).filter(|name| name.kind() == "identifier").collect();
    let value = node.child_by_field_name("value");
    let value_nodes = value.map_or_else(Vec::new, expressions_in_list);
    if builder.is_in_local_scope() {
        return add_local_functions(node, &names, &value_nodes, builder);
    }
    let has_function = value_nodes.iter().any(|value| is_or_directly_contains_function_literal(*value));
    if let Some(value) = value
        && !has_function
    {
        builder.fold_value_if_long(value);
    }
    let anonymous = node.child_by_field_name("type").and_then(inner_struct_type);
    let keyword = if kind == SymbolKind::Constant { "const" } else { "var" };
    let multiline_value = value.filter(|value| value.end_position().row > value.start_position().row);
    let body = match value_nodes.as_slice() {
        [function] if function.kind() == "func_literal" => function.child_by_field_name("body"),
        _ => multiline_value.or(anonymous.and_then(member_list_or_opening_brace_node)),
    };
    let many_names = first_name_if_many_names(&names);
    let mut owner = None;
    for (index, name) in names.iter().enumerate() {
        let name = builder.text_of_node(*name);
        // `var _ Interface = …` is a compile-time check and defines no name.
        if name == "_" {
            continue;
        }
        let mut definition = build_definition_with_keyword(builder, keyword, kind, name, node, many_names.or(body));
        if many_names.is_some() {
            definition.signature = format!("{keyword} {name}");
        }
        if index + 1 == names.len() && (has_function || anonymous.is_some()) {
            owner = Some(definition);
        } else {
            builder.add_leaf_definition(definition);
        }
    }
    if let Some(owner) = owner {
        builder.add_definition_and_open_scope(owner);
    }
    if has_function || anonymous.is_some() { WalkStep::Descend } else { WalkStep::Skip }
}

/// The nodes of the expressions in an expression list, without comments.
fn expressions_in_list(list: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// Whether a value is a function, or a call with a function literal as callee or argument. The skeleton then folds only
/// the function's body.
fn is_or_directly_contains_function_literal(value: Node<'_>) -> bool {
    if value.kind() == "func_literal" {
        return true;
    }
    if value.kind() != "call_expression" {
        return false;
    }
    if value.child_by_field_name("function").is_some_and(|function| function.kind() == "func_literal") {
        return true;
    }
    let Some(arguments) = value.child_by_field_name("arguments") else { return false };
    let mut cursor = arguments.walk();
    arguments.named_children(&mut cursor).any(|argument| argument.kind() == "func_literal")
}

/// Adds the symbol of the local function in `name := func() { … }` or `name = func() { … }`.
pub(super) fn outline_local_function_assignment<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(list) = node.child_by_field_name("right").filter(|_| builder.is_in_local_scope()) else {
        return WalkStep::Descend;
    };
    let mut cursor = list.walk();
    if !list.named_children(&mut cursor).any(|value| value.kind() == "func_literal") {
        return WalkStep::Descend;
    }
    let right = expressions_in_list(list);
    let names = node.child_by_field_name("left").map_or_else(Vec::new, expressions_in_list);
    add_local_functions(node, &names, &right, builder)
}

/// Adds the symbol of a local function for each function literal in a statement, under the name to which the statement
/// assigns it.
fn add_local_functions<'t>(
    node: Node<'t>,
    names: &[Node<'t>],
    values: &[Node<'t>],
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    let has_single_value = values.len() == 1;
    for (name, value) in names.iter().zip(values) {
        if name.kind() != "identifier" || value.kind() != "func_literal" || builder.text_of_node(*name) == "_" {
            continue;
        }
        let name = builder.text_of_node(*name);
        let body = value.child_by_field_name("body");
        let mut definition = match node.kind() {
            "var_spec" => build_definition_with_keyword(builder, "var", SymbolKind::Function, name, node, body),
            _ => builder.build_definition(SymbolKind::Function, name, node, body),
        };
        definition.visibility = Visibility::Private;
        if has_single_value {
            builder.add_definition_and_open_scope(definition);
        } else {
            builder.add_leaf_definition(definition);
        }
    }
    WalkStep::Descend
}
