//! Types written as strings: `"User"`, `Optional["User"]`, `"list[User] | None"`.

use tree_sitter::Node;

use super::imports::plain_string;
use super::types::generic;
use super::{Binder, occur_at};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, Target};

/// How deep the brackets of a written type nest at most.
const MAX_NESTING: u32 = 32;

impl<'t> Binder<'t> {
    /// The type that a string means, with occurrences for its names. A string that is no type has none.
    pub(super) fn written_type(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let Some((_, content)) = plain_string(builder, node) else { return builder.unknown() };
        let text = builder.text(content);
        let (occurrences, exprs) = (builder.names.occurrences.len(), builder.names.exprs.len());
        let line = crate::names::line_of(content);
        let mut reader = Reader { text, at: 0, start: content.start_byte(), line, scope: self.scope };
        let read = reader.union(builder, 0);
        reader.blanks();
        match read {
            Some(meant) if reader.at == text.len() => {
                for expr in exprs..builder.names.exprs.len() {
                    self.used(u32::try_from(expr).unwrap_or(0));
                }
                self.own_type(builder, text, meant)
            }
            _ => {
                builder.names.occurrences.truncate(occurrences);
                builder.unknown()
            }
        }
    }
}

struct Reader<'s> {
    text: &'s str,
    at: usize,
    /// The byte of the file at which the text begins.
    start: usize,
    /// The line of the file on which it begins.
    line: u32,
    scope: ScopeId,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// `A | B`.
    fn union(&mut self, builder: &mut NamesBuilder<'s>, depth: u32) -> Option<ExprId> {
        let mut types = vec![self.one(builder, depth)?];
        while self.eat("|") {
            types.push(self.one(builder, depth)?);
        }
        Some(builder.either(types))
    }

    fn one(&mut self, builder: &mut NamesBuilder<'s>, depth: u32) -> Option<ExprId> {
        if depth > MAX_NESTING {
            return None;
        }
        if self.eat("...") {
            return Some(builder.unknown());
        }
        if self.eat("(") {
            let inner = self.union(builder, depth + 1)?;
            return self.eat(")").then_some(inner);
        }
        if self.eat("[") {
            self.arguments(builder, depth, "")?;
            return Some(builder.unknown());
        }
        for quote in ["'", "\""] {
            if self.eat(quote) {
                let inner = self.union(builder, depth + 1)?;
                return self.eat(quote).then_some(inner);
            }
        }
        let (mut last, mut meant) = self.name(builder, None)?;
        while self.eat(".") {
            (last, meant) = self.name(builder, Some(meant))?;
        }
        if last == "None" {
            return Some(builder.unknown());
        }
        if !self.eat("[") {
            return Some(meant);
        }
        let (arguments, forever) = self.arguments(builder, depth, last)?;
        Some(generic(builder, last, meant, &arguments, forever))
    }

    /// What stands between brackets, the closing one included, and whether `...` is among it.
    fn arguments(&mut self, builder: &mut NamesBuilder<'s>, depth: u32, base: &str) -> Option<(Vec<ExprId>, bool)> {
        let (mut arguments, mut forever) = (Vec::new(), false);
        loop {
            if self.eat("]") {
                return Some((arguments, forever));
            }
            if base == "Literal" || (base == "Annotated" && !arguments.is_empty()) {
                // Values, not types.
                let end = self.rest().find(']')?;
                self.at += end;
                continue;
            }
            self.blanks();
            forever |= self.rest().starts_with("...");
            arguments.push(self.union(builder, depth + 1)?);
            if !self.eat(",") {
                return self.eat("]").then_some((arguments, forever));
            }
        }
    }

    /// One identifier, a member of `base` where there is one.
    fn name(&mut self, builder: &mut NamesBuilder<'s>, base: Option<ExprId>) -> Option<(&'s str, ExprId)> {
        self.blanks();
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let text = rest.get(..length).filter(|text| text.starts_with(|c: char| c.is_alphabetic() || c == '_'))?;
        let begin = self.start + self.at;
        let lines = self.text.get(..self.at)?.matches('\n').count();
        let line = self.line + u32::try_from(lines).ok()?;
        self.at += length;
        if text == "None" {
            return Some((text, builder.unknown()));
        }
        let (name, at) = (builder.intern(text), u32::try_from(begin).ok()?);
        let expr = match base {
            None => builder.expr(Expr::Name { name, scope: self.scope, at }),
            Some(base) => builder.expr(Expr::Member { base, name, at }),
        };
        occur_at(builder, name, begin, line, Role::Type, Target::Expr(expr));
        Some((text, expr))
    }
}
