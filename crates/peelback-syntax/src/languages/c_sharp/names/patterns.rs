//! Name binding of C#'s patterns and declarations inside expressions.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId};

impl<'t> Binder<'t> {
    /// Binds the names of a pattern that is compared with `tested`. They are bound in the scope around it, from their place
    /// on: where they are in scope depends on the flow.
    pub(super) fn bind_pattern(
        &mut self,
        node: Node<'t>,
        tested: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.run_with_depth_limit(node, |builder| match self.kind(node) {
            Kind::DeclarationPattern | Kind::RecursivePattern | Kind::TypePattern => {
                let of = self.declared_type(node, scope, builder);
                let matched = match of {
                    Some(of) => builder.add_expr(Expr::Matched { value: tested, of }),
                    None => tested,
                };
                let written = self.field(node, self.grammar.r#type);
                let name = self.field(node, self.grammar.name);
                self.for_each_child(node, builder, |binder, child, builder| {
                    if Some(child) != written && Some(child) != name {
                        binder.bind_pattern_part(child, matched, scope, builder);
                    }
                });
                if let Some(name) = name {
                    self.bind_pattern_name(name, matched, scope, builder);
                }
            }
            Kind::VarPattern => {
                let name = self.field(node, self.grammar.name);
                match (name, self.child_of_kind(node, Kind::ParenthesizedVariableDesignation)) {
                    (Some(name), _) => self.bind_pattern_name(name, tested, scope, builder),
                    (None, Some(names)) => self.bind_tuple_pattern(names, tested, scope, builder),
                    (None, None) => {}
                }
            }
            Kind::ListPattern => {
                let element = builder.add_expr(Expr::Element { of: tested });
                let name = self.field(node, self.grammar.name);
                self.for_each_child(node, builder, |binder, child, builder| {
                    if Some(child) != name {
                        binder.bind_pattern(child, element, scope, builder);
                    }
                });
                if let Some(name) = name {
                    self.bind_pattern_name(name, tested, scope, builder);
                }
            }
            Kind::ConstantPattern => {
                let Some(value) = self.first_child(node) else { return };
                self.bind_constant(value, tested, scope, builder);
            }
            // A part of a pattern that consists of patterns, or an expression.
            _ if is_pattern_of_patterns(node.kind()) => {
                self.for_each_child(node, builder, |binder, child, builder| {
                    binder.bind_pattern(child, tested, scope, builder)
                });
            }
            _ => self.bind_constant(node, tested, scope, builder),
        });
    }

    /// Binds a constant, or a name that can be that of a type. A type without a value has no members that are compared.
    fn bind_constant(&mut self, node: Node<'t>, tested: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let of = builder.add_expr(Expr::TypeOf { of: tested });
        self.value_for_type(node, scope, Some(of), builder);
    }

    fn bind_pattern_part(&mut self, node: Node<'t>, matched: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::PropertyPatternClause => self.bind_property_patterns(node, matched, scope, builder),
            Kind::PositionalPatternClause => {
                let mut index = 0;
                self.for_each_child(node, builder, |binder, child, builder| {
                    let item = builder.add_expr(Expr::Item { of: matched, index });
                    index += 1;
                    match binder.last_child(child, builder) {
                        Some(pattern) if binder.kind(child) == Kind::Subpattern => {
                            binder.bind_pattern(pattern, item, scope, builder)
                        }
                        _ => binder.bind_pattern(child, item, scope, builder),
                    }
                });
            }
            Kind::ParenthesizedVariableDesignation => self.bind_tuple_pattern(node, matched, scope, builder),
            _ => self.bind_pattern(node, matched, scope, builder),
        }
    }

    /// Binds `{ A: p, B.C: q }`: the members of what is matched.
    fn bind_property_patterns(
        &mut self,
        node: Node<'t>,
        matched: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_child(node, builder, |binder, child, builder| {
            if binder.kind(child) != Kind::Subpattern {
                binder.bind_pattern(child, matched, scope, builder);
                return;
            }
            let member = binder.first_child(child);
            let pattern = binder.last_child(child, builder);
            let value = match member.filter(|_| member != pattern) {
                Some(path) => {
                    builder.run_with_depth_limit(path, |builder| binder.bind_member_path(path, matched, scope, builder))
                }
                None => matched,
            };
            if let Some(pattern) = pattern {
                binder.bind_pattern(pattern, value, scope, builder);
            }
        });
    }

    fn bind_member_path(
        &mut self,
        path: Node<'t>,
        of: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.kind(path) {
            Kind::Identifier => self.use_member(of, path, Role::Read, builder),
            Kind::MemberAccessExpression => {
                let base = match self.field(path, self.grammar.expression) {
                    Some(base) => {
                        builder.run_with_depth_limit(base, |builder| self.bind_member_path(base, of, scope, builder))
                    }
                    None => of,
                };
                match self.field(path, self.grammar.name) {
                    Some(name) => self.named_member_expr(base, name, (scope, Role::Read), builder),
                    None => base,
                }
            }
            _ => self.value(path, scope, builder),
        }
    }

    fn bind_pattern_name(&mut self, name: Node<'t>, value: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
        self.set_value(local, value, builder);
    }

    /// Binds the name that `T x` or `var x` declares inside an expression, with the value that it is given.
    pub(super) fn bind_declaration_expression(
        &mut self,
        node: Node<'t>,
        given: Option<ExprId>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let declared = self.declared_type(node, scope, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return builder.unknown_expr() };
        let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
        match declared {
            Some(of) => {
                builder.binding_mut(local).annotation = Some(of);
                builder.add_expr(Expr::Instance { of })
            }
            None => {
                if let Some(given) = given {
                    self.set_value(local, given, builder);
                }
                builder.unknown_expr()
            }
        }
    }

    /// Binds the names that `(var a, b)` declares or assigns, to the items of a value.
    pub(super) fn bind_deconstruction(
        &mut self,
        node: Node<'t>,
        of: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        match self.kind(node) {
            Kind::TupleExpression => {
                let mut index = 0;
                self.for_each_child(node, builder, |binder, argument, builder| {
                    let item = builder.add_expr(Expr::Item { of, index });
                    index += 1;
                    if let Some(part) = binder.last_child(argument, builder) {
                        builder.run_with_depth_limit(part, |builder| {
                            binder.bind_deconstruction(part, item, scope, builder)
                        });
                    }
                });
            }
            Kind::DeclarationExpression => {
                self.bind_declaration_expression(node, Some(of), scope, builder);
            }
            _ => {
                self.assigned_target(node, scope, builder);
            }
        }
    }
}

fn is_pattern_of_patterns(kind: &str) -> bool {
    matches!(kind, "and_pattern" | "or_pattern" | "negated_pattern" | "parenthesized_pattern" | "relational_pattern")
}
