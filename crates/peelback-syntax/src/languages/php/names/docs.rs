//! What PHP's doc comments say of the types of parameters, results, properties and variables.

use tree_sitter::Node;

use super::doc_types::TypeReader;
use super::state::PendingVariable;
use super::{Binder, Kind};
use crate::names::{
    BindingId, BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, Target, first_line_number_of_node,
};

/// The limit on the number of tags that one doc comment is read for.
const MAX_TAGS: usize = 2_000;

/// A type in a doc comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DocType {
    pub expr: ExprId,
    /// Whether the type says more than a declared type of the language, such as `array`, can say.
    pub is_informative: bool,
}

/// A part of a doc comment, up to byte `end` of the source.
#[derive(Clone, Copy)]
pub(super) struct DocText<'s> {
    pub source: &'s str,
    pub at: usize,
    pub line: u32,
    pub end: usize,
}

/// A member that a doc comment declares.
pub(super) struct DocMember {
    pub kind: BindingKind,
    /// The byte range of the name.
    pub name: std::ops::Range<usize>,
    pub line: u32,
    pub annotation: ExprId,
    pub is_static: bool,
}

/// What one doc comment says.
#[derive(Default)]
pub(super) struct Doc {
    /// The types of parameters, by their names with `$`.
    pub parameters: Vec<(String, DocType)>,
    pub result: Option<DocType>,
    /// The types of variables or of the property below, with their names if they are written.
    pub variables: Vec<(Option<String>, DocType)>,
    pub members: Vec<DocMember>,
    /// The bases with type arguments: `@extends Collection<Foo>`.
    pub bases: Vec<ExprId>,
    /// The types whose members the type also has: `@mixin`.
    pub mixins: Vec<ExprId>,
}

impl Doc {
    pub fn type_of_parameter(&self, name: &str) -> Option<DocType> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, of)| *of)
    }

    /// The type of the property called `name`, with `$`.
    pub fn type_of_property(&self, name: &str) -> Option<DocType> {
        let named = self.variables.iter().find(|(known, _)| known.as_deref() == Some(name));
        let unnamed = || self.variables.iter().find(|(known, _)| known.is_none());
        named.or_else(unnamed).map(|(_, of)| *of)
    }
}

