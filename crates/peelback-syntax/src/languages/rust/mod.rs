//! Rust.

mod calls;
mod grammar;
mod imports;
mod macros;
mod names;
mod types;

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, Import, ImportKind, SymbolKind, Visibility};
use crate::frontend::{Attachment, Frontend, Next};
use crate::outline::{Definition, OutlineBuilder};
use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier};
use crate::text;

pub(crate) static LANGUAGE: Language = Language {
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
    standard_library: Some(is_standard),
    ..Language::new("rust", Tier::Complete, Analysis::Frontend { grammar: grammar::GRAMMAR, frontend: &Rust })
};

/// Whether a path is of the crates that come with the compiler.
fn is_standard(path: &str) -> bool {
    matches!(path.split("::").next().unwrap_or(path), "std" | "core" | "alloc" | "proc_macro" | "test")
}

struct Rust;

/// The words that can open an item inside a function's body.
const ITEM_WORDS: &[&str] = &[
    "fn",
    "use",
    "struct",
    "enum",
    "const",
    "static",
    "impl",
    "mod",
    "trait",
    "type",
    "macro_rules",
    "union",
    "extern",
    "macro",
];

impl Frontend for Rust {
    fn enter<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
        match node.kind() {
            "function_item" | "function_signature_item" => function(node, builder),
            "struct_item" => item(SymbolKind::Struct, node, builder),
            "union_item" => item(SymbolKind::Union, node, builder),
            "enum_item" => item(SymbolKind::Enum, node, builder),
            "trait_item" => item(SymbolKind::Trait, node, builder),
            "type_item" | "associated_type" => item(SymbolKind::Type, node, builder),
            "enum_variant" => item(SymbolKind::EnumMember, node, builder),
            "field_declaration" => item(SymbolKind::Field, node, builder),
            "impl_item" => implementation(node, builder),
            "mod_item" => module(node, builder),
            "const_item" => value(SymbolKind::Constant, node, builder),
            "static_item" => value(SymbolKind::Variable, node, builder),
            "macro_definition" => macros::macro_rules(node, builder),
            "use_declaration" => {
                imports::use_declaration(node, builder);
                Next::Skip
            }
            "extern_crate_declaration" => {
                imports::extern_crate(node, builder);
                Next::Skip
            }
            // A block outside every function is a constant's value: what stands in it is local to it.
            "block" => {
                if !builder.is_local() {
                    builder.open_anonymous();
                }
                Next::Descend
            }
            "closure_expression" => {
                if !builder.is_local() {
                    builder.open_anonymous();
                    if let Some(body) = node.child_by_field_name("body").filter(|body| body.kind() == "block") {
                        builder.fold(body);
                    }
                }
                Next::Descend
            }
            "ERROR" => {
                macros::declarative_macros(node, builder);
                Next::Descend
            }
            "macro_invocation" => {
                calls::items_inside(node, builder);
                Next::Skip
            }
            // No item stands inside these.
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
            | "raw_string_literal" => Next::Skip,
            _ => Next::Descend,
        }
    }

    fn is_transparent(&self, kind: &str) -> bool {
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

    fn attachment(&self, kind: &str) -> Option<Attachment> {
        match kind {
            "line_comment" | "block_comment" => Some(Attachment::Comment),
            "attribute_item" => Some(Attachment::Decorator),
            _ => None,
        }
    }

    /// `///` and `/** */`, but not rulers of four slashes or three stars, and not the inner forms.
    fn doc<'a>(&self, comment: &'a str) -> Option<&'a str> {
        if let Some(line) = comment.strip_prefix("///") {
            return (!line.starts_with('/')).then_some(line);
        }
        let ruler = comment.starts_with("/***") || comment.starts_with("/**/");
        if ruler { None } else { text::javadoc(comment) }
    }

    /// A doc comment is an attribute: it belongs to the next item however far that is.
    fn doc_must_touch(&self) -> bool {
        false
    }

    fn bind(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind(root, builder);
        true
    }

    fn finish(&self, builder: &mut OutlineBuilder<'_, '_>) {
        let exports: Vec<Export> = builder
            .top_level()
            .filter(|symbol| {
                symbol.visibility == Visibility::Public && symbol.kind != SymbolKind::Impl && !symbol.local
            })
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
        builder.exports.extend(exports);
        builder.exports.sort_by_key(|export| export.line);
    }

    #[cfg(test)]
    fn node_kinds(&self) -> Vec<&'static str> {
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

/// A definition with the visibility that its own modifier or its owner gives it.
fn define<'t>(
    builder: &OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let mut definition = builder.define(kind, name, node, body);
    definition.visibility = visibility(node, builder);
    if definition.docstring.is_none() {
        definition.docstring = definition.decorators.iter().find_map(|attribute| doc_attribute(attribute));
    }
    definition
}

