//! The syntax around a definition: its statement, the keywords in front of it, and the names that it is bound to.

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, SymbolKind, Visibility};
use crate::outline::{Definition, OutlineBuilder};
use crate::text;

/// The limit on the length, in bytes, of a value that is shown in its symbol's signature.
const MAX_SIGNATURE_VALUE: usize = 160;

/// The limit on the length, in bytes, of a computed member name that is shown as written; a longer one is shown as
/// `[…]`.
const MAX_COMPUTED_NAME: usize = 120;

/// The limit on the number of wrappers (`(…)`, `as T`, `satisfies T`, `!`) around a value that are removed to find the
/// value inside.
pub(super) const MAX_WRAPPERS: usize = 8;

/// The limit on the number of ancestors of a declaration that are searched for the keyword `declare`.
const MAX_AMBIENT_DEPTH: usize = 6;

/// Facts about a JavaScript declaration that depend on the statement around it.
#[derive(Default)]
pub(super) struct Placement {
    /// Byte offset of the statement's first keyword, if the declaration is the statement's first.
    start: Option<usize>,
    /// The keyword `const`, `let` or `var` for a declarator that is not the first of its statement.
    keyword: Option<&'static str>,
    /// Whether the declared variable cannot be reassigned.
    pub constant: bool,
    /// Whether `export` precedes the declaration.
    pub exported: bool,
    /// Whether `export default` precedes the declaration.
    pub default: bool,
}

/// Reads the statements around the declaration `node`: its keywords, where the statement begins, and whether it is
/// exported.
pub(super) fn read_statement_around_declaration(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Placement {
    let mut placement = Placement::default();
    let mut first = true;
    for ancestor in builder.ancestor_nodes() {
        match ancestor.kind() {
            "lexical_declaration" | "variable_declaration" | "using_declaration" => {
                let keyword = match ancestor.child(0).map(|child| child.kind()) {
                    Some("const") => "const",
                    Some("let") => "let",
                    Some("using" | "await") => "using",
                    _ => "var",
                };
                placement.constant = !matches!(keyword, "let" | "var");
                let mut cursor = ancestor.walk();
                first = ancestor
                    .named_children(&mut cursor)
                    .find(|child| child.kind() == "variable_declarator")
                    .is_some_and(|declarator| declarator.id() == node.id());
                if !first {
                    placement.keyword = Some(keyword);
                }
            }
            "ambient_declaration" | "expression_statement" => {}
            "export_statement" => {
                placement.exported = true;
                let mut cursor = ancestor.walk();
                let mut tokens = ancestor.children(&mut cursor).skip_while(|child| child.kind() != "export");
                if let Some(export) = tokens.next()
                    && first
                {
                    placement.start = Some(export.start_byte());
                }
                placement.default = tokens.next().is_some_and(|child| child.kind() == "default");
                break;
            }
            _ => break,
        }
        if first {
            placement.start = Some(ancestor.start_byte());
        }
    }
    placement
}

/// Creates a definition for the outline. Decorators that are child nodes move from its signature to its list of
/// decorators.
pub(super) fn build_definition_with_decorators<'t>(
    builder: &OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let mut definition = builder.build_definition(kind, name, node, body);
    move_decorators_out_of_definition(&mut definition, node, body, builder);
    remove_unclosed_parenthesis(&mut definition.signature);
    definition
}

/// Creates a definition for a symbol inside the header of another definition, such as a constructor parameter that
/// declares a field. Comments and decorators above the header belong to the outer definition only.
pub(super) fn build_definition_in_outer_header<'t>(
    builder: &OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let base = builder.build_definition(kind, name, node, body);
    let mut definition = Definition { outer_start: base.start, docstring: None, decorators: Vec::new(), ..base };
    move_decorators_out_of_definition(&mut definition, node, body, builder);
    definition
}

/// Removes an unclosed parenthesis from a signature that was cut before a function's body: the signature of
/// `go: ((by) => by) as Mover` would otherwise keep both opening parentheses.
fn remove_unclosed_parenthesis(signature: &mut String) {
    if signature.contains("((") && signature.matches('(').count() > signature.matches(')').count() {
        *signature = signature.replacen("((", "(", 1);
    }
}

