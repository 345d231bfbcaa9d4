//! The outline of Java files: types, their members, and imports.

mod declarations;
mod grammar;
mod imports;
mod names;
mod project;

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, SymbolKind, Visibility};
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier};
use crate::text;

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["java"],
    // Named after its oldest language: other languages of the same virtual machine use the same types.
    family: Some("java"),
    keywords: Keywords {
        definitions: &["class", "enum", "interface", "record"],
        bindings: &[],
        modifiers: &["abstract", "default", "final", "private", "protected", "public", "static"],
        statements: &[
            "if", "else", "for", "while", "switch", "catch", "try", "do", "return", "case", "throw", "assert",
        ],
    },
    stub_style: StubStyle::NoBraces,
    main_is_method: true,
    standard_library: Some(is_standard_library_package),
    project_files: project::FILES,
    ..Language::new("java", Tier::Complete, Analysis::Frontend { grammar: grammar::GRAMMAR, frontend: &Java })
};

/// Whether a package, given by its full name, belongs to the Java platform.
fn is_standard_library_package(package: &str) -> bool {
    package.starts_with("java.") || package.starts_with("javax.")
}

struct Java;

impl LanguageFrontend for Java {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "class_declaration" | "record_declaration" => declarations::outline_type(SymbolKind::Class, node, builder),
            "interface_declaration" | "annotation_type_declaration" => {
                declarations::outline_type(SymbolKind::Interface, node, builder)
            }
            "enum_declaration" => declarations::outline_type(SymbolKind::Enum, node, builder),
            "enum_constant" => declarations::outline_enum_constant(node, builder),
            "method_declaration" => declarations::outline_callable(SymbolKind::Method, node, builder),
            "constructor_declaration" | "compact_constructor_declaration" => {
                declarations::outline_callable(SymbolKind::Constructor, node, builder)
            }
            "annotation_type_element_declaration" => declarations::outline_annotation_element(node, builder),
            "field_declaration" => declarations::outline_fields(SymbolKind::Field, node, builder),
            "constant_declaration" => declarations::outline_fields(SymbolKind::Constant, node, builder),
            "formal_parameter" => declarations::outline_parameter(node, builder),
            "import_declaration" => {
                imports::add_import(node, builder);
                WalkStep::Skip
            }
            "lambda_expression" => {
                declarations::fold_body_outside_of_functions(node.child_by_field_name("body"), builder);
                WalkStep::Descend
            }
            "static_initializer" => {
                declarations::fold_body_outside_of_functions(node.named_child(0), builder);
                builder.open_local_scope_without_symbol();
                WalkStep::Descend
            }
            "block" => {
                let is_initializer = builder
                    .ancestor_nodes()
                    .next()
                    .is_some_and(|parent| matches!(parent.kind(), "class_body" | "enum_body_declarations"));
                if is_initializer {
                    declarations::fold_body_outside_of_functions(Some(node), builder);
                    builder.open_local_scope_without_symbol();
                }
                WalkStep::Descend
            }
            // Nodes of these kinds contain no definitions.
            "package_declaration"
            | "modifiers"
            | "type_parameters"
            | "type_arguments"
            | "superclass"
            | "super_interfaces"
            | "extends_interfaces"
            | "permits"
            | "throws"
            | "generic_type"
            | "string_literal" => WalkStep::Skip,
            _ => WalkStep::Descend,
        }
    }

    fn is_descend_only_node_kind(&self, kind: &str) -> bool {
        matches!(
            kind,
            "program"
                | "identifier"
                | "type_identifier"
                | "class_body"
                | "interface_body"
                | "enum_body"
                | "method_invocation"
                | "argument_list"
                | "field_access"
                | "expression_statement"
                | "binary_expression"
                | "local_variable_declaration"
                | "variable_declarator"
                | "return_statement"
                | "if_statement"
                | "parenthesized_expression"
                | "assignment_expression"
                | "object_creation_expression"
                | "decimal_integer_literal"
                | "this"
                | "true"
                | "false"
                | "null_literal"
        )
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        matches!(kind, "line_comment" | "block_comment").then_some(Attachment::Comment)
    }

    /// The text of a comment without its marks. Every comment directly above a definition documents it; lines of marks
    /// alone have no text.
    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        let text = text::javadoc_text(comment).unwrap_or_else(|| text::c_comment_text(comment));
        Some(text.trim_start_matches(['-', '=', '#', '~', '_', '+']).trim_start())
    }

    fn bind_names(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind_names_in_file(root, builder);
        true
    }

    fn add_exports_known_at_file_end(&self, builder: &mut OutlineBuilder<'_, '_>) {
        let exports: Vec<Export> = builder
            .top_level_symbols()
            .filter(|symbol| symbol.visibility == Visibility::Public)
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
        builder.exports = exports;
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        vec![
            "class_declaration",
            "record_declaration",
            "interface_declaration",
            "annotation_type_declaration",
            "enum_declaration",
            "enum_constant",
            "method_declaration",
            "constructor_declaration",
            "compact_constructor_declaration",
            "annotation_type_element_declaration",
            "field_declaration",
            "constant_declaration",
            "formal_parameter",
            "formal_parameters",
            "import_declaration",
            "scoped_identifier",
            "asterisk",
            "lambda_expression",
            "static_initializer",
            "block",
            "enum_body_declarations",
            "package_declaration",
            "modifiers",
            "annotation",
            "marker_annotation",
            "type_parameters",
            "type_arguments",
            "superclass",
            "super_interfaces",
            "extends_interfaces",
            "permits",
            "throws",
            "generic_type",
            "string_literal",
            "array_initializer",
            "array_creation_expression",
            "line_comment",
            "block_comment",
        ]
    }
}
