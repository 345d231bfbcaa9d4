//! Imports and exports in the outline of a JavaScript or TypeScript file.

use tree_sitter::Node;

use crate::facts::{ExportKind, Import, ImportKind, SymbolKind, Visibility};
use crate::frontend::Next;
use crate::outline::OutlineBuilder;
use crate::text;

use super::placement::{
    add_export, body_or_long_value, define_with_decorators, fold_long_initializer, symbol_kind_of_value, unwrap_value,
};

/// The number of ancestors of a `require` call that are searched for its variable.
const MAX_BINDING_DEPTH: usize = 6;

/// The identifiers that a pattern binds, in source order.
pub(super) fn bound_names(pattern: Node<'_>) -> Vec<Node<'_>> {
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

/// The names that a `require` or `import()` binds, as written: `a`, `a as b`.
fn imported_names(pattern: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Vec<String> {
    if pattern.kind() != "object_pattern" {
        return bound_names(pattern).into_iter().map(|name| builder.text(name).to_owned()).collect();
    }
    let mut names = Vec::new();
    let mut cursor = pattern.walk();
    for part in pattern.named_children(&mut cursor) {
        let key = part.child_by_field_name("key").map(|key| text::unquote(builder.text(key)));
        for name in bound_names(part) {
            let name = builder.text(name);
            names.push(match key {
                Some(key) => format!("{key} as {name}"),
                None => name.to_owned(),
            });
        }
    }
    names
}

/// Adds the imports of an `import` statement.
pub(super) fn enter_import<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let lines = builder.lines(node);
    let statement = statement_text(node, builder);
    let mut push = |source: &str, names: Vec<String>, kind: ImportKind| {
        let source = text::unquote(source).to_owned();
        builder.imports.push(Import { text: statement.clone(), source, names, kind, lines });
    };
    let source = node.child_by_field_name("source");
    let mut cursor = node.walk();
    for clause in node.named_children(&mut cursor) {
        match (clause.kind(), source) {
            ("import_require_clause", _) => {
                let (Some(name), Some(source)) = (clause.named_child(0), clause.child_by_field_name("source")) else {
                    continue;
                };
                push(
                    node_text(source, builder.source),
                    vec![node_text(name, builder.source).to_owned()],
                    ImportKind::Require,
                );
                return Next::Skip;
            }
            ("import_clause", Some(source)) => {
                let source = node_text(source, builder.source);
                let mut parts = clause.walk();
                for part in clause.named_children(&mut parts) {
                    match part.kind() {
                        "identifier" => {
                            push(source, vec![node_text(part, builder.source).to_owned()], ImportKind::Default)
                        }
                        "namespace_import" => {
                            let names = part.named_child(0).map(|name| node_text(name, builder.source).to_owned());
                            push(source, names.into_iter().collect(), ImportKind::Namespace);
                        }
                        "named_imports" => {
                            let mut specifiers = part.walk();
                            let names = part
                                .named_children(&mut specifiers)
                                .filter(|specifier| specifier.kind() == "import_specifier")
                                .map(|specifier| specifier_text(specifier, builder.source))
                                .collect();
                            push(source, names, ImportKind::Named);
                        }
                        _ => {}
                    }
                }
                return Next::Skip;
            }
            _ => {}
        }
    }
    if let Some(source) = source {
        push(node_text(source, builder.source), Vec::new(), ImportKind::SideEffect);
    }
    Next::Skip
}

fn node_text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or("")
}

/// The text `a` or `a as b` of an import or export specifier.
fn specifier_text(specifier: Node<'_>, source: &str) -> String {
    let part = |field: &str| specifier.child_by_field_name(field).map(|node| text::unquote(node_text(node, source)));
    let name = part("name").unwrap_or("");
    match part("alias") {
        Some(alias) => format!("{name} as {alias}"),
        None => name.to_owned(),
    }
}

/// The text of a statement on one line, without its semicolon.
fn statement_text(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> String {
    let mut line = text::one_line(builder.text(node));
    line.truncate(line.trim_end_matches([';', ' ']).len());
    line
}

/// Adds the import of `require("a")` or `import("a")`.
pub(super) fn enter_call<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(function) = node.child_by_field_name("function") else { return Next::Descend };
    let kind = match function.kind() {
        "import" => ImportKind::Dynamic,
        "identifier" if builder.text(function) == "require" => ImportKind::Require,
        "member_expression" if builder.text(function) == "Object.defineProperty" => {
            add_define_property_export(node, builder);
            return Next::Descend;
        }
        _ => return Next::Descend,
    };
    let Some(arguments) = node.child_by_field_name("arguments").filter(|arguments| arguments.kind() == "arguments")
    else {
        return Next::Descend;
    };
    let Some(argument) = arguments.named_child(0) else { return Next::Descend };
    let literal =
        argument.kind() == "string" || (argument.kind() == "template_string" && argument.named_child_count() <= 1);
    let source = text::unquote(builder.text(argument)).to_owned();
    if !literal || source.is_empty() || source.contains("${") {
        return Next::Descend;
    }
    let mut names = Vec::new();
    let mut statement = node;
    for ancestor in builder.ancestors().take(MAX_BINDING_DEPTH) {
        match ancestor.kind() {
            "member_expression"
            | "await_expression"
            | "parenthesized_expression"
            | "as_expression"
            | "non_null_expression" => {}
            "variable_declarator" => {
                names =
                    ancestor.child_by_field_name("name").map_or_else(Vec::new, |name| imported_names(name, builder));
            }
            "lexical_declaration" | "variable_declaration" | "expression_statement" => {
                let mut cursor = ancestor.walk();
                let only =
                    ancestor.named_children(&mut cursor).filter(|child| child.kind() != "comment").nth(1).is_none();
                if only {
                    statement = ancestor;
                }
                break;
            }
            _ => break,
        }
        statement = ancestor;
    }
    let lines = builder.lines(statement);
    let text = statement_text(statement, builder);
    builder.imports.push(Import { text, source, names, kind, lines });
    Next::Skip
}

/// Adds the export of `Object.defineProperty(exports, "a", …)`, which compilers generate for a re-export.
fn add_define_property_export(call: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let Some(arguments) = call.child_by_field_name("arguments") else { return };
    let (Some(object), Some(name)) = (arguments.named_child(0), arguments.named_child(1)) else { return };
    let name = text::unquote(node_text(name, builder.source));
    if matches!(builder.text(object), "exports" | "module.exports") && name != "__esModule" {
        add_export(builder, name, ExportKind::Named, call);
    }
}

/// Adds the exports of an `export` statement.
pub(super) fn enter_export<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if node.child_by_field_name("declaration").is_some() {
        return Next::DescendKeeping;
    }
    if let Some(value) = node.child_by_field_name("value") {
        return enter_default_export(node, value, builder);
    }
    let source = node.child_by_field_name("source");
    let mut cursor = node.walk();
    let mut assigned = false;
    for child in node.children(&mut cursor) {
        match child.kind() {
            "export_clause" => {
                add_export_clause(child, node, source, builder);
                return Next::Skip;
            }
            "namespace_export" => {
                let last = child.child_count().saturating_sub(1);
                let name = child.child(last).map_or("", |name| text::unquote(node_text(name, builder.source)));
                add_export(builder, name, ExportKind::All, child);
                add_re_export_import(node, source, vec![name.to_owned()], ImportKind::Namespace, builder);
                return Next::Skip;
            }
            "*" => {
                add_export(builder, "*", ExportKind::All, node);
                add_re_export_import(node, source, Vec::new(), ImportKind::Glob, builder);
                return Next::Skip;
            }
            "namespace" => {
                if let Some(name) = node.named_child(0) {
                    let name = node_text(name, builder.source);
                    add_export(builder, name, ExportKind::Named, node);
                }
                return Next::Skip;
            }
            "=" => assigned = true,
            _ if assigned && child.is_named() && child.kind() != "comment" => {
                return enter_export_assignment(node, child, builder);
            }
            _ => {}
        }
    }
    Next::DescendKeeping
}

