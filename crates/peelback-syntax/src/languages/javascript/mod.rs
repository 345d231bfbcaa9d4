//! The JavaScript language and the outline of its files. TypeScript shares this frontend: its grammar adds node kinds
//! and changes few.

mod assignments;
mod declarations;
pub(crate) mod embedded;
mod members;
mod modules;
mod names;
mod objects;
mod outline_state;
mod placement;
mod project;
mod properties;
mod property_definers;
mod prototypes;
mod standard;
pub(crate) mod templates;
mod types;

use tree_sitter::Node;
use tree_sitter_language::LanguageFn;

use crate::facts::Visibility;
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, StubStyle, Tier, if_feature};
use crate::text;
pub(super) use standard::is_standard_library_module;

/// The grammar of JavaScript; `None` where the cargo feature `lang-javascript` is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-javascript", tree_sitter_javascript::LANGUAGE);

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "//", has_magics: false }),
    aliases: &["js", "jsx"],
    extensions: &["js", "mjs", "cjs", "jsx"],
    file_names: &["Jakefile"],
    interpreters: &["node", "nodejs", "bun"],
    family: Some("javascript"),
    keywords: KEYWORDS,
    stub_style: StubStyle::NoBraces,
    standard_library: Some(is_standard_library_module),
    project_files: project::FILES,
    ..Language::new(
        "javascript",
        Tier::Complete,
        Analysis::Frontend { grammar: GRAMMAR, frontend: &EcmaScript { typescript: false } },
    )
};

/// The keywords of JavaScript, which TypeScript, Vue, Svelte and Astro share.
pub(super) const KEYWORDS: Keywords = Keywords {
    definitions: &["class", "function"],
    bindings: &["const", "let", "static", "var"],
    modifiers: &["async", "const", "default", "export", "static"],
    statements: &[
        "if", "else", "for", "while", "switch", "catch", "try", "do", "return", "with", "case", "await", "throw",
    ],
};

/// The frontend that reads JavaScript files and, where the field `typescript` is true, TypeScript files.
pub(crate) struct EcmaScript {
    pub typescript: bool,
}

/// Whether a statement in a function may contain a definition, an import or an export. Such a statement has a brace, an
/// arrow or one of a few keywords; most statements have none of these, and the outline skips them.
fn may_contain_definition_import_or_export(statement: &str) -> bool {
    let bytes = statement.as_bytes();
    let shape = memchr::memchr2_iter(b'{', b'>', bytes).any(|at| {
        bytes.get(at) == Some(&b'{') || at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'=')
    });
    shape || ["require", "import", "export", "prototype"].iter().any(|word| statement.contains(word))
}

