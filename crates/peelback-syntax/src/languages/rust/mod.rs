//! The Rust language and the outline of its files: items, methods, fields, macros and imports.

mod calls;
mod definition;
mod grammar;
mod imports;
mod macros;
mod names;
mod project;
mod types;

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, Import, ImportKind, SymbolKind, Visibility};
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, StubStyle, Tier};
use crate::text;
use calls::ITEM_KEYWORDS;
use definition::build_definition_with_visibility_and_doc;

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "//", has_magics: false }),
    aliases: &["rs"],
    extensions: &["rs"],
    interpreters: &["rust-script"],
    family: Some("rust"),
    keywords: Keywords {
        definitions: &["enum", "fn", "impl", "macro_rules", "mod", "struct", "trait", "type", "union"],
        bindings: &["const", "let", "static"],
        modifiers: &["async", "const", "default", "extern", "pub", "static", "unsafe"],
        statements: &["if", "else", "for", "while", "match", "loop", "return"],
    },
    stub_style: StubStyle::NoBraces,
    standard_library: Some(is_standard_library_path),
    project_files: project::FILES,
    ..Language::new("rust", Tier::Complete, Analysis::Frontend { grammar: grammar::GRAMMAR, frontend: &Rust })
};

/// Whether a Rust path (`std::fmt`) names one of the crates that come with the compiler.
fn is_standard_library_path(path: &str) -> bool {
    matches!(path.split("::").next().unwrap_or(path), "std" | "core" | "alloc" | "proc_macro" | "test")
}

struct Rust;

