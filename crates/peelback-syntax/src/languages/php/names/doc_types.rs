//! Types in PHP's doc comments: `Foo[]`, `array<int, Foo>`, `Foo|null`, `Collection<Foo>`.

use super::docs::{DocText, DocType};
use super::paths::Place;
use super::state::PathKind;
use super::{Binder, types};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, Target};

/// The limit on the nesting of types in a doc comment.
const MAX_TYPE_DEPTH: u32 = 24;

/// The limit on the length of one type in a doc comment, in bytes.
const MAX_TYPE_BYTES: usize = 20_000;

/// A reader of one type, which begins at byte `at` of the source.
pub(super) struct TypeReader<'s> {
    pub text: &'s str,
    pub at: usize,
    pub line: u32,
    depth: u32,
    end: usize,
}

impl<'s> TypeReader<'s> {
    pub fn new(doc: &DocText<'s>) -> Self {
        let end = doc.source.len().min(doc.at.saturating_add(MAX_TYPE_BYTES)).min(doc.end);
        Self { text: doc.source, at: doc.at, line: doc.line, depth: 0, end }
    }

    fn peek(&self) -> u8 {
        if self.at >= self.end { 0 } else { self.text.as_bytes().get(self.at).copied().unwrap_or(0) }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte && byte != 0;
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips blanks, and line breaks with the asterisk that begins the next line.
    fn skip_blanks(&mut self, may_break_line: bool) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' if may_break_line => {
                    self.at += 1;
                    self.line += 1;
                    while matches!(self.peek(), b' ' | b'\t') {
                        self.at += 1;
                    }
                    if self.peek() == b'*' && self.text.as_bytes().get(self.at + 1) != Some(&b'/') {
                        self.at += 1;
                    }
                }
                _ => break,
            }
        }
    }

    fn name(&mut self) -> &'s str {
        let start = self.at;
        while matches!(self.peek(), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'\\' | b'-' | 0x80..) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or("")
    }

    /// Skips a group in brackets, whose first one is next.
    fn skip_group(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                0 => break,
                b'(' | b'{' | b'[' | b'<' => depth += 1,
                b')' | b'}' | b']' | b'>' => depth = depth.saturating_sub(1),
                b'\n' => {
                    self.skip_blanks(true);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
    }
}