/// Creates a definition for a declaration statement. Its range and signature include the statement's keywords, and its
/// visibility follows from `export`.
pub(super) fn build_declaration_definition_and_add_export<'t>(
    builder: &mut OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let placement = read_statement_around_declaration(node, builder);
    let mut definition = build_definition_with_decorators(builder, kind, name, node, body);
    if let Some(start) = placement.start.filter(|&start| start < definition.start) {
        let prefix = text::to_one_line(builder.source.get(start..definition.start).unwrap_or(""));
        // Decorators between `export` and `class` are listed as decorators and left out of the signature.
        let prefix = prefix.split('@').next().unwrap_or("").trim_end();
        definition.signature = format!("{prefix} {}", definition.signature).trim_start().to_owned();
        definition.start = start;
        definition.outer_start = definition.outer_start.min(start);
    } else if let Some(keyword) = placement.keyword {
        definition.signature = format!("{keyword} {}", definition.signature);
    }
    if !builder.is_in_local_scope() {
        definition.visibility =
            if placement.exported || is_in_declare_block(builder) { Visibility::Public } else { Visibility::Private };
        if placement.exported && builder.enclosing_symbol_kind().is_none() {
            let kind = if placement.default { ExportKind::Default } else { ExportKind::Named };
            let exported = if placement.default { "default" } else { name };
            add_export_unless_repeated(builder, exported, kind, node);
        }
    }
    definition
}

/// Adds an export to the outline. The overload signatures of one function add only one export.
pub(super) fn add_export_unless_repeated(
    builder: &mut OutlineBuilder<'_, '_>,
    name: &str,
    kind: ExportKind,
    node: Node<'_>,
) {
    if builder.exports.last().is_none_or(|last| last.name != name || last.kind != kind) {
        let line = builder.first_line_number_of_node(node);
        builder.exports.push(Export { name: name.to_owned(), kind, line });
    }
}

/// The name of a value that is the whole export of a module: that of a variable, or the own name of a function or class.
pub(super) fn name_of_exported_value<'s>(value: Node<'_>, builder: &OutlineBuilder<'_, 's>) -> Option<&'s str> {
    let name = match value.kind() {
        "identifier" => value,
        _ => {
            let name = value.child_by_field_name("name")?;
            symbol_kind_of_function_or_class_value(value).map(|_| name)?
        }
    };
    Some(builder.text_of_node(name))
}

/// Whether the current declaration is inside a `declare` block, where every declaration is visible.
fn is_in_declare_block(builder: &OutlineBuilder<'_, '_>) -> bool {
    builder.enclosing_symbol_kind().is_some()
        && builder.ancestor_nodes().take(MAX_AMBIENT_DEPTH).any(|ancestor| ancestor.kind() == "ambient_declaration")
}

/// Removes decorators from the range and signature of a definition, where they are children of its node. The definition
/// begins after them.
fn move_decorators_out_of_definition<'t>(
    definition: &mut Definition<'t>,
    node: Node<'t>,
    body: Option<Node<'t>>,
    builder: &OutlineBuilder<'t, '_>,
) {
    if node.child(0).is_none_or(|first| first.kind() != "decorator") {
        return;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "decorator" => definition.decorators.push(text::to_one_line(builder.text_of_node(child))),
            "comment" => {
                let doc = text::javadoc_text(builder.text_of_node(child)).and_then(text::first_non_blank_line);
                definition.docstring = definition.docstring.take().or(doc);
            }
            _ => {
                let end = body.map_or(definition.end, |body| body.start_byte());
                definition.start = child.start_byte();
                definition.signature = builder.signature_of_range(definition.node, definition.start..end);
                break;
            }
        }
    }
}

