//! C.

mod annotation;
mod declarator;
mod grammar;
mod group;
mod head;
mod names;
mod preprocessor;
mod repair;
mod statement;

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, SymbolKind, Visibility};
use crate::frontend::{Attachment, Frontend, Next};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier};
use crate::text;
use statement::Statement;

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["c", "h"],
    interpreters: &["tcc"],
    family: Some("c"),
    keywords: Keywords {
        definitions: &["enum", "struct", "typedef", "union"],
        bindings: &["const", "static"],
        modifiers: &["const", "extern", "inline", "static"],
        statements: &["if", "else", "for", "while", "switch", "do", "return", "case"],
    },
    stub_style: StubStyle::NoBraces,
    ..Language::new("c", Tier::Complete, Analysis::Frontend { grammar: grammar::GRAMMAR, frontend: &C })
};

struct C;

/// Definitions nested deeper than this are left out: no author writes them, and their names would fill pages.
const MAX_LEVELS: usize = 50;

impl Frontend for C {
    fn enter<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
        if builder.level() > MAX_LEVELS {
            let around = builder.ancestors().next().unwrap_or(node);
            builder.miss(around);
            return Next::Skip;
        }
        match node.kind() {
            "function_definition" => function(node, builder),
            "declaration" => statement::declaration(node, builder),
            "type_definition" => statement::type_definition(node, builder),
            "field_declaration" => statement::field(node, builder),
            "struct_specifier" => statement::lone_type(node, SymbolKind::Struct, builder),
            "union_specifier" => statement::lone_type(node, SymbolKind::Union, builder),
            "enum_specifier" => statement::lone_type(node, SymbolKind::Enum, builder),
            "enumerator" => enumerator(node, builder),
            "preproc_def" | "preproc_function_def" => preprocessor::define(node, builder),
            "preproc_include" | "preproc_call" => preprocessor::include(node, builder),
            "linkage_specification" => linkage(node, builder),
            "compound_statement" if builder.enclosing().is_none() && !builder.is_local() => lone_body(node, builder),
            // Definitions stand in these, or in blocks inside these.
            "translation_unit"
            | "ERROR"
            | "preproc_if"
            | "preproc_ifdef"
            | "preproc_else"
            | "preproc_elif"
            | "preproc_elifdef"
            | "declaration_list"
            | "field_declaration_list"
            | "enumerator_list"
            | "compound_statement"
            | "if_statement"
            | "else_clause"
            | "for_statement"
            | "while_statement"
            | "do_statement"
            | "switch_statement"
            | "case_statement"
            | "labeled_statement"
            | "attributed_statement" => Next::Descend,
            _ => Next::Skip,
        }
    }

    fn prepare(&self, source: &str) -> Option<String> {
        repair::repaired(source)
    }

    fn attachment(&self, kind: &str) -> Option<Attachment> {
        (kind == "comment").then_some(Attachment::Comment)
    }

    /// C has no form of its own for documentation: any comment that touches a definition documents it.
    fn doc<'a>(&self, comment: &'a str) -> Option<&'a str> {
        let decoration =
            |c: char| c.is_whitespace() || matches!(c, '/' | '*' | '!' | '<' | '-' | '=' | '#' | '~' | '+');
        let says = comment.lines().map(|line| line.trim_start_matches(decoration)).find(|line| !line.is_empty());
        Some(says.unwrap_or("").trim_end_matches(|c| c != '.' && decoration(c)))
    }

    fn bind(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind(root, builder);
        true
    }

    fn finish(&self, builder: &mut OutlineBuilder<'_, '_>) {
        let Some(guard) = preprocessor::header_guard(builder.source) else { return };
        // A header gives all that it declares; any other file its definitions, which the walk has noted.
        let mut known = std::collections::HashSet::new();
        let exports = builder
            .top_level()
            .filter(|symbol| symbol.name != guard && !symbol.local && known.insert(symbol.name.clone()))
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
        builder.exports = exports;
    }

    #[cfg(test)]
    fn node_kinds(&self) -> Vec<&'static str> {
        vec![
            "function_definition",
            "declaration",
            "type_definition",
            "field_declaration",
            "struct_specifier",
            "union_specifier",
            "enum_specifier",
            "enumerator",
            "preproc_def",
            "preproc_function_def",
            "preproc_include",
            "preproc_call",
            "linkage_specification",
            "translation_unit",
            "preproc_if",
            "preproc_ifdef",
            "preproc_else",
            "preproc_elif",
            "preproc_elifdef",
            "declaration_list",
            "field_declaration_list",
            "enumerator_list",
            "compound_statement",
            "if_statement",
            "else_clause",
            "for_statement",
            "while_statement",
            "do_statement",
            "switch_statement",
            "case_statement",
            "labeled_statement",
            "attributed_statement",
            "comment",
            "identifier",
            "field_identifier",
            "type_identifier",
            "primitive_type",
            "pointer_declarator",
            "array_declarator",
            "function_declarator",
            "attributed_declarator",
            "init_declarator",
            "parenthesized_declarator",
            "type_qualifier",
            "storage_class_specifier",
            "attribute_specifier",
            "attribute_declaration",
            "ms_declspec_modifier",
        ]
    }
}

