//! `match` and its patterns.

use tree_sitter::Node;

use super::expressions::Narrowed;
use super::{Binder, Field, Kind};
use crate::names::{Cx, Expr, ExprId, NameId, Role};

impl<'t> Binder<'t> {
    pub(super) fn match_statement(&mut self, cx: &mut Cx<'_>, node: Node<'t>) {
        let mut subjects = Vec::new();
        let mut name = None;
        self.each(cx, node, |binder, cx, child| {
            if child.field == Field::Subject {
                if binder.kind(child.node) == Kind::Identifier {
                    name = Some(cx.name(child.node));
                }
                subjects.push(binder.expression(cx, child.node, Role::Read));
            } else {
                let subject = match subjects.as_slice() {
                    [one] => *one,
                    several => {
                        let span = cx.list(several);
                        cx.expr(Expr::Tuple(span))
                    }
                };
                let name = name.filter(|_| subjects.len() == 1);
                binder.each(cx, child.node, |binder, cx, case| {
                    if binder.kind(case.node) == Kind::CaseClause {
                        binder.case(cx, case.node, subject, name);
                    } else {
                        binder.visit(cx, case.node);
                    }
                });
            }
        });
    }

    fn case(&mut self, cx: &mut Cx<'_>, node: Node<'t>, subject: ExprId, name: Option<NameId>) {
        let outer = self.frame.flow.as_mut().map(|flow| flow.open(node.byte_range()));
        self.each(cx, node, |binder, cx, child| match binder.kind(child.node) {
            Kind::CasePattern => {
                let types = binder.pattern(cx, child.node, subject);
                if let Some(name) = name
                    && types != cx.unknown()
                {
                    let narrowed = Narrowed { name, types, from: child.node.end_byte(), negative: false };
                    binder.narrow(cx, &narrowed, node.end_byte());
                }
            }
            Kind::Block => binder.body(cx, child.node),
            _ => binder.visit(cx, child.node),
        });
        if let (Some(outer), Some(flow)) = (outer, &mut self.frame.flow) {
            flow.close(outer, false);
        }
    }

    /// Binds what a pattern takes of `value`; gives the type that the value has then, where the pattern says it.
    fn pattern(&mut self, cx: &mut Cx<'_>, node: Node<'t>, value: ExprId) -> ExprId {
        cx.deeper(node, |cx| self.pattern_inside(cx, node, value))
    }

    fn pattern_inside(&mut self, cx: &mut Cx<'_>, node: Node<'t>, value: ExprId) -> ExprId {
        match self.kind(node) {
            Kind::CasePattern => match self.only_child(node) {
                Some(inner) => self.pattern(cx, inner, value),
                None => cx.unknown(),
            },
            Kind::DottedName => {
                let parts = self.children(node);
                let is_one = parts.end - parts.start == 1;
                let first = self.child(parts, 0);
                self.done(parts);
                match first {
                    Some(first) if is_one => self.target(cx, first.node, value, node.end_byte()),
                    _ => {
                        self.dotted_value(cx, node, Role::Read);
                    }
                }
                cx.unknown()
            }
            Kind::AsPattern => {
                let kids = self.children(node);
                let (inner, name) = (self.child(kids, 0), self.child(kids, 1));
                self.done(kids);
                let types = inner.map_or(cx.unknown(), |inner| self.pattern(cx, inner.node, value));
                let value = if types == cx.unknown() { value } else { cx.expr(Expr::Instance { of: types }) };
                if let Some(name) = name {
                    self.target(cx, name.node, value, node.end_byte());
                }
                types
            }
            Kind::UnionPattern => {
                let mut types = Vec::new();
                self.each(cx, node, |binder, cx, child| types.push(binder.pattern(cx, child.node, value)));
                if types.contains(&cx.unknown()) { cx.unknown() } else { cx.either(types) }
            }
            Kind::ClassPattern => self.class_pattern(cx, node),
            Kind::ListPattern | Kind::TuplePattern => {
                let mut index = 0;
                self.each(cx, node, |binder, cx, child| {
                    let part = if value == cx.unknown() { value } else { cx.expr(Expr::Item { of: value, index }) };
                    binder.pattern(cx, child.node, part);
                    index += 1;
                });
                cx.unknown()
            }
            Kind::SplatPattern => {
                if let Some(name) = self.only_child(node) {
                    self.target(cx, name, cx.unknown(), node.end_byte());
                }
                cx.unknown()
            }
            Kind::DictPattern => {
                self.each(cx, node, |binder, cx, child| {
                    let element = binder.element(cx, value);
                    binder.pattern(cx, child.node, element);
                });
                cx.unknown()
            }
            Kind::KeywordPattern => {
                self.keyword_pattern(cx, node, cx.unknown());
                cx.unknown()
            }
            _ => {
                self.expression(cx, node, Role::Read);
                cx.unknown()
            }
        }
    }

    /// `a.b` of a pattern, which the grammar does not take for an attribute.
    fn dotted_value(&mut self, cx: &mut Cx<'_>, node: Node<'t>, role: Role) -> ExprId {
        let kids = self.children(node);
        let last = (kids.end - kids.start).saturating_sub(1);
        let mut value = cx.unknown();
        let mut at = 0;
        while let Some(part) = self.child(kids, at) {
            let is_last = at == last;
            value = if at == 0 {
                self.use_name(cx, part.node, if is_last { role } else { Role::Read })
            } else {
                let role = if is_last && role != Role::Read { role } else { Role::Member };
                cx.use_member(value, part.node, role)
            };
            at += 1;
        }
        self.done(kids);
        value
    }

    /// `Class(a, field=b)`: a value of that class.
    fn class_pattern(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        let mut class = cx.unknown();
        let mut instance = cx.unknown();
        let mut first = true;
        self.each(cx, node, |binder, cx, child| {
            if std::mem::take(&mut first) && binder.kind(child.node) == Kind::DottedName {
                class = binder.dotted_value(cx, child.node, Role::Type);
                instance = cx.expr(Expr::Instance { of: class });
                return;
            }
            match binder.only_child(child.node).filter(|inner| binder.kind(*inner) == Kind::KeywordPattern) {
                Some(keyword) => binder.keyword_pattern(cx, keyword, instance),
                None => {
                    binder.pattern(cx, child.node, cx.unknown());
                }
            }
        });
        class
    }

    /// `field=pattern`.
    fn keyword_pattern(&mut self, cx: &mut Cx<'_>, node: Node<'t>, instance: ExprId) {
        let kids = self.children(node);
        let (name, inner) = (self.child(kids, 0), self.child(kids, 1));
        self.done(kids);
        let member = name.map_or(cx.unknown(), |name| cx.use_member(instance, name.node, Role::Member));
        if let Some(inner) = inner {
            self.pattern(cx, inner.node, member);
        }
    }
}
