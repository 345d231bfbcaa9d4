//! The outline of Python files: functions, classes, variables and imports.

mod exports;
mod grammar;
mod names;
mod project;
mod standard;

use std::ops::Range;

use tree_sitter::Node;

use crate::facts::{FoldKind, Import, ImportKind, SymbolKind, Visibility};
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::outline::{Definition, MANY_NAMES, OutlineBuilder};
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, StubStyle, Tier};
use crate::text;

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "#", has_magics: true }),
    aliases: &["py"],
    extensions: &["py", "pyi", "pyw", "ipynb"],
    file_names: &["SConstruct", "SConscript", "wscript"],
    interpreters: &["python", "pypy"],
    family: Some("python"),
    keywords: Keywords {
        definitions: &["class", "def", "type"],
        bindings: &[],
        modifiers: &["async"],
        statements: &[
            "if", "else", "for", "while", "match", "try", "return", "with", "case", "elif", "raise", "assert", "print",
        ],
    },
    stub_style: StubStyle::Placeholder,
    standard_library: Some(standard::is_standard_library_module),
    project_files: project::FILES,
    ..Language::new("python", Tier::Complete, Analysis::Frontend { grammar: grammar::GRAMMAR, frontend: &Python })
};

struct Python;

impl LanguageFrontend for Python {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "decorated_definition" => WalkStep::DescendKeepingAttachments,
            "function_definition" => outline_function_definition(node, builder),
            "class_definition" => outline_class_definition(node, builder),
            "assignment" => outline_assignment(node, builder),
            "type_alias_statement" => outline_type_alias(node, builder),
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                add_imports_of_statement(node, builder);
                WalkStep::Skip
            }
            "expression_statement" => {
                if is_single_string_statement(node) && !builder.is_in_local_scope() {
                    builder.fold_byte_range_unless_overlapping(node.byte_range(), FoldKind::Comment);
                    return WalkStep::Skip;
                }
                WalkStep::Descend
            }
            "lambda" => WalkStep::Skip,
            "augmented_assignment" => {
                if builder.enclosing_symbol_kind().is_none() && builder.field_text(node, "left") == Some("__all__") {
                    exports::add_dunder_all_exports(node.child_by_field_name("right"), builder);
                }
                WalkStep::Skip
            }
            "call" => {
                if builder.enclosing_symbol_kind().is_none() {
                    exports::apply_dunder_all_method_call(node, builder);
                }
                WalkStep::Skip
            }
            // Nodes of these kinds contain no statements, so they contain no definitions.
            "binary_operator"
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
            | "generator_expression" => WalkStep::Skip,
            _ => WalkStep::Descend,
        }
    }

    fn is_descend_only_node_kind(&self, kind: &str) -> bool {
        matches!(
            kind,
            "module"
                | "block"
                | "if_statement"
                | "elif_clause"
                | "else_clause"
                | "for_statement"
                | "while_statement"
                | "with_statement"
                | "with_clause"
                | "with_item"
                | "try_statement"
                | "except_clause"
                | "finally_clause"
                | "identifier"
                | "attribute"
                | "subscript"
                | "integer"
                | "float"
                | "true"
                | "false"
                | "none"
                | "pass_statement"
                | "unary_operator"
                | "not_operator"
                | "await"
                | "yield"
        )
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        match kind {
            "comment" => Some(Attachment::Comment),
            "decorator" => Some(Attachment::Decorator),
            _ => None,
        }
    }

    /// Python documentation is a docstring inside the body; a comment above a definition is not documentation.
    fn doc_comment_text<'a>(&self, _comment: &'a str) -> Option<&'a str> {
        None
    }

    /// A comment between two decorators does not separate them from the definition.
    fn should_doc_comment_touch_definition(&self) -> bool {
        false
    }

    fn bind_names(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind_names_in_file(root, builder);
        true
    }

    fn add_exports_known_at_file_end(&self, builder: &mut OutlineBuilder<'_, '_>) {
        exports::add_implicit_exports_and_deduplicate(builder);
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        vec![
            "decorated_definition",
            "function_definition",
            "class_definition",
            "generic_type",
            "type_parameter",
            "subscript",
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
            "list_pattern",
            "list_splat_pattern",
            "block",
            "module",
            "attribute",
            "concatenated_string",
            "parenthesized_expression",
            "list_splat",
            "identifier",
            "string_content",
            "dotted_name",
        ]
    }
}

