//! Python types that are written as strings: `"User"`, `Optional["User"]`, `"list[User] | None"`.

use tree_sitter::Node;

use super::imports::escape_free_string_content;
use super::types::generic_type_expr;
use super::{Binder, record_occurrence_at_offset};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, Target};

/// The limit on the nesting of brackets in a type that is written as a string.
const MAX_BRACKET_DEPTH: u32 = 32;

impl<'t> Binder<'t> {
    /// The expression for a type that is written as a string. Records the names in it; a string that is not a type has
    /// none.
    pub(super) fn type_in_string(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let Some((_, content)) = escape_free_string_content(builder, node) else { return builder.unknown_expr() };
        let text = builder.text_of_node(content);
        let (occurrences, exprs) = (builder.names.occurrences.len(), builder.names.exprs.len());
        let line = crate::names::first_line_number_of_node(content);
        let mut parser = TypeParser { text, at: 0, start: content.start_byte(), line, scope: self.scope };
        let parsed_type = parser.parse_type_or_union(builder, 0);
        parser.skip_white_space();
        match parsed_type {
            Some(meant) if parser.at == text.len() => {
                for expr in exprs..builder.names.exprs.len() {
                    self.record_name_lookup_for_flow(u32::try_from(expr).unwrap_or(0));
                }
                self.resolve_self_type(builder, text, meant)
            }
            _ => {
                builder.names.occurrences.truncate(occurrences);
                builder.unknown_expr()
            }
        }
    }
}

struct TypeParser<'s> {
    text: &'s str,
    at: usize,
    /// Byte offset in the file at which the string's text begins.
    start: usize,
    /// Line of the file on which the string's text begins, from 1.
    line: u32,
    scope: ScopeId,
}

impl<'s> TypeParser<'s> {
    fn remaining_text(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_white_space(&mut self) {
        let rest = self.remaining_text();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn consume_token(&mut self, token: &str) -> bool {
        self.skip_white_space();
        let found = self.remaining_text().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Parses a type that may be a union: `A`, `A | B`.
    fn parse_type_or_union(&mut self, builder: &mut NamesBuilder<'s>, depth: u32) -> Option<ExprId> {
        let mut types = vec![self.parse_single_type(builder, depth)?];
        while self.consume_token("|") {
            types.push(self.parse_single_type(builder, depth)?);
        }
        Some(builder.expr_of_possible_values(types))
    }

    fn parse_single_type(&mut self, builder: &mut NamesBuilder<'s>, depth: u32) -> Option<ExprId> {
        if depth > MAX_BRACKET_DEPTH {
            return None;
        }
        if self.consume_token("...") {
            return Some(builder.unknown_expr());
        }
        if self.consume_token("(") {
            let inner = self.parse_type_or_union(builder, depth + 1)?;
            return self.consume_token(")").then_some(inner);
        }
        if self.consume_token("[") {
            self.parse_type_arguments(builder, depth, "")?;
            return Some(builder.unknown_expr());
        }
        for quote in ["'", "\""] {
            if self.consume_token(quote) {
                let inner = self.parse_type_or_union(builder, depth + 1)?;
                return self.consume_token(quote).then_some(inner);
            }
        }
        let (mut last, mut meant) = self.parse_and_record_identifier(builder, None)?;
        while self.consume_token(".") {
            (last, meant) = self.parse_and_record_identifier(builder, Some(meant))?;
        }
        if last == "None" {
            return Some(builder.unknown_expr());
        }
        if !self.consume_token("[") {
            return Some(meant);
        }
        let (arguments, has_ellipsis) = self.parse_type_arguments(builder, depth, last)?;
        Some(generic_type_expr(builder, last, meant, &arguments, has_ellipsis))
    }

    /// Parses type arguments up to and including the closing bracket. Returns the types, and whether `...` is one of
    /// the arguments.
    fn parse_type_arguments(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        depth: u32,
        base: &str,
    ) -> Option<(Vec<ExprId>, bool)> {
        let (mut arguments, mut has_ellipsis) = (Vec::new(), false);
        loop {
            if self.consume_token("]") {
                return Some((arguments, has_ellipsis));
            }
            if base == "Literal" || (base == "Annotated" && !arguments.is_empty()) {
                // The arguments of `Literal`, and all but the first of `Annotated`, are values and not types.
                let end = self.remaining_text().find(']')?;
                self.at += end;
                continue;
            }
            self.skip_white_space();
            has_ellipsis |= self.remaining_text().starts_with("...");
            arguments.push(self.parse_type_or_union(builder, depth + 1)?);
            if !self.consume_token(",") {
                return self.consume_token("]").then_some((arguments, has_ellipsis));
            }
        }
    }

    /// Parses one identifier: a bare name, or a member of `base`.
    fn parse_and_record_identifier(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        base: Option<ExprId>,
    ) -> Option<(&'s str, ExprId)> {
        self.skip_white_space();
        let rest = self.remaining_text();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let text = rest.get(..length).filter(|text| text.starts_with(|c: char| c.is_alphabetic() || c == '_'))?;
        let begin = self.start + self.at;
        let lines = self.text.get(..self.at)?.matches('\n').count();
        let line = self.line + u32::try_from(lines).ok()?;
        self.at += length;
        if text == "None" {
            return Some((text, builder.unknown_expr()));
        }
        let (name, at) = (builder.intern_source_text(text), u32::try_from(begin).ok()?);
        let expr = match base {
            None => builder.add_expr(Expr::Name { name, scope: self.scope, at }),
            Some(base) => builder.add_expr(Expr::Member { base, name, at }),
        };
        record_occurrence_at_offset(builder, name, begin, line, Role::Type, Target::Expr(expr));
        Some((text, expr))
    }
}