/// The value inside the parentheses and type assertions around it.
pub(super) fn unwrap_parentheses_and_assertions(value: Node<'_>) -> Node<'_> {
    let mut value = value;
    for _ in 0..MAX_WRAPPERS {
        let inner = match value.kind() {
            "parenthesized_expression" | "as_expression" | "satisfies_expression" | "non_null_expression" => {
                let mut cursor = value.walk();
                value.named_children(&mut cursor).find(|child| child.kind() != "comment")
            }
            "type_assertion" => value.named_child(1),
            _ => None,
        };
        match inner {
            Some(inner) => value = inner,
            None => break,
        }
    }
    value
}

/// The nearest ancestor of the current value that is not parentheses or a type assertion.
pub(super) fn ancestor_beyond_parentheses_and_assertions<'t>(builder: &OutlineBuilder<'t, '_>) -> Option<Node<'t>> {
    builder.ancestor_nodes().take(MAX_WRAPPERS + 1).find(|ancestor| !is_parenthesis_or_assertion_kind(ancestor.kind()))
}

/// Whether a node kind is parentheses or a type assertion around a value.
pub(super) fn is_parenthesis_or_assertion_kind(kind: &str) -> bool {
    matches!(
        kind,
        "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "type_assertion"
    )
}

/// Whether a value is a function: an arrow function, a function expression or a generator function.
pub(super) fn is_function_value(value: Node<'_>) -> bool {
    matches!(value.kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// The part of a value that a signature leaves out: the body of a function or class, or a whole value that is long or
/// spans several lines.
pub(super) fn part_left_out_of_signature(value: Node<'_>) -> Option<Node<'_>> {
    let inner = unwrap_parentheses_and_assertions(value);
    if is_function_value(inner) || inner.kind() == "class" {
        return inner.child_by_field_name("body");
    }
    let long = value.end_position().row > value.start_position().row || value.byte_range().len() > MAX_SIGNATURE_VALUE;
    long.then_some(value)
}

/// The symbol kind of a variable or member whose value is a function or a class; `None` for any other value.
pub(super) fn symbol_kind_of_function_or_class_value(value: Node<'_>) -> Option<SymbolKind> {
    if is_function_value(value) {
        Some(SymbolKind::Function)
    } else {
        (value.kind() == "class").then_some(SymbolKind::Class)
    }
}

/// The identifiers that a destructuring pattern binds, in source order.
pub(super) fn identifiers_bound_by_pattern(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut stack = vec![pattern];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => names.push(node),
            "pair_pattern" => stack.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => stack.extend(node.child_by_field_name("left")),
            "object_pattern" | "array_pattern" | "rest_pattern" => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                stack.extend(children.into_iter().rev());
            }
            _ => {}
        }
    }
    names
}

/// A member's name as written, without quotes. A computed name keeps its brackets (`[key]`).
pub(super) fn member_name(name: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> String {
    match name.kind() {
        "string" => text::without_quotes(builder.text_of_node(name)).to_owned(),
        "computed_property_name" if name.byte_range().len() > MAX_COMPUTED_NAME => "[…]".to_owned(),
        "computed_property_name" => text::to_one_line(builder.text_of_node(name)),
        _ => builder.text_of_node(name).to_owned(),
    }
}

/// Folds a long initialiser in the skeleton. A value that contains methods or callbacks is not folded, because their
/// bodies fold separately.
pub(super) fn fold_long_initializer(value: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let inner = unwrap_parentheses_and_assertions(value);
    match inner.kind() {
        "arrow_function" | "function_expression" | "generator_function" | "class" => {}
        "object" if has_direct_function_member_or_argument(inner) => {}
        "call_expression" | "new_expression" => {
            let Some(arguments) = inner.child_by_field_name("arguments") else { return };
            if has_direct_function_member_or_argument(arguments) {
                return;
            }
            let plain = ["function", "constructor"]
                .iter()
                .find_map(|field| inner.child_by_field_name(field))
                .is_some_and(|callee| callee.start_position().row == callee.end_position().row);
            if !plain || arguments.kind() != "arguments" {
                builder.fold_value_if_long(inner);
                return;
            }
            let mut cursor = arguments.walk();
            let long: Vec<Node<'_>> =
                arguments.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect();
            for argument in long
                .into_iter()
                .filter(|argument| !(argument.kind() == "object" && has_direct_function_member_or_argument(*argument)))
            {
                builder.fold_value_if_long(argument);
            }
        }
        _ => builder.fold_value_if_long(inner),
    }
}

/// Whether a function is a direct member of an object or a direct argument of a call.
fn has_direct_function_member_or_argument(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| match child.kind() {
        "method_definition" => true,
        "pair" => child
            .child_by_field_name("value")
            .is_some_and(|value| is_function_value(unwrap_parentheses_and_assertions(value))),
        _ => is_function_value(unwrap_parentheses_and_assertions(child)),
    })
}
