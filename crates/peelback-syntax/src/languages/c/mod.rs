//! The outline of C files: functions, types, variables, macros and includes.

mod annotation;
mod declarator;
mod grammar;
mod group;
mod head;
mod keywords;
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
use keywords::is_keyword;
use statement::{DeclarationStatement, add_export};

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

/// The deepest nesting of definitions. Deeper definitions are left out, because generated source could otherwise
/// produce names of unbounded length.
const MAX_DEFINITION_DEPTH: usize = 50;

impl Frontend for C {
    fn enter<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
        if builder.level() > MAX_DEFINITION_DEPTH {
            let around = builder.ancestors().next().unwrap_or(node);
            builder.miss(around);
            return Next::Skip;
        }
        match node.kind() {
            "function_definition" => enter_function(node, builder),
            "declaration" => statement::enter_declaration(node, builder),
            "type_definition" => statement::enter_typedef(node, builder),
            "field_declaration" => statement::enter_field(node, builder),
            "struct_specifier" => statement::enter_type_without_declarator(node, SymbolKind::Struct, builder),
            "union_specifier" => statement::enter_type_without_declarator(node, SymbolKind::Union, builder),
            "enum_specifier" => statement::enter_type_without_declarator(node, SymbolKind::Enum, builder),
            "enumerator" => enter_enumerator(node, builder),
            "preproc_def" | "preproc_function_def" => preprocessor::enter_define(node, builder),
            "preproc_include" | "preproc_call" => preprocessor::enter_include(node, builder),
            "linkage_specification" => enter_linkage_specification(node, builder),
            "compound_statement" if builder.enclosing().is_none() && !builder.is_local() => {
                enter_body_without_head(node, builder)
            }
            // Nodes of these kinds contain definitions, directly or in nested blocks.
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
        repair::repair_source(source)
    }

    fn attachment(&self, kind: &str) -> Option<Attachment> {
        (kind == "comment").then_some(Attachment::Comment)
    }

    /// C has no special form of documentation: every comment directly above a definition documents it.
    fn doc<'a>(&self, comment: &'a str) -> Option<&'a str> {
        let decoration =
            |c: char| c.is_whitespace() || matches!(c, '/' | '*' | '!' | '<' | '-' | '=' | '#' | '~' | '+');
        let says = comment.lines().map(|line| line.trim_start_matches(decoration)).find(|line| !line.is_empty());
        Some(says.unwrap_or("").trim_end_matches(|c| c != '.' && decoration(c)))
    }

    fn bind(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind_file(root, builder);
        true
    }

    fn finish(&self, builder: &mut OutlineBuilder<'_, '_>) {
        let Some(guard) = preprocessor::header_guard(builder.source) else { return };
        // A header exports everything that it declares. Any other file exports its definitions, which the walk has
        // already added.
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

fn enter_function<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let statement = DeclarationStatement::parse(node, builder);
    let body = node.child_by_field_name("body");
    let Some(named) =
        node.child_by_field_name("declarator").and_then(|at| declarator::parse_declarator(at, builder.source))
    else {
        return Next::Descend;
    };
    let name = builder.text(named.name);
    // If the preprocessor hides a brace, `else if (x) {` parses as a function with the return type `else`.
    if is_keyword(name) {
        return Next::Descend;
    }
    let mut definition = statement.define_symbol(builder, SymbolKind::Function, name, &named, body);
    definition.visibility = statement.visibility(builder);
    if let Some(body) = body {
        builder.fold(body);
    }
    if !statement.is_static && !builder.is_local() {
        add_export(name, statement.first_line(builder), builder);
    }
    builder.open(definition);
    Next::Descend
}

/// Adds a function whose head the grammar does not recognise: `main() {`, `TEST(suite, case) {`, or a head with a
/// syntax error.
fn enter_body_without_head<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(head) = head::find_head_before(builder.source, node.start_byte()) else { return Next::Descend };
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
        add_export(&head.name, line, builder);
    }
    builder.fold(node);
    builder.open(definition);
    Next::Descend
}

fn enter_enumerator<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Skip };
    // The members of an unnamed local enum are local constants.
    if builder.enclosing().is_some_and(SymbolKind::is_callable) {
        return Next::Skip;
    }
    let value = node.child_by_field_name("value");
    let long = value.filter(|value| value.end_position().row > value.start_position().row);
    let definition = builder.define(SymbolKind::EnumMember, name, node, long);
    builder.leaf(definition);
    Next::Skip
}

/// Visits `extern "C"`. In front of a single declaration, the comments above it belong to that declaration.
fn enter_linkage_specification<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(body) = node.child_by_field_name("body") else { return Next::Descend };
    match body.kind() {
        "declaration_list" => Next::Descend,
        "function_definition" => {
            // The walk would visit the definition a second time below this node, so its content is skipped.
            enter_function(body, builder);
            Next::Skip
        }
        _ => {
            statement::enter_declaration(body, builder);
            Next::Skip
        }
    }
}
