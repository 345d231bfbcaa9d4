//! Statements that define by declaring: variables, prototypes, fields, type names, and the types written inside them.

use tree_sitter::Node;

use super::declarator::{self, Declarator};
use super::{export, head, is_keyword};
use crate::facts::{SymbolKind, Visibility};
use crate::frontend::Next;
use crate::outline::{Definition, MANY_NAMES, OutlineBuilder};
use crate::text;

/// What stands before and around the declarators of a statement.
pub(super) struct Statement<'t> {
    node: Node<'t>,
    /// Where it begins after its leading attributes.
    start: usize,
    attributes: Vec<Node<'t>>,
    declarators: Vec<Node<'t>>,
    pub is_static: bool,
    is_extern: bool,
    is_const: bool,
}

impl<'t> Statement<'t> {
    /// Reads the parts of a declaration, a field, a type definition or a function's head.
    pub fn read(node: Node<'t>, builder: &OutlineBuilder<'t, '_>) -> Self {
        let mut statement = Statement {
            node,
            start: node.start_byte(),
            attributes: Vec::new(),
            declarators: Vec::new(),
            is_static: false,
            is_extern: false,
            is_const: false,
        };
        let mut begun = false;
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return statement;
        }
        loop {
            let child = cursor.node();
            if child.is_error() {
                // Attributes before a lost semicolon belong to the statement before.
                if !begun && builder.text(child).contains(';') {
                    statement.attributes.clear();
                }
            } else if declarator::is_attribute(&child) {
                statement.attributes.push(child);
            } else {
                if !begun && child.kind() != "comment" {
                    begun = true;
                    statement.start = child.start_byte();
                }
                match cursor.field_name() {
                    Some("declarator") => statement.declarators.push(child),
                    Some("type") => {
                        let mut inner = child.walk();
                        statement.attributes.extend(child.named_children(&mut inner).filter(declarator::is_attribute));
                    }
                    _ => match (child.kind(), builder.text(child)) {
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
            () if builder.is_local() => Visibility::Unknown,
            () if self.is_static => Visibility::Private,
            () => Visibility::Public,
        }
    }

    /// The line where it begins after its leading attributes.
    pub fn line(&self, builder: &OutlineBuilder<'_, '_>) -> u32 {
        builder.lines(self.node).first + text::newlines(builder.source, self.node.start_byte()..self.start)
    }

    /// A definition of `name` over the whole statement, its signature ending where `body` begins.
    pub fn define(
        &self,
        builder: &OutlineBuilder<'t, '_>,
        kind: SymbolKind,
        name: &str,
        named: &Declarator<'t>,
        body: Option<Node<'t>>,
    ) -> Definition<'t> {
        let mut definition = builder.define(kind, name, self.node, body);
        self.trim(&mut definition, builder);
        if definition.signature.contains('#') {
            let end = body.map_or(definition.end, |body| body.start_byte());
            let head = builder.source.get(definition.start..end).and_then(head::without_directives);
            definition.signature = head.map_or(definition.signature, |head| text::signature(&head));
        }
        let inside = named.attributes.iter();
        definition.decorators =
            self.attributes.iter().chain(inside).map(|at| text::one_line(builder.text(*at))).collect();
        show_attributes_once(&mut definition);
        definition
    }

    /// Takes the attributes before a definition out of its range and its signature.
    fn trim(&self, definition: &mut Definition<'t>, builder: &OutlineBuilder<'t, '_>) {
        if self.start > definition.start {
            let cut = builder.source.get(definition.start..self.start).map(text::one_line).unwrap_or_default();
            if let Some(rest) = definition.signature.strip_prefix(&cut) {
                definition.signature = rest.trim_start().to_owned();
            }
            definition.start = self.start;
        }
    }

    /// A definition of one of the names that the statement declares.
    fn declare(
        &self,
        builder: &OutlineBuilder<'t, '_>,
        kind: SymbolKind,
        at: Node<'t>,
        named: &Declarator<'t>,
    ) -> Definition<'t> {
        let value = at.child_by_field_name("value");
        let long = value.filter(|value| value.end_position().row > value.start_position().row);
        let name = builder.text(named.name);
        let end = long.map_or(at.end_byte(), |long| long.start_byte());
        let own = || text::signature(builder.source.get(at.start_byte()..end).unwrap_or(""));
        if self.declarators.len() > MANY_NAMES {
            return Definition {
                name: name.to_owned(),
                kind,
                node: at,
                start: at.start_byte(),
                end: at.end_byte(),
                outer_start: at.start_byte(),
                signature: own(),
                decorators: Vec::new(),
                docstring: None,
                visibility: Visibility::Unknown,
                container: None,
                scope_name: None,
            };
        }
        let body = self.type_body();
        let mut definition = match self.declarators.split_first() {
            // Of several, each shows the type and itself.
            Some((first, [_, ..])) => self.define(builder, kind, name, named, body.or(Some(*first))),
            _ if body.is_some() => self.define(builder, kind, name, named, body),
            _ => return self.define(builder, kind, name, named, long),
        };
        let nameless = body.is_some() && matches!(self.written_type(builder), Some((_, None)));
        let joint = if nameless { " { ... } " } else { " " };
        definition.signature = format!("{}{joint}{}", definition.signature, own());
        definition
    }