impl LanguageFrontend for Rust {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "function_item" | "function_signature_item" => outline_function(node, builder),
            "struct_item" => outline_type_trait_variant_or_field(SymbolKind::Struct, node, builder),
            "union_item" => outline_type_trait_variant_or_field(SymbolKind::Union, node, builder),
            "enum_item" => outline_type_trait_variant_or_field(SymbolKind::Enum, node, builder),
            "trait_item" => outline_type_trait_variant_or_field(SymbolKind::Trait, node, builder),
            "type_item" | "associated_type" => outline_type_trait_variant_or_field(SymbolKind::Type, node, builder),
            "enum_variant" => outline_type_trait_variant_or_field(SymbolKind::EnumMember, node, builder),
            "field_declaration" => outline_type_trait_variant_or_field(SymbolKind::Field, node, builder),
            "impl_item" => outline_impl_block(node, builder),
            "mod_item" => outline_module_and_add_import(node, builder),
            "const_item" => outline_constant_or_static(SymbolKind::Constant, node, builder),
            "static_item" => outline_constant_or_static(SymbolKind::Variable, node, builder),
            "macro_definition" => macros::outline_macro_rules(node, builder),
            "use_declaration" => {
                imports::add_use_import_and_exports(node, builder);
                WalkStep::Skip
            }
            "extern_crate_declaration" => {
                imports::add_extern_crate_import_and_export(node, builder);
                WalkStep::Skip
            }
            // A block outside every function is the value of a constant: definitions in that block are local to it.
            "block" => {
                if !builder.is_in_local_scope() {
                    builder.open_local_scope_without_symbol();
                }
                WalkStep::Descend
            }
            "closure_expression" => {
                if !builder.is_in_local_scope() {
                    builder.open_local_scope_without_symbol();
                    if let Some(body) = node.child_by_field_name("body").filter(|body| body.kind() == "block") {
                        builder.fold_node_as_body(body);
                    }
                }
                WalkStep::Descend
            }
            "ERROR" => {
                macros::add_declarative_macros_in_error_region(node, builder);
                WalkStep::Descend
            }
            "macro_invocation" => {
                calls::add_items_of_macro_call(node, builder);
                WalkStep::Skip
            }
            // Nodes of these kinds never contain items, so their children are skipped.
            "token_tree"
            | "inner_attribute_item"
            | "parameters"
            | "closure_parameters"
            | "type_parameters"
            | "type_arguments"
            | "where_clause"
            | "match_pattern"
            | "tuple_struct_pattern"
            | "struct_pattern"
            | "ordered_field_declaration_list"
            | "visibility_modifier"
            | "function_modifiers"
            | "scoped_identifier"
            | "scoped_type_identifier"
            | "generic_type"
            | "reference_type"
            | "string_literal"
            | "raw_string_literal" => WalkStep::Skip,
            _ => WalkStep::Descend,
        }
    }

    fn is_descend_only_node_kind(&self, kind: &str) -> bool {
        matches!(
            kind,
            "source_file"
                | "declaration_list"
                | "field_declaration_list"
                | "enum_variant_list"
                | "identifier"
                | "field_identifier"
                | "type_identifier"
                | "primitive_type"
                | "self"
                | "integer_literal"
                | "boolean_literal"
                | "call_expression"
                | "field_expression"
                | "arguments"
                | "expression_statement"
                | "let_declaration"
                | "binary_expression"
                | "unary_expression"
                | "reference_expression"
                | "parenthesized_expression"
                | "match_expression"
                | "match_block"
                | "match_arm"
                | "if_expression"
                | "else_clause"
                | "for_expression"
                | "while_expression"
                | "loop_expression"
                | "try_expression"
                | "return_expression"
                | "tuple_expression"
                | "index_expression"
                | "array_expression"
                | "struct_expression"
                | "assignment_expression"
        )
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        match kind {
            "line_comment" | "block_comment" => Some(Attachment::Comment),
            "attribute_item" => Some(Attachment::Decorator),
            _ => None,
        }
    }

    /// The text of a doc comment: `///` or `/** */`. Rulers of four slashes or three stars and the inner forms `//!`
    /// and `/*!` do not count.
    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        if let Some(line) = comment.strip_prefix("///") {
            return (!line.starts_with('/')).then_some(line);
        }
        let ruler = comment.starts_with("/***") || comment.starts_with("/**/");
        if ruler { None } else { text::javadoc_text(comment) }
    }

    /// A Rust doc comment is an attribute: blank lines between the comment and its item do not separate them.
    fn should_doc_comment_touch_definition(&self) -> bool {
        false
    }

    fn bind_names(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind_names_in_file(root, builder);
        true
    }

    fn add_exports_known_at_file_end(&self, builder: &mut OutlineBuilder<'_, '_>) {
        let exports: Vec<Export> = builder
            .top_level_symbols()
            .filter(|symbol| {
                symbol.visibility == Visibility::Public && symbol.kind != SymbolKind::Impl && !symbol.local
            })
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
        builder.exports.extend(exports);
        builder.exports.sort_by_key(|export| export.line);
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        vec![
            "function_item",
            "function_signature_item",
            "struct_item",
            "union_item",
            "enum_item",
            "trait_item",
            "type_item",
            "associated_type",
            "enum_variant",
            "field_declaration",
            "field_declaration_list",
            "impl_item",
            "mod_item",
            "const_item",
            "static_item",
            "macro_definition",
            "use_declaration",
            "extern_crate_declaration",
            "block",
            "const_block",
            "unsafe_block",
            "call_expression",
            "closure_expression",
            "macro_invocation",
            "token_tree",
            "source_file",
            "declaration_list",
            "expression_statement",
            "foreign_mod_item",
            "empty_statement",
            "attribute_item",
            "inner_attribute_item",
            "parameters",
            "closure_parameters",
            "type_parameters",
            "type_arguments",
            "where_clause",
            "match_pattern",
            "tuple_struct_pattern",
            "struct_pattern",
            "ordered_field_declaration_list",
            "visibility_modifier",
            "function_modifiers",
            "line_comment",
            "block_comment",
            "use_as_clause",
            "use_list",
            "use_wildcard",
            "scoped_use_list",
            "scoped_identifier",
            "identifier",
            "type_identifier",
            "scoped_type_identifier",
            "generic_type",
            "reference_type",
            "pointer_type",
            "dynamic_type",
            "bounded_type",
            "string_literal",
            "raw_string_literal",
        ]
    }
}

fn outline_function<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    // In the rules of a macro a function's name may be a metavariable (`$name`), which defines no symbol.
    let Some(name) = builder.field_text(node, "name").filter(|name| !name.starts_with('$')) else {
        return WalkStep::Descend;
    };
    let body = node.child_by_field_name("body");
    let kind = match builder.enclosing_symbol_kind() {
        Some(SymbolKind::Impl | SymbolKind::Trait) => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let definition = build_definition_with_visibility_and_doc(builder, kind, name, node, body);
    let Some(body) = body else {
        builder.add_leaf_definition(definition);
        return WalkStep::Skip;
    };
    builder.fold_node_as_body(body);
    // A local function is always visited: the text of the outermost function was already searched for item keywords.
    if builder.is_in_local_scope() || text::has_any_word(builder.text_of_node(body), ITEM_KEYWORDS) {
        builder.add_definition_and_open_scope(definition);
        WalkStep::Descend
    } else {
        builder.add_leaf_definition(definition);
        WalkStep::Skip
    }
}

