//! Patterns of `case … in`: the names that they bind, and the classes that they compare with.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role};

impl<'t> Binder<'t> {
    pub(super) fn bind_case_match(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let value = match self.field(node, self.grammar.value) {
            Some(value) => self.bind_expression(value, builder),
            None => builder.unknown_expr(),
        };
        let mut values = Vec::new();
        self.for_each_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::InClause => {
                if let Some(pattern) = binder.field(child, binder.grammar.pattern) {
                    binder.bind_pattern(pattern, value, builder);
                }
                let pattern = binder.field(child, binder.grammar.pattern).map(|pattern| pattern.id());
                binder.for_each_child(child, builder, |binder, part, builder| {
                    if Some(part.id()) != pattern {
                        let found = binder.bind_expression(part, builder);
                        if binder.kind(part) == Kind::Then {
                            values.push(found);
                        }
                    }
                });
            }
            Kind::Else => values.push(binder.bind_expression(child, builder)),
            _ => {}
        });
        builder.expr_of_possible_values(values)
    }

    /// Binds the names of a pattern that `value` is compared with.
    pub(super) fn bind_pattern(&mut self, pattern: Node<'t>, value: ExprId, builder: &mut NamesBuilder<'_>) {
        builder.run_with_depth_limit(pattern, |builder| self.bind_nested_pattern(pattern, value, builder));
    }

    fn bind_nested_pattern(&mut self, pattern: Node<'t>, value: ExprId, builder: &mut NamesBuilder<'_>) {
        let unknown = builder.unknown_expr();
        match self.kind(pattern) {
            Kind::Identifier => self.bind_assigned_name(pattern, value, builder),
            Kind::Constant | Kind::ScopeResolution => {
                self.bind_constant_use(pattern, Role::Type, builder);
            }
            Kind::AsPattern => {
                let inner = self.field(pattern, self.grammar.value);
                if let Some(inner) = inner {
                    self.bind_pattern(inner, value, builder);
                }
                let value = match inner {
                    Some(inner) if matches!(self.kind(inner), Kind::Constant | Kind::ScopeResolution) => {
                        self.instance_of_constant(inner, builder)
                    }
                    _ => value,
                };
                if let Some(name) = self.field(pattern, self.grammar.name) {
                    self.bind_assigned_name(name, value, builder);
                }
            }
            Kind::AlternativePattern | Kind::ParenthesizedPattern => {
                self.for_each_child(pattern, builder, |binder, child, builder| {
                    binder.bind_pattern(child, value, builder);
                });
            }
            Kind::ArrayPattern | Kind::FindPattern | Kind::HashPattern => {
                let class = self.field(pattern, self.grammar.class);
                if let Some(class) = class {
                    self.bind_constant_use(class, Role::Type, builder);
                }
                self.for_each_child(pattern, builder, |binder, child, builder| {
                    if Some(child.id()) != class.map(|class| class.id()) {
                        binder.bind_pattern(child, unknown, builder);
                    }
                });
            }
            Kind::KeywordPattern => match self.field(pattern, self.grammar.value) {
                Some(inner) => self.bind_pattern(inner, unknown, builder),
                None => {
                    let key = self.field(pattern, self.grammar.key);
                    if let Some(key) = key.filter(|key| self.kind(*key) == Kind::HashKeySymbol) {
                        self.bind_assigned_name(key, unknown, builder);
                    }
                }
            },
            Kind::SplatParameter | Kind::HashSplatParameter => {
                if let Some(name) = self.field(pattern, self.grammar.name) {
                    self.bind_assigned_name(name, unknown, builder);
                }
            }
            Kind::VariableReferencePattern => {
                self.bind_statements(pattern, builder);
            }
            _ => {
                self.bind_expression(pattern, builder);
            }
        }
    }

    /// An instance of the class that a constant names, which is recorded already.
    fn instance_of_constant(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let of = self.constant_expr(node, builder);
        builder.add_expr(Expr::Instance { of })
    }
}