    fn kind_of_value(&self, named: &Declarator<'_>) -> SymbolKind {
        if named.const_pointer.unwrap_or(self.is_const) { SymbolKind::Constant } else { SymbolKind::Variable }
    }

    /// The body of a type that is written inside the statement.
    fn type_body(&self) -> Option<Node<'t>> {
        self.node.child_by_field_name("type").and_then(|written| written.child_by_field_name("body"))
    }

    /// The type written inside the statement, where it has a body: its kind and its name.
    fn written_type<'s>(&self, builder: &OutlineBuilder<'t, 's>) -> Option<(SymbolKind, Option<&'s str>)> {
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

    /// Opens the type written inside the statement under its own name.
    fn open_type(&self, kind: SymbolKind, name: &str, builder: &mut OutlineBuilder<'t, '_>) {
        let mut definition = builder.define(kind, name, self.node, self.type_body());
        self.trim(&mut definition, builder);
        definition.decorators = self.attributes.iter().map(|at| text::one_line(builder.text(*at))).collect();
        show_attributes_once(&mut definition);
        definition.visibility = if builder.is_local() { Visibility::Unknown } else { Visibility::Public };
        builder.open(definition);
    }
}

/// Takes the attributes that a definition shows as its decorators out of its signature.
fn show_attributes_once(definition: &mut Definition<'_>) {
    for attribute in &definition.decorators {
        let Some((before, after)) = definition.signature.split_once(attribute.as_str()) else { continue };
        let (before, after) = (before.trim_end(), after.trim_start());
        let joint = if before.is_empty() || after.is_empty() || after.starts_with([',', ')']) { "" } else { " " };
        definition.signature = format!("{before}{joint}{after}");
    }
}

/// Variables and prototypes.
pub(super) fn declaration<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let statement = Statement::read(node, builder);
    let written = statement.written_type(builder);
    let local = builder.is_local();
    if local && !matches!(written, Some((_, Some(_)))) {
        return Next::Skip;
    }
    let mut opened = false;
    if let Some((kind, Some(name))) = written {
        statement.open_type(kind, name, builder);
        opened = true;
    }
    if !local {
        let line = statement.line(builder);
        for &at in &statement.declarators {
            let Some(named) = declarator::read(at, builder.source) else { continue };
            let name = builder.text(named.name);
            if is_keyword(name) {
                continue;
            }
            let value = at.child_by_field_name("value");
            let kind = if named.is_function { SymbolKind::Function } else { statement.kind_of_value(&named) };
            let mut definition = statement.declare(builder, kind, at, &named);
            definition.visibility = statement.visibility(builder);
            if !named.is_function && !statement.is_static && (!statement.is_extern || value.is_some()) {
                export(name, line, builder);
            }
            if let Some(value) = value {
                builder.fold_long_value(value);
            }
            add(definition, &mut opened, written.is_some(), builder);
        }
    }
    if opened || written.is_some() { Next::Descend } else { Next::Skip }
}

