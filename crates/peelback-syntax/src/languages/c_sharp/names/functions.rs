//! Name binding of C#'s functions: parameters and bodies of methods, constructors, operators and local functions.

use tree_sitter::Node;

use super::open_functions::OpenFunction;
use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, ExprId, NamesBuilder, ScopeId, ScopeKind};

/// What the modifiers of a declaration say of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Modifiers {
    pub is_static: bool,
    pub is_constant: bool,
    pub is_private: bool,
    pub is_partial: bool,
    /// Whether it is the receiver of an extension method.
    pub is_this: bool,
}

impl<'t> Binder<'t> {
    /// Binds the signature and the body of a function with the binding `function`, in the scope of its body.
    pub(super) fn bind_signature_and_body(
        &mut self,
        node: Node<'t>,
        function: BindingId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(list) = self.child_of_kind(node, Kind::TypeParameterList) {
            self.bind_type_parameters(list, scope, builder);
        }
        self.bind_constraints(node, scope, builder);
        let written = self.field(node, self.grammar.returns).or_else(|| self.field(node, self.grammar.r#type));
        if let Some(written) = written {
            let declared = self.type_expr(written, scope, builder);
            builder.binding_mut(function).annotation = Some(declared);
        }
        if let Some(list) = self.field(node, self.grammar.parameters) {
            let types = self.bind_parameters(list, scope, builder);
            builder.binding_mut(function).bases = builder.add_expr_list(&types);
        }
        self.bind_function_body(self.field(node, self.grammar.body), function, scope, builder);
    }

    pub(super) fn bind_function_body(
        &mut self,
        body: Option<Node<'t>>,
        function: BindingId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(body) = body else { return };
        let returned_type = builder.binding_mut(function).annotation;
        self.open_functions.push(OpenFunction { returned_type, returned: Vec::new() });
        match self.kind(body) {
            Kind::ArrowExpressionClause => {
                if let Some(value) = self.first_child(body) {
                    self.value_for_type(value, scope, returned_type, builder);
                }
            }
            _ => self.bind_statements(body, scope, builder),
        }
        self.open_functions.pop();
    }

    /// Binds the parameters of a function in its scope, and returns their types.
    pub(super) fn bind_parameters(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.for_each_child(list, builder, |binder, parameter, builder| match binder.kind(parameter) {
            Kind::Parameter => {
                let of = binder.declared_type(parameter, scope, builder);
                types.push(of.unwrap_or(builder.unknown_expr()));
                binder.bind_parameter(parameter, of, scope, builder);
            }
            Kind::AttributeList => binder.bind_attributes_in(parameter, scope, builder),
            _ => {}
        });
        // `params int[] rest` has no node of its own.
        if let Some(name) = self.field(list, self.grammar.name)
            && let Some(of) = self.declared_type(list, scope, builder)
        {
            types.push(of);
            let rest = self.bind_name(scope, BindingKind::Parameter, name, builder);
            let rest = builder.binding_mut(rest);
            rest.annotation = Some(of);
            rest.wrapped = true;
        }
        types
    }

    fn bind_parameter(
        &mut self,
        parameter: Node<'t>,
        of: Option<ExprId>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let modifiers = self.bind_modifiers(parameter, scope, builder);
        let Some(name) = self.field(parameter, self.grammar.name) else { return };
        let local = self.bind_name(scope, BindingKind::Parameter, name, builder);
        builder.binding_mut(local).annotation = of;
        builder.binding_mut(local).constant = modifiers.is_this;
        if self.has_token(parameter, "=")
            && let Some(default) = self.last_child(parameter, builder).filter(|last| *last != name)
        {
            let value = self.value_for_type(default, scope, of, builder);
            builder.binding_mut(local).values = builder.add_expr_list(&[value]);
        }
    }

    /// Binds a function inside another one.
    pub(super) fn bind_local_function(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.bind_modifiers(node, scope, builder);
        let Some(name) = self.field(node, self.grammar.name) else { return };
        let function = self.bind_name(scope, BindingKind::Function, name, builder);
        let inside = builder.add_child_scope(scope, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(function, inside);
        self.bind_signature_and_body(node, function, inside, builder);
    }
}
