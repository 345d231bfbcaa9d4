//! Symbols of C declarations: variables, prototypes, fields, type names, and the types that are defined inside them.

use tree_sitter::Node;

use super::declarator::{self, Declarator};
use super::function_head;
use super::keywords::is_c_keyword;
use crate::facts::{Export, ExportKind, SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::{Definition, MANY_NAMES, OutlineBuilder};
use crate::text;

/// The attributes, specifiers and declarators of one C declaration, field, type definition or function head.
pub(super) struct DeclarationStatement<'t> {
    node: Node<'t>,
    /// Byte offset where the declaration begins after its leading attributes.
    start: usize,
    attributes: Vec<Node<'t>>,
    declarators: Vec<Node<'t>>,
    pub is_static: bool,
    is_extern: bool,
    is_const: bool,
}

impl<'t> DeclarationStatement<'t> {
    /// Reads the attributes, specifiers and declarators of a declaration, a field, a type definition or a function
    /// head.
    pub fn parse(node: Node<'t>, builder: &OutlineBuilder<'t, '_>) -> Self {
        let mut statement = DeclarationStatement {
            node,
            start: node.start_byte(),
            attributes: Vec::new(),
            declarators: Vec::new(),
            is_static: false,
            is_extern: false,
            is_const: false,
        };
        let mut has_begun = false;
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return statement;
        }
        loop {
            let child = cursor.node();
            if child.is_error() {
                // Attributes in front of a missing semicolon belong to the previous statement.
                if !has_begun && builder.text_of_node(child).contains(';') {
                    statement.attributes.clear();
                }
            } else if declarator::is_attribute_node(&child) {
                statement.attributes.push(child);
            } else {
                if !has_begun && child.kind() != "comment" {
                    has_begun = true;
                    statement.start = child.start_byte();
                }
                match cursor.field_name() {
                    Some("declarator") => statement.declarators.push(child),
                    Some("type") => {
                        let mut inner = child.walk();
                        statement
                            .attributes
                            .extend(child.named_children(&mut inner).filter(declarator::is_attribute_node));
                    }
                    _ => match (child.kind(), builder.text_of_node(child)) {
                        ("storage_class_specifier", "static") => statement.is_static = true,
                        ("storage_class_specifier", "extern") => statement.is_extern = true,
                        ("type_qualifier", "const" | "constexpr") => statement.is_const = true,
                        _ => {}
                    },
                }
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        statement
    }

    pub fn visibility(&self, builder: &OutlineBuilder<'_, '_>) -> Visibility {
        match () {
            () if builder.is_in_local_scope() => Visibility::Unknown,
            () if self.is_static => Visibility::Private,
            () => Visibility::Public,
        }
    }

    /// The line, counted from 1, on which the declaration begins after its leading attributes.
    pub fn first_line_after_attributes(&self, builder: &OutlineBuilder<'_, '_>) -> u32 {
        builder.lines_of_node(self.node).first
            + text::count_newlines(builder.source, self.node.start_byte()..self.start)
    }

    /// Builds a definition of `name` that spans the whole statement. The signature ends where `body` begins.
    pub fn build_definition_spanning_statement(
        &self,
        builder: &OutlineBuilder<'t, '_>,
        kind: SymbolKind,
        name: &str,
        named: &Declarator<'t>,
        body: Option<Node<'t>>,
    ) -> Definition<'t> {
        let mut definition = builder.build_definition(kind, name, self.node, body);
        self.exclude_leading_attributes_from_definition(&mut definition, builder);
        if definition.signature.contains('#') {
            let end = body.map_or(definition.end, |body| body.start_byte());
            let head =
                builder.source.get(definition.start..end).and_then(function_head::function_head_without_directives);
            definition.signature = head.map_or(definition.signature, |head| text::format_signature(&head));
        }
        let declarator_attributes = named.attributes.iter();
        definition.decorators = self
            .attributes
            .iter()
            .chain(declarator_attributes)
            .map(|at| text::to_one_line(builder.text_of_node(*at)))
            .collect();
        remove_attributes_from_signature(&mut definition);
        definition
    }

    /// Removes the leading attributes from a definition's range and signature.
    fn exclude_leading_attributes_from_definition(
        &self,
        definition: &mut Definition<'t>,
        builder: &OutlineBuilder<'t, '_>,
    ) {
        if self.start > definition.start {
            let attribute_text =
                builder.source.get(definition.start..self.start).map(text::to_one_line).unwrap_or_default();
            if let Some(rest) = definition.signature.strip_prefix(&attribute_text) {
                definition.signature = rest.trim_start().to_owned();
            }
            definition.start = self.start;
        }
    }

