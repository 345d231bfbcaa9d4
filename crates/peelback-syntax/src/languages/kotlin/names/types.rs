//! Type expressions of Kotlin.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// The expression for the type that the syntax node `node` denotes. Its names are looked up from `scope`.
    pub(super) fn type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        self.type_expr_in_role(node, scope, Role::Type, builder)
    }

    /// The expression for a type whose last name is used in a role: a type is called where it is constructed.
    pub(super) fn type_expr_in_role(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        builder.run_with_depth_limit(node, |builder| match self.kind(node) {
            Kind::UserType => self.user_type_expr(node, scope, role, builder),
            Kind::NullableType | Kind::ParenthesizedType | Kind::TypeProjection => {
                let mut of = builder.unknown_expr();
                self.for_each_child(node, builder, |binder, child, builder| {
                    if binder.is_type(child) {
                        of = binder.type_expr_in_role(child, scope, role, builder);
                    } else {
                        binder.bind_type_modifiers(child, scope, builder);
                    }
                });
                of
            }
            Kind::NonNullableType => {
                let mut first = None;
                self.for_each_child(node, builder, |binder, child, builder| {
                    if binder.is_type(child) {
                        let of = binder.type_expr(child, scope, builder);
                        first.get_or_insert(of);
                    }
                });
                first.unwrap_or(builder.unknown_expr())
            }
            Kind::FunctionType => self.function_type_expr(node, scope, builder),
            Kind::Identifier => self.record_type_use(node, scope, role, builder),
            _ => builder.unknown_expr(),
        })
    }

    /// Whether a node denotes a type.
    pub(super) fn is_type(&self, node: Node<'t>) -> bool {
        matches!(
            self.kind(node),
            Kind::UserType | Kind::NullableType | Kind::ParenthesizedType | Kind::NonNullableType | Kind::FunctionType
        )
    }

    fn bind_type_modifiers(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if self.kind(node) == Kind::TypeModifiers {
            self.for_each_child(node, builder, |binder, child, builder| {
                if binder.kind(child) == Kind::Annotation {
                    binder.bind_annotation(child, scope, builder);
                }
            });
        }
    }

    /// The type that a path of names denotes: `a.b.Outer<A>.Inner<B>`.
    fn user_type_expr(&mut self, node: Node<'t>, scope: ScopeId, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let children = self.named_children(node);
        let last = children.iter().rposition(|child| self.kind(*child) == Kind::Identifier);
        let mut base: Option<ExprId> = None;
        for (at, child) in children.iter().enumerate() {
            match self.kind(*child) {
                Kind::Identifier => {
                    let role = if Some(at) == last { role } else { Role::Type };
                    base = Some(match base {
                        Some(owner) => {
                            let owner = without_type_arguments(owner, builder);
                            self.record_member(owner, *child, role, builder)
                        }
                        None => self.record_type_use(*child, scope, role, builder),
                    });
                }
                Kind::TypeArguments => {
                    let args = self.type_arguments(*child, scope, builder);
                    let args = builder.add_expr_list(&args);
                    base = base.map(|base| builder.add_expr(Expr::Generic { base: Some(base), args }));
                }
                _ => self.bind_type_modifiers(*child, scope, builder),
            }
        }
        base.unwrap_or(builder.unknown_expr())
    }

    /// The type arguments in angle brackets.
    pub(super) fn type_arguments(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut args = Vec::new();
        self.for_each_child(list, builder, |binder, argument, builder| {
            args.push(binder.type_expr(argument, scope, builder))
        });
        args
    }

    /// A function type, as a function without a name: `A.(B) -> C`.
    fn function_type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let inside = builder.add_child_scope_for_bytes(scope, ScopeKind::Function, 0..0);
        let function = self.add_unnamed_binding(BindingKind::Function, (node, inside), builder);
        builder.binding_mut(function).type_only = true;
        let children = self.all_children(node);
        let arrow = children.iter().position(|child| child.kind() == "->").unwrap_or(children.len());
        for (at, child) in children.iter().enumerate() {
            match self.kind(*child) {
                Kind::FunctionTypeParameters => {
                    let mut types = Vec::new();
                    self.for_each_child(*child, builder, |binder, parameter, builder| {
                        types.push(match binder.kind(parameter) {
                            Kind::Parameter => binder.type_of_parameter(parameter, scope, builder),
                            _ => binder.type_expr(parameter, scope, builder),
                        });
                    });
                    builder.binding_mut(function).bases = builder.add_expr_list(&types);
                }
                Kind::TypeModifiers => self.bind_type_modifiers(*child, scope, builder),
                _ if !self.is_type(*child) => {}
                _ if at > arrow => {
                    let result = self.type_expr(*child, scope, builder);
                    builder.binding_mut(function).annotation = Some(result);
                }
                _ => {
                    let receiver = self.type_expr(*child, scope, builder);
                    let unknown = builder.unknown_expr();
                    self.bind_this((inside, node), Some(receiver), unknown, builder);
                }
            }
        }
        builder.add_expr(Expr::Function { binding: function })
    }

    /// The declared type of a parameter node (`name: Type`), whose name is not bound.
    pub(super) fn type_of_parameter(
        &mut self,
        parameter: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.find_child(parameter, |binder, child| binder.is_type(child)) {
            Some(written) => self.type_expr(written, scope, builder),
            None => builder.unknown_expr(),
        }
    }

    /// Binds type parameters and the bounds in angle brackets.
    pub(super) fn bind_type_parameters(
        &mut self,
        declaration: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut bounds = Vec::new();
        if let Some(list) = self.child_of_kind(declaration, Kind::TypeParameters) {
            self.for_each_child(list, builder, |binder, parameter, builder| {
                if binder.kind(parameter) != Kind::TypeParameter {
                    return;
                }
                let Some(name) = binder.child_of_kind(parameter, Kind::Identifier) else { return };
                let binding = binder.bind_definition(scope, BindingKind::TypeParameter, name, builder);
                bounds.extend(
                    binder.find_child(parameter, |binder, child| binder.is_type(child)).map(|of| (binding, of)),
                );
            });
        }
        // A bound can name any of the parameters.
        for (binding, bound) in bounds {
            let bound = self.type_expr(bound, scope, builder);
            builder.binding_mut(binding).annotation = Some(bound);
        }
        if let Some(list) = self.child_of_kind(declaration, Kind::TypeConstraints) {
            self.for_each_child(list, builder, |binder, constraint, builder| {
                let Some(name) = binder.child_of_kind(constraint, Kind::Identifier) else { return };
                binder.record_type_use(name, scope, Role::Type, builder);
                if let Some(of) = binder.find_child(constraint, |binder, child| binder.is_type(child)) {
                    let of = binder.type_expr(of, scope, builder);
                    let (name, _) = binder.name_and_place(name, builder);
                    let own = builder.names.bindings.iter_mut().rev().find(|of| of.scope == scope && of.name == name);
                    if let Some(own) = own.filter(|own| own.annotation.is_none()) {
                        own.annotation = Some(of);
                    }
                }
            });
        }
    }
}

/// A type expression without its type arguments.
pub(super) fn without_type_arguments(of: ExprId, builder: &NamesBuilder<'_>) -> ExprId {
    match builder.names.expr_by_id(of) {
        Expr::Generic { base: Some(base), .. } => base,
        _ => of,
    }
}