/// Adds the symbol of a type, a trait, an enum variant or a field to the outline.
fn outline_type_trait_variant_or_field<'t>(
    kind: SymbolKind,
    node: Node<'t>,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    let Some(name) = builder.field_text(node, "name").filter(|name| !name.starts_with('$')) else {
        return WalkStep::Descend;
    };
    // Fields of a tuple struct have no names and are no symbols, so the signature shows them.
    let body = node.child_by_field_name("body").filter(|body| body.kind() != "ordered_field_declaration_list");
    let definition = build_definition_with_visibility_and_doc(builder, kind, name, node, body);
    if body.is_some() {
        builder.add_definition_and_open_scope(definition);
        WalkStep::Descend
    } else {
        builder.add_leaf_definition(definition);
        WalkStep::Skip
    }
}

fn outline_impl_block<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(target) = node.child_by_field_name("type") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    let (header, scope) = types::impl_block_name_and_item_qualifier(node, target, builder);
    let mut definition = build_definition_with_visibility_and_doc(builder, SymbolKind::Impl, &header, node, body);
    definition.visibility = match node.child_by_field_name("trait") {
        Some(_) => Visibility::Public,
        None => Visibility::Unknown,
    };
    definition.scope_name = Some(scope);
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

fn outline_module_and_add_import<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    let mut definition = build_definition_with_visibility_and_doc(builder, SymbolKind::Module, name, node, body);
    match body {
        Some(body) => {
            if definition.docstring.is_none() {
                definition.docstring = inner_doc_first_line(body, builder);
            }
            builder.add_definition_and_open_scope(definition);
            WalkStep::Descend
        }
        None => {
            let path = definition.decorators.iter().find_map(|attribute| file_path_of_path_attribute(attribute));
            let owner = builder.enclosing_symbol().filter(|owner| owner.kind == SymbolKind::Module);
            let source = match (path, owner) {
                (Some(path), _) => path,
                // A module declared inside an inline module has its file in the folder of the inline module.
                (None, Some(owner)) => format!("{}::{name}", owner.qualified_name.replace('.', "::")),
                (None, None) => name.to_owned(),
            };
            let import = Import {
                text: text::to_one_line(builder.text_of_node(node)),
                source,
                names: vec![name.to_owned()],
                kind: ImportKind::Module,
                lines: builder.lines_of_node(node),
            };
            builder.imports.push(import);
            builder.add_leaf_definition(definition);
            WalkStep::Skip
        }
    }
}

/// The file path in the attribute `#[path = "…"]` of a module.
fn file_path_of_path_attribute(attribute: &str) -> Option<String> {
    let value = attribute.strip_prefix("#[")?.trim_start().strip_prefix("path")?.trim_start().strip_prefix('=')?;
    Some(text::without_quotes(value.trim().strip_suffix(']')?).to_owned())
}

/// The first line of the `//!` documentation inside a module's body.
fn inner_doc_first_line(body: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Option<String> {
    let first = body.named_child(0)?;
    let comment = builder.text_of_node(first);
    let line = comment.strip_prefix("//!").or_else(|| Some(comment.strip_prefix("/*!")?.strip_suffix("*/")?.trim()))?;
    text::first_non_blank_line(line)
}

/// Adds the symbol of a constant or a static to the outline.
fn outline_constant_or_static<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name").filter(|name| !name.starts_with('$')) else {
        return WalkStep::Descend;
    };
    // `const _: () = { … }` defines no name; its block only contains items.
    if name == "_" {
        return WalkStep::Descend;
    }
    let value = node.child_by_field_name("value");
    let long = value.filter(|value| value.end_position().row > value.start_position().row);
    let definition = build_definition_with_visibility_and_doc(builder, kind, name, node, long);
    let holds_code = value.is_some_and(|value| {
        matches!(value.kind(), "block" | "unsafe_block" | "const_block" | "call_expression" | "closure_expression")
    });
    if let Some(value) = long
        && !builder.is_in_local_scope()
        && !is_or_ends_with_closure_argument(value)
    {
        builder.fold_value_if_long(value);
    }
    if holds_code {
        builder.add_definition_and_open_scope(definition);
        WalkStep::Descend
    } else {
        builder.add_leaf_definition(definition);
        WalkStep::Skip
    }
}

/// Whether a value is a closure, or a call whose last argument is a closure (`LazyLock::new(|| …)`). The skeleton folds
/// only the closure's body, so that the call stays visible.
fn is_or_ends_with_closure_argument(value: Node<'_>) -> bool {
    if value.kind() == "closure_expression" {
        return true;
    }
    let Some(arguments) = value.child_by_field_name("arguments") else { return false };
    let mut cursor = arguments.walk();
    arguments
        .named_children(&mut cursor)
        .last()
        .and_then(|last| last.child_by_field_name("body"))
        .is_some_and(|body| body.kind() == "block")
}
