//! Name binding of Go statements and of the names that they declare.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind, Span};

impl<'t> Binder<'t> {
    /// Binds the names in the statements below `node`, in the scope `scope`.
    pub(super) fn bind_statements(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            match binder.grammar.kind_of_node(child) {
                Kind::StatementList => binder.bind_statements(child, scope, builder),
                _ => binder.bind_statement(child, scope, builder),
            }
        });
    }

    pub(super) fn bind_statement(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        builder.run_with_depth_limit(node, |builder| match self.grammar.kind_of_node(node) {
            Kind::Block => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_statements(node, inside, builder);
            }
            Kind::ShortVarDeclaration => self.bind_short_variable_declaration(node, scope, builder),
            Kind::AssignmentStatement => self.record_names_in_assignment(node, scope, builder),
            Kind::VarDeclaration | Kind::VarSpecList => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.grammar.kind_of_node(child) {
                        Kind::VarSpec => {
                            binder.bind_const_or_var_spec(
                                child,
                                BindingKind::Variable,
                                scope,
                                (None, Span::default()),
                                builder,
                            );
                        }
                        _ => binder.bind_statement(child, scope, builder),
                    }
                })
            }
            Kind::ConstDeclaration => {
                // A constant spec without a value repeats the type and the values of the previous spec.
                let mut implied = (None, Span::default());
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.grammar.kind_of_node(child) {
                        Kind::ConstSpec => {
                            implied =
                                binder.bind_const_or_var_spec(child, BindingKind::Variable, scope, implied, builder)
                        }
                        _ => binder.bind_statement(child, scope, builder),
                    }
                });
            }
            Kind::TypeDeclaration => self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                match binder.grammar.kind_of_node(child) {
                    Kind::TypeSpec | Kind::TypeAlias => binder.bind_type_spec(child, scope, builder),
                    _ => binder.bind_statement(child, scope, builder),
                }
            }),
            Kind::IfStatement | Kind::ForStatement | Kind::ExpressionSwitchStatement | Kind::CommunicationCase => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_statements(node, inside, builder);
            }
            Kind::ForClause | Kind::SelectStatement | Kind::Error | Kind::StatementList | Kind::ExpressionList => {
                self.bind_statements(node, scope, builder);
            }
            Kind::ExpressionCase | Kind::DefaultCase => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_statements(node, inside, builder);
            }
            Kind::RangeClause => self.bind_range_clause(node, scope, builder),
            Kind::ReceiveStatement => {
                let right = self.child_in_field(node, self.grammar.right);
                let value = right.map_or(builder.unknown_expr(), |right| {
                    self.bind_names_and_get_value(right, scope, Role::Read, builder)
                });
                self.bind_or_assign_clause_targets(node, &[value], scope, builder);
            }
            Kind::TypeSwitchStatement => self.bind_type_switch(node, scope, builder),
            Kind::IncStatement | Kind::DecStatement => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    binder.bind_names_and_get_value(child, scope, Role::Write, builder);
                });
            }
            // Labels are local to their function and get no occurrence.
            Kind::LabelName | Kind::BreakStatement | Kind::ContinueStatement | Kind::GotoStatement => {}
            Kind::FunctionDeclaration => self.bind_function(node, builder),
            Kind::MethodDeclaration => self.bind_method(node, builder),
            Kind::ImportDeclaration | Kind::PackageClause => self.bind_top_level_node(node, builder),
            _ => {
                self.bind_names_and_get_value(node, scope, Role::Read, builder);
            }
        });
    }

    /// Binds the names of the short variable declaration `a, b := …`.
    fn bind_short_variable_declaration(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let left = self
            .child_in_field(node, self.grammar.left)
            .map(|left| self.named_non_comment_children(left, builder))
            .unwrap_or_default();
        let values = self.assigned_values(node, self.grammar.right, left.len(), scope, builder);
        self.bind_or_assign_names(&left, &values, node, scope, builder);
    }

    /// Binds the names on the left of `:=`. A name that is already bound in the same scope is assigned to instead.
    fn bind_or_assign_names(
        &mut self,
        names: &[Node<'t>],
        values: &[ExprId],
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        for (at, name) in names.iter().enumerate() {
            if self.grammar.kind_of_node(*name) != Kind::Identifier {
                self.bind_names_and_get_value(*name, scope, Role::Write, builder);
                continue;
            }
            if builder.text_of_node(*name) == "_" {
                continue;
            }
            let known = builder.name_id_of_node(*name);
            if scope != FILE_SCOPE && self.locals.contains_key(&(scope, known)) {
                builder.record_name_use(*name, scope, Role::Write);
                continue;
            }
            let local = self.bind_local_name(*name, BindingKind::Variable, scope, node.end_byte(), builder);
            self.set_binding_value(local, values.get(at).copied(), builder);
        }
    }

    fn set_binding_value(&mut self, binding: BindingId, value: Option<ExprId>, builder: &mut NamesBuilder<'_>) {
        if let Some(value) = value.filter(|value| *value != builder.unknown_expr()) {
            builder.binding_mut(binding).values = builder.add_expr_list(&[value]);
        }
    }

    /// The values that a statement assigns to its `target_count` targets, from the expressions in the statement's field
    /// `field`.
    fn assigned_values(
        &mut self,
        node: Node<'t>,
        field: u16,
        target_count: usize,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let Some(list) = self.child_in_field(node, field) else { return Vec::new() };
        let mut written = Vec::new();
        if self.grammar.kind_of_node(list) == Kind::ExpressionList {
            self.for_each_named_non_comment_child(list, builder, |binder, child, builder| {
                let value = binder.bind_names_and_get_value(child, scope, Role::Read, builder);
                written.push((child, value));
            });
        } else {
            written.push((list, self.bind_names_and_get_value(list, scope, Role::Read, builder)));
        }
        if let [(only, value)] = written.as_slice()
            && target_count > 1
        {
            // In `v, ok := m[k]` only the first value has a type of interest. Only a call returns several such values.
            if !self.is_call_expression(*only) {
                return vec![*value];
            }
            let of = *value;
            return (0..u32::try_from(target_count).unwrap_or(0))
                .map(|index| builder.add_expr(Expr::Item { of, index }))
                .collect();
        }
        written.into_iter().map(|(_, value)| value).collect()
    }

    fn is_call_expression(&self, mut node: Node<'t>) -> bool {
        while self.grammar.kind_of_node(node) == Kind::ParenthesizedExpression {
            match self.first_named_non_comment_child(node) {
                Some(inner) => node = inner,
                None => return false,
            }
        }
        self.grammar.kind_of_node(node) == Kind::CallExpression
    }

    fn record_names_in_assignment(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if let Some(left) = self.child_in_field(node, self.grammar.left) {
            self.for_each_named_non_comment_child(left, builder, |binder, target, builder| {
                binder.bind_names_and_get_value(target, scope, Role::Write, builder);
            });
        }
        if let Some(right) = self.child_in_field(node, self.grammar.right) {
            self.for_each_named_non_comment_child(right, builder, |binder, value, builder| {
                binder.bind_names_and_get_value(value, scope, Role::Read, builder);
            });
        }
    }

    /// Binds the names on the left of `:=` in a range clause or receive statement, or assigns to the targets on the
    /// left of `=`.
    fn bind_or_assign_clause_targets(
        &mut self,
        node: Node<'t>,
        values: &[ExprId],
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(left) = self.child_in_field(node, self.grammar.left) else { return };
        let names = self.named_non_comment_children(left, builder);
        let end = left.end_byte();
        let rest = builder.source.get(end..).unwrap_or("").trim_start();
        if rest.starts_with(":=") {
            self.bind_or_assign_names(&names, values, node, scope, builder);
        } else {
            for name in names {
                self.bind_names_and_get_value(name, scope, Role::Write, builder);
            }
        }
    }

    /// Binds the variables of a range clause: `for k, v := range x`.
    fn bind_range_clause(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(right) = self.child_in_field(node, self.grammar.right) else { return };
        let of = self.bind_names_and_get_value(right, scope, Role::Read, builder);
        // The first variable is the key of a map, the index of a slice, or the element of a channel.
        let first = builder.add_expr(Expr::Item { of, index: 0 });
        let second = builder.add_expr(Expr::Element { of });
        self.bind_or_assign_clause_targets(node, &[first, second], scope, builder);
    }

    /// Binds the names in a type switch: `switch v := x.(type)`. In a case with one type, `v` has that type.
    fn bind_type_switch(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = builder.add_child_scope(scope, ScopeKind::Block, node);
        let alias = self.child_in_field(node, self.grammar.alias);
        let name = alias
            .and_then(|alias| self.first_named_non_comment_child(alias))
            .filter(|name| builder.text_of_node(*name) != "_");
        if let Some(initializer) = self.child_in_field(node, self.grammar.initializer) {
            self.bind_statement(initializer, scope, builder);
        }
        let switched_value = match self.child_in_field(node, self.grammar.value) {
            Some(value) => self.bind_names_and_get_value(value, scope, Role::Read, builder),
            None => builder.unknown_expr(),
        };
        if let Some(name) = name {
            let local = self.bind_local_name(name, BindingKind::Variable, scope, name.end_byte(), builder);
            self.set_binding_value(local, Some(switched_value), builder);
        }
        self.for_each_named_non_comment_child(node, builder, |binder, case, builder| {
            let kind = binder.grammar.kind_of_node(case);
            if !matches!(kind, Kind::TypeCase | Kind::DefaultCase) {
                return;
            }
            let inside = builder.add_child_scope(scope, ScopeKind::Block, case);
            let mut types = Vec::new();
            let mut bodies = Vec::new();
            binder.for_each_named_non_comment_child(case, builder, |binder, child, builder| {
                match binder.grammar.kind_of_node(child) {
                    Kind::StatementList => bodies.push(child),
                    _ => types.push(binder.type_expr(child, inside, builder)),
                }
            });
            if let Some(name) = name {
                let text = builder.name_id_of_node(name);
                if let [one] = types.as_slice() {
                    let local = builder.add_binding(inside, BindingKind::Variable, text, name.start_byte());
                    builder.binding_mut(local).annotation = Some(*one);
                }
            }
            for body in bodies {
                binder.bind_statements(body, inside, builder);
            }
        });
    }

    /// Binds the names of `a, b T = 1, 2` after `var` or `const`. Returns the type and the values that a following
    /// constant without a value repeats.
    fn bind_const_or_var_spec(
        &mut self,
        node: Node<'t>,
        kind: BindingKind,
        scope: ScopeId,
        previous_type_and_values: (Option<ExprId>, Span),
        builder: &mut NamesBuilder<'_>,
    ) -> (Option<ExprId>, Span) {
        let mut names = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |binder, child, _| {
            if binder.grammar.kind_of_node(child) == Kind::Identifier {
                names.push(child);
            }
        });
        let written = self.child_in_field(node, self.grammar.r#type);
        let mut annotation = written.map(|written| self.type_expr(written, scope, builder));
        let has_values = self.child_in_field(node, self.grammar.value).is_some();
        let values = self.assigned_values(node, self.grammar.value, names.len(), scope, builder);
        let mut values_to_repeat = previous_type_and_values.1;
        if written.is_none() && !has_values {
            annotation = previous_type_and_values.0;
        }
        for (at, name) in names.iter().enumerate() {
            if builder.text_of_node(*name) == "_" {
                continue;
            }
            let binding = if scope == FILE_SCOPE {
                builder.add_binding_with_definition(scope, kind, *name)
            } else {
                self.bind_local_name(*name, kind, scope, node.end_byte(), builder)
            };
            builder.binding_mut(binding).annotation = annotation;
            if has_values {
                self.set_binding_value(binding, values.get(at).copied(), builder);
            } else if names.len() == 1 {
                builder.binding_mut(binding).values = previous_type_and_values.1;
            }
            values_to_repeat = builder.binding_mut(binding).values;
        }
        (annotation, values_to_repeat)
    }
}