fn outline_function_definition<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    let kind = if builder.enclosing_symbol_kind() == Some(SymbolKind::Class) {
        SymbolKind::Method
    } else {
        SymbolKind::Function
    };
    let mut definition = build_definition_with_header_and_visibility(builder, kind, name, node);
    let local = builder.is_in_local_scope();
    if let Some(body) = body {
        let mut folded = body.byte_range();
        if let Some(docstring) = docstring_of_body(body) {
            definition.docstring = docstring_first_line(builder.text_of_node(docstring));
            if !local {
                builder.fold_byte_range_unless_overlapping(docstring.byte_range(), FoldKind::Comment);
            }
            folded.start = docstring.end_byte();
        }
        folded.end = text::trimmed_end_offset(builder.source, body.byte_range());
        let rest = builder.source.get(folded.clone()).unwrap_or("");
        // A body of `...` alone is a stub and is not folded.
        if !matches!(rest.trim(), "" | "...") {
            let skipped = rest.len() - rest.trim_start().len();
            builder.fold_byte_range_unless_overlapping(folded.start + skipped..folded.end, FoldKind::Body);
        }
    }
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

fn outline_class_definition<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    let body = node.child_by_field_name("body");
    let mut definition = build_definition_with_header_and_visibility(builder, SymbolKind::Class, name, node);
    definition.docstring =
        body.and_then(docstring_of_body).and_then(|docstring| docstring_first_line(builder.text_of_node(docstring)));
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Creates a definition whose signature ends before the colon of its body and contains no comments. Its visibility
/// follows from its name.
fn build_definition_with_header_and_visibility<'t>(
    builder: &OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
) -> Definition<'t> {
    let mut cursor = node.walk();
    // Broken source may lack the colon.
    let colon = node.children(&mut cursor).find(|child| child.kind() == ":").or(node.child_by_field_name("body"));
    let mut definition = builder.build_definition(kind, name, node, colon);
    let end = colon.map_or(node.end_byte(), |colon| colon.start_byte());
    if definition.signature.contains('#') || may_document_types(&definition.signature) {
        definition.signature = header_without_comments_and_documentation(builder, node, end);
    }
    definition.visibility = visibility_by_name(name);
    definition
}