impl<'t> Binder<'t> {
    /// Reads a type of a doc comment and records the classes that it names. `reader` is then behind the type.
    pub(super) fn read_doc_type<'s>(
        &mut self,
        reader: &mut TypeReader<'s>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'s>,
    ) -> DocType {
        if reader.depth >= MAX_TYPE_DEPTH {
            return DocType { expr: builder.unknown_expr(), is_informative: false };
        }
        reader.depth += 1;
        let mut parts = Vec::new();
        let mut is_informative = false;
        loop {
            let part = self.read_doc_type_part(reader, scope, builder);
            is_informative |= part.is_informative;
            parts.push(part.expr);
            let before = (reader.at, reader.line);
            reader.skip_blanks(reader.depth > 1);
            if !(reader.take(b'|') || reader.peek() == b'&' && is_type_behind_and(reader)) {
                (reader.at, reader.line) = before;
                break;
            }
            reader.take(b'&');
            reader.skip_blanks(reader.depth > 1);
        }
        reader.depth -= 1;
        DocType { expr: self.union_of_types(parts, builder), is_informative }
    }

    fn read_doc_type_part<'s>(
        &mut self,
        reader: &mut TypeReader<'s>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'s>,
    ) -> DocType {
        let inside_brackets = reader.depth > 1;
        reader.skip_blanks(inside_brackets);
        reader.take(b'?');
        let mut part = match reader.peek() {
            b'(' => {
                reader.at += 1;
                let inner = self.read_doc_type(reader, scope, builder);
                reader.skip_blanks(true);
                if !reader.take(b')') {
                    // A conditional type: `(T is string ? A : B)`.
                    while !matches!(reader.peek(), 0 | b')') {
                        reader.at += 1;
                    }
                    reader.take(b')');
                }
                inner
            }
            b'$' => {
                reader.at += 1;
                match reader.name() {
                    "this" => DocType { expr: builder.add_expr(Expr::ThisType { scope }), is_informative: true },
                    _ => DocType { expr: builder.unknown_expr(), is_informative: false },
                }
            }
            quote @ (b'\'' | b'"') => {
                reader.at += 1;
                while !matches!(reader.peek(), 0 | b'\n') && reader.peek() != quote {
                    reader.at += 1;
                }
                reader.take(quote);
                DocType { expr: self.known_type("?scalar", builder), is_informative: false }
            }
            _ => self.read_named_doc_type(reader, scope, builder),
        };
        while reader.peek() == b'[' {
            let is_list = reader.text.as_bytes().get(reader.at + 1) == Some(&b']');
            reader.skip_group();
            part = match is_list {
                true => self.doc_array_of(part, builder),
                false => DocType { expr: builder.unknown_expr(), is_informative: false },
            };
        }
        part
    }

    fn doc_array_of(&mut self, of: DocType, builder: &mut NamesBuilder<'_>) -> DocType {
        if of.expr == builder.unknown_expr() {
            return DocType { expr: self.known_type("?array", builder), is_informative: false };
        }
        let args = builder.add_expr_list(&[of.expr]);
        DocType { expr: builder.add_expr(Expr::Generic { base: None, args }), is_informative: of.is_informative }
    }

    fn read_named_doc_type<'s>(
        &mut self,
        reader: &mut TypeReader<'s>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'s>,
    ) -> DocType {
        let start = reader.at;
        let line = reader.line;
        let name = reader.name();
        let unknown = DocType { expr: builder.unknown_expr(), is_informative: false };
        if name.is_empty() {
            return unknown;
        }
        let base = self.doc_class_or_keyword(name, (start, line), scope, builder);
        if reader.text.get(reader.at..).is_some_and(|rest| rest.starts_with("::")) {
            // The value of a constant.
            reader.at += 2;
            reader.name();
            reader.take(b'*');
            return unknown;
        }
        match reader.peek() {
            b'<' => {
                reader.at += 1;
                let mut args = Vec::new();
                loop {
                    args.push(self.read_doc_type(reader, scope, builder));
                    reader.skip_blanks(true);
                    if !reader.take(b',') {
                        break;
                    }
                }
                reader.skip_blanks(true);
                reader.take(b'>');
                self.generic_doc_type(name, base, &args, builder)
            }
            b'{' => {
                reader.skip_group();
                match base.kind {
                    NamedKind::Class => DocType { expr: base.expr, is_informative: true },
                    _ => DocType { expr: self.known_type("?array", builder), is_informative: false },
                }
            }
            b'(' => {
                // The parameters and the result of a function.
                reader.skip_group();
                let before = (reader.at, reader.line);
                reader.skip_blanks(false);
                if reader.take(b':') {
                    self.read_doc_type(reader, scope, builder);
                } else {
                    (reader.at, reader.line) = before;
                }
                DocType { expr: self.known_type("?callable", builder), is_informative: false }
            }
            _ => DocType { expr: base.expr, is_informative: base.kind != NamedKind::Keyword },
        }
    }

    fn generic_doc_type(
        &mut self,
        name: &str,
        base: NamedDocType,
        args: &[DocType],
        builder: &mut NamesBuilder<'_>,
    ) -> DocType {
        let is_informative = args.iter().any(|arg| arg.is_informative);
        match base.kind {
            NamedKind::Class | NamedKind::Relative => {
                let exprs: Vec<ExprId> = args.iter().map(|arg| arg.expr).collect();
                let args = builder.add_expr_list(&exprs);
                DocType { expr: builder.add_expr(Expr::Generic { base: Some(base.expr), args }), is_informative: true }
            }
            NamedKind::Keyword if is_container_keyword(name) => match args.last() {
                Some(last) => self.doc_array_of(DocType { expr: last.expr, is_informative }, builder),
                None => DocType { expr: base.expr, is_informative: false },
            },
            NamedKind::Keyword => match args.first() {
                // The name of a class stands for the class.
                Some(of) if name == "class-string" && of.is_informative => {
                    DocType { expr: builder.add_expr(Expr::TypeOf { of: of.expr }), is_informative: true }
                }
                _ => DocType { expr: builder.unknown_expr(), is_informative: false },
            },
        }
    }

    /// What a name in a doc comment means.
    fn doc_class_or_keyword<'s>(
        &mut self,
        name: &'s str,
        (start, line): (usize, u32),
        scope: ScopeId,
        builder: &mut NamesBuilder<'s>,
    ) -> NamedDocType {
        let keyword = |expr| NamedDocType { expr, kind: NamedKind::Keyword };
        if let Some((_, expr)) = self.templates.iter().rev().find(|(known, _)| known == name) {
            // A type parameter of a function is not known.
            let kind = if *expr == builder.unknown_expr() { NamedKind::Keyword } else { NamedKind::Relative };
            return NamedDocType { expr: *expr, kind };
        }
        if let Some(expr) = self.relative_class_expr(name, scope, builder) {
            return NamedDocType { expr, kind: NamedKind::Relative };
        }
        let lower = name.to_ascii_lowercase();
        if is_container_keyword(&lower) {
            return keyword(self.known_type("?array", builder));
        }
        if is_keyword(&lower) || lower.contains('-') || lower.starts_with(|c: char| c.is_ascii_digit()) {
            return keyword(self.known_type(types::known_type_of_keyword(&lower), builder));
        }
        let last = name.rsplit('\\').next().unwrap_or(name);
        if last.is_empty() {
            return keyword(builder.unknown_expr());
        }
        let place = Place { at: start + (name.len() - last.len()), line };
        let expr = match name.contains('\\') {
            true => self.qualified_expr(name, PathKind::Class, place, builder),
            false => self.bare_name_expr(name, PathKind::Class, place, builder),
        };
        let id = builder.intern_source_text(last);
        builder.record_occurrence_at_offset(id, place.at, line, Role::Type, Target::Expr(expr));
        NamedDocType { expr, kind: NamedKind::Class }
    }
}

/// What a name in a doc comment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamedKind {
    Class,
    /// `self`, `static`, or a type parameter.
    Relative,
    /// A type of the language.
    Keyword,
}

#[derive(Clone, Copy)]
struct NamedDocType {
    expr: ExprId,
    kind: NamedKind,
}

/// Whether what follows `&` is a type, not a parameter that is passed by reference.
fn is_type_behind_and(reader: &TypeReader<'_>) -> bool {
    let rest = reader.text.get(reader.at + 1..).unwrap_or("").trim_start_matches([' ', '\t']);
    rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '\\' | '_' | '('))
}

fn is_container_keyword(name: &str) -> bool {
    matches!(name, "array" | "iterable" | "list" | "non-empty-array" | "non-empty-list" | "associative-array")
}

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "int"
            | "integer"
            | "string"
            | "bool"
            | "boolean"
            | "float"
            | "double"
            | "void"
            | "null"
            | "never"
            | "true"
            | "false"
            | "resource"
            | "scalar"
            | "numeric"
            | "mixed"
            | "object"
            | "callable"
            | "positive-int"
            | "empty"
            | "number"
            | "is"
    )
}
