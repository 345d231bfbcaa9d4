//! Binds statements and the variables that they declare.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind, Span};

impl<'t> Binder<'t> {
    /// Binds the statements below `node` in `scope`.
    pub(super) fn bind_statements(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_child(node, builder, |binder, child, builder| match binder.grammar.kind(child) {
            Kind::StatementList => binder.bind_statements(child, scope, builder),
            _ => binder.bind_statement(child, scope, builder),
        });
    }

    pub(super) fn bind_statement(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        builder.deeper(node, |builder| match self.grammar.kind(node) {
            Kind::Block => {
                let inside = builder.scope(scope, ScopeKind::Block, node);
                self.bind_statements(node, inside, builder);
            }
            Kind::ShortVarDeclaration => self.bind_short_declaration(node, scope, builder),
            Kind::AssignmentStatement => self.record_assignment(node, scope, builder),
            Kind::VarDeclaration | Kind::VarSpecList => {
                self.for_each_child(node, builder, |binder, child, builder| match binder.grammar.kind(child) {
                    Kind::VarSpec => {
                        binder.bind_value_spec(child, BindingKind::Variable, scope, (None, Span::default()), builder);
                    }
                    _ => binder.bind_statement(child, scope, builder),
                })
            }
            Kind::ConstDeclaration => {
                // A constant spec without a value repeats the previous spec.
                let mut implied = (None, Span::default());
                self.for_each_child(node, builder, |binder, child, builder| match binder.grammar.kind(child) {
                    Kind::ConstSpec => {
                        implied = binder.bind_value_spec(child, BindingKind::Variable, scope, implied, builder)
                    }
                    _ => binder.bind_statement(child, scope, builder),
                });
            }
            Kind::TypeDeclaration => {
                self.for_each_child(node, builder, |binder, child, builder| match binder.grammar.kind(child) {
                    Kind::TypeSpec | Kind::TypeAlias => binder.bind_type_spec(child, scope, builder),
                    _ => binder.bind_statement(child, scope, builder),
                })
            }
            Kind::IfStatement | Kind::ForStatement | Kind::ExpressionSwitchStatement | Kind::CommunicationCase => {
                let inside = builder.scope(scope, ScopeKind::Block, node);
                self.bind_statements(node, inside, builder);
            }
            Kind::ForClause | Kind::SelectStatement | Kind::Error | Kind::StatementList | Kind::ExpressionList => {
                self.bind_statements(node, scope, builder);
            }
            Kind::ExpressionCase | Kind::DefaultCase => {
                let inside = builder.scope(scope, ScopeKind::Block, node);
                self.bind_statements(node, inside, builder);
            }
            Kind::RangeClause => self.bind_range_clause(node, scope, builder),
            Kind::ReceiveStatement => {
                let right = self.child_in_field(node, self.grammar.right);
                let value =
                    right.map_or(builder.unknown(), |right| self.expression_value(right, scope, Role::Read, builder));
                self.bind_clause_targets(node, &[value], scope, builder);
            }
            Kind::TypeSwitchStatement => self.bind_type_switch(node, scope, builder),
            Kind::IncStatement | Kind::DecStatement => {
                self.for_each_child(node, builder, |binder, child, builder| {
                    binder.expression_value(child, scope, Role::Write, builder);
                });
            }
            // Labels are local to their function and get no occurrence.
            Kind::LabelName | Kind::BreakStatement | Kind::ContinueStatement | Kind::GotoStatement => {}
            Kind::FunctionDeclaration => self.bind_function(node, builder),
            Kind::MethodDeclaration => self.bind_method(node, builder),
            Kind::ImportDeclaration | Kind::PackageClause => self.bind_top_level(node, builder),
            _ => {
                self.expression_value(node, scope, Role::Read, builder);
            }
        });
    }

    /// Binds the short declaration `a, b := …`.
    fn bind_short_declaration(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let left = self
            .child_in_field(node, self.grammar.left)
            .map(|left| self.code_children(left, builder))
            .unwrap_or_default();
        let values = self.target_values(node, self.grammar.right, left.len(), scope, builder);
        self.bind_or_assign_names(&left, &values, node, scope, builder);
    }