/// Adds the exports of `export { a, b as c }`, with or without a source.
fn add_export_clause<'t>(
    clause: Node<'t>,
    statement: Node<'t>,
    source: Option<Node<'t>>,
    builder: &mut OutlineBuilder<'t, '_>,
) {
    let mut names = Vec::new();
    let mut cursor = clause.walk();
    for specifier in clause.named_children(&mut cursor).filter(|child| child.kind() == "export_specifier") {
        let seen = specifier.child_by_field_name("alias").or_else(|| specifier.child_by_field_name("name"));
        let Some(seen) = seen.map(|name| text::unquote(node_text(name, builder.source))) else { continue };
        let kind = match source {
            Some(_) => ExportKind::ReExport,
            None if seen == "default" => ExportKind::Default,
            None => ExportKind::Named,
        };
        add_export(builder, seen, kind, specifier);
        if source.is_none()
            && let Some(local) = specifier.child_by_field_name("name")
        {
            let local = node_text(local, builder.source).to_owned();
            builder.noted.insert(local);
        }
        names.push(specifier_text(specifier, builder.source));
    }
    add_re_export_import(statement, source, names, ImportKind::Named, builder);
}

/// Adds the import that belongs to a re-export from another file.
fn add_re_export_import(
    node: Node<'_>,
    source: Option<Node<'_>>,
    names: Vec<String>,
    kind: ImportKind,
    builder: &mut OutlineBuilder<'_, '_>,
) {
    let Some(source) = source else { return };
    let source = text::unquote(builder.text(source)).to_owned();
    let import = Import { text: statement_text(node, builder), source, names, kind, lines: builder.lines(node) };
    builder.imports.push(import);
}

/// Adds the export of `export default …` without a declaration.
fn enter_default_export<'t>(node: Node<'t>, value: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if builder.enclosing().is_none() {
        add_export(builder, "default", ExportKind::Default, node);
    }
    let inner = unwrap_value(value);
    let own_name = inner.child_by_field_name("name").filter(|_| symbol_kind_of_value(inner).is_some());
    let name = own_name.map_or("default", |name| builder.text(name));
    enter_exported_value(node, value, name, builder)
}

/// Adds the export of `export = …`.
fn enter_export_assignment<'t>(node: Node<'t>, value: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if builder.enclosing().is_none() {
        add_export(builder, "exports", ExportKind::Module, node);
    }
    enter_exported_value(node, value, "default", builder)
}

fn enter_exported_value<'t>(node: Node<'t>, value: Node<'t>, name: &str, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let kind = symbol_kind_of_value(unwrap_value(value)).unwrap_or(SymbolKind::Constant);
    if value.kind() == "identifier" {
        let local = builder.text(value).to_owned();
        builder.noted.insert(local);
    }
    let mut definition = define_with_decorators(builder, kind, name, node, body_or_long_value(value));
    definition.visibility = Visibility::Public;
    fold_long_initializer(value, builder);
    builder.open(definition);
    Next::Descend
}
