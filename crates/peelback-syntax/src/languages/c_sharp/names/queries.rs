//! Name binding of C#'s query expressions: each clause is a call of a method that the compiler names.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, ExprId, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// The value of `from x in xs … select y`: a sequence of what is selected.
    pub(super) fn query_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = builder.add_child_scope(scope, ScopeKind::Block, node);
        let mut result = builder.unknown_expr();
        self.for_each_child(node, builder, |binder, clause, builder| match binder.kind(clause) {
            Kind::FromClause => binder.bind_from_clause(clause, scope, builder),
            Kind::JoinClause => binder.bind_join_clause(clause, scope, builder),
            Kind::LetClause => {
                let Some(name) = binder.first_child(clause) else { return };
                let value = binder.last_child(clause, builder).filter(|value| *value != name);
                let value = value.map_or(builder.unknown_expr(), |value| binder.value(value, scope, builder));
                binder.bind_range_variable(name, value, scope, builder);
            }
            Kind::SelectClause => {
                let selected = binder.first_child(clause).map(|value| binder.value(value, scope, builder));
                let selected = selected.unwrap_or(builder.unknown_expr());
                result = binder.operator_value("select", &[selected], builder);
            }
            Kind::GroupClause => {
                let values: Vec<Node<'t>> = binder.children(clause, builder);
                let values: Vec<ExprId> = values.into_iter().map(|value| binder.value(value, scope, builder)).collect();
                result = match values.as_slice() {
                    [element, key] => binder.operator_value("group", &[*key, *element], builder),
                    _ => builder.unknown_expr(),
                };
            }
            // The name behind `into`.
            Kind::Identifier => {
                let element = binder.operator_value("foreach", &[result], builder);
                binder.bind_range_variable(clause, element, scope, builder);
            }
            _ => binder.bind_values_in(clause, scope, builder),
        });
        result
    }

    fn bind_from_clause(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let declared = self.declared_type(node, scope, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let of = self.last_child(node, builder).filter(|value| *value != name);
        let of = of.map_or(builder.unknown_expr(), |of| self.value(of, scope, builder));
        let element = self.operator_value("foreach", &[of], builder);
        let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
        match declared {
            Some(declared) => builder.binding_mut(local).annotation = Some(declared),
            None => self.set_value(local, element, builder),
        }
    }

    fn bind_join_clause(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let declared = self.declared_type(node, scope, builder);
        let written = self.field(node, self.grammar.r#type);
        let mut name = None;
        let mut source = None;
        self.for_each_child(node, builder, |binder, child, builder| {
            if Some(child) == written {
                return;
            }
            match (binder.kind(child), name, source) {
                (_, None, _) => name = Some(child),
                (Kind::JoinIntoClause, _, Some(source)) => {
                    if let Some(into) = binder.first_child(child) {
                        binder.bind_range_variable(into, source, scope, builder);
                    }
                }
                (_, Some(name), None) => {
                    let of = binder.value(child, scope, builder);
                    source = Some(of);
                    let element = binder.operator_value("foreach", &[of], builder);
                    let local = binder.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
                    match declared {
                        Some(declared) => builder.binding_mut(local).annotation = Some(declared),
                        None => binder.set_value(local, element, builder),
                    }
                }
                _ => {
                    binder.value(child, scope, builder);
                }
            }
        });
    }

    fn bind_range_variable(&mut self, name: Node<'t>, value: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if self.kind(name) == Kind::Identifier {
            let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
            self.set_value(local, value, builder);
        }
    }
}