impl<'t> Binder<'t> {
    /// Reads the doc comment `node`. Type parameters that it declares are added to those in sight; `owner` is the type or
    /// function that they belong to, with its scope.
    pub(super) fn read_doc<'s>(
        &mut self,
        node: Option<Node<'t>>,
        scope: ScopeId,
        owner: Option<ScopeId>,
        builder: &mut NamesBuilder<'s>,
    ) -> Doc {
        let mut doc = Doc::default();
        let Some(node) = node else { return doc };
        let text = builder.text_of_node(node);
        if !text.contains('@') {
            return doc;
        }
        let mut tags = Vec::new();
        let mut at = node.start_byte();
        for (line, part) in (first_line_number_of_node(node)..).zip(text.split_inclusive('\n')) {
            let trimmed = part.trim_start_matches(['/', '*', ' ', '\t']);
            if let Some(tag) = trimmed.strip_prefix('@')
                && tags.len() < MAX_TAGS
            {
                let name: &str = tag.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or("");
                let behind = at + (part.len() - trimmed.len()) + 1 + name.len();
                tags.push((name, DocText { source: builder.source, at: behind, line, end: node.end_byte() - 2 }));
            }
            at += part.len();
        }
        for (name, rest) in &tags {
            if name.ends_with("template") || name.contains("template-co") {
                self.read_template(*rest, owner, builder);
            }
        }
        for (name, rest) in tags {
            let name = name.trim_start_matches("phpstan-").trim_start_matches("psalm-");
            self.read_tag(name, rest, scope, &mut doc, builder);
        }
        doc
    }

    fn read_tag<'s>(
        &mut self,
        name: &str,
        rest: DocText<'s>,
        scope: ScopeId,
        doc: &mut Doc,
        builder: &mut NamesBuilder<'s>,
    ) {
        match name {
            "param" => {
                let (of, reader) = self.read_type_at(rest, scope, builder);
                if let Some((range, _)) = variable_behind(&reader, rest.end) {
                    let name = builder.source.get(range).unwrap_or("").to_owned();
                    // A tag of a checker comes after the plain one and says more.
                    match doc.parameters.iter_mut().find(|(known, _)| *known == name) {
                        Some(known) if of.is_informative => known.1 = of,
                        Some(_) => {}
                        None => doc.parameters.push((name, of)),
                    }
                }
            }
            "return" => {
                let (of, _) = self.read_type_at(rest, scope, builder);
                if doc.result.is_none_or(|known| !known.is_informative || of.is_informative) {
                    doc.result = Some(of);
                }
            }
            "var" => {
                // The variable may come before its type.
                let mut rest = rest;
                let before = variable_behind(&TypeReader::new(&rest), rest.end);
                if let Some((range, _)) = &before {
                    rest.at = range.end;
                }
                let (of, reader) = self.read_type_at(rest, scope, builder);
                let name = before.or_else(|| variable_behind(&reader, rest.end)).map(|(range, _)| range);
                let name = name.and_then(|range| builder.source.get(range)).map(str::to_owned);
                doc.variables.push((name, of));
            }
            "property" | "property-read" | "property-write" => {
                let (of, reader) = self.read_type_at(rest, scope, builder);
                if let Some((range, line)) = variable_behind(&reader, rest.end) {
                    doc.members.push(DocMember {
                        kind: BindingKind::Field,
                        name: range.start + 1..range.end,
                        line,
                        annotation: of.expr,
                        is_static: false,
                    });
                }
            }
            "method" => self.read_method_tag(rest, scope, doc, builder),
            "extends" | "implements" | "use" | "template-extends" | "template-implements" | "template-use" => {
                let (of, _) = self.read_type_at(rest, scope, builder);
                if matches!(builder.names.expr_by_id(of.expr), Expr::Generic { base: Some(_), .. }) {
                    doc.bases.push(of.expr);
                }
            }
            "mixin" => {
                let (of, _) = self.read_type_at(rest, scope, builder);
                doc.mixins.push(of.expr);
            }
            "throws" => {
                self.read_type_at(rest, scope, builder);
            }
            _ => {}
        }
    }

    fn read_type_at<'s>(
        &mut self,
        rest: DocText<'s>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'s>,
    ) -> (DocType, TypeReader<'s>) {
        let mut reader = TypeReader::new(&rest);
        let has_blank = rest.source.as_bytes().get(rest.at).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        if !has_blank {
            return (DocType { expr: builder.unknown_expr(), is_informative: false }, reader);
        }
        let of = self.read_doc_type(&mut reader, scope, builder);
        (of, reader)
    }

    /// Reads `[static] Type name(…)`, where the type can be missing.
    fn read_method_tag<'s>(
        &mut self,
        rest: DocText<'s>,
        scope: ScopeId,
        doc: &mut Doc,
        builder: &mut NamesBuilder<'s>,
    ) {
        let line = rest.source.get(rest.at..rest.end).unwrap_or("").lines().next().unwrap_or("");
        let is_static = line.trim_start().starts_with("static ");
        let start = match is_static {
            true => rest.at + (line.len() - line.trim_start().len()) + "static".len(),
            false => rest.at,
        };
        let text = rest.source.get(start..rest.at + line.len()).unwrap_or("");
        // The name is what stands before the parameters, behind the type.
        let Some(open) = text.match_indices('(').map(|(at, _)| at).find(|at| {
            let name = text.get(..*at).unwrap_or("").rsplit(|c: char| !is_name_char(c)).next().unwrap_or("");
            !name.is_empty() && !matches!(name, "callable" | "Closure")
        }) else {
            return;
        };
        let before = text.get(..open).unwrap_or("");
        let name = before.rsplit(|c: char| !is_name_char(c)).next().unwrap_or("");
        let name_start = start + open - name.len();
        let has_type = before.trim_start().len() > name.len();
        let annotation = match has_type {
            true => {
                let (of, reader) = self.read_type_at(DocText { at: start, ..rest }, scope, builder);
                if reader.at > name_start { builder.unknown_expr() } else { of.expr }
            }
            false => builder.unknown_expr(),
        };
        doc.members.push(DocMember {
            kind: BindingKind::Function,
            name: name_start..name_start + name.len(),
            line: rest.line,
            annotation,
            is_static,
        });
    }

    /// Adds a type parameter. One of a function is not known: its arguments decide.
    fn read_template<'s>(&mut self, rest: DocText<'s>, owner: Option<ScopeId>, builder: &mut NamesBuilder<'s>) {
        let line = rest.source.get(rest.at..rest.end).unwrap_or("").lines().next().unwrap_or("");
        let name = line.trim_start();
        let start = rest.at + (line.len() - name.len());
        let name: &'s str = name.split(|c: char| !is_name_char(c)).next().unwrap_or("");
        if name.is_empty() {
            return;
        }
        let expr = match owner {
            Some(owner) => {
                let id = builder.intern_source_text(name);
                let binding = builder.add_binding(owner, BindingKind::TypeParameter, id, start);
                builder.add_expr(Expr::Bound { binding })
            }
            None => builder.unknown_expr(),
        };
        self.templates.push((name.to_owned(), expr));
    }

    /// Binds the members that the doc comment of a type declares. `is_bound` tells which the type declares itself.
    pub(super) fn bind_doc_members(
        &mut self,
        members: Vec<DocMember>,
        scope: ScopeId,
        is_bound: impl Fn(&NamesBuilder<'_>, u32, BindingKind) -> bool,
        builder: &mut NamesBuilder<'_>,
    ) {
        for member in members {
            let name = builder.name_id_of_source_range(member.name.clone());
            if is_bound(builder, name, member.kind) {
                continue;
            }
            let binding: BindingId = builder.add_binding(scope, member.kind, name, member.name.start);
            builder.record_occurrence_at_offset(
                name,
                member.name.start,
                member.line,
                Role::Definition,
                Target::Binding(binding),
            );
            let known = (member.annotation != builder.unknown_expr()).then_some(member.annotation);
            let bound = builder.binding_mut(binding);
            bound.annotation = known;
            bound.on_type = member.is_static;
        }
    }

    /// Reads a comment between statements: it can document the next statement, or tell the type of a variable.
    pub(super) fn read_comment_between_statements(
        &mut self,
        node: Node<'t>,
        doc: &mut Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let text = builder.text_of_node(node);
        if !text.starts_with("/**") {
            return;
        }
        *doc = Some(node);
        if !text.contains("@var") {
            return;
        }
        let scope = self.functions.last().map_or(crate::names::FILE_SCOPE, |function| function.scope);
        let said = self.read_doc(Some(node), scope, None, builder);
        for (name, of) in said.variables {
            if of.expr == builder.unknown_expr() {
                continue;
            }
            if let Some(name) = &name {
                let value = builder.add_expr(Expr::Instance { of: of.expr });
                let id = builder.intern_constructed_text(name);
                self.set_current_value(id, value, false);
            }
            self.pending_variables.push(PendingVariable { name, of: of.expr });
        }
    }

    /// Whether a node is a comment.
    pub(super) fn is_comment(&self, node: Node<'t>) -> bool {
        self.kind(node) == Kind::Comment
    }
}

/// The variable that is next, and its line.
fn variable_behind(reader: &TypeReader<'_>, end: usize) -> Option<(std::ops::Range<usize>, u32)> {
    let rest = reader.text.get(reader.at..end)?;
    let skipped = rest.trim_start_matches([' ', '\t', '&', '.']);
    let name = skipped.strip_prefix('$')?;
    let start = reader.at + (rest.len() - skipped.len());
    let length = name.find(|c: char| !is_name_char(c)).unwrap_or(name.len());
    (length > 0).then_some((start..start + 1 + length, reader.line))
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
