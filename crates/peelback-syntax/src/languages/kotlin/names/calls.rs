//! Name binding of Kotlin's calls.

use tree_sitter::Node;

use super::expected::ExpectedFunction;
use super::types::without_type_arguments;
use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NameId, NamesBuilder, Role, ScopeId, Target};

/// The name of an argument that stands behind the parentheses: a lambda.
const TRAILING: &str = "{}";

impl<'t> Binder<'t> {
    /// The value of `f(…) { … }`.
    pub(super) fn call_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let children = self.named_children(node);
        let Some(mut called) = children.first().copied() else { return builder.unknown_expr() };
        let find = |binder: &Self, list: &[Node<'t>], kind: Kind| {
            list.iter().skip(1).copied().find(|child| binder.kind(*child) == kind)
        };
        let mut arguments = find(self, &children, Kind::ValueArguments);
        let mut type_arguments = find(self, &children, Kind::TypeArguments);
        let lambda = find(self, &children, Kind::AnnotatedLambda);
        // `f(1) { … }` can be a call of a call in the tree.
        if lambda.is_some() && arguments.is_none() && self.kind(called) == Kind::CallExpression {
            let inner = self.named_children(called);
            if find(self, &inner, Kind::AnnotatedLambda).is_none()
                && let Some(first) = inner.first().copied()
            {
                arguments = find(self, &inner, Kind::ValueArguments);
                type_arguments = find(self, &inner, Kind::TypeArguments);
                called = first;
            }
        }
        let callee = self.callee(called, scope, builder);
        let mut named = callee;
        if let Some(list) = type_arguments {
            let args = self.type_arguments(list, scope, builder);
            let args = builder.add_expr_list(&args);
            named = builder.add_expr(Expr::Generic { base: Some(callee), args });
        }
        self.bind_arguments(arguments, lambda, (callee, named), scope, builder);
        self.record_call_of_possible_value(callee, arguments.or(lambda), builder);
        if matches!(builder.names.expr_by_id(callee), Expr::Name { .. } | Expr::Member { .. }) {
            let narrowing = self.narrowing_by_call(called, arguments, builder);
            self.narrowed.extend(narrowing);
        }
        builder.add_expr(Expr::Call { callee: named })
    }

    /// The expression for what is called.
    fn callee(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => {
                let of = self.record_name(node, scope, Role::Call, builder);
                self.record_constructor_of_name(node, of, builder);
                of
            }
            Kind::NavigationExpression => builder.run_with_depth_limit(node, |builder| {
                let of = self.navigation_value(node, scope, Role::Call, builder);
                if let Expr::Member { .. } = builder.names.expr_by_id(of)
                    && let Some(name) = self.named_children(node).last().copied()
                {
                    self.record_constructor_of_name(name, of, builder);
                }
                of
            }),
            _ => self.value(node, scope, builder),
        }
    }

    /// Records the use of a constructor where a called name may be that of a type.
    fn record_constructor_of_name(&mut self, name: Node<'t>, of: ExprId, builder: &mut NamesBuilder<'_>) {
        if super::is_written_as_type(builder.text_of_node(name)) {
            let (text, at) = self.name_and_place(name, builder);
            let constructor = builder.add_expr(Expr::Member { base: of, name: text, at: super::to_u32(at) });
            self.record_occurrence(name, Role::Call, Target::Expr(constructor), builder);
        }
    }

    /// Records the use of the constructor of the type `of`, which the node `written` names, and returns the expression
    /// for the type.
    pub(super) fn record_constructor_use(
        &mut self,
        written: Node<'t>,
        of: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let base = without_type_arguments(of, builder);
        let names: Vec<Node<'t>> =
            self.named_children(written).into_iter().filter(|child| self.kind(*child) == Kind::Identifier).collect();
        if let Some(name) = names.last() {
            let (text, at) = self.name_and_place(*name, builder);
            let constructor = builder.add_expr(Expr::Member { base, name: text, at: super::to_u32(at) });
            self.record_occurrence(*name, Role::Call, Target::Expr(constructor), builder);
        }
        base
    }

    /// The value of `f<T> { … }`, which the grammar reads as comparisons; `None` if it is something else.
    pub(super) fn call_value_in_comparison(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        let lambda = self.field(node, self.grammar.right).filter(|right| self.kind(*right) == Kind::LambdaLiteral)?;
        let left = self.field(node, self.grammar.left).filter(|left| self.kind(*left) == Kind::BinaryExpression)?;
        let signs = (self.operator_text(node, builder), self.operator_text(left, builder));
        let (called, argument) = (self.field(left, self.grammar.left)?, self.field(left, self.grammar.right)?);
        if signs != (">", "<") || !matches!(self.kind(argument), Kind::Identifier | Kind::NavigationExpression) {
            return None;
        }
        let callee = self.callee(called, scope, builder);
        let argument = self.type_read_as_expression(argument, scope, builder);
        let args = builder.add_expr_list(&[argument]);
        let named = builder.add_expr(Expr::Generic { base: Some(callee), args });
        self.bind_arguments(None, Some(lambda), (callee, named), scope, builder);
        self.record_call_of_possible_value(callee, Some(lambda), builder);
        Some(builder.add_expr(Expr::Call { callee: named }))
    }

    /// The expression for a type that the grammar reads as a value: `a.B`.
    fn type_read_as_expression(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        builder.run_with_depth_limit(node, |builder| match self.kind(node) {
            Kind::Identifier => self.record_type_use(node, scope, Role::Type, builder),
            Kind::NavigationExpression => {
                let children = self.named_children(node);
                let [owner, name] = children.as_slice() else { return self.value(node, scope, builder) };
                let owner = self.type_read_as_expression(*owner, scope, builder);
                self.record_member(owner, *name, Role::Type, builder)
            }
            _ => self.value(node, scope, builder),
        })
    }

    /// Binds the names in the arguments of a call of `callee`, and records the arguments. `named` is the callee with its
    /// type arguments.
    pub(super) fn bind_arguments(
        &mut self,
        list: Option<Node<'t>>,
        lambda: Option<Node<'t>>,
        (callee, named): (ExprId, ExprId),
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut values = Vec::new();
        let mut names: Vec<(u32, NameId)> = Vec::new();
        let mut index = 0;
        let label = self.last_name(callee, builder);
        let arguments = list.map_or_else(Vec::new, |list| self.named_children(list));
        for argument in arguments {
            if self.kind(argument) != Kind::ValueArgument {
                self.value(argument, scope, builder);
                continue;
            }
            let parts = self.all_children(argument);
            let name = parts.get(1).filter(|sign| sign.kind() == "=").and_then(|_| parts.first().copied());
            if let Some(name) = name {
                self.record_occurrence(name, Role::Read, Target::Parameter { callee }, builder);
                let (text, _) = self.name_and_place(name, builder);
                names.push((index, text));
            }
            let is_spread = parts.iter().any(|part| part.kind() == "*");
            let Some(value) = parts.iter().rev().copied().find(|part| part.is_named() && Some(*part) != name) else {
                continue;
            };
            self.expected_function = Some(ExpectedFunction::Argument { callee: named, index });
            let value = self.argument_value(value, (scope, label), builder);
            values.push(if is_spread || self.kind(argument) == Kind::SpreadExpression {
                builder.add_expr(Expr::Element { of: value })
            } else {
                value
            });
            index += 1;
        }
        if let Some(lambda) = lambda {
            let trailing = builder.intern_constructed_text(TRAILING);
            names.push((index, trailing));
            let mut own_label = label;
            let parts = match self.kind(lambda) {
                Kind::LambdaLiteral => vec![lambda],
                _ => self.named_children(lambda),
            };
            for part in parts {
                match self.kind(part) {
                    Kind::Annotation => self.bind_annotation(part, scope, builder),
                    Kind::Label => own_label = Some(self.label_name(part, builder)),
                    _ => {
                        let expected = Some(ExpectedFunction::Argument { callee: named, index });
                        let value = builder.run_with_depth_limit(part, |builder| {
                            self.lambda_value(part, scope, (expected, own_label), builder)
                        });
                        values.push(value);
                    }
                }
            }
        }
        if callee != builder.unknown_expr() {
            let args = builder.add_expr_list(&values);
            builder.names.call_arguments.push((callee, args));
            builder.names.argument_names.extend(names.into_iter().map(|(index, name)| (callee, index, name)));
        }
    }

    /// The value of an argument. A lambda has the name of the called function as its label.
    fn argument_value(
        &mut self,
        node: Node<'t>,
        (scope, label): (ScopeId, Option<NameId>),
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if self.kind(node) == Kind::LambdaLiteral {
            let expected = self.expected_function.take();
            return builder
                .run_with_depth_limit(node, |builder| self.lambda_value(node, scope, (expected, label), builder));
        }
        self.value(node, scope, builder)
    }

    pub(super) fn label_name(&self, label: Node<'t>, builder: &mut NamesBuilder<'_>) -> NameId {
        let text = builder.text_of_node(label);
        builder.intern_source_text(text.trim_end_matches('@'))
    }

    fn last_name(&self, callee: ExprId, builder: &NamesBuilder<'_>) -> Option<NameId> {
        match builder.names.expr_by_id(callee) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => Some(name),
            _ => None,
        }
    }
}
