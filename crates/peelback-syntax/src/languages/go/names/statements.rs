//! Statements and the variables that they declare.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, FILE_SCOPE, Role, ScopeId, ScopeKind, Span};

impl<'t> Binder<'t> {
    /// The statements below `node`, in `scope`.
    pub(super) fn statements(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        self.each(node, cx, |binder, child, cx| match binder.g.kind(child) {
            Kind::StatementList => binder.statements(child, scope, cx),
            _ => binder.statement(child, scope, cx),
        });
    }

    pub(super) fn statement(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        cx.deeper(node, |cx| match self.g.kind(node) {
            Kind::Block => {
                let inside = cx.scope(scope, ScopeKind::Block, node);
                self.statements(node, inside, cx);
            }
            Kind::ShortVarDeclaration => self.short_declaration(node, scope, cx),
            Kind::AssignmentStatement => self.assignment(node, scope, cx),
            Kind::VarDeclaration | Kind::VarSpecList => {
                self.each(node, cx, |binder, child, cx| match binder.g.kind(child) {
                    Kind::VarSpec => {
                        binder.value_spec(child, BindingKind::Variable, scope, (None, Span::default()), cx);
                    }
                    _ => binder.statement(child, scope, cx),
                })
            }
            Kind::ConstDeclaration => {
                // A spec without a value repeats the one before.
                let mut implied = (None, Span::default());
                self.each(node, cx, |binder, child, cx| match binder.g.kind(child) {
                    Kind::ConstSpec => implied = binder.value_spec(child, BindingKind::Variable, scope, implied, cx),
                    _ => binder.statement(child, scope, cx),
                });
            }
            Kind::TypeDeclaration => self.each(node, cx, |binder, child, cx| match binder.g.kind(child) {
                Kind::TypeSpec | Kind::TypeAlias => binder.type_spec(child, scope, cx),
                _ => binder.statement(child, scope, cx),
            }),
            Kind::IfStatement | Kind::ForStatement | Kind::ExpressionSwitchStatement | Kind::CommunicationCase => {
                let inside = cx.scope(scope, ScopeKind::Block, node);
                self.statements(node, inside, cx);
            }
            Kind::ForClause | Kind::SelectStatement | Kind::Error | Kind::StatementList | Kind::ExpressionList => {
                self.statements(node, scope, cx);
            }
            Kind::ExpressionCase | Kind::DefaultCase => {
                let inside = cx.scope(scope, ScopeKind::Block, node);
                self.statements(node, inside, cx);
            }
            Kind::RangeClause => self.range(node, scope, cx),
            Kind::ReceiveStatement => {
                let right = self.field(node, self.g.right);
                let value = right.map_or(cx.unknown(), |right| self.value(right, scope, Role::Read, cx));
                self.targets(node, &[value], scope, cx);
            }
            Kind::TypeSwitchStatement => self.type_switch(node, scope, cx),
            Kind::IncStatement | Kind::DecStatement => {
                self.each(node, cx, |binder, child, cx| {
                    binder.value(child, scope, Role::Write, cx);
                });
            }
            // A label means nothing but itself.
            Kind::LabelName | Kind::BreakStatement | Kind::ContinueStatement | Kind::GotoStatement => {}
            Kind::FunctionDeclaration => self.function(node, cx),
            Kind::MethodDeclaration => self.method(node, cx),
            Kind::ImportDeclaration | Kind::PackageClause => self.top(node, cx),
            _ => {
                self.value(node, scope, Role::Read, cx);
            }
        });
    }

    /// `a, b := …`.
    fn short_declaration(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        let left = self.field(node, self.g.left).map(|left| self.children(left, cx)).unwrap_or_default();
        let values = self.values(node, self.g.right, left.len(), scope, cx);
        self.declare(&left, &values, node, scope, cx);
    }

    /// Binds the names on the left of `:=`, or assigns to those that their scope has already.
    fn declare(&mut self, names: &[Node<'t>], values: &[ExprId], node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        for (at, name) in names.iter().enumerate() {
            if self.g.kind(*name) != Kind::Identifier {
                self.value(*name, scope, Role::Write, cx);
                continue;
            }
            if cx.text(*name) == "_" {
                continue;
            }
            let known = cx.name(*name);
            if scope != FILE_SCOPE && self.locals.contains_key(&(scope, known)) {
                cx.use_name(*name, scope, Role::Write);
                continue;
            }
            let local = self.local(*name, BindingKind::Variable, scope, node.end_byte(), cx);
            self.give(local, values.get(at).copied(), cx);
        }
    }

    fn give(&mut self, binding: BindingId, value: Option<ExprId>, cx: &mut Cx<'_>) {
        if let Some(value) = value.filter(|value| *value != cx.unknown()) {
            cx.binding(binding).values = cx.list(&[value]);
        }
    }