fn visibility(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Visibility {
    if let Some(owner) = builder.enclosing_symbol() {
        let inherits = match owner.kind {
            SymbolKind::Trait | SymbolKind::Enum | SymbolKind::EnumMember => true,
            // The items of `impl Trait for Type` are as visible as the trait.
            SymbolKind::Impl => owner.visibility == Visibility::Public,
            _ => false,
        };
        if inherits {
            return owner.visibility;
        }
    }
    let modifier = node.named_child(0).filter(|child| child.kind() == "visibility_modifier");
    match modifier.map(|modifier| builder.text(modifier)) {
        None => Visibility::Private,
        Some("pub") => Visibility::Public,
        Some(restricted) if restricted.replace(char::is_whitespace, "") == "pub(self)" => Visibility::Private,
        Some(_) => Visibility::Internal,
    }
}

/// The text of `#[doc = "…"]`.
fn doc_attribute(attribute: &str) -> Option<String> {
    let value = attribute.strip_prefix("#[")?.trim_start().strip_prefix("doc")?.trim_start().strip_prefix('=')?;
    let value = value.trim().strip_suffix(']')?.trim();
    let literal = value.trim_start_matches('r').trim_matches('#');
    literal.starts_with('"').then(|| text::first_line(text::unquote(literal))).flatten()
}

fn function<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    // Inside a macro's rules a name may be a metavariable: that defines nothing by itself.
    let Some(name) = builder.field_text(node, "name").filter(|name| !name.starts_with('$')) else {
        return Next::Descend;
    };
    let body = node.child_by_field_name("body");
    let kind = match builder.enclosing() {
        Some(SymbolKind::Impl | SymbolKind::Trait) => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let definition = define(builder, kind, name, node, body);
    let Some(body) = body else {
        builder.leaf(definition);
        return Next::Skip;
    };
    builder.fold(body);
    // Inside a function the outermost body is searched already.
    if builder.is_local() || text::has_word(builder.text(body), ITEM_WORDS) {
        builder.open(definition);
        Next::Descend
    } else {
        builder.leaf(definition);
        Next::Skip
    }
}

/// A type, a trait, or a part of one.
fn item<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name").filter(|name| !name.starts_with('$')) else {
        return Next::Descend;
    };
    // The fields of a tuple have no names, so the signature shows them.
    let body = node.child_by_field_name("body").filter(|body| body.kind() != "ordered_field_declaration_list");
    let definition = define(builder, kind, name, node, body);
    if body.is_some() {
        builder.open(definition);
        Next::Descend
    } else {
        builder.leaf(definition);
        Next::Skip
    }
}

fn implementation<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(target) = node.child_by_field_name("type") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    let (header, scope) = types::header(node, target, builder);
    let mut definition = define(builder, SymbolKind::Impl, &header, node, body);
    definition.visibility = match node.child_by_field_name("trait") {
        Some(_) => Visibility::Public,
        None => Visibility::Unknown,
    };
    definition.scope_name = Some(scope);
    builder.open(definition);
    Next::Descend
}

fn module<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name") else { return Next::Descend };
    let body = node.child_by_field_name("body");
    let mut definition = define(builder, SymbolKind::Module, name, node, body);
    match body {
        Some(body) => {
            if definition.docstring.is_none() {
                definition.docstring = inner_doc(body, builder);
            }
            builder.open(definition);
            Next::Descend
        }
        None => {
            let path = definition.decorators.iter().find_map(|attribute| path_attribute(attribute));
            let owner = builder.enclosing_symbol().filter(|owner| owner.kind == SymbolKind::Module);
            let source = match (path, owner) {
                (Some(path), _) => path,
                // A module declared in an inline one lies in that one's folder.
                (None, Some(owner)) => format!("{}::{name}", owner.qualified_name.replace('.', "::")),
                (None, None) => name.to_owned(),
            };
            let import = Import {
                text: text::one_line(builder.text(node)),
                source,
                names: vec![name.to_owned()],
                kind: ImportKind::Module,
                lines: builder.lines(node),
            };
            builder.imports.push(import);
            builder.leaf(definition);
            Next::Skip
        }
    }
}

/// The file that `#[path = "…"]` names.
fn path_attribute(attribute: &str) -> Option<String> {
    let value = attribute.strip_prefix("#[")?.trim_start().strip_prefix("path")?.trim_start().strip_prefix('=')?;
    Some(text::unquote(value.trim().strip_suffix(']')?).to_owned())
}

/// The first line of a module's `//!` documentation.
fn inner_doc(body: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Option<String> {
    let first = body.named_child(0)?;
    let comment = builder.text(first);
    let line = comment.strip_prefix("//!").or_else(|| Some(comment.strip_prefix("/*!")?.strip_suffix("*/")?.trim()))?;
    text::first_line(line)
}

/// A constant or a static.
fn value<'t>(kind: SymbolKind, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(name) = builder.field_text(node, "name").filter(|name| !name.starts_with('$')) else {
        return Next::Descend;
    };
    // `const _: () = { … }` names nothing: it only gives its items a place.
    if name == "_" {
        return Next::Descend;
    }
    let value = node.child_by_field_name("value");
    let long = value.filter(|value| value.end_position().row > value.start_position().row);
    let definition = define(builder, kind, name, node, long);
    let holds_code = value.is_some_and(|value| {
        matches!(value.kind(), "block" | "unsafe_block" | "const_block" | "call_expression" | "closure_expression")
    });
    if let Some(value) = long
        && !builder.is_local()
        && !takes_closure(value)
    {
        builder.fold_long_value(value);
    }
    if holds_code {
        builder.open(definition);
        Next::Descend
    } else {
        builder.leaf(definition);
        Next::Skip
    }
}

/// Whether a value is a closure, or a call whose last argument is one (`LazyLock::new(|| …)`): its body is folded
/// alone, so that the call still shows.
fn takes_closure(value: Node<'_>) -> bool {
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