fn function<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let statement = Statement::read(node, builder);
    let body = node.child_by_field_name("body");
    let Some(named) = node.child_by_field_name("declarator").and_then(|at| declarator::read(at, builder.source)) else {
        return Next::Descend;
    };
    let name = builder.text(named.name);
    // A brace lost to the preprocessor makes `else if (x) {` look like a function of type `else`.
    if is_keyword(name) {
        return Next::Descend;
    }
    let mut definition = statement.define(builder, SymbolKind::Function, name, &named, body);
    definition.visibility = statement.visibility(builder);
    if let Some(body) = body {
        builder.fold(body);
    }
    if !statement.is_static && !builder.is_local() {
        export(name, statement.line(builder), builder);
    }
    builder.open(definition);
    Next::Descend
}

/// A body at the top level whose head the grammar does not take for one: `main() {`, `TEST(suite, case) {`, or a head
/// that is broken before its parentheses.
fn lone_body<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(head) = head::before(builder.source, node.start_byte()) else { return Next::Descend };
    if is_keyword(&head.name) || builder.top_level().next_back().is_some_and(|last| last.bytes.end > head.start) {
        return Next::Descend;
    }
    let mut definition = builder.define(SymbolKind::Function, &head.name, node, None);
    definition.start = head.start;
    definition.outer_start = head.start;
    definition.docstring = None;
    definition.signature = text::signature(builder.source.get(head.start..node.start_byte()).unwrap_or(""));
    let is_static = definition.signature.starts_with("static ");
    definition.visibility = if is_static { Visibility::Private } else { Visibility::Public };
    if !is_static {
        let line = builder.lines(node).first - text::newlines(builder.source, head.start..node.start_byte());
        export(&head.name, line, builder);
    }
    builder.fold(node);
    builder.open(definition);
    Next::Descend
}

fn enumerator<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Skip };
    // The members of an enum without a name inside a function are its local constants.
    if builder.enclosing().is_some_and(SymbolKind::is_callable) {
        return Next::Skip;
    }
    let value = node.child_by_field_name("value");
    let long = value.filter(|value| value.end_position().row > value.start_position().row);
    let definition = builder.define(SymbolKind::EnumMember, name, node, long);
    builder.leaf(definition);
    Next::Skip
}

/// `extern "C"` before one declaration takes that declaration's place: what stands above it belongs to both.
fn linkage<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(body) = node.child_by_field_name("body") else { return Next::Descend };
    match body.kind() {
        "declaration_list" => Next::Descend,
        "function_definition" => {
            // The walk would meet the definition once more below: what is inside it is given up.
            function(body, builder);
            Next::Skip
        }
        _ => {
            statement::declaration(body, builder);
            Next::Skip
        }
    }
}

fn export(name: &str, line: u32, builder: &mut OutlineBuilder<'_, '_>) {
    if builder.exports.last().is_none_or(|last| last.name != name) {
        builder.exports.push(Export { name: name.to_owned(), kind: ExportKind::Named, line });
    }
}

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "return"
            | "goto"
            | "break"
            | "continue"
            | "sizeof"
            | "defined"
            | "typedef"
            | "struct"
            | "union"
            | "enum"
            | "static"
            | "extern"
            | "const"
            | "void"
    )
}
