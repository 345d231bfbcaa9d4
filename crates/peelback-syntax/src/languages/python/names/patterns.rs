//! `match` and its patterns.

use tree_sitter::Node;

use super::expressions::Narrowed;
use super::{Binder, Field, Kind};
use crate::names::{Expr, ExprId, NameId, NamesBuilder, Role};

impl<'t> Binder<'t> {
    pub(super) fn match_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let mut subjects = Vec::new();
        let mut name = None;
        self.each(builder, node, |binder, builder, child| {
            if child.field == Field::Subject {
                if binder.kind(child.node) == Kind::Identifier {
                    name = Some(builder.name(child.node));
                }
                subjects.push(binder.expression(builder, child.node, Role::Read));
            } else {
                let subject = match subjects.as_slice() {
                    [one] => *one,
                    several => {
                        let span = builder.list(several);
                        builder.expr(Expr::Tuple(span))
                    }
                };
                let name = name.filter(|_| subjects.len() == 1);
                binder.each(builder, child.node, |binder, builder, case| {
                    if binder.kind(case.node) == Kind::CaseClause {
                        binder.case(builder, case.node, subject, name);
                    } else {
                        binder.visit(builder, case.node);
                    }
                });
            }
        });
    }

    fn case(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, subject: ExprId, name: Option<NameId>) {
        let outer = self.frame.flow.as_mut().map(|flow| flow.open(node.byte_range()));
        self.each(builder, node, |binder, builder, child| match binder.kind(child.node) {
            Kind::CasePattern => {
                let types = binder.pattern(builder, child.node, subject);
                if let Some(name) = name
                    && types != builder.unknown()
                {
                    let narrowed = Narrowed { name, types, from: child.node.end_byte(), negative: false };
                    binder.narrow(builder, &narrowed, node.end_byte());
                }
            }
            Kind::Block => binder.body(builder, child.node),
            _ => binder.visit(builder, child.node),
        });
        if let (Some(outer), Some(flow)) = (outer, &mut self.frame.flow) {
            flow.close(outer, false);
        }
    }

    /// Binds what a pattern takes of `value`; gives the type that the value has then, where the pattern says it.
    fn pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, value: ExprId) -> ExprId {
        builder.deeper(node, |builder| self.pattern_inside(builder, node, value))
    }

    fn pattern_inside(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, value: ExprId) -> ExprId {
        match self.kind(node) {
            Kind::CasePattern => match self.only_child(node) {
                Some(inner) => self.pattern(builder, inner, value),
                None => builder.unknown(),
            },
            Kind::DottedName => {
                let parts = self.children(node);
                let is_one = parts.end - parts.start == 1;
                let first = self.child(parts, 0);
                self.done(parts);
                match first {
                    Some(first) if is_one => self.target(builder, first.node, value, node.end_byte()),
                    _ => {
                        self.dotted_value(builder, node, Role::Read);
                    }
                }
                builder.unknown()
            }
            Kind::AsPattern => {
                let kids = self.children(node);
                let (inner, name) = (self.child(kids, 0), self.child(kids, 1));
                self.done(kids);
                let types = inner.map_or(builder.unknown(), |inner| self.pattern(builder, inner.node, value));
                let value = if types == builder.unknown() { value } else { builder.expr(Expr::Instance { of: types }) };
                if let Some(name) = name {
                    self.target(builder, name.node, value, node.end_byte());
                }
                types
            }
            Kind::UnionPattern => {
                let mut types = Vec::new();
                self.each(builder, node, |binder, builder, child| {
                    types.push(binder.pattern(builder, child.node, value))
                });
                if types.contains(&builder.unknown()) { builder.unknown() } else { builder.either(types) }
            }
            Kind::ClassPattern => self.class_pattern(builder, node),
            Kind::ListPattern | Kind::TuplePattern => {
                let mut index = 0;
                self.each(builder, node, |binder, builder, child| {
                    let part =
                        if value == builder.unknown() { value } else { builder.expr(Expr::Item { of: value, index }) };
                    binder.pattern(builder, child.node, part);
                    index += 1;
                });
                builder.unknown()
            }
            Kind::SplatPattern => {
                if let Some(name) = self.only_child(node) {
                    self.target(builder, name, builder.unknown(), node.end_byte());
                }
                builder.unknown()
            }
            Kind::DictPattern => {
                self.each(builder, node, |binder, builder, child| {
                    let element = binder.element(builder, value);
                    binder.pattern(builder, child.node, element);
                });
                builder.unknown()
            }
            Kind::KeywordPattern => {
                self.keyword_pattern(builder, node, builder.unknown());
                builder.unknown()
            }
            _ => {
                self.expression(builder, node, Role::Read);
                builder.unknown()
            }
        }
    }

    /// `a.b` of a pattern, which the grammar does not take for an attribute.
    fn dotted_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        let kids = self.children(node);
        let last = (kids.end - kids.start).saturating_sub(1);
        let mut value = builder.unknown();
        let mut at = 0;
        while let Some(part) = self.child(kids, at) {
            let is_last = at == last;
            value = if at == 0 {
                self.use_name(builder, part.node, if is_last { role } else { Role::Read })
            } else {
                let role = if is_last && role != Role::Read { role } else { Role::Member };
                builder.use_member(value, part.node, role)
            };
            at += 1;
        }
        self.done(kids);
        value
    }

    /// `Class(a, field=b)`: a value of that class.
    fn class_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let mut class = builder.unknown();
        let mut instance = builder.unknown();
        let mut first = true;
        self.each(builder, node, |binder, builder, child| {
            if std::mem::take(&mut first) && binder.kind(child.node) == Kind::DottedName {
                class = binder.dotted_value(builder, child.node, Role::Type);
                instance = builder.expr(Expr::Instance { of: class });
                return;
            }
            match binder.only_child(child.node).filter(|inner| binder.kind(*inner) == Kind::KeywordPattern) {
                Some(keyword) => binder.keyword_pattern(builder, keyword, instance),
                None => {
                    binder.pattern(builder, child.node, builder.unknown());
                }
            }
        });
        class
    }

    /// `field=pattern`.
    fn keyword_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, instance: ExprId) {
        let kids = self.children(node);
        let (name, inner) = (self.child(kids, 0), self.child(kids, 1));
        self.done(kids);
        let member = name.map_or(builder.unknown(), |name| builder.use_member(instance, name.node, Role::Member));
        if let Some(inner) = inner {
            self.pattern(builder, inner.node, member);
        }
    }
}
