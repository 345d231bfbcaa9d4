//! Imports and exports in the outline of a JavaScript or TypeScript file.

use tree_sitter::Node;

use crate::facts::{ExportKind, Import, ImportKind, SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;
use crate::text;

use super::placement::{
    add_export_unless_repeated, build_definition_with_decorators, fold_long_initializer, identifiers_bound_by_pattern,
    name_of_exported_value, part_left_out_of_signature, symbol_kind_of_function_or_class_value,
    unwrap_parentheses_and_assertions,
};
use super::properties;

/// The limit on the number of ancestors of a `require` call that are searched for the variable that takes its result.
const MAX_BINDING_DEPTH: usize = 6;

/// The names that a pattern takes from the module of a `require` or `import()` call, as an import would write them:
/// `a`, `a as b`.
fn names_imported_by_pattern(pattern: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Vec<String> {
    if pattern.kind() != "object_pattern" {
        return identifiers_bound_by_pattern(pattern)
            .into_iter()
            .map(|name| builder.text_of_node(name).to_owned())
            .collect();
    }
    let mut names = Vec::new();
    let mut cursor = pattern.walk();
    for part in pattern.named_children(&mut cursor) {
        let key = part.child_by_field_name("key").map(|key| text::without_quotes(builder.text_of_node(key)));
        for name in identifiers_bound_by_pattern(part) {
            let name = builder.text_of_node(name);
            names.push(match key {
                Some(key) => format!("{key} as {name}"),
                None => name.to_owned(),
            });
        }
    }
    names
}

/// Adds the imports of an `import` statement to the outline.
pub(super) fn outline_import_statement<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let lines = builder.lines_of_node(node);
    let statement = statement_text_on_one_line(node, builder);
    let mut push = |source: &str, names: Vec<String>, kind: ImportKind| {
        let source = text::without_quotes(source).to_owned();
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
                    text_of_node(source, builder.source),
                    vec![text_of_node(name, builder.source).to_owned()],
                    ImportKind::Require,
                );
                return WalkStep::Skip;
            }
            ("import_clause", Some(source)) => {
                let source = text_of_node(source, builder.source);
                let mut parts = clause.walk();
                for part in clause.named_children(&mut parts) {
                    match part.kind() {
                        "identifier" => {
                            push(source, vec![text_of_node(part, builder.source).to_owned()], ImportKind::Default)
                        }
                        "namespace_import" => {
                            let names = part.named_child(0).map(|name| text_of_node(name, builder.source).to_owned());
                            push(source, names.into_iter().collect(), ImportKind::Namespace);
                        }
                        "named_imports" => {
                            let mut specifiers = part.walk();
                            let names = part
                                .named_children(&mut specifiers)
                                .filter(|specifier| specifier.kind() == "import_specifier")
                                .map(|specifier| import_or_export_specifier_text(specifier, builder.source))
                                .collect();
                            push(source, names, ImportKind::Named);
                        }
                        _ => {}
                    }
                }
                return WalkStep::Skip;
            }
            _ => {}
        }
    }
    if let Some(source) = source {
        push(text_of_node(source, builder.source), Vec::new(), ImportKind::SideEffect);
    }
    WalkStep::Skip
}

fn text_of_node<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or("")
}

/// The text of an import or export specifier (an entry in `{ … }`): `a` or `a as b`.
fn import_or_export_specifier_text(specifier: Node<'_>, source: &str) -> String {
    let part =
        |field: &str| specifier.child_by_field_name(field).map(|node| text::without_quotes(text_of_node(node, source)));
    let name = part("name").unwrap_or("");
    match part("alias") {
        Some(alias) => format!("{name} as {alias}"),
        None => name.to_owned(),
    }
}

