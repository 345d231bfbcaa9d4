//! What stands around a definition: the statement that it begins, the keywords before it, the names it is bound to.

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, SymbolKind, Visibility};
use crate::outline::{Definition, OutlineBuilder};
use crate::text;

/// Values longer than this are left out of a signature.
const LONG_VALUE: usize = 160;

/// Longer computed names are expressions that nobody would look for.
const MAX_COMPUTED: usize = 120;

/// How many layers of `(…)`, `as T`, `satisfies T` and `!` are looked through to find what a value is.
pub(super) const MAX_WRAPPERS: usize = 8;

/// How many levels above a declaration are searched for `declare`.
const MAX_AMBIENT: usize = 6;

/// What the statement around a declaration says of it.
#[derive(Default)]
pub(super) struct Placement {
    /// Where the statement's first keyword stands, if the declaration is its first.
    start: Option<usize>,
    /// `const`, `let` or `var` of a declarator that is not the first of its statement.
    keyword: Option<&'static str>,
    /// Whether the variable that it declares cannot be bound again.
    pub constant: bool,
    /// Whether `export` stands before it.
    pub exported: bool,
    /// Whether `export default` stands before it.
    pub default: bool,
}

/// Reads the statements that wrap `node`.
pub(super) fn placement(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Placement {
    let mut placement = Placement::default();
    let mut first = true;
    for ancestor in builder.ancestors() {
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

/// A definition with the keywords before it in its range and signature, its decorators and its visibility.
pub(super) fn define<'t>(
    builder: &OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let mut definition = builder.define(kind, name, node, body);
    own_decorators(&mut definition, node, body, builder);
    drop_wrapper(&mut definition.signature);
    definition
}

/// The same for what stands inside another definition's head: what stands above that is not its.
pub(super) fn define_inside<'t>(
    builder: &OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let base = builder.define(kind, name, node, body);
    let mut definition = Definition { outer_start: base.start, docstring: None, decorators: Vec::new(), ..base };
    own_decorators(&mut definition, node, body, builder);
    definition
}

/// Of `go: ((by) => by) as Mover` a signature would keep both parentheses that open.
fn drop_wrapper(signature: &mut String) {
    if signature.contains("((") && signature.matches('(').count() > signature.matches(')').count() {
        *signature = signature.replacen("((", "(", 1);
    }
}

/// The same for what a statement declares: with the statement's keywords, and exported or private.
pub(super) fn declare<'t>(
    builder: &mut OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let placement = placement(node, builder);
    let mut definition = define(builder, kind, name, node, body);
    if let Some(start) = placement.start.filter(|&start| start < definition.start) {
        let prefix = text::one_line(builder.source.get(start..definition.start).unwrap_or(""));
        // Decorators may stand between `export` and `class`: they are listed, not part of the signature.
        let prefix = prefix.split('@').next().unwrap_or("").trim_end();
        definition.signature = format!("{prefix} {}", definition.signature).trim_start().to_owned();
        definition.start = start;
        definition.outer_start = definition.outer_start.min(start);
    } else if let Some(keyword) = placement.keyword {
        definition.signature = format!("{keyword} {}", definition.signature);
    }
    if !builder.is_local() {
        definition.visibility =
            if placement.exported || is_ambient(builder) { Visibility::Public } else { Visibility::Private };
        if placement.exported && builder.enclosing().is_none() {
            let kind = if placement.default { ExportKind::Default } else { ExportKind::Named };
            let exported = if placement.default { "default" } else { name };
            add_export(builder, exported, kind, node);
        }
    }
    definition
}

/// Adds an export, once for all signatures of an overloaded function.
pub(super) fn add_export(builder: &mut OutlineBuilder<'_, '_>, name: &str, kind: ExportKind, node: Node<'_>) {
    if builder.exports.last().is_none_or(|last| last.name != name || last.kind != kind) {
        let line = builder.first_line(node);
        builder.exports.push(Export { name: name.to_owned(), kind, line });
    }
}

