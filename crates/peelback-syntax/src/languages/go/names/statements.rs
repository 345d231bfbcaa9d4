//! Statements and the variables that they declare.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind, Span};

impl<'t> Binder<'t> {
    /// The statements below `node`, in `scope`.
    pub(super) fn statements(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |binder, child, builder| match binder.g.kind(child) {
            Kind::StatementList => binder.statements(child, scope, builder),
            _ => binder.statement(child, scope, builder),
        });
    }

    pub(super) fn statement(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        builder.deeper(node, |builder| match self.g.kind(node) {
            Kind::Block => {
                let inside = builder.scope(scope, ScopeKind::Block, node);
                self.statements(node, inside, builder);
            }
            Kind::ShortVarDeclaration => self.short_declaration(node, scope, builder),
            Kind::AssignmentStatement => self.assignment(node, scope, builder),
            Kind::VarDeclaration | Kind::VarSpecList => {
                self.each(node, builder, |binder, child, builder| match binder.g.kind(child) {
                    Kind::VarSpec => {
                        binder.value_spec(child, BindingKind::Variable, scope, (None, Span::default()), builder);
                    }
                    _ => binder.statement(child, scope, builder),
                })
            }
            Kind::ConstDeclaration => {
                // A spec without a value repeats the one before.
                let mut implied = (None, Span::default());
                self.each(node, builder, |binder, child, builder| match binder.g.kind(child) {
                    Kind::ConstSpec => {
                        implied = binder.value_spec(child, BindingKind::Variable, scope, implied, builder)
                    }
                    _ => binder.statement(child, scope, builder),
                });
            }
            Kind::TypeDeclaration => self.each(node, builder, |binder, child, builder| match binder.g.kind(child) {
                Kind::TypeSpec | Kind::TypeAlias => binder.type_spec(child, scope, builder),
                _ => binder.statement(child, scope, builder),
            }),
            Kind::IfStatement | Kind::ForStatement | Kind::ExpressionSwitchStatement | Kind::CommunicationCase => {
                let inside = builder.scope(scope, ScopeKind::Block, node);
                self.statements(node, inside, builder);
            }
            Kind::ForClause | Kind::SelectStatement | Kind::Error | Kind::StatementList | Kind::ExpressionList => {
                self.statements(node, scope, builder);
            }
            Kind::ExpressionCase | Kind::DefaultCase => {
                let inside = builder.scope(scope, ScopeKind::Block, node);
                self.statements(node, inside, builder);
            }
            Kind::RangeClause => self.range(node, scope, builder),
            Kind::ReceiveStatement => {
                let right = self.field(node, self.g.right);
                let value = right.map_or(builder.unknown(), |right| self.value(right, scope, Role::Read, builder));
                self.targets(node, &[value], scope, builder);
            }
            Kind::TypeSwitchStatement => self.type_switch(node, scope, builder),
            Kind::IncStatement | Kind::DecStatement => {
                self.each(node, builder, |binder, child, builder| {
                    binder.value(child, scope, Role::Write, builder);
                });
            }
            // A label means nothing but itself.
            Kind::LabelName | Kind::BreakStatement | Kind::ContinueStatement | Kind::GotoStatement => {}
            Kind::FunctionDeclaration => self.function(node, builder),
            Kind::MethodDeclaration => self.method(node, builder),
            Kind::ImportDeclaration | Kind::PackageClause => self.top(node, builder),
            _ => {
                self.value(node, scope, Role::Read, builder);
            }
        });
    }

    /// `a, b := …`.
    fn short_declaration(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let left = self.field(node, self.g.left).map(|left| self.children(left, builder)).unwrap_or_default();
        let values = self.values(node, self.g.right, left.len(), scope, builder);
        self.declare(&left, &values, node, scope, builder);
    }

    /// Binds the names on the left of `:=`, or assigns to those that their scope has already.
    fn declare(
        &mut self,
        names: &[Node<'t>],
        values: &[ExprId],
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        for (at, name) in names.iter().enumerate() {
            if self.g.kind(*name) != Kind::Identifier {
                self.value(*name, scope, Role::Write, builder);
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
            let local = self.local(*name, BindingKind::Variable, scope, node.end_byte(), builder);
            self.give(local, values.get(at).copied(), builder);
        }
    }

    fn give(&mut self, binding: BindingId, value: Option<ExprId>, builder: &mut NamesBuilder<'_>) {
        if let Some(value) = value.filter(|value| *value != builder.unknown()) {
            builder.binding(binding).values = builder.list(&[value]);
        }
    }

    /// The expressions under `field` of a statement as the values of `wanted` targets.
    fn values(
        &mut self,
        node: Node<'t>,
        field: u16,
        wanted: usize,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let Some(list) = self.field(node, field) else { return Vec::new() };
        let mut written = Vec::new();
        if self.g.kind(list) == Kind::ExpressionList {
            self.each(list, builder, |binder, child, builder| {
                let value = binder.value(child, scope, Role::Read, builder);
                written.push((child, value));
            });
        } else {
            written.push((list, self.value(list, scope, Role::Read, builder)));
        }
        if let [(only, value)] = written.as_slice()
            && wanted > 1
        {
            // `v, ok := m[k]`: only a call gives several values that have a type worth knowing.
            if !self.is_call(*only) {
                return vec![*value];
            }
            let of = *value;
            return (0..u32::try_from(wanted).unwrap_or(0))
                .map(|index| builder.expr(Expr::Item { of, index }))
                .collect();
        }
        written.into_iter().map(|(_, value)| value).collect()
    }

    fn is_call(&self, mut node: Node<'t>) -> bool {
        while self.g.kind(node) == Kind::ParenthesizedExpression {
            match self.first_child(node) {
                Some(inner) => node = inner,
                None => return false,
            }
        }
        self.g.kind(node) == Kind::CallExpression
    }

    fn assignment(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if let Some(left) = self.field(node, self.g.left) {
            self.each(left, builder, |binder, target, builder| {
                binder.value(target, scope, Role::Write, builder);
            });
        }
        if let Some(right) = self.field(node, self.g.right) {
            self.each(right, builder, |binder, value, builder| {
                binder.value(value, scope, Role::Read, builder);
            });
        }
    }

    /// What stands left of `:=` or `=` in a clause: names that are declared, or targets that are assigned to.
    fn targets(&mut self, node: Node<'t>, values: &[ExprId], scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(left) = self.field(node, self.g.left) else { return };
        let names = self.children(left, builder);
        let end = left.end_byte();
        let rest = builder.source.get(end..).unwrap_or("").trim_start();
        if rest.starts_with(":=") {
            self.declare(&names, values, node, scope, builder);
        } else {
            for name in names {
                self.value(name, scope, Role::Write, builder);
            }
        }
    }

    /// `for k, v := range x`.
    fn range(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let Some(right) = self.field(node, self.g.right) else { return };
        let of = self.value(right, scope, Role::Read, builder);
        // The key of a map; of a slice a number, of a channel what it carries.
        let first = builder.expr(Expr::Item { of, index: 0 });
        let second = builder.expr(Expr::Element { of });
        self.targets(node, &[first, second], scope, builder);
    }

    /// `switch v := x.(type)`: in each case, `v` is of the case's type.
    fn type_switch(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let scope = builder.scope(scope, ScopeKind::Block, node);
        let alias = self.field(node, self.g.alias);
        let name = alias.and_then(|alias| self.first_child(alias)).filter(|name| builder.text(*name) != "_");
        if let Some(initializer) = self.field(node, self.g.initializer) {
            self.statement(initializer, scope, builder);
        }
        let switched = match self.field(node, self.g.value) {
            Some(value) => self.value(value, scope, Role::Read, builder),
            None => builder.unknown(),
        };
        if let Some(name) = name {
            let whole = self.local(name, BindingKind::Variable, scope, name.end_byte(), builder);
            self.give(whole, Some(switched), builder);
        }
        self.each(node, builder, |binder, case, builder| {
            let kind = binder.g.kind(case);
            if !matches!(kind, Kind::TypeCase | Kind::DefaultCase) {
                return;
            }
            let inside = builder.scope(scope, ScopeKind::Block, case);
            let mut types = Vec::new();
            let mut bodies = Vec::new();
            binder.each(case, builder, |binder, child, builder| match binder.g.kind(child) {
                Kind::StatementList => bodies.push(child),
                _ => types.push(binder.type_of(child, inside, builder)),
            });
            if let Some(name) = name {
                let text = builder.name(name);
                if let [one] = types.as_slice() {
                    let local = builder.bind_name(inside, BindingKind::Variable, text, name.start_byte());
                    builder.binding(local).annotation = Some(*one);
                }
            }
            for body in bodies {
                binder.statements(body, inside, builder);
            }
        });
    }

    /// `a, b T = 1, 2` after `var` or `const`; the type and the values that a constant after it repeats.
    fn value_spec(
        &mut self,
        node: Node<'t>,
        kind: BindingKind,
        scope: ScopeId,
        implied: (Option<ExprId>, Span),
        builder: &mut NamesBuilder<'_>,
    ) -> (Option<ExprId>, Span) {
        let mut names = Vec::new();
        self.each(node, builder, |binder, child, _| {
            if binder.g.kind(child) == Kind::Identifier {
                names.push(child);
            }
        });
        let written = self.field(node, self.g.r#type);
        let mut annotation = written.map(|written| self.type_of(written, scope, builder));
        let has_values = self.field(node, self.g.value).is_some();
        let values = self.values(node, self.g.value, names.len(), scope, builder);
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
                self.local(*name, kind, scope, node.end_byte(), builder)
            };
            builder.binding(binding).annotation = annotation;
            if has_values {
                self.give(binding, values.get(at).copied(), builder);
            } else if names.len() == 1 {
                builder.binding(binding).values = implied.1;
            }
            repeated = builder.binding(binding).values;
        }
        (annotation, repeated)
    }
}