    /// The expressions under `field` of a statement as the values of `wanted` targets.
    fn values(&mut self, node: Node<'t>, field: u16, wanted: usize, scope: ScopeId, cx: &mut Cx<'_>) -> Vec<ExprId> {
        let Some(list) = self.field(node, field) else { return Vec::new() };
        let mut written = Vec::new();
        if self.g.kind(list) == Kind::ExpressionList {
            self.each(list, cx, |binder, child, cx| {
                let value = binder.value(child, scope, Role::Read, cx);
                written.push((child, value));
            });
        } else {
            written.push((list, self.value(list, scope, Role::Read, cx)));
        }
        if let [(only, value)] = written.as_slice()
            && wanted > 1
        {
            // `v, ok := m[k]`: only a call gives several values that have a type worth knowing.
            if !self.is_call(*only) {
                return vec![*value];
            }
            let of = *value;
            return (0..u32::try_from(wanted).unwrap_or(0)).map(|index| cx.expr(Expr::Item { of, index })).collect();
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

    fn assignment(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        if let Some(left) = self.field(node, self.g.left) {
            self.each(left, cx, |binder, target, cx| {
                binder.value(target, scope, Role::Write, cx);
            });
        }
        if let Some(right) = self.field(node, self.g.right) {
            self.each(right, cx, |binder, value, cx| {
                binder.value(value, scope, Role::Read, cx);
            });
        }
    }

    /// What stands left of `:=` or `=` in a clause: names that are declared, or targets that are assigned to.
    fn targets(&mut self, node: Node<'t>, values: &[ExprId], scope: ScopeId, cx: &mut Cx<'_>) {
        let Some(left) = self.field(node, self.g.left) else { return };
        let names = self.children(left, cx);
        let end = left.end_byte();
        let rest = cx.source.get(end..).unwrap_or("").trim_start();
        if rest.starts_with(":=") {
            self.declare(&names, values, node, scope, cx);
        } else {
            for name in names {
                self.value(name, scope, Role::Write, cx);
            }
        }
    }

    /// `for k, v := range x`.
    fn range(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        let Some(right) = self.field(node, self.g.right) else { return };
        let of = self.value(right, scope, Role::Read, cx);
        // The key of a map; of a slice a number, of a channel what it carries.
        let first = cx.expr(Expr::Item { of, index: 0 });
        let second = cx.expr(Expr::Element { of });
        self.targets(node, &[first, second], scope, cx);
    }

    /// `switch v := x.(type)`: in each case, `v` is of the case's type.
    fn type_switch(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        let scope = cx.scope(scope, ScopeKind::Block, node);
        let alias = self.field(node, self.g.alias);
        let name = alias.and_then(|alias| self.first_child(alias)).filter(|name| cx.text(*name) != "_");
        if let Some(initializer) = self.field(node, self.g.initializer) {
            self.statement(initializer, scope, cx);
        }
        let switched = match self.field(node, self.g.value) {
            Some(value) => self.value(value, scope, Role::Read, cx),
            None => cx.unknown(),
        };
        if let Some(name) = name {
            let whole = self.local(name, BindingKind::Variable, scope, name.end_byte(), cx);
            self.give(whole, Some(switched), cx);
        }
        self.each(node, cx, |binder, case, cx| {
            let kind = binder.g.kind(case);
            if !matches!(kind, Kind::TypeCase | Kind::DefaultCase) {
                return;
            }
            let inside = cx.scope(scope, ScopeKind::Block, case);
            let mut types = Vec::new();
            let mut bodies = Vec::new();
            binder.each(case, cx, |binder, child, cx| match binder.g.kind(child) {
                Kind::StatementList => bodies.push(child),
                _ => types.push(binder.type_of(child, inside, cx)),
            });
            if let Some(name) = name {
                let text = cx.name(name);
                if let [one] = types.as_slice() {
                    let local = cx.bind_name(inside, BindingKind::Variable, text, name.start_byte());
                    cx.binding(local).annotation = Some(*one);
                }
            }
            for body in bodies {
                binder.statements(body, inside, cx);
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
        cx: &mut Cx<'_>,
    ) -> (Option<ExprId>, Span) {
        let mut names = Vec::new();
        self.each(node, cx, |binder, child, _| {
            if binder.g.kind(child) == Kind::Identifier {
                names.push(child);
            }
        });
        let written = self.field(node, self.g.r#type);
        let mut annotation = written.map(|written| self.type_of(written, scope, cx));
        let has_values = self.field(node, self.g.value).is_some();
        let values = self.values(node, self.g.value, names.len(), scope, cx);
        let mut repeated = implied.1;
        if written.is_none() && !has_values {
            annotation = implied.0;
        }
        for (at, name) in names.iter().enumerate() {
            if cx.text(*name) == "_" {
                continue;
            }
            let binding = if scope == FILE_SCOPE {
                cx.bind(scope, kind, *name)
            } else {
                self.local(*name, kind, scope, node.end_byte(), cx)
            };
            cx.binding(binding).annotation = annotation;
            if has_values {
                self.give(binding, values.get(at).copied(), cx);
            } else if names.len() == 1 {
                cx.binding(binding).values = implied.1;
            }
            repeated = cx.binding(binding).values;
        }
        (annotation, repeated)
    }
}
