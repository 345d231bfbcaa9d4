//! The outline of C files: functions, types, variables, macros and includes.

mod annotation;
mod conditional_group;
mod declarator;
mod function_head;
mod grammar;
mod keywords;
mod names;
mod preprocessor;
mod repair;
mod statement;

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, SymbolKind, Visibility};
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::outline::OutlineBuilder;
use crate::project_files::{ProjectFiles, ToolSettings};
use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier};
use crate::text;
pub(super) use keywords::is_c_keyword;
pub(super) use names::{
    is_cpp_keyword, is_program_start, logical_line_end, raw_string_end, record_conditional_regions_of_cpp,
    record_import_from_include_argument, record_names_in_blanked_cpp_ranges, record_names_in_cpp_code,
};
pub(super) use repair::conditional_code_to_blank;
use statement::{DeclarationStatement, add_export_unless_repeated};

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
    project_files: ProjectFiles {
        tool_settings: &[ToolSettings { program: "clang-format", file_names: &[".clang-format"] }],
        ..ProjectFiles::NONE
    },
    ..Language::new("c", Tier::Complete, Analysis::Frontend { grammar: grammar::GRAMMAR, frontend: &C })
};

struct C;

/// Limit on the nesting of definitions in the outline of a C file. Deeper definitions are left out, because generated
/// source could otherwise produce names of unbounded length.
const MAX_DEFINITION_DEPTH: usize = 50;

impl LanguageFrontend for C {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        if builder.open_scope_count() > MAX_DEFINITION_DEPTH {
            let enclosing_node = builder.ancestor_nodes().next().unwrap_or(node);
            builder.record_region_with_incomplete_facts(enclosing_node);
            return WalkStep::Skip;
        }
        match node.kind() {
            "function_definition" => outline_function(node, builder),
            "declaration" => statement::outline_declaration(node, builder),
            "type_definition" => statement::outline_typedef(node, builder),
            "field_declaration" => statement::outline_field(node, builder),
            "struct_specifier" => statement::outline_type_without_declarator(node, SymbolKind::Struct, builder),
            "union_specifier" => statement::outline_type_without_declarator(node, SymbolKind::Union, builder),
            "enum_specifier" => statement::outline_type_without_declarator(node, SymbolKind::Enum, builder),
            "enumerator" => outline_enumerator(node, builder),
            "preproc_def" | "preproc_function_def" => preprocessor::outline_macro_definition(node, builder),
            "preproc_include" | "preproc_call" => preprocessor::outline_include(node, builder),
            "linkage_specification" => outline_linkage_specification(node, builder),
            "compound_statement" if builder.enclosing_symbol_kind().is_none() && !builder.is_in_local_scope() => {
                outline_function_with_unparsed_head(node, builder)
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
            | "attributed_statement" => WalkStep::Descend,
            _ => WalkStep::Skip,
        }
    }

    fn prepare_source(&self, source: &str) -> Option<String> {
        repair::repair_source_for_parser(source)
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        (kind == "comment").then_some(Attachment::Comment)
    }

    /// The first line of a comment that has text, without the comment marks. C has no special form of documentation:
    /// every comment directly above a definition documents it.
    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        let decoration =
            |c: char| c.is_whitespace() || matches!(c, '/' | '*' | '!' | '<' | '-' | '=' | '#' | '~' | '+');
        let first_text_line =
            comment.lines().map(|line| line.trim_start_matches(decoration)).find(|line| !line.is_empty());
        Some(first_text_line.unwrap_or("").trim_end_matches(|c| c != '.' && decoration(c)))
    }

    fn bind_names(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind_names_in_file(root, builder);
        true
    }

    fn add_exports_known_at_file_end(&self, builder: &mut OutlineBuilder<'_, '_>) {
        let Some(guard) = preprocessor::header_guard_macro(builder.source) else { return };
        // A header exports everything that it declares. Any other file exports its definitions, which the walk has
        // already added.
        let mut known = std::collections::HashSet::new();
        let exports = builder
            .top_level_symbols()
            .filter(|symbol| symbol.name != guard && !symbol.local && known.insert(symbol.name.clone()))
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
        builder.exports = exports;
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
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

fn outline_function<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let statement = DeclarationStatement::parse(node, builder);
    let body = node.child_by_field_name("body");
    let Some(parsed_declarator) =
        node.child_by_field_name("declarator").and_then(|at| declarator::parse_declarator(at, builder.source))
    else {
        return WalkStep::Descend;
    };
    let name = builder.text_of_node(parsed_declarator.name);
    // If the preprocessor hides a brace, `else if (x) {` parses as a function with the return type `else`.
    if is_c_keyword(name) {
        return WalkStep::Descend;
    }
    let mut definition =
        statement.build_definition_spanning_statement(builder, SymbolKind::Function, name, &parsed_declarator, body);
    definition.visibility = statement.visibility(builder);
    if let Some(body) = body {
        builder.fold_node_as_body(body);
    }
    if !statement.is_static && !builder.is_in_local_scope() {
        add_export_unless_repeated(name, statement.first_line_after_attributes(builder), builder);
    }
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Adds the symbol of a function whose head the grammar does not recognise: `main() {`, `TEST(suite, case) {`, or a
/// head with a syntax error.
fn outline_function_with_unparsed_head<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(head) = function_head::find_function_head_before_body(builder.source, node.start_byte()) else {
        return WalkStep::Descend;
    };
    if is_c_keyword(&head.name)
        || builder.top_level_symbols().next_back().is_some_and(|last| last.bytes.end > head.start)
    {
        return WalkStep::Descend;
    }
    let mut definition = builder.build_definition(SymbolKind::Function, &head.name, node, None);
    definition.start = head.start;
    definition.outer_start = head.start;
    definition.docstring = None;
    definition.signature = text::format_signature(builder.source.get(head.start..node.start_byte()).unwrap_or(""));
    let is_static = definition.signature.starts_with("static ");
    definition.visibility = if is_static { Visibility::Private } else { Visibility::Public };
    if !is_static {
        let line =
            builder.lines_of_node(node).first - text::count_newlines(builder.source, head.start..node.start_byte());
        add_export_unless_repeated(&head.name, line, builder);
    }
    builder.fold_node_as_body(node);
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

fn outline_enumerator<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Skip };
    // The members of an unnamed local enum are local constants.
    if builder.enclosing_symbol_kind().is_some_and(SymbolKind::is_callable) {
        return WalkStep::Skip;
    }
    let value = node.child_by_field_name("value");
    let multiline_value = value.filter(|value| value.end_position().row > value.start_position().row);
    let definition = builder.build_definition(SymbolKind::EnumMember, name, node, multiline_value);
    builder.add_leaf_definition(definition);
    WalkStep::Skip
}

/// Visits `extern "C"`, with a block or with a single declaration. Comments above the latter belong to that
/// declaration.
fn outline_linkage_specification<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(body) = node.child_by_field_name("body") else { return WalkStep::Descend };
    match body.kind() {
        "declaration_list" => WalkStep::Descend,
        "function_definition" => {
            // The walk would visit the function definition a second time below this node, so it skips the node's
            // children.
            outline_function(body, builder);
            WalkStep::Skip
        }
        _ => {
            statement::outline_declaration(body, builder);
            WalkStep::Skip
        }
    }
}
