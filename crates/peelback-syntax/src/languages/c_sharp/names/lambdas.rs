//! Name binding of C#'s lambdas and anonymous methods.

use tree_sitter::Node;

use super::open_functions::{ExpectedFunction, OpenFunction};
use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, ScopeId, ScopeKind};

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
        self.expected_type = declared;
        self.value(node, scope, builder)
    }

    /// The value of a lambda or of `delegate (…) { … }`.
    pub(super) fn lambda_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let inside = builder.add_child_scope(scope, ScopeKind::Function, node);
        let function = self.add_unnamed_binding(BindingKind::Function, "=>", (node, inside), builder);
        if let Some(written) = self.field(node, self.grammar.r#type) {
            self.type_expr(written, scope, builder);
        }
        if let Some(parameters) = self.field(node, self.grammar.parameters) {
            let names = match self.kind(parameters) {
                Kind::ParameterList => {
                    let typed = self
                        .find_child(parameters, |binder, child| binder.field(child, binder.grammar.r#type).is_some());
                    match typed {
                        Some(_) => Err(self.bind_parameters(parameters, inside, builder)),
                        None => Ok(self.lambda_parameter_names(parameters, builder)),
                    }
                }
                _ => Ok(vec![parameters]),
            };
            let types = match names {
                Ok(names) => self.bind_inferred_parameters(&names, inside, expected, builder),
                Err(types) => types,
            };
            builder.binding_mut(function).bases = builder.add_expr_list(&types);
        }
        let body = self.field(node, self.grammar.body).or_else(|| self.child_of_kind(node, Kind::Block));
        if let Some(body) = body {
            let returned = match self.kind(body) {
                Kind::Block => {
                    self.open_functions.push(OpenFunction { returned_type: None, returned: Vec::new() });
                    self.bind_statements(body, inside, builder);
                    self.open_functions.pop().map(|open| open.returned).unwrap_or_default()
                }
                _ => vec![self.value(body, inside, builder)],
            };
            builder.binding_mut(function).values = builder.add_expr_list(&returned);
        }
        builder.add_expr(Expr::Function { binding: function })
    }

    fn lambda_parameter_names(&mut self, list: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<Node<'t>> {
        let mut names = Vec::new();
        self.for_each_child(list, builder, |binder, parameter, _| {
            names.extend(binder.field(parameter, binder.grammar.name));
        });
        names
    }

    fn bind_inferred_parameters(
        &mut self,
        names: &[Node<'t>],
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut types = Vec::new();
        for (parameter, name) in (0..).zip(names) {
            let given = match expected {
                Some(ExpectedFunction::Argument { callee, index }) => {
                    builder.add_expr(Expr::Given { callee, argument: index, parameter })
                }
                Some(ExpectedFunction::Type(of)) => {
                    let callee = self.function_taking(of, *name, scope, builder);
                    builder.add_expr(Expr::Given { callee, argument: 0, parameter })
                }
                None => builder.unknown_expr(),
            };
            types.push(builder.unknown_expr());
            let local = self.bind_name(scope, BindingKind::Variable, *name, builder);
            self.set_value(local, given, builder);
        }
        types
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
        let function = self.add_unnamed_binding(BindingKind::Function, "=>", (node, inside), builder);
        builder.binding_mut(function).bases = builder.add_expr_list(&[of]);
        builder.add_expr(Expr::Function { binding: function })
    }
}