    /// Binds the names on the left of `:=`. A name that its scope already has is assigned instead.
    fn bind_or_assign_names(
        &mut self,
        names: &[Node<'t>],
        values: &[ExprId],
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        for (at, name) in names.iter().enumerate() {
            if self.grammar.kind(*name) != Kind::Identifier {
                self.expression_value(*name, scope, Role::Write, builder);
                continue;
            }
            if builder.text(*name) == "_" {
                continue;
            }
            let known = builder.name(*name);
            if scope != FILE_SCOPE && self.locals.contains_key(&(scope, known)) {
                builder.use_name(*name, scope, Role::Write);
                continue;
            }
            let local = self.bind_local(*name, BindingKind::Variable, scope, node.end_byte(), builder);
            self.set_value(local, values.get(at).copied(), builder);
        }
    }

    fn set_value(&mut self, binding: BindingId, value: Option<ExprId>, builder: &mut NamesBuilder<'_>) {
        if let Some(value) = value.filter(|value| *value != builder.unknown()) {
            builder.binding(binding).values = builder.list(&[value]);
        }
    }

    /// The values of `wanted` targets, from the expressions in `field` of a statement.
    fn target_values(
        &mut self,
        node: Node<'t>,
        field: u16,
        wanted: usize,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let Some(list) = self.child_in_field(node, field) else { return Vec::new() };
        let mut written = Vec::new();
        if self.grammar.kind(list) == Kind::ExpressionList {
            self.for_each_child(list, builder, |binder, child, builder| {
                let value = binder.expression_value(child, scope, Role::Read, builder);
                written.push((child, value));
            });
        } else {
            written.push((list, self.expression_value(list, scope, Role::Read, builder)));
        }
        if let [(only, value)] = written.as_slice()
            && wanted > 1
        {
            // In `v, ok := m[k]` only the first value has a type of interest. Only a call returns several such values.
            if !self.is_call_expression(*only) {
                return vec![*value];
            }
            let of = *value;
            return (0..u32::try_from(wanted).unwrap_or(0))
                .map(|index| builder.expr(Expr::Item { of, index }))
                .collect();
        }
        written.into_iter().map(|(_, value)| value).collect()
    }

    fn is_call_expression(&self, mut node: Node<'t>) -> bool {
        while self.grammar.kind(node) == Kind::ParenthesizedExpression {
            match self.first_code_child(node) {
                Some(inner) => node = inner,
                None => return false,
            }
        }
        self.grammar.kind(node) == Kind::CallExpression
    }

    fn record_assignment(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if let Some(left) = self.child_in_field(node, self.grammar.left) {
            self.for_each_child(left, builder, |binder, target, builder| {
                binder.expression_value(target, scope, Role::Write, builder);
            });
        }
        if let Some(right) = self.child_in_field(node, self.grammar.right) {
            self.for_each_child(right, builder, |binder, value, builder| {
                binder.expression_value(value, scope, Role::Read, builder);
            });
        }
    }

    /// Declares the names on the left of `:=` in a clause, or assigns to the targets on the left of `=`.
    fn bind_clause_targets(
        &mut self,
        node: Node<'t>,
        values: &[ExprId],
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(left) = self.child_in_field(node, self.grammar.left) else { return };
        let names = self.code_children(left, builder);
        let end = left.end_byte();
        let rest = builder.source.get(end..).unwrap_or("").trim_start();
        if rest.starts_with(":=") {
            self.bind_or_assign_names(&names, values, node, scope, builder);
        } else {
            for name in names {
                self.expression_value(name, scope, Role::Write, builder);
            }
        }
    }

    /// Binds the variables of `for k, v := range x`.
    fn bind_range_clause(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(right) = self.child_in_field(node, self.grammar.right) else { return };
        let of = self.expression_value(right, scope, Role::Read, builder);
        // The first variable is the key of a map, the index of a slice, or the element of a channel.
        let first = builder.expr(Expr::Item { of, index: 0 });
        let second = builder.expr(Expr::Element { of });
        self.bind_clause_targets(node, &[first, second], scope, builder);
    }

    /// Binds `switch v := x.(type)`. In a case with one type, `v` has that type.
    fn bind_type_switch(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = builder.scope(scope, ScopeKind::Block, node);
        let alias = self.child_in_field(node, self.grammar.alias);
        let name = alias.and_then(|alias| self.first_code_child(alias)).filter(|name| builder.text(*name) != "_");
        if let Some(initializer) = self.child_in_field(node, self.grammar.initializer) {
            self.bind_statement(initializer, scope, builder);
        }
        let switched = match self.child_in_field(node, self.grammar.value) {
            Some(value) => self.expression_value(value, scope, Role::Read, builder),
            None => builder.unknown(),
        };
        if let Some(name) = name {
            let whole = self.bind_local(name, BindingKind::Variable, scope, name.end_byte(), builder);
            self.set_value(whole, Some(switched), builder);
        }
        self.for_each_child(node, builder, |binder, case, builder| {
            let kind = binder.grammar.kind(case);
            if !matches!(kind, Kind::TypeCase | Kind::DefaultCase) {
                return;
            }
            let inside = builder.scope(scope, ScopeKind::Block, case);
            let mut types = Vec::new();
            let mut bodies = Vec::new();
            binder.for_each_child(case, builder, |binder, child, builder| match binder.grammar.kind(child) {
                Kind::StatementList => bodies.push(child),
                _ => types.push(binder.type_expr(child, inside, builder)),
            });
            if let Some(name) = name {
                let text = builder.name(name);
                if let [one] = types.as_slice() {
                    let local = builder.bind_name(inside, BindingKind::Variable, text, name.start_byte());
                    builder.binding(local).annotation = Some(*one);
                }
            }
            for body in bodies {
                binder.bind_statements(body, inside, builder);
            }
        });
    }

    /// Binds `a, b T = 1, 2` after `var` or `const`. Returns the type and the values that a following constant repeats.
    fn bind_value_spec(
        &mut self,
        node: Node<'t>,
        kind: BindingKind,
        scope: ScopeId,
        implied: (Option<ExprId>, Span),
        builder: &mut NamesBuilder<'_>,
    ) -> (Option<ExprId>, Span) {
        let mut names = Vec::new();
        self.for_each_child(node, builder, |binder, child, _| {
            if binder.grammar.kind(child) == Kind::Identifier {
                names.push(child);
            }
        });
        let written = self.child_in_field(node, self.grammar.r#type);
        let mut annotation = written.map(|written| self.type_expr(written, scope, builder));
        let has_values = self.child_in_field(node, self.grammar.value).is_some();
        let values = self.target_values(node, self.grammar.value, names.len(), scope, builder);
        let mut repeated = implied.1;
        if written.is_none() && !has_values {
            annotation = implied.0;
        }
        for (at, name) in names.iter().enumerate() {
            if builder.text(*name) == "_" {
                continue;
            }
            let binding = if scope == FILE_SCOPE {
                builder.bind(scope, kind, *name)
            } else {
                self.bind_local(*name, kind, scope, node.end_byte(), builder)
            };
            builder.binding(binding).annotation = annotation;
            if has_values {
                self.set_value(binding, values.get(at).copied(), builder);
            } else if names.len() == 1 {
                builder.binding(binding).values = implied.1;
            }
            repeated = builder.binding(binding).values;
        }
        (annotation, repeated)
    }
}