    /// Builds the definition of one of the names that the statement declares.
    fn build_definition_of_declared_name(
        &self,
        builder: &OutlineBuilder<'t, '_>,
        kind: SymbolKind,
        at: Node<'t>,
        named: &Declarator<'t>,
    ) -> Definition<'t> {
        let value = at.child_by_field_name("value");
        let multiline_value = value.filter(|value| value.end_position().row > value.start_position().row);
        let name = builder.text_of_node(named.name);
        let end = multiline_value.map_or(at.end_byte(), |long| long.start_byte());
        let declarator_signature = || text::format_signature(builder.source.get(at.start_byte()..end).unwrap_or(""));
        if self.declarators.len() > MANY_NAMES {
            return Definition {
                name: name.to_owned(),
                kind,
                node: at,
                start: at.start_byte(),
                end: at.end_byte(),
                outer_start: at.start_byte(),
                signature: declarator_signature(),
                decorators: Vec::new(),
                docstring: None,
                visibility: Visibility::Unknown,
                container: None,
                scope_name: None,
            };
        }
        let body = self.inline_type_body();
        let mut definition = match self.declarators.split_first() {
            // With several declarators, each signature shows the type and its own declarator.
            Some((first, [_, ..])) => {
                self.build_definition_spanning_statement(builder, kind, name, named, body.or(Some(*first)))
            }
            _ if body.is_some() => self.build_definition_spanning_statement(builder, kind, name, named, body),
            _ => return self.build_definition_spanning_statement(builder, kind, name, named, multiline_value),
        };
        let has_unnamed_type = body.is_some() && matches!(self.inline_type_kind_and_name(builder), Some((_, None)));
        let separator = if has_unnamed_type { " { ... } " } else { " " };
        definition.signature = format!("{}{separator}{}", definition.signature, declarator_signature());
        definition
    }

    fn constant_or_variable_symbol_kind(&self, named: &Declarator<'_>) -> SymbolKind {
        if named.const_pointer.unwrap_or(self.is_const) { SymbolKind::Constant } else { SymbolKind::Variable }
    }

    /// The node of the body (`{ … }`) of a type that is defined inside the statement.
    fn inline_type_body(&self) -> Option<Node<'t>> {
        self.node.child_by_field_name("type").and_then(|written| written.child_by_field_name("body"))
    }

    /// The kind of a type that is defined inside the statement, and its name, if it has one.
    fn inline_type_kind_and_name<'s>(&self, builder: &OutlineBuilder<'t, 's>) -> Option<(SymbolKind, Option<&'s str>)> {
        let written = self.node.child_by_field_name("type")?;
        written.child_by_field_name("body")?;
        let kind = match written.kind() {
            "struct_specifier" => SymbolKind::Struct,
            "union_specifier" => SymbolKind::Union,
            "enum_specifier" => SymbolKind::Enum,
            _ => return None,
        };
        Some((kind, builder.field_text(written, "name")))
    }

    /// Adds the symbol of a type that is defined inside the statement, under the type's own name. The members that the
    /// walk visits next become its children.
    fn add_and_open_inline_type_symbol(&self, kind: SymbolKind, name: &str, builder: &mut OutlineBuilder<'t, '_>) {
        let mut definition = builder.build_definition(kind, name, self.node, self.inline_type_body());
        self.exclude_leading_attributes_from_definition(&mut definition, builder);
        definition.decorators = self.attributes.iter().map(|at| text::to_one_line(builder.text_of_node(*at))).collect();
        remove_attributes_from_signature(&mut definition);
        definition.visibility = if builder.is_in_local_scope() { Visibility::Unknown } else { Visibility::Public };
        builder.add_definition_and_open_scope(definition);
    }
}

/// Removes from a definition's signature the attributes that are already listed as its decorators.
fn remove_attributes_from_signature(definition: &mut Definition<'_>) {
    for attribute in &definition.decorators {
        let Some((before, after)) = definition.signature.split_once(attribute.as_str()) else { continue };
        let (before, after) = (before.trim_end(), after.trim_start());
        let separator = if before.is_empty() || after.is_empty() || after.starts_with([',', ')']) { "" } else { " " };
        definition.signature = format!("{before}{separator}{after}");
    }
}

/// Adds the export of `name` to the outline, unless the previous export has the same name.
pub(super) fn add_export_unless_repeated(name: &str, line: u32, builder: &mut OutlineBuilder<'_, '_>) {
    if builder.exports.last().is_none_or(|last| last.name != name) {
        builder.exports.push(Export { name: name.to_owned(), kind: ExportKind::Named, line });
    }
}

/// Adds the symbols of the variables and function prototypes of a C declaration.
pub(super) fn outline_declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let statement = DeclarationStatement::parse(node, builder);
    let inline_type = statement.inline_type_kind_and_name(builder);
    let local = builder.is_in_local_scope();
    if local && !matches!(inline_type, Some((_, Some(_)))) {
        return WalkStep::Skip;
    }
    let mut is_type_opened = false;
    if let Some((kind, Some(name))) = inline_type {
        statement.add_and_open_inline_type_symbol(kind, name, builder);
        is_type_opened = true;
    }
    if !local {
        let line = statement.first_line_after_attributes(builder);
        for &at in &statement.declarators {
            let Some(named) = declarator::parse_declarator(at, builder.source) else { continue };
            let name = builder.text_of_node(named.name);
            if is_c_keyword(name) {
                continue;
            }
            let value = at.child_by_field_name("value");
            let kind = if named.is_function {
                SymbolKind::Function
            } else {
                statement.constant_or_variable_symbol_kind(&named)
            };
            let mut definition = statement.build_definition_of_declared_name(builder, kind, at, &named);
            definition.visibility = statement.visibility(builder);
            if !named.is_function && !statement.is_static && (!statement.is_extern || value.is_some()) {
                add_export_unless_repeated(name, line, builder);
            }
            if let Some(value) = value {
                builder.fold_value_if_long(value);
            }
            add_declared_symbol(definition, &mut is_type_opened, inline_type.is_some(), builder);
        }
    }
    if is_type_opened || inline_type.is_some() { WalkStep::Descend } else { WalkStep::Skip }
}

