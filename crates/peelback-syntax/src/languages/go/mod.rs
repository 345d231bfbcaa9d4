//! The outline of Go files: functions, methods, types, variables and imports.

mod declarations;
mod grammar;
mod imports;
mod names;
mod project;
mod standard;

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, SymbolKind, Visibility};
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::outline::{Definition, OutlineBuilder};
use crate::spec::{Analysis, Keywords, Language, ModuleUnit, NotebookSyntax, StubStyle, Tier};
use crate::text;
use declarations::visibility_by_name;

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "//", has_magics: false }),
    aliases: &["golang"],
    extensions: &["go"],
    interpreters: &["gorun"],
    family: Some("go"),
    keywords: Keywords {
        definitions: &["func", "type", "struct", "interface"],
        bindings: &["const", "var"],
        modifiers: &[],
        statements: &["if", "else", "for", "switch", "return", "case", "select", "go", "defer"],
    },
    stub_style: StubStyle::NoBraces,
    module_unit: ModuleUnit::Folder,
    standard_library: Some(standard::is_standard_library_package),
    project_files: project::FILES,
    ..Language::new("go", Tier::Complete, Analysis::Frontend { grammar: grammar::GRAMMAR, frontend: &Go })
};

struct Go;

impl LanguageFrontend for Go {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "function_declaration" => outline_function(node, builder),
            "method_declaration" => outline_method(node, builder),
            "type_declaration" | "var_declaration" | "const_declaration" => {
                declarations::outline_walk_step_at_declaration(node)
            }
            "type_spec" | "type_alias" => declarations::outline_type_spec(node, builder),
            "var_spec" => declarations::outline_const_or_var_spec(SymbolKind::Variable, node, builder),
            "const_spec" => declarations::outline_const_or_var_spec(SymbolKind::Constant, node, builder),
            "field_declaration" => declarations::outline_field(node, builder),
            "method_elem" => declarations::outline_interface_method(node, builder),
            "type_elem" => declarations::outline_embedded_interface(node, builder),
            "short_var_declaration" | "assignment_statement" => {
                declarations::outline_local_function_assignment(node, builder)
            }
            "func_literal" => {
                if !builder.is_in_local_scope()
                    && let Some(body) = node.child_by_field_name("body")
                {
                    builder.fold_node_as_body(body);
                }
                builder.open_local_scope_without_symbol();
                WalkStep::Descend
            }
            "import_spec" => {
                imports::add_import_spec(node, builder);
                WalkStep::Skip
            }
            // Nodes of these kinds contain no declarations of functions or types.
            "package_clause"
            | "parameter_list"
            | "type_parameter_list"
            | "type_arguments"
            | "function_type"
            | "qualified_type"
            | "channel_type"
            | "interpreted_string_literal"
            | "raw_string_literal" => WalkStep::Skip,
            _ => WalkStep::Descend,
        }
    }

    fn is_descend_only_node_kind(&self, kind: &str) -> bool {
        matches!(
            kind,
            "source_file"
                | "block"
                | "identifier"
                | "field_identifier"
                | "package_identifier"
                | "type_identifier"
                | "int_literal"
                | "nil"
                | "true"
                | "false"
                | "selector_expression"
                | "call_expression"
                | "argument_list"
                | "expression_statement"
                | "binary_expression"
                | "unary_expression"
                | "parenthesized_expression"
                | "index_expression"
                | "slice_expression"
                | "expression_list"
                | "if_statement"
                | "for_statement"
                | "for_clause"
                | "range_clause"
                | "return_statement"
                | "expression_switch_statement"
                | "expression_case"
                | "inc_statement"
                | "composite_literal"
                | "literal_value"
                | "keyed_element"
                | "literal_element"
                | "pointer_type"
                | "slice_type"
        )
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        (kind == "comment").then_some(Attachment::Comment)
    }

    /// The text of a comment without its marks. Every comment directly above a definition documents it. A directive for
    /// Go's tools (`//go:embed`, `//export`) may be among those lines and contributes no text.
    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        if let Some(line) = comment.strip_prefix("//") {
            return Some(if is_go_directive_comment(line) { "" } else { line });
        }
        let inner = comment.strip_prefix("/*")?;
        let inner = inner.strip_suffix("*/").unwrap_or(inner);
        Some(inner.trim_start_matches(|c: char| c.is_whitespace() || c == '*'))
    }

    fn bind_names(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind_names_in_file(root, builder);
        true
    }

    fn add_exports_known_at_file_end(&self, builder: &mut OutlineBuilder<'_, '_>) {
        let exports: Vec<Export> = builder
            .top_level_symbols()
            .filter(|symbol| symbol.visibility == Visibility::Public && symbol.container.is_none() && !symbol.local)
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
        builder.exports = exports;
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        vec![
            "function_declaration",
            "method_declaration",
            "type_declaration",
            "var_declaration",
            "const_declaration",
            "var_spec_list",
            "type_spec",
            "type_alias",
            "var_spec",
            "const_spec",
            "field_declaration",
            "field_declaration_list",
            "method_elem",
            "type_elem",
            "short_var_declaration",
            "assignment_statement",
            "expression_list",
            "func_literal",
            "call_expression",
            "import_spec",
            "dot",
            "blank_identifier",
            "package_clause",
            "parameter_list",
            "parameter_declaration",
            "type_parameter_list",
            "type_arguments",
            "function_type",
            "struct_type",
            "interface_type",
            "pointer_type",
            "parenthesized_type",
            "generic_type",
            "qualified_type",
            "type_identifier",
            "channel_type",
            "comment",
            "identifier",
            "interpreted_string_literal",
            "raw_string_literal",
        ]
    }
}

/// Whether the text of a line comment, after `//`, is a directive for Go's tools: `go:embed`, `lint:ignore`,
/// `export name`, `line file:1`.
fn is_go_directive_comment(line: &str) -> bool {
    if ["line ", "extern ", "export "].iter().any(|word| line.starts_with(word)) {
        return true;
    }
    let is_tool_char = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    line.split_once(':').is_some_and(|(tool, rest)| {
        !tool.is_empty() && tool.chars().all(is_tool_char) && rest.starts_with(is_tool_char)
    })
}

fn outline_function<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    let mut definition = builder.build_definition(SymbolKind::Function, name, node, body);
    definition.visibility = visibility_by_name(name);
    add_callable_definition(definition, body, builder)
}

fn outline_method<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    let mut definition = builder.build_definition(SymbolKind::Method, name, node, body);
    definition.visibility = visibility_by_name(name);
    definition.container = node.child_by_field_name("receiver").and_then(|receiver| {
        let mut cursor = receiver.walk();
        let parameter = receiver.named_children(&mut cursor).find(|child| child.kind() == "parameter_declaration")?;
        declarations::unqualified_type_name(parameter.child_by_field_name("type")?, builder)
    });
    add_callable_definition(definition, body, builder)
}

fn add_callable_definition<'t>(
    definition: Definition<'t>,
    body: Option<Node<'t>>,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    let Some(body) = body else {
        builder.add_leaf_definition(definition);
        return WalkStep::Skip;
    };
    builder.fold_node_as_body(body);
    if text::has_any_word(builder.text_of_node(body), &["func", "type"]) {
        builder.add_definition_and_open_scope(definition);
        WalkStep::Descend
    } else {
        builder.add_leaf_definition(definition);
        WalkStep::Skip
    }
}