/// The text of a statement on one line, without its semicolon.
fn statement_text_on_one_line(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> String {
    let mut line = text::to_one_line(builder.text_of_node(node));
    line.truncate(line.trim_end_matches([';', ' ']).len());
    line
}

/// Adds the import of the call `require("a")` or `import("a")`, or the export of a call of `Object.defineProperty`.
pub(super) fn outline_import_or_define_property_call<'t>(
    node: Node<'t>,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    let Some(function) = node.child_by_field_name("function") else { return WalkStep::Descend };
    let kind = match function.kind() {
        "import" => ImportKind::Dynamic,
        "identifier" if builder.text_of_node(function) == "require" => ImportKind::Require,
        "member_expression" if builder.text_of_node(function) == "Object.defineProperty" => {
            add_define_property_export(node, builder);
            return properties::outline_property_definition_call(node, function, builder);
        }
        "identifier" => return properties::outline_property_definition_call(node, function, builder),
        _ => return WalkStep::Descend,
    };
    let Some(arguments) = node.child_by_field_name("arguments").filter(|arguments| arguments.kind() == "arguments")
    else {
        return WalkStep::Descend;
    };
    let Some(argument) = arguments.named_child(0) else { return WalkStep::Descend };
    let literal =
        argument.kind() == "string" || (argument.kind() == "template_string" && argument.named_child_count() <= 1);
    let source = text::without_quotes(builder.text_of_node(argument)).to_owned();
    if !literal || source.is_empty() || source.contains("${") {
        return WalkStep::Descend;
    }
    let mut names = Vec::new();
    let mut statement = node;
    for ancestor in builder.ancestor_nodes().take(MAX_BINDING_DEPTH) {
        match ancestor.kind() {
            "member_expression"
            | "await_expression"
            | "parenthesized_expression"
            | "as_expression"
            | "non_null_expression" => {}
            "variable_declarator" => {
                names = ancestor
                    .child_by_field_name("name")
                    .map_or_else(Vec::new, |name| names_imported_by_pattern(name, builder));
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
    let lines = builder.lines_of_node(statement);
    let text = statement_text_on_one_line(statement, builder);
    builder.imports.push(Import { text, source, names, kind, lines });
    WalkStep::Skip
}

/// Adds the export of `Object.defineProperty(exports, "a", …)`, which compilers generate for a re-export.
fn add_define_property_export(call: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let Some(arguments) = call.child_by_field_name("arguments") else { return };
    let (Some(object), Some(name)) = (arguments.named_child(0), arguments.named_child(1)) else { return };
    let name = text::without_quotes(text_of_node(name, builder.source));
    if matches!(builder.text_of_node(object), "exports" | "module.exports") && name != "__esModule" {
        add_export_unless_repeated(builder, name, ExportKind::Named, call);
    }
}

/// Adds the exports of an `export` statement.
pub(super) fn outline_export_statement<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if node.child_by_field_name("declaration").is_some() {
        return WalkStep::DescendKeepingAttachments;
    }
    if let Some(value) = node.child_by_field_name("value") {
        return outline_default_export(node, value, builder);
    }
    let source = node.child_by_field_name("source");
    let mut cursor = node.walk();
    let mut assigned = false;
    for child in node.children(&mut cursor) {
        match child.kind() {
            "export_clause" => {
                add_exports_of_export_clause(child, node, source, builder);
                return WalkStep::Skip;
            }
            "namespace_export" => {
                let last = child.child_count().saturating_sub(1);
                let name =
                    child.child(last).map_or("", |name| text::without_quotes(text_of_node(name, builder.source)));
                add_export_unless_repeated(builder, name, ExportKind::All, child);
                add_re_export_import(node, source, vec![name.to_owned()], ImportKind::Namespace, builder);
                return WalkStep::Skip;
            }
            "*" => {
                add_export_unless_repeated(builder, "*", ExportKind::All, node);
                add_re_export_import(node, source, Vec::new(), ImportKind::Glob, builder);
                return WalkStep::Skip;
            }
            "namespace" => {
                if let Some(name) = node.named_child(0) {
                    let name = text_of_node(name, builder.source);
                    add_export_unless_repeated(builder, name, ExportKind::Named, node);
                }
                return WalkStep::Skip;
            }
            "=" => assigned = true,
            _ if assigned && child.is_named() && child.kind() != "comment" => {
                return outline_export_assignment(node, child, builder);
            }
            _ => {}
        }
    }
    WalkStep::DescendKeepingAttachments
}

/// Adds the exports of `export { a, b as c }`, with or without a module after `from`.
fn add_exports_of_export_clause<'t>(
    clause: Node<'t>,
    statement: Node<'t>,
    source: Option<Node<'t>>,
    builder: &mut OutlineBuilder<'t, '_>,
) {
    let mut names = Vec::new();
    let mut cursor = clause.walk();
    for specifier in clause.named_children(&mut cursor).filter(|child| child.kind() == "export_specifier") {
        let seen = specifier.child_by_field_name("alias").or_else(|| specifier.child_by_field_name("name"));
        let Some(seen) = seen.map(|name| text::without_quotes(text_of_node(name, builder.source))) else { continue };
        let kind = match source {
            Some(_) => ExportKind::ReExport,
            None if seen == "default" => ExportKind::Default,
            None => ExportKind::Named,
        };
        add_export_unless_repeated(builder, seen, kind, specifier);
        if source.is_none()
            && let Some(local) = specifier.child_by_field_name("name")
        {
            let local = text_of_node(local, builder.source).to_owned();
            builder.collected_names.insert(local);
        }
        names.push(import_or_export_specifier_text(specifier, builder.source));
    }
    add_re_export_import(statement, source, names, ImportKind::Named, builder);
}

/// Adds the import of a re-export (`export … from "a"`): the module after `from`, and the names taken from it.
fn add_re_export_import(
    node: Node<'_>,
    source: Option<Node<'_>>,
    names: Vec<String>,
    kind: ImportKind,
    builder: &mut OutlineBuilder<'_, '_>,
) {
    let Some(source) = source else { return };
    let source = text::without_quotes(builder.text_of_node(source)).to_owned();
    let import = Import {
        text: statement_text_on_one_line(node, builder),
        source,
        names,
        kind,
        lines: builder.lines_of_node(node),
    };
    builder.imports.push(import);
}

/// Adds the export of `export default value`, where the value is not a declaration.
fn outline_default_export<'t>(node: Node<'t>, value: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if builder.enclosing_symbol_kind().is_none() {
        add_export_unless_repeated(builder, "default", ExportKind::Default, node);
    }
    let inner = unwrap_parentheses_and_assertions(value);
    let own_name =
        inner.child_by_field_name("name").filter(|_| symbol_kind_of_function_or_class_value(inner).is_some());
    let name = own_name.map_or("default", |name| builder.text_of_node(name));
    outline_exported_value(node, value, name, builder)
}

/// Adds the export of TypeScript's `export = value`.
fn outline_export_assignment<'t>(node: Node<'t>, value: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if builder.enclosing_symbol_kind().is_none() {
        let value = unwrap_parentheses_and_assertions(value);
        let name = name_of_exported_value(value, builder).unwrap_or("exports");
        add_export_unless_repeated(builder, name, ExportKind::Module, node);
    }
    outline_exported_value(node, value, "default", builder)
}

fn outline_exported_value<'t>(
    node: Node<'t>,
    value: Node<'t>,
    name: &str,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    let kind = symbol_kind_of_function_or_class_value(unwrap_parentheses_and_assertions(value))
        .unwrap_or(SymbolKind::Constant);
    if value.kind() == "identifier" {
        let local = builder.text_of_node(value).to_owned();
        builder.collected_names.insert(local);
    }
    let mut definition = build_definition_with_decorators(builder, kind, name, node, part_left_out_of_signature(value));
    definition.visibility = Visibility::Public;
    fold_long_initializer(value, builder);
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}
