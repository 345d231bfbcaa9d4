//! Name binding of Kotlin's lambdas and functions without a name.

use tree_sitter::Node;

use super::expected::ExpectedFunction;
use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NameId, NamesBuilder, RECEIVER_PARAMETER, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// The value of an expression that is assigned to something of a declared type.
    pub(super) fn value_for_type(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        declared: Option<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        self.expected_function = declared.map(ExpectedFunction::Type);
        self.value(node, scope, builder)
    }

    /// The value of a lambda. `return@label` and `this@label` mean it.
    pub(super) fn lambda_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        (expected, label): (Option<ExpectedFunction>, Option<NameId>),
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let inside = builder.add_child_scope(scope, ScopeKind::Function, node);
        let function = self.add_unnamed_binding(BindingKind::Function, (node, inside), builder);
        let given = expected.map(|expected| match expected {
            ExpectedFunction::Argument { callee, index } => (callee, index),
            ExpectedFunction::Type(of) => (self.function_taking(of, node, scope, builder), 0),
        });
        let given = |parameter: u32, builder: &mut NamesBuilder<'_>| match given {
            Some((callee, argument)) => builder.add_expr(Expr::Given { callee, argument, parameter }),
            None => builder.unknown_expr(),
        };
        let this = given(RECEIVER_PARAMETER, builder);
        if this != builder.unknown_expr() {
            self.bind_this((inside, node), None, this, builder);
        }
        let children = self.named_children(node);
        let parameters = children.first().copied().filter(|first| self.kind(*first) == Kind::LambdaParameters);
        match parameters {
            Some(list) => {
                let mut index = 0;
                let mut types = Vec::new();
                self.for_each_child(list, builder, |binder, parameter, builder| {
                    let value = given(index, builder);
                    index += 1;
                    types.push(builder.unknown_expr());
                    match binder.kind(parameter) {
                        Kind::VariableDeclaration => {
                            let place = (BindingKind::Variable, inside);
                            binder.bind_variable_declaration(parameter, place, value, 0, builder);
                        }
                        Kind::MultiVariableDeclaration => {
                            binder.bind_destructured(parameter, (BindingKind::Variable, inside), value, 0, builder);
                        }
                        _ => {}
                    }
                });
                builder.binding_mut(function).bases = builder.add_expr_list(&types);
            }
            // It may have a parameter that is not named.
            None => {
                builder.binding_mut(function).wrapped = false;
                builder.binding_mut(function).constant = true;
                let value = given(0, builder);
                let it = builder.intern_constructed_text("it");
                let it = builder.add_binding(inside, BindingKind::Variable, it, node.start_byte());
                self.set_value(it, value, builder);
            }
        }
        self.labels.extend(label.map(|label| (label, inside)));
        self.returned.push((inside, Vec::new()));
        let narrowed = self.narrowed.len();
        let mut last = builder.unknown_expr();
        for statement in children.into_iter().filter(|child| Some(*child) != parameters) {
            last = self.bind_statement(statement, inside, builder);
            self.narrow_after_statement(statement, builder);
        }
        self.narrowed.truncate(narrowed);
        let mut values = self.returned.pop().map(|(_, returned)| returned).unwrap_or_default();
        if label.is_some() {
            self.labels.pop();
        }
        if last != builder.unknown_expr() {
            values.insert(0, last);
        }
        values.truncate(MAX_RETURNED);
        builder.binding_mut(function).values = builder.add_expr_list(&values);
        builder.add_expr(Expr::Function { binding: function })
    }

    /// The value of `fun(x: A): B { … }`.
    pub(super) fn anonymous_function_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let inside = builder.add_child_scope(scope, ScopeKind::Function, node);
        let function = self.add_unnamed_binding(BindingKind::Function, (node, inside), builder);
        self.bind_signature(node, (function, inside), None, builder);
        if let Some(body) = self.child_of_kind(node, Kind::FunctionBody) {
            self.returned.push((inside, Vec::new()));
            match self.child_of_kind(body, Kind::Block) {
                Some(block) => {
                    self.bind_statements(block, inside, builder);
                    let mut returned = self.returned.pop().map(|(_, returned)| returned).unwrap_or_default();
                    returned.truncate(MAX_RETURNED);
                    builder.binding_mut(function).values = builder.add_expr_list(&returned);
                }
                None => {
                    self.returned.pop();
                    if let Some(value) = self.first_named_child(body) {
                        let value = self.value(value, inside, builder);
                        builder.binding_mut(function).values = builder.add_expr_list(&[value]);
                    }
                }
            }
        }
        builder.add_expr(Expr::Function { binding: function })
    }

    /// The expression for a function with one parameter of the type `of`: what is assigned to a variable of a type is
    /// given what an argument of that type is given.
    fn function_taking(
        &mut self,
        of: ExprId,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let inside = builder.add_child_scope_for_bytes(scope, ScopeKind::Function, 0..0);
        let function = self.add_unnamed_binding(BindingKind::Function, (node, inside), builder);
        builder.binding_mut(function).bases = builder.add_expr_list(&[of]);
        builder.add_expr(Expr::Function { binding: function })
    }
}

/// The limit on the number of expressions from which the result of a lambda is taken.
const MAX_RETURNED: usize = 8;