/// Adds the symbols of the members that one field declaration of a struct or union declares.
pub(super) fn outline_field<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let statement = DeclarationStatement::parse(node, builder);
    if statement.declarators.is_empty() {
        // The members of an unnamed member belong to the enclosing type.
        return WalkStep::Descend;
    }
    let inline_type = statement.inline_type_kind_and_name(builder);
    let mut is_type_opened = false;
    if let Some((kind, Some(name))) = inline_type {
        statement.add_and_open_inline_type_symbol(kind, name, builder);
        is_type_opened = true;
    }
    for &at in &statement.declarators {
        let Some(named) = declarator::parse_declarator(at, builder.source) else { continue };
        let definition = statement.build_definition_of_declared_name(builder, SymbolKind::Field, at, &named);
        add_declared_symbol(definition, &mut is_type_opened, inline_type.is_some(), builder);
    }
    if is_type_opened || inline_type.is_some() { WalkStep::Descend } else { WalkStep::Skip }
}

/// Adds the symbols of a `typedef`: one symbol if the type has no other name, and otherwise one for the type and one
/// for each new name.
pub(super) fn outline_typedef<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let statement = DeclarationStatement::parse(node, builder);
    let inline_type = statement.inline_type_kind_and_name(builder);
    let mut is_type_opened = false;
    if let Some((kind, Some(name))) = inline_type {
        statement.add_and_open_inline_type_symbol(kind, name, builder);
        is_type_opened = true;
    }
    for &at in &statement.declarators {
        let Some(named) = declarator::parse_declarator(at, builder.source) else { continue };
        let name = builder.text_of_node(named.name);
        if let Some((_, Some(own))) = inline_type
            && own == name
        {
            continue;
        }
        let is_plain_name = at.kind() == "type_identifier";
        let kind = match inline_type {
            // In `typedef struct { … } point;` the struct has no other name.
            Some((kind, None)) if is_plain_name && !is_type_opened => kind,
            _ => SymbolKind::Type,
        };
        let mut definition = statement.build_definition_of_declared_name(builder, kind, at, &named);
        definition.visibility = if builder.is_in_local_scope() { Visibility::Unknown } else { Visibility::Public };
        add_declared_symbol(definition, &mut is_type_opened, inline_type.is_some(), builder);
    }
    if is_type_opened || inline_type.is_some() { WalkStep::Descend } else { WalkStep::Skip }
}

/// Adds the symbol of one of the names that a statement declares. If the statement defines an unnamed type, its first
/// name opens the symbol that contains the type's members.
fn add_declared_symbol<'t>(
    definition: Definition<'t>,
    is_type_opened: &mut bool,
    has_inline_type: bool,
    builder: &mut OutlineBuilder<'t, '_>,
) {
    if *is_type_opened {
        builder.add_sibling_after_open_definition(definition);
    } else if has_inline_type {
        builder.add_definition_and_open_scope(definition);
        *is_type_opened = true;
    } else {
        builder.add_leaf_definition(definition);
    }
}

/// Adds the symbol of a struct, union or enum without a declarator: a definition, or a forward declaration
/// (`struct node;`).
pub(super) fn outline_type_without_declarator<'t>(
    node: Node<'t>,
    kind: SymbolKind,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    let body = node.child_by_field_name("body");
    // The enclosing statement already opened the type's symbol, or the type has no name.
    if builder.has_defining_parent() {
        return if body.is_some() { WalkStep::Descend } else { WalkStep::Skip };
    }
    let Some(name) = builder.field_text(node, "name") else { return WalkStep::Descend };
    if body.is_none() && builder.is_in_local_scope() {
        return WalkStep::Skip;
    }
    let mut definition = builder.build_definition(kind, name, node, body);
    // The grammar leaves out the semicolon that ends the declaration.
    if builder.source.as_bytes().get(definition.end) == Some(&b';') {
        definition.end += 1;
    }
    let mut cursor = node.walk();
    let attributes = node.named_children(&mut cursor).filter(declarator::is_attribute_node);
    definition.decorators = attributes.map(|at| text::to_one_line(builder.text_of_node(at))).collect();
    remove_attributes_from_signature(&mut definition);
    definition.visibility = if builder.is_in_local_scope() { Visibility::Unknown } else { Visibility::Public };
    if body.is_some() {
        builder.add_definition_and_open_scope(definition);
        WalkStep::Descend
    } else {
        builder.add_leaf_definition(definition);
        WalkStep::Skip
    }
}