/// The header of a Python definition, from its start up to byte offset `end`, without the comments between its parts
/// and in its lists of parameters and bases, and without what documents the types of parameters.
fn header_without_comments_and_documentation(builder: &OutlineBuilder<'_, '_>, node: Node<'_>, end: usize) -> String {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut cut_comment = |comment: Node<'_>| cuts.push(comment.byte_range());
    let (mut outer, mut inner) = (node.walk(), node.walk());
    for child in node.named_children(&mut outer).take_while(|child| child.end_byte() <= end) {
        if child.kind() == "comment" {
            cut_comment(child);
        } else {
            child.named_children(&mut inner).filter(|part| part.kind() == "comment").for_each(&mut cut_comment);
        }
    }
    if may_document_types(builder.source.get(node.start_byte()..end).unwrap_or("")) {
        cuts.extend(documentation_in_types(builder, node, end));
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut header = String::new();
    let mut from = node.start_byte();
    for cut in cuts {
        if cut.start >= from {
            header.push_str(builder.source.get(from..cut.start).unwrap_or(""));
            from = cut.end;
        }
    }
    header.push_str(builder.source.get(from..end).unwrap_or(""));
    text::format_signature(&header)
}

/// The names of calls that document a type in `Annotated[T, ...]`: `Doc("...")`, `deprecated("...")`.
const DOCUMENTING_CALLS: [&str; 2] = ["Doc", "deprecated"];

/// Whether a header may document types; `false` is certain.
fn may_document_types(header: &str) -> bool {
    header.contains("Annotated") && DOCUMENTING_CALLS.iter().any(|name| header.contains(name))
}

/// The parts of a header, which ends at byte offset `end`, without which its types are not documented.
/// `Annotated[T, Doc("...")]` becomes `T`, and `Annotated[T, Query(), Doc("...")]` becomes `Annotated[T, Query()]`.
fn documentation_in_types(builder: &OutlineBuilder<'_, '_>, node: Node<'_>, end: usize) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> =
            node.named_children(&mut cursor).take_while(|child| child.start_byte() < end).collect();
        let is_annotated = |name: &&Node<'_>| {
            let name = builder.text_of_node(**name);
            name == "Annotated" || name.ends_with(".Annotated")
        };
        let is_subscript = matches!(node.kind(), "generic_type" | "subscript");
        let Some((_, arguments)) = children.split_first().filter(|(name, _)| is_subscript && is_annotated(name)) else {
            pending.extend(children);
            continue;
        };
        let mut inner = node.walk();
        let arguments: Vec<Node<'_>> = match arguments {
            [list] if list.kind() == "type_parameter" => list.named_children(&mut inner).collect(),
            _ => arguments.to_vec(),
        };
        let Some((annotated, metadata)) = arguments.split_first() else { continue };
        pending.push(*annotated);
        let documents = |argument: &Node<'_>| {
            let text = builder.text_of_node(*argument);
            let called = text.split_once('(').map_or("", |(called, _)| called.trim());
            called.rsplit('.').next().is_some_and(|name| DOCUMENTING_CALLS.contains(&name))
        };
        if metadata.iter().all(documents) && !metadata.is_empty() {
            cuts.push(node.start_byte()..annotated.start_byte());
            cuts.push(annotated.end_byte()..node.end_byte());
            continue;
        }
        let mut previous_end = annotated.end_byte();
        for argument in metadata {
            if documents(argument) {
                cuts.push(previous_end..argument.end_byte());
            }
            previous_end = argument.end_byte();
        }
    }
    cuts
}

/// The visibility of a name by convention: a leading underscore marks a private name, and dunder names (`__init__`) are
/// public.
fn visibility_by_name(name: &str) -> Visibility {
    if name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__")) {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

fn outline_assignment<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let in_class = builder.enclosing_symbol_kind() == Some(SymbolKind::Class);
    if !in_class && (builder.is_in_local_scope() || builder.enclosing_symbol_kind().is_some()) {
        return WalkStep::Skip;
    }
    let block = builder.ancestor_nodes().find(|ancestor| matches!(ancestor.kind(), "block" | "module"));
    // `a = b = value` nests one assignment in another. A loop visits the whole chain as one statement, because each
    // nested assignment would otherwise search the same ancestors again.
    let mut assignment = Some(node);
    let mut chain_length = 0;
    while let Some(node) = assignment {
        let Some(left) = node.child_by_field_name("left") else { break };
        let right = node.child_by_field_name("right");
        chain_length += 1;
        add_symbols_of_assigned_names(node, left, right, block, chain_length > MANY_NAMES, builder);
        assignment = right.filter(|right| right.kind() == "assignment");
    }
    WalkStep::Skip
}