/// The members of a struct or union.
pub(super) fn field<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let statement = Statement::read(node, builder);
    if statement.declarators.is_empty() {
        // A member without a name gives its own members to the type around it.
        return Next::Descend;
    }
    let written = statement.written_type(builder);
    let mut opened = false;
    if let Some((kind, Some(name))) = written {
        statement.open_type(kind, name, builder);
        opened = true;
    }
    for &at in &statement.declarators {
        let Some(named) = declarator::read(at, builder.source) else { continue };
        let definition = statement.declare(builder, SymbolKind::Field, at, &named);
        add(definition, &mut opened, written.is_some(), builder);
    }
    if opened || written.is_some() { Next::Descend } else { Next::Skip }
}

/// `typedef`: one symbol where the type takes its name from it, else one for the type and one for each new name.
pub(super) fn type_definition<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let statement = Statement::read(node, builder);
    let written = statement.written_type(builder);
    let mut opened = false;
    if let Some((kind, Some(name))) = written {
        statement.open_type(kind, name, builder);
        opened = true;
    }
    for &at in &statement.declarators {
        let Some(named) = declarator::read(at, builder.source) else { continue };
        let name = builder.text(named.name);
        if let Some((_, Some(own))) = written
            && own == name
        {
            continue;
        }
        let plain = at.kind() == "type_identifier";
        let kind = match written {
            // `typedef struct { … } point;`: this is the only name that the struct has.
            Some((kind, None)) if plain && !opened => kind,
            _ => SymbolKind::Type,
        };
        let mut definition = statement.declare(builder, kind, at, &named);
        definition.visibility = if builder.is_local() { Visibility::Unknown } else { Visibility::Public };
        add(definition, &mut opened, written.is_some(), builder);
    }
    if opened || written.is_some() { Next::Descend } else { Next::Skip }
}

/// Adds one of a statement's names. The first opens where the statement writes a type without a name: the type's
/// members are its own.
fn add<'t>(definition: Definition<'t>, opened: &mut bool, writes_type: bool, builder: &mut OutlineBuilder<'t, '_>) {
    if *opened {
        builder.leaf_after(definition);
    } else if writes_type {
        builder.open(definition);
        *opened = true;
    } else {
        builder.leaf(definition);
    }
}

/// A struct, union or enum that no declarator follows: its definition, or its announcement (`struct node;`).
pub(super) fn lone_type<'t>(node: Node<'t>, kind: SymbolKind, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let body = node.child_by_field_name("body");
    // The statement around it opened it, or it has no name of its own.
    if builder.parent_opened() {
        return if body.is_some() { Next::Descend } else { Next::Skip };
    }
    let Some(name) = builder.field_text(node, "name") else { return Next::Descend };
    if body.is_none() && builder.is_local() {
        return Next::Skip;
    }
    let mut definition = builder.define(kind, name, node, body);
    // The grammar leaves the semicolon out, without which the declaration is none.
    if builder.source.as_bytes().get(definition.end) == Some(&b';') {
        definition.end += 1;
    }
    let mut cursor = node.walk();
    let attributes = node.named_children(&mut cursor).filter(declarator::is_attribute);
    definition.decorators = attributes.map(|at| text::one_line(builder.text(at))).collect();
    show_attributes_once(&mut definition);
    definition.visibility = if builder.is_local() { Visibility::Unknown } else { Visibility::Public };
    if body.is_some() {
        builder.open(definition);
        Next::Descend
    } else {
        builder.leaf(definition);
        Next::Skip
    }
}
