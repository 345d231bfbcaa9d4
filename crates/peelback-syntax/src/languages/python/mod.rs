//! Python.

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, FoldKind, Import, ImportKind, SymbolKind, Visibility};
use crate::language::{Analysis, Language, Tier};
use crate::text;
use crate::walk::{Cx, Definition, Leading, Next, Rules};

pub(crate) static LANGUAGE: Language = Language {
    name: "python",
    tier: Tier::Complete,
    extensions: &["py", "pyi", "pyw"],
    file_names: &["SConstruct", "SConscript", "wscript"],
    interpreters: &["python", "pypy"],
    analysis: Analysis::Rules { grammar: tree_sitter_python::LANGUAGE, rules: &Python },
};

struct Python;

impl Rules for Python {
    fn enter<'t>(&self, node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
        match node.kind() {
            "decorated_definition" => Next::DescendKeeping,
            "function_definition" => function(node, cx),
            "class_definition" => class(node, cx),
            "assignment" => assignment(node, cx),
            "type_alias_statement" => type_alias(node, cx),
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                import(node, cx);
                Next::Skip
            }
            "expression_statement" => {
                if is_docstring(node) && !cx.is_local() {
                    cx.fold_bytes(node.byte_range(), FoldKind::Comment);
                    return Next::Skip;
                }
                Next::Descend
            }
            "lambda" => Next::Skip,
            "augmented_assignment" => {
                if cx.enclosing().is_none()
                    && cx.field_text(node, "left") == Some("__all__")
                    && let Some(right) = node.child_by_field_name("right")
                {
                    export_strings(right, cx);
                }
                Next::Skip
            }
            // No statement stands inside these: nothing below them is a definition.
            "call"
            | "binary_operator"
            | "comparison_operator"
            | "boolean_operator"
            | "dictionary"
            | "list"
            | "tuple"
            | "string"
            | "argument_list"
            | "parameters"
            | "list_comprehension"
            | "dictionary_comprehension"
            | "return_statement"
            | "raise_statement"
            | "assert_statement"
            | "set"
            | "generator_expression" => Next::Skip,
            _ => Next::Descend,
        }
    }

    fn leading(&self, kind: &str) -> Option<Leading> {
        match kind {
            "comment" => Some(Leading::Comment),
            "decorator" => Some(Leading::Decorator),
            _ => None,
        }
    }

    /// Documentation is a docstring, inside; a comment above is not.
    fn doc<'a>(&self, _comment: &'a str) -> Option<&'a str> {
        None
    }

    fn finish(&self, cx: &mut Cx<'_, '_>) {
        if !cx.exports.is_empty() {
            return;
        }
        // Without `__all__`, what a module gives to others is every name without a leading underscore.
        let mut exports: Vec<Export> = cx
            .top_level()
            .filter(|symbol| !symbol.name.starts_with('_') && symbol.container.is_none() && !symbol.local)
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
        exports.dedup_by(|a, b| a.name == b.name);
        cx.exports = exports;
    }

    #[cfg(test)]
    fn node_kinds(&self) -> Vec<&'static str> {
        vec![
            "decorated_definition",
            "function_definition",
            "class_definition",
            "assignment",
            "type_alias_statement",
            "import_statement",
            "import_from_statement",
            "future_import_statement",
            "expression_statement",
            "lambda",
            "augmented_assignment",
            "call",
            "binary_operator",
            "comparison_operator",
            "boolean_operator",
            "dictionary",
            "list",
            "tuple",
            "string",
            "argument_list",
            "parameters",
            "list_comprehension",
            "dictionary_comprehension",
            "return_statement",
            "raise_statement",
            "assert_statement",
            "set",
            "generator_expression",
            "comment",
            "decorator",
            "aliased_import",
            "wildcard_import",
            "pattern_list",
            "tuple_pattern",
            "identifier",
            "string_content",
            "dotted_name",
        ]
    }
}

fn function<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(name) = cx.field_text(node, "name") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    let kind = if cx.enclosing() == Some(SymbolKind::Class) { SymbolKind::Method } else { SymbolKind::Function };
    let mut definition = define(cx, kind, name, node, body);
    let local = cx.is_local();
    if let Some(body) = body {
        let mut folded = body.byte_range();
        if let Some(docstring) = docstring_of(body) {
            definition.docstring = docstring_line(cx.text(docstring));
            if !local {
                cx.fold_bytes(docstring.byte_range(), FoldKind::Comment);
            }
            folded.start = docstring.end_byte();
        }
        folded.end = text::trimmed_end(cx.source, body.byte_range());
        let rest = cx.source.get(folded.clone()).unwrap_or("");
        // `...` alone is a stub: there is no body to fold.
        if !matches!(rest.trim(), "" | "...") {
            let skipped = rest.len() - rest.trim_start().len();
            cx.fold_bytes(folded.start + skipped..folded.end, FoldKind::Body);
        }
    }
    cx.open(definition);
    Next::Descend
}

fn class<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(name) = cx.field_text(node, "name") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    let mut definition = define(cx, SymbolKind::Class, name, node, body);
    definition.docstring = body.and_then(docstring_of).and_then(|docstring| docstring_line(cx.text(docstring)));
    cx.open(definition);
    Next::Descend
}