impl LanguageFrontend for EcmaScript {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "lexical_declaration" | "variable_declaration" | "using_declaration" | "expression_statement" => {
                if builder.is_in_local_scope() && !may_contain_definition_import_or_export(builder.text_of_node(node)) {
                    WalkStep::Skip
                } else {
                    WalkStep::DescendKeepingAttachments
                }
            }
            "return_statement" | "throw_statement"
                if builder.is_in_local_scope()
                    && !may_contain_definition_import_or_export(builder.text_of_node(node)) =>
            {
                WalkStep::Skip
            }
            // In `exports = module.exports = x` the comment above the statement documents the inner assignment.
            "identifier" => WalkStep::DescendKeepingAttachments,
            "variable_declarator" => declarations::outline_variable_declarator(node, builder),
            "function_declaration" | "generator_function_declaration" => {
                declarations::outline_function_declaration(node, builder)
            }
            "arrow_function" | "function_expression" | "generator_function" => {
                declarations::outline_function_expression_by_own_name(node, builder)
            }
            "class_declaration" => declarations::outline_class_declaration(node, builder),
            "class" => declarations::outline_class_expression(node, builder),
            "class_static_block" => {
                if let Some(body) = node.child_by_field_name("body") {
                    builder.fold_node_as_body(body);
                }
                builder.open_local_scope_without_symbol();
                WalkStep::Descend
            }
            "method_definition" => members::outline_method(node, builder),
            "field_definition" => members::outline_field(node, builder),
            "pair" => objects::outline_object_pair(node, builder),
            "shorthand_property_identifier" => objects::add_shorthand_member_symbol(node, builder),
            "assignment_expression" => assignments::outline_member_assignment(node, builder),
            "call_expression" => modules::outline_import_or_define_property_call(node, builder),
            "import_statement" => modules::outline_import_statement(node, builder),
            "export_statement" => modules::outline_export_statement(node, builder),
            "for_statement" | "for_in_statement" | "while_statement" | "do_statement" => {
                // A declaration in the body of a loop is local to one iteration.
                builder.open_local_scope_without_symbol();
                WalkStep::Descend
            }
            // An enum member without a value is a bare name in the enum's body.
            "property_identifier" | "string" | "number" | "computed_property_name" if self.typescript => {
                types::outline_bare_enum_member(node, builder)
            }
            // Nodes of these kinds never contain definitions, so their children are skipped.
            "property_identifier" | "string" | "number" | "regex" | "object_pattern" | "array_pattern" => {
                WalkStep::Skip
            }
            _ if self.typescript => types::outline_typescript_node(node, builder),
            _ => WalkStep::Descend,
        }
    }

    fn is_descend_only_node_kind(&self, kind: &str) -> bool {
        matches!(
            kind,
            "program"
                | "statement_block"
                | "member_expression"
                | "arguments"
                | "binary_expression"
                | "unary_expression"
                | "update_expression"
                | "parenthesized_expression"
                | "if_statement"
                | "else_clause"
                | "try_statement"
                | "catch_clause"
                | "finally_clause"
                | "await_expression"
                | "yield_expression"
                | "ternary_expression"
                | "template_string"
                | "template_substitution"
                | "object"
                | "array"
                | "spread_element"
                | "formal_parameters"
                | "new_expression"
                | "subscript_expression"
                | "augmented_assignment_expression"
                | "sequence_expression"
                | "class_body"
                | "this"
                | "null"
                | "true"
                | "false"
                | "undefined"
        )
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        match kind {
            "comment" | "html_comment" => Some(Attachment::Comment),
            "decorator" => Some(Attachment::Decorator),
            _ => None,
        }
    }

    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        if comment == "/**/" { None } else { text::javadoc_text(comment) }
    }

    /// A JSDoc block documents the next declaration, even after blank lines.
    fn should_doc_comment_touch_definition(&self) -> bool {
        false
    }

    fn bind_names(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind_names_in_file(root, self.typescript, builder);
        true
    }

    fn add_exports_known_at_file_end(&self, builder: &mut OutlineBuilder<'_, '_>) {
        // A file that neither imports nor exports is a script: its declarations are visible to every other script.
        let script = builder.exports.is_empty() && builder.imports.is_empty();
        let exported: std::collections::HashSet<String> =
            builder.exports.iter().map(|export| export.name.clone()).collect();
        let locals = std::mem::take(&mut builder.collected_names);
        for symbol in builder.top_level_symbols_mut().filter(|symbol| symbol.visibility == Visibility::Private) {
            if script {
                symbol.visibility = Visibility::Unknown;
            } else if exported.contains(&symbol.name) || locals.contains(&symbol.name) {
                symbol.visibility = Visibility::Public;
            }
        }
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        let mut kinds = vec![
            "arguments",
            "array_pattern",
            "arrow_function",
            "assignment_expression",
            "assignment_pattern",
            "await_expression",
            "call_expression",
            "class",
            "class_body",
            "class_declaration",
            "class_static_block",
            "comment",
            "computed_property_name",
            "declaration",
            "decorator",
            "do_statement",
            "export_clause",
            "export_specifier",
            "export_statement",
            "expression_statement",
            "for_in_statement",
            "for_statement",
            "function_declaration",
            "function_expression",
            "generator_function",
            "generator_function_declaration",
            "html_comment",
            "identifier",
            "import",
            "import_clause",
            "import_specifier",
            "import_statement",
            "lexical_declaration",
            "member_expression",
            "method_definition",
            "named_imports",
            "namespace_export",
            "namespace_import",
            "new_expression",
            "number",
            "object",
            "object_assignment_pattern",
            "object_pattern",
            "pair",
            "pair_pattern",
            "parenthesized_expression",
            "pattern",
            "property_identifier",
            "regex",
            "rest_pattern",
            "return_statement",
            "shorthand_property_identifier",
            "shorthand_property_identifier_pattern",
            "statement_block",
            "string",
            "subscript_expression",
            "template_string",
            "this",
            "unary_expression",
            "undefined",
            "variable_declaration",
            "variable_declarator",
            "while_statement",
        ];
        // Only one of TypeScript's two grammars has `type_assertion`.
        kinds.extend(match self.typescript {
            true => &[
                "abstract_class_declaration",
                "abstract_method_signature",
                "accessibility_modifier",
                "ambient_declaration",
                "array_type",
                "as_expression",
                "call_signature",
                "conditional_type",
                "construct_signature",
                "constructor_type",
                "enum_assignment",
                "enum_body",
                "enum_declaration",
                "extends_type_clause",
                "function_signature",
                "function_type",
                "generic_type",
                "implements_clause",
                "import_alias",
                "import_require_clause",
                "index_signature",
                "index_type_query",
                "interface_declaration",
                "internal_module",
                "intersection_type",
                "lookup_type",
                "method_signature",
                "module",
                "non_null_expression",
                "object_type",
                "override_modifier",
                "parenthesized_type",
                "property_signature",
                "public_field_definition",
                "readonly_type",
                "satisfies_expression",
                "template_literal_type",
                "tuple_type",
                "type_alias_declaration",
                "type_annotation",
                "type_arguments",
                "type_parameters",
                "type_query",
                "union_type",
            ][..],
            false => &["field_definition", "using_declaration"][..],
        });
        kinds
    }
}