/// Whether the declaration stands in a block that is all declared, and so all visible.
fn is_ambient(builder: &OutlineBuilder<'_, '_>) -> bool {
    builder.enclosing().is_some()
        && builder.ancestors().take(MAX_AMBIENT).any(|ancestor| ancestor.kind() == "ambient_declaration")
}

/// Some decorators are children of what they decorate; the definition proper begins after them.
fn own_decorators<'t>(
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
            "decorator" => definition.decorators.push(text::one_line(builder.text(child))),
            "comment" => {
                let doc = text::javadoc(builder.text(child)).and_then(text::first_line);
                definition.docstring = definition.docstring.take().or(doc);
            }
            _ => {
                let end = body.map_or(definition.end, |body| body.start_byte());
                definition.start = child.start_byte();
                definition.signature = builder.signature(definition.node, definition.start..end);
                break;
            }
        }
    }
}

/// What a value is below parentheses and type assertions.
pub(super) fn bare(value: Node<'_>) -> Node<'_> {
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

/// What a value is bound by: the nearest node above that is not parentheses or a type assertion.
pub(super) fn holder<'t>(builder: &OutlineBuilder<'t, '_>) -> Option<Node<'t>> {
    builder.ancestors().take(MAX_WRAPPERS + 1).find(|ancestor| !is_wrapper(ancestor.kind()))
}

/// Whether a node is parentheses or a type assertion around a value.
pub(super) fn is_wrapper(kind: &str) -> bool {
    matches!(
        kind,
        "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "type_assertion"
    )
}

/// Whether a value is a function.
pub(super) fn is_function(value: Node<'_>) -> bool {
    matches!(value.kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// What a signature leaves out of a value: the body of a function or class, and any value over lines or too long.
pub(super) fn hidden_part(value: Node<'_>) -> Option<Node<'_>> {
    let inner = bare(value);
    if is_function(inner) || inner.kind() == "class" {
        return inner.child_by_field_name("body");
    }
    let long = value.end_position().row > value.start_position().row || value.byte_range().len() > LONG_VALUE;
    long.then_some(value)
}

/// The kind that a value gives the name it is bound to, if it is a function or a class.
pub(super) fn kind_of_value(value: Node<'_>) -> Option<SymbolKind> {
    if is_function(value) { Some(SymbolKind::Function) } else { (value.kind() == "class").then_some(SymbolKind::Class) }
}

/// A member's name as written, without quotes; `[key]` where it is computed.
pub(super) fn member_name(name: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> String {
    match name.kind() {
        "string" => text::unquote(builder.text(name)).to_owned(),
        "computed_property_name" if name.byte_range().len() > MAX_COMPUTED => "[…]".to_owned(),
        "computed_property_name" => text::one_line(builder.text(name)),
        _ => builder.text(name).to_owned(),
    }
}

/// Folds a long initialiser. What defines methods, or takes functions, stays: their bodies fold by themselves.
pub(super) fn fold_value(value: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let inner = bare(value);
    match inner.kind() {
        "arrow_function" | "function_expression" | "generator_function" | "class" => {}
        "object" if has_function(inner) => {}
        "call_expression" | "new_expression" => {
            let Some(arguments) = inner.child_by_field_name("arguments") else { return };
            if has_function(arguments) {
                return;
            }
            let plain = ["function", "constructor"]
                .iter()
                .find_map(|field| inner.child_by_field_name(field))
                .is_some_and(|callee| callee.start_position().row == callee.end_position().row);
            if !plain || arguments.kind() != "arguments" {
                builder.fold_long_value(inner);
                return;
            }
            let mut cursor = arguments.walk();
            let long: Vec<Node<'_>> =
                arguments.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect();
            for argument in
                long.into_iter().filter(|argument| !(argument.kind() == "object" && has_function(*argument)))
            {
                builder.fold_long_value(argument);
            }
        }
        _ => builder.fold_long_value(inner),
    }
}

/// Whether a function is a direct part of an object or of a list of arguments.
fn has_function(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| match child.kind() {
        "method_definition" => true,
        "pair" => child.child_by_field_name("value").is_some_and(|value| is_function(bare(value))),
        _ => is_function(bare(child)),
    })
}