/// A definition whose signature loses the colon before its body.
fn define<'t>(cx: &Cx<'t, '_>, kind: SymbolKind, name: &str, node: Node<'t>, body: Option<Node<'t>>) -> Definition<'t> {
    let mut definition = cx.define(kind, name, node, body);
    if let Some(header) = definition.signature.rsplit_once(':').filter(|(_, rest)| rest.trim_start().starts_with('#')) {
        definition.signature = header.0.trim_end().to_owned();
    }
    let kept = definition.signature.trim_end_matches([':', ' ']).len();
    definition.signature.truncate(kept);
    definition.visibility = visibility(name);
    definition
}

/// By convention: one leading underscore is private, dunder names are the language's own interface.
fn visibility(name: &str) -> Visibility {
    if name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__")) {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let in_class = cx.enclosing() == Some(SymbolKind::Class);
    if cx.is_local() || !(in_class || cx.enclosing().is_none()) {
        return Next::Skip;
    }
    let Some(left) = node.child_by_field_name("left") else { return Next::Skip };
    let right = node.child_by_field_name("right");
    if let Some(right) = right {
        if !in_class && cx.text(left) == "__all__" {
            export_strings(right, cx);
        }
        cx.fold_long_value(right);
    }
    for name in targets(left) {
        let name = cx.text(name).to_owned();
        let kind = if in_class {
            SymbolKind::Field
        } else if is_constant(&name) {
            SymbolKind::Constant
        } else {
            SymbolKind::Variable
        };
        let long = right.filter(|right| right.end_position().row > right.start_position().row);
        let mut definition = cx.define(kind, &name, node, long);
        definition.visibility = visibility(&name);
        // A name bound again (`x = 1` … `x = 2`) is one variable, defined where it is bound first.
        let known = match cx.enclosing_symbol() {
            Some(owner) => cx.is_known(&format!("{}.{name}", owner.qualified_name)),
            None => cx.is_known(&name),
        };
        if !known {
            cx.leaf(definition);
        }
    }
    // `a = b = value` nests assignments.
    if right.is_some_and(|right| right.kind() == "assignment") { Next::Descend } else { Next::Skip }
}

/// The identifiers that the left side of an assignment binds.
fn targets(left: Node<'_>) -> Vec<Node<'_>> {
    match left.kind() {
        "identifier" => vec![left],
        "pattern_list" | "tuple_pattern" => {
            let mut cursor = left.walk();
            left.named_children(&mut cursor).filter(|child| child.kind() == "identifier").collect()
        }
        _ => Vec::new(),
    }
}

/// PEP 8: constants are written in capitals with underscores.
fn is_constant(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

fn type_alias<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    if let Some(left) = node.child_by_field_name("left") {
        let name = cx.text(left).split('[').next().unwrap_or("").trim().to_owned();
        let mut definition = cx.define(SymbolKind::Type, &name, node, None);
        definition.visibility = visibility(&name);
        cx.leaf(definition);
    }
    Next::Skip
}

fn is_docstring(statement: Node<'_>) -> bool {
    statement.named_child_count() == 1 && statement.named_child(0).is_some_and(|child| child.kind() == "string")
}

/// The string that is a body's first statement.
fn docstring_of(body: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).find(|child| child.kind() != "comment")?;
    (first.kind() == "expression_statement" && is_docstring(first)).then_some(first)
}

fn docstring_line(literal: &str) -> Option<String> {
    let inner = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let inner = ["\"\"\"", "'''", "\"", "'"]
        .iter()
        .find_map(|quotes| inner.strip_prefix(quotes).map(|rest| rest.strip_suffix(quotes).unwrap_or(rest)))
        .unwrap_or(inner);
    text::first_line(inner)
}

fn import(node: Node<'_>, cx: &mut Cx<'_, '_>) {
    let lines = cx.lines(node);
    let text = text::one_line(cx.text(node));
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    if node.kind() == "import_statement" {
        for name in names {
            let source = name.child_by_field_name("name").unwrap_or(name);
            let import = Import {
                text: text.clone(),
                source: cx.text(source).to_owned(),
                names: vec![cx.text(name).to_owned()],
                kind: ImportKind::Namespace,
                lines,
            };
            cx.imports.push(import);
        }
        return;
    }
    let source = match cx.field_text(node, "module_name") {
        Some(module) => text::one_line(module),
        None => "__future__".to_owned(),
    };
    let mut cursor = node.walk();
    let glob = node.named_children(&mut cursor).any(|child| child.kind() == "wildcard_import");
    let import = Import {
        text,
        source,
        names: names.into_iter().map(|name| text::one_line(cx.text(name))).collect(),
        kind: if glob { ImportKind::Glob } else { ImportKind::Named },
        lines,
    };
    cx.imports.push(import);
}

/// Takes the strings of `__all__ = [...]` as exports.
fn export_strings(value: Node<'_>, cx: &mut Cx<'_, '_>) {
    let mut cursor = value.walk();
    for child in value.named_children(&mut cursor).filter(|child| child.kind() == "string") {
        let name = text::unquote(cx.text(child)).to_owned();
        let line = cx.lines(child).first;
        cx.exports.push(Export { name, kind: ExportKind::Named, line });
    }
}
