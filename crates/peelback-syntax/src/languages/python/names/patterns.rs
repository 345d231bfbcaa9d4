//! Name binding for Python `match` statements and their patterns.

use tree_sitter::Node;

use super::{Binder, Field, Kind, Narrowing};
use crate::names::{Expr, ExprId, NameId, NamesBuilder, Role};

impl<'t> Binder<'t> {
    pub(super) fn bind_match_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let mut subjects = Vec::new();
        let mut name = None;
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            if child.field == Field::Subject {
                if binder.kind_of_node(child.node) == Kind::Identifier {
                    name = Some(builder.name_id_of_node(child.node));
                }
                subjects.push(binder.bind_names_and_get_value(builder, child.node, Role::Read));
            } else {
                let subject = match subjects.as_slice() {
                    [one] => *one,
                    several => {
                        let span = builder.add_expr_list(several);
                        builder.add_expr(Expr::Tuple(span))
                    }
                };
                let name = name.filter(|_| subjects.len() == 1);
                binder.for_each_named_non_comment_child(builder, child.node, |binder, builder, case| {
                    if binder.kind_of_node(case.node) == Kind::CaseClause {
                        binder.bind_case_clause(builder, case.node, subject, name);
                    } else {
                        binder.bind_statement_or_expression(builder, case.node);
                    }
                });
            }
        });
    }

    fn bind_case_clause(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        subject: ExprId,
        name: Option<NameId>,
    ) {
        let outer = self.frame.flow.as_mut().map(|flow| flow.open_block(node.byte_range()));
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            match binder.kind_of_node(child.node) {
                Kind::CasePattern => {
                    let types = binder.bind_match_pattern(builder, child.node, subject);
                    if let Some(name) = name
                        && types != builder.unknown_expr()
                    {
                        let narrowing = Narrowing { name, types, from: child.node.end_byte(), is_negated: false };
                        binder.apply_narrowing_until_offset(builder, &narrowing, node.end_byte());
                    }
                }
                Kind::Block => binder.bind_child_statements_without_flow_block(builder, child.node),
                _ => binder.bind_statement_or_expression(builder, child.node),
            }
        });
        if let (Some(outer), Some(flow)) = (outer, &mut self.frame.flow) {
            flow.close_block(outer, false);
        }
    }

    /// Binds the names that a `match` pattern captures from `value`. Returns the type that a match of the pattern
    /// implies for `value`, or unknown.
    fn bind_match_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, value: ExprId) -> ExprId {
        builder.run_with_depth_limit(node, |builder| self.bind_compound_match_pattern(builder, node, value))
    }

    fn bind_compound_match_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, value: ExprId) -> ExprId {
        match self.kind_of_node(node) {
            Kind::CasePattern => match self.only_or_first_child(node) {
                Some(inner) => self.bind_match_pattern(builder, inner, value),
                None => builder.unknown_expr(),
            },
            Kind::DottedName => {
                let parts = self.push_named_non_comment_children(node);
                let is_one = parts.end - parts.start == 1;
                let first = self.child_at_index(parts, 0);
                self.pop_children(parts);
                match first {
                    Some(first) if is_one => {
                        self.bind_target_names_to_value_parts(builder, first.node, value, node.end_byte())
                    }
                    _ => {
                        self.dotted_pattern_value(builder, node, Role::Read);
                    }
                }
                builder.unknown_expr()
            }
            Kind::AsPattern => {
                let children = self.push_named_non_comment_children(node);
                let (inner, name) = (self.child_at_index(children, 0), self.child_at_index(children, 1));
                self.pop_children(children);
                let types =
                    inner.map_or(builder.unknown_expr(), |inner| self.bind_match_pattern(builder, inner.node, value));
                let value = if types == builder.unknown_expr() {
                    value
                } else {
                    builder.add_expr(Expr::Instance { of: types })
                };
                if let Some(name) = name {
                    self.bind_target_names_to_value_parts(builder, name.node, value, node.end_byte());
                }
                types
            }
            Kind::UnionPattern => {
                let mut types = Vec::new();
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    types.push(binder.bind_match_pattern(builder, child.node, value))
                });
                if types.contains(&builder.unknown_expr()) {
                    builder.unknown_expr()
                } else {
                    builder.expr_of_possible_values(types)
                }
            }
            Kind::ClassPattern => self.bind_class_pattern(builder, node),
            Kind::ListPattern | Kind::TuplePattern => {
                let mut index = 0;
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    let part = if value == builder.unknown_expr() {
                        value
                    } else {
                        builder.add_expr(Expr::Item { of: value, index })
                    };
                    binder.bind_match_pattern(builder, child.node, part);
                    index += 1;
                });
                builder.unknown_expr()
            }
            Kind::SplatPattern => {
                if let Some(name) = self.only_or_first_child(node) {
                    self.bind_target_names_to_value_parts(builder, name, builder.unknown_expr(), node.end_byte());
                }
                builder.unknown_expr()
            }
            Kind::DictPattern => {
                self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
                    let element = binder.element_or_awaited_expr(builder, value);
                    binder.bind_match_pattern(builder, child.node, element);
                });
                builder.unknown_expr()
            }
            Kind::KeywordPattern => {
                self.bind_keyword_pattern(builder, node, builder.unknown_expr());
                builder.unknown_expr()
            }
            _ => {
                self.bind_names_and_get_value(builder, node, Role::Read);
                builder.unknown_expr()
            }
        }
    }

    /// The value of the dotted name `a.b` in a pattern. The grammar has no attribute node there.
    fn dotted_pattern_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        let children = self.push_named_non_comment_children(node);
        let last = (children.end - children.start).saturating_sub(1);
        let mut value = builder.unknown_expr();
        let mut at = 0;
        while let Some(part) = self.child_at_index(children, at) {
            let is_last = at == last;
            value = if at == 0 {
                self.record_name_use(builder, part.node, if is_last { role } else { Role::Read })
            } else {
                let role = if is_last && role != Role::Read { role } else { Role::Member };
                builder.record_member_use(value, part.node, role)
            };
            at += 1;
        }
        self.pop_children(children);
        value
    }

    /// Binds the names in the class pattern `Class(a, field=b)`, and returns the class.
    fn bind_class_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let mut class = builder.unknown_expr();
        let mut instance = builder.unknown_expr();
        let mut first = true;
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            if std::mem::take(&mut first) && binder.kind_of_node(child.node) == Kind::DottedName {
                class = binder.dotted_pattern_value(builder, child.node, Role::Type);
                instance = builder.add_expr(Expr::Instance { of: class });
                return;
            }
            match binder
                .only_or_first_child(child.node)
                .filter(|inner| binder.kind_of_node(*inner) == Kind::KeywordPattern)
            {
                Some(keyword) => binder.bind_keyword_pattern(builder, keyword, instance),
                None => {
                    binder.bind_match_pattern(builder, child.node, builder.unknown_expr());
                }
            }
        });
        class
    }

    /// Binds the names in the keyword pattern `field=pattern` of a class pattern.
    fn bind_keyword_pattern(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, instance: ExprId) {
        let children = self.push_named_non_comment_children(node);
        let (name, inner) = (self.child_at_index(children, 0), self.child_at_index(children, 1));
        self.pop_children(children);
        let member =
            name.map_or(builder.unknown_expr(), |name| builder.record_member_use(instance, name.node, Role::Member));
        if let Some(inner) = inner {
            self.bind_match_pattern(builder, inner.node, member);
        }
    }
}
