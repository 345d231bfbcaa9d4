//! Name binding of Java's patterns, in `instanceof` and in the labels of `switch`.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, RestrictedNameKind, Role, ScopeId, Target};

impl<'t> Binder<'t> {
    /// Binds the type or pattern behind `instanceof`. The names of a pattern are bound in the scope around it, from
    /// their place on: where they are in scope depends on the flow.
    pub(super) fn bind_instanceof_pattern(
        &mut self,
        node: Node<'t>,
        tested: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(pattern) = self.field(node, self.grammar.pattern) {
            self.bind_pattern(pattern, tested, scope, builder);
            return;
        }
        let Some(written) = self.field(node, self.grammar.right) else { return };
        let of = self.type_expr(written, scope, builder);
        if let Some(name) = self.field(node, self.grammar.name) {
            self.bind_pattern_name(name, Some(of), tested, scope, builder);
        }
    }

    /// Binds the names of a pattern that is compared with `tested`.
    pub(super) fn bind_pattern(
        &mut self,
        node: Node<'t>,
        tested: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.run_with_depth_limit(node, |builder| match self.kind(node) {
            Kind::TypePattern | Kind::RecordPatternComponent => {
                let mut of = None;
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.kind(child) {
                        Kind::Identifier => binder.bind_pattern_name(child, of, tested, scope, builder),
                        Kind::UnderscorePattern | Kind::Modifiers => {}
                        _ if builder.text_of_node(child) == "var" => {}
                        _ => of = Some(binder.type_expr(child, scope, builder)),
                    }
                });
            }
            Kind::RecordPattern => self.bind_record_pattern(node, tested, scope, builder),
            _ => self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                binder.bind_pattern(child, tested, scope, builder)
            }),
        });
    }

    /// Binds the names of `Point(var x, var y)`. A component that has no type has that of the constructor's parameter.
    fn bind_record_pattern(&mut self, node: Node<'t>, tested: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut of = builder.unknown_expr();
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::RecordPatternBody => {
                let mut index = 0;
                let matched = builder.add_expr(Expr::Matched { value: tested, of });
                binder.for_each_named_non_comment_child(child, builder, |binder, component, builder| {
                    let value = builder.add_expr(Expr::Item { of: matched, index });
                    index += 1;
                    binder.bind_pattern(component, value, scope, builder);
                });
            }
            Kind::Identifier | Kind::TypeIdentifier => {
                of = binder.record_restricted_name_use(child, scope, (RestrictedNameKind::Type, Role::Type), builder);
            }
            _ => of = binder.type_expr(child, scope, builder),
        });
    }

    fn bind_pattern_name(
        &mut self,
        name: Node<'t>,
        of: Option<ExprId>,
        tested: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
        let value = match of {
            Some(of) => builder.add_expr(Expr::Matched { value: tested, of }),
            None => tested,
        };
        self.set_value(local, value, builder);
    }

    /// Binds what stands behind `case`: a pattern, a constant of the tested enum, or another constant.
    pub(super) fn bind_switch_label(
        &mut self,
        label: Node<'t>,
        tested: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(label, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Pattern | Kind::TypePattern | Kind::RecordPattern => {
                binder.bind_pattern(child, tested, scope, builder)
            }
            Kind::Guard => {
                binder.for_each_named_non_comment_child(child, builder, |binder, test, builder| {
                    binder.value(test, scope, builder);
                });
            }
            Kind::Identifier => {
                let name = builder.name_id_of_node(child);
                let at = u32::try_from(child.start_byte()).unwrap_or(u32::MAX);
                let value = builder.add_expr(Expr::Member { base: tested, name, at });
                let other = builder.add_expr(Expr::Name { name, scope, at });
                let either = builder.add_expr(Expr::Fallback { value, other });
                builder.record_occurrence(child, Role::Read, Target::Expr(either));
            }
            _ => {
                binder.value(child, scope, builder);
            }
        });
    }
}
