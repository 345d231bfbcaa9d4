//! Name binding of Java's lambdas and method references.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, RestrictedNameKind, Role, ScopeId, ScopeKind};

/// Where a lambda gets the types of its parameters from.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExpectedFunction {
    /// The declared type of what the lambda is assigned to.
    Type(ExprId),
    /// The parameter of the function that the lambda is passed to.
    Argument { callee: ExprId, index: u32 },
}

/// A function whose body is being bound.
pub(super) struct OpenFunction {
    /// The declared type of its results; `None` for a lambda.
    pub returned_type: Option<ExprId>,
    /// The expressions that its body returned so far.
    pub returned: Vec<ExprId>,
}

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

    pub(super) fn lambda_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let inside = builder.add_child_scope(scope, ScopeKind::Function, node);
        let function = self.add_unnamed_binding(BindingKind::Function, (node, inside), builder);
        if let Some(parameters) = self.field(node, self.grammar.parameters) {
            let types = match self.kind(parameters) {
                Kind::FormalParameters => self.bind_lambda_parameters_with_types(parameters, inside, expected, builder),
                Kind::InferredParameters => {
                    let names = self.named_children(parameters, builder);
                    self.bind_inferred_parameters(&names, inside, expected, builder)
                }
                _ => self.bind_inferred_parameters(&[parameters], inside, expected, builder),
            };
            builder.binding_mut(function).bases = builder.add_expr_list(&types);
        }
        if let Some(body) = self.field(node, self.grammar.body) {
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

    /// Binds the parameters of a lambda that have types. `var` is no type.
    fn bind_lambda_parameters_with_types(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        expected: Option<ExpectedFunction>,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut is_inferred = false;
        let mut names = Vec::new();
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            if let Some(written) = binder.field(parameter, binder.grammar.r#type) {
                is_inferred |= builder.text_of_node(written) == "var";
                names.extend(binder.field(parameter, binder.grammar.name));
            }
        });
        if is_inferred {
            return self.bind_inferred_parameters(&names, scope, expected, builder);
        }
        self.bind_parameters(list, scope, builder)
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
            if self.kind(*name) == Kind::Identifier {
                let local = builder.add_binding_with_definition(scope, BindingKind::Variable, *name);
                self.set_value(local, given, builder);
            }
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
        let function = self.add_unnamed_binding(BindingKind::Function, (node, inside), builder);
        builder.binding_mut(function).bases = builder.add_expr_list(&[of]);
        builder.add_expr(Expr::Function { binding: function })
    }

    /// The value of `A::b` or `A::new`.
    pub(super) fn method_reference_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let children = self.named_children(node, builder);
        let Some(first) = children.first().copied() else { return builder.unknown_expr() };
        let name = children.last().copied().filter(|last| *last != first && self.kind(*last) == Kind::Identifier);
        if let Some(list) = children.iter().skip(1).find(|child| self.kind(**child) == Kind::TypeArguments) {
            self.type_arguments(*list, scope, builder);
        }
        match name {
            Some(name) => {
                let base = match self.kind(first) {
                    Kind::GenericType | Kind::ScopedTypeIdentifier | Kind::ArrayType | Kind::TypeIdentifier => {
                        self.type_expr(first, scope, builder)
                    }
                    _ => self.value(first, scope, builder),
                };
                builder.record_member_use(base, name, Role::Read)
            }
            None => self.constructed_type_expr(first, scope, Role::Read, builder).0,
        }
    }

    /// The expression for a type that is constructed, and the one for its constructor. The name has an occurrence for
    /// each.
    pub(super) fn constructed_type_expr(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> (ExprId, ExprId) {
        let of = match self.kind(node) {
            Kind::Identifier => self.record_restricted_name_use(node, scope, (RestrictedNameKind::Type, role), builder),
            Kind::FieldAccess => self.value(node, scope, builder),
            _ => self.type_expr_in_role(node, scope, role, builder),
        };
        (of, self.record_constructor_use(node, of, role, builder))
    }

    /// Records the use of the constructor of the type `of`, which the node `written` names.
    pub(super) fn record_constructor_use(
        &mut self,
        written: Node<'t>,
        of: ExprId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let base = match builder.names.expr_by_id(of) {
            Expr::Generic { base: Some(base), .. } => base,
            _ => of,
        };
        match self.last_name_of_type(written) {
            Some(name) => {
                let text = builder.name_id_of_node(name);
                let at = u32::try_from(name.start_byte()).unwrap_or(u32::MAX);
                let constructor = builder.add_expr(Expr::Member { base, name: text, at });
                self.record_use_of_expr(name, constructor, role, builder);
                constructor
            }
            None => builder.unknown_expr(),
        }
    }

    /// The node of a type's last name: `C` of `a.b.C<T>`.
    fn last_name_of_type(&mut self, mut node: Node<'t>) -> Option<Node<'t>> {
        loop {
            node = match self.kind(node) {
                Kind::TypeIdentifier | Kind::Identifier => return Some(node),
                Kind::GenericType | Kind::AnnotatedType => self.find_named_child(node, |binder, child| {
                    matches!(binder.kind(child), Kind::TypeIdentifier | Kind::ScopedTypeIdentifier | Kind::GenericType)
                })?,
                // The last child, behind its annotations.
                Kind::ScopedTypeIdentifier => {
                    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
                    node.named_child(last).filter(|child| self.kind(*child) == Kind::TypeIdentifier)?
                }
                Kind::FieldAccess => self.field(node, self.grammar.field)?,
                _ => return None,
            };
        }
    }
}
