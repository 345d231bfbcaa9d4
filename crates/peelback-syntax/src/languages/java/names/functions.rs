//! Name binding of Java's methods and constructors: signatures and bodies.

use tree_sitter::Node;

use super::lambdas::OpenFunction;
use super::type_declarations::TypeOwner;
use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, NamesBuilder, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    pub(super) fn bind_method(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        owner: &TypeOwner,
        builder: &mut NamesBuilder<'_>,
    ) {
        let modifiers = self.bind_modifiers(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let method = builder.add_binding_with_definition(members, BindingKind::Function, name);
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(method, scope);
        let body = self.field(node, self.grammar.body);
        let binding = builder.binding_mut(method);
        binding.on_type = modifiers.is_static;
        binding.private = modifiers.is_private;
        // An interface's method without a body is what a lambda implements, and a static one is not inherited.
        binding.constant = owner.is_interface && (body.is_none() || modifiers.is_static);
        if let Some(list) = self.field(node, self.grammar.type_parameters) {
            self.bind_type_parameters(list, scope, builder);
        }
        if let Some(written) = self.field(node, self.grammar.r#type) {
            let declared = self.type_expr(written, scope, builder);
            let dimensions = self.field(node, self.grammar.dimensions);
            let annotation = self.array_type_expr(declared, dimensions, scope, builder);
            builder.binding_mut(method).annotation = Some(annotation);
        }
        self.bind_parameters_and_throws(node, method, scope, builder);
        self.bind_function_body(body, method, scope, builder);
    }

    pub(super) fn bind_constructor(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        owner: &TypeOwner,
        builder: &mut NamesBuilder<'_>,
    ) {
        let modifiers = self.bind_modifiers(node, members, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let constructor = builder.add_binding_with_definition(members, BindingKind::Function, name);
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(constructor, scope);
        let made = builder.add_expr(Expr::Bound { binding: owner.binding });
        let binding = builder.binding_mut(constructor);
        binding.annotation = Some(made);
        binding.on_type = true;
        binding.private = modifiers.is_private;
        if let Some(list) = self.field(node, self.grammar.type_parameters) {
            self.bind_type_parameters(list, scope, builder);
        }
        self.bind_parameters_and_throws(node, constructor, scope, builder);
        if self.kind(node) == Kind::CompactConstructorDeclaration {
            builder.binding_mut(constructor).bases = builder.add_expr_list(&owner.components);
        }
        let body = self.field(node, self.grammar.body);
        self.bind_function_body(body, constructor, scope, builder);
    }

    fn bind_parameters_and_throws(
        &mut self,
        node: Node<'t>,
        function: BindingId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(list) = self.field(node, self.grammar.parameters) {
            let types = self.bind_parameters(list, scope, builder);
            builder.binding_mut(function).bases = builder.add_expr_list(&types);
        }
        if let Some(throws) = self.child_of_kind(node, Kind::Throws) {
            self.type_list(throws, scope, builder);
        }
    }

    /// Binds the parameters of a function in its scope, and returns their types.
    pub(super) fn bind_parameters(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            if let Some((name, annotation, takes_rest)) = binder.parameter_name_and_type(parameter, scope, builder) {
                types.push(annotation);
                if binder.kind(name) == Kind::Identifier {
                    let local = builder.add_binding_with_definition(scope, BindingKind::Parameter, name);
                    let binding = builder.binding_mut(local);
                    binding.annotation = Some(annotation);
                    binding.wrapped = takes_rest;
                }
            }
        });
        types
    }

    /// The name and the type of a parameter, and whether it takes all further arguments.
    pub(super) fn parameter_name_and_type(
        &mut self,
        parameter: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(Node<'t>, ExprId, bool)> {
        match self.kind(parameter) {
            Kind::FormalParameter => {
                self.bind_modifiers(parameter, scope, builder);
                let written = self.field(parameter, self.grammar.r#type)?;
                let declared = self.type_expr(written, scope, builder);
                let dimensions = self.field(parameter, self.grammar.dimensions);
                let annotation = self.array_type_expr(declared, dimensions, scope, builder);
                Some((self.field(parameter, self.grammar.name)?, annotation, false))
            }
            Kind::SpreadParameter => {
                let mut declared = builder.unknown_expr();
                let mut name = None;
                self.bind_modifiers(parameter, scope, builder);
                self.for_each_named_non_comment_child(parameter, builder, |binder, child, builder| {
                    match binder.kind(child) {
                        Kind::Modifiers => {}
                        Kind::Annotation | Kind::MarkerAnnotation => {
                            binder.bind_annotation_if_any(child, scope, builder)
                        }
                        Kind::VariableDeclarator => name = binder.field(child, binder.grammar.name),
                        _ => declared = binder.type_expr(child, scope, builder),
                    }
                });
                let annotation = self.array_of(declared, builder);
                Some((name?, annotation, true))
            }
            Kind::ReceiverParameter => {
                self.for_each_named_non_comment_child(parameter, builder, |binder, child, builder| {
                    match binder.kind(child) {
                        Kind::Annotation | Kind::MarkerAnnotation => {
                            binder.bind_annotation_if_any(child, scope, builder)
                        }
                        Kind::This | Kind::Identifier => {}
                        _ => {
                            binder.type_expr(child, scope, builder);
                        }
                    }
                });
                None
            }
            _ => None,
        }
    }

    fn bind_function_body(
        &mut self,
        body: Option<Node<'t>>,
        function: BindingId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(body) = body else { return };
        let returned_type = builder.binding_mut(function).annotation;
        self.open_functions.push(OpenFunction { returned_type, returned: Vec::new() });
        self.bind_statements(body, scope, builder);
        self.open_functions.pop();
    }
}