/// Adds a symbol for each name that one `left = right` binds. With `brief`, the signature of each symbol is its name
/// alone.
fn add_symbols_of_assigned_names<'t>(
    node: Node<'t>,
    left: Node<'t>,
    right: Option<Node<'t>>,
    block: Option<Node<'t>>,
    brief: bool,
    builder: &mut OutlineBuilder<'t, '_>,
) {
    let in_class = builder.enclosing_symbol_kind() == Some(SymbolKind::Class);
    if let Some(right) = right {
        if !in_class && builder.text_of_node(left) == "__all__" {
            exports::add_dunder_all_exports(Some(right), builder);
        }
        builder.fold_value_if_long(right);
    }
    let names = assigned_identifiers(left);
    let brief = brief || names.len() > MANY_NAMES;
    for name in names {
        let name = builder.text_of_node(name).to_owned();
        // A name that is assigned again (`x = 1` … `x = 2`) is one variable, defined at its first assignment. An
        // assignment in another block (`if` … `else`, `try` … `except`) is another definition of the same name.
        if !block.is_none_or(|block| builder.mark_name_bound_in_block(block, &name)) {
            continue;
        }
        let kind = if in_class {
            SymbolKind::Field
        } else if is_upper_case_constant_name(&name) {
            SymbolKind::Constant
        } else {
            SymbolKind::Variable
        };
        let long = right.filter(|right| right.end_position().row > right.start_position().row);
        let mut definition = builder.build_definition(kind, &name, node, if brief { Some(left) } else { long });
        if brief {
            definition.signature.clone_from(&name);
        } else if may_document_types(&definition.signature) {
            let end = long.map_or(node.end_byte(), |value| value.start_byte());
            definition.signature = header_without_comments_and_documentation(builder, node, end);
        }
        definition.visibility = visibility_by_name(&name);
        builder.add_leaf_definition(definition);
    }
}

/// The identifiers that the left side of an assignment binds, in source order.
fn assigned_identifiers(left: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut waiting = vec![left];
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "identifier" => found.push(node),
            "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" => {
                let mut cursor = node.walk();
                let from = waiting.len();
                waiting.extend(node.named_children(&mut cursor));
                if let Some(added) = waiting.get_mut(from..) {
                    added.reverse();
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a name is a constant by PEP 8: upper-case letters with underscores.
fn is_upper_case_constant_name(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

fn outline_type_alias<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if let Some(left) = node.child_by_field_name("left") {
        let name = builder.text_of_node(left).split('[').next().unwrap_or("").trim().to_owned();
        let mut definition = builder.build_definition(SymbolKind::Type, &name, node, None);
        definition.visibility = visibility_by_name(&name);
        builder.add_leaf_definition(definition);
    }
    WalkStep::Skip
}

/// Whether a statement consists of one string, as a docstring does.
fn is_single_string_statement(statement: Node<'_>) -> bool {
    statement.named_child_count() == 1
        && statement.named_child(0).is_some_and(|child| matches!(child.kind(), "string" | "concatenated_string"))
}

/// The docstring of a function, class or module body: a string that is its first statement.
fn docstring_of_body(body: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).find(|child| child.kind() != "comment")?;
    (first.kind() == "expression_statement" && is_single_string_statement(first)).then_some(first)
}

fn docstring_first_line(literal: &str) -> Option<String> {
    let inner = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let inner = ["\"\"\"", "'''", "\"", "'"]
        .iter()
        .find_map(|quotes| inner.strip_prefix(quotes).map(|rest| rest.strip_suffix(quotes).unwrap_or(rest)))
        .unwrap_or(inner);
    text::first_non_blank_line(inner)
}

fn add_imports_of_statement(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let lines = builder.lines_of_node(node);
    let text = text::to_one_line(builder.text_of_node(node));
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    if node.kind() == "import_statement" {
        for name in names {
            let source = name.child_by_field_name("name").unwrap_or(name);
            let import = Import {
                text: text.clone(),
                source: builder.text_of_node(source).to_owned(),
                names: vec![builder.text_of_node(name).to_owned()],
                kind: ImportKind::Namespace,
                lines,
            };
            builder.imports.push(import);
        }
        return;
    }
    let source = match builder.field_text(node, "module_name") {
        Some(module) => text::to_one_line(module),
        None => "__future__".to_owned(),
    };
    let mut cursor = node.walk();
    let glob = node.named_children(&mut cursor).any(|child| child.kind() == "wildcard_import");
    let import = Import {
        text,
        source,
        names: names.into_iter().map(|name| text::to_one_line(builder.text_of_node(name))).collect(),
        kind: if glob { ImportKind::Glob } else { ImportKind::Named },
        lines,
    };
    builder.imports.push(import);
}
